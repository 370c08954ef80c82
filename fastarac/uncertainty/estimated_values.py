"""Statistics of estimated counts: their values, and influence along lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac.uncertainty import derivatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.areas.precision_recall import Interpolation
    from fastarac.samples.estimated import EstimatedSweep
    from fastarac.samples.partial_items import EstimatedCounts
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.derivatives import Lines, Rate

    FloatArray = NDArray[np.float64]


def lines_of_roc_auc(counts: EstimatedCounts, value: float) -> Lines:
    """Influence along lines, where the ROC-AUC has this value."""
    sweep = counts.sweep
    correct, incorrect = float(sweep.n_correct), float(sweep.n_incorrect)
    return derivatives.lines_of_roc(float(sweep.total), correct, incorrect, value, 1.0 - value)


def lines_of_augrc(counts: EstimatedCounts, value: float) -> Lines:
    """The same of the AUGRC."""
    return derivatives.lines_of_augrc(float(counts.sweep.total), value)


def lines_of_arac_auc(counts: EstimatedCounts, value: float) -> Lines:
    """The same of the ARAC-AUC."""
    return derivatives.lines_of_augrc(float(counts.sweep.total), 1.0 - value, -1.0)


def lines_of_normalized(counts: EstimatedCounts, value: float, gamma: float = 1.0) -> Lines:
    """The same of the normalised ARAC-AUC."""
    del value
    loss = augrc(counts)
    of_area = derivatives.lines_of_augrc(float(counts.sweep.total), loss, -1.0)
    return derivatives.lines_of_normalized_arac(counts.sweep, of_area, 1.0 - loss, gamma)


def lines_of_recognition_rate(counts: EstimatedCounts, value: float) -> Lines:
    """Influence along lines, of the recognition rate."""
    del value
    return derivatives.recognition_rate(counts.sweep)


def augrc(counts: EstimatedCounts) -> float:
    """The mean error rate."""
    return counts.doubled / 2.0 / float(counts.sweep.total) ** 2


def arac_auc(counts: EstimatedCounts) -> float:
    """1 less it."""
    return 1.0 - augrc(counts)


def normalized_arac_auc(counts: EstimatedCounts, gamma: float = 1.0) -> float:
    """The same between the recognition rate and 1."""
    return normalized(counts.sweep, arac_auc(counts), gamma)


def roc_auc(counts: EstimatedCounts) -> float:
    """The share of pairs in the right order."""
    return counts.sweep.roc_auc


def pr_auc(counts: EstimatedCounts, interpolation: Interpolation = "davis-goadrich") -> float:
    """The mean precision over the recall."""
    return counts.sweep.precision_area(interpolation)


def average_precision(counts: EstimatedCounts) -> float:
    """The same by steps."""
    return pr_auc(counts, "step")


def share(of: Rate, counts: EstimatedCounts, threshold: float) -> float:
    """A share of items at a threshold."""
    part, whole = derivatives.parts(counts.sweep.possible, threshold, of)
    return part / whole if whole else math.nan


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
