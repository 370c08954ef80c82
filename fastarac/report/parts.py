"""Pages, fields or other parts of the items: whether each keeps the limits at the common thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fastarac._core.special import binomial_cdf, binomial_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.evaluation_limits import Limit
    from fastarac.report.subjects import Subject

__all__ = ["AtLimit", "Part", "Parts", "parts_of", "verdict"]

Verdict = Literal["holds", "fails", "too few"]


class AtLimit(NamedTuple):
    """What a part is like at the threshold of a limit.

    Attributes
    ----------
    accepted, errors : int
        How many items of the part are accepted, and how many of these are wrong.
    rate, low, high : float
        Errors among all items of the part, or, for a limit of the risk, among its accepted ones; with
        the interval. NaN where there are none.
    verdict : {"holds", "fails", "too few"} or None
        None where a threshold was given, not a limit.
    """

    accepted: int
    errors: int
    rate: float
    low: float
    high: float
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Part:
    """A page, a field or another part.

    Attributes
    ----------
    name : str
    n, n_right : int
        Its items, and how many of them are right.
    missed : int or None
        How many true words of it have no output, where that is known.
    at : tuple of AtLimit
        For each limit.
    """

    name: str
    n: int
    n_right: int
    missed: int | None
    at: tuple[AtLimit, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that a report shows, and how many there are of each verdict.

    Attributes
    ----------
    shown : tuple of Part
        Those with most errors that go through at the first limit first.
    n : int
        How many parts there are.
    verdicts : tuple of dict
        For each limit, how many parts hold, fail or have too few items.
    """

    shown: tuple[Part, ...]
    n: int
    verdicts: tuple[dict[str, int], ...]


def verdict(errors: int, n: int, limit: float, level: float) -> Verdict:
    """Say whether the interval of Clopper and Pearson is within a limit, beyond it, or on both sides.

    By the two tails themselves, which take less time than the ends of the interval.
    """
    tail = (1.0 - level) / 2.0
    if n and binomial_cdf(errors, n, limit) <= tail:
        return "holds"
    if errors and 1.0 - binomial_cdf(errors - 1, n, limit) <= tail:
        return "fails"
    return "too few"


def parts_of(subject: Subject, level: float, most: int) -> Parts | None:
    """Return the parts of a model's items, `most` of them in full; None where none are known."""
    labels = subject.by or subject.groups
    if labels is None or subject.sample_weight is not None:
        return None
    names, codes = labels.names, labels.codes
    n_parts = len(names)
    whole = np.bincount(codes, minlength=n_parts)
    right = np.bincount(codes[subject.correct], minlength=n_parts)
    missed = _missed(subject) if subject.by is None else None
    counts = [_counts(subject, index, codes, n_parts) for index in range(len(subject.limits))]
    first = counts[0][1] if counts else whole - right
    lost = np.zeros(n_parts, np.intp) if missed is None else missed
    order = np.lexsort((np.arange(n_parts), -(whole - right), -lost, -first))
    order = order[(whole[order] > 0) | (lost[order] > 0)]
    verdicts = []
    for limit, (accepted, errors) in zip(subject.limits, counts, strict=True):
        found: dict[str, int] = {}
        if limit.criterion != "threshold":
            of = accepted if limit.criterion == "max_risk" else whole
            found = {"holds": 0, "fails": 0, "too few": 0}
            for part in order.tolist():
                said = verdict(int(errors[part]), int(of[part]), limit.value, level)
                found[said] += 1
        verdicts.append(found)
    shown = tuple(
        Part(
            names[part],
            int(whole[part]),
            int(right[part]),
            None if missed is None else int(missed[part]),
            tuple(
                _at(limit, int(accepted[part]), int(errors[part]), int(whole[part]), level)
                for limit, (accepted, errors) in zip(subject.limits, counts, strict=True)
            ),
        )
        for part in order[:most].tolist()
    )
    return Parts(shown, len(order), tuple(verdicts))


def _counts(
    subject: Subject, index: int, codes: NDArray[np.intp], n_parts: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return how many items of each part are accepted, and how many of these are wrong."""
    threshold = subject.point(index).threshold
    accepted = subject.confidence >= threshold
    wrong = accepted & ~subject.correct
    return (
        np.bincount(codes[accepted], minlength=n_parts),
        np.bincount(codes[wrong], minlength=n_parts),
    )


def _at(limit: Limit, accepted: int, errors: int, whole: int, level: float) -> AtLimit:
    of = accepted if limit.criterion == "max_risk" else whole
    if not of:
        return AtLimit(accepted, errors, math.nan, math.nan, math.nan, "too few")
    low, high = binomial_interval(errors, of, level)
    said = None if limit.criterion == "threshold" else verdict(errors, of, limit.value, level)
    return AtLimit(accepted, errors, errors / of, low, high, said)


def _missed(subject: Subject) -> NDArray[np.intp] | None:
    return None if subject.aligned is None else subject.aligned.pages.missed
