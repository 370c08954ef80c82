"""The file that ``--plot`` writes: whole, or not at all."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from fastarac._core import files
from fastarac._core.extras import missing
from fastarac.answers.limits import at_least

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure, SubFigure

    from fastarac.answers.models import Model

SUFFIXES = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 200
WIDTH, HEIGHT = 8.0, 5.5  # inches
HEIGHT_OF_NAME = 0.12  # inches a model, once the legend is below the axes
NAMES_INSIDE = 6


def problem_with(path: Path) -> str | None:
    """Return why the plot could not be written to this file, or None."""
    return files.problem_with(path, "plot", SUFFIXES) or missing(["matplotlib"], "cli")


def save(models: Sequence[Model], path: Path) -> None:
    """Draw the ARAC curves of the models into a file, which appears once it is complete.

    The circles on the curves are the points for all limits and thresholds.
    """
    from matplotlib import figure as figures

    from fastarac.displays import ARACDisplay

    below = max(0, len(models) - NAMES_INSIDE) and len(models)
    figure = figures.Figure(figsize=(WIDTH, HEIGHT + HEIGHT_OF_NAME * below), layout="constrained")
    axes = figure.subplots()
    for model in models:
        display = ARACDisplay(
            model.sweep.acceptance_rate,
            model.sweep.accuracy_after_correction,
            name=model.name,
            area=model.evaluation.arac.auc,
            max_error_rate=tuple(
                limit.value for limit in model.limits if limit.criterion == "max_error_rate"
            ),
            operating_points=tuple(found.point for found in model.evaluation.limits),
            point_labels=tuple(at_least(model.threshold(i)) for i in range(len(model.limits))),
        )
        display.plot(axes, ylim="fit")
    write(figure, path)


def write(figure: Figure | SubFigure, path: Path) -> None:
    """Write a figure to a file, which appears once it is complete."""
    drawn = BytesIO()  # writers of some formats hide why a file cannot be written
    form = path.suffix[1:].lower()
    figure.canvas.figure.savefig(drawn, format=form, dpi=DOTS_PER_INCH)
    files.write_whole(path, drawn.getvalue())
