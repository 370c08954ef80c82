"""Reports from arrays or from aligned words, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import inner_fraction
from fastarac._core.exceptions import collected
from fastarac._core.extras import require
from fastarac._core.files import write_whole
from fastarac._core.text import sentence
from fastarac._engine.inputs import read_groups
from fastarac.evaluation.items import evaluate
from fastarac.evaluation.rejected import restricted
from fastarac.io import Labels
from fastarac.ocr.engines import Engine
from fastarac.ocr.fields import FieldOutputs
from fastarac.ocr.items import AlignedOutputs
from fastarac.ocr.sensitivities import sensitivity
from fastarac.ocr.shared import doubts
from fastarac.report.crops import images_in
from fastarac.report.frame import require_page
from fastarac.report.page import Report, render
from fastarac.report.subjects import Subject
from fastarac.sweep import threshold_sweep

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.costs.verification import VerificationCosts
    from fastarac.reviewer import Reviewer

    Reported = Engine | AlignedOutputs | FieldOutputs | tuple[ArrayLike, ArrayLike]

__all__ = ["save", "write_report"]


def write_report(
    path: str | os.PathLike[str],
    models: Mapping[str, Reported],
    *,
    max_error_rate: ArrayLike = (0.01, 0.05),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    groups: ArrayLike | None = None,
    by: ArrayLike | None = None,
    confidence_level: float = 0.95,
    images: str | os.PathLike[str] | None = None,
    title: str = "How much can go through unchecked?",
) -> None:
    """Write one HTML file that answers how much can be accepted, how sure that is, and why.

    The file loads nothing from anywhere: it works from the disk, printed and on a phone.

    Parameters
    ----------
    path : str or path-like
        The file, which appears once it is complete.
    models : mapping of str to Engine, AlignedOutputs, FieldOutputs or (correct, confidence)
        Arrays of shape (n,): whether each output was right (bool, or 0 and 1), and its confidence
        (real and finite). Of an OCR engine the report also has errors in their context, confusions
        of characters, what is missed, and other policies; of fields, whole documents.
    max_error_rate, max_risk, threshold
        Limits, and thresholds as they are: as for :func:`.evaluate`.
    costs : VerificationCosts, optional
        The prices that the page starts from.
    reviewer : Reviewer, optional
        The people who verify; by default they find and correct every error.
    groups : array_like of shape (n,), optional
        Labels of items that depend on each other. Those of an OCR engine are the pages, or the
        documents, always.
    by : array_like of shape (n,), optional
        Labels of what is to be reported apart, such as fields; by default the groups.
    confidence_level : float, default=0.95
        Of intervals and bands.
    images : str or path-like, optional
        Folder with the images of an OCR engine's pages, named as the pages are: the report shows the
        place of each error.
    title : str, optional

    Raises
    ------
    ValueError, TypeError
        As :func:`.evaluate`; also without models, for images that cannot be told apart, and for a
        file whose name does not end in .html or .htm.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> sample = fa.ocr.load_sample()
    >>> aligned = fa.ocr.align(sample.truth, sample.outputs["plain"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.html")
    ...     fa.report.write_report(path, {"plain": aligned}, max_error_rate=0.01)
    ...     "At most 1 % errors" in path.read_text(encoding="utf-8")
    True
    """
    require("jinja2", "report")
    require_page(path)
    level = inner_fraction(confidence_level, "confidence_level")
    if not isinstance(models, Mapping):
        raise TypeError(
            f"models is a {type(models).__name__}; a mapping of names to (correct, confidence), or to "
            "what fastarac.ocr makes, is expected"
        )
    if not models:
        raise ValueError("models is empty; at least one model is expected")
    pictures = {} if images is None else images_in(Path(images))
    notes: list[str] = []
    options: dict[str, Any] = {
        "max_error_rate": max_error_rate,
        "max_risk": max_risk,
        "threshold": threshold,
        "costs": costs,
        "reviewer": reviewer,
        "intervals": reviewer is None,
    }
    if reviewer is None:
        options["confidence_level"] = level
    subjects = []
    for name, model in models.items():
        said: list[str] = []
        with collected(said):
            subject = _subject(name, model, groups, by, options, pictures)
        if subject.aligned is not None:
            said += doubts(subject.aligned)
        of_model = f"{name}: " if len(models) > 1 else ""
        notes += [f"{of_model}{sentence(note)}" for note in said]
        subjects.append(subject)
    subjects.sort(key=lambda subject: -subject.evaluation.arac.auc)
    save(Path(path), Report(subjects, title, level, reviewer, costs, None, notes))


def save(path: Path, report: Report) -> None:
    """Write a page into a file, which appears once it is complete."""
    write_whole(path, render(report))


def _subject(
    name: str,
    model: Reported,
    groups: ArrayLike | None,
    by: ArrayLike | None,
    options: dict[str, Any],
    images: Mapping[str, Path],
) -> Subject:
    if isinstance(model, Engine | AlignedOutputs):
        aligned = model.aligned if isinstance(model, Engine) else model
        pages = aligned.page if options["intervals"] else None
        figures = evaluate(aligned.correct, aligned.confidence, groups=pages, **options)
        figures = aligned.restricted(figures)
        return Subject(
            name,
            aligned.correct,
            aligned.confidence,
            aligned.sweep(),
            figures,
            groups=Labels(aligned.records.page_names, aligned.page),
            by=_labels(by, len(aligned), "by"),
            aligned=aligned,
            words=model.words if isinstance(model, Engine) else None,
            sensitivity=sensitivity(aligned, [found.limit for found in figures.limits]),
            images=images,
        )
    if isinstance(model, FieldOutputs):
        documents = model.groups
        figures = evaluate(
            model.correct,
            model.confidence,
            groups=documents if options["intervals"] else None,
            **options,
        )
        sweep = threshold_sweep(model.correct, model.confidence)
        if model.never_accepted is not None:
            figures = restricted(figures, sweep, model.never_accepted)
        return Subject(
            name,
            model.correct,
            model.confidence,
            sweep,
            figures,
            groups=_labels(documents, len(model), "groups"),
            by=_labels(model.by if by is None else by, len(model), "by"),
            rejected=model.rejected,
            fields=model,
        )
    correct, confidence = model
    dependence = groups if options["intervals"] else None
    figures = evaluate(correct, confidence, groups=dependence, **options)
    values = np.asarray(confidence)
    return Subject(
        name,
        np.asarray(correct).astype(np.bool_),
        values,
        threshold_sweep(correct, confidence),
        figures,
        groups=_labels(groups, len(values), "groups"),
        by=_labels(by, len(values), "by"),
    )


def _labels(values: ArrayLike | None, n: int, name: str) -> Labels | None:
    if values is None:
        return None
    distinct, codes = read_groups(values, n, name)
    found: NDArray[np.intp] = np.asarray(codes, np.intp)
    return Labels(tuple(map(str, distinct)), found)
