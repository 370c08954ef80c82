"""Statistics of estimated counts: their values, and influence along lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac.samples.estimated import plain
from fastarac.uncertainty import derivatives, inversion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.samples.estimated import EstimatedSweep
    from fastarac.samples.partial_items import EstimatedCounts
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


def lines_of(statistic: Statistic, counts: EstimatedCounts, value: float) -> derivatives.Lines:
    """Influence along lines, where the statistic has this value."""
    sweep = counts.sweep
    total = float(sweep.total)
    name, options = statistic.name, dict(statistic.parameters)
    if name == "roc_auc":
        return derivatives.lines_of_roc(
            total, float(sweep.n_correct), float(sweep.n_incorrect), value, 1.0 - value
        )
    if name == "augrc":
        return derivatives.lines_of_augrc(total, value)
    if name == "arac_auc":
        return derivatives.lines_of_augrc(total, 1.0 - value, -1.0)
    if name == "normalized_arac_auc":
        loss = _augrc(counts)
        of_area = derivatives.lines_of_augrc(total, loss, -1.0)
        return derivatives.lines_of_normalized_arac(
            sweep, of_area, 1.0 - loss, options.get("gamma", 1.0)
        )
    return derivatives.LINES[name](sweep)


def value_of(statistic: Statistic, counts: EstimatedCounts) -> float:
    """A statistic of estimated counts; of areas over the precision, `PartialSample.value`."""
    sweep = counts.sweep
    name, options = statistic.name, dict(statistic.parameters)
    if name == "roc_auc":
        return sweep.roc_auc
    if name == "average_precision":
        return sweep.precision_area("step")
    if name == "pr_auc":
        return sweep.precision_area(options.get("interpolation", "davis-goadrich"))
    if name in derivatives.RATES:
        part, whole = derivatives.parts(sweep.possible, options["threshold"], derivatives.RATES[name])
        return part / whole if whole else math.nan
    if name == "augrc":
        return _augrc(counts)
    if name == "arac_auc":
        return 1.0 - _augrc(counts)
    if name == "normalized_arac_auc":
        return normalized(sweep, 1.0 - _augrc(counts), options.get("gamma", 1.0))
    return float(statistic(counts_for(statistic, sweep)))


def counts_for(statistic: Statistic, sweep: EstimatedSweep) -> ThresholdSweep:
    """The counts a statistic is read off: where a limit decides, those whose errors never fall."""
    if "max_error_rate" in dict(statistic.parameters) or statistic.name in inversion.LIMITS:
        return sweep.rising
    return plain(sweep)


def _augrc(counts: EstimatedCounts) -> float:
    return counts.doubled / 2.0 / float(counts.sweep.total) ** 2


def normalized(sweep: ThresholdSweep, area: float, gamma: float) -> float:
    """(γ(A − β)/(1 − β) + β)/(γ + 1), and 1 where β = 1."""
    rest = 1.0 - sweep.recognition_rate
    if not rest:
        return 1.0
    return float((gamma * (area - 1.0 + rest) / rest + 1.0 - rest) / (gamma + 1.0))


def risk(weights: FloatArray, sweep: EstimatedSweep) -> float:
    """Σwᵢẽᵢ, with w the rise of the area by an error."""
    return added(weights * np.diff(sweep.false_accepts))


def added(values: FloatArray) -> float:
    """Their sum."""
    return float(np.sum(values))
