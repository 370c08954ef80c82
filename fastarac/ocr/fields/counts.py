"""How many rows the lists of a document have: fields of the document, such as ``items.count``.

A row that was not read leaves nothing behind by which it could be missed, where the truth is not known.
The number of rows does: it is wrong where one was missed. No engine says how sure it is of that number;
how sure it is of the rows that it has read stands in for that, and a policy calibrates it to the share
of right numbers, on other documents than those that prove its limit.
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

__all__ = ["COUNT", "count_names", "is_there", "lists_of_names", "read_count", "true_count"]


#: How the name of such a field ends, behind that of its list.
COUNT = ".count"


def count_names(lists: Iterable[str]) -> dict[str, str]:
    """Return the lists by the names of the fields that hold their numbers of rows.

    Examples
    --------
    >>> from fastarac.ocr.fields.counts import count_names
    >>> count_names({"items"})
    {'items.count': 'items'}
    """
    return {f"{key}{COUNT}": key for key in sorted(lists)}


def lists_of_names(names: Iterable[str]) -> set[str]:
    """Return the lists of fields whose names have [] in the place of numbers.

    Examples
    --------
    >>> from fastarac.ocr.fields.counts import lists_of_names
    >>> lists_of_names(["total", "items[].amount"])
    {'items'}
    """
    return {each for name in names for each in FieldPath.of(name.replace("[]", "[0]")).lists()}


def is_there(written: Written | None) -> bool:
    """Return whether there is a text."""
    return written is not None and bool(written.text.strip())


def true_count(placed: Sequence[Placed], key: str, *, complete: bool) -> Row | None:
    """Return the true number of rows of a list in a document; None where it is not known.

    Parameters
    ----------
    placed : sequence of (FieldPath, Row)
        The true fields of the document.
    key : str
        The list.
    complete : bool
        Whether a list that is not there has no rows.
    """
    n = len({number for number, _ in _cells(placed, key)})
    if n == 0 and not complete:
        return None
    first = placed[0][1]
    return replace(_row(first, key), truth=_written(n))


def read_count(placed: Sequence[Placed], key: str) -> Row | None:
    """Return the number of rows that were read, as an output; None where nothing was read at all.

    It is as sure as the least sure value in these rows; where no row was read, as the least sure output
    of the document.
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
    """Return a row about the count of a list of the same document."""
    return Row(row.document, f"{key}{COUNT}", row.file, row.place)


def _written(n: int) -> Written:
    return Written(str(n), str(n))


def _cells(placed: Iterable[Placed], key: str) -> Iterator[tuple[tuple[int, ...], Row]]:
    """Yield the values in the rows of a list, with the numbers of their rows."""
    for path, row in placed:
        numbers = tuple(number for length, number in path.items if length <= len(key))
        in_row = any(length == len(key) for length, _ in path.items) and path.is_below(key)
        if in_row and (is_there(row.prediction) or is_there(row.truth)):
            yield numbers, row
