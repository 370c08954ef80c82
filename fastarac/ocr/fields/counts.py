"""Row counts: fields such as ``items.count`` that hold the number of rows of a list.

A missed row gives no output that a threshold could reject. The row count is an output, and a missed row
makes it wrong. Engines give no confidence for a row count. Therefore, it gets the lowest confidence of
the outputs in its rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from fastarac.ocr.fields.comparisons import Written
from fastarac.ocr.fields.rows import FieldPath, Row
from fastarac.ocr.fields.tables import as_confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastarac.ocr.fields.matching import Placed

#: A row count is named like its list, followed by this ending.
COUNT = ".count"


def count_names(lists: Iterable[str]) -> dict[str, str]:
    """Return a mapping from the names of row counts to their lists.

    Examples
    --------
    >>> from fastarac.ocr.fields.counts import count_names
    >>> count_names({"items"})
    {'items.count': 'items'}
    """
    return {f"{key}{COUNT}": key for key in sorted(lists)}


def lists_of_names(names: Iterable[str]) -> set[str]:
    """Return the names of the lists in field names such as ``items[].amount``.

    Examples
    --------
    >>> from fastarac.ocr.fields.counts import lists_of_names
    >>> lists_of_names(["total", "items[].amount"])
    {'items'}
    """
    return {each for name in names for each in FieldPath.of(name.replace("[]", "[0]")).lists()}


def is_there(written: Written | None) -> bool:
    """Return whether a field has a text that is not blank."""
    return written is not None and bool(written.text.strip())


def true_count(placed: Sequence[Placed], key: str, *, complete: bool) -> Row | None:
    """Return the true number of rows of a list in a document; None if it is unknown.

    Parameters
    ----------
    placed : sequence of (FieldPath, Row)
        The true fields of the document.
    key : str
        The name of the list.
    complete : bool
        Whether a list that the truth does not mention has no rows; if False, its length is unknown.
    """
    n = len({number for number, _ in _cells(placed, key)})
    if n == 0 and not complete:
        return None
    first = placed[0][1]
    return replace(_row(first, key), truth=_written(n))


def read_count(placed: Sequence[Placed], key: str) -> Row | None:
    """Return the number of rows read of a list, as an output; None if the document has no output.

    Its confidence is the lowest confidence in the rows. If there are no rows, it is the lowest in the
    document.
    """
    outputs = [(path, row) for path, row in placed if is_there(row.prediction)]
    if not outputs:
        return None
    cells = list(_cells(outputs, key))
    rows = [row for _, row in cells] or [row for _, row in outputs]
    given = map(as_confidence, rows)
    known = [each for each in given if not math.isnan(each)]
    n = len({number for number, _ in cells})
    first = outputs[0][1]
    return replace(_row(first, key), prediction=_written(n), confidence=min(known) if known else None)


def _row(row: Row, key: str) -> Row:
    """Return a `Row` for the row count of the list `key`, still without the number."""
    return Row(row.document, f"{key}{COUNT}", row.file, row.place)


def _written(n: int) -> Written:
    return Written(str(n), str(n))


def _cells(placed: Iterable[Placed], key: str) -> Iterator[tuple[tuple[int, ...], Row]]:
    """Yield the fields of a list that have a text, each with the number of its row."""
    for path, row in placed:
        numbers = tuple(number for length, number in path.items if length <= len(key))
        in_row = any(length == len(key) for length, _ in path.items) and path.is_below(key)
        if in_row and (is_there(row.prediction) or is_there(row.truth)):
            yield numbers, row
