"""Differences between models if only some of their outputs are verified."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.quantiles import normal_quantile
from fastarac._engine.factors import crossed_in
from fastarac.reviewer import doubt_of
from fastarac.samples.estimated import require_alone
from fastarac.uncertainty import estimated
from fastarac.uncertainty.contrasts import Contrast, Contrasts, shares_of_best
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.influence import spread_of
from fastarac.uncertainty.statistics import SMOOTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.uncertainty.paired import ComparedModels
    from fastarac.uncertainty.statistics import Statistic


# Minimum effective number of verified errors that each model needs for an interval of the difference.
FEWEST = 2


def by_estimates(
    models: ComparedModels, statistic: Statistic, level: float, random_state: RandomState
) -> Contrasts:
    """Compare models by the contributions of all items to each estimate, including unverified items."""
    _check(models)
    if models.n_factors > 1:
        raise ValueError(crossed_in("a PartialTruth"))
    estimated.check_statistic(statistic)
    if not statistic.definition.is_smooth:
        raise ValueError(
            f"statistic must be one of {', '.join(SMOOTH)} for differences with a PartialTruth, "
            f"got {statistic.name!r}"
        )
    names, samples = models.names, []
    for name, model in models.items.items():
        codes = model.correct.groups if model.codes is None else model.codes
        columns = model.correct, model.confidence, codes
        try:
            samples.append(PartialSample.of_codes(*columns))
        except (TypeError, ValueError) as error:
            raise type(error)(f"models[{name!r}]: {error}") from error
    intervals, estimates, errors, verified, unseen, moved = [], [], [], [], [], []
    warnings: list[str] = []
    notes: list[str] = []
    for name, sample in zip(names, samples, strict=True):
        interval, note = estimated.interval_and_warning(sample, statistic, level, "auto")
        intervals.append(interval)
        notes += [f"{name!r}: {note}"] if note else []
        found = sample.evidence(statistic)
        at = sample.influence_of(statistic, found)
        own = sample.contributions(at, found.sweep)
        moved.append(sample.sums_of(at, found.counts))
        if sample.codes is None:
            own[sample.items.order] = own.copy()
        errors.append(own)
        estimates.append(sample.estimate(found))
        if sample.items.reader is not None:  # count the answers, not the corrected errors
            found = found._replace(verified=sample.as_answered.evidence(statistic).verified)
        verified.append(found.verified)
        unseen.append([room / normal_quantile(level) for room in sample.unseen(found, level)])
        if found.verified < FEWEST and sample.items.partial:
            warnings.append(
                f"{name!r} has fewer than {FEWEST} verified errors or correct items (by their "
                "effective number), so the error of its estimate is unknown"
            )
    pairs = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        spread = spread_of(errors[a] - errors[b])
        pairs[a, b] = Contrast(
            estimates[a],
            estimates[b],
            statistic,
            math.hypot(spread.standard_error, _doubt(samples[a], samples[b], moved[a], moved[b])),
            _degrees(samples[a], spread.effective_contributors, verified[a] + verified[b]),
            unseen=(
                math.hypot(unseen[a][0], unseen[b][1]),
                math.hypot(unseen[a][1], unseen[b][0]),
            ),
        )
    values = np.array([estimate.value for estimate in estimates])
    two = pairs[0, 1] if len(names) == 2 else None

    def covariance() -> NDArray[np.float64]:
        return np.array([[float(a @ b) for b in errors] for a in errors])

    shares = shares_of_best(values, covariance, two, statistic, random_state)
    return Contrasts(intervals, pairs, shares, warnings, notes, bool(warnings), errors)


def _doubt(
    first: PartialSample,
    second: PartialSample,
    of_first: tuple[float, float],
    of_second: tuple[float, float],
) -> float:
    """Return the part of a difference's standard error that is due to uncertain error rates of people.

    The effects cancel in part if the same people or the same judge answered for both models.
    """
    people = first.items.reader, second.items.reader
    if people[0] is not None and people[0] == people[1]:
        return doubt_of(people[0], *(x - y for x, y in zip(of_first, of_second, strict=True)))
    alone = (
        0.0 if each is None else doubt_of(each, *sums)
        for each, sums in zip(people, (of_first, of_second), strict=True)
    )
    return math.hypot(*alone)


def _degrees(sample: PartialSample, contributors: float, verified: float) -> float:
    """Return the degrees of freedom of a difference.

    They are `contributors`, the effective number of items or groups that contribute to the error, but
    at most `verified`, the number of verified errors. Fully verified items without groups use
    Satterthwaite's formula.
    """
    n = float(sample.units)
    if sample.codes is None and not sample.items.partial:
        return 2.0 * contributors / (1.0 - contributors / n) if contributors < n else math.inf
    return min(n - 1.0, max(min(contributors, verified), 2.0))


def _check(models: ComparedModels) -> None:
    """Raise if partial truth does not support a given option."""
    if models.n_groups is not None or models.further:
        raise ValueError("a model has a PartialTruth; use paired='items' and one column of groups")
    for model in models.items.values():
        require_alone(sample_weight=model.weight)
