"""Read results of EasyOCR, with a confidence for each box of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, Builder
from fastarac.ocr.readers._json import Node, parsed

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read(file: InputFile, root: Node) -> Words:
    """Read the output of `readtext`: lists, objects, or strings with objects in JSON."""
    builder = Builder[Node](file, "easyocr", str, "EasyOCR")
    builder.new_page()
    for output in root.items():
        builder.new_line()
        # `readtext(output_format="json")` returns each box as a JSON string.
        if isinstance(output.value, str):
            output.value = parsed(output.value, file.path, str(output))
        if isinstance(output.value, dict):
            box, confidence = output.box("boxes"), output.number("confident", "confidence")
            builder.add(output.text("text"), confidence, box, output)
            continue
        parts = output.items()
        if len(parts) not in (2, 3) or not isinstance(parts[1].value, str):
            raise output.error("a box of EasyOCR, [box, text, confidence]")
        # With `paragraph=True`, `readtext` omits the confidences.
        confidence = parts[2].as_number() if len(parts) == 3 else NAN
        builder.add(parts[1].value, confidence, parts[0].polygon(), output)
    return builder.finish()
