"""Values of statistics for estimated counts, and their linear influence functions."""

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
    """Return the linear influence on the ROC-AUC, given its value."""
    sweep = counts.sweep
    correct, incorrect = float(sweep.n_correct), float(sweep.n_incorrect)
    return derivatives.lines_of_roc(float(sweep.total), correct, incorrect, value, 1.0 - value)


def lines_of_augrc(counts: EstimatedCounts, value: float) -> Lines:
    """Return the linear influence on the AUGRC, given its value."""
    return derivatives.lines_of_augrc(float(counts.sweep.total), value)


def lines_of_arac_auc(counts: EstimatedCounts, value: float) -> Lines:
    """Return the linear influence on the ARAC-AUC, given its value."""
    return derivatives.lines_of_augrc(float(counts.sweep.total), 1.0 - value, -1.0)


def lines_of_normalized(counts: EstimatedCounts, value: float, gamma: float = 1.0) -> Lines:
    """Return the linear influence on the normalised ARAC-AUC."""
    del value
    loss = augrc(counts)
    of_area = derivatives.lines_of_augrc(float(counts.sweep.total), loss, -1.0)
    return derivatives.lines_of_normalized_arac(counts.sweep, of_area, 1.0 - loss, gamma)


def lines_of_recognition_rate(counts: EstimatedCounts, value: float) -> Lines:
    """Return the linear influence on the recognition rate."""
    del value
    return derivatives.recognition_rate(counts.sweep)


def augrc(counts: EstimatedCounts) -> float:
    """Return the AUGRC, the mean error rate."""
    return counts.doubled / 2.0 / float(counts.sweep.total) ** 2


def arac_auc(counts: EstimatedCounts) -> float:
    """Return the ARAC-AUC, 1 − AUGRC."""
    return 1.0 - augrc(counts)


def normalized_arac_auc(counts: EstimatedCounts, gamma: float = 1.0) -> float:
    """Return the normalised ARAC-AUC."""
    return normalized(counts.sweep, arac_auc(counts), gamma)


def roc_auc(counts: EstimatedCounts) -> float:
    """Return the ROC-AUC, the share of pairs that are ordered correctly."""
    return counts.sweep.roc_auc


def pr_auc(counts: EstimatedCounts, interpolation: Interpolation = "davis-goadrich") -> float:
    """Return the area under the precision–recall curve."""
    return counts.sweep.precision_area(interpolation)


def average_precision(counts: EstimatedCounts) -> float:
    """Return the average precision, the area under steps."""
    return pr_auc(counts, "step")


def share(of: Rate, counts: EstimatedCounts, threshold: float) -> float:
    """Return the rate `of` at a threshold."""
    part, whole = derivatives.parts(counts.sweep.possible, threshold, of)
    return part / whole if whole else math.nan


def normalized(sweep: ThresholdSweep, area: float, gamma: float) -> float:
    """Return (γ(A − β)/(1 − β) + β)/(γ + 1), or 1 if β = 1; A is the area, β the recognition rate."""
    rest = 1.0 - sweep.recognition_rate
    if not rest:
        return 1.0
    return float((gamma * (area - 1.0 + rest) / rest + 1.0 - rest) / (gamma + 1.0))


def risk(weights: FloatArray, sweep: EstimatedSweep) -> float:
    """Return the area Σwᵢẽᵢ, where wᵢ is the area that an error adds, and ẽᵢ an estimated error."""
    return added(weights * np.diff(sweep.false_accepts))


def added(values: FloatArray) -> float:
    """Return the sum as a float."""
    return float(np.sum(values))
