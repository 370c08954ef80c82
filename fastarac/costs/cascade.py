"""Cascades of models and people: the first stage that is confident enough decides an item."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.checks import failure_of, fraction_of, real_scalar
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.results import Result, Table
from fastarac._core.text import money, percent
from fastarac._engine.inputs import read_groups, vector
from fastarac.costs.cascade_counts import counts_of
from fastarac.costs.cascade_guarantee import Promise, guaranteed_thresholds, raise_beyond_limits
from fastarac.costs.cascade_risk import guaranteed_risk
from fastarac.costs.cascade_search import CascadeSearch, cheapest_single
from fastarac.costs.stages import ABSTENTION, MODEL, ErrorLimit, Stage, Stages, read_stages

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.costs.verification import VerificationCosts

UNIT = 1000  # costs are printed per this number of items
FIGURES = "threshold", "reached", "decided", "errors", f"cost of {UNIT:,}"  # columns of the table


@dataclass(frozen=True, slots=True, eq=False)
class Cascade(Table, Result):
    """Stages with their thresholds, the items that each stage decides, and the costs.

    Prints as a table. Tuples have one entry per stage. If people make errors, `missed`, `corrected` and
    `spoiled` are expected values.

    Attributes
    ----------
    names : tuple of str
        Names of the stages, in order.
    kinds : tuple of {"model", "people", "abstention"}
    thresholds : tuple of float
        A model accepts an item iff its confidence is at or above the model's threshold. People verify
        an item iff the confidence of the last model before them is at or above their threshold. ``inf``
        means that the stage decides nothing. The last stage has ``-inf``: it decides all remaining
        items.
    prices : tuple of float
        Price of an item that reaches a model, that people verify, or that gets no answer.
    reached, decided : tuple of int
        Number of items for which the price of the stage is paid, and number of items that the stage
        decides.
    missed, corrected, spoiled : tuple of float
        Numbers among the items that a stage decides: wrong outputs that stay wrong, wrong outputs that
        people correct, and correct outputs that people make wrong.
    n_items : int
        Number of items from which the figures are computed. With a `failure_probability`, these are
        only the items of the test.
    correction_price, error_price : float
        C_C and C_E, the prices of a correction and of an undetected error.
    max_error_rate, max_risk, failure_probability : float or None
        The limits, and the maximum probability that new items from the same source exceed the limit.
    bound : float or None
        The Clopper–Pearson upper bound of the error rate or risk on the items of the test, at
        `failure_probability`; None without a failure probability, or with groups.
    exact : bool
        Whether all combinations of thresholds were compared. Otherwise, increasingly fine grids were
        searched.
    max_group_size : int or None
        With groups, the largest group size for which the guarantee holds.

    See Also
    --------
    optimize_cascade : chooses the thresholds.
    evaluate_cascade : computes the same figures at given thresholds.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    thresholds: tuple[Any, ...]
    prices: tuple[float, ...]
    reached: tuple[int, ...]
    decided: tuple[int, ...]
    missed: tuple[float, ...]
    corrected: tuple[float, ...]
    spoiled: tuple[float, ...]
    n_items: int
    correction_price: float
    error_price: float
    max_error_rate: float | None = None
    failure_probability: float | None = None
    bound: float | None = None
    exact: bool = True
    max_group_size: int | None = None
    max_risk: float | None = None

    _derived = (
        "shares", "stage_costs", "cost", "error_rate", "risk", "correction_rate", "acceptance_rate",
    )  # fmt: skip

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of all items that each stage decides; the shares add up to 1."""
        return tuple(number / self.n_items for number in self.decided)

    @property
    def acceptance_rate(self) -> float:
        """X, the share of all items that models decide, so that no person checks them."""
        return sum(self._of_models(self.decided)) / self.n_items

    @property
    def risk(self) -> float:
        """The share of wrong items among the items that models decide; NaN if there are none."""
        accepted = sum(self._of_models(self.decided))
        return sum(self._of_models(self.missed)) / accepted if accepted else math.nan

    def _of_models(self, numbers: tuple[float, ...]) -> list[float]:
        pairs = zip(numbers, self.kinds, strict=True)
        return [number for number, kind in pairs if kind == MODEL]

    @property
    def error_rate(self) -> float:
        """R_E, the share of all items that are wrong in the end."""
        errors: float = 0
        for missed, spoiled in zip(self.missed, self.spoiled, strict=True):
            errors = errors + missed + spoiled
        return errors / self.n_items

    @property
    def correction_rate(self) -> float:
        """R_C, the share of all items that people change."""
        pairs = zip(self.corrected, self.spoiled, strict=True)
        return sum(corrected + spoiled for corrected, spoiled in pairs) / self.n_items

    @property
    def stage_errors(self) -> tuple[float, ...]:
        """Number of wrong results among the items that each stage decides."""
        pairs = zip(self.missed, self.spoiled, strict=True)
        return tuple(missed + spoiled for missed, spoiled in pairs)

    @property
    def cost(self) -> float:
        """L, the mean cost of an item: the prices of stages, plus corrections and undetected errors."""
        paid = 0.0
        for price, reached in zip(self.prices, self.reached, strict=True):
            paid = paid + price * (reached / self.n_items)
        corrected = self.correction_price * self.correction_rate
        return paid + corrected + self.error_price * self.error_rate

    @property
    def stage_costs(self) -> tuple[float, ...]:
        """The cost of each stage, divided by the number of all items; the sum is `cost`.

        The cost of a stage is its price for each item that reaches it, plus corrections and undetected
        errors.
        """
        return tuple(
            (
                price * reached
                + self.correction_price * (corrected + spoiled)
                + self.error_price * (missed + spoiled)
            )
            / self.n_items
            for price, reached, missed, corrected, spoiled in zip(
                self.prices, self.reached, self.missed, self.corrected, self.spoiled, strict=True
            )
        )

    def apply(self, confidence: Mapping[str, ArrayLike] | Sequence[ArrayLike]) -> NDArray[np.intp]:
        """Return the stage that decides each new item.

        Parameters
        ----------
        confidence : dict of array_like, or sequence of array_like
            The confidences of the models, by name or in the order of the models. Use NaN if a model has
            no output for an item: it then decides nothing. Also use NaN if the model was not run
            because an earlier stage decided the item. A model without given confidences decides
            nothing; an item that reaches the first such model gets the number of that stage.

        Returns
        -------
        ndarray of int of shape (n,)
            The number of the stage, from 0: ``cascade.names[number]`` is its name.

        Raises
        ------
        ValueError, TypeError
            For unknown names, unequal lengths, and values that are neither finite nor NaN.
        """
        given = self._named(confidence)
        n = len(next(iter(given.values())))
        found = np.full(n, len(self.names) - 1, np.intp)
        left = np.ones(n, np.bool_)
        values: NDArray[Any] = np.empty(0)
        for s, (name, kind) in enumerate(zip(self.names[:-1], self.kinds, strict=False)):
            if kind == MODEL:
                if name not in given:
                    found[left] = s
                    break
                values = given[name]
                if len(values) != n:
                    raise ValueError(
                        f"confidence of {name!r} must have {n} items like the others, got {len(values)}"
                    )
                infinite = left & np.isinf(values)
                if infinite.any():
                    i = int(infinite.argmax())
                    raise ValueError(
                        f"confidence of {name!r} must be finite for each item that reaches the stage, "
                        f"or NaN if there is no output, got {values[i]} for item {i}"
                    )
            taken = left & at_or_above(values, self.thresholds[s])
            found[taken] = s
            left &= ~taken
        return found

    def _named(self, confidence: Any) -> dict[str, NDArray[Any]]:
        models = [
            name for name, kind in zip(self.names[:-1], self.kinds, strict=False) if kind == MODEL
        ]
        if not isinstance(confidence, Mapping):
            if not isinstance(confidence, Sequence) or len(confidence) > len(models):
                raise TypeError(
                    "confidence must be a dict, or a list with an array for each of "
                    f"{', '.join(models)}, got a {type(confidence).__name__}"
                )
            confidence = dict(zip(models, confidence, strict=False))
        for name in confidence:
            if name not in models:
                raise ValueError(f"confidence must have keys among {', '.join(models)}, got {name!r}")
        if models[0] not in confidence:
            raise ValueError(f"confidence must have {models[0]!r}, the first stage")
        return {name: vector(values, f"confidence of {name!r}") for name, values in confidence.items()}

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("stage", *FIGURES)]
        rows += [(name, *row) for name, row in zip(self.names, self.rows_in_words(), strict=True)]
        total = percent(1.0, 3), percent(self.error_rate, 3), money(UNIT * self.cost)
        rows.append(("all", "", "", *total))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        if self.max_risk is not None and self.acceptance_rate > 0.0:
            accepted, wrong = percent(self.acceptance_rate, 3), percent(self.risk, 3)
            lines.append(f"{accepted} of the outputs are accepted, and {wrong} of these are wrong.")
        return "\n".join([*lines, *self.sentences()])

    def rows_in_words(self) -> list[tuple[str, ...]]:
        """Return the table rows of the stages: threshold, three rates, and the cost of 1,000 items."""
        words = {math.inf: "nothing", -math.inf: "the rest"}
        return [
            (
                words.get(threshold, f"{threshold:.6g}"),
                percent(self.reached[s] / self.n_items, 3),
                percent(self.shares[s], 3),
                percent(self.stage_errors[s] / self.n_items, 3),
                money(UNIT * self.stage_costs[s]),
            )
            for s, threshold in enumerate(self.thresholds)
        ]

    def sentences(self) -> list[str]:
        """Return sentences on the limit and its guarantee, and one if no model accepts anything."""
        said = []
        limit, of = self.max_error_rate, "of new outputs are wrong in the end"
        if self.max_risk is not None:
            limit, of = self.max_risk, "of the new outputs that models accept are wrong"
        if self.failure_probability is not None and limit is not None:
            provided = ""
            if self.max_group_size is not None:
                provided = f", in groups of at most {self.max_group_size} outputs"
            said.append(
                f"With {percent(1.0 - self.failure_probability)} confidence, at most "
                f"{percent(limit)} {of}{provided}. All figures are from the {self.n_items:,} outputs "
                "of the test."
            )
        elif limit is not None:
            said.append(
                f"The limit of {percent(limit)} is kept on these outputs; new ones may "
                "exceed it. To guarantee it, set failure_probability."
            )
        if self.acceptance_rate == 0.0:
            abstains = self.kinds[-1] == ABSTENTION
            left = "no output gets an answer" if abstains else "people verify everything"
            said.append(f"No model is sure enough: {left}.")
        return said


def optimize_cascade(
    stages: Sequence[Stage | Mapping[str, Any]],
    *,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    costs: VerificationCosts | None = None,
    failure_probability: float | None = None,
    groups: ArrayLike | None = None,
    max_group_size: int | None = None,
    random_state: RandomState = 0,
) -> Cascade:
    r"""Choose the thresholds of all stages jointly, for the lowest cost within a limit on errors.

    A model accepts the items with a confidence at or above its threshold, and passes on the others.
    People verify the items with a confidence at or above the threshold of people, and pass on the
    others. The last stage decides all remaining items. If it abstains, these items get no answer.

    Parameters
    ----------
    stages : sequence of Stage or dict
        The stages in order, starting with a model. Each is a :class:`.Stage`, or a dict of its
        arguments.
    max_error_rate : float, optional
        Largest allowed share of all items that are wrong in the end, in [0, 1].
    max_risk : float, optional
        Largest allowed share of wrong items among the items that models decide, in [0, 1]; instead of
        `max_error_rate`. People or abstention must be the last stage.
    costs : VerificationCosts, optional
        Prices of a correction and an error. The price of verification applies to people without a price
        of their own. By default, corrections and errors cost nothing, and only the limit prevents
        errors.
    failure_probability : float, optional
        δ, in (0, 0.5]: the maximum probability that new items from the same source exceed the limit.
        The thresholds are then chosen with some of the items, drawn at random, and tested with the
        others.
    groups : array_like of shape (n,), optional
        Labels of dependent items (page, document); needs `failure_probability`.
    max_group_size : int, optional
        Largest group size, if known in advance; by default the size of the largest group given.
    random_state : int, SeedSequence, Generator or None, default=0
        Seed for the split of the items, and for the simulated work of imperfect people on the items of
        the test.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> digits = load_digits_ocr()
    >>> quick, thorough = digits["knn-votes"], digits["svm-rbf"]
    >>> cascade = fa.costs.optimize_cascade(
    ...     [
    ...         fa.costs.Stage("quick", 0.1, correct=quick[0], confidence=quick[1]),
    ...         fa.costs.Stage("thorough", 0.5, correct=thorough[0], confidence=thorough[1]),
    ...         fa.costs.Stage("clerk", 2),
    ...     ],
    ...     max_error_rate=0.005,
    ... )
    >>> print(cascade)  # doctest: +NORMALIZE_WHITESPACE
    stage     threshold  reached  decided   errors  cost of 1,000
    quick           0.8     100%      90%    0.39%         100.00
    thorough    1.06631    9.96%   0.779%  0.0556%          49.81
    clerk      the rest    9.18%    9.18%       0%         183.64
    all                              100%   0.445%         333.44
    The limit of 0.5% is kept on these outputs; new ones may exceed it. To guarantee it, set
    failure_probability.

    Returns
    -------
    Cascade
        The cascade. Among equally cheap cascades, it is the one whose earlier stages decide the largest
        number of items.

    Raises
    ------
    TypeError
        If no limit and no `costs` are given, because errors would then cost nothing; or if both limits
        are given.
    ValueError, TypeError
        If the stages do not form a cascade, or if no thresholds keep the limit and all capacities. For
        the error rate and for capacities, the message gives the lowest possible value.

    Warns
    -----
    SampleTooSmallWarning
        If the items of the test are too few for a guarantee, even without an error.

    See Also
    --------
    evaluate_cascade : computes the figures at given thresholds, such as those of other items.
    optimal_operating_point : chooses the threshold of one model before people.

    Notes
    -----
    For a model, the price p of stage s is paid for every item that reaches it; for people, for every
    item that they verify:

    .. math:: L = \sum_s p_s N_s/n + C_C R_C + C_E R_E.

    People verify the output of the last model before them, with the rates d and a of
    :class:`.Reviewer`.

    **The search.** Combinations of thresholds are compared depth first, using a joint table of counts.
    If there are at most about a million combinations of distinct confidences, all are compared
    (``exact``). Otherwise, a grid is refined around the best thresholds until each of its cells has a
    single confidence.

    **The guarantee of an error rate.** One half of the items is used to choose thresholds for
    `max_error_rate` and for several stricter limits. The other half is used to test the thresholds,
    starting with the strictest limit, until a test fails. The test is an exact binomial test or, with
    `groups`, a betting test (:func:`.guaranteed_operating_point`). The work of people is simulated for
    each item with the rates d and a. The test does not cover the capacities (`max_share`).

    **The guarantee of a risk.** It needs models, then people or abstention. On a tenth of the items, a
    logistic regression estimates each model's error probability from its confidence. Each model but the
    last decides down to the confidence at which this estimate, plus one standard error, reaches the
    limit r, or further down if the next model has a capacity. This puts the other items in one order:
    first those that the first model decides, by its confidence, then those of the second model, and so
    on. Thresholds that accept the beginning of this order are tested by "pocock" or "fallback", as in
    :func:`.evaluate`. With `groups`, the tests are bets on thresholds from the tenth. A single model
    without `groups` needs no tenth. With probability 1 − δ, all thresholds that pass keep the limit.
    The cheapest of them are chosen or, if abstention has no price, those that accept the most.

    References
    ----------
    Jung, Brahman, Choi 2025 (cascades that abstain); Wiens, Dmitrienko 2005 (tests in a fixed order).
    """
    limit = _limit_of(max_error_rate, max_risk)
    if limit is None and costs is None:
        raise TypeError("give max_error_rate, max_risk or costs: without them errors cost nothing")
    delta = None if failure_probability is None else failure_of(failure_probability)
    if delta is not None and limit is None:
        raise TypeError("failure_probability needs max_error_rate or max_risk")
    for name, value in (("groups", groups), ("max_group_size", max_group_size)):
        if value is not None and delta is None:
            raise TypeError(f"{name} needs failure_probability")
    if max_group_size is not None and groups is None:
        raise TypeError("max_group_size needs groups")
    read = read_stages(stages, costs)
    if limit is not None and limit.of_accepted:
        _require_last(read, guaranteed=delta is not None)
    if limit is not None and delta is not None:
        codes = None if groups is None else read_groups(groups, read.n_items)[1]
        promise = Promise(limit, delta, codes, max_group_size)
        guaranteed = guaranteed_risk if limit.of_accepted else guaranteed_thresholds
        passed = guaranteed(read, promise, np.random.default_rng(key_of(random_state)))
        return _cascade(
            passed.tested, passed.thresholds, limit, exact=False, failure_probability=delta,
            bound=passed.bound, max_group_size=passed.max_group_size,
        )  # fmt: skip
    single = cheapest_single(read) if limit is None else None
    if single is not None:
        return _cascade(read, single.thresholds, None, exact=True)
    search = CascadeSearch(read)
    found = search.cheapest(limit)
    if found.excess > 0:
        raise_beyond_limits(search, limit)
    return _cascade(read, found.thresholds, limit, exact=found.exact)


def _limit_of(max_error_rate: float | None, max_risk: float | None) -> ErrorLimit | None:
    if max_error_rate is not None and max_risk is not None:
        raise TypeError("give only one of max_error_rate, max_risk, not both")
    if max_risk is not None:
        return ErrorLimit(fraction_of(max_risk, "max_risk"), of_accepted=True)
    if max_error_rate is not None:
        return ErrorLimit(fraction_of(max_error_rate, "max_error_rate"), of_accepted=False)
    return None


def _require_last(stages: Stages, *, guaranteed: bool) -> None:
    """Raise unless the kinds of the stages allow `max_risk`."""
    kinds = [stage.kind for stage in stages.stages]
    if kinds[-1] == MODEL:
        raise ValueError(
            "max_risk needs people or abstention as the last stage: add "
            "Stage('no answer', None, abstains=True)"
        )
    if guaranteed and set(kinds[:-1]) != {MODEL}:
        raise ValueError(
            "failure_probability with max_risk needs only models before the last stage, got "
            f"{', '.join(kinds)}"
        )


def evaluate_cascade(
    stages: Sequence[Stage | Mapping[str, Any]],
    *,
    thresholds: Sequence[float] | Cascade,
    costs: VerificationCosts | None = None,
) -> Cascade:
    """Compute the figures of a cascade at given thresholds, such as those chosen on other items.

    Parameters
    ----------
    stages : sequence of Stage or dict
        As for :func:`optimize_cascade`.
    thresholds : sequence of float, or Cascade
        The threshold of each stage except the last; ``inf`` if a stage decides nothing. Alternatively,
        a cascade with the same stages.
    costs : VerificationCosts, optional
        Prices of a correction and an error; by default 0.

    Returns
    -------
    Cascade
        The figures, without a limit.

    Raises
    ------
    ValueError, TypeError
        As :func:`optimize_cascade`; also for a wrong number of thresholds, and for NaN.

    See Also
    --------
    optimize_cascade : choose the thresholds of all stages jointly, for the lowest cost
    Stage : one stage of a cascade

    Examples
    --------
    >>> import fastarac as fa
    >>> stages = [
    ...     fa.costs.Stage("machine", 1, correct=[1, 1, 0, 1], confidence=[0.9, 0.8, 0.7, 0.6]),
    ...     fa.costs.Stage("clerk", 20),
    ... ]
    >>> found = fa.costs.evaluate_cascade(stages, thresholds=[0.7])
    >>> found.shares, found.error_rate, found.cost
    ((0.75, 0.25), 0.25, 6.0)
    """
    read = read_stages(stages, costs)
    if isinstance(thresholds, Cascade):
        names = tuple(stage.name for stage in read.stages)
        if thresholds.names != names:
            raise ValueError(
                f"thresholds must belong to the stages {', '.join(names)}, got "
                f"{', '.join(thresholds.names)}"
            )
        thresholds = thresholds.thresholds[:-1]
    if isinstance(thresholds, str) or not isinstance(thresholds, Sequence | np.ndarray):
        raise TypeError(f"thresholds must be a list of numbers, got {thresholds!r}")
    if len(thresholds) != read.free:
        raise ValueError(
            f"thresholds must have {read.free} numbers, one for each stage but the last, got "
            f"{len(thresholds)}"
        )
    own = []
    for s, threshold in enumerate(thresholds):
        real_scalar(threshold, f"thresholds[{s}]", finite=False)
        own.append(read.own_value(s, threshold))
    return _cascade(read, tuple(own), None, exact=False)


class CostOverThreshold(NamedTuple):
    """Cost as a function of one stage's threshold, from ``inf`` (the stage decides nothing) down."""

    share: NDArray[np.float64]
    cost: NDArray[np.float64]
    error_rate: NDArray[np.float64]
    at: tuple[float, float]
    """Share and cost at the cascade's own threshold."""


def cost_over_threshold(
    stages: Sequence[Stage | Mapping[str, Any]],
    cascade: Cascade,
    stage: str,
    costs: VerificationCosts | None,
) -> CostOverThreshold:
    """Compute the cost for many thresholds of one stage; the other thresholds stay as in `cascade`.

    Raises
    ------
    ValueError, TypeError
        As :func:`evaluate_cascade`; also for an unknown stage, and for the last one.
    """
    now = evaluate_cascade(stages, thresholds=cascade, costs=costs)
    moved = now.names[:-1]
    if stage not in moved:
        raise ValueError(f"stage must be one of {', '.join(moved)}, got {stage!r}")
    read, s = read_stages(stages, costs), moved.index(stage)
    own = [read.own_value(i, threshold) for i, threshold in enumerate(now.thresholds[:-1])]
    search = CascadeSearch(read, every=0, first=1)
    return CostOverThreshold(*search.over_threshold(own, s), at=(now.shares[s], now.cost))


def _cascade(
    stages: Stages, own: tuple[float, ...], limit: ErrorLimit | None, **promised: Any
) -> Cascade:
    counts = counts_of(stages, own)
    if limit is not None:
        promised[limit.name] = limit.rate
    return Cascade(
        names=tuple(stage.name for stage in stages.stages),
        kinds=tuple(stage.kind for stage in stages.stages),
        thresholds=(*(stages.threshold(s, value) for s, value in enumerate(own)), -math.inf),
        prices=stages.prices,
        **counts._asdict(),
        n_items=stages.n_items,
        correction_price=stages.correction,
        error_price=stages.error,
        **promised,
    )
