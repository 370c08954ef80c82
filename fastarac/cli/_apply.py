"""`fastarac apply`: apply a policy to a table of outputs, or to the files of an OCR engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fastarac import operation
from fastarac._core.files import problem_with
from fastarac.answers.application import application_answer, documents_answer, pages_answer
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
    PolicyConfidence,
    RefusalError,
    ReportFile,
    option,
    output_option,
    refuse,
    refused,
    require_files,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import (
    columns_of_policy,
    load,
    refusing,
    require_one_model,
    save_report,
)
from fastarac.cli._refusals import incomplete
from fastarac.cli._screen import ALIKE, command_line
from fastarac.cli._station import Station
from fastarac.operation.application import WRITTEN_FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.answers.answer import Answer
    from fastarac.operation import Policy
    from fastarac.operation.application_results import AppliedPolicy
    from fastarac.results import AppliedPages

    # The split, the answer that describes it, and the columns of the verification page.
    Divided = tuple[AppliedPolicy, Answer, dict[str, Any]]

EXAMPLES = """
Examples:

\b
  fastarac apply policy.json today.csv -o accepted.csv --review review.csv
  fastarac apply policy.json ocr/ -o accepted.csv --review review.csv
\f
\b
  fastarac apply policy.json today.parquet -o accepted.parquet --review review.csv
  fastarac apply policy.json ocr/ -o accepted.csv --review review.csv --pages pages.csv \\
    --station station.html --images scans/

A table needs the columns that fastarac fit used, except the truth; it may be larger than memory.
Files and folders of an OCR engine are read as fastarac ocr reads them.
"""

AcceptedOutput = Annotated[Path, output_option("Write the accepted outputs to this file.")]
ReviewOutput = Annotated[
    Path,
    option(
        "--review FILE", "Write the outputs to review to this file.", Panel.output, show_default=False
    ),
]
PagesOutput = Annotated[
    Path | None,
    option("--pages FILE", "Write the result of each OCR page to this file.", Panel.output),
]


class _Goals(NamedTuple):
    accepted: Path
    review: Path
    report: Path | None
    pages: Path | None = None
    station: Station = Station(None)

    def require(self) -> None:
        """Raise a refusal if one of the output files or folders cannot be written."""
        require_files(None, self.report)
        self.station.require()
        written = ("--output", self.accepted), ("--review", self.review), ("--pages", self.pages)
        for name, goal in written:
            problem = None if goal is None else problem_with(goal, "file", tuple(WRITTEN_FORMATS))
            refuse(problem, f"{name}: ")


@grouped
def apply(
    context: typer.Context,
    policy: options.PolicyFile,
    paths: options.AppliedFiles,
    output: AcceptedOutput,
    review: ReviewOutput,
    *,
    confidence: PolicyConfidence = None,
    pages: PagesOutput = None,
    station: options.Station = None,
    images: options.Images = None,
    reading: SettingsOptions,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Split outputs into those to accept and those to review."""
    given, page = set(given_options(context).values()), Station(station, images)
    goals = _Goals(output, review, report, pages, page)
    if page.path is not None:
        given.discard("--images")  # with --station, tables may have images too
    elif images is not None:
        incomplete(given, [("--images", ("--station",))])
    loaded = load(policy)
    if are_documents(loaded, paths, given):
        applied, answer, of_station = _divide_documents(loaded, paths, reading.field_names(), goals)
    elif is_of_ocr(paths, given, OF_TABLES):
        applied, answer, of_station = _divide_pages(loaded, paths, reading, goals)
    elif len(paths) > 1:
        raise RefusalError(f"give one table, or files of OCR, got {len(paths)} tables")
    else:
        applied, answer, of_station = _divide_table(loaded, paths[0], confidence, goals)
    save_report(report, policy=loaded, applied=applied)
    answer = answer.with_figures(accepted_path=str(output), review_path=str(review))
    written = f"{output} has the accepted outputs; {review} has the outputs to verify."
    answer = answer.closing(_next(applied, policy, [output, review]), written)
    answer = page.beside(answer, review, **of_station)
    deliver(printing, "apply", answer, about="applied", report=report)


def _next(applied: AppliedPolicy, policy: Path, both: Sequence[Path]) -> str:
    """Return the command to suggest: audit accepted outputs or, if confidences shifted, sample anew."""
    if applied.n_documents is not None or not applied.accepted:
        return ""
    if applied.warning is not None:
        return command_line("sample", *both, "--budget", 500, *ALIKE, "-o", "to_verify.csv")
    return command_line("sample", *both, "--audit", policy, "--budget", 100, "-o", "log.csv")


def _divide_table(policy: Policy, path: Path, confidence: str | None, goals: _Goals) -> Divided:
    named = columns_of_policy(policy, path, confidence)
    columns = named.of_table()
    require_files(None, goals.report)
    goals.station.require()
    with interrupts_end_at_once():
        require_one_model(path, columns.values())
        applied: AppliedPolicy = refusing(
            str(path),
            lambda: operation.apply_policy(
                policy, path, accepted=goals.accepted, review=goals.review,
                empty_confidence=named.reading.empty_confidence, **columns,
            ),
        )  # fmt: skip
    lacks_groups = policy.has_groups and columns["groups"] is None
    answer = application_answer(applied, lacks_groups=lacks_groups)
    return applied, answer, {"asks": applied.rejected > 0, "confidence": columns["confidence"]}


def _divide_documents(
    policy: Policy, paths: Sequence[Path], names: Mapping[str, Any], goals: _Goals
) -> Divided:
    from fastarac import ocr

    goals.require()
    with interrupts_end_at_once():
        found = refusing("", lambda: ocr.apply_to_fields(policy, paths, **names))
    refusing("", lambda: found.save(accepted=goals.accepted, review=goals.review))
    return found.applied, documents_answer(found), {"asks": not found.accepted.all()}


def _divide_pages(
    policy: Policy, paths: Sequence[Path], reading: OcrSettings, goals: _Goals
) -> Divided:
    from fastarac import ocr

    goals.require()

    def applied() -> AppliedPages:
        files = engine_files(paths, reading)
        with refused(FileNotFoundError):
            return ocr.apply_to_files(policy, files.pop("output"), **files)

    with interrupts_end_at_once():
        found = refusing("", applied)
    refusing("", lambda: found.save(accepted=goals.accepted, review=goals.review, pages=goals.pages))
    return found.applied, pages_answer(found), {"asks": not found.accepted.all(), "pages": found}
