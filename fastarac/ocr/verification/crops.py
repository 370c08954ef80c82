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
    from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """Crop the outputs of some records; return the data URI of each crop by record.

    Boxes are in the units of the page size or, without a page size, in pixels of the image.
    """
    place = {name: index for index, name in enumerate(words.page_names)}
    outputs = {}
    for row in rows:
        boxes = words.box[records.output_begin[row] : records.output_end[row]]
        outputs[row] = place[records.page_names[records.page[row]]], boxes
    found: dict[int, str] = {}
    for row, piece in _pieces(images, words, outputs):
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

    `places` are the pages and the boxes of all outputs. `files` maps the indices of outputs to file
    names.
    """
    of_page, boxes = places
    outputs = {row: (int(of_page[row]), boxes[row][None]) for row in files}
    written: set[int] = set()
    for row, piece in _pieces(images, words, outputs):
        piece.save(folder / files[row], "PNG", optimize=True)
        written.add(row)
    return written


def _pieces(
    images: Mapping[str, Path], words: Words, outputs: Mapping[int, tuple[int, NDArray[np.float64]]]
) -> Iterator[tuple[int, Image]]:
    """Yield (key, crop) for each output that has a box and an image, page by page.

    `outputs` maps the key of an output to (page index in `words`, boxes of the output).
    """

    def page_of(key: int) -> int:
        return outputs[key][0]

    for page, keys in groupby(sorted(outputs, key=page_of), page_of):
        name = words.page_names[page]
        if name not in images:
            continue
        grey = opened_grey(images[name])
        scale = np.tile(scale_of(grey.size, words.page_size[page]), 2)
        for key in keys:
            inside = region_of(grey.size, outputs[key][1] * scale)
            if inside is not None:
                yield key, grey.crop(inside)


def opened_grey(path: Path) -> Image:
    """Open an image file and return it in greyscale."""
    require("PIL", "ocr")
    from PIL.Image import open as open_image

    with open_image(path) as image:
        return image.convert("L")


def scale_of(size: tuple[float, float], page_size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pixels per page unit, horizontal and vertical; 1 if the page size is unknown."""
    scale = np.array(size) / page_size
    return np.where(np.isnan(scale), 1.0, scale)


def jpeg_uri(image: Image) -> str:
    """Return an image as the data URI of a JPEG."""
    held = io.BytesIO()
    image.save(held, "JPEG", quality=QUALITY, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(held.getvalue()).decode("ascii")


def region_of(
    size: tuple[int, int], boxes: NDArray[np.float64], margin: tuple[float, float] = MARGIN
) -> tuple[int, int, int, int] | None:
    """Return the edges in pixels (left, top, right, bottom) of the image part around some boxes.

    The result is None if there are no boxes, a box is unknown (NaN), or the part is empty. `margin` is
    (left and right, above and below), in units of the boxes' height.
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
