"""Read results of Google Cloud Vision and Document AI: join parts of words up to the next break."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, READ_WHOLE, Box, Builder, around, lowest
from fastarac.ocr.readers._files import OcrFileError
from fastarac.ocr.readers._json import Node, each_page
from fastarac.ocr.readers._levels import WordPart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words

SPACE, LINE_END, HYPHEN = "space", "line end", "hyphen"

# Vision's types of breaks after a character. Some of Google's libraries write the number of a type in
# place of its name.
BREAKS: dict[object, str] = {
    "SPACE": SPACE,
    "SURE_SPACE": SPACE,
    "EOL_SURE_SPACE": LINE_END,
    "HYPHEN": HYPHEN,
    "LINE_BREAK": LINE_END,
    1: SPACE,
    2: SPACE,
    3: LINE_END,
    4: HYPHEN,
    5: LINE_END,
}
NO_BREAKS = frozenset({"UNKNOWN", "TYPE_UNSPECIFIED", 0})


class _Joiner:
    """Joins adjacent parts into a word, which gets the lowest confidence of its parts."""

    def __init__(self, file: InputFile, builder: Builder[Node]) -> None:
        self._whole = file.hyphenated == "whole"
        self._builder = builder
        self._parts: list[WordPart[Node]] = []
        self._first_parts = 0  # if a line end divides the word: its number of parts on the first line
        self.joined = 0
        self.hyphenated = 0

    def part(self, text: str, confidence: float, box: Box, place: Node) -> None:
        """Add a part to the current word, or begin a word with it."""
        self._parts.append(WordPart(text, confidence, box, place))

    def end(self, kind: str) -> None:
        """End the word at a space or a line end, or store that a hyphen divides it at a line end."""
        parts, first = self._parts, self._first_parts
        if kind == HYPHEN and self._whole and parts:
            self._first_parts = first or len(parts)
            return
        if parts:
            is_whole = first < len(parts)
            text = "".join(part.text for part in parts)
            # Keep the hyphen if the caller wants both parts as words, or if the second part is missing.
            if kind == HYPHEN or not is_whole:
                text += "-"
            self.hyphenated += bool(first) and is_whole
            self.joined += not first and len(parts) > 1
            box = around(part.box for part in parts[: first or None])
            self._builder.add(text, lowest(part.confidence for part in parts), box, parts[0].place)
        if kind != SPACE or first:
            self._builder.new_line()
        self._parts, self._first_parts = [], 0

    def note(self) -> None:
        """Add notes on the words joined from parts."""
        self._builder.note(
            self.joined,
            "word is joined from parts without a break between them, with their lowest confidence",
            "words are joined from parts without a break between them, with their lowest confidence",
        )
        self._builder.note(self.hyphenated, *READ_WHOLE)


def read_vision(file: InputFile, root: Node) -> Words:
    """Read responses of Cloud Vision, each for one image or for some pages of a document."""
    builder = Builder[Node](file, "google-vision", str, "Google Cloud Vision")
    joiner = _Joiner(file, builder)
    for response in _responses(root):
        if response.has("error"):
            message = response.at("error").text("message") or "no reason given"
            problem = f"the service answered with an error: {message}"
            raise OcrFileError(file.path, problem, place=str(response.at("error")))
        annotation = response.at("fullTextAnnotation", "full_text_annotation")
        if annotation.value is None:
            if response.items("textAnnotations", "text_annotations"):
                raise response.error("`fullTextAnnotation` (which DOCUMENT_TEXT_DETECTION gives)")
            builder.new_page()  # an image without text becomes an empty page
            continue
        n_before = len(builder)
        for page in annotation.items("pages"):
            _add_vision_page(builder, joiner, page)
        if len(builder) == n_before and annotation.text("text").strip():
            raise annotation.error("`pages` with their words, not only `text`")
    joiner.note()
    return builder.finish()


def _responses(root: Node) -> Iterator[Node]:
    for part in each_page(root):
        if part.has("responses"):
            yield from part.items("responses")
        else:
            yield part


def _add_vision_page(builder: Builder[Node], joiner: _Joiner, page: Node) -> None:
    size = page.number("width"), page.number("height")
    is_fraction: bool | None = None
    builder.new_page()
    for block in page.items("blocks"):
        for paragraph in block.items("paragraphs"):
            for word in paragraph.items("words"):
                box, normalized = _vision_box(word)
                if is_fraction is None and box is not NO_BOX:
                    is_fraction = normalized
                    builder.set_size((1.0, 1.0) if normalized else size)
                _add_vision_word(joiner, word, box)
            joiner.end(LINE_END)


def _add_vision_word(joiner: _Joiner, word: Node, box: Box) -> None:
    confidence = word.number("confidence")
    text: list[str] = []
    for symbol in word.items("symbols"):
        kind, before = _vision_break(symbol)
        if kind and before:
            if text:
                joiner.part("".join(text), confidence, box, word)
                text = []
            joiner.end(kind)
        text.append(symbol.text("text"))
        if kind and not before:
            joiner.part("".join(text), confidence, box, word)
            text = []
            joiner.end(kind)
    if text:
        joiner.part("".join(text), confidence, box, word)


def _vision_break(symbol: Node) -> tuple[str | None, bool]:
    """Return the kind of break at a symbol (None for no break), and whether it precedes the symbol."""
    found = symbol.at("property")
    if not found.has("detectedBreak") and not found.has("detected_break"):
        return None, False
    found = found.at("detectedBreak", "detected_break")
    kind = found.at("type", "type_")
    known = isinstance(kind.value, str | int)
    if kind.value is None or (known and kind.value in NO_BREAKS):
        return None, False
    if not known or kind.value not in BREAKS:
        raise kind.error(f"one of {', '.join(str(name) for name in BREAKS)}")
    return BREAKS[kind.value], found.at("isPrefix", "is_prefix").value is True


def _vision_box(word: Node) -> tuple[Box, bool]:
    box = word.at("boundingBox", "bounding_box")
    if box.value is not None:
        if box.items("vertices"):
            return box.at("vertices").polygon(), False
        if box.items("normalizedVertices", "normalized_vertices"):
            return box.at("normalizedVertices", "normalized_vertices").polygon(), True
    return NO_BOX, False


def read_document_ai(file: InputFile, root: Node) -> Words:
    """Read a document of Document AI, whose tokens refer to its text by character indices.

    Words end at white space between tokens, and at the breaks that tokens declare.
    """
    document = root.at("document") if root.has("document") else root
    if document.has("error") and document.at("error").has("message"):
        problem = f"the service answered with an error: {document.at('error').text('message')}"
        raise OcrFileError(file.path, problem, place=str(document.at("error")))
    builder = Builder[Node](file, "google-document-ai", str, "Google Document AI")
    text = document.text("text")
    joiner = _Joiner(file, builder)
    for page in document.items("pages"):
        builder.new_page((1.0, 1.0))
        line_starts = sorted(
            begin for line in page.items("lines") for begin, _ in _segments(line, text)[:1]
        )
        _add_tokens(joiner, page, text, line_starts)
        joiner.end(LINE_END)
    if not len(builder) and text.strip():
        problem = (
            "there is text, but no page has tokens; ask for both: the field mask must include `text` "
            "and `pages.tokens`"
        )
        raise OcrFileError(file.path, problem, place=str(document.at("pages")))
    joiner.note()
    return builder.finish()


def _add_tokens(joiner: _Joiner, page: Node, text: str, line_starts: list[int]) -> None:
    end_before, line_before = -1, -1
    for token in page.items("tokens"):
        segments = _segments(token, text)
        if not segments:
            continue
        line = bisect_right(line_starts, segments[0][0])
        if end_before >= 0 and line != line_before:
            joiner.end(LINE_END)
        elif end_before >= 0 and segments[0][0] != end_before:
            joiner.end(SPACE)
        end_before, line_before = segments[-1][1], line
        written = "".join(text[begin:end] for begin, end in segments)
        confidence, box = token.at("layout").number("confidence"), _layout_box(token)
        kind = token.at("detectedBreak", "detected_break")
        declared = kind.at("type", "type_").value if kind.value is not None else None
        is_divided = declared in ("HYPHEN", 3)
        if is_divided:
            written = written.rstrip().removesuffix("-").removesuffix("\u00ad")
        joiner.part(written.strip(), confidence, box, token)
        if is_divided:
            joiner.end(HYPHEN)
            end_before = -1
        elif "\n" in written:
            joiner.end(LINE_END)
            end_before = -1
        elif written != written.rstrip() or declared in ("SPACE", "WIDE_SPACE", 1, 2):
            joiner.end(SPACE)
            end_before = -1


def _segments(part: Node, text: str) -> list[tuple[int, int]]:
    """Return (begin, end) of each text segment of `part`, as indices into the document's text."""
    layout = part.at("layout")
    anchor = layout.at("textAnchor", "text_anchor") if layout.value is not None else layout
    return [] if anchor.value is None else segments_of(anchor, text)


def segments_of(anchor: Node, text: str) -> list[tuple[int, int]]:
    """Return the begin and end indices of the text segments in a text anchor."""
    found: list[tuple[int, int]] = []
    for segment in anchor.items("textSegments", "text_segments"):
        begin = segment.integer("startIndex", "start_index", absent=0)
        end = segment.integer("endIndex", "end_index", absent=0)
        if not 0 <= begin <= end <= len(text):
            raise segment.error(f"a part of the text, which has {len(text):,} characters")
        found.append((begin, end))
    return found


def _layout_box(token: Node) -> Box:
    layout = token.at("layout")
    poly = layout.at("boundingPoly", "bounding_poly")
    if poly.value is not None and poly.items("normalizedVertices", "normalized_vertices"):
        return poly.at("normalizedVertices", "normalized_vertices").polygon()
    return NO_BOX
