"""Influence values of single items, from which variances follow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.exceptions import warn_undefined
from fastarac._core.single_items import takes_items_only
from fastarac._engine import parallel, strategy
from fastarac._engine.inputs import NAMES, read_items
from fastarac.areas.gradients import PointInfluence
from fastarac.samples.door import require_confidence, sweep_of_items
from fastarac.uncertainty import derivatives
from fastarac.uncertainty.statistics import SMOOTH, as_statistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.derivatives import Lines
    from fastarac.uncertainty.statistics import Statistic

FloatArray = NDArray[np.float64]


def point_influence(sweep: ThresholdSweep, statistic: str | Statistic) -> PointInfluence:
    """Return the influence of one correct and of one incorrect item, of weight 1, at each threshold.

    The mean over all items (each with its weight) is 0. NaN where the statistic is undefined; raises
    where it has no influence values.
    """
    statistic = as_statistic(statistic)
    definition, parameters = statistic.definition, dict(statistic.parameters)
    if definition.lines is not None:
        lines = definition.lines(sweep, **parameters)
        return PointInfluence(
            derivatives.along(lines.correct, sweep.false_accepts),
            derivatives.along(lines.incorrect, sweep.true_accepts),
        )
    if definition.influence is not None:
        return definition.influence(sweep, **parameters)
    raise ValueError(
        f"statistic {statistic.name!r} has no influence values: how it moves depends on the density of "
        f"the confidences at one point; use bootstrap, or one of {', '.join(SMOOTH)}"
    )


def smaller_part(sweep: ThresholdSweep, statistic: Statistic | None) -> tuple[str, float]:
    """The smaller class of the items that the statistic contrasts: how it is called, and its weight.

    Of partial areas, the errors inside the part; of costs, those that are accepted. Of anything but a
    named statistic (None), the correct or the incorrect items.
    """
    if statistic is not None and statistic.definition.smaller_part is not None:
        return statistic.definition.smaller_part(sweep, **dict(statistic.parameters))
    if sweep.n_incorrect <= sweep.n_correct:
        return "incorrect items", float(sweep.n_incorrect)
    return "correct items", float(sweep.n_correct)


def corrections(statistic: Statistic, n_correct: int, n_incorrect: int) -> tuple[float, float]:
    """Factors on the squared influence of either class that make variances unbiased.

    n/(n − 1) from all items; for the ROC-AUC from those of the class, which is DeLong's variance. NaN
    where one item alone says nothing about its spread.
    """
    counts = (n_correct, n_incorrect)
    if statistic.name != "roc_auc":
        counts = (n_correct + n_incorrect,) * 2
    correct, incorrect = (n / (n - 1) if n > 1 else math.nan for n in counts)
    return correct, incorrect


class Spread(NamedTuple):
    """How far an estimate may be off, and how much of the data says so."""

    standard_error: float
    effective_contributors: float
    """(Σd²)²/Σd⁴ of what items or groups add to the error d: as many alike would add as much."""


def spread_of(contributions: FloatArray) -> Spread:
    """From what items or groups add to the error of an estimate."""
    squares = contributions**2
    return _spread(float(np.sum(squares)), float(np.sum(squares**2)))


def _spread(second: float, fourth: float) -> Spread:
    return Spread(math.sqrt(second), second / fourth * second if fourth else 0.0)


def sweep_spread(sweep: ThresholdSweep, statistic: Statistic) -> Spread:
    """Of the statistic of a sweep of whole items."""
    if statistic.definition.lines is not None:
        lines = statistic.definition.lines(sweep, **dict(statistic.parameters))
        powers = list(powers_of_lines(sweep, lines)[:2])
    else:
        powers = []
        classes = sweep.true_accepts, sweep.false_accepts
        for own, values in zip(classes, point_influence(sweep, statistic), strict=True):
            counts, squares = np.diff(own), values**2
            powers.append((float(np.sum(counts * squares)), float(np.sum(counts * squares**2))))
    factors = corrections(statistic, int(sweep.n_correct), int(sweep.n_incorrect))
    second = sum(f * power[0] for f, power in zip(factors, powers, strict=True))
    fourth = sum(f * f * power[1] for f, power in zip(factors, powers, strict=True))
    spread = _spread(second, fourth)
    return spread._replace(standard_error=spread.standard_error / sweep.total)


def standard_error(sweep: ThresholdSweep, statistic: Statistic) -> float:
    """Of the statistic of a sweep of whole items: the root of its sum of squared influences, over n."""
    return sweep_spread(sweep, statistic).standard_error


class Powers(NamedTuple):
    """Sums over the items of a sweep."""

    correct: tuple[float, float]
    """Second and fourth powers of their influence."""
    incorrect: tuple[float, float]
    tied: float
    """Pairs of a correct and an incorrect item of the same confidence."""


def powers_of_lines(sweep: AcceptedCounts, lines: Lines) -> Powers:
    """Sums of powers of influence that is linear in the items above; in chunks of one size."""
    n = len(sweep.true_accepts)
    threads = strategy.n_threads(n)
    correct, incorrect = ((line.offset, line.slope, line.divisor, line.centre) for line in lines)
    chunk = strategy.sizes.points
    rows = np.empty((-(-n // chunk), 5))

    def work(first: int) -> None:
        for i in range(first, len(rows), threads):
            start, stop = i * chunk, min((i + 1) * chunk, n)
            _kernels.influence.line_powers(
                sweep.true_accepts, sweep.false_accepts, start, stop, (correct, incorrect), rows[i]
            )

    parallel.run(work, range(threads))
    sums = [math.fsum(column) for column in rows.T.tolist()]
    return Powers((sums[0], sums[1]), (sums[2], sums[3]), sums[4])


class PlacedItems(NamedTuple):
    """Single items, each with its place in the sweep of all, in the order they were given."""

    sweep: ThresholdSweep
    point: NDArray[np.intp]
    """Index into ``sweep.thresholds[1:]``; of an item of weight 0, which is as if absent, any."""
    is_correct: NDArray[np.bool_]
    weight: FloatArray | None
    """Positive, or 0."""

    @property
    def n(self) -> float:
        """Independent items, or how many of equal weight would say as much."""
        return float(len(self.point)) if self.weight is None else effective(self.weight)

    def of_class(self, *, correct: bool) -> float:
        """The same of the correct, or of the incorrect, items."""
        some = self.is_correct == correct
        return float(np.sum(some)) if self.weight is None else effective(self.weight[some])

    def weighted(self, at_points: PointInfluence) -> FloatArray:
        """Values that correct and incorrect items have at each point, times the items' weights."""
        values: FloatArray = np.where(
            self.is_correct, at_points.correct[self.point], at_points.incorrect[self.point]
        )
        if self.weight is not None:
            values = np.where(self.weight > 0, values, 0.0) * self.weight
        return values

    def error_contributions(self, statistic: Statistic, square: float = 1.0) -> FloatArray:
        """Errors that items add, whose sum of squares is `square` times the squared standard error."""
        present = slice(None) if self.weight is None else self.weight > 0
        right = int(self.is_correct[present].sum())
        counts = right, len(self.is_correct[present]) - right
        total = float(self.sweep.total)
        correct, incorrect = (
            math.sqrt(square * factor) / total for factor in corrections(statistic, *counts)
        )
        values = self.weighted(point_influence(self.sweep, statistic))
        contributions: FloatArray = values * np.where(self.is_correct, correct, incorrect)
        return contributions

    def contributions_of_groups(self, statistic: Statistic, codes: NDArray[Any]) -> FloatArray:
        """The same of groups, numbered from 0; NaN for a single group, which says nothing.

        Groups without any weight are as if absent.
        """
        sums = self.sums_of_groups(statistic, codes)
        if self.weight is not None:
            sums = sums[np.bincount(codes, self.weight) > 0]
        n = len(sums)
        return sums * (math.sqrt(n / (n - 1)) if n > 1 else math.nan)

    def sums_of_groups(self, statistic: Statistic, codes: NDArray[Any]) -> FloatArray:
        """The influence of the items of each group, summed, over the weight of all items."""
        sums: FloatArray = np.sum(self.sums_of_classes(statistic, codes), axis=0)
        return sums

    def sums_of_classes(self, statistic: Statistic, codes: NDArray[Any]) -> FloatArray:
        """The same of the incorrect, and of the correct, items of each group: shape (2, G)."""
        values = self.weighted(point_influence(self.sweep, statistic)) / float(self.sweep.total)
        return self._by_class(values, codes)

    def weight_of_classes(self, codes: NDArray[Any]) -> FloatArray:
        """The weight of the incorrect, and of the correct, items of each group: shape (2, G)."""
        return self._by_class(np.ones(len(codes)) if self.weight is None else self.weight, codes)

    def _by_class(self, values: FloatArray, codes: NDArray[Any]) -> FloatArray:
        n, right = int(codes.max(initial=-1)) + 1, self.is_correct
        return np.array([np.bincount(codes, values * of, n) for of in (~right, right)], np.float64)


def effective(weight: FloatArray) -> float:
    """Number of items of equal weight that say as much: (Σω)²/Σω² (Kish 1965); 0 of none."""
    largest = float(weight.max(initial=0.0))
    if not largest:
        return 0.0
    weight = weight / largest
    return float(np.sum(weight)) ** 2 / float(np.sum(weight**2))


def items_of(
    correct: ArrayLike,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    names: tuple[str, str, str] = NAMES,
) -> PlacedItems:
    """Read single items, and find the place of each in the sweep."""
    items = read_items(correct, require_confidence(confidence), sample_weight, names)
    sweep = sweep_of_items(items)
    present = slice(None) if items.weight is None else items.weight > 0
    confidences = items.confidence[present]
    order = np.argsort(confidences)
    confidences = confidences[order]
    rank = np.zeros(len(order), np.intp)
    np.cumsum(confidences[1:] != confidences[:-1], out=rank[1:])
    of_present = np.empty(len(order), np.intp)
    of_present[order] = rank[-1] - rank
    point = np.zeros(items.n, np.intp)
    point[present] = of_present
    return PlacedItems(sweep, point, items.correct.astype(np.bool_), items.weight)


@takes_items_only("each item has an influence of its own")
def influence_values(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    statistic: str | Statistic = "arac_auc",
    sample_weight: ArrayLike | None = None,
) -> FloatArray:
    r"""Influence of each item on a statistic.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    statistic : str or Statistic, default="arac_auc"
        Those that can be written as a smooth function of the counts; the error lists them.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    ndarray of shape (n,)
        In the order of the items, with mean 0. Their sample variance (with n − 1), divided by n, is the
        squared standard error of :func:`.asymptotic_interval`. NaN, with an `UndefinedMetricWarning`,
        where the statistic is undefined.

    Raises
    ------
    TypeError
        For a ThresholdSweep, which does not know its items.
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a statistic without influence values.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    Statistic : A number that is read off a threshold sweep, by name and with its parameters

    Notes
    -----
    Without weights it is the derivative of the statistic θ where the share of items like this one
    grows (the infinitesimal jackknife, Jaeckel 1972; Hampel 1974): with ω its weight and Ω the sum,

    .. math:: \psi = \Omega\,\frac{\partial\theta}{\partial\omega}

    For the ARAC-AUC A, with FA and TA the items above (those tied half): 2(1 − A) − FA/Ω of a correct
    item, and 2(1 − A) − 1 + TA/Ω of an incorrect one. With weights it is n·ω/Ω times that, whose
    variance is the sandwich estimate, and items of weight 0 have the value 0.

    For ``"roc_auc"`` the values of each class of c items are multiplied by √(c(n − 1)/((c − 1)n)), so
    that the variance is exactly that of DeLong et al. 1988, which divides by c − 1 in each class. A
    class of one item has the value NaN: one item says nothing of how its class varies.

    References
    ----------
    Jaeckel 1972, "The infinitesimal jackknife"; Hampel 1974, "The influence curve and its role in
    robust estimation"; DeLong, DeLong and Clarke-Pearson 1988, "Comparing the areas under two or more
    correlated receiver operating characteristic curves".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.influence_values([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6]).tolist()
    [0.0625, 0.0625, -0.1875, 0.0625]
    """
    statistic = as_statistic(statistic)
    items = items_of(correct, confidence, sample_weight)
    if math.isnan(statistic(items.sweep)):
        warn_undefined(statistic.name, "so are the influence values")
    n = len(items.point)
    return items.error_contributions(statistic, n * (n - 1))
