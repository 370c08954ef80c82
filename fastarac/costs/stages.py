"""The stages of a cascade: models, people and abstention in sequence, with their prices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import fraction_of, positive_scalar, require_type
from fastarac._core.dtype_comparison import EXACT, most_within
from fastarac._core.results import Result
from fastarac._engine.inputs import read_items
from fastarac.costs.verification import PERFECT, VerificationCosts, require_costs
from fastarac.reviewer import Reviewer, check_reviewer

MODEL, PEOPLE, ABSTENTION = "model", "people", "abstention"
SILENT = -np.inf  # stands for the confidence of a missing output
DIGITS_OF_DOUBLE = 53  # number of bits in the mantissa of a double
MOST_PARTS = 16  # maximum number of doubles whose sum represents a price or a rate


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Stage(Result):
    """One stage of a cascade: a model, people, or abstention.

    A model has `correct`, and `confidence` unless it is the last stage; people have neither. Abstention
    can only be the last stage: the items that reach it get no answer.

    Attributes
    ----------
    name : str
        Name of the stage; different for each stage.
    price : float or None
        Cost of an item that reaches a model, that people verify, or that gets no answer, at least 0.
        For people, None means the price of verification in `costs`. For abstention, None means that as
        many items as possible are decided, whatever that costs. A model must have a price.
    correct : array_like of shape (n,), optional
        Whether the model's output is right, for all items (bool, or 0 and 1).
    confidence : array_like of shape (n,), optional
        Confidence of the model's output, for all items; real and finite, or NaN if the model has no
        output. Then the model does not decide the item, and `correct` tells whether it is right to have
        no output.
    reviewer : Reviewer, optional
        How well people find errors, if they are not perfect.
    max_share : float, optional
        Largest share of all items that may reach the model, or that the people can verify, in [0, 1].
        The comparison is exact, so that 2 of 6 items are within a limit of 1/3.
    abstains : bool, default=False
        Whether items that reach this stage get no answer. They then count neither as accepted nor as
        wrong.

    See Also
    --------
    optimize_cascade : chooses the thresholds of stages.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.costs.Stage("clerk", 2, reviewer=fa.Reviewer(0.9), max_share=0.2).name
    'clerk'
    >>> fa.costs.Stage("no answer", None, abstains=True).kind
    'abstention'
    """

    name: str
    price: float | None
    correct: NDArray[Any] | None = None
    confidence: NDArray[Any] | None = None
    reviewer: Reviewer | None = None
    max_share: float | None = None
    abstains: bool = False

    def __init__(
        self,
        name: str,
        price: float | None,
        *,
        correct: ArrayLike | None = None,
        confidence: ArrayLike | None = None,
        reviewer: Reviewer | None = None,
        max_share: float | None = None,
        abstains: bool = False,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"name must be a non-empty string, got {name!r}")
        of_stage = f"of stage {name!r}"
        is_model = correct is not None
        if confidence is not None and not is_model:
            raise TypeError(f"confidence {of_stage} needs correct")
        if is_model and reviewer is not None:
            raise TypeError(
                f"reviewer and correct {of_stage} are both given; give correct for a model, or a "
                "reviewer for people"
            )
        require_type(abstains, bool | np.bool_, f"abstains {of_stage}", "True or False")
        if abstains and (is_model or reviewer is not None):
            raise TypeError(
                f"abstains {of_stage} cannot go with correct or reviewer, because nobody answers"
            )
        if price is None and is_model:
            raise TypeError(f"price {of_stage} is None, but a model needs the price of an item")
        check_reviewer(reviewer, f"reviewer {of_stage}")
        values: dict[str, Any] = {
            "name": name,
            "price": None if price is None else positive_scalar(price, f"price {of_stage}"),
            "correct": None,
            "confidence": None,
            "reviewer": reviewer,
            "max_share": (
                None if max_share is None else fraction_of(max_share, f"max_share {of_stage}")
            ),
            "abstains": bool(abstains),
        }
        if correct is not None:
            names = (f"correct {of_stage}", f"confidence {of_stage}", "sample_weight")
            items = read_items(correct, correct if confidence is None else confidence, None, names)
            right = np.not_equal(items.correct, 0)
            silent = np.isnan(items.confidence) if items.confidence.dtype.kind == "f" else False
            if not (
                np.array_equal(right, items.correct) and (np.isfinite(items.confidence) | silent).all()
            ):
                items.reject()
            values["correct"] = right
            values["confidence"] = None if confidence is None else items.confidence
        for key, value in values.items():
            object.__setattr__(self, key, value)
        self.__post_init__()

    @property
    def kind(self) -> str:
        """Kind of the stage: "model", "people" or "abstention"."""
        if self.abstains:
            return ABSTENTION
        return PEOPLE if self.correct is None else MODEL


class ErrorLimit(NamedTuple):
    """A limit on errors."""

    rate: float
    of_accepted: bool
    """Whether it limits the risk, the share of errors among the items that models decide."""

    @property
    def name(self) -> str:
        """Name of the argument that sets the limit."""
        return "max_risk" if self.of_accepted else "max_error_rate"


class StagePrices(NamedTuple):
    """Exact cost and expected errors of each stage, for a correct and for a wrong output."""

    correct: list[Fraction]
    wrong: list[Fraction]
    correct_errors: list[Fraction]
    wrong_errors: list[Fraction]


class Stages(NamedTuple):
    """The checked stages of a cascade, with values derived from them."""

    stages: tuple[Stage, ...]
    prices: tuple[float, ...]
    """Price of each stage. In place of None: the price of verification, or 0 for abstention."""
    correction: float
    error: float
    model: tuple[int, ...]
    """For each stage, the index of the last model up to it, about whose output it decides."""
    values: tuple[NDArray[np.float64], ...]
    """For each model, doubles in the order of its confidences; zeros for a model without confidences.

    ``-inf`` where the model has no output, which no threshold accepts.
    """
    levels: tuple[NDArray[Any] | None, ...]
    """If doubles cannot represent the confidences: their distinct values, which `values` indexes."""
    correct: NDArray[np.uint8]
    """Whether each model's output is right, of shape (models, n)."""

    @property
    def n_items(self) -> int:
        """Number of items of each model."""
        return len(self.values[0])

    @property
    def free(self) -> int:
        """Number of stages with a threshold: all but the last."""
        return len(self.stages) - 1

    def of_items(self, items: NDArray[Any]) -> Stages:
        """Return the same stages with some of the items."""
        values = tuple(each[items] for each in self.values)
        return self._replace(values=values, correct=np.ascontiguousarray(self.correct[:, items]))

    def rates(self, stage: int) -> tuple[float, float]:
        """Return the shares of wrong and of correct outputs that a stage changes."""
        if self.stages[stage].kind != PEOPLE:
            return 0.0, 0.0
        people = self.stages[stage].reviewer or PERFECT
        return people.detection_rate, people.false_alarm_rate

    def leaves_errors(self, stage: int) -> bool:
        """Return whether wrong outputs that the stage leaves unchanged count as errors."""
        return self.stages[stage].kind != ABSTENTION

    @property
    def abstains_freely(self) -> bool:
        """Whether abstention has no price, so that as many items as possible must be decided."""
        return self.stages[-1].kind == ABSTENTION and self.stages[-1].price is None

    def threshold(self, stage: int, value: float) -> Any:
        """Convert an internal threshold to one for the user's confidences."""
        levels = self.levels[self.model[stage]]
        return float(value) if levels is None or np.isinf(value) else levels[int(value)].item()

    def own_value(self, stage: int, threshold: Any) -> float:
        """Convert a threshold for the user's confidences to an internal one."""
        levels = self.levels[self.model[stage]]
        if levels is None or np.isinf(threshold):
            return float(threshold)
        return float(np.searchsorted(levels, threshold))

    def of_each(self, *, written: bool) -> StagePrices:
        """Return exact costs and errors; `written` reads each float as its decimal (0.1 as 1/10)."""
        number = (lambda value: Fraction(repr(value))) if written else Fraction
        correction, error = number(self.correction), number(self.error)
        found = StagePrices([], [], [], [])
        paid = Fraction(0)
        for s, stage in enumerate(self.stages):
            price = number(self.prices[s])
            if stage.kind == MODEL:
                paid += price
                price = Fraction(0)
            changed, spoiled = map(number, self.rates(s))
            missed = 1 - changed if self.leaves_errors(s) else Fraction(0)
            found.correct.append(paid + price + spoiled * (correction + error))
            found.wrong.append(paid + price + changed * correction + missed * error)
            found.correct_errors.append(spoiled)
            found.wrong_errors.append(missed)
        return found

    def weights(self, limit: ErrorLimit | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the costs and errors per item that are added up, and the maximum number of errors."""
        each, n = self.of_each(written=True), self.n_items
        if self.abstains_freely:
            # Make one abstention cost more than all items can cost otherwise, to decide as many as
            # possible.
            most_expensive = n * max(*each.correct, *each.wrong) + 1
            each.correct[-1], each.wrong[-1] = (most_expensive + each.correct[-1],) * 2
        if limit is not None and limit.of_accepted:
            # errors <= r * accepted is the same as errors + r * (n - accepted) <= r * n, in which no
            # summand is negative.
            for s, stage in enumerate(self.stages):
                if stage.kind != MODEL:
                    each.correct_errors[s] = each.wrong_errors[s] = Fraction(repr(limit.rate))
        whole_costs, _ = in_whole_numbers([*each.correct, *each.wrong])
        whole_errors, unit = in_whole_numbers([*each.correct_errors, *each.wrong_errors])
        most = 0 if limit is None else most_within(limit.rate, unit * n)
        costs = in_parts(whole_costs, n)
        errors = in_parts([*whole_errors, min(most, max(whole_errors) * n)], n)
        stages, size = len(self.stages), max(costs.shape[1], errors.shape[1])
        found = np.zeros((4 * stages, size))
        found[: 2 * stages, : costs.shape[1]] = costs
        found[2 * stages :, : errors.shape[1]] = errors[:-1]
        most_errors = np.zeros(size)
        most_errors[: errors.shape[1]] = errors[-1]
        if limit is None:
            most_errors[0] = np.inf
        return found.reshape(4, stages, size), most_errors

    def capacities(self) -> NDArray[np.int64]:
        """Return the maximum number of items that may reach each stage."""
        shares = [1.0 if each.max_share is None else each.max_share for each in self.stages]
        return np.array([most_within(share, self.n_items) for share in shares], np.int64)


def in_whole_numbers(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    """Multiply the numbers by their common denominator; return the products and the denominator."""
    common = math.lcm(*(number.denominator for number in numbers))
    return [int(number * common) for number in numbers], common


def in_parts(whole: Sequence[int], n_items: int) -> NDArray[np.float64]:
    """Split each integer into at most `MOST_PARTS` doubles whose sums over all items are exact.

    Digits beyond the last double are cut off.
    """
    digits = DIGITS_OF_DOUBLE - n_items.bit_length()
    longest = max(max(whole).bit_length(), 1)
    size = min(-(-longest // digits), MOST_PARTS)
    found = np.empty((len(whole), size))
    for row, number in zip(found, whole, strict=True):
        left = number >> max(0, longest - digits * size)
        for k in range(size):
            place = digits * (size - 1 - k)
            row[k] = math.ldexp(left >> place, place)
            left &= (1 << place) - 1
    return found


def read_stages(stages: Sequence[Stage | Mapping[str, Any]], costs: VerificationCosts | None) -> Stages:
    """Read the stages of a cascade and check that they fit together.

    Raises
    ------
    TypeError, ValueError
        If an element is not a stage, or the stages do not form a cascade.
    """
    if isinstance(stages, Stage | str | Mapping) or not isinstance(stages, Sequence):
        raise TypeError(f"stages must be a list of stages, got a {type(stages).__name__}")
    given = tuple(map(_stage_of, range(len(stages)), stages))
    if len(given) < 2:
        raise ValueError(f"stages must have at least two stages, got {len(given)}")
    names = [stage.name for stage in given]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"stages must have different names, got {name!r} twice")
    if given[0].kind != MODEL:
        raise ValueError(f"the first stage, {names[0]!r}, must be a model, with correct and confidence")
    for stage in given[:-1]:
        if stage.abstains:
            raise ValueError(f"stage {stage.name!r} abstains, so it must be the last one")
    if costs is not None:
        require_costs(costs)
    _check_models(given)
    models = [stage for stage in given if stage.kind == MODEL]
    numbered = [_as_doubles(stage) for stage in models]
    return Stages(
        stages=given,
        prices=tuple(_price_of(stage, costs) for stage in given),
        correction=0.0 if costs is None else costs.correction,
        error=0.0 if costs is None else costs.error,
        model=tuple(accumulate((stage.kind == MODEL for stage in given), initial=-1))[1:],
        values=tuple(values for values, _ in numbered),
        levels=tuple(levels for _, levels in numbered),
        correct=np.array([stage.correct for stage in models]).astype(np.uint8),
    )


def _stage_of(place: int, stage: Any) -> Stage:
    if isinstance(stage, Stage):
        return stage
    require_type(stage, Mapping, f"stages[{place}]", "a Stage or a dict of its arguments")
    known = [field.name for field in fields(Stage)]
    for key in stage:
        if key not in known:
            raise TypeError(f"stages[{place}] has the unknown key {key!r}; keys are {', '.join(known)}")
    for key in ("name", "price"):
        if key not in stage and (key == "name" or "correct" in stage):
            raise TypeError(f"stages[{place}] must have {key}")
    return Stage(**{"price": None, **stage})


def _check_models(stages: tuple[Stage, ...]) -> None:
    """Raise unless all models have the same items, and confidences that vary."""
    first = stages[0]
    for stage in stages:
        if stage.correct is None:
            continue
        if first.correct is not None and len(stage.correct) != len(first.correct):
            raise ValueError(
                f"all stages must have the same items, in the same order, but {stage.name!r} has "
                f"{len(stage.correct)} and {first.name!r} has {len(first.correct)}"
            )
        if stage is stages[-1]:
            continue
        if stage.confidence is None:
            raise TypeError(
                f"confidence of stage {stage.name!r} is missing: only the last stage, which takes "
                "the rest, needs none"
            )
        known = stage.confidence[~np.isnan(stage.confidence)]
        if not len(known):
            raise ValueError(f"confidence of stage {stage.name!r} is NaN for all items")
        if known.min() == known.max():
            raise ValueError(
                f"confidence of stage {stage.name!r} must differ between items, got {known[0]} for all"
            )


def _price_of(stage: Stage, costs: VerificationCosts | None) -> float:
    if stage.price is not None:
        return stage.price
    if stage.abstains:
        return 0.0
    if costs is None:
        raise TypeError(f"stage {stage.name!r} has no price: give it, or give costs")
    return costs.verification


def _as_doubles(stage: Stage) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Return confidences as doubles; for large integers, return ranks and the distinct values."""
    confidence = stage.confidence
    if confidence is None:
        return np.zeros_like(stage.correct, np.float64), None
    if confidence.dtype.kind in "iu" and confidence.dtype.itemsize == 8:
        ends = int(confidence.min()), int(confidence.max())
        if max(map(abs, ends)) > EXACT:
            levels, place = np.unique(confidence, return_inverse=True)
            return place.astype(np.float64), levels
    values = np.ascontiguousarray(confidence, np.float64)
    silent = np.isnan(values)
    return np.where(silent, SILENT, values) if silent.any() else values, None
