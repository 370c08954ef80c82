"""Differences between models: standard errors, intervals and p-values."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.exceptions import few_groups_of
from fastarac._core.interval import Interval
from fastarac._core.quantiles import (
    normal_pvalue,
    normal_quantile,
    student_pvalue,
    student_quantile,
)
from fastarac._core.random_state import key_of
from fastarac._engine.factors import terms
from fastarac.uncertainty import asymptotic, influence, unseen_groups
from fastarac.uncertainty.clusters import variance_of_factors
from fastarac.uncertainty.estimates import NO_SPREAD, Estimate, unseen_values
from fastarac.uncertainty.inversion import ItemSample
from fastarac.uncertainty.leave_one_out_cost import left_out_contributions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.paired import ComparedModels
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]

ROUNDING = 1e-12  # relative difference below which two estimates count as equal
# Student's t with these degrees of freedom, at most, gives p-values beyond the most extreme resample.
TAIL = 10.0
DRAWS = 100_000  # number of draws from the normal approximation of the estimates
FEW_GROUPS_OF_PAIR = 5
FEWEST_OF_CLASS = 2  # minimum number of items that each model needs in each class


class Contrast(NamedTuple):
    """The difference of two estimates, and the data for its tests and intervals."""

    a: Estimate
    b: Estimate
    statistic: Statistic
    error: float
    degrees: float
    """Degrees of freedom of Student's t; NaN for resamples of items."""
    resamples: FloatArray | None = None
    """Resampled differences, for the bootstrap."""
    n_groups: int = 0
    """Number of resampled groups, if groups were resampled; `degrees` is then finite."""
    unseen: tuple[float, float] = (0.0, 0.0)
    """How far unseen errors may lower and raise the difference, in units of a standard error."""

    @property
    def difference(self) -> float:
        """The estimate of `a` minus the estimate of `b`."""
        return self.a.value - self.b.value

    @property
    def errors(self) -> tuple[float, float]:
        """Standard errors for the lower and the upper end of the interval, including unseen errors."""
        return math.hypot(self.error, self.unseen[0]), math.hypot(self.error, self.unseen[1])

    @property
    def ratio(self) -> float:
        """The difference divided by the standard error for the interval's end that is nearer to 0."""
        if self.error > NO_SPREAD:
            return self.difference / self.errors[0 if self.difference > 0.0 else 1]
        if math.isnan(self.difference) or math.isnan(self.error):
            return math.nan
        if math.isclose(self.a.value, self.b.value, rel_tol=ROUNDING, abs_tol=NO_SPREAD):
            return 0.0
        return math.copysign(math.inf, self.difference)

    @property
    def pvalue(self) -> float:
        """Two-sided p-value for a true difference of 0. NaN if the difference has no standard error."""
        if self.error > NO_SPREAD:
            if self.resamples is not None:
                return self._of_resamples(len(self.resamples), self._against)
            return student_pvalue(self.ratio, self.degrees) if self.degrees > 0.0 else 1.0
        return 1.0 if self.ratio == 0.0 else math.nan

    @property
    def _against(self) -> int:
        """Number of resamples whose difference is 0 or of opposite sign; all if the estimate is 0."""
        values = np.asarray(self.resamples)
        return int(np.sum(values * np.sign(self.difference) <= 0.0))

    @property
    def _inflation(self) -> float:
        """Factor that makes the standard deviation of resampled groups unbiased; 1 for items."""
        return math.sqrt(_factor(self.n_groups)) if self.n_groups else 1.0

    @property
    def _tail(self) -> float:
        """Degrees of freedom to extrapolate p-values that are too small for the number of resamples."""
        return min(self.degrees, TAIL) if self.n_groups else TAIL

    def _of_resamples(self, n: int, against: int) -> float:
        """Return the p-value from n resamples; `against` is explained at `_against`.

        If `against` is 0, the p-value is extrapolated. Without this, no pair of many models could
        differ significantly after the correction for the number of pairs.

        With G groups, the variance of the resamples is too small by the factor (G − 1)/G. So for
        groups, the p-value is converted from the normal distribution to Student's t (Hesterberg 2015,
        expanded percentiles). It is at least the p-value from the standard deviation of the resamples,
        which is larger if a few groups have nearly all errors of one model.
        """
        pvalue, ratio = min(1.0, 2.0 * (against + 1) / (n + 1)), abs(self.difference) / self.error
        if self.n_groups:
            ratios = normal_quantile(1.0 - pvalue), ratio
            pvalue = student_pvalue(min(ratios) / self._inflation, self.degrees)
        if against:
            return pvalue
        return min(pvalue, student_pvalue(ratio / self._inflation, self._tail))

    def _by_spread(self, level: float, degrees: float) -> tuple[float, float]:
        """Return the interval from the standard deviation of the resamples."""
        reach = student_quantile(level, degrees) * self._inflation * self.error
        return self.difference - reach, self.difference + reach

    def interval(self, level: float) -> Interval:
        """Return the interval of the difference. If all resamples are equal, allow for unseen items."""
        difference, error, method = self.difference, self.error, "wald"
        low, high = self.statistic.range
        if error > NO_SPREAD and self.resamples is not None:
            ends = self._ends_of_resamples(level)
            return Interval(difference, *ends, error, level, "percentile", self.resamples)
        if error > NO_SPREAD:
            reach = student_quantile(level, self.degrees) if self.degrees > 0.0 else math.inf
            below, above = self.errors
            ends = difference - reach * below, difference + reach * above
        elif math.isnan(self.ratio):
            ends = math.nan, math.nan
        else:
            unseen = (unseen_values(one, self.statistic, level) for one in (self.a, self.b))
            of_a, of_b = unseen
            ends = min(of_a) - max(of_b), max(of_a) - min(of_b)
            method = "unseen"
        clipped = [min(max(end, low - high), high - low) for end in ends]
        return Interval(difference, clipped[0], clipped[1], error, level, method)

    def _ends_of_resamples(self, level: float) -> tuple[float, float]:
        """Return the ends of an interval that excludes 0 iff the p-value is below 1 − level.

        The ends are quantiles of the resamples. For groups, the interval also contains the one of
        `_by_spread`. If the resamples are too few for the level, the interval contains all of them and
        is extrapolated as in `_of_resamples`.
        """
        values = np.sort(np.asarray(self.resamples))
        share = 1.0 - level
        if self.n_groups:
            share = normal_pvalue(student_quantile(level, self.degrees) * self._inflation)
        k = math.ceil(round(share * (len(values) + 1) / 2.0, 9)) - 1
        ends = [self.difference, *values[[max(k, 1) - 1, -max(k, 1)]].tolist()]
        if k < 1:
            ends += self._by_spread(level, self._tail)
        if self.n_groups:
            ends += self._by_spread(level, self.degrees)
        low, high = self.statistic.range
        return max(min(ends), low - high), min(max(ends), high - low)


class Contrasts(NamedTuple):
    """Results for all models and all pairs of models."""

    intervals: list[Interval]
    pairs: dict[tuple[int, int], Contrast]
    shares_of_best: list[float]
    warnings: list[str]
    """Reasons why a difference is unreliable."""
    notes: Sequence[str] = ()
    """Reasons why the interval of a single model is unreliable."""
    too_few: bool = False
    """Whether there are too few errors, or groups, for reliable differences."""
    contributions: Sequence[FloatArray] = ()
    """Each model's contributions to the error of its estimate, by item or by group."""


class AddedErrors(NamedTuple):
    """The contribution of each item or group to the error of each model's estimate."""

    samples: list[ItemSample]
    estimates: list[Estimate]
    errors: FloatArray
    """Contributions by model and item or group, (K, m); a row's sum of squares is the variance."""
    classes: FloatArray | None = None
    """Weights of the incorrect and of the correct items of each model and group, shape (2, K, G); only
    with groups."""
    by_class: FloatArray | None = None
    """Contributions of these items to the estimates, same shape; only for means over one class."""

    def of_pair(self, a: int, b: int) -> FloatArray:
        """Return the contributions to the error of the difference of two models."""
        difference: FloatArray = self.errors[a] - self.errors[b]
        if self.classes is None:
            return difference
        some = self.classes[:, [a, b]].any(axis=(0, 1))
        factor = _factor(int(np.count_nonzero(some)))
        if self.by_class is not None:
            difference = self.if_equal(a, b)
        elif len(difference) == self.classes.shape[2]:
            factor /= _factor(len(difference))
        else:  # groups of weight 0 are already dropped
            return difference
        of_both: FloatArray = difference[some] * math.sqrt(factor)
        return of_both

    def if_equal(self, a: int, b: int) -> FloatArray:
        """Return the groups' contributions to the error of a difference whose true value is taken as 0.

        Plain contributions can be far too small if a few groups have nearly all errors of one model
        (docs/inference.md).
        """
        if self.classes is None or self.by_class is None:
            raise AssertionError
        weight, added = self.classes[:, [a, b]], self.by_class[:, [a, b]]
        rarer = int(np.argmin(np.sum(weight, axis=(1, 2))))
        of_class, items = weight[rarer], np.sum(weight, axis=0)
        n = np.sum(of_class, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):  # an empty class gives NaN
            scale = np.sqrt(np.sum(n) / (2.0 * n[::-1]))
            more = np.mean(of_class / n[:, None], axis=0) - np.mean(
                items / np.sum(items, axis=1, keepdims=True), axis=0
            )
        first, second = scale[:, None] * added[rarer] + added[1 - rarer]
        found: FloatArray = first - second + (self.estimates[a].value - self.estimates[b].value) * more
        return found

    def degrees_of_pair(self, a: int, b: int, statistic: Statistic, contributors: float) -> float:
        """Return the degrees of freedom for the error of a difference."""
        if self.classes is None:
            degrees = min(
                asymptotic.degrees_of(
                    self.samples[k], statistic.definition, contributors, self.estimates[k].n
                )
                for k in (a, b)
            )
            # A mean has one degree of freedom fewer. With Satterthwaite's number, five differing items,
            # all in favour of one model, would be significant at 5%, although McNemar's exact p-value
            # is 0.0625.
            degrees = max(degrees - statistic.definition.is_mean, 0.0)
            return min(degrees, contributors) if statistic.name == "cost" else degrees
        of_both = self.classes[:, [a, b]]
        degrees = degrees_of_sizes(np.sum(of_both, axis=0))
        # a partial ROC-AUC depends only on the errors inside its part
        if statistic.name == "roc_partial_auc":
            degrees = min(degrees, max(contributors, asymptotic.FEWEST_DEGREES))
        if self.by_class is not None or statistic.name == "cost":
            of_variance = asymptotic.satterthwaite(contributors, float(np.sum(of_both.any((0, 1)))))
            degrees = min(degrees, max(of_variance, asymptotic.FEWEST_DEGREES))
        return degrees


class ErrorsByFactors(NamedTuple):
    """Contributions of items with crossed factors to the errors, one set per term of the variance."""

    of_terms: tuple[AddedErrors, ...]
    n_factors: int

    @property
    def first(self) -> AddedErrors:
        """The contributions for the factor with the fewest groups."""
        return self.of_terms[0]

    def of_pair(self, a: int, b: int, statistic: Statistic) -> tuple[influence.Spread, float]:
        """Return the error of a difference, and the smallest degrees of freedom of any factor."""
        spreads = [influence.spread_of(added.of_pair(a, b)) for added in self.of_terms]
        degrees = min(
            added.degrees_of_pair(a, b, statistic, spread.effective_contributors)
            for added, spread in zip(self.of_terms[: self.n_factors], spreads, strict=False)
        )
        if self.n_factors == 1:
            return spreads[0], degrees
        variance = variance_of_factors([each.standard_error**2 for each in spreads], self.n_factors)
        return spreads[0]._replace(standard_error=math.sqrt(variance)), degrees

    def covariance(self) -> FloatArray:
        """Return the covariance matrix of all estimates. With crossed factors, it may be indefinite."""
        found: FloatArray = np.sum(
            [
                sign * np.array([[float(np.sum(a * b)) for b in added.errors] for a in added.errors])
                for (sign, _), added in zip(terms(self.n_factors), self.of_terms, strict=True)
            ],
            axis=0,
        )
        return found


def degrees_of_sizes(sizes: FloatArray) -> float:
    """Return the effective number of equally large groups (Kish 1965) minus one; at least 1.

    A group's size is its share of a model's items, averaged over the models.
    """
    of_models = np.sum(sizes, axis=1, keepdims=True)
    if not of_models.all():  # a model has no item of this class
        return 1.0
    shares = np.mean(sizes / of_models, axis=0)
    return max(1.0, 1.0 / float(np.sum(shares**2)) - 1.0)


def _factor(n: int) -> float:
    return n / (n - 1) if n > 1 else math.nan


def added_errors(
    found: list[PlacedItems], codes: NDArray[np.intp] | None, statistic: Statistic
) -> AddedErrors:
    """Return the contributions of items (with `codes`, of groups) for models with the same items."""
    samples = [ItemSample(items.sweep, items, codes) for items in found]
    errors = [error_contributions(items, codes, statistic) for items in found]
    estimates = [
        asymptotic.estimate_of(sample, statistic, own)
        for sample, own in zip(samples, errors, strict=True)
    ]
    classes = by_class = None
    if codes is not None:
        classes = np.array([items.weight_of_classes(codes) for items in found]).swapaxes(0, 1)
        if statistic.definition.of_one_class:
            of_models = [items.sums_of_classes(statistic, codes) for items in found]
            by_class = np.array(of_models).swapaxes(0, 1)
    return AddedErrors(samples, estimates, np.array(errors), classes, by_class)


def error_contributions(
    items: PlacedItems, codes: NDArray[np.intp] | None, statistic: Statistic
) -> FloatArray:
    """Return the contribution of each item or group to the error of an estimate."""
    if statistic.name != "cost":
        return asymptotic.error_contributions(items, codes, statistic)
    added = left_out_contributions(items, statistic, codes)
    n = len(added)
    if items.weight is not None:
        present = items.weight > 0.0
        if codes is not None:
            present = np.bincount(codes, items.weight) > 0.0
            added = added[present]
        n = int(np.count_nonzero(present))
    return added * math.sqrt(_factor(n))


def _of_groups(
    found: list[PlacedItems], models: ComparedModels, n_groups: int, statistic: Statistic
) -> AddedErrors:
    """Return contributions for models with different items. A group without items contributes 0."""
    samples, estimates = [], []
    added, classes = np.zeros((2, 2, len(found), n_groups))
    for k, (items, model) in enumerate(zip(found, models.items.values(), strict=True)):
        sample = ItemSample(items.sweep, items, model.codes)
        samples.append(sample)
        estimates.append(asymptotic.estimate_of(sample, statistic))
        codes = np.asarray(model.codes)
        if statistic.name == "cost":
            added[0, k, model.places] = left_out_contributions(items, statistic, codes)
        else:
            added[:, k, model.places] = items.sums_of_classes(statistic, codes)
        classes[:, k, model.places] = items.weight_of_classes(codes)
    errors = np.sum(added, axis=0) * math.sqrt(_factor(n_groups))
    by_class = added if statistic.definition.of_one_class else None
    return AddedErrors(samples, estimates, errors, classes, by_class)


def added_to(models: ComparedModels, statistic: Statistic) -> tuple[list[PlacedItems], ErrorsByFactors]:
    """Return each model's items and their contributions to the error of its estimate."""
    names, found = models.names, []
    for name, model in models.items.items():
        argument = "sample_weight" if models.n_groups is None else f"sample_weight[{name!r}]"
        arguments = f"models[{name!r}]: correct", f"models[{name!r}]: confidence", argument
        found.append(influence.items_of(model.correct, model.confidence, model.weight, arguments))
    of_terms = tuple(
        added_errors(found, each.items[names[0]].codes, statistic)
        if each.n_groups is None
        else _of_groups(found, each, each.n_groups, statistic)
        for each in (models, *models.further)
    )
    return found, ErrorsByFactors(of_terms, models.n_factors)


def by_influence(
    models: ComparedModels,
    statistic: Statistic,
    level: float,
    random_state: RandomState,
    *,
    unseen_pages: bool = False,
) -> Contrasts:
    """Compare models by influence values. Effects that are common to the models cancel."""
    asymptotic.check_method(statistic, "wald")
    names = models.names
    found, errors = added_to(models, statistic)
    estimates = errors.first.estimates
    of_models = []
    for each in zip(*(added.samples for added in errors.of_terms[: models.n_factors]), strict=True):
        factors = [sample.codes for sample in each if sample.codes is not None]
        interval_by = asymptotic.with_unseen_pages if unseen_pages else asymptotic.interval_and_warning
        of_models.append(interval_by(each[0], statistic, level, "auto", factors))
    intervals = [interval for interval, _ in of_models]
    notes = [
        f"{name!r}: {warning}" for name, (_, warning) in zip(names, of_models, strict=True) if warning
    ]
    warnings = list(_few_errors(names, estimates, statistic, found))
    too_few = bool(warnings)
    rooms = [(0.0, 0.0)] * len(names)
    if unseen_pages:
        rooms = [unseen_groups.room(each.sweep, statistic, each.n, level) for each in estimates]
    pairs = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        spread, degrees = errors.of_pair(a, b, statistic)
        reach = student_quantile(level, degrees) if degrees > 0.0 else math.inf
        pairs[a, b] = Contrast(
            estimates[a], estimates[b], statistic, spread.standard_error, degrees,
            unseen=(
                math.hypot(rooms[a][0], rooms[b][1]) / reach,
                math.hypot(rooms[a][1], rooms[b][0]) / reach,
            ),
        )  # fmt: skip
        if not spread.standard_error > NO_SPREAD and not math.isnan(spread.standard_error):
            warnings.append(f"no item tells {names[a]!r} and {names[b]!r} apart")
    values = np.array([estimate.value for estimate in estimates])
    two = pairs[0, 1] if len(names) == 2 else None
    shares = shares_of_best(values, errors.covariance, two, statistic, random_state)
    return Contrasts(intervals, pairs, shares, warnings, notes, too_few, list(errors.first.errors))


def shares_of_best(
    values: FloatArray,
    covariance: Callable[[], FloatArray],
    two: Contrast | None,
    statistic: Statistic,
    random_state: RandomState,
) -> list[float]:
    """Return how often each model is best among normal draws of the estimates; exact for two models."""
    if np.isnan(values).any():
        return [math.nan] * len(values)
    if two is not None and two.error > NO_SPREAD:
        first = 0.5 * math.erfc(-two.ratio / math.sqrt(2.0))
        if statistic.definition.lower_is_better:
            first = 1.0 - first
        return [first, 1.0 - first]
    draws: FloatArray = values[:, None] + _normal_draws(covariance(), random_state)
    return counted_shares_of_best(draws, statistic)


def _few_errors(
    names: tuple[str, ...],
    estimates: list[Estimate],
    statistic: Statistic,
    found: list[PlacedItems],
) -> Iterator[str]:
    """Yield a warning for each model that has too few groups, or too few items of a class."""
    for name, estimate, items in zip(names, estimates, found, strict=True):
        if math.isnan(estimate.value):
            continue
        if estimate.grouped and estimate.n < FEW_GROUPS_OF_PAIR:
            yield f"{name!r}: {few_groups_of(estimate.n, 'differences', FEW_GROUPS_OF_PAIR)}"
            continue
        fewest, kind = min(
            (items.of_class(correct=correct), f"{'' if correct else 'in'}correct")
            for correct in (False, True)
        )
        if fewest < FEWEST_OF_CLASS:
            there = f"has {fewest:.2g} {kind} item{'s' * (fewest != 1.0)}"
            if fewest == 1.0 and statistic.name == "roc_auc" and not estimate.grouped:
                there += ", so the variance of roc_auc cannot be estimated"
            yield f"{name!r} {there}; its differences are unreliable with fewer than {FEWEST_OF_CLASS}"
        elif estimate.heavy < asymptotic.FEW_HEAVY and statistic.name != "roc_auc":
            yield (
                f"{name!r} has only {estimate.heavy:g} items of large weight in the rarer class; its "
                f"differences are unreliable with fewer than {asymptotic.FEW_HEAVY}"
            )


def _normal_draws(covariance: FloatArray, random_state: RandomState) -> FloatArray:
    """Draw normal errors of the K models with the given covariance, in shape (K, DRAWS)."""
    values, vectors = np.linalg.eigh(np.nan_to_num(covariance))
    seed = key_of(0 if random_state is None else random_state)
    standard = np.random.default_rng(seed).standard_normal((len(covariance), DRAWS))
    # If models are identical, rounding leaves tiny variances.
    values[values <= 1e-12 * abs(values[-1])] = 0.0
    draws: FloatArray = (vectors * np.sqrt(values)) @ standard
    return draws


def counted_shares_of_best(draws: FloatArray, statistic: Statistic) -> list[float]:
    """Return the share of draws in which each model is best. Models that are equal share a draw."""
    if statistic.definition.lower_is_better:
        draws = -draws
    best = draws.max(axis=0)
    # Models whose estimates differ only by rounding share first place.
    is_best = draws >= best - 1e-9 * max(float(draws.std(axis=1).max()), NO_SPREAD)
    shares: list[float] = np.mean(is_best / is_best.sum(axis=0), axis=1).tolist()
    return shares
