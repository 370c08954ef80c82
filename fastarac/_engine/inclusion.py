"""Probabilities with which items were selected for verification, and a check of the sample's size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import real_scalar, same_number
from fastarac._core.quantiles import normal_quantile
from fastarac._engine.inputs import labels_in_part

FloatArray = NDArray[np.float64]

WRITTEN = 1e-6  # Relative error of a probability that was written with six digits or more.
UNLIKELY = 1e-6  # Maximum probability that a correctly drawn sample is refused because of its size.


def probabilities_of(given: ArrayLike, n: int) -> FloatArray:
    """Return the inclusion probability π of each of n items, NaN where it is unknown."""
    if np.ndim(given) == 0:
        given = np.full(n, given)
    found = labels_in_part(given, "inclusion_probability")
    same_number("inclusion_probability", len(found), "correct", n)
    return found


def least_of(probability: FloatArray, declared: float | None) -> float | None:
    """Return a lower bound of all probabilities; None if no bound is known."""
    if declared is None:
        found = float(probability.min())
        return None if math.isnan(found) else found
    least = real_scalar(declared, "least_probability")
    if not 0.0 < least <= 1.0:
        raise ValueError(f"least_probability must be a number above 0 and at most 1, got {declared!r}")
    if (probability < least).any():
        i = int((probability < least).argmax())
        raise ValueError(
            f"inclusion_probability[{i}] is {probability[i]:g}, below least_probability={least:g}"
        )
    return least


def completed(probability: FloatArray, chosen: NDArray[np.bool_], least: float | None) -> FloatArray:
    """Return the probabilities; replace unknown ones by `least` if all probabilities must equal it.

    In a draw of fixed size, the probabilities add up to the number of `chosen` items. If this number is
    n times the lower bound `least`, every probability equals the bound.
    """
    unknown = np.isnan(probability)
    if least is None or not unknown.any() or not (probability[~unknown] == least).all():
        return probability
    if not math.isclose(len(probability) * least, float(chosen.sum()), rel_tol=WRITTEN):
        return probability
    return np.full(len(probability), least)


def refuse_unlikely(
    probability: FloatArray,
    chosen: NDArray[np.bool_],
    codes: NDArray[np.intp] | None,
    least: float | None,
) -> None:
    """Refuse a sample whose size contradicts its probabilities.

    If only the probabilities of verified items are known, the others are assumed to be at least the
    declared minimum, or the smallest known probability.
    """
    unit = "items"
    every = not np.isnan(probability).any()
    if codes is not None:
        first = np.unique(codes, return_index=True)[1]
        same = (probability == probability[first][codes]) | (not every)
        if (same & (chosen == chosen[first][codes])).all():
            probability, chosen, unit = probability[first], chosen[first], "groups"
    if not every:
        n = len(probability)
        least = float(probability[chosen].min()) if least is None else least
        stand_for = float((1.0 / probability[chosen]).sum())
        off = stand_for - n
        # Bernstein's inequality: it needs only the least probability.
        if off * off > 2.0 * math.log(1.0 / UNLIKELY) * (n + max(off, 0.0) / 3.0) / least:
            raise ValueError(
                "inclusion_probability does not fit the sample: with the weights 1/probability, the "
                f"{int(chosen.sum()):,} verified {unit} stand for {stand_for:,.0f} {unit} instead of "
                f"about {n:,} (no probability is below {least:g}); give the probabilities of all "
                "items, or the groups if whole groups were drawn"
            )
        return
    n, found = len(probability), int(chosen.sum())
    reach = normal_quantile(1.0 - UNLIKELY)
    spread = math.sqrt(float(np.sum(probability * (1.0 - probability))))
    mean = float(probability.sum())
    if abs(found - mean) > reach * spread + 1.0:
        raise ValueError(
            f"inclusion_probability does not fit the sample: its sum, {mean:,.1f}, is the expected "
            f"number of verified {unit}, but {found:,} of {n:,} are verified; give the probability "
            "with which each item was drawn"
        )
    odds = (1.0 - probability) / probability
    spread = math.sqrt(float(odds.sum()))
    stand_for = float((1.0 / probability[chosen]).sum())
    heaviest = float((1.0 / probability).max())
    if abs(stand_for - n) > reach * spread + heaviest:
        raise ValueError(
            "inclusion_probability does not fit the sample: with the weights 1/probability, the "
            f"verified {unit} stand for {stand_for:,.0f} {unit} instead of about {n:,}; give the "
            "probability with which each item was drawn"
        )
