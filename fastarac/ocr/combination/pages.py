"""Alignment of several engines' words on the same pages, and assembly of the chosen words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.combination.fitting import WordLabels
from fastarac.ocr.combination.readings import Readings
from fastarac.ocr.words.alignment import PageText
from fastarac.ocr.words.folding import folded
from fastarac.ocr.words.page_alignment import align_page
from fastarac.ocr.words.records import INSERTED, MOVED, RIGHT
from fastarac.ocr.words.units import UNSPACED, tokens
from fastarac.ocr.words.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.combination.voting import Chosen
    from fastarac.ocr.words.folding import Folding
    from fastarac.ocr.words.records import Records


class PlacedWords(NamedTuple):
    """The aligned words of several engines on pages.

    Attributes
    ----------
    readings : Readings
        The words by place; their groups are pages.
    own : tuple of ndarray of shape (n_words,), intp
        For each engine, the index of each reading among the engine's words.
    order : tuple of int
        Indices of the engines; the first engine determines the reading order.
    """

    readings: Readings
    own: tuple[NDArray[np.intp], ...]
    order: tuple[int, ...]

    @classmethod
    def of(
        cls,
        engines: Sequence[Words],
        pages: Sequence[str],
        order: Sequence[int],
        fold: Sequence[Folding],
    ) -> PlacedWords:
        """Align the words of all engines on each page, without words that folding makes empty."""
        texts = [folded(words.text, fold) for words in engines]
        slices = [dict(zip(words.page_names, words.page_slices(), strict=True)) for words in engines]
        place: list[list[NDArray[np.intp]]] = [[] for _ in engines]
        index: list[list[NDArray[np.intp]]] = [[] for _ in engines]
        group: list[NDArray[np.intp]] = []
        n = 0
        for page, name in enumerate(pages):
            kept = []
            for k, of in enumerate(slices):
                part = range(of[name].start, of[name].stop)
                kept.append(np.array([i for i in part if texts[k][i]], np.intp))
            found = places_of_page([[texts[k][i] for i in kept[k].tolist()] for k in order])
            size = 1 + max((int(each.max()) for each in found if len(each)), default=-1)
            for k, each in zip(order, found, strict=True):
                by_place = np.argsort(each, kind="stable")
                place[k].append(each[by_place] + n)
                index[k].append(kept[k][by_place])
            group.append(np.full(size, page, np.intp))
            n += size
        whole = tuple(np.concatenate(each) for each in index)
        readings = Readings(
            np.concatenate(group),
            [np.concatenate(each) for each in place],
            [[texts[k][i] for i in each.tolist()] for k, each in enumerate(whole)],
            [engines[k].confidence[each] for k, each in enumerate(whole)],
        )
        return cls(readings, whole, tuple(order))


def places_of_page(readings: Sequence[Sequence[str]]) -> list[NDArray[np.intp]]:
    """Return the place number of each word on a page; words aligned with each other share a place.

    Parameters
    ----------
    readings : sequence of sequence of str
        The words of each engine in reading order, normalised and folded in the same way. No word is
        empty.

    Returns
    -------
    list of ndarray of intp
        For each engine, the place of each word, from 0. Each place has a word of at least one engine.
        If an engine merges or splits words, these words share one place with the corresponding words of
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
    >>> from fastarac.ocr.combination.pages import places_of_page
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
        # Each row of `spans` adds words to the new sequence: its old words, or the inserted words if it
        # has no old words.
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


def divided_unspaced(words: Words) -> Words:
    """Return all words, with words of scripts written without spaces divided into characters."""
    if not any(map(UNSPACED.search, words.text)):
        return words
    begin: list[NDArray[np.intp]] = []
    text: list[str] = []
    for part in words.page_slices():
        found = tokens(words, part, "word")
        begin.append(found.begin + part.start)
        text += found.text
    rows = np.concatenate(begin)
    columns = {name: getattr(words, name)[rows] for name in ("confidence", "page", "line", "box")}
    return replace(words, text=tuple(text), **columns)


def labels_of(records: Records, n_words: int, *, moved: bool) -> WordLabels:
    """Label each word of an engine as right or wrong, from its alignment with the truth."""
    right, real, known = np.ones(n_words, bool), np.ones(n_words, bool), np.zeros(n_words, bool)
    good = records.kind == RIGHT
    if moved:
        good |= records.kind == MOVED
    begin, end = records.output_begin, records.output_end
    longest = int((end - begin).max(initial=0))
    for k in range(longest):
        of = begin + k
        rows = of < end
        known[of[rows]] = True
        right[of[rows & ~good]] = False
        real[of[rows & (records.kind == INSERTED)]] = False
    return WordLabels(right & known, real & known, known)


def words_of(
    engines: Sequence[Words],
    placed: PlacedWords,
    chosen: Chosen,
    pages: Sequence[str],
    name: str,
) -> Words:
    """Return the chosen words as the `Words` of a single engine."""
    lead = engines[placed.order[0]]
    page = placed.readings.group[chosen.place]
    word = np.empty(len(page), np.intp)  # index of each chosen word among its engine's words
    box = np.full((len(page), 4), np.nan)
    sizes = [_by_name(words, pages) for words in engines]
    size = sizes[placed.order[0]]
    for k in placed.order[1:]:
        size = np.where(np.isnan(size), sizes[k], size)
    text = np.empty(len(page), object)
    for k, words in enumerate(engines):
        rows = np.flatnonzero(chosen.engine == k)
        mine = placed.own[k][chosen.word[rows]]
        word[rows] = mine
        text[rows] = np.array(words.text, object)[mine]
        # Without a page size, boxes are assumed to be in the units of the other engines' boxes.
        scale = np.where(np.isnan(sizes[k]), 1.0, size / sizes[k])[page[rows]]
        box[rows] = words.box[mine] * np.tile(scale, 2)
    return Words(
        tuple(text.tolist()),
        chosen.confidence,
        page,
        _lines(engines, placed, chosen, page, word),
        tuple(pages),
        box=box,
        page_size=size,
        source=lead.source,
        scale="unit" if len(page) else None,
        engine=name,
    )


def _by_name(words: Words, pages: Sequence[str]) -> NDArray[np.float64]:
    number = {name: k for k, name in enumerate(words.page_names)}
    return words.page_size[[number[name] for name in pages]]


def _lines(
    engines: Sequence[Words],
    placed: PlacedWords,
    chosen: Chosen,
    page: NDArray[np.intp],
    word: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the line number of each chosen word.

    The first engine with words at two neighbouring places decides whether a new line begins between
    them. If no engine has words at both, they are on the same line.
    """
    if not len(page):
        return np.empty(0, np.intp)
    readings = placed.readings
    before, after = chosen.place[:-1], chosen.place[1:]
    new = np.zeros(len(page), np.bool_)
    open_ = before != after
    for k in placed.order:
        line = engines[k].line[placed.own[k]]
        first = np.minimum(readings.starts[:, k], len(line) - 1)
        last = readings.starts[:, k] + readings.sizes[:, k] - 1
        both = open_ & (readings.sizes[before, k] > 0) & (readings.sizes[after, k] > 0)
        rows = np.flatnonzero(both)
        new[1:][rows] = line[last[before[rows]]] != line[first[after[rows]]]
        open_ &= ~both
    inside = np.flatnonzero(before == after)  # pairs of consecutive words in the same place
    for k, words in enumerate(engines):
        rows = inside[chosen.engine[inside] == k]
        new[1:][rows] = words.line[word[rows]] != words.line[word[rows + 1]]
    new[1:] |= page[1:] != page[:-1]
    return np.cumsum(new, dtype=np.intp)
