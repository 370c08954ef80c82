"""Errors of an OCR engine: the most confident errors in context, character confusions, missed words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.words.records import INSERTED, KINDS, MISSED, MOVED, RIGHT, SPLIT, WRONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastarac.ocr.words.records import Records

AROUND = 5  # number of true words shown on each side of an error
LONGEST = 4  # maximum characters of a confusion; longer differences are unrelated texts
EXAMPLES = 6  # maximum number of missed words shown for one page


class Difference(NamedTuple):
    """A piece of a word: its true text and the text read; `changed` says whether they differ."""

    truth: str
    read: str
    changed: bool


class Error(NamedTuple):
    """A wrong output, with the true words around it.

    Attributes
    ----------
    record : int
        Index into the records.
    page, kind : str
        Page and kind of the record. For a field: its document and its name.
    number : int
        Number of the true word on its page; 0 for a field.
    confidence : float
    pieces : tuple of Difference
        The true word and the output, divided into equal and different pieces.
    before, after : str
        True words before and after.
    accepted : tuple of bool
        For each limit, whether its threshold accepts the output.
    """

    record: int
    page: str
    kind: str
    number: int
    confidence: float
    pieces: tuple[Difference, ...]
    before: str
    after: str
    accepted: tuple[bool, ...]


class Confusion(NamedTuple):
    """True characters that were read as other characters, with their frequency.

    Attributes
    ----------
    truth, read : str
        The true characters and the characters read. One of the two is empty if characters were added or
        left out.
    n : int
        Number of occurrences.
    accepted : int
        Number of occurrences in outputs that the threshold of the first limit accepts.
    """

    truth: str
    read: str
    n: int
    accepted: int


class ConfusionTable(NamedTuple):
    """The most frequent confusions, and the number of all confusions."""

    shown: tuple[Confusion, ...]
    n: int
    n_different: int
    n_longer: int


class MissedOnPage(NamedTuple):
    """The missed words of a page."""

    page: str
    missed: int
    true_words: int
    examples: tuple[str, ...]


def errors_of(records: Records, thresholds: Sequence[float], most: int) -> list[Error]:
    """Return the most confident wrong outputs, in decreasing order of confidence."""
    read_wrong = ~np.isin(records.kind, (RIGHT, MOVED, MISSED))
    wrong = np.flatnonzero(read_wrong & ~np.isnan(records.confidence))
    surest = wrong[np.argsort(-records.confidence[wrong], kind="stable")][:most]
    found = []
    for row in surest.tolist():
        confidence = float(records.confidence[row])
        before, after = _context(records, row)
        found.append(
            Error(
                row,
                records.page_names[records.page[row]],
                KINDS[records.kind[row]],
                int(records.number[row]),
                confidence,
                tuple(pieces_of(records.truth[row], records.prediction[row])),
                before,
                after,
                accepted_at(thresholds, confidence),
            )
        )
    return found


def accepted_at(thresholds: Sequence[float], confidence: float) -> tuple[bool, ...]:
    """Return whether each threshold accepts this confidence."""
    return tuple(confidence >= threshold for threshold in thresholds)


def confusions_of(
    records: Records, thresholds: Sequence[float], most: int, longest: int | None = None
) -> ConfusionTable:
    """Count the confusions of characters in words that are wrong or split.

    Merged words are left out, because one output covers several true words.
    """
    longest = LONGEST if longest is None else longest
    rows = np.flatnonzero((records.kind == WRONG) | (records.kind == SPLIT))
    threshold = thresholds[0] if thresholds else np.inf
    with np.errstate(invalid="ignore"):
        accepted = records.confidence[rows] >= threshold
    pairs: Counter[tuple[str, str, bool]] = Counter(
        (records.truth[row], records.prediction[row], through)
        for row, through in zip(rows.tolist(), accepted.tolist(), strict=True)
    )
    every: Counter[tuple[str, str]] = Counter()
    through: Counter[tuple[str, str]] = Counter()
    n_longer = 0
    for (truth, read, goes), n in pairs.items():
        for piece in pieces_of(truth, read):
            if not piece.changed:
                continue
            if max(len(piece.truth), len(piece.read)) > longest:
                n_longer += n
                continue
            every[piece.truth, piece.read] += n
            through[piece.truth, piece.read] += n * goes
    order = sorted(every, key=lambda key: (-every[key], -through[key], key))
    shown = tuple(Confusion(*key, every[key], through[key]) for key in order[:most])
    return ConfusionTable(shown, every.total(), len(every), n_longer)


def missed_of(records: Records, most: int) -> tuple[list[MissedOnPage], int]:
    """Return the pages with the most missed words, and the number of pages with missed words."""
    pages = records.pages
    order = np.argsort(-pages.missed, kind="stable")
    order = order[pages.missed[order] > 0]
    found = []
    for page in order[:most].tolist():
        rows = np.flatnonzero((records.page == page) & (records.kind == MISSED))
        examples = tuple(records.truth[row] for row in rows[:EXAMPLES].tolist())
        found.append(
            MissedOnPage(
                pages.name[page], int(pages.missed[page]), int(pages.true_words[page]), examples
            )
        )
    return found, len(order)


def _context(records: Records, row: int) -> tuple[str, str]:
    """Return the true words before and after a record, on the same page."""

    def words(rows: range) -> Iterator[str]:
        for k in rows:
            if records.page[k] != records.page[row]:
                return
            if records.kind[k] != INSERTED:
                yield records.truth[k]

    def first(rows: range) -> list[str]:
        return [word for word, _ in zip(words(rows), range(AROUND), strict=False)]

    before = first(range(row - 1, -1, -1))[::-1]
    after = first(range(row + 1, len(records)))
    return " ".join(before), " ".join(after)


def pieces_of(truth: str, read: str) -> Iterator[Difference]:
    """Divide two texts into equal and different pieces; adjacent differences form one piece."""
    from rapidfuzz.distance import Levenshtein

    changed: list[str] = []
    for op in Levenshtein.opcodes(truth, read):
        ours = truth[op.src_start : op.src_end]
        theirs = read[op.dest_start : op.dest_end]
        if op.tag == "equal":
            if changed:
                yield Difference(changed[0], changed[1], changed=True)
                changed = []
            yield Difference(ours, theirs, changed=False)
        elif changed:
            changed = [changed[0] + ours, changed[1] + theirs]
        else:
            changed = [ours, theirs]
    if changed:
        yield Difference(changed[0], changed[1], changed=True)
