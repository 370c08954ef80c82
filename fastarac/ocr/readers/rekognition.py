"""Read results of Amazon Rekognition: lines and words in a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import Builder
from fastarac.ocr.readers._json import Node
from fastarac.ocr.readers.textract import box_of

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read(file: InputFile, root: Node) -> Words:
    """Read the response of `DetectText`: the words of each line, or the lines if there are no words."""
    engine = f"Amazon Rekognition {root.text('TextModelVersion')}".strip()
    builder = Builder[Node](file, "rekognition", str, engine)
    builder.new_page((1.0, 1.0))
    found = root.items("TextDetections")
    words = [each for each in found if each.text("Type") == "WORD"]
    if not words:
        builder.unit = "line"
    line_before: object = None
    for word in words or found:
        line = word.at("ParentId").value
        if line != line_before or line is None:
            builder.new_line()
        line_before = line
        builder.add(word.text("DetectedText"), word.number("Confidence"), box_of(word), word)
    return builder.finish()
