"""Counting how often a test rejects, and how often it warns then."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

LEVEL = 0.05


class Rejections:
    """What the rows of two simulations have in common: each declares these fields among its own."""

    samples: int
    rejected: int
    warned: int
    rejected_warned: int

    @property
    def share(self) -> float:
        """Of samples in which a difference was found."""
        return self.rejected / self.samples

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of that share, as if it were the level."""
        return math.sqrt(LEVEL * (1.0 - LEVEL) / self.samples)

    @property
    def found(self) -> str:
        """The share in words."""
        return (
            f"rejected {self.share:.1%} of {self.samples:,} (Monte-Carlo error {self.error:.1%}), "
            f"warned {self.warned / self.samples:.0%}"
        )

    def count(self, rejects: Callable[[], bool]) -> None:
        """Run a test on one sample."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rejected = rejects()
        warned = any(issubclass(w.category, fa.UnreliableIntervalWarning) for w in caught)
        self.rejected += rejected
        self.warned += warned
        self.rejected_warned += rejected and warned
