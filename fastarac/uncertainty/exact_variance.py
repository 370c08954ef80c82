"""The variance of the stratified bootstrap in closed form, for areas computed from pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.interval import Interval
from fastarac._core.quantiles import normal_quantile
from fastarac.samples.door import as_ranked
from fastarac.samples.partial import INSTEAD
from fastarac.uncertainty import asymptotic, derivatives, influence
from fastarac.uncertainty.estimates import within
from fastarac.uncertainty.inversion import ItemSample
from fastarac.uncertainty.statistics import DEFINITIONS, Statistic

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike

    from fastarac._engine.counts import AcceptedCounts, PointCounts
    from fastarac.sweep import ThresholdSweep


def read_pairs(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    *,
    stratified: bool,
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> PointCounts:
    """Count the items at the points between runs of one class; raise if there is no closed form."""
    if not stratified:
        raise ValueError("method='exact-variance' needs stratified=True")
    for name, given in (("groups", groups), ("sample_weight", sample_weight)):
        if given is not None:
            raise ValueError(f"{name} cannot go with method='exact-variance', which needs single items")
    sweep = as_ranked(correct, confidence, corners=True, instead=INSTEAD).runs
    if sweep.true_accepts.dtype != np.int64:
        raise ValueError("the sweep is weighted, but method='exact-variance' needs counts of items")
    return sweep


def interval_of_pairs(
    sweep: Any,
    statistic: Callable[[Any], float],
    name: str,
    level: float,
) -> tuple[Interval, str | None]:
    """Return the normal interval of a statistic, and a warning if it is unreliable, else None."""
    if not isinstance(statistic, Statistic) or not statistic.definition.is_line_of_roc:
        known = ", ".join(name for name, one in DEFINITIONS.items() if one.is_line_of_roc)
        raise ValueError(f"statistic must be one of {known} for method='exact-variance', got {name!r}")
    method, value = "exact-variance", statistic(sweep)
    if math.isnan(value):
        return Interval(value, math.nan, math.nan, math.nan, level, method), None
    error = math.sqrt(stratified_variance(sweep))
    if statistic.name != "roc_auc":  # ARAC-AUC = 1 − AUGRC = 1 − β(1 − β)(1 − ROC-AUC) − (1 − β)²/2
        error *= float(sweep.recognition_rate) * float(sweep.n_incorrect / sweep.total)
    reach = normal_quantile(level) * error
    low, high = within(statistic, value - reach, value + reach)
    estimate = asymptotic.estimate_of(ItemSample(sweep, None, None), statistic)
    warning = asymptotic.reliability_warning(
        estimate._replace(standard_error=error), statistic,
        without_spread="the interval is a single value",
    )  # fmt: skip
    return Interval(value, low, high, error, level, method), warning


def stratified_variance(sweep: AcceptedCounts) -> float:
    """Return the variance of the ROC-AUC over all resamples drawn within the two classes.

    Let ψ be 1 for a pair in the right order, ½ for a tie and 0 otherwise. Let V⁺ and V⁻ be the mean ψ
    of each of the m correct and n incorrect items. The variance is (1 − 1/n)·Var(V⁺)/m + (1 −
    1/m)·Var(V⁻)/n + Var(ψ)/(mn), where Var divides by the number of values.
    """
    m, n = int(sweep.n_correct), int(sweep.n_incorrect)
    if not (m and n):
        return 0.0
    lines = derivatives.roc_auc(sweep)
    powers = influence.powers_of_lines(sweep, lines)
    of_correct, of_incorrect = (second / float(sweep.total) ** 2 for second, _ in powers[:2])
    area = lines.incorrect.centre
    of_pairs = area * lines.correct.centre - powers.tied / (4 * m * n)
    return (1.0 - 1.0 / n) * of_correct + (1.0 - 1.0 / m) * of_incorrect + of_pairs / m / n
