"""`fastarac search`: verify small batches until it is clear which outputs are safe to accept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fastarac._core.exceptions import collected
from fastarac.answers.sampling import search_answer
from fastarac.cli import _policy_options as options
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, given_options, grouped
from fastarac.cli._options import (
    BUDGET,
    STATE,
    Confidence,
    ErrorRate,
    Failure,
    JudgeColumn,
    MaxRisk,
    Open,
    OpenAnswers,
    option,
    output_option,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import refusing
from fastarac.cli._refusals import incomplete
from fastarac.cli._screen import command_line
from fastarac.cli._station import Station
from fastarac.partial_truth import search_outputs

EXAMPLES = """
Examples:

\b
  fastarac search outputs.csv --error-rate 0.01 --state state.json -o next.csv
  fastarac search outputs.csv --max-risk 0.02 --state state.json -o next.csv

Fill in the column "correct" of the batch, and run the same command again: it reads the answers and
writes the next batch. Its promise holds after every batch, so you may stop at any time.
"""

StateFile = Annotated[Path, STATE]
Output = Annotated[Path, output_option("Write the next batch to this file.")]
Batch = Annotated[int, option("--batch N", "Outputs per batch.", Panel.verifying, min=1)]
BudgetOption = Annotated[Any, BUDGET]


@grouped
def search(
    context: typer.Context,
    path: options.File,
    state: StateFile,
    output: Output,
    *,
    error_rate: ErrorRate = None,
    max_risk: MaxRisk = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    batch: Batch = 50,
    budget: BudgetOption = None,
    guarantee: Failure = 0.05,
    open_answers: OpenAnswers = Open.refuse,
    station: options.Station = None,
    images: options.Images = None,
    printing: PrintingOptions,
) -> None:
    """Verify small batches until you know how much you can accept."""
    page = Station(station, images)
    incomplete(set(given_options(context).values()), [("--images", ("--station",))])
    page.require()
    notes: list[str] = []
    how_open: Any = str(open_answers)
    with collected(notes):
        found = refusing(
        str(path),
        lambda: search_outputs(
            path, state, output, batch=batch, confidence=confidence, judge=judge,
            max_error_rate=error_rate, max_risk=max_risk, failure_probability=guarantee,
            budget=None if budget is None else budget.whole, open=how_open,
        ),
    )  # fmt: skip
    answer = search_answer(found, output).with_warnings(notes)
    if not found.done:
        answer = answer.closing(_again(context, path))
        answer = page.beside(answer, output, confidence=confidence, judge=judge)
    deliver(printing, "search", answer)


def _again(context: typer.Context, path: Path) -> str:
    """Return this command, to run again after the next answers."""
    given = given_options(context).items()
    options = [
        part
        for name, option in given
        if option.startswith("-")
        for part in (option, context.params[name])
    ]
    return command_line("search", path, *options)
