"""Cut small pictures of outputs out of images, so that a page can hold about five hundred."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from fastarac._core.exceptions import warn_questionable
from fastarac._core.extras import require
from fastarac._core.text import few_of, plural
from fastarac.ocr.verification.crops import (
    check_images,
    jpeg_uri,
    opened_grey,
    region_of,
    scale_of,
)
from fastarac.report.images import images_in
from fastarac.station.table import PICTURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from PIL.Image import Image

    from fastarac.station.table import Questions

    Box = NDArray[np.float64] | None

MARGIN = 8.0, 1.6  # horizontal and vertical margin around a box, in heights of the box
LARGEST, WHOLE = (1000, 280), (1000, 1400)  # maximum pixels of a crop and of a whole page


class ReadPages(Protocol):
    """The pages that an engine has read, such as :class:`.AppliedPages`."""

    page: NDArray[np.intp]
    line: NDArray[np.intp]
    space: NDArray[np.bool_]
    text: tuple[str, ...]
    page_names: tuple[str, ...]
    page_size: NDArray[np.float64]


class Picture(NamedTuple):
    """A picture as a data URI, its size, and the output's box in it: left, top, width, height."""

    uri: str
    size: tuple[int, int]
    box: list[float] | None


def pictures_of(
    questions: Questions, images: Path | None, pages: ReadPages | None
) -> dict[int, Picture]:
    """Return the pictures of the rows that have one."""
    crops, files = _files_in_table(questions)
    if images is not None:
        files |= _files_of_pages(questions, images)
    files = crops | files
    if not files:
        return {}
    require("PIL", "ocr")
    boxes = dict(zip(questions.asked, _boxes(questions), strict=True))
    sizes = {} if pages is None else dict(zip(pages.page_names, pages.page_size, strict=True))
    page = questions.column("page")
    known = [box for row, box in boxes.items() if row in files and box is not None]
    # If page sizes are unknown and no value of any box is above 1, boxes are fractions of the page;
    # otherwise, they are in pixels.
    unit = np.ones(2) if known and max(box.max() for box in known) <= 1.0 else np.full(2, np.nan)
    found: dict[int, Picture] = {}
    for file, of_file in groupby(sorted(files, key=lambda row: (str(files[row]), row)), files.get):
        grey = _opened(questions, file)
        whole: Picture | None = None
        for row in of_file:
            box = None if file == crops.get(row) else boxes[row]
            if box is not None:
                scale = scale_of(grey.size, sizes.get(page[row] or "", unit))
                box = box * np.concatenate([scale, scale])
                found[row] = _picture(questions, row, grey, box)
            else:  # outputs without a box share a picture of the whole page
                whole = whole or _whole(grey)
                found[row] = whole
    _warn_without(questions, found)
    return found


def _files_in_table(questions: Questions) -> list[dict[int, Path]]:
    """Return the files named in the columns of crops and images, relative to the table's folder."""
    columns = [questions.column(name) for name in PICTURES]
    folder = questions.path.parent
    return [
        {row: folder / name for row in questions.asked if (name := column[row])} for column in columns
    ]


def _files_of_pages(questions: Questions, images: Path) -> dict[int, Path]:
    """Return the image of each row's page, named `invoice7-2` (document and page) or `invoice7`."""
    found = images_in(images)
    document, page = questions.column("document"), questions.column("page")
    names: dict[int, list[str]] = {}
    for row in questions.asked:
        whole, number = document[row], page[row] or "1"
        if whole is None:
            names[row] = [page[row] or ""]
        else:
            names[row] = [f"{whole}-{number}", *([whole] if number == "1" else [])]
    check_images(found, [name for each in names.values() for name in each])
    return {
        row: next(found[name] for name in each if name in found)
        for row, each in names.items()
        if any(name in found for name in each)
    }


def _boxes(questions: Questions) -> list[Box]:
    """Return the boxes of the rows to ask about, from the column ``box``."""
    cells = questions.column("box")
    return [_box(questions, row, cells[row]) for row in questions.asked]


def _box(questions: Questions, row: int, cell: str | None) -> Box:
    if not cell or not cell.strip():
        return None
    try:
        box = np.array(cell.split(), np.float64)
    except ValueError:
        box = np.empty(0)
    if len(box) != 4 or not np.isfinite(box).all():
        raise _refusal(questions, row, f"box must be left, top, right and bottom, got {cell!r}")
    return box


def _opened(questions: Questions, file: Path | None) -> Image:
    from PIL import UnidentifiedImageError

    try:
        return opened_grey(Path(file or ""))
    except (UnidentifiedImageError, FileNotFoundError, IsADirectoryError):
        raise ValueError(f"{questions.path}: {file} cannot be read as an image") from None


def _whole(grey: Image) -> Picture:
    shown = grey.copy()
    shown.thumbnail(WHOLE)
    return Picture(jpeg_uri(shown), shown.size, None)


def _picture(questions: Questions, row: int, grey: Image, box: NDArray[np.float64]) -> Picture:
    middle = (box[:2] + box[2:]) / 2.0
    region = region_of(grey.size, box[None], MARGIN)
    if region is None or (middle < 0).any() or (middle > grey.size).any():
        ends = " ".join(f"{end:.6g}" for end in box)
        raise _refusal(
            questions, row,
            f"box must be within the image ({grey.width} × {grey.height} pixels), in pixels or as "
            f"fractions of its width and height, got {ends}",
        )  # fmt: skip
    piece = grey.crop(region)
    piece.thumbnail(LARGEST)
    shrunk = np.array(piece.size) / (region[2] - region[0], region[3] - region[1])
    left_top, size = (box[:2] - region[:2]) * shrunk, (box[2:] - box[:2]) * shrunk
    return Picture(jpeg_uri(piece), piece.size, [*left_top.round(1).tolist(), *size.round(1).tolist()])


def _refusal(questions: Questions, row: int, problem: str) -> ValueError:
    return ValueError(f"{questions.path}: row {row + 1}: {problem}")


def _warn_without(questions: Questions, found: Mapping[int, Picture]) -> None:
    page = questions.column("document" if "document" in questions.columns else "page")
    lacking = [page[row] or f"row {row + 1}" for row in questions.asked if row not in found]
    if lacking:
        n = len(lacking)
        verb = "has" if n == 1 else "have"
        names = few_of(dict.fromkeys(lacking), 3)
        warn_questionable(f"{n:,} {plural('output', n)} of the station {verb} no picture: {names}")
