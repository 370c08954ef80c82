"""Write a report from arrays or from aligned words, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import inner_fraction, require_type
from fastarac._core.exceptions import collected
from fastarac._core.extras import require
from fastarac._core.files import write_whole
from fastarac._core.text import sentence
from fastarac._engine.inputs import read_groups
from fastarac.answers.models import Model, Reportable, first_by_share
from fastarac.evaluation.items import evaluate
from fastarac.evaluation.limits import read_limits
from fastarac.evaluation.model_ranking import leads_of
from fastarac.evaluation.sources import Beside
from fastarac.io import Labels, Outputs
from fastarac.report.frame import require_page
from fastarac.report.images import images_in
from fastarac.report.page import Report, render
from fastarac.report.verified import write_verified_report
from fastarac.samples.door import is_partial, partial_truth_of, simplified, threshold_sweep
from fastarac.samples.estimated import require_alone

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.reviewer import Reviewer
    from fastarac.samples.partial import PartialTruth

    Reported = Reportable | tuple[ArrayLike, ArrayLike]

LIMITS = ("max_error_rate", "max_risk", "threshold")


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
    attributes: object = None,
    texts: bool = True,
    title: str = "How much can go through unchecked?",
) -> None:
    """Write one HTML file that answers how much can be accepted, how certain that is, and why.

    The file loads nothing from other addresses. It works offline, in print and on a phone.

    Parameters
    ----------
    path : str or path-like
        The file, which appears once it is complete.
    models : mapping of str to Engine, AlignedOutputs, FieldOutputs or (correct, confidence)
        The models by name. `correct` and `confidence` are arrays of shape (n,): whether each output was
        right (bool, or 0 and 1), and its confidence (real and finite). If `correct` is a
        :class:`.PartialTruth`, the report has estimates with intervals, but does not show single
        outputs. For an OCR engine, the report also shows errors in their context, confused characters,
        missed words and other alignment rules. For fields, the report also shows whole documents. The
        report orders several engines by the share accepted at the first limit, and tests whether they
        differ significantly.
    max_error_rate, max_risk, threshold
        Limits to keep, and given thresholds, as in :func:`.evaluate`.
    costs : VerificationCosts, optional
        The initial prices on the page.
    reviewer : Reviewer, optional
        The people who verify; by default they find and correct every error.
    groups : array_like of shape (n,), optional
        Labels of groups of dependent items. The groups of an OCR engine are always its pages or
        documents.
    by : array_like of shape (n,), optional
        Labels of parts to report separately, such as fields; by default the groups.
    confidence_level : float, default=0.95
        Confidence level of intervals and bands.
    images : str or path-like, optional
        Folder with the images of an OCR engine's pages, named like the pages; the report then shows
        the place of each error.
    attributes : PageAttributes, optional
        Attributes of an engine's pages, from :func:`fastarac.ocr.read_attributes`. The report then
        also shows figures for each value of an attribute, such as each language.
    texts : bool, default=True
        Whether the report may quote the pages: errors in their context, missed words, and the whole
        texts of the worst pages. Without texts, the report shows the positions of errors instead,
        and confusions of at most two characters.
    title : str, optional

    Raises
    ------
    ValueError, TypeError
        If :func:`.evaluate` would raise, if there are no models, if two images have the same name, or
        if the file name does not end in .html or .htm.
    OSError
        If the file cannot be written.

    See Also
    --------
    write_review_pages : write one HTML file for each page
    fastarac.evaluate : all figures of one model
    fastarac.ocr.align_files : read and align pairs of files

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
    ...     "At most 1% errors" in path.read_text(encoding="utf-8")
    True
    """
    require("jinja2", "report")
    require_page(path)
    level = inner_fraction(confidence_level, "confidence_level")
    expected = "a mapping of names to (correct, confidence), or to results of fastarac.ocr"
    require_type(models, Mapping, "models", expected, shown=False)
    if not models:
        raise ValueError("models is empty; give at least one model")
    if images is not None and not texts:
        raise ValueError("give only one of images and texts=False: images show texts")
    if any(map(_in_part, models.values())):
        require_alone(costs=costs, reviewer=reviewer, by=by, images=images, attributes=attributes)
        values = max_error_rate, max_risk, threshold
        limits: dict[str, Any] = dict(zip(LIMITS, values, strict=True))
        _write_verified(Path(path), models, limits, groups, level, title)
        return
    beside = Beside({} if images is None else images_in(Path(images)), texts, attributes)
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
    found, notes = _models(models, groups, by, options, beside)
    leads: list[Lead | None] = []
    if len(found) > 1 and all(isinstance(given, Reportable) for given in models.values()):
        found = first_by_share(found)
        items = {model.name: model.outputs for model in found}
        unit = found[0].source.group_word
        splits = {model.name: model.source.splits(model.outputs) for model in found}
        leads = leads_of(items, found[0].limits, unit=unit, confidence_level=level, splits=splits)
    else:
        found.sort(key=lambda model: -model.evaluation.arac.auc)
    save(Path(path), Report(found, title, level, reviewer, costs, notes, leads))


def _models(
    models: Mapping[str, Reported],
    groups: ArrayLike | None,
    by: ArrayLike | None,
    options: dict[str, Any],
    beside: Beside,
) -> tuple[list[Model], list[str]]:
    """Return the evaluated models, and warnings."""
    found, notes = [], []
    for name, given in models.items():
        said: list[str] = []
        with collected(said):
            model = _model(name, given, groups, by, options, beside)
        of_model = f"{name}: " if len(models) > 1 else ""
        notes += [f"{of_model}{sentence(note)}" for note in (*said, *model.source.notes)]
        found.append(model)
    sources = {model.name: model.source for model in found}
    return [replace(each, source=each.source.beside_others(sources)) for each in found], notes


def _in_part(given: Reported) -> bool:
    return isinstance(given, tuple | list) and bool(given) and is_partial(given[0])


def _write_verified(
    path: Path,
    models: Mapping[str, Reported],
    limits: dict[str, Any],
    groups: ArrayLike | None,
    level: float,
    title: str,
) -> None:
    """Write the page about models, at least one of them with partly verified outputs."""
    read: dict[str, tuple[PartialTruth, ArrayLike]] = {}
    found, notes = {}, []
    for name, given in models.items():
        if isinstance(given, Reportable):
            raise TypeError(
                f"models[{name!r}] must be (correct, confidence), as another model is partly "
                f"verified, got a {type(given).__name__}"
            )
        correct, confidence = given
        truth = partial_truth_of(correct)
        said: list[str] = []
        with collected(said):
            found[name] = evaluate(
                truth, confidence, groups=groups, intervals=True, confidence_level=level, **limits
            )
        read[name] = truth, confidence
        of_model = f"{name}: " if len(models) > 1 else ""
        notes += [f"{of_model}{sentence(note)}" for note in said]
    with collected([]):  # the notes already repeat these warnings
        write_verified_report(
            path, read, found, notes=notes, groups=groups, confidence_level=level, title=title
        )


def save(path: Path, report: Report) -> None:
    """Write a page to a file, whole or not at all."""
    write_whole(path, render(report))


def _model(
    name: str,
    given: Reported,
    groups: ArrayLike | None,
    by: ArrayLike | None,
    options: dict[str, Any],
    beside: Beside,
) -> Model:
    source = sweep = None
    if isinstance(given, Reportable):
        limits = read_limits(*(options[name] for name in LIMITS))
        outputs, source = given.__report__(limits, beside)
        if by is not None:
            outputs = replace(outputs, by=_labels(by, len(outputs), "by"))
    else:
        correct, confidence = given
        correct = simplified(correct)  # an array if every item is verified
        sweep = threshold_sweep(correct, confidence)  # raises if an item is invalid
        right, values = np.asarray(correct).astype(np.bool_), np.asarray(confidence)
        labels = [_labels(by, len(values), "by"), _labels(groups, len(values), "groups")]
        outputs = Outputs(right, values, by=labels[0], group=labels[1])
    return Model.of(name, outputs, source, sweep, **options)


def _labels(values: ArrayLike | None, n: int, name: str) -> Labels | None:
    if values is None:
        return None
    distinct, codes = read_groups(values, n, name)
    found: NDArray[np.intp] = np.asarray(codes, np.intp)
    return Labels(tuple(map(str, distinct)), found)
