"""Words that were read right but out of order: common runs of words, the longest first.

What two texts have in common besides one order is found by greedy string tiling (M. J. Wise, "String
similarity via greedy string tiling and running Karp-Rabin matching", University of Sydney, 1993).
Windows of words are compared by their ranks instead of by hashes (R. M. Karp, R. E. Miller and A. L.
Rosenberg, "Rapid identification of repeated patterns in strings, trees and arrays", STOC 1972), in
memory of the length of the texts times the logarithm of the longest run. How long a run must be is
told by the number of such runs that chance makes (as of S. Karlin and S. F. Altschul, "Methods for
assessing the statistical significance of molecular sequence features by using general scoring
schemes", PNAS 87, 1990, equation 1, without gaps and with equal words alone).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.words.matching import SPACE, common_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Indices = NDArray[np.intp]
    Bits = NDArray[np.float64]

__all__ = ["CHANCE", "MovedWords", "Run", "moved_words", "tiles"]

#: So many runs of the same words may chance make on the page, of what counts as moved.
CHANCE = 0.1
#: Bits of a character next to others, of those that it has alone: letters follow from one another.
OF_CHARACTER = 0.25
#: Times that what is left over, without the runs that were taken, is searched again.
PASSES = 8


class Run(NamedTuple):
    """Equal words: `length` of them from `first` in one sequence and from `second` in the other."""

    first: int
    second: int
    length: int


class MovedWords(NamedTuple):
    """What of a page is out of order, and what is not.

    Pairs are of shape (k, 2): the index of a word and of its output, which are equal, increasing in
    the words.
    """

    pairs: Indices
    """Words that have moved."""
    kept: Indices
    """Runs of words, too long to be by chance, that were in order when they were found: increasing
    in the outputs as well."""
    words: Indices
    """The other words without an equal output in order, increasing."""
    outputs: Indices
    """The other outputs without an equal word in order, increasing."""


def moved_words(
    truth: Sequence[str],
    outputs: Sequence[str],
    *,
    parts: NDArray[np.bool_] | None = None,
) -> MovedWords:
    r"""Return which words of a page are the same as which outputs, but out of order.

    Parameters
    ----------
    truth, outputs : sequence of str
        Words in reading order, normalised and folded alike.
    parts : ndarray of bool, optional
        Which of the true ones are single characters, or other parts of words; none where not given.

    Returns
    -------
    MovedWords

    Notes
    -----
    Common runs of words are taken, the longest first, of those of one length the first in the truth,
    with the first equal one of the outputs. Runs that are in one order, as many and as rare words as
    can be, stay; the others have moved. Of the rest as many words as possible are in order (a longest
    common subsequence), and what is left over, closed up, is searched again, until nothing is found.

    A run of words w counts only if it is of two words or more, and chance makes at most `CHANCE` of
    it: :math:`n_T n_O \prod p(w) \le` `CHANCE`, with n words searched on either side and p(w) the
    share of a word among all of the page, truth and outputs. A line has the product of its words. Of
    single characters four count as one, as letters follow from those before them.

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
    """Return the pairs of each common run among words in these places, too long to be by chance."""
    if not len(left) or not len(right):
        return []
    needed = float(np.log2(len(left) * len(right) / CHANCE))
    # no word alone has them, however rare
    limited = np.where(alone[left], np.minimum(bits[left], 0.999 * needed), bits[left])
    return [
        np.stack([left[i : i + n], right[j : j + n]], axis=1)
        for i, j, n in tiles(first[left], second[right], limited, needed)
    ]


def _divided_at_chain(runs: list[Indices], bits: Bits) -> tuple[list[Indices], list[Indices]]:
    """Return the runs of a chain in one order that has most bits, and those outside."""
    runs = sorted(runs, key=lambda run: int(run[0, 0]))
    best: list[tuple[int, float, int]] = []  # place, bits and run at the end of chains; both increase
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
    """Return a number for each word, the same for equal ones."""
    numbers: dict[str, int] = {}
    first = [numbers.setdefault(word, len(numbers)) for word in truth]
    second = [numbers.setdefault(word, len(numbers)) for word in outputs]
    return np.array(first, np.intp), np.array(second, np.intp)


def _bits(truth: Sequence[str], outputs: Sequence[str]) -> Bits:
    """Return how rare each true word is on the page: -log2 of its share; of a line the sum."""
    counts = Counter(word for text in (*truth, *outputs) for word in text.split(SPACE))
    total = counts.total()
    rare = {word: math.log2(total / n) for word, n in counts.items()}
    return np.array([sum(rare[word] for word in text.split(SPACE)) for text in truth])


def _out_of_order(first: Indices, second: Indices) -> tuple[Indices, Indices]:
    """Return the places outside a longest common subsequence."""
    ours, theirs = np.ones(len(first), bool), np.ones(len(second), bool)
    for i, j, n in common_blocks(_as_text(first), _as_text(second)):
        ours[i : i + n] = theirs[j : j + n] = False
    return np.flatnonzero(ours), np.flatnonzero(theirs)


def _as_text(numbers: Indices) -> str:
    """Return a text with a character for each number, none of them a space or half of a pair."""
    codes = numbers + 0x100
    codes[codes >= 0xD800] += 0x800
    return codes.astype("<u4").tobytes().decode("utf-32-le")


def tiles(first: Indices, second: Indices, bits: Bits, needed: float) -> list[Run]:
    """Return common runs of two sequences of numbers, the longest first, that do not overlap.

    Parameters
    ----------
    first, second : ndarray of intp
    bits : ndarray of float64
        Of each number of the first sequence, in its place.
    needed : float
        Bits that a run must have.

    Returns
    -------
    list of Run
        Of those of one length the first in the first sequence, each with the first in the second.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr.words.reordering import tiles
    >>> tiles(np.array([1, 2, 3, 4, 5]), np.array([4, 5, 1, 2, 3, 5]), np.ones(5), 2.0)
    [Run(first=0, second=2, length=3), Run(first=3, second=0, length=2)]
    """
    found: list[Run] = []
    longest = min(len(first), len(second))
    if not longest:
        return found
    windows = _Windows(first, second, bits, needed)
    while longest and (longest := windows.longest_common(longest)):
        found += windows.take(longest)
        longest -= 1
    return found


class _Windows:
    """Windows of two sequences, one behind the other, by their ranks; what is taken is in none.

    They are asked for in decreasing lengths.
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
        """Return the greatest length up to `most` of a window of both sequences, or 0.

        Only of such begins whose windows of length `most` have the bits: no shorter ones have then.
        """
        ends = np.minimum(self.begins + most, self.n_first)
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

    def take(self, length: int) -> list[Run]:
        """Take the common windows of this length that have the bits, and return them."""
        begins, ours, others, theirs = self._free(length)
        good = self.sums[begins + length] - self.sums[begins] >= self.needed
        good &= np.isin(ours, theirs)
        begins, ours = begins[good], ours[good]
        there = np.isin(theirs, ours)
        places: dict[int, list[int]] = {}
        for place, rank in zip(others[there][::-1].tolist(), theirs[there][::-1].tolist(), strict=True):
            places.setdefault(rank, []).append(place)
        found: list[Run] = []
        for begin, rank in zip(begins.tolist(), ours.tolist(), strict=True):
            if not self._is_free(begin, length):
                continue
            left = places[rank]
            while left and not self._is_free(left[-1], length):
                left.pop()
            if left:
                other = left.pop()
                self.taken[begin : begin + length] = self.taken[other : other + length] = True
                found.append(Run(begin, other - self.n_first - 1, length))
        return found

    def _is_common(self, length: int) -> bool:
        _, ours, _, theirs = self._free(length)
        return bool(np.isin(ours, theirs).any())

    def _is_free(self, begin: int, length: int) -> bool:
        """Return whether nothing as long has been taken of it, which would hold one of its ends."""
        return not (self.taken[begin] or self.taken[begin + length - 1])

    def _free(self, length: int) -> tuple[Indices, NDArray[np.int64], Indices, NDArray[np.int64]]:
        """Return begins and ranks of the free windows of this length, of each sequence."""
        held = np.concatenate([[0], np.cumsum(self.taken)])
        free = held[length:] == held[:-length]
        ranks = self._windows(length)
        ours = self.begins[self.begins < len(free)]
        ours = ours[free[ours]]
        theirs = np.flatnonzero(free[self.n_first + 1 :]) + self.n_first + 1
        return ours, ranks[ours], theirs, ranks[theirs]

    def _windows(self, length: int) -> NDArray[np.int64]:
        """Return a number for each window of this length, the same for equal ones.

        A window is two shorter ones, whose length is a power of two and which may overlap.
        """
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


def _ranks(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
