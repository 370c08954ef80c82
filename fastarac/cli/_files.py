"""The outputs in files, by model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markup import escape

from fastarac import io
from fastarac._core.text import printable, quoted
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._options import RefusalError, in_words_of_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.report.models import Model


DEFAULT_COLUMNS = {"correct", "prediction", "truth"}
# How the library says what an option does, and how the user has to.
WORDS = {
    "empty_truth=True": "--empty-truth",
    "empty_truth is True": "--empty-truth is given",
    "empty_confidence=True": "--empty-confidence",
    "prediction=COLUMN": "--prediction COLUMN",
    "truth=COLUMN": "--truth COLUMN",
    "item=COLUMN": "--id COLUMN",
    "model=COLUMN": "--model COLUMN",
    "reading_limits(max_line=BYTES)": "fastarac --max-line SIZE",
    "reading_limits(max_ratio=RATIO)": "fastarac --max-ratio RATIO",
}


def read_models(
    paths: Sequence[Path], columns: Mapping[str, Any], *, same_items: bool = False
) -> io.Models:
    """Return the outputs of each model: one a file, or as the column `model` says."""
    files = dict(zip(names_of_files(paths), paths, strict=True))
    with interrupts_end_at_once(), Console(stderr=True).status("") as status:
        try:
            return io.read_models(
                files,
                **columns,
                same_items=same_items,
                on_file=lambda name: status.update(f"Reading {escape(printable(name))}"),
            )
        except ValueError as error:
            message = in_words(error)
            model = columns.get("model")
            if model is not None and f"there is no column {quoted(model)}" in message:
                message += "; --model is a column with the names of models: each file is one without it"
            raise RefusalError(message) from None


def in_words(error: Exception) -> str:
    """Return what is wrong with a file, with the options in the place of arguments."""
    message = in_words_of_options(error)
    for library, command in WORDS.items():
        message = message.replace(library, command)
    return message


def with_rejects_said(models: Sequence[Model]) -> list[Model]:
    """Return the models with a note of how many outputs are never accepted."""
    said = []
    for model in models:
        rejected = model.outputs.rejected
        note = model.notes
        if rejected is not None:
            n, of_all = int(rejected.sum()), f"of {len(rejected):,} outputs"
            have = "have no confidence: they are" if n > 1 else "has no confidence: it is"
            note = (*note, f"{n:,} {of_all} {have} never accepted")
        said.append(replace(model, notes=note))
    return said


def say_pages(paths: Sequence[Path], columns: Mapping[str, Any]) -> None:
    """Say on stderr that a column looks like pages, where no --group is given."""
    from fastarac.io._pages import column_of_pages

    if columns["group"] is not None:
        return
    used = {name for name in columns.values() if isinstance(name, str)} | DEFAULT_COLUMNS
    for path in paths:
        found = column_of_pages(path, used)
        if found is not None:
            name = printable(found.column)
            note = (
                f"column {quoted(found.column)} looks like pages or documents ({found.values:,} in "
                f"{found.rows:,} rows): where the outputs of one depend on each other, intervals and "
                f"tests are too sure without --group {name}"
            )
            typer.echo(f"fastarac: note: {note}", err=True)
            return


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the name of each file without its ending; the whole path where names repeat."""
    names = [path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [str(path) for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise RefusalError(f"{path} is given twice")
    return whole
