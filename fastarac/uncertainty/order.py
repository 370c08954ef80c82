"""Tests for reversed confidences, with weighted or grouped items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.exceptions import collected, warn_questionable
from fastarac._engine.inputs import vector
from fastarac.areas.order import (
    REVERSED,
    is_reversed,
    question_order,
    question_sweep,
    reversed_confidence,
)
from fastarac.sweep import ThresholdSweep
from fastarac.uncertainty.asymptotic import asymptotic_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.uncertainty.estimated import FigureSource
    from fastarac.uncertainty.statistics import Statistic

SURE = 0.9973  # the normal probability within three standard deviations


def reversed_beyond_chance(
    roc_auc: float, correct: Any, confidence: Any, sample_weight: Any = None, groups: Any = None
) -> bool:
    """Return whether the ROC-AUC is below ½ by more than chance explains.

    For weighted items, the effective number replaces the number of items (Kish 1965). With groups, the
    ROC-AUC's interval by group must also be below ½.
    """
    wrong = np.equal(vector(correct, "correct"), 0)
    n = float(len(wrong))
    n_wrong = float(wrong.sum())
    if sample_weight is not None:
        weight = vector(sample_weight, "sample_weight").astype(np.float64)
        weight = weight / weight.max()
        n_wrong = float(weight[wrong].sum() / weight.sum())
        n = float(weight.sum() ** 2 / (weight**2).sum())
        n_wrong *= n
    if not is_reversed(roc_auc, n - n_wrong, n_wrong):
        return False
    if groups is None:
        return True
    with collected([]):
        found = asymptotic_interval(
            correct, confidence, statistic="roc_auc", groups=groups, sample_weight=sample_weight
        )
    return bool(found.high < 0.5)


def question_items(
    roc_auc: float,
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    of: str = "",
) -> None:
    """Warn if a confidence is reversed by more than chance, or equal for all items."""
    if isinstance(correct, ThresholdSweep):
        question_sweep(correct, of=of)
    elif confidence is not None:
        if reversed_beyond_chance(roc_auc, correct, confidence, sample_weight, groups):
            warn_questionable(reversed_confidence(roc_auc, of))
        elif roc_auc == 0.5:
            values = vector(confidence, "confidence")
            question_order(roc_auc, len(values), 0, values, of=of)


def question_estimate(roc_auc: float, source: FigureSource, statistic: Statistic) -> None:
    """Warn if the confidence of partly verified items is reversed by more than chance."""
    if roc_auc < REVERSED:
        source.figure("roc_auc", statistic)
        if source.intervals["roc_auc"].high < 0.5:
            warn_questionable(reversed_confidence(roc_auc))
