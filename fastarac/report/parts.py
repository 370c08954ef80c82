"""Evaluate pages, fields or other parts of the items at the thresholds chosen on all items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.special import binomial_interval
from fastarac.uncertainty.shares import verdicts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.answers.models import Model
    from fastarac.evaluation.limits import Limit
    from fastarac.uncertainty.shares import Verdict


class AtLimit(NamedTuple):
    """Errors in a part of the items, accepted at the threshold of one limit.

    Attributes
    ----------
    accepted, errors : int
        The number of accepted items in the part, and the number of these that are wrong.
    rate, low, high : float
        The error rate of the part, or its risk for a limit of the risk, with its interval; NaN
        without items.
    verdict : {"holds", "fails", "too few"} or None
        The verdict on the limit; None for a given threshold.
    """

    accepted: int
    errors: int
    rate: float
    low: float
    high: float
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Part:
    """A page, a field or another part of the items.

    Attributes
    ----------
    name : str
    n, n_right : int
        The number of its items, and of right ones among them.
    missed : int or None
        The number of its true words that have no output, if known.
    at : tuple of AtLimit
        The outcome at each limit.
    """

    name: str
    n: int
    n_right: int
    missed: int | None
    at: tuple[AtLimit, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that a report shows, and the number of parts with each verdict.

    Attributes
    ----------
    shown : tuple of Part
        Parts in decreasing order of errors accepted at the first limit.
    n : int
        The number of all parts.
    verdicts : tuple of dict
        For each limit, the number of parts with each verdict.
    """

    shown: tuple[Part, ...]
    n: int
    verdicts: tuple[dict[str, int], ...]


def parts_of(model: Model, level: float, most: int) -> Parts | None:
    """Return the parts of a model's items, `most` of them in detail; None without labels."""
    labels = model.outputs.by or model.outputs.group
    if labels is None or model.outputs.weight is not None:
        return None
    names, codes = labels.names, labels.codes
    n_parts = len(names)
    whole = np.bincount(codes, minlength=n_parts)
    right = np.bincount(codes[model.outputs.correct], minlength=n_parts)
    missed = model.source.missed if model.outputs.by is None else None
    counts = [_counts(model, index, codes, n_parts) for index in range(len(model.limits))]
    first = counts[0][1] if counts else whole - right
    lost = np.zeros(n_parts, np.intp) if missed is None else missed
    order = np.lexsort((np.arange(n_parts), -(whole - right), -lost, -first))
    order = order[(whole[order] > 0) | (lost[order] > 0)]
    verdicts: list[dict[int, Verdict]] = []
    for limit, (accepted, errors) in zip(model.limits, counts, strict=True):
        said: list[Verdict] = []
        if limit.criterion != "threshold":
            of = accepted if limit.criterion == "max_risk" else whole
            said = verdicts_of(errors[order].tolist(), of[order].tolist(), limit.value, level)
        verdicts.append(dict(zip(order.tolist(), said, strict=False)))
    shown = tuple(
        Part(
            names[part],
            int(whole[part]),
            int(right[part]),
            None if missed is None else int(missed[part]),
            tuple(
                _at(
                    limit,
                    int(accepted[part]),
                    int(errors[part]),
                    int(whole[part]),
                    level,
                    found.get(part),
                )
                for limit, (accepted, errors), found in zip(model.limits, counts, verdicts, strict=True)
            ),
        )
        for part in order[:most].tolist()
    )
    totals = tuple(
        {word: list(found.values()).count(word) for word in ("holds", "fails", "too few")}
        if found
        else {}
        for found in verdicts
    )
    return Parts(shown, len(order), totals)


def _counts(
    model: Model, index: int, codes: NDArray[np.intp], n_parts: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each part the number of accepted items, and the number of accepted wrong items."""
    threshold = model.point(index).threshold
    accepted = model.outputs.confidence >= threshold
    wrong = accepted & ~model.outputs.correct
    return (
        np.bincount(codes[accepted], minlength=n_parts),
        np.bincount(codes[wrong], minlength=n_parts),
    )


def _at(
    limit: Limit, accepted: int, errors: int, whole: int, level: float, said: Verdict | None
) -> AtLimit:
    of = accepted if limit.criterion == "max_risk" else whole
    if not of:
        return AtLimit(accepted, errors, math.nan, math.nan, math.nan, said)
    return AtLimit(accepted, errors, errors / of, *binomial_interval(errors, of, level), said)
