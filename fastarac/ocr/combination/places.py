"""Alignment of several engines' words on a page, place by place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.words.alignment import PageText
from fastarac.ocr.words.page_alignment import align_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def places_of_page(readings: Sequence[Sequence[str]]) -> list[NDArray[np.intp]]:
    """Return the place of each word of each engine on a page.

    Parameters
    ----------
    readings : sequence of sequence of str
        The words of each engine in reading order, normalised and folded in the same way. No word is
        empty.

    Returns
    -------
    list of ndarray of intp
        Place of each word of each engine, from 0. Each place has words of at least one engine. If an
        engine merges or splits words, these words share one place with the corresponding words of the
        other engines.

    Notes
    -----
    Each engine in turn is aligned with a growing sequence of words, as with a truth
    (:func:`~fastarac.ocr.words.page_alignment.align_page`). The sequence begins with the words of the
    first engine, and unmatched words of later engines are inserted. Therefore, an equal word that only
    the second and the third engine have gets one place. ROVER (Fiscus 1997) also adds the engines one
    by one, but does not handle merged or moved words.

    Examples
    --------
    >>> from fastarac.ocr.combination.places import places_of_page
    >>> for places in places_of_page([["a", "fine", "day"], ["A", "fineday", "~"], ["a", "~"]]):
    ...     print(places.tolist())
    [0, 1, 1]
    [0, 1, 2]
    [0, 2]
    """
    sequence = list(readings[0])
    tied = np.zeros(len(sequence), np.bool_)  # whether each word shares the place of the word before it
    position = [np.arange(len(sequence))]  # for each engine, the positions of its words in `sequence`
    for words in readings[1:]:
        if list(words) == sequence:
            position.append(np.arange(len(sequence)))
            continue
        spans = align_page(PageText(sequence), PageText(words)).spans
        begin, end, first, last = spans.T
        inserted = begin == end
        # Each row of `spans` adds its words of the old sequence to the new sequence. A row without such
        # words adds the inserted words.
        size = np.where(inserted, last - first, end - begin)
        start = np.cumsum(size) - size
        known = np.repeat(~inserted, size)
        row = np.repeat(np.arange(len(spans)), size)
        within = np.arange(len(row)) - start[row]
        moved_to = np.empty(len(sequence), np.intp)
        moved_to[begin[row[known]] + within[known]] = np.flatnonzero(known)
        new_tied = np.zeros(len(row), np.bool_)
        new_tied[moved_to] = tied
        new_tied |= (within > 0) & known
        # A word inserted between two words that share a place belongs to the same place.
        for k in np.flatnonzero(~known)[::-1].tolist():
            new_tied[k] = k + 1 < len(row) and new_tied[k + 1]
        tied = new_tied
        at = np.empty(len(words), np.intp)
        counts = last - first
        of_row = np.repeat(np.arange(len(spans)), counts)
        inside = np.arange(len(of_row)) - np.repeat(np.cumsum(counts) - counts, counts)
        at[first[of_row] + inside] = start[of_row] + np.where(inserted[of_row], inside, 0)
        texts = [""] * len(row)
        for old, new in enumerate(moved_to.tolist()):
            texts[new] = sequence[old]
        for k in np.flatnonzero(~known).tolist():
            texts[k] = words[int(first[row[k]] + within[k])]
        sequence = texts
        position = [moved_to[each] for each in position] + [at]
    place = np.cumsum(~tied) - 1
    return [place[each] for each in position]
