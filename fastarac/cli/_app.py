"""The commands and their options."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from fastarac._version import __version__
from fastarac.cli import _plot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from fastarac.cli._report import Model
    from fastarac.io import Labels, Outputs

    Items = tuple[NDArray[np.bool_], NDArray[Any], NDArray[np.float64] | None, Labels | None]

DEFAULT_ERROR_RATES = [0.01, 0.05]
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


class Format(StrEnum):
    """How the figures are printed."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


ErrorRates = Annotated[
    list[float],
    typer.Option(
        "--error-rate",
        metavar="RATE",
        help="Allowed share of errors that remain among all outputs; may be given several times.",
    ),
]
Gamma = Annotated[
    float | None,
    typer.Option(metavar="RATIO", help="Cost of verifying over cost of correcting.  [default: 1]"),
]
Delta = Annotated[
    float | None,
    typer.Option(
        metavar="RATIO", help="Cost of an error over cost of correcting, less 1.  [default: 0]"
    ),
]
OutputFormat = Annotated[
    Format, typer.Option("--format", help="A table for people, or all figures for programs.")
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the ARAC curves into this .png, .svg or .pdf file."),
]

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
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSON lines or Parquet files; each is one model, named after the file.",
            show_default=False,
        ),
    ],
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
    error_rate: ErrorRates = DEFAULT_ERROR_RATES,
    gamma: Gamma = None,
    delta: Delta = None,
    output_format: OutputFormat = Format.table,
    plot: Plot = None,
) -> None:
    """Evaluate the outputs in files."""
    with _ends_quietly():
        settings = _Settings(error_rate, gamma, delta, output_format, plot)
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
            raise _RefusalError("--by evaluates groups without weights; leave out --weight")
        models = settings.evaluate(_read_models(paths, columns))
        settings.deliver(models)


@app.command()
def demo(
    error_rate: ErrorRates = DEFAULT_ERROR_RATES,
    gamma: Gamma = None,
    delta: Delta = None,
    output_format: OutputFormat = Format.table,
    plot: Plot = None,
) -> None:
    """Evaluate four models on handwritten digits."""
    with _ends_quietly():
        settings = _Settings(error_rate, gamma, delta, output_format, plot)
        from fastarac.datasets import load_digits_ocr

        data = load_digits_ocr()
        models = settings.evaluate(
            {name: (correct, confidence, None, None) for name, (correct, confidence) in data.items()}
        )
        introduction = INTRODUCTION.format(n_models=len(data), n_items=len(data.truth))
        settings.deliver(models, before=introduction, after=HINT)


class _RefusalError(Exception):
    """A reason to do nothing, in words for the user."""


@contextmanager
def _ends_quietly() -> Iterator[None]:
    """Turn what can go wrong outside the program into an exit status, without a traceback."""
    try:
        yield
    except _RefusalError as refusal:
        typer.echo(f"fastarac: error: {refusal}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # What is left in the buffer of stdout would otherwise fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(KILLED_BY_CLOSED_PIPE) from None


class _Settings:
    """The options that all commands have, checked before any work is done."""

    def __init__(
        self,
        error_rates: Sequence[float],
        gamma: float | None,
        delta: float | None,
        output_format: Format,
        plot: Path | None,
    ) -> None:
        import fastarac

        self.with_costs = gamma is not None or delta is not None
        self.options: dict[str, Any] = {
            "error_rates": tuple(dict.fromkeys(error_rates)),
            "gamma": 1.0 if gamma is None else gamma,
            "delta": 0.0 if delta is None else delta,
        }
        self.output_format = output_format
        self.plot = plot
        try:
            fastarac.evaluate([True], [0.0], **self.options)
        except ValueError as error:
            raise _RefusalError(str(error)) from None
        if plot is not None:
            problem = _plot.problem_with(plot)
            if problem is not None:
                raise _RefusalError(problem)

    def evaluate(self, items: Mapping[str, Items]) -> list[Model]:
        """Return the models with their figures, the one of largest ARAC-AUC first."""
        import fastarac
        from fastarac.cli._report import Model

        models = []
        for name, (correct, confidence, weight, by) in items.items():
            try:
                sweep = fastarac.threshold_sweep(correct, confidence, sample_weight=weight)
                figures = fastarac.evaluate(sweep, **self.options)
            except ValueError as error:
                raise _RefusalError(f"{name}: {error}") from None
            groups = None
            if by is not None:
                from fastarac.cli._groups import evaluate_by

                groups = evaluate_by(correct, confidence, by, figures)
            models.append(Model(name, sweep, figures, confidence.dtype, groups))
        return sorted(models, key=lambda model: -model.evaluation.arac.auc)

    def deliver(self, models: list[Model], before: str = "", after: str = "") -> None:
        """Draw the plot, if there is to be one, and print the figures."""
        from fastarac.cli import _report

        if self.output_format is Format.table:
            text = self._text(models, before, after)
        else:
            text = getattr(_report, f"as_{self.output_format.value}")(models)
        if self.plot is not None:
            try:
                _plot.save(models, self.options["error_rates"], self.plot)
            except OSError as error:
                raise _RefusalError(f"{self.plot}: it cannot be written: {error.strerror}") from None
        _write(text)

    def _text(self, models: list[Model], before: str, after: str) -> str:
        from fastarac.cli._report import UNLIMITED, print_text

        console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
        if not console.is_terminal:
            console.width = UNLIMITED
        with console.capture() as captured:
            if before:
                console.print(before, end="\n\n")
            print_text(models, console, with_costs=self.with_costs)
            if after:
                console.print()
                console.print(after)
        return captured.get()


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
                raise _RefusalError(str(error)) from None
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
            raise _RefusalError(f"{path} is given twice")
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


def _write(text: str) -> None:
    """Write to stdout, with escapes for what its encoding lacks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()
