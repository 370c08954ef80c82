"""Pages as lines of true words and words read, with the differences marked."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.evaluation.review import ComparedText, TextLine, TextPiece
from fastarac.ocr.analysis.errors import pieces_of
from fastarac.ocr.words.records import INSERTED, KINDS, LINE_END, MISSED, MOVED, NOTHING, RIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fastarac.ocr.words.records import Records

#: Lines of more than LONG words are broken after every BROKEN words: a true text may lack line breaks.
LONG, BROKEN = 20, 12
#: Approximate size in a report, in bytes, of a line, a piece of a line, and a changed part of a piece.
PER_LINE, PER_PIECE, PER_CHANGE = 60, 26, 9

#: Consecutive words of these kinds are marked as one piece.
RUNS = ("", KINDS[MISSED], KINDS[MOVED])


class PageOrder(NamedTuple):
    """Pages with differences, those with most differences first.

    Attributes
    ----------
    page : ndarray of shape (n,), intp
        Indices of the pages.
    differences : ndarray of shape (n,), intp
        Number of inserted outputs and of true words that are neither right nor moved, on each page.
    """

    page: NDArray[np.intp]
    differences: NDArray[np.intp]


def page_order(records: Records) -> PageOrder:
    """Return the pages with differences, those with most differences first."""
    differs = (records.kind != RIGHT) & (records.kind != MOVED)
    counts = np.bincount(records.page[differs], minlength=len(records.page_names))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    return PageOrder(order, counts[order])


def compared_text(records: Records, page: int, threshold: float | None = None) -> ComparedText:
    """Return a page as lines of the true text, each with its reading.

    Errors with a confidence of at least `threshold` are marked as accepted.
    """
    start, stop = np.searchsorted(records.page, [page, page + 1]).tolist()
    lines = tuple(
        _line(records, first, last, threshold) for first, last in _lines(records, start, stop)
    )
    counts = np.bincount(records.kind[start:stop], minlength=len(KINDS)).tolist()
    found: dict[str, int] = {name: n for name, n in zip(KINDS, counts, strict=True) if n}
    return ComparedText(lines, found, sum(counts) - counts[INSERTED], threshold)


def size_of(text: ComparedText) -> int:
    """Return the approximate number of bytes that a page takes in a file."""
    total = 0
    for line in text.lines:
        total += PER_LINE
        for piece in (*line.truth, *line.read):
            total += PER_PIECE * bool(piece.kind)
            for part, changed in piece.parts:
                total += len(part.encode("utf-8", "replace")) + PER_CHANGE * changed
    return total


def _lines(records: Records, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each line; long lines are broken, but never inside an output."""
    ends = np.flatnonzero(records.gap[start:stop] == LINE_END) + start
    bounds = sorted({start, stop, *ends.tolist()})
    for first, last in pairwise(bounds):
        if last - first <= LONG:
            yield first, last
            continue
        begin, n_words = first, 0
        for row in range(first, last):
            apart = records.gap[row] != NOTHING and not records.shared[row]
            if apart and n_words >= BROKEN:
                yield begin, row
                begin, n_words = row, 0
            n_words += int(records.gap[row] != NOTHING)
        yield begin, last


def _line(records: Records, first: int, last: int, threshold: float | None) -> TextLine:
    truth: list[TextPiece] = []
    read: list[TextPiece] = []
    row = first
    while row < last:
        stop = row + 1
        while stop < last and records.shared[stop]:
            stop += 1
        kind = int(records.kind[row])
        # Whether the previous line already shows the output of this word.
        continued = row == first and bool(records.shared[row])
        space = "" if row == first or records.gap[row] == NOTHING else " "
        ours = records.truth[row] + "".join(
            ("" if records.gap[k] == NOTHING else " ") + records.truth[k] for k in range(row + 1, stop)
        )
        theirs = records.prediction[row]
        if kind == RIGHT and not continued:
            _add(truth, space, TextPiece("", ((ours, False),)))
            _add(read, space, TextPiece("", ((theirs, False),)))
        else:
            name, confidence = KINDS[kind], float(records.confidence[row])
            if kind == MOVED:
                confidence = np.nan  # moved words form one piece but have several confidences
            through = threshold is not None and confidence >= threshold
            known = None if np.isnan(confidence) else confidence
            parts = (((ours, False),), ()) if continued else _parts(kind, ours, theirs)
            if kind != INSERTED:
                _add(truth, space, TextPiece(name, parts[0]))
            if kind != MISSED and not continued:
                _add(read, space, TextPiece(name, parts[1], known, through))
        row = stop
    return TextLine(tuple(truth), tuple(read))


def _parts(
    kind: int, truth: str, read: str
) -> tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]:
    if kind in (MISSED, INSERTED, MOVED):
        return ((truth, False),), ((read, False),)
    pieces = list(pieces_of(truth, read))
    return (
        tuple((piece.truth, piece.changed) for piece in pieces if piece.truth),
        tuple((piece.read, piece.changed) for piece in pieces if piece.read),
    )


def _add(pieces: list[TextPiece], space: str, piece: TextPiece) -> None:
    """Add a piece to a line; merge it with the last piece if both have the same kind in `RUNS`."""
    last = pieces[-1] if pieces else None
    if last is not None and last.kind == piece.kind and piece.kind in RUNS:
        text = f"{last.parts[0][0]}{space}{piece.parts[0][0]}"
        pieces[-1] = TextPiece(piece.kind, ((text, False),))
    elif last is None or not space:
        pieces.append(piece)
    elif not last.kind:
        pieces[-1] = TextPiece("", ((last.parts[0][0] + space, False),))
        pieces.append(piece)
    elif not piece.kind:
        pieces.append(TextPiece("", ((space + piece.parts[0][0], False),)))
    else:
        pieces += [TextPiece("", ((space, False),)), piece]
