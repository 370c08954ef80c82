"""`fastarac ocr`: from pages or tables of fields to what is printed and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from fastarac.cli import _ocr, _ocr_fields, _report
from fastarac.cli._ocr_text import notes_on
from fastarac.cli._options import RISK_OF_GROUPS, RefusalError
from fastarac.cli._settings import write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fastarac.cli._settings import Settings
    from fastarac.report.subjects import Subject


def run(
    request: _ocr.Request, settings: Settings, *, output: Path | None, images: Path | None = None
) -> None:
    """Read, align, evaluate, write and print."""
    request.check()
    if images is not None and settings.delivery.report is None:
        raise RefusalError("--images is given without --report, which would show them")
    if output is not None and output.suffix not in (".parquet", ".csv"):
        raise RefusalError(f"{output} ends in {output.suffix!r}; .parquet or .csv is expected")
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        problem = "it is a folder" if output.is_dir() else f"there is no folder {output.parent}"
        raise RefusalError(f"{output}: it cannot be written: {problem}")
    if not request.demo:
        if _ocr_fields.are_given(request):
            if images is not None:
                raise RefusalError("--images is for pages; tables of fields have no places on them")
            _ocr_fields.run(request, settings, output=output)
            return
    elif request.normalise:
        raise RefusalError("--normalise is for tables of fields; --demo has texts")
    by_page = settings.certainty.failure_probability is not None and request.by_page
    if by_page and settings.limits.max_risk:
        raise RefusalError(
            "--max-risk has no --guarantee by page; --error-rate has one, and --group none takes the "
            f"outputs of a page for independent: {RISK_OF_GROUPS}"
        )
    found = _ocr.find(request, settings)
    if settings.delivery.report is not None:
        _write_report(found, settings, images)
    if output is not None:
        _ocr.write_items(found.engines, output)
    settings.draw(found.models)
    form = settings.delivery.form
    if form.is_for_people:
        from fastarac.cli._ocr_text import text_of

        write(text_of(found, settings, output))
        return
    write(_report.text_of_rows(_ocr.records(found), form))
    for doubt in _report.doubts(found.models):
        typer.echo(f"fastarac: note: {doubt}", err=True)


def _write_report(found: _ocr.Found, settings: Settings, images: Path | None) -> None:
    """Write the report on OCR engines, with pieces of the pages' images where there are some."""
    from fastarac.report.crops import images_in

    try:
        pictures = {} if images is None else images_in(images)
        settings.report(
            _of_engines(found, pictures),
            [*_report.doubts(found.models), *notes_on(found)],
            *_ocr.for_report(found.comparison),
        )
    except (ValueError, ModuleNotFoundError) as error:
        raise RefusalError(str(error)) from None


def _of_engines(found: _ocr.Found, images: Mapping[str, Path]) -> list[Subject]:
    """Return what a report is about, of OCR engines."""
    from fastarac.io import Labels
    from fastarac.report.subjects import Subject

    subjects = []
    for model in found.models:
        engine = found.engines[model.name]
        aligned = engine.aligned
        pages = Labels(aligned.records.page_names, aligned.page)
        subjects.append(
            Subject(
                model.name,
                aligned.correct,
                aligned.confidence,
                model.sweep,
                model.evaluation,
                groups=pages if found.by_page else None,
                by=None if found.by_page else pages,
                aligned=aligned,
                words=engine.words,
                sensitivity=found.sensitivities[model.name],
                images=images,
            )
        )
    return subjects
