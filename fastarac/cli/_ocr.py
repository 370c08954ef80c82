"""What `fastarac ocr` asks for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastarac._core.extras import missing
from fastarac._core.files import folder_problem
from fastarac._core.text import listed
from fastarac.cli._ocr_combine import CombinationFile, Combining
from fastarac.cli._option_groups import OptionsOf
from fastarac.cli._options import RefusalError, option, refuse, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

Unit = StrEnum("Unit", ["word", "line", "character"])
Missed = StrEnum("Missed", ["reject", "residual", "separate", "neighbour", "drop"])
Inserted = StrEnum("Inserted", ["wrong", "drop"])
Moved = StrEnum("Moved", ["right", "wrong"])
Fold = StrEnum("Fold", ["case", "quotes", "punctuation", "whitespace", "nfkc", "historical"])
Join = StrEnum("Join", ["min", "mean", "max"])
TextLevel = StrEnum("TextLevel", ["auto", "region", "line", "word"])
Within = StrEnum("Within", ["truth"])
Group = StrEnum("Group", ["page", "none"])

TruthFiles = Annotated[
    Path | None,
    typer.Argument(
        metavar="TRUTH",
        help="File or folder of true texts: plain text, ALTO, PAGE or hOCR; or of fields: a table, or "
        "nested JSON.",
        show_default=False,
    ),
]
OutputFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="OCR...",
        help="Files or folders of outputs, each of one engine: Tesseract TSV, hOCR, ALTO, PAGE, JSON "
        "of Textract, Azure, Google, PaddleOCR, EasyOCR, RapidOCR, docTR; or fields.",
        show_default=False,
    ),
]
Names = Annotated[list[str] | None, option("--name NAME", "Name of each engine, in their order.")]
UnitOption = Annotated[Unit, option("--unit", "What an item is.")]
LevelOption = Annotated[
    TextLevel,
    option(
        "--text-level",
        "Whose text counts in PAGE, ALTO and hOCR: auto puts words together as their line has them, "
        "and takes the line's text of the truth and the words of outputs where these differ.",
    ),
]
MapOption = Annotated[
    list[str] | None,
    option(
        "--map NAME=COLUMN",
        "Columns of a table of words in no known format: text=…,confidence=… and, where there are any, "
        "page=…, line=…, left=…, top=…, right=…, bottom=…; also scale=percent or scale=unit.",
    ),
]
WithinOption = Annotated[
    Within | None,
    option(
        "--within",
        "Leave out outputs outside the regions of the truth, where it has some parts of a page.",
    ),
]
IgnoreRegions = Annotated[
    list[str] | None,
    option(
        "--ignore-regions TYPE",
        "Leave out regions of a type in truth and outputs, such as image, advert or page-number; may "
        "be given several times.",
    ),
]
MissedOption = Annotated[
    Missed | None,
    option(
        "--missed",
        "What true words without an output count as.  [default: reject]",
        show_default=False,
    ),
]
InsertedOption = Annotated[Inserted, option("--inserted", "What outputs without a true word count as.")]
MissedPrice = Annotated[
    float | None,
    option(
        "--cost-missed PRICE",
        "Price of a missed word, beside the three other prices.  [default: that of verifying and "
        "correcting one; of an error that nobody sees for --missed residual]",
        show_default=False,
    ),
]
MovedOption = Annotated[
    Moved, option("--moved", "What words that are read right, but out of order, count as.")
]
FoldOption = Annotated[
    list[Fold] | None,
    option(f"--fold <{'|'.join(Fold)}>", "Differences that do not count; may be given several times."),
]
JoinOption = Annotated[Join, option("--join", "How several outputs of one word make one confidence.")]
CompareOption = Annotated[
    list[str] | None,
    option(
        "--compare FIELD=HOW",
        "When a field is right: exact, text, number, amount, date, similarity>=0.9 or regex:PATTERN, "
        "with options as in amount:comma,tolerance=0.01 or date:dmy; * and ? in FIELD stand for "
        "others, and without FIELD= all fields are meant. May be given several times, or as a .toml "
        "file.  [default: exact]",
    ),
]
RenameOption = Annotated[
    list[str] | None,
    option(
        "--rename FIELD=NAME",
        "Name that the truth has for a field of the outputs, as InvoiceTotal=total or "
        "'Items[].Amount=items[].amount'; may be given several times, or as a .toml file.",
    ),
]
OptionalOption = Annotated[
    list[str] | None,
    option(
        "--optional FIELD",
        "Field that a document may lack and go straight through; may be given several times, or as a "
        "line such as po = { optional = true } of a .toml file of --compare. All others are required.",
    ),
]
FieldsComplete = Annotated[
    bool,
    option(
        "--fields-complete",
        "Take a field that the truth does not list in a document for empty there; nothing is known of "
        "it otherwise.",
    ),
]
ValueKey = Annotated[
    str | None,
    option("--value-key NAME", "Member of nested JSON that holds a field's value.  [default: value]"),
]
ConfidenceKey = Annotated[
    str | None,
    option(
        "--confidence-key NAME",
        "Member of nested JSON that holds a field's confidence.  [default: confidence]",
    ),
]
GroupOption = Annotated[
    Group,
    option("--group", "What depends on each other, for intervals and tests; of fields documents."),
]
Output = Annotated[
    Path | None, option("--output -o FILE", "Write the items into this .parquet or .csv file.")
]
Images = Annotated[
    Path | None,
    option(
        "--images FOLDER",
        "Images of the pages, named as these: the report, or what is to be verified, shows the places.",
    ),
]
Attributes = Annotated[
    Path | None,
    option(
        "--attributes FILE",
        "What is known of the pages: a table with a column page, and others such as quality, "
        "language or source, by which the figures are told apart.",
    ),
]
ReviewPages = Annotated[
    Path | None,
    option(
        "--review-pages FOLDER",
        "A new folder for one HTML file a page: the true text beside what each engine read.",
    ),
]
NoText = Annotated[bool, option("--no-text", "Leave out of the report what stands on the pages.")]
Pattern = Annotated[
    str | None,
    option("--pattern GLOB", "Which files of the folders of outputs are read, such as '*.tsv'."),
]
TruthPattern = Annotated[
    str | None,
    option("--truth-pattern GLOB", "Which files of the folder of the truth are read: '*.gt.txt'."),
]
Pairs = Annotated[
    Path | None,
    option(
        "--pair FILE",
        "Instead of TRUTH and OCR: a CSV file with the columns truth, engine and output, for files "
        "whose names do not tell which belong together.",
    ),
]
SkipUnmatched = Annotated[bool, option("--skip-unmatched", "Leave out files without a partner.")]


@dataclass(frozen=True, slots=True)
class Alignment:
    """How outputs are aligned with the true texts."""

    unit: UnitOption = Unit.word
    level: LevelOption = TextLevel.auto
    missed: MissedOption = None
    inserted: InsertedOption = Inserted.wrong
    moved: MovedOption = Moved.right
    fold: FoldOption = None
    join: JoinOption = Join.min
    within: WithinOption = None
    ignore_regions: IgnoreRegions = None

    def arguments(self) -> dict[str, Any]:
        """Return what the library is told about it."""
        given: dict[str, Any] = {
            name: str(value) for name, value in asdict(self).items() if name != "within"
        }
        return given | {
            "missed": str(self.missed or Missed.reject),
            "fold": tuple(map(str, self.fold or ())),
            "within_truth": self.within is not None,
            "ignore_regions": tuple(self.ignore_regions or ()),
        }


@dataclass(frozen=True, slots=True)
class FieldReading:
    """How fields are found, named and compared."""

    compare: CompareOption = None
    rename: RenameOption = None
    value_key: ValueKey = None
    confidence_key: ConfidenceKey = None
    optional: OptionalOption = None
    fields_complete: FieldsComplete = False

    def given(self) -> list[str]:
        """Return the options that are given."""
        return [f"--{name.replace('_', '-')}" for name, value in asdict(self).items() if value]


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Which files are the truth and the outputs of each engine."""

    truth: TruthFiles = None
    outputs: OutputFiles = None
    name: Names = None
    columns: MapOption = None
    pattern: Pattern = None
    truth_pattern: TruthPattern = None
    pair: Pairs = None
    skip_unmatched: SkipUnmatched = False

    def check(self) -> None:
        """Refuse what cannot be read."""
        if self.pair is not None:
            if self.truth is not None or self.outputs or self.name:
                raise RefusalError(
                    "--pair names truth, engines and outputs; leave out TRUTH, OCR and --name"
                )
            if self.pattern or self.truth_pattern:
                raise RefusalError("--pair names files; leave out --pattern and --truth-pattern")
            return
        alone = None if self.outputs else self.truth
        if alone is not None and alone.is_file() and _is_field_table(alone):
            return
        if self.truth is None or not self.outputs:
            raise RefusalError("TRUTH and at least one OCR are expected, or --pair (see --help)")
        if self.name:
            self.named()

    def named(self) -> dict[str, Path]:
        """Return the outputs of each engine by its name."""
        return named_paths(self.outputs or (), self.name or ())


AlignmentOptions = Annotated[Alignment, OptionsOf(Alignment)]
CombiningOptions = Annotated[Combining, OptionsOf(Combining)]
FieldOptions = Annotated[FieldReading, OptionsOf(FieldReading)]
FileOptions = Annotated[EngineFiles, OptionsOf(EngineFiles)]


def _engine_files(
    pattern: Pattern = None,
    combination: CombinationFile = None,
    name: Names = None,
    unit: UnitOption = Unit.word,
    join: JoinOption = Join.min,
    level: LevelOption = TextLevel.auto,
) -> dict[str, Any]:
    given = {"unit": str(unit), "join": str(join), "level": str(level), "pattern": pattern}
    return given | {"combination": combination, "name": tuple(name or ())}


EngineOptions = Annotated[dict[str, Any], OptionsOf(_engine_files)]


def _names_of_fields(
    rename: RenameOption = None,
    value_key: ValueKey = None,
    confidence_key: ConfidenceKey = None,
) -> dict[str, Any]:
    given = {"value_key": value_key, "confidence_key": confidence_key}
    return {"rename": tuple(rename or ())} | given


FieldNames = Annotated[dict[str, Any], OptionsOf(_names_of_fields)]
OF_TEXTS = (
    *("unit", "level", "inserted", "moved", "fold", "join", "pattern", "truth_pattern"),
    *("within", "ignore_regions", "cost_missed"),
)


@dataclass(frozen=True, slots=True)
class BesideItems:
    """What stands beside the items: files to read and to write, and what may be shown."""

    images: Images = None
    attributes: Attributes = None
    review_pages: ReviewPages = None
    no_text: NoText = False

    def check(self, report: Path | None) -> None:
        """Refuse what nothing would show, or what could not be written."""
        if self.images is not None and report is None:
            raise RefusalError("--images is given without --report, which would show them")
        if self.no_text and report is None:
            raise RefusalError("--no-text is given without --report, from which it leaves texts out")
        if self.no_text and self.images is not None:
            raise RefusalError("--no-text leaves out what --images shows; leave out one of the two")
        if self.review_pages is None:
            return
        refuse(folder_problem(self.review_pages), f"{self.review_pages}: ")
        refuse(missing(["jinja2"], "report"))

    def of_pages(self) -> list[str]:
        """Return the options that are given and are for pages."""
        given = {
            "--images": self.images,
            "--attributes": self.attributes,
            "--review-pages": self.review_pages,
        }
        return [name for name, value in given.items() if value is not None]


BesideOptions = Annotated[BesideItems, OptionsOf(BesideItems)]


@dataclass(frozen=True, slots=True)
class OcrRequest:
    """What is to be read, how it is to be aligned or compared, and what is put together.

    Attributes
    ----------
    files : EngineFiles
    alignment : Alignment
    fields : FieldReading
    combining : Combining
    by_page : bool
        Whether items depend on each other in pages, or documents.
    missed_price : float or None
    of_texts : tuple of str
        The options that are given and are for texts.
    """

    files: EngineFiles
    alignment: Alignment
    fields: FieldReading
    combining: Combining
    by_page: bool
    missed_price: float | None = None
    of_texts: tuple[str, ...] = ()


def named_paths(paths: Sequence[Path], given: Sequence[str]) -> dict[str, Path]:
    """Return the paths of engines by their names: given ones, or those of the files and folders."""
    if given and len(given) != len(paths):
        raise RefusalError(
            f"--name is given {_times(len(given))}, and OCR {_times(len(paths))}; one name for each "
            "OCR is expected"
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
