"""Recognize the format of a file by its content, not by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.formats import listed
from fastarac.ocr.readers import (
    _files,
    _json,
    _xml,
    abbyy,
    alto,
    apple_vision,
    azure,
    docling,
    doctr,
    easyocr,
    google,
    hocr,
    paddle,
    page,
    rapidocr,
    rekognition,
    surya,
    tesseract_json,
    tesseract_tsv,
    textract,
)
from fastarac.ocr.words.words import ReadingNote, Words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastarac.ocr.readers._files import InputFile
    from fastarac.ocr.readers._json import Node

    XmlReader = Callable[[InputFile], Words]
    JsonReader = Callable[[InputFile, Node], Words]

ROOTS: dict[str, XmlReader] = {"alto": alto.read, "pcgts": page.read, "html": hocr.read}


def begins_as(file: InputFile) -> str:
    """Return ``xml``, ``json``, ``tsv``, ``text`` or ``empty``, recognized by the first characters."""
    encoding = _files.encoding_of(file.head)
    begin = file.head.decode(encoding, errors="ignore").lstrip()
    if not begin:
        return "empty"
    if begin[0] == "<":
        return "xml"
    if begin[0] in "{[":
        return "json"
    first_row = begin.split("\n", 1)[0]
    is_tsv = begin.startswith("level\tpage_num\t") or tesseract_tsv.BARE_ROW.match(first_row)
    return "tsv" if is_tsv else "text"


def read_file(file: InputFile) -> Words:
    """Read the words of an engine's file."""
    if kind := _files.binary_kind(file.head):
        problem = f"it is {kind}; use the text that an engine read from it: {listed()}"
        raise _files.OcrFileError(file.path, problem)
    kind = begins_as(file)
    if kind == "tsv":
        return tesseract_tsv.read(file)
    if kind == "xml":
        root = xml_root(file)
        reader = ROOTS.get(root.lower())
        # Other kinds of XML also have the root `document`, so look for ABBYY's namespace.
        if root == "document" and b"abbyy.com" in file.head.lower():
            reader = abbyy.read
        if reader is None:
            problem = f"the outermost element is {_files.shown(root)}; {_expected()}"
            raise _files.OcrFileError(file.path, problem)
        return reader(file)
    # RapidOCR writes null for an image without text.
    if kind == "json" or file.head.strip() == b"null":
        node = _json.load(file)
        if node.value == {}:  # the form in which Google's libraries write an image without text
            return _blank(file.path)
        json_read = json_reader(node)
        if json_read is None:
            if without := without_confidences(node.value):
                problem = f"it is of {without}, which has no confidences: no threshold can be set"
                raise _files.OcrFileError(file.path, problem)
            raise _files.OcrFileError(file.path, f"it is JSON with {_keys(node)}; {_expected()}")
        return json_read(file, node)
    if kind == "empty":
        return _blank(file.path)
    begin = file.head.decode(_files.encoding_of(file.head), errors="replace").split("\n")[0]
    problem = f"it begins with {_files.shown(begin)}; {_expected()}"
    raise _files.OcrFileError(file.path, problem, place="line 1")


def _blank(path: Path) -> Words:
    note = ReadingNote(
        1,
        "file of an output is empty: it is read as a page without words",
        "files of outputs are empty: they are read as pages without words",
    )
    none = np.empty(0, np.intp)
    return Words((), np.empty(0), none, none, (_files.page_stem(path),), notes=(note,))


def _expected() -> str:
    return (
        f"use a file of one of these formats: {listed()}; or a table of fields, with the columns "
        "document, field, prediction and confidence; a table of words in any other form is "
        "read if you name its columns (columns in the file of --settings)"
    )


def xml_root(file: InputFile) -> str:
    begin = file.head.decode(_files.encoding_of(file.head), errors="ignore").lstrip()[:200].lower()
    if begin.startswith(("<!doctype html>", "<html")):  # HTML need not be well-formed XML
        return "html"
    return _xml.root_of(file).name


def json_reader(root: Node) -> JsonReader | None:
    """Return the reader for this JSON, chosen by its keys and by the shape of its lists."""
    value = root.value
    if value is None:
        return rapidocr.read
    if isinstance(value, list):
        return _reader_of_list(root)
    if not isinstance(value, dict):
        return None
    return _reader_of_object(root)


def _reader_of_object(node: Node) -> JsonReader | None:
    for reads, is_its_own in OBJECTS:
        if is_its_own(node):
            return reads
    if node.has("responses") or node.has("fullTextAnnotation") or node.has("full_text_annotation"):
        return google.read_vision
    if node.has("textAnnotations") or node.has("text_annotations"):
        return google.read_vision  # always raises, naming the missing part
    result = node.at("analyzeResult") if node.has("analyzeResult") else node
    if result.has("readResults") or result.has("read_results") or result.has("readResult"):
        return azure.read_read
    if node.has("analyzeResult") or result.has("modelId") or result.has("model_id"):
        return azure.read_document_intelligence
    if node.has("status") and node.has("createdDateTime"):
        # The call has failed or is still running. The reader raises an error that says which of the
        # two.
        return azure.read_document_intelligence
    document = node.at("document") if node.has("document") else node
    pages = document.value.get("pages") if isinstance(document.value, dict) else None
    if not isinstance(pages, list):
        return None
    first = pages[0] if pages and isinstance(pages[0], dict) else {}
    if ("blocks" in first or "predictions" in first) and "dimensions" in first:
        return doctr.read
    if "words" in first and "content" in document.value:
        return azure.read_document_intelligence
    blank = ("mimeType" in document.value or "mime_type" in document.value) and "image" in first
    return google.read_document_ai if blank or "text" in document.value else None


def _reader_of_list(node: Node) -> JsonReader | None:
    if not node.value:
        return easyocr.read  # EasyOCR's result for an image without text
    first = node.items()[0]
    if isinstance(first.value, dict):
        if first.has("text") and (first.has("boxes") or first.has("confident")):
            return easyocr.read
        if first.has("txt", "score"):
            return rapidocr.read
        if docling.is_page(first.value):
            return docling.read
        if surya.is_page(first.value):
            return surya.read
        if first.has("type", "res") and "bbox" in first.value:
            return paddle.read_structure_2
        found = _reader_of_object(first)
        return found if found in (textract.read, paddle.read_3, google.read_vision) else None
    if isinstance(first.value, str):
        return easyocr.read if first.value.lstrip().startswith("{") else None
    if first.value is None:
        return paddle.read_2
    if apple_vision.is_line(first.value):
        return apple_vision.read_list
    if rapidocr.begins_words(first.value):
        return rapidocr.read_words
    parts = first.items() if isinstance(first.value, list) else []
    if len(parts) in (2, 3) and isinstance(parts[1].value, str):
        return easyocr.read
    return paddle.read_2 if _has_lines(first.value) else None


def _has_lines(value: object) -> bool:
    """Return whether a value is a line of PaddleOCR 2, or a page (a list of lines)."""
    if not isinstance(value, list):
        return False
    if not value:
        return True  # PaddleOCR 2 writes null or [] for a page without text
    first = value[0]
    return any(map(paddle.ends_in_reading, (value, first))) or paddle.is_reading(first)


def _has_texts_of_3(node: Node) -> bool:
    """Return whether this is a result of PaddleOCR 3, of PP-StructureV3 or of a PaddleX server."""
    if node.has("result"):
        result = node.at("result")
        return result.has("ocrResults") or result.has("layoutParsingResults")
    page = node.at("res") if node.has("res") else node
    return page.has("rec_texts") or (
        page.has("overall_ocr_res") and page.at("overall_ocr_res").has("rec_texts")
    )


def _is_surya(node: Node) -> bool:
    values = list(node.value.values())
    return surya.is_page(node.value) or (
        bool(values)
        and all(isinstance(each, list) and each and surya.is_page(each[0]) for each in values)
    )


def _is_content_understanding(node: Node) -> bool:
    result = node.at("result") if node.has("result") else node
    contents = result.value.get("contents") if isinstance(result.value, dict) else None
    return isinstance(contents, list) and result.has("analyzerId")


#: The readers of JSON objects, each with a test that only objects of its format pass.
OBJECTS: tuple[tuple[JsonReader, Callable[[Node], bool]], ...] = (
    (textract.read, lambda node: any(map(node.has, ("Blocks", "ExpenseDocuments", "JobStatus")))),
    (paddle.read_3, _has_texts_of_3),
    (paddle.read_3, lambda node: node.has("errorCode", "errorMsg", "logId")),
    (rekognition.read, lambda node: node.has("TextDetections")),
    (azure.read_content_understanding, _is_content_understanding),
    (tesseract_json.read_columns, lambda node: node.has(*tesseract_tsv.COLUMNS)),
    (tesseract_json.read_tesseract_js, lambda node: tesseract_json.is_tesseract_js(_data_of(node))),
    (apple_vision.read, lambda node: isinstance(node.value.get("observations"), list)),
    (surya.read, _is_surya),
)


def _data_of(node: Node) -> Node:
    return node.at("data") if node.has("data") else node


def without_confidences(value: object) -> str | None:
    """Return the tool that wrote this value if it never writes confidences, else None."""
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return None
    return next((name for name, keys in SILENT.items() if all(key in value for key in keys)), None)


#: Tools that write texts without confidences, with the JSON keys by which their files are recognized.
SILENT: dict[str, tuple[str, ...]] = {
    "PaddleOCR-VL": ("parsing_res_list",),
    "Docling's document (keep the pages with their cells)": ("schema_name", "texts"),
    "Marker": ("children", "block_type"),
    "Mistral OCR": ("pages", "usage_info"),
}


def _keys(node: Node) -> str:
    if isinstance(node.value, dict):
        return f"the keys {_files.shown(list(node.value))}"
    return f"the value {_files.shown(node.value)}"
