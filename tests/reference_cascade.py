"""The best cascade by exhaustive search, in fractions, item by item."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import NamedTuple


class RefStage(NamedTuple):
    """A model with (correct, confidence) of each item, people with rates (d, a), or abstention.

    Abstention without a price has the price None: as many items as possible are decided.
    """

    price: str | None
    correct: list[int] | None = None
    confidence: list[float] | None = None
    people: tuple[str, str] = ("1", "0")
    max_share: str | None = None
    abstains: bool = False


class Outcome(NamedTuple):
    cost: Fraction
    errors: Fraction
    decided: tuple[int, ...]
    reached: tuple[int, ...]
    wrong: int
    """Wrong items among those that models decide."""


def outcome(
    stages: list[RefStage], thresholds: tuple[float, ...], correction: str, error: str
) -> Outcome:
    """Mean cost per item and share of wrong results, at thresholds of all stages but the last."""
    n = len(stages[0].correct)
    decided = [[0, 0] for _ in stages]  # wrong and right ones
    reached = [0] * len(stages)
    for i in range(n):
        confidence, right = None, None
        for s, stage in enumerate(stages):
            if stage.correct is not None:
                reached[s] += 1
                right = stage.correct[i]
                confidence = None if stage.confidence is None else stage.confidence[i]
            if s == len(stages) - 1 or confidence >= thresholds[s]:
                reached[s] += stage.correct is None
                decided[s][right] += 1
                break
    cost, errors, wrong_of_models = Fraction(0), Fraction(0), 0
    for stage, (wrong, right), paid in zip(stages, decided, reached, strict=True):
        cost += Fraction(stage.price or 0) * paid
        if stage.abstains:
            continue
        left = Fraction(wrong)
        wrong_of_models += wrong * (stage.correct is not None)
        if stage.correct is None:
            found, spoiled = map(Fraction, stage.people)
            cost += Fraction(correction) * (found * wrong + spoiled * right)
            left = (1 - found) * wrong + spoiled * right
        cost += Fraction(error) * left
        errors += left
    return Outcome(cost / n, errors / n, tuple(map(sum, decided)), tuple(reached), wrong_of_models)


def is_kept(stages: list[RefStage], found: Outcome, limit: str | None, risk: str | None) -> bool:
    """Whether the limits of errors and risk and all capacities are kept."""
    n = len(stages[0].correct)
    within = limit is None or float(found.errors) <= float(limit)
    pairs = zip(found.decided, stages, strict=True)
    accepted = sum(number for number, stage in pairs if stage.correct is not None)
    within = within and (risk is None or found.wrong <= Fraction(risk) * accepted)
    return within and all(
        stage.max_share is None or reached / n <= float(stage.max_share)
        for stage, reached in zip(stages, found.reached, strict=True)
    )


def exhaustive(
    stages: list[RefStage], limit: str | None, correction: str, error: str, risk: str | None = None
) -> tuple[tuple[float, ...], Outcome] | None:
    """The cheapest thresholds; a tie goes to those at which earlier stages decide more items."""
    best = None
    values: list[list[float]] = []
    own: list[float] = []
    for stage in stages[:-1]:
        if stage.confidence is not None:
            own = sorted(set(stage.confidence))
        values.append([*own, math.inf])
    for thresholds in product(*values):
        found = outcome(stages, thresholds, correction, error)
        rank = (found.decided[-1] if stages[-1].price is None else 0), found.cost
        if is_kept(stages, found, limit, risk) and (best is None or rank < best[0]):
            best = rank, thresholds, found
    return best and best[1:]
