"""The options of commands by subject, and the values that they give."""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fastarac._core.text import percent, printable, quoted
from fastarac.cli import _html, _plot
from fastarac.cli._exit import INTERRUPTED, KILLED_BY_CLOSED_PIPE, REFUSED, discard_output
from fastarac.cli._panels import Panel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastarac.answers.screen import Screen
    from fastarac.cli._tables import Page

DEFAULT_ERROR_RATES = (0.01, 0.05)
MOST_OUTPUTS = 400_000  # maximum number of outputs for which intervals take less than a second
OUTPUTS_OF_EVALUATION = 8_000  # each model or group adds as much time as this many outputs
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
EXACT = 1 << 53  # float64 represents every integer up to this one exactly
# Names of library arguments, and the options that set them.
NAMES = {
    "max_error_rate": "--error-rate",
    "sample_weight": "--weight",
    "confidence_level": "--ci",
    "failure_probability": "--guarantee",
    "groups": "--group",
    "intervals": "--ci",
    "expected_error_rate": "--expect",
    "actual_error_rate": "--detect",
    "n_outputs": "--outputs",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("max_risk", "threshold", "statistic", "max_group_size", "power"),
        *("difference", "discordance", "half_width", "unseen_pages"),
    )
}
WORDS = {  # parts of the library's messages, and their replacements
    "intervals=True": "--ci",
    "max_error_rate=": "--error-rate ",
    "max_risk=": "--max-risk ",
    "one of max_error_rate, max_risk": "one of --error-rate, --max-risk",
    "got max_error_rate and max_risk": "got --error-rate and --max-risk",
    "with expected_error_rate": "with --expect",
    "with a pilot": "with --pilot",
    "for partial truth, got": "for partly verified outputs, got",
}


NONE = "none"  # an option with this value is off, even if it has a default
RISK_OF_GROUPS = (
    "with dependent outputs, --max-risk can be guaranteed only for thresholds that were chosen on "
    "other data"
)
RISK_BY_PAGE = (
    "--guarantee cannot go with --max-risk if the outputs of a page depend on each other; use "
    f"--error-rate, or --group none to treat them as independent: {RISK_OF_GROUPS}"
)


def limit_options(criterion: str, limit: float) -> tuple[str, str]:
    """Return the option for a limit, and its value as a text."""
    return NAMES[criterion], f"{limit:g}"


def column_option(name: str, column: str | None) -> tuple[str, ...]:
    """Return an option and its column, or nothing if no column is named."""
    return (name, column) if column else ()


class RefusalError(Exception):
    """The reason why the command does nothing, in words for the user."""


@contextmanager
def ends_quietly() -> Iterator[None]:
    """Turn foreseeable errors into an exit status, without a traceback."""
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
    """Turn these errors into refusals; `words` may replace the message of an error."""
    try:
        yield
    except errors as error:
        raise RefusalError(words(error)) from None


def refuse(problem: str | None, where: str = "") -> None:
    if problem is not None:
        raise RefusalError(where + problem)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error in writing this file into a refusal."""
    try:
        yield
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be written: {error.strerror or error}") from None


def in_words_of_options(error: Exception | str) -> str:
    """Return a message of the library with options in place of arguments."""
    message = str(error)
    name = message.partition(" ")[0].partition("[")[0]
    if name in NAMES:
        message = message.replace(name, NAMES[name], 1)
    for library, command in WORDS.items():
        message = message.replace(library, command)
    return message


def _number_or_nan(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def number(text: str) -> float:
    """Read a threshold; an integer stays an int if float64 cannot represent it exactly."""
    value = _number_or_nan(text)
    if not math.isfinite(value):
        raise typer.BadParameter(f"{text!r} is not a finite number")
    return int(text) if abs(value) >= EXACT and text.strip("+- ").isdecimal() else value


def rate(text: str) -> float:
    """Read a rate below 1; the message about a percentage suggests the rate."""
    value = _number_or_nan(text)
    if 0.0 <= value < 1.0:
        return value
    raise typer.BadParameter(f"{text!r} is not a rate from 0 to below 1; {_as_rate(text)}")


def level(text: str) -> float | None:
    """Read a confidence level, or None for "none"."""
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number, such as 0.95, nor none") from None


def bytes_of(text: str) -> int | None:
    """Return the bytes of a size such as 500MB, or None for another text."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip())
    unit = UNITS.get(found[2].upper()) if found else None
    return None if found is None or unit is None else int(float(found[1]) * unit)


def line_size(text: str) -> int:
    """Read the longest line allowed, in bytes."""
    size = bytes_of(text)
    if size:
        return size
    raise typer.BadParameter(f"{text!r} is not a size; use one such as 64MB")


def ratio(text: str) -> float:
    """Read the largest ratio of a file's expanded to its compressed size."""
    value = number(text)
    if value >= 1:
        return value
    raise typer.BadParameter(f"{text!r} is below 1; give a ratio of at least 1")


def _as_rate(text: str) -> str:
    """Return a hint for a percentage or a decimal comma: how to write the rate."""
    meant = _number_or_nan(text.strip().removesuffix("%").replace(",", "."))
    if "%" in text or meant >= 1.0:
        meant /= 100.0
    if not 0.0 < meant < 1.0:
        meant = 0.01
    return f"write {meant:.6g} for {percent(meant)}"


class PrintedFormat(StrEnum):
    """The format in which figures are printed."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"

    @property
    def is_for_people(self) -> bool:
        """Whether the format shows tables and sentences instead of all figures."""
        return self in (PrintedFormat.table, PrintedFormat.markdown)


NumbersAs = StrEnum("NumbersAs", ["text", "number"])
MayBeEmpty = StrEnum("MayBeEmpty", ["truth", "confidence"])
Form = StrEnum("Form", ["text", "json"])


def option(usage: str, text: str, panel: Panel, *, expert: bool = False, **more: Any) -> Any:
    """Return an option from its usage, such as ``--output -o FILE``, and its help text."""
    words = usage.split()
    names = [word for word in words if word.startswith("-")]
    metavar = None if names == words else words[-1]
    return typer.Option(
        *names, metavar=metavar, help=text, rich_help_panel=panel, hidden=expert, **more
    )


def output_option(text: str) -> Any:
    return option("--output -o FILE", text, Panel.output, show_default=False)


def format_option(choices: str) -> Any:
    return option("--format FORMAT", f"Print as {choices}.", Panel.output, show_default=False)


Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE", help="One per model: CSV, TSV, JSON lines or Parquet.", show_default=False
    ),
]
Confidence = Annotated[str, option("--confidence COLUMN", "Confidence of each output.", Panel.columns)]
PolicyConfidence = Annotated[
    str | None,
    option("--confidence COLUMN", "Confidence of each output.  [default: as in fit]", Panel.columns),
]
Correct = Annotated[
    str | None, option("--correct COLUMN", "Whether each output is right.", Panel.columns)
]
Prediction = Annotated[
    str | None, option("--prediction COLUMN", "Each output, as the machine gave it.", Panel.columns)
]
Truth = Annotated[str | None, option("--truth COLUMN", "True value of each output.", Panel.columns)]
ALLOW_EMPTY = option(
    "--allow-empty COLUMN",
    "Column that may be empty: truth (an empty text), or confidence (the output is never accepted).",
    Panel.columns, expert=True,
)  # fmt: skip
AllowEmpty = Annotated[list[MayBeEmpty] | None, ALLOW_EMPTY]
COMPARE = "--compare HOW"
COMPARE_HELP = "Compare as text or number; in ocr, FIELD=HOW."
CompareNumbers = Annotated[NumbersAs | None, option(COMPARE, COMPARE_HELP, Panel.columns)]
InclusionProbability = Annotated[
    str | None,
    option(
        "--inclusion-probability COLUMN",
        "Probability that each output was drawn.",
        Panel.columns,
    ),
]
Open = StrEnum("Open", ["refuse", "wrong"])
OpenAnswers = Annotated[
    Open,
    option(
        "--open HOW",
        "What to do with outputs that nobody answered: refuse or wrong.",
        Panel.columns,
        expert=True,
    ),
]
JUDGE = "Estimated chance that each output is right."
JudgeColumn = Annotated[
    str | None,
    option("--judge COLUMN", JUDGE, Panel.columns),
]
JudgeColumns = Annotated[
    list[str] | None,
    option(
        "--judge COLUMN",
        JUDGE,
        Panel.columns,
    ),
]
ByColumn = Annotated[
    str | None,
    option("--by COLUMN", "Fields or other parts to treat separately.", Panel.columns),
]
GroupColumn = Annotated[
    list[str] | None,
    option("--group COLUMN", "Pages, or other groups of dependent outputs.", Panel.columns),
]
ModelColumn = Annotated[
    str | None,
    option("--model COLUMN", "Model of each output, if a file has several.", Panel.columns),
]
Weight = Annotated[
    str | None, option("--weight COLUMN", "Weight of each output.", Panel.columns, expert=True)
]
Item = Annotated[
    str | None,
    option(
        "--id COLUMN",
        "Id of each item; no two items share one.  [default: id, if present]",
        Panel.columns,
    ),
]
ERROR_RATE = "--error-rate RATE"
ERROR_RATE_HELP = "Allowed share of errors among all outputs."
ErrorRates = Annotated[
    list[float] | None,
    option(ERROR_RATE, f"{ERROR_RATE_HELP}  [default: 0.01 and 0.05]", Panel.limits, parser=rate),
]
ErrorRate = Annotated[float | None, option(ERROR_RATE, ERROR_RATE_HELP, Panel.limits, parser=rate)]
MAX_RISK = option(
    "--max-risk RATE", "Allowed share of errors among accepted outputs.", Panel.limits, parser=rate
)
MaxRisks = Annotated[list[float] | None, MAX_RISK]
MaxRisk = Annotated[float | None, MAX_RISK]
Thresholds = Annotated[
    list[float] | None,
    option(
        "--threshold CONFIDENCE",
        "Accept outputs at or above this confidence.",
        Panel.limits,
        parser=number,
    ),
]
Level = Annotated[
    float | None,
    option(
        "--ci LEVEL", "Confidence level of intervals, or none.", Panel.sure,
        parser=level,
    ),
]  # fmt: skip
UnseenPages = Annotated[
    bool,
    option(
        "--unseen-pages", "Widen intervals, because pages outside the sample may be wrong throughout.",
        Panel.sure, expert=True,
    ),
]  # fmt: skip
GUARANTEE = option(
    "--guarantee PROBABILITY", "Chance that a guarantee fails, such as 0.05.",
    Panel.sure,
)  # fmt: skip
Guarantee = Annotated[float | None, GUARANTEE]
Failure = Annotated[float, GUARANTEE]
FalseAlarm = Annotated[
    float,
    option(
        "--false-alarm PROBABILITY", "Probability of ever giving a false alarm about the limit.",
        Panel.sure,
    ),
]  # fmt: skip
Seconds = Annotated[
    float | None,
    option(
        "--seconds S", "Seconds that a person takes for one output, to print hours of work.",
        Panel.costs, min=0.0,
    ),
]  # fmt: skip
Seed = Annotated[
    int,
    option(
        "--seed N",
        "Random seed; the same seed draws the same outputs.",
        Panel.verifying,
        expert=True,
        min=0,
    ),
]
STATISTIC = option(
    "--statistic NAME", "Statistic, such as roc_auc or acceptance_rate/0.01.", Panel.sure
)
StatisticName = Annotated[str, STATISTIC]
OutputFormat = Annotated[PrintedFormat, format_option("table (default), markdown, json or csv")]
TextOrJson = Annotated[Form, format_option("text (default) or json")]
Details = Annotated[
    bool, option("--details", "Also print all other figures, in sections.", Panel.output)
]
MaxMemory = Annotated[
    str | None,
    option(
        "--max-memory SIZE",
        "Read files in this much memory, such as 500MB; figures become bounds.",
        Panel.output,
        expert=True,
    ),
]
FAIL_IF = option("--fail-if CONDITION", "Exit with code 1 if this condition holds.", Panel.output)
FailIf = Annotated[list[str] | None, FAIL_IF]
Worse = StrEnum("Worse", ["worse"])
FailIfWorse = Annotated[Worse | None, FAIL_IF]
MaxLine = Annotated[
    int | None,
    option(
        "--max-line SIZE", "Longest line to read, such as 64MB.  [default: 16MiB]", Panel.other,
        parser=line_size,
    ),
]  # fmt: skip
MaxRatio = Annotated[
    float | None,
    option(
        "--max-ratio RATIO", "Maximum ratio of unpacked to packed size of a .gz file.  [default: 200]",
        Panel.other, parser=ratio,
    ),
]  # fmt: skip
SafeCsv = Annotated[
    bool,
    option(
        "--safe-csv", "Mark CSV texts so that spreadsheets do not run them as formulas.", Panel.other
    ),
]
Plot = Annotated[
    Path | None,
    option("--plot FILE", "Draw the result as a .png, .svg or .pdf file.", Panel.output),
]
ReportFile = Annotated[
    Path | None, option("--report FILE", "Write a report with charts as an .html file.", Panel.output)
]
STATE = option("--state FILE", "File that keeps the progress between runs.", Panel.output)
State = Annotated[Path | None, STATE]
ANSWERS = option(
    "--answers FILE", "File of drawn outputs, with the answers filled in.", Panel.verifying
)


class Budget(NamedTuple):
    """The number of outputs to verify, and the price of an answer if money was given."""

    outputs: float
    price: float | None = None
    text: str = ""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def read(cls, text: str) -> Budget:
        """Read a number of outputs, or money and the price of an answer, such as "60/0.12"."""
        amount, *price = text.split("/", 1)
        try:
            number, prices = float(amount), [float(each) for each in price]
        except ValueError:
            number, prices = 0.0, [0.0]
        if any(not 0.0 < each < math.inf for each in prices):
            raise typer.BadParameter(
                "use a number of outputs, such as 500, or money and the price of an answer, such as "
                f"60/0.12, got {quoted(text)}"
            )
        return cls(number / prices[0], prices[0], text) if prices else cls(number, None, text)

    @property
    def whole(self) -> float:
        """The number of outputs that is given, or that the money pays for (rounded down)."""
        is_whole = self.price is not None or self.outputs.is_integer()
        return int(self.outputs) if is_whole else self.outputs

    def over(self, answers_per_output: float) -> Budget:
        """Return the budget if each output needs this many answers; a number of outputs is kept."""
        return self if self.price is None else self._replace(outputs=self.outputs / answers_per_output)


BUDGET = option(
    "--budget N",
    "Number of outputs to verify (for fastarac week, per week), or AMOUNT/PRICE, an amount of money "
    "and the price of an answer (60/0.12).",
    Panel.verifying,
    parser=Budget.read,
    show_default=False,
)


def groups_of(columns: Sequence[str] | None) -> str | tuple[str, ...] | None:
    """Return the column of groups, or a pair of columns."""
    if not columns:
        return None
    if len(columns) > 2 or len(set(columns)) < len(columns):
        raise RefusalError(
            "--group must name one column, or two different columns, got "
            f"{', '.join(map(quoted, columns))}"
        )
    if len(columns) == 2 and "none" in columns:
        raise RefusalError("--group none cannot go with another --group: leave out one of the two")
    return columns[0] if len(columns) == 1 else tuple(columns)


def require_groups(groups: object) -> None:
    """Refuse --unseen-pages without a column of pages."""
    if groups in (None, NONE):
        raise RefusalError("--unseen-pages needs --group COLUMN, which names the column of pages")


def needed_level(level: float | None) -> float:
    """Return the confidence level; refuse "none", because intervals are needed."""
    if level is None:
        raise RefusalError("--ci must be a number such as 0.95 here, got none")
    return level


def one_column(columns: Sequence[str] | None) -> str | None:
    """Return the column of groups; refuse two columns."""
    groups = groups_of(columns)
    if isinstance(groups, tuple):
        raise RefusalError(
            f"--group must name one column here, got {' and '.join(map(quoted, groups))}"
        )
    return None if groups == "none" else groups


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits and thresholds to evaluate, without duplicates."""

    max_error_rate: tuple[float, ...]
    max_risk: tuple[float, ...]
    threshold: tuple[float, ...]

    @property
    def fitted(self) -> bool:
        return bool(self.max_error_rate or self.max_risk)

    @classmethod
    def of(
        cls,
        error_rate: ErrorRates = None,
        max_risk: MaxRisks = None,
        threshold: Thresholds = None,
    ) -> Limits:
        """Return the given limits without duplicates, or the default limits if there are none."""
        if not error_rate and not max_risk and not threshold:
            error_rate = list(DEFAULT_ERROR_RATES)
        given = (error_rate, max_risk, threshold)
        return cls(*(tuple(dict.fromkeys(values or ())) for values in given))

    def arguments(self) -> dict[str, Any]:
        return {
            "max_error_rate": self.max_error_rate,
            "max_risk": self.max_risk,
            "threshold": list(self.threshold),
        }


@dataclass(frozen=True, slots=True)
class Certainty:
    """Whether figures have intervals, and whether thresholds have a guarantee."""

    level: float | None = None
    failure_probability: float | None = None
    is_default: bool = False  # the user did not ask for intervals, so they may be left out
    unseen_pages: bool = False

    def in_time(self, n_outputs: int, n_evaluations: int) -> tuple[Certainty, list[str]]:
        """Return a copy without default intervals if they would take over a second, and a note."""
        work = n_outputs + n_evaluations * OUTPUTS_OF_EVALUATION
        if not self.is_default or self.level is None or work <= MOST_OUTPUTS:
            return self, []
        note = (
            f"intervals would take more than a second and are left out; --ci {self.level:g} shows them"
        )
        return replace(self, level=None), [note]

    def printed_as(self, form: PrintedFormat) -> Certainty:
        """Return a copy that keeps slow intervals for JSON and CSV, so that their keys do not vary."""
        return self if form.is_for_people else replace(self, is_default=False)

    def arguments(self) -> dict[str, Any]:
        told: dict[str, Any] = {"failure_probability": self.failure_probability}
        if self.level is not None:
            told |= {"intervals": True, "confidence_level": self.level}
            told |= {"unseen_pages": True} if self.unseen_pages else {}
        return told

    def check(self, limits: Limits | None = None) -> None:
        """Refuse numbers out of range, and a guarantee without a limit to keep."""
        # Imported here, because it loads NumPy.
        from fastarac._core.checks import failure_of, of_percent

        if self.level is not None and not 0.0 < self.level < 1.0:
            message = f"--ci must be a number strictly between 0 and 1, got {self.level}"
            raise RefusalError(message + of_percent(self.level))
        with refused(ValueError):
            if self.failure_probability is not None:
                failure_of(self.failure_probability, "--guarantee")
        if self.failure_probability is not None and not (limits and limits.fitted):
            raise RefusalError("--guarantee needs --error-rate or --max-risk, not --threshold alone")


def require_files(plot: Path | None, report: Path | None) -> None:
    """Refuse a plot or a report that cannot be written."""
    for path, module in ((plot, _plot), (report, _html)):
        refuse(None if path is None else module.problem_with(path))


@dataclass(frozen=True, slots=True)
class Printing:
    """How to print an answer: as text, with or without details, or as JSON."""

    form: TextOrJson = Form.text
    details: Details = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """How and where to show the figures."""

    form: OutputFormat = PrintedFormat.table
    details: Details = False
    plot: Plot = None
    report: ReportFile = None

    @property
    def draws(self) -> bool:
        """Whether a plot or a report is wanted."""
        return self.plot is not None or self.report is not None

    def page(self) -> Page:
        from fastarac.cli._tables import Page

        return Page(markdown=self.form is PrintedFormat.markdown)

    def text(self, screen: Screen) -> str:
        from fastarac.cli._screen import screen_text

        return screen_text(screen, self.page(), details=self.details)

    def check(self) -> None:
        require_files(self.plot, self.report)
