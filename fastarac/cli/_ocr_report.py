"""The report of ``fastarac ocr``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.cli import _report
from fastarac.cli._ocr_text import notes_on
from fastarac.cli._options import RefusalError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fastarac.cli._ocr_found import Found
    from fastarac.cli._settings import Settings
    from fastarac.report.subjects import Subject


def write_report(found: Found, settings: Settings, images: Path | None) -> None:
    """Write the report on OCR engines, with pieces of the pages' images where there are some."""
    from fastarac.report.crops import images_in

    try:
        pictures = {} if images is None else images_in(images)
        settings.report(
            _of_engines(found, pictures),
            [*_report.doubts(found.models), *notes_on(found)],
            None if found.comparison is None else found.comparison.comparison,
            () if found.comparison is None else found.comparison.chance,
        )
    except (ValueError, ModuleNotFoundError) as error:
        raise RefusalError(str(error)) from None


def _of_engines(found: Found, images: Mapping[str, Path]) -> list[Subject]:
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
