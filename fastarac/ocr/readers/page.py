"""PAGE XML: regions, lines and words in the order that the file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, NO_BOX, Box, Builder, upright
from fastarac.ocr.readers._files import OcrFileError, shown
from fastarac.ocr.readers._xml import children, elements, line_of, local_name, number, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._xml import Element
    from fastarac.ocr.words import Words

__all__ = ["read"]

LAST = float("inf")  # the order of what has none


def read(file: InputFile) -> Words:
    """Read a PAGE XML file.

    Regions come in the order of `ReadingOrder` where there is one, and those that it does not name
    after them; lines and words as they stand. Of several readings of a word, the one with the
    lowest index is taken.
    """
    reader = _Reader(file)
    for element in elements(file, ("Creator", "Page")):
        if local_name(element) == "Page":
            reader.add_page(element)
        elif element.text and element.text.strip():
            reader.builder.engine = " ".join(element.text.split())
    return reader.finish()


class _Reader:
    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.builder = Builder(file, "page", line_of)
        self.from_words = 0
        self.from_lines = 0
        self.from_regions = 0

    def add_page(self, page: Element) -> None:
        size = number(page, "imageWidth", self.file), number(page, "imageHeight", self.file)
        self.builder.new_page(size)
        for region in _in_order(page):
            self._add_region(region)

    def _add_region(self, region: Element) -> None:
        # A table or a text region may hold further regions; each line belongs to the innermost.
        lines = list(children(region, "TextLine"))
        for line in lines:
            self._add_line(line)
        inner = [child for child in region if local_name(child).endswith("Region")]
        for child in inner:
            self._add_region(child)
        if not lines and not inner:
            text, _ = self._reading(region)
            for row in text.splitlines():
                self.builder.new_line()
                self.from_regions += bool(row.strip())
                self.builder.add(row, NAN, self._box(region), region)

    def _add_line(self, line: Element) -> None:
        self.builder.new_line()
        readings = [(word, *self._reading(word)) for word in children(line, "Word")]
        if any(text.strip() for _, text, _ in readings):
            self.from_words += 1
            for word, text, confidence in readings:
                self.builder.add(text, confidence, self._box(word), word)
            return
        text, confidence = self._reading(line)
        self.from_lines += bool(text.strip())
        self.builder.add(text, confidence, self._box(line), line)

    def _reading(self, element: Element) -> tuple[str, float]:
        """Return the main text of an element and its confidence."""
        readings = list(children(element, "TextEquiv"))
        if not readings:
            return "", NAN
        main = min(readings, key=self._index)  # the first where indices are equal
        for name in ("Unicode", "PlainText"):
            for child in children(main, name):
                return text_of(child, self.file), number(main, "conf", self.file)
        return "", NAN

    def _index(self, reading: Element) -> float:
        index = number(reading, "index", self.file)
        return LAST if index != index else index

    def _box(self, element: Element) -> Box:
        for coords in children(element, "Coords"):
            written = coords.get("points")
            if written is None:  # before 2013
                return upright(
                    [
                        (number(point, "x", self.file), number(point, "y", self.file))
                        for point in children(coords, "Point")
                    ]
                )
            try:
                return upright([_point(pair) for pair in written.split()])
            except ValueError:
                problem = f"points is {shown(written)}; pairs such as 10,20 are expected"
                raise OcrFileError(self.file.path, problem, place=line_of(coords)) from None
        return NO_BOX

    def finish(self) -> Words:
        builder = self.builder
        if self.from_lines and not self.from_words:
            builder.unit = "line"
        elif not self.file.truth:
            builder.note(
                self.from_lines,
                "line has no words: its words have the confidence of the line",
                "lines have no words: their words have the confidence of the line",
            )
        if not self.file.truth:
            builder.note(
                self.from_regions,
                "line is of a region without lines, and has no confidence",
                "lines are of regions without lines, and have no confidence",
            )
        return builder.finish()


def _point(pair: str) -> tuple[float, float]:
    x, y = pair.split(",")
    return float(x), float(y)


def _in_order(page: Element) -> list[Element]:
    """Return the outermost regions of a page in reading order."""
    regions = [child for child in page if local_name(child).endswith("Region")]
    position: dict[str, int] = {}
    for order in children(page, "ReadingOrder"):
        for reference in _references(order):
            position.setdefault(reference, len(position))
    # A region inside another is read with that one, at the place of the earliest reference.
    return sorted(regions, key=lambda region: _earliest(region, position))


def _earliest(region: Element, position: dict[str, int]) -> float:
    own = position.get(region.get("id", ""), LAST)
    inside = (
        position.get(child.get("id", ""), LAST)
        for child in region.iterdescendants()
        if local_name(child).endswith("Region")
    )
    return min(own, *inside, LAST)


def _references(group: Element) -> Iterator[str]:
    """Yield the regions that a group refers to, in the order of their indices."""

    def index(element: Element) -> float:
        try:
            return float(element.get("index", ""))
        except ValueError:
            return LAST

    for child in sorted(group, key=index):
        reference = child.get("regionRef")
        if reference is not None:
            yield reference
        yield from _references(child)
