"""Read results of Surya: lines, and in newer versions words, with confidences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import Builder
from fastarac.ocr.readers._json import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words


def read(file: InputFile, root: Node) -> Words:
    """Read `results.json` (a mapping from image names to pages), a list of pages, or a single page."""
    builder = Builder[Node](file, "surya", str, "Surya")
    by_words = False
    for page in _pages(root):
        builder.new_page()
        for line in page.items("text_lines"):
            builder.new_line()
            words = [word for word in line.items("words") if word.has("text", "confidence")]
            by_words |= bool(words)
            for part in words or (line,):
                box = part.box("polygon") if part.has("polygon") else part.box("bbox")
                builder.add(part.text("text"), part.number("confidence"), box, part)
    if by_words:
        builder.unit = "word"
    return builder.finish()


def _pages(root: Node) -> Iterator[Node]:
    if isinstance(root.value, list):
        yield from root.items()
    elif is_page(root.value):
        yield root
    else:
        for name in root.value:
            yield from root.items(name)


def is_page(value: object) -> bool:
    """Return whether a value is a page of Surya."""
    return isinstance(value, dict) and isinstance(value.get("text_lines"), list)
