"""`fastarac search`: verify batch by batch until it is known how many outputs can go through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastarac._core.text import plural
from fastarac.cli import _operating as options
from fastarac.cli._option_groups import grouped
from fastarac.cli._options import Confidence, JudgeColumn, option

if TYPE_CHECKING:
    from fastarac.partial_truth import AdaptiveThresholdSearch

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
Promise = Annotated[
    float,
    option("--guarantee PROBABILITY", "How probable it may be that the limit is not kept."),
]
Budget = Annotated[
    int | None,
    option("--budget N", "How many answers there will be: most goes through then.", min=1),
]
Seed = Annotated[int, option("--seed N", "Of a new search: which outputs it asks for.", min=0)]


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
    guarantee: Promise = 0.05,
    seed: Seed = 0,
    output_format: options.TextOrJson = options.Form.text,
) -> None:
    """Find how many of these outputs can go through, by few answers asked for batch by batch."""
    from fastarac.cli._json import answer
    from fastarac.cli._policies import refusing
    from fastarac.partial_truth import search_outputs

    found = refusing(
        str(path),
        lambda: search_outputs(
            path, state, output, batch=batch, confidence=confidence, judge=judge,
            max_error_rate=error_rate, max_risk=max_risk, failure_probability=guarantee,
            budget=budget, random_state=seed,
        ),
    )  # fmt: skip
    about = {"search": _about(found, output)}
    answer(str(output_format), "search", about, _sentences(found, output))


def _sentences(found: AdaptiveThresholdSearch, output: Path) -> list[str]:
    verified = found.n_verified
    planned = "" if found.budget is None else f" of {found.budget:,} planned"
    answers = f"{verified:,} {plural('answer', verified)}{planned} with {found.n_errors:,} wrong"
    of_all = found.criterion == "max_error_rate"
    limit = f"{100.0 * found.limit:.6g} %"
    what = (
        f"at most {limit} of all outputs are wrong and accepted"
        if of_all
        else (f"at most {limit} of what is accepted is wrong")
    )
    if found.acceptance_rate == 0.0:
        lines = [f"Nothing can go through yet, by {answers}."]
    else:
        sure = f"{100.0 * (1.0 - found.failure_probability):.6g} %"
        share = f"{100.0 * found.acceptance_rate:.2f} % of the outputs"
        which = f"those of confidence >= {found.threshold!r}"
        lines = [f"{share} can go through, {which}: with a probability of {sure} {what}, by {answers}."]
        if of_all and found.acceptance_rate <= found.limit:
            lines = [f"{share} can go through, {which}: so few that all of them may be wrong."]
            lines.append(f"So far: {answers}.")
    left = len(found.open)
    if found.done:
        lines.append("Further answers cannot change that.")
    else:
        lines.append(
            f'Fill in the column "correct" of {output}, {left:,} {plural("output", left)}, and run the '
            "same command again."
        )
    return lines


def _about(found: AdaptiveThresholdSearch, output: Path) -> dict[str, Any]:
    return {
        "path": str(output),
        "criterion": found.criterion,
        "limit": found.limit,
        "failure_probability": found.failure_probability,
        "budget": found.budget,
        "threshold": found.threshold,
        "acceptance_rate": found.acceptance_rate,
        "verified": found.n_verified,
        "errors": found.n_errors,
        "open": len(found.open),
        "done": found.done,
    }
