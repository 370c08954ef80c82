"""Describe the contents of files: one file in sentences, several files in a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.ocr.inspection import FileInspection


def inspection_screen(files: Sequence[FileInspection]) -> Screen:
    """Describe the contents of files, and the assumptions made in reading them."""
    several = len(files) > 1
    names = [Path(each.path).name for each in files]
    if len(set(names)) < len(names):
        names = [each.path for each in files]
    notes = [
        Note(f"{name}: {assumed}" if several else assumed, Weight.ASSUMES)
        for name, each in zip(names, files, strict=True)
        for assumed in each.assumed
    ]
    if not several:
        (file,) = files
        said = [f"{name.capitalize()}: {text}." for name, text in file.facts()]
        return Screen(
            [f"{file.path} holds {file.counted()} ({file.origin}).", *said], None, notes=notes
        )
    columns = [
        Column("format", [each.format for each in files], justify="left"),
        Column("holds", [each.counted() for each in files], justify="left"),
    ]
    table = AnswerTable(names, [columns], "file")
    details = [
        Section(each.path, [Said(f"{name}: {text}") for name, text in each.facts()]) for each in files
    ]
    return Screen([f"{len(files):,} files can be read."], table, notes=notes, details=details)
