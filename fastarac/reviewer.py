"""People or judges who verify outputs, the errors they make, and tests that allow for these errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fastarac._core.bisection import change_of
from fastarac._core.checks import (
    fraction_of,
    inner_fraction,
    reject_where,
    require_type,
    same_number,
    whole_number,
)
from fastarac._core.exceptions import warn_too_small, warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.results import Pickled
from fastarac._core.special import binomial_interval
from fastarac._core.text import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    class _Counts(Protocol):
        """The counts of a ThresholdSweep, or of one operating point."""

        @property
        def false_accepts(self) -> Any: ...
        @property
        def false_rejects(self) -> Any: ...
        @property
        def true_rejects(self) -> Any: ...
        @property
        def total(self) -> int | float: ...


FEWEST_FOUND = 100  # A warning is issued if d is estimated from fewer errors than this.
OF_FAILURE = 0.25  # share of the failure probability δ that is spent on the bound of d
CONTRADICTED = 0.05  # p-value below which verified outputs contradict a judge's rates


@dataclass(frozen=True, slots=True)
class Reviewer(Pickled):
    r"""People who overlook some errors, and who may see errors where there are none.

    Of the incorrect items that they verify, they find and correct the share `detection_rate`; the
    others stay wrong. They make the share `false_alarm_rate` of the correct items wrong. Each changed
    item costs a correction.

    In other functions, `reviewer` means the people who correct rejected items. There, `truth_reader`
    means the people or the judge (such as a language model) whose answers are taken as the truth.

    Attributes
    ----------
    detection_rate : float, default=1.0
        d, the share of the incorrect items that they find and correct, in [0, 1].
    false_alarm_rate : float, default=0.0
        a, the share of the correct items that they take for errors and make wrong, in [0, 1].
    double_readings : tuple of three int, optional
        Three counts from which `detection_rate` is estimated. Two people read the same items without
        seeing each other's answers. The counts are the numbers of errors found by both readers, only by
        the first, and only by the second. The first reader's answers are used as the truth.
    estimated_from : tuple of two int, optional
        The numbers of wrong and of right outputs, with known truth, from which the two rates were
        estimated. Intervals then allow for the uncertainty of the rates.

    See Also
    --------
    VerificationCosts : prices of an item that is verified, that is corrected, or that stays wrong
    fastarac.costs.optimal_operating_point : threshold with the lowest total cost

    Notes
    -----
    With d = 1 and a = 0, the error rate R_E and the correction rate R_C are equations 5 and 4 of Kimura
    et al. 2024. In general they are as follows, where F_A, F_R and T_R are the numbers of false
    accepts, false rejects and true rejects, and Ω is the number of items:

    .. math:: R_E = \frac{F_A + (1-d)\,T_R + a\,F_R}{\Omega},\qquad
              R_C = \frac{d\,T_R + a\,F_R}{\Omega}.

    If β is the share of correct items, equation 7 becomes β + R_E + R_C = 1 + 2a·F_R/Ω. A correct item
    that people make wrong counts as an error and as a correction. If β′ = β − 2a·F_R/Ω replaces β,
    equations 7, 14 and 15 hold as printed.

    If d < 1 or a > 0, errors remain even when everything is verified. If a > 0, R_E may decrease while
    more items are accepted.

    **Two readers.** If the two readers find errors independently, the first reader finds the share d of
    the errors that the second found. With `double_readings` = (b, f, s), the estimate is d̂ = b/(b + s)
    (Lincoln and Petersen), with Clopper–Pearson bounds. Use only readings of accepted items, because
    errors with low confidence may be easier to find. Errors that are hard for everybody make d̂ too
    high, which the counts cannot show. If one reader never errs, use a :class:`.PartialTruth` with this
    reader's answers as `correct` and the other reader's answers as `judge`.

    **A judge of known error.** `detection_rate` is the sensitivity of a judge that tests for errors,
    and 1 − `false_alarm_rate` is its specificity. If both were estimated from other outputs, give the
    numbers of those outputs as `estimated_from`. The rates must be the same in the outputs that the
    judge labels now; labels cannot show whether they are.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 4, 5, 7 and 14, generalised here to people who
    make mistakes; Seber 1982, "The estimation of animal abundance", on two captures; Rogan and Gladen
    1978, "Estimating prevalence from the results of a screening test".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> sweep = fa.threshold_sweep(correct, confidence)
    >>> people = fa.Reviewer(detection_rate=0.75, false_alarm_rate=0.25)
    >>> people.error_rate(sweep)
    array([0.25, 0.2 , 0.15, 0.1 , 0.25, 0.4 ])
    >>> sweep.error_rate
    array([0. , 0. , 0. , 0. , 0.2, 0.4])
    """

    detection_rate: float = 1.0
    false_alarm_rate: float = 0.0
    double_readings: tuple[int, int, int] | None = None
    estimated_from: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for name in ("detection_rate", "false_alarm_rate"):
            rate = fraction_of(getattr(self, name), name)
            object.__setattr__(self, name, rate)
        if self.double_readings is not None:
            both, first, second = _counts_of(self.double_readings)
            estimate = both / (both + second)
            if self.detection_rate not in (1.0, estimate):
                raise ValueError(
                    f"detection_rate must be left out if double_readings are given (they give "
                    f"{estimate:.4g}), got {self.detection_rate:g}"
                )
            object.__setattr__(self, "detection_rate", estimate)
            object.__setattr__(self, "double_readings", (both, first, second))
        if self.estimated_from is not None:
            object.__setattr__(self, "estimated_from", self._read_sizes())

    def _read_sizes(self) -> tuple[int, int]:
        """Return `estimated_from`; raise unless it holds two counts and `double_readings` is None."""
        sizes = self.estimated_from
        require_type(sizes, (tuple, list), "estimated_from", "two counts", shown=False)
        if sizes is None or len(sizes) != 2:
            raise ValueError(
                "estimated_from must hold two counts (of wrong and of right outputs), "
                f"got {len(sizes or ())}"
            )
        if self.double_readings is not None:
            raise ValueError("estimated_from must be left out if double_readings are given")
        wrong, right = (whole_number(each, f"estimated_from[{i}]", 1) for i, each in enumerate(sizes))
        return wrong, right

    @property
    def sizes(self) -> tuple[float, float]:
        """Numbers of outputs behind the estimates of d and a; infinity for a rate that is known."""
        if self.double_readings is not None:
            return float(self.double_readings[0] + self.double_readings[2]), math.inf
        return self.estimated_from or (math.inf, math.inf)

    @property
    def is_estimated(self) -> bool:
        """Whether a rate was estimated from a number of outputs, and is therefore uncertain."""
        return min(self.sizes) < math.inf

    def detection_bounds(self, failure_probability: float) -> tuple[float, float]:
        """Return lower and upper bounds of d; each fails with at most this probability.

        These are the Clopper–Pearson bounds, or d itself if d is known.
        """
        return _bounds(self.detection_rate, self.sizes[0], failure_probability)

    def false_alarm_bounds(self, failure_probability: float) -> tuple[float, float]:
        """Return lower and upper bounds of a; each fails with at most this probability."""
        return _bounds(self.false_alarm_rate, self.sizes[1], failure_probability)

    def corrected_error_rate(
        self, called_wrong: int, n_items: int, *, confidence_level: float = 0.95
    ) -> Interval:
        r"""Estimate the share of wrong outputs from the number that a judge calls wrong.

        Parameters
        ----------
        called_wrong : int
            The number of outputs that the judge calls wrong, from 0 to `n_items`.
        n_items : int
            The number of outputs that the judge labelled, at least 1.
        confidence_level : float, default=0.95
            The level of the interval, in (0, 1).

        Returns
        -------
        Interval
            The error rate of the outputs' source, in [0, 1]. The interval is [0, 1] if the uncertain
            rates of the judge allow every error rate.

        Raises
        ------
        ValueError
            If a number is outside its range, or `detection_rate` is not above `false_alarm_rate`.

        See Also
        --------
        fastarac.PartialTruth : the same correction of other statistics, with `truth_reader`

        Notes
        -----
        With q = `called_wrong`/`n_items`, the estimate is p = (q − a)/(d − a), limited to [0, 1] (Rogan
        and Gladen 1978). The interval holds all p for which

        .. math:: \hat q - p\,\hat d - (1 - p)\,\hat a

        may have the mean 0. The bounds follow Zou and Donner 2008 for sums of independent estimates,
        with the Clopper–Pearson intervals of q, d and a.

        References
        ----------
        Rogan and Gladen 1978, "Estimating prevalence from the results of a screening test"; Zou and
        Donner 2008, "Construction of confidence limits about effect measures"; Lang and
        Reiczigel 2014, "Confidence limits for prevalence of disease adjusted for estimated sensitivity
        and specificity", on other intervals of p.

        Examples
        --------
        A judge found 180 of 200 errors, and called 40 of 800 right outputs wrong. Of 2,000 new outputs,
        it calls 270 wrong:

        >>> import fastarac as fa
        >>> judge = fa.Reviewer(180 / 200, 40 / 800, estimated_from=(200, 800))
        >>> judge.corrected_error_rate(270, 2_000)
        Interval(0.1 [0.074091, 0.124642], 95%, inversion)
        """
        n = whole_number(n_items, "n_items", 1)
        k = whole_number(called_wrong, "called_wrong", 0)
        if k > n:
            raise ValueError(f"called_wrong must be at most n_items ({n}), got {k}")
        level = inner_fraction(confidence_level, "confidence_level")
        people = informative(self, "the Reviewer") or self
        d, a = people.detection_rate, people.false_alarm_rate
        q = k / n
        p = min(1.0, max(0.0, (q - a) / (d - a)))
        low, high = interval_of_errors(people, q, binomial_interval(k, n, level), level)
        spread = math.hypot(math.sqrt(q * (1.0 - q) / n) / (d - a), doubt_of(people, p, 1.0 - p))
        return Interval(p, min(low, p), max(high, p), spread, level, "inversion")

    def rates_p_value(self, correct: ArrayLike, called_right: ArrayLike) -> float:
        """Test whether verified outputs contradict the judge's rates.

        Parameters
        ----------
        correct : array_like of shape (n,)
            Whether each output was right (1 or 0); NaN for unverified outputs, which are left out. The
            verified ones must have been drawn with equal probabilities.
        called_right : array_like of shape (n,)
            Whether the judge called each output right (1 or 0).

        Returns
        -------
        float
            Twice the smaller of the two exact p-values for the two rates, at most 1.

        Warns
        -----
        UnreliableIntervalWarning
            If the p-value is below 0.05. Then estimates that are corrected by these rates may be wrong.

        Notes
        -----
        The rate among the verified outputs is compared with the judge's rate: by Fisher's
        exact test if the judge's rate was estimated from other outputs, and by the binomial test if it
        is known. The factor of two allows for two tests (Bonferroni).

        References
        ----------
        Fisher 1935, "The logic of inductive inference", on tables of two by two.

        Examples
        --------
        >>> import fastarac as fa
        >>> judge = fa.Reviewer(0.9, 0.05, estimated_from=(200, 800))
        >>> correct = [0] * 20 + [1] * 80
        >>> called_right = [0] * 15 + [1] * 5 + [0] * 4 + [1] * 76
        >>> round(judge.rates_p_value(correct, called_right), 3)
        0.118
        """
        from fastarac._engine.inputs import labels_in_part

        truth, labels = labels_in_part(correct, "correct"), labels_in_part(called_right, "called_right")
        same_number("called_right", len(labels), "correct", len(truth))
        known = truth == truth
        for name, values in (("correct", truth[known]), ("called_right", labels[known])):
            reject_where((values != 0.0) & (values != 1.0), values, name, "0 or 1")
        p_values = []
        rates = self.detection_rate, self.false_alarm_rate
        for value, rate, size in zip((0.0, 1.0), rates, self.sizes, strict=True):
            of_class = labels[truth == value]
            p_values.append(_p_value(int((of_class == 0.0).sum()), len(of_class), rate, size))
        p = min(1.0, 2.0 * min(p_values))
        if p < CONTRADICTED:
            warn_unreliable(
                f"the verified outputs contradict the rates of the judge (p = {p:.2g}): estimates "
                "corrected by these rates may be wrong"
            )
        return p

    def error_rate(self, counts: _Counts) -> Any:
        """Error rate R_E = [FA + (1 − d)·TR + a·FR]/Ω, the share of items that are wrong in the end.

        Parameters
        ----------
        counts : ThresholdSweep or OperatingPoint
            The counts of accepted and rejected items.

        Returns
        -------
        float or ndarray of shape (m + 1,)
            R_E in [0, 1]; for a sweep, an array with one value per threshold.
        """
        errors = self.errors(counts.false_accepts, counts.false_rejects, counts.true_rejects)
        return errors / counts.total

    def correction_rate(self, counts: _Counts) -> Any:
        """Correction rate R_C = [d·TR + a·FR]/Ω, the share of items that people change."""
        changed = self.detection_rate * counts.true_rejects
        changed = changed + self.false_alarm_rate * counts.false_rejects
        return changed / counts.total

    def accuracy_after_correction(self, counts: _Counts) -> Any:
        """Accuracy Y = 1 − R_E, the share of items that are right in the end."""
        errors = self.errors(counts.false_accepts, counts.false_rejects, counts.true_rejects)
        return (counts.total - errors) / counts.total

    def errors(self, false_accepts: Any, false_rejects: Any, true_rejects: Any) -> Any:
        """Number of items that are wrong in the end, FA + (1 − d)·TR + a·FR.

        Parameters
        ----------
        false_accepts, false_rejects, true_rejects : float or ndarray
            FA, FR and TR, as numbers or total weights of items.

        Returns
        -------
        float or ndarray
        """
        overlooked = (1.0 - self.detection_rate) * true_rejects
        return false_accepts + overlooked + self.false_alarm_rate * false_rejects


def doubt_of(people: Reviewer, of_wrong: float, of_right: float) -> float:
    """Return the part of a statistic's standard error that is due to the uncertainty of d and a.

    `of_wrong` and `of_right` are sums of the statistic's derivatives by the errors of wrong and of
    right items. The derivatives by d and a are −`of_wrong`/(d − a) and −`of_right`/(d − a).
    """
    d, a = people.detection_rate, people.false_alarm_rate
    by_d, by_a = map(_error_of, (d, a), people.sizes)
    return math.hypot(of_wrong * by_d, of_right * by_a) / (d - a)


def interval_of_errors(
    people: Reviewer, found: float, ends: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval of the true error rate, from the rate of found errors and its interval.

    Both ends are 0, or both are 1, if no true error rate explains the found rate.
    """
    tail = (1.0 - level) / 2.0
    d, a = people.detection_rate, people.false_alarm_rate
    d_low, d_high = people.detection_bounds(tail)
    a_low, a_high = people.false_alarm_bounds(tail)

    # If p is the share of errors, found − p·d − (1 − p)·a has the mean 0. Each condition compares this
    # excess, or its negative, with a margin (`room`). Excess minus margin is concave in p, so each
    # condition holds on one side of a single root.
    def not_too_low(p: float) -> bool:
        room = math.hypot(found - ends[0], p * (d_high - d), (1.0 - p) * (a_high - a))
        return found - p * d - (1.0 - p) * a <= room

    def not_too_high(p: float) -> bool:
        room = math.hypot(ends[1] - found, p * (d - d_low), (1.0 - p) * (a - a_low))
        return p * d + (1.0 - p) * a - found <= room

    return _first(not_too_low), 1.0 - _first(lambda rest: not_too_high(1.0 - rest))


def _bounds(rate: float, n: float, failure_probability: float) -> tuple[float, float]:
    """Return Clopper and Pearson's bounds of a rate that was estimated from n outputs."""
    if n == math.inf:
        return rate, rate
    return binomial_interval(rate * n, n, 1.0 - 2.0 * failure_probability)


def _error_of(rate: float, n: float) -> float:
    """Return the standard error of a rate that was estimated from n outputs."""
    return math.sqrt(rate * (1.0 - rate) / n)


def _p_value(k: int, n: int, rate: float, size: float) -> float:
    """Return the exact two-sided p-value of k of n outputs, given a rate from `size` other outputs."""
    if size == math.inf:
        if rate in (0.0, 1.0):
            return float(k == rate * n)
        odds = math.log(rate) - math.log1p(-rate)
        logs = [_log_choose(n, x) + x * odds for x in range(n + 1)]
        at = k
    else:
        m = int(size)
        both = k + round(rate * m)
        first = max(0, both - m)
        logs = [_log_choose(n, x) + _log_choose(m, both - x) for x in range(first, min(n, both) + 1)]
        at = k - first
    most = max(logs)
    chances = [math.exp(each - most) for each in logs]
    as_rare = chances[at] * (1.0 + 1e-9)
    return math.fsum(each for each in chances if each <= as_rare) / math.fsum(chances)


def _log_choose(n: int, k: int) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _first(holds: Callable[[float], bool]) -> float:
    """Return the share in [0, 1] at which a condition begins to hold; 1 if it never holds."""
    if holds(0.0):
        return 0.0
    return change_of(holds)[1]


def _counts_of(readings: Any) -> tuple[int, int, int]:
    """Return the three counts of double readings; raise unless the second reader found an error."""
    require_type(readings, (tuple, list), "double_readings", "three counts", shown=False)
    if len(readings) != 3:
        raise ValueError(
            "double_readings must hold three counts (errors found by both readers, only by the first, "
            f"only by the second), got {len(readings)}"
        )
    both, first, second = (
        whole_number(each, f"double_readings[{i}]", 0) for i, each in enumerate(readings)
    )
    if both + second == 0:
        raise ValueError(
            "double_readings must hold at least one error that the second reader found, got none"
        )
    return both, first, second


def check_reviewer(reviewer: Reviewer | None, name: str = "reviewer") -> None:
    """Raise unless the argument is a `Reviewer` or None."""
    if reviewer is not None and not isinstance(reviewer, Reviewer):
        raise TypeError(f"{name} must be a Reviewer, got {reviewer!r} ({type(reviewer).__name__})")


def informative(truth_reader: Reviewer | None, name: str = "truth_reader") -> Reviewer | None:
    """Return the readers, or None if they never err; raise if their answers carry no information.

    Raises
    ------
    ValueError
        If they call right outputs wrong at least as often as they call wrong outputs wrong.
    """
    check_reviewer(truth_reader, name)
    if truth_reader is None or truth_reader == Reviewer():
        return None
    if truth_reader.detection_rate <= truth_reader.false_alarm_rate:
        raise ValueError(
            f"{name} must have a detection_rate above its false_alarm_rate, got "
            f"{truth_reader.detection_rate:g} and {truth_reader.false_alarm_rate:g}"
        )
    return truth_reader


def errors_by(truth_reader: Reviewer | None, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (e′ − a)/(d − a), an unbiased estimate of the true errors from found errors e′."""
    if truth_reader is None:
        return found
    d, a = truth_reader.detection_rate, truth_reader.false_alarm_rate
    errors: NDArray[np.float64] = (found - a) / (d - a)
    return errors


class FoundLimit(NamedTuple):
    """The limits on found errors that correspond to a limit ε on all errors.

    Attributes
    ----------
    limit : float
        ε·d, with the lower bound of d. If the rate of found errors is at most this, the rate of all
        errors is at most ε.
    highest : float
        ε·d, with the upper bound of d. If the rate of found errors is higher than this, the rate of all
        errors is higher than ε.
    failure_probability : float
        The part of the failure probability δ that is left for the test.
    least, most : float
        The bounds of d, which are equal if d is known.
    """

    limit: float
    highest: float
    failure_probability: float
    least: float
    most: float

    def rates(self, low: float, high: float) -> tuple[float, float]:
        """Return bounds of the rate of all errors, given bounds of the rate of found errors."""
        return min(1.0, low / self.most), min(1.0, high / self.least) if self.least else 1.0


def limit_of_found(
    limit: float, failure_probability: float, truth_reader: Reviewer | None
) -> FoundLimit:
    r"""Return the limit on the rate of found errors, if `truth_reader` finds a share d of all errors.

    If d is the same at every confidence, the rate of all errors is at most ε iff the rate of found
    errors is at most ε·d. If d is estimated, its bound may fail with probability `OF_FAILURE`·δ, and
    the test with the rest of δ (Bonferroni).

    Warns
    -----
    SampleTooSmallWarning
        If d is estimated from fewer than `FEWEST_FOUND` errors.

    Raises
    ------
    ValueError
        If the readers find no errors. Also if they call right items wrong, because guarantees cannot
        correct for that.
    """
    people = informative(truth_reader)
    if people is None or truth_reader is None:
        return FoundLimit(limit, limit, failure_probability, 1.0, 1.0)
    if truth_reader.false_alarm_rate:
        raise ValueError(
            "truth_reader must have false_alarm_rate=0 if a limit is tested, got "
            f"{truth_reader.false_alarm_rate:g}: read again each output that was called wrong"
        )
    own = OF_FAILURE * failure_probability
    least, most = truth_reader.detection_bounds(own)
    if least == most:
        return FoundLimit(limit * least, limit * least, failure_probability, least, least)
    found = sum(truth_reader.double_readings or (truth_reader.estimated_from or ())[:1])
    if found < FEWEST_FOUND:
        warn_too_small(
            f"the share of errors that readers find is estimated from only {found} errors "
            f"({FEWEST_FOUND} are needed): it is at least {percent(least, 3)} with "
            f"{percent(1.0 - own)} confidence, so the tested limit is {percent(limit * least, 3)} "
            f"instead of {percent(limit)}"
        )
    return FoundLimit(limit * least, limit * most, failure_probability - own, least, most)


def premise_of(truth_reader: Reviewer | None) -> str:
    """Return, as a clause, what a guarantee assumes about the people who verify."""
    if truth_reader is None:
        return "if the verification is right"
    share = percent(truth_reader.detection_rate, 3)
    if truth_reader.double_readings is None:
        return f"if readers find {share} of the errors at every confidence"
    return (
        "if both readers find the same share of errors at every confidence, independently of each other"
    )
