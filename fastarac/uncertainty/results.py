"""What intervals and tests return."""

from __future__ import annotations

from typing import NamedTuple


class ConfidenceInterval(NamedTuple):
    """Ends of an interval; both belong to it."""

    low: float
    high: float
