"""Read PAGE XML: regions, lines and words in the file's reading order."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from fastarac.ocr.readers._builder import NAN, NO_BOX, OF_LINE, Box, Builder, lowest, upright
from fastarac.ocr.readers._files import OcrFileError, shown
from fastarac.ocr.readers._levels import LineLevels, WordPart
from fastarac.ocr.readers._regions import is_region, names_of_region
from fastarac.ocr.readers._xml import (
    CONFIDENCE,
    children,
    elements,
    line_of,
    local_name,
    note_encoding,
    number,
    text_of,
)
from fastarac.ocr.words.folding import printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._xml import Element
    from fastarac.ocr.words.words import Words

Sorted = TypeVar("Sorted")

LAST = float("inf")  # sort key of elements without an index: after all others
DIGIT = re.compile(r"\d", re.ASCII)
ALIKE = 0.5  # minimum similarity of a corrected line to its earlier text
# Transkribus writes the reading order into the attribute `custom`, as `readingOrder {index:3;}`.
CUSTOM_ORDER = re.compile(r"readingOrder\s*\{\s*index\s*:\s*(\d{1,9})")


def read(file: InputFile) -> Words:
    """Read a PAGE XML file.

    Regions, also nested ones, are read in the order of the indices in `ReadingOrder`; missing regions
    come last. Table cells without a reading order are read row by row. Lines are sorted by index if all
    have one. Otherwise, they are in the order of the region's text. If this text has other lines, they
    are in the order of the file. Of several readings of a word, the one with the lowest index is taken.
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
        self.levels = LineLevels(file, self.builder)
        self.from_regions = 0
        self.reordered = 0
        self.by_lines = 0
        self.by_glyphs = 0
        self.blank_boxes = 0
        self.position: dict[str, int] = {}

    def add_page(self, page: Element) -> None:
        size = number(page, "imageWidth", self.file), number(page, "imageHeight", self.file)
        self.builder.new_page(size)
        self.position = {}
        for order in children(page, "ReadingOrder"):
            for reference in _references(order):
                self.position.setdefault(reference, len(self.position))
        for region in self._in_order(_regions(page)):
            self._add_region(region)

    def _in_order(self, regions: list[Element]) -> list[Element]:
        """Return sibling regions in reading order."""
        keys = [self._earliest(region) for region in regions]
        if all(key == LAST for key in keys):
            keys = _own_order(regions, _cell if _is_table(regions) else _index_of)
        return _sorted(regions, keys)

    def _earliest(self, region: Element) -> float:
        """Return the smallest reading position among a region and the regions nested in it."""
        if not self.position:
            return LAST
        own = self.position.get(region.get("id", ""), LAST)
        inside = (
            self.position.get(child.get("id", ""), LAST)
            for child in region.iterdescendants()
            if is_region(child)
        )
        return min(own, *inside, LAST)

    def _add_region(self, region: Element) -> None:
        if not self.file.ignored.isdisjoint(names_of_region(region)):
            return
        # Regions may be nested, and a line belongs to the innermost region that contains it.
        inner = _regions(region)
        lines = [self._levels_of(line) for line in children(region, "TextLine")]
        has_text = any(line.text.strip() or words for line, words in lines)
        text, confidence = self._reading(region)
        own = has_text or not inner  # otherwise, the text is in the nested regions
        if own and text.strip() and (self.file.level == "region" or not has_text):
            for row in text.splitlines():
                self.builder.new_line()
                self.from_regions += bool(row.strip())
                self.builder.add(row, confidence, self._box(region), region)
        else:
            for line, words in self._lines_in_order(lines, text):
                keys = _own_order([word.place for word in words], _index_of)
                self.levels.add(line, _sorted(words, keys), numbered=LAST not in keys)
        for child in self._in_order(inner):
            self._add_region(child)

    def _levels_of(self, line: Element) -> tuple[WordPart[Element], list[WordPart[Element]]]:
        own = self._part(line)
        words = [self._part(word) for word in children(line, "Word")]
        words = [self._by_glyphs(word) for word in words if word.text.strip()]
        if own.confidence == own.confidence and all(w.confidence != w.confidence for w in words):
            self.by_lines += len(words)
            words = [word._replace(confidence=own.confidence) for word in words]
        return own, words

    def _by_glyphs(self, word: WordPart[Element]) -> WordPart[Element]:
        """Give a word without a confidence the lowest confidence of its glyphs."""
        if self.file.truth or word.confidence == word.confidence:
            return word
        confidence = lowest(self._reading(glyph)[1] for glyph in children(word.place, "Glyph"))
        self.by_glyphs += confidence == confidence
        return word._replace(confidence=confidence)

    def _lines_in_order(
        self, lines: list[tuple[WordPart[Element], list[WordPart[Element]]]], text: str
    ) -> list[tuple[WordPart[Element], list[WordPart[Element]]]]:
        if len(lines) < 2:
            return lines
        keys = _own_order([line.place for line, _ in lines], _index_of)
        if keys[0] == LAST:
            keys = _places(
                [_letters(line.text or "".join(w.text for w in ws)) for line, ws in lines],
                [_letters(row) for row in text.splitlines()],
            )
            self.reordered += sum(b < a for a, b in pairwise(keys))
        return _sorted(lines, keys)

    def _part(self, element: Element) -> WordPart[Element]:
        text, confidence = self._reading(element)
        return WordPart(text, confidence, self._box(element), element)

    def _reading(self, element: Element) -> tuple[str, float]:
        """Return the text of an element's main reading, and its confidence."""
        readings = list(children(element, "TextEquiv"))
        if not readings:
            return "", NAN
        main = min(readings, key=self._index)  # in a tie, the first
        for name in ("Unicode", "PlainText"):
            for child in children(main, name):
                return text_of(child, self.file), number(main, "conf", self.file, CONFIDENCE)
        return "", NAN

    def _index(self, reading: Element) -> float:
        index = number(reading, "index", self.file)
        return LAST if index != index else index

    def _box(self, element: Element) -> Box:
        for coords in children(element, "Coords"):
            written = coords.get("points")
            if written is None:  # versions of PAGE before 2013 write Point elements
                return upright(
                    [
                        (number(point, "x", self.file), number(point, "y", self.file))
                        for point in children(coords, "Point")
                    ]
                )
            try:
                return upright([_point(pair) for pair in written.split()])
            except ValueError:
                if self.file.truth:  # coordinates are optional in a truth
                    return NO_BOX
                if DIGIT.search(written) is None:
                    self.blank_boxes += 1
                    return NO_BOX
                problem = f"points must be pairs such as 10,20, got {shown(written)}"
                raise OcrFileError(self.file.path, problem, place=line_of(coords)) from None
        return NO_BOX

    def finish(self) -> Words:
        builder, levels = self.builder, self.levels
        levels.finish()
        note_encoding(self.file, builder)
        of_regions = self.file.level == "region"
        if (levels.from_lines or of_regions) and not levels.from_words:
            builder.unit = "line"
        if not self.file.truth:
            if builder.unit == "word":
                builder.note(
                    levels.from_lines,
                    "line is not divided into words: each word of its text has the confidence of the "
                    "line",
                    "lines are not divided into words: each word has the confidence of its line",
                )
            if not of_regions:
                builder.note(
                    self.from_regions,
                    "line was made from a region without lines, with the region's confidence, if any",
                    "lines were made from regions without lines, with the region's confidence, if any",
                )
            builder.note(self.by_lines, *OF_LINE)
            builder.note(
                self.by_glyphs,
                "word has confidences for its glyphs only: the lowest is used",
                "words have confidences for their glyphs only: the lowest is used",
            )
            builder.note(
                self.blank_boxes,
                "element has blank coordinates and therefore no box",
                "elements have blank coordinates and therefore no boxes",
            )
        builder.note(
            self.reordered,
            "line comes after a line that follows it in the text of its region: the order of that text "
            "is used",
            "lines come after lines that follow them in the text of their region: the order of that "
            "text is used",
        )
        return builder.finish()


def _point(pair: str) -> tuple[float, float]:
    x, y = pair.split(",")
    return float(x), float(y)


def _regions(element: Element) -> list[Element]:
    return [child for child in element if is_region(child)]


def _is_table(regions: Sequence[Element]) -> bool:
    above = regions[0].getparent() if regions else None
    return above is not None and local_name(above) == "TableRegion"


def _sorted(items: Sequence[Sorted], keys: Sequence[float]) -> list[Sorted]:
    return [items[k] for k in sorted(range(len(items)), key=keys.__getitem__)]


def _own_order(elements: Sequence[Element], key: Callable[[Element], float]) -> list[float]:
    """Return the sort keys of the elements; if one element has none, all keys are LAST."""
    keys = list(map(key, elements))
    return [LAST] * len(keys) if LAST in keys else keys


def _index_of(element: Element) -> float:
    """Return the index that the file gives a region, line or word among its siblings, or LAST."""
    written = element.get("index")
    if written is None:
        found = CUSTOM_ORDER.search(element.get("custom", ""))
        written = found[1] if found else ""
    return float(written) if written.isascii() and written.isdigit() and len(written) < 10 else LAST


def _cell(element: Element) -> float:
    """Return a sort key for a table cell, by row and column; LAST if it has none."""
    for role in element.iter("{*}TableCellRole"):
        row, column = role.get("rowIndex", ""), role.get("columnIndex", "")
        break
    else:
        row, column = element.get("row", ""), element.get("col", "")
    if not all(each.isascii() and each.isdigit() and len(each) < 7 for each in (row, column)):
        return LAST
    return int(row) * 1e6 + int(column)


def _letters(text: str) -> str:
    return "".join(printed(text).split())


def _places(lines: list[str], rows: list[str]) -> list[float]:
    """Return each line's position in the region's text, or 0, 1, … if that text has other lines.

    Somebody may have corrected only the line or only the text. Therefore, up to half of the lines may
    differ from the text. Each of them is matched with the most similar remaining line of the text.
    """
    from rapidfuzz.distance import Indel

    rows = [row for row in rows if row]
    as_they_stand = list(map(float, range(len(lines))))
    if lines == rows or len(lines) != len(rows):
        return as_they_stand
    left: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        left.setdefault(row, []).append(place)
    places = [float(left[line].pop(0)) if left.get(line) else LAST for line in lines]
    corrected = [i for i, place in enumerate(places) if place == LAST]
    if 2 * len(corrected) > len(lines):
        return as_they_stand
    others = [place for each in left.values() for place in each]
    for i in corrected:
        likeness = [Indel.normalized_similarity(lines[i], rows[place]) for place in others]
        if max(likeness) < ALIKE:
            return as_they_stand
        places[i] = float(others.pop(likeness.index(max(likeness))))
    return places


def _references(group: Element) -> Iterator[str]:
    """Yield the regions to which a group and its subgroups refer, in the order of their indices."""

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
