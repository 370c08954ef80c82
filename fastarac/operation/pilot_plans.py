"""Plan how many outputs a policy needs, by fits to samples from a pilot or a stated model."""

from __future__ import annotations

import math
import warnings
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import (
    exactly_one,
    failure_of,
    fraction_of,
    inner_fraction,
    real_scalar,
    whole_number,
)
from fastarac._core.exceptions import SampleTooSmallWarning, unquestioned
from fastarac._core.quantiles import normal_quantile
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.results import Result
from fastarac._core.single_items import takes_items_only
from fastarac._core.text import percent
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_groups, read_items
from fastarac.operating_points.points import operating_point
from fastarac.operation.calibration import isotonic_calibration
from fastarac.operation.critical_sample_sizes import bisected
from fastarac.operation.fitting import PolicyFit, request_of
from fastarac.operation.planning import rate_of_found
from fastarac.reviewer import Reviewer, informative, limit_of_found
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.thread_batches import display

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

# Maximum number of items in a plan; larger plans are reported as out of reach.
MOST_ITEMS = 500_000

# Let a(x) be the largest share of outputs that a fit to the pilot accepts at the limit x. By default, a
# fit is a success if it accepts at least the smaller of OF_ALLOWED·a(limit) and BELOW·a(BELOW·limit).
OF_ALLOWED = 0.9
BELOW = 0.95
# Maximum number of samples drawn for a size while the search only brackets the answer.
ON_THE_WAY = 48
# Number of samples drawn at a time before the search checks whether it can decide early.
AT_ONCE = 12
# Decide early if the share of successes differs from the power by this many standard errors.
SURE = 3.5
# Take a size as the answer if its share of successes is within this many standard errors of the power.
NEAR = 1.25
# Stop the search when the upper size is at most this multiple of the lower size.
CLOSE = 1.02
# A size is possible if a fit to one of this many error-free samples accepts anything.
ERROR_FREE = 5
# Number of bootstrap pilots, and also the number of samples drawn from each bootstrap pilot.
PILOTS = 16
# A plan must reach the power in this share of the bootstrap pilots.
MOST_PILOTS = 0.7
# To reach the power in enough bootstrap pilots, the size grows by the factor GROWTH, up to
# STEPS times.
GROWTH, STEPS = 1.25, 6


@dataclass(frozen=True, eq=False, repr=False)
class PolicySampleSize(Result):
    """The numbers of verified groups and items that a policy needs.

    Without groups, each item is a group.

    See Also
    --------
    fastarac.operation.sample_size_for_policy : find how many verified outputs a policy needs
    SampleSizes : numbers of items needed for a guarantee
    """

    n_groups: int | None
    """Number of groups; None if no number up to `most_groups` suffices, or the pilot is too small.

    From a pilot, this is the smallest number found at which 70% of similar pilots reach the power.
    """
    n_items: int | None
    """Average number of items in `n_groups` groups."""
    power: float
    """Share of samples of `n_groups` groups whose fit accepted enough.

    If `n_groups` is None, the samples have `plug_in_groups` or, if this is None as well, `most_groups`.
    """
    standard_error: float
    """Standard error of `power`, due to the finite number of samples."""
    accept: float
    """Share of the items that a fit must accept to be a success."""
    least_groups: int | None
    """Smallest number of groups at which anything can be accepted, even without errors."""
    least_items: int | None
    """Average number of items in `least_groups` groups."""
    pilot_power_low: float
    """10% quantile of the power over pilots drawn from the pilot; NaN for a stated model."""
    pilot_power_high: float
    """90% quantile of the power over pilots drawn from the pilot; NaN for a stated model."""
    plug_in_groups: int | None
    """Smallest number of groups found with the power, if the pilot or the stated model is the truth."""
    plug_in_items: int | None
    """Average number of items in `plug_in_groups` groups."""
    target_power: float
    """The power that was asked for."""
    most_groups: int
    """The largest number of groups that is tried."""
    criterion: str
    """"max_error_rate" or "max_risk"."""
    limit: float
    failure_probability: float
    grouped: bool
    """Whether items come in groups."""
    truth_reader: Reviewer | None = None
    """The people who will verify, if they are known to overlook errors."""

    def __str__(self) -> str:
        return "; ".join([self.decision, *self.remarks()])

    @property
    def decision(self) -> str:
        """A sentence on the number of outputs to verify, and on the probability of success."""
        if self.n_groups is None and self.plug_in_groups is not None:
            number = self._number(self.plug_in_groups, self.plug_in_items)
            return (
                f"this pilot is too small to plan with: for {number}, the chance that {self._success} "
                f"may be {self._chance}; no number that was tried reaches {percent(self.target_power)} "
                "in 7 of 10 pilots like this one; verify a larger pilot"
            )
        if self.n_groups is None or self.n_items is None:
            return (
                f"no number up to {self._number(self.most_groups)} is enough: even then the chance "
                f"that {self._success} is only {percent(self.power, 2)}"
            )
        number = self._number(self.n_groups, self.n_items)
        return (
            f"verify {number}, drawn at random: the chance that {self._success} is then {self._chance}"
        )

    @property
    def _success(self) -> str:
        limit = percent(self.limit)
        share = "all" if self.accept == 1.0 else f"at least {percent(self.accept, 3)}"
        return f"a policy for {limit} accepts {share} of the outputs"

    @property
    def _chance(self) -> str:
        """The range of the power over similar pilots in words; for a stated model, the power."""
        if math.isnan(self.pilot_power_low):
            return percent(self.power, 2)
        low, high = percent(self.pilot_power_low, 2), percent(self.pilot_power_high, 2)
        range_ = low if low == high else f"{low} to {high}"
        if self.n_groups is None:
            return range_
        return f"{range_}, and at least {percent(self.target_power)} in 7 of 10 pilots like this one"

    def remarks(self) -> Iterator[str]:
        """Yield remarks on the power's range, the smallest number, the promise and the accuracy."""
        if not math.isnan(self.pilot_power_low):
            number = self._number(self.plug_in_groups or 0, self.plug_in_items)
            yield (
                "8 of 10 pilots of this size give a chance in this range, which a larger pilot would "
                f"narrow; a plan that trusts this pilot alone would need {number}"
            )
        if self.least_groups is not None:
            least = self._number(self.least_groups, self.least_items)
            yield f"at least {least} are needed, even without a single error"
        whole = (
            "all outputs are accepted and"
            if self.criterion == "max_error_rate"
            else "accepted outputs are"
        )
        yield (
            f"such a policy promises with {percent(1.0 - self.failure_probability)} confidence that at "
            f"most {percent(self.limit)} of {whole} wrong"
        )
        yield f"the simulated chance is accurate to ± {percent(self.standard_error, 2)}"

    def _number(self, groups: int, items: int | None = None) -> str:
        if not self.grouped:
            return f"{groups:,} outputs"
        return f"{groups:,} groups" + ("" if items is None else f" (about {items:,} outputs)")


class _Drawn(NamedTuple):
    """A sample's items."""

    correct: NDArray[np.bool_]
    confidence: NDArray[Any]
    by: NDArray[Any] | None
    groups: NDArray[np.intp] | None


class _Pilot:
    """A pilot from which whole groups are drawn with replacement."""

    def __init__(self, items: _Drawn) -> None:
        self.items = items
        n = len(items.correct)
        codes = np.arange(n) if items.groups is None else items.groups
        self.sizes = np.bincount(codes)
        self.order = np.argsort(codes, kind="stable")
        self.first = np.cumsum(self.sizes) - self.sizes
        self.grouped = items.groups is not None
        self.groups_there = np.arange(len(self.sizes))

    def again(self, rng: np.random.Generator) -> _Pilot:
        """Return a bootstrap pilot: the same number of groups, drawn from this pilot."""
        other = copy(self)
        other.groups_there = rng.integers(0, len(self.sizes), len(self.sizes))
        return other

    def draw(self, n_groups: int, rng: np.random.Generator) -> _Drawn:
        """Draw groups; a group that is drawn twice counts as two groups."""
        drawn = self.groups_there[rng.integers(0, len(self.sizes), n_groups)]
        correct, confidence, by, _ = self.items
        if not self.grouped:
            return _Drawn(correct[drawn], confidence[drawn], None if by is None else by[drawn], None)
        sizes = self.sizes[drawn]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        item = self.order[np.repeat(self.first[drawn], sizes) + within]
        groups = np.repeat(np.arange(n_groups), sizes)
        return _Drawn(correct[item], confidence[item], None if by is None else by[item], groups)


class _Model:
    """Groups with beta-binomial errors; all confidences are equal."""

    def __init__(self, rate: float, icc: float, sizes: NDArray[np.int64]) -> None:
        self.rate, self.icc, self.sizes = rate, icc, sizes
        self.grouped = bool(np.any(sizes > 1))

    def draw(self, n_groups: int, rng: np.random.Generator) -> _Drawn:
        """Draw groups with their sizes and errors."""
        sizes = self.sizes[rng.integers(0, len(self.sizes), n_groups)]
        if self.rate == 0.0:
            errors = np.zeros(n_groups, np.int64)
        elif self.icc == 0.0:
            errors = rng.binomial(sizes, self.rate)
        elif self.icc == 1.0:
            errors = sizes * (rng.random(n_groups) < self.rate)
        else:
            of_beta = (1.0 - self.icc) / self.icc
            errors = rng.binomial(
                sizes, rng.beta(self.rate * of_beta, (1.0 - self.rate) * of_beta, n_groups)
            )
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        correct = within >= np.repeat(errors, sizes)
        groups = np.repeat(np.arange(n_groups), sizes) if self.grouped else None
        return _Drawn(correct, np.ones(len(correct)), None, groups)


@takes_items_only("it draws samples of the items")
def sample_size_for_policy(
    correct: ArrayLike | None = None,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    by: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    failure_probability: float = 0.05,
    max_group_size: int | None = None,
    method: Literal["auto", "gamma"] = "auto",
    truth_reader: Reviewer | None = None,
    accept: float | None = None,
    expected_error_rate: float | None = None,
    icc: float | None = None,
    group_sizes: ArrayLike | None = None,
    power: float = 0.8,
    n_runs: int = 400,
    random_state: RandomState = 0,
    progress: bool = False,
) -> PolicySampleSize:
    """Find how many verified outputs a policy needs, by fitting policies to samples.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), optional
        The pilot: whether each output was right (bool, or 0 and 1), and its confidence (real and
        finite). Without a pilot, `expected_error_rate` states a model.
    max_error_rate, max_risk : float
        The limit, in (0, 1), as for :func:`.fit_policy`. Give one of the two.
    by, groups : array_like of shape (n,), optional
        The field of each output in the pilot, and labels of outputs that depend on each other.
    failure_probability, max_group_size, method, truth_reader
        As for :func:`.fit_policy`.
    accept : float, optional
        The share of outputs that a fit must accept to be a success, in (0, 1]. Let a(x) be the largest
        share that the pilot allows at the limit x. The default is the smaller of 0.9·a(limit) and
        0.95·a(0.95·limit). The second number is smaller if many confidences are equal, so that a
        slightly lower limit allows much less. Not for a stated model.
    expected_error_rate : float, optional
        Instead of a pilot: the error rate of all outputs, in [0, limit). A stated model has no
        confidences, so success means that everything is accepted.
    icc : float, optional
        With `expected_error_rate`: the correlation of errors within a group, in [0, 1]; 0 by default.
    group_sizes : int or array_like of int, optional
        With `expected_error_rate`: numbers of at least 1, from which the size of each group is drawn at
        random. By default, each item is its own group.
    power : float, default=0.8
        The probability with which a fit should be a success, in (0, 1).
    n_runs : int, default=400
        The number of samples drawn at the final size, at least 20.
    random_state : int, SeedSequence, Generator or None, default=0
        Seed of the samples and of the fits. Each fit splits its items into random halves, and the power
        is a mean over these halves, too.
    progress : bool, default=False
        Whether to show progress on stderr.

    Examples
    --------
    >>> import fastarac as fa
    >>> plan = fa.operation.sample_size_for_policy(
    ...     max_error_rate=0.05, expected_error_rate=0.01, icc=0.1, group_sizes=10, n_runs=40,
    ...     method="gamma",
    ... )
    >>> plan.least_groups <= plan.n_groups, plan.n_items == 10 * plan.n_groups
    (True, True)

    Returns
    -------
    PolicySampleSize
        The number of groups and items, with its power and the standard error of the power. Also the
        smallest number at which anything can be accepted. From a pilot, also the range of the power
        over similar pilots, and the number that would suffice if this pilot were the truth.

    Raises
    ------
    TypeError
        Unless exactly one limit is given, and either a pilot or a stated model. Also if options of the
        pilot are given with the model, or options of the model with the pilot.
    ValueError
        For numbers outside their ranges, if `accept` exceeds the share that the pilot allows, and as
        :func:`.fit_policy`.

    See Also
    --------
    sample_size_for_guarantee : plan exactly, for independent items that are all accepted.

    Notes
    -----
    Samples come from the pilot or from the model. From the pilot, whole groups are drawn with
    replacement; a group that is drawn twice counts as two groups. In the model, the error probability
    of a group has the distribution Beta(p(1 − ρ)/ρ, (1 − p)(1 − ρ)/ρ), where p is
    `expected_error_rate` and ρ is `icc`. A sample is a success if :func:`.fit_policy` with the same
    options accepts at least the share `accept` of it.

    The search doubles the number of groups until enough fits succeed, and then bisects. For a size, it
    draws only as many samples as it needs to decide. The power does not always increase with the number
    of groups, because the allowed number of errors increases in steps. So a smaller number than the one
    found may also suffice. The reported power comes from new samples, not from the samples of the
    search. Samples have at most 500,000 items.

    A small pilot may differ from new outputs, so a plan that ignores this is too optimistic. Therefore
    16 new pilots are drawn from the pilot, and 16 samples from each new pilot. The size found above is
    increased by a quarter at a time, up to 3.8 times in all, until 70% of the new pilots reach the
    power. If no size suffices, the pilot is too small.

    References
    ----------
    Davison and Hinkley 1997, "Bootstrap methods and their application".
    """
    criterion = exactly_one(max_error_rate=max_error_rate, max_risk=max_risk)
    limit = inner_fraction(max_risk if max_error_rate is None else max_error_rate, criterion)
    wanted = inner_fraction(power, "power")
    runs = whole_number(n_runs, "n_runs", 20)
    key = key_of(random_state)
    delta = failure_of(failure_probability)
    # Samples contain only the errors that people found, so use the limit for found errors.
    tested = limit_of_found(limit, delta, truth_reader)
    options: dict[str, Any] = {
        criterion: tested.limit, "failure_probability": tested.failure_probability,
        "max_group_size": max_group_size, "method": method,
    }  # fmt: skip
    source: _Pilot | _Model
    if expected_error_rate is None:
        source, enough = _of_pilot(correct, confidence, by, groups, criterion, tested.limit, accept)
        _refuse("a pilot", icc=icc, group_sizes=group_sizes)
    else:
        _refuse(
            "expected_error_rate", correct=correct, confidence=confidence, by=by, groups=groups,
            accept=accept,
        )  # fmt: skip
        rate = fraction_of(expected_error_rate, "expected_error_rate")
        if rate >= limit:
            raise ValueError(f"expected_error_rate must be below the limit of {limit:g}, got {rate:g}")
        rate = rate_of_found(limit, rate, delta, truth_reader)[1]
        source, enough = _of_model(rate, icc, group_sizes), 1.0
    with display(None, progress=progress, what="samples") as show:
        return PolicySampleSize(
            **_Search(source, options, enough, wanted, key, show).outcome(runs),
            accept=enough, criterion=criterion, limit=limit, failure_probability=delta,
            grouped=source.grouped, truth_reader=informative(truth_reader),
        )  # fmt: skip


def _refuse(beside: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise TypeError(f"{name} cannot go with {beside}")


def _of_pilot(
    correct: ArrayLike | None,
    confidence: ArrayLike | None,
    by: ArrayLike | None,
    groups: ArrayLike | None,
    criterion: str,
    limit: float,
    accept: float | None,
) -> tuple[_Pilot, float]:
    """Return the pilot, and the share of outputs that a fit must accept to be a success."""
    if correct is None or confidence is None:
        raise TypeError("give either a pilot (correct, confidence) or expected_error_rate")
    # Raises unless all labels are 0 or 1, and all confidences are finite.
    threshold_sweep(correct, confidence)
    items = read_items(correct, confidence)
    field = None if by is None else _by_appearance(read_groups(by, items.n, "by")[1])
    codes = None if groups is None else _by_appearance(read_outermost(groups, items.n, "a plan"))
    right = np.not_equal(items.correct, 0)
    score = items.confidence
    # Rank the items by calibrated error probability if the fit does so, too.
    if field is not None or criterion == "max_risk":
        score = np.empty(items.n)
        parts = np.zeros(items.n, np.intp) if field is None else field
        for each in range(int(parts.max()) + 1):
            own = parts == each
            calibration = isotonic_calibration(right[own], items.confidence[own])
            score[own] = -calibration.at(items.confidence[own])
    bound: dict[str, Any] = {criterion: limit}
    allowed = float(operating_point(right, score, **bound).acceptance_rate)
    if allowed == 0.0:
        raise ValueError(
            f"{criterion} is {limit:g}, too low to accept any of the pilot; use a higher limit"
        )
    bound[criterion] *= BELOW
    below = BELOW * float(operating_point(right, score, **bound).acceptance_rate)
    enough = min(OF_ALLOWED * allowed, below or 1.0)
    if accept is not None:
        enough = fraction_of(accept, "accept")
        if not 0.0 < enough <= allowed:
            raise ValueError(
                f"accept must be above 0 and at most {allowed:.4g}, got {enough:g}: no larger share of "
                f"the pilot can be accepted at {criterion}={limit:g}"
            )
    return _Pilot(_Drawn(right, items.confidence, field, codes)), enough


def _by_appearance(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number labels by first appearance, so that draws do not depend on the labels themselves."""
    _, first, own = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[own], np.intp)


def _of_model(rate: float, icc: float | None, group_sizes: ArrayLike | None) -> _Model:
    within = 0.0 if icc is None else fraction_of(real_scalar(icc, "icc"), "icc")
    given = np.atleast_1d(np.asarray(1 if group_sizes is None else group_sizes)).ravel().tolist()
    if not given:
        raise ValueError("group_sizes is empty; give at least one size")
    sizes = np.array([whole_number(size, "group_sizes", 1) for size in given], np.int64)
    if within > 0.0 and sizes.max() == 1:
        raise ValueError(
            f"icc is {within:g}, but group_sizes has no group of two or more items; add a larger one"
        )
    return _Model(rate, within, sizes)


class _Search:
    """Fits to samples of various sizes, with a record of their successes."""

    def __init__(
        self,
        source: _Pilot | _Model,
        options: dict[str, Any],
        enough: float,
        power: float,
        key: NDArray[np.uint64],
        show: Callable[[int], None],
    ) -> None:
        self.source, self.options, self.enough, self.power = source, options, enough, power
        self.key = key.tolist()
        self.show = show
        self.done = 0
        self.successes: dict[int, list[bool]] = {}

    def outcome(self, runs: int) -> dict[str, Any]:
        """Search for the numbers; return them and the power as attributes of `PolicySampleSize`."""
        source, mean = self.source, float(self.source.sizes.mean())
        most = max(2, int(MOST_ITEMS / mean))
        share = error = 0.0
        low = high = math.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SampleTooSmallWarning)
            least = self.least(most)
            plug_in = found = None if least is None else self.answer(least, most, runs)
            if isinstance(source, _Pilot) and plug_in is not None:
                found, low, high = self.for_most_pilots(source, plug_in, most)
            at = found or plug_in or most
            if plug_in is not None:
                self.again(at, runs)
            if least is not None:
                share, error = self.power_at(at)
        return {
            "n_groups": found,
            "n_items": None if found is None else round(found * mean),
            "power": share,
            "standard_error": error,
            "least_groups": least,
            "least_items": None if least is None else round(least * mean),
            "pilot_power_low": low,
            "pilot_power_high": high,
            "plug_in_groups": plug_in,
            "plug_in_items": None if plug_in is None else round(plug_in * mean),
            "target_power": self.power,
            "most_groups": most,
        }

    def accepted(
        self,
        source: _Pilot | _Model,
        n_groups: int,
        run: int,
        *,
        stream: int = 0,
        without_errors: bool = False,
    ) -> float:
        """Return the share of a random sample that the policy fitted to this sample accepts.

        Samples of different sizes begin with the same groups if they have the same number `run`.
        """
        rng = np.random.default_rng([*self.key, stream, run])
        drawn = source.draw(n_groups, rng)
        correct = np.ones_like(drawn.correct) if without_errors else drawn.correct
        with unquestioned():  # Do not warn of reversed or constant confidences in a random sample.
            request = request_of(
                correct=correct, confidence=drawn.confidence, by=drawn.by, groups=drawn.groups,
                random_state=rng, **self.options,
            )  # fmt: skip
            share = PolicyFit.of(request).acceptance_rate()
        self.done += 1
        self.show(self.done)
        return share

    def least(self, most: int) -> int | None:
        """Return the smallest number of groups at which a fit without errors accepts any output."""

        def accepts(n: int) -> bool:
            share = partial(self.accepted, self.source, n, without_errors=True)
            return any(share(run) > 0.0 for run in range(ERROR_FREE))

        low, high = 1, 2
        while not accepts(high):
            if high == most:
                return None
            low, high = high, min(2 * high, most)
        return bisected(accepts, low, high)

    def power_at(self, n: int) -> tuple[float, float]:
        """Return the share of successes with n groups, and its standard error."""
        found = self.successes[n]
        share = float(np.mean(found))
        # This estimate is never 0 or 1, so the standard error is positive even if all runs agree.
        rough = (sum(found) + 1.0) / (len(found) + 2.0)
        return share, math.sqrt(rough * (1.0 - rough) / len(found))

    def succeeds(self, n: int, most_runs: int) -> bool:
        """Return whether n groups reach the power, using as few samples as needed."""
        found = self.successes.setdefault(n, [])
        while len(found) < most_runs:
            self._draw_up_to(n, min(len(found) + AT_ONCE, most_runs))
            if abs(self._apart(n)) > SURE:
                break
        return float(np.mean(found)) >= self.power

    def _apart(self, n: int) -> float:
        """Return the difference between the share of successes and the power, in standard errors."""
        found = self.successes[n]
        error = math.sqrt(self.power * (1.0 - self.power) / len(found))
        return (float(np.mean(found)) - self.power) / error

    def answer(self, least: int, most: int, runs: int) -> int | None:
        """Search for the smallest number of groups that reaches the power; None if above `most`."""
        few = min(ON_THE_WAY, runs)
        low, high = least - 1, least
        while not self.succeeds(high, few):
            if high == most:
                return None
            low, high = high, min(2 * high, most)
        while True:
            while high - low > 1 and high > CLOSE * low:
                middle = self._between(low, high)
                good = self.succeeds(middle, runs)
                if len(self.successes[middle]) >= runs and abs(self._apart(middle)) <= NEAR:
                    return middle
                low, high = (low, middle) if good else (middle, high)
            self._draw_up_to(high, runs)
            if self._apart(high) >= -NEAR:
                return high
            if high == most:
                return None
            low, high = high, min(most, math.ceil(1.1 * high))
            while not self.succeeds(high, runs):
                if high == most:
                    return None
                low, high = high, min(most, math.ceil(1.1 * high))

    def again(self, n: int, runs: int) -> None:
        """Draw new samples of size n, because the samples by which n was chosen are too optimistic."""
        self.successes[n] = [self._enough(self.source, n, run, PILOTS + 1) for run in range(runs)]

    def _draw_up_to(self, n: int, runs: int) -> None:
        found = self.successes[n]
        found += [self._enough(self.source, n, run) for run in range(len(found), runs)]

    def _enough(self, source: _Pilot | _Model, n: int, run: int, stream: int = 0) -> bool:
        return self.accepted(source, n, run, stream=stream) >= self.enough - 1e-12

    def _between(self, low: int, high: int) -> int:
        """Return the next number to try, by a probit interpolation over log(number)."""
        middle = math.sqrt(max(low, 1) * high)
        if high <= 2 * low and low in self.successes:
            at_low, at_high = (self._normal(n) for n in (low, high))
            if at_high > at_low:
                share = (normal_quantile(2.0 * self.power - 1.0) - at_low) / (at_high - at_low)
                middle = low * (high / low) ** min(max(share, 0.2), 0.8)
        return min(max(round(middle), low + 1), high - 1)

    def _normal(self, n: int) -> float:
        found = self.successes[n]
        return normal_quantile(2.0 * (sum(found) + 0.5) / (len(found) + 1.0) - 1.0)

    def for_most_pilots(self, pilot: _Pilot, n: int, most: int) -> tuple[int | None, float, float]:
        """Return the first tried size at which most bootstrap pilots reach the power, or None.

        Also return the 10% and 90% quantiles of the power over the pilots at this size. If no size
        suffices, return the quantiles at `n`.
        """
        others = [
            pilot.again(np.random.default_rng([*self.key, 0, each, each]))
            for each in range(1, PILOTS + 1)
        ]
        size = n
        for _ in range(STEPS + 1):
            powers = self._powers(others, size, most_failures=(1.0 - MOST_PILOTS) * PILOTS)
            if powers is not None:
                return size, *_ends_of(powers)
            if size == most:
                break
            size = min(most, math.ceil(GROWTH * size))
        return None, *_ends_of(self._powers(others, n, most_failures=PILOTS) or [])

    def _powers(self, pilots: Sequence[_Pilot], n: int, *, most_failures: float) -> list[float] | None:
        """Return the power of each pilot; None if more than `most_failures` miss the target power."""
        found: list[float] = []
        for each, other in enumerate(pilots, 1):
            found.append(float(np.mean([self._enough(other, n, run, each) for run in range(PILOTS)])))
            if sum(share < self.power for share in found) > most_failures:
                return None
        return found


def _ends_of(powers: Sequence[float]) -> tuple[float, float]:
    low, high = np.quantile(powers, [0.1, 0.9])
    return float(low), float(high)
