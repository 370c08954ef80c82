"""Write the page about an evaluation, from its template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import (
    capitalised,
    interval_text,
    percent,
    plural,
    printable,
    pvalue,
    rounded_percent,
)
from fastarac.answers.evaluation import blocks
from fastarac.answers.ranking import adjusted_for
from fastarac.answers.tables import in_whole_words
from fastarac.evaluation.limits import short
from fastarac.report.curves import RESAMPLES, Curves, curves_of, steps_of
from fastarac.report.frame import page_of, rounded, rounded_values
from fastarac.report.views import Detail, decisions_of, detail_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.answers.models import Model
    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.report.health import Health
    from fastarac.reviewer import Reviewer

#: Acceptance rates in the table next to the charts.
ROWS = tuple(k / 20 for k in range(1, 21))


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a page.

    Attributes
    ----------
    models : sequence of Model
        Models with the same limits, best first.
    title : str
    confidence_level : float
        Confidence level of bands, parts and calibration. The intervals of `models` have their own
        level.
    reviewer : Reviewer or None
        The people who verify, if they overlook errors or raise false alarms.
    costs : VerificationCosts or None
        The initial prices on the page.
    notes : sequence of str
        Doubts about the figures.
    leads : sequence of Lead or None
        The comparison of the models at each limit; empty if they are not compared.
    """

    models: Sequence[Model]
    title: str
    confidence_level: float = 0.95
    reviewer: Reviewer | None = None
    costs: VerificationCosts | None = None
    notes: Sequence[str] = ()
    leads: Sequence[Lead | None] = ()


def render(report: Report) -> str:
    """Return the HTML of the page; equal reports give equal HTML."""
    models = report.models
    curves = curves_of(models, report.confidence_level)
    details = [
        detail_of(model, index, steps_of(model), report.confidence_level, len(models))
        for index, model in enumerate(models)
    ]
    first = models[0]
    ends = next(iter(first.evaluation.intervals.values()), None)
    return page_of(
        "report.html.jinja",
        report.title,
        _data(report, curves, details),
        about=_about(models),
        holds=first.source.holds,
        bars=_bars,
        few_steps=lambda detail: len(detail.steps.threshold) < detail.model.last_threshold + 1,
        units=first.units,
        unit=first.units.removesuffix("s"),
        kind=first.source.kind,
        decisions=decisions_of(models, report.costs, report.reviewer, report.leads),
        notes=[note if len(models) > 1 else capitalised(note) for note in report.notes if note],
        figures=_figures(models),
        below=first.source.overview(
            {model.name: model.source for model in models}, report.confidence_level
        ),
        across=first.source.across(
            {model.name: (model.source, model.outputs, model.evaluation) for model in models},
            report.confidence_level,
        ),
        level="" if ends is None else percent(ends.confidence_level),
        level_of_parts=percent(report.confidence_level),
        resting=_resting(first),
        resamples=RESAMPLES,
        curve_rows=list(_curve_rows(curves)),
        comparison=_comparison(report.leads),
        details=details,
        prices={
            name: "" if report.costs is None else f"{getattr(report.costs, name):g}"
            for name in ("verification", "correction", "error")
        },
    )


def _data(report: Report, curves: Curves, details: Sequence[Detail]) -> dict[str, Any]:
    people = report.reviewer
    return {
        "level": percent(report.confidence_level),
        "units": report.models[0].units,
        "limits": [
            {"text": short(limit), "criterion": limit.criterion, "value": limit.value}
            for limit in report.models[0].limits
        ],
        "people": [
            1.0 if people is None else people.detection_rate,
            0.0 if people is None else people.false_alarm_rate,
        ],
        "curves": {
            "x": rounded_values(curves.x),
            "models": [
                {
                    "name": printable(model.name),
                    "error": rounded_values(error),
                    "low": rounded_values(low),
                    "high": rounded_values(high),
                    "points": [
                        [rounded(point.acceptance_rate), rounded(point.false_accepts / point.total)]
                        for point in map(model.point, range(len(model.limits)))
                        if point.acceptance_rate > 0
                    ],
                }
                for model, error, low, high in zip(
                    report.models, curves.error_rate, curves.low, curves.high, strict=True
                )
            ],
        },
        "details": {detail.id: _of_detail(detail) for detail in details},
    }


def _of_detail(detail: Detail) -> dict[str, Any]:
    sweep, health = detail.model.sweep, detail.health
    return {
        "total": sweep.total,
        "apart": detail.model.source.apart,
        "missed": detail.model.n_without_output,
        "right": sweep.n_correct,
        "threshold": detail.steps.threshold,
        "ta": detail.steps.true_accepts,
        "fa": detail.steps.false_accepts,
        "edges": rounded_values(np.array(health.edges)),
        "bars": [health.right, health.wrong],
        "highest": health.highest,
        "bins": [
            [rounded(value) for value in (bin_.mean, bin_.right, bin_.right_low, bin_.right_high)]
            for bin_ in health.bins
        ],
    }


def _about(models: Sequence[Model]) -> str:
    first = models[0]
    said = []
    if len(models) > 1:
        said.append(f"{len(models)} {first.source.kind}s")
    if first.source.size:
        said += first.source.size
    else:
        said.append(f"{len(first.outputs):,} {first.units}")
        said += [_groups(first)] * (first.n_groups is not None)
    names = "" if len(models) > 1 else f"{first.name}: "
    return f"{names}{', '.join(said)}."


def _resting(model: Model) -> str:
    if model.n_groups is None:
        return "from outputs treated as independent"
    return f"from {_groups(model)}"


def _groups(model: Model) -> str:
    n = model.n_groups or 0
    return f"{n:,} {plural(model.source.group_word, n)}"


def _figures(models: Sequence[Model]) -> dict[str, Any]:
    """Return the table of all models: areas under curves, and shares accepted at limits."""
    columns = [column for block in blocks(models) for column in block]
    headers = [in_whole_words(column.header) for column in columns]
    rows = [
        {
            "name": model.name,
            "cells": [(each.cells[row], each.below[row] if each.below else "") for each in columns],
        }
        for row, model in enumerate(models)
    ]
    signs = {"<=": "≤", ">=": "≥"}
    for typed, sign in signs.items():
        headers = [header.replace(typed, sign) for header in headers]
    return {"headers": headers, "rows": rows}


def _curve_rows(curves: Curves) -> Any:
    """Yield the rows of a table with the values of the charts at a few acceptance rates."""
    for share in ROWS:
        cells = []
        for error, low, high in zip(curves.error_rate, curves.low, curves.high, strict=True):
            at, least, most = (float(np.interp(share, curves.x, row)) for row in (error, low, high))
            cells.append((rounded_percent(1 - at), interval_text(1 - most, 1 - least)))
            risks = [min(1.0, value / share) for value in (at, least, most)]
            cells.append((rounded_percent(risks[0]), interval_text(risks[1], risks[2])))
        yield {"accepted": rounded_percent(share), "cells": cells}


def _comparison(leads: Sequence[Lead | None]) -> dict[str, Any] | None:
    """Return the differences between models at each limit, or None without a comparison."""
    found = [lead for lead in leads if lead is not None]
    if not found:
        return None
    first = found[0].comparison
    adjusted = adjusted_for(first)
    return {
        "judged": found[0].judged.rstrip(","),
        "level": percent(first.confidence_level),
        "adjusted": f", {adjusted}" if adjusted else "",
        "statistic": "accepted share" if found[0].limit else "ARAC-AUC",
        "rows": [
            {
                "limit": "ARAC-AUC" if lead.limit is None else short(lead.limit),
                "a": pair.a,
                "b": pair.b,
                "by": lead.by(pair),
                "interval": lead.ends(pair),
                "pvalue": pvalue(pair.adjusted_pvalue),
                "verdict": lead.verdict(pair),
            }
            for lead in found
            for pair in lead.comparison.pairs
        ],
        "parts": [
            {
                "limit": "ARAC-AUC" if lead.limit is None else short(lead.limit),
                "part": f"{part.split} {part.value}",
                "n_units": f"{part.n_units:,}",
                "a": part.leader,
                "b": part.other,
                "by": lead.amount(-part.by),
                "pvalue": pvalue(part.adjusted_pvalue),
            }
            for lead in found
            for part in lead.reversed_parts
        ],
        "unit": found[0].unit,
    }


def _bars(health: Health) -> list[tuple[float, int, int]]:
    every = zip(health.edges, health.right, health.wrong, strict=False)
    return [(edge, right, wrong) for edge, right, wrong in every if right or wrong]
