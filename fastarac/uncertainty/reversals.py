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

__all__ = ["reversal_pvalue"]


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
    n_groups = 1 + int(max(codes.max() for codes in groups))
    sizes = np.array([np.bincount(codes, minlength=n_groups) for codes in groups], np.float64)
    there = sizes.any(axis=0)
    n = int(there.sum())
    shares = [float(own.mean()) for own in accepted]
    added = [
        np.bincount(codes, own - share, minlength=n_groups) / len(own)
        for own, codes, share in zip(accepted, groups, shares, strict=True)
    ]
    by = shares[1] - shares[0]
    if by <= 0.0 or n < 2:
        return 1.0
    degrees = degrees_of_sizes(sizes[:, there])
    error = math.sqrt(n / (n - 1) * float(np.sum((added[0] - added[1]) ** 2)))
    by_groups = student_pvalue(by / error, degrees) if error > NO_SPREAD else 0.0
    if draws is None:
        return max(0.5**n, by_groups / 2.0)
    share = min(1.0, 2.0 * (1 + int(np.sum(draws >= 0.0))) / (len(draws) + 1))
    by_draws = student_pvalue(normal_quantile(1.0 - share) * math.sqrt((n - 1) / n), degrees)
    return max(by_groups, by_draws) / 2.0
