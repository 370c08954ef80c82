"""The outputs in files, by model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from fastarac import io
from fastarac._core.text import printable
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._options import RefusalError, in_words_of_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# How the library says what an option does, and how the user has to.
WORDS = {
    "empty_truth=True": "--empty-truth",
    "empty_truth is True": "--empty-truth is given",
    "item=COLUMN": "--id COLUMN",
    "model=COLUMN": "--model COLUMN",
}


def read_models(
    paths: Sequence[Path], columns: Mapping[str, Any], *, same_items: bool = False
) -> io.Models:
    """Return the outputs of each model: one a file, or as the column `model` says."""
    files = dict(zip(_names_of_files(paths), paths, strict=True))
    with interrupts_end_at_once(), Console(stderr=True).status("") as status:
        try:
            return io.read_models(
                files,
                **columns,
                same_items=same_items,
                on_file=lambda name: status.update(f"Reading {escape(printable(name))}"),
            )
        except ValueError as error:
            message = in_words_of_options(error)
            for library, command in WORDS.items():
                message = message.replace(library, command)
            raise RefusalError(message) from None


def number_of_groups(outputs: io.Outputs) -> int | None:
    """Return how many groups of outputs that depend on each other there are."""
    return None if outputs.group is None else len(np.unique(outputs.group.codes))


def _names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the name of each file without its ending; the whole path where names repeat."""
    names = [path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [str(path) for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise RefusalError(f"{path} is given twice")
    return whole
