"""Report the content of a file (format, words or columns, confidences) and how it was read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.results import Result, Sheet
from fastarac._core.text import plural
from fastarac.ocr.analysis.hints import ties
from fastarac.ocr.fields.json_files import has_fields, read_field_file
from fastarac.ocr.fields.services import service_of
from fastarac.ocr.formats import FORMATS
from fastarac.ocr.page_files import found_files, names_of_files
from fastarac.ocr.readers import _json
from fastarac.ocr.readers._detection import begins_as, json_reader, read_file, without_confidences
from fastarac.ocr.readers._files import (
    OcrFileError,
    binary_kind,
    encoding_of,
    names_of_pages,
    open_file,
)
from fastarac.ocr.readers.alto import wrote_digits
from fastarac.ocr.words.truth import read_truth
from fastarac.ocr.words.words import Words

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from fastarac.ocr.readers._files import InputFile

#: File endings of tables, which cannot be recognized by their content alone.
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
Holds = Literal["words", "true words", "fields", "rows"]
NAMES = {"percent": "0 to 100", "unit": "0 to 1"}


@dataclass(frozen=True, slots=True, eq=False)
class FileInspection(Sheet, Result):
    """The findings of :func:`inspect_file`; ``str()`` prints one line for each finding.

    Attributes
    ----------
    path : str
        The file, or the folder.
    format : str
        The title of its format.
    holds : {"words", "true words", "fields", "rows"}
        Content of the file: words of an engine, words of a truth, fields of documents, or rows of a
        table.
    engine : str or None
        The software that wrote the file, if the file names it.
    encoding : str or None
        The encoding of its text; None for a Parquet file.
    n_items, n_pages, n_lines : int
        Number of words, fields or rows; number of pages or documents; number of lines. The numbers of
        pages and lines are 0 for a table.
    columns : tuple of str
        The columns of a table, with their types unless they are text.
    scale : str or None
        The format's scale of confidences: ``"0 to 100"`` or ``"0 to 1"``.
    unit : {"word", "line"} or None
        Whether each word or each line has a confidence.
    n_without_confidence, n_distinct : int
        Number of items without a confidence, and number of different confidences.
    lowest, highest : float
        The range of the confidences; NaN if there are none.
    n_without_box : int
        Number of words without a box.
    assumed : tuple of str
        Assumptions and repairs made in reading the file, one sentence each.

    See Also
    --------
    inspect_file : inspect a file, and list the assumptions made in reading it
    """

    path: str
    format: str
    holds: Holds
    engine: str | None = None
    encoding: str | None = None
    n_items: int = 0
    n_pages: int = 0
    n_lines: int = 0
    columns: tuple[str, ...] = ()
    scale: str | None = None
    unit: str | None = None
    n_without_confidence: int = 0
    n_distinct: int = 0
    lowest: float = float("nan")
    highest: float = float("nan")
    n_without_box: int = 0
    assumed: tuple[str, ...] = ()

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("file", self.path), ("format", self.format)]
        if self.engine:
            rows.append(("written by", self.engine))
        if self.encoding:
            rows.append(("encoding", self.encoding))
        rows += [("holds", self.counted()), *self.facts()]
        return rows + [("assumed", sentence) for sentence in self.assumed]

    def facts(self) -> list[tuple[str, str]]:
        """Return (heading, text) pairs on columns, confidences and boxes."""
        rows = []
        if self.columns:
            rows.append(("columns", ", ".join(self.columns)))
        if self.holds in ("words", "fields"):
            rows.append(("confidences", self._confidences()))
        if self.n_without_box:
            n = self.n_without_box
            rows.append(("places", f"{n:,} {plural('word', n)} without a box"))
        return rows

    @property
    def origin(self) -> str:
        """The format, the encoding, and the software that wrote the file."""
        engine = f"written by {self.engine}" if self.engine else None
        return ", ".join(filter(None, (self.format, self.encoding, engine)))

    def counted(self) -> str:
        """Return a phrase such as "120 words in 14 lines, 1 page"."""
        noun = {"rows": "row", "fields": "field"}.get(self.holds, "word")
        text = f"{self.n_items:,} {plural(noun, self.n_items)}"
        if self.holds == "true words":
            text += " of a truth"
        if self.holds == "rows":
            return text
        above = "document" if self.holds == "fields" else "page"
        if self.n_lines:
            text += f" in {self.n_lines:,} {plural('line', self.n_lines)}"
        return f"{text}, {self.n_pages:,} {plural(above, self.n_pages)}"

    def _confidences(self) -> str:
        n_with = self.n_items - self.n_without_confidence
        if not n_with:
            return "none"
        parts = [f"{self.lowest:g} to {self.highest:g}, {self.n_distinct:,} different"]
        if self.scale:
            parts[0] = f"on a scale from {self.scale}, {parts[0]}"
        if self.unit == "line":
            parts.append("one for each line")
        if self.n_without_confidence:
            parts.append(f"{self.n_without_confidence:,} of {self.n_items:,} have none")
        return "; ".join(parts)


def inspect_file(path: str | os.PathLike[str]) -> FileInspection:
    r"""Inspect a file, and list the assumptions made in reading it.

    Parameters
    ----------
    path : str or path-like
        A file of an OCR engine or a service, a truth, or a table. In a folder, all pages of an engine
        or of a truth are inspected together, also in subfolders; images are left out.

    Returns
    -------
    found : FileInspection
        The format, producer, encoding, words or columns and confidences of the file, and the
        assumptions.

    Raises
    ------
    OcrFileError, DataFileError
        If the file cannot be read. The message gives the reason and says what to use instead.

    See Also
    --------
    read : read the words of one file of an OCR engine, with their confidences

    Examples
    --------
    >>> from fastarac import ocr
    >>> folder = ocr.sample_folders().outputs["plain"]
    >>> found = ocr.inspect_file(folder / "invoice_4711.tsv")
    >>> found.format, found.n_items, found.scale, found.n_without_confidence
    ('Tesseract TSV', 105, '0 to 100', 0)
    """
    path = Path(path)
    if path.is_dir():
        return _of_folder(path)
    file = open_file(path)
    is_table = path.name.lower().removesuffix(".gz").endswith(TABLES)
    if is_table and begins_as(file) != "tsv":
        return _of_table(path)
    kind, node = begins_as(file), None
    if kind == "json":
        node = _json.load(file)
        is_of_words = json_reader(node) is not None or without_confidences(node.value) is not None
        if not is_of_words and has_fields(path):
            service = service_of(node)
            return _of_fields(file, "nested JSON" if service is None else service.name)
    if kind == "text" and binary_kind(file.head) is None:
        words = read_truth(path)
        return _of_words(file, words, "plain text", "true words")
    words = read_file(file)
    title = FORMATS[words.source].title if words.source in FORMATS else "an empty file"
    found = _of_words(file, words, title, "words")
    fields = "" if node is None else _fields_beside(path, node)
    return replace(found, assumed=(*found.assumed, fields)) if fields else found


def _of_folder(folder: Path) -> FileInspection:
    files = found_files(folder, None).files
    if not files:
        raise OcrFileError(folder, "it has no file of an engine or a truth")
    first = inspect_file(files[0].path)
    if first.holds not in ("words", "true words"):
        problem = f"its files hold {first.holds}, not pages; name the files, as in {folder / '*'}"
        raise OcrFileError(folder, problem)
    digits = wrote_digits(file.path for file in files)
    opened = [open_file(file.path, digits=digits) for file in files]
    parts = []
    for file, name in zip(opened, names_of_files(files, ())[0], strict=True):
        words = read_file(file) if first.holds == "words" else read_truth(file.path)
        parts.append(replace(words, page_names=names_of_pages(name, len(words.page_names))))
    titles = {FORMATS[words.source].title for words in parts if words.source in FORMATS}
    title = ", ".join(sorted(titles)) or first.format
    found = _of_words(opened[0], Words.concatenate(parts), title, first.holds)
    encodings = sorted({_encoding(file) for file in opened})
    return replace(found, path=str(folder), encoding=", ".join(encodings))


def _of_words(file: InputFile, words: Words, title: str, holds: Holds) -> FileInspection:
    assumed = [str(note) for note in words.notes]
    known = words.confidence[~np.isnan(words.confidence)]
    if holds == "words":
        assumed += ties(known) if len(known) else []
        if not len(known) and len(words) and words.source in FORMATS:
            assumed.append(
                "No word has a confidence, so no threshold can be set: "
                + FORMATS[words.source].option.replace("`", "")
            )
    return FileInspection(
        path=str(file.path),
        format=title,
        holds=holds,
        engine=words.engine,
        encoding=_encoding(file),
        n_items=len(words),
        n_pages=len(words.page_names),
        n_lines=len(np.unique(words.line)),
        scale=None if words.scale is None else NAMES[words.scale],
        unit=words.unit,
        n_without_box=int(np.isnan(words.box[:, 0]).sum()) if len(words.box) else 0,
        assumed=tuple(assumed),
        **_figures(words.confidence),
    )


def _figures(confidence: NDArray[np.float64]) -> dict[str, Any]:
    known = confidence[~np.isnan(confidence)]
    found: dict[str, Any] = {"n_without_confidence": len(confidence) - len(known)}
    found["n_distinct"] = len(np.unique(known))
    if len(known):
        found |= {"lowest": float(known.min()), "highest": float(known.max())}
    return found


def _encoding(file: InputFile) -> str:
    name = encoding_of(file.head).upper()
    return "UTF-8 with a byte order mark" if name == "UTF-8-SIG" else name


def _fields_beside(path: Path, node: _json.Node) -> str:
    """Return a sentence on the fields in a response with words; empty if it has no fields."""
    if service_of(node) is None:
        return ""
    try:
        n = len(read_field_file(path, "prediction").rows)
    except OcrFileError:  # the response has words but no fields
        return ""
    return f"It has {n:,} {plural('field', n)}, too; they are read if the truth has fields."


def _of_fields(file: InputFile, title: str) -> FileInspection:
    try:
        found = read_field_file(file.path, "prediction")
    except OcrFileError:
        found = read_field_file(file.path, "truth")
    confidence = [None if row.confidence is None else float(row.confidence) for row in found.rows]
    return FileInspection(
        path=str(file.path),
        format=title,
        holds="fields",
        encoding=_encoding(file),
        n_items=len(found.rows),
        n_pages=len(found.documents),
        **_figures(np.array(confidence, np.float64)),
    )


def _of_table(path: Path) -> FileInspection:
    from fastarac.io._formats import open_source
    from fastarac.io._sources import connect

    with connect() as connection:
        source = open_source(path, connection)
        (n_rows,) = source.select("count(*)").fetchall()[0]
        kinds = {name: source.kind_of(name) for name in source.columns}
    columns = tuple(name if kind == "text" else f"{name} ({kind})" for name, kind in kinds.items())
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    title = {"parquet": "Parquet", "csv": "CSV", "tsv": "TSV"}.get(ending, "JSON lines")
    encoding = None if ending == "parquet" else "UTF-8"
    return FileInspection(
        str(path), title, "rows", encoding=encoding, n_items=int(n_rows), columns=columns
    )
