"""Fields of documents, as written in files, and parsing of names such as ``items[3].amount``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fastarac.ocr.fields.positions import NOWHERE, Position
from fastarac.ocr.readers._files import OcrFileError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fastarac.ocr.fields.comparisons import Written

_INDEX = re.compile(r"\[(\d{1,9})\]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """One field of one document, as a file gives it.

    Attributes
    ----------
    document, field : str
        Names of the document and field; repeated fields have an item number: ``items[3].amount``.
    file : Path
    place : str
        The place in the file, for error messages.
    prediction, truth : Written or None
        The text read and the true text; None if it is absent.
    confidence : str, float or None
        The confidence as written in the file.
    position : Position
        The place of the field in the document.
    """

    document: str
    field: str
    file: Path
    place: str
    prediction: Written | None = None
    confidence: str | float | None = None
    truth: Written | None = None
    position: Position = NOWHERE

    def error(self, problem: str) -> OcrFileError:
        """Return an error about this field."""
        what = f"field {shown(self.field)} of document {shown(self.document)}"
        return OcrFileError(self.file, f"{what}: {problem}", place=self.place)


@dataclass(frozen=True, slots=True)
class FieldFile:
    """All fields of a file or folder.

    Attributes
    ----------
    path : Path
    rows : list of Row
    documents : tuple of str
        Names of all documents, including documents without fields.
    whole : bool
        Whether a field that the file does not list in a document is empty there (nested JSON). In a
        table, the value of such a field is unknown.
    kind : str
        The kind of file: the service's name, ``"JSON"`` or ``"a table"``.
    """

    path: Path
    rows: list[Row]
    documents: tuple[str, ...]
    whole: bool
    kind: str

    def check_once(self) -> None:
        """Raise if a document has the same field twice."""
        seen: dict[tuple[str, str], Row] = {}
        for row in self.rows:
            first = seen.setdefault((row.document, row.field), row)
            if first is not row:
                where = first.place if first.file == row.file else f"{first.file}, {first.place}"
                raise OcrFileError(
                    row.file,
                    f"field {shown(row.field)} of document {shown(row.document)} is already in "
                    f"{where}; keep one value for each",
                    place=row.place,
                )


@dataclass(frozen=True, slots=True)
class FieldPath:
    """The name of a field, split into a name without item numbers and the item numbers.

    Attributes
    ----------
    key : str
        The name without item numbers: ``items.amount`` for ``items[3].amount``.
    items : tuple of (int, int)
        For each item number, its position in `key` and the number: ``((5, 3),)`` for
        ``items[3].amount``.
    """

    key: str
    items: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, field: str) -> FieldPath:
        """Parse the name of a field; equal names share one cached object.

        Examples
        --------
        >>> from fastarac.ocr.fields.rows import FieldPath
        >>> FieldPath.of("items[3].amount")
        FieldPath(key='items.amount', items=((5, 3),))
        """
        return _path_of(field)

    def lists(self) -> set[str]:
        """Return the names of the lists that contain the field."""
        return {self.key[:length] for length, _ in self.items}

    def is_below(self, name: str) -> bool:
        """Return whether the field has this name or is inside an object or list with this name."""
        return self.key == name or self.key.startswith((f"{name}.", f"{name}["))

    def within(self, lists: Iterable[str]) -> FieldPath:
        """Return the path with item number 0 in each of these lists where it has no item number."""
        lengths = {length for length, _ in self.items}
        lacking = {len(name) for name in lists if self.is_below(name)} - lengths
        return FieldPath(self.key, tuple(sorted((*self.items, *((length, 0) for length in lacking)))))

    def written(self, mark: str = "", *, numbers: bool = True) -> str:
        """Return the name with item numbers (each after `mark`), or with [] if not `numbers`."""
        text, end = "", 0
        for length, number in self.items:
            text += (
                f"{self.key[end:length]}[{mark}{number}]" if numbers else f"{self.key[end:length]}[]"
            )
            end = length
        return text + self.key[end:]


@lru_cache(1 << 12)
def _path_of(field: str) -> FieldPath:
    first, *rest = _INDEX.split(field)
    key, items = first, []
    for number, piece in zip(rest[::2], rest[1::2], strict=True):
        items.append((len(key), int(number)))
        key += piece
    return FieldPath(key, tuple(items))
