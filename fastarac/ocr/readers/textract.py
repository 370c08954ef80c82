"""Read results of Amazon Textract: a flat list of blocks, linked by their identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NO_BOX, Box, Builder
from fastarac.ocr.readers._files import MOST_PAGES, OcrFileError, shown
from fastarac.ocr.readers._json import Node, each_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.words.words import Words

KINDS = frozenset({"PAGE", "LINE", "WORD"})
MODELS = ("DetectDocumentTextModelVersion", "AnalyzeDocumentModelVersion", "AnalyzeExpenseModelVersion")


def read(file: InputFile, root: Node) -> Words:
    """Read one response of Textract, or a list with the parts of one response.

    Without words, each line is an output with its own confidence.
    """
    require_complete(file.path, root)
    builder = Builder[Node](file, "textract", str, "Amazon Textract")
    blocks: list[Node] = []
    pages = 0
    for response in each_page(root):
        blocks.extend(block for block in _blocks(response) if _kind(block) in KINDS)
        if response.has("DocumentMetadata"):
            pages = max(pages, _page(response.at("DocumentMetadata"), "Pages", least=0))
        for key in MODELS:
            if response.has(key):
                builder.engine = f"Amazon Textract {response.text(key)}"
    words = _by_id(blocks)
    lines: dict[int, list[list[Node]]] = {}
    placed: set[str] = set()
    if not words:
        builder.unit = "line"
    for block in blocks:
        of_page = lines.setdefault(_page(block), [])
        if _kind(block) != "LINE":
            continue
        children = _children(block)
        if not words and not children:
            of_page.append([block])
            continue
        missing = [key for key in children if key not in words]
        if missing or (not children and block.text("Text").strip()):
            which = f" (none has the Id {shown(missing[0])})" if missing else ""
            raise block.error(f"a line whose words are all in the response{which}")
        inside = [key for key in children if key not in placed]
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
                builder.add(word.text("Text"), word.number("Confidence"), box_of(word), word)
    return builder.finish()


def require_complete(path: Path, root: Node) -> None:
    """Raise if the job of a response has not succeeded, or if further parts are missing."""
    last = root
    for response in each_page(root):
        last = response
        status = response.text("JobStatus") if response.has("JobStatus") else "SUCCEEDED"
        if status != "SUCCEEDED":
            problem = f"the JobStatus is {shown(status)}; use the response of a job that SUCCEEDED"
            raise OcrFileError(path, problem, place="JobStatus")
    if isinstance(last.value, dict) and last.has("NextToken"):
        problem = (
            "the response is incomplete (it has a NextToken); request the other parts, and put all "
            "parts into one list"
        )
        raise OcrFileError(path, problem, place="NextToken")


def _blocks(response: Node) -> Iterator[Node]:
    yield from response.items("Blocks")
    for document in response.items("ExpenseDocuments"):
        yield from document.items("Blocks")


def _by_id(blocks: list[Node]) -> dict[str, Node]:
    """Return the words by identifier; raise if two blocks share an identifier."""
    seen: set[str] = set()
    for block in blocks:
        key = block.text("Id")
        if key in seen:
            raise block.error(f"a block with a unique Id (another block has the Id {shown(key)})")
        seen.add(key)
    return {block.text("Id"): block for block in blocks if _kind(block) == "WORD"}


def _kind(block: Node) -> str:
    return block.text("BlockType")


def _page(node: Node, key: str = "Page", *, least: int = 1) -> int:
    """Return a page number; raise if it is above a limit, because all pages up to it are created."""
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


def box_of(word: Node) -> Box:
    """Return the box of a block of Textract or Rekognition, in fractions of the page."""
    geometry = word.at("Geometry")
    if not geometry.has("BoundingBox"):
        return NO_BOX
    box = geometry.at("BoundingBox")
    left, top, width, height = (box.number(key) for key in ("Left", "Top", "Width", "Height"))
    return left, top, left + width, top + height
