"""Read the page cells of Docling, which have the confidences of the OCR engine that it called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, NO_BOX, Box, Builder, upright
from fastarac.ocr.readers._json import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words

CORNERS = [(f"r_x{i}", f"r_y{i}") for i in range(4)]


def read(file: InputFile, root: Node) -> Words:
    """Read the pages of a conversion: their word cells or, if there are none, their line cells.

    Cells whose text comes from the document file itself, not from an image, get no confidence.
    """
    builder = Builder[Node](file, "docling", str, "Docling")
    embedded = 0
    by_words = False
    for page in root.items():
        size = page.at("size")
        known = size.value is not None
        builder.new_page((size.number("width"), size.number("height")) if known else (NAN, NAN))
        cells, of_words = _cells(page)
        by_words |= of_words
        for cell in cells:
            builder.new_line()
            read_by_engine = cell.at("from_ocr").value is not False
            embedded += not read_by_engine
            confidence = cell.number("confidence") if read_by_engine else NAN
            builder.add(cell.text("text"), confidence, _box(cell), cell)
    if by_words:
        builder.unit = "word"
    builder.note(
        embedded,
        "cell has text that was embedded in the file, not read by an engine: it has no confidence",
        "cells have text that was embedded in the file, not read by an engine: they have no confidence",
    )
    return builder.finish()


def _cells(page: Node) -> tuple[Sequence[Node], bool]:
    """Return the cells of a page, and True if they are words or False if they are lines."""
    parsed = page.at("parsed_page")
    if parsed.value is not None:
        if words := parsed.items("word_cells"):
            return words, True
        if lines := parsed.items("textline_cells"):
            return lines, False
    return page.items("cells"), False


def _box(cell: Node) -> Box:
    rect = cell.at("rect")
    if not rect.has("r_x0"):
        return NO_BOX
    return upright([(rect.number(x), rect.number(y)) for x, y in CORNERS])


def is_page(value: object) -> bool:
    """Return whether a value is a page of Docling."""
    return (
        isinstance(value, dict) and "page_no" in value and ("cells" in value or "parsed_page" in value)
    )
