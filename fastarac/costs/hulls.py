"""Convex hull of ROC curves: the models and thresholds that can be cheapest.

Vertices are exact fractions, so that rounding never decides between models.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import real_scalar
from fastarac._core.results import Result, Table, TupleResult
from fastarac._core.text import printable
from fastarac._engine.inputs import SCORED_NAMES
from fastarac.costs.corners import chain, hull_corners
from fastarac.models import Model, Models, named_models, sweep_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep

    FloatArray = NDArray[np.float64]


class ExactVertex(NamedTuple):
    """A vertex of a hull in exact fractions."""

    fpr: Fraction
    tpr: Fraction
    threshold: Any
    name: str | None


class _HullVertex(NamedTuple):
    name: str | None
    """Name of the model; None at the trivial vertices (0, 0) and (1, 1)."""
    threshold: Any
    """Scores at or above it count as positive; ``inf`` at (0, 0), ``-inf`` at (1, 1)."""
    fpr: float
    """False positive rate."""
    tpr: float
    """True positive rate."""
    slope_low: float
    """Least slope of iso-performance lines for which the vertex is optimal."""
    slope_high: float
    """Greatest slope of iso-performance lines for which the vertex is optimal."""


class HullVertex(TupleResult, _HullVertex):
    """A vertex of the hull: a model at a threshold, and the slopes for which it is optimal.

    See Also
    --------
    ROCConvexHull : upper left convex hull of ROC curves
    ARACHull : upper convex hull of an ARAC curve
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ROCConvexHull(Table, Result):
    """Upper left convex hull of ROC curves: all points that are optimal for some prices and prevalence.

    Vertices run from (0, 0), where everything is predicted as negative, to (1, 1), where everything is
    predicted as positive. No three vertices are on one line.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (n_vertices,)
        Rates in [0, 1], each the double nearest to the exact one.
    thresholds : ndarray of shape (n_vertices,)
        Scores of the vertex's model at or above this threshold count as positive. ``inf`` at (0, 0) and
        ``-inf`` at (1, 1), for any model.
    names : tuple of length n_vertices
        The model of each vertex; None at the two trivial ones. If several models have the same point,
        it is the first of these models.
    slope_low, slope_high : ndarray of shape (n_vertices,)
        Each vertex is optimal for slopes from `slope_low` to `slope_high`, both included. These are the
        slopes of the edges to the right and to the left of the vertex; 0 and ``inf`` at the ends.
    auc : float
        Area under the hull, rounded once.
    exact : tuple of (Fraction, Fraction)
        (fpr, tpr) of each vertex, unrounded.

    See Also
    --------
    fastarac.costs.roc_convex_hull : convex hull of the ROC curves of any number of models
    HullVertex : a vertex of the hull
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: NDArray[Any]
    names: tuple[str | None, ...]
    slope_low: FloatArray
    slope_high: FloatArray
    auc: float
    exact: tuple[tuple[Fraction, Fraction], ...]

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of a table, one row for each vertex."""
        names = ("names", "thresholds", "fpr", "tpr", "slope_low", "slope_high")
        return {name: getattr(self, name) for name in names}

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[HullVertex]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int) -> HullVertex:
        """Return one vertex."""
        return HullVertex(
            self.names[index],
            *(
                column[index].item() if isinstance(column[index], np.generic) else column[index]
                for column in (self.thresholds, self.fpr, self.tpr, self.slope_low, self.slope_high)
            ),
        )

    def __repr__(self) -> str:
        used = dict.fromkeys(name for name in self.names if name is not None)
        return f"ROCConvexHull({len(self)} vertices of {', '.join(map(repr, used)) or 'no model'})"

    def __str__(self) -> str:
        rows = [("name", "threshold", "FPR", "TPR", "optimal for slopes")]
        rows += [
            (
                "-" if vertex.name is None else printable(vertex.name),
                format(vertex.threshold, ".6g" if isinstance(vertex.threshold, float) else "d"),
                f"{vertex.fpr:.4f}",
                f"{vertex.tpr:.4f}",
                f"{vertex.slope_low:.4g} to {vertex.slope_high:.4g}",
            )
            for vertex in self
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for name, *others in rows:
            cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
            lines.append("  ".join([name.ljust(widths[0]), *cells]))
        return "\n".join(lines)

    def best(self, slope: float) -> HullVertex:
        """Return the vertex with the largest TPR − slope·FPR, which has the lowest expected cost.

        Parameters
        ----------
        slope : float
            Slope of iso-performance lines, from 0 to ``inf``; see :func:`.iso_performance_slope`.

        Returns
        -------
        HullVertex
            The best vertex. If an edge has this slope, both vertices of the edge are equally good. In
            this case, the vertex with the larger TPR is returned or, for equal TPR, the vertex with the
            smaller FPR. Slopes are compared as the doubles nearest to the exact ones.

        Raises
        ------
        ValueError, TypeError
            If `slope` is not a number of at least 0.

        Examples
        --------
        >>> import fastarac as fa
        >>> hull = fa.costs.roc_convex_hull({"A": ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.2])})
        >>> hull.best(1.0).threshold, hull.best(1.5).threshold
        (0.7, 0.9)
        """
        slope, left_edges = _slope(slope, "slope"), self.slope_high[1:]
        return self[int(np.count_nonzero(left_edges >= slope if slope else left_edges > 0))]

    def candidates(self, low: float, high: float) -> tuple[HullVertex, ...]:
        """Return all vertices that are optimal for some slope in a range, if prices are known roughly.

        Parameters
        ----------
        low, high : float
            0 <= low <= high, ``inf`` allowed; both ends are included.

        Returns
        -------
        tuple of HullVertex
            In the order of the hull, from the smallest FPR. Vertices that are optimal only at an end of
            the range are included.

        Raises
        ------
        ValueError, TypeError
            If `low` or `high` is not a number of at least 0, or if `low` exceeds `high`.

        Examples
        --------
        >>> import fastarac as fa
        >>> hull = fa.costs.roc_convex_hull({"A": ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.2])})
        >>> [vertex.threshold for vertex in hull.candidates(0.5, 0.9)]
        [0.7]
        >>> [vertex.threshold for vertex in hull.candidates(0.5, 1.0)]
        [0.9, 0.7]
        """
        low, high = _slope(low, "low"), _slope(high, "high")
        if low > high:
            raise ValueError(f"low must be at most high, got {low} and {high}")
        found = np.flatnonzero((self.slope_low <= high) & (self.slope_high >= low))
        return tuple(self[i] for i in found.tolist())


def _slope(value: Any, name: str) -> float:
    slope = real_scalar(value, name, finite=False)
    if slope < 0:
        raise ValueError(f"{name} must be a number of at least 0, got {value!r}")
    return slope


def roc_convex_hull(models: Models) -> ROCConvexHull:
    """Return the convex hull of the ROC curves of any number of models.

    For any prices and prevalence, a vertex of the hull has the lowest expected cost of all these models
    and thresholds. The prices and the share of positives need not be known. A model without a vertex is
    never the only optimal one.

    Parameters
    ----------
    models : mapping of str to (y_true, y_score) or ThresholdSweep
        y_true: bool, or 0 and 1. y_score: real and finite, higher for the positive class. The models
        may have been tested on different items.

    Returns
    -------
    ROCConvexHull
        The vertices, their models and thresholds, and the slopes for which each vertex is optimal.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`, with the name of the model; also if a class is missing, because
        there is then no ROC curve, or if there is no model.

    See Also
    --------
    iso_performance_slope : the slope for given prices and prevalence.
    cost_curve : the same hull as a curve of costs.
    arac_convex_hull : the hull of an ARAC curve.

    Notes
    -----
    Counts are compared exactly. With weights, sums at each threshold are compared; each sum is rounded
    once.

    References
    ----------
    Provost and Fawcett 1997, on the ROC convex hull; Suzuki 2003, equations 4 and 5.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true = [1, 1, 0, 1, 0, 0]
    >>> hull = fa.costs.roc_convex_hull({
    ...     "A": (y_true, [0.9, 0.3, 0.5, 0.2, 0.4, 0.1]),
    ...     "B": (y_true, [0.7, 0.6, 0.8, 0.5, 0.4, 0.3]),
    ... })
    >>> print(hull)
    name  threshold     FPR     TPR  optimal for slopes
    -           inf  0.0000  0.0000          inf to inf
    A           0.9  0.0000  0.3333            2 to inf
    B           0.5  0.3333  1.0000              0 to 2
    -          -inf  1.0000  1.0000              0 to 0
    >>> hull.best(fa.costs.iso_performance_slope(p_positive=0.1, cost_fn=1, cost_fp=1)).name
    'A'
    """
    named = named_models(models, names=SCORED_NAMES).items()
    return _assembled(
        exact_hull((name, two_class_sweep(model, f"models[{name!r}]")) for name, model in named)
    )


def _assembled(vertices: Sequence[ExactVertex]) -> ROCConvexHull:
    slopes = [_edge_slope(a, b) for a, b in itertools.pairwise(vertices)]
    area = sum((b.fpr - a.fpr) * (a.tpr + b.tpr) for a, b in itertools.pairwise(vertices))
    thresholds = [vertex.threshold for vertex in vertices]
    return ROCConvexHull(
        fpr=np.array([float(vertex.fpr) for vertex in vertices]),
        tpr=np.array([float(vertex.tpr) for vertex in vertices]),
        thresholds=threshold_array(thresholds),
        names=tuple(vertex.name for vertex in vertices),
        slope_low=np.array([*slopes, 0.0]),
        slope_high=np.array([math.inf, *slopes]),
        auc=float(area / 2),
        exact=tuple((vertex.fpr, vertex.tpr) for vertex in vertices),
    )


def threshold_array(thresholds: Sequence[Any]) -> NDArray[Any]:
    """Return thresholds as floats; as objects if some are integers that a float cannot hold."""
    is_float = all(isinstance(threshold, float) for threshold in thresholds)
    return np.array(thresholds, np.float64 if is_float else object)


def _edge_slope(a: ExactVertex, b: ExactVertex) -> float:
    try:
        return float((b.tpr - a.tpr) / (b.fpr - a.fpr))
    # The edge is vertical, or its slope is too large for a double.
    except (ZeroDivisionError, OverflowError):
        return math.inf


def two_class_sweep(model: Model, name: str) -> ThresholdSweep:
    """Return the sweep of a model; raise unless both classes occur."""
    sweep = sweep_of(model, name, SCORED_NAMES)
    require_both_classes(sweep, f"{name}: ")
    return sweep


def require_both_classes(sweep: ThresholdSweep, where: str = "") -> None:
    """Raise if a class has no item."""
    for count, missing in ((sweep.n_correct, "positive"), (sweep.n_incorrect, "negative")):
        if not count:
            raise ValueError(f"{where}y_true has no {missing} item; a ROC curve needs both classes")


def exact_hull(sweeps: Iterable[tuple[str, ThresholdSweep]]) -> list[ExactVertex]:
    """Return the vertices of the joint hull of all sweeps."""
    hulls = [(name, _hull_of_one(sweep)) for name, sweep in sweeps]
    x_unit = _common_unit([hull.x[-1] for _, hull in hulls])
    y_unit = _common_unit([hull.y[-1] for _, hull in hulls])
    points = []
    for name, hull in hulls:
        x_scale, y_scale = _exact(x_unit / hull.x[-1]), _exact(y_unit / hull.y[-1])
        for x, y, threshold in zip(*hull, strict=True):
            points.append((_exact(x * x_scale), _exact(y * y_scale), threshold, name))
    if len(hulls) > 1:
        # The sort is stable, so that among equal points the first model stays first.
        points.sort(key=lambda point: point[:2])
    vertices = [
        ExactVertex(Fraction(x) / x_unit, Fraction(y) / y_unit, threshold, name)
        for x, y, threshold, name in _chain(points)
    ]
    for index, threshold in ((0, math.inf), (-1, -math.inf)):
        vertices[index] = vertices[index]._replace(threshold=threshold, name=None)
    return vertices


def _common_unit(totals: Sequence[Fraction]) -> Fraction:
    """Return the least common multiple of the totals if all are integers, else 1."""
    whole = all(total.denominator == 1 for total in totals)
    return Fraction(math.lcm(*(total.numerator for total in totals)) if whole else 1)


def _exact(value: Fraction) -> int | Fraction:
    """Return a fraction as an integer if it is whole, because integers are much faster."""
    return value.numerator if value.denominator == 1 else value


def _chain(points: Iterable[tuple[Any, Any, Any, Any]]) -> list[tuple[Any, Any, Any, Any]]:
    """Return the vertices of the upper hull of points in increasing order."""
    points = [next(alike) for _, alike in itertools.groupby(points, key=lambda point: point[:2])]
    x, y = [point[0] for point in points], [point[1] for point in points]

    def below(a: int, b: int, c: int) -> bool:
        return bool((y[b] - y[a]) * (x[c] - x[b]) <= (x[b] - x[a]) * (y[c] - y[b]))

    return [points[i] for i in chain(len(points), below)]


class _Hull(NamedTuple):
    """Vertices of one classifier's hull: x is the false accepts, y the true accepts."""

    x: list[Fraction]
    y: list[Fraction]
    thresholds: list[Any]


def _hull_of_one(sweep: ThresholdSweep) -> _Hull:
    sweep = sweep.rising
    # Add the point (0, 0), which is missing if the hull starts with correct items only.
    found = hull_corners(sweep)
    if found[0]:
        found = np.concatenate([[0], found])
    return _Hull(
        fractions(sweep.false_accepts[found]),
        fractions(sweep.true_accepts[found]),
        sweep.thresholds[found].tolist(),
    )


def fractions(values: NDArray[Any]) -> list[Fraction]:
    """Return numbers as exact fractions."""
    return [Fraction(value) for value in values.tolist()]
