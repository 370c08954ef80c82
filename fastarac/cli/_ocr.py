"""Options and arguments of `fastarac ocr`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastarac._core.extras import missing
from fastarac._core.files import folder_problem
from fastarac._core.text import listed
from fastarac.cli._ocr_combine import Combining, combining
from fastarac.cli._option_groups import OptionsOf
from fastarac.cli._options import (
    COMPARE,
    COMPARE_HELP,
    RefusalError,
    option,
    output_option,
    refuse,
    refused,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policy_options import FieldsComplete, Images, Optional, ReviewPages  # noqa: TC001
from fastarac.cli._refusals import incompatible, incomplete

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastarac.cli._ocr_settings import OcrSettings

Unit = StrEnum("Unit", ["word", "line", "character"])
Missed = StrEnum("Missed", ["reject", "residual", "separate", "neighbour", "drop"])
Fold = StrEnum("Fold", ["case", "quotes", "punctuation", "whitespace", "nfkc", "historical"])

TruthFiles = Annotated[
    Path | None,
    typer.Argument(
        metavar="TRUTH",
        help="True texts or fields: a file or folder.",
        show_default=False,
    ),
]
OutputFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="OCR...", help="Engine output: one file or folder per engine.", show_default=False
    ),
]
Names = Annotated[
    list[str] | None,
    option(
        "--name NAME",
        "Name of an engine, once for each OCR.",
        Panel.files,
    ),
]
UnitOption = Annotated[
    Unit | None,
    option(
        "--unit UNIT",
        "Unit to count: word (default), line or character.",
        Panel.files,
        show_default=False,
    ),
]
MissedOption = Annotated[
    Missed | None,
    option(
        "--missed HOW",
        "How to count missed words: reject, residual, separate, neighbour or drop.  [default: reject]",
        Panel.files,
    ),
]
FoldOption = Annotated[
    list[Fold] | None,
    option(
        "--fold WHAT",
        f"Ignore differences in {', '.join(list(Fold)[:-1])} or {list(Fold)[-1]}; repeatable.",
        Panel.files,
    ),
]
CompareOption = Annotated[list[str] | None, option(COMPARE, COMPARE_HELP, Panel.columns)]
Output = Annotated[Path | None, output_option("Write the items to this .parquet or .csv file.")]
Attributes = Annotated[
    Path | None,
    option(
        "--attributes FILE", "Table with the language, quality or source of each page.",
        Panel.files, expert=True,
    ),
]  # fmt: skip
NoText = Annotated[
    bool, option("--no-text", "Leave the texts of pages out of the report.", Panel.output, expert=True)
]
Pairs = Annotated[
    Path | None,
    option(
        "--pair FILE", "Table that pairs files, with the columns truth, engine and output.",
        Panel.files, expert=True,
    ),
]  # fmt: skip
SkipUnmatched = Annotated[
    bool,
    option(
        "--skip-unmatched",
        "Leave out truths without output, and outputs without truth.",
        Panel.files,
        expert=True,
    ),
]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Options for aligning outputs with the true texts."""

    unit: UnitOption = None
    missed: MissedOption = None
    fold: FoldOption = None

    def arguments(self) -> dict[str, Any]:
        return {
            "unit": str(self.unit or Unit.word),
            "missed": str(self.missed or Missed.reject),
            "fold": tuple(map(str, self.fold or ())),
        }


@dataclass(frozen=True, slots=True)
class FieldReading:
    """Options for comparing fields."""

    compare: CompareOption = None
    optional: Optional = None
    fields_complete: FieldsComplete = False


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Options for the files of the truth and of each engine."""

    truth: TruthFiles = None
    outputs: OutputFiles = None
    name: Names = None
    pair: Pairs = None
    skip_unmatched: SkipUnmatched = False

    def check(self) -> None:
        """Refuse a combination of files and options that cannot be read."""
        if self.pair is not None:
            if self.truth is not None or self.outputs or self.name:
                raise RefusalError(
                    "--pair names truth, engines and outputs; leave out TRUTH, OCR and --name"
                )
            return
        alone = None if self.outputs else self.truth
        if alone is not None and alone.is_file() and _is_field_table(alone):
            return
        if self.truth is None or not self.outputs:
            raise RefusalError("give TRUTH and at least one OCR, or --pair (see --help)")
        if self.name:
            self.named()

    def some(self) -> Path:
        """Return the path to name in messages: of the truth, or of the table of pairs."""
        return self.truth or self.pair or Path()

    def named(self) -> dict[str, Path]:
        return named_paths(self.outputs or (), self.name or ())


AlignmentOptions = Annotated[Alignment, OptionsOf(Alignment)]
CombiningOptions = Annotated[Combining, OptionsOf(combining)]
FieldOptions = Annotated[FieldReading, OptionsOf(FieldReading)]
FileOptions = Annotated[EngineFiles, OptionsOf(EngineFiles)]


OF_PAGES = "--images", "--attributes", "--review-pages"
OF_TEXTS = "--unit", "--fold"
OF_FIELDS = "--compare", "--optional", "--fields-complete"
NEEDED = (
    ("--images", ("--report",)),
    ("--no-text", ("--report",)),
    ("--save-combination", ("--combine",)),
)
EXCLUDED = (("--no-text", ("--images",)),)


@dataclass(frozen=True, slots=True)
class BesideItems:
    """Options for pictures, page attributes and review pages, and for a report without texts."""

    images: Images = None
    attributes: Attributes = None
    review_pages: ReviewPages = None
    no_text: NoText = False

    def check(self) -> None:
        if self.review_pages is not None:
            refuse(folder_problem(self.review_pages), f"{self.review_pages}: ")
            refuse(missing(["jinja2"], "report"))


BesideOptions = Annotated[BesideItems, OptionsOf(BesideItems)]


@dataclass(frozen=True, slots=True)
class OcrRequest:
    """The files to read, how to align or compare them, and which engines to combine.

    Attributes
    ----------
    files : EngineFiles
    alignment : Alignment
    fields : FieldReading
    combining : Combining
    by_page : bool
        Whether items of one page or document are treated as dependent.
    settings : OcrSettings
    given : collection of str
        The options that were given.
    """

    files: EngineFiles
    alignment: Alignment
    fields: FieldReading
    combining: Combining
    by_page: bool
    settings: OcrSettings
    given: Collection[str] = ()

    def check(self) -> None:
        """Refuse conflicting or incomplete options, and unreadable files."""
        self.files.check()
        incomplete(self.given, NEEDED)
        incompatible(self.given, EXCLUDED)

    def aligned(self) -> dict[str, Any]:
        return self.alignment.arguments() | self.settings.alignment()


def unit_of(settings: OcrSettings) -> Unit:
    if settings.unit is None or settings.unit in list(Unit):
        return Unit(settings.unit or "word")
    raise RefusalError(f"--settings: unit must be {listed(list(Unit))}, got {settings.unit!r}")


def are_by_page(group: Sequence[str] | None) -> bool:
    """Return whether ``--group`` treats items of one page or document as dependent."""
    given = tuple(group or ("page",))
    if given in (("page",), ("none",)):
        return given == ("page",)
    raise RefusalError(f"--group must be page or none, got {' and '.join(given)}")


def named_paths(paths: Sequence[Path], given: Sequence[str]) -> dict[str, Path]:
    """Return the path of each engine, named as in `given` or else after its file or folder."""
    if given and len(given) != len(paths):
        raise RefusalError(
            f"--name is given {_times(len(given))}, but OCR {_times(len(paths))}; give one name "
            "for each OCR"
        )
    names = given or _names(paths)
    if len(set(names)) < len(names):
        twice = list(dict.fromkeys(name for name in names if names.count(name) > 1))
        raise RefusalError(f"several engines are called {listed(twice)}; --name tells them apart")
    return dict(zip(names, paths, strict=True))


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def _is_field_table(path: Path) -> bool:
    from fastarac.ocr import is_field_table

    with refused(ValueError, OSError, ModuleNotFoundError):
        return is_field_table(path)


def _names(paths: Sequence[Path]) -> tuple[str, ...]:
    names = tuple(path.stem if path.is_file() else path.resolve().name for path in paths)
    return names if len(set(names)) == len(names) else tuple(map(str, paths))
