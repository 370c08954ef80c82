"""Pieces of page images around words, small enough for a page of errors."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.extras import require
from fastarac._core.text import few_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fastarac.ocr.records import Records
    from fastarac.ocr.words import Words

__all__ = ["check_images", "crops_of"]

MARGIN = 0.6  # heights of the word around it
TALLEST, WIDEST = 56, 420  # pixels
QUALITY = 60


def check_images(images: Mapping[str, Path], page_names: Sequence[str]) -> None:
    """Raise ValueError where no page has an image, or one has two."""
    of_two: Mapping[str, tuple[Path, Path]] = getattr(images, "ambiguous", {})
    for name in page_names:
        if name in of_two:
            one, other = of_two[name]
            raise ValueError(f"{one} and {other} are both images of {name}; one a page is expected")
    if images and not set(images) & set(page_names):
        raise ValueError(
            f"images are called {_some(images)}, and pages {_some(page_names)}; images named as the "
            "pages are expected"
        )


def _some(names: Iterable[str]) -> str:
    return few_of(sorted(names), 3)


def crops_of(
    images: Mapping[str, Path], words: Words, records: Records, rows: Sequence[int]
) -> dict[int, str]:
    """Return pictures of the outputs of some records as data URIs, by record.

    A record without a box, or on a page without an image, has none. Boxes are in the units of the
    pages' sizes, or in pixels of the image where a file gives no size.
    """
    require("PIL", "ocr")
    from PIL import Image

    found: dict[int, str] = {}
    by_page: dict[int, list[int]] = {}
    for row in rows:
        by_page.setdefault(int(records.page[row]), []).append(row)
    place = {name: index for index, name in enumerate(words.page_names)}
    for page, of_page in by_page.items():
        name = records.page_names[page]
        if name not in images:
            continue
        with Image.open(images[name]) as image:
            grey = image.convert("L")
        scale = np.array(grey.size) / words.page_size[place[name]]
        scale = np.where(np.isnan(scale), 1.0, scale)
        for row in of_page:
            boxes = words.box[records.output_begin[row] : records.output_end[row]]
            if not len(boxes) or np.isnan(boxes).any():
                continue
            left, top = boxes[:, :2].min(axis=0) * scale
            right, bottom = boxes[:, 2:].max(axis=0) * scale
            around = MARGIN * (bottom - top)
            box = (left - 2 * around, top - around, right + 2 * around, bottom + around)
            inside = (
                max(0, int(box[0])),
                max(0, int(box[1])),
                min(grey.width, int(box[2]) + 1),
                min(grey.height, int(box[3]) + 1),
            )
            if inside[2] <= inside[0] or inside[3] <= inside[1]:
                continue
            piece = grey.crop(inside)
            piece.thumbnail((WIDEST, TALLEST))
            held = io.BytesIO()
            piece.save(held, "JPEG", quality=QUALITY, optimize=True)
            found[row] = "data:image/jpeg;base64," + base64.b64encode(held.getvalue()).decode("ascii")
    return found
