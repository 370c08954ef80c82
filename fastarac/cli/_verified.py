"""`fastarac evaluate` and `compare` for partly verified files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac
from fastarac._core.exceptions import collected
from fastarac._core.text import sentence
from fastarac.answers import verified
from fastarac.answers.costs import in_units
from fastarac.answers.file_notes import notes_of_groups
from fastarac.answers.groups import Groups
from fastarac.answers.verified import VerifiedModel
from fastarac.cli import _html
from fastarac.cli._costs import cost_arguments
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._fail_if import end
from fastarac.cli._files import named_files
from fastarac.cli._json import print_models
from fastarac.cli._options import NONE, in_words_of_options, writing
from fastarac.cli._policies import refusing
from fastarac.io._models import columns_of_models
from fastarac.partial_truth.verified_files import read_verified_fields

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.compared_models import ComparisonRequest
    from fastarac.cli._costs import Prices
    from fastarac.cli._fail_if import Conditions
    from fastarac.cli._options import Certainty, Delivery, Limits
    from fastarac.uncertainty.comparison_results import ModelComparison


def evaluate(
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    by: str | None,
    limits: Limits,
    certainty: Certainty,
    delivery: Delivery,
    prices: Prices | None,
    conditions: Conditions,
    command: str = "",
) -> None:
    """Print the figures of each file and of its groups in column `by`."""
    arguments = limits.arguments() | cost_arguments(prices)
    delivery.check()
    certainty = certainty.printed_as(delivery.form)
    sources = columns_of_models(named_files(paths), columns["confidence"])
    conditions.require_models(sources)
    if conditions.every:
        conditions.require_keys(_example(arguments | certainty.arguments()))
    notes: list[str] = []
    read = {}
    judged: list[VerifiedModel] = []
    for name, (path, confidence) in sources.items():
        outputs: Any
        of_model = {**columns, "confidence": confidence}
        with collected(notes):
            outputs, labels = refusing(
                str(path), partial(read_verified_fields, path, by=by, **of_model)
            )
        read[name] = outputs
        with collected(notes), interrupts_end_at_once():
            judged.append(_evaluated(name, path, outputs, labels, arguments, certainty, notes))
    notes = [in_words_of_options(note) for note in notes]
    notes += notes_of_groups(paths, [*read.values()], columns)
    if delivery.report is not None:
        _report(delivery.report, read, judged, notes, certainty.level or _html.LEVEL)
    _print(judged, notes, delivery, conditions, command)


def _evaluated(
    name: str,
    path: Path,
    outputs: Any,
    labels: Sequence[Any] | None,
    arguments: Mapping[str, Any],
    certainty: Certainty,
    notes: list[str],
) -> VerifiedModel:
    """Evaluate a file and its groups; leave out default intervals if they take long."""
    n_groups = 0 if labels is None else len(set(labels))
    n_outputs = len(outputs.correct) * (1 if labels is None else 2)
    certain, left_out = certainty.in_time(n_outputs, 1 + n_groups)
    asked = dict(arguments) | certain.arguments()
    notes += left_out
    found: Any = refusing(str(path), partial(fastarac.evaluate, *outputs, **asked))
    groups = None
    if labels is not None:
        del asked["failure_probability"]
        evaluated = partial(fastarac.evaluate_groups, *outputs, by=labels, **asked)
        each = refusing(str(path), evaluated)
        groups = Groups.ordered([str(label) for label in each.groups], each.values)
    return VerifiedModel(name, found, groups, outputs.correct.n_verified)


def _report(
    path: Path,
    read: Mapping[str, Any],
    judged: Sequence[VerifiedModel],
    notes: Sequence[str],
    level: float,
) -> None:
    from fastarac.report.verified import write_verified_report

    with writing(path), collected([]), interrupts_end_at_once():
        write_verified_report(
            path,
            dict(read),
            {model.name: model.evaluation for model in judged},
            notes=[sentence(note) for note in notes],
            confidence_level=level,
        )


def _print(
    judged: Sequence[VerifiedModel],
    notes: Sequence[str],
    delivery: Delivery,
    conditions: Conditions,
    command: str,
) -> None:
    models: list[dict[str, Any]] = []
    for model in judged:
        groups = {} if model.groups is None else {"groups": model.groups.objects()}
        models.append({"name": model.name, **_figures(model), **groups})
    failures = conditions.failures(models)
    report = delivery.report
    written = [] if report is None else [_html.WRITTEN.format(path=report)]
    screen = verified.screen(judged, notes, delivery.page().width)
    screen = replace(screen, written=written, command=command)
    print_models(delivery, "evaluate", screen, notes, models=lambda: models, rows=lambda: _rows(judged))
    end(failures)


def _rows(judged: Sequence[VerifiedModel]) -> list[dict[str, Any]]:
    grouped = [(model.name, model.groups) for model in judged if model.groups is not None]
    of_groups = [row for name, groups in grouped for row in groups.records(name)]
    return of_groups or [{"model": model.name, **_figures(model)} for model in judged]


def _figures(model: VerifiedModel) -> dict[str, Any]:
    return in_units(model.evaluation.to_dict()) | {"n_verified": model.n_verified}


def _example(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of made-up outputs, which have all keys that results can have."""
    known = np.where(np.arange(20) % 4 < 2, np.arange(20) % 2, np.nan)
    truth = fastarac.PartialTruth(known, inclusion_probability=np.full(20, 0.5))
    with collected([]):
        found: Any = fastarac.evaluate(truth, np.arange(20.0), **arguments)
    return {**in_units(found.to_dict()), "n_verified": 10}


def compare(
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    request: ComparisonRequest,
    delivery: Delivery,
    item: str | None,
    command: str = "",
) -> tuple[ModelComparison, str]:
    """Compare models on the same outputs, paired by the column `item`, and print the result.

    Return the comparison, and the name of the first model.
    """
    from fastarac.answers.compared_models import ComparisonFindings
    from fastarac.cli._comparison import BY_IDS, ORDER, print_findings
    from fastarac.io._pages import ID, has_unique_ids
    from fastarac.partial_truth.verified_files import read_verified_models

    sources = columns_of_models(named_files(paths), columns["confidence"])
    order = None
    if len(paths) == 1:
        item = None  # all models share the file's rows
    elif item is None and all(map(has_unique_ids, paths)):
        item, order = ID, BY_IDS
    elif item in (None, NONE):
        item, order = None, ORDER
    notes: list[str] = []
    with collected(notes), interrupts_end_at_once():
        models = refusing("", lambda: read_verified_models(sources, item=item, **columns))
    with interrupts_end_at_once():
        found: ComparisonFindings = refusing(
            "", lambda: ComparisonFindings.of_verified(models, request, order)
        )
    notes += notes_of_groups(paths, models.values(), columns)
    print_findings(found, delivery, notes=notes, command=command)
    return found.comparison, next(iter(sources))
