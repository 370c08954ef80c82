"""Find words that are read right but out of order: runs of words that occur in both texts.

Common runs of words, in any order, are found by greedy string tiling: the longest run is taken first
(M. J. Wise, "String similarity via greedy string tiling and running Karp-Rabin matching", University of
Sydney, 1993). Windows of words are compared by ranks instead of hashes (R. M. Karp, R. E. Miller and A.
L. Rosenberg, "Rapid identification of repeated patterns in strings, trees and arrays", STOC 1972). The
memory is proportional to n log m, with n the length of the texts and m the length of the longest run.
The minimum length of a run is chosen so that few runs of this length occur by chance (S. Karlin and S.
F. Altschul, "Methods for assessing the statistical significance of molecular sequence features by using
general scoring schemes", PNAS 87, 1990, equation 1, without gaps and for equal words alone).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.words.matching import SPACE, Block, common_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Indices = NDArray[np.intp]
    Bits = NDArray[np.float64]

#: A run of words can be moved only if at most this many such runs are expected by chance.
CHANCE = 0.1
#: The information content of a single character is multiplied by this number, because the character
#: depends on the characters before it.
OF_CHARACTER = 0.25
#: Maximum number of searches for runs among the remaining words.
PASSES = 8


class MovedWords(NamedTuple):
    """The words of a page that are out of order, and the words that are in order.

    Pairs have shape (k, 2) and are sorted by word. The columns are the index of a word and the index of
    its equal output.
    """

    pairs: Indices
    """Pairs of words that have moved."""
    kept: Indices
    """Pairs in runs that are in order (both columns increase) and too long to occur by chance."""
    words: Indices
    """Increasing indices of words that have not moved and have no equal output in order."""
    outputs: Indices
    """Increasing indices of outputs that have not moved and have no equal word in order."""


def moved_words(
    truth: Sequence[str],
    outputs: Sequence[str],
    *,
    parts: NDArray[np.bool_] | None = None,
) -> MovedWords:
    r"""Find the words of a page that have an equal output out of order.

    Parameters
    ----------
    truth, outputs : sequence of str
        Words in reading order, normalised and folded alike.
    parts : ndarray of bool, optional
        Whether each true word is a single character or another part of a word. By default, all are
        whole words.

    Returns
    -------
    MovedWords

    Notes
    -----
    Common runs of words are taken in decreasing order of length. Among runs of the same length, the
    first run in the truth is taken first, with the first equal run in the outputs. Runs in the same
    order in both texts form a chain. The runs of the chain with the largest total weight (the rarer a
    word, the larger its weight) are in order, and all other runs have moved. The remaining words are
    matched in order by a longest common subsequence. Then the unmatched words are concatenated and
    searched again, until no further run is found.

    A run of words w is accepted only if it has at least two words and if few such runs are expected by
    chance: :math:`n_T n_O \prod p(w) \le` `CHANCE`. Here, :math:`n_T` and :math:`n_O` are the numbers
    of true words and outputs searched. The probability p(w) is the share of w among all true words and
    outputs of the page. If w is a line, p(w) is the product of the shares of the line's words. If w is
    a single character, :math:`p(w)^{1/4}` replaces p(w), because a character depends on the characters
    before it.

    Examples
    --------
    >>> from fastarac.ocr.words.reordering import moved_words
    >>> truth = "left column has these words right column has others".split()
    >>> outputs = "right column has others left column has these words".split()
    >>> moved_words(truth, outputs).pairs.tolist()
    [[5, 0], [6, 1], [7, 2], [8, 3]]
    """
    first, second = _numbers(truth, outputs)
    bits = _bits(truth, outputs)
    alone = np.fromiter((SPACE not in word for word in truth), bool, len(truth))
    if parts is not None:
        bits[parts] *= OF_CHARACTER
    left, right = np.arange(len(first)), np.arange(len(second))
    kept, out = _divided_at_chain(_runs(first, second, bits, alone, left, right), bits)
    others, moved = [left, right], [np.empty((0, 2), np.intp)]
    for _ in range(PASSES):
        moved += out
        taken = np.concatenate(moved)
        others = [
            np.setdiff1d(np.arange(len(side)), taken[:, k]) for k, side in enumerate((first, second))
        ]
        ours, theirs = _out_of_order(first[others[0]], second[others[1]])
        left, right = others[0][ours], others[1][theirs]
        out = _runs(first, second, bits, alone, left, right)
        if not out:
            break
    pairs = np.concatenate(moved)
    in_order = np.concatenate([np.empty((0, 2), np.intp), *kept])
    return MovedWords(pairs[np.argsort(pairs[:, 0])], in_order, left, right)


def _runs(
    first: Indices,
    second: Indices,
    bits: Bits,
    alone: NDArray[np.bool_],
    left: Indices,
    right: Indices,
) -> list[Indices]:
    """Return the pairs of each common run among these words that is unlikely to occur by chance."""
    if not len(left) or not len(right):
        return []
    needed = float(np.log2(len(left) * len(right) / CHANCE))
    # Cap the bits just below `needed`, so that a single rare word never counts as a run.
    limited = np.where(alone[left], np.minimum(bits[left], 0.999 * needed), bits[left])
    return [
        np.stack([left[i : i + n], right[j : j + n]], axis=1)
        for i, j, n in tiles(first[left], second[right], limited, needed)
    ]


def _divided_at_chain(runs: list[Indices], bits: Bits) -> tuple[list[Indices], list[Indices]]:
    """Divide runs into a chain (with the same order in both texts) and the other runs.

    Of all possible chains, the one with the largest total of `bits` is returned.
    """
    runs = sorted(runs, key=lambda run: int(run[0, 0]))
    # The best chains so far: (last output index, total bits, last run), increasing in index and bits.
    best: list[tuple[int, float, int]] = []
    before = []
    for number, run in enumerate(runs):
        place = int(run[0, 1])
        at = bisect_left(best, (place,))
        weight = float(bits[run[:, 0]].sum()) + (best[at - 1][1] if at else 0.0)
        before.append(best[at - 1][2] if at else -1)
        worse = at
        while worse < len(best) and best[worse][1] <= weight:
            worse += 1
        best[at:worse] = [(place, weight, number)]
    chain, number = set(), best[-1][2] if best else -1
    while number >= 0:
        chain.add(number)
        number = before[number]
    out = [run for number, run in enumerate(runs) if number not in chain]
    return [runs[number] for number in sorted(chain)], out


def _numbers(truth: Sequence[str], outputs: Sequence[str]) -> tuple[Indices, Indices]:
    """Return a number for each word; equal words have equal numbers."""
    numbers: dict[str, int] = {}
    first = [numbers.setdefault(word, len(numbers)) for word in truth]
    second = [numbers.setdefault(word, len(numbers)) for word in outputs]
    return np.array(first, np.intp), np.array(second, np.intp)


def _bits(truth: Sequence[str], outputs: Sequence[str]) -> Bits:
    """Return −log2 of each true word's share of all words; for a line, the sum over its words."""
    counts = Counter(word for text in (*truth, *outputs) for word in text.split(SPACE))
    total = counts.total()
    rare = {word: math.log2(total / n) for word, n in counts.items()}
    return np.array([sum(rare[word] for word in text.split(SPACE)) for text in truth])


def _out_of_order(first: Indices, second: Indices) -> tuple[Indices, Indices]:
    """Return the indices of elements outside a longest common subsequence, in both sequences."""
    ours, theirs = np.ones(len(first), bool), np.ones(len(second), bool)
    for i, j, n in common_blocks(_as_text(first), _as_text(second)):
        ours[i : i + n] = theirs[j : j + n] = False
    return np.flatnonzero(ours), np.flatnonzero(theirs)


def _as_text(numbers: Indices) -> str:
    """Return a text with one character for each number, but no space or surrogate."""
    codes = numbers + 0x100
    codes[codes >= 0xD800] += 0x800
    return codes.astype("<u4").tobytes().decode("utf-32-le")


def tiles(first: Indices, second: Indices, bits: Bits, needed: float) -> list[Block]:
    """Return non-overlapping common runs of two sequences of numbers, the longest run first.

    Parameters
    ----------
    first, second : ndarray of intp
    bits : ndarray of float64
        Information content of each element of the first sequence.
    needed : float
        Minimum sum of `bits` over a run.

    Returns
    -------
    list of Block
        Runs of the same length are in the order of the first sequence, each with its first match in the
        second.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr.words.reordering import tiles
    >>> tiles(np.array([1, 2, 3, 4, 5]), np.array([4, 5, 1, 2, 3, 5]), np.ones(5), 2.0)
    [Block(first=0, second=2, length=3), Block(first=3, second=0, length=2)]
    """
    found: list[Block] = []
    longest = min(len(first), len(second))
    if not longest:
        return found
    windows = _Windows(first, second, bits, needed)
    while longest and (longest := windows.longest_common(longest)):
        found += windows.take(longest)
        longest -= 1
    return found


class _Windows:
    """Windows (ranges of equal length) of two sequences, compared by rank; taken elements are excluded.

    The methods must be called with decreasing lengths.
    """

    def __init__(self, first: Indices, second: Indices, bits: Bits, needed: float) -> None:
        self.n_first, self.needed = len(first), needed
        apart = max(first.max(), second.max()) + 1
        joined = np.concatenate([first, [apart], second])
        self.ranks: list[NDArray[np.int64]] = [_ranks(joined)]
        self.taken = np.zeros(len(joined), bool)
        self.taken[self.n_first] = True
        self.sums = np.cumsum(np.concatenate([[0.0], bits]))
        self.begins = np.arange(self.n_first)

    def longest_common(self, most: int) -> int:
        """Return the largest length, up to `most`, of a window common to both sequences, or 0."""
        ends = np.minimum(self.begins + most, self.n_first)
        # Shorter windows have even fewer bits, so starts with too few bits are dropped for good.
        self.begins = self.begins[self.sums[ends] - self.sums[self.begins] >= self.needed]
        if not len(self.begins):
            return 0
        if self._is_common(most):
            return most
        longest = 0
        while longest < most - 1:
            length = (longest + most) // 2
            if self._is_common(length):
                longest = length
            else:
                most = length
        return longest

    def take(self, length: int) -> list[Block]:
        """Return the common windows of this length with enough `bits`, and mark them as taken."""
        begins, ours, others, theirs = self._free(length)
        good = self.sums[begins + length] - self.sums[begins] >= self.needed
        good &= _is_in(ours, theirs)
        begins, ours = begins[good], ours[good]
        there = _is_in(theirs, ours)
        places: dict[int, list[int]] = {}
        for place, rank in zip(others[there][::-1].tolist(), theirs[there][::-1].tolist(), strict=True):
            places.setdefault(rank, []).append(place)
        found: list[Block] = []
        for begin, rank in zip(begins.tolist(), ours.tolist(), strict=True):
            if not self._is_free(begin, length):
                continue
            left = places[rank]
            while left and not self._is_free(left[-1], length):
                left.pop()
            if left:
                other = left.pop()
                self.taken[begin : begin + length] = self.taken[other : other + length] = True
                found.append(Block(begin, other - self.n_first - 1, length))
        return found

    def _is_common(self, length: int) -> bool:
        _, ours, _, theirs = self._free(length)
        # For the few hundred words of a page, a set is five times as fast as np.isin.
        return not set(ours.tolist()).isdisjoint(theirs.tolist())

    def _is_free(self, begin: int, length: int) -> bool:
        """Return whether no element of a window is taken."""
        # Both ends suffice: no taken run is shorter than the window.
        return not (self.taken[begin] or self.taken[begin + length - 1])

    def _free(self, length: int) -> tuple[Indices, NDArray[np.int64], Indices, NDArray[np.int64]]:
        """Return the starts and ranks of the free windows of this length, for each sequence."""
        held = np.concatenate([[0], np.cumsum(self.taken)])
        free = held[length:] == held[:-length]
        ranks = self._windows(length)
        ours = self.begins[self.begins < len(free)]
        ours = ours[free[ours]]
        theirs = np.flatnonzero(free[self.n_first + 1 :]) + self.n_first + 1
        return ours, ranks[ours], theirs, ranks[theirs]

    def _windows(self, length: int) -> NDArray[np.int64]:
        """Return a number for each window of this length; equal windows have equal numbers."""
        # Cover each window by two windows whose length is the largest power of two up to `length`.
        level = length.bit_length() - 1
        while len(self.ranks) <= level:
            last = self.ranks[-1]
            shift = 1 << (len(self.ranks) - 1)
            self.ranks.append(_ranks(last[:-shift] * len(self.taken) + last[shift:]))
        ranks, shift = self.ranks[level], length - (1 << level)
        if not shift:
            return ranks
        numbers: NDArray[np.int64] = ranks[:-shift] * len(self.taken) + ranks[shift:]
        return numbers


def _is_in(numbers: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    there = set(others.tolist())
    return np.fromiter((number in there for number in numbers.tolist()), np.bool_, len(numbers))


def _ranks(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
