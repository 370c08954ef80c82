"""The file that ``--report`` writes: whole, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core import files
from fastarac._core.extras import missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.cli._model import Model
    from fastarac.io import Outputs
    from fastarac.ocr import FieldOutputs
    from fastarac.report.subjects import Subject

TITLE = "How much can go through unchecked?"
WRITTEN = "{path} has the report: open it in a browser."
LEVEL = 0.95  # of intervals, where none is given


def problem_with(path: Path) -> str | None:
    """Return why the report could not be written to this file, or None."""
    return files.problem_with(path, "report", files.PAGES) or missing(["jinja2"], "report")


def save_operation(path: Path | None, **parts: Any) -> None:
    """Write the report about what is in use, if there is to be one."""
    if path is None:
        return
    from fastarac.report import write_operation_report

    write_operation_report(path, **parts)


def of_outputs(models: Sequence[Model], outputs: Mapping[str, Outputs]) -> list[Subject]:
    """Return what a report is about, of outputs from files."""
    from fastarac.report.subjects import Subject

    return [
        Subject(
            model.name,
            outputs[model.name].correct,
            outputs[model.name].confidence,
            model.sweep,
            model.evaluation,
            sample_weight=outputs[model.name].weight,
            groups=outputs[model.name].group,
            by=outputs[model.name].by,
            rejected=outputs[model.name].rejected,
        )
        for model in models
    ]


def of_fields(models: Sequence[Model], fields: Mapping[str, FieldOutputs]) -> list[Subject]:
    """Return what a report is about, of tables of fields."""
    from fastarac.io._outputs import labels_of
    from fastarac.report.subjects import Subject

    subjects = []
    for model in models:
        each = fields[model.name]
        subjects.append(
            Subject(
                model.name,
                each.correct,
                each.confidence,
                model.sweep,
                model.evaluation,
                groups=labels_of(each.groups) if model.n_groups is not None else None,
                by=labels_of(each.by),
                rejected=each.rejected,
                fields=each,
            )
        )
    return subjects
