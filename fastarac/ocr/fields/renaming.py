"""Rename the fields of services and engines to the names in the truth."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fastarac.ocr.fields.comparisons import strings_of_file
from fastarac.ocr.fields.rows import FieldPath

if TYPE_CHECKING:
    from fastarac.ocr.fields.rows import FieldFile

NUMBER = "[]"
EXAMPLE = 'a name such as "total"'


def renamed(
    file: FieldFile, rename: Mapping[str, str] | os.PathLike[str]
) -> tuple[FieldFile, dict[str, str]]:
    """Rename the fields of a file; also return the renamings that applied to at least one field.

    Parameters
    ----------
    file : FieldFile
    rename : mapping of str to str or path-like
        A new name for each field, or the path of a TOML file with such lines. A new name for a list or
        object applies to all fields in it. If several names fit a field, the longest one applies. The
        item numbers of a field fill the ``[]`` of its new name in order. If the new name has fewer
        ``[]``, each remaining number keeps its depth: with ``c.d`` for ``a.b``, ``a[3].b`` becomes
        ``c[3].d``. If the new name is less deep, the number comes last.

    Examples
    --------
    >>> from pathlib import Path
    >>> from fastarac.ocr.fields.renaming import renamed
    >>> from fastarac.ocr.fields.rows import FieldFile, Row
    >>> rows = [Row("a1", name, Path("a1.json"), "") for name in ("TOTAL", "LineItems[3].PRICE")]
    >>> file = FieldFile(Path("a1.json"), rows, ("a1",), whole=True, kind="JSON")
    >>> found, _ = renamed(file, {"TOTAL": "total", "LineItems[].PRICE": "items[].amount"})
    >>> [row.field for row in found.rows]
    ['total', 'items[3].amount']
    """
    if isinstance(rename, os.PathLike):
        rename = strings_of_file(Path(rename), EXAMPLE)
    if not isinstance(rename, Mapping) or not all(isinstance(name, str) for name in rename.values()):
        raise ValueError(
            "rename must be a mapping from fields to their names in the truth, or the path of a "
            f"TOML file, got {rename!r}"
        )
    names = {name.replace(NUMBER, ""): name for name in rename}
    keys = sorted(names, key=len, reverse=True)
    applied: dict[str, str] = {}
    rows = []
    for row in file.rows:
        path = FieldPath.of(row.field)
        key = next((key for key in keys if path.is_below(key)), None)
        if key is None:
            rows.append(row)
            continue
        new = rename[names[key]]
        applied[names[key]] = new
        rows.append(replace(row, field=_moved(path, key, new).written()))
    return replace(file, rows=rows), applied


def _moved(path: FieldPath, key: str, new: str) -> FieldPath:
    """Replace the prefix `key` of a path by the name `new`, and keep the path's item numbers."""
    first, *rest = new.split(NUMBER)
    begin, places = first, list[int]()
    for piece in rest:
        places.append(len(begin))
        begin += piece
    inside = [(length, number) for length, number in path.items if length <= len(key)]
    ends = [end for end in range(1, len(begin) + 1) if begin[end : end + 1] in (".", "")]
    # Item numbers without [] in the new name keep their depth.
    for length, _ in inside[len(places) :]:
        places.append(ends[min(key[:length].count("."), len(ends) - 1)])
    after = [
        (length - len(key) + len(begin), number) for length, number in path.items if length > len(key)
    ]
    numbers = (number for _, number in inside)
    items = (*sorted(zip(places, numbers, strict=False)), *after)
    return FieldPath(begin + path.key[len(key) :], items)
