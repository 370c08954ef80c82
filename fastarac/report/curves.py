"""Reduce curves to the points that charts and the slider of a report need."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.exceptions import UndefinedMetricWarning, UnreliableIntervalWarning
from fastarac.costs.corners import hull_corners
from fastarac.displays.decimation import decimate
from fastarac.report.frame import DIGITS
from fastarac.uncertainty.bands import bootstrap_band

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.answers.models import Model

    FloatArray = NDArray[np.float64]

#: Width and height, in pixels, of the largest chart on a high-resolution screen.
SIZE = 2200, 900
#: Number of grid points and number of bootstrap resamples for a confidence band.
GRID, RESAMPLES = 201, 500
MOST_STEPS = 2000


@dataclass(frozen=True, slots=True)
class Curves:
    """Error rates of all models at the same acceptance rates, with confidence bands.

    Charts compute two more figures from these numbers: the accuracy after correction (1 - error rate)
    and the risk (error rate / acceptance rate).

    Attributes
    ----------
    x : ndarray of shape (k,)
        Acceptance rates, increasing from 0 to 1.
    error_rate : list of ndarray of shape (k,)
        The error rates of each model, interpolated linearly between thresholds.
    low, high : list of ndarray of shape (k,)
        Lower and upper ends of each model's pointwise band.
    """

    x: FloatArray
    error_rate: list[FloatArray]
    low: list[FloatArray]
    high: list[FloatArray]


def curves_of(models: Sequence[Model], level: float) -> Curves:
    """Return the error rates of all models at the same acceptance rates, with bands."""
    grid = np.arange(GRID) / (GRID - 1)
    kept = [grid]
    for model in models:
        x, error = model.sweep.acceptance_rate, model.sweep.error_rate
        kept.append(x[decimate(x, error, xlim=(0.0, 1.0), size=SIZE)])
        risk = np.divide(error, x, out=np.zeros(len(x)), where=x > 0)
        kept.append(x[decimate(x, risk, xlim=(0.0, 1.0), size=SIZE)])
    # merge points that coincide on a chart
    places = np.unique(np.concatenate(kept).round(DIGITS))
    found = Curves(places, [], [], [])
    for model in models:
        x, error = model.sweep.acceptance_rate, model.sweep.error_rate
        with warnings.catch_warnings():  # the report shows these warnings elsewhere
            warnings.simplefilter("ignore", UnreliableIntervalWarning)
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            band = bootstrap_band(
                model.outputs.correct,
                model.outputs.confidence,
                curve="generalized_rc",
                grid=grid,
                n_resamples=RESAMPLES,
                confidence_level=level,
                groups=None if model.outputs.group is None else model.outputs.group.codes,
                sample_weight=model.outputs.weight,
                random_state=0,
            )
        found.error_rate.append(np.interp(places, x, error))
        found.low.append(np.interp(places, grid, band.low))
        found.high.append(np.interp(places, grid, band.high))
    return found


@dataclass(frozen=True, slots=True)
class Steps:
    """The thresholds that the slider can take, with counts; the first one accepts nothing.

    Attributes
    ----------
    threshold : list of str
        Short decimals that accept exactly the same items.
    true_accepts, false_accepts : list of float
    of_limits : list of int
        For each limit, the index of its own threshold in these lists.
    """

    threshold: list[str]
    true_accepts: list[float]
    false_accepts: list[float]
    of_limits: list[int]


def steps_of(model: Model) -> Steps:
    """Return all thresholds if there are few, or else those that a chart or a cost needs.

    They include the vertices of the curve's convex hull. For any prices, some vertex is cheapest,
    because costs are linear in the two counts.
    """
    sweep = model.sweep
    last = model.last_threshold
    x, error = sweep.acceptance_rate[: last + 1], sweep.error_rate[: last + 1]
    at_limits = [_index_of(model, index, x) for index in range(len(model.limits))]
    if last < MOST_STEPS:
        chosen = np.arange(last + 1)
    else:
        even = np.searchsorted(x, np.arange(1001) / 1000)
        corners = decimate(x, error, xlim=(0.0, 1.0), size=SIZE)
        chosen = np.concatenate([[0, last], even, corners, hull_corners(sweep), at_limits])
        chosen = np.unique(np.minimum(chosen.astype(np.intp), last))
    place = {int(index): k for k, index in enumerate(chosen.tolist())}
    thresholds: list[Any] = sweep.thresholds[chosen].tolist()
    return Steps(
        [model.decimal(value) for value in thresholds],
        sweep.true_accepts[chosen].tolist(),
        sweep.false_accepts[chosen].tolist(),
        [place[index] for index in at_limits],
    )


def _index_of(model: Model, limit: int, x: FloatArray) -> int:
    """Return the index in the sweep of the operating point at a limit."""
    point = model.point(limit)
    rate = (point.true_accepts + point.false_accepts) / model.sweep.total
    return int(np.abs(x - rate).argmin())
