"""`fastarac monitor`: test whether audits show that a limit is exceeded."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastarac._core.checks import failure_of
from fastarac._core.locks import locked
from fastarac.answers.monitoring import monitor_answer
from fastarac.cli import _policy_options as options
from fastarac.cli._audit_files import ALONE, AuditOptions, Watch
from fastarac.cli._exit import FAILED
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, given_options, grouped
from fastarac.cli._options import (
    FalseAlarm,
    GroupColumn,
    Item,
    PolicyConfidence,
    ReportFile,
    State,
    one_column,
    option,
    refused,
    require_files,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import refusing, save_report
from fastarac.cli._refusals import incomplete
from fastarac.cli._screen import command_line
from fastarac.operation.monitoring.audit_files import is_drawn_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.answers.answer import Answer

EXAMPLES = """
Examples:

\b
  fastarac monitor policy.json audits.csv
  fastarac monitor policy.json monday.csv tuesday.csv --state state.json

Exit status: 1 if the limit is proved to be exceeded, or the error rate rose lately; 0 otherwise.
\f
\b
  fastarac monitor policies/ audits.csv --state state.json
  fastarac monitor policy.json pages.csv --group page --max-group-size 40 --state state.json

A file is a log of fastarac sample --audit, or a table with the truth of outputs that were drawn at
random from all outputs, accepted or not. Each audit counts once, by its id; without ids, a repeated
file counts once.
With --group, all outputs of a page must be in one file. For a folder of policies, a column "policy"
names the policy of each output; the policies share the probability of a false alarm.
"""

NEEDED = (
    ("--group", ("--max-group-size",)),
    ("--max-group-size", ("--group",)),
)
UPDATES = 1000  # mean number of updates before a false alarm about a change
PoliciesFile = Annotated[
    Path,
    typer.Argument(
        metavar="POLICY",
        help="The file that fastarac fit wrote, or a folder of such files.",
        show_default=False,
    ),
]
AuditFiles = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="Audited outputs, one file per update.", show_default=False),
]
MaxGroupSize = Annotated[
    int | None,
    option("--max-group-size N", "Largest number of outputs in a group of --group.", Panel.sure),
]
Deadline = Annotated[
    float | None,
    option(
        "--deadline TIME",
        "Time to wait for an answer: in days if drawn_at has dates, else in the unit of drawn_at.",
        Panel.verifying, expert=True,
    ),
]  # fmt: skip


@grouped
def monitor(
    context: typer.Context,
    policy: PoliciesFile,
    paths: AuditFiles,
    *,
    confidence: PolicyConfidence = None,
    audit_id: Item = None,
    group: GroupColumn = None,
    max_group_size: MaxGroupSize = None,
    deadline: Deadline = None,
    false_alarm: FalseAlarm = 0.05,
    truth_found: options.TruthFound = None,
    state: State = None,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Watch a policy in use by auditing outputs, and raise an alarm."""
    given = set(given_options(context).values())
    incomplete(given, NEEDED)
    require_files(None, report)
    with refused(ValueError):
        failure_of(false_alarm, "--false-alarm")
    groups = one_column(group)
    audits = AuditOptions(confidence, audit_id, groups, max_group_size, deadline, truth_found)
    promises = {"failure_probability": false_alarm, "mean_updates_to_false_alarm": UPDATES}
    with ExitStack() as held:
        # Keep the lock until the last save; otherwise, audits counted by a parallel run could be lost.
        if state is not None:
            refusing(str(state), lambda: held.enter_context(locked(state)))
        watch = Watch(policy, audits, promises, state)
        for path in paths:
            watch.count(path)
            if state is not None:  # save after each file, so that an interrupt loses no work
                refusing(str(state), lambda: watch.monitor.save(state))
    shifts, monitors = watch.shifts(), watch.monitors
    only = watch.policies.get(ALONE)
    save_report(report, policy=only, monitor=watch.monitor)
    changes = {name: watch.changes_of(name) for name in monitors}
    alone = None if only is None else policy.stem
    found = monitor_answer(watch.policies, monitors, shifts, changes, alone=alone)
    found = found.with_warnings(watch.notes).closing(_next(found, policy, paths, state))
    deliver(printing, "monitor", found, report=report)
    if found.figures["alarm"] or found.figures["changed"]:
        raise typer.Exit(FAILED)


def _next(found: Answer, policy: Path, paths: Sequence[Path], state: Path | None) -> str:
    """Return the command to suggest: a check after an alarm, or else the next audits."""
    alarm = found.figures["alarm"] or found.figures["changed"]
    if alarm:
        log = ("--log",) if is_drawn_log(paths[-1]) else ()
        return "" if policy.is_dir() else command_line("check", policy, paths[-1], *log)
    if policy.is_dir():
        return ""
    kept = "--state", state or "state.json"
    return command_line("monitor", policy, "new_audits.csv", *kept)
