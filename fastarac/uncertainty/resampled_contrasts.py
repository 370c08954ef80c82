"""Differences between models, from resamples with the same items or groups for all models."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.interval import Interval
from fastarac._core.random_state import key_of
from fastarac._engine.factors import crossed_in
from fastarac.uncertainty import asymptotic, influence
from fastarac.uncertainty.contrasts import (
    FEW_GROUPS_OF_PAIR,
    Contrast,
    Contrasts,
    added_to,
    counted_shares_of_best,
    degrees_of_sizes,
)
from fastarac.uncertainty.estimates import NO_SPREAD, Estimate, interval_of
from fastarac.uncertainty.intervals import percentile
from fastarac.uncertainty.inversion import MORE_DEGREES
from fastarac.uncertainty.replicates import Evaluator, without_each
from fastarac.uncertainty.resampling import population_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.uncertainty.paired import ComparedItems, ComparedModels
    from fastarac.uncertainty.resampling import Population
    from fastarac.uncertainty.statistics import Statistic


class Resampling(NamedTuple):
    """How many resamples are drawn, and how."""

    n: int
    random_state: RandomState
    progress: bool


def by_resampling(
    models: ComparedModels, statistic: Statistic, level: float, resampling: Resampling
) -> Contrasts:
    """Compare models on resamples of items or groups, the same for all models."""
    if models.n_factors > 1:
        raise ValueError(crossed_in("method='bootstrap', which draws whole groups,"))
    key, n_resamples = key_of(resampling.random_state), resampling.n
    populations, rows = [], []
    for model in models.items.values():
        population = population_of(
            model.correct,
            model.confidence,
            model.weight,
            _drawn_units(model),
            stratified=False,
            n_groups=models.n_groups,
        )
        evaluator = Evaluator(population, key, [statistic], n_resamples)
        evaluator.run(None, progress=resampling.progress)
        populations.append(population)
        rows.append(evaluator.values()[0])
    values = np.array(rows)
    values = values[:, ~np.isnan(values).any(axis=0)]
    missing = n_resamples - values.shape[1]
    if values.shape[1] < 2:
        values = np.full((len(rows), 2), math.nan)
    names = models.names
    estimates: list[Estimate] = []
    intervals: list[Interval] = []
    warnings: list[str] = []
    notes: list[str] = []
    for name, population, row in zip(names, populations, values, strict=True):
        model = models.items[name]
        grouped = model.codes is not None
        estimates.append(_of_replicates(population, row, statistic, grouped=grouped))
        interval, warning = _interval_of_model(model, estimates[-1], row, statistic, level)
        intervals.append(interval)
        notes += [f"{name!r}: {warning}"] if warning else []
    defined = not any(math.isnan(estimate.value) for estimate in estimates)
    warnings += _of_models(names, estimates, statistic)
    if missing and defined:
        warnings.append(
            f"{statistic.name} is undefined in {missing} of {n_resamples} resamples, which are left out"
        )
    pairs = {}
    grouped = estimates[0].grouped
    degrees_of = _degrees_of_groups(models, populations, statistic) if grouped else None
    for a, b in itertools.combinations(range(len(names)), 2):
        differences = values[a] - values[b]
        error = float(np.std(differences, ddof=1))
        degrees, n_groups = degrees_of(a, b) if degrees_of else (math.nan, 0)
        if not error > NO_SPREAD:
            degrees = math.inf
        pairs[a, b] = Contrast(
            estimates[a], estimates[b], statistic, error, degrees, differences, n_groups
        )
        if not error > NO_SPREAD and defined:
            warnings.append(f"{names[a]!r} and {names[b]!r} differ by the same amount in all resamples")
    shares = [math.nan] * len(names)
    if not np.isnan(values).any():
        shares = counted_shares_of_best(values, statistic)
    return Contrasts(intervals, pairs, shares, warnings, notes)


def _of_replicates(
    population: Population, values: NDArray[np.float64], statistic: Statistic, *, grouped: bool
) -> Estimate:
    """Return a model's statistic with its standard error."""
    error = float(np.std(values, ddof=1))
    sweep, n = population.sweep, float(population.n_drawn)
    return Estimate(sweep, statistic(sweep), error, math.inf, n, math.inf, population.n_items, grouped)


def _interval_of_model(
    model: ComparedItems,
    estimate: Estimate,
    values: NDArray[np.float64],
    statistic: Statistic,
    level: float,
) -> tuple[Interval, str | None]:
    """Return the interval of one model, and a warning (or None).

    At a limit, this is the asymptotic interval: percentiles of resamples are too narrow if few groups
    have most errors.
    """
    error = estimate.standard_error
    if statistic.definition.has_limit:
        sample, _ = asymptotic.sample_of(model.correct, model.confidence, model.codes, model.weight)
        interval, warning = asymptotic.interval_and_warning(sample, statistic, level, "auto")
        return replace(interval, standard_error=error), warning
    if not error > NO_SPREAD:
        return interval_of(estimate, statistic, level, "wald"), None
    ends = percentile(values, level)
    return Interval(estimate.value, *ends, error, level, "percentile", values), None


def _degrees_of_groups(
    models: ComparedModels, populations: list[Population], statistic: Statistic
) -> Callable[[int, int], tuple[float, int]]:
    """Return a function that gives the degrees of freedom for the difference of two models.

    They are computed from influence values. A statistic without influence values takes them from the
    sizes of the groups. They are then at most two more than Satterthwaite's degrees of freedom, which
    are computed by leaving out each group.
    """
    known = statistic.definition.is_smooth
    errors = added_to(models, statistic)[1] if known else None
    left_out = [] if known else [without_each(one, statistic) for one in populations]

    def degrees_of(a: int, b: int) -> tuple[float, int]:
        sizes = np.array([populations[k].sizes_of_groups for k in (a, b)])
        n_groups = int(np.count_nonzero(sizes.any(axis=0)))
        if errors is not None:
            return errors.of_pair(a, b, statistic)[1], n_groups
        degrees = degrees_of_sizes(sizes)
        changes = left_out[a] - left_out[b]
        contributors = influence.spread_of(changes - np.mean(changes)).effective_contributors
        # NaN arises if one group has all items of a class and is left out.
        if math.isnan(contributors):
            contributors = 1.0
        of_variance = asymptotic.satterthwaite(contributors, float(len(changes)))
        return min(degrees, of_variance + MORE_DEGREES), n_groups

    return degrees_of


def _drawn_units(model: ComparedItems) -> NDArray[np.intp]:
    """Return the number of each item's drawn unit, the same for all models."""
    if model.codes is None:
        return np.arange(model.n)
    return model.places[model.codes] if len(model.places) else model.codes


def _of_models(
    names: tuple[str, ...], estimates: list[Estimate], statistic: Statistic
) -> Iterator[str]:
    for name, estimate in zip(names, estimates, strict=True):
        warning = asymptotic.reliability_warning(estimate, statistic, fewest_groups=FEW_GROUPS_OF_PAIR)
        if warning and not math.isnan(estimate.value):
            yield f"{name!r}: {warning}"
