"""Read results of PaddleOCR 2 and 3, with a confidence for each line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Builder
from fastarac.ocr.readers._files import OcrFileError
from fastarac.ocr.readers._json import Node, each_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read_3(file: InputFile, root: Node) -> Words:
    """Read the output of PaddleOCR 3's `save_to_json`: parallel lists of texts, scores and boxes."""
    builder = Builder[Node](file, "paddleocr", str, "PaddleOCR 3")
    if isinstance(root.value, dict) and root.value.get("errorCode"):  # from a server of PaddleX
        problem = f"the service answered with an error: {root.text('errorMsg') or 'no reason given'}"
        raise OcrFileError(file.path, problem, place="errorCode")
    for page in pages_of_3(root):
        builder.new_page()
        texts, scores = page.items("rec_texts"), page.items("rec_scores")
        if scores and len(scores) != len(texts):
            raise page.at("rec_scores").error(f"a score for each of the {len(texts)} rec_texts")
        boxes = page.items("rec_boxes") if page.has("rec_boxes") else []
        polygons = page.items("rec_polys") if page.has("rec_polys") else []
        for i, text in enumerate(texts):
            if not isinstance(text.value, str):
                raise text.error("a text")
            box = NO_BOX
            if len(polygons) == len(texts):
                box = polygons[i].polygon()
            # A box [left, top, right, bottom] has the form of two corner points, so `polygon` reads it.
            elif len(boxes) == len(texts):
                box = boxes[i].polygon()
            builder.new_line()
            builder.add(text.value, scores[i].as_number() if scores else float("nan"), box, text)
    return builder.finish()


def pages_of_3(root: Node) -> Iterator[Node]:
    """Yield, for each page, the object with its texts, as PP-OCR, PP-Structure and servers write it."""
    for outer in each_page(root):
        if outer.has("result"):
            served = outer.at("result")
            for page in (*served.items("ocrResults"), *served.items("layoutParsingResults")):
                yield from pages_of_3(page.at("prunedResult"))
            continue
        page = outer.at("res") if isinstance(outer.value, dict) and outer.has("res") else outer
        yield page.at("overall_ocr_res") if page.has("overall_ocr_res") else page


def read_structure_2(file: InputFile, root: Node) -> Words:
    """Read the regions of PP-Structure 2: `res` holds the lines, and `img_idx` the page's index."""
    builder = Builder[Node](file, "paddleocr", str, "PP-Structure 2")
    before = -1
    tables = 0
    for region in root.items():
        page = region.integer("img_idx", absent=0)
        while before < page:
            builder.new_page()
            before += 1
        if not isinstance(region.at("res").value, list):  # a table, whose text is HTML
            tables += 1
            continue
        for line in region.items("res"):
            builder.new_line()
            box = line.box("text_region")
            builder.add(line.text("text"), line.number("confidence"), box, line)
    builder.note(
        tables,
        "table has its text as HTML, without confidences: it is not read",
        "tables have their text as HTML, without confidences: they are not read",
    )
    return builder.finish()


def read_2(file: InputFile, root: Node) -> Words:
    """Read the lists of PaddleOCR 2: a page is a list of `[box, [text, score]]`."""
    builder = Builder[Node](file, "paddleocr", str, "PaddleOCR 2")
    pages = [root] if _is_line(root.items()[0]) else root.items()
    for page in pages:
        builder.new_page()
        if page.value is None:  # PaddleOCR's result for a page without text
            continue
        for line in page.items():
            # `ocr(det=False)` reads the whole image as one line, without a box.
            if is_reading(line.value):
                builder.new_line()
                builder.add(line.items()[0].value, line.items()[1].as_number(), NO_BOX, line)
                continue
            if not _is_line(line):
                raise line.error("a line of PaddleOCR, [box, [text, score]]")
            box, reading = line.items()
            text, score = reading.items()
            builder.new_line()
            builder.add(str(text.value), score.as_number(), box.polygon(), line)
    return builder.finish()


def _is_line(node: Node) -> bool:
    return ends_in_reading(node.value) and isinstance(node.value[0], list)


def is_reading(value: object) -> bool:
    """Return whether a value is ``[text, score]``."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], float | int)
    )


def ends_in_reading(value: object) -> bool:
    """Return whether a value is a pair whose second element is ``[text, score]``."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list):
        return False
    return len(value[1]) == 2 and isinstance(value[1][0], str)
