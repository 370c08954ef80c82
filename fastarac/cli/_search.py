"""`fastarac search`: verify batch by batch until it is known how many outputs can go through."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastarac.answers.sampling import search_answer
from fastarac.cli import _policy_options as options
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import grouped
from fastarac.cli._options import Confidence, Form, JudgeColumn, Seed, TextOrJson, option
from fastarac.cli._policies import refusing
from fastarac.partial_truth import search_outputs

EXAMPLES = """
Examples:

\b
  fastarac search outputs.csv --error-rate 0.01 --state search.json -o batch.csv
  fastarac search outputs.csv --error-rate 0.01 --state search.json -o batch.csv --budget 600
  fastarac search outputs.csv --max-risk 0.02 --state search.json -o batch.csv --batch 100

People fill in the column "correct" of the batch; the same command again reads it and writes the next
one. What it says holds whenever one stops.
"""

State = Annotated[Path, option("--state FILE", "What is known so far, as JSON.")]
Output = Annotated[
    Path,
    option("--output -o FILE", "The batch: CSV, TSV, JSON lines or Parquet.", show_default=False),
]
Batch = Annotated[int, option("--batch N", "How many outputs a batch has.", min=1)]
Budget = Annotated[
    int | None,
    option("--budget N", "How many answers there will be: most goes through then.", min=1),
]


@grouped
def search(
    path: options.File,
    state: State,
    output: Output,
    error_rate: options.ErrorRate = None,
    max_risk: options.MaxRisk = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    batch: Batch = 50,
    budget: Budget = None,
    guarantee: options.Failure = 0.05,
    seed: Seed = 0,
    output_format: TextOrJson = Form.text,
) -> None:
    """Find how much of these outputs can go through: verify a few small batches, one after another."""
    found = refusing(
        str(path),
        lambda: search_outputs(
            path, state, output, batch=batch, confidence=confidence, judge=judge,
            max_error_rate=error_rate, max_risk=max_risk, failure_probability=guarantee,
            budget=budget, random_state=seed,
        ),
    )  # fmt: skip
    deliver(str(output_format), "search", search_answer(found, output))
