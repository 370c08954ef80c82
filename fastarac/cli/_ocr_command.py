"""Run `fastarac ocr`: read pages or tables of fields, evaluate, print and write files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import typer

from fastarac._core.text import capitalised, plural
from fastarac.answers import evaluation, ranking
from fastarac.answers.combination import sentences
from fastarac.answers.cost_comparison import CostComparison
from fastarac.answers.screen import Note, Section, Weight
from fastarac.answers.tables import AnswerTable, Said
from fastarac.cli import _ocr
from fastarac.cli import _options as options
from fastarac.cli._costs import Prices
from fastarac.cli._engine_files import refuse_others
from fastarac.cli._json import write_object
from fastarac.cli._next import after_items, after_ocr
from fastarac.cli._ocr_combine import prices_together
from fastarac.cli._ocr_fields import FIELDS, EngineFields, are_given
from fastarac.cli._ocr_settings import SettingsOptions
from fastarac.cli._ocr_text import EngineTexts
from fastarac.cli._option_groups import (
    DeliveryOptions,
    LimitOptions,
    PriceOptions,
    given_options,
    grouped,
)
from fastarac.cli._options import RISK_BY_PAGE, Certainty, PrintedFormat, RefusalError, refused
from fastarac.cli._settings import Settings, in_groups_of
from fastarac.cli._standard import csv_text, tell, write
from fastarac.io._cells import around_query
from fastarac.io._sources import copied_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.models import Model
    from fastarac.answers.screen import Screen
    from fastarac.answers.tables import Part
    from fastarac.cli._ocr import BesideItems, OcrRequest
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.io import Outputs

CLUSTERED = (
    "Intervals are by {group}: {units} of one {group} may depend on each other, {group}s may not."
)
ALONE = (
    "Intervals treat {units} as independent (--group none). They are too narrow if {units} of one "
    "{group} resemble each other."
)
# Select the items; those that are never accepted get no confidence.
KNOWN = """
    SELECT * EXCLUDE (rejected)
    REPLACE (CASE WHEN rejected THEN NULL ELSE confidence END AS confidence) FROM items
"""


@dataclass(frozen=True, slots=True)
class Found:
    """All results about the engines, from which screen, rows and report are made.

    Attributes
    ----------
    engines : Texts or Fields
        The engines; their class holds everything specific to texts or to fields.
    models : list of Model
        The figures of each engine, ordered by the share accepted at the first limit.
    leads : list of Lead or None
        The comparison of the engines at each limit, if there are several.
    costs : CostComparison or None
        The comparison of the engines by cost, if there are prices.
    notes : list of str
    together : list of str
        Sentences about combined engines.
    written : str
        A sentence on the pages written, or an empty text.
    """

    engines: EngineTexts | EngineFields
    models: list[Model]
    leads: list[Lead | None]
    costs: CostComparison | None
    notes: list[str]
    together: list[str]
    written: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the engines, best first."""
        return [model.name for model in self.models]

    @property
    def group(self) -> str | None:
        """The unit of dependence for intervals and tests, such as page, or None."""
        first = self.models[0]
        return None if first.outputs.group is None else first.source.group_word


def run(
    request: OcrRequest, settings: Settings, beside: BesideItems, *, output: Path | None, command: str
) -> None:
    """Read, evaluate, write and print; `command` is the next one if no items are written."""
    request.check()
    beside.check()
    kind = _kind(request, settings, output)
    found = find(kind, request, settings, beside)
    with refused(ValueError, ModuleNotFoundError):
        notes = [*evaluation.reliability_warnings(found.models), *found.together, *found.notes]
        settings.report(found.models, notes, found.leads)
    if output is not None:
        _write_items(found, output)
    found = replace(found, written=_write_pages(found, beside.review_pages))
    settings.draw(found.models)
    form = settings.delivery.form
    screen = _screen(found, settings, output, command)
    if form.is_for_people:
        write(settings.delivery.text(screen))
        return
    warnings = evaluation.reliability_warnings(found.models)
    if form is PrintedFormat.json:
        warnings += found.notes
        about = {"models": _objects(found, settings.certainty.level)}
        write_object(
            "ocr",
            about,
            comparisons=_comparisons(found),
            decisions=screen.sentences(),
            warnings=warnings,
        )
        tell(warnings)
        return
    write(csv_text(_rows(found, settings.certainty.level)))
    tell([*warnings, *(found.notes if found.engines.notes_beside_rows else [])])


def _kind(
    request: OcrRequest, settings: Settings, output: Path | None
) -> type[EngineTexts | EngineFields]:
    """Return the class for reading texts or fields; refuse options that do not fit it."""
    own = request.settings
    if settings.prices is None and (own.missed_price is not None or own.engine_prices):
        name = "engine_prices" if own.engine_prices else "missed_price"
        raise RefusalError(f"{name} needs --cost-verification, --cost-correction and --cost-error")
    if own.missed_price is not None and own.engine_prices:
        raise RefusalError("--settings must give only one of missed_price and engine_prices")
    request.combining.check()
    if output is not None and output.suffix not in (".parquet", ".csv"):
        raise RefusalError(f"{output} must end in .parquet or .csv, got {output.suffix!r}")
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        problem = "it is a folder" if output.is_dir() else f"there is no folder {output.parent}"
        raise RefusalError(f"{output}: it cannot be written: {problem}")
    if are_given(request):
        others = {"pages": _ocr.OF_PAGES, "texts": _ocr.OF_TEXTS}
        refuse_others(request.given, request.files.some(), "fields", others)
        if own.missed_price is not None:
            raise RefusalError("missed_price is for words; a missed field costs its verification")
        return EngineFields
    refuse_others(request.given, request.files.some(), "texts", {"fields": _ocr.OF_FIELDS})
    by_page = settings.certainty.failure_probability is not None and request.by_page
    if by_page and settings.limits.max_risk:
        raise RefusalError(RISK_BY_PAGE)
    return EngineTexts


def find(
    kind: type[EngineTexts | EngineFields],
    request: OcrRequest,
    settings: Settings,
    beside: BesideItems,
) -> Found:
    """Read the files of all engines, then evaluate and compare the engines."""
    from fastarac.answers.models import first_by_share
    from fastarac.evaluation.limits import read_limits
    from fastarac.evaluation.model_ranking import leads_of

    limits = read_limits(**settings.limits.arguments())
    engines = kind.read(request, limits, beside)

    def grouped(outputs: Outputs) -> Outputs:
        if request.by_page:
            return outputs
        return replace(outputs, group=None, by=outputs.by or outputs.group)

    outputs = {name: grouped(items) for name, (items, _) in engines.sources.items()}
    sources = {name: source for name, (_, source) in engines.sources.items()}
    models = first_by_share(settings.evaluate(outputs, sources))
    prices, missed_price = settings.prices, request.settings.missed_price
    if prices is not None and missed_price is None and request.alignment.missed == "residual":
        # A missed word costs an error at every threshold, even if all items are checked.
        missed_price = prices.costs.error
    if missed_price is not None:
        models = [engines.with_missed_price(model, missed_price) for model in models]
    charged = prices_together(engines.single, request.settings.engine_prices)
    if charged:
        models = [_with_engine_price(model, engines.n_parts, charged[model.name]) for model in models]
    level = settings.certainty.level or 0.95
    models = [engines.with_attributes(model, level) for model in models]
    engines.evaluate_more(settings, [model.name for model in models])
    notes = list(engines.notes())
    together = list(sentences(engines.single, models, charged, engines.n_parts))
    leads: list[Lead | None] = []
    costs = None
    if len(models) > 1:
        items = {name: replace(each, by=None) for name, each in engines.to_compare().items()}
        if engines.paired == "items":
            items = {name: grouped(each) for name, each in items.items()}
        unit = models[0].source.group_word
        leads = leads_of(
            items,
            limits,
            paired=engines.paired,
            unit=unit,
            confidence_level=level,
            splits={model.name: model.source.splits(model.outputs) for model in models},
        )
        if prices is not None and (charged or missed_price is not None):
            who = "engines" if charged else "missed words"
            notes.append(f"Differences in cost are not tested, as {who} have their own price.")
        elif prices is not None:
            costs, said = _compared_costs(items, prices, level, engines.paired)
            notes += said if costs is None else in_groups_of(unit, said)
    return Found(engines, models, leads, costs, notes, together)


def _compared_costs(
    items: Mapping[str, Outputs], prices: Prices, level: float, paired: Literal["items", "groups"]
) -> tuple[CostComparison | None, Sequence[str]]:
    """Test differences in cost, or return why a test is impossible; tables show costs anyway."""
    try:
        costs = CostComparison.of(
            items, prices.costs, prices.reviewer, level=level, correction="holm", paired=paired
        )
    except ValueError as error:
        return None, [f"{capitalised(str(error))}."]
    return costs, costs.notes


def _with_engine_price(model: Model, n_pages: int, price: float) -> Model:
    """Return the model with the engine's price per page added to its costs."""
    from fastarac.ocr.analysis.engine_prices import with_engine_price

    figures = model.evaluation
    if figures.cost_evaluation is None:
        return model
    costs = with_engine_price(figures.cost_evaluation, len(model.outputs), n_pages, price)
    return replace(
        model,
        evaluation=replace(figures, cost_evaluation=costs),
        source=replace(model.source, apart=(n_pages, price, "outside", "a page of the engine")),
    )


def _rows(found: Found, level: float | None) -> list[dict[str, Any]]:
    """Return one flat row per engine, beginning with the figures of `fastarac evaluate`."""
    with refused(ValueError, words="{}, or use --format json".format):
        parts = [found.engines.flat(model) for model in found.models]
    rows = [
        figures
        | found.engines.row(model, found.group or "none")
        | found.engines.error_figures(model.name, level)
        | part
        for model, figures, part in zip(
            found.models, evaluation.records(found.models), parts, strict=True
        )
    ]
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in keys} for row in rows]


def _objects(found: Found, level: float | None) -> list[dict[str, Any]]:
    """Return all figures of each engine as dictionaries, with figures of single fields nested."""
    return [
        figures
        | found.engines.row(model, found.group or "none")
        | found.engines.error_figures(model.name, level)
        | found.engines.inside(model)
        for model, figures in zip(found.models, evaluation.objects(found.models), strict=True)
    ]


def _comparisons(found: Found) -> Iterator[dict[str, Any]]:
    """Yield the differences between engines at each limit, and in cost."""
    for lead in found.leads:
        if lead is not None:
            yield ranking.object_of(lead)
    if found.costs is not None:
        yield found.costs.comparison()


def _write_items(found: Found, path: Path) -> None:
    """Write the items of all engines into a file; a failure leaves no file."""
    import duckdb
    import numpy as np

    parts = {}
    for name, (outputs, _) in found.engines.sources.items():
        rejected = np.zeros(len(outputs), bool) if outputs.rejected is None else outputs.rejected
        parts[name] = {**found.engines.columns(name), "rejected": rejected}
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
            query = KNOWN.join(around_query(path))
            connection.execute(f"COPY ({query}) TO {target} (FORMAT {form}, USE_TMP_FILE false)")
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be written: {error.strerror}") from None
    except duckdb.Error as error:
        raise RefusalError(f"{path}: it cannot be written: {error}") from None


def _write_pages(found: Found, folder: Path | None) -> str:
    """Write the texts of all pages, if asked for, and return a sentence about them."""
    if folder is None:
        return ""
    try:
        n = found.engines.write_pages(folder, found.models)
    except (ValueError, OSError) as error:
        raise RefusalError(f"{folder}: {error}") from None
    return f"{folder} has {n:,} {plural('page', n)}: open one in a browser."


def _screen(found: Found, settings: Settings, output: Path | None, command: str) -> Screen:
    """Return the screen: the answer, and all details in sections."""
    engines, models = found.engines, found.models
    screen = settings.screen(models, leads=found.leads, more=_sections(found, settings))
    written = []
    if output is not None:
        written.append(f"{output} has the {engines.items}.")
        command = after_items(output, models, by_field=engines.items == FIELDS)
    notes = [*screen.notes, *engines.notes_of_items(models)]
    there = {note.text for note in notes}
    notes += [Note(said, Weight.LITTLE) for said in found.notes if said not in there]
    return replace(
        screen,
        about=engines.about(found.names),
        notes=notes,
        written=[*written, *filter(None, [found.written]), *screen.written],
        command=command,
    )


def _sections(found: Found, settings: Settings) -> Iterator[Section]:
    """Yield sections: files read, differences, costs, combinations, then fields or policies."""
    engines = found.engines
    read: list[Part] = [AnswerTable(found.names, engines.counts(found.names), "engine")]
    rates = engines.error_rates(found.names, settings.certainty.level)
    if rates is not None:
        read += [Said(f"{rates[0]}\n"), AnswerTable(found.names, rates[1], "engine")]
    yield Section("What was read", [*read, *engines.introduction(found.names)])
    if settings.certainty.level is not None:
        first = found.models[0].source
        said = ALONE if found.group is None else CLUSTERED
        yield Section(
            "What intervals rest on", [Said(said.format(units=first.units, group=first.group_word))]
        )
    if any(found.leads):
        units = found.models[0].source.units
        yield Section("Differences", list(ranking.parts(found.leads, units)))
    if found.costs is not None:
        yield Section("Costs", list(found.costs.parts()))
    if found.together:
        yield Section("Engines together", list(map(Said, found.together)))
    for model in found.models:
        yield from engines.of_engine(model)
    yield from engines.of_all(found.models)


EXAMPLES = """
Examples:

\b
  fastarac ocr truth/ tesseract/ textract/
  fastarac ocr truth.csv invoices.jsonl --compare total=amount
\f
\b
  fastarac ocr truth/ tesseract/ textract/ --name Tesseract --name Textract
  fastarac ocr truth.csv invoices.jsonl --compare total=amount --compare due=date:dmy
  fastarac ocr truth/ tesseract/ --missed reject --fold quotes --error-rate 0.005
  fastarac ocr truth/ tesseract/ textract/ --combine --save-combination both.json
  fastarac ocr page.gt.txt page.tsv -o words.parquet
  fastarac ocr truth.jsonl azure/ textract/ --compare 'items[].*=text' --skip-unmatched
  fastarac ocr truth/ tesseract/ --report report.html --images scans/

Engines are read from Tesseract TSV, hOCR, ALTO, PAGE, ABBYY XML, and the JSON of Tesseract, Textract,
Rekognition, Azure, Google, PaddleOCR, EasyOCR, RapidOCR, docTR, Surya, Docling and Apple Vision; truth
from plain text, ALTO, PAGE and hOCR. Files are paired by their names up to the first dot, as
page01.gt.txt and page01.tsv.

Tables of fields (CSV, TSV, JSON lines, Parquet) have the columns document, field, prediction and
confidence. The column truth is in the same table, given alone, or in the table TRUTH. Fields are also
read from the JSON of Azure Document Intelligence, Amazon Textract and Google Document AI, and from
nested JSON; TRUTH is then a table, or JSON with plain values.

--compare FIELD=HOW takes exact, text, number, amount, date, similarity>=0.9 or regex:PATTERN, with
options as in amount:comma,tolerance=0.01 or date:dmy; * and ? in FIELD are wildcards, and HOW alone
applies to all fields. It is repeatable, or a .toml file.
"""


@grouped
def ocr(
    context: typer.Context,
    *,
    files: _ocr.FileOptions,
    alignment: _ocr.AlignmentOptions,
    combining: _ocr.CombiningOptions,
    fields: _ocr.FieldOptions,
    group: options.GroupColumn = None,
    limits: LimitOptions,
    prices: PriceOptions,
    own: SettingsOptions,
    reviewer_detection: options.ReviewerDetection = None,
    ci: options.Level = 0.95,
    guarantee: options.Guarantee = None,
    output: _ocr.Output = None,
    delivery: DeliveryOptions,
    beside: _ocr.BesideOptions,
) -> None:
    """Evaluate and compare OCR engines from their files and the truth."""
    settings = Settings(
        limits, Prices.of(prices, reviewer_detection), delivery, Certainty(ci, guarantee)
    )
    given = given_options(context).values()
    by_page = _ocr.are_by_page(group)
    request = _ocr.OcrRequest(files, alignment, fields, combining, by_page, own, given)
    run(request, settings, beside, output=output, command=after_ocr(context))
