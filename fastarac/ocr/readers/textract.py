"""Amazon Textract: one flat list of blocks, tied together by their identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Box, Builder
from fastarac.ocr.readers._files import MOST_PAGES
from fastarac.ocr.readers._json import Node, each_page

if TYPE_CHECKING:
    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words import Words

__all__ = ["read"]

KINDS = frozenset({"PAGE", "LINE", "WORD"})


def read(file: InputFile, root: Node) -> Words:
    """Read one response of Textract, or a list of the parts of one."""
    builder = Builder[Node](file, "textract", str, "Amazon Textract")
    blocks: list[Node] = []
    pages = 0
    for response in each_page(root):
        blocks.extend(block for block in response.items("Blocks") if _kind(block) in KINDS)
        if response.has("DocumentMetadata"):
            pages = max(pages, _page(response.at("DocumentMetadata"), "Pages", least=0))
        for key in ("DetectDocumentTextModelVersion", "AnalyzeDocumentModelVersion"):
            if response.has(key):
                builder.engine = f"Amazon Textract {response.text(key)}"
    words = {block.text("Id"): block for block in blocks if _kind(block) == "WORD"}
    lines: dict[int, list[list[Node]]] = {}
    placed: set[str] = set()
    for block in blocks:
        of_page = lines.setdefault(_page(block), [])
        if _kind(block) == "LINE":
            inside = [key for key in _children(block) if key in words and key not in placed]
            placed.update(inside)
            of_page.append([words[key] for key in inside])
    for key, word in words.items():
        if key not in placed:
            lines[_page(word)].append([word])
    for page in range(1, max([pages, *lines]) + 1):
        builder.new_page((1.0, 1.0))
        for line in lines.get(page, []):
            builder.new_line()
            for word in line:
                builder.add(word.text("Text"), word.number("Confidence"), _box(word), word)
    return builder.finish()


def _kind(block: Node) -> str:
    return block.text("BlockType")


def _page(node: Node, key: str = "Page", *, least: int = 1) -> int:
    """Return the number of a page, which makes all pages before it."""
    number = node.integer(key, absent=least)
    if not least <= number <= MOST_PAGES:
        raise node.at(key).error(f"a whole number from {least} to {MOST_PAGES:,}")
    return number


def _children(block: Node) -> list[str]:
    return [
        str(key.value)
        for relation in block.items("Relationships")
        if relation.text("Type") == "CHILD"
        for key in relation.items("Ids")
    ]


def _box(word: Node) -> Box:
    geometry = word.at("Geometry")
    if not geometry.has("BoundingBox"):
        return NO_BOX
    box = geometry.at("BoundingBox")
    left, top, width, height = (box.number(key) for key in ("Left", "Top", "Width", "Height"))
    return left, top, left + width, top + height
