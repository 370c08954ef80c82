"""Read an engine's outputs from its files, without truth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from fastarac._core.text import few_of, plural
from fastarac.ocr.combination.combining import combine
from fastarac.ocr.combination.model import Combination
from fastarac.ocr.formats import require_confidence
from fastarac.ocr.page_files import found_files, names_of_files
from fastarac.ocr.pairing import PairingError
from fastarac.ocr.readers._detection import read_file
from fastarac.ocr.readers._files import names_of_pages, open_file
from fastarac.ocr.readers.alto import wrote_digits
from fastarac.ocr.words.units import check_unit, joined_confidence, tokens
from fastarac.ocr.words.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.page_files import PageFile
    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.words.units import Join, Unit

    Paths = str | PathLike[str] | Iterable[str | PathLike[str]]

LISTED = 6  # maximum number of names that an error message lists
OF_OUTPUTS = "page", "number", "line", "space", "text", "confidence", "box"


class EngineOutputs(NamedTuple):
    """The outputs of an engine, page after page, in reading order.

    Attributes
    ----------
    page, number, line : ndarray of shape (n,), intp
        The index of each output's page in `words`, its number on the page (from 1), and its line
        number.
    space : ndarray of shape (n,), bool
        Whether a space precedes each output in its line.
    text : tuple of str, n of them
    confidence : ndarray of shape (n,), float64
        NaN where the engine gives none.
    box : ndarray of shape (n, 4), float64
    words : Words
        The words read, with the names and sizes of the pages.
    files, notes : tuple of str
        Paths of the files read, and remarks on them.
    named : str
        Name for the whole input in error messages.
    """

    page: NDArray[np.intp]
    number: NDArray[np.intp]
    line: NDArray[np.intp]
    space: NDArray[np.bool_]
    text: tuple[str, ...]
    confidence: NDArray[np.float64]
    box: NDArray[np.float64]
    words: Words
    files: tuple[str, ...]
    notes: tuple[str, ...]
    named: str

    @property
    def page_names(self) -> tuple[str, ...]:
        """The names of the pages."""
        return self.words.page_names

    @property
    def page_size(self) -> NDArray[np.float64]:
        """The sizes of the pages, as :class:`Words` has them."""
        return self.words.page_size


def read_engine_outputs(
    output: Paths | Mapping[str, Paths],
    *,
    combination: Combination | None = None,
    unit: Unit = "word",
    join: Join = "min",
    level: Level = "auto",
    hyphenated: Hyphenated = "whole",
    pattern: str | None = None,
) -> EngineOutputs:
    """Read the files of one engine; or read the files of several engines and combine their words.

    Parameters as for :func:`.apply_to_files`.
    """
    check_unit(unit, join)
    if combination is not None and isinstance(output, Mapping):
        parts_of = {
            name: _read_files(paths, pattern, level, hyphenated)
            for name, paths in cast("Mapping[str, Any]", output).items()
        }
        engines = {name: part.words for name, part in parts_of.items()}
        fold = combination.fold if isinstance(combination, Combination) else ()
        read = _Files(
            words=combine(engines, combination=combination, fold=fold).words,
            files=tuple(file for part in parts_of.values() for file in part.files),
            notes=tuple(f"{name}: {note}" for name, part in parts_of.items() for note in part.notes),
            named=" + ".join(parts_of),
        )
    elif combination is not None or isinstance(output, Mapping):
        raise TypeError("give both a combination and a mapping from engine names to files, or neither")
    else:
        read = _read_files(output, pattern, level, hyphenated)
    parts = [_outputs(read.words, part, unit, join) for part in read.words.page_slices()]
    columns: dict[str, Any] = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("number", "line", "space", "confidence", "box")
    }
    page = np.repeat(np.arange(len(parts)), [len(part["text"]) for part in parts])
    if not len(page):
        raise ValueError(f"no page has a word ({_pages(len(parts))}); use outputs of an engine")
    return EngineOutputs(
        page=page,
        text=tuple(text for part in parts for text in part["text"]),
        **columns,
        **read._asdict(),
    )


def columns_of_pages(outputs: Any) -> dict[str, Any]:
    """Return `EngineOutputs` or `AppliedPages` as columns; a box becomes a string of four numbers."""
    boxes = [
        "" if any(map(math.isnan, ends)) else " ".join(f"{end:.10g}" for end in ends)
        for ends in outputs.box.tolist()
    ]
    page = np.array(outputs.page_names, object)[outputs.page]
    columns = {"page": page, "number": outputs.number, "box": boxes}
    return table_of({**columns, "text": outputs.text, "confidence": outputs.confidence})


def table_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns as arrays that DuckDB accepts: strings as object arrays."""
    return {
        name: np.array(values, object) if isinstance(values, list | tuple) else np.asarray(values)
        for name, values in columns.items()
    }


class _Files(NamedTuple):
    words: Words
    files: tuple[str, ...]
    notes: tuple[str, ...]
    named: str


def _read_files(output: Paths, pattern: str | None, level: Level, hyphenated: Hyphenated) -> _Files:
    """Return an engine's words, the files read, remarks, and a name for error messages."""
    paths = [output] if isinstance(output, str | PathLike) else list(output)
    named = few_of(map(str, paths), 3)
    found = found_files(paths, pattern).files
    if not found:
        raise FileNotFoundError(f"{named} has no file of an engine")
    words, notes = _read_pages(found, level, hyphenated)
    return _Files(words, tuple(str(file.path) for file in found), notes, named)


def _read_pages(
    found: Sequence[PageFile], level: Level, hyphenated: Hyphenated
) -> tuple[Words, tuple[str, ...]]:
    """Return the words of all files, and remarks on them."""
    names = names_of_files(found, ())[0]
    again = {name for name, count in Counter(names).items() if count > 1}
    if again:
        same = tuple(file.path for file, name in zip(found, names, strict=True) if name in again)
        raise PairingError(
            f"{len(again)} page {plural('name', len(again))} occur{'s' * (len(again) == 1)} "
            f"more than once: {few_of(map(str, same), LISTED)}; names are compared up to the first "
            "dot. Choose files by a pattern, or put them into different subfolders of one folder",
            ambiguous=same,
        )
    parts = []
    digits = wrote_digits(file.path for file in found)
    for file, name in zip(found, names, strict=True):
        words = read_file(open_file(file.path, level=level, hyphenated=hyphenated, digits=digits))
        require_confidence(words, file.path)
        parts.append(replace(words, page_names=names_of_pages(name, len(words.page_names))))
    words = Words.concatenate(parts)
    notes = list(map(str, words.notes))
    blank = [
        name
        for name, part in zip(words.page_names, words.page_slices(), strict=True)
        if part.start == part.stop
    ]
    if blank:
        notes.append(
            f"{_pages(len(blank))} without a word: {few_of(blank, 5)}; nobody will verify these pages, "
            "so check whether the engine missed their words"
        )
    sources = {part.source for part in parts if part.source}
    if len(sources) > 1:
        notes.append(
            f"the files have {len(sources)} formats ({', '.join(sorted(sources))}), whose "
            "confidences may mean different things; use the outputs of one engine"
        )
    return words, tuple(notes)


def _outputs(words: Words, part: slice, unit: Unit, join: Join) -> dict[str, Any]:
    """Return the outputs of one page as columns."""
    found = tokens(words, part, unit)
    n = len(found.text)
    confidence, box = words.confidence[part], words.box[part]
    if unit == "line":
        confidence = joined_confidence(confidence, found.begin, join)
        if n:
            ends = (
                np.minimum.reduceat(box[:, :2], found.begin),
                np.maximum.reduceat(box[:, 2:], found.begin),
            )
            box = np.hstack(ends)
    else:
        confidence, box = confidence[found.begin], box[found.begin]
    return {
        "text": found.text,
        "number": np.arange(1, n + 1),
        "line": words.line[part][found.begin],
        "space": np.ones(n, np.bool_) if found.space is None else found.space,
        "confidence": confidence,
        "box": box,
    }


def _pages(n: int) -> str:
    return f"{n:,} {plural('page', n)}"
