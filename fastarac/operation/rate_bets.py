"""Bets on the error rates of groups of outputs, and the range of rates that bets do not refute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import largest_group
from fastarac._core.random_state import generator_for, key_of
from fastarac.guarantees.betting import wealth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.operation.remaining_sample_size import RateEvidence

# Grid of rates. Besides 0 and the limit, only these can be ends of an interval that comes from bets.
RATES = np.unique(np.concatenate([np.geomspace(1e-5, 0.5, 150), np.linspace(0.5, 1.0, 20)]))


class GroupBets(NamedTuple):
    """Groups in random order, with the counted items and the errors of each group."""

    counts: NDArray[np.float64]
    errors: NDArray[np.float64]
    largest: NDArray[np.int64]
    """For each group, the largest group size that is known when the bet on the group is made."""
    keeps_order: bool

    @classmethod
    def of(
        cls,
        counted: NDArray[np.bool_],
        wrong: NDArray[np.bool_],
        codes: NDArray[Any],
        max_group_size: int | None,
        looks: NDArray[np.intp] | None = None,
        sizes: tuple[int, ...] | None = None,
    ) -> GroupBets:
        """Shuffle the groups within each look; keep the order of the looks."""
        n = np.bincount(codes)
        counts, errors = (np.bincount(codes, each).astype(np.float64) for each in (counted, wrong))
        if looks is None:
            largest = largest_group(int(n.max()), max_group_size)
            of_group, known = np.zeros(len(n), np.intp), np.array([largest])
        else:
            of_group = np.zeros(len(n), np.intp)
            of_group[codes] = looks
            known = np.maximum.accumulate(np.array(sizes, np.int64))
        parts = []
        for look in np.unique(of_group).tolist():
            own = np.flatnonzero(of_group == look)
            rng = generator_for(key_of(0), counts[own], errors[own])
            parts.append(own[rng.permutation(len(own))])
        order = np.concatenate(parts)
        return cls(counts[order], errors[order], known[of_group[order]], looks is not None)

    @property
    def n_units(self) -> int:
        """The number of groups."""
        return len(self.counts)

    def drawn(self, n: int, rng: np.random.Generator) -> GroupBets:
        """Return n groups: all groups, and more groups drawn from them with replacement."""
        chosen = with_others(self.n_units, n, rng, keeps_order=self.keeps_order)
        # Repeated groups get the largest group size that was known at the last look.
        largest = self.largest[chosen] if self.keeps_order else self.largest[:1]
        if self.keeps_order:
            largest[self.n_units :] = self.largest[-1]
        return self._replace(counts=self.counts[chosen], errors=self.errors[chosen], largest=largest)

    def is_below(self, rate: float, delta: float) -> bool:
        """Whether bets refute a rate of `rate` or more, at level `delta`."""
        return self._wealth_below(rate) >= 1.0 / delta

    def is_above(self, rate: float, delta: float) -> bool:
        """Whether bets refute a rate of `rate` or less, at level `delta`."""
        return self._wealth_above(rate) >= 1.0 / delta

    def pvalues(self, rate: float) -> tuple[float, float]:
        """Return p-values of two hypotheses: the rate is at least `rate`, and it is at most `rate`.

        Each p-value is 1 divided by the largest wealth of the bets against its hypothesis (Ville 1939).
        """
        return 1.0 / self._wealth_below(rate), 1.0 / self._wealth_above(rate)

    def _wealth_below(self, rate: float) -> float:
        return wealth(self.errors - rate * self.counts, self.largest, rate)

    def _wealth_above(self, rate: float) -> float:
        return wealth(rate * self.counts - self.errors, self.largest, 1.0 - rate)


def with_others(n: int, total: int, rng: np.random.Generator, *, keeps_order: bool) -> NDArray[np.intp]:
    """Return indices of n units and of random repetitions, `total` in all."""
    every = np.concatenate([np.arange(n), rng.integers(n, size=total - n)])
    return every if keeps_order else rng.permutation(every)


def unrefuted_range(seen: RateEvidence, limit: float, delta: float) -> tuple[float, float]:
    """Return the range of rates that bets on units in random order do not refute.

    The method is that of Waudby-Smith and Ramdas (2024), for rates on a grid.
    """
    rates = np.union1d(RATES, limit) if 0.0 < limit < 1.0 else RATES
    n_inner = len(rates) - 1
    # Each scan stops at the first rate that is not refuted. The bound is the refuted rate just before
    # it, so that the range is never too narrow.
    kept = (i for i in reversed(range(n_inner)) if not seen.is_below(float(rates[i]), delta))
    high = float(rates[next(kept, -1) + 1])
    left = (i for i in range(n_inner) if not seen.is_above(float(rates[i]), delta))
    first = next(left, 0)
    low = float(rates[first - 1]) if first else 0.0
    return low, high
