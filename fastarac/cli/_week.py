"""`fastarac week`: apply a policy to new files, draw audits, take answers, check and monitor."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastarac import weeks
from fastarac._core.exceptions import collected
from fastarac._core.extras import missing
from fastarac.answers.weeks import week_answer
from fastarac.cli import _policies as policies
from fastarac.cli import _policy_options as options
from fastarac.cli._engine_files import (
    OF_TABLES,
    are_documents,
    engine_files,
    is_of_ocr,
)
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._ocr_settings import OcrSettings, SettingsOptions
from fastarac.cli._option_groups import PrintingOptions, given_options, grouped
from fastarac.cli._options import (
    ANSWERS,
    BUDGET,
    PolicyConfidence,
    Seconds,
    Seed,
    column_option,
    limit_options,
    option,
    output_option,
    refuse,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import columns_of_policy, load, refusing
from fastarac.cli._screen import command_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.operation import Policy
    from fastarac.operation.week_results import PolicyWeek

EXAMPLES = """
Examples:

\b
  fastarac week policy.json monday.csv --budget 200 -o weeks/
  fastarac week policy.json next-monday.csv -o weeks/

Each week has its own folder, with accepted.csv, review.csv and audits.csv. Answer audits.html and
review.html in a browser, save the answers into this folder, and run the command with the next files.

Exit status: 0 to go on, 1 to stop.
\f
\b
  fastarac week policy.json monday.csv -o weeks/ --answers ~/Downloads/audits-answered.csv
  fastarac week policy.json -o weeks/
  fastarac week policy.json ocr/ --budget 200 --wait 2 --images scans/ -o weeks/

Without files, the command only reads answers. Files and answers that are given twice count once. The
first week sets --budget, --wait and --seed for all weeks.
"""

NAMES = {
    **policies.NAMES,
    "budget": "--budget",
    "deadline": "--wait",
    "seed": "--seed",
    "folder": "--output",
    "seconds": "--seconds",
}
NewFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE|OCR...",
        help="New outputs: a table, or files and folders of OCR.",
        show_default=False,
    ),
]
WeeksFolder = Annotated[Path, output_option("Folder for the weeks, each in a folder of its own.")]
BudgetOption = Annotated[Any, BUDGET]
Answers = Annotated[list[Path] | None, ANSWERS]
Wait = Annotated[
    int | None,
    option("--wait N", "Number of weeks to wait for answers.  [default: 4]", Panel.verifying, min=1),
]


@grouped
def week(
    context: typer.Context,
    policy: options.PolicyFile,
    paths: NewFiles = None,
    *,
    output: WeeksFolder,
    budget: BudgetOption = None,
    answers: Answers = None,
    wait: Wait = None,
    seed: Seed = 0,
    confidence: PolicyConfidence = None,
    images: options.Images = None,
    seconds: Seconds = None,
    reading: SettingsOptions,
    printing: PrintingOptions,
) -> None:
    """Apply, audit, check and monitor a policy week by week."""
    files, given = paths or [], set(given_options(context).values())
    refuse(missing(*(["jinja2"], "report") if images is None else (["jinja2", "PIL"], "ocr")))
    loaded = load(policy)
    how = _reading_of(loaded, files, given - {"--images", "--seconds"}, reading)
    if files and not how:
        how = columns_of_policy(loaded, files[0], confidence).of_table()
    run = partial(
        weeks.run_week, loaded, files, output,
        budget=None if budget is None else budget.outputs, deadline=wait, answers=answers or [],
        seed=seed if "--seed" in given else None, images=images, seconds=seconds, **how,
    )  # fmt: skip
    notes: list[str] = []
    with interrupts_end_at_once(), collected(notes):
        found: PolicyWeek = refusing(str(output), run, NAMES)
    answer = week_answer(found).with_warnings(notes)
    answer = answer.closing(_next(loaded, found, policy, files, output))
    deliver(printing, "week", answer)
    if not found.go_on:
        raise typer.Exit(found.exit_status)


def _reading_of(
    policy: Policy,
    files: Sequence[Path],
    given: set[str],
    reading: OcrSettings,
) -> dict[str, Any]:
    """Return the arguments for reading the files; refuse options of other kinds of files."""
    if not files:
        return {}
    if are_documents(policy, files, given):
        return {"read_options": reading.field_names()}
    if is_of_ocr(files, given, OF_TABLES):
        return {"read_options": engine_files(files, reading)}
    return {}


def _next(policy: Policy, found: PolicyWeek, path: Path, files: Sequence[Path], output: Path) -> str:
    """Return the command to suggest: a new fit after an alarm, or else the next week."""
    if found.go_on:
        new = "next/" if any(each.is_dir() for each in files) else "next.csv"
        return command_line("week", path, new, "-o", output)
    known = [*column_option("--by", "field" if policy.fields else None)]
    if policy.documents is None:
        known += ["--inclusion-probability", "inclusion_probability"]
    else:
        known += ["--document", "document", *column_option("--type", "type" if policy.types else None)]
        known += [part for name in policy.optional for part in ("--optional", str(name))]
        known += ["--allow-empty", "confidence"]
    limit = limit_options(policy.criterion, policy.limit)
    return command_line("fit", found.verified, *known, *limit, "-o", "new_policy.json")
