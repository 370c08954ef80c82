"""Read hOCR: HTML whose classes mark pages, lines and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, NO_BOX, OF_LINE, Box, Builder
from fastarac.ocr.readers._files import InputFile, OcrFileError, shown
from fastarac.ocr.readers._levels import LineLevels, WordPart
from fastarac.ocr.readers._xml import elements, line_of, local_name, note_encoding, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._xml import Element
    from fastarac.ocr.words.words import Words

LINES = frozenset({"ocr_line", "ocrx_line", "ocr_caption", "ocr_header", "ocr_textfloat"})
WORDS = frozenset({"ocrx_word", "ocr_word"})
ALTERNATIVES = frozenset({"alternatives"})
CHARACTERS = frozenset({"ocrx_cinfo"})
PAGES = ("div", "body", "section", "article")
TAIL = 1 << 10  # number of bytes at the end of a file in which `</html>` must occur
OF_WORD = ("x_wconf", "x_conf")  # confidence of a whole word; `x_confs` has one for each character


def read(file: InputFile) -> Words:
    """Read an hOCR file in XHTML, the form that Tesseract writes, or in HTML."""
    try:
        return _read(file, as_html=False)
    except OcrFileError as error:
        # The HTML parser would silently complete a truncated file of XHTML.
        if "well-formed" not in error.problem or file.head.lstrip().startswith(b"<?xml"):
            raise
        if not _ends_as_html(file):
            raise
    return _read(file, as_html=True)


def _ends_as_html(file: InputFile) -> bool:
    with file.path.open("rb") as stream:
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - TAIL))
        return b"</html>" in stream.read().replace(b"\x00", b"").lower()


def _read(file: InputFile, *, as_html: bool) -> Words:
    builder = Builder(file, "hocr", line_of)
    levels = LineLevels(file, builder)
    confidences = _Confidences(file, builder)
    found = False
    for element in elements(file, ("meta", *PAGES), wanted=_is_wanted, as_html=as_html):
        if local_name(element) == "meta":
            builder.engine = element.get("content")
        else:
            found = True
            _add_page(levels, element, confidences)
    if not found:
        raise OcrFileError(
            file.path, "it is HTML without elements of class ocr_page, so it is not hOCR"
        )
    levels.finish()
    if not file.truth:
        confidences.finish()
    note_encoding(file, builder)
    return builder.finish()


def _is_wanted(element: Element) -> bool:
    return "ocr_page" in _classes(element) or element.get("name") == "ocr-system"


def _classes(element: Element) -> list[str]:
    return element.get("class", "").split()


def _add_page(levels: LineLevels[Element], page: Element, confidences: _Confidences) -> None:
    file, builder = levels.file, levels.builder
    _drop_alternatives(page)
    left, top, right, bottom = _box(builder, page, _properties(page))
    builder.new_page((right - left, bottom - top))
    above: Element | None = None
    line: Element | None = None
    lines: list[tuple[Element | None, list[WordPart[Element]]]] = []
    of_line = NAN
    last: Element | None = None
    for word in _of_classes(page, WORDS):
        if last is not None and any(outer is last for outer in word.iterancestors()):
            continue  # a nested element that repeats the last word
        last = word
        text = _word_text(word, file)
        if not text.strip():
            continue  # some engines write a space as a word
        parent = word.getparent()
        if parent is not above or not lines:
            above, before = parent, line
            line = _line_of(word)
            if line is not before or not lines:
                lines.append((line, []))
                of_line = confidences.of_line(line)
        properties = _properties(word)
        confidence = confidences.of_word(word, properties, of_line)
        box = _box(builder, word, properties)
        lines[-1][1].append(WordPart(text, confidence, box, word))
    if not lines:
        for line in _of_classes(page, LINES):
            builder.new_line()
            box = _box(builder, line, _properties(line))
            builder.add(text_of(line, file), confidences.of_line(line), box, line)
        return
    texts = [_line_text(line, words, file) for line, words in lines]
    spaced = any(len(text.split()) > 1 for text in texts)
    for text, (_, words) in zip(texts, lines, strict=True):
        own = text if spaced else ""  # a text without spaces does not show where words end
        levels.add(WordPart(own, NAN, NO_BOX, words[0].place), words)


def _line_text(line: Element | None, words: list[WordPart[Element]], file: InputFile) -> str:
    """Return the text of a line: its words and the text between them."""
    if line is None or LINES.isdisjoint(_classes(line)):
        return ""
    texts = dict.fromkeys(_of_classes(line, WORDS), "")  # leave out the words of nested lines
    texts.update((word.place, word.text.strip()) for word in words)
    return text_of(line, file, texts)


def _of_classes(above: Element, wanted: frozenset[str]) -> Iterator[Element]:
    for element in above.iterdescendants("*"):
        written = element.get("class")
        if written and (written in wanted or not wanted.isdisjoint(written.split())):
            yield element


def _line_of(word: Element) -> Element | None:
    """Return the line that contains a word, or the word's parent if there is no line."""
    for above in word.iterancestors():
        classes = _classes(above)
        if not LINES.isdisjoint(classes):
            return above
        if "ocr_page" in classes:
            break
    return word.getparent()


def _word_text(word: Element, file: InputFile) -> str:
    """Return the text of a word; each character may have its own element.

    With Tesseract's options `hocr_char_boxes` and `lstm_choice_mode`, the word also contains
    alternative characters, which have no boxes.
    """
    if not len(word):
        return word.text or ""
    characters = list(_of_classes(word, CHARACTERS))
    if not characters:
        return text_of(word, file)
    if own := (word.text or "").strip():
        return own
    return "".join(
        text_of(each, file).strip() for each in characters if "x_bboxes" in each.get("title", "")
    )


def _drop_alternatives(page: Element) -> None:
    """Remove rejected readings: each ``<del>``, and each ``<ins>`` except the first of alternatives."""
    for choice in _of_classes(page, ALTERNATIVES):
        choice.text = None  # drop the white space around the alternative readings
        for k, reading in enumerate(choice.findall("{*}ins")):
            reading.tail = None
            if k:
                choice.remove(reading)
    for lost in list(page.iter("{*}del")):
        above = lost.getparent()
        if above is None:
            continue
        tail = "" if ALTERNATIVES.intersection(_classes(above)) else lost.tail or ""
        before = lost.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            above.text = (above.text or "") + tail
        above.remove(lost)


def _properties(element: Element) -> dict[str, str]:
    """Parse the title of an element into names and values."""
    title = element.get("title", "")
    properties: dict[str, str] = {}
    for part in _parts_of(title) if '"' in title else title.split(";"):
        name, *rest = part.split(None, 1) or [""]
        value = rest[0].rstrip() if rest else ""
        if name == "bbox" and "," in value:  # old versions of kraken write a comma after the box
            value, _, after = value.partition(",")
            further, *rest = after.split(None, 1) or [""]
            properties[further] = rest[0] if rest else ""
        properties[name] = value
    return properties


def _parts_of(title: str) -> Iterator[str]:
    """Split a title at semicolons, except in quotes: quoted file names may contain semicolons."""
    part: list[str] = []
    for i, piece in enumerate(title.split('"')):
        if i % 2:
            part.append(f'"{piece}"')
            continue
        first, *others = piece.split(";")
        part.append(first)
        for each in others:
            yield "".join(part)
            part = [each]
    yield "".join(part)


class _Confidences:
    """Reads confidences in all the forms that engines write, and notes which form was used."""

    def __init__(self, file: InputFile, builder: Builder[Element]) -> None:
        self._truth = file.truth
        self._builder = builder
        self._of_lines = 0
        self._of_characters = 0

    def of_word(self, word: Element, properties: dict[str, str], of_line: float) -> float:
        """Return the confidence of a word.

        A word without a confidence gets the lowest confidence of its characters, or else that of its
        line.
        """
        found = self._of_whole(word, properties)
        if found == found:
            return found
        if written := properties.get("x_confs", "").split():
            self._of_characters += 1
            return min(self._number(word, "x_confs", each) for each in written)
        self._of_lines += of_line == of_line
        return of_line

    def of_line(self, line: Element | None) -> float:
        """Return a line's own confidence."""
        return NAN if line is None else self._of_whole(line, _properties(line))

    def _of_whole(self, element: Element, properties: dict[str, str]) -> float:
        for name in OF_WORD:
            if name in properties:
                return self._number(element, name, properties[name])
        return NAN

    def _number(self, element: Element, name: str, written: str) -> float:
        if self._truth:
            return NAN
        try:
            return float(written)
        except ValueError:
            problem = f"{name} must be a number from 0 to 100, got {shown(written)}"
            raise self._builder.error(problem, element) from None

    def finish(self) -> None:
        """Convert confidences from 0 to 1 into percents, and add notes on the confidences used.

        Confidences that are all at most 1 are probabilities, as kraken writes them. But if all are 0 or
        1 and no character has a confidence (`x_confs`), they stay: they may be Tesseract's 0% and 1%.
        """
        builder = self._builder
        written = builder.confidences
        known = written[written == written]
        if len(known) and known.max() <= 1.0 and (self._of_characters or (known % 1.0).any()):
            written *= 100.0
            builder.note(
                1,
                "file has confidences from 0 to 1: they are read as 0 to 100%",
                "files have confidences from 0 to 1: they are read as 0 to 100%",
            )
        builder.note(
            self._of_characters,
            "word has confidences for its characters only (x_confs): the lowest is used",
            "words have confidences for their characters only (x_confs): the lowest is used",
        )
        builder.note(self._of_lines, *OF_LINE)


def _box(builder: Builder[Element], element: Element, properties: dict[str, str]) -> Box:
    written = properties.get("bbox")
    if written is None:
        return NO_BOX
    try:
        left, top, right, bottom = map(float, written.split())
    except ValueError:
        raise builder.error(f"bbox must be four numbers, got {shown(written)}", element) from None
    return left, top, right, bottom
