"""Error rates at several acceptance rates, estimated from a log of audits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.uncertainty.estimated import interval_and_warning
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.operation.logs import AuditColumns

STEPS = 50  # Number of acceptance rates at which error rates are estimated.


class AuditedRates(NamedTuple):
    """Rates of undetected errors among all outputs at several acceptance rates.

    `low` and `high` are the ends of a pointwise confidence interval for each error rate.
    """

    acceptance_rate: NDArray[np.float64]
    error_rate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def rates_of_log(log: AuditColumns, level: float) -> AuditedRates:
    """Return error rates at several acceptance rates, including the one of the log.

    Raises
    ------
    ValueError
        If the log has fields, and so no single threshold, or if it lacks the truth of rejected outputs.
    """
    if log.by is not None:
        raise ValueError("log has fields (by); give a log of outputs with a single threshold")
    sample = PartialSample.of(log.truth, log.confidence, None)
    falling = np.sort(log.confidence)[::-1]
    n = len(falling)
    last = np.arange(1, STEPS + 1) * n // STEPS - 1
    in_use = np.sort(log.confidence[log.accepted])[:1]
    thresholds = np.unique(np.concatenate([falling[last[last >= 0]], in_use]))[::-1]
    intervals = [
        interval_and_warning(sample, Statistic("error_rate", threshold=float(each)), level, "auto")[0]
        for each in thresholds
    ]
    accepted = n - np.searchsorted(falling[::-1], thresholds)
    rows = [(0.0, 0.0, 0.0, 0.0)]
    rows += [
        (float(share), each.estimate, each.low, each.high)
        for share, each in zip(accepted / n, intervals, strict=True)
    ]
    return AuditedRates(*np.array(rows).T)
