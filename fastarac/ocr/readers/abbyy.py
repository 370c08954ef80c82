"""Read ABBYY FineReader's XML, with a confidence or a mark of doubt for each character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, NO_BOX, Box, Builder
from fastarac.ocr.readers._xml import children, elements, line_of, note_encoding, number, text_of

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._xml import Element
    from fastarac.ocr.words.words import Words

NAMESPACE = "http://www.abbyy.com/FineReader_xml"
TRUE = ("1", "true")
SURE, DOUBTFUL = 100.0, 0.0


def read(file: InputFile) -> Words:
    """Read the characters of each line and divide them into words at white space.

    A word has the lowest confidence of its characters. Without confidences, a word with a character
    marked as doubtful gets 0, and any other word 100.
    """
    builder = Builder(file, "abbyy-xml", line_of)
    reader = _Characters(file, builder)
    for page in elements(file, ("page",)):
        builder.new_page((number(page, "width", file), number(page, "height", file)))
        for line in page.iter("{*}line"):
            builder.new_line()
            reader.add_line(line)
    reader.finish()
    note_encoding(file, builder)
    return builder.finish()


def _letter(character: Element) -> str:
    """Return the recognized character, without the alternatives nested in its element."""
    return "".join([character.text or "", *(child.tail or "" for child in character)])


class _Characters:
    def __init__(self, file: InputFile, builder: Builder[Element]) -> None:
        self.file = file
        self.builder = builder
        self.doubtful: list[bool] = []

    def add_line(self, line: Element) -> None:
        word: list[Element] = []
        for character in line.iter("{*}charParams"):
            if _letter(character).strip():
                word.append(character)
            else:
                self._add(word)
                word = []
        self._add(word)
        if line.find(".//{*}charParams") is None:  # the file does not list the characters of the line
            for formatting in children(line, "formatting"):
                before = len(self.builder)
                self.builder.add(text_of(formatting, self.file), NAN, NO_BOX, formatting)
                self.doubtful += [False] * (len(self.builder) - before)

    def _add(self, word: list[Element]) -> None:
        if not word:
            return
        known = [number(each, "charConfidence", self.file) for each in word]
        # ABBYY writes -1 or 255 if it has no confidence.
        known = [each for each in known if 0 <= each <= SURE]
        text = "".join(_letter(each).strip() for each in word)
        before = len(self.builder)
        confidence = min(known) if len(known) == len(word) else NAN
        self.builder.add(text, confidence, self._box(word), word[0])
        marked = any(each.get("suspicious", "") in TRUE for each in word)
        self.doubtful += [marked] * (len(self.builder) - before)

    def _box(self, word: list[Element]) -> Box:
        left, top, right, bottom = ([number(each, name, self.file) for each in word] for name in "ltrb")
        return min(left), min(top), max(right), max(bottom)

    def finish(self) -> None:
        confidences = self.builder.confidences
        if self.file.truth or not any(self.doubtful) or (confidences == confidences).any():
            return
        confidences[:] = [DOUBTFUL if marked else SURE for marked in self.doubtful]
        self.builder.note(
            1,
            "file marks doubtful characters but has no confidences: a word with a mark gets 0, "
            "any other 100",
            "files mark doubtful characters but have no confidences: a word with a mark gets 0, "
            "any other 100",
        )
