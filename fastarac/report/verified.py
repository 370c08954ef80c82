"""Write the report on partly verified outputs, with estimates for all outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.files import write_whole
from fastarac._core.text import percent, percent_range, printable
from fastarac.answers import limits as wording
from fastarac.evaluation.items import evaluate
from fastarac.evaluation.limits import LABELS, name_of
from fastarac.report.frame import require_page
from fastarac.report.operation import Chart, ReportSection, ReportTable, lines_of, page_of_sections

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from fastarac.evaluation.results import Evaluation, LimitEvaluation
    from fastarac.samples.partial import PartialTruth

SHARES = np.arange(1, 21) / 20  # acceptance rates of the points in the chart
LEFT_OUT = (
    "This report leaves out what needs the truth of all outputs: verdicts on single pages or fields, "
    "errors in context, and the numbers of right and wrong outputs at each confidence."
)


def write_verified_report(
    path: Path,
    models: Mapping[str, tuple[PartialTruth, ArrayLike]],
    found: Mapping[str, Evaluation],
    *,
    notes: Sequence[str] = (),
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    title: str = "How much can go through unchecked?",
) -> None:
    """Write one HTML file about models with partly verified outputs.

    `groups` applies to models whose truth has no groups.
    """
    require_page(path)
    parts: list[ReportSection] = []
    for k, (name, (truth, confidence)) in enumerate(models.items()):
        of = f", {printable(name)}" if len(models) > 1 else ""
        parts += [_of_limit(f"m{k}-curve", of, each, found[name]) for each in found[name].limits]
        parts.append(_of_curve(f"m{k}-curve", of, truth, confidence, groups, confidence_level))
        parts.append(_of_figures(f"m{k}", of, truth, found[name]))
    parts.append(
        ReportSection(
            "answers", "What cannot be estimated", "left out", LEFT_OUT,
            facts=[("Note", note) for note in notes],
        )
    )  # fmt: skip
    write_whole(path, page_of_sections(title, parts))


def _of_limit(id_: str, of: str, found: LimitEvaluation, figures: Evaluation) -> ReportSection:
    """Return the section of one limit; its card links to the curve with the id `id_`."""
    point, limit = found.point, found.limit
    ends = figures.intervals.get(f"acceptance_rate/{limit.key}")
    where = f"{wording.opening(limit)}{of}"
    text = "No threshold keeps this limit: review everything."
    if point.acceptance_rate > 0:
        text = (
            f"of the outputs go through at confidence ≥ {point.threshold:.6g}; about "
            f"{percent(point.error_rate, 3)} of all outputs are undetected errors."
        )
    if ends is not None:
        between = percent_range(ends.low, ends.high, 3)
        text += f" With {percent(ends.confidence_level)} confidence the share is {between}."
    sure = found.guaranteed
    if sure is None:
        return ReportSection(id_, where, percent(point.acceptance_rate, 3), text)
    share, promised = percent(sure.point.acceptance_rate, 3), percent(1.0 - sure.failure_probability)
    sample = [("In this sample", f"{percent(point.acceptance_rate, 3)} {text}")]
    text = f"of new outputs go through at confidence ≥ {sure.threshold:.6g}."
    if not sure.point.acceptance_rate:
        text = "No threshold keeps this limit for sure: review everything."
    return ReportSection(
        id_, f"{where}, guaranteed with {promised} confidence", share, text, facts=sample
    )


def _of_curve(
    id_: str,
    of: str,
    truth: PartialTruth,
    confidence: ArrayLike,
    groups: ArrayLike | None,
    level: float,
) -> ReportSection:
    """Return the section with the error rate, with intervals, at up to twenty acceptance rates."""
    falling = np.sort(np.asarray(confidence))[::-1]
    places = np.ceil(SHARES * len(falling)).astype(np.intp) - 1
    thresholds = list(dict.fromkeys(falling[places].tolist()))
    found = evaluate(
        truth, confidence, max_error_rate=(), threshold=thresholds, intervals=True,
        groups=groups, confidence_level=level,
    )  # fmt: skip
    rows = []
    for each in found.limits:
        ends = found.intervals[f"error_rate/{each.limit.key}"]
        rows.append((each.point.acceptance_rate, each.point.error_rate, ends.low, ends.high))
    share, rate, low, high = np.array(rows).T
    caption = "Undetected errors, as a share of all outputs, by accepted share"
    shown = [
        (percent(x, 3), f"{t:.6g}", (percent(at, 3), percent_range(least, most, 3)))
        for t, (x, at, least, most) in zip(thresholds, rows, strict=True)
    ]
    return ReportSection(
        id_,
        f"Undetected errors{of}",
        percent(float(rate[-1]), 3),
        f"of all outputs are wrong if everything is accepted: about "
        f"{percent_range(float(low[-1]), float(high[-1]), 3)}.",
        charts=[Chart(caption, lines_of(share, [("estimated", rate, (low, high))], "accepted"))],
        tables=[
            ReportTable(
                caption, ("accepted", "at confidence ≥", "undetected errors"), shown, folded=True
            )
        ],
    )


def _of_figures(id_: str, of: str, truth: PartialTruth, found: Evaluation) -> ReportSection:
    values = found.to_dict()
    rows = []
    for name in LABELS:
        ends, value = found.intervals.get(name), values[name]
        between = "" if ends is None else f"{ends.low:.4f} to {ends.high:.4f}"
        rows.append((name_of(name, found.costs), ("–" if value is None else f"{value:.4f}", between)))
    facts = []
    if truth.judge is not None:
        facts.append(("Judge", "Its estimates were recalibrated on the verified outputs."))
    text = (
        f"of {len(truth):,} outputs are verified, each drawn with a known probability. The figures are "
        "estimates for all outputs."
    )
    return ReportSection(
        id_,
        f"Verified outputs{of}",
        f"{truth.n_verified:,}",
        "outputs: all of them." if truth.complete else text,
        facts=facts,
        tables=[ReportTable("Figures, with intervals", ("Figure", "estimate"), rows)],
    )
