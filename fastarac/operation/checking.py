"""Whether the limit of a policy holds on new verified outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.inputs import whole_number
from fastarac._core.interval import Interval
from fastarac._core.results import Result
from fastarac._core.special import binomial_cdf, binomial_interval, binomial_upper_bound
from fastarac._core.text import percent
from fastarac.operating.clusters import wealth

if TYPE_CHECKING:
    from numpy.typing import NDArray

Verdict = Literal["holds", "fails", "too few"]
EXIT_STATUS = {"holds": 0, "fails": 1, "too few": 3}
_NOUN = {"max_error_rate": "of all outputs", "max_risk": "of the accepted outputs"}
FURTHEST = 2**50  # items beyond which none can be asked for
# rates that the interval of dependent items is searched among
RATES = np.unique(np.concatenate([np.geomspace(1e-5, 0.5, 150), np.linspace(0.5, 1.0, 20)]))


@dataclass(frozen=True, slots=True, eq=False)
class PolicyCheck(Result):
    """Whether a limit holds on new verified outputs. Printed, it is a sentence.

    Attributes
    ----------
    verdict : {"holds", "fails", "too few"}
        Whether the rate is proved to be within the limit, or above it, or neither.
    interval : Interval
        The rate that is limited, with an interval whose either end holds but for the failure
        probability of the policy.
    criterion : {"max_error_rate", "max_risk"}
        What is limited.
    limit : float
        The error rate or risk that is to be kept.
    n_items, accepted, errors : int
        Outputs, accepted ones among them, and errors among these.
    still_needed : int or None
        Of "too few", about how many more outputs it takes if the rate stays as it was found; None
        where the rate is that of the limit.
    """

    verdict: Verdict
    interval: Interval
    criterion: str
    limit: float
    n_items: int
    accepted: int
    errors: int
    still_needed: int | None = None

    @property
    def exit_status(self) -> int:
        """0 where the limit holds, 1 where it fails, 3 where the outputs are too few to tell."""
        return EXIT_STATUS[self.verdict]

    def __str__(self) -> str:
        found = self.interval
        rate = f"{percent(found.estimate, 4)} {_NOUN[self.criterion]} are undetected errors"
        ends = f"{percent(found.low, 4)} to {percent(found.high, 4)}"
        head = f"the limit of {percent(self.limit)}"
        if self.verdict == "too few":
            more = "" if self.still_needed is None else f"; about {self.still_needed:,} more are needed"
            return f"too few outputs to tell whether {head} holds: {rate} ({ends}){more}"
        return f"{head} {self.verdict}: {rate} ({ends})"


class _Ends(NamedTuple):
    low: float
    high: float
    method: str


def check_of(
    accepted: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    codes: NDArray[Any] | None,
    criterion: str,
    limit: float,
    delta: float,
    max_group_size: int | None,
) -> PolicyCheck:
    """Test both sides of a limit, each with `delta`; `wrong` are accepted and incorrect items."""
    n, n_accepted, errors = len(accepted), int(accepted.sum()), int(wrong.sum())
    trials = n if criterion == "max_error_rate" else n_accepted
    estimate = errors / trials if trials else math.nan
    counted = np.ones(n, np.bool_) if criterion == "max_error_rate" else accepted
    if codes is None:
        ends = _exact(errors, trials, delta)
    else:
        ends = _of_groups(counted, wrong, codes, limit, delta, max_group_size)
    verdict: Verdict = "too few"
    if ends.high <= limit:
        verdict = "holds"
    elif ends.low > limit:
        verdict = "fails"
    needed = None
    if verdict == "too few" and trials:
        effect = variance_ratio(counted, wrong, codes)
        whole = _needed(estimate, limit, delta)
        if whole is not None:
            needed = max(1, math.ceil(whole * effect * n / trials) - n)
    interval = Interval(estimate, ends.low, ends.high, math.nan, 1.0 - 2.0 * delta, ends.method)
    return PolicyCheck(verdict, interval, criterion, limit, n, n_accepted, errors, needed)


def _exact(errors: int, trials: int, delta: float) -> _Ends:
    if not trials:
        return _Ends(0.0, 1.0, "Clopper–Pearson")
    return _Ends(*binomial_interval(errors, trials, 1.0 - 2.0 * delta), "Clopper–Pearson")


def _of_groups(
    counted: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    codes: NDArray[Any],
    limit: float,
    delta: float,
    max_group_size: int | None,
) -> _Ends:
    """The rates that betting on groups in random order does not refute, on either side.

    A rate r is refuted from above where bets on FA − r·m of each group win, and from below where bets
    on r·m − FA do (Waudby-Smith and Ramdas 2024). What is not refuted on a grid is kept, and with it
    everything between.
    """
    sizes = np.bincount(codes)
    largest = int(sizes.max())
    if max_group_size is not None:
        most = whole_number(max_group_size, "max_group_size", 1)
        if largest > most:
            message = f"max_group_size is {most}, but a group has {largest} items"
            raise ValueError(message)
        largest = most
    order = np.random.default_rng(0).permutation(len(sizes))
    counts = np.bincount(codes, counted)[order]
    errors = np.bincount(codes, wrong)[order]
    rates = np.union1d(RATES, limit) if 0.0 < limit < 1.0 else RATES
    inner = rates[:-1].tolist()
    above = [wealth(errors - r * counts, largest, r) >= 1.0 / delta for r in inner]
    below = [wealth(r * counts - errors, largest, 1.0 - r) >= 1.0 / delta for r in inner]
    # the first rate from which on every higher one is refuted, and the last below which all are
    kept = np.flatnonzero(~np.array(above))
    high = float(rates[kept[-1] + 1]) if len(kept) else float(rates[0])
    left = np.flatnonzero(~np.array(below))
    low = float(rates[left[0] - 1]) if len(left) and left[0] else 0.0
    return _Ends(low, high, "betting")


def variance_ratio(
    counted: NDArray[np.bool_], wrong: NDArray[np.bool_], codes: NDArray[Any] | None
) -> float:
    """By how much groups raise the variance of the rate, at least 1."""
    if codes is None:
        return 1.0
    rate = float(wrong.sum()) / max(1.0, float(counted.sum()))
    alone = float(counted.sum()) * rate * (1.0 - rate)
    if alone <= 0.0:
        return float(np.mean(np.bincount(codes)[codes]))
    residual = np.bincount(codes, wrong - rate * counted)
    return max(1.0, float(residual @ residual) / alone)


def _needed(rate: float, limit: float, delta: float) -> int | None:
    """Trials at which a rate that stays as it is would be proved to be on its side of the limit."""
    if rate == limit or limit in (0.0, 1.0):
        return None

    def decided(n: int) -> bool:
        if rate < limit:
            errors = math.ceil(rate * n - 1e-9)
            return binomial_cdf(errors, n, limit) <= delta
        errors = math.floor(rate * n + 1e-9)
        return 1.0 - binomial_upper_bound(n - errors, n, delta) > limit

    n = 1
    while not decided(n):
        n *= 2
        if n > FURTHEST:
            return None
    low = n // 2
    while n - low > 1:
        middle = (n + low) // 2
        if decided(middle):
            n = middle
        else:
            low = middle
    return n
