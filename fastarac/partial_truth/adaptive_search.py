"""Search step by step for the lowest threshold that provably keeps a limit on errors."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import _kernels
from fastarac._core import saved
from fastarac._core.checks import exactly_one, failure_of, inner_fraction, reject_where, whole_number
from fastarac._core.dtype_comparison import most_within
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.text import json_text
from fastarac.partial_truth.sampling import scores_of
from fastarac.partial_truth.sequential_plan import plan_of_any, plan_of_budget
from fastarac.samples.partial import read_judge

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

KIND, VERSION = "fastarac search", 4
CRITERIA = "max_error_rate", "max_risk"
# Arguments `later` and `spending` of `plan_of_any`, for each criterion.
PLANS = (0.5, 1.5), (0.25, 1.2)
# Horizon of the plan for each criterion, as a multiple of the progress expected within the budget.
HORIZONS = 1.1, 0.7
# Arguments `before`, `rise` and `fall` of `plan_of_budget`, for each criterion.
SPENDINGS = (0.95, 5.0, 2.0), (0.8, 0.5, 1.0)
STEP = 0.005  # distance between candidate thresholds, as a share of all outputs
# Candidates smaller than FEWEST_STEPS steps have sizes in a geometric series with ratio FACTOR.
FEWEST_STEPS = 40
FACTOR = 0.7
# The outputs with the lowest confidences get more candidates and are drawn more often. LOW is their
# share of all outputs. FINE is the distance between their candidates, as a share of all outputs.
LOW = 0.1
FINE = 0.001
# The density of draws falls with the rank from the lowest confidence, with this exponent.
STEEPNESS = 0.7
DENSEST = 8.0  # maximum density of draws; the minimum is 1
# Maximum mean density with a judge, so that a useless judge costs at most 25% more answers.
SURPLUS = 1.25
STATE = saved.record(
    {
        "criterion": saved.word(*CRITERIA),
        "limit": saved.number(inner_fraction),
        "failure_probability": saved.number(failure_of),
        "budget": saved.optional(saved.whole(1)),
        "outputs_digest": saved.hexadecimal(64),
        "seed": saved.whole(),
        "batches": saved.sequence(
            saved.record({"after": saved.whole(), "indices": saved.sequence(saved.whole())})
        ),
        "answers": saved.sequence(saved.optional(saved.boolean)),
    }
)


class AdaptiveThresholdSearch:
    r"""Search, with few answers, for the lowest threshold that keeps a limit on these outputs.

    The guarantee holds whenever the search stops.

    Parameters
    ----------
    confidence : array_like of shape (n,)
        Confidences of all outputs; real and finite.
    max_error_rate : float, optional
        Limit on the accepted wrong outputs, as a share of all outputs, in (0, 1). Give either this or
        `max_risk`.
    max_risk : float, optional
        Limit on the accepted wrong outputs, as a share of the accepted outputs.
    failure_probability : float, default=0.05
        δ, the maximum probability that the limit is ever exceeded during the search.
    judge : array_like of shape (n,), optional
        An estimate of the probability that each output is right, in [0, 1]. A bad judge costs up to a
        quarter more answers, but the guarantee still holds.
    budget : int, optional
        The planned number of answers. The search then aims at the largest acceptance rate after this
        number of answers. The actual number may differ.
    random_state : int, SeedSequence, Generator or None, default=None
        Source of randomness for the draws. With the same integer and the same answers, the search asks
        for the same outputs.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(10_000)
    >>> correct = rng.random(10_000) > 0.5 * (1 - confidence) ** 6  # what people would find
    >>> search = fa.partial_truth.AdaptiveThresholdSearch(
    ...     confidence, max_error_rate=0.02, random_state=0
    ... )
    >>> while search.n_verified < 300 and not search.done:
    ...     indices = search.ask(10)
    ...     search.tell(indices, correct[indices])
    >>> accepted = confidence >= search.threshold
    >>> bool((accepted & ~correct).sum() <= 0.02 * 10_000)
    True

    Attributes
    ----------
    threshold : float or int
        Outputs are accepted iff confidence >= threshold; infinite while none are accepted.
    acceptance_rate : float
        The share of all outputs that are accepted.
    done : bool
        Whether further answers cannot change the threshold.
    n_verified, n_errors : int
        The number of counted answers, and the number of "wrong" answers among them.
    open : ndarray of int
        The outputs asked for that have no answer yet, in the order drawn.

    Raises
    ------
    ValueError, TypeError
        If limits or probabilities are out of range, a judge value is outside [0, 1], the budget is
        below 1, a confidence is not finite, or arrays have unequal lengths.

    See Also
    --------
    draw_verification_sample : Draw a sample of a given size, for estimates of any statistic.
    fastarac.guaranteed_operating_point : Choose a threshold with a guarantee for new outputs.

    Notes
    -----
    The guarantee is for these n outputs, not for new ones. With probability at least 1 − δ, the share
    of accepted wrong outputs never exceeds the limit. Verified wrong outputs count, too.

    At the start, all outputs are put in a random order. Let A be the outputs above a candidate
    threshold, and L the smallest number of errors in A that exceeds the limit. For output i in A, let R
    be the set of i and all later outputs of A, and E the number of errors of A before i. Let e be 1 if
    i is an error, else 0. If A has L errors, a capital K that starts at 1 and is updated by

    .. math:: K \leftarrow K\left(1+\lambda\left(\varepsilon-\frac{e}{d_i}\right)\right), \qquad
        \varepsilon=\frac{L-E}{\sum_{j \in R} d_j}

    does not grow on average, and reaches 1/δ with probability at most δ [1]_. In the random order,
    outputs with a high density d, such as those with a low judge value, tend to come early. The
    densities are fixed before the first answer, but the bets λ depend on earlier answers [2]_. For
    details see "Formulas of intervals, tests and guarantees" in the documentation.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Confidence sequences for sampling without replacement",
       NeurIPS 2020.
    .. [2] K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials",
       Biometrika 70 (3), 659-663, 1983.
    """

    def __init__(
        self,
        confidence: ArrayLike,
        *,
        max_error_rate: float | None = None,
        max_risk: float | None = None,
        failure_probability: float = 0.05,
        judge: ArrayLike | None = None,
        budget: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        criterion = exactly_one(max_error_rate=max_error_rate, max_risk=max_risk)
        limit = max_error_rate if criterion == CRITERIA[0] else max_risk
        seed = int(key_of(random_state)[0] >> np.uint64(1))
        self._set_up(confidence, criterion, limit, failure_probability, judge, budget, seed)

    def _set_up(
        self,
        confidence: Any,
        criterion: str,
        limit: Any,
        failure: Any,
        judge: Any,
        budget: Any,
        seed: int,
    ) -> None:
        self.criterion = criterion
        self.limit = inner_fraction(limit, criterion)
        self.failure_probability = failure_of(failure)
        self.budget = None if budget is None else whole_number(budget, "budget", 1)
        scores = scores_of(confidence)
        guesses = None if judge is None else read_judge(judge, len(scores))
        self._digest = _digest_of(scores, guesses)
        self._seed = seed
        self._place_outputs(scores, guesses)
        self._start_run()

    def _place_outputs(self, scores: NDArray[Any], guesses: NDArray[np.float64] | None) -> None:
        """Sort the outputs by the highest candidate threshold that accepts them, then in draw order."""
        n, of_all = len(scores), self.criterion == CRITERIA[0]
        order = np.argsort(scores, kind="stable")[::-1]
        falling = scores[order]
        ends = np.append(np.flatnonzero(falling[1:] != falling[:-1]) + 1, n)
        wanted = np.searchsorted(ends, _sizes(n))
        self._sizes = np.unique(ends[np.minimum(wanted, len(ends) - 1)]).astype(np.int64)
        self._thresholds = falling[self._sizes - 1]
        counted = np.full(len(self._sizes), n) if of_all else self._sizes
        self._enough = np.array([most_within(self.limit, int(m)) + 1 for m in counted], np.int64)

        cells = np.searchsorted(self._sizes, np.arange(n), side="right")
        density = (
            _densities_by_rank(cells) if guesses is None else _densities(guesses, self.limit)[order]
        )
        clock = _clocks(np.random.default_rng(self._seed), density)
        placed = np.lexsort((clock, cells))  # sort by candidate, then by draw order
        self._items = order[placed]
        self._outputs = (
            np.append(0, self._sizes),
            self._enough,
            np.cumsum(density)[self._sizes - 1],
            cells[placed],
            clock[placed],
            density[placed],
            np.zeros(n, np.int64),
        )

    def _start_run(self) -> None:
        """Initialise the arrays that change with each answer."""
        kernels = _kernels.adaptive_search
        self._counts = np.zeros((3, len(self._sizes)), np.int64)
        self._place = np.zeros(4, np.int64)
        self._money = np.array([1.0 / self.failure_probability, 1.0, -1.0])
        self._run = np.zeros(6)
        if self.criterion == CRITERIA[0]:
            self._place[kernels.STARTED] = 1
            kernels.begin_run(0, self._outputs[2], self._money, self._run)
        self._order = np.empty(0, np.int64)  # positions of the counted outputs, in draw order
        self._plan = self._planned()

        self._asked: list[int] = []
        self._places: list[int] = []
        # For each batch: the index of its first question, and the number of answers recorded before it.
        self._batches: list[tuple[int, int]] = []
        self._answers: dict[int, bool] = {}
        self._position: dict[int, int] = {}

    def _planned(self) -> NDArray[np.float64]:
        """Return the plan of the bets: for `budget` answers or, without a budget, for any number."""
        which = CRITERIA.index(self.criterion)
        if self.budget is None:
            return plan_of_any(self.failure_probability, *PLANS[which])
        n = len(self._items)
        # Expected number of draws with replacement until `budget` different outputs are drawn.
        drawn = -n * np.log1p(-min(self.budget, n - 0.5) / n)
        expected = drawn * self._enough[-1] / self._outputs[2][-1]
        return plan_of_budget(
            self.failure_probability, float(HORIZONS[which] * expected), *SPENDINGS[which]
        )

    def __repr__(self) -> str:
        return (
            f"AdaptiveThresholdSearch({self.criterion}={self.limit:.6g}, {self.n_verified} verified, "
            f"accepts {100.0 * self.acceptance_rate:.2f}%)"
        )

    @property
    def n_verified(self) -> int:
        """Number of answers counted so far: all those before the first unanswered question."""
        return int(self._place[_kernels.adaptive_search.LABELS])

    @property
    def n_errors(self) -> int:
        """Number of counted answers that are "wrong"."""
        return int(self._counts[_kernels.adaptive_search.WRONG].sum())

    @property
    def open(self) -> NDArray[np.intp]:
        """The outputs asked for that have no answer yet, in the order drawn."""
        return np.array([i for i in self._asked if i not in self._answers], np.intp)

    @property
    def answered(self) -> NDArray[np.intp]:
        """The outputs that have an answer, in the order drawn."""
        return np.array([i for i in self._asked if i in self._answers], np.intp)

    @property
    def _candidate(self) -> int:
        """The index of the lowest candidate threshold that is known to keep the limit, or -1."""
        place, kernels = self._place, _kernels.adaptive_search
        holds = self._most_errors < self._enough
        holds[place[kernels.FIRST] : place[kernels.FRONTIER]] = True
        holds &= self._known_errors < self._enough  # later answers may show that a limit is exceeded
        return int(np.flatnonzero(holds)[-1]) if holds.any() else -1

    @property
    def _known_errors(self) -> NDArray[np.int64]:
        """Number of verified errors above each candidate threshold."""
        found: NDArray[np.int64] = self._counts[_kernels.adaptive_search.WRONG].cumsum()
        return found

    @property
    def _most_errors(self) -> NDArray[np.int64]:
        """Number of errors above each candidate threshold if all unverified outputs are wrong."""
        kernels = _kernels.adaptive_search
        found: NDArray[np.int64] = (
            self._counts[kernels.WRONG] - self._counts[kernels.SEEN]
        ).cumsum() + self._sizes
        return found

    @property
    def threshold(self) -> Any:
        """Outputs are accepted iff confidence >= threshold; infinite while none are accepted."""
        return float("inf") if self._candidate < 0 else self._thresholds[self._candidate].item()

    @property
    def acceptance_rate(self) -> float:
        """The share of all outputs that are accepted."""
        chosen = self._candidate
        return 0.0 if chosen < 0 else float(self._sizes[chosen] / self._sizes[-1])

    @property
    def done(self) -> bool:
        """Whether further answers cannot change the threshold."""
        broken = (self._known_errors >= self._enough)[self._candidate + 1 :]
        return self.n_verified == len(self._items) or bool(broken.all())

    def ask(self, k: int = 1) -> NDArray[np.intp]:
        """Return up to `k` outputs to verify, in the order drawn.

        You may call this before all earlier outputs have an answer.

        Parameters
        ----------
        k : int, default=1

        Returns
        -------
        ndarray of shape (at most k,), int
            Indices into the confidences.
        """
        k = min(whole_number(k, "k", 1), len(self._items) - len(self._asked))
        if k == 0:
            return np.empty(0, np.intp)
        ahead = self._state(len(self._asked) + k)
        pending = np.array(self._places[self.n_verified :], np.int64)
        right = np.zeros(len(pending), np.int64)
        _kernels.adaptive_search.count_answers(
            pending, right, self.limit, self._plan, *self._outputs, *ahead
        )
        places = np.empty(k, np.int64)
        _kernels.adaptive_search.ask_places(places, self.limit, self._plan, *self._outputs, *ahead)
        np.add.at(self._counts[_kernels.adaptive_search.ASKED], self._outputs[3][places], 1)
        found = self._items[places]
        self._batches.append((len(self._asked), self.n_verified))
        for index in found.tolist():
            self._position[index] = len(self._asked)
            self._asked.append(index)
        self._places.extend(places.tolist())
        return found

    def _state(self, labels: int) -> list[NDArray[Any]]:
        """Return copies of the arrays that new answers modify, with room for `labels` answers."""
        order = np.empty(labels, np.int64)
        order[: self.n_verified] = self._order[: self.n_verified]
        return [order, *(a.copy() for a in (self._counts, self._place, self._money, self._run))]

    def tell(self, indices: ArrayLike, correct: ArrayLike) -> None:
        """Record answers to questions, in any order.

        Answers count in the order in which their outputs were drawn. Answers after an open question are
        not counted yet, so that the guarantee does not depend on the order in which people answer. If
        people cannot judge an output, report it as wrong.

        Parameters
        ----------
        indices : array_like of int
            Outputs that :meth:`ask` returned.
        correct : array_like of bool
            Whether each output is right.

        Raises
        ------
        ValueError
            If an output was not asked for or already has a different answer, or if a value is not True
            or False, 1 or 0. In this case, no answer is recorded.
        """
        places, given = np.atleast_1d(np.asarray(indices)), np.atleast_1d(np.asarray(correct))
        if places.dtype.kind not in "iu" and len(places):
            raise TypeError(f"indices must hold integers, got type {places.dtype}")
        if places.ndim != 1 or places.shape != given.shape:
            raise ValueError(
                "indices and correct must have one answer for each index, got shapes "
                f"{places.shape} and {given.shape}"
            )
        if given.dtype.kind not in "biuf" and len(given):
            raise TypeError(f"correct must hold True and False, got type {given.dtype}")
        reject_where(~((given == 0) | (given == 1)), given, "correct", "True or False")
        new: dict[int, bool] = {}
        for index, value in zip(places.tolist(), given.tolist(), strict=True):
            if index not in self._position:
                raise ValueError(f"indices must be outputs that ask() returned, got {index}")
            if self._answers.get(index, new.get(index, bool(value))) != bool(value):
                raise ValueError(f"indices has {index}, which already has a different answer")
            new[index] = bool(value)
        self._answers |= new
        self._count()

    def _count(self) -> None:
        """Count the recorded answers that come before the first open question."""
        start = self.n_verified
        errors = []
        for index in self._asked[start:]:
            if index not in self._answers:
                break
            errors.append(not self._answers[index])
        stop = start + len(errors)
        if len(self._order) < stop:
            self._order = self._state(2 * stop)[0]
        _kernels.adaptive_search.count_answers(
            np.array(self._places[start:stop], np.int64), np.array(errors, np.int64), self.limit,
            self._plan, *self._outputs, self._order, self._counts, self._place, self._money, self._run,
        )  # fmt: skip

    def to_json(self) -> str:
        """Return the questions and answers as a JSON text, without the outputs themselves."""
        batches = []
        limits = [*(first for first, _ in self._batches[1:]), len(self._asked)]
        for (first, after), last in zip(self._batches, limits, strict=True):
            batches.append({"after": after, "indices": self._asked[first:last]})
        content = {
            "kind": KIND, "version": VERSION, "criterion": self.criterion, "limit": self.limit,
            "failure_probability": self.failure_probability, "budget": self.budget,
            "outputs_digest": self._digest,
            "seed": self._seed, "batches": batches,
            "answers": [self._answers.get(index) for index in self._asked],
        }  # fmt: skip
        return json_text(content)

    @classmethod
    def from_json(
        cls, text: str, confidence: ArrayLike, *, judge: ArrayLike | None = None
    ) -> AdaptiveThresholdSearch:
        """Restore a search from its JSON text.

        Parameters
        ----------
        text : str
            The result of :meth:`to_json`.
        confidence, judge : array_like of shape (n,)
            Confidences and judge values of the same outputs.

        Returns
        -------
        AdaptiveThresholdSearch

        Raises
        ------
        ValueError
            If the text is damaged, or the outputs are not the same.
        """
        state = STATE(saved.content_of(text, KIND, VERSION), "")
        search = cls.__new__(cls)
        cls._set_up(
            search, confidence, state["criterion"], state["limit"], state["failure_probability"],
            judge, state["budget"], state["seed"],
        )  # fmt: skip
        cls._replay(search, state)
        return search

    def _replay(self, state: dict[str, Any]) -> None:
        """Repeat the saved questions and answers; raise if the search asks for other outputs."""
        if self._digest != state["outputs_digest"]:
            raise ValueError("it belongs to other outputs: the confidences or the judge values differ")
        batches, answers = state["batches"], state["answers"]
        asked = [index for batch in batches for index in batch["indices"]]
        saved.require_length(answers, "answers", len(asked), "batches ask for")
        told = {index: value for index, value in zip(asked, answers, strict=True) if value is not None}
        for number, batch in enumerate(batches):
            wanted = list(batch["indices"])
            self._answers = {i: told[i] for i in self._asked[: batch["after"]] if i in told}
            self._count()
            is_same = self.n_verified == batch["after"] and len(wanted) > 0
            if not is_same or self.ask(len(wanted)).tolist() != wanted:
                raise ValueError(
                    f"batches[{number}] does not match the questions of this search: the "
                    "saved search is damaged"
                )
        self._answers = told
        self._count()


def _digest_of(scores: NDArray[Any], guesses: NDArray[np.float64] | None) -> str:
    """Return the SHA-256 of the outputs' confidences and judge values."""
    found = hashlib.sha256()
    for values in (scores, guesses):
        if values is not None:
            little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
            found.update(f"{little.dtype.str} {len(little)} ".encode())
            found.update(little.tobytes())
    return found.hexdigest()


def _sizes(n: int) -> NDArray[np.intp]:
    """Return how many outputs each candidate threshold is to accept, in increasing order."""
    low = 1.0 - FINE * np.arange(round(LOW / FINE) + 1)[::-1]
    shares = np.append(STEP * np.arange(FEWEST_STEPS, round((1.0 - LOW) / STEP)), low)
    smaller = shares[0] * FACTOR ** np.arange(1.0, max(2.0, np.log(shares[0] * n) / -np.log(FACTOR)))
    sizes: NDArray[np.intp] = np.unique(
        np.maximum(1, np.round(np.concatenate([smaller, shares]) * n)).astype(np.intp)
    )
    return sizes


def _clocks(rng: np.random.Generator, density: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return random keys; sorting by key draws outputs with probabilities proportional to `density`."""
    return rng.exponential(size=len(density)) / density


def _densities_by_rank(cells: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return drawing weights of at least 1, larger for lower confidences."""
    per_cell = np.bincount(cells)
    middle = 1.0 - (np.cumsum(per_cell) - 0.5 * per_cell) / len(cells)
    found: NDArray[np.float64] = np.clip((LOW / middle) ** STEEPNESS, 1.0, DENSEST)[cells]
    return found


def _densities(guesses: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """Return drawing weights of at least 1, larger for lower judge values."""
    found = np.clip(np.sqrt((1.0 - guesses) / limit), 1.0, DENSEST)
    found /= found.min()
    surplus = found.mean() - 1.0
    if surplus > SURPLUS - 1.0:
        found = 1.0 + (found - 1.0) * (SURPLUS - 1.0) / surplus
    return found
