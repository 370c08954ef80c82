"""The formulas of the measures of a confusion table, over arrays of the four cells."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep

EXACT_PRODUCTS = math.isqrt(1 << 53)  # counts whose sum is no larger have products that are exact
EXACT_COUNTS = 1 << 53


class Cells:
    """The cells of some tables as floats, and the sums and rates that several measures share.

    Floats are scaled by a power of two, each table by its own, so that no product overflows: the
    measures are those of the shares, but for the one that asks for `raw_negatives`.

    Parameters
    ----------
    given
        TP, FP, FN, TN: one-dimensional, all int64 or all float64.
    largest
        A bound to the sums of the tables.
    """

    def __init__(self, given: Sequence[NDArray[Any]], largest: float) -> None:
        self._given = given
        self._whole = given[0].dtype.kind == "i"
        self._largest = largest

    @cached_property
    def _exponent(self) -> Any:
        tp, fp, fn, tn = self._given
        return np.frexp(tp + fp + fn + tn)[1]

    def _scaled(self, counts: Any) -> Any:
        return counts.astype(np.float64) if self._whole else np.ldexp(counts, -self._exponent)

    @cached_property
    def tp(self) -> Any:
        return self._scaled(self._given[0])

    @cached_property
    def fp(self) -> Any:
        return self._scaled(self._given[1])

    @cached_property
    def fn(self) -> Any:
        return self._scaled(self._given[2])

    @cached_property
    def tn(self) -> Any:
        return self._scaled(self._given[3])

    @cached_property
    def positives(self) -> Any:
        return self.tp + self.fn

    @cached_property
    def negatives(self) -> Any:
        return self.fp + self.tn

    @cached_property
    def accepted(self) -> Any:
        return self.tp + self.fp

    @cached_property
    def rejected(self) -> Any:
        return self.fn + self.tn

    @cached_property
    def total(self) -> Any:
        return self.positives + self.negatives

    @cached_property
    def sensitivity(self) -> Any:
        return self.tp / self.positives

    @cached_property
    def specificity(self) -> Any:
        return self.tn / self.negatives

    @cached_property
    def false_positive_rate(self) -> Any:
        return self.fp / self.negatives

    @cached_property
    def false_negative_rate(self) -> Any:
        return self.fn / self.positives

    @cached_property
    def geometric_mean(self) -> Any:
        return np.sqrt(self.sensitivity * self.specificity)

    @cached_property
    def right(self) -> Any:
        """TP·TN."""
        return self.tp * self.tn

    @cached_property
    def wrong(self) -> Any:
        """FP·FN."""
        return self.fp * self.fn

    @cached_property
    def determinant(self) -> Any:
        """TP·TN − FP·FN, rounded once."""
        if self._whole and self._largest <= EXACT_PRODUCTS:
            return self.right - self.wrong
        if self._whole and self._largest > EXACT_COUNTS:
            tp, fp, fn, tn = (cells.astype(object) for cells in self._given)
            return (tp * tn - fp * fn).astype(np.float64)
        out = np.empty(len(self.tp))
        _kernels.measures.determinants(self.tp, self.tn, self.fp, self.fn, out)
        return out

    def raw_negatives(self) -> tuple[Any, Any]:
        """TN and FP + TN as they were given."""
        if self._whole:
            return self.tn, self.negatives
        return np.ldexp(self.tn, self._exponent), np.ldexp(self.negatives, self._exponent)

    def f_beta(self, beta: float) -> Any:
        to_fp, to_fn = f_weights(beta)
        return self.tp / (self.tp + to_fp * self.fp + to_fn * self.fn)

    def inverse_f_beta(self, beta: float) -> Any:
        """`f_beta` where the classes are swapped."""
        to_fp, to_fn = f_weights(beta)
        return self.tn / (self.tn + to_fp * self.fn + to_fn * self.fp)


class SweepCells(Cells):
    """The cells at some thresholds of a sweep, where positives and negatives are always the same."""

    def __init__(self, sweep: ThresholdSweep, start: int, stop: int) -> None:
        tp, fp = sweep.true_accepts[start:stop], sweep.false_accepts[start:stop]
        self._sides = sweep.true_accepts[-1], sweep.false_accepts[-1]
        super().__init__((tp, fp), float(sweep.total))

    @cached_property
    def _exponent(self) -> Any:
        return np.frexp(self._largest)[1]

    @cached_property
    def fn(self) -> Any:
        return self._scaled(self._sides[0] - self._given[0])

    @cached_property
    def tn(self) -> Any:
        return self._scaled(self._sides[1] - self._given[1])

    @cached_property
    def positives(self) -> Any:
        return self._scaled(self._sides[0])

    @cached_property
    def negatives(self) -> Any:
        return self._scaled(self._sides[1])

    @cached_property
    def determinant(self) -> Any:
        if self._whole and self._largest > EXACT_COUNTS:
            tp, fp = (cells.astype(object) for cells in self._given)
            positives, negatives = map(int, self._sides)
            return (tp * (negatives - fp) - fp * (positives - tp)).astype(np.float64)
        return super().determinant


def f_weights(beta: float) -> tuple[float, float]:
    """1/(1 + β²) and β²/(1 + β²): what false positives and false negatives weigh; no overflow."""
    if beta <= 1:
        square = beta * beta
        return 1 / (1 + square), square / (1 + square)
    square = 1 / beta / beta
    return square / (1 + square), 1 / (1 + square)


def _discriminant_power(cells: Cells) -> Any:
    ratio = cells.right / cells.wrong
    power = np.log(ratio)
    near_one = np.abs(ratio - 1) < 0.5  # where the logarithm would lose digits
    if near_one.any():
        power[near_one] = np.log1p(cells.determinant[near_one] / cells.wrong[near_one])
    power *= math.sqrt(3) / math.pi
    return power


def _adjusted_geometric_mean(cells: Cells) -> Any:
    tn, negatives = cells.raw_negatives()  # TNR·(FP + TN) is TN
    mean = (cells.geometric_mean + tn) / (1 + negatives)
    mean[cells.sensitivity == 0] = 0
    return mean


def _optimized_precision(cells: Cells) -> Any:
    # |TPR − TNR|/(TPR + TNR), multiplied out: equal rates differ by exactly 0
    upper, lower = cells.tp * cells.fp, cells.tn * cells.fn
    imbalance = np.abs(upper - lower) / (2 * cells.right + upper + lower)
    return (cells.tp + cells.tn) / cells.total - imbalance


def _matthews(c: Cells) -> Any:
    return c.determinant / (np.sqrt(c.accepted * c.positives) * np.sqrt(c.rejected * c.negatives))


FORMULAS: dict[str, Callable[[Cells], Any]] = {
    "accuracy": lambda c: (c.tp + c.tn) / c.total,
    "error_rate": lambda c: (c.fp + c.fn) / c.total,
    "sensitivity": lambda c: c.sensitivity,
    "specificity": lambda c: c.specificity,
    "false_positive_rate": lambda c: c.false_positive_rate,
    "false_negative_rate": lambda c: c.false_negative_rate,
    "precision": lambda c: c.tp / c.accepted,
    "negative_predictive_value": lambda c: c.tn / c.rejected,
    "false_discovery_rate": lambda c: c.fp / c.accepted,
    "false_omission_rate": lambda c: c.fn / c.rejected,
    "positive_likelihood_ratio": lambda c: c.sensitivity / c.false_positive_rate,
    "negative_likelihood_ratio": lambda c: c.false_negative_rate / c.specificity,
    "diagnostic_odds_ratio": lambda c: c.right / c.wrong,
    "youden_index": lambda c: c.determinant / (c.positives * c.negatives),
    "matthews_correlation": _matthews,
    "discriminant_power": _discriminant_power,
    "f1": lambda c: 2 * c.tp / (c.accepted + c.positives),
    "adjusted_f": lambda c: np.sqrt(c.f_beta(2.0) * c.inverse_f_beta(0.5)),
    "markedness": lambda c: c.determinant / (c.accepted * c.rejected),
    "balanced_accuracy": lambda c: (c.sensitivity + c.specificity) / 2,
    "balanced_error_rate": lambda c: (c.false_negative_rate + c.false_positive_rate) / 2,
    "geometric_mean": lambda c: c.geometric_mean,
    "adjusted_geometric_mean": _adjusted_geometric_mean,
    "optimized_precision": _optimized_precision,
    "jaccard": lambda c: c.tp / (c.accepted + c.fn),
    "prevalence": lambda c: np.broadcast_to(c.positives / c.total, c.tp.shape),
    "kappa": lambda c: 2 * c.determinant / (c.accepted * c.negatives + c.positives * c.rejected),
}

# The smaller the better. Nothing is better or worse about the prevalence.
LOSSES = frozenset(
    {
        "error_rate",
        "false_positive_rate",
        "false_negative_rate",
        "false_discovery_rate",
        "false_omission_rate",
        "negative_likelihood_ratio",
        "balanced_error_rate",
    }
)
GOALS = tuple(name for name in FORMULAS if name != "prevalence")
