"""Crop page images around words, for reports and for people who verify the words."""

from __future__ import annotations

import base64
import io
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.extras import require
from fastarac._core.text import few_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from PIL.Image import Image

    from fastarac.ocr.words.records import Records
    from fastarac.ocr.words.words import Words

MARGIN = 1.2, 0.6  # margins (horizontal, vertical) around a word, in units of its height
TALLEST, WIDEST = 56, 420  # maximum height and width of a crop in a report, in pixels
QUALITY = 60


def check_images(images: Mapping[str, Path], page_names: Sequence[str]) -> None:
    """Raise ValueError if no image belongs to a page, or if a page has two images."""
    of_two: Mapping[str, tuple[Path, Path]] = getattr(images, "ambiguous", {})
    for name in page_names:
        if name in of_two:
            one, other = of_two[name]
            raise ValueError(f"{one} and {other} are both images of {name}; keep one for each page")
    if images and not set(images) & set(page_names):
        raise ValueError(
            f"images must be named like the pages, but are called {_some(images)}; the pages are "
            f"{_some(page_names)}"
        )


def _some(names: Iterable[str]) -> str:
    return few_of(sorted(names), 3)


def crops_of(
    images: Mapping[str, Path], words: Words, records: Records, rows: Sequence[int]
) -> dict[int, str]:
    """Crop the outputs of some records; return a mapping from records to data URIs.

    There is no crop for a record without a box or on a page without an image. Boxes are in the units of
    the page size, or in pixels of the image if the file gives no page size.
    """
    require("PIL", "ocr")
    found: dict[int, str] = {}
    by_page: dict[int, list[int]] = {}
    for row in rows:
        by_page.setdefault(int(records.page[row]), []).append(row)
    place = {name: index for index, name in enumerate(words.page_names)}
    for page, of_page in by_page.items():
        name = records.page_names[page]
        if name not in images:
            continue
        grey, scale = _opened(images[name], words.page_size[place[name]])
        for row in of_page:
            boxes = words.box[records.output_begin[row] : records.output_end[row]]
            piece = _piece(grey, boxes * scale)
            if piece is None:
                continue
            piece.thumbnail((WIDEST, TALLEST))
            found[row] = jpeg_uri(piece)
    return found


def write_crops(
    folder: Path,
    images: Mapping[str, Path],
    words: Words,
    places: tuple[NDArray[np.intp], NDArray[np.float64]],
    files: Mapping[int, str],
) -> set[int]:
    """Write crops of outputs as PNG files, and return the indices of the outputs that have a crop.

    `places` contains the pages and the boxes of all outputs. `files` maps indices of outputs to the
    file names of their crops. An output without a box gets no crop.
    """
    require("PIL", "ocr")
    written: set[int] = set()
    of_page, boxes = places
    for page, rows in groupby(sorted(files), key=lambda row: int(of_page[row])):
        grey, scale = _opened(images[words.page_names[page]], words.page_size[page])
        for row in rows:
            piece = _piece(grey, boxes[row][None] * scale)
            if piece is not None:
                piece.save(folder / files[row], "PNG", optimize=True)
                written.add(row)
    return written


def _opened(path: Path, page_size: NDArray[np.float64]) -> tuple[Image, NDArray[np.float64]]:
    """Return an image in grey, and the factors that convert the four edges of a box to pixels."""
    grey = opened_grey(path)
    return grey, np.tile(scale_of(grey.size, page_size), 2)


def opened_grey(path: Path) -> Image:
    """Open an image file and return it in grey."""
    from PIL.Image import open as open_image

    with open_image(path) as image:
        return image.convert("L")


def scale_of(size: tuple[float, float], page_size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pixels per page unit, horizontal and vertical; 1 if the page has no size."""
    scale = np.array(size) / page_size
    return np.where(np.isnan(scale), 1.0, scale)


def jpeg_uri(image: Image) -> str:
    """Return an image as the data URI of a JPEG."""
    held = io.BytesIO()
    image.save(held, "JPEG", quality=QUALITY, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(held.getvalue()).decode("ascii")


def _piece(grey: Image, boxes: NDArray[np.float64]) -> Image | None:
    """Return the crop around boxes in pixels, with a margin; None if `region_of` returns None."""
    inside = region_of(grey.size, boxes)
    return None if inside is None else grey.crop(inside)


def region_of(
    size: tuple[int, int], boxes: NDArray[np.float64], margin: tuple[float, float] = MARGIN
) -> tuple[int, int, int, int] | None:
    """Return the edges in pixels (left, top, right, bottom) of the image part around some boxes.

    Return None if there are no boxes, a box is unknown (NaN), or the part is empty. `margin` has two
    values, in units of the boxes' height: one for left and right, one for above and below.
    """
    if not len(boxes) or np.isnan(boxes).any():
        return None
    left, top = boxes[:, :2].min(axis=0)
    right, bottom = boxes[:, 2:].max(axis=0)
    beside, above = np.array(margin) * (bottom - top)
    inside = (
        max(0, int(left - beside)),
        max(0, int(top - above)),
        min(size[0], int(right + beside) + 1),
        min(size[1], int(bottom + above) + 1),
    )
    return None if inside[2] <= inside[0] or inside[3] <= inside[1] else inside
