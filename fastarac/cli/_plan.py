"""`fastarac plan`: calculate how many outputs to verify."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console

from fastarac import operation
from fastarac._core.exceptions import collected
from fastarac.answers import planning
from fastarac.answers.file_notes import notes_of_pages, with_pages
from fastarac.answers.screen import Note, Weight
from fastarac.cli import _policy_options as options
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import refuse_samples
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, given_options, grouped
from fastarac.cli._options import (
    STATISTIC,
    ByColumn,
    ErrorRate,
    Failure,
    GroupColumn,
    Level,
    MaxRisk,
    Open,
    OpenAnswers,
    RefusalError,
    ReportFile,
    Seconds,
    groups_of,
    needed_level,
    option,
    rate,
    require_files,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import (
    labels_of,
    of_one_model,
    one_group_of,
    refusing,
    save_report,
    with_confidence,
)
from fastarac.cli._refusals import incompatible, incomplete
from fastarac.cli._screen import ALIKE, command_line
from fastarac.operating_points.points import operating_point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac import io
    from fastarac.answers.answer import Answer

EXAMPLES = """
Examples:

\b
  fastarac plan --error-rate 0.01 --expect 0.005
  fastarac plan --error-rate 0.01 --pilot verified.csv --by field --group page
  fastarac plan --error-rate 0.01 --detect 0.02 --outputs 40000
  fastarac plan --difference 0.01 --discordance 0.05
\f
\b
  fastarac plan --error-rate 0.01 --expect 0.005 --report plan.html
  fastarac plan --pilot outputs.csv --statistic roc_auc --half-width 0.01
"""

PLANS = "--error-rate", "--max-risk", "--difference", "--half-width"
LIMITS = PLANS[:2]
NEEDED = (
    ("--expect", LIMITS),
    ("--detect", ("--error-rate",)),
    ("--outputs", ("--detect",)),
    ("--difference", ("--discordance",)),
    ("--discordance", ("--difference",)),
    ("--statistic", ("--half-width",)),
    ("--guarantee", LIMITS),
    ("--power", (*LIMITS, "--difference")),
    ("--ci", ("--half-width", "--difference")),
    ("--pilot", (*LIMITS, "--half-width")),
    ("--half-width", ("--pilot",)),
    ("--max-risk", ("--pilot", "--expect")),
    ("--error-rate", ("--pilot", "--expect", "--detect")),
    *((name, ("--pilot",)) for name in ("--group", "--only", "--by")),
    ("--report", ("--expect",)),
    ("--truth-found", LIMITS),
    ("--open", ("--pilot",)),
)
EXCLUDED = (
    ("--detect", ("--expect", "--by")),
    ("--half-width", ("--by",)),
    ("--pilot", ("--expect",)),
    ("--report", ("--max-risk",)),
)

Expect = Annotated[
    float | None,
    option(
        "--expect RATE", "Error rate that you expect, if there is no pilot.", Panel.limits, parser=rate
    ),
]
Detect = Annotated[
    float | None,
    option("--detect RATE", "Error rate that audits must detect.", Panel.limits, parser=rate),
]
Outputs = Annotated[
    int | None,
    option("--outputs N", "Number of all outputs to come, audited or not.", Panel.limits),
]
Power = Annotated[
    float | None,
    option("--power PROBABILITY", "Probability that the plan succeeds.  [default: 0.8]", Panel.sure),
]
Difference = Annotated[
    float | None,
    option("--difference RATE", "Difference of recognition rates to detect.", Panel.limits),
]
Discordance = Annotated[
    float | None,
    option("--discordance SHARE", "Share of outputs that only one model gets right.", Panel.limits),
]
Pilot = Annotated[
    Path | None, option("--pilot FILE", "Verified outputs, similar to those to come.", Panel.files)
]
HalfWidth = Annotated[
    float | None,
    option("--half-width WIDTH", "Half-width that the interval should reach.", Panel.limits),
]
StatisticName = Annotated[str | None, STATISTIC]


class _PilotFile(NamedTuple):
    """A file of verified outputs to plan from, its model to use, and its columns."""

    path: Path
    only: str | None
    columns: Mapping[str, Any]

    def read(self, notes: list[str] | None = None) -> tuple[io.Outputs, Any]:
        """Return outputs and groups; if `notes` is a list, leave out outputs without a confidence."""
        with interrupts_end_at_once():
            outputs = of_one_model(self.path, self.only, self.columns, notes)
            if notes is not None:
                outputs = with_confidence(self.path, outputs, notes, missed=True)
            return outputs, one_group_of(outputs)


@grouped
def plan(
    context: typer.Context,
    *,
    pilot: Pilot = None,
    group: GroupColumn = None,
    only: options.Only = None,
    by: ByColumn = None,
    open_answers: OpenAnswers = Open.refuse,
    error_rate: ErrorRate = None,
    max_risk: MaxRisk = None,
    expect: Expect = None,
    detect: Detect = None,
    outputs: Outputs = None,
    difference: Difference = None,
    discordance: Discordance = None,
    half_width: HalfWidth = None,
    statistic: StatisticName = None,
    guarantee: Failure = 0.05,
    power: Power = None,
    truth_found: options.TruthFound = None,
    ci: Level = 0.95,
    seconds: Seconds = None,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Plan how many outputs to verify."""
    _require_together(set(given_options(context).values()))
    require_files(None, report)
    level = needed_level(ci)
    likely = 0.8 if power is None else power
    notes: list[str] = []
    source = None
    if pilot is not None:
        refuse_samples([pilot], taken=False)
        columns = {"group": groups_of(group), "by": by, "open": str(open_answers)}
        source = _pilot(pilot, only, columns, max_risk, notes)
    with collected(notes):
        if difference is not None:
            found = _comparison(difference, discordance, level, likely)
        elif half_width is not None and source is not None:
            found = _interval(source, statistic or "arac_auc", half_width, level)
        elif detect is not None and error_rate is not None:
            asked = {"n_outputs": outputs, "failure_probability": guarantee, "power": likely}
            found = _audits(source, error_rate, detect, asked | {"truth_reader": truth_found})
        elif source is None and max_risk is None:
            asked = {"failure_probability": guarantee, "power": likely, "truth_reader": truth_found}
            found = _guarantee(error_rate, expect, asked, report)
        else:
            arguments = {
                "max_error_rate": error_rate, "max_risk": max_risk, "failure_probability": guarantee,
                "expected_error_rate": expect, "power": likely, "truth_reader": truth_found,
            }  # fmt: skip
            found = _policy(source, arguments, notes)
    n = _number_of(found)
    if seconds is not None and n is not None:
        found = planning.with_work(found, n, seconds)
    found = found.with_warnings(notes, Weight.ASSUMES).closing(_next(found))
    deliver(printing, "plan", found, report=report)


def _number_of(found: Answer) -> int | None:
    """Return the planned number of outputs, or None if none was found."""
    names = {"guarantee": "stable", "audits": "stable", "policy": "n_items"}
    n: int | None = found.figures[names.get(found.figures["for"], "n")]
    return n


def _next(found: Answer) -> str:
    """Return the command to suggest, which draws the planned number of outputs."""
    figures, n = found.figures, _number_of(found)
    # Drawing groups needs their column, whose name in the new file is unknown.
    if n is None or figures.get("n_groups", n) != n:
        return ""
    aims = {"comparison": ("--for", "comparison"), "interval": ()}
    aim = aims.get(figures["for"], ALIKE)
    return command_line("sample", "outputs.csv", "--budget", n, *aim, "-o", "to_verify.csv")


def _require_together(given: set[str]) -> None:
    """Refuse options that ask for no plan or for several."""
    if sum(each in given for each in PLANS) != 1:
        raise RefusalError(f"give exactly one of {', '.join(PLANS)}")
    incomplete(given, NEEDED)
    incompatible(given, EXCLUDED)


def _pilot(
    path: Path,
    only: str | None,
    columns: Mapping[str, Any],
    max_risk: float | None,
    notes: list[str],
) -> _PilotFile:
    """Return the pilot file, with pages as groups in the cases in which `fit` groups by page."""
    if max_risk is None or columns["group"] is not None:
        columns, of_pages = with_pages([path], columns)
        notes += of_pages + notes_of_pages([path], columns, only)
    return _PilotFile(path, only, columns)


def _policy(source: _PilotFile | None, arguments: Mapping[str, Any], notes: list[str]) -> Answer:
    """Plan the sample for a policy by simulation, from a pilot or from the stated assumptions."""
    arrays: dict[str, Any] = {}
    if source is not None:
        outputs, groups = source.read(notes)
        arrays = {
            "correct": outputs.correct,
            "confidence": outputs.confidence,
            "by": labels_of(outputs.by),
            "groups": groups,
        }
    with interrupts_end_at_once():
        found = refusing(
            "" if source is None else str(source.path),
            lambda: operation.sample_size_for_policy(
                **arrays, **arguments, progress=Console(stderr=True).is_terminal
            ),
        )
    return _of_pilot(source, planning.policy_answer(found))


def _of_pilot(source: _PilotFile | None, found: Answer) -> Answer:
    if source is None:
        return found
    return found.with_figures(pilot=str(source.path))


def _audits(
    source: _PilotFile | None,
    limit: float,
    actual: float,
    options: Mapping[str, Any],
) -> Answer:
    said: list[str] = []
    effect = 1.0
    if source is not None:
        outputs, groups = source.read()
        labels: Any = groups
        if groups is None:
            incomplete({"--pilot"}, [("--pilot", ("--group",))])
        pair = (outputs.correct, outputs.confidence)
        with interrupts_end_at_once():
            point = refusing("", lambda: operating_point(*pair, max_error_rate=limit))
            effect = operation.design_effect(*pair, groups=labels, threshold=point.threshold)
        names = source.columns["group"]
        of_groups = [names] if isinstance(names, str) else names
        said = [planning.design_effect_sentence(effect, of_groups, source.path.name, limit)]
    asked: dict[str, Any] = {**options, "design_effect": effect}
    found = refusing("", lambda: operation.audit_plan(limit, actual, **asked))
    answer = planning.audit_answer(found, max_error_rate=limit, actual_error_rate=actual, **asked)
    notes = [Note(each, Weight.ASSUMES) for each in said]
    return replace(answer, screen=answer.screen.with_notes(*notes))


def _guarantee(
    limit: Any,
    expected: Any,
    asked: dict[str, Any],
    report: Path | None,
) -> Answer:
    found = refusing("", lambda: planning.guarantee_plan(limit, expected, **asked))
    save_report(report, plan={"max_error_rate": limit, "expected_error_rate": expected, **asked})
    return planning.guarantee_answer(found)


def _comparison(difference: float, discordance: Any, level: float, power: float) -> Answer:
    asked = {"confidence_level": level, "power": power, "design_effect": 1.0}
    n = refusing("", lambda: operation.sample_size_for_comparison(difference, discordance, **asked))
    return planning.comparison_answer(n, difference=difference, discordance=discordance, **asked)


def _interval(source: _PilotFile, name: str, half_width: float, level: float) -> Answer:
    from fastarac.cli._comparison import statistic_of

    statistic = statistic_of(name)
    outputs, groups = source.read()
    asked: dict[str, Any] = {"half_width": half_width, "confidence_level": level}
    with interrupts_end_at_once():
        n = refusing(
            str(source.path),
            lambda: operation.sample_size_for_interval(
                outputs.correct, outputs.confidence, statistic=statistic, groups=groups, **asked
            ),
        )
    return _of_pilot(source, planning.interval_answer(n, statistic=name, **asked))
