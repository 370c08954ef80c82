"""hOCR: HTML whose classes say what is a page, a line and a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, NO_BOX, Box, Builder
from fastarac.ocr.readers._files import InputFile, OcrFileError, shown
from fastarac.ocr.readers._levels import LineLevels, WordPart
from fastarac.ocr.readers._xml import elements, line_of, local_name, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._xml import Element
    from fastarac.ocr.words import Words

__all__ = ["read"]

LINES = frozenset({"ocr_line", "ocrx_line", "ocr_caption", "ocr_header", "ocr_textfloat"})
WORDS = frozenset({"ocrx_word"})
CHARACTERS = frozenset({"ocrx_cinfo"})
PAGES = ("div", "body", "section", "article")
TAIL = 1 << 10


def read(file: InputFile) -> Words:
    """Read an hOCR file: XHTML, as Tesseract writes it, or HTML."""
    try:
        return _read(file, as_html=False)
    except OcrFileError as error:
        # HTML that declares itself XML is held to that: its parser would fill what is cut off.
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
    found = False
    for element in elements(file, ("meta", *PAGES), wanted=_is_wanted, as_html=as_html):
        if local_name(element) == "meta":
            builder.engine = element.get("content")
        else:
            found = True
            _add_page(file, builder, levels, element)
    if not found:
        raise OcrFileError(file.path, "it is HTML without elements of class ocr_page; hOCR has them")
    levels.finish()
    return builder.finish()


def _is_wanted(element: Element) -> bool:
    return "ocr_page" in _classes(element) or element.get("name") == "ocr-system"


def _classes(element: Element) -> list[str]:
    return element.get("class", "").split()


def _add_page(
    file: InputFile, builder: Builder[Element], levels: LineLevels[Element], page: Element
) -> None:
    left, top, right, bottom = _box(builder, page, _properties(page))
    builder.new_page((right - left, bottom - top))
    above: Element | None = None
    line: Element | None = None
    lines: list[tuple[Element | None, list[WordPart[Element]]]] = []
    for word in _of_classes(page, WORDS):
        parent = word.getparent()
        if parent is not above or not lines:
            above, before = parent, line
            line = _line_of(word)
            if line is not before or not lines:
                lines.append((line, []))
        properties = _properties(word)
        confidence = NAN if file.truth else _confidence(builder, word, properties)
        box = _box(builder, word, properties)
        lines[-1][1].append(WordPart(_word_text(word, file), confidence, box, word))
    if not lines:
        for line in _of_classes(page, LINES):
            builder.new_line()
            builder.add(text_of(line, file), NAN, _box(builder, line, _properties(line)), line)
        return
    texts = [_line_text(line, words, file) for line, words in lines]
    spaced = any(len(text.split()) > 1 for text in texts)
    for text, (_, words) in zip(texts, lines, strict=True):
        own = text if spaced else ""  # in some files no space stands between words
        levels.add(WordPart(own, NAN, NO_BOX, words[0].place), words)


def _line_text(line: Element | None, words: list[WordPart[Element]], file: InputFile) -> str:
    """Return the text of a line: of its words, and of what stands between them."""
    if line is None or LINES.isdisjoint(_classes(line)):
        return ""
    texts = dict.fromkeys(_of_classes(line, WORDS), "")  # also of a line inside this one
    texts.update((word.place, word.text.strip()) for word in words)
    return text_of(line, file, texts)


def _of_classes(above: Element, wanted: frozenset[str]) -> Iterator[Element]:
    for element in above.iterdescendants("*"):
        written = element.get("class")
        if written and (written in wanted or not wanted.isdisjoint(written.split())):
            yield element


def _line_of(word: Element) -> Element | None:
    """Return the line that a word is in; what encloses it, where it is in none."""
    for above in word.iterancestors():
        classes = _classes(above)
        if not LINES.isdisjoint(classes):
            return above
        if "ocr_page" in classes:
            break
    return word.getparent()


def _word_text(word: Element, file: InputFile) -> str:
    """Return the text of a word, which may stand as one element for each character.

    These come with alternatives (`hocr_char_boxes` and `lstm_choice_mode` of Tesseract): only the
    characters that have a box are what was read.
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


def _properties(element: Element) -> dict[str, str]:
    """Return what the title of an element says: names, and what follows each."""
    title = element.get("title", "")
    properties = {}
    for part in _parts_of(title) if '"' in title else title.split(";"):
        name, *rest = part.split(None, 1) or [""]
        properties[name] = rest[0].rstrip() if rest else ""
    return properties


def _parts_of(title: str) -> Iterator[str]:
    """Yield what semicolons part, but for those in quotes: files are named so, with anything in it."""
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


def _confidence(builder: Builder[Element], word: Element, properties: dict[str, str]) -> float:
    written = properties.get("x_wconf")
    if written is None:
        return NAN
    try:
        return float(written)
    except ValueError:
        raise builder.error(f"x_wconf is {shown(written)}; a number is expected", word) from None


def _box(builder: Builder[Element], element: Element, properties: dict[str, str]) -> Box:
    written = properties.get("bbox")
    if written is None:
        return NO_BOX
    try:
        left, top, right, bottom = map(float, written.split())
    except ValueError:
        raise builder.error(f"bbox is {shown(written)}; four numbers are expected", element) from None
    return left, top, right, bottom
