"""Format intervals for tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fastarac._core.text import rounded_percent, widened
from fastarac.uncertainty.statistics import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastarac._core.interval import Interval


def below(models: Iterable[Any], name: str) -> list[str] | None:
    """Return the text of each model's interval for a figure; None if no model has one."""
    found = [model.intervals.get(name) for model in models]
    texts = ["" if each is None else shown(name, each) for each in found]
    return texts if any(texts) else None


def shown(name: str, interval: Interval) -> str:
    """Return the text of an interval for the figure `name`, in percent unless the figure is an area."""
    definition = DEFINITIONS.get(name)
    is_share = definition is None or definition.rate is not None
    return (of_share if is_share else of_area)(interval.low, interval.high)


def of_area(low: float, high: float) -> str:
    """Return the text of an interval of an area."""
    return "" if math.isnan(low) else _span(f"{low:.4f}", f"{high:.4f}")


def of_share(low: float, high: float) -> str:
    """Return the text of an interval of a share, in percent."""
    if math.isnan(low):
        return ""
    ends = (rounded_percent(end).removesuffix("%") for end in widened(low, high))
    return f"{_span(*ends)}%"


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}-{high}"
