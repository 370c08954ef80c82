"""`fastarac sample`: the outputs that people verify, and their answers beside all outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastarac._core.text import plural
from fastarac.cli import _operating as options
from fastarac.cli._options import Confidence, JudgeColumn, RefusalError, ends_quietly, option

EXAMPLES = """
Examples:

\b
  fastarac sample outputs.csv --budget 500 -o to_verify.csv
  fastarac sample outputs.csv --budget 500 --judge judge --group page -o to_verify.csv
  fastarac sample outputs.csv --answers to_verify.csv -o verified.csv
  fastarac sample outputs.csv --budget 800 --answers to_verify.csv -o more.csv
  fastarac sample today.csv --audit policy.json --budget 100 -o log.csv

People fill in the column "correct" of what is written. With --answers all outputs are written again,
with the answers beside those that were drawn. With --answers and a larger --budget more outputs are
drawn: the options and --seed are those of the first time, whose answers are kept.

With --audit, audits of what a policy accepts are drawn: the file written is the log that fastarac check
--log reads, once the truth is filled in of what was drawn or is not accepted.
"""

Budget = Annotated[
    float | None, option("--budget N", "How many outputs to verify, on average.", show_default=False)
]
Output = Annotated[
    Path,
    option("--output -o FILE", "File to write: CSV, TSV, JSON lines or Parquet.", show_default=False),
]
Mix = Annotated[
    float | None,
    option("--mix SHARE", "Share of the budget that is spread evenly.  [default: 0.5; 1 of audits]"),
]
Stratum = Annotated[
    str | None,
    option("--stratum COLUMN", "Column of fields or sources, each of which gets its share."),
]
Group = Annotated[
    str | None, option("--group COLUMN", "Column of pages or documents, which are drawn whole.")
]
AuditedPolicy = Annotated[
    Path | None, option("--audit POLICY", "Draw audits of what this policy accepts.")
]
Answers = Annotated[
    Path | None, option("--answers FILE", "What an earlier sample wrote, with answers filled in.")
]
Seed = Annotated[int, option("--seed N", "Which outputs: the same number draws the same ones.", min=0)]


def sample(
    path: options.File,
    output: Output,
    budget: Budget = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    mix: Mix = None,
    stratum: Stratum = None,
    group: Group = None,
    audit: AuditedPolicy = None,
    by: options.Fields = None,
    answers: Answers = None,
    seed: Seed = 0,
    output_format: options.TextOrJson = options.Form.text,
) -> None:
    """Draw the outputs that people verify, each with a known probability."""
    with ends_quietly():
        given = {
            "--budget": budget, "--judge": judge, "--mix": mix, "--stratum": stratum, "--group": group,
            "--audit": audit, "--by": by,
        }  # fmt: skip
        if answers is not None:
            if audit is not None:
                raise RefusalError("--audit is given beside --answers; leave out one of the two")
            beside = next((name for name, value in given.items() if value is not None), None)
            if budget is None:
                if beside is not None:
                    raise RefusalError(
                        f"{beside} is given beside --answers, but --budget is missing, with which more "
                        "outputs are drawn"
                    )
                _join(path, answers, output, confidence, str(output_format))
                return
        if budget is None:
            raise RefusalError("--budget is missing: how many outputs to verify")
        if audit is not None and judge is not None and mix is None:
            raise RefusalError(
                "--judge is given beside --audit, which spreads the budget evenly; give a --mix below "
                "1, or leave out --judge"
            )
        if audit is not None and group is not None:
            raise RefusalError(
                "--group is given beside --audit, whose audits are of single outputs; without --audit "
                "groups are drawn whole, which fastarac check --inclusion-probability takes"
            )
        if by is not None and audit is None:
            raise RefusalError("--by is given without --audit, whose fields it names")
        columns = {
            "confidence": confidence, "judge": judge, "mix": mix, "strata": stratum, "groups": group,
            "by": by, "answers": answers, "random_state": seed,
        }  # fmt: skip
        _draw(path, output, budget, columns, audit, str(output_format))


def _draw(
    path: Path, output: Path, budget: float, columns: dict[str, Any], audit: Path | None, form: str
) -> None:
    from fastarac import partial_truth
    from fastarac.cli._json import write_object
    from fastarac.cli._policies import load, refusing
    from fastarac.cli._standard import say

    policy = None if audit is None else load(audit)
    if policy is not None and (policy.fields or columns["by"]) and policy.documents is None:
        needed, found = bool(policy.fields), columns["by"] is not None
        if needed != found:
            words = ("missing", "with") if needed else ("given", "without")
            raise RefusalError(f"--by is {words[0]}; the policy was fitted {words[1]} --by")
    if policy is not None and policy.documents is not None:
        raise RefusalError(f"{audit}: the policy accepts whole documents, whose audits are no rows")
    found = refusing(
        str(path),
        lambda: partial_truth.sample_outputs(path, output, budget, policy=policy, **columns),
    )
    n, drawn = len(found.selected), int(found.selected.sum())
    least, most = found.inclusion_probability.min(), found.inclusion_probability.max()
    chance = f"a probability of {least:.4g}"
    if most > least:
        chance = f"probabilities from {least:.4g} to {most:.4g}"
    what = f"{n:,} {plural('output', n)}" + ("" if policy is None else " that the policy accepts")
    lines = [f"{drawn:,} of {what} were drawn to be verified, with {chance}."]
    if columns["answers"] is not None:
        lines.append(f"The answers of {columns['answers']} are kept: fill in what is empty.")
    if policy is None:
        lines.append(f'Fill in the column "correct" of {output}; then fastarac sample --answers.')
    else:
        lines.append(
            f'Fill in the column "correct" of {output} where drawn is 1 or accepted is 0; then '
            "fastarac check --log."
        )
    if form == "json":
        about = {
            "path": str(output), "n_items": n, "drawn": drawn, "expected_size": found.expected_size,
            "least_probability": found.least_probability,
        }  # fmt: skip
        write_object("sample", {"sample": about}, decisions=lines)
    else:
        say(*lines)


def _join(path: Path, answers: Path, output: Path, confidence: str, form: str) -> None:
    from fastarac.cli._json import write_object
    from fastarac.cli._policies import refusing
    from fastarac.cli._standard import say
    from fastarac.partial_truth.sample_files import join_answers

    drawn, answered = refusing(
        str(path), lambda: join_answers(path, answers, output, confidence=confidence)
    )
    left = drawn - answered
    open_ones = (
        f" {left:,} {plural('answer', left)} {'is' if left == 1 else 'are'} open." if left else ""
    )
    lines = [f"{answered:,} of {drawn:,} drawn outputs have an answer.{open_ones} Written to {output}."]
    if form == "json":
        about = {"path": str(output), "drawn": drawn, "answered": answered}
        write_object("sample", {"sample": about}, decisions=lines)
    else:
        say(*lines)
