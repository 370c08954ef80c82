"""Match two texts by a longest common subsequence of their characters.

rapidfuzz is fast, but its memory is proportional to the product of the lengths. Long texts are first
divided, without losing a match, by Hirschberg's method (D. S. Hirschberg, "A linear space algorithm for
computing maximal common subsequences", Communications of the ACM 18, 1975). The subsequence lengths in
this method are computed bit-parallel (H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA
2004). Texts as long as a book are first divided at word sequences that occur exactly once in each text
(I. Z. Yalniz and R. Manmatha, "A fast alignment scheme for automatic OCR evaluation of books", ICDAR
2011).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.extras import require

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

SPACE = " "

#: Maximum product of the lengths of two texts that rapidfuzz aligns directly. Its table has one bit for
#: each pair of characters (16 MiB).
LARGEST_TABLE = 1 << 27
#: Texts with a larger product of lengths are first divided at word sequences that occur once in each.
LARGEST_UNDIVIDED = 1 << 28
#: Parts with a larger product of lengths are aligned step by step from their beginnings.
LARGEST_HALVED = 1 << 32
#: Number of characters of each text that one step aligns; about half of the result is kept, because its
#: end is unreliable.
STEP = 1 << 13
#: Number of words in the unique sequences at which texts are divided.
ANCHOR = 3


class Block(NamedTuple):
    """Equal characters or words: `length` of them, at `first` in one text and `second` in the other."""

    first: int
    second: int
    length: int


def match(first: str, second: str) -> list[Block]:
    """Return a longest common subsequence of two texts whose words are separated by single spaces.

    The blocks are in order, and none is empty. Swapping the texts only swaps the two sides of each
    block.

    Examples
    --------
    >>> from fastarac.ocr.words.matching import match
    >>> match("the cat", "thecat")
    [Block(first=0, second=0, length=3), Block(first=4, second=3, length=3)]
    """
    # Sort the two texts, so that swapping them does not change the result if several longest
    # subsequences exist.
    if second < first:
        return [Block(j, i, n) for i, j, n in match(second, first)]
    return _with_whole_words(common_blocks(first, second), first, second)


def common_blocks(first: str, second: str) -> list[Block]:
    """Return the blocks of one longest common subsequence of two texts."""
    require("rapidfuzz", "ocr")
    from rapidfuzz.distance import Indel

    blocks: list[Block] = []
    for a, b, c, d in _parts(first, second):
        for opcode in Indel.opcodes(first[a:b], second[c:d]):
            if opcode.tag == "equal":
                length = opcode.src_end - opcode.src_start
                blocks.append(Block(a + opcode.src_start, c + opcode.dest_start, length))
    return blocks


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the Levenshtein distance of two strings, or of two sequences of hashable elements."""
    require("rapidfuzz", "ocr")
    from rapidfuzz.distance import Levenshtein

    if not (isinstance(first, str) and isinstance(second, str)):
        numbers: dict[Hashable, int] = {}
        first, second = (
            [numbers.setdefault(each, len(numbers)) for each in side] for side in (first, second)
        )
    return Levenshtein.distance(first, second, score_hint=64)


def _parts(first: str, second: str) -> list[tuple[int, int, int, int]]:
    """Divide two texts into parts to match independently: begin and end in each text."""
    whole = (0, len(first), 0, len(second))
    if len(first) * len(second) <= LARGEST_TABLE:
        return [whole]
    parts = [whole]
    if len(first) * len(second) > LARGEST_UNDIVIDED:
        parts = _divided_at_anchors(first, second)
    return [
        small
        for part in parts
        for middle in _stepwise(first, second, part)
        for small in _halved(first, second, middle)
    ]


def _divided_at_anchors(first: str, second: str) -> list[tuple[int, int, int, int]]:
    """Divide both texts at the longest chain of word sequences that occur once in each text."""
    there = _unique_sequences(second)
    both = [(i, there[words]) for words, i in _unique_sequences(first).items() if words in there]
    both.sort()
    cuts = [(0, 0), *_longest_increasing(both), (len(first), len(second))]
    return [(a, b, c, d) for (a, c), (b, d) in pairwise(cuts)]


def _unique_sequences(text: str) -> dict[tuple[str, ...], int]:
    """Return the sequences of `ANCHOR` words that occur once in the text, with their positions."""
    words, places, place = text.split(SPACE), [], 0
    for word in words:
        places.append(place)
        place += len(word) + 1
    found: dict[tuple[str, ...], int] = {}
    for at in range(len(words) - ANCHOR + 1):
        sequence = tuple(words[at : at + ANCHOR])
        found[sequence] = -1 if sequence in found else places[at]
    return {sequence: place for sequence, place in found.items() if place >= 0}


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest subsequence of sorted pairs whose second elements increase."""
    ends: list[int] = []  # for each length, the smallest last element of a subsequence
    last: list[int] = []  # the index of the last pair of that subsequence
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [index]
    chosen, index = [], last[-1] if last else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]


def _stepwise(
    first: str, second: str, part: tuple[int, int, int, int]
) -> list[tuple[int, int, int, int]]:
    """Divide a very long part without unique sequences, such as copies of a table or unrelated texts.

    In each step, the beginnings of the remaining texts are aligned and cut near the middle.
    """
    from rapidfuzz.distance import Indel

    a, b, c, d = part
    found = []
    while (b - a) * (d - c) > LARGEST_HALVED:
        x, y = first[a : min(a + STEP, b)], second[c : min(c + STEP, d)]
        i, j = len(x) // 2, len(y) // 2
        for opcode in Indel.opcodes(x, y):
            if opcode.tag == "equal" and opcode.src_end > len(x) // 2:
                i = max(opcode.src_start, len(x) // 2)
                j = opcode.dest_start + i - opcode.src_start
                break
        found.append((a, a + i, c, c + j))
        a, c = a + i, c + j
    return [*found, (a, b, c, d)]


def _halved(
    first: str, second: str, part: tuple[int, int, int, int]
) -> list[tuple[int, int, int, int]]:
    """Divide into parts small enough for rapidfuzz without losing a match, by Hirschberg's method."""
    a, b, c, d = part
    if (b - a) * (d - c) <= LARGEST_TABLE or b - a < 2:
        return [part]
    middle = (a + b) // 2
    middle = (
        first.find(SPACE, middle, middle + 100) if SPACE in first[middle : middle + 100] else middle
    )
    y = second[c:d]
    head = _row(first[a:middle], y)
    tail = _row(first[middle:b][::-1], y[::-1])[::-1]
    best = np.flatnonzero(head + tail == (head + tail).max())
    before_word = [cut for cut in best.tolist() if cut < len(y) and y[cut] == SPACE]
    cut = c + (before_word[0] if before_word else int(best[0]))
    return [
        *_halved(first, second, (a, middle, c, cut)),
        *_halved(first, second, (middle, b, cut, d)),
    ]


def _row(x: str, y: str) -> np.ndarray:
    """Return the longest common subsequence's length for x and each prefix of y, (len(y) + 1,)."""
    masks: dict[str, int] = {}
    for letter in set(y):
        bits = np.frombuffer(y.encode("utf-32-le"), np.uint32) == ord(letter)
        masks[letter] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
    row = every = (1 << len(y)) - 1
    for letter in x:
        if letter in masks:
            common = row & masks[letter]
            row = ((row + common) | (row - common)) & every
    data = row.to_bytes((len(y) + 7) // 8, "little")
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=len(y), bitorder="little")
    return np.concatenate([[0], np.cumsum(1 - bits.astype(np.int64))])


def _with_whole_words(blocks: list[Block], first: str, second: str) -> list[Block]:
    """Shift gaps (characters that only one text has) to cover whole words if possible.

    For example, "the then" becomes "then" without "the " or without "e th"; only "the " is a whole
    word.
    """
    done: list[Block] = []
    for block in [*blocks, Block(len(first), len(second), 0)]:
        i, j, n = block
        while True:
            before = done[-1] if done else Block(0, 0, 0)
            begin, other = before.first + before.length, before.second + before.length
            gap = i - begin, j - other
            if min(gap) > 0 or max(gap) <= 1:
                break
            text, at = (first, begin) if gap[0] else (second, other)
            shift = _shift(text, at, at + max(gap), before.length, n)
            if shift == 0 and len(done) > 1 and _reaches(text, at, at + max(gap), before.length):
                # If the gap before the last block is in the same text, shift the current gap over that
                # block, so that both gaps become one.
                last = done[-2]
                earlier = (
                    before.first - last.first - last.length,
                    before.second - last.second - last.length,
                )
                shift = -before.length if (earlier[0] == 0) == (gap[0] == 0) else 0
            if shift == 0:
                break
            i, j, n = i + shift, j + shift, n - shift
            if before.length:
                done.pop()
            if before.length + shift > 0:
                done.append(Block(before.first, before.second, before.length + shift))
                break
        if n > 0:
            done.append(Block(i, j, n))
    return done


def _shift(text: str, begin: int, end: int, left: int, right: int) -> int:
    """Return the shift after which the gap text[begin:end] covers whole words; 0 if there is none.

    The gap can only move over equal characters, at most `left` to the left or `right` to the right.
    """
    if _is_whole(text, begin, end):
        return 0
    for k in range(1, left + 1):
        if text[begin - k] != text[end - k]:
            break
        if _is_whole(text, begin - k, end - k):
            return -k
    for k in range(1, right + 1):
        if text[begin + k - 1] != text[end + k - 1]:
            break
        if _is_whole(text, begin + k, end + k):
            return k
    return 0


def _is_whole(text: str, begin: int, end: int) -> bool:
    return (begin == 0 or SPACE in text[begin - 1 : begin + 1]) and (
        end == len(text) or SPACE in text[end - 1 : end + 1]
    )


def _reaches(text: str, begin: int, end: int, left: int) -> bool:
    return text[begin - left : begin] == text[end - left : end]
