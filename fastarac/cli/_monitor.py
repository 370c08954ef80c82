"""`fastarac monitor`: whether audits show that a limit is exceeded."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastarac._core.locks import locked
from fastarac.answers.monitoring import monitor_answer
from fastarac.cli import _html, _plot
from fastarac.cli import _policy_options as options
from fastarac.cli._audit_files import ALONE, AuditOptions, Watch
from fastarac.cli._exit import FAILED
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, ReadingOptions, given_options, grouped
from fastarac.cli._options import ReportFile, option, require_files
from fastarac.cli._policies import refusing
from fastarac.cli._refusals import incompatible, incomplete
from fastarac.cli._screen import command_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.answers.answer import Answer
    from fastarac.operation import ErrorRateMonitor

EXAMPLES = """
Examples:

\b
  fastarac monitor policy.json audits.csv
  fastarac monitor policy.json monday.csv tuesday.csv --state state.json --plot monitor.png
  fastarac monitor policies/ audits.csv --policy source --state state.json
  fastarac monitor policy.json pages.csv --group page --max-group-size 40 --state state.json

The files hold outputs that were drawn at random, accepted or not, with their truth; or they are logs,
as fastarac sample --audit writes them and check --log reads them. Each audit counts once: by its id,
which no other audit has, where there is a column of them; else a file with the same audits as one
before counts as that one. The policies of a folder share one probability of a false alarm.

Exit status 1 is given where the limit is proved to be exceeded since the state began, and where one of
these files gives an alarm of a rate that rose above it lately. Each file is an update; the outputs of
a page (--group) belong into one file.
"""

NEEDED = (
    ("--group", ("--max-group-size",)),
    ("--max-group-size", ("--group",)),
    ("--drawn-at", ("--deadline",)),
    ("--deadline", ("--drawn-at",)),
)
OF_TABLES = "--prediction", "--truth", "--compare", "--empty-truth", "--empty-confidence"
EXCLUDED = (
    ("--drawn-at", ("--document", "--policy", *OF_TABLES)),
    ("--group", ("--document",)),
)

PoliciesFile = Annotated[
    Path,
    typer.Argument(
        metavar="POLICY",
        help="What fastarac fit has written, or a folder of such files.",
        show_default=False,
    ),
]
AuditFiles = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="Files of audited outputs.", show_default=False),
]
PolicyColumn = Annotated[
    str | None,
    option("--policy COLUMN", "Column of the names of the policies in the folder POLICY."),
]
State = Annotated[
    Path | None,
    option("--state FILE", "What was counted so far; it is made where it is not there."),
]
AuditId = Annotated[
    str | None,
    option(
        "--id COLUMN",
        "Column of ids that no two audits share, in all files.  [default: id, where there is such a "
        "column and no --document]",
    ),
]
Plot = Annotated[Path | None, option("--plot FILE", "Draw the error rate over the audits.")]
FalseAlarm = Annotated[
    float,
    option(
        "--guarantee PROBABILITY",
        "How probable it may be that there is ever an alarm while the limit is kept.",
    ),
]
GroupColumn = Annotated[
    str | None,
    option(
        "--group COLUMN",
        "Column of pages or other groups, drawn at random and audited whole, whose outputs may depend "
        "on each other.",
    ),
]
MaxGroupSize = Annotated[
    int | None,
    option("--max-group-size N", "Outputs that a group has at most, beside --group; N stays the same."),
]
UpdatesToFalseAlarm = Annotated[
    int,
    option(
        "--updates-to-false-alarm N",
        "How many updates there are in the mean, at least, to a false alarm of a change.",
    ),
]
DrawnAt = Annotated[
    str | None,
    option(
        "--drawn-at COLUMN",
        "Column of when each output was drawn: dates or numbers. Audits count in this order; the truth "
        "of open ones is empty.",
    ),
]
Deadline = Annotated[
    float | None,
    option("--deadline TIME", "How long answers are waited for, beside --drawn-at: of dates in days."),
]


@grouped
def monitor(
    context: typer.Context,
    policy: PoliciesFile,
    paths: AuditFiles,
    *,
    reading: ReadingOptions,
    by: options.Fields = None,
    document: options.Document = None,
    document_type: options.DocumentTypes = None,
    fields_complete: options.FieldsComplete = False,
    policy_column: PolicyColumn = None,
    audit_id: AuditId = None,
    group: GroupColumn = None,
    max_group_size: MaxGroupSize = None,
    drawn_at: DrawnAt = None,
    deadline: Deadline = None,
    guarantee: FalseAlarm = 0.05,
    updates_to_false_alarm: UpdatesToFalseAlarm = 1000,
    state: State = None,
    plot: Plot = None,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Watch a policy by audits: exit status 1 at an alarm, of all audits or of a change lately."""
    given = set(given_options(context).values())
    incomplete(given, NEEDED)
    incompatible(given, EXCLUDED)
    require_files(plot, report)
    audits = AuditOptions(
        reading.columns(by=by, item=document, group=policy_column, model=audit_id),
        group, max_group_size, drawn_at, deadline, document_type, fields_complete,
        next((name for name in OF_TABLES if name in given), None),
    )  # fmt: skip
    promises = {
        "failure_probability": guarantee, "mean_updates_to_false_alarm": updates_to_false_alarm,
    }  # fmt: skip
    with ExitStack() as held:
        if state is not None:  # from reading it to the last writing, lest another's audits be lost
            refusing(str(state), lambda: held.enter_context(locked(state)))
        watch = Watch(policy, audits, promises, state)
        for path in paths:
            watch.count(path)
            if state is not None:  # after each file, so that an interrupt loses none that is done
                refusing(str(state), lambda: watch.monitor.save(state))
    shifts, monitors = watch.shifts(), watch.monitors
    if plot is not None:
        refusing(str(plot), lambda: _draw(monitors, plot))
    only = watch.policies.get(ALONE)
    refusing(str(report), lambda: _html.save_operation(report, policy=only, monitor=watch.monitor))
    changes = {name: watch.changes_of(name) for name in monitors}
    alone = None if only is None else policy.stem
    found = monitor_answer(watch.policies, monitors, shifts, changes, alone=alone)
    found = found.with_warnings(watch.notes).closing(_next(found, policy, paths, by, state))
    deliver(printing, "monitor", found, report=report)
    if found.figures["alarm"] or found.figures["changed"]:
        raise typer.Exit(FAILED)


def _next(
    found: Answer, policy: Path, paths: Sequence[Path], by: str | None, state: Path | None
) -> str:
    """Return what follows an alarm of one policy, or the next look at the audits."""
    fields = ("--by", by) if by else ()
    alarm = found.figures["alarm"] or found.figures["changed"]
    if alarm:
        return "" if policy.is_dir() else command_line("check", policy, paths[-1], *fields)
    if policy.is_dir():
        return ""
    kept = "--state", state or "state.json"
    return command_line("monitor", policy, "new_audits.csv", *fields, *kept)


def _draw(monitors: Mapping[str, ErrorRateMonitor], plot: Path) -> None:
    """Draw the monitors that have seen something, in one picture."""
    from fastarac.displays import MonitorDisplay

    display = None
    for name, each in monitors.items():
        if each.audited:
            ax = None if display is None else display.ax_
            display = MonitorDisplay.from_monitor(each, name=name or None, ax=ax)
    if display is not None:
        _plot.write(display.figure_, plot)
