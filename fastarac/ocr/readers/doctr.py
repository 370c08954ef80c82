"""Read docTR's results: pages with blocks, blocks with lines, and lines with words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import Builder
from fastarac.ocr.readers._json import Node

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read(file: InputFile, root: Node) -> Words:
    """Read the output of docTR's `export()`; boxes are fractions of the page.

    The KIE predictor gives no lines, so each of its words becomes a line.
    """
    builder = Builder[Node](file, "doctr", str, "docTR")
    for page in root.items("pages"):
        builder.new_page((1.0, 1.0))
        predictions = page.at("predictions")
        for name in predictions.value if isinstance(predictions.value, dict) else ():
            for word in predictions.items(name):
                builder.new_line()
                box = word.box("geometry")
                builder.add(word.text("value"), word.number("confidence"), box, word)
        for block in page.items("blocks"):
            for line in block.items("lines"):
                builder.new_line()
                for word in line.items("words"):
                    box = word.box("geometry")
                    builder.add(word.text("value"), word.number("confidence"), box, word)
    return builder.finish()
