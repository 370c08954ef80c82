"""Run `fastarac ocr`: read pages or tables of fields, evaluate, print and write files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import typer

from fastarac._core.text import capitalised, listed, plural
from fastarac.answers import engines as answers
from fastarac.answers import evaluation
from fastarac.answers.combination import sentences
from fastarac.answers.cost_comparison import CostComparison
from fastarac.answers.engine_fields import FIELDS, EngineFields
from fastarac.answers.engine_texts import EngineTexts
from fastarac.answers.engines import EnginesFound
from fastarac.answers.screen import Note, Weight
from fastarac.cli import _ocr, _ocr_fields, _ocr_text
from fastarac.cli import _options as options
from fastarac.cli._costs import CostsWithPages, Prices
from fastarac.cli._engine_files import refuse_others
from fastarac.cli._json import print_models
from fastarac.cli._next import after_items, after_ocr
from fastarac.cli._ocr_combine import prices_together
from fastarac.cli._ocr_settings import SettingsOptions
from fastarac.cli._option_groups import (
    DeliveryOptions,
    LimitOptions,
    given_options,
    grouped,
)
from fastarac.cli._options import RISK_BY_PAGE, Certainty, PrintedFormat, RefusalError, refused
from fastarac.cli._settings import Settings, in_groups_of
from fastarac.operation.application import write_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.models import Model
    from fastarac.answers.screen import Screen
    from fastarac.cli._ocr import BesideItems, OcrRequest
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.io import Outputs

    Following = Callable[[Sequence[Model]], str]

# SQL that empties the confidence of items that are never accepted.
KNOWN = """
    SELECT * EXCLUDE (rejected)
    REPLACE (CASE WHEN rejected THEN NULL ELSE confidence END AS confidence) FROM items
"""


def run(
    request: OcrRequest,
    settings: Settings,
    beside: BesideItems,
    *,
    output: Path | None,
    following: Following,
) -> None:
    """Read and evaluate engines, then write and print the results."""
    request.check()
    beside.check()
    of_fields = _are_fields(request, settings, output)
    found = find(request, settings, beside, of_fields=of_fields)
    with refused(ValueError, ModuleNotFoundError):
        notes = [*evaluation.reliability_warnings(found.models), *found.together, *found.notes]
        settings.report(found.models, notes, found.leads)
    if output is not None:
        _write_items(found, output)
    found = replace(found, written=_write_pages(found, beside.review_pages))
    settings.draw(found.models)
    level, delivery = settings.certainty.level, settings.delivery
    warnings = evaluation.reliability_warnings(found.models)
    if delivery.form is PrintedFormat.json or found.engines.notes_beside_rows:
        warnings += found.notes

    def rows() -> list[dict[str, Any]]:
        with refused(ValueError, words="{}, or use --format json".format):
            return answers.records(found, level)

    print_models(
        delivery,
        "ocr",
        _screen(found, settings, output, following),
        warnings,
        models=lambda: answers.objects(found, level),
        rows=rows,
        comparisons=lambda: answers.comparisons(found),
    )


def _are_fields(request: OcrRequest, settings: Settings, output: Path | None) -> bool:
    """Return whether the files hold fields instead of texts; refuse options that do not fit them."""
    own = request.settings
    if settings.prices is None and (own.missed_price is not None or own.engine_prices):
        name = "engine_prices" if own.engine_prices else "missed_price"
        raise RefusalError(f"{name} needs --costs")
    page_price = None if settings.prices is None else settings.prices.page
    given = {
        "missed_price": own.missed_price is not None, "engine_prices": bool(own.engine_prices),
        "page in --costs": page_price is not None,
    }  # fmt: skip
    if sum(given.values()) > 1:
        raise RefusalError(
            f"give only one of {listed([name for name, there in given.items() if there])}"
        )
    request.combining.check()
    if output is not None and output.suffix not in (".parquet", ".csv"):
        raise RefusalError(f"{output} must end in .parquet or .csv, got {output.suffix!r}")
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        problem = "it is a folder" if output.is_dir() else f"there is no folder {output.parent}"
        raise RefusalError(f"{output}: it cannot be written: {problem}")
    if _ocr_fields.are_given(request):
        others = {"pages": _ocr.OF_PAGES, "texts": _ocr.OF_TEXTS}
        refuse_others(request.given, request.files.some(), "fields", others)
        if own.missed_price is not None:
            raise RefusalError(
                "missed_price is for words; leave it out for fields: a missed one costs as much as its "
                "verification"
            )
        if page_price is not None:
            raise RefusalError(
                "page in --costs is the price of searching a page for missed words; leave it out for "
                "fields, because each missed field has a row of its own"
            )
        return True
    refuse_others(request.given, request.files.some(), "texts", {"fields": _ocr.OF_FIELDS})
    by_page = settings.certainty.failure_probability is not None and request.by_page
    if by_page and settings.limits.max_risk:
        raise RefusalError(RISK_BY_PAGE)
    return False


def find(
    request: OcrRequest, settings: Settings, beside: BesideItems, *, of_fields: bool
) -> EnginesFound:
    """Read the files of all engines, then evaluate and compare the engines."""
    from fastarac.answers.models import first_by_share
    from fastarac.evaluation.limits import read_limits
    from fastarac.evaluation.model_ranking import leads_of

    limits = read_limits(**settings.limits.arguments())
    read = _ocr_fields.read_engines if of_fields else _ocr_text.read_engines
    engines: EngineFields | EngineTexts = read(request, limits, beside)

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
    page_price = None if prices is None else prices.page
    level = settings.certainty.level or 0.95
    looking: list[str] = []
    if isinstance(engines, EngineTexts):
        if missed_price is not None:
            models = [engines.with_missed_price(model, missed_price) for model in models]
        if prices is not None and page_price is not None:
            for place, model in enumerate(models):
                found = engines.price_of_missed(model.name, prices.costs, page_price)
                if found is not None:
                    models[place] = engines.with_missed_price(model, found[0])
                    looking.append(found[1])
        models = [engines.with_attributes(model, level) for model in models]
    else:
        engines.evaluate_documents(settings.evaluate, [model.name for model in models])
    charged = prices_together(engines.single, request.settings.engine_prices)
    if charged:
        models = [answers.with_price(model, engines.n_parts, charged[model.name]) for model in models]
    notes = [*looking, *engines.notes()]
    together = list(sentences(engines.single, models, charged, engines.n_parts))
    leads: list[Lead | None] = []
    costs = None
    if len(models) > 1:
        items = {name: replace(each, by=None) for name, (each, _) in engines.sources.items()}
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
        if prices is not None and (charged or page_price is not None or missed_price is not None):
            who = "engines" if charged else "missed words"
            notes.append(f"Differences in cost are not tested, because {who} have prices of their own.")
        elif prices is not None:
            costs, said = _compared_costs(items, prices, level, engines.paired)
            notes += said if costs is None else in_groups_of(unit, said)
    return EnginesFound(engines, models, leads, costs, notes, together)


def _compared_costs(
    items: Mapping[str, Outputs], prices: Prices, level: float, paired: Literal["items", "groups"]
) -> tuple[CostComparison | None, Sequence[str]]:
    """Test differences in cost, or return None and why a test is impossible."""
    try:
        costs = CostComparison.of(
            items, prices.costs, prices.reviewer, level=level, correction="holm", paired=paired
        )
    except ValueError as error:
        return None, [f"{capitalised(str(error))}."]
    return costs, costs.notes


def _write_items(found: EnginesFound, path: Path) -> None:
    """Write the items of all engines to a file, whole or not at all."""
    import duckdb

    try:
        write_tables({"items": path}, {"items": found.columns()}, {"items": KNOWN})
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be written: {error.strerror}") from None
    except duckdb.Error as error:
        raise RefusalError(f"{path}: it cannot be written: {error}") from None


def _write_pages(found: EnginesFound, folder: Path | None) -> str:
    """Write the texts of all pages to a folder, if given, and return a sentence about them."""
    if folder is None or not isinstance(found.engines, EngineTexts):
        return ""
    try:
        n = _ocr_text.write_pages(folder, found.engines, found.models)
    except (ValueError, OSError) as error:
        raise RefusalError(f"{folder}: {error}") from None
    return f"{folder} has {n:,} {plural('page', n)}: open one in a browser."


def _screen(
    found: EnginesFound, settings: Settings, output: Path | None, following: Following
) -> Screen:
    """Return what to print: the answer, and all details in sections."""
    engines, models = found.engines, found.models
    screen = settings.screen(
        models, leads=found.leads, more=answers.sections(found, settings.certainty.level)
    )
    written = []
    if output is None:
        command = following(models)
    else:
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

OCR may be Tesseract TSV, hOCR, ALTO, PAGE, ABBYY XML, or the JSON of Tesseract, Textract, Rekognition,
Azure, Google, PaddleOCR, EasyOCR, RapidOCR, docTR, Surya, Docling and Apple Vision; TRUTH may be plain
text, ALTO, PAGE or hOCR. Files are paired by their names up to the first dot, such as page01.gt.txt and
page01.tsv.

Tables of fields (CSV, TSV, JSON lines, Parquet) have the columns document, field, prediction and
confidence. The column truth is in a table of its own, TRUTH, or in the same table, given alone.
Fields are also read from the JSON of Azure Document Intelligence, Amazon Textract and Google Document
AI, and from nested JSON; TRUTH is then a table, or JSON with plain values.

In --compare FIELD=HOW, HOW is exact, text, number, amount, date, similarity>=0.9 or regex:PATTERN, with
options as in amount:comma,tolerance=0.01 or date:dmy; * and ? in FIELD are wildcards, and HOW alone
applies to all fields. You may repeat --compare, or give a .toml file of comparisons.
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
    costs: CostsWithPages = None,
    own: SettingsOptions,
    ci: options.Level = 0.95,
    guarantee: options.Guarantee = None,
    output: _ocr.Output = None,
    delivery: DeliveryOptions,
    beside: _ocr.BesideOptions,
) -> None:
    """Evaluate and compare OCR engines from their files and the truth."""
    settings = Settings(limits, costs, delivery, Certainty(ci, guarantee))
    given = given_options(context).values()
    by_page = _ocr.are_by_page(group)
    files = replace(files, name=files.name or list(own.names))
    alignment = replace(alignment, unit=alignment.unit or _ocr.unit_of(own))
    combining = replace(combining, combination=own.combination)
    request = _ocr.OcrRequest(files, alignment, fields, combining, by_page, own, given)
    run(request, settings, beside, output=output, following=partial(after_ocr, context))
