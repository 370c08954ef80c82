"""The statistics of monitors: tests of a limit since the start, and detectors of recent changes.

`AuditedOutputs` computes likelihood ratios, and `AuditedGroups` betting factors. `ChangeDetector` takes
these factors to detect that a rate has risen. All values are logarithms, so that nothing overflows.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from fastarac._core.special import log_beta
from fastarac.operation.sequences import log_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Detector k of the mixture is tuned to a rate of 2^(k/2) times the limit.
SIZES = range(1, 9)
HALF = 0.5
# Largest exponent that is used, because exp overflows in float64 from about 709.8.
LARGEST_EXPONENT = 700.0
# Maximum difference between machines in the logarithm of a statistic, due to rounding.
ROUNDING = 1e-9
# Maximum number of steps of a bisection.
STEPS = 200


class Update(NamedTuple):
    """Counts of one update: errors, audits, and (errors, audits, unanswered) of each group.

    `unanswered` is the number of audits without an answer, which are not counted in `errors`.
    """

    errors: int
    audited: int
    groups: tuple[tuple[int, int, int], ...] | None = None
    drawn_at: float | None = None
    unanswered: int = 0


class AuditedOutputs:
    """Audits of single outputs, drawn independently at random, and a limit on their error rate."""

    method = "beta mixture"

    def __init__(self, limit: float) -> None:
        self.limit = limit
        # Unanswered audits are also counted in `_right`.
        self._errors = self._right = self._unanswered = 0
        # For each detector k: log(pₖ/ε) and log((1 − pₖ)/(1 − ε)), where ε is the limit and pₖ is the
        # rate of detector k, at most (1 + ε)/2. At this maximum, (1 − pₖ)/(1 − ε) is exactly 1/2.
        risen = [limit * 2.0 ** (k / 2) for k in SIZES]
        most = HALF * (1.0 + limit)
        self._factors = [
            (math.log(min(p, most) / limit), math.log1p(-p) - math.log1p(-limit) if p < most
             else math.log(HALF))
            for p in risen
        ]  # fmt: skip

    def add(self, update: Update) -> None:
        """Add the audits of an update to the totals."""
        self._errors += update.errors
        self._right += update.audited - update.errors
        self._unanswered += update.unanswered

    def log_factors(self, update: Update) -> list[float]:
        """Return log((pₖ/ε)^S·((1 − pₖ)/(1 − ε))^(m − S)) for each detector k.

        The update has S errors among m audits, ε is the limit, and pₖ is the rate of detector k.
        """
        right = update.audited - update.errors
        return [update.errors * wrong + right * fine for wrong, fine in self._factors]

    def log_e_value(self) -> float:
        """Return log E of all audits; E is a mean likelihood ratio over rates above the limit."""
        trials = self._errors + self._right
        return log_above(self._errors, trials, self.limit, self.limit, HALF)

    def sequence(self, failure_probability: float) -> tuple[float, float]:
        """Return the lowest and highest rate that are not refuted at level δ = `failure_probability`.

        A rate is refuted if its likelihood is at most δ times the mean likelihood under a beta
        distribution of rates. Unanswered audits count as right for the lower end and as errors for the
        upper end.
        """
        bound = -math.log(failure_probability)
        s, r, u = self._errors, self._right, self._unanswered
        low = 0.0 if s == 0 else _end(self._refuting(s, r, bound), s / (s + r), 0.0)
        s, r = s + u, r - u
        inside = s / (s + r) if s + r else HALF
        high = 1.0 if r == 0 else _end(self._refuting(s, r, bound), inside, 1.0)
        return low, high

    def _refuting(self, s: int, r: int, bound: float) -> Callable[[float], bool]:
        """Return a function that tells whether s errors and r right outputs refute a given rate."""
        a, b = HALF, HALF / self.limit
        mixture = log_beta(a + s, b + r) - log_beta(a, b)

        def refuted(p: float) -> bool:
            likelihood = r * math.log1p(-p)
            if s:
                likelihood += s * math.log(p)
            return mixture - likelihood >= bound

        return refuted


class AuditedGroups:
    """Audits of whole groups, each drawn at random, and a limit on their error rate."""

    method = "betting"

    def __init__(self, limit: float, max_group_size: int) -> None:
        self.limit = limit
        self.max_group_size = max_group_size
        # Numbers of groups with each pair (errors, audits). An unanswered audit counts as right in
        # `_seen`, and as an error in `_worst`.
        self._seen: Counter[tuple[int, int]] = Counter()
        self._worst: Counter[tuple[int, int]] = Counter()

    def add(self, update: Update) -> None:
        """Add the groups of an update to the totals."""
        for s, m, u in update.groups or ():
            self._seen[s, m] += 1
            self._worst[s + u, m] += 1

    def log_factors(self, update: Update) -> list[float]:
        """Return log Π(1 + λₖ(S_g − ε·m_g)) for each detector k, as a product over groups g.

        Group g has S_g errors in m_g audits, ε is the limit, and λₖ is the stake of detector k.
        """
        return self._log_above(Counter((s, m) for s, m, _ in update.groups or ()), self.limit)

    def _log_above(self, seen: Counter[tuple[int, int]], rate: float) -> list[float]:
        """Return, for each detector, the log wealth of its bets on a rate above `rate`.

        The bets of detector k have the stake λₖ = 2⁻ᵏ/(rate·max_group_size).
        """
        pages = [
            ((s / rate - m) / self.max_group_size, number) for (s, m), number in sorted(seen.items())
        ]
        return [math.fsum(n * math.log1p(x / 2**k) for x, n in pages) for k in SIZES]

    def _log_below(self, rate: float) -> list[float]:
        """Return, for each detector, the log wealth of its bets on a rate below `rate`.

        The bets of detector k have the stake λₖ = −2⁻ᵏ/((1 − rate)·max_group_size).
        """
        pages = [
            ((rate * m - s) / ((1.0 - rate) * self.max_group_size), number)
            for (s, m), number in sorted(self._worst.items())
        ]
        return [math.fsum(n * math.log1p(x / 2**k) for x, n in pages) for k in SIZES]

    def log_e_value(self) -> float:
        """Return log E of all groups; E is the mean wealth of all detectors' bets against the limit."""
        return log_mean(self._log_above(self._seen, self.limit))

    def sequence(self, failure_probability: float) -> tuple[float, float]:
        """Return the range of rates that bets do not refute at level δ = `failure_probability`.

        Bets on a higher rate give the lower end, and bets on a lower rate the upper end, each at level
        δ/2.
        """
        bound = -math.log(HALF * failure_probability)
        errors, worst = (sum(n * s for (s, _), n in of.items()) for of in (self._seen, self._worst))
        audited = sum(n * m for (_, m), n in self._seen.items())
        rate, highest = (s / audited if audited else HALF for s in (errors, worst))
        low, high = 0.0, 1.0
        # Bisection finds the ends, because wealth changes monotonically with the assumed rate.
        if errors:
            low = _end(lambda p: log_mean(self._log_above(self._seen, p)) >= bound, rate, 0.0)
        if worst < audited:
            high = _end(lambda p: log_mean(self._log_below(p)) >= bound, highest, 1.0)
        return low, high


class ChangeDetector:
    r"""A Shiryaev–Roberts e-detector: it gives an alarm if a rate recently rose above its limit.

    The statistic Rₖ of detector k starts at 0. Each update changes Rₖ to (1 + Rₖ)·Fₖ, where Fₖ is the
    factor of the detector for this update. There is an alarm when the mean M of all Rₖ reaches N, the
    argument `mean_updates_to_false_alarm`. While the limit is kept, each Fₖ has a mean of at most 1. So
    the mean of M − (number of updates) + N·(number of alarms) does not increase. Therefore up to update
    T, there are at most T/N alarms on average (Shin, Ramdas and Rinaldo 2023).
    """

    def __init__(self, mean_updates_to_false_alarm: int) -> None:
        self._log_goal = math.log(mean_updates_to_false_alarm)
        self._log: list[float] = [-math.inf] * len(SIZES)
        self.statistic = 0.0

    def add(self, log_factors: Iterable[float], told: bool | None = None) -> bool:
        """Add an update, and return whether it gives an alarm; after an alarm, restart at 0.

        If M equals N up to rounding, `told` decides whether there is an alarm, unless it is None.
        """
        self._log = [_log_add_one(r) + f for r, f in zip(self._log, log_factors, strict=True)]
        log_mean_of = log_mean(self._log)
        self.statistic = math.exp(min(log_mean_of, LARGEST_EXPONENT))
        beyond = log_mean_of - self._log_goal
        alarm = beyond >= 0.0 if told is None or abs(beyond) > ROUNDING else told
        if alarm:
            self._log = [-math.inf] * len(SIZES)
        return alarm


def log_mean(logarithms: list[float]) -> float:
    """Return the logarithm of the mean of numbers, given their logarithms."""
    most = max(logarithms)
    if most == -math.inf:
        return most
    total = math.fsum(math.exp(each - most) for each in logarithms)
    return most + math.log(total / len(logarithms))


def _log_add_one(logarithm: float) -> float:
    """Return log(1 + R) from log R."""
    if logarithm > 0.0:
        return logarithm + math.log1p(math.exp(-logarithm))
    return math.log1p(math.exp(logarithm))


def _end(refuted: Callable[[float], bool], inside: float, outside: float) -> float:
    """Find the boundary between the rates that are refuted and those that are not, by bisection.

    The rate `inside` is not refuted. The rate `outside` and the result are refuted.
    """
    for _ in range(STEPS):
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            break
        inside, outside = (inside, middle) if refuted(middle) else (middle, outside)
    return outside
