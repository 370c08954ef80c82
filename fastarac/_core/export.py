"""Export of results as JSON values, as data frames and as HTML tables for notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
ENDS = 8  # Number of rows that a notebook shows at the beginning and at the end of a long table.
LONGEST = 200  # Maximum number of characters that a table cell shows.


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def parts_of(value: Any) -> dict[str, Any] | None:
    """Return the parts of a result, dataclass or mapping by name; None for any other object."""
    own: Any = getattr(value, "_parts", None)
    if callable(own):  # a pathlib.Path may have an attribute `_parts`, which is a list
        return cast("dict[str, Any]", own())
    if is_dataclass(value) and not isinstance(value, type):
        return fields_of(value)
    return dict(value) if isinstance(value, dict | MappingProxyType) else None


def flat(parts: Mapping[Any, Any]) -> dict[str, Any]:
    """Return named parts as a flat dictionary of JSON values.

    Parts of a nested result get the result's name and an underscore as a prefix. A tuple of results
    becomes one list per part.
    """
    found: dict[str, Any] = {}
    for name, value in parts.items():
        inside = parts_of(value)
        if inside is not None:
            found |= {f"{name}_{key}": each for key, each in flat(inside).items()}
        elif isinstance(value, tuple) and value and parts_of(value[0]) is not None:
            rows = [flat(parts_of(each) or {}) for each in value]
            keys = dict.fromkeys(key for row in rows for key in row)
            found |= {f"{name}_{key}": [row.get(key) for row in rows] for key in keys}
        else:
            found[str(name)] = plain(value)
    return found


def plain(value: Any) -> Any:
    """Return a JSON value: NaN and infinity become None, other types become text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.ndarray):
        return _list_of(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value)


def _list_of(array: np.ndarray[Any, Any]) -> list[Any]:
    kind = array.dtype.kind
    if kind in "biuU" or (kind == "f" and np.isfinite(array).all()):
        return list(array.tolist())
    return plain((array.astype(str) if kind in "mM" else array).tolist())  # type: ignore[no-any-return]


def frame_of(columns: Mapping[str, Any], backend: Backend) -> Any:
    """Return columns as a table of the package `backend`."""
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(map(repr, BACKENDS))}, got {backend!r}")
    if find_spec(backend) is None:
        raise ModuleNotFoundError(
            f"{backend} is not installed; run: pip install {backend}", name=backend
        )
    return getattr(import_module(backend), BACKENDS[backend])(dict(columns))


def padded(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column with one empty row added."""
    if column.dtype.kind == "f":
        return np.append(column, np.nan)
    return np.array([*column.tolist(), None], object)


def html_table(header: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "") -> str:
    """Return a table as HTML, with an optional note below it."""
    lines = ["<table>"]
    if header:
        cells = "".join(f"<th>{escape(name)}</th>" for name in header)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    lines += [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
    lines += ["</tbody>", "</table>"]
    return "\n".join(lines) + (f"\n<p>{escape(note)}</p>" if note else "")


def _cell(value: Any) -> str:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    style = ' style="text-align: right"' if is_number else ' style="text-align: left"'
    return f"<td{style}>{escape(shown(value)).replace('    ', '&emsp;')}</td>"


def shown(value: Any) -> str:
    """Return the text of a value in a table cell."""
    if value is None:
        return "–"
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, list | tuple | np.ndarray):
        return f"{len(value)} values"
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def html_of_columns(columns: Mapping[str, Any]) -> str:
    """Return columns as HTML: long tables show the first and last rows, a single row is transposed."""
    n = len(next(iter(columns.values())))
    if n == 1:
        return html_table((), [(name, column[0]) for name, column in columns.items()])
    if n <= 2 * ENDS + 1:
        return html_table(list(columns), zip(*columns.values(), strict=True))
    first = zip(*(column[:ENDS] for column in columns.values()), strict=True)
    last = zip(*(column[n - ENDS :] for column in columns.values()), strict=True)
    return html_table(list(columns), [*first, ["…"] * len(columns), *last], f"{n:,} rows")
