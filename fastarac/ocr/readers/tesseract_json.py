"""Read results of wrappers of Tesseract: pytesseract's columns and Tesseract.js's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Box, Builder
from fastarac.ocr.readers._files import OcrFileError
from fastarac.ocr.readers._json import Node
from fastarac.ocr.readers.tesseract_tsv import COLUMNS, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read_columns(file: InputFile, root: Node) -> Words:
    """Read the dict that pytesseract's `image_to_data` returns: the columns of Tesseract's table."""
    columns = [root.items(name) for name in COLUMNS]
    if len(lengths := {len(column) for column in columns}) > 1:
        raise root.error(f"columns that all have the same length (lengths found: {sorted(lengths)})")
    rows = ([_written(cell.value) for cell in row] for row in zip(*columns, strict=True))
    builder = Builder[int](file, "tesseract-tsv", lambda number: f"row {number}", "pytesseract")
    read_rows(builder, enumerate(rows))
    return builder.finish()


def _written(value: object) -> str:
    # Pandas writes NaN where there is no text.
    return "" if value is None or value != value else str(value)


def is_tesseract_js(page: Node) -> bool:
    """Return whether a value is a result of Tesseract.js's `recognize`."""
    if not page.has("text", "confidence"):
        return False
    return any(key in page.value for key in ("blocks", "lines", "words", "hocr", "tsv"))


def read_tesseract_js(file: InputFile, root: Node) -> Words:
    """Read a result of Tesseract.js's `recognize`: blocks, or a list of lines or of words."""
    page = root.at("data") if root.has("data") else root
    builder = Builder[Node](file, "tesseract-js", str, "Tesseract.js")
    builder.new_page()
    for line in _lines(page):
        builder.new_line()
        for word in line.items("words"):
            builder.add(word.text("text"), word.number("confidence"), _box(word), word)
    if not len(builder) and page.text("text").strip():
        problem = "there is text without its words; ask for them: recognize(image, {}, {blocks: true})"
        raise OcrFileError(file.path, problem)
    return builder.finish()


def _lines(page: Node) -> Iterator[Node]:
    if page.has("blocks"):
        for block in page.items("blocks"):
            for paragraph in block.items("paragraphs"):
                yield from paragraph.items("lines")
    elif page.has("lines"):
        yield from page.items("lines")
    else:
        yield page


def _box(word: Node) -> Box:
    box = word.at("bbox")
    if not box.has("x0", "y0", "x1", "y1"):
        return NO_BOX
    left, top, right, bottom = (box.number(key) for key in ("x0", "y0", "x1", "y1"))
    return left, top, right, bottom
