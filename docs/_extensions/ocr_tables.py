"""The tables of OCR formats, from the one in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

SCALES = {"percent": "0 to 100", "unit": "0 to 1"}


def confidences() -> str:
    """What each format gives as confidence."""
    rows = [("format", "confidence", "scale", "one for each")]
    rows += [(each.title, each.gives, SCALES[each.scale], each.unit) for each in FORMATS.values()]
    return _markdown(rows)


def options() -> str:
    """By what a format is told, and how an engine is made to write confidences."""
    rows = [("format", "`Words.source`", "recognized by", "how to get confidences")]
    rows += [(each.title, f"`{each.name}`", each.told_by, each.option) for each in FORMATS.values()]
    return _markdown(rows)


def tried() -> str:
    """With whose files each format is tested."""
    rows = [("format", "tested with"), *((each.title, each.tried) for each in FORMATS.values())]
    return _markdown(rows)


def _markdown(rows: list[tuple[str, ...]]) -> str:
    rule = ("---",) * len(rows[0])
    return "".join(f"| {' | '.join(row)} |\n" for row in (rows[0], rule, *rows[1:]))


MAKERS: dict[str, Callable[[], str]] = {
    "ocr_confidences.md": confidences,
    "ocr_options.md": options,
    "ocr_tried.md": tried,
}
