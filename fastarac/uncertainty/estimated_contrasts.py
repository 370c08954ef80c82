"""Differences of models whose outputs were verified in part."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac._engine.factors import crossed_in
from fastarac.truth import PartialTruth
from fastarac.uncertainty import derivatives, estimated
from fastarac.uncertainty.contrasts import Contrast, Contrasts, shares_of_best
from fastarac.uncertainty.influence import spread_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.uncertainty.paired import ComparedModels
    from fastarac.uncertainty.statistics import Statistic


def is_partial(models: ComparedModels) -> bool:
    """Whether the truth of any model is partial."""
    return any(isinstance(each.correct, PartialTruth) for each in models.items.values())


def by_estimates(
    models: ComparedModels, statistic: Statistic, level: float, random_state: RandomState
) -> Contrasts:
    """From what each item adds to the estimates of all models, verified or not."""
    _check(models)
    if models.n_factors > 1:
        raise ValueError(crossed_in("groups", "a PartialTruth"))
    estimated.check_statistic(statistic)
    if statistic.name not in derivatives.NAMES:
        raise ValueError(
            f"statistic is {statistic.name!r}, of which a PartialTruth gives no difference; one of "
            f"{', '.join(derivatives.NAMES)} is expected"
        )
    names, samples = models.names, []
    for name, model in models.items.items():
        codes = model.correct.groups if model.codes is None else model.codes
        columns = model.correct, model.confidence, codes
        try:
            samples.append(estimated.PartialSample.of_codes(*columns))
        except (TypeError, ValueError) as error:
            raise type(error)(f"models[{name!r}]: {error}") from error
    intervals, estimates, errors, verified, warnings = [], [], [], [], []
    for name, sample in zip(names, samples, strict=True):
        interval, warning = estimated.interval_and_warning(sample, statistic, level, "auto")
        intervals.append(interval)
        warnings += [f"{name!r}: {warning}"] if warning else []
        found = sample.evidence(statistic)
        own = sample.contributions(sample.influence_of(statistic, found), found.share)
        if sample.codes is None:
            own[sample.items.order] = own.copy()
        errors.append(own)
        estimates.append(sample.estimate(found))
        verified.append(found.verified)
    pairs = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        spread = spread_of(errors[a] - errors[b])
        contributors, n = spread.effective_contributors, float(len(errors[a]))
        if samples[a].codes is not None:
            degrees = min(n - 1.0, max(contributors, 2.0))
        else:
            degrees = 2.0 * contributors / (1.0 - contributors / n) if contributors < n else math.inf
        pairs[a, b] = Contrast(estimates[a], estimates[b], statistic, spread.standard_error, degrees)
        if contributors < estimated.FEW:
            warnings.append(
                f"the error of the difference of {names[a]!r} and {names[b]!r} is estimated from as "
                f"few as {contributors:.2g} items or groups"
            )
    values = np.array([estimate.value for estimate in estimates])
    two = pairs[0, 1] if len(names) == 2 else None

    def covariance() -> NDArray[np.float64]:
        return np.array([[float(a @ b) for b in errors] for a in errors])

    shares = shares_of_best(values, covariance, two, statistic, random_state)
    return Contrasts(intervals, pairs, shares, warnings)


def _check(models: ComparedModels) -> None:
    """Refuse what is not offered beside partial truth."""
    if models.n_groups is not None or models.further:
        raise ValueError(
            "a model has a PartialTruth; paired='items' and one column of groups is expected"
        )
    for name, model in models.items.items():
        if not isinstance(model.correct, PartialTruth):
            raise TypeError(
                f"models[{name!r}]: correct is no PartialTruth, but that of another model is; one for "
                "each is expected"
            )
        if model.weight is not None:
            raise TypeError("sample_weight is given beside a PartialTruth; the truth alone is expected")
