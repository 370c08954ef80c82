"""Guarantees from partly verified outputs, each verified with its own probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.exceptions import warn_too_small
from fastarac._core.text import percent
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import vector
from fastarac.guarantees.weighted_betting import bet_on_verified

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.guarantees.weighted_betting import WeightedBets
    from fastarac.samples.partial import PartialTruth


def refuse_grades(truth: PartialTruth) -> None:
    """Raise for graded outputs, because a guarantee needs 0 or 1."""
    if truth.graded:
        raise ValueError("correct is graded, but a guarantee needs 0 or 1")


def proved_of(
    truth: PartialTruth,
    confidence: ArrayLike,
    groups: Any,
    *,
    criterion: str,
    limit: float,
    failure_probability: float,
    max_group_size: int | None,
    fixed: tuple[NDArray[np.float64] | None, ArrayLike | None],
    key: NDArray[np.uint64],
) -> tuple[WeightedBets, float | None]:
    """Return the lowest threshold proved by betting, and the least assumed inclusion probability.

    The proof assumes that no unknown inclusion probability is below the second result, which is None if
    all are known.
    """
    # An unknown probability is replaced by the smallest declared one, or else by the smallest known
    # one.
    unknown = np.isnan(truth.inclusion_probability)
    least = truth.least_probability or float(truth.inclusion_probability[truth.verified].min())
    probability = np.where(unknown, least, truth.inclusion_probability)
    assumed = least if unknown.any() else None
    grid, pilot = fixed
    scores = vector(confidence, "confidence")
    codes = truth.groups
    if groups is not None:
        codes = read_outermost(groups, len(scores), "a guarantee").astype(np.intp)
    found = bet_on_verified(
        scores,
        1.0 - truth.correct,
        probability,
        criterion=criterion,
        limit=limit,
        failure_probability=failure_probability,
        judge=None if truth.mean_judge is None else 1.0 - truth.mean_judge,
        codes=codes,
        max_group_size=max_group_size,
        thresholds=grid,
        pilot=pilot,
        key=key,
    )
    units = len(scores) if codes is None else int(codes.max()) + 1
    if units < found.needed:
        what = "outputs" if codes is None else "groups"
        warn_too_small(
            f"{units} {what} are too few: a limit of {percent(limit)} needs about {found.needed} "
            f"without an error, because the smallest inclusion probability is {probability.min():.4g}"
        )
    return found, assumed
