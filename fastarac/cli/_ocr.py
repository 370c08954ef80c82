"""What `fastarac ocr` asks for, and what it finds out about pages and their text."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from fastarac._core.text import listed
from fastarac.cli import _html, _report
from fastarac.cli._options import RefusalError, option
from fastarac.io._sources import copied_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from fastarac.cli._compare import Findings
    from fastarac.cli._model import Model
    from fastarac.cli._settings import Settings
    from fastarac.io import Outputs
    from fastarac.ocr import AlignedOutputs, Engine, Pairing, Sensitivity
    from fastarac.uncertainty.comparison_results import ModelComparison

Figures = TypeVar("Figures", "Model", "Findings")

DEMO_REPORT = Path("fastarac-ocr-demo.html")  # where none is named
PATIENCE = 2.0  # seconds without a progress bar
# The items; those that are never accepted have no confidence.
KNOWN = """
    SELECT * EXCLUDE (rejected)
    REPLACE (CASE WHEN rejected THEN NULL ELSE confidence END AS confidence) FROM items
"""
Unit = StrEnum("Unit", ["word", "line", "character"])
Missed = StrEnum("Missed", ["separate", "residual", "reject", "neighbour", "drop"])
Inserted = StrEnum("Inserted", ["wrong", "drop"])
Fold = StrEnum("Fold", ["case", "quotes", "punctuation", "whitespace", "nfkc"])
Join = StrEnum("Join", ["min", "mean", "max"])
Group = StrEnum("Group", ["page", "none"])

TruthFiles = Annotated[
    Path | None,
    typer.Argument(
        metavar="TRUTH",
        help="File or folder of true texts: plain text, ALTO, PAGE or hOCR; or a table of fields.",
        show_default=False,
    ),
]
OutputFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="OCR...",
        help="Files or folders of outputs, each of one engine: Tesseract TSV, hOCR, ALTO, PAGE, JSON "
        "of Textract, Azure, Google, PaddleOCR, EasyOCR, docTR; or tables of fields.",
        show_default=False,
    ),
]
Names = Annotated[list[str] | None, option("--name NAME", "Name of each engine, in their order.")]
UnitOption = Annotated[Unit, option("--unit", "What an item is.")]
MissedOption = Annotated[
    Missed | None,
    option(
        "--missed",
        "What true words without an output count as.  [default: separate; of fields reject]",
        show_default=False,
    ),
]
InsertedOption = Annotated[Inserted, option("--inserted", "What outputs without a true word count as.")]
FoldOption = Annotated[
    list[Fold] | None,
    option(f"--fold <{'|'.join(Fold)}>", "Differences that do not count; may be given several times."),
]
JoinOption = Annotated[Join, option("--join", "How several outputs of one word make one confidence.")]
NormaliseOption = Annotated[
    list[str] | None,
    option(
        "--normalise FIELD=NAME",
        "How a field is compared with its truth, in tables of fields: exact, casefold, "
        "collapse-space, number, number-comma, date, date-dmy, date-mdy, or several joined by +; "
        "without FIELD= all fields.  [default: exact]",
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
        "Images of the pages, named as these: the report shows the place of each error.",
    ),
]
SkipUnmatched = Annotated[bool, option("--skip-unmatched", "Leave out files without a partner.")]
Demo = Annotated[bool, option("--demo", "Evaluate the twenty pages that come with the package.")]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be read, and how it is to be aligned."""

    truth: Path | None
    outputs: tuple[Path, ...]
    names: tuple[str, ...]
    demo: bool
    skip_unmatched: bool
    by_page: bool
    alignment: Mapping[str, Any]
    normalise: tuple[str, ...] = ()
    missed: str | None = None
    of_texts: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what cannot be read."""
        if self.demo and (self.truth is not None or self.outputs):
            raise RefusalError("--demo has pages of its own; leave out TRUTH and OCR")
        alone = None if self.outputs else self.truth
        if not self.demo and alone is not None and alone.is_file() and _is_field_table(alone):
            return
        if not self.demo and (self.truth is None or not self.outputs):
            raise RefusalError("TRUTH and at least one OCR are expected, or --demo (see --help)")
        if self.names and len(self.names) != len(self.outputs):
            raise RefusalError(
                f"--name is given {_times(len(self.names))}, and OCR {_times(len(self.outputs))}; one "
                "name for each OCR is expected"
            )

    def folders(self) -> tuple[Path, dict[str, Path]]:
        """Return the truth, and the outputs of each engine by its name."""
        if self.demo:
            from fastarac.ocr import sample_folders

            folders = sample_folders()
            return folders.truth, dict(folders.outputs)
        assert self.truth is not None  # noqa: S101, checked
        return self.truth, self.named_outputs()

    def named_outputs(self) -> dict[str, Path]:
        """Return the outputs of each engine by its name."""
        names = self.names or _names(self.outputs)
        if len(set(names)) < len(names):
            raise RefusalError(f"two engines are called {listed(names)}; --name tells them apart")
        return dict(zip(names, self.outputs, strict=True))


@dataclass(frozen=True, slots=True)
class Found:
    """All that is known of the engines: what the text, the figures and the report are made of.

    Attributes
    ----------
    engines : dict of str to Engine
        Their items, words and files.
    models : list of Model
        Their figures, the one of the largest ARAC-AUC first.
    sensitivities : dict of str to Sensitivity
        The accepted shares under other policies.
    pairings : dict of str to Pairing
        Which files are paired, and which are left out.
    comparison : Findings or None
        The engines side by side, where there are several.
    lacking : mapping of str to int
        How many items each engine has not, of those that any of them has.
    by_page : bool
        Whether intervals are by page.
    """

    engines: dict[str, Engine]
    models: list[Model]
    sensitivities: dict[str, Sensitivity]
    pairings: dict[str, Pairing]
    comparison: Findings | None
    lacking: Mapping[str, int]
    by_page: bool


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def find(request: Request, settings: Settings) -> Found:
    """Read and align the files of all engines, and evaluate them."""
    from fastarac.evaluation.limits import read_limits
    from fastarac.ocr import pair_files, sensitivity

    truth, folders = request.folders()
    try:
        pairings = {
            name: pair_files(truth, folder, skip_unmatched=request.skip_unmatched)
            for name, folder in folders.items()
        }
        engines = _read(pairings, request.alignment)
        limits = read_limits(**settings.limits.arguments())
        sensitivities = {name: sensitivity(engine.aligned, limits) for name, engine in engines.items()}
    except (ValueError, OSError, ModuleNotFoundError) as error:
        message = f"{error}; --skip-unmatched leaves them out" if _unmatched(error) else str(error)
        raise RefusalError(message) from None
    outputs = _outputs(engines, by_page=request.by_page)
    models = [in_groups_of("page", model) for model in settings.evaluate(outputs)]
    comparison: Findings | None = None
    lacking: Mapping[str, int] = {}
    if len(engines) > 1:
        comparison, lacking = _compared(engines, settings, by_page=request.by_page)
    return Found(engines, models, sensitivities, pairings, comparison, lacking, request.by_page)


def records(found: Found) -> list[dict[str, Any]]:
    """Return one flat dictionary an engine, the figures of `fastarac evaluate` first."""
    rows = []
    for model, figures in zip(found.models, _report.records(found.models), strict=True):
        aligned = found.engines[model.name].aligned
        policy, reading = aligned.policy, aligned.reading
        row = figures | aligned.counts
        row |= {
            "pages": len(aligned.records.page_names),
            "true_words": aligned.true_words,
            "policy": f"missed={policy.missed} inserted={policy.inserted}",
            "unit": reading.unit,
            "fold": " ".join(reading.fold),
            "join": reading.join,
            "group": "page" if found.by_page else "none",
        }
        rows.append(row | found.sensitivities[model.name].to_dict())
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in keys} for row in rows]


def write_items(engines: Mapping[str, Engine], path: Path) -> None:
    """Write the items of all engines into a file, or nothing where that fails."""
    import numpy as np

    parts = {}
    for name, engine in engines.items():
        part = engine.aligned.to_columns()
        rejected = _rejected(engine.aligned, part["confidence"])
        part["rejected"] = np.zeros(len(engine.aligned), bool) if rejected is None else rejected
        parts[name] = part
    write_table(parts, path)


def write_table(parts: Mapping[str, dict[str, Any]], path: Path) -> None:
    """Write the columns of all engines into a file, or nothing where that fails."""
    import duckdb
    import numpy as np

    columns: dict[str, Any] = {}
    if len(parts) > 1:
        columns["model"] = np.array([name for name, part in parts.items() for _ in part["id"]], object)
    for key in next(iter(parts.values())):
        values = np.concatenate([np.asarray(part[key]) for part in parts.values()])
        columns[key] = values.astype(object) if values.dtype.kind == "U" else values
    form = "PARQUET" if path.suffix == ".parquet" else "CSV, HEADER"
    try:
        with copied_to(path) as target, duckdb.connect() as connection:
            connection.register("items", columns)
            connection.execute(f"COPY ({KNOWN}) TO {target} (FORMAT {form}, USE_TMP_FILE false)")
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be written: {error.strerror}") from None
    except duckdb.Error as error:
        raise RefusalError(f"{path}: it cannot be written: {error}") from None


def _read(pairings: Mapping[str, Pairing], alignment: Mapping[str, Any]) -> dict[str, Engine]:
    from fastarac.ocr import align_files

    total = sum(len(pairing.pairs) for pairing in pairings.values())
    with _progress(total) as advance:
        return {
            name: align_files(pairing, **alignment, n_workers=None, progress=advance)
            for name, pairing in pairings.items()
        }


class _progress:  # noqa: N801, used as a function
    """A bar of the files read, on a terminal, where there is much to wait for."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.start = time.monotonic()
        self.bar: Progress | None = None
        self.console = Console(stderr=True)

    def __enter__(self) -> Any:
        return self.advance

    def advance(self, number: int) -> None:
        self.done += number
        late = time.monotonic() - self.start > PATIENCE
        if self.bar is None and late and self.console.is_terminal:
            columns = TextColumn("Reading and aligning"), BarColumn(), MofNCompleteColumn()
            self.bar = Progress(*columns, console=self.console, transient=True)
            self.bar.start()
            self.bar.add_task("", total=self.total, completed=self.done)
        elif self.bar is not None:
            self.bar.update(self.bar.task_ids[0], completed=self.done)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


def _outputs(engines: Mapping[str, Engine], *, by_page: bool) -> dict[str, Any]:
    from fastarac.io import Labels, Outputs

    return {
        name: Outputs(
            engine.aligned.correct,
            engine.aligned.confidence,
            group=Labels(engine.aligned.records.page_names, engine.aligned.page) if by_page else None,
            rejected=_rejected(engine.aligned, engine.aligned.confidence),
        )
        for name, engine in engines.items()
    }


def in_groups_of(kind: str, found: Figures) -> Figures:
    """Return figures, or a comparison, with groups called what they are."""
    notes = tuple(re.sub(r"\bgroup(s?)\b", rf"{kind}\1", note) for note in found.notes)
    return replace(found, kind_of_group=kind, notes=notes)


def compared(outputs: Mapping[str, Outputs], settings: Settings, kind: str) -> Findings:
    """Compare engines by the items that they share, at the limits, too."""
    from fastarac.cli import _chance, _compare
    from fastarac.cli._options import Correction, Draws, Method
    from fastarac.evaluation.limits import read_limits

    level, prices = settings.certainty.level or 0.95, settings.costs.prices
    request = _compare.Request.of(
        "arac_auc", Method.asymptotic, Correction.holm, level, Draws(), prices
    )
    found = in_groups_of(kind, _compare.Findings.of(outputs, request))
    limits = read_limits(**settings.limits.arguments())
    return replace(found, chance=_chance.sentences(outputs, limits, request.level))


def for_report(found: Findings | None) -> tuple[ModelComparison | None, tuple[str, ...]]:
    """Return the comparison of engines, and what is more than chance at the limits."""
    return (None, ()) if found is None else (found.comparison, found.chance)


def _compared(
    engines: Mapping[str, Engine], settings: Settings, *, by_page: bool
) -> tuple[Findings, Mapping[str, int]]:
    from fastarac.io import Labels, Outputs
    from fastarac.ocr import shared_items

    try:
        shared = shared_items({name: engine.aligned for name, engine in engines.items()})
    except ValueError as error:
        raise RefusalError(str(error)) from None
    pages = next(iter(engines.values())).aligned.records.page_names
    group = Labels(pages, shared.groups) if by_page else None
    outputs = {
        name: Outputs(
            correct, confidence, group=group, rejected=_rejected(engines[name].aligned, confidence)
        )
        for name, (correct, confidence) in shared.models.items()
    }
    return compared(outputs, settings, "page"), shared.lacking


def text_of(
    parts: Callable[[Console], Iterator[Any]],
    settings: Settings,
    output: Path | None,
    items: str,
    options: str,
) -> str:
    """Return what is printed: the parts, and the names of the files that were written."""
    console = settings.delivery.page()
    with console.capture() as captured:
        for line in parts(console):
            console.print(line)
        if output is not None:
            command = f"fastarac evaluate {output}{options}"
            console.print(Text(f"\n{output} has the {items}; see: {command}", style="dim"))
        if settings.delivery.report is not None:
            console.print(Text(f"\n{_html.WRITTEN.format(path=settings.delivery.report)}"))
    return captured.get()


def options_for(settings: Settings, *, several: bool, group: str | None, rejected: bool = False) -> str:
    """Return the options by which `fastarac evaluate` finds the same figures in the file of items."""
    options = " --model model" if several else ""
    if settings.certainty.level is not None:
        options += "" if group is None else f" --group {group}"
        options += f" --ci {settings.certainty.level}"
    return options + " --empty-confidence" * rejected


def printed_figures(
    models: Sequence[Model], comparison: Findings | None, settings: Settings, console: Console
) -> Text:
    """Return what `fastarac evaluate` prints of the models."""
    chance = () if comparison is None else comparison.chance
    with console.capture() as captured:
        _report.print_text(models, console, with_costs=settings.costs.are_given, chance=chance)
    return Text.from_ansi(captured.get().rstrip("\n"))


def printed_comparison(comparison: Findings, console: Console) -> Text:
    """Return what `fastarac compare` prints of the engines."""
    with console.capture() as captured:
        comparison.print_text(console)
    return Text.from_ansi(captured.get().rstrip("\n"))


def _rejected(aligned: AlignedOutputs, confidence: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    never = aligned.never_accepted
    return None if never is None else confidence == never


def _is_field_table(path: Path) -> bool:
    from fastarac.ocr import is_field_table

    try:
        return is_field_table(path)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        raise RefusalError(str(error)) from None


def _names(paths: Sequence[Path]) -> tuple[str, ...]:
    names = tuple(path.stem if path.is_file() else path.resolve().name for path in paths)
    return names if len(set(names)) == len(names) else tuple(map(str, paths))


def _unmatched(error: Exception) -> bool:
    return bool(getattr(error, "without_output", ()) or getattr(error, "without_truth", ()))
