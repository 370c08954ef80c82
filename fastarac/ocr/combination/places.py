"""Where the words of several engines stand side by side on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.words.page_alignment import align_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["places_of_page"]


def places_of_page(readings: Sequence[Sequence[str]]) -> list[NDArray[np.intp]]:
    """Return the place of each word of each engine on a page.

    Parameters
    ----------
    readings : sequence of sequence of str
        The words of each engine in reading order, normalised and folded alike; none is empty. The
        order of the first one is that of the places.

    Returns
    -------
    list of ndarray of intp
        For each engine the place of each of its words, from 0. Each place has words of one engine at
        least. Words that one engine has merged or split are one place with those of the others.

    Notes
    -----
    Each engine is aligned, as with a truth (:func:`~fastarac.ocr.words.page_alignment.align_page`), to
    one sequence: the words of the first engine, and between them those of the others that stand beside
    none of the sequence before them. So what the second and the third have and the first has not is
    one place. ROVER (Fiscus 1997) builds its network in the same order, without merged or moved words.

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
    tied = np.zeros(len(sequence), np.bool_)  # whether a word is at the place of the one before it
    position = [np.arange(len(sequence))]  # in the sequence, of each engine's words
    for words in readings[1:]:
        if list(words) == sequence:
            position.append(np.arange(len(sequence)))
            continue
        spans = align_page(sequence, words).spans
        begin, end, first, last = spans.T
        inserted = begin == end
        # a row's words in the new sequence are those of the sequence before, or the inserted ones
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
        # what is inserted between two words of one place is at that place
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
