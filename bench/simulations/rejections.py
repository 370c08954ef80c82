"""Count how often a test rejects, and how often it warns when it rejects."""

from __future__ import annotations

import math
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import fastarac as fa
from fastarac.uncertainty import asymptotic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastarac.uncertainty.inversion import ItemSample

LEVEL = 0.05


@contextmanager
def without_intervals_of_models() -> Iterator[None]:
    """Comparisons without the interval of each model: most of their time, and no test needs it."""

    def nothing(
        sample: ItemSample, statistic: fa.Statistic, *_: Any, **__: Any
    ) -> tuple[fa.Interval, None]:
        value = statistic(sample.sweep)
        return fa.Interval(value, value, value, 0.0, 1.0 - LEVEL, "none"), None

    with patch.object(asymptotic, "interval_and_warning", nothing):
        yield


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
