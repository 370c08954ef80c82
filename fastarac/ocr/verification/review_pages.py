"""Build the review page on which people verify a page's outputs: lines, boxes and image."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac.evaluation.review import ReviewOutput, ReviewPage
from fastarac.ocr.verification.crops import jpeg_uri, opened_grey, scale_of

if TYPE_CHECKING:
    from pathlib import Path


COLUMNS = "number", "confidence", "accepted", "space"

LARGEST = 1600  # maximum length of the longer side of an image, in pixels
UPRIGHT = 1000.0, 1414.0  # page size (A4) that is assumed if boxes are fractions of the page


def review_page(pages: Any, page: int, image: Path | None, counts: Any) -> ReviewPage:
    """Build the `ReviewPage` for the page with index `page`; `counts` is `pages.pages`.

    Boxes are converted to pixels of the image. Without an image, they stay in the units of the page
    size, but fractions of a page are scaled to A4 (`UPRIGHT`).
    """
    part = slice(*np.searchsorted(pages.page, [page, page + 1]))
    boxes, page_size = pages.box[part], pages.page_size[page]
    uri, size, scale = None, None, np.ones(2)
    if image is not None:
        grey = opened_grey(image)
        size = float(grey.width), float(grey.height)
        scale = scale_of(size, page_size)
        grey.thumbnail((LARGEST, LARGEST))
        uri = jpeg_uri(grey)
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
            pages.text[part],
            *(getattr(pages, name)[part].tolist() for name in COLUMNS),
            places.round(1).tolist(),
            strict=True,
        )
    ]
    lines = groupby(zip(pages.line[part].tolist(), outputs, strict=True), key=lambda pair: pair[0])
    in_lines = tuple(tuple(output for _, output in line) for _, line in lines)
    return ReviewPage(
        pages.page_names[page],
        in_lines,
        size,
        uri,
        int(counts.outputs[page]),
        int(counts.accepted[page]),
        float(counts.expected_errors[page]),
    )
