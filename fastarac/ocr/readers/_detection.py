"""The kind of a file, told by its content: the end of its name is not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.formats import listed
from fastarac.ocr.readers import (
    _files,
    _json,
    _xml,
    alto,
    azure,
    doctr,
    easyocr,
    google,
    hocr,
    paddle,
    page,
    rapidocr,
    tesseract_tsv,
    textract,
)
from fastarac.ocr.words import Note, Words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._json import Node

    XmlReader = Callable[[InputFile], Words]
    JsonReader = Callable[[InputFile, Node], Words]

__all__ = ["begins_as", "json_reader", "read_file", "xml_reader", "xml_root"]

ROOTS: dict[str, XmlReader] = {"alto": alto.read, "pcgts": page.read, "html": hocr.read}


def begins_as(file: InputFile) -> str:
    """Return ``xml``, ``json``, ``tsv``, ``text`` or ``empty``, by the first characters."""
    encoding = _files.encoding_of(file.head)
    begin = file.head.decode(encoding, errors="ignore").lstrip()
    if not begin:
        return "empty"
    if begin[0] == "<":
        return "xml"
    if begin[0] in "{[":
        return "json"
    return "tsv" if begin.startswith("level\tpage_num\t") else "text"


def read_file(file: InputFile) -> Words:
    """Return the words of an engine's file."""
    if kind := _files.binary_kind(file.head):
        problem = f"it is {kind}; the text that an engine read from it is expected: {listed()}"
        raise _files.OcrFileError(file.path, problem)
    kind = begins_as(file)
    if kind == "tsv":
        return tesseract_tsv.read(file)
    if kind == "xml":
        root = xml_root(file)
        reader = xml_reader(root)
        if reader is None:
            problem = f"the outermost element is {_files.shown(root)}; {_expected()}"
            raise _files.OcrFileError(file.path, problem)
        return reader(file)
    if kind == "json" or _is_null(file):
        node = _json.load(file)
        if node.value == {}:  # what Google's libraries write of a response that says nothing
            return _blank(file.path)
        json_read = json_reader(node)
        if json_read is None:
            raise _files.OcrFileError(file.path, f"it is JSON with {_keys(node)}; {_expected()}")
        return json_read(file, node)
    if kind == "empty":
        return _blank(file.path)
    begin = file.head.decode(_files.encoding_of(file.head), errors="replace").split("\n")[0]
    problem = f"it begins with {_files.shown(begin)}; {_expected()}"
    raise _files.OcrFileError(file.path, problem, place="line 1")


def _is_null(file: InputFile) -> bool:
    """Return whether the file is JSON's null, which RapidOCR gives for an image without text."""
    return file.head.strip() == b"null"


def _blank(path: Path) -> Words:
    note = Note(
        1,
        "file of an output is empty: it is read as a page without words",
        "files of outputs are empty: they are read as pages without words",
    )
    none = np.empty(0, np.intp)
    return Words((), np.empty(0), none, none, (_files.page_stem(path),), notes=(note,))


def _expected() -> str:
    return (
        f"a file of one of these formats is expected: {listed()}; or a table of fields, with the "
        "columns document, field, prediction and confidence"
    )


def xml_root(file: InputFile) -> str:
    begin = file.head.decode(_files.encoding_of(file.head), errors="ignore").lstrip()[:200].lower()
    if begin.startswith(("<!doctype html>", "<html")):  # HTML need not be XML
        return "html"
    return _xml.root_of(file).name


def xml_reader(root: str) -> XmlReader | None:
    """Return what reads XML with this root."""
    return ROOTS.get(root.lower())


def json_reader(root: Node) -> JsonReader | None:
    """Return what reads this JSON, which its keys and the shape of its lists show."""
    value = root.value
    if value is None:
        return rapidocr.read
    if isinstance(value, list):
        return _reader_of_list(root)
    if not isinstance(value, dict):
        return None
    return _reader_of_object(root)


def _reader_of_object(node: Node) -> JsonReader | None:
    if node.has("Blocks"):
        return textract.read
    if (node.has("res") and node.at("res").has("rec_texts")) or node.has("rec_texts"):
        return paddle.read_3
    if node.has("responses") or node.has("fullTextAnnotation") or node.has("full_text_annotation"):
        return google.read_vision
    if node.has("textAnnotations") or node.has("text_annotations"):
        return google.read_vision  # which says what is missing
    result = node.at("analyzeResult") if node.has("analyzeResult") else node
    if result.has("readResults") or result.has("read_results") or result.has("readResult"):
        return azure.read_read
    if node.has("analyzeResult") or result.has("modelId") or result.has("model_id"):
        return azure.read_document_intelligence
    if node.has("status") and node.has("createdDateTime"):
        return azure.read_document_intelligence  # a call that has not ended, or failed
    document = node.at("document") if node.has("document") else node
    pages = document.value.get("pages") if isinstance(document.value, dict) else None
    if not isinstance(pages, list):
        return None
    first = pages[0] if pages and isinstance(pages[0], dict) else {}
    if "blocks" in first and "dimensions" in first:
        return doctr.read
    if "words" in first and "content" in document.value:
        return azure.read_document_intelligence
    return google.read_document_ai if "text" in document.value else None


def _reader_of_list(node: Node) -> JsonReader | None:
    if not node.value:
        return easyocr.read  # an image without text
    first = node.items()[0]
    if isinstance(first.value, dict):
        if first.has("text") and (first.has("boxes") or first.has("confident")):
            return easyocr.read
        if first.has("txt", "score"):
            return rapidocr.read
        found = _reader_of_object(first)
        return found if found in (textract.read, paddle.read_3, google.read_vision) else None
    if isinstance(first.value, str):
        return easyocr.read if first.value.lstrip().startswith("{") else None
    if first.value is None:
        return paddle.read_2
    if rapidocr.begins_words(first.value):
        return rapidocr.read_words
    parts = first.items() if isinstance(first.value, list) else []
    if len(parts) in (2, 3) and isinstance(parts[1].value, str):
        return easyocr.read
    return paddle.read_2 if _has_lines(first.value) else None


def _has_lines(value: object) -> bool:
    """Return whether a list is a line of PaddleOCR 2, or a page of such lines."""
    if not isinstance(value, list):
        return False
    if not value:
        return True  # a page without text
    return paddle.ends_in_reading(value) or paddle.ends_in_reading(value[0])


def _keys(node: Node) -> str:
    if isinstance(node.value, dict):
        return f"the keys {_files.shown(list(node.value))}"
    return f"the value {_files.shown(node.value)}"
