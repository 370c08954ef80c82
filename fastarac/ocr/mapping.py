"""Read tables of words with arbitrary columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import listed
from fastarac.io._formats import open_source
from fastarac.io._picks import Number
from fastarac.io._sources import TEXT, DataFileError, connect
from fastarac.io._spellings import NumberSpelling
from fastarac.ocr.readers._builder import NO_BOX, Builder
from fastarac.ocr.readers._files import InputFile, page_stem
from fastarac.ocr.words.words import HIGHEST, ROUNDING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fastarac.ocr.words.words import Scale, Words

PLACES = ("left", "top", "right", "bottom")
NAMES = ("text", "page", "line")
COLUMNS = ("text", "confidence", "page", "line", *PLACES)


@dataclass(frozen=True, slots=True)
class WordColumns:
    """Names of the columns with text, confidence, page and so on in a table of words.

    Parameters
    ----------
    text, confidence : str
        The columns of the outputs and of their confidences.
    page : str, optional
        The column of page names. Without this column, the file is one page.
    line : str, optional
        The column that identifies lines: a new line begins where its value changes. Without this
        column, each row is a line.
    left, top, right, bottom : str, optional
        The columns of the box's edges: all four or none.
    scale : {"percent", "unit"}, optional
        Whether confidences run from 0 to 100 or from 0 to 1. The default is 0 to 1, unless a confidence
        is above 1.

    Raises
    ------
    ValueError
        If only some of the four edges have a column, or if `scale` is unknown.

    See Also
    --------
    pair_table : pair the pages of a table with files of the truth

    Examples
    --------
    >>> from fastarac.ocr import WordColumns
    >>> WordColumns.of({"text": "word", "confidence": "score", "page": "image"})
    WordColumns(text='word', confidence='score', page='image', line=None, ..., scale=None)
    """

    text: str
    confidence: str
    page: str | None = None
    line: str | None = None
    left: str | None = None
    top: str | None = None
    right: str | None = None
    bottom: str | None = None
    scale: Scale | None = None

    def __post_init__(self) -> None:
        given = [name for name in PLACES if getattr(self, name) is not None]
        if given and len(given) < len(PLACES):
            raise ValueError(
                f"columns must name all of {listed(list(PLACES))}, or none, got {listed(given)}"
            )
        if self.scale not in (None, *HIGHEST):
            raise ValueError(f"scale must be 'percent' or 'unit', got {self.scale!r}")

    @classmethod
    def of(cls, columns: Mapping[str, str]) -> WordColumns:
        """Return the `WordColumns` for a mapping such as ``{"text": "word"}``.

        Raises
        ------
        ValueError
            If a key is unknown, or text or confidence is missing.
        """
        known = [*COLUMNS, "scale"]
        for name in columns:
            if name not in known:
                raise ValueError(f"columns must name some of {listed(known)}, got {name!r}")
        missing = [name for name in ("text", "confidence") if name not in columns]
        if missing:
            raise ValueError(f"columns must name {listed(missing)}, too")
        given: dict[str, Any] = dict(columns)
        return cls(**given)

    @property
    def columns(self) -> dict[str, str]:
        """Mapping from ``text``, ``confidence`` and so on to the names of the given columns."""
        found = {name: getattr(self, name) for name in COLUMNS}
        return {name: column for name, column in found.items() if column is not None}


@lru_cache(maxsize=4)
def read_table(path: Path, columns: WordColumns) -> dict[str, Words]:
    """Return the words of each page of a table, in the order of its rows.

    Raises
    ------
    DataFileError
        If the file cannot be read, lacks a column, or has an unexpected value in one.
    """
    wanted = columns.columns
    with connect() as connection:
        source = open_source(path, connection)
        source.refuse_missing(wanted.values())
        for column in wanted.values():
            source.require(column)
        told = source.kind_of(columns.confidence) == TEXT
        if told and NumberSpelling.of_column(source, columns.confidence).percentage is not None:
            columns = replace(columns, scale="unit")  # the query below converts 76% to 0.76
        numbers = {name: Number(name, wanted[name]) for name in wanted if name not in NAMES}
        fields = []
        for name, column in wanted.items():
            text = source.identifier(column)
            value = f"TRY_CAST({text} AS VARCHAR)"
            if name in numbers:
                value = f"CAST({numbers[name].expression(source)} AS DOUBLE)"
            fields.append(f"{value}, {text} IS NULL")
        rows = source.select(", ".join(fields)).fetchall()
        for i, row in enumerate(rows):
            for k, (name, column) in enumerate(wanted.items()):
                value, is_null = row[2 * k], row[2 * k + 1]
                if value is None and (not is_null or name == "page"):
                    if name in numbers:
                        raise numbers[name].refusal(source, i)
                    raise source.unexpected(column, i, "expected a name")
    values = {name: [row[2 * k] for row in rows] for k, name in enumerate(wanted)}
    return _by_page(path, values, columns.scale)


def _by_page(path: Path, values: dict[str, list[Any]], scale: Scale | None) -> dict[str, Words]:
    confidence = np.array(values["confidence"], np.float64)
    known = confidence[~np.isnan(confidence)]
    if scale is None:
        scale = "unit" if not len(known) or known.max() <= 1 else "percent"
    outside = ~np.isnan(confidence) & ~(
        (confidence >= 0) & (confidence <= HIGHEST[scale] * (1 + ROUNDING))
    )
    if outside.any():
        i = int(outside.argmax())
        problem = f"the confidence must be a number from 0 to {HIGHEST[scale]:g}, got {confidence[i]:g}"
        raise DataFileError(path, problem, row=i + 1)
    n = len(confidence)
    if not n:
        raise DataFileError(path, "it has no rows, but must have one for each output")
    boxes = [NO_BOX] * n
    if PLACES[0] in values:
        edges = np.array([values[name] for name in PLACES], np.float64)
        boxes = list(zip(*edges.tolist(), strict=True))
    pages, lines = values.get("page", [page_stem(path)] * n), values.get("line", range(n))
    file = InputFile(path, b"")
    builders: dict[str, Builder[int]] = {}
    line_before: dict[str, object] = {}
    rows = zip(pages, lines, values["text"], confidence.tolist(), boxes, strict=True)
    for i, (page, line, text, own, box) in enumerate(rows):
        builder = builders.get(page)
        if builder is None:
            builder = builders[page] = Builder(file, "table", str, scale=scale)
            builder.new_page()
        if text and text.strip():
            if line_before.get(page) != line:
                builder.new_line()
                line_before[page] = line
            builder.add(text, own, box, i)
    return {page: replace(each.finish(), page_names=(page,)) for page, each in builders.items()}
