"""Cost curves: the lowest expected cost for all prices and prevalences."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import MOST_VALUES, fractions_of, inner_fraction, whole_number
from fastarac._core.exceptions import FEW_GROUPS, few_groups_of, warn_unreliable
from fastarac._core.export import padded
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.results import Table, TupleResult
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import SCORED_NAMES, read_items
from fastarac.costs.hulls import (
    ROCConvexHull,
    exact_hull,
    require_both_classes,
    threshold_array,
    two_class_sweep,
)
from fastarac.samples.door import as_sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.models import Model
    from fastarac.sweep import ThresholdSweep

    FloatArray = NDArray[np.float64]
    Rates = tuple[Fraction, Fraction]

CELLS = 10**7  # maximum of resamples × groups in a batch, to limit memory


class _CostCurve(NamedTuple):
    probability_cost: FloatArray
    """PCF(+) of the vertices, strictly increasing from 0 to 1; shape (n_segments + 1,)."""
    normalized_expected_cost: FloatArray
    """NE at the vertices, in [0, 0.5]; 0 at both ends; shape (n_segments + 1,)."""
    thresholds: NDArray[Any]
    """Strictly decreasing, of shape (n_segments,).

    ``thresholds[i]`` is optimal from vertex i to vertex i + 1. ``inf`` means that it is cheapest to
    predict everything as negative, and ``-inf``, everything as positive.
    """


class CostCurve(Table, TupleResult, _CostCurve):
    """Lower envelope of the cost lines of all thresholds; linear between its vertices.

    See Also
    --------
    fastarac.costs.cost_curve : least normalised expected cost over the probability cost function
    CostCurveBand : cost curve on a grid, with intervals

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> curve = fa.costs.cost_curve(y_true, y_score)
    >>> curve.thresholds, curve.normalized_expected_cost
    (array([0.8 , 0.35]), array([0.  , 0.25, 0.  ]))
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with one row for each vertex; the last row has no threshold."""
        return self._asdict() | {"thresholds": padded(self.thresholds)}


class _CostCurveBand(NamedTuple):
    probability_cost: FloatArray
    """PCF(+) at the grid points."""
    estimate: FloatArray
    """NE of the original items."""
    low: FloatArray
    """Lower ends of the intervals."""
    high: FloatArray
    """Upper ends of the intervals."""


class CostCurveBand(Table, TupleResult, _CostCurveBand):
    """A cost curve on a grid, with a confidence interval at each grid point.

    See Also
    --------
    fastarac.costs.cost_curve_band : pointwise bootstrap intervals of a cost curve
    CostCurve : lower envelope of the cost lines of all thresholds
    """

    __slots__ = ()


class _Envelope(NamedTuple):
    """An exact cost curve: from ends[i] to ends[i + 1], it is the cost line of rates[i]."""

    ends: list[Fraction]
    rates: list[Rates]
    vertices: list[int]  # index of the hull vertex of each segment


def _envelope(hull: Sequence[Rates]) -> _Envelope:
    """Return the cost curve of a ROC convex hull, given the rates (FP, TP) of its vertices."""
    ends = [Fraction(0)]
    for (x0, y0), (x1, y1) in itertools.pairwise(hull):
        ends.append((x1 - x0) / (x1 - x0 + y1 - y0))
    ends.append(Fraction(1))
    used = [i for i in range(len(hull)) if ends[i] < ends[i + 1]]
    return _Envelope([Fraction(0), *(ends[i + 1] for i in used)], [hull[i] for i in used], used)


def _cost(rates: Rates, p: Fraction) -> Fraction:
    """Return the normalised cost NE = (1 − TP − FP)·p + FP, where p is PCF(+) (equation 9)."""
    fpr, tpr = rates
    return fpr + (1 - tpr - fpr) * p


def cost_curve(
    y_true: ArrayLike | ThresholdSweep | ROCConvexHull,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> CostCurve:
    r"""Lowest normalised expected cost as a function of the probability cost function PCF(+).

    Parameters
    ----------
    y_true : array_like of shape (n,), ThresholdSweep or ROCConvexHull
        Bool, or 0 and 1. A sweep replaces both `y_true` and `y_score`. For a hull, the curve is the
        lowest of all its models.
    y_score : array_like of shape (n,)
        Real and finite; higher for the positive class.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    CostCurve
        `probability_cost` and `normalized_expected_cost` of the vertices, and the `thresholds` that are
        optimal between them (one fewer than vertices). Each value is the double nearest to the exact
        one. The curve is linear between vertices, so ``numpy.interp`` evaluates it anywhere.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also if a class is missing.

    See Also
    --------
    probability_cost : the horizontal position, from prices and prevalence.
    better_ranges : where one of two curves is below the other.
    cost_curve_band : confidence intervals of the curve.
    roc_convex_hull : the same in the ROC plane.

    Notes
    -----
    A threshold with the rates (FP, TP) corresponds to the straight line

    .. math:: NE = (1 - TP - FP)\,PCF(+) + FP,\qquad
              PCF(+) = \frac{P(+)\,c(-|+)}{P(+)\,c(-|+) + P(-)\,c(+|-)}

    (Suzuki 2003, equations 6 to 9). The curve is the lower envelope of the lines of all thresholds,
    including the two trivial classifiers, NE = PCF(+) and NE = 1 − PCF(+). The expected cost of an item
    is NE·[P(+)·c(−|+) + P(−)·c(+|−)]. Each vertex of the curve corresponds to an edge of the ROC convex
    hull, at PCF(+) = 1/(1 + slope). Each segment corresponds to a vertex of the hull.

    References
    ----------
    Suzuki 2003, equations 6 to 9; Drummond and Holte 2000, "Explicitly representing expected cost".

    Examples
    --------
    >>> import fastarac as fa
    >>> curve = fa.costs.cost_curve([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
    >>> curve.probability_cost
    array([0. , 0.6, 1. ])
    >>> curve.normalized_expected_cost
    array([0. , 0.2, 0. ])
    >>> curve.thresholds
    array([0.8, 0.6])
    """
    hull, thresholds = _exact_hull_of(y_true, y_score, sample_weight)
    ends, rates, vertices = _envelope(hull)
    costs = [Fraction(0), *(_cost(rates[i], ends[i + 1]) for i in range(len(rates)))]
    return CostCurve(
        np.array([float(end) for end in ends]),
        np.array([float(cost) for cost in costs]),
        threshold_array([thresholds[i] for i in vertices]),
    )


def _exact_hull_of(
    y_true: ArrayLike | ThresholdSweep | ROCConvexHull,
    y_score: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[Sequence[Rates], Sequence[Any]]:
    """Return the exact rates and the thresholds of the vertices of the ROC convex hull."""
    if isinstance(y_true, ROCConvexHull):
        for name, value in (("y_score", y_score), ("sample_weight", sample_weight)):
            if value is not None:
                raise TypeError(f"{name} cannot go with a ROCConvexHull: leave out {name}")
        return y_true.exact, y_true.thresholds.tolist()
    sweep = as_sweep(y_true, y_score, sample_weight, SCORED_NAMES)
    require_both_classes(sweep)
    vertices = exact_hull([("", sweep)])
    return [vertex[:2] for vertex in vertices], [vertex.threshold for vertex in vertices]


def better_ranges(a: Model | ROCConvexHull, b: Model | ROCConvexHull) -> FloatArray:
    """Return the ranges of PCF(+) in which `a` is cheaper than `b`, if both use their best thresholds.

    Parameters
    ----------
    a, b : (y_true, y_score), ThresholdSweep or ROCConvexHull
        y_true: bool, or 0 and 1. y_score: real and finite, higher for the positive class. The two
        models may have been tested on different items. For a hull, the curve is the lowest of all its
        models.

    Returns
    -------
    ndarray of shape (n_ranges, 2)
        The open intervals of PCF(+) in which the cost curve of `a` is below that of `b`, in increasing
        order. Their ends are the exact crossings, each rounded once. The array is empty if the curve of
        `a` is nowhere below.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also if a class is missing.

    See Also
    --------
    probability_cost : PCF(+) from prices and prevalence.
    dominates : whether one ROC curve is nowhere below the other, which is a stronger condition.

    Notes
    -----
    Where the cost curves cross, the ROC curves need not cross.

    References
    ----------
    Suzuki 2003, on cost curves; Drummond and Holte 2000, "Explicitly representing expected cost".

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true = [1, 1, 0, 1, 0, 0]
    >>> a, b = (y_true, [0.9, 0.3, 0.5, 0.2, 0.4, 0.1]), (y_true, [0.7, 0.6, 0.8, 0.5, 0.4, 0.3])
    >>> fa.costs.better_ranges(a, b)
    array([[0.        , 0.33333333]])
    >>> fa.costs.better_ranges(b, a)
    array([[0.33333333, 1.        ]])
    """
    first, second = _envelope_of(a, "a"), _envelope_of(b, "b")
    ranges: list[tuple[Fraction, Fraction]] = []
    joins = False  # whether the previous range continues into this one
    for low, high, at_low, at_high in _advantages(first, second):
        if at_low > 0 or at_high > 0:
            zero = low + (high - low) * at_low / (at_low - at_high) if at_low != at_high else low
            found = (low if at_low >= 0 else zero, high if at_high >= 0 else zero)
            ranges.append((ranges.pop()[0], found[1]) if joins else found)
        joins = at_high > 0
    return np.array([[float(end) for end in pair] for pair in ranges]).reshape(-1, 2)


def _advantages(a: _Envelope, b: _Envelope) -> Iterator[tuple[Fraction, Fraction, Fraction, Fraction]]:
    """Yield (left, right, b − a at left, b − a at right); the costs a and b are linear in between."""
    i = j = 0
    low = Fraction(0)
    while low < 1:
        high = min(a.ends[i + 1], b.ends[j + 1])
        mine, other = a.rates[i], b.rates[j]
        yield low, high, _cost(other, low) - _cost(mine, low), _cost(other, high) - _cost(mine, high)
        i += a.ends[i + 1] == high
        j += b.ends[j + 1] == high
        low = high


def _envelope_of(given: Model | ROCConvexHull, name: str) -> _Envelope:
    if isinstance(given, ROCConvexHull):
        return _envelope(given.exact)
    vertices = exact_hull([("", two_class_sweep(given, name))])
    return _envelope([vertex[:2] for vertex in vertices])


def cost_curve_band(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    grid: int | ArrayLike = 101,
    groups: ArrayLike | None = None,
    random_state: RandomState = None,
) -> CostCurveBand:
    """Pointwise bootstrap confidence intervals of a cost curve.

    Parameters
    ----------
    y_true : array_like of shape (n,) or ThresholdSweep
        Bool, or 0 and 1. An unweighted sweep replaces both `y_true` and `y_score`.
    y_score : array_like of shape (n,)
        Real and finite; higher for the positive class.
    n_resamples : int, default=2000
        Number of bootstrap samples, at least 1.
    confidence_level : float, default=0.95
        In (0, 1).
    grid : int or array_like, default=101
        Grid on the axis of PCF(+): the number of evenly spaced points, at least 2, or the points
        themselves, in [0, 1].
    groups : array_like of shape (n,), optional
        Label of each item's group (page, document). Whole groups are drawn.
    random_state : int, SeedSequence, Generator or None
        The same integer gives the same band. None gives a new band each time.

    Returns
    -------
    CostCurveBand
        `probability_cost` (the grid), `estimate`, `low` and `high`.

    Warns
    -----
    UnreliableIntervalWarning
        If there are fewer than 20 groups.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also if a class is missing, if the sweep is weighted, if an
        argument is out of range, or if `groups` is given with a sweep.

    See Also
    --------
    cost_curve : least normalised expected cost over the probability cost function
    fastarac.bootstrap_band : band around a curve, from resamples of the items
    fastarac.results.CostCurveBand : cost curve on a grid, with intervals

    Notes
    -----
    The test items vary, not the classifier (Drummond and Holte 2006): at each PCF(+), every sample uses
    the threshold that is optimal on all items. If each sample used its own optimal threshold, its cost
    would be too low for new items. Each class is resampled separately, so the numbers of positives and
    of negatives are the same in each sample. For each class, a sample is a multinomial draw over the
    cells between the thresholds. After sorting, the time does not depend on the number of items. With
    `groups`, each sample draws as many groups as there are, with replacement; its numbers of positives
    and negatives vary. Samples without one of the classes are dropped. The ends of an interval are
    percentiles. Like any bootstrap, it cannot include errors that did not occur: if the estimate is 0,
    both ends are 0.

    References
    ----------
    Drummond and Holte 2006, "Cost curves: an improved method for visualizing classifier performance".

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [1, 1, 0, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> band = fa.costs.cost_curve_band(y_true, y_score, grid=[0.25, 0.5, 0.75], random_state=0)
    >>> band.estimate
    array([0.125, 0.25 , 0.125])
    >>> bool((band.low <= band.estimate).all() and (band.estimate <= band.high).all())
    True
    """
    n_resamples = whole_number(n_resamples, "n_resamples", 1, MOST_VALUES)
    level = inner_fraction(confidence_level, "confidence_level")
    places = _grid(grid)
    advice = "cost_curve estimates the curve, without a band"
    sweep = as_sweep(y_true, y_score, names=SCORED_NAMES, instead=advice)
    require_both_classes(sweep)
    if sweep.true_accepts.dtype != np.int64:
        raise ValueError("y_true is a weighted sweep; a bootstrap needs counts of items")
    positive, negative = sweep.n_correct, sweep.n_incorrect
    ends, rates, _ = _envelope([vertex[:2] for vertex in exact_hull([("", sweep)])])
    segment = np.searchsorted([float(end) for end in ends[1:-1]], places, side="right")
    used, segment = np.unique(segment, return_inverse=True)
    true_positives = [int(rates[i][1] * positive) for i in used]
    false_positives = [int(rates[i][0] * negative) for i in used]
    generator = np.random.default_rng(key_of(random_state))

    def costs(missed: NDArray[Any], accepted: NDArray[Any]) -> FloatArray:
        return np.asarray(missed[..., segment] * places + accepted[..., segment] * (1 - places))

    if groups is None:
        right = _resampled(true_positives, int(positive), n_resamples, generator)
        wrong = _resampled(false_positives, int(negative), n_resamples, generator)
        samples = costs((positive - right) / positive, wrong / negative)
    else:
        if y_score is None:
            raise TypeError(
                "groups needs single items, but a ThresholdSweep has only counts: give arrays"
            )
        at = [
            int(np.flatnonzero((sweep.true_accepts == tp) & (sweep.false_accepts == fp))[0])
            for tp, fp in zip(true_positives, false_positives, strict=True)
        ]
        samples = costs(
            *_resampled_groups(y_true, y_score, groups, sweep.thresholds[at], n_resamples, generator)
        )
    tail = (1 - level) / 2
    low, high = np.quantile(samples, [tail, 1 - tail], axis=0)
    missed = (positive - np.array(true_positives)) / positive
    estimate = costs(missed, np.array(false_positives) / negative)
    return CostCurveBand(places, estimate, low, high)


def _resampled_groups(
    y_true: Any,
    y_score: Any,
    groups: ArrayLike,
    thresholds: NDArray[Any],
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Resample whole groups; return FNR and FPR, with resamples as rows and thresholds as columns."""
    items = read_items(y_true, y_score, None)
    codes = read_outermost(groups, items.n, "resampling")
    n_groups = int(codes.max()) + 1
    if n_groups < FEW_GROUPS:
        warn_unreliable(few_groups_of(n_groups))
    right = items.correct.astype(np.bool_)
    inside = [items.confidence >= threshold for threshold in thresholds]
    of_groups = [
        np.array([np.bincount(codes[part & of], minlength=n_groups) for part in (*inside, of)])
        for of in (right, ~right)
    ]
    chances, counts = np.full(n_groups, 1 / n_groups), []
    rows = max(1, CELLS // n_groups)
    for first in range(0, n_resamples, rows):
        drawn = generator.multinomial(n_groups, chances, min(rows, n_resamples - first))
        counts.append([drawn @ table.T for table in of_groups])
    positives, negatives = (np.concatenate(part) for part in zip(*counts, strict=True))
    both = (positives[:, -1] > 0) & (negatives[:, -1] > 0)
    positives, negatives = positives[both], negatives[both]
    missed = (positives[:, -1:] - positives[:, :-1]) / positives[:, -1:]
    return missed, negatives[:, :-1] / negatives[:, -1:]


def _resampled(
    accepted: Sequence[int], total: int, n_resamples: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Resample one class; count accepted items, with resamples as rows and thresholds as columns."""
    cells = np.diff([0, *accepted, total])
    samples = generator.multinomial(total, cells / total, size=n_resamples)
    return np.cumsum(samples[:, :-1], axis=1)


def _grid(grid: int | ArrayLike) -> FloatArray:
    if isinstance(grid, int | np.integer):
        return np.linspace(0, 1, whole_number(grid, "grid", 2, MOST_VALUES))
    places = fractions_of(grid, "grid")
    if places.ndim != 1 or not places.size:
        raise ValueError(
            "grid must be the number of points, or a one-dimensional array of at least one point, got "
            f"shape {places.shape}"
        )
    return places
