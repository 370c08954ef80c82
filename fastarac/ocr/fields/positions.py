"""The page and box where a service found a field."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.ocr.readers._json import Node

MOST_PAGES = 1_000_000  # a larger number cannot be a page number


class Position(NamedTuple):
    """The position of a field in its document.

    Attributes
    ----------
    page : int or None
        The number of its page, from 1.
    box : str or None
        Left, top, right and bottom, separated by spaces, in the units of the file.
    """

    page: int | None = None
    box: str | None = None


NOWHERE = Position()


def position_of(*nodes: Node) -> Position:
    """Return the first page and the first box in values of a service's JSON.

    Unreadable positions raise no error, because they only help people to find a field.
    """
    values = [node.value for node in nodes if isinstance(node.value, dict)]
    found = [_azure(value) for value in values] + [_google(value) for value in values]
    found += [_textract(value) for value in values]
    page = next((each.page for each in found if each.page is not None), None)
    return Position(page, next((each.box for each in found if each.box is not None), None))


def _azure(value: dict[str, Any]) -> Position:
    region = _first(_either(value, "boundingRegions", "bounding_regions"))
    polygon = _either(region, "polygon", "boundingBox")
    if polygon and all(isinstance(point, dict) for point in polygon):
        box = _around(polygon)
    else:
        numbers = polygon if isinstance(polygon, list) else []
        box = _box(numbers[::2], numbers[1::2])
    return Position(_page(_either(region, "pageNumber", "page_number")), box)


def _textract(value: dict[str, Any]) -> Position:
    geometry = value.get("Geometry")
    box = geometry.get("BoundingBox") if isinstance(geometry, dict) else None
    page = _page(_either(value, "PageNumber", "Page"))
    if not isinstance(box, dict):
        return Position(page)
    left, top, width, height = (_number(box.get(key)) for key in ("Left", "Top", "Width", "Height"))
    return Position(page, _box([left, left + width], [top, top + height]))


def _google(value: dict[str, Any]) -> Position:
    reference = _first(_either(_either(value, "pageAnchor", "page_anchor"), "pageRefs", "page_refs"))
    if not isinstance(reference, dict):
        return NOWHERE
    page = _page(reference.get("page", "0"), begin=0)
    polygon = _either(reference, "boundingPoly", "bounding_poly")
    points = _either(polygon, "normalizedVertices", "normalized_vertices", "vertices")
    return Position(page, _around(points))


def _either(value: Any, *keys: str) -> Any:
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in keys if value.get(key)), None)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _around(points: Any) -> str | None:
    """Return the box around some points; a missing coordinate is 0."""
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        return None
    return _box([point.get("x", "0") for point in points], [point.get("y", "0") for point in points])


def _box(across: Sequence[Any], down: Sequence[Any]) -> str | None:
    horizontal, vertical = list(map(_number, across)), list(map(_number, down))
    if not horizontal or not vertical or not all(map(math.isfinite, (*horizontal, *vertical))):
        return None
    ends = min(horizontal), min(vertical), max(horizontal), max(vertical)
    return " ".join(f"{end:.6g}" for end in ends)


def _number(value: Any) -> float:
    """Return a JSON value as a float; NaN if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _page(value: Any, begin: int = 1) -> int | None:
    number = _number(value)
    there = number.is_integer() and begin <= number <= MOST_PAGES
    return int(number) + 1 - begin if there else None
