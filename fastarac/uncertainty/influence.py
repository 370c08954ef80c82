"""Influence values of single items, and variances computed from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.exceptions import warn_undefined
from fastarac._core.shared_results import shared
from fastarac._core.single_items import takes_items_only
from fastarac._engine import parallel, strategy
from fastarac._engine.inputs import NAMES, read_items
from fastarac.samples.door import require_confidence, sweep_of_items
from fastarac.uncertainty import derivatives
from fastarac.uncertainty.statistics import SMOOTH, as_statistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.areas.gradients import PointInfluence
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.derivatives import Lines
    from fastarac.uncertainty.statistics import Statistic

FloatArray = NDArray[np.float64]

CHUNK = 1 << 16  # number of points whose arrays fit the cache


def point_influence(sweep: ThresholdSweep, statistic: str | Statistic) -> PointInfluence:
    """Return the influence of one correct and one incorrect item of weight 1, at each threshold.

    The values are NaN if the statistic is undefined.
    """
    statistic = as_statistic(statistic)
    definition, parameters = statistic.definition, dict(statistic.parameters)
    if definition.lines is not None:
        return derivatives.along_lines(definition.lines(sweep, **parameters), sweep)
    if definition.influence is not None:
        return definition.influence(sweep, **parameters)
    raise ValueError(
        f"statistic {statistic.name!r} has no influence values: its error depends on the density of "
        f"the confidences at one point; use bootstrap, or one of {', '.join(SMOOTH)}"
    )


def smaller_part(sweep: ThresholdSweep, statistic: Statistic | None) -> tuple[str, float]:
    """Return the name and the weight of the smaller class: correct or incorrect items.

    For partial areas, items inside the part are counted, and for costs, the accepted errors.
    """
    if statistic is not None and statistic.definition.smaller_part is not None:
        return statistic.definition.smaller_part(sweep, **dict(statistic.parameters))
    if sweep.n_incorrect <= sweep.n_correct:
        return "incorrect items", float(sweep.n_incorrect)
    return "correct items", float(sweep.n_correct)


def corrections(statistic: Statistic, n_correct: int, n_incorrect: int) -> tuple[float, float]:
    """Return, for each class, the factor of the squared influence that makes the variance unbiased.

    The factor is n/(n − 1), or NaN if n is 1. n is the number of all items. For the ROC-AUC, n is the
    number of items of the class (DeLong's variance).
    """
    counts = (n_correct, n_incorrect)
    if statistic.name != "roc_auc":
        counts = (n_correct + n_incorrect,) * 2
    correct, incorrect = (n / (n - 1) if n > 1 else math.nan for n in counts)
    return correct, incorrect


class Spread(NamedTuple):
    """A standard error, and the effective number of items or groups that contribute to it."""

    standard_error: float
    effective_contributors: float
    """Effective number of contributors: (Σd²)²/Σd⁴ for the contributions d of items or groups."""


def spread_of(contributions: FloatArray) -> Spread:
    """Return the spread of an estimate, given the contributions of items or groups to its error."""
    squares = contributions**2
    return _spread(float(np.sum(squares)), float(np.sum(squares**2)))


def _spread(second: float, fourth: float) -> Spread:
    return Spread(math.sqrt(second), second / fourth * second if fourth else 0.0)


def sweep_spread(sweep: ThresholdSweep, statistic: Statistic) -> Spread:
    """Return the spread of a statistic, from a sweep of unweighted items."""
    name = statistic.definition.complement or statistic.name
    return shared(sweep, (name, statistic.parameters), lambda: _sweep_spread(sweep, statistic))


def _sweep_spread(sweep: ThresholdSweep, statistic: Statistic) -> Spread:
    if statistic.definition.lines is not None:
        lines = statistic.definition.lines(sweep, **dict(statistic.parameters))
        powers = list(powers_of_lines(sweep, lines)[:2])
    else:
        classes = sweep.true_accepts, sweep.false_accepts
        powers = [
            _powers(own, values, 0, len(values))
            for own, values in zip(classes, point_influence(sweep, statistic), strict=True)
        ]
    factors = corrections(statistic, int(sweep.n_correct), int(sweep.n_incorrect))
    second = sum(f * power[0] for f, power in zip(factors, powers, strict=True))
    fourth = sum(f * f * power[1] for f, power in zip(factors, powers, strict=True))
    spread = _spread(second, fourth)
    return spread._replace(standard_error=spread.standard_error / sweep.total)


def _powers(own: NDArray[Any], values: FloatArray, start: int, stop: int) -> tuple[float, float]:
    """Return the sums of second and fourth powers of the influence at some points.

    The range of points is halved repeatedly, as in `numpy.sum`. So the sums equal those of `numpy.sum`
    to the last bit, with temporary arrays of at most one chunk.
    """
    if stop - start > CHUNK:
        half = (stop - start) // 2
        middle = start + half - half % 8
        first, last = _powers(own, values, start, middle), _powers(own, values, middle, stop)
        return first[0] + last[0], first[1] + last[1]
    counts, squares = np.diff(own[start : stop + 1]), values[start:stop] ** 2
    second = float(np.sum(counts * squares))
    squares *= squares
    return second, float(np.sum(counts * squares))


def standard_error(sweep: ThresholdSweep, statistic: Statistic) -> float:
    """Return a statistic's standard error: the root of the sum of squared influences, divided by n."""
    return sweep_spread(sweep, statistic).standard_error


class Powers(NamedTuple):
    """Sums of powers of the influence, over the items of a sweep."""

    correct: tuple[float, float]
    """Sums of second and fourth powers for the correct items."""
    incorrect: tuple[float, float]
    tied: float
    """Number of pairs of a correct and an incorrect item with the same confidence."""


def powers_of_lines(sweep: AcceptedCounts, lines: Lines) -> Powers:
    """Return sums of powers of a linear influence, computed in chunks of a fixed size."""
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
    """Single items in the given order, each with its position in the sweep of all items."""

    sweep: ThresholdSweep
    point: NDArray[np.intp]
    """Index into ``sweep.thresholds[1:]``; arbitrary for items of weight 0, which do not count."""
    is_correct: NDArray[np.bool_]
    weight: FloatArray | None
    """Weights, at least 0; None if unweighted."""

    @property
    def n(self) -> float:
        """Number of items, or the effective number of weighted items."""
        return float(len(self.point)) if self.weight is None else effective(self.weight)

    def of_class(self, *, correct: bool) -> float:
        """Return the (effective) number of the correct or of the incorrect items."""
        some = self.is_correct == correct
        return float(np.sum(some)) if self.weight is None else effective(self.weight[some])

    def weighted(self, at_points: PointInfluence) -> FloatArray:
        """Return each item's weight times its value, which is looked up by class and point."""
        values: FloatArray = np.where(
            self.is_correct, at_points.correct[self.point], at_points.incorrect[self.point]
        )
        if self.weight is not None:
            values = np.where(self.weight > 0, values, 0.0) * self.weight
        return values

    def error_contributions(self, statistic: Statistic, square: float = 1.0) -> FloatArray:
        """Return the items' contributions, scaled so that their squares sum to `square` × variance."""
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
        """Return the contributions of groups with positive weight; NaN if there is only one group."""
        sums = self.sums_of_groups(statistic, codes)
        if self.weight is not None:
            sums = sums[np.bincount(codes, self.weight) > 0]
        n = len(sums)
        return sums * (math.sqrt(n / (n - 1)) if n > 1 else math.nan)

    def sums_of_groups(self, statistic: Statistic, codes: NDArray[Any]) -> FloatArray:
        """Return the sum of each group's influence, divided by the weight of all items."""
        sums: FloatArray = np.sum(self.sums_of_classes(statistic, codes), axis=0)
        return sums

    def sums_of_classes(self, statistic: Statistic, codes: NDArray[Any]) -> FloatArray:
        """Return the sums of influence by class (incorrect, correct) and group, of shape (2, G)."""
        values = self.weighted(point_influence(self.sweep, statistic)) / float(self.sweep.total)
        return self._by_class(values, codes)

    def weight_of_classes(self, codes: NDArray[Any]) -> FloatArray:
        """Return the weights by class (incorrect, correct) and group, of shape (2, G)."""
        return self._by_class(np.ones(len(codes)) if self.weight is None else self.weight, codes)

    def _by_class(self, values: FloatArray, codes: NDArray[Any]) -> FloatArray:
        n, right = int(codes.max(initial=-1)) + 1, self.is_correct
        return np.array([np.bincount(codes, values * of, n) for of in (~right, right)], np.float64)


def effective(weight: FloatArray) -> float:
    """Return the effective number of items, (Σω)²/Σω² (Kish 1965); 0 for no items."""
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
    """Read single items, and find their positions in the sweep."""
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
        The statistic must be a smooth function of the counts. The message for any other statistic lists
        all that are supported.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    ndarray of shape (n,)
        Influence values in the order of the items, with mean 0. Their sample variance (with n − 1),
        divided by n, is the squared standard error of :func:`.asymptotic_interval`. If the statistic is
        undefined, all values are NaN, and an `UndefinedMetricWarning` is raised.

    Raises
    ------
    TypeError
        For a ThresholdSweep, which has no single items.
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a statistic without influence values.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    Statistic : A number that is read off a threshold sweep, by name and with its parameters

    Notes
    -----
    Without weights, an item's influence value is the derivative of the statistic θ with respect to the
    share of such items (the infinitesimal jackknife, Jaeckel 1972; Hampel 1974). With the item's weight
    ω and the sum Ω of all weights, it is

    .. math:: \psi = \Omega\,\frac{\partial\theta}{\partial\omega}

    For the ARAC-AUC A, the value is 2(1 − A) − FA/Ω for a correct item, and 2(1 − A) − 1 + TA/Ω for an
    incorrect item. FA and TA are the numbers of incorrect and correct items of higher confidence. Items
    of equal confidence count half.
    With weights, the value is multiplied by n·ω/Ω, which gives the sandwich estimate of the variance;
    items of weight 0 have the value 0.

    For ``"roc_auc"``, the values of a class of c items are multiplied by √(c(n − 1)/((c − 1)n)). This
    gives exactly the variance of DeLong et al. 1988, who divide by c − 1 in each class. If a class has
    a single item, its value is NaN, because one item shows no variation.

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
