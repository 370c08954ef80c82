"""`fastarac sample`: draw outputs to verify, and join the answers to all outputs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fastarac._core.exceptions import collected
from fastarac.answers.sampling import drawn_answer, joined_answer
from fastarac.cli import _policy_options as options
from fastarac.cli._engine_files import OF_TABLES, engine_files, is_of_ocr
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._ocr_settings import OcrSettings, SettingsOptions
from fastarac.cli._option_groups import PrintingOptions, given_options, grouped
from fastarac.cli._options import (
    ANSWERS,
    BUDGET,
    NONE,
    Budget,
    ByColumn,
    Confidence,
    ErrorRate,
    GroupColumn,
    JudgeColumn,
    MaxRisk,
    Open,
    OpenAnswers,
    RefusalError,
    Seed,
    column_option,
    limit_options,
    one_column,
    option,
    output_option,
    refuse,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import columns_of_policy, load, refusing
from fastarac.cli._refusals import incompatible, incomplete
from fastarac.cli._screen import command_line
from fastarac.cli._station import Station
from fastarac.partial_truth import sample_outputs
from fastarac.partial_truth.double_readings import reader_of_answers
from fastarac.partial_truth.sample_files import join_answers
from fastarac.partial_truth.sampling import GUARANTEES, purpose_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.answers.answer import Answer
    from fastarac.ocr.engine_outputs import EngineOutputs
    from fastarac.ocr.verification.drawing import Crops

EXAMPLES = """
Examples:

\b
  fastarac sample outputs.csv --budget 500 -o to_verify.csv
  fastarac sample outputs.csv --answers to_verify.csv -o verified.csv
  fastarac sample outputs.csv --budget 400 --error-rate 0.01 -o to_verify.csv
  fastarac sample today.csv --audit policy.json --budget 100 -o log.csv

Fill in the column "correct" of the file; --answers then writes all outputs with the answers.
\f
\b
  fastarac sample outputs.csv --budget 500 --judge judge --group page -o to_verify.csv
  fastarac sample outputs.csv --budget 800 --answers to_verify.csv -o more.csv
  fastarac sample accepted.csv review.csv --audit policy.json --budget 100 -o log.csv
  fastarac sample ocr/ --budget 500 -o to_verify.csv --images scans/ --station station.html
  fastarac sample ocr/ --answers to_verify.csv -o verified.csv

A limit implies --for guarantee-new: exactly --budget outputs are drawn, all equally likely, and fit
takes the file with --inclusion-probability none. --judge, --mix and --by cannot go with it.

With --answers and a larger --budget, sample draws more outputs and keeps the answers; repeat the
options and the --seed of the first draw. With --group, groups are drawn whole; with --by, each part
gets its share.

With --audit, the file is a log for fastarac check --log and monitor; fill in the truth of the drawn
outputs. Give both files that fastarac apply wrote: tables with the same columns count as one.

Files and folders of an OCR engine are read as fastarac apply reads them. The file to fill in then has
a row for each word, with page, number, box, text and confidence.
"""
BudgetOption = Annotated[Any, BUDGET]
Output = Annotated[Path, output_option("Write the outputs to verify to this file.")]
For = StrEnum("For", ["guarantee-these", "guarantee-new", "estimate", "comparison"])
PurposeOption = Annotated[
    For | None,
    option(
        "--for PURPOSE",
        f"Use of the answers: {', '.join(For)}.  "
        "[default: guarantee-new with a limit, otherwise estimate]",
        Panel.verifying, show_choices=False,
    ),
]  # fmt: skip
Mix = Annotated[
    float | None,
    option(
        "--mix SHARE",
        "Share of the budget to spread evenly over all outputs.  "
        "[default: 1; 0.5 with --judge, except for audits]",
        Panel.verifying, expert=True,
    ),
]  # fmt: skip
Double = Annotated[
    float,
    option(
        "--double SHARE", "Share of the drawn outputs that two people answer.",
        Panel.verifying, expert=True, show_default=False,
    ),
]  # fmt: skip
AuditedPolicy = Annotated[
    Path | None,
    option("--audit POLICY", "Draw audits of the outputs that this policy accepts.", Panel.verifying),
]
Answers = Annotated[Path | None, ANSWERS]
CropsFolder = Annotated[
    Path | None,
    option(
        "--crops FOLDER", "Cut a picture of each drawn word out of --images.",
        Panel.output, expert=True,
    ),
]  # fmt: skip
NEEDED = (
    ("--images", ("--crops", "--station")),
    ("--crops", ("--images",)),
    ("--open", ("--answers",)),
)
NOT_DOUBLE = [("--double", ("--audit", "--answers")), ("--group", ("--audit",))]
LIMITS = "--error-rate", "--max-risk"
OF_AIMS = "--for", *LIMITS
UNEVEN = "--judge", "--mix", "--by"
OF_OWN_TABLES = tuple(each for each in OF_TABLES if each != "--by")  # OCR files take --by, too
OF_DRAWS = (
    *(*OF_AIMS, "--double", "--judge", "--mix", "--group", "--by", "--images", "--crops", "--station"),
)


@grouped
def sample(
    context: typer.Context,
    paths: options.AppliedFiles,
    output: Output,
    *,
    budget: BudgetOption = None,
    purpose: PurposeOption = None,
    error_rate: ErrorRate = None,
    max_risk: MaxRisk = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    mix: Mix = None,
    by: ByColumn = None,
    group: GroupColumn = None,
    audit: AuditedPolicy = None,
    answers: Answers = None,
    open_answers: OpenAnswers = Open.refuse,
    double: Double = 0.0,
    seed: Seed = 0,
    images: options.Images = None,
    crops: CropsFolder = None,
    station: options.Station = None,
    reading: SettingsOptions,
    printing: PrintingOptions,
) -> None:
    """Draw outputs for people to verify, each with a known probability."""
    given = set(given_options(context).values())
    paid = Budget(0.0) if budget is None else budget.over(1.0 + double)
    aim = _Aim(purpose, error_rate, max_risk, one_column(group))
    _require_together(given)
    aim.require(given)
    # With --station, tables may have images too, so --images is not limited to OCR.
    of_station = {"--images"} if station is not None else set()
    is_ocr = is_of_ocr(paths, given - of_station, OF_OWN_TABLES)
    rows, page = _DrawnFrom(paths, confidence, is_ocr, reading), Station(station, images)
    page.require()
    if budget is None and answers is not None:
        chance = "--inclusion-probability", "inclusion_probability"
        found = _joined(rows, answers, output, str(open_answers))
        if found.figures["answered"]:
            found = found.closing(command_line("evaluate", output, *rows.own_confidence, *chance))
    else:
        policy = None if audit is None else load(audit)
        named = (
            None if policy is None or rows.is_ocr else columns_of_policy(policy, paths[0], confidence)
        )
        fields = None if named is None else named.by
        columns: dict[str, Any] = {
            "policy": policy, "mix": mix, "strata": by if fields is None else None, "groups": aim.group,
            "answers": answers, "random_state": seed, **aim.arguments,
        }  # fmt: skip
        about = {
            "is_audit": policy is not None, "has_groups": aim.group is not None,
            "answers": answers, "price": paid.price, **aim.said,
        }  # fmt: skip
        if rows.is_ocr:
            words, pictures = rows.words, _crops(images, crops)
            found = _drawn_words(words, output, paid.outputs, columns, about, pictures)
            found = page.beside(found, output, pages=words)
        else:
            if named is not None:
                columns |= {"documents": named.documents, "types": named.types}
            columns |= {"double": double, "judge": judge, "by": fields, "confidence": confidence}
            found = _drawn_rows(rows.paths, output, paid.outputs, columns, about)
            found = page.beside(found, output, confidence=confidence, judge=judge)
        found = found.closing(_next(rows, output, audit, aim, paid.outputs))
    deliver(printing, "sample", found)


def _next(
    rows: _DrawnFrom,
    output: Path,
    audit: Path | None,
    aim: _Aim,
    budget: float,
) -> str:
    """Return the command to suggest: one that uses the answers, or a better `search`."""
    if audit is not None:
        return command_line("check", audit, output, "--log")
    column = rows.own_confidence
    if aim.name == "guarantee-these" and not rows.is_ocr and len(rows.paths) == 1:
        number = "--budget", round(budget)
        files = "--state", "state.json", "-o", "next.csv"
        return command_line("search", *rows.paths, *column, *aim.limit_options, *number, *files)
    if aim.name in GUARANTEES:
        whole = "--inclusion-probability", NONE, *column_option("--group", aim.group)
        return command_line("fit", output, *column, *whole, *aim.limit_options, "-o", "policy.json")
    return command_line("sample", *rows.paths, *column, "--answers", output, "-o", "verified.csv")


def _require_together(given: set[str]) -> None:
    if "--answers" in given:
        incompatible(given, [("--audit", ("--answers",))])
        incomplete(given, [(name, ("--budget",)) for name in OF_DRAWS])
    elif "--budget" not in given:
        raise RefusalError("--budget is missing: how many outputs to verify")
    incomplete(given, NEEDED)
    incompatible(given, [*NOT_DOUBLE, ("--open", ("--budget",))])
    if "--audit" not in given:
        return
    if "--judge" in given and "--mix" not in given:
        raise RefusalError(
            "--audit spreads the budget evenly by default, so --judge has no effect: add a --mix below "
            "1, or leave out --judge"
        )


class _Aim(NamedTuple):
    """The aim of a sample: its purpose, the limit to prove, and the column of groups drawn whole."""

    purpose: For | None
    error_rate: float | None
    max_risk: float | None
    group: str | None

    @property
    def name(self) -> str:
        """The stated purpose, or else the one that the limit implies."""
        return purpose_of(self.arguments["purpose"], self.limit)

    @property
    def limit(self) -> tuple[str, float] | None:
        given = {"max_error_rate": self.error_rate, "max_risk": self.max_risk}
        return next(((name, value) for name, value in given.items() if value is not None), None)

    @property
    def limit_options(self) -> tuple[str, str]:
        """The option of the limit and its value, by default 1%."""
        return limit_options(*(self.limit or ("max_error_rate", 0.01)))

    @property
    def arguments(self) -> dict[str, Any]:
        purpose = None if self.purpose is None else str(self.purpose)
        return {"purpose": purpose, "max_error_rate": self.error_rate, "max_risk": self.max_risk}

    @property
    def said(self) -> dict[str, Any]:
        """Further arguments of the functions that describe the draw."""
        return {"limit": self.limit, "implied": self.purpose is None and self.limit is not None}

    def require(self, given: set[str]) -> None:
        """Refuse two limits; for a guarantee, refuse options that draw some outputs more often."""
        incompatible(given, [("--error-rate", ("--max-risk",))])
        incompatible(given, [("--audit", OF_AIMS)])
        uneven = next((name for name in UNEVEN if name in given), None)
        if self.name not in GUARANTEES or uneven is None:
            return
        implied = "" if self.purpose is not None else " (implied by the limit)"
        raise RefusalError(
            f"{uneven} cannot go with --for {self.name}{implied}, which draws all outputs "
            f"with the same probability; leave out {uneven}, or use --for estimate"
        )


class _DrawnFrom(NamedTuple):
    """The source of a sample: tables, or files of an OCR engine."""

    paths: Sequence[Path]
    confidence: str
    is_ocr: bool
    reading: OcrSettings

    @property
    def own_confidence(self) -> tuple[str, ...]:
        """The option that names the column of confidences, if its name is not the default."""
        return () if self.confidence == "confidence" else ("--confidence", self.confidence)

    @property
    def words(self) -> EngineOutputs:
        from fastarac.ocr.engine_outputs import read_engine_outputs

        options = engine_files(self.paths, self.reading)
        output = options.pop("output")
        with interrupts_end_at_once():
            found: EngineOutputs = refusing("", lambda: read_engine_outputs(output, **options))
        return found


def _drawn_words(
    words: EngineOutputs,
    output: Path,
    budget: float,
    columns: Mapping[str, Any],
    about: Mapping[str, Any],
    crops: Crops | None,
) -> Answer:
    from fastarac.ocr.verification.drawing import sample_words

    done = refusing("", lambda: sample_words(words, output, budget, crops=crops, **columns))
    folder = None if crops is None else crops.folder
    return drawn_answer(done.sample, output, words=done, crops=folder, **about)


def _drawn_rows(
    paths: Sequence[Path],
    output: Path,
    budget: float,
    columns: Mapping[str, Any],
    about: Mapping[str, Any],
) -> Answer:
    notes: list[str] = []
    with collected(notes):
        found = refusing(str(paths[0]), lambda: sample_outputs(paths, output, budget, **columns))
    of_rows = {
        "double": columns["double"], "whole_documents": columns.get("documents") is not None
    }  # fmt: skip
    return drawn_answer(found, output, **of_rows, **about).with_warnings(notes)


def _crops(images: Path | None, folder: Path | None) -> Crops | None:
    from fastarac._core.extras import missing
    from fastarac._core.files import folder_problem
    from fastarac.ocr.verification.drawing import Crops
    from fastarac.report.images import images_in

    if images is None or folder is None:
        return None
    refuse(folder_problem(folder), f"{folder}: ")
    refuse(missing(["PIL"], "ocr"))
    return Crops(folder, refusing(str(images), lambda: images_in(images)))


def _joined(rows: _DrawnFrom, answers: Path, output: Path, how_open: Any) -> Answer:
    """Write all outputs, the drawn ones with their answers."""
    from fastarac.ocr.verification.drawing import join_answers_of_words

    notes: list[str] = []
    if rows.is_ocr:
        words = rows.words
        with collected(notes):
            drawn, answered, of_words = refusing(
                "", lambda: join_answers_of_words(words, answers, output, open=how_open)
            )
        return joined_answer(drawn, answered, output).with_warnings([*of_words, *notes])
    with collected(notes):
        drawn, answered = refusing(
            str(rows.paths[0]),
            lambda: join_answers(
                rows.paths, answers, output, confidence=rows.confidence, open=how_open
            ),
        )
    people = refusing(str(answers), lambda: reader_of_answers(answers, confidence=rows.confidence))
    return joined_answer(drawn, answered, output, people).with_warnings(notes)
