"""Notes about the columns of files, such as columns of pages and repeated ids."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from fastarac._core.text import listed, printable, quoted
from fastarac.io._columns import Columns
from fastarac.io._models import columns_of_models
from fastarac.io._pages import (
    MODEL,
    PAGE,
    column_of_pages,
    count_unseen,
    first_texts,
    is_of_ocr,
    names_in,
    repeated_ids,
)
from fastarac.ocr.words.residual_misses import with_unseen_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fastarac import io
    from fastarac.answers.models import Model
    from fastarac.answers.without_items import ModelWithoutItems

    M = TypeVar("M", bound=Model | ModelWithoutItems)

NONE = "none"  # this value of --group treats all outputs as independent
READ = (
    "confidence",
    "correct",
    "prediction",
    "truth",
)  # columns used to decide whether an output is right
EXAMPLES = 3  # number of outputs that a note shows as examples
DEFAULT_COLUMNS = {"correct", "prediction", "truth"}


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
    models: Sequence[M], files: Mapping[str, Path], columns: Mapping[str, Any]
) -> list[M]:
    """Return the models with figures that also count missed words."""
    column, sources = columns.get("model"), columns_of_models(files, columns["confidence"])
    found = []
    for model in models:
        if column is not None:
            n = sum(count_unseen(*source, (column, model.name)) for source in sources.values())
        else:
            n = count_unseen(*sources[model.name], None)
        figures = with_unseen_figures(model.evaluation, n) if n else model.evaluation
        found.append(replace(model, evaluation=figures))
    return found


def said_of_rejects(n: int, n_items: int, *, missed: bool) -> str:
    """Return the beginning of a sentence on the items without an output or a confidence."""
    many = n != 1
    if missed:
        what = "have no output with a confidence: they are"
        if not many:
            what = "has no output with a confidence: it is"
        return f"{n:,} of {n_items:,} items {what}"
    what = "have no confidence: they are" if many else "has no confidence: it is"
    return f"{n:,} of {n_items:,} outputs {what}"


def with_pages(paths: Sequence[Path], columns: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the columns, with pages as groups if ``fastarac ocr`` wrote all files, and a note."""
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
    """Return a note if a column seems to hold pages or ids repeat, unless a group column is given.

    `only` names a model, if the outputs of others are to be ignored.
    """
    if columns["group"] is not None or all(map(is_of_ocr, paths)):
        return []
    used = {name for name in columns.values() if isinstance(name, str)} | DEFAULT_COLUMNS
    for path in paths:
        found = column_of_pages(path, used, only)
        if found is not None:
            name = printable(found.column)
            note = (
                f"column {quoted(found.column)} looks like pages or documents ({found.values:,} "
                f"values in {found.rows:,} rows): use --group {name} if outputs of one page or "
                "document depend on each other"
            )
            return [note]
        repeated = None if columns.get("model") else repeated_ids(path, used, only)
        if repeated is not None:
            name, counted = repeated.column, f"{repeated.values:,} values in {repeated.rows:,} rows"
            if only is None and columns.get("model") is None and len(names_in(path, MODEL)) > 1:
                note = (
                    f'column "{name}" has {counted}, and column "{MODEL}" names several models: '
                    f"--model {MODEL} reads each separately"
                )
                return [note]
            note = (
                f'column "{name}" has {counted}: use --group {name} if rows repeat an output or depend '
                "on each other"
            )
            return [note]
    return []


def without_right_ones(models: Mapping[str, io.Outputs]) -> dict[str, int]:
    """Return the number of outputs of each model whose outputs are all wrong."""
    return {name: len(outputs) for name, outputs in models.items() if not outputs.correct.any()}


def notes_of_none_right(
    files: Mapping[str, Path], numbers: Mapping[str, int], columns: Mapping[str, Any]
) -> list[str]:
    """Return notes on models whose outputs are all wrong; `numbers` has their numbers of outputs."""
    notes = []
    told = Columns(**{name: columns[name] for name in (*READ, "model")})
    sources = columns_of_models(files, columns["confidence"])
    for name, n in numbers.items():
        looked_at = [sources[name][0]] if name in sources else list(files.values())
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


def notes_of_groups(
    paths: Sequence[Path], models: Iterable[Any], columns: Mapping[str, Any]
) -> list[str]:
    """Return a note if outputs were drawn in whole groups, or if a column looks like pages."""
    if columns["groups"] is not None:
        return []
    if all(outputs.correct.groups is None for outputs in models):
        return notes_of_pages(paths, {**columns, "group": None})
    note = 'groups were drawn whole (column "drawn_by"), so their outputs are treated as dependent'
    return [note]
