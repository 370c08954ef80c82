"""Read results of RapidOCR, with confidences by line, by word or by character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Builder
from fastarac.ocr.readers._json import Node

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words

SHIFTED = (
    "from lines of words may have a wrong confidence: RapidOCR up to 3.10 gives the nth word of such a "
    "line the confidence of the line's nth character; keep result.to_json() instead"
)


def read(file: InputFile, root: Node) -> Words:
    """Read a result's `to_json()`: an object for each line, or null for a page without text."""
    builder = Builder[Node](file, "rapidocr", str, "RapidOCR")
    builder.new_page()
    for line in root.items() if root.value is not None else ():
        builder.new_line()
        builder.add(line.text("txt"), line.number("score"), line.box("box"), line)
    return builder.finish()


def read_words(file: InputFile, root: Node) -> Words:
    """Read a result's `word_results`: for each line, a list of parts `[text, score, box]`.

    The parts are words if the line has only Latin letters and digits; otherwise, they are characters.
    """
    builder = Builder[Node](file, "rapidocr", str, "RapidOCR")
    builder.unit = "word"
    builder.new_page()
    shifted = 0
    lines = root.items()
    if _is_part(lines[0].value):  # RapidOCR writes [["", 1.0, null]] for a page without text
        lines = (root,)
    for line in lines:
        builder.new_line()
        parts = line.items()
        texts = [_text_of(part) for part in parts]
        for part, text in zip(parts, texts, strict=True):
            _, score, box = part.items()
            builder.add(text, score.as_number(), NO_BOX if box.value is None else box.polygon(), part)
        if any(len(text) > 1 for text in texts):
            shifted += len(texts)
    builder.note(
        shifted,
        f"word {SHIFTED}",
        f"words {SHIFTED}",
    )
    return builder.finish()


def _text_of(part: Node) -> str:
    if not _is_part(part.value):
        raise part.error("a part of a line of RapidOCR, [text, score, box]")
    return part.value[0]  # type: ignore[no-any-return]


def begins_words(value: object) -> bool:
    """Return whether a value is a line of `word_results`, or the part that marks an empty page."""
    return _is_part(value) or (isinstance(value, list) and bool(value) and _is_part(value[0]))


def _is_part(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[0], str):
        return False
    return isinstance(value[1], int | float) and (value[2] is None or isinstance(value[2], list))
