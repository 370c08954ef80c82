"""Write the file of ``--plot``, whole or not at all."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from fastarac._core import files
from fastarac._core.extras import missing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fastarac.answers.models import Model
    from fastarac.io import Outputs
    from fastarac.uncertainty.bands import ConfidenceBand

SUFFIXES = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 200
WIDTH, HEIGHT = 8.0, 5.5  # size of the figure in inches
RESAMPLES = 1000  # number of resamples for a confidence band


def problem_with(path: Path) -> str | None:
    """Return why the plot cannot be written to this file, or None."""
    return files.problem_with(path, "plot", SUFFIXES) or missing(["matplotlib"], "plot")


def save(models: Sequence[Model], path: Path, level: float | None = None) -> None:
    """Draw the models' ARAC curves to a file; with a confidence level, each has a pointwise band."""
    from matplotlib import figure as figures

    from fastarac.answers.limits import at_least
    from fastarac.displays import ARACDisplay
    from fastarac.displays._several import finish
    from fastarac.displays.arac import draw_limits

    figure = figures.Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
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
        if level is not None and model.outputs.crossed is None:  # crossed groups cannot be resampled
            display.plot_band(_band(model.outputs, level))
    _start_at_a_tick(axes)
    draw_limits(axes)
    finish(axes)
    write(figure, path)


def _band(outputs: Outputs, level: float) -> ConfidenceBand:
    """Return the band of the ARAC curve."""
    from fastarac.uncertainty.bands import bootstrap_band

    groups = None if outputs.group is None else outputs.group.codes
    with warnings.catch_warnings():  # the intervals already give these warnings
        warnings.simplefilter("ignore")
        return bootstrap_band(
            outputs.correct, outputs.confidence, sample_weight=outputs.weight, groups=groups,
            n_resamples=RESAMPLES, confidence_level=level, random_state=0,
        )  # fmt: skip


def _start_at_a_tick(axes: Axes) -> None:
    """If the vertical axis does not show 0, start it at a tick, and say so in its label."""
    bottom, top = axes.get_ylim()
    ticks = axes.get_yticks()
    start = max((tick for tick in ticks if tick <= bottom), default=0.0)
    if start > 0:
        axes.set_yticks([tick for tick in ticks if start <= tick <= top])
        axes.set_ylim(start, top)
        axes.set_ylabel(f"{axes.get_ylabel()} (axis starts at {start:g})")


def write(figure: Figure, path: Path) -> None:
    """Write a figure to a file, whole or not at all."""
    drawn = BytesIO()  # not a file, because some image writers do not say why a file cannot be written
    form = path.suffix[1:].lower()
    figure.savefig(drawn, format=form, dpi=DOTS_PER_INCH)
    files.write_whole(path, drawn.getvalue())
