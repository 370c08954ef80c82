"""Test whether new releases of a judge still judge fixed verified items (anchors) as before."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import failure_of
from fastarac._core.results import Result
from fastarac._core.text import percent, rounded_percent
from fastarac._engine.inputs import vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

SCARCE = 1e-9  # for p-values this close to 1, use the limit of the calibrated factor, 1/2


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRelease(Result):
    """The agreement of one release of a judge with people, on the anchors.

    Attributes
    ----------
    name : str or int
        The release.
    agreement : float
        The share of the anchors on which the judge agrees with people, in [0, 1].
    errors_found : float
        The share of the wrong anchors that the judge calls wrong; NaN if no anchor is wrong.
    false_alarms : float
        The share of the right anchors that the judge calls wrong; NaN if no anchor is right.
    kappa : float
        Cohen's κ between the judge and people; NaN if both give all anchors the same label.
    worse, better : int
        The numbers of anchors on which only the first release agrees with people, and on which only
        this one does.
    pvalue : float
        The p-value of the hypothesis that this release agrees with people at least as often as the
        earlier ones; 1 for the first release.
    evidence : float
        The evidence for drift so far, an e-value; 1 for the first release.

    See Also
    --------
    fastarac.operation.judge_drift : test whether a judge still judges as before
    JudgeDrift : all releases of a judge
    """

    name: str | int
    agreement: float
    errors_found: float
    false_alarms: float
    kappa: float
    worse: int
    better: int
    pvalue: float
    evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class JudgeDrift(Result):
    """The releases of a judge on fixed anchors, and whether it agrees with people less than before.

    Attributes
    ----------
    n : int
        The number of anchors.
    releases : tuple of JudgedRelease
        The releases, in order.
    failure_probability : float
        δ, the largest probability of ever giving a false alarm.

    See Also
    --------
    fastarac.operation.judge_drift : test whether a judge still judges as before
    fastarac.operation.ErrorRateMonitor : alarms where an error rate is above its limit
    """

    n: int
    releases: tuple[JudgedRelease, ...]
    failure_probability: float

    @property
    def alarm_at(self) -> Any:
        """The first release whose evidence reaches 1/δ, or None."""
        least = 1.0 / self.failure_probability
        return next((each.name for each in self.releases if each.evidence >= least), None)

    @property
    def alarm(self) -> bool:
        """Whether the evidence has reached 1/δ in any release, even if it fell again later."""
        return self.alarm_at is not None

    def __str__(self) -> str:
        first, last = self.releases[0], self.releases[-1]
        sure = percent(1.0 - self.failure_probability)
        now = (
            f"{last.name} agrees with people on {rounded_percent(last.agreement)} of {self.n:,} "
            f"anchors, {first.name} on {rounded_percent(first.agreement)}"
        )
        if not self.alarm:
            return f"no drift is shown: {now}"
        return f"drift: since {self.alarm_at}, the judge agrees less than before ({sure} sure); {now}"


def judge_drift(
    correct: ArrayLike,
    releases: Mapping[Any, ArrayLike],
    *,
    failure_probability: float = 0.05,
) -> JudgeDrift:
    r"""Test whether later releases of a judge agree with people as often as earlier ones did.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each anchor is right, as people say: bool, or 0 and 1.
    releases : mapping of str to array_like of shape (n,)
        For each release of the judge, in order: whether it calls each anchor right. At least one.
    failure_probability : float, default=0.05
        δ, the largest probability of a false alarm in any release, in (0, 1).

    Returns
    -------
    JudgeDrift
        The figures of each release, and whether the judge agrees with people less than before.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, lengths differ, or there is no anchor or no release.

    See Also
    --------
    ErrorRateMonitor : alarms where an error rate is above its limit
    fastarac.PartialTruth : truth of those items that people verified, with a judge's calls

    Notes
    -----
    The same anchors are judged in each release, so the results of two releases depend on each other.
    The null hypothesis says that the results of an anchor are exchangeable over the releases: the judge
    may be random, but has not changed. Number the releases from 0. Let release t disagree with people
    on W anchors, and let :math:`s_i` be the number of releases from 0 to t that disagree with people on
    anchor i. Then W is a sum of independent Bernoulli variables with probabilities :math:`s_i/(t+1)`.
    The p-value is the probability that this sum is at least W. For the second release, this is
    McNemar's exact test.

    The p-values of successive releases are independent, and each is stochastically at least as large as
    a uniform variable. Each release multiplies the evidence by a factor. If the release has the p-value
    p, its factor is :math:`\int_0^1 \kappa p^{\kappa-1}\,d\kappa = (1 - p + p\ln p)/(p\ln^2 p)`; but if
    W cannot vary under the null hypothesis, the factor is 1. The evidence is a test martingale (Vovk,
    Gammerman and Shafer 2022): the probability that it ever reaches 1/δ is at most δ.

    References
    ----------
    Vovk, Gammerman and Shafer 2022, "Algorithmic learning in a random world", chapters 8 and 11, on
    online compression models and test martingales; McNemar 1947.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> correct = rng.random(400) < 0.8
    >>> calls = {name: correct ^ (rng.random(400) < share) for name, share in
    ...          {"v1": 0.08, "v2": 0.08, "v3": 0.2}.items()}
    >>> found = fa.operation.judge_drift(correct, calls)
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    drift: since v3, the judge agrees less than before (95% sure); v3 agrees with people on 78.2% of 400
    anchors, v1 on 94.8%
    """
    delta = failure_of(failure_probability, "failure_probability")
    truth = _flags(correct, "correct", None)
    n = len(truth)
    if not n or not releases:
        raise ValueError(f"{'releases' if n else 'correct'} is empty")
    found: list[JudgedRelease] = []
    times = np.zeros(n, np.int64)  # number of releases that disagreed with people, by anchor
    first, evidence = truth, 1.0
    for t, (name, calls) in enumerate(releases.items()):
        judged = _flags(calls, f"releases[{name!r}]", n)
        differs = judged != truth
        times += differs
        pvalue = 1.0
        if t:
            pvalue, can_differ = _pvalue(times, int(differs.sum()), t + 1)
            evidence *= _factor(pvalue) if can_differ else 1.0
        else:
            first = differs
        found.append(_release(name, truth, judged, first, pvalue, evidence))
    return JudgeDrift(n, tuple(found), delta)


def _flags(values: ArrayLike, name: str, n: int | None) -> NDArray[np.bool_]:
    """Return labels as booleans; raise unless there are n of them, each 0 or 1."""
    array = vector(values, name)
    if n is not None and len(array) != n:
        raise ValueError(f"{name} has {len(array)} items and correct has {n}")
    bad = (array != 0) & (array != 1)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{name}[{row}] must be 0 or 1, got {array[row]}")
    return np.asarray(array == 1)


def _pvalue(times: NDArray[np.int64], differ: int, releases: int) -> tuple[float, bool]:
    """Return the probability of at least `differ` disagreements, and whether the number can vary."""
    counts = np.bincount(times, minlength=releases + 1)
    at_random = differ - int(counts[releases])  # all releases disagree on the other anchors
    law = np.ones(1)
    for k in range(1, releases):
        if counts[k]:
            law = np.convolve(law, _binomial(int(counts[k]), k / releases))
    return min(1.0, float(np.sum(law[max(at_random, 0) :]))), len(law) > 1


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    """Return the probabilities of 0 to n successes in n trials."""
    k = np.arange(1, n + 1)
    logs = np.cumsum(np.log((n + 1 - k) / k) + math.log(p) - math.log1p(-p))
    return np.exp(np.append(0.0, logs) + n * math.log1p(-p))


def _factor(pvalue: float) -> float:
    """Return the calibrated evidence of a p-value: the integral of κ p^(κ − 1) over κ in [0, 1]."""
    if pvalue >= 1.0 - SCARCE:
        return 0.5
    if pvalue <= 0.0:
        return math.inf
    log = math.log(pvalue)
    if abs(log) < 1e-3:  # the formula would lose digits by cancellation: use its series
        return 0.5 - log / 3.0 + log * log / 8.0
    return (1.0 - pvalue + pvalue * log) / (pvalue * log**2)


def _release(
    name: Any,
    truth: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    first: NDArray[np.bool_],
    pvalue: float,
    evidence: float,
) -> JudgedRelease:
    """Return the figures of one release; `first` marks the disagreements of the first release."""
    n, differs = len(truth), judged != truth
    wrong, flagged = int(np.sum(~truth)), int(np.sum(~judged))
    found, alarms = int(np.sum(~truth & ~judged)), int(np.sum(truth & ~judged))
    agreement = 1.0 - int(differs.sum()) / n
    chance = (wrong * flagged + (n - wrong) * (n - flagged)) / n**2
    return JudgedRelease(
        name,
        agreement,
        found / wrong if wrong else math.nan,
        alarms / (n - wrong) if wrong < n else math.nan,
        (agreement - chance) / (1.0 - chance) if chance < 1.0 else math.nan,
        int(np.sum(differs & ~first)),
        int(np.sum(first & ~differs)),
        pvalue,
        evidence,
    )
