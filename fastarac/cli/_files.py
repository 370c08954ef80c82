"""Read the outputs in files, by model."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.markup import escape

from fastarac import io
from fastarac._core.exceptions import collected
from fastarac._core.text import listed, printable, quoted
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._options import NONE, RefusalError, in_words_of_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.models import Model
    from fastarac.answers.without_items import ModelWithoutItems

    M = TypeVar("M", bound=Model | ModelWithoutItems)


PROBABILITY = "inclusion_probability"  # the column of probabilities that fastarac sample writes
READ = ("confidence", "correct", "prediction", "truth")  # columns that decide which outputs are right
EXAMPLES = 3  # number of outputs that a note quotes
DEFAULT_COLUMNS = {"correct", "prediction", "truth"}
NO_LABELS = 'neither a column "correct" nor'
NO_CONFIDENCE = 'no column "confidence"'
LABELS_APART = (
    "; if the labels are in another file, join both by their ids first (docs/faq.md, "
    "Labels in another file)"
)
# The library's arguments, and the options that replace them in messages.
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
    """Return the outputs by model: one model per file, or the models in the column `model`."""
    files = dict(zip(names_of_files(paths), paths, strict=True))
    if columns.get("model") is None:
        _refuse_engines(paths, columns)
    with _reading(columns, notes) as told:
        return io.read_models(files, **columns, same_items=same_items, on_file=told)


def read_each(
    paths: Sequence[Path], columns: Mapping[str, Any], notes: list[str]
) -> Iterator[tuple[str, io.Outputs]]:
    """Yield the outputs of one file after the other, each read when it is asked for.

    No column has labels; `notes` gets the notes on the files read so far.
    """
    from fastarac.io._columns import Columns
    from fastarac.io._models import read_each

    names = names_of_files(paths)
    _refuse_engines(paths, columns)
    with _reading(columns, notes):
        of_columns = Columns(**columns)
    files = read_each(dict(zip(names, paths, strict=True)), of_columns)
    for name in names:
        with _reading(columns, notes) as told:
            told(name)
            found = next(files)
        yield found


@contextmanager
def _reading(columns: Mapping[str, Any], notes: list[str]) -> Iterator[Callable[[str], None]]:
    """Collect notes and refuse errors while files are read; yield what shows the file being read."""
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
    """Refuse a file of several engines, as `fastarac ocr` writes it, without --model."""
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
    has_outputs = NO_LABELS in message and NO_CONFIDENCE not in message
    return message + LABELS_APART if has_outputs else message


def with_rejects_said(models: Sequence[Model], *, missed: bool) -> list[Model]:
    """Return the models with a note on the number of items without an output or a confidence."""
    said = []
    for model in models:
        rejected = model.outputs.rejected
        note = model.notes
        if rejected is not None:
            n = int(rejected.sum())
            note = (*note, f"{said_of_rejects(n, len(rejected), missed=missed)} never accepted")
        said.append(replace(model, notes=note))
    return said


def with_unseen_words(
    models: Sequence[M], paths: Sequence[Path], columns: Mapping[str, Any]
) -> list[M]:
    """Return the models with figures that count missed words, as `fastarac ocr` does."""
    from fastarac.io._pages import count_unseen
    from fastarac.ocr.words.residual_misses import with_unseen_figures

    column, confidence = columns.get("model"), columns["confidence"]
    files = dict(zip(names_of_files(paths), paths, strict=True))
    found = []
    for model in models:
        if column is not None:
            n = sum(count_unseen(path, confidence, (column, model.name)) for path in paths)
        else:
            n = count_unseen(files[model.name], confidence, None)
        figures = with_unseen_figures(model.evaluation, n) if n else model.evaluation
        found.append(replace(model, evaluation=figures))
    return found


def said_of_rejects(n: int, n_items: int, *, missed: bool) -> str:
    """Return the start of a sentence on the number of items without an output or a confidence."""
    many = n != 1
    if missed:
        what = "have no output with a confidence: they are"
        if not many:
            what = "has no output with a confidence: it is"
        return f"{n:,} of {n_items:,} items {what}"
    what = "have no confidence: they are" if many else "has no confidence: it is"
    return f"{n:,} of {n_items:,} outputs {what}"


def with_pages(paths: Sequence[Path], columns: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the columns, with pages as groups if ``fastarac ocr`` wrote the files, and a note.

    The group "none" turns this off, unless a column is called "none".
    """
    from fastarac.io._pages import PAGE, is_of_ocr

    group = columns["group"]
    if group == NONE:
        return {**columns, "group": None}, []
    if group is not None or not all(map(is_of_ocr, paths)):
        return dict(columns), []
    note = (
        f'pages in column "{PAGE}" are groups, because words of a page depend on each other; '
        f"--group {NONE} treats words as independent"
    )
    return {**columns, "group": PAGE}, [note]


def notes_of_pages(
    paths: Sequence[Path], columns: Mapping[str, Any], only: str | None = None
) -> list[str]:
    """Return a note if no --group is given but a column looks like pages or ids repeat.

    If `only` names a model, look at its outputs alone.
    """
    from fastarac.io._pages import MODEL, column_of_pages, is_of_ocr, names_in, repeated_ids

    if columns["group"] is not None or all(map(is_of_ocr, paths)):
        return []
    used = {name for name in columns.values() if isinstance(name, str)} | DEFAULT_COLUMNS
    for path in paths:
        found = column_of_pages(path, used, only)
        if found is not None:
            name = printable(found.column)
            note = (
                f"column {quoted(found.column)} looks like pages or documents ({found.values:,} in "
                f"{found.rows:,} rows): use --group {name} if outputs of one depend on each other"
            )
            return [note]
        repeated = None if columns.get("model") else repeated_ids(path, used, only)
        if repeated is not None:
            name, counted = repeated.column, f"{repeated.values:,} values in {repeated.rows:,} rows"
            if only is None and columns.get("model") is None and len(names_in(path, MODEL)) > 1:
                note = (
                    f'column "{name}" has {counted}, and column "{MODEL}" names several models: '
                    f"--model {MODEL} takes each by itself"
                )
                return [note]
            note = (
                f'column "{name}" has {counted}: use --group {name} if rows repeat an output or depend '
                "on each other"
            )
            return [note]
    return []


def without_right_ones(models: Mapping[str, io.Outputs]) -> dict[str, int]:
    """Return the number of outputs of each model that has no right output."""
    return {name: len(outputs) for name, outputs in models.items() if not outputs.correct.any()}


def notes_of_none_right(
    paths: Sequence[Path], numbers: Mapping[str, int], columns: Mapping[str, Any]
) -> list[str]:
    """Return a note with examples for each model without right outputs; `numbers` counts outputs."""
    from fastarac.io._columns import Columns
    from fastarac.io._pages import first_texts

    notes = []
    files = dict(zip(names_of_files(paths), paths, strict=True))
    told = Columns(**{name: columns[name] for name in (*READ, "model")})
    for name, n in numbers.items():
        looked_at = [files[name]] if name in files else paths
        pairs = [pair for path in looked_at for pair in first_texts(path, told, name)][:EXAMPLES]
        said = f"none of the {n:,} outputs of {printable(name)} is right"
        if pairs:
            shown = listed([f"{quoted(read)} for {quoted(true)}" for read, true in pairs])
            said += f", such as {shown}: outputs and truths may differ in spelling, order or columns"
        else:
            said += (
                ": the labels may be reversed (1, true and yes mean right), or --correct names the "
                "wrong column"
            )
        notes.append(said)
    return notes


def refuse_samples(paths: Sequence[Path], *, taken: bool = True) -> None:
    """Refuse a file of outputs drawn for verification, unless an option says so.

    Such outputs are no simple random sample, because unsure outputs are drawn more often. `taken` says
    whether the command has options for them.
    """
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
                    f'{path} has a column "{PROBABILITY}", so its outputs were drawn to be verified: '
                    "use "
                    "verified outputs without that column. Remove it if all outputs are verified, or "
                    "all were drawn with the same probability"
                )
            judge = " --judge judge" if "judge" in columns else ""
            raise RefusalError(
                f'{path} has a column "{PROBABILITY}", so its outputs were drawn to be verified: use '
                f"--inclusion-probability {PROBABILITY}{judge} with a file of all outputs (fastarac "
                f"sample --answers). Use --inclusion-probability {NONE} if all outputs are verified, "
                "or all were drawn with the same probability"
            )


def refuse_searched(paths: Sequence[Path]) -> None:
    """Refuse a file of `fastarac search`: its verified outputs are no random sample."""
    from fastarac.io._pages import BATCH, is_of_search

    for path in paths:
        if is_of_search(path):
            raise RefusalError(
                f'{path} has a column "{BATCH}", so fastarac search chose its outputs, not chance. Use '
                "it with fastarac search; here, use outputs drawn at random (fastarac sample)"
            )


def notes_of_groups(
    paths: Sequence[Path], models: Iterable[Any], columns: Mapping[str, Any]
) -> list[str]:
    """Return a note if `VerifiedOutputs` takes its groups from the draw instead of an option.

    Without such groups, return a note if a column looks like pages.
    """
    if columns["groups"] is not None:
        return []
    if all(outputs.correct.groups is None for outputs in models):
        return notes_of_pages(paths, {**columns, "group": None})
    note = 'groups were drawn whole (column "drawn_by"), so their outputs are treated as dependent'
    return [note]


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return each file's name without its ending, or all whole paths if names repeat."""
    names = [path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [str(path) for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise RefusalError(f"{path} is given twice")
    return whole
