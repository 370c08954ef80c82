"""The options, in groups; a command takes those it wants, and hands each group on as one object."""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fastarac._core.checks import failure_of, of_percent
from fastarac._core.text import percent, printable, quoted
from fastarac.cli import _html, _plot
from fastarac.cli._exit import INTERRUPTED, KILLED_BY_CLOSED_PIPE, REFUSED, discard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastarac.answers.screen import Screen
    from fastarac.cli._tables import Page

DEFAULT_ERROR_RATES = (0.01, 0.05)
RESAMPLES = 2000
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
EXACT = 1 << 53  # up to here, a double holds every integer
# What the library calls an argument, and what the user has typed.
NAMES = {
    "max_error_rate": "--error-rate",
    "sample_weight": "--weight",
    "confidence_level": "--ci",
    "failure_probability": "--guarantee",
    "groups": "--group",
    "level": "--text-level",
    "intervals": "--ci",
    "expected_error_rate": "--expect",
    "actual_error_rate": "--audit",
    "n_outputs": "--outputs",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("ignore_regions", "within", "map"),
        *("max_risk", "threshold", "gamma", "delta", "statistic", "max_group_size", "power"),
        *("design_effect", "difference", "discordance", "half_width", "accept", "icc", "group_sizes"),
    )
}
WORDS = {  # inside messages
    "intervals=True": "--ci",
    "max_error_rate=": "--error-rate ",
    "max_risk=": "--max-risk ",
    "one of max_error_rate, max_risk": "one of --error-rate, --max-risk",
    "found max_error_rate and max_risk": "found --error-rate and --max-risk",
    "beside expected_error_rate;": "beside --expect;",
    "but group_sizes has": "but --group-sizes has",
    "beside a pilot;": "beside --pilot;",
    "method='gamma', an approximation": "--approximate, a method",
    "method is 'gamma'": "--approximate is given without --group",
}


RISK_OF_GROUPS = (
    "of outputs that depend on each other, a risk is guaranteed only over thresholds that were fixed "
    "without them"
)


class RefusalError(Exception):
    """A reason to do nothing, in words for the user."""


@contextmanager
def ends_quietly() -> Iterator[None]:
    """Turn what can go wrong outside the program into an exit status, without a traceback."""
    from fastarac.io._sources import one_database

    try:
        with one_database():
            yield
    except RefusalError as refusal:
        typer.echo(f"fastarac: error: {printable(str(refusal))}", err=True)
        raise typer.Exit(REFUSED) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        discard_output()
        raise typer.Exit(KILLED_BY_CLOSED_PIPE) from None


@contextmanager
def refused(*errors: type[Exception], words: Callable[[Exception], str] = str) -> Iterator[None]:
    """Make refusals of these errors, in their words or in others."""
    try:
        yield
    except errors as error:
        raise RefusalError(words(error)) from None


def refuse(problem: str | None, where: str = "") -> None:
    """Refuse where there is a problem."""
    if problem is not None:
        raise RefusalError(where + problem)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Refuse what cannot be written to this file."""
    try:
        yield
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be written: {error.strerror or error}") from None


def in_words_of_options(error: Exception | str) -> str:
    """Return a message of the library, with the option in place of the argument."""
    message = str(error)
    name = message.partition(" ")[0].partition("[")[0]
    if name in NAMES:
        message = message.replace(name, NAMES[name], 1)
    for library, command in WORDS.items():
        message = message.replace(library, command)
    return message


def number(text: str) -> float:
    """Read a threshold; an integer that a double does not hold stays one."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter(f"{text!r} is not a finite number")
    return int(text) if abs(value) >= EXACT and text.strip("+- ").isdecimal() else value


def counts(text: str) -> list[int]:
    """Read numbers of outputs, between commas."""
    found = text.split(",")
    if not all(each.strip().isdecimal() for each in found):
        raise typer.BadParameter(
            f"{text!r} is no list of whole numbers between commas, such as 5,20,40"
        )
    return [int(each) for each in found]


def rate(text: str) -> float:
    """Read a rate below 1; what looks like a percentage is answered with the share."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0.0 <= value < 1.0:
        return value
    raise typer.BadParameter(f"{text!r} is not a rate from 0 to below 1; {_as_rate(text)}")


def bytes_of(text: str) -> int | None:
    """Return the bytes of a size such as 500MB, or None where a text is no size."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip())
    unit = UNITS.get(found[2].upper()) if found else None
    return None if found is None or unit is None else int(float(found[1]) * unit)


def line_size(text: str) -> int:
    """Read how many bytes a line may have."""
    size = bytes_of(text)
    if size:
        return size
    raise typer.BadParameter(f"{text!r} is not a size; one such as 64MB is expected")


def ratio(text: str) -> float:
    """Read how many times its size a file may expand to."""
    value = number(text)
    if value >= 1:
        return value
    raise typer.BadParameter(f"{text!r} is below 1, to which nothing expands")


def _as_rate(text: str) -> str:
    """Say how a percentage, or a number with a decimal comma, is written as a rate."""
    try:
        meant = float(text.strip().removesuffix("%").replace(",", "."))
    except ValueError:
        meant = math.nan
    if "%" in text or meant >= 1.0:
        meant /= 100.0
    if not 0.0 < meant < 1.0:
        meant = 0.01
    return f"write {meant:.6g} for {percent(meant)}"


class PrintedFormat(StrEnum):
    """How the figures are printed."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"

    @property
    def is_for_people(self) -> bool:
        """Whether it has tables and words, not all figures for programs."""
        return self in (PrintedFormat.table, PrintedFormat.markdown)


NumbersAs = StrEnum("NumbersAs", ["text", "number"])
Method = StrEnum("Method", ["asymptotic", "bootstrap"])
Correction = StrEnum("Correction", ["holm", "bonferroni", "none"])
Form = StrEnum("Form", ["text", "json"])


def option(usage: str, text: str, **more: Any) -> Any:
    """Return an option from how it is typed, such as ``--output -o FILE``, and its help."""
    words = usage.split()
    names = [word for word in words if word.startswith("-")]
    return typer.Option(*names, metavar=None if names == words else words[-1], help=text, **more)


Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSON lines or Parquet files; each is one model, named after the file.",
        show_default=False,
    ),
]
Confidence = Annotated[str, option("--confidence COLUMN", "Column of confidences.")]
Correct = Annotated[str | None, option("--correct COLUMN", "Column that says what is correct.")]
Prediction = Annotated[
    str | None, option("--prediction COLUMN", "Column of outputs, compared as text with --truth.")
]
Truth = Annotated[str | None, option("--truth COLUMN", "Column of what the outputs should be.")]
EmptyTruth = Annotated[
    bool,
    option(
        "--empty-truth",
        "Take an empty field of the truths as the empty text, which CSV files otherwise have to "
        'write as "" in quotes.',
    ),
]
EmptyConfidence = Annotated[
    bool,
    option(
        "--empty-confidence",
        "Take outputs without a confidence as never accepted, such as missed words and empty "
        "fields that people see.",
    ),
]
CompareNumbers = Annotated[
    NumbersAs | None,
    option(
        "--compare",
        "Whether outputs that are written unlike their truth and are the same number, such as 9.0 for "
        "9, are right (number) or wrong (text).",
    ),
]
InclusionProbability = Annotated[
    str | None,
    option(
        "--inclusion-probability COLUMN",
        "Column of the probability with which each output was chosen to be verified; --correct is "
        'empty where it was not. Figures of all outputs are estimated. "none" takes the rows of a '
        "sample as they are.",
    ),
]
JudgeColumn = Annotated[
    str | None,
    option("--judge COLUMN", "Column of a guess at the probability that each output is right."),
]
DrawnColumn = Annotated[
    str | None,
    option(
        "--drawn COLUMN",
        "Column that says what was drawn to be verified, where each answer has to be there.  [default: "
        "drawn, where the file has it]",
    ),
]
GroupColumn = Annotated[
    list[str] | None,
    option(
        "--group COLUMN",
        "Column of pages, documents or other groups of outputs that depend on each other: "
        "intervals and tests rest on them. By default the pages, in a table that fastarac ocr -o "
        "wrote; none for no groups. Twice for two columns: nested ones (batch, document) count by the "
        "outer one, crossed ones (writer, form) by both.",
    ),
]
ModelColumn = Annotated[
    str | None, option("--model COLUMN", "Column of model names, in place of the files' names.")
]
Weight = Annotated[str | None, option("--weight COLUMN", "Column of the weights of the outputs.")]
ErrorRates = Annotated[
    list[float] | None,
    option(
        "--error-rate RATE",
        "Allowed share of errors that remain among all outputs; may be given several times, as "
        "the next two.  [default: 0.01 and 0.05, where none of the three is given]",
        parser=rate,
    ),
]
MAX_RISK = option("--max-risk RATE", "Allowed share of errors among the accepted outputs.", parser=rate)
MaxRisks = Annotated[list[float] | None, MAX_RISK]
Thresholds = Annotated[
    list[float] | None,
    option(
        "--threshold CONFIDENCE",
        "Confidence from which on outputs are accepted, such as one chosen on other outputs.",
        parser=number,
    ),
]
Gamma = Annotated[
    float | None, option("--gamma RATIO", "Cost of verifying over cost of correcting.  [default: 1]")
]
Delta = Annotated[
    float | None,
    option("--delta RATIO", "Cost of an error over cost of correcting, less 1.  [default: 0]"),
]
CostVerification = Annotated[
    float | None,
    option("--cost-verification PRICE", "Price of verifying an output, in any unit of money."),
]
CostCorrection = Annotated[
    float | None, option("--cost-correction PRICE", "Price of correcting one, beyond verifying it.")
]
CostError = Annotated[float | None, option("--cost-error PRICE", "Price of an error that nobody sees.")]
ReviewerDetection = Annotated[
    float | None,
    option(
        "--reviewer-detection RATE",
        "Share of the wrong outputs that people notice when they verify, for the prices.  [default: 1]",
    ),
]
ReviewerFalseAlarm = Annotated[
    float | None,
    option(
        "--reviewer-false-alarm RATE",
        "Share of the right outputs that people spoil when they verify, for the prices.  [default: 0]",
    ),
]
Interval = Annotated[
    float | None, option("--ci LEVEL", "Show confidence intervals of this level, such as 0.95.")
]
Resamples = Annotated[
    int | None,
    option("--resamples N", f"Resamples, for --method bootstrap.  [default: {RESAMPLES}]", min=2),
]
Seed = Annotated[
    int, option("--seed N", "Which resamples, or outputs: the same number draws the same ones.", min=0)
]
Item = Annotated[
    str | None,
    option(
        "--id COLUMN",
        "Column of what identifies the items, by which those of the models are matched. In compare, if "
        "not given, the column id where all files have it, once an item; none for the files' order.",
    ),
]
StatisticName = Annotated[
    str,
    option(
        "--statistic NAME",
        "What is compared; parameters follow its name, as in acceptance_rate:threshold=0.9.",
    ),
]
MethodName = Annotated[Method, option("--method", "Where intervals and p-values come from.")]
CorrectionName = Annotated[
    Correction, option("--correction", "For the number of pairs that are tested.")
]
Level = Annotated[float, option("--ci LEVEL", "Level of the confidence intervals.")]
Guarantee = Annotated[
    float | None,
    option(
        "--guarantee PROBABILITY",
        "Find thresholds that keep each --error-rate and --max-risk on new outputs, too, but for "
        "this probability, such as 0.05, if outputs err independently of each other.",
    ),
]
OutputFormat = Annotated[
    PrintedFormat,
    option("--format", "Tables and words for people (table, markdown), or all figures for programs."),
]
TextOrJson = Annotated[Form, option("--format", "Words for people, or all figures for programs.")]
Wide = Annotated[
    bool, option("--wide", "Let tables be as wide as the terminal, or wider where there is none.")
]
Details = Annotated[
    bool, option("--details", "Print everything: all figures, differences and notes, by sections.")
]
MaxMemory = Annotated[
    str | None,
    option(
        "--max-memory SIZE",
        "Stream files that are larger than memory: figures become bounds. Such as 500MB or 2GB.",
    ),
]
FailIf = Annotated[
    list[str] | None,
    option(
        "--fail-if CONDITION",
        'End with exit code 1 if a figure of any model is so, such as "acceptance_rate/0.01 < 0.6": '
        'a key of --format json, <, <=, > or >=, and a number; of one model "NAME: KEY < NUMBER". Can '
        "be repeated.",
    ),
]
Worse = StrEnum("Worse", ["worse"])
FailIfWorse = Annotated[
    Worse | None,
    option(
        "--fail-if",
        "End with exit code 1 if a file is worse than the first one, beyond chance (the adjusted "
        "interval of their difference).",
    ),
]
MaxLine = Annotated[
    int | None,
    option(
        "--max-line SIZE",
        "Bytes that a line of a file may have, such as 64MB.  [default: 16MiB]",
        parser=line_size,
    ),
]
MaxRatio = Annotated[
    float | None,
    option(
        "--max-ratio RATIO",
        "How many times its size a compressed file above 64MiB may expand to.  [default: 200]",
        parser=ratio,
    ),
]
SafeCsv = Annotated[
    bool,
    option(
        "--safe-csv",
        "Write an apostrophe before texts in CSV files that a spreadsheet would take for formulas.",
    ),
]
Plot = Annotated[
    Path | None,
    option(
        "--plot FILE",
        "Draw the ARAC curves into this .png, .svg or .pdf file; bands with --ci.",
    ),
]
ReportFile = Annotated[
    Path | None,
    option("--report FILE", "Write everything into this .html file, with charts; it needs no network."),
]


def groups_of(columns: Sequence[str] | None) -> str | tuple[str, ...] | None:
    """Return the column of groups, or the two of them."""
    if not columns:
        return None
    if len(columns) > 2 or len(set(columns)) < len(columns):
        raise RefusalError(
            f"--group names {', '.join(map(quoted, columns))}; one column, or two different ones, are "
            "expected"
        )
    if len(columns) == 2 and "none" in columns:
        raise RefusalError("--group none is for no groups; leave out the other --group")
    return columns[0] if len(columns) == 1 else tuple(columns)


@dataclass(frozen=True, slots=True)
class Limits:
    """What decides what is accepted, each once."""

    max_error_rate: tuple[float, ...]
    max_risk: tuple[float, ...]
    threshold: tuple[float, ...]

    @property
    def fitted(self) -> bool:
        """Whether there is a limit to keep, not a threshold alone."""
        return bool(self.max_error_rate or self.max_risk)

    @classmethod
    def of(
        cls,
        error_rate: ErrorRates = None,
        max_risk: MaxRisks = None,
        threshold: Thresholds = None,
    ) -> Limits:
        """Return the limits that were given, each once; the default ones where there are none."""
        if not error_rate and not max_risk and not threshold:
            error_rate = list(DEFAULT_ERROR_RATES)
        given = (error_rate, max_risk, threshold)
        return cls(*(tuple(dict.fromkeys(values or ())) for values in given))

    def arguments(self) -> dict[str, Any]:
        """Return what :func:`fastarac.evaluate` is told about them."""
        return {
            "max_error_rate": self.max_error_rate,
            "max_risk": self.max_risk,
            "threshold": list(self.threshold),
        }


@dataclass(frozen=True, slots=True)
class Draws:
    """The resamples of a bootstrap."""

    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure figures are to be: with intervals, and with thresholds that hold for new outputs."""

    level: float | None = None
    failure_probability: float | None = None

    def arguments(self) -> dict[str, Any]:
        """Return what :func:`fastarac.evaluate` is told about it."""
        told: dict[str, Any] = {"failure_probability": self.failure_probability}
        if self.level is not None:
            told |= {"intervals": True, "confidence_level": self.level}
        return told

    def check(self, limits: Limits | None = None) -> None:
        """Refuse numbers outside their ranges, and a guarantee where there is no limit to keep."""
        if self.level is not None and not 0.0 < self.level < 1.0:
            message = f"--ci is {self.level}; a number strictly between 0 and 1 is expected"
            raise RefusalError(message + of_percent(self.level))
        with refused(ValueError):
            if self.failure_probability is not None:
                failure_of(self.failure_probability, "--guarantee")
        if self.failure_probability is not None and not (limits and limits.fitted):
            raise RefusalError(
                "--guarantee is given beside --threshold alone; --error-rate or --max-risk is expected"
            )


def require_files(plot: Path | None, report: Path | None) -> None:
    """Refuse a plot or a report that could not be written."""
    for path, module in ((plot, _plot), (report, _html)):
        refuse(None if path is None else module.problem_with(path))


class Printing(NamedTuple):
    """How an answer is printed: for people, with all details or without, or for programs."""

    form: str
    details: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where the figures go, and how."""

    form: PrintedFormat
    plot: Path | None = None
    report: Path | None = None
    wide: bool = False
    details: bool = False

    def page(self) -> Page:
        """Return what people's words and tables are printed on."""
        from fastarac.cli._tables import Page

        return Page(wide=self.wide, markdown=self.form is PrintedFormat.markdown)

    def text(self, screen: Screen) -> str:
        """Return what people read of a result: one screen, or all of it."""
        from fastarac.cli._screen import screen_text

        return screen_text(screen, self.page(), details=self.details)

    def check(self) -> None:
        """Refuse a plot or a report that could not be written."""
        require_files(self.plot, self.report)
