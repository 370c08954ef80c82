"""Test whether the number of audits in a log agrees with the logged probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastarac._core.quantiles import normal_quantile
from fastarac._core.special import binomial_cdf

# Each of the two tests refuses at most about this share of correct logs.
LEVEL = 0.001
# Maximum number of binomial tests. If there are more distinct probabilities, similar ones are tested
# together.
MOST_PARTS = 10


class UnlikelyNumberError(ValueError):
    """Error about a log with too few or too many audits; up to about 0.2% of correct logs raise it."""


def refuse_unlikely_numbers(
    probability: NDArray[np.float64], made: NDArray[np.bool_], words: str
) -> None:
    """Raise an UnlikelyNumberError if the audits do not fit the logged probabilities.

    For each accepted output, `probability` is the probability of an audit, and `made` is whether it was
    audited. `words` is the verb for audited outputs in messages: "have a result" or "were drawn".

    Outputs with similar probabilities are tested together, by a binomial test with their mean
    probability. This is conservative, because the binomial variance is the larger one (Hoeffding 1956).
    A second test finds small deviations that add up over several probabilities.
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
            raise UnlikelyNumberError(
                f"audit_probability does not fit: of {n:,} accepted outputs with probability {at}, "
                f"about {n * mean:,.0f} should be audited, but {k:,} {words}"
            )
    if n_parts > 1:
        _refuse_unlikely_sum(probability, made, words)


def _refuse_unlikely_sum(probability: NDArray[np.float64], made: NDArray[np.bool_], words: str) -> None:
    """Raise if the sum of V/π − 1 is beyond its normal quantile, corrected for skewness.

    Here π is the probability of an output, and V is 1 if it was audited, and 0 otherwise. The
    correction is the first term of the Cornish–Fisher expansion. Without the correction, a single audit
    with a tiny probability would be refused. In a simulation, this happened to 5% of correct logs of 5
    outputs.
    """
    n = len(probability)
    # With tiny probabilities, these sums may overflow to infinity. No number of audits is then refused.
    with np.errstate(over="ignore", invalid="ignore"):
        odds = (1.0 - probability) / probability
        variance, third = odds.sum(), (odds * (1.0 - 2.0 * probability) / probability).sum()
        z = normal_quantile(1.0 - LEVEL)
        reach, shift = z * np.sqrt(variance), (z * z - 1.0) / 6.0 * third / variance
        # Let the correction widen the allowed range, but never narrow it.
        low, high = n - reach + min(shift, 0.0), n + reach + max(shift, 0.0)
        stood_for = (1.0 / probability[made]).sum()
    if stood_for < low or stood_for > high:
        raise UnlikelyNumberError(
            f"audit_probability does not fit: the log has {n:,} accepted outputs, but weighted by "
            f"1/audit_probability, the outputs that {words} represent {stood_for:,.0f}; "
            f"{max(0.0, low):,.0f} to {high:,.0f} would be plausible"
        )
