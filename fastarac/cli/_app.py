"""The commands and their options."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from fastarac._version import __version__
from fastarac.cli._costs import (
    CostCorrection,
    CostError,
    CostVerification,
    Prices,
    ReviewerDetection,
    ReviewerFalseAlarm,
)
from fastarac.cli._options import (
    Costs,
    Delivery,
    Delta,
    ErrorRates,
    Files,
    Format,
    Gamma,
    Limits,
    MaxRisks,
    OutputFormat,
    Plot,
    RefusalError,
    Thresholds,
)
from fastarac.cli._settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from fastarac.cli._settings import Items
    from fastarac.io import Labels, Outputs

KILLED_BY_CLOSED_PIPE = 141  # as the shell counts it
INTERRUPTED = 130

EXAMPLES = """
Examples:

\b
  fastarac evaluate outputs.csv
  fastarac evaluate engine-a.csv engine-b.parquet --plot curves.png
  fastarac evaluate fields.jsonl --prediction text --truth checked --confidence score
  fastarac evaluate all.parquet --model engine --error-rate 0.005 --format json

A file of outputs has one row per output: a column "confidence", and a column "correct" (true or
false, or 1 or 0) or the two columns "prediction" and "truth". Options name other columns.
"""

INTRODUCTION = (
    "{n_models} classifiers have read {n_items} images of handwritten digits, each with a confidence. "
    "Outputs whose confidence is at or above a threshold go through; people verify the others and "
    "correct the wrong ones. ARAC-AUC is the accuracy after that, averaged over all shares of accepted "
    "outputs; it is 1 at best."
)
HINT = "Evaluate your own outputs with: fastarac evaluate FILE (see: fastarac evaluate --help)"


app = typer.Typer(
    help="How much of a machine's output can be accepted unchecked, and at which confidence.",
    add_completion=False,
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
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """How much of a machine's output can be accepted unchecked, and at which confidence."""


@app.command(epilog=EXAMPLES)
def evaluate(
    paths: Files,
    confidence: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column of confidences.")
    ] = "confidence",
    correct: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that says what is correct.")
    ] = None,
    prediction: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of outputs, compared as text with --truth."),
    ] = None,
    truth: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of what the outputs should be.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of model names, in place of the files' names."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of groups to compare, such as fields; worst first."
        ),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the weights of the outputs.")
    ] = None,
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
    output_format: OutputFormat = Format.table,
    plot: Plot = None,
) -> None:
    """Evaluate the outputs in files."""
    with _ends_quietly():
        prices = _prices(
            {"verification": cost_verification, "correction": cost_correction, "error": cost_error},
            {"detection_rate": reviewer_detection, "false_alarm_rate": reviewer_false_alarm},
            {"--gamma": gamma, "--delta": delta},
        )
        if by is not None and prices is not None:
            raise RefusalError("--by evaluates groups without prices; leave out one of the two")
        settings = Settings(
            Limits.of(error_rate, max_risk, threshold),
            Costs(gamma, delta, prices),
            Delivery(output_format, plot),
        )
        columns: dict[str, Any] = {
            "confidence": confidence,
            "correct": correct,
            "prediction": prediction,
            "truth": truth,
            "model": model,
            "by": by,
            "weight": weight,
        }
        if by is not None and weight is not None:
            raise RefusalError("--by evaluates groups without weights; leave out --weight")
        models = settings.evaluate(_read_models(paths, columns))
        settings.deliver(models)


@app.command()
def demo(
    error_rate: ErrorRates = None,
    max_risk: MaxRisks = None,
    threshold: Thresholds = None,
    gamma: Gamma = None,
    delta: Delta = None,
    output_format: OutputFormat = Format.table,
    plot: Plot = None,
) -> None:
    """Evaluate four models on handwritten digits."""
    with _ends_quietly():
        settings = Settings(
            Limits.of(error_rate, max_risk, threshold),
            Costs(gamma, delta),
            Delivery(output_format, plot),
        )
        from fastarac.datasets import load_digits_ocr

        data = load_digits_ocr()
        models = settings.evaluate(
            {name: (correct, confidence, None, None) for name, (correct, confidence) in data.items()}
        )
        introduction = INTRODUCTION.format(n_models=len(data), n_items=len(data.truth))
        settings.deliver(models, before=introduction, after=HINT)


@contextmanager
def _ends_quietly() -> Iterator[None]:
    """Turn what can go wrong outside the program into an exit status, without a traceback."""
    try:
        yield
    except RefusalError as refusal:
        typer.echo(f"fastarac: error: {refusal}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # What is left in the buffer of stdout would otherwise fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(KILLED_BY_CLOSED_PIPE) from None


def _prices(*options: dict[str, float | None]) -> Prices | None:
    try:
        return Prices.of(*options)
    except ValueError as error:
        raise RefusalError(str(error)) from None


def _read_models(paths: Sequence[Path], columns: Mapping[str, Any]) -> dict[str, Items]:
    """Return the outputs of each model: one a file, or as the column `model` says."""
    from fastarac.io import read_outputs

    parts: dict[str, list[Outputs]] = {}
    names = _names_of_files(paths)
    with Console(stderr=True).status("") as status:
        for path, name in zip(paths, names, strict=True):
            status.update(f"Reading {escape(name)}")
            try:
                outputs = read_outputs(path, **columns)
            except ValueError as error:
                raise RefusalError(str(error)) from None
            of_models = {name: outputs} if outputs.model is None else outputs.per_model()
            for model, part in of_models.items():
                parts.setdefault(model, []).append(part)
    return {model: _joined(of_model) for model, of_model in parts.items()}


def _names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the name of each file without its ending; the whole path where names repeat."""
    names = [path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [str(path) for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise RefusalError(f"{path} is given twice")
    return whole


def _joined(parts: Sequence[Outputs]) -> Items:
    import numpy as np

    if len(parts) == 1:
        return parts[0].correct, parts[0].confidence, parts[0].weight, parts[0].by
    weights = [part.weight for part in parts if part.weight is not None]
    return (
        np.concatenate([part.correct for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        np.concatenate(weights) if weights else None,
        _joined_labels([part.by for part in parts if part.by is not None]),
    )


def _joined_labels(parts: Sequence[Labels]) -> Labels | None:
    """The labels of several files one after the other."""
    if not parts:
        return None
    import numpy as np

    from fastarac.io import Labels

    names = sorted({name for part in parts for name in part.names})
    number = {name: code for code, name in enumerate(names)}
    codes = [np.array([number[name] for name in part.names], np.intp)[part.codes] for part in parts]
    return Labels(tuple(names), np.concatenate(codes))
