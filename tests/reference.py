"""The definitions, computed slowly and exactly with fractions; nothing here comes from fastarac.

Items are a tuple of `Item(confidence, correct, weight)`. Every function follows the published
definition as closely as possible, without regard to speed: O(n²) is usual. Three rules hold throughout.

* Values are `Fraction`; `round_once` converts a fraction to the nearest float. Where a definition has a
  logarithm, the logarithm is first computed to `DIGITS` decimal digits.
* `None` stands for "undefined" (the library's NaN): for example, a rate of a class without items, or of
accepted items if none is accepted. If nothing is accepted, risk and precision repeat their first
defined value. * A limit such as 0.05 is compared with the rate rounded to double precision, which is
the rate that users see. So 3 errors in 10 keep a limit of 0.3, and also reach it, although the double
0.3 is below 3/10.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

DIGITS = 60


class Item(NamedTuple):
    """One output: its confidence, whether it is correct (1 or 0), and its weight."""

    confidence: Fraction
    correct: int
    weight: Fraction


def exact(value: Any) -> Fraction:
    """Convert any finite Python or numpy number to a fraction, without rounding."""
    if hasattr(value, "as_integer_ratio"):
        return Fraction(*value.as_integer_ratio())
    return Fraction(int(value))  # numpy integers and booleans


def to_items(
    correct: Iterable, confidence: Iterable, sample_weight: Iterable | None = None
) -> tuple[Item, ...]:
    """Make items from three columns, without items of weight 0, which change nothing."""
    correct, confidence = list(correct), list(confidence)
    weights = [1] * len(correct) if sample_weight is None else list(sample_weight)
    rows = zip(confidence, correct, weights, strict=True)
    items = [Item(exact(t), int(c), exact(w)) for t, c, w in rows]
    return tuple(item for item in items if item.weight > 0)


def round_once(value: Fraction | None) -> float:
    """Return the nearest double (integer division rounds correctly); NaN for None."""
    return math.nan if value is None else value.numerator / value.denominator


def logarithm(value: Fraction) -> Fraction:
    """Return the natural logarithm to `DIGITS` digits."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).ln())


def share(part: Fraction, whole: Fraction) -> Fraction | None:
    """Return part/whole; None if the whole is 0."""
    return part / whole if whole else None


# --- The sweep ---------------------------------------------------------------------------------


class Point(NamedTuple):
    """The four counts at a threshold, with only the share `tie_acceptance` of its tie accepted."""

    threshold: Fraction | float
    true_accepts: Fraction
    false_accepts: Fraction
    false_rejects: Fraction
    true_rejects: Fraction
    tie_acceptance: Fraction = Fraction(1)

    @property
    def accepted(self) -> Fraction:
        return self.true_accepts + self.false_accepts

    @property
    def n_correct(self) -> Fraction:
        return self.true_accepts + self.false_rejects

    @property
    def n_incorrect(self) -> Fraction:
        return self.false_accepts + self.true_rejects

    @property
    def total(self) -> Fraction:
        return self.n_correct + self.n_incorrect

    @property
    def recognition_rate(self) -> Fraction:
        return self.n_correct / self.total

    @property
    def acceptance_rate(self) -> Fraction:
        return self.accepted / self.total

    @property
    def verification_rate(self) -> Fraction:
        return 1 - self.acceptance_rate

    @property
    def correction_rate(self) -> Fraction:
        return self.true_rejects / self.total

    @property
    def error_rate(self) -> Fraction:
        return self.false_accepts / self.total

    @property
    def accuracy_after_correction(self) -> Fraction:
        return (self.true_accepts + self.true_rejects + self.false_rejects) / self.total

    @property
    def risk(self) -> Fraction | None:
        return share(self.false_accepts, self.accepted)

    @property
    def precision(self) -> Fraction | None:
        return share(self.true_accepts, self.accepted)

    @property
    def recall(self) -> Fraction | None:
        return share(self.true_accepts, self.n_correct)

    @property
    def false_positive_rate(self) -> Fraction | None:
        return share(self.false_accepts, self.n_incorrect)


def point_at(items: tuple[Item, ...], threshold: Fraction | float) -> Point:
    """The counts at any threshold: accepted iff confidence >= threshold."""

    def accepted(correct: int) -> Fraction:
        return sum((w for t, c, w in items if c == correct and t >= threshold), Fraction(0))

    def rejected(correct: int) -> Fraction:
        return sum((w for t, c, w in items if c == correct and t < threshold), Fraction(0))

    return Point(threshold, accepted(1), accepted(0), rejected(1), rejected(0))


def net_benefit(items: tuple[Item, ...], threshold: Fraction | float) -> Fraction:
    """Net benefit per item: correct accepts minus false accepts times the odds of the threshold."""
    p = exact(threshold)
    point = point_at(items, p)
    lost = point.false_accepts * p / (1 - p)
    return (point.true_accepts - lost) / sum(weight for _, _, weight in items)


@lru_cache(maxsize=256)  # most definitions start here, and all are asked about the same few samples
def sweep(items: tuple[Item, ...]) -> tuple[Point, ...]:
    """The points at threshold +inf (nothing accepted) and at every distinct confidence, decreasing."""
    distinct = sorted({item.confidence for item in items}, reverse=True)
    return tuple(point_at(items, threshold) for threshold in [math.inf, *distinct])


def column(points: tuple[Point, ...], rate: str) -> list[Any]:
    """One rate at every point; risk and precision at X=0 repeat their first defined value."""
    values = [getattr(point, rate) for point in points]
    if rate in {"risk", "precision"}:
        values[0] = values[1]
    return values


def recognition_rate(items: tuple[Item, ...]) -> Fraction:
    """Weight of the correct items, divided by the weight of all items."""
    return share(sum(i.weight * i.correct for i in items), sum(i.weight for i in items))


CURVES = {
    "arac_curve": ("acceptance_rate", "accuracy_after_correction", "threshold"),
    "arp_curve": ("acceptance_rate", "precision", "threshold"),
    "rc_curve": ("acceptance_rate", "risk", "threshold"),
    "generalized_rc_curve": ("acceptance_rate", "error_rate", "threshold"),
    "accuracy_rejection_curve": ("verification_rate", "precision", "threshold"),
}


def curve(items: tuple[Item, ...], name: str) -> tuple[list[Any], ...]:
    """The columns of one of the five curves, over the points of the sweep."""
    points = sweep(items)
    return tuple(column(points, rate) for rate in CURVES[name])


# --- Areas -------------------------------------------------------------------------------------


def trapezoids(x: list[Fraction], y: list[Fraction]) -> Fraction:
    """Area under straight lines between neighbouring points."""
    return sum(((x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2 for i in range(1, len(x))), Fraction(0))


def trapezoids_between(x: list[Fraction], y: list[Fraction], low: Fraction, high: Fraction) -> Fraction:
    """Area under the same lines, between two abscissae. Vertical pieces have no area."""
    area = Fraction(0)
    for i in range(1, len(x)):
        left, right = max(x[i - 1], low), min(x[i], high)
        if left < right:
            slope = (y[i] - y[i - 1]) / (x[i] - x[i - 1])
            middle = y[i - 1] + slope * ((left + right) / 2 - x[i - 1])
            area += (right - left) * middle
    return area


class Area(NamedTuple):
    """An area under a curve that ends at (1, β), divided into the parts above and below height β."""

    auc: Fraction
    upper: Fraction
    lower: Fraction
    improved: Fraction
    normalized: Fraction
    gamma: Fraction


def decomposed(auc: Fraction, beta: Fraction, gamma: Any = 1) -> Area:
    """A_U = A − β, A_L = β, A' = γ·A_U/(1−β) + A_L (γ+1 at β=1), A'' = A'/(γ+1)."""
    gamma = exact(gamma)
    upper = auc - beta
    improved = gamma + 1 if beta == 1 else gamma * upper / (1 - beta) + beta
    return Area(auc, upper, beta, improved, improved / (gamma + 1), gamma)


def arac_auc(items: tuple[Item, ...]) -> Fraction:
    """∫ Y dX from (0, 1) to (1, β), straight through ties."""
    acceptance, accuracy, _ = curve(items, "arac_curve")
    return trapezoids(acceptance, accuracy)


def arac_area(items: tuple[Item, ...], gamma: Any = 1) -> Area:
    return decomposed(arac_auc(items), recognition_rate(items), gamma)


def augrc(items: tuple[Item, ...]) -> Fraction:
    """Area under the error rate (generalised risk) over the coverage."""
    coverage, error_rate, _ = curve(items, "generalized_rc_curve")
    return trapezoids(coverage, error_rate)


def roc_auc(items: tuple[Item, ...]) -> Fraction | None:
    """Share of (correct, incorrect) pairs in order, a tie counting 1/2; undefined for one class."""
    pairs = [(a, b) for a in items for b in items if a.correct and not b.correct]
    won = sum(
        a.weight * b.weight * (Fraction(a.confidence > b.confidence) + (a.confidence >= b.confidence))
        for a, b in pairs
    )
    return share(won / 2, sum((a.weight * b.weight for a, b in pairs), Fraction(0)))


def arp_auc(items: tuple[Item, ...], estimator: str = "trapezoid") -> Fraction:
    """∫ precision dX by one of three estimators.

    trapezoid: straight lines between the points of the sweep, flat before the first.
    mean: (1/n) Σₖ E[precision of the k most confident] over random order within ties, unweighted
        only. Of a tie of g items with p correct, the first j hold j·p/g correct on average (each
        item stands on each place equally often), and the number accepted, k, is not random.
    exact: the tied items accepted in continuous random order: a tie of p correct and q incorrect
        after T₀ correct of N₀ accepted adds [p + (T₀ − p·N₀/g)·ln((N₀+g)/N₀)]/Ω, and p/Ω at N₀=0.
    """
    points = sweep(items)
    if estimator == "trapezoid":
        return trapezoids(column(points, "acceptance_rate"), column(points, "precision"))
    if estimator == "mean" and any(item.weight != 1 for item in items):
        raise ValueError("the mean over the items is defined without weights only")
    area = Fraction(0)
    for start, end in pairwise(points):
        p = end.true_accepts - start.true_accepts
        g = end.accepted - start.accepted
        t0, n0 = start.true_accepts, start.accepted
        if estimator == "mean":
            area += sum((t0 + j * p / g) / (n0 + j) for j in range(1, int(g) + 1))
        elif estimator == "exact":
            area += p if n0 == 0 else p + (t0 - p * n0 / g) * logarithm((n0 + g) / n0)
        else:
            raise ValueError(estimator)
    return area / points[0].total


def arp_area(items: tuple[Item, ...], gamma: Any = 1, estimator: str = "trapezoid") -> Area:
    """The decomposition of the ARAC area, for ARP. `upper` is negative below the height β."""
    return decomposed(arp_auc(items, estimator), recognition_rate(items), gamma)


def aurc(items: tuple[Item, ...], estimator: str = "trapezoid") -> Fraction:
    """Area under the risk–coverage curve."""
    return 1 - arp_auc(items, estimator)


def perfectly_sorted(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The same items with distinct confidences, all correct items above all incorrect items."""
    order = sorted(items, key=lambda item: -item.correct)
    return tuple(Item(Fraction(-place), c, w) for place, (_, c, w) in enumerate(order))


def best_aurc(items: tuple[Item, ...], estimator: str = "trapezoid", optimum: str = "finite"):
    """AURC of the best possible order of the items.

    finite: the same estimator on the perfectly sorted items, one threshold each. For weighted items,
    trapezoids would depend on the order of weights among the incorrect items, which a sweep does not
    know; therefore this case is undefined. asymptotic: π + (1−π)·ln(1−π) with π = 1−β, and 1 at π=1.
    """
    if optimum == "asymptotic":
        beta = recognition_rate(items)
        return 1 - beta + (beta * logarithm(beta) if beta else 0)
    if estimator == "trapezoid" and any(item.weight != 1 for item in items):
        raise ValueError("trapezoids over perfectly sorted items are defined without weights only")
    return aurc(perfectly_sorted(items), estimator)


def excess_aurc(items: tuple[Item, ...], estimator: str = "trapezoid", optimum: str = "finite"):
    """AURC minus the AURC of the best order; may be below 0 for trapezoids and tied incorrect items."""
    return aurc(items, estimator) - best_aurc(items, estimator, optimum)


def normalized_aurc(items: tuple[Item, ...], estimator: str = "trapezoid", optimum: str = "finite"):
    """(AURC − AURC*)/(π − AURC*): best order 0, random 1. Undefined (0/0) with one class."""
    best = best_aurc(items, estimator, optimum)
    if recognition_rate(items) in {0, 1}:
        return None
    return (aurc(items, estimator) - best) / (1 - recognition_rate(items) - best)


def arac_partial_by_acceptance(items: tuple[Item, ...], low: Any, high: Any) -> Fraction:
    """Mean of Y over low <= X <= high."""
    low, high = exact(low), exact(high)
    acceptance, accuracy, _ = curve(items, "arac_curve")
    return trapezoids_between(acceptance, accuracy, low, high) / (high - low)


def arac_partial_by_error_rate(items: tuple[Item, ...], limit: Any) -> Fraction:
    """Mean over the allowed error rates 0…limit of the largest X; above 1−β, everything: X=1."""
    limit = exact(limit)
    coverage, error_rate, _ = curve(items, "generalized_rc_curve")
    beyond = max(limit - error_rate[-1], Fraction(0))
    return (trapezoids_between(error_rate, coverage, Fraction(0), limit) + beyond) / limit


def roc_partial(
    items: tuple[Item, ...], axis: str, low: Any, high: Any, standardize: str | None = None
) -> Fraction | None:
    """∫ TPR dFPR (axis "fpr") or ∫ (1−FPR) dTPR (axis "tpr") from low to high.

    McClish: ½(1 + (A − min)/(max − min)), min the area of the chance diagonal, max the width of
    the range. Undefined with one class, and by McClish where A < min.
    """
    points = sweep(items)
    fpr, tpr = column(points, "false_positive_rate"), column(points, "recall")
    if fpr[0] is None or tpr[0] is None:
        return None
    low, high = exact(low), exact(high)
    if axis == "fpr":
        area = trapezoids_between(fpr, tpr, low, high)
        chance = (high**2 - low**2) / 2
    else:
        area = trapezoids_between(tpr, [1 - rate for rate in fpr], low, high)
        chance = (high - low) - (high**2 - low**2) / 2
    if standardize is None:
        return area
    if area < chance:
        return None
    return (1 + (area - chance) / (high - low - chance)) / 2


# --- Precision and recall ----------------------------------------------------------------------


def average_precision(items: tuple[Item, ...]) -> Fraction:
    """Σ (gain in recall)·(precision there). Nothing correct: 0, as scikit-learn has it."""
    points = sweep(items)
    if points[0].n_correct == 0:
        return Fraction(0)
    return sum((end.recall - start.recall) * end.precision for start, end in pairwise(points))


def pr_auc(items: tuple[Item, ...], interpolation: str = "davis-goadrich") -> Fraction | None:
    """Area under precision over recall. Undefined where nothing is correct.

    davis-goadrich: true and false accepts grow together linearly between points, so that
        precision = (T₀+f·p)/(N₀+f·g) at recall (T₀+f·p)/n⁺ for 0 <= f <= 1; from nothing accepted
        on, that is flat. Its integral is (p/(g·n⁺))·[p + (T₀ − p·N₀/g)·ln((N₀+g)/N₀)].
    linear: straight lines between the points of the sweep, and to precision 1 at recall 0.
    step: average precision.
    """
    points = sweep(items)
    if points[0].n_correct == 0:
        return None
    if interpolation == "step":
        return average_precision(items)
    if interpolation == "linear":
        recall, precision = column(points, "recall"), column(points, "precision")
        return trapezoids(recall, [Fraction(1), *precision[1:]])
    if interpolation != "davis-goadrich":
        raise ValueError(interpolation)
    area = Fraction(0)
    for start, end in pairwise(points):
        p = end.true_accepts - start.true_accepts
        g = end.accepted - start.accepted
        t0, n0 = start.true_accepts, start.accepted
        bracket = p if n0 == 0 or p == 0 else p + (t0 - p * n0 / g) * logarithm((n0 + g) / n0)
        area += p / g * bracket
    return area / points[0].n_correct


def pr_partial(
    items: tuple[Item, ...],
    low: Any,
    high: Any,
    interpolation: str = "davis-goadrich",
    standardize: str | None = None,
) -> Fraction | None:
    """∫ P dR from low to high, by the curves of `pr_auc`. Undefined where nothing is correct.

    davis-goadrich: the area between the points of the sweep and those inside a tie where the recall is
        low or high. width: divided by high − low. mcclish: ½(1 + (A − min)/(max − min)), min the area
        at the precision of all items; undefined where A < min, and where all are correct.
    """
    low, high, points = exact(low), exact(high), sweep(items)
    if points[0].n_correct == 0:
        return None
    if interpolation == "linear":
        recall, precision = column(points, "recall"), column(points, "precision")
        area = trapezoids_between(recall, [Fraction(1), *precision[1:]], low, high)
    else:
        area = Fraction(0)
        for start, end in pairwise(points):
            left, right = max(start.recall, low), min(end.recall, high)
            if left >= right:
                continue
            if interpolation == "step":
                area += (right - left) * end.precision
                continue
            width = end.recall - start.recall
            one, other = (within_tie(start, end, (r - start.recall) / width) for r in (left, right))
            p, g = (getattr(other, of) - getattr(one, of) for of in ("true_accepts", "accepted"))
            t0, n0 = one.true_accepts, one.accepted
            bracket = p if n0 == 0 else p + (t0 - p * n0 / g) * logarithm((n0 + g) / n0)
            area += p / g * bracket / points[0].n_correct
    chance = recognition_rate(items) * (high - low)
    if standardize == "width":
        return area / (high - low)
    if standardize == "mcclish":
        if area < chance or chance == high - low:
            return None
        return (1 + (area - chance) / (high - low - chance)) / 2
    return area


def interpolated_precision(items: tuple[Item, ...], recall_levels: Any = 11):
    """Largest precision at recall >= level, for each level; a number means that many even levels.

    Even levels are the fractions i/(levels−1), other levels are compared with the rounded recall.
    Undefined (None in every place) where nothing is correct.
    """
    if isinstance(recall_levels, int):
        levels = [round_once(Fraction(i, recall_levels - 1)) for i in range(recall_levels)]
    else:
        levels = list(recall_levels)
    points = sweep(items)[1:]
    if points[0].n_correct == 0:
        return [None] * len(levels)
    return [max(p.precision for p in points if round_once(p.recall) >= level) for level in levels]


def eleven_point_average_precision(items: tuple[Item, ...]) -> Fraction | None:
    """Mean of the interpolated precision at recall 0, 0.1, …, 1."""
    values = interpolated_precision(items, 11)
    return None if values[0] is None else sum(values) / 11


# --- Operating points --------------------------------------------------------------------------


def within_tie(start: Point, end: Point, part: Fraction) -> Point:
    """The point where only a part of the tie at end's threshold is accepted."""
    counts = [a + part * (b - a) for a, b in zip(start[1:5], end[1:5], strict=True)]
    return Point(end.threshold, *counts, part)


def at_largest_error_rate(points: tuple[Point, ...], limit: Any, interpolate: bool) -> Point:
    """Largest X with R_E <= limit; a part of the next tie is accepted, until R_E = limit."""
    last = max(j for j, p in enumerate(points) if round_once(p.error_rate) <= limit)
    reached = round_once(points[last].error_rate) == limit
    if not interpolate or reached or last + 1 == len(points):
        return points[last]
    start, end = points[last], points[last + 1]
    part = (exact(limit) - start.error_rate) / (end.error_rate - start.error_rate)
    return within_tie(start, end, part)


THREE_WAY = {  # counts of errors and of all outputs that a limit is about, for each arm
    "max_error_rate": lambda arm, total: (sum(w for _, c, w in arm if not c), total),
    "max_risk": lambda arm, _: (sum(w for _, c, w in arm if not c), sum(w for *_, w in arm)),
    "max_false_discard_rate": lambda arm, total: (sum(w for _, c, w in arm if c), total),
    "max_false_omission_rate": lambda arm, _: (sum(w for _, c, w in arm if c), sum(w for *_, w in arm)),
}


def three_way(items: tuple[Item, ...], accept: tuple[str, Any], discard: tuple[str, Any]):
    """The thresholds of the largest zones that keep their limits, and the items of the three zones.

    Accepted outputs come first: only thresholds below the accept threshold may discard.
    """
    total = sum(item.weight for item in items)

    def keeps(arm: list[Item], limit: tuple[str, Any]) -> bool:
        part, whole = THREE_WAY[limit[0]](arm, total)
        return not arm or round_once(Fraction(part, whole)) <= limit[1]

    values = {item.confidence for item in items}
    above = {k: [item for item in items if item.confidence >= k] for k in values}
    high = min((k for k in values if keeps(above[k], accept)), default=math.inf)
    below = {k: [item for item in items if item.confidence <= k] for k in values if k < high}
    low = max((k for k, arm in below.items() if keeps(arm, discard)), default=-math.inf)
    zones = [
        [item for item in items if item.confidence >= high],
        [item for item in items if low < item.confidence < high],
        [item for item in items if item.confidence <= low],
    ]
    return high, low, zones


def three_way_counts(items: tuple[Item, ...], accept: tuple[str, Any], discard: tuple[str, Any]):
    """Correct and incorrect outputs that are accepted, verified and discarded."""
    return [
        sum((w for _, c, w in zone if c == right), Fraction(0))
        for zone in three_way(items, accept, discard)[2]
        for right in (1, 0)
    ]


def at_largest_risk(points: tuple[Point, ...], limit: Any, interpolate: bool) -> Point:
    """Largest X with risk <= limit, else X=0; a part of the next tie is accepted, until risk = limit.

    The risk is monotone in the accepted part of a tie. Therefore, only the tie after the last point
    that keeps the limit can have a part that keeps it, too. If nothing is accepted before a tie, any
    part of it has the risk of the whole tie.
    """
    keeping = [j for j, p in enumerate(points) if j and round_once(p.risk) <= limit]
    if not keeping:
        return points[0]
    last = max(keeping)
    reached = round_once(points[last].risk) == limit
    if not interpolate or reached or last + 1 == len(points):
        return points[last]
    start, end = points[last], points[last + 1]
    r = exact(limit)
    q, g = end.false_accepts - start.false_accepts, end.accepted - start.accepted
    return within_tie(start, end, (r * start.accepted - start.false_accepts) / (q - r * g))


def at_least_acceptance(points: tuple[Point, ...], limit: Any, interpolate: bool) -> Point:
    """Highest threshold with X >= limit; only as much of its tie is accepted as makes X = limit."""
    first = min(j for j, p in enumerate(points) if round_once(p.acceptance_rate) >= limit)
    reached = round_once(points[first].acceptance_rate) == limit
    if not interpolate or reached or first == 0:
        return points[first]
    start, end = points[first - 1], points[first]
    part = (exact(limit) - start.acceptance_rate) / (end.acceptance_rate - start.acceptance_rate)
    return within_tie(start, end, part)


def operating_point(
    items: tuple[Item, ...],
    *,
    threshold: Any = None,
    max_error_rate: Any = None,
    max_risk: Any = None,
    min_acceptance_rate: Any = None,
    interpolate: bool = False,
) -> Point:
    """The point for exactly one criterion; a threshold given as the criterion is not changed."""
    points = sweep(items)
    if max_error_rate is not None:
        return at_largest_error_rate(points, max_error_rate, interpolate)
    if max_risk is not None:
        return at_largest_risk(points, max_risk, interpolate)
    if min_acceptance_rate is not None:
        return at_least_acceptance(points, min_acceptance_rate, interpolate)
    return point_at(items, threshold if math.isinf(threshold) else exact(threshold))


def rate_at(items: tuple[Item, ...], point: Point, rate: str) -> Fraction | None:
    """A rate of an operating point; at X=0, risk and precision take the sweep's first value."""
    value = getattr(point, rate)
    if point.accepted == 0 and rate in {"risk", "precision"}:
        return column(sweep(items), rate)[0]
    return value


def acceptance_at_error_rate(
    items: tuple[Item, ...], limit: Any, interpolate: bool = False
) -> Fraction:
    """X(θ): read off the curve at Y = 1−limit, its largest X there; or by whole ties."""
    return at_largest_error_rate(sweep(items), limit, interpolate).acceptance_rate


def break_even_point(items: tuple[Item, ...]) -> tuple[Fraction, Fraction] | None:
    """Precision-recall break-even point and its threshold: as many items are accepted as are correct.

    Within a tie, part of it is accepted in random order. Undefined where nothing is correct.
    """
    points = sweep(items)
    n_correct = points[0].n_correct
    if n_correct == 0:
        return None
    j = next(j for j, p in enumerate(points) if p.accepted >= n_correct)
    start, end = points[j - 1], points[j]
    part = (n_correct - start.accepted) / (end.accepted - start.accepted)
    return within_tie(start, end, part).precision, end.threshold


def equal_error_rate(items: tuple[Item, ...]) -> tuple[Fraction, Fraction] | None:
    """Equal error rate (FPR = FNR, on straight lines between points) and the threshold of its tie.

    FPR + TPR increases with every point, from 0 to 2, so it is 1 at one place only. Undefined with one
    class.
    """
    points = sweep(items)
    if points[0].n_correct == 0 or points[0].n_incorrect == 0:
        return None
    both = [p.false_positive_rate + p.recall for p in points]
    j = next(j for j, value in enumerate(both) if value >= 1)
    part = (1 - both[j - 1]) / (both[j] - both[j - 1])
    return within_tie(points[j - 1], points[j], part).false_positive_rate, points[j].threshold


# --- Verification and correction costs ---------------------------------------------------------


def cost(point: Point, verification: Any, correction: Any, error: Any) -> Fraction:
    """L = C_R(1−X) + C_C·R_C + C_E·R_E."""
    return (
        exact(verification) * point.verification_rate
        + exact(correction) * point.correction_rate
        + exact(error) * point.error_rate
    )


def normalized_cost(point: Point, gamma: Any, delta: Any) -> Fraction:
    """L' = −γX − β + δR_E."""
    return (
        -exact(gamma) * point.acceptance_rate - point.recognition_rate + exact(delta) * point.error_rate
    )


def performance(point: Point, gamma: Any, delta: Any) -> Fraction:
    """W = γX + β − δR_E."""
    return -normalized_cost(point, gamma, delta)


def performance_at_error_rate(
    items: tuple[Item, ...], limit: Any, gamma: Any = 1, delta: Any = 0
) -> Fraction:
    """W(θ) = γX(θ) + β − δ·limit, X(θ) read off the curve."""
    acceptance = acceptance_at_error_rate(items, limit, interpolate=True)
    return exact(gamma) * acceptance + recognition_rate(items) - exact(delta) * exact(limit)
