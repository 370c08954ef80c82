"""Test whether the order of two models is reversed in a part of their items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.quantiles import normal_quantile, student_pvalue
from fastarac.uncertainty.contrasts import degrees_of_sizes
from fastarac.uncertainty.estimates import NO_SPREAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: The number of resamples is doubled until MARGIN times the smallest possible p-value is below the
#: level, or until it is MOST_FACTOR times the initial number.
MARGIN, MOST_FACTOR = 2.0, 16


def reversal_pvalue(
    accepted: Sequence[NDArray[np.bool_]],
    groups: Sequence[NDArray[np.intp]],
    draws: NDArray[np.float64] | None,
) -> float:
    r"""Return a one-sided p-value that is small if the second of two models accepts more.

    Parameters
    ----------
    accepted : sequence of two ndarrays of bool
        For each model, whether each item is accepted at the model's own threshold.
    groups : sequence of two ndarrays of intp
        For each model, the number of each item's group among the groups of both models.
    draws : ndarray of float64, or None
        The share that the first model accepts minus the share that the second accepts, in resamples of
        the groups. Each resample chooses its own thresholds. None if all resamples give the same value.

    Notes
    -----
    The result is the larger of two p-values. The first is computed from groups, at fixed thresholds.
    Let a be 1 for an accepted item and 0 for any other, and ā its mean. Then group g of G groups
    contributes

    .. math:: D_g = \frac{1}{n_1} \sum_{i \in g} (a_{1,i} - \bar a_1)
        - \frac{1}{n_2} \sum_{i \in g} (a_{2,i} - \bar a_2)

    to the error. The squared standard error is G/(G − 1)·ΣD², and the test uses Student's t. The second
    p-value is computed from resamples, which also reflect the variation of the thresholds. It is the
    share of resamples in which the second model does not accept more, converted from the normal
    distribution to Student's t (Hesterberg 2015). If all groups differ by the same amount, the p-value
    is 0.5^G, as in a sign test.
    """
    sizes, n = _sizes(groups)
    n_groups = sizes.shape[1]
    shares = [float(own.mean()) for own in accepted]
    added = [
        np.bincount(codes, own - share, minlength=n_groups) / len(own)
        for own, codes, share in zip(accepted, groups, shares, strict=True)
    ]
    by = shares[1] - shares[0]
    if by <= 0.0 or n < 2:
        return 1.0
    degrees = degrees_of_sizes(sizes)
    error = math.sqrt(n / (n - 1) * float(np.sum((added[0] - added[1]) ** 2)))
    by_groups = student_pvalue(by / error, degrees) if error > NO_SPREAD else 0.0
    if draws is None:
        return max(0.5**n, by_groups / 2.0)
    by_draws = _expanded((1 + int(np.sum(draws >= 0.0))) / (len(draws) + 1), n, degrees)
    return max(by_groups / 2.0, by_draws)


def enough_resamples(n_resamples: int, groups: Sequence[NDArray[np.intp]], level: float) -> int:
    """Return a number of resamples large enough for a p-value well below the level."""
    sizes, n = _sizes(groups)
    degrees, factor = degrees_of_sizes(sizes), 1
    while factor < MOST_FACTOR:
        if _expanded(1.0 / (factor * n_resamples + 1), n, degrees) < level / MARGIN:
            break
        factor *= 2
    return factor * n_resamples


def _sizes(groups: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.float64], int]:
    """Return each model's number of items per group, and the number of groups with items."""
    n_groups = 1 + int(max(codes.max() for codes in groups))
    sizes = np.array([np.bincount(codes, minlength=n_groups) for codes in groups], np.float64)
    return sizes, int(np.count_nonzero(sizes.any(axis=0)))


def _expanded(share: float, n_groups: int, degrees: float) -> float:
    """Convert a one-sided p-value of resamples from the normal distribution to Student's t."""
    z = normal_quantile(1.0 - min(1.0, 2.0 * share)) * math.sqrt((n_groups - 1) / n_groups)
    return student_pvalue(z, degrees) / 2.0
