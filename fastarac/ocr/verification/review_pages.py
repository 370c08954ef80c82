"""Build the review page on which people verify a page's outputs: lines, boxes and image."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.extras import require
from fastarac.evaluation.review import ReviewOutput, ReviewPage
from fastarac.ocr.verification.crops import jpeg_uri, scale_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

COLUMNS = "text", "number", "line", "space", "confidence", "box", "accepted"

LARGEST = 1600  # maximum length of the longer side of an image, in pixels
UPRIGHT = 1000.0, 1414.0  # page size (A4) that is assumed if boxes are fractions of the page


def review_page(
    columns: Mapping[str, Any],
    name: str,
    page_size: NDArray[np.float64],
    image: Path | None,
    figures: tuple[int, int, float],
) -> ReviewPage:
    """Build the review page of one page from the columns of its outputs.

    `figures` are the numbers of outputs, accepted outputs and expected errors. Boxes are converted to
    pixels of the image, as in `crops_of`. Without an image, boxes stay in the units of the page size;
    boxes that are fractions of the page are scaled to `UPRIGHT`.
    """
    boxes = columns["box"]
    uri, size, scale = None, None, np.ones(2)
    if image is not None:
        uri, size = _picture(image)
        scale = scale_of(size, page_size)
    elif not np.isnan(boxes).all():
        size = tuple(page_size.tolist())
        if np.isnan(page_size).any():
            size = tuple(np.nanmax(boxes[:, 2:], axis=0).tolist())
        elif size == (1.0, 1.0):
            scale, size = np.array(UPRIGHT), UPRIGHT
    places = boxes * np.tile(scale, 2)
    places[:, 2:] -= places[:, :2]
    outputs = [
        ReviewOutput(
            text,
            number,
            None if np.isnan(confidence) else confidence,
            accepted,
            space,
            None if size is None or np.isnan(box).any() else tuple(box),
        )
        for text, number, confidence, accepted, space, box in zip(
            columns["text"],
            *(columns[name].tolist() for name in ("number", "confidence", "accepted", "space")),
            places.round(1).tolist(),
            strict=True,
        )
    ]
    lines = groupby(zip(columns["line"].tolist(), outputs, strict=True), key=lambda pair: pair[0])
    in_lines = tuple(tuple(output for _, output in line) for _, line in lines)
    return ReviewPage(name, in_lines, size, uri, *figures)


def _picture(path: Path) -> tuple[str, tuple[float, float]]:
    """Return an image as a data URI (scaled down if it is large), and its original size."""
    require("PIL", "ocr")
    from PIL import Image

    with Image.open(path) as image:
        size = float(image.width), float(image.height)
        grey = image.convert("L")
    grey.thumbnail((LARGEST, LARGEST))
    return jpeg_uri(grey), size
