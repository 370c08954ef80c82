"""Write the report on a policy in use, from its plan to its monitors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import operation
from fastarac._core.checks import inner_fraction
from fastarac._core.files import write_whole
from fastarac._core.special import binomial_interval
from fastarac._core.text import listed, p_is, percent, percent_range, printable, sentence
from fastarac.answers.planning import guarantee_plan
from fastarac.answers.policies import MOST_ADVICE, point_of_log
from fastarac.operation.acceptance import shown_threshold
from fastarac.operation.audited_rates import rates_of_log
from fastarac.operation.calibration import thinned
from fastarac.operation.planning import power_curve
from fastarac.report.frame import counted, page_of, require_page, rounded_values

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.application_results import AppliedPolicy
    from fastarac.operation.logs import AuditColumns
    from fastarac.operation.shifts import ConfidenceShift
    from fastarac.operation.verdicts import PolicyCheck

ROWS = 200  # maximum number of rows of a table
CURVES, BANDS = 8, 3  # maximum number of curves in a chart; more than BANDS curves have no bands
MOST_POINTS = 60  # a line with more points has no markers
ALL = "all"
UNSEEN = (
    "This compares confidences alone: a model that makes more errors at the same confidences goes "
    "unnoticed."
)
PROMISE = "New outputs come from the same source as those on which the policy was fitted."


class ReportTable(NamedTuple):
    """A table; a cell may be a pair of texts, of which the second is shown below the first."""

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
    folded: bool = False


class Chart(NamedTuple):
    """The title of a chart, and the data from which the script draws it."""

    caption: str
    drawn: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section with an answer in a few words, and the details below it.

    Attributes
    ----------
    id, title : str
    answer : str
        The answer, in large letters.
    text : str
        A sentence that completes the answer.
    tone : {"good", "bad", ""}
    facts : list of tuple of str
        Further facts, as pairs of name and text.
    charts : list of Chart
    tables : list of ReportTable
    """

    id: str
    title: str
    answer: str
    text: str
    tone: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[ReportTable] = field(default_factory=list)


def write_operation_report(
    path: str | os.PathLike[str],
    *,
    plan: Mapping[str, float] | None = None,
    policy: operation.Policy | None = None,
    applied: AppliedPolicy | None = None,
    check: PolicyCheck | None = None,
    shift: ConfidenceShift | None = None,
    log: AuditColumns | None = None,
    monitor: operation.ErrorRateMonitor | operation.MonitorSet | None = None,
    confidence_level: float = 0.95,
    title: str = "Do the accepted outputs keep their limit?",
) -> None:
    """Write one HTML file about a policy, with a section for each result from its plan to its monitor.

    Like the file of :func:`.write_report`, it loads nothing from other addresses.

    Parameters
    ----------
    path : str or path-like
        The file, which appears once it is complete.
    plan : mapping, optional
        Arguments of :func:`.sample_size_for_guarantee` by name.
    policy : Policy, optional
        A policy from :func:`.fit_policy`.
    applied : AppliedPolicy, optional
        The result of :func:`.apply_policy`.
    check : PolicyCheck, optional
        The result of :meth:`.Policy.check`.
    shift : ConfidenceShift, optional
        The result of :meth:`.Policy.shift`; by default the one in `applied`.
    log : AuditColumns, optional
        A log from :func:`.read_audits` with a single threshold and with the truth of rejected outputs.
        If `policy` is given, the report also shows the threshold at which the log guarantees its limit.
    monitor : ErrorRateMonitor or MonitorSet, optional
        The monitor of audits over time, or several.
    confidence_level : float, default=0.95
        Confidence level of calibrations and logs, in (0, 1). Checks and monitors use their own
        levels. If there is a check, its level also applies to the log.
    title : str, optional

    Raises
    ------
    TypeError
        If no result is given.
    ValueError
        If the file name does not end in .html or .htm.
    OSError
        If the file cannot be written.

    See Also
    --------
    write_report : write one HTML page of all figures
    fastarac.operation.Policy : which outputs are accepted, under one limit

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    >>> check = policy.check([1] * 397 + [0] * 3, range(400))
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.html")
    ...     fa.report.write_operation_report(path, policy=policy, check=check)
    ...     "Does the limit hold?" in path.read_text(encoding="utf-8")
    True
    """
    require_page(path)
    level = inner_fraction(confidence_level, "confidence_level")
    parts: list[ReportSection] = []
    if plan is not None:
        parts.append(_of_plan(**plan))
    if policy is not None:
        parts.append(_of_policy(policy, level))
    if applied is not None:
        parts.append(_of_applied(applied))
    if check is not None:
        parts.append(_of_check(check))
    if shift is None and applied is not None:
        shift = applied.shift
    if shift is not None:
        parts.append(_of_shift(shift))
    if log is not None:
        parts.append(_of_log(log, policy, check, level))
    if isinstance(monitor, operation.MonitorSet):
        parts += [_of_monitor(monitor[name], name, i) for i, name in enumerate(monitor)]
    elif monitor is not None:
        parts.append(_of_monitor(monitor))
    if not parts:
        raise TypeError("give at least one part: plan, policy, …, monitor")
    write_whole(path, page_of_sections(title, parts))


def page_of_sections(title: str, parts: Sequence[ReportSection]) -> str:
    """Return a page of sections."""
    charts = ((f"{part.id}-chart-{i}", each) for part in parts for i, each in enumerate(part.charts))
    data = {"units": "outputs", "people": [1.0, 0.0], "drawn": {name: c.drawn for name, c in charts}}
    about = "Each answer, and the evidence for it."
    return page_of("operation.html.jinja", title, data, about=about, parts=parts)


def _of_plan(max_error_rate: float, expected_error_rate: float, **options: Any) -> ReportSection:
    plan = guarantee_plan(max_error_rate, expected_error_rate, **options)
    found, power = plan.sizes, plan.power
    numbers, chances = power_curve(
        max_error_rate, expected_error_rate, power=power, truth_reader=plan.truth_reader,
        failure_probability=plan.failure_probability,
    )  # fmt: skip
    limit, expected = percent(max_error_rate), percent(expected_error_rate)
    return ReportSection(
        "plan",
        "How many outputs to verify",
        f"{found.stable:,}",
        f"verified outputs, drawn at random, guarantee a limit of {limit} with {plan.aim}, if "
        f"{expected} of all are undetected errors at the threshold.",
        facts=[
            (
                "Sufficient sizes",
                f"{found.first:,} is the smallest; from {found.stable:,} on, every size suffices.",
            ),
            ("At least", plan.least_words),
        ],
        charts=[
            Chart(
                "How probable the guarantee is",
                lines_of(
                    numbers, [(f"{expected} expected", chances, None)], "verified outputs",
                    guides=[(power, f"wanted: {percent(power)}")], top=1.0,
                ),
            )
        ],
        tables=[
            ReportTable(
                f"Outputs needed to succeed in {percent(power)} of cases",
                ("Expected error rate", "some sizes from", "all sizes from"),
                [(percent(rate, 4), f"{row.first:,}", f"{row.stable:,}") for rate, row in plan.rates],
            )
        ],
    )  # fmt: skip


def _of_policy(policy: operation.Policy, level: float) -> ReportSection:
    unit = "documents" if policy.documents else "outputs"
    chart, blocks = _calibrations(policy, level)
    of_blocks = ("Field", "confidence", "outputs", "errors", "error probability")
    tables = [
        ReportTable(f"Numbers of the chart; {percent(level)} intervals", of_blocks, blocks, folded=True)
    ]
    if not policy.documents:
        tables.insert(0, _thresholds(policy))
    errors, of_them = counted(policy.errors), f"{policy.n_items:,} {unit}"
    if policy.n_verified is not None:
        errors = f"about {policy.errors:{',.0f' if policy.errors >= 10.0 else '.2g'}}"
        of_them = f"{of_them}, {policy.n_verified:,} of them verified"
    return ReportSection(
        "policy",
        "The policy",
        percent(policy.share_of_all_items, 3),
        f"of the {'items' if policy.n_unread else unit} "
        f"{'go straight through' if policy.documents else 'go through unchecked'}: "
        f"{policy.promise}.",
        "bad" if not policy.accepted else "",
        [
            ("Tested on", f"{of_them}: {policy.accepted:,} accepted, {errors} wrong"),
            ("Assumes", PROMISE),
            *_unread(policy.n_unread, policy.n_read, policy.acceptance_rate),
            *_absent_fields(policy),
        ],
        [chart],
        tables,
    )


def _sizes_of(policy: operation.Policy) -> list[tuple[str, int]]:
    """Return the number of outputs to which each field was fitted."""
    names = [str(each) for each in policy.fields] or [ALL]
    sizes = (int(each.counts.sum()) for each in policy.references)
    return list(zip(names, sizes, strict=True))


def _calibrations(policy: operation.Policy, level: float) -> tuple[Chart, list[Sequence[Any]]]:
    """Return a chart and a table of the error probability by confidence, for the largest fields."""
    names, sizes = zip(*_sizes_of(policy), strict=True)
    largest = sorted(range(len(names)), key=lambda i: -sizes[i])[:CURVES]
    some = "" if len(names) <= CURVES else f", of the {CURVES} largest fields"
    places = np.unique(np.concatenate([_ends_of(policy, i) for i in range(len(names)) if i in largest]))
    curves = []
    blocks: list[Sequence[Any]] = []
    for i in largest:
        each = policy.calibrations[i]
        known = each if policy.n_verified is None else thinned(each, policy.errors_per_group)
        pairs = zip(known.errors.tolist(), known.n_items.tolist(), strict=True)
        ends = np.array([binomial_interval(k, n, level) for k, n in pairs])
        block = each.block_of(places)
        inside = (places >= _ends_of(policy, i)[0]) & (places <= _ends_of(policy, i)[-1])
        shown = [np.where(inside, row[block], np.nan) for row in (each.error_probability, *ends.T)]
        band = (shown[1], shown[2]) if len(largest) <= BANDS else None
        curves.append((names[i], shown[0], band))
        blocks += [
            (names[i], f"≥ {threshold:g}", counted(n), counted(k), _rate(k / n, low, high))
            for threshold, n, k, (low, high) in zip(
                each.thresholds, each.n_items.tolist(), each.errors.tolist(), ends, strict=True
            )
        ]
    drawn = lines_of(places, curves, "confidence", stepped=True)
    return Chart(f"Error probability by confidence{some}", drawn), blocks


def _thresholds(policy: operation.Policy) -> ReportTable:
    rows = [
        (name, _where(threshold), f"{n:,}", _at_threshold(policy, i))
        for i, ((name, n), threshold) in enumerate(
            zip(_sizes_of(policy), policy.thresholds, strict=True)
        )
    ]
    headers = ("Field", "accepted at confidence", "outputs in the fit",
               "error probability at the threshold")  # fmt: skip
    caption = f"{_of_rows('Thresholds of', rows)}. {AT_THRESHOLD}" if rows[1:] else AT_THRESHOLD
    return ReportTable(caption, headers, rows[:ROWS])


def _absent_fields(policy: operation.Policy) -> list[tuple[str, str]]:
    advice = policy.advice[:MOST_ADVICE]
    return [("Fields that are absent", " ".join(advice))] if advice else []


def _unread(n_unread: int, n_read: int, of_read: float) -> list[tuple[str, str]]:
    """Return a row of facts on items without an output, if there are any."""
    if not n_unread:
        return []
    said = (
        f"{n_unread:,} of {n_unread + n_read:,} items are never accepted; {percent(of_read, 3)} of the "
        "others, for which the limit holds, go through"
    )
    return [("Without an output", said)]


def _ends_of(policy: operation.Policy, i: int) -> NDArray[np.float64]:
    """Return where the error probability of field `i` jumps, and the field's largest confidence."""
    each = policy.calibrations[i]
    return np.unique(np.array([*each.thresholds, policy.references[i].quantiles[-1]], np.float64))


# Explains why error probabilities in a table may exceed the limit.
AT_THRESHOLD = (
    "The error probability at a threshold applies to outputs just above it. Outputs with a higher "
    "confidence have fewer errors, and the limit applies to all accepted outputs together."
)


def _where(threshold: float) -> str:
    return shown_threshold(threshold).replace(">=", "≥")


def _at_threshold(policy: operation.Policy, i: int) -> str:
    """Return the error probability of outputs at the threshold of field `i`, as text."""
    threshold, each = policy.thresholds[i], policy.calibrations[i]
    if threshold == math.inf:
        return "–"
    least = each.thresholds[-1] if threshold == -math.inf else threshold
    return percent(float(each.at([least])[0]), 3)


def _of_applied(applied: AppliedPolicy) -> ReportSection:
    rows = [
        (each.field, f"{each.n_items:,}", f"{each.accepted:,}",
         _share(each.accepted, each.n_items), f"{each.expected_errors:.4g}",
         _rate(applied.rate_of(each)))
        for each in applied.fields
    ]  # fmt: skip
    whole = (
        ALL, f"{applied.n_items:,}", f"{applied.accepted:,}", _share(applied.accepted, applied.n_items),
        f"{applied.expected_errors:.4g}", _rate(applied.expected_rate),
    )  # fmt: skip
    headers = ("Field", "outputs", "accepted", "share", "errors expected", "error rate expected")
    rates = [applied.expected_rate, *map(applied.rate_of, applied.fields)]
    names = [ALL, *(each.field for each in applied.fields)]
    straight = applied.straight_through_rate
    share = applied.accepted / max(applied.n_items, 1) if straight is None else straight
    return ReportSection(
        "applied",
        "What went through",
        percent(share, 4) if applied.n_items else "–",
        f"{'of the documents go straight through' if straight is not None else 'of the outputs'}. "
        f"{sentence(applied)}",
        "" if applied.warning is None else "bad",
        charts=_of_fields(names, rates, None, applied.limit, "Expected error rate"),
        tables=[ReportTable(_of_rows("All, and", rows), headers, [whole, *rows[:ROWS]])],
    )


def _of_check(check: PolicyCheck) -> ReportSection:
    whole = check.interval
    every = [
        (ALL, check.n_items, check.accepted, check.errors, whole.estimate, whole.low, whole.high),
        *check.fields,
    ]
    rows = [
        (str(name), f"{n:,}", f"{accepted:,}", f"{errors:,}", _rate(rate, low, high))
        for name, n, accepted, errors, rate, low, high in every
    ]
    rates = np.array([row[4:] for row in every], np.float64)
    sure = percent((1.0 + whole.confidence_level) / 2.0)
    about = " The limit applies to all fields together." if check.fields else ""
    facts = [("Interval", f"{whole.method}; each end alone holds with {sure} confidence.{about}")]
    facts += _unread(check.n_unread, check.n_items, check.accepted / max(check.n_items, 1))
    return ReportSection(
        "check",
        "Does the limit hold?",
        check.verdict,
        sentence(check),
        {"holds": "good", "fails": "bad"}.get(check.verdict, ""),
        facts,
        _of_fields(
            [row[0] for row in rows], rates[:, 0], (rates[:, 1], rates[:, 2]), check.limit,
            "Undetected errors",
        ),
        [ReportTable(
            _of_rows("All, and", rows[1:]),
            ("Field", check.unit, "accepted", "errors", "error rate"),
            rows[: ROWS + 1],
        )],
    )  # fmt: skip


def _of_shift(shift: ConfidenceShift) -> ReportSection:
    where = "" if shift.field is None else f" of {shift.field}"
    rows = [
        (percent(p), f"{before:.4g}", f"{now:.4g}")
        for p, before, now in zip(shift.probabilities.tolist(), shift.before, shift.now, strict=True)
    ]
    return ReportSection(
        "shift",
        "Have the confidences moved?",
        "moved" if shift.shifted else "no sign of it",
        sentence(shift),
        "bad" if shift.shifted else "",
        [("Means", UNSEEN)],
        [Chart(
            f"Quantiles of the confidences{where}: now against before",
            lines_of(
                shift.before, [(p_is(shift.pvalue), shift.now, None)],
                "confidence before", percent=False, diagonal=True, points=True,
            ),
        )],
        [ReportTable(
            "Quantiles of the confidences", ("Share below", "before", "now"), rows, folded=True
        )],
    )  # fmt: skip


def _of_log(
    log: AuditColumns, policy: operation.Policy | None, check: PolicyCheck | None, level: float
) -> ReportSection:
    level = level if check is None else check.interval.confidence_level
    found = rates_of_log(log, level)
    n = len(log.confidence)
    in_use = int(log.accepted.sum()) / n
    at = int(np.searchsorted(found.acceptance_rate, in_use))
    if check is None:
        ends = percent_range(float(found.low[at]), float(found.high[at]), 4)
        sure = percent((1.0 + level) / 2.0)
        words = f"{percent(level)} interval {ends}; each end alone holds with {sure} confidence."
    else:  # the check has already proved an interval
        words = (
            "The check proves its interval. The chart's intervals are approximate and not simultaneous."
        )
    facts = [("Interval", words)]
    if log.unanswered:
        words = f"{log.unanswered:,} outputs were drawn and have no answer; they count as errors."
        facts.append(("Unanswered", words))
    guides = []
    if policy is not None:
        point = point_of_log(policy, log)
        if point is not None:
            guides = [(policy.limit, f"limit: {percent(policy.limit)}")]
            facts.append(("Guarantee now", sentence(point)))
    rows = [
        (percent(share, 3), _rate(rate, low, high))
        for share, rate, low, high in zip(*(row.tolist() for row in found), strict=True)
    ]
    return ReportSection(
        "log",
        "What the audits say",
        percent(float(found.error_rate[at]), 4),
        f"of {n:,} outputs are estimated to be undetected errors, with {percent(in_use, 4)} accepted.",
        facts=facts,
        charts=[Chart(
            "Error rate by accepted share",
            lines_of(
                found.acceptance_rate, [("estimate", found.error_rate, (found.low, found.high))],
                "accepted", guides=guides, marks=[(in_use, "in use")], x_percent=True, stepped=True,
            ),
        )],
        tables=[ReportTable(
            f"Numbers of the chart; {percent(level)} intervals, each taken alone",
            ("Accepted", "error rate"), rows[:: max(1, len(rows) // 20)], folded=True,
        )],
    )  # fmt: skip


def _of_monitor(monitor: operation.ErrorRateMonitor, name: str = "", index: int = 0) -> ReportSection:
    history = monitor.history()
    goal = monitor.mean_updates_to_false_alarm
    looks = goal is not None  # whether the monitor looks for changes
    columns: list[NDArray[Any]] = [
        history.audited, history.errors, history.error_rate, history.low, history.high, history.e_value,
        history.change_statistic,
    ]  # fmt: skip
    rows = [
        (f"{audited:,}", f"{errors:,}", _rate(rate, low, high), f"{e:.3g}", *([f"{m:.3g}"] * looks))
        for audited, errors, rate, low, high, e, m in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
    marks = [] if monitor.alarm_at is None else [(monitor.alarm_at, "alarm")]
    marks += [(int(history.audited[number - 1]), "change") for number in monitor.changes]
    limit = percent(monitor.limit)
    rate = "error rate" if monitor.criterion == "max_error_rate" else "risk"
    last = "" if len(rows) <= ROWS else f", the last {ROWS}"
    points = len(rows) <= MOST_POINTS
    charts = [Chart(
        "Errors among the audits so far",
        lines_of(
            history.audited, [(name or "audits", history.error_rate, (history.low, history.high))],
            "audits", guides=[(monitor.limit, f"limit: {limit}")], marks=marks, points=points,
        ),
    )]  # fmt: skip
    statistics = []
    if monitor.detect != "change":
        at = f"{1.0 / monitor.failure_probability:.4g}"
        statistics.append(f"an e-value of {at} proves that the error rate exceeds the limit")
    if goal is not None:
        statistics.append(f"M raises an alarm when it reaches {goal:,}, and then starts again")
        charts.append(Chart(
            "M: has the rate risen lately?",
            lines_of(
                history.audited, [("M", history.change_statistic, None)], "audits", percent=False,
                guides=[(goal, f"alarm: {goal:,}")], points=points, top=1.2 * goal,
            ),
        ))  # fmt: skip
    return ReportSection(
        f"monitor{index}",
        f"The monitor{f' of {name}' if name else ''}",
        "alarm" if monitor.alarm or monitor.changed else "no alarm",
        sentence(monitor),
        "bad" if monitor.alarm or monitor.changed else "",
        _promises_of(monitor, rate),
        charts if rows else [],
        [ReportTable(
            f"After each count{last}; {'; '.join(statistics)}",
            ("Audits", "errors", "error rate", "e-value", *(["M"] * looks)), rows[-ROWS:],
        )],
    )  # fmt: skip


def _promises_of(monitor: operation.ErrorRateMonitor, rate: str) -> list[tuple[str, str]]:
    """Return a row of facts for each kind of alarm: its state, and the guarantee on false alarms."""
    facts = []
    limit = percent(monitor.limit)
    if monitor.detect != "change":
        at = monitor.alarm_at
        found = "no alarm" if at is None else f"alarm at {at:,} audits"
        chance = f"is at most {percent(monitor.failure_probability)}"
        false = f"while the {rate} stays within {limit}, the probability of any alarm {chance}"
        facts.append(("Proved since the start", f"{found}; {false}"))
    if monitor.mean_updates_to_false_alarm is not None:
        numbers = [f"{number:,}" for number in monitor.changes]
        found = f"alarms at updates {listed(numbers)}" if numbers else "no alarm"
        goal = f"{monitor.mean_updates_to_false_alarm:,}"
        false = f"while the limit holds, a false alarm takes at least {goal} updates on average"
        facts.append(("Changed lately", f"{found}; {false}"))
    return facts


def _of_fields(
    names: Sequence[str],
    rates: ArrayLike,
    ends: tuple[ArrayLike, ArrayLike] | None,
    limit: float,
    caption: str,
) -> list[Chart]:
    """Return a chart of the fields, or nothing if they are too few or too many."""
    if not 2 <= len(names) <= ROWS // 5:
        return []
    drawn = lines_of(
        np.arange(len(names)), [("rate", rates, ends)], "field",
        guides=[(limit, f"limit of {ALL}: {percent(limit)}")], points=True,
    )  # fmt: skip
    return [Chart(caption, drawn | {"names": [printable(name) for name in names]})]


def lines_of(
    x: ArrayLike,
    curves: Iterable[tuple[str, ArrayLike, tuple[ArrayLike, ArrayLike] | None]],
    label: str,
    *,
    guides: Sequence[tuple[float, str]] = (),
    marks: Sequence[tuple[float, str]] = (),
    top: float | None = None,
    **flags: bool,
) -> dict[str, Any]:
    """Return the data of a chart; a curve has a name, y at each x, and the ends of its band."""

    def floats(values: ArrayLike) -> list[float | None]:
        return rounded_values(np.asarray(values, np.float64))

    series = [
        {"name": printable(name), "y": floats(y)}
        | ({} if ends is None else {"low": floats(ends[0]), "high": floats(ends[1])})
        for name, y, ends in curves
    ]
    return {
        "x": floats(x),
        "label": label,
        "series": series,
        "guides": [{"height": height, "text": text} for height, text in guides],
        "marks": [{"at": at, "text": text} for at, text in marks],
        "top": top,
        "percent": True,
        **flags,
    }


def _rate(rate: float, low: float = math.nan, high: float = math.nan) -> tuple[str, str]:
    if math.isnan(rate):
        return "–", ""
    ends = "" if math.isnan(low) else percent_range(low, high, 3)
    return percent(rate, 3), ends


def _share(part: int, whole: int) -> str:
    return percent(part / whole, 3) if whole else "–"


def _of_rows(what: str, rows: Sequence[Any]) -> str:
    """Return the caption of a table of fields; it says how many fields are shown."""
    if len(rows) > ROWS:
        return f"{what} the first {ROWS} of {len(rows):,} fields"
    return f"{what} each field" if len(rows) > 1 else "All outputs"
