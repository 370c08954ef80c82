"""The commands and their options."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from fastarac._version import __version__
from fastarac.cli import (
    _apply,
    _cascade,
    _check,
    _fit,
    _html,
    _inspect,
    _monitor,
    _ocr,
    _ocr_command,
    _plan,
    _sample,
    _search,
)
from fastarac.cli import _options as options
from fastarac.cli._costs import Prices
from fastarac.cli._fail_if import Conditions, end, worse_than_first
from fastarac.cli._help import ByTask, Command
from fastarac.cli._next import after_compare, after_evaluate, after_ocr, after_verified
from fastarac.cli._option_groups import (
    COSTS,
    NOT_OF_VERIFIED,
    DeliveryOptions,
    LimitOptions,
    PeopleOptions,
    PriceOptions,
    PrintingOptions,
    ReadingOptions,
    VerifiedOptions,
    given_options,
    grouped,
    is_typed,
)
from fastarac.cli._options import (
    NONE,
    RISK_BY_PAGE,
    RISK_OF_GROUPS,
    Certainty,
    Delivery,
    RefusalError,
    groups_of,
)
from fastarac.cli._settings import Settings
from fastarac.uncertainty.statistics import Statistic

OVERVIEW = """
fastarac COMMAND --help shows the options of a command.
"""

EXAMPLES = """
Examples:

\b
  fastarac evaluate outputs.csv --error-rate 0.005 --guarantee 0.05
  fastarac evaluate engine-a.csv engine-b.parquet --report report.html
\f
\b
  fastarac evaluate fields.jsonl --prediction text --truth checked --confidence score
  fastarac evaluate all.parquet --model engine --error-rate 0.005 --format json
  fastarac evaluate outputs.csv --fail-if "acceptance_rate/0.01 < 0.6"
  fastarac evaluate fields.parquet --by field --report report.html
  fastarac evaluate archive.parquet --max-memory 500MB

A file of outputs has one row per output: a column "confidence", and a column "correct" (true or
false, or 1 or 0) or the two columns "prediction" and "truth". Options name other columns. --error-rate,
--max-risk, --threshold and --fail-if may be repeated. A condition of --fail-if is a key of --format
json, then <, <=, > or >=, then a number. It applies to every model; "NAME: KEY < NUMBER" names one.
"""

EXIT_CODES = """
Exit codes:

\b
  0    done; check: the limit holds
  1    check: the limit fails; monitor: an alarm; evaluate, compare: --fail-if
       holds; doctor: a problem was found
  2    an option or a file was refused, or the output could not be written
  3    too few outputs: check cannot tell, fit accepts nothing
  70   an error of fastarac itself
  130  interrupted; 141: the reader of the output closed it
"""

EXAMPLES_OF_COMPARE = f"""
Examples:

\b
  fastarac compare engine-a.csv engine-b.csv --id image
  fastarac compare all.parquet --model engine --statistic recognition_rate
\f
\b
  fastarac compare released.csv candidate.csv --fail-if worse
  fastarac compare a.csv b.csv --method bootstrap --statistic acceptance_at_risk:max_risk=0.01

Files are as for fastarac evaluate. --fail-if worse holds if a file is worse than the first one
beyond chance (by the adjusted interval of their difference). Parameters of a statistic follow its name
after a colon.
Statistics are {", ".join(Statistic.names())}.
"""

EXAMPLES_OF_OCR = """
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

Engines are read from Tesseract TSV, hOCR, ALTO, PAGE, and the JSON of Textract, Azure, Google,
PaddleOCR, EasyOCR, RapidOCR and docTR; truth from plain text, ALTO, PAGE and hOCR. Files are paired by
their names up to the first dot, as page01.gt.txt and page01.tsv.

Tables of fields (CSV, TSV, JSON lines, Parquet) have the columns document, field, prediction and
confidence. The column truth is in the same table, given alone, or in the table TRUTH. Fields are also
read from the JSON of Azure Document Intelligence, Amazon Textract and Google Document AI, and from
nested JSON; TRUTH is then a table, or JSON with plain values.

--compare FIELD=HOW takes exact, text, number, amount, date, similarity>=0.9 or regex:PATTERN, with
options as in amount:comma,tolerance=0.01 or date:dmy; * and ? in FIELD are wildcards, and HOW alone
applies to all fields. It is repeatable, or a .toml file.
"""

INTRODUCTION = "{n_models} classifiers have read {n_items:,} images of handwritten digits."
AFTER_DEMO = "fastarac evaluate --help"


app = typer.Typer(
    help="How much of a machine's output can be accepted unchecked, and at which confidence.",
    cls=ByTask,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fastarac {__version__}")
        raise typer.Exit


@app.callback(epilog=EXIT_CODES + OVERVIEW)
def _common(
    context: typer.Context,
    max_line: options.MaxLine = None,
    max_ratio: options.MaxRatio = None,
    safe_csv: options.SafeCsv = False,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """How much of a machine's output can be accepted unchecked, and at which confidence."""
    from fastarac.io import reading_limits
    from fastarac.io._cells import safe_cells

    context.with_resource(reading_limits(max_line=max_line, max_ratio=max_ratio))
    context.with_resource(safe_cells(safe=safe_csv))


@app.command(cls=Command, epilog=EXAMPLES)
@grouped
def evaluate(
    context: typer.Context,
    paths: options.Files,
    *,
    reading: ReadingOptions,
    model: options.ModelColumn = None,
    by: options.ByColumn = None,
    weight: options.Weight = None,
    group: options.GroupColumn = None,
    limits: LimitOptions,
    prices: PriceOptions,
    people: PeopleOptions,
    ci: options.Level = 0.95,
    guarantee: options.Guarantee = None,
    delivery: DeliveryOptions,
    fail_if: options.FailIf = None,
    max_memory: options.MaxMemory = None,
    verified: VerifiedOptions,
) -> None:
    """Show how much you can accept unchecked, and at which confidence."""
    conditions = Conditions.of(fail_if)
    groups = groups_of(group)
    of_verified = verified.columns(context, reading, groups, *NOT_OF_VERIFIED, paths=paths)
    if by is not None and guarantee is not None:
        raise RefusalError(
            "--guarantee is for all outputs together, not for each group of --by; leave out "
            "one of the two"
        )
    costs, report = Prices.of(prices, people), delivery.report
    if report is not None and ci is None:
        ci = _html.LEVEL  # a report says how sure its figures are
    asks_for_intervals = is_typed(context, "ci")
    is_default = not (asks_for_intervals or report is not None or conditions.every)
    certainty = Certainty(ci, guarantee, is_default=is_default)
    if of_verified is not None:
        from fastarac.cli import _verified

        certainty.check(limits)
        command = after_verified(context, limits)
        _verified.evaluate(
            paths, of_verified, by, limits, certainty, delivery, costs, conditions, command
        )
        return
    needs_groups = ci is not None or guarantee is not None
    if groups is not None and not needs_groups:
        from fastarac.io._pages import PAGE, is_of_ocr

        if groups not in (PAGE, NONE) or not all(map(is_of_ocr, paths)):
            raise RefusalError(
                "--group is given without --ci and --guarantee; no other figure depends on it"
            )
        groups = None
    if guarantee is not None and groups not in (None, NONE) and limits.max_risk:
        raise RefusalError(
            "--max-risk has no --guarantee for a --group; --error-rate has one, or leave out "
            f"--group: {RISK_OF_GROUPS}"
        )
    if guarantee is not None and weight is not None:
        raise RefusalError("--guarantee is for outputs that are counted; leave out --weight")
    settings = Settings(limits, costs, delivery, certainty)
    columns = reading.columns(by=by, group=groups, model=model, weight=weight)
    if max_memory is not None:
        from fastarac.cli._stream import evaluate_streams

        need_items = {
            "--model": model, "--by": by, "--weight": weight, "--group": groups,
            "--empty-confidence": reading.empty_confidence, "--report": report,
            "--ci": ci if asks_for_intervals else None, "--guarantee": guarantee,
            "--plot": delivery.plot, "--cost-verification": costs,
        }  # fmt: skip
        evaluate_streams(paths, columns, settings, max_memory, need_items, conditions)
        return
    if conditions.every:
        conditions.require_keys(settings.example() | ({"n_groups": 0} if needs_groups else {}))
    from fastarac.answers.evaluation import objects, reliability_warnings
    from fastarac.cli._files import (
        notes_of_none_right,
        notes_of_pages,
        read_models,
        with_pages,
        with_rejects_said,
        with_unseen_words,
        without_right_ones,
    )

    pages: list[str] = []
    if needs_groups:
        columns, pages = with_pages(paths, columns)
        if pages and guarantee is not None and limits.max_risk:
            raise RefusalError(RISK_BY_PAGE)
    found = read_models(paths, columns)
    conditions.require_models(found.outputs)
    pages += settings.leave_out_slow_intervals(found.outputs)
    if report is not None and any(each.crossed is not None for each in found.outputs.values()):
        raise RefusalError(
            "--report draws whole groups of one kind, and the columns of --group are crossed; one "
            "column, or two nested columns, is expected"
        )
    models = with_rejects_said(settings.evaluate(found.outputs), missed=not reading.empty_confidence)
    models = with_unseen_words(models, paths, columns)
    if report is not None:
        notes = [*reliability_warnings(models), *([found.difference] if found.difference else [])]
        settings.report(models, notes)
    if needs_groups and groups is None:
        pages += notes_of_pages(paths, columns)
    none_right = notes_of_none_right(paths, without_right_ones(found.outputs), columns)
    screen = settings.screen(models, found.difference, none_right, pages)
    screen = replace(screen, command=after_evaluate(context, models, alike=found.difference is None))
    settings.deliver(models, screen, difference=found.difference, notes=[*pages, *none_right])
    end(conditions.failures(objects(models)))


@app.command(cls=Command, epilog=EXAMPLES_OF_COMPARE)
@grouped
def compare(
    context: typer.Context,
    paths: options.Files,
    *,
    reading: ReadingOptions,
    model: options.ModelColumn = None,
    item: options.Item = None,
    weight: options.Weight = None,
    group: options.GroupColumn = None,
    statistic: options.StatisticName = "arac_auc",
    method: options.MethodName = options.Method.asymptotic,
    ci: options.Level = 0.95,
    resamples: options.Resamples = options.RESAMPLES,
    prices: PriceOptions,
    people: PeopleOptions,
    output_format: options.OutputFormat = options.PrintedFormat.table,
    details: options.Details = False,
    fail_if: options.FailIfWorse = None,
    verified: VerifiedOptions,
) -> None:
    """Compare models on the same items, and test whether they differ."""
    groups = groups_of(group)
    by_bootstrap = method is options.Method.bootstrap
    refused = (*NOT_OF_VERIFIED, "resamples", *COSTS)
    of_verified = verified.columns(context, reading, groups, *refused, paths=paths)
    delivery = Delivery(output_format, details=details)
    if fail_if is not None and model is not None:
        raise RefusalError(
            "--fail-if worse is given beside --model; it compares with the first file, so that one "
            "file a model is expected"
        )
    from fastarac.cli._compare import BY_IDS, ORDER, ORDER_AND_TRUTH, ComparisonRequest, deliver

    if of_verified is not None:
        from fastarac.cli import _verified
        from fastarac.cli._files import names_of_files

        _verified.refuse_others({"--method bootstrap": by_bootstrap})
        request = ComparisonRequest.of(statistic, method, ci, None, in_part=True)
        command = after_compare(context)
        compared = _verified.compare(paths, of_verified, request, delivery, item, command)
        if fail_if is not None:
            end(worse_than_first(compared, names_of_files(paths)[0]))
        return
    priced = Prices.of(prices, people)
    from fastarac.cli._files import (
        notes_of_none_right,
        notes_of_pages,
        read_models,
        with_pages,
        without_right_ones,
    )

    if resamples != options.RESAMPLES and not by_bootstrap:
        raise RefusalError("--resamples is for --method bootstrap, which draws them")
    request = ComparisonRequest.of(statistic, method, ci, priced, resamples)
    ids = False if item == NONE else item
    columns = reading.columns(item=ids, group=groups, model=model, weight=weight)
    columns, pages = with_pages(paths, columns)
    by_pages = columns["group"] != groups and columns["group"] is not None
    if by_pages and priced is not None:
        raise RefusalError(
            "--cost-verification is for models of the same items; of what fastarac ocr wrote, "
            "fastarac ocr --cost-verification compares the costs"
        )
    found = read_models(paths, columns, same_items=not by_pages)
    order = None
    if not by_pages and found.item is None:
        order = ORDER_AND_TRUTH if found.same_truths else ORDER
    elif not by_pages and item is None:
        order = BY_IDS
    paired: Literal["items", "groups"] = "groups" if by_pages else "items"
    difference = None if by_pages else found.difference
    if groups is None:
        pages += notes_of_pages(paths, columns)
    pages += notes_of_none_right(paths, without_right_ones(found.outputs), columns)
    compared = deliver(
        found.outputs,
        request,
        delivery,
        order=order,
        difference=difference,
        paired=paired,
        notes=pages,
        command=after_compare(context),
    )
    if fail_if is not None:
        end(worse_than_first(compared, next(iter(found.outputs))))


@app.command(cls=Command, epilog=EXAMPLES_OF_OCR)
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
    cost_missed: _ocr.MissedPrice = None,
    people: PeopleOptions,
    ci: options.Level = 0.95,
    guarantee: options.Guarantee = None,
    output: _ocr.Output = None,
    delivery: DeliveryOptions,
    beside: _ocr.BesideOptions,
) -> None:
    """Evaluate and compare OCR engines from their files and the truth."""
    settings = Settings(limits, Prices.of(prices, people), delivery, Certainty(ci, guarantee))
    given = given_options(context)
    of_texts = tuple(given[name] for name in _ocr.OF_TEXTS if name in given)
    by_page = _ocr.are_by_page(group)
    request = _ocr.OcrRequest(files, alignment, fields, combining, by_page, cost_missed, of_texts)
    _ocr_command.run(request, settings, beside, output=output, command=after_ocr(context))


@app.command(cls=Command)
@grouped
def demo(
    *,
    limits: LimitOptions,
    ci: options.Level = 0.95,
    guarantee: options.Guarantee = None,
    output_format: options.OutputFormat = options.PrintedFormat.table,
    details: options.Details = False,
    plot: options.Plot = None,
) -> None:
    """Evaluate four models on handwritten digits, as an example."""
    delivery = Delivery(output_format, plot, details=details)
    settings = Settings(limits, None, delivery, Certainty(ci, guarantee))
    from fastarac.datasets import load_digits_ocr
    from fastarac.io import Outputs

    data = load_digits_ocr()
    models = settings.evaluate({name: Outputs(*items) for name, items in data.items()})
    about = INTRODUCTION.format(n_models=len(data), n_items=len(data.truth))
    screen = replace(settings.screen(models), about=about, command=AFTER_DEMO)
    settings.deliver(models, screen, command="demo")


for command, module in (
    (_cascade.cascade, _cascade),
    (_sample.sample, _sample),
    (_search.search, _search),
    (_plan.plan, _plan),
    (_fit.fit, _fit),
    (_check.check, _check),
    (_apply.apply, _apply),
    (_monitor.monitor, _monitor),
):
    app.command(cls=Command, epilog=module.EXAMPLES)(command)


@app.command(cls=Command)
@grouped
def inspect(paths: _inspect.Files, *, printing: PrintingOptions) -> None:
    """Show what files hold, and how they would be read."""
    _inspect.run(paths, printing)


@app.command(cls=Command)
@grouped
def doctor(printing: PrintingOptions) -> None:
    """Check the installation."""
    from fastarac.cli._doctor import run

    if run(printing):
        raise typer.Exit(1)
