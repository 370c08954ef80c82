"""Read the outputs of models from files."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from fastarac import io
from fastarac._core.exceptions import collected
from fastarac._core.text import listed, printable, quoted
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._options import NONE, RefusalError, in_words_of_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


PROBABILITY = "inclusion_probability"  # `fastarac sample` writes this column
NO_LABELS = 'neither a column "correct" nor'
NO_CONFIDENCE = 'no column "confidence"'
LABELS_APART = (
    "; name the column that says which outputs are right (--correct COLUMN), or, if it is in another "
    "file with the same ids, join both: fastarac sample OUTPUTS --answers LABELS -o verified.csv"
)
ONLY_LABELS = (
    "; it seems to hold labels alone: each FILE needs outputs and labels in the same rows. If both "
    "files have the same ids, join them: fastarac sample OUTPUTS --answers LABELS -o verified.csv"
)
CONFIDENCE_ELSEWHERE = "; name the column of confidences (--confidence COLUMN)"
# Names of library arguments, and the option names that replace them in messages.
WORDS = {
    "empty_truth=True": "--allow-empty truth",
    "empty_truth needs": "--allow-empty truth needs",
    "empty_confidence=True": "--allow-empty confidence",
    "fields_complete=True": "--fields-complete",
    "read_verified(inclusion_probability=COLUMN)": "--inclusion-probability COLUMN",
    "confidence=COLUMN": "--confidence COLUMN",
    "correct=COLUMN": "--correct COLUMN",
    "prediction=COLUMN": "--prediction COLUMN",
    "truth=COLUMN": "--truth COLUMN",
    "item=COLUMN": "--id COLUMN",
    "item='id'": "--id id",
    "open='wrong'": "--open wrong",
    "compare='number'": "--compare number",
    "compare='text'": "--compare text",
    "compare is '": "--compare is '",
    "item=False": "--id none",
    "model=COLUMN": "--model COLUMN",
    "reading_limits(max_line=BYTES)": "fastarac --max-line SIZE",
    "reading_limits(max_ratio=RATIO)": "fastarac --max-ratio RATIO",
}


def read_models(
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    notes: list[str],
    *,
    same_items: bool = False,
) -> io.Models:
    """Return the outputs by model: per file, column of confidences, or name in a column of models."""
    files = named_files(paths)
    notes += folder_notes(paths)
    if columns.get("model") is None:
        _refuse_engines(paths, columns)
    with _reading(columns, notes) as told:
        return io.read_models(files, **columns, same_items=same_items, on_file=told)


def folder_notes(paths: Sequence[Path]) -> list[str]:
    """Return a note on each folder with several files, which are read as one model."""
    counts = {path: len(list(path.iterdir())) for path in paths if path.is_dir()}
    return [
        f"the {n:,} files in {path} are read as one model; name them ({path / '*'}) if each is a model"
        for path, n in counts.items()
        if n > 1
    ]


def read_each(
    paths: Sequence[Path], columns: Mapping[str, Any], notes: list[str]
) -> Iterator[tuple[str, io.Outputs]]:
    """Yield the outputs of each model, reading them only when the caller asks for them.

    `columns` must not name columns of labels.
    """
    from fastarac.io._columns import Columns
    from fastarac.io._models import columns_of_models, read_each

    named, confidence = named_files(paths), columns["confidence"]
    notes += folder_notes(paths)
    _refuse_engines(paths, columns)
    with _reading(columns, notes):
        of_columns = Columns(**{**columns, "confidence": str(confidence)})
    files = read_each(named, of_columns, confidence)
    for name in columns_of_models(named, confidence):
        with _reading(columns, notes) as told:
            told(name)
            found = next(files)
        yield found


@contextmanager
def _reading(columns: Mapping[str, Any], notes: list[str]) -> Iterator[Callable[[str], None]]:
    """Collect notes and turn errors into refusals; yield a function to call with the current file."""
    with collected(notes), interrupts_end_at_once(), Console(stderr=True).status("") as status:
        try:
            yield lambda name: status.update(f"Reading {escape(printable(name))}")
        except ValueError as error:
            message = in_words(error)
            model = columns.get("model")
            lacks, is_missing, _ = message.partition("; the columns are ")
            if model is not None and is_missing and f" {quoted(model)}" in lacks:
                message += "; leave out --model if each file is one model"
            raise RefusalError(message) from None


def _refuse_engines(paths: Sequence[Path], columns: Mapping[str, Any]) -> None:
    """Refuse a file of several engines from `fastarac ocr`, unless --model is given."""
    from fastarac.io._pages import MODEL, names_in, says_kinds

    used = {column for column in columns.values() if isinstance(column, str)}
    for path in paths:
        if MODEL in used or not says_kinds(path, "id"):
            continue
        names = names_in(path, MODEL)
        if len(names) > 1:
            raise RefusalError(
                f'{path}: its column "{MODEL}" names several models, {listed(names)}; '
                f"use --model {MODEL}"
            )


def in_words(error: Exception) -> str:
    """Return an error's message with options in place of the library's arguments."""
    message = in_words_of_options(error)
    for library, command in WORDS.items():
        message = message.replace(library, command)
    if NO_LABELS in message and NO_CONFIDENCE not in message:
        return message + LABELS_APART
    lacks_confidence, _, columns = message.partition("; the columns are ")
    is_of_labels = NO_CONFIDENCE in lacks_confidence and NO_LABELS not in lacks_confidence
    if not is_of_labels or '"correct"' not in columns:
        return message
    others = set(re.findall(r'"([^"]*)"', columns)) - {"correct", "id"}
    return message + (CONFIDENCE_ELSEWHERE if others else ONLY_LABELS)


def refuse_samples(paths: Sequence[Path], *, taken: bool = True) -> None:
    """Refuse a file of outputs drawn for verification, because unsure ones were drawn more often."""
    from fastarac.io._pages import columns_of_sample, is_of_audits

    refuse_searched(paths)
    for path in paths:
        if is_of_audits(path):
            raise RefusalError(
                f'{path} has the columns "audit_probability" and "drawn", as the log that fastarac '
                "sample --audit writes; use it with fastarac check --log or fastarac monitor"
            )
        columns = columns_of_sample(path)
        if columns is not None:
            if not taken:
                raise RefusalError(
                    f'{path} has a column "{PROBABILITY}", so its outputs were drawn to be verified, '
                    "which this command does not allow for: use other verified outputs, or remove the "
                    "column if all outputs are verified or were drawn with the same probability"
                )
            judge = " --judge judge" if "judge" in columns else ""
            raise RefusalError(
                f'{path} has a column "{PROBABILITY}", so its outputs were drawn to be verified: if it '
                "holds all outputs, as fastarac sample --answers writes them, add "
                f"--inclusion-probability {PROBABILITY}{judge}; if all its outputs are verified, and "
                f"were drawn with the same probability, add --inclusion-probability {NONE}"
            )


def refuse_searched(paths: Sequence[Path]) -> None:
    """Refuse a file of `fastarac search`, whose verified outputs are not a random sample."""
    from fastarac.io._pages import BATCH, is_of_search

    for path in paths:
        if is_of_search(path):
            raise RefusalError(
                f'{path} has a column "{BATCH}", so fastarac search chose its outputs, and they are '
                "not a random sample: use it with fastarac search; here, use outputs drawn at random"
            )


def named_files(paths: Sequence[Path]) -> dict[str, Path]:
    """Return the files by name without ending, or by whole path if names repeat."""
    names = [path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
        if twice := [name for name in names if names.count(name) > 1]:
            raise RefusalError(f"{twice[0]} is given twice")
    return dict(zip(names, paths, strict=True))
