"""How many outputs a policy takes: the fit itself, run on samples from a pilot or a stated model."""

from __future__ import annotations

import math
import warnings
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
from fastarac.operation.fitting import fit_policy
from fastarac.operation.planning import rate_of_found
from fastarac.reviewer import Reviewer, informative, limit_of_found
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.thread_batches import display

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

MOST_ITEMS = 500_000  # in a sample: larger plans are said not to be reachable
OF_ALLOWED = 0.9  # of what the pilot allows, by default
BELOW = 0.95  # of what it allows at as much of the limit, at most: ties may make large steps
ON_THE_WAY = 48  # samples drawn at a size that the search only passes through
AT_ONCE = 12  # samples between two looks at what they said
SURE = 3.5  # standard errors from the power, from which on a number is decided
NEAR = 1.25  # standard errors from the power within which a number is the answer
CLOSE = 1.02  # ratio of two numbers between which no further one is searched
ERROR_FREE = 5  # samples without an error, in one of which something has to be accepted
PILOTS = 16  # of the bootstrap of the pilot, with as many samples each


@dataclass(frozen=True, eq=False, repr=False)
class PolicySampleSize(Result):
    """How many groups and items a policy takes.

    Groups are single items where there are none.

    See Also
    --------
    fastarac.operation.sample_size_for_policy : find how many verified outputs a policy takes
    SampleSizes : numbers of items for a guarantee
    """

    n_groups: int | None
    """Number of groups; None where none up to `most_groups` is enough."""
    n_items: int | None
    """Items in so many groups on average."""
    power: float
    """Share of samples of that number, or of `most_groups`, whose fit accepted enough."""
    standard_error: float
    """Of `power`, from the number of samples drawn."""
    accept: float
    """Share of the items that is enough."""
    least_groups: int | None
    """The least number at which anything can be accepted, from samples without an error."""
    least_items: int | None
    """Items in so many groups on average."""
    pilot_power_low: float
    """10% quantile of the power over pilots drawn from the pilot; NaN for a stated model."""
    pilot_power_high: float
    """90% quantile of it."""
    most_groups: int
    """The largest number that is tried."""
    criterion: str
    """"max_error_rate" or "max_risk"."""
    limit: float
    failure_probability: float
    grouped: bool
    """Whether items come in groups."""
    truth_reader: Reviewer | None = None
    """Who will verify, where they are known to err."""

    def __str__(self) -> str:
        return "; ".join([self.decision, *self.remarks()])

    @property
    def decision(self) -> str:
        """How many outputs to verify, and how probable success is with so many."""
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
        """The range of the power that the pilot leaves; of a stated model, the power."""
        if math.isnan(self.pilot_power_low):
            return percent(self.power, 2)
        low, high = percent(self.pilot_power_low, 2), percent(self.pilot_power_high, 2)
        return low if low == high else f"{low} to {high}"

    def remarks(self) -> Iterator[str]:
        """Yield what the range means, the least number, and what is promised."""
        if not math.isnan(self.pilot_power_low):
            yield (
                f"this pilot alone gives {percent(self.power, 3)}, but 8 of 10 pilots of its size give "
                "a chance in this range; a larger pilot narrows it"
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
        yield f"simulating the samples is accurate to ± {percent(self.standard_error, 2)}"

    def _number(self, groups: int, items: int | None = None) -> str:
        if not self.grouped:
            return f"{groups:,} outputs"
        return f"{groups:,} groups" + ("" if items is None else f" (about {items:,} outputs)")


class _Drawn(NamedTuple):
    """The items of a sample."""

    correct: NDArray[np.bool_]
    confidence: NDArray[Any]
    by: NDArray[Any] | None
    groups: NDArray[np.intp] | None


class _Pilot:
    """Items of which whole groups are drawn, with replacement."""

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
        """A pilot of as many groups, drawn from this one."""
        other = object.__new__(_Pilot)
        other.__dict__ |= self.__dict__
        other.groups_there = rng.integers(0, len(self.sizes), len(self.sizes))
        return other

    def draw(self, n_groups: int, rng: np.random.Generator) -> _Drawn:
        """Draw groups; one that is drawn twice is two groups."""
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
    """Groups whose errors are beta-binomial, and all of whose confidences are the same."""

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


@takes_items_only("it draws samples of them")
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
    """Find how many verified outputs a policy takes, by fitting policies to samples.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), optional
        The pilot: whether each output was right (bool, or 0 and 1), and its confidence (real and
        finite). Without it, `expected_error_rate` states a model.
    max_error_rate, max_risk : float
        The limit, one of the two, in (0, 1), as :func:`.fit_policy` takes it.
    by, groups : array_like of shape (n,), optional
        Fields, and labels of outputs that depend on each other, of the pilot.
    failure_probability, max_group_size, method, truth_reader
        As :func:`.fit_policy` takes them.
    accept : float, optional
        The share of the outputs that a fit has to accept to be a success, in (0, 1]; by default nine
        tenths of the largest share that the pilot allows at the limit, or 95% of what it allows at
        95% of the limit where that is less, as where many confidences are equal. Not for a stated
        model.
    expected_error_rate : float, optional
        In place of a pilot: the error rate of all outputs, in [0, limit). A stated model has no
        confidences: a success is then that everything is accepted.
    icc : float, optional
        Beside `expected_error_rate`: the correlation of errors within a group, in [0, 1]; 0 by default.
    group_sizes : int or array_like of int, optional
        Beside `expected_error_rate`: sizes of groups, of which each group has one at random, at least
        1; single items by default.
    power : float, default=0.8
        With which probability a fit is to be a success, in (0, 1).
    n_runs : int, default=400
        Samples that are drawn at the answer, at least 20.
    random_state : int, SeedSequence, Generator or None, default=0
        Of the samples and of the fits, over whose halves the power is a mean.
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
        The least number found, in groups and in items, its power with its standard error, the least
        number at which anything can be accepted, and how far the power may be off.

    Raises
    ------
    TypeError
        Where not exactly one limit is given, not exactly one of pilot and model, or an option of the
        other one.
    ValueError
        For numbers outside their ranges, where more is to be accepted than the pilot allows, and as
        :func:`.fit_policy`.

    See Also
    --------
    sample_size_for_guarantee : exact, for independent items that are all accepted.

    Notes
    -----
    A sample of G groups is drawn from the pilot with replacement, whole groups, one that is drawn twice
    as two groups; or from the model: error probabilities of groups with the distribution
    Beta(p(1 − ρ)/ρ, (1 − p)(1 − ρ)/ρ), mean p and correlation ρ. :func:`.fit_policy` with the same
    options is a success where its policy accepts at least `accept` of the sample.

    The power at the answer is that of other samples than those by which it was chosen.
    Numbers are doubled until enough fits succeed and then searched between, with few samples where
    they decide; where the power is flat or falls over some numbers, as it does between two numbers of
    allowed errors, the answer is one of those that have it. Samples have at most 500,000 items.

    The bootstrap of the pilot (16 pilots drawn from it, 16 samples of the answer from each) shows how
    much the power depends on the pilot. Plans of small pilots are too hopeful.

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
    tested = limit_of_found(limit, delta, truth_reader)  # pilot and samples have what people find
    options: dict[str, Any] = {
        criterion: tested.limit,
        "failure_probability": tested.failure_probability,
        "max_group_size": max_group_size,
        "method": method,
    }
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
    mean = float(source.sizes.mean())
    most = max(2, int(MOST_ITEMS / mean))
    with warnings.catch_warnings(), display(None, progress=progress, what="samples") as show:
        warnings.simplefilter("ignore", SampleTooSmallWarning)
        search = _Search(source, options, enough, wanted, key, show)
        least = search.least(most)
        found = None if least is None else search.answer(least, most, runs)
        at = most if found is None else found
        if found is not None:
            search.again(found, runs)
        share, error = search.power_at(at) if least is not None else (0.0, 0.0)
        low = high = math.nan
        if isinstance(source, _Pilot) and found is not None:
            low, high = search.from_other_pilots(source, found)
    return PolicySampleSize(
        n_groups=found,
        n_items=None if found is None else round(found * mean),
        power=share,
        standard_error=error,
        accept=enough,
        least_groups=least,
        least_items=None if least is None else round(least * mean),
        pilot_power_low=low,
        pilot_power_high=high,
        most_groups=most,
        criterion=criterion,
        limit=limit,
        failure_probability=delta,
        grouped=source.grouped,
        truth_reader=informative(truth_reader),
    )


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
    """The pilot, and the share to be accepted."""
    if correct is None or confidence is None:
        raise TypeError("give either a pilot (correct, confidence) or expected_error_rate")
    threshold_sweep(correct, confidence)  # refuses what is not 0, 1 or finite
    items = read_items(correct, confidence)
    field = None if by is None else _by_appearance(read_groups(by, items.n, "by")[1])
    codes = None if groups is None else _by_appearance(read_outermost(groups, items.n, "a plan"))
    right = np.not_equal(items.correct, 0)
    score = items.confidence
    if field is not None or criterion == "max_risk":  # ranked as the fit ranks them
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
            f"{criterion} is {limit:g}, at which the pilot accepts nothing; use a higher limit"
        )
    bound[criterion] *= BELOW
    below = BELOW * float(operating_point(right, score, **bound).acceptance_rate)
    enough = min(OF_ALLOWED * allowed, below or 1.0)
    if accept is not None:
        enough = fraction_of(accept, "accept")
        if not 0.0 < enough <= allowed:
            raise ValueError(
                f"accept must be above 0 and at most {allowed:.4g}, the share that the pilot "
                f"accepts at {criterion}={limit:g}, got {enough:g}"
            )
    return _Pilot(_Drawn(right, items.confidence, field, codes)), enough


def _by_appearance(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number labels as they come, so that what is drawn does not depend on their names."""
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
    """Fits on samples of different numbers of groups, and how many of them succeeded."""

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

    def accepted(
        self,
        source: _Pilot | _Model,
        n_groups: int,
        run: int,
        *,
        stream: int = 0,
        without_errors: bool = False,
    ) -> float:
        """The share that a policy accepts which is fitted to a sample.

        The first groups of a run are the same at every number of groups.
        """
        rng = np.random.default_rng([*self.key, stream, run])
        drawn = source.draw(n_groups, rng)
        correct = np.ones_like(drawn.correct) if without_errors else drawn.correct
        with unquestioned():  # of samples that nobody meant
            policy = fit_policy(
                correct, drawn.confidence, by=drawn.by, groups=drawn.groups, random_state=rng,
                **self.options,
            )  # fmt: skip
        self.done += 1
        self.show(self.done)
        return float(policy.acceptance_rate)

    def least(self, most: int) -> int | None:
        """The least number at which something is accepted where nothing is wrong."""

        def accepts(n: int) -> bool:
            share = partial(self.accepted, self.source, n, without_errors=True)
            return any(share(run) > 0.0 for run in range(ERROR_FREE))

        low, high = 1, 2
        while not accepts(high):
            if high == most:
                return None
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if accepts(middle) else (middle, high)
        return high

    def power_at(self, n: int) -> tuple[float, float]:
        """The share of successes at a number, and its standard error."""
        found = self.successes[n]
        share = float(np.mean(found))
        rough = (sum(found) + 1.0) / (len(found) + 2.0)  # not 0 where all of them are alike
        return share, math.sqrt(rough * (1.0 - rough) / len(found))

    def succeeds(self, n: int, most_runs: int) -> bool:
        """Whether so many groups have the power; no more samples are drawn than that takes."""
        found = self.successes.setdefault(n, [])
        while len(found) < most_runs:
            self._draw_up_to(n, min(len(found) + AT_ONCE, most_runs))
            if abs(self._apart(n)) > SURE:
                break
        return float(np.mean(found)) >= self.power

    def _apart(self, n: int) -> float:
        """How far the share of successes is from the power, in standard errors."""
        found = self.successes[n]
        error = math.sqrt(self.power * (1.0 - self.power) / len(found))
        return (float(np.mean(found)) - self.power) / error

    def answer(self, least: int, most: int, runs: int) -> int | None:
        """The least number with the power, about; None where there is none up to `most`."""
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
        """Forget the samples by which a number was chosen, which are hopeful, and draw others."""
        self.successes[n] = [self._enough(self.source, n, run, PILOTS + 1) for run in range(runs)]

    def _draw_up_to(self, n: int, runs: int) -> None:
        found = self.successes[n]
        found += [self._enough(self.source, n, run) for run in range(len(found), runs)]

    def _enough(self, source: _Pilot | _Model, n: int, run: int, stream: int = 0) -> bool:
        return self.accepted(source, n, run, stream=stream) >= self.enough - 1e-12

    def _between(self, low: int, high: int) -> int:
        """Where a normal power over the logarithm of the number would reach the power."""
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

    def from_other_pilots(self, pilot: _Pilot, n: int) -> tuple[float, float]:
        """The 10 and 90% quantiles of the power over pilots like this one."""
        powers = []
        for each in range(1, PILOTS + 1):
            other = pilot.again(np.random.default_rng([*self.key, 0, each, each]))
            powers.append(np.mean([self._enough(other, n, run, each) for run in range(PILOTS)]))
        low, high = np.quantile(powers, [0.1, 0.9])
        return float(low), float(high)
