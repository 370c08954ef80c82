"""Limits for groups of dependent items by a gamma approximation, without a proof."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.special import chi_square_quantile, gamma_cdf
from fastarac.guarantees.fallback import last_proved

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.guarantees.betting import GroupedItems
    from fastarac.guarantees.fallback import Start

FEWEST_GROUPS = 20  # minimum number of groups; simulations did not cover fewer


class AcceptedGroups(NamedTuple):
    """Sums over groups of items, for each threshold from the highest down.

    Of each group's m items, a are accepted, and y of these are errors. The first element of each array
    is for a threshold that accepts nothing.
    """

    accepted: NDArray[np.int64]
    """Σa."""
    errors: NDArray[np.int64]
    """Σy."""
    squared_errors: NDArray[np.int64]
    """Σy²."""
    most_errors: NDArray[np.int64]
    """The largest y."""
    accepted_squared: NDArray[np.int64]
    """Σa²."""
    errors_by_size: NDArray[np.int64]
    """Σym."""
    errors_by_accepted: NDArray[np.int64]
    """Σya."""
    touched: NDArray[np.int64]
    """Number of groups with accepted items."""
    sizes: NDArray[np.int64]
    """Number of items of each group, m."""

    @classmethod
    def of(cls, pages: GroupedItems) -> AcceptedGroups:
        """Compute the sums at each distinct confidence, from the highest down."""
        order = np.argsort(pages.place, kind="stable")
        group, wrong = pages.group[order], pages.wrong[order].astype(np.int64)
        by_group = np.argsort(group, kind="stable")
        first = np.cumsum(pages.sizes) - pages.sizes
        # Numbers of items (a) and errors (y) that precede each item within its group.
        a = np.empty(len(group), np.int64)
        y = np.empty(len(group), np.int64)
        a[by_group] = np.arange(len(group)) - np.repeat(first, pages.sizes)
        before = np.concatenate([[0], np.cumsum(wrong[by_group])])
        y[by_group] = before[:-1] - np.repeat(before[first], pages.sizes)
        accepted = np.concatenate([[0], np.cumsum(np.bincount(pages.place))])

        def at_points(steps: NDArray[Any]) -> NDArray[np.int64]:
            found: NDArray[np.int64] = np.concatenate([[0], np.cumsum(steps, dtype=np.int64)])[accepted]
            return found

        return cls(
            accepted,
            at_points(wrong),
            at_points(wrong * (2 * y + 1)),
            np.concatenate([[0], np.maximum.accumulate((y + 1) * wrong)])[accepted],
            at_points(2 * a + 1),
            at_points(wrong * pages.sizes[group]),
            at_points(y + wrong * (a + 1)),
            at_points(a == 0),
            pages.sizes,
        )

    def moments(self, point: int, criterion: str) -> tuple[float, float, float]:
        """Return the rate p of errors, its variance v, and w, the most that a further group adds to p.

        w is the effect of a whole group, because all items of a further group may be accepted and
        wrong.
        """
        errors = int(self.errors[point])
        if criterion == "max_error_rate":
            n, groups = int(self.sizes.sum()), len(self.sizes)
            products = int(self.errors_by_size[point])
            squared_sizes = float(np.sum(self.sizes.astype(np.float64) ** 2))
        else:  # count only accepted items and the groups that have some
            n, groups = int(self.accepted[point]), int(self.touched[point])
            products = int(self.errors_by_accepted[point])
            squared_sizes = float(self.accepted_squared[point])
        if groups < 2:
            return errors / max(1, n), math.inf, 1.0
        p = errors / n
        spread = int(self.squared_errors[point]) - 2.0 * p * products + p * p * squared_sizes
        v = max(0.0, spread) * groups / (groups - 1) / n**2
        return p, v, max(float(self.most_errors[point]), size_of_groups(self.sizes)) / n


def size_of_groups(sizes: NDArray[np.int64]) -> float:
    """Return √(Σm²/G), the root mean square size of G groups of sizes m."""
    return math.sqrt(float(np.mean(sizes.astype(np.float64) ** 2)))


def groups_needed(pages: GroupedItems, limit: float, delta: float) -> int:
    """Return approximately how many groups without an error bring the bound within the limit."""
    if limit <= 0.0:
        return 0
    share = size_of_groups(pages.sizes) / float(pages.sizes.mean())
    return math.ceil(math.log(1.0 / delta) / limit * share)


def upper_bound(pages: GroupedItems, point: int, criterion: str, delta: float) -> float:
    """Return the upper bound on the rate of errors at a threshold, with confidence 1 − δ.

    It is the quantile of the gamma distribution with mean p + w and variance v + w² (see `moments`).
    """
    p, v, w = AcceptedGroups.of(pages).moments(point, criterion)
    if not (point and math.isfinite(v)):
        return float(point > 0)
    scale = (v + w * w) / (p + w)
    return min(1.0, scale / 2.0 * chi_square_quantile(1.0 - delta, 2.0 * (p + w) / scale))


def _within(moments: tuple[float, float, float], limit: float, delta: float) -> bool:
    p, v, w = moments
    if not math.isfinite(v):
        return False
    scale = (v + w * w) / (p + w)
    return gamma_cdf((p + w) / scale, limit / scale) >= 1.0 - delta


def gamma_on_error_rate(pages: GroupedItems, limit: float, delta: float) -> int:
    """Return how many thresholds, from the highest down, have an approximate bound within the limit.

    Only thresholds that accept further errors are checked, because the bound is constant in between.
    """
    counts = AcceptedGroups.of(pages)
    at_errors = np.flatnonzero(np.diff(counts.errors, prepend=-1))
    for point in at_errors.tolist():
        if not _within(counts.moments(point, "max_error_rate"), limit, delta):
            return int(max(point - 1, 0))
    return len(counts.errors) - 1


def gamma_on_risk(
    pages: GroupedItems, ends: NDArray[np.intp], starts: list[Start], limit: float, delta: float
) -> int:
    """Return the index of the lowest fixed threshold with a risk bound within the limit; −1 for none.

    `ends` holds the number of distinct confidences that each threshold accepts.
    """
    counts = AcceptedGroups.of(pages)
    # The lowest points may be missing, because their items may be in the groups that were set aside.
    points = np.minimum(ends, len(counts.errors) - 1)

    def proves(index: int, level: float) -> bool:
        point = int(points[index])
        accepted = int(counts.accepted[point])
        return accepted > 0 and _within(counts.moments(point, "max_risk"), limit, level)

    return last_proved(proves, starts, len(ends), delta)
