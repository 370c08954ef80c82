"""Read the regions of pages in PAGE and ALTO, with their types and outlines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.readers._xml import children, elements, local_name, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._xml import Element

BLOCKS = frozenset({"TextBlock", "ComposedBlock", "Illustration", "GraphicalElement"})
PLACE = ("HPOS", "VPOS", "WIDTH", "HEIGHT")


class Region(NamedTuple):
    """A region of a page, with its types and its outline.

    Attributes
    ----------
    page : int
        The index of its page in the file.
    names : frozenset of str
        Names of its type, in lower case: ``{"text", "page-number"}``.
    has_text : bool
    polygon : ndarray of shape (n, 2), float64
        Its outline.
    """

    page: int
    names: frozenset[str]
    has_text: bool
    polygon: NDArray[np.float64]

    def counts(self, ignored: frozenset[str]) -> bool:
        """Return whether the region has text and none of its types is ignored."""
        return self.has_text and self.names.isdisjoint(ignored)


def regions_of(file: InputFile, root: str) -> list[Region]:
    """Return the regions of a PAGE or ALTO file with this root element; empty for other formats."""
    if root not in ("pcgts", "alto"):
        return []
    found: list[Region] = []
    labels: dict[str, str] = {}
    n_pages = 0
    for element in elements(file, ("Page", "Tags")):
        if local_name(element) == "Tags":
            labels |= {tag.get("ID", ""): tag.get("LABEL", "").lower() for tag in element}
            continue
        of_page = _of_page if root == "pcgts" else _of_alto
        found += of_page(element, n_pages, file, labels)
        n_pages += 1
    return found


def is_region(element: Element) -> bool:
    """Return whether an element of PAGE is a region."""
    name = local_name(element)
    # Transkribus writes the cells of tables as TableCell, which has no "Region" in its name.
    return name.endswith("Region") or name == "TableCell"


def names_of_region(region: Element) -> frozenset[str]:
    """Return the names of a PAGE region's type."""
    kind = local_name(region).removesuffix("Region").lower()
    return frozenset({kind, region.get("type", "").lower()} - {""})


def names_of_block(block: Element, labels: dict[str, str]) -> frozenset[str]:
    """Return the names of an ALTO block's type, from its element, its TYPE and its tags."""
    kind = {"TextBlock": "text", "Illustration": "image", "GraphicalElement": "graphic"}
    tags = (labels.get(each, "") for each in block.get("TAGREFS", "").split())
    names = {kind.get(local_name(block), ""), block.get("TYPE", "").lower(), *tags}
    return frozenset(names - {""})


def _of_page(
    page: Element,
    number_of_page: int,
    file: InputFile,
    labels: dict[str, str],  # noqa: ARG001, the signature of _of_alto
) -> Iterator[Region]:
    for region in page.iterdescendants():
        if not is_region(region):
            continue
        for coords in children(region, "Coords"):
            polygon = _points(coords, file)
            if len(polygon) > 2:
                has_text = any(text.text and text.text.strip() for text in region.iter("{*}Unicode"))
                yield Region(number_of_page, names_of_region(region), has_text, polygon)


def _points(coords: Element, file: InputFile) -> NDArray[np.float64]:
    written = coords.get("points")
    try:
        if written is None:
            pairs = [(number(p, "x", file), number(p, "y", file)) for p in children(coords, "Point")]
        else:
            pairs = [(float(x), float(y)) for x, y in (p.split(",") for p in written.split())]
        points = np.array(pairs, np.float64).reshape(-1, 2)
    except ValueError:  # coordinates are blank or malformed
        return np.empty((0, 2))
    return points[np.isfinite(points).all(axis=1)]


def _of_alto(
    page: Element, number_of_page: int, file: InputFile, labels: dict[str, str]
) -> Iterator[Region]:
    for block in page.iterdescendants():
        if local_name(block) not in BLOCKS:
            continue
        left, top, width, height = (number(block, name, file) for name in PLACE)
        corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        polygon = np.array(corners)
        if np.isfinite(polygon).all():
            has_text = next(block.iter("{*}String"), None) is not None
            yield Region(number_of_page, names_of_block(block, labels), has_text, polygon)
