"""Intervals and verdicts for shares of few items, such as bins and parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from fastarac._core.special import binomial_cdf, binomial_interval
from fastarac.uncertainty.adjustment import adjusted_pvalues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Verdict: TypeAlias = Literal["holds", "fails", "too few"]


def grouped_share_interval(
    right: NDArray[np.bool_], codes: NDArray[np.intp] | None, level: float
) -> tuple[float, float]:
    """Return an interval of the share of right items, widened if items of a group are dependent.

    This is Clopper and Pearson's interval with an effective number of items, which follows from the
    variance between groups (Korn and Graubard 1998).
    """
    n, k = len(right), int(right.sum())
    if codes is None or k in (0, n):
        return binomial_interval(k, n, level)
    share = k / n
    _, group = np.unique(codes, return_inverse=True)
    group = group.reshape(-1)
    n_groups = int(group.max()) + 1
    if n_groups < 2:
        return binomial_interval(k, n, level)
    residual = np.bincount(group, right - share)
    variance = n_groups / (n_groups - 1) * float(residual @ residual) / n**2
    independent = share * (1 - share) / n
    effective = n * min(1.0, independent / variance) if variance > 0 else float(n)
    return binomial_interval(share * effective, effective, level)


def verdicts_of(errors: Sequence[int], n: Sequence[int], limit: float, level: float) -> list[Verdict]:
    """Return for each part whether its rate is within a limit, above it, or undecided.

    Each part is tested in both directions at (1 − `level`)/2, with Holm's correction for the number of
    parts.
    """
    parts = list(zip(errors, n, strict=True))
    within = [binomial_cdf(k, m, limit) if m else 1.0 for k, m in parts]
    beyond = [1.0 - binomial_cdf(k - 1, m, limit) if k else 1.0 for k, m in parts]
    return verdicts_by(within, beyond, level)


def verdicts_by(within: Sequence[float], beyond: Sequence[float], level: float) -> list[Verdict]:
    """Return the verdicts on parts, given the p-values of both tests of each part."""
    tail = (1.0 - level) / 2.0
    tested = zip(adjusted_pvalues(within, "holm"), adjusted_pvalues(beyond, "holm"), strict=True)
    return [
        "holds" if holds <= tail else "fails" if fails <= tail else "too few" for holds, fails in tested
    ]
