"""Typeset lines and pages: the position of each line of a text, and its image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont, features

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from bench.study.languages import Language

# A5 at 300 dots an inch
WIDTH, HEIGHT = 1748, 2480
MARGIN, GUTTER = 150, 80
SIZES = (38, 40, 42, 44)
TITLE = 1.35  # times the size of the text
INK, PAPER = 25, 250
NEVER_FIRST = "、，。！？」”)）%"
NEVER_LAST = "「“("
LAYOUTS = {"1col": 1, "2col": 2}

__all__ = ["LAYOUTS", "Line", "Page", "typeset"]


@dataclass(frozen=True)
class Line:
    """A line on the page.

    Attributes
    ----------
    text : str
        As it is printed, with the hyphen at its end.
    box : tuple of float
        Left, top, right, bottom, in pixels.
    region : int
        0 is the title, then come the columns.
    """

    text: str
    box: tuple[float, float, float, float]
    region: int


@dataclass(frozen=True)
class Page:
    """A page as it leaves the press.

    Attributes
    ----------
    image : PIL.Image.Image
        In shades of grey.
    lines : tuple of Line
        In reading order.
    face : str
        The name of the face.
    size : int
        The size of the letters, in pixels.
    """

    image: Image.Image
    lines: tuple[Line, ...]
    face: str
    size: int


def typeset(paragraphs: list[str], language: Language, layout: str, chance: random.Random) -> Page:
    """Set a title and paragraphs in one column or two, in a face and size by chance.

    Where the text does not fit on the page, a smaller size is taken, down to 7 points.

    Raises
    ------
    ValueError
        If the text does not fit on the page, or Pillow cannot set the language.
    """
    if language.right_to_left and not features.check("raqm"):
        raise ValueError(f"{language.code}: Pillow without raqm cannot set text from right to left")
    face = language.faces[int(chance.random() * len(language.faces))]
    size = SIZES[int(chance.random() * len(SIZES))]
    sheets = (
        _set(paragraphs, language, face, smaller, LAYOUTS[layout]) for smaller in range(size, 29, -2)
    )
    page = next((sheet for sheet in sheets if sheet), None)
    if page is None:
        raise ValueError(f"{sum(map(len, paragraphs))} characters do not fit on a page")
    return page


def _set(paragraphs: list[str], language: Language, face: str, size: int, columns: int) -> Page | None:
    """Return the page with letters of this size, if the text fits on it."""
    width = (WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) / columns
    title_font = ImageFont.truetype(face, round(TITLE * size), language.face_index)
    font = ImageFont.truetype(face, size, language.face_index)
    indent = "" if language.right_to_left else "  " if language.spaces else "　"
    texts = [line for each in paragraphs[1:] for line in _broken(indent + each, language, font, width)]
    titles = list(_broken(paragraphs[0], language, title_font, WIDTH - 2 * MARGIN, divide=False))
    top = MARGIN + len(titles) * 1.6 * title_font.size + size
    pitch = (1.75 if language.right_to_left else 1.5) * size
    each = -(-len(texts) // columns)
    if top + pitch * each > HEIGHT - MARGIN:
        return None
    image = Image.new("L", (WIDTH, HEIGHT), PAPER)
    press = _Press(ImageDraw.Draw(image), language)
    for i, text in enumerate(titles):
        y = MARGIN + i * 1.6 * title_font.size
        press.line(text, title_font, MARGIN, y, WIDTH - 2 * MARGIN, 0)
    for column in range(columns):
        place = columns - 1 - column if language.right_to_left else column
        x = MARGIN + place * (width + GUTTER)
        for i, text in enumerate(texts[column * each : (column + 1) * each]):
            press.line(text, font, x, top + i * pitch, width, column + 1)
    name = " ".join(part for part in font.getname() if part)
    return Page(image, tuple(press.lines), name, size)


class _Press:
    """Draws lines, and notes where they stand."""

    def __init__(self, draw: ImageDraw.ImageDraw, language: Language) -> None:
        self._draw = draw
        self._rtl = language.right_to_left
        self._more = {"direction": "rtl", "language": "ar"} if language.right_to_left else {}
        self.lines: list[Line] = []

    def line(
        self, text: str, font: ImageFont.FreeTypeFont, x: float, y: float, width: float, region: int
    ) -> None:
        shown = text.rstrip()
        anchor, x = ("ra", x + width) if self._rtl else ("la", x)
        self._draw.text((x, y), shown, font=font, fill=INK, anchor=anchor, **self._more)
        left, top, right, bottom = self._draw.textbbox(
            (x, y), shown, font=font, anchor=anchor, **self._more
        )
        self.lines.append(Line(shown.strip(), (left, top, right, bottom), region))


def _broken(
    text: str, language: Language, font: ImageFont.FreeTypeFont, width: float, *, divide: bool = True
) -> Iterator[str]:
    """Return the lines of a paragraph."""
    if not language.spaces:
        yield from _broken_anywhere(text, font, width)
        return
    parts = _dividing(language.hyphens) if divide and language.hyphens else _whole
    line = text[: len(text) - len(text.lstrip())]
    for word in text.split():
        glue = "" if not line.strip() else " "
        if font.getlength(f"{line}{glue}{word}") <= width:
            line = f"{line}{glue}{word}"
            continue
        rest = word
        for head, tail in parts(word):
            if font.getlength(f"{line}{glue}{head}-") <= width:
                line, rest = f"{line}{glue}{head}-", tail
                break
        yield line
        line = rest
    yield line


def _broken_anywhere(text: str, font: ImageFont.FreeTypeFont, width: float) -> Iterator[str]:
    line = ""
    for character in text:
        if line and font.getlength(line + character) > width and character not in NEVER_FIRST:
            kept = len(line.rstrip(NEVER_LAST))
            yield line[:kept]
            line = line[kept:]
        line += character
    yield line


def _whole(word: str) -> list[tuple[str, str]]:  # noqa: ARG001, words that are not divided
    return []


@cache
def _dividing(patterns: str) -> Callable[[str], list[tuple[str, str]]]:
    """Return what names the two parts of a word, the longest first part first."""
    import pyphen

    dictionary = pyphen.Pyphen(lang=patterns, left=2, right=3)

    def parts(word: str) -> list[tuple[str, str]]:
        letters = word.strip("„“”«»(),.?!")
        if not letters.isalpha():  # numbers, elisions
            return []
        start = word.index(letters)
        places = dictionary.positions(letters)
        return [(word[: start + i], word[start + i :]) for i in sorted(places, reverse=True)]

    return parts
