"""Read results of Azure: Read, Image Analysis, Document Intelligence and Content Understanding."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, Box, Builder, upright
from fastarac.ocr.readers._files import OcrFileError, shown
from fastarac.ocr.readers._json import Node

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words

BOXES = ("polygon", "boundingPolygon", "boundingBox", "bounding_box")


def read_read(file: InputFile, root: Node) -> Words:
    """Read the response of Azure's Read calls: lines with their words."""
    builder = Builder[Node](file, "azure-read", str)
    result = result_of(file.path, root)
    if result.has("readResult"):  # the response is from Image Analysis 4.0
        version = result.text("modelVersion")
        builder.engine = f"Azure Image Analysis {version}".strip()
        size = (NAN, NAN)
        if result.has("metadata"):
            size = result.at("metadata").number("width"), result.at("metadata").number("height")
        builder.new_page(size)
        for block in result.at("readResult").items("blocks"):
            _add_lines(builder, block.items("lines"))
        return builder.finish()
    builder.engine = f"Azure Read {result.text('version')}".strip()
    for page in result.items("readResults", "read_results"):
        builder.new_page((page.number("width"), page.number("height")))
        _add_lines(builder, page.items("lines"))
    return builder.finish()


def _add_lines(builder: Builder[Node], lines: Sequence[Node]) -> None:
    for line in lines:
        builder.new_line()
        words = line.items("words")
        if not words and line.text("text").strip():
            raise line.error(
                "a line with its words (Form Recognizer 2 writes them with includeTextDetails=true)"
            )
        for word in words:
            builder.add(word.text("text"), word.number("confidence"), word.box(*BOXES), word)


def read_document_intelligence(file: InputFile, root: Node) -> Words:
    """Read the response of Azure Document Intelligence: pages with a list of words and a list of lines.

    The `spans` of a line show which words it contains. Spans count bytes or characters, so they are
    only compared with each other.
    """
    result = result_of(file.path, root)
    model = result.text("modelId", "model_id")
    engine = " ".join(f"Azure Document Intelligence {model}".split())
    builder = Builder[Node](file, "azure-document-intelligence", str, engine)
    _add_pages(builder, result.items("pages"))
    return builder.finish()


def read_content_understanding(file: InputFile, root: Node) -> Words:
    """Read the response of Azure Content Understanding: contents, each with pages of words."""
    result = result_of(file.path, root)
    result = result.at("result") if result.has("result") else result
    builder = Builder[Node](file, "azure-content-understanding", str, "Azure Content Understanding")
    for content in result.items("contents"):
        _add_pages(builder, content.items("pages"))
    return builder.finish()


def _add_pages(builder: Builder[Node], pages: Sequence[Node]) -> None:
    for page in pages:
        builder.new_page((page.number("width"), page.number("height")))
        words = page.items("words")
        if not words and (lines := page.items("lines")):
            raise lines[0].error("a page with its words, in `pages.words` beside `pages.lines`")
        line = _lines_of(page, words)
        before = -1
        for i in sorted(range(len(words)), key=lambda i, line=line: (line[i], i)):  # type: ignore[misc]
            if line[i] != before:
                builder.new_line()
                before = line[i]
            word = words[i]
            box = word.box(*BOXES) if not word.has("source") else _box_of_source(word)
            builder.add(word.text("content"), word.number("confidence"), box, word)


def _box_of_source(word: Node) -> Box:
    """Return the box around the points of a source string ``D(page,x,y,x,y,…)``."""
    written = word.text("source").removeprefix("D(").removesuffix(")").split(",")[1:]
    try:
        values = list(map(float, written))
    except ValueError:
        raise word.at("source").error("a place such as D(1,0,0,9,0,9,9,0,9)") from None
    return upright(list(zip(values[::2], values[1::2], strict=False)))


def _lines_of(page: Node, words: Sequence[Node]) -> list[int]:
    """Return the line number of each word; a word outside all lines gets its own line."""
    lines = page.items("lines")
    spans = sorted(
        (span.integer("offset", absent=0), span.integer("length", absent=0), number)
        for number, line in enumerate(lines)
        for span in (line.items("spans") if line.has("spans") else [line.at("span")])
        if span.value is not None
    )
    begins = [begin for begin, _, _ in spans]
    found: list[int] = []
    for i, word in enumerate(words):
        span = word.at("span")
        offset = -1 if span.value is None else span.integer("offset", absent=0)
        k = bisect_right(begins, offset) - 1
        inside = k >= 0 and offset < spans[k][0] + spans[k][1]
        found.append(spans[k][2] if inside else len(lines) + i)
    return found


def result_of(path: Path, root: Node) -> Node:
    """Return the result inside a response; raise unless the call succeeded."""
    status = root.text("status") if root.has("status") else "succeeded"
    if status.lower() != "succeeded":
        problem = f"the status must be that of a call that succeeded, got {shown(status)}"
        raise OcrFileError(path, problem, place="status")
    return root.at("analyzeResult") if root.has("analyzeResult") else root
