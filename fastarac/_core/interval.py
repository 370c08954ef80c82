"""The type of all confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.results import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interval(Result):
    """An estimate and the confidence interval around it.

    Attributes
    ----------
    estimate : float
        The value in the sample.
    low, high : float
        Ends of the closed interval; NaN if the interval is undefined.
    standard_error : float
        Estimated standard deviation of the estimate over samples; NaN if the method does not compute
        it.
    confidence_level : float
        Intended share of samples, in (0, 1), whose interval contains the value in the population.
    method : str
        The method that computed the ends.
    distribution : ndarray of shape (n_resamples,) or None
        The value of the statistic in each resample; None without resampling.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    bootstrap : interval and standard error of a statistic, from resamples of the items

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> interval = fa.asymptotic_interval(*load_digits_ocr()["knn-votes"], statistic="arac_auc")
    >>> interval
    Interval(0.998763 [0.997885, 0.999277], 95%, logit)
    >>> interval.low <= interval.estimate <= interval.high
    True
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    distribution: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:.6g}%"
        ends = f"[{self.low:.6g}, {self.high:.6g}]"
        return f"{type(self).__name__}({self.estimate:.6g} {ends}, {level}, {self.method})"
