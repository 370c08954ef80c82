"""Limits, and thresholds as given, in headers and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.text import percent

if TYPE_CHECKING:
    from fastarac.evaluation import Limit


def is_given(limit: Limit) -> bool:
    """Return whether it is a threshold, which is not fitted to the outputs."""
    return limit.criterion == "threshold"


def as_given(limit: Limit) -> str:
    """Return the value with all its digits, and no more."""
    return repr(limit.value).removesuffix(".0")


def short(limit: Limit) -> str:
    """Return the limit in a header or a remark."""
    if is_given(limit):
        return f">= {as_given(limit)}"
    return f"{percent(limit.value)} {'risk' if limit.criterion == 'max_risk' else 'errors'}"


def header(limit: Limit) -> str:
    """Return the header of the share that is accepted."""
    return f"accepted at\n{'' if is_given(limit) else '<= '}{short(limit)}"


def opening(limit: Limit) -> str:
    """Return how a sentence about it begins."""
    if is_given(limit):
        return f"At confidence >= {as_given(limit)}"
    if limit.criterion == "max_risk":
        return f"At most {percent(limit.value)} of what is accepted wrong"
    return f"At most {percent(limit.value)} errors"
