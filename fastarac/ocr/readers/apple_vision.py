"""Read results of Apple Vision, with a confidence of 0.3, 0.5 or 1 for each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Box, Builder
from fastarac.ocr.readers._json import Node

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read(file: InputFile, root: Node) -> Words:
    """Read `observations`, the output of command-line tools that call Vision."""
    builder = Builder[Node](file, "apple-vision", str, "Apple Vision")
    builder.new_page((1.0, 1.0))
    for line in root.items("observations"):
        builder.new_line()
        box = _box(line.at("bbox").value)
        builder.add(line.text("text"), line.number("confidence"), box, line)
    return builder.finish()


def read_list(file: InputFile, root: Node) -> Words:
    """Read the lists of ocrmac, ``[text, confidence, [x, y, width, height]]``."""
    builder = Builder[Node](file, "apple-vision", str, "Apple Vision (ocrmac)")
    builder.new_page((1.0, 1.0))
    for line in root.items():
        if not is_line(line.value):
            raise line.error("a line of ocrmac, [text, confidence, [x, y, width, height]]")
        text, confidence, box = line.items()
        builder.new_line()
        builder.add(text.value, confidence.as_number(), _box(box.value), line)
    return builder.finish()


def is_line(value: object) -> bool:
    """Return whether a value is a line in the form of ocrmac."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and isinstance(value[0], str)
        and isinstance(value[1], float | int)
        and _is_box(value[2])
    )


def _is_box(value: object) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(type(x) in (int, float) for x in value)


def _box(value: object) -> Box:
    """Convert a box with coordinates from the bottom of the page to coordinates from the top."""
    if not isinstance(value, list) or not _is_box(value):
        return NO_BOX
    left, bottom, width, height = map(float, value)
    return left, 1 - bottom - height, left + width, 1 - bottom
