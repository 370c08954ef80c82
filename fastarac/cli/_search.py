"""`fastarac search`: verify small batches until it is known which outputs are safe to accept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastarac.answers.sampling import search_answer
from fastarac.cli import _policy_options as options
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, given_options, grouped
from fastarac.cli._options import Confidence, JudgeColumn, Seed, option
from fastarac.cli._policies import refusing
from fastarac.cli._screen import command_line
from fastarac.partial_truth import search_outputs

EXAMPLES = """
Examples:

\b
  fastarac search outputs.csv --error-rate 0.01 --state search.json -o batch.csv
  fastarac search outputs.csv --error-rate 0.01 --state search.json -o batch.csv --budget 600
  fastarac search outputs.csv --max-risk 0.02 --state search.json -o batch.csv --batch 100

People fill in the column "correct" of the batch; the same command again reads it and writes the next
one. Its promise holds whenever you stop.
"""

State = Annotated[Path, option("--state FILE", "File that keeps the answers so far, as JSON.")]
Output = Annotated[
    Path,
    option("--output -o FILE", "The batch: CSV, TSV, JSON lines or Parquet.", show_default=False),
]
Batch = Annotated[int, option("--batch N", "How many outputs a batch has.", min=1)]
Budget = Annotated[
    int | None,
    option(
        "--budget N", "How many answers there will be: the search is planned for that number.", min=1
    ),
]


@grouped
def search(
    context: typer.Context,
    path: options.File,
    state: State,
    output: Output,
    *,
    error_rate: options.ErrorRate = None,
    max_risk: options.MaxRisk = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    batch: Batch = 50,
    budget: Budget = None,
    guarantee: options.Failure = 0.05,
    seed: Seed = 0,
    printing: PrintingOptions,
) -> None:
    """Find which of these outputs are safe to accept: verify a few small batches, one after another."""
    found = refusing(
        str(path),
        lambda: search_outputs(
            path, state, output, batch=batch, confidence=confidence, judge=judge,
            max_error_rate=error_rate, max_risk=max_risk, failure_probability=guarantee,
            budget=budget, random_state=seed,
        ),
    )  # fmt: skip
    answer = search_answer(found, output)
    if not found.done:
        answer = answer.closing(_again(context, path))
    deliver(printing, "search", answer)


def _again(context: typer.Context, path: Path) -> str:
    """Return the command with the same options."""
    given = given_options(context).items()
    options = [
        part
        for name, option in given
        if option.startswith("-")
        for part in (option, context.params[name])
    ]
    return command_line("search", path, *options)
