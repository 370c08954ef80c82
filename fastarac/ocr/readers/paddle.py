"""PaddleOCR: a confidence for each line of text, in the shapes of its versions 2 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Builder
from fastarac.ocr.readers._json import Node, each_page

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words import Words

__all__ = ["ends_in_reading", "read_2", "read_3"]


def read_3(file: InputFile, root: Node) -> Words:
    """Read what `save_to_json` of PaddleOCR 3 writes: texts, scores and boxes side by side."""
    builder = Builder[Node](file, "paddleocr", str, "PaddleOCR 3")
    for outer in each_page(root):
        page = outer.at("res") if outer.has("res") else outer
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
            elif len(boxes) == len(texts):  # left, top, right, bottom are two points, too
                box = boxes[i].polygon()
            builder.new_line()
            builder.add(text.value, scores[i].as_number() if scores else float("nan"), box, text)
    return builder.finish()


def read_2(file: InputFile, root: Node) -> Words:
    """Read the lists that PaddleOCR 2 returns: a page is a list of `[box, [text, score]]`."""
    builder = Builder[Node](file, "paddleocr", str, "PaddleOCR 2")
    pages = [root] if _is_line(root.items()[0]) else root.items()
    for page in pages:
        builder.new_page()
        if page.value is None:  # a page without text
            continue
        for line in page.items():
            if not _is_line(line):
                raise line.error("a line of PaddleOCR, [box, [text, score]],")
            box, reading = line.items()
            text, score = reading.items()
            builder.new_line()
            builder.add(str(text.value), score.as_number(), box.polygon(), line)
    return builder.finish()


def _is_line(node: Node) -> bool:
    return ends_in_reading(node.value) and isinstance(node.value[0], list)


def ends_in_reading(value: object) -> bool:
    """Return whether this is a pair that ends in ``[text, score]``."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list):
        return False
    return len(value[1]) == 2 and isinstance(value[1][0], str)
