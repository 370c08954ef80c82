"""The commands and their options."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from fastarac._version import __version__
from fastarac.cli import _html, _ocr, _ocr_combine, _ocr_command, _operating, _operation
from fastarac.cli._costs import Prices
from fastarac.cli._help import ByTask
from fastarac.cli._options import (
    RESAMPLES,
    RISK_OF_GROUPS,
    Certainty,
    Confidence,
    Correct,
    Correction,
    CorrectionName,
    CostCorrection,
    CostError,
    Costs,
    CostVerification,
    Delivery,
    Delta,
    DrawnColumn,
    Draws,
    EmptyConfidence,
    EmptyTruth,
    ErrorRates,
    Files,
    Gamma,
    GroupColumn,
    Guarantee,
    InclusionProbability,
    Interval,
    Item,
    JudgeColumn,
    Level,
    Limits,
    MaxLine,
    MaxMemory,
    MaxRatio,
    MaxRisks,
    Method,
    MethodName,
    ModelColumn,
    OutputFormat,
    Plot,
    Prediction,
    PrintedFormat,
    RefusalError,
    ReportFile,
    Resamples,
    ReviewerDetection,
    ReviewerFalseAlarm,
    Seed,
    StatisticName,
    Thresholds,
    Truth,
    Weight,
    Wide,
    columns_of,
    ends_quietly,
    groups_of,
    option,
)
from fastarac.cli._settings import Settings
from fastarac.uncertainty.statistics import Statistic

EXAMPLES = """
Examples:

\b
  fastarac evaluate outputs.csv
  fastarac evaluate engine-a.csv engine-b.parquet --plot curves.png
  fastarac evaluate fields.jsonl --prediction text --truth checked --confidence score
  fastarac evaluate all.parquet --model engine --error-rate 0.005 --format json
  fastarac evaluate outputs.csv --ci 0.95 --guarantee 0.05
  fastarac evaluate fields.parquet --by field --report report.html
  fastarac evaluate archive.parquet --max-memory 500MB

A file of outputs has one row per output: a column "confidence", and a column "correct" (true or
false, or 1 or 0) or the two columns "prediction" and "truth". Options name other columns.
"""

EXAMPLES_OF_COMPARE = f"""
Examples:

\b
  fastarac compare engine-a.csv engine-b.csv --id image
  fastarac compare all.parquet --model engine --statistic recognition_rate
  fastarac compare a.csv b.csv --statistic roc_auc --method bootstrap --correction bonferroni
  fastarac compare a.csv b.csv --method bootstrap --statistic acceptance_at_risk:max_risk=0.01

Files are as for fastarac evaluate. Statistics are {", ".join(Statistic.names())}.
"""

EXAMPLES_OF_OCR = """
Examples:

\b
  fastarac ocr truth/ tesseract/
  fastarac ocr truth/ tesseract/ textract/ --name Tesseract --name Textract
  fastarac ocr truth/ tesseract/ --missed reject --fold quotes --error-rate 0.005
  fastarac ocr truth/ tesseract/ textract/ --combine --save-combination both.json
  fastarac ocr page.gt.txt page.tsv -o words.parquet
  fastarac ocr truth.csv invoices.jsonl --compare total=amount --compare due=date:dmy
  fastarac ocr truth.jsonl azure/ textract/ --compare 'items[].*=text' --skip-unmatched
  fastarac ocr truth/ tesseract/ --report report.html --images scans/
  fastarac ocr --demo

Files are paired by their names up to the first dot, as page01.gt.txt and page01.tsv. Tables of fields
(CSV, TSV, JSON lines, Parquet) have the columns document, field, prediction and confidence, and truth
in the same table, which is then given alone, or in that of TRUTH. Fields are also read from the JSON of
Azure Document Intelligence, Amazon Textract and Google Document AI, and from nested JSON; TRUTH is then
a table, or JSON with plain values.
"""

INTRODUCTION = (
    "{n_models} classifiers have read {n_items:,} images of handwritten digits, each with a "
    "confidence. Outputs whose confidence is at or above a threshold go through; people verify the "
    "others and correct the wrong ones. ARAC-AUC is the accuracy after that, averaged over all shares "
    "of accepted outputs; it is 1 at best."
)
HINT = (
    "Evaluate your own outputs with: fastarac evaluate FILE (see: fastarac evaluate --help), and "
    "compare models on the same outputs with: fastarac compare FILE FILE"
)


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


@app.callback(epilog=EXAMPLES)
def _common(
    context: typer.Context,
    max_line: MaxLine = None,
    max_ratio: MaxRatio = None,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """How much of a machine's output can be accepted unchecked, and at which confidence."""
    from fastarac.io import reading_limits

    context.with_resource(reading_limits(max_line=max_line, max_ratio=max_ratio))


@app.command(epilog=EXAMPLES)
def evaluate(
    paths: Files,
    confidence: Confidence = "confidence",
    correct: Correct = None,
    prediction: Prediction = None,
    truth: Truth = None,
    empty_truth: EmptyTruth = False,
    empty_confidence: EmptyConfidence = False,
    model: ModelColumn = None,
    by: Annotated[
        str | None,
        option("--by COLUMN", "Column of groups to compare, such as fields; worst first."),
    ] = None,
    item: Item = None,
    weight: Weight = None,
    group: GroupColumn = None,
    error_rate: ErrorRates = None,
    max_risk: MaxRisks = None,
    threshold: Thresholds = None,
    gamma: Gamma = None,
    delta: Delta = None,
    cost_verification: CostVerification = None,
    cost_correction: CostCorrection = None,
    cost_error: CostError = None,
    reviewer_detection: ReviewerDetection = None,
    reviewer_false_alarm: ReviewerFalseAlarm = None,
    ci: Interval = None,
    guarantee: Guarantee = None,
    output_format: OutputFormat = PrintedFormat.table,
    wide: Wide = False,
    plot: Plot = None,
    report: ReportFile = None,
    max_memory: MaxMemory = None,
    inclusion_probability: InclusionProbability = None,
    judge: JudgeColumn = None,
    drawn: DrawnColumn = None,
) -> None:
    """Evaluate the outputs in files."""
    with ends_quietly():
        if (inclusion_probability, judge, drawn) != (None, None, None):
            from fastarac.cli import _verified

            others = {
                "--prediction": prediction, "--truth": truth, "--empty-truth": empty_truth,
                "--empty-confidence": empty_confidence, "--model": model, "--by": by, "--id": item,
                "--weight": weight, "--gamma": gamma, "--delta": delta,
                "--cost-verification": cost_verification, "--cost-correction": cost_correction,
                "--cost-error": cost_error, "--reviewer-detection": reviewer_detection,
                "--reviewer-false-alarm": reviewer_false_alarm, "--plot": plot, "--report": report,
                "--max-memory": max_memory, "--wide": wide,
            }  # fmt: skip
            _verified.refuse_others(others)
            groups = groups_of(group)
            verified = _verified.columns_of(
                confidence, correct, inclusion_probability, judge, groups, drawn
            )
            limits = Limits.of(error_rate, max_risk, threshold)
            certainty = Certainty(ci, guarantee)
            certainty.check(limits)
            _verified.evaluate(paths, verified, limits, certainty, str(output_format))
            return
        people = reviewer_detection, reviewer_false_alarm
        prices = _prices((cost_verification, cost_correction, cost_error), people, (gamma, delta))
        if report is not None and ci is None:
            ci = _html.LEVEL  # a report says how sure its figures are
        if by is not None and guarantee is not None:
            raise RefusalError(
                "--guarantee is about all outputs together, not about each group of --by; leave out "
                "one of the two"
            )
        if by is not None and empty_confidence:
            raise RefusalError(
                "--by evaluates groups without --empty-confidence; leave out --empty-confidence"
            )
        groups = groups_of(group)
        needs_groups = ci is not None or guarantee is not None
        if groups is not None and not needs_groups:
            from fastarac.cli._files import NO_GROUP
            from fastarac.io._pages import PAGE, is_of_ocr

            if groups not in (PAGE, NO_GROUP) or not all(map(is_of_ocr, paths)):
                raise RefusalError(
                    "--group is given without --ci and --guarantee; no other figure depends on it"
                )
            groups = None
        if guarantee is not None and groups is not None and max_risk:
            raise RefusalError(
                "--max-risk has no --guarantee for a --group; --error-rate has one, or leave out "
                f"--group: {RISK_OF_GROUPS}"
            )
        if guarantee is not None and weight is not None:
            raise RefusalError("--guarantee is for outputs that are counted; leave out --weight")
        settings = Settings(
            Limits.of(error_rate, max_risk, threshold),
            Costs(gamma, delta, prices),
            Delivery(output_format, plot, report, wide),
            Certainty(ci, guarantee),
        )
        columns = columns_of(
            confidence, correct, prediction, truth, empty_truth, empty_confidence, by, item, groups
        )
        columns |= {"model": model, "weight": weight}
        if max_memory is not None:
            from fastarac.cli._stream import evaluate_streams

            need_items = {
                "--model": model, "--by": by, "--id": item, "--weight": weight, "--group": groups,
                "--empty-confidence": empty_confidence, "--report": report, "--ci": ci,
                "--guarantee": guarantee, "--plot": plot, "--cost-verification": prices,
            }  # fmt: skip
            evaluate_streams(paths, columns, settings, max_memory, need_items)
            return
        from fastarac.cli._files import (
            notes_of_pages,
            read_models,
            with_pages,
            with_rejects_said,
        )
        from fastarac.cli._report import reliability_warnings

        pages: list[str] = []
        if needs_groups and not (guarantee is not None and max_risk):  # which groups have none of
            columns, pages = with_pages(paths, columns)
        found = read_models(paths, columns)
        if report is not None and any(each.crossed is not None for each in found.outputs.values()):
            raise RefusalError(
                "--report draws whole groups of one kind, and the columns of --group are crossed; one "
                "column, or two of which one lies within the other, is expected"
            )
        models = with_rejects_said(settings.evaluate(found.outputs), missed=not empty_confidence)
        if report is not None:
            notes = [*reliability_warnings(models), *([found.difference] if found.difference else [])]
            settings.report(models, notes)
        after = "" if report is None else _html.WRITTEN.format(path=report)
        if needs_groups and groups is None:
            pages += notes_of_pages(paths, columns)
        settings.deliver(models, after=after, difference=found.difference, notes=pages)


@app.command(epilog=EXAMPLES_OF_COMPARE)
def compare(
    paths: Files,
    confidence: Confidence = "confidence",
    correct: Correct = None,
    prediction: Prediction = None,
    truth: Truth = None,
    empty_truth: EmptyTruth = False,
    empty_confidence: EmptyConfidence = False,
    model: ModelColumn = None,
    item: Item = None,
    weight: Weight = None,
    group: GroupColumn = None,
    statistic: StatisticName = "arac_auc",
    method: MethodName = Method.asymptotic,
    correction: CorrectionName = Correction.holm,
    ci: Level = 0.95,
    resamples: Resamples = None,
    seed: Seed = 0,
    cost_verification: CostVerification = None,
    cost_correction: CostCorrection = None,
    cost_error: CostError = None,
    reviewer_detection: ReviewerDetection = None,
    reviewer_false_alarm: ReviewerFalseAlarm = None,
    output_format: OutputFormat = PrintedFormat.table,
    wide: Wide = False,
    inclusion_probability: InclusionProbability = None,
    judge: JudgeColumn = None,
    drawn: DrawnColumn = None,
) -> None:
    """Compare models on the same items: how much they differ, and how sure that is."""
    with ends_quietly():
        if (inclusion_probability, judge, drawn) != (None, None, None):
            from fastarac.cli import _verified

            others = {
                "--prediction": prediction, "--truth": truth, "--empty-truth": empty_truth,
                "--empty-confidence": empty_confidence, "--model": model, "--id": item,
                "--weight": weight, "--method bootstrap": method is Method.bootstrap,
                "--resamples": resamples, "--cost-verification": cost_verification,
                "--cost-correction": cost_correction, "--cost-error": cost_error,
                "--reviewer-detection": reviewer_detection, "--wide": wide,
                "--format": output_format is not PrintedFormat.table,
            }  # fmt: skip
            _verified.refuse_others(others)
            groups = groups_of(group)
            verified = _verified.columns_of(
                confidence, correct, inclusion_probability, judge, groups, drawn
            )
            _verified.compare(paths, verified, statistic, str(correction), ci)
            return
        people = reviewer_detection, reviewer_false_alarm
        prices = _prices((cost_verification, cost_correction, cost_error), people)
        from fastarac.cli._compare import ORDER, ORDER_AND_TRUTH, ComparisonRequest, deliver
        from fastarac.cli._files import notes_of_pages, read_models, with_pages

        if resamples is not None and method is not Method.bootstrap:
            raise RefusalError("--resamples is for --method bootstrap, which draws them")
        draws = Draws(RESAMPLES if resamples is None else resamples, seed)
        request = ComparisonRequest.of(statistic, method, correction, ci, draws, prices)
        groups = groups_of(group)
        columns = columns_of(
            confidence, correct, prediction, truth, empty_truth, empty_confidence, None, item, groups
        )
        columns |= {"model": model, "weight": weight}
        columns, pages = with_pages(paths, columns)
        by_pages = columns["group"] != groups and columns["group"] is not None
        if by_pages and prices is not None:
            raise RefusalError(
                "--cost-verification is for models of the same items; of what fastarac ocr wrote, "
                "fastarac ocr --cost-verification compares the costs"
            )
        found = read_models(paths, columns, same_items=not by_pages)
        order = None
        if item is None and not by_pages:
            order = ORDER_AND_TRUTH if found.same_truths else ORDER
        delivery = Delivery(output_format, wide=wide)
        paired: Literal["items", "groups"] = "groups" if by_pages else "items"
        difference = None if by_pages else found.difference
        if groups is None:
            pages += notes_of_pages(paths, columns)
        deliver(
            found.outputs,
            request,
            delivery,
            order=order,
            difference=difference,
            paired=paired,
            notes=pages,
        )


@app.command(epilog=EXAMPLES_OF_OCR)
def ocr(
    truth: _ocr.TruthFiles = None,
    outputs: _ocr.OutputFiles = None,
    name: _ocr.Names = None,
    unit: _ocr.UnitOption = _ocr.Unit.word,
    level: _ocr.LevelOption = _ocr.TextLevel.auto,
    missed: _ocr.MissedOption = None,
    inserted: _ocr.InsertedOption = _ocr.Inserted.wrong,
    moved: _ocr.MovedOption = _ocr.Moved.right,
    fold: _ocr.FoldOption = None,
    join: _ocr.JoinOption = _ocr.Join.min,
    combine: _ocr_combine.Combine = False,
    combination: _ocr_combine.CombinationFile = None,
    save_combination: _ocr_combine.SaveCombination = None,
    compare: _ocr.CompareOption = None,
    rename: _ocr.RenameOption = None,
    value_key: _ocr.ValueKey = None,
    confidence_key: _ocr.ConfidenceKey = None,
    group: _ocr.GroupOption = _ocr.Group.page,
    error_rate: ErrorRates = None,
    max_risk: MaxRisks = None,
    threshold: Thresholds = None,
    gamma: Gamma = None,
    delta: Delta = None,
    cost_verification: CostVerification = None,
    cost_correction: CostCorrection = None,
    cost_error: CostError = None,
    cost_missed: _ocr.MissedPrice = None,
    engine_price: _ocr_combine.EnginePrices = None,
    reviewer_detection: ReviewerDetection = None,
    reviewer_false_alarm: ReviewerFalseAlarm = None,
    ci: Level = 0.95,
    guarantee: Guarantee = None,
    output: _ocr.Output = None,
    output_format: OutputFormat = PrintedFormat.table,
    wide: Wide = False,
    plot: Plot = None,
    report: ReportFile = None,
    images: _ocr.Images = None,
    attributes: _ocr.Attributes = None,
    review_pages: _ocr.ReviewPages = None,
    no_text: _ocr.NoText = False,
    pattern: _ocr.Pattern = None,
    truth_pattern: _ocr.TruthPattern = None,
    pair: _ocr.Pairs = None,
    skip_unmatched: _ocr.SkipUnmatched = False,
    demo: _ocr.Demo = False,
) -> None:
    """Evaluate OCR engines from their files and the true texts."""
    with ends_quietly():
        people = reviewer_detection, reviewer_false_alarm
        prices = _prices((cost_verification, cost_correction, cost_error), people, (gamma, delta))
        if demo and report is None:
            report = _ocr.DEMO_REPORT
        settings = Settings(
            Limits.of(error_rate, max_risk, threshold),
            Costs(gamma, delta, prices),
            Delivery(output_format, plot, report, wide),
            Certainty(ci, guarantee),
        )
        alignment = {
            "unit": str(unit),
            "level": str(level),
            "missed": str(missed or _ocr.Missed.reject),
            "inserted": str(inserted),
            "moved": str(moved),
            "fold": tuple(map(str, fold or ())),
            "join": str(join),
        }
        of_texts = {
            "--unit": unit is not _ocr.Unit.word,
            "--level": level is not _ocr.TextLevel.auto,
            "--inserted": inserted is not _ocr.Inserted.wrong,
            "--moved": moved is not _ocr.Moved.right,
            "--fold": bool(fold),
            "--join": join is not _ocr.Join.min,
            "--pattern": pattern is not None,
            "--truth-pattern": truth_pattern is not None,
            "--cost-missed": cost_missed is not None,
        }
        request = _ocr.OcrRequest(
            truth,
            tuple(outputs or ()),
            tuple(name or ()),
            demo,
            skip_unmatched,
            group is _ocr.Group.page,
            alignment,
            tuple(compare or ()),
            tuple(rename or ()),
            value_key,
            confidence_key,
            missed and str(missed),
            tuple(option for option, is_given in of_texts.items() if is_given),
            pair,
            (pattern, truth_pattern),
            cost_missed,
            _ocr_combine.Combining(combine, combination, save_combination, tuple(engine_price or ())),
        )
        beside = _ocr.BesideItems(images, attributes, review_pages, not no_text)
        _ocr_command.run(request, settings, beside, output=output)


@app.command()
def demo(
    error_rate: ErrorRates = None,
    max_risk: MaxRisks = None,
    threshold: Thresholds = None,
    gamma: Gamma = None,
    delta: Delta = None,
    ci: Interval = None,
    guarantee: Guarantee = None,
    output_format: OutputFormat = PrintedFormat.table,
    wide: Wide = False,
    plot: Plot = None,
) -> None:
    """Evaluate four models on handwritten digits."""
    with ends_quietly():
        settings = Settings(
            Limits.of(error_rate, max_risk, threshold),
            Costs(gamma, delta),
            Delivery(output_format, plot, wide=wide),
            Certainty(ci, guarantee),
        )
        from fastarac.datasets import load_digits_ocr
        from fastarac.io import Outputs

        data = load_digits_ocr()
        models = settings.evaluate({name: Outputs(*items) for name, items in data.items()})
        introduction = INTRODUCTION.format(n_models=len(data), n_items=len(data.truth))
        settings.deliver(models, before=introduction, after=HINT, command="demo")


for command, examples in _operation.COMMANDS:
    app.command(epilog=examples)(command)


@app.command()
def doctor(output_format: _operating.TextOrJson = _operating.Form.text) -> None:
    """Say what is installed, where compiled kernels are kept, and whether a first area is right."""
    with ends_quietly():
        from fastarac.cli._doctor import run

        if run(str(output_format)):
            raise typer.Exit(1)


def _prices(
    prices: tuple[float | None, ...],
    people: tuple[float | None, ...],
    ratios: tuple[float | None, ...] = (),
) -> Prices | None:
    try:
        return Prices.of(
            dict(zip(("verification", "correction", "error"), prices, strict=True)),
            dict(zip(("detection_rate", "false_alarm_rate"), people, strict=True)),
            dict(zip(("--gamma", "--delta"), ratios, strict=False)),
        )
    except ValueError as error:
        raise RefusalError(str(error)) from None
