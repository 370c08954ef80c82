"""Two thresholds and three zones: outputs are accepted, verified by people, or discarded."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import exactly_one, failure_of, fraction_of
from fastarac._core.exceptions import collected, unquestioned, warn_too_small
from fastarac._core.results import Result
from fastarac._core.text import percent
from fastarac._engine.counts import ThresholdCounts
from fastarac._engine.inputs import read_items
from fastarac.areas.order import question_sweep
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.guarantees.fallback import FIXED, HOW_TO_FIX, Scale, fixed_thresholds
from fastarac.operating_points.limits import last_accepted, last_with_risk, last_within
from fastarac.samples.door import as_sweep, require_confidence
from fastarac.samples.partial import INSTEAD
from fastarac.sweep import ThresholdSweep, trusted_sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.guarantees.exact import GuaranteedOperatingPoint

LARGEST = 1 << 53  # Up to here, a double holds every integer.
# The discard threshold comes from a turned sweep, with negated confidences and exchanged labels. There,
# a limit on discarded outputs becomes one of these criteria.
_SAME = {"max_false_discard_rate": "max_error_rate", "max_false_omission_rate": "max_risk"}
_PROMISES = {
    "max_error_rate": "at most {} of all outputs are accepted errors",
    "max_risk": "at most {} of the accepted outputs are errors",
    "max_false_discard_rate": "at most {} of all outputs are correct and discarded",
    "max_false_omission_rate": "at most {} of the discarded outputs are correct",
}


@dataclass(frozen=True, slots=True, eq=False)
class ThreeWayPoint(Result):
    """Two thresholds, and the counts and rates of the outputs accepted, verified and discarded.

    An output is accepted iff its confidence is at or above `accept_threshold`. Otherwise, it is
    discarded iff its confidence is at or below `discard_threshold`. People verify all others.

    Attributes
    ----------
    accept_threshold, discard_threshold : float
        The accept threshold is ``inf`` if nothing may be accepted. The discard threshold is below it,
        and ``-inf`` if nothing is discarded.
    true_accepts, false_accepts : int or float
        Correct and incorrect outputs that are accepted.
    false_rejects, true_rejects : int or float
        Correct and incorrect outputs that people verify.
    false_discards, true_discards : int or float
        Correct and incorrect outputs that are discarded.
    criteria : tuple of two str
        The names of the limited rates, first of accepted, then of discarded outputs: "max_error_rate"
        or "max_risk", and "max_false_discard_rate" or "max_false_omission_rate".
    limits : tuple of two float
        The limits of these rates.
    failure_probabilities : tuple of two float, or None
        For each limit, the largest probability that new outputs exceed it; None if no guarantee was
        asked for.
    bounds : tuple of two float, or None
        For guarantees, the upper bounds of both limited rates, as in :class:`GuaranteedOperatingPoint`.

    See Also
    --------
    fastarac.three_way_operating_point : choose both thresholds, each by a limit of its own
    OperatingPoint : the counts and rates at one threshold

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1]
    >>> point = fa.three_way_operating_point(
    ...     correct, confidence, max_error_rate=0, max_false_discard_rate=0
    ... )
    >>> point.accept_threshold, point.discard_threshold
    (0.8, 0.2)
    >>> print(point)  # doctest: +NORMALIZE_WHITESPACE
    accept 33.33% at confidence >= 0.8 (risk 0%), discard 33.33% at confidence <= 0.2 (0% of them
    correct), review 33.33%
    """

    accept_threshold: Any
    discard_threshold: Any
    true_accepts: int | float
    false_accepts: int | float
    false_rejects: int | float
    true_rejects: int | float
    false_discards: int | float
    true_discards: int | float
    criteria: tuple[str, str]
    limits: tuple[float, float]
    failure_probabilities: tuple[float, float] | None = None
    bounds: tuple[float, float] | None = None

    _derived = (
        "acceptance_rate", "verification_rate", "discard_rate", "error_rate", "risk",
        "false_discard_rate", "false_omission_rate",
    )  # fmt: skip

    def __str__(self) -> str:
        zones = []
        if self.acceptance_rate:
            zones.append(
                f"accept {percent(self.acceptance_rate, 4)} at confidence >= {self.accept_threshold:g} "
                f"(risk {percent(self.risk, 4)})"
            )
        if self.discard_rate:
            zones.append(
                f"discard {percent(self.discard_rate, 4)} at confidence <= {self.discard_threshold:g} "
                f"({percent(self.false_omission_rate, 4)} of them correct)"
            )
        found = ", ".join([*zones, f"review {percent(self.verification_rate, 4)}"])
        if self.failure_probabilities is None:
            return found
        promises = " and ".join(
            _PROMISES[name].format(percent(limit))
            for name, limit in zip(self.criteria, self.limits, strict=True)
        )
        return f"{found}; with {percent(1.0 - sum(self.failure_probabilities))} confidence {promises}"

    @property
    def total(self) -> int | float:
        """Ω, the weight of all outputs."""
        return self._accepted + self.false_rejects + self.true_rejects + self._discarded

    @property
    def acceptance_rate(self) -> float:
        """The share of all outputs that is accepted."""
        return self._accepted / self.total

    @property
    def verification_rate(self) -> float:
        """The share of all outputs that people verify."""
        return (self.false_rejects + self.true_rejects) / self.total

    @property
    def discard_rate(self) -> float:
        """The share of all outputs that is discarded."""
        return self._discarded / self.total

    @property
    def error_rate(self) -> float:
        """Accepted errors among *all* outputs."""
        return self.false_accepts / self.total

    @property
    def risk(self) -> float:
        """Errors among the *accepted* outputs; NaN if nothing is accepted."""
        return self.false_accepts / self._accepted if self._accepted else math.nan

    @property
    def false_discard_rate(self) -> float:
        """Correct outputs that are discarded, among *all* outputs."""
        return self.false_discards / self.total

    @property
    def false_omission_rate(self) -> float:
        """Correct outputs among the *discarded* outputs; NaN if nothing is discarded."""
        return self.false_discards / self._discarded if self._discarded else math.nan

    @property
    def _accepted(self) -> int | float:
        return self.true_accepts + self.false_accepts

    @property
    def _discarded(self) -> int | float:
        return self.false_discards + self.true_discards


def three_way_operating_point(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    max_false_discard_rate: float | None = None,
    max_false_omission_rate: float | None = None,
    failure_probability: float | tuple[float, float] | None = None,
    groups: ArrayLike | None = None,
    max_group_size: int | None = None,
    thresholds: ArrayLike | None = None,
    scale: Scale | None = None,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
) -> ThreeWayPoint:
    """Choose a threshold to accept outputs, and one to discard outputs; people verify the rest.

    Give one limit of accepted errors (`max_error_rate` or `max_risk`), and one of discarded correct
    outputs (`max_false_discard_rate` or `max_false_omission_rate`).

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    max_error_rate, max_risk : float, optional
        Limit, in [0, 1], of accepted errors among *all* outputs, or among *accepted* ones.
    max_false_discard_rate, max_false_omission_rate : float, optional
        Limit, in [0, 1], of discarded correct outputs among *all* outputs, or among *discarded* ones.
    failure_probability : float or tuple of two float, optional
        The largest allowed probability, in (0, 0.5], that new outputs exceed a limit. A number is for
        both limits together; each gets a half. A tuple has one for each limit, first for accepted, then
        for discarded outputs. By default, the limits are kept on the given outputs only.
    groups : array_like of shape (n,), optional
        With `failure_probability`: label of each output's group, such as a page or document.
    max_group_size : int, optional
        Largest possible size of a group; by default, the largest one seen.
    thresholds : array_like of shape (m,), optional
        Thresholds to test for `max_risk` or `max_false_omission_rate`. They must have been fixed
        without looking at these outputs.
    scale : {"percent", "unit"}, optional
        The scale of the confidences, which replaces `thresholds` by fixed ones.
    random_state : int, SeedSequence, Generator or None, default=0
        Seed of the guarantee, as in :func:`.guaranteed_operating_point`.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. Not with `failure_probability`.

    Returns
    -------
    ThreeWayPoint
        Both thresholds, the three zones, and the rates of each.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also unless exactly one limit of each kind is given, for arguments
        outside their ranges, and for `groups` with integer confidences beyond 2**53. Also for a
        guarantee of `max_risk` or `max_false_omission_rate` without `thresholds` or `scale`.

    Warns
    -----
    SampleTooSmallWarning
        If the outputs are too few to guarantee a limit, even without errors.
    QuestionableInputWarning
        For reversed or constant confidences.

    See Also
    --------
    operating_point : choose one threshold by one criterion
    guaranteed_operating_point : choose one threshold that keeps a limit on new outputs

    Notes
    -----
    The accept threshold is that of :func:`.operating_point`, or of
    :func:`.guaranteed_operating_point`. The discard threshold is chosen in the same way from negated
    confidences and exchanged labels, so it is the largest one that keeps its limit. If the limits are
    so generous that both zones overlap, the outputs in both are accepted. The discard threshold is then
    the largest one below the accept threshold that keeps its limit, and no output may be left to
    verify. The guarantees still hold: fewer discarded outputs include fewer correct ones, and of fixed
    thresholds, only those that passed their own tests are used.

    The three zones are those of three-way decisions (Yao 2010). The positive predictive value is 1
    minus the risk, and the negative predictive value is 1 minus the false omission rate.

    References
    ----------
    Yao 2010, "Three-way decisions with probabilistic rough sets".

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> correct, confidence = load_digits_ocr()["logistic-pca5"]
    >>> point = fa.three_way_operating_point(
    ...     correct, confidence, max_risk=0.05, max_false_omission_rate=0.3
    ... )
    >>> print(point)  # doctest: +NORMALIZE_WHITESPACE
    accept 75.96% at confidence >= 0.694347 (risk 4.982%), discard 5.008% at confidence <= 0.452954
    (30% of them correct), review 19.03%
    >>> point = fa.three_way_operating_point(
    ...     correct, confidence, max_error_rate=0.02, max_false_discard_rate=0.01,
    ...     failure_probability=0.1,
    ... )
    >>> print(point)  # doctest: +NORMALIZE_WHITESPACE
    accept 65% at confidence >= 0.832442 (risk 2.14%), discard 2.003% at confidence <= 0.396235
    (27.78% of them correct), review 33%; with 90% confidence at most 2% of all outputs are accepted
    errors and at most 1% of all outputs are correct and discarded
    """
    limits = (
        _Limit.of(max_error_rate=max_error_rate, max_risk=max_risk),
        _Limit.of(
            max_false_discard_rate=max_false_discard_rate,
            max_false_omission_rate=max_false_omission_rate,
        ),
    )
    sweep = as_sweep(correct, confidence, sample_weight, instead=INSTEAD)
    turned = _turned(sweep)
    if failure_probability is not None:
        shares = _failure_probabilities(failure_probability)
        if sample_weight is not None:
            raise TypeError("sample_weight cannot go with failure_probability: weights are not counts")
        given: tuple[Any, ...] = (sweep, None), (turned, None)
        if groups is not None:
            given = (correct, confidence), _turned_items(correct, confidence)
        high, low = _guaranteed(
            given, limits, shares, fixed_thresholds(thresholds, scale), scale,
            groups=groups, max_group_size=max_group_size, random_state=random_state,
        )  # fmt: skip
        return replace(
            _point(sweep, turned, limits, high.threshold, low.threshold),
            failure_probabilities=shares, bounds=(high.bound, low.bound),
        )  # fmt: skip
    for name, value in (
        ("groups", groups), ("max_group_size", max_group_size), ("thresholds", thresholds),
        ("scale", scale),
    ):  # fmt: skip
        if value is not None:
            raise TypeError(f"{name} needs failure_probability, because only guarantees use it")
    question_sweep(sweep)
    lowest = _lowest(sweep, limits[0])
    return _point(sweep, turned, limits, lowest, _lowest(turned, limits[1], -lowest))


class _Limit(NamedTuple):
    """The limit on the accepted or on the discarded outputs."""

    name: str
    value: float

    @classmethod
    def of(cls, **limits: float | None) -> _Limit:
        """Return the limit that is given; raise unless exactly one is given."""
        name = exactly_one(**limits)
        return cls(name, fraction_of(limits[name], name))

    @property
    def criterion(self) -> str:
        """The criterion of the operating point that keeps this limit, as explained at `_SAME`."""
        return _SAME.get(self.name, self.name)


def _failure_probabilities(given: float | tuple[float, float]) -> tuple[float, float]:
    """Return the failure probability of each limit."""
    if not isinstance(given, tuple | list):
        half = failure_of(given) / 2.0
        return half, half
    if len(given) != 2:
        raise ValueError(
            f"failure_probability must be a number, or two (one for each limit), got {len(given)}"
        )
    return failure_of(given[0]), failure_of(given[1])


def _turned(sweep: ThresholdSweep) -> ThresholdSweep:
    """Return the sweep with negated confidences and exchanged labels, to choose what to discard."""
    thresholds = np.concatenate([sweep.thresholds[:1], -sweep.thresholds[:0:-1]])
    counts = ThresholdCounts(thresholds, sweep.true_rejects[::-1], sweep.false_rejects[::-1])
    return trusted_sweep(ThresholdSweep, counts)


def _turned_items(correct: Any, confidence: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the exchanged labels and the negated confidences of single items."""
    if isinstance(correct, ThresholdSweep):
        raise TypeError("groups needs single items, but a ThresholdSweep has only counts: give arrays")
    items = read_items(correct, require_confidence(confidence), None)
    values = items.confidence.astype(np.float64)
    if items.confidence.dtype.kind in "iu" and np.abs(values).max() > LARGEST:
        raise ValueError("confidence must not hold integers beyond 2**53 with groups: give floats")
    return ~items.correct.astype(np.bool_), -values


def _lowest(sweep: ThresholdSweep, limit: _Limit, never_accepted: Any = None) -> Any:
    """Return the lowest threshold above `never_accepted` that keeps the limit; ``inf`` if none does."""
    last = last_accepted(sweep, never_accepted)
    if limit.criterion == "max_error_rate":
        return sweep.thresholds[min(last, last_within(sweep, limit.value))]
    columns = sweep.thresholds, sweep.true_accepts, sweep.false_accepts
    above = ThresholdCounts(*(column[: last + 1] for column in columns))
    return sweep.thresholds[last_with_risk(above, limit.value)]


def _guaranteed(
    given: tuple[Any, ...],
    limits: tuple[_Limit, _Limit],
    shares: tuple[float, float],
    grid: NDArray[np.float64] | None,
    scale: Scale | None,
    **options: Any,
) -> tuple[GuaranteedOperatingPoint, GuaranteedOperatingPoint]:
    """Return the guaranteed point for accepting items, and the one for discarding them."""
    for limit in limits:
        if grid is None and limit.criterion == "max_risk":
            raise TypeError(f"{limit.name} with failure_probability needs {FIXED}: {HOW_TO_FIX}")
    first, second = (
        {limit.criterion: limit.value, "failure_probability": share, **options}
        for limit, share in zip(limits, shares, strict=True)
    )
    first |= {"thresholds": grid} if scale is None else {"scale": scale}
    high = guaranteed_operating_point(*given[0], **first)
    second["thresholds"] = None if grid is None else -grid
    if high.threshold < math.inf:
        second["never_accepted"] = -high.threshold
    notes: list[str] = []
    # The first call has already warned if the confidences are questionable.
    with collected(notes), unquestioned():
        low = guaranteed_operating_point(*given[1], **second)
    for note in notes:
        warn_too_small(note.replace(limits[1].criterion, limits[1].name))
    return high, low


def _point(
    sweep: ThresholdSweep,
    turned: ThresholdSweep,
    limits: tuple[_Limit, _Limit],
    high: Any,
    low: Any,
) -> ThreeWayPoint:
    """Return the result; the items that `turned` accepts at `low` are discarded."""
    (right, wrong), (bad, good) = sweep.at(high)[:2], turned.at(low)[:2]
    return ThreeWayPoint(
        accept_threshold=high if isinstance(high, int) else float(high),
        discard_threshold=-low if isinstance(low, int) else 0.0 - float(low),
        true_accepts=right,
        false_accepts=wrong,
        # If sums of weights are rounded, a difference may be slightly below 0.
        false_rejects=max(sweep.n_correct - right - good, 0),
        true_rejects=max(sweep.n_incorrect - wrong - bad, 0),
        false_discards=good,
        true_discards=bad,
        criteria=(limits[0].name, limits[1].name),
        limits=(limits[0].value, limits[1].value),
    )
