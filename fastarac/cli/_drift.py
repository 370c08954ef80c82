"""`fastarac drift`: test whether a judge (a grading model) still agrees with people as before."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fastarac import operation
from fastarac.answers.drift import drift_answer
from fastarac.cli import _policy_options as options
from fastarac.cli._exit import FAILED, interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, grouped
from fastarac.cli._options import Correct, FalseAlarm, option
from fastarac.cli._panels import Panel
from fastarac.cli._policies import refusing
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct as IsRight
from fastarac.io._sources import connect
from fastarac.operation.logs import read_columns

EXAMPLES = """
Examples:

\b
  fastarac drift anchors.csv --release v1 --release v2 --release v3

The file has a row for each anchor, an output that is judged again by each release. Its column "correct"
says whether people judge the output to be right. Each release of the judge has its own column, which
says whether that release judges the output to be right. Add a column for each new release.

Exit status: 0 if no drift is shown, 1 at an alarm.
"""

Releases = Annotated[
    list[str],
    option("--release COLUMN", "Column of a release's verdicts; repeatable, in order.", Panel.columns),
]


@grouped
def drift(
    path: options.File,
    *,
    release: Releases,
    correct: Correct = None,
    false_alarm: FalseAlarm = 0.05,
    printing: PrintingOptions,
) -> None:
    """Test whether a judge's releases judge the same outputs as before."""
    truth = correct or "correct"
    picks: dict[str, Any] = {name: IsRight(name, name) for name in (truth, *release)}

    def found() -> Any:
        with connect() as connection:
            columns = read_columns(open_source(path, connection), picks)
        calls = {name: columns[name] for name in release}
        return operation.judge_drift(columns[truth], calls, failure_probability=false_alarm)

    with interrupts_end_at_once():
        result = refusing(str(path), found)
    deliver(printing, "drift", drift_answer(result))
    if result.alarm:
        raise typer.Exit(FAILED)
