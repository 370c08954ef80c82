"""Ratios of sums over groups, such as errors per length of pages, and their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastarac._core.interval import Interval
from fastarac._core.quantiles import student_quantile
from fastarac.uncertainty.asymptotic import FEWEST_DEGREES
from fastarac.uncertainty.estimates import NO_SPREAD
from fastarac.uncertainty.influence import spread_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def ratio_interval(
    numerator: NDArray[np.int64], denominator: NDArray[np.int64], confidence_level: float
) -> Interval:
    r"""Return the ratio of two sums over groups drawn at random, with its interval.

    Parameters
    ----------
    numerator, denominator : ndarray of shape (n_groups,), int64
        The values eᵍ and lᵍ of each group g, at least 0.
    confidence_level : float
        In (0, 1).

    Returns
    -------
    Interval
        NaN if Σl is 0. If there are fewer than two groups, or if all groups have the same ratio, the
        variation is unknown. Then only the ends are NaN.

    Notes
    -----
    The ratio R = Σe/Σl is linearised (Cochran 1977, "Sampling Techniques", equation 6.9): group g
    contributes dᵍ = (eᵍ − R·lᵍ)/Σl to its error. The variance is G/(G − 1)·Σd² for G groups. The ends
    are R ± Student's quantile times the standard error. Negative ends become 0. The degrees of freedom
    are (Σd²)²/Σd⁴, but at least 2 and at most G − 1.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.uncertainty.ratios import ratio_interval
    >>> ratio_interval(np.array([3, 1, 4, 2]), np.array([100, 100, 200, 100]), 0.95)
    Interval(0.02 [0.0059476, 0.0340524], 95%, wald)
    """
    total, n_groups = int(denominator.sum()), len(denominator)
    value = int(numerator.sum()) / total if total else math.nan
    error, low, high = math.nan, math.nan, math.nan
    if total and n_groups > 1:
        contributions = (numerator - value * denominator) / total
        spread = spread_of(contributions * math.sqrt(n_groups / (n_groups - 1)))
        error = spread.standard_error
        if error > NO_SPREAD:
            degrees = min(n_groups - 1.0, max(spread.effective_contributors, FEWEST_DEGREES))
            reach = student_quantile(confidence_level, degrees) * error
            low, high = max(0.0, value - reach), value + reach
    return Interval(value, low, high, error, confidence_level, "wald")
