"""Error rates of outputs without truth, from their confidences and a reference with truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import DEFAULT_LEVEL, inner_fraction, real_scalar
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.interval import Interval
from fastarac._core.results import Result
from fastarac._core.special import binomial_interval
from fastarac._core.text import percent, percent_range
from fastarac._engine.inputs import read_groups, read_items
from fastarac.operation.calibration import Calibration, calibration_of, confidences, thinned
from fastarac.operation.documents import places_among
from fastarac.operation.expected_errors import PRIOR
from fastarac.operation.policy import Policy
from fastarac.operation.shifts import ConfidenceShift, Reference, Seen, shift_of
from fastarac.samples.door import threshold_sweep
from fastarac.sweep import ThresholdSweep
from fastarac.uncertainty.losses import Moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]

SHIFT_LEVEL = 0.05  # level of the test for shifted confidences, unless a policy sets it
# The confidences do not match if the shift, or the share of confidences outside the range of the
# reference, exceeds these limits. Smaller values only widen the intervals.
SMALL_SHIFT = 0.05
FEW_OUTSIDE = 0.01
RANGE_LEVEL = 0.01  # level of the test for confidences outside the range of the reference
LEAST_VARIANCE = 1e-4  # minimum variance of an error count, as a share of its mean
# Neighbouring blocks are joined until they hold this share of the items and this number of items.
LEAST_SHARE, LEAST_ITEMS = 1 / 20, 30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfidenceBasedEstimate(Result):
    """Estimated errors of outputs without truth, from their confidences; nothing is guaranteed.

    Attributes
    ----------
    error_rate : Interval
        Number of accepted errors, as a share of all outputs.
    risk : Interval
        Number of accepted errors, as a share of the accepted outputs; NaN if nothing is accepted.
    recognition_rate : Interval
        Number of correct outputs, as a share of all outputs.
    acceptance_rate : float
        Share of the outputs that are accepted; it is known exactly.
    n_items : int
    confidences_match : bool
        Whether the distribution of confidences is close to the reference: no shift of more than 5%
        (`shift.statistic`) is detected, and at most 1% of the confidences are outside the range of the
        reference. If outputs with the same confidences are wrong more often than before, this is not
        detected. If False, the intervals cover all error rates that are possible after a drift; see the
        Notes of :func:`.confidence_based_estimate`.
    hidden_change : float
        The largest error of the estimate that a shift of this size can hide, if the overall share of
        right outputs has not changed; see the Notes of :func:`.confidence_based_estimate`.
    reason : str
        Why the confidences do not match the reference; empty if they match.
    shift : ConfidenceShift
        The test for shifted confidences.

    See Also
    --------
    fastarac.partial_truth.confidence_based_estimate : estimate the errors of outputs without truth
    ConfidenceShift : test of whether confidences have shifted

    References
    ----------
    Guillory and others 2021, "Predicting with confidence on unseen distributions".

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> before, now = rng.random(4000), rng.random(2000)
    >>> correct = rng.random(4000) < 0.8 + 0.2 * before
    >>> reference = (correct, before)
    >>> found = fa.partial_truth.confidence_based_estimate(reference, now, threshold=0.5)
    >>> found
    ConfidenceBasedEstimate(error_rate=0.02813 [0.01998, 0.0382], confidences_match=True)
    >>> round(found.shift.statistic, 3), round(found.hidden_change, 4)
    (0.021, 0.0042)
    """

    error_rate: Interval
    risk: Interval
    recognition_rate: Interval
    acceptance_rate: float
    n_items: int
    confidences_match: bool
    hidden_change: float
    reason: str
    shift: ConfidenceShift

    def __repr__(self) -> str:
        rate = self.error_rate
        ends = f"[{rate.low:.4g}, {rate.high:.4g}]"
        return (
            f"ConfidenceBasedEstimate(error_rate={rate.estimate:.4g} {ends}, "
            f"confidences_match={self.confidences_match})"
        )

    def __str__(self) -> str:
        rate = self.error_rate
        between = percent_range(rate.low, rate.high, 3)
        unseen = "new errors at the same confidences as before cannot be detected"
        if self.confidences_match:
            moved, change = percent(self.shift.statistic, 2), percent(self.hidden_change, 2)
            return (
                f"estimated without truth: {percent(rate.estimate, 3)} errors remain among all outputs "
                f"({between}), as long as a confidence means the same as in the reference; the "
                f"distribution of confidences differs by {moved}, which may change the estimate by "
                f"{change}; {unseen}"
            )
        return (
            f"no estimate without truth: {self.reason}. The errors that remain among all "
            f"outputs may be {between}; {unseen}"
        )


class _Field(NamedTuple):
    """One field: its reference, and its outputs without truth."""

    calibration: Calibration
    factor: float
    """Factor for p̂ of accepted outputs."""
    rate: float
    """Error rate of the reference's accepted outputs, used if their p̂ is 0 throughout."""
    counted: float
    """Number of errors on which the factor or the rate is based."""
    blocks: NDArray[np.intp]
    accepted: NDArray[np.bool_]

    def expected(self, which: NDArray[np.bool_], *, scaled: bool) -> tuple[float, float, float]:
        """Return the expected errors, their variance, and the largest weight of a reference error."""
        counts = np.zeros((2, len(self.calibration.thresholds)))
        for i, part in enumerate((which & ~self.accepted, which & self.accepted)):
            counts[i] = np.bincount(self.blocks[part], minlength=counts.shape[1])
        p = self.calibration.error_probability
        taken = p
        if scaled:
            taken = np.minimum(1.0, p * self.factor) if self.factor else np.full_like(p, self.rate)
        mean = counts[0] * p + counts[1] * taken
        n_before = self.calibration.n_items
        chance = counts[0] * p * (1.0 - p) + counts[1] * taken * (1.0 - taken)
        rejected, kept = (
            c**2 * q * (1.0 - q) / n_before for c, q in zip(counts, (p, taken), strict=True)
        )
        before = float(kept.sum())
        # The number of accepted errors in the reference varies at random, which adds variance.
        if scaled and self.counted:
            before = max(before, math.fsum(counts[1] * taken) ** 2 / self.counted)
        variance = float(np.sum(chance + rejected)) + before
        return math.fsum(mean), variance, max(1.0, float(np.max(counts.sum(axis=0) / n_before)))

    def variation(self, *, accepted: bool) -> float:
        """Return the total variation of the error probability over the confidences, from low to high.

        With `accepted`, rejected outputs have the error probability 0.
        """
        p = self.calibration.error_probability  # in order of decreasing confidence
        if not accepted:
            return float(p.max() - p.min())
        taken = np.unique(self.blocks[self.accepted])
        if not len(taken):
            return 0.0
        scaled = np.minimum(1.0, p[taken] * self.factor) if self.factor else np.full(1, self.rate)
        step = 0.0 if self.accepted.all() else float(scaled.max())  # the jump at the threshold
        return step + float(scaled.max() - scaled.min())

    def span(self, which: NDArray[np.bool_], level: float) -> tuple[float, float]:
        """Return bounds on the errors among `which`, from the intervals of the adjacent blocks."""
        lows, highs = _bounds_of_blocks(self.calibration, level)
        counts = np.bincount(self.blocks[which], minlength=len(lows))
        return float(counts @ lows), float(counts @ highs)


def confidence_based_estimate(
    reference: Policy | ThresholdSweep | tuple[ArrayLike, ArrayLike],
    confidence: ArrayLike,
    *,
    by: ArrayLike | None = None,
    threshold: float | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = DEFAULT_LEVEL,
) -> ConfidenceBasedEstimate:
    """Estimate the errors of outputs without truth from earlier errors at the same confidences.

    Parameters
    ----------
    reference : Policy, ThresholdSweep, or (correct, confidence)
        Outputs from the same source with their truth, unweighted. For a policy, the outputs on which it
        was fitted are used.
    confidence : array_like of shape (n,)
        Confidences of the outputs without truth; finite.
    by : array_like of shape (n,), optional
        The field of each output, if the policy has thresholds by field.
    threshold : float, optional
        For a reference that is not a policy: accept iff confidence >= threshold. By default everything
        is accepted.
    groups : array_like of shape (n,), optional
        Labels of dependent outputs, such as those of a page. The intervals are widened according to the
        clustering of errors in the policy's reference.
    confidence_level : float, default=0.95
        The level of the intervals, in (0, 1).

    Returns
    -------
    ConfidenceBasedEstimate
        Error rate, risk and recognition rate of these outputs, and whether their confidences match the
        reference.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep` and :meth:`.Policy.apply`. TypeError for `threshold` with a policy,
        for `groups` without a policy, for a weighted reference, and for a policy of whole documents.

    See Also
    --------
    fastarac.operation.Policy.expected_errors : Expected errors from the counts of the policy alone.
    fastarac.operation.Policy.shift : The test for shifted confidences.

    Notes
    -----
    The error probability p̂ at each confidence comes from isotonic regression on the reference; the
    estimate is Σp̂/n. At the highest confidences, isotonic regression underestimates the error
    probability. Therefore p̂ of accepted outputs is multiplied by a factor. The factor makes the sum of
    p̂ over the accepted items of the reference equal to their number of errors. For a policy, the
    number of errors is taken from :meth:`.Policy.expected_errors`, whose items were not used to choose
    the threshold. The interval approximates a weighted sum of Poisson variables by a gamma variable
    [1]_. It covers the random variation of both the reference and these outputs. It is an interval for
    the error rate of these outputs, not of their source.

    Let D (`shift.statistic`) be the largest difference between the distribution functions of the
    confidences here and in the reference. Let V be the total variation of g(c), which is p̂ for
    accepted confidences c and 0 for others. The estimate then differs from the estimate for the
    reference by at most D·V, which is `hidden_change`. If the confidences shift but the share of right
    outputs stays the same, the error of the estimate is at most D·V. If a shift is detected
    (:meth:`.Policy.shift`) and D is at most 5%, the intervals are widened by D·V. If significantly many
    confidences, but at most 1%, are outside the range of the reference, the intervals are also widened
    by their share.

    `confidences_match` is False if a larger shift is detected, if more confidences are outside the
    range, or if outputs belong to unknown fields. Then the range of confidences is divided into blocks.
    The error probability of an output is assumed to be at least the lower confidence limit of the next
    higher block, and at most the upper confidence limit of the next lower block. An error probability
    of 0 is assumed above the highest block, and of 1 below the lowest block. A change of the error
    rates at the same confidences is not detected. This way of estimating a model's performance is known
    as average confidence [2]_ or confidence-based performance estimation.

    References
    ----------
    .. [1] M. P. Fay and E. J. Feuer, "Confidence intervals for directly standardized rates", Statistics
       in Medicine 16, 1997.
    .. [2] D. Guillory, V. Shankar, S. Ebrahimi, T. Darrell and L. Schmidt, "Predicting with confidence
       on unseen distributions", ICCV 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> before, now = rng.random(4000), rng.random(2000)
    >>> correct = rng.random(4000) < 0.8 + 0.2 * before
    >>> found = fa.partial_truth.confidence_based_estimate((correct, before), now, threshold=0.5)
    >>> found.confidences_match, round(found.error_rate.estimate, 3), found.acceptance_rate
    (True, 0.028, 0.5125)
    """
    level = inner_fraction(confidence_level, "confidence_level")
    values = confidences(confidence)
    n = len(values)
    read = _read(reference, values, threshold, by, grouped=groups is not None)
    parts, references, codes, accepted = read.parts, read.references, read.codes, read.accepted
    if groups is not None:
        read_groups(groups, n)
    seen = [
        Seen.of(field, own, values[codes == i]) if np.any(codes == i) else None
        for i, (field, own) in enumerate(zip(read.fields, references, strict=True))
    ]
    shift = shift_of(references, seen, read.alpha)
    outside = sum(_outside(own, values[codes == i]) for i, own in enumerate(references))
    reason = _reason(shift, outside, values, codes)
    moved, beyond = (0.0, 0.0) if reason else (shift.statistic * shift.shifted, outside / n)
    unknown = int(np.sum(codes < 0))  # outputs of fields without a reference
    accepted_alone = max(part.variation(accepted=True) for part in parts)
    whole = max(part.variation(accepted=False) for part in parts)
    sums = _Sums(parts, codes, read.together, level, reason)
    errors = sums.interval(accepted, scaled=True)
    wrong = sums.interval(np.ones(n, np.bool_), scaled=False, unknown=unknown)
    n_accepted, more = int(accepted.sum()), moved * accepted_alone + beyond
    risk = Interval(math.nan, math.nan, math.nan, math.nan, level, "gamma")
    if n_accepted:
        risk = _widened(_share(errors, n_accepted), more * n / n_accepted)
    return ConfidenceBasedEstimate(
        error_rate=_widened(_share(errors, n), more),
        risk=risk,
        recognition_rate=_mirrored(_widened(_share(wrong, n), moved * whole + beyond)),
        acceptance_rate=n_accepted / n,
        n_items=n,
        confidences_match=not reason,
        hidden_change=min(1.0, shift.statistic * accepted_alone + outside / n),
        reason=reason,
        shift=shift,
    )


class _Reading(NamedTuple):
    """The reference by field, and which of the new outputs are accepted."""

    parts: list[_Field]
    references: Sequence[Reference]
    fields: Sequence[Any]
    codes: NDArray[np.intp]
    """The field of each output; -1 if unknown."""
    accepted: NDArray[np.bool_]
    together: float
    """Errors per group."""
    alpha: float
    """Level of the test for shifted confidences."""


def _read(
    reference: Any,
    values: NDArray[Any],
    threshold: float | None,
    by: ArrayLike | None,
    *,
    grouped: bool,
) -> _Reading:
    """Read a policy, or the items of a reference."""
    n = len(values)
    if isinstance(reference, Policy):
        if threshold is not None:
            raise TypeError("threshold cannot go with a policy, which has its own threshold")
        if reference.documents is not None:
            raise TypeError("reference must be a policy of single outputs, got one of whole documents")
        accepted = reference.apply(values, by=by)
        codes = np.zeros(n, np.intp) if by is None else places_among(reference.fields, by, n, "by")[0]
        return _Reading(
            _of_policy(reference, values, codes, accepted), reference.references,
            reference.fields or (None,), codes, accepted,
            reference.errors_per_group if grouped else 1.0, reference.failure_probability,
        )  # fmt: skip
    if by is not None or grouped:
        name = "by" if by is not None else "groups"
        raise TypeError(f"{name} needs a policy as the reference")
    level_of = -math.inf if threshold is None else real_scalar(threshold, "threshold", finite=False)
    accepted = at_or_above(values, level_of)
    part, own = _of_items(reference, values, accepted, level_of)
    return _Reading([part], (own,), (None,), np.zeros(n, np.intp), accepted, 1.0, SHIFT_LEVEL)


class _Sums(NamedTuple):
    """Sums of errors over all fields."""

    parts: Sequence[_Field]
    codes: NDArray[np.intp]
    together: float
    level: float
    reason: str

    def interval(self, which: NDArray[np.bool_], *, scaled: bool, unknown: int = 0) -> Interval:
        """Return the expected errors among `which`; the upper end includes `unknown` more errors."""
        n = float(which.sum())
        each = [
            part.expected(which[self.codes == i], scaled=scaled)
            for i, part in enumerate(self.parts)
            if len(part.blocks)
        ]
        mean, variance = math.fsum(e[0] for e in each), self.together * math.fsum(e[1] for e in each)
        step = self.together * max((e[2] for e in each), default=1.0)
        low, high = _gamma_ends(mean, variance, step, self.level)
        error = math.sqrt(variance)
        if self.reason:
            spans = [
                part.span(which[self.codes == i], self.level)
                for i, part in enumerate(self.parts)
                if len(part.blocks)
            ]
            low = min(low, _gamma_ends(math.fsum(s[0] for s in spans), variance, step, self.level)[0])
            most = math.fsum(s[1] for s in spans)
            high = max(high, _gamma_ends(most, max(variance, most), step, self.level)[1])
        return Interval(mean, low, min(high + unknown, n), error, self.level, "gamma")


def _of_policy(
    policy: Policy, values: Array, codes: NDArray[np.intp], accepted: NDArray[np.bool_]
) -> list[_Field]:
    is_all = policy.accepted == policy.n_items
    rates = policy.expected_rates
    found = []
    more_errors = PRIOR if policy.fields else 1.0 - is_all
    # After partial verification, each verified output stands for `weight` outputs.
    weight = 1.0 if policy.n_verified is None else policy.errors_per_group
    for i, (calibration, threshold) in enumerate(
        zip(policy.calibrations, policy.thresholds, strict=True)
    ):
        whole = at_or_above(np.array(calibration.thresholds), threshold)
        n_taken, wrong = (
            float(each[whole].sum()) for each in (calibration.n_items, calibration.errors)
        )
        if not policy.fields and len(whole) > whole.sum():  # the threshold splits a block
            more = max(0.0, policy.accepted_by_field[i] - n_taken)
            wrong += more * float(calibration.error_probability[whole.sum()])
            n_taken += more
        own = codes == i
        mean = wrong / n_taken if n_taken else 0.0
        factor = rates[i] / mean if mean else 0.0
        found.append(
            _Field(
                thinned(calibration, weight),
                factor,
                rates[i],
                policy.errors_by_field[i] / weight + more_errors,
                calibration.block_of(values[own]),
                accepted[own],
            )
        )
    return found


def _of_items(
    reference: Any, values: Array, accepted: NDArray[np.bool_], threshold: float
) -> tuple[_Field, Reference]:
    if isinstance(reference, ThresholdSweep):
        sweep = reference
        counts = np.diff(sweep.true_accepts + sweep.false_accepts)
        levels = np.repeat(sweep.thresholds[1:], counts.astype(np.int64))
    else:
        if not isinstance(reference, tuple) or len(reference) != 2:
            raise TypeError(
                "reference must be a Policy, a ThresholdSweep or a tuple (correct, confidence), "
                f"got a {type(reference).__name__}"
            )
        sweep = threshold_sweep(*reference)
        levels = read_items(*reference).confidence
    calibration = calibration_of(sweep)
    p = calibration.error_probability
    counts = np.bincount(calibration.block_of(levels[at_or_above(levels, threshold)]), minlength=len(p))
    expected = math.fsum(counts * p)
    point = sweep.at(threshold)
    wrong, taken = float(point.false_accepts), float(point.true_accepts + point.false_accepts)
    factor = wrong / expected if expected else 0.0
    rate = wrong / taken if taken else 0.0
    part = _Field(calibration, factor, rate, wrong, calibration.block_of(values), accepted)
    return part, Reference.of(levels)


def _reason(shift: ConfidenceShift, outside: int, values: Array, codes: NDArray[np.intp]) -> str:
    unknown = int(np.sum(codes < 0))
    if unknown:
        return f"{unknown:,} outputs belong to fields that the policy does not know"
    if outside > FEW_OUTSIDE * len(values):
        return f"{outside:,} of {len(values):,} confidences lie outside the range of the reference"
    return str(shift) if shift.shifted and shift.statistic > SMALL_SHIFT else ""


def _outside(reference: Reference, values: Array) -> int:
    """Count the confidences outside the reference's range; 0 if chance can explain so many."""
    n_before, n_now = int(reference.counts.sum()), len(values)
    found = 0
    for count in (np.sum(values > reference.quantiles[-1]), np.sum(values < reference.quantiles[0])):
        # The probability without a shift that the `count` most extreme confidences are all new ones.
        places = np.arange(min(int(count), n_now))
        log_chance = float(np.sum(np.log((n_now - places) / (n_now + n_before - places))))
        found += int(count) if log_chance < math.log(RANGE_LEVEL / 2) else 0
    return found


def _bounds_of_blocks(calibration: Calibration, level: float) -> tuple[Array, Array]:
    """Return bounds on each block's error probability, from the intervals of the adjacent blocks."""
    size = max(LEAST_ITEMS, LEAST_SHARE * float(calibration.n_items.sum()))
    wider = np.zeros(len(calibration.n_items), np.intp)  # index of the joined block
    filled, group = 0.0, 0
    for i, count in enumerate(calibration.n_items.tolist()):
        wider[i] = group
        filled += count
        if filled >= size:
            filled, group = 0.0, group + 1
    n_items = np.bincount(wider, calibration.n_items)
    errors = np.bincount(wider, calibration.errors)
    ends = [binomial_interval(k, n, level) for k, n in zip(errors, n_items, strict=True)]
    lows = np.array([0.0] + [low for low, _ in ends[:-1]])
    highs = np.array([high for _, high in ends[1:]] + [1.0])
    return np.minimum.accumulate(lows[::-1])[::-1][wider], np.maximum.accumulate(highs)[wider]


def _gamma_ends(mean: float, variance: float, step: float, level: float) -> tuple[float, float]:
    """Return a gamma interval for a weighted number of errors, whose largest weight is `step`."""
    variance = max(variance, mean * LEAST_VARIANCE) if mean else 0.0
    low, high = Moments(mean, variance, step).interval(level)
    return min(low, mean), max(high, mean)


def _share(count: Interval, n: int) -> Interval:
    ends = (count.estimate / n, count.low / n, min(1.0, count.high / n), count.standard_error / n)
    return Interval(*ends, count.confidence_level, count.method)


def _widened(rate: Interval, by: float) -> Interval:
    return replace(rate, low=max(0.0, rate.low - by), high=min(1.0, rate.high + by))


def _mirrored(rate: Interval) -> Interval:
    return replace(rate, estimate=1.0 - rate.estimate, low=1.0 - rate.high, high=1.0 - rate.low)
