"""Align the true words of a page with an engine's outputs, even if outputs are out of order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.words.alignment import align_texts
from fastarac.ocr.words.matching import SPACE, edit_distance
from fastarac.ocr.words.reordering import moved_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.words.alignment import PageText
    from fastarac.ocr.words.reordering import MovedWords

    Spans = NDArray[np.intp]
    Row = tuple[int, int, int, int]

#: Words and outputs between two moved words move with them if there are at most so many of each.
GAP = 20


class PageAlignment(NamedTuple):
    """The true words of a page, and the outputs that belong to them."""

    spans: Spans
    """Begin and end of the true words, begin and end of the outputs, of each group, (k, 4).

    Groups are in the order of the true words; an inserted output follows the word before it. Each word
    and each output is in exactly one row.
    """
    moved: NDArray[np.bool_]
    """Whether the outputs are out of order, (k,)."""
    distance: int
    """Characters to insert, delete or replace to get the true text, moved words excluded."""
    length: int
    """Characters of the true text, including the spaces between its words.

    Distance and length ignore spaces if either side has parts of words, because engines divide scripts
    without spaces in different ways.
    """

    @property
    def differing_share(self) -> float:
        """The share of differing characters, `distance`/`length`; NaN if there is no true text."""
        return self.distance / self.length if self.length else np.nan


def align_page(truth: PageText, outputs: PageText, *, merge_gaps: bool = False) -> PageAlignment:
    """Align the true words of a page with an engine's outputs, even if outputs are out of order.

    Parameters
    ----------
    truth, outputs, merge_gaps
        As for :func:`~fastarac.ocr.words.alignment.align_texts`.

    Returns
    -------
    PageAlignment

    Notes
    -----
    The words are first aligned in order. If a wrong or missed word equals a wrong or inserted output,
    the page is searched for moved words (:func:`~fastarac.ocr.words.reordering.moved_words`), and the
    other words are aligned again around the runs of equal words that have not moved. The new alignment
    is used only if it makes more words right.

    If two moved words have the same order on both sides, the words between them also count as moved,
    right or wrong, unless there are more than 20. A missed word also counts as moved if an equal
    inserted output lies between the outputs of its two neighbours. These two outputs must be at most 20
    apart. For example, a line of one word between two columns counts as moved.

    Examples
    --------
    >>> from fastarac.ocr.words.alignment import PageText
    >>> from fastarac.ocr.words.page_alignment import align_page
    >>> truth = PageText("left column has these words right column has others".split())
    >>> outputs = PageText("right column has others left column has these words".split())
    >>> found = align_page(truth, outputs)
    >>> found.spans[found.moved].tolist()
    [[5, 6, 0, 1], [6, 7, 1, 2], [7, 8, 2, 3], [8, 9, 3, 4]]
    >>> found.differing_share
    0.0
    """
    sides = truth, outputs
    words, others = truth.words, outputs.words
    spans = align_texts(*sides, merge_gaps=merge_gaps)
    spaced = truth.spaces is None and outputs.spaces is None
    length = len(_compared(truth, spaced=spaced))
    right = _right(spans, words, others)
    if _may_have_moved(spans[~right], words, others):
        found = moved_words(words, others, parts=truth.parts)
        rows = _moved_rows(found, *sides)
        if len(rows) or _is_new(found.kept, spans[right]):
            kept = [np.ones(len(side.words), bool) for side in sides]
            for i, k, j, m in rows.tolist():
                kept[0][i:k] = kept[1][j:m] = False
            places = [np.flatnonzero(of_side) for of_side in kept]
            rest = sides[0].take(places[0]), sides[1].take(places[1])
            pairs = found.kept[kept[0][found.kept[:, 0]] & kept[1][found.kept[:, 1]]]
            anchors = np.stack(
                [np.searchsorted(at, pairs[:, k]) for k, at in enumerate(places)], axis=1
            )
            in_order = _aligned_at(anchors, *rest, merge_gaps)
            unmoved = _one_by_one(*_in_places(in_order, places), kept)
            every = np.concatenate([unmoved, rows])
            if _right(every, words, others).sum() > right.sum():
                order = np.lexsort((every[:, 2], every[:, 1] > every[:, 0], every[:, 0]))
                every, moved = every[order], order >= len(unmoved)
                alone = _left_between(every, words, others, truth.parts)
                if alone:
                    every, moved = _with_pairs(every, moved, alone)
                    for of_side, taken in zip(kept, np.array(alone).T, strict=True):
                        of_side[taken] = False
                    places = [np.flatnonzero(of_side) for of_side in kept]
                    rest = sides[0].take(places[0]), sides[1].take(places[1])
                distance = edit_distance(*(_compared(side, spaced=spaced) for side in rest))
                return PageAlignment(every, moved, distance, length)
    distance = edit_distance(*(_compared(side, spaced=spaced) for side in sides))
    return PageAlignment(spans, np.zeros(len(spans), bool), distance, length)


def _compared(side: PageText, *, spaced: bool) -> str:
    return side.text if spaced else side.text.replace(SPACE, "")


def _right(spans: Spans, truth: Sequence[str], outputs: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each row is one word with one equal output."""
    right: NDArray[np.bool_] = (spans[:, 1] - spans[:, 0] == 1) & (spans[:, 3] - spans[:, 2] == 1)
    ones = np.flatnonzero(right)
    right[ones] = [truth[i] == outputs[j] for i, j in spans[ones][:, ::2].tolist()]
    return right


def _may_have_moved(wrong: Spans, truth: Sequence[str], outputs: Sequence[str]) -> bool:
    """Return whether any output in these rows equals any word in them."""
    words = {truth[n] for i, k, _, _ in wrong.tolist() for n in range(i, k)}
    return any(outputs[n] in words for _, _, j, m in wrong.tolist() for n in range(j, m))


def _is_new(kept: NDArray[np.intp], right: Spans) -> bool:
    """Return whether `kept` has a pair that is not a row in `right`."""
    known = set(map(tuple, right[:, ::2].tolist()))
    return any(pair not in known for pair in map(tuple, kept.tolist()))


def _aligned_at(
    anchors: NDArray[np.intp], truth: PageText, outputs: PageText, merge_gaps: bool
) -> Spans:
    """Align texts around fixed (word, output) pairs, of shape (k, 2), in order."""
    ends = np.array([[len(truth.words), len(outputs.words)]], np.intp)
    rows = [np.repeat(anchors, 2, axis=1) + np.array([0, 1, 0, 1])]
    begin, other = 0, 0
    for end, other_end in np.concatenate([anchors, ends]).tolist():
        if end > begin or other_end > other:
            parts = truth.take(np.arange(begin, end)), outputs.take(np.arange(other, other_end))
            rows.append(
                align_texts(*parts, merge_gaps=merge_gaps) + np.array([begin, begin, other, other])
            )
        begin, other = end + 1, other_end + 1
    every = np.concatenate(rows)
    return every[np.argsort(every[:, 0] + every[:, 2])]


def _moved_rows(found: MovedWords, truth: PageText, outputs: PageText) -> Spans:
    """Return rows of words that are out of order: equal words, and words that moved with them."""
    rows = [np.repeat(found.pairs, 2, axis=1) + np.array([0, 1, 0, 1])]
    following = found.pairs[np.argsort(found.pairs[:, 1])].tolist()
    next_output = {before[1]: after for before, after in pairwise(following)}
    for before, after in pairwise(found.pairs.tolist()):
        if next_output.get(before[1]) != after:
            continue
        words = _between(found.words, before[0], after[0])
        others = _between(found.outputs, before[1], after[1])
        if 0 < len(words) <= GAP and 0 < len(others) <= GAP:
            spans = align_texts(truth.take(words), outputs.take(others))
            both = (spans[:, 1] > spans[:, 0]) & (spans[:, 3] > spans[:, 2])
            placed, together = _in_places(spans[both], [words, others])
            rows.append(placed[together])
    return np.concatenate(rows)


def _left_between(
    rows: Spans, truth: Sequence[str], outputs: Sequence[str], parts: NDArray[np.bool_] | None
) -> list[tuple[int, int]]:
    """Pair missed words with equal inserted outputs between the same neighbours, in order.

    Parts of words are left out: single characters are often equal by chance.
    """
    inserted = rows[rows[:, 1] == rows[:, 0], 2].tolist()
    found: list[tuple[int, int]] = []
    missed: list[int] = []
    last = -1  # where the outputs of the previous true word end
    for i, _, j, m in rows[rows[:, 1] > rows[:, 0]].tolist():
        if j == m:
            missed.append(i)
            continue
        if missed and 0 <= last <= j <= last + GAP:
            free = [n for n in inserted if last <= n < j]
            for word in missed:
                same = [at for at, n in enumerate(free) if outputs[n] == truth[word]]
                if same and (parts is None or not parts[word]):
                    found.append((word, free[same[0]]))
                    free = free[same[0] + 1 :]
        missed, last = [], m
    return found


def _with_pairs(
    rows: Spans, moved: NDArray[np.bool_], pairs: Sequence[tuple[int, int]]
) -> tuple[Spans, NDArray[np.bool_]]:
    """Move the outputs paired with missed words to the rows of these words."""
    output_of = dict(pairs)
    taken = set(output_of.values())
    kept: list[Row] = []
    flags: list[bool] = []
    for (i, k, j, m), out in zip(rows.tolist(), moved.tolist(), strict=True):
        if i == k and j in taken:
            continue
        beside = output_of.get(i, -1) if j == m else -1
        kept.append((i, k, j, m) if beside < 0 else (i, k, beside, beside + 1))
        flags.append(out or beside >= 0)
    return np.array(kept, np.intp), np.array(flags, bool)


def _one_by_one(rows: Spans, together: NDArray[np.bool_], kept: Sequence[NDArray[np.bool_]]) -> Spans:
    """Split rows that contain moved words or outputs into rows of one word, one output, or both."""
    if together.all():
        return rows
    divided: list[Row] = []
    for i, k, j, m in rows[~together].tolist():
        words = [n for n in range(i, k) if kept[0][n]]
        others = [n for n in range(j, m) if kept[1][n]]
        both = min(len(words), len(others))
        divided += ((a, a + 1, b, b + 1) for a, b in zip(words, others, strict=False))
        divided += ((a, a + 1, m, m) for a in words[both:])
        divided += ((k, k, b, b + 1) for b in others[both:])
    return np.concatenate([rows[together], np.array(divided, np.intp)])


def _between(places: NDArray[np.intp], begin: int, end: int) -> NDArray[np.intp]:
    return places[np.searchsorted(places, begin) : np.searchsorted(places, end)]


def _in_places(spans: Spans, places: Sequence[NDArray[np.intp]]) -> tuple[Spans, NDArray[np.bool_]]:
    """Convert rows of indices into `places` to rows of the page; also return which are contiguous.

    An empty range is put right after the preceding word or output.
    """
    columns = []
    together = np.ones(len(spans), bool)
    for at, begin, end in zip(places, spans[:, ::2].T, spans[:, 1::2].T, strict=True):
        last = np.concatenate([[-1], at])[end] + 1  # the position after the preceding word or output
        n = end - begin
        first = np.where(n > 0, np.append(at, 0)[begin], last)
        together &= last - first == n
        columns += [first, last]
    return np.stack(columns, axis=1), together
