"""Whether the order of two models is the reverse in a part of their items."""

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

__all__ = ["enough_resamples", "reversal_pvalue"]

#: By how much the least p-value of resamples is to be below a level, for which there may be up to so
#: many times as many of them.
MARGIN, MOST_FACTOR = 2.0, 16


def reversal_pvalue(
    accepted: Sequence[NDArray[np.bool_]],
    groups: Sequence[NDArray[np.intp]],
    draws: NDArray[np.float64] | None,
) -> float:
    r"""Return the one-sided p-value of the second of two models accepting more than the first one.

    Parameters
    ----------
    accepted : sequence of two ndarrays of bool
        Whether each item of either model is accepted at its own threshold.
    groups : sequence of two ndarrays of intp
        The number of each item's group among the groups of both.
    draws : ndarray of float64, or None
        What the first one accepts more in resamples of the groups, with the thresholds of each; None
        where that is the same in all.

    Notes
    -----
    The larger of two p-values. By groups, at the thresholds as they are: with a the indicator of what
    is accepted and ā the share, each of G groups adds

    .. math:: D_g = \frac{1}{n_1} \sum_{i \in g} (a_{1,i} - \bar a_1)
        - \frac{1}{n_2} \sum_{i \in g} (a_{2,i} - \bar a_2)

    the squared standard error is G/(G − 1)·ΣD², and the law is Student's. By resamples, which know that
    thresholds vary, too: the share of them on the other side of 0, expanded from the normal law to
    Student's (Hesterberg 2015). Where neither leaves any spread, every group differs by the same, which
    has the probability of a sign test if models are exchanged in each group at random.
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
    """Return so many resamples, or as many times more as a p-value well below a level takes."""
    sizes, n = _sizes(groups)
    degrees, factor = degrees_of_sizes(sizes), 1
    while factor < MOST_FACTOR:
        if _expanded(1.0 / (factor * n_resamples + 1), n, degrees) < level / MARGIN:
            break
        factor *= 2
    return factor * n_resamples


def _sizes(groups: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.float64], int]:
    """Return the number of items of either model in each group, and how many groups have some."""
    n_groups = 1 + int(max(codes.max() for codes in groups))
    sizes = np.array([np.bincount(codes, minlength=n_groups) for codes in groups], np.float64)
    return sizes, int(np.count_nonzero(sizes.any(axis=0)))


def _expanded(share: float, n_groups: int, degrees: float) -> float:
    """Return the p-value of a share of resamples, one-sided, from the normal law to Student's."""
    z = normal_quantile(1.0 - min(1.0, 2.0 * share)) * math.sqrt((n_groups - 1) / n_groups)
    return student_pvalue(z, degrees) / 2.0
