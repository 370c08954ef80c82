"""Read ALTO, versions 1 to 4: the XML format that libraries use, with a `String` for each word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, READ_WHOLE, Box, Builder, lowest
from fastarac.ocr.readers._files import encoding_of, open_file
from fastarac.ocr.readers._levels import LineLevels, WordPart, is_punctuation, joined
from fastarac.ocr.readers._regions import names_of_block
from fastarac.ocr.readers._xml import CONFIDENCE, elements, line_of, local_name, note_encoding, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._xml import Element
    from fastarac.ocr.words.words import Words

    _Spaced = tuple[WordPart[Element], bool]  # a part of a word, and whether a space precedes it

# The last version of Tesseract (major, minor) that writes "0." before a percentage, so that 0.6 means
# 6%.
LAST_WITH_DIGITS = (5, 5)
KINDS = ("softwareName", "softwareVersion", "Tags", "ReadingOrder", "Page")
LAST = float("inf")  # sort key of lines missing from the reading order: after all others
MOST_SOFTWARE = 100  # maximum number of software names and versions that are kept
TESSERACT = re.compile(r"tesseract\D*(\d+)\.(\d+)", re.IGNORECASE)
SOFTWARE = re.compile(r"<(?:\w+:)?software(?:Name|Version)>([^<]*)<")
WORD_CONFIDENCE = re.compile(r"""\sWC\s*=\s*["']([^"']+)["']""")
CHUNK = 1 << 20
DIGITS = re.compile(r"0\.(100|0|[1-9]\d?)")
FEW_LOW = 0.1  # maximum plausible share of words with confidences below 10%
HYPHENS = "-\u00ad\u00ac\u2010\u2e17"  # "-", soft hyphen, not sign, hyphen, oblique hyphen


def read(file: InputFile) -> Words:
    """Read an ALTO file.

    A word divided at a line end has two strings, each possibly with the whole word (`SUBS_CONTENT`).
    The option `hyphenated` decides whether they are read as one word or as two.
    """
    pages = _Pages(file)
    for element in elements(file, KINDS):
        if local_name(element) == "Page":
            pages.add(element)
        elif local_name(element) == "Tags":
            pages.labels |= {tag.get("ID", ""): tag.get("LABEL", "").lower() for tag in element}
        elif local_name(element) == "ReadingOrder":
            pages.add_order(element)
        else:
            pages.add_software(element.text)
    return pages.finish()


def wrote_digits(paths: Iterable[Path]) -> bool | None:
    """Return whether the files of one OCR run write 6% as ``0.6``, without a zero before the digit.

    The result is None if the first file is not from Tesseract up to 5.5.

    Tesseract up to 5.5 writes 6% as ``0.6``, 60% as ``0.60`` and 100% as ``0.100``, but some builds
    write correct numbers. A single ``0.60`` proves the fault, and a single ``0.06`` or ``1.0`` proves a
    correct build. Otherwise, many values with one digit indicate a correct build, because confidences
    below 10% are rare.
    """
    n = low = 0
    for path in paths:
        file = open_file(path)
        text = file.head.decode(encoding_of(file.head), errors="ignore")
        software = TESSERACT.search(" ".join(SOFTWARE.findall(text)))
        if software is None or (float(software[1]), float(software[2])) > LAST_WITH_DIGITS:
            return False if n else None
        for written in _confidences_in(file):
            match = DIGITS.fullmatch(written)
            if match is None:
                return False
            if match[1] != "0" and match[1].endswith("0"):
                return True
            n += 1
            low += len(match[1]) == 1
    return low <= max(2, FEW_LOW * n)


def _confidences_in(file: InputFile) -> Iterator[str]:
    """Yield the confidences of strings as they are written, without parsing the XML."""
    before = ""
    with file.path.open(encoding=encoding_of(file.head), errors="ignore") as stream:
        while chunk := stream.read(CHUNK):
            # Cut the text only where a tag begins, so that no attribute is divided between two chunks.
            *whole, rest = (before + chunk).rpartition("<")
            yield from WORD_CONFIDENCE.findall("".join(whole))
            before = rest
    yield from WORD_CONFIDENCE.findall(before)


class _Pages:
    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.builder = Builder(file, "alto", line_of)
        self.levels = LineLevels(file, self.builder)
        self.position: dict[str, int] = {}
        self.software: list[str] = []
        self.labels: dict[str, str] = {}  # the label of each tag, by the ID of the tag
        self.hyphenated = 0
        self.halves = 0
        self.repaired = 0
        self._digits = bool(wrote_digits([file.path]) if file.digits is None else file.digits)

    def add_software(self, name: str | None) -> None:
        if name and name.strip() and len(self.software) < MOST_SOFTWARE:
            self.software.append(" ".join(name.split()))

    def add_order(self, order: Element) -> None:
        """Store the reading order, whose groups may be nested."""
        for reference in order.iter("{*}ElementRef"):
            self.position.setdefault(reference.get("REF", ""), len(self.position))

    def add(self, page: Element) -> None:
        size = number(page, "WIDTH", self.file), number(page, "HEIGHT", self.file)
        self.builder.new_page(size)
        lines = [list(line) for line in self._in_order(page)]
        spaced = any(local_name(element) == "SP" for line in lines for element in line)
        strings = [
            (i, element, _hyphen_after(line, k), not spaced or _follows_space(line, k))
            for i, line in enumerate(lines)
            for k, element in enumerate(line)
            if local_name(element) == "String"
        ]
        found: list[list[_Spaced]] = [[] for _ in lines]
        k = 0
        while k < len(strings):
            i, element, hyphen, space = strings[k]
            k += 1
            kind = element.get("SUBS_TYPE", "")
            if kind == "HypPart1" and self.file.hyphenated == "whole":
                second = strings[k][1] if k < len(strings) else None
                if second is not None and _are_one_word(element, second):
                    found[i].append((self._whole(element, second), space))
                    k += 1
                    continue
            if kind.startswith("HypPart"):
                self.halves += 1
            text = _hyphenated(element.get("CONTENT", ""), hyphen)
            confidence = self._confidence(element)
            found[i].append((WordPart(text, confidence, self._box(element), element), space))
        for line in found:
            self.builder.new_line()
            for part in self._words(line):
                self.levels.add_part(part)

    def _in_order(self, page: Element) -> list[Element]:
        """Return the lines of a page, in the reading order that the file gives for lines or blocks."""
        lines = [line for line in page.iter("{*}TextLine") if not self._is_ignored(line)]
        if not self.position:
            return lines

        def place(line: Element) -> float:
            for element in (line, *line.iterancestors()):
                if (found := self.position.get(element.get("ID", ""))) is not None:
                    return found
            return LAST

        return sorted(lines, key=place)

    def _is_ignored(self, line: Element) -> bool:
        return bool(self.file.ignored) and any(
            not self.file.ignored.isdisjoint(names_of_block(block, self.labels))
            for block in line.iterancestors()
            if local_name(block).endswith("Block")
        )

    def _words(self, line: list[_Spaced]) -> list[WordPart[Element]]:
        """Return the words of a line; strings without a space between them may form one word."""
        words: list[list[WordPart[Element]]] = []
        for part, space in line:
            if not part.text.strip():
                continue
            if words and not space and self._belong_together(words[-1][-1], part):
                words[-1].append(part)
                self.levels.put_together += 1
            else:
                words.append([part])
        return [joined("".join(part.text for part in word), word) for word in words]

    def _belong_together(self, before: WordPart[Element], part: WordPart[Element]) -> bool:
        """Return whether two strings without a space between them are one word.

        Level "auto" joins only punctuation marks, because some software leaves out the spaces between
        words.
        """
        if self.file.level == "auto":
            return is_punctuation(before.text) or is_punctuation(part.text)
        return self.file.level != "word"

    def _whole(self, first: Element, second: Element) -> WordPart[Element]:
        whole = first.get("SUBS_CONTENT") or second.get("SUBS_CONTENT")
        text = whole or first.get("CONTENT", "").rstrip(HYPHENS) + second.get("CONTENT", "")
        confidence = lowest(map(self._confidence, (first, second)))
        self.hyphenated += 1
        return WordPart(text, confidence, self._box(first), first)

    def _confidence(self, element: Element) -> float:
        written = element.get("WC")
        if self.file.truth or not written:
            return NAN
        if self._digits and (match := DIGITS.fullmatch(written)):
            percent = int(match[1])
            self.repaired += float(written) != percent / 100
            return percent / 100
        return number(element, "WC", self.file, CONFIDENCE)

    def _box(self, element: Element) -> Box:
        left, top = number(element, "HPOS", self.file), number(element, "VPOS", self.file)
        width, height = number(element, "WIDTH", self.file), number(element, "HEIGHT", self.file)
        return left, top, left + width, top + height

    def finish(self) -> Words:
        builder = self.builder
        self.levels.finish()
        note_encoding(self.file, builder)
        builder.engine = " ".join(self.software) or None
        why = "Tesseract up to 5.5 writes 6% as 0.6 in ALTO, and 100% as 0.100"
        builder.note(
            self.repaired, f"confidence was repaired: {why}", f"confidences were repaired: {why}"
        )
        if not self.file.truth:
            builder.note(self.hyphenated, *READ_WHOLE)
        if self.file.hyphenated == "whole":
            builder.note(
                self.halves,
                "part of a divided word has no other part",
                "parts of divided words have no other part",
            )
        return builder.finish()


def _follows_space(line: list[Element], k: int) -> bool:
    return k == 0 or local_name(line[k - 1]) != "String"


def _are_one_word(first: Element, second: Element) -> bool:
    """Return whether two strings are the two parts of one divided word.

    If not, the second string belongs to another divided word, for example around a picture.
    """
    if second.get("SUBS_TYPE") != "HypPart2":
        return False
    a, b = first.get("SUBS_CONTENT"), second.get("SUBS_CONTENT")
    return not a or not b or a == b


def _hyphenated(text: str, hyphen: str) -> str:
    """Append the hyphen that follows a text, unless the text already ends with it."""
    has_it = text.endswith(hyphen) or (text[-1:] in HYPHENS and hyphen in HYPHENS)
    return text if text and has_it else text + hyphen


def _hyphen_after(line: list[Element], k: int) -> str:
    """Return the text of the hyphen element after this string, or an empty string."""
    after = line[k + 1] if k + 1 < len(line) else None
    if after is None or local_name(after) != "HYP":
        return ""
    return after.get("CONTENT", "")
