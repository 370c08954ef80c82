"""Whether a log has as many audits as the probability in it makes likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastarac._core.quantiles import normal_quantile
from fastarac._core.special import binomial_cdf

LEVEL = 0.001  # each of the two tests refuses at most about this share of honest logs
MOST_PARTS = 10  # with more distinct probabilities, tenths of these are tested


def refuse_unlikely_numbers(
    probability: NDArray[np.float64], made: NDArray[np.bool_], words: str
) -> None:
    """Raise a ValueError where the audits do not fit the probabilities that were logged.

    `probability` is that with which each accepted output was to be audited, `made` whether it was, and
    `words` say that of them: "have a result", or "were drawn".

    Audits at one probability are binomial. Those at a tenth of many distinct ones vary less than the
    binomial distribution with their mean (Hoeffding 1956), which is taken for them. Small deviations
    that add up over several probabilities are seen in the sum of V/π − 1, V = 1 of what was audited.
    """
    distinct, codes = np.unique(probability, return_inverse=True)
    n_parts = min(len(distinct), MOST_PARTS)
    part_of = np.arange(len(distinct)) * n_parts // max(1, len(distinct))
    part = part_of[codes]
    for i in range(n_parts):
        here = part == i
        n, k, own = int(here.sum()), int(made[here].sum()), distinct[part_of == i]
        mean = float(probability[here].mean())
        tails = binomial_cdf(k, n, mean), binomial_cdf(n - k, n, 1.0 - mean)
        if min(tails) < LEVEL / (2 * n_parts):
            at = f"{own[0]:g}" if len(own) == 1 else f"{own[0]:g} to {own[-1]:g}"
            raise ValueError(
                f"audit_probability does not fit: of {n:,} outputs accepted at probability {at}, "
                f"about {n * mean:,.0f} should be audited, but {k:,} {words}"
            )
    if n_parts > 1:
        _refuse_unlikely_sum(probability, made, words)


def _refuse_unlikely_sum(probability: NDArray[np.float64], made: NDArray[np.bool_], words: str) -> None:
    """Raise where the sum of V/π − 1 is beyond its normal quantile, corrected for skewness.

    Without the first correction of Cornish and Fisher, one audit at a tiny probability would be too
    many: 5% of honest logs of 5 outputs at about 1% were refused. The tail that the skewness makes
    shorter is left as it is.
    """
    n = len(probability)
    with np.errstate(over="ignore", invalid="ignore"):  # at tiny probabilities any number is likely
        odds = (1.0 - probability) / probability
        variance, third = odds.sum(), (odds * (1.0 - 2.0 * probability) / probability).sum()
        z = normal_quantile(1.0 - LEVEL)
        reach, shift = z * np.sqrt(variance), (z * z - 1.0) / 6.0 * third / variance
        low, high = n - reach + min(shift, 0.0), n + reach + max(shift, 0.0)
        stood_for = (1.0 / probability[made]).sum()
    if stood_for < low or stood_for > high:
        raise ValueError(
            f"audit_probability does not fit: {n:,} outputs were accepted, but those that {words} "
            f"stand for {stood_for:,.0f}, each for one over its audit probability, instead of "
            f"{max(0.0, low):,.0f} to {high:,.0f}"
        )
