"""The definitions, evaluated for every possible order of n items at once; no code is fastarac's.

An order is a sequence of ties in decreasing confidence, each with numbers of correct and incorrect
items: all that (correct, confidence) says apart from the values of the confidences. There are 2, 7, 24,
82, … orders of 1, 2, 3, 4, … items, 129,904 of ten.

Each value is one quotient of two integers that doubles represent exactly, so it is the double nearest
to the exact value. Every number from 1 to 10, and so every possible count of items, divides `COMMON`.
Logarithms are integers in units of 10**-40. The tests compare these functions with `reference`.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

Array = np.ndarray
COMMON = 2520  # the least common multiple of 1 to 10
LARGEST = 10
UNIT = 10**40

with localcontext(prec=60):
    LOGARITHMS = np.array(
        [0] + [int((Decimal(k).ln() * UNIT).to_integral_value()) for k in range(1, LARGEST + 1)],
        dtype=object,
    )


def ties_of(n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every sequence of ties (correct, incorrect) with n items in all."""
    if n == 0:
        yield ()
    for size in range(1, n + 1):
        for correct in range(size + 1):
            for rest in ties_of(n - size):
                yield ((correct, size - correct), *rest)


class Orders(NamedTuple):
    """Counts at the points of all orders of n items; shorter orders repeat their last point."""

    n: int
    ties: tuple[tuple[tuple[int, int], ...], ...]
    t: Array
    """Correct items accepted, (orders, n + 1)."""
    f: Array
    """Incorrect items accepted, (orders, n + 1)."""
    a: Array
    """Both."""
    used: Array
    """Whether an order has such a point, (orders, n + 1)."""

    @property
    def p(self) -> Array:
        """Number of correct items, of shape (orders, 1)."""
        return self.t[:, -1:]

    @property
    def q(self) -> Array:
        """Number of incorrect items, of shape (orders, 1)."""
        return self.f[:, -1:]

    @property
    def last(self) -> Array:
        """Index of the last point."""
        return self.used.sum(axis=1) - 1

    def threshold(self, index: Array) -> Array:
        """Confidence of a point: see `confidences`."""
        return np.where(index == 0, np.inf, 1 - index / 16)

    def take(self, rows: Any) -> Orders:
        """Some of the orders."""
        ties = tuple(np.array(self.ties, dtype=object)[rows])
        return Orders(self.n, ties, *(counts[rows] for counts in self[2:]))


def confidences(n_ties: int) -> Array:
    """A confidence for each tie: 15/16, 14/16, …"""
    return 1 - np.arange(1, n_ties + 1) / 16


@cache
def orders(n: int) -> Orders:
    """All orders of n items."""
    ties = tuple(ties_of(n))
    steps = np.zeros((len(ties), n + 1, 2), np.int64)
    used = np.zeros((len(ties), n + 1), bool)
    used[:, 0] = True
    for row, order in enumerate(ties):
        steps[row, 1 : len(order) + 1] = order
        used[row, 1 : len(order) + 1] = True
    t, f = np.moveaxis(steps.cumsum(axis=1), 2, 0)
    return Orders(n, ties, t, f, t + f, used)


def quotient(numerator: Any, denominator: Any) -> Array:
    """Quotient of two integers; NaN if the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    if numerator.dtype == object:
        pairs = zip(numerator.ravel(), denominator.ravel(), strict=True)
        values = [int(x) / int(y) if y else np.nan for x, y in pairs]
        return np.array(values, dtype=float).reshape(numerator.shape)
    assert max(np.abs(numerator).max(), np.abs(denominator).max()) < 1 << 53
    return np.divide(
        numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0
    )


def shares(o: Orders, counts: Array) -> Array:
    """Counts over accepted items, times `COMMON`; the first point, 0/0, repeats the second."""
    values = np.zeros_like(counts)
    values[:, 1:] = counts[:, 1:] * COMMON // o.a[:, 1:]
    values[:, 0] = values[:, 1]
    return values


# --- Columns over the points -------------------------------------------------------------------

RATES: dict[str, Callable[[Orders], Array]] = {
    "true_accepts": lambda o: quotient(o.t, 1),
    "false_accepts": lambda o: quotient(o.f, 1),
    "false_rejects": lambda o: quotient(o.p - o.t, 1),
    "true_rejects": lambda o: quotient(o.q - o.f, 1),
    "acceptance_rate": lambda o: quotient(o.a, o.n),
    "verification_rate": lambda o: quotient(o.n - o.a, o.n),
    "correction_rate": lambda o: quotient(o.q - o.f, o.n),
    "error_rate": lambda o: quotient(o.f, o.n),
    "accuracy_after_correction": lambda o: quotient(o.n - o.f, o.n),
    "risk": lambda o: quotient(shares(o, o.f), COMMON),
    "precision": lambda o: quotient(shares(o, o.t), COMMON),
    "recall": lambda o: quotient(o.t, o.p),
    "false_positive_rate": lambda o: quotient(o.f, o.q),
}


# --- Areas -------------------------------------------------------------------------------------


class Ratio(NamedTuple):
    """An area as integers: numerator over denominator, (orders,) each."""

    numerator: Array
    denominator: Array

    def rounded(self) -> Array:
        return quotient(*self)

    def times(self, denominator: int) -> Array:
        """The numerator over another denominator, a multiple of the present one."""
        return self.numerator.astype(object) * (denominator // self.denominator.astype(object))


def trapezoids(x: Array, y: Array) -> Array:
    """Twice the area under straight lines between the points."""
    return (np.diff(x) * (y[:, 1:] + y[:, :-1])).sum(axis=1)


def arac_auc(o: Orders) -> Ratio:
    """∫ Y dX."""
    return Ratio(trapezoids(o.a, o.n - o.f), np.full(len(o.t), 2 * o.n**2))


def augrc(o: Orders) -> Ratio:
    """∫ R_E dX."""
    return Ratio(trapezoids(o.a, o.f), np.full(len(o.t), 2 * o.n**2))


def roc_auc(o: Orders) -> Ratio:
    """∫ TPR dFPR."""
    return Ratio(trapezoids(o.f, o.t), 2 * (o.p * o.q)[:, 0])


def with_logarithms(o: Orders, whole: Array, factors: Array) -> Array:
    """Σ whole + Σ factors·ln(accepted after the tie / accepted before it), in units of 10**-40.

    Both arguments are integers for each tie, (orders, n).
    """
    rows = np.broadcast_to(np.arange(len(o.t))[:, None], factors.shape)
    table = np.zeros((len(o.t), LARGEST + 1), np.int64)
    np.add.at(table, (rows, o.a[:, 1:]), factors)
    np.subtract.at(table, (rows, o.a[:, :-1]), factors)
    return whole.sum(axis=1).astype(object) * UNIT + table.astype(object) @ LOGARITHMS


def tie_steps(o: Orders) -> tuple[Array, ...]:
    """Of each tie: correct items, items (1 where there is no tie), and both accepted before it."""
    p, g = np.diff(o.t), np.diff(o.a)
    return p, np.maximum(g, 1), o.t[:, :-1], o.a[:, :-1]


def precision_area(o: Orders, estimator: str, *, of_risk: bool = False) -> Ratio:
    """∫ precision dX, or ∫ risk dX, by one of three estimators."""
    if of_risk:
        o = o._replace(t=o.f, f=o.t)
    p, g, t0, n0 = tie_steps(o)
    ones = np.ones(len(o.t), np.int64)
    if estimator == "trapezoid":
        return Ratio(trapezoids(o.a, shares(o, o.t)), ones * (2 * o.n * COMMON))
    if estimator == "exact":
        factors = (t0 * g - p * n0) * (COMMON // g)
        area = with_logarithms(o, p * COMMON, factors)
        return Ratio(area, ones.astype(object) * (o.n * COMMON * UNIT))
    area = np.zeros(len(o.t), np.int64)
    for j in range(1, o.n + 1):  # the j-th item of each tie
        expected = t0 * COMMON + j * p * (COMMON // g)
        area += np.where(j <= np.diff(o.a), expected * COMMON // (n0 + j), 0).sum(axis=1)
    return Ratio(area, ones * (o.n * COMMON**2))


def perfect(o: Orders) -> Orders:
    """The best order of the items of each order: all correct ones first, no ties."""
    a = np.broadcast_to(np.arange(o.n + 1), o.t.shape)
    t = np.minimum(a, o.p)
    return Orders(o.n, (), t, a - t, a, np.ones_like(o.used))


def best_aurc(o: Orders, estimator: str, optimum: str) -> Ratio:
    """AURC of the best order, or π + (1 − π)·ln(1 − π)."""
    if optimum == "finite":
        return precision_area(perfect(o), estimator, of_risk=True)
    correct = o.p[:, 0]
    logarithm = (LOGARITHMS[correct] - LOGARITHMS[o.n]) * correct
    value = (o.n - correct).astype(object) * UNIT + logarithm
    return Ratio(value, np.full(len(o.t), o.n * UNIT, dtype=object))


def excess_aurc(o: Orders, estimator: str, optimum: str = "finite") -> Ratio:
    """AURC − AURC of the best order."""
    aurc, best = precision_area(o, estimator, of_risk=True), best_aurc(o, estimator, optimum)
    denominator = 2 * o.n * COMMON**2 * UNIT
    excess = aurc.times(denominator) - best.times(denominator)
    return Ratio(excess, np.full(len(o.t), denominator, dtype=object))


def normalized_aurc(o: Orders, estimator: str, optimum: str = "finite") -> Ratio:
    """(AURC − AURC*)/(π − AURC*), undefined with one class."""
    denominator = 2 * o.n * COMMON**2 * UNIT
    error_rate = o.q[:, 0].astype(object) * (denominator // o.n)
    rest = error_rate - best_aurc(o, estimator, optimum).times(denominator)
    one_class = (o.p * o.q)[:, 0] == 0
    excess = excess_aurc(o, estimator, optimum).numerator
    return Ratio(excess, np.where(one_class, 0, rest))


def decomposed(o: Orders, area: Ratio, gamma: Fraction) -> tuple[Array, ...]:
    """auc, A_U = A − β, A_L = β, A' = γ·A_U/(1 − β) + A_L, A'' = A'/(γ + 1), and γ."""
    correct, incorrect = o.p[:, 0], o.q[:, 0]
    top, bottom = gamma.as_integer_ratio()
    unit = area.denominator // o.n
    upper = area.numerator - correct * unit
    improved = top * o.n * upper + bottom * unit * correct * incorrect
    improved = np.where(incorrect == 0, top + bottom, improved)
    parts = np.where(incorrect == 0, bottom, bottom * incorrect * area.denominator)
    return (
        area.rounded(),
        quotient(upper, area.denominator),
        quotient(correct, o.n),
        quotient(improved, parts),
        quotient(improved * bottom, parts * (top + bottom)),
        np.full(len(o.t), float(gamma)),
    )


def integral_between(x: Array, y: Array, low: Array, high: Array) -> Array:
    """∫ y dx along the points for low <= x <= high, these in eighths; times 128·`COMMON`."""
    x = 8 * x
    left, right = np.maximum(x[:, :-1], low), np.minimum(x[:, 1:], high)
    width, step = np.maximum(right - left, 0), np.maximum(np.diff(x), 8)
    middle = left + right - 2 * x[:, :-1]  # twice the way into the tie
    height = y[:, :-1] * (16 * COMMON) + np.diff(y) * middle * (8 * COMMON // step)
    return (width * height).sum(axis=1)


def arac_partial_by_acceptance(o: Orders, low: int, high: int) -> Array:
    """Mean of Y over low <= 8·X <= high."""
    area = integral_between(o.a, o.n - o.f, np.array([[low * o.n]]), np.array([[high * o.n]]))
    return quotient(area, 16 * COMMON * (high - low) * o.n**2)


def arac_partial_by_error_rate(o: Orders, limit: int) -> Array:
    """Mean over the allowed error rates 0 to limit/8 of the largest acceptance rate."""
    area = integral_between(o.f, o.a, np.array([[0]]), np.array([[limit * o.n]]))
    beyond = np.maximum(limit * o.n - 8 * o.q[:, 0], 0) * (16 * COMMON * o.n)
    return quotient(area + beyond, 16 * COMMON * limit * o.n**2)


def roc_partial(o: Orders, axis: str, low: int, high: int, standardize: str | None) -> Array:
    """∫ TPR dFPR over low <= 8·FPR <= high, or ∫ (1 − FPR) dTPR; McClish: undefined below chance.

    "max_fpr" is McClish's formula without that exception.
    """
    p, q = o.p, o.q
    if axis == "fpr":
        area = integral_between(o.f, o.t, low * q, high * q)
        chance = high**2 - low**2
    else:
        area = integral_between(o.t, q - o.f, low * p, high * p)
        chance = 16 * (high - low) - (high**2 - low**2)
    whole = (p * q)[:, 0] * COMMON  # the area is in units of 128 times that, chance of 128
    if standardize is None:
        return quotient(area, 128 * whole)
    room = 16 * (high - low) - chance
    value = quotient(area - chance * whole + room * whole, 2 * room * whole)
    if standardize == "mcclish":
        value[area < chance * whole] = np.nan
    return value


# --- Precision and recall ----------------------------------------------------------------------


def pr_auc(o: Orders, interpolation: str, undefined: float = np.nan) -> Array:
    """Area under precision over recall."""
    precision, correct = shares(o, o.t), o.p[:, 0]
    p, g, t0, n0 = tie_steps(o)
    if interpolation == "step":
        value = quotient((p * precision[:, 1:]).sum(axis=1), COMMON * correct)
    elif interpolation == "linear":
        precision[:, 0] = COMMON
        value = quotient(trapezoids(o.t, precision), 2 * COMMON * correct)
    else:
        whole = p * p * (COMMON // g) * COMMON
        factors = p * (t0 * g - p * n0) * (COMMON // g) ** 2
        area = with_logarithms(o, whole, factors)
        value = quotient(area, correct.astype(object) * (COMMON**2 * UNIT))
    value[correct == 0] = undefined
    return value


def interpolated_precision(o: Orders, steps: int) -> Array:
    """Largest precision at recall >= i/steps, for i from 0 on, times `COMMON`; (orders, steps + 1)."""
    precision = shares(o, o.t)
    precision[:, 0] = 0
    levels = np.arange(steps + 1)[None, :, None] * o.p[:, :, None]
    return np.where(steps * o.t[:, None, :] >= levels, precision[:, None, :], 0).max(axis=2)


def at(counts: Array, index: Array) -> Array:
    return np.take_along_axis(counts, index[:, None], axis=1)[:, 0]


def break_even_point(o: Orders) -> tuple[Array, Array]:
    """Precision where as many are accepted as are correct, ties in random order; its threshold."""
    correct = o.p[:, 0]
    index = np.maximum((o.a >= o.p).argmax(axis=1), 1)
    t0, t, n0, n1 = at(o.t, index - 1), at(o.t, index), at(o.a, index - 1), at(o.a, index)
    value = quotient(t0 * (n1 - n0) + (correct - n0) * (t - t0), (n1 - n0) * correct)
    return value, np.where(correct == 0, np.nan, o.threshold(index))


def equal_error_rate(o: Orders) -> tuple[Array, Array]:
    """FPR where FPR + TPR = 1 on straight lines between the points; its threshold."""
    both, one = o.f * o.p + o.t * o.q, (o.p * o.q)[:, 0]
    index = np.maximum((both >= one[:, None]).argmax(axis=1), 1)
    before, after = at(both, index - 1), at(both, index)
    f0, f1 = at(o.f, index - 1), at(o.f, index)
    value = quotient(f0 * (after - before) + (one - before) * (f1 - f0), (after - before) * o.q[:, 0])
    undefined = one == 0
    value[undefined] = np.nan
    return value, np.where(undefined, np.nan, o.threshold(index))


# --- Operating points --------------------------------------------------------------------------


class Choice(NamedTuple):
    """A point, or the part top/bottom of the tie that follows it."""

    index: Array
    top: Array
    bottom: Array


def choose(o: Orders, criterion: str, limit: Fraction, *, interpolate: bool) -> Choice:
    """Return the point that a limit determines."""
    top, bottom = limit.as_integer_ratio()
    if criterion == "max_error_rate":
        slack = top * o.n - bottom * o.f
    elif criterion == "max_risk":
        slack = top * o.a - bottom * o.f
        slack[:, 0] = 0
    else:
        slack = bottom * o.a - top * o.n
    n_points = o.t.shape[1]
    if criterion == "min_acceptance_rate":
        index = (slack >= 0).argmax(axis=1)
        inside = (at(slack, index) > 0) & (index > 0)
        index = index - (inside & interpolate)
        rest = -at(slack, index)
    else:
        index = np.minimum(n_points - 1 - (slack >= 0)[:, ::-1].argmax(axis=1), o.last)
        inside = (at(slack, index) > 0) & (index < o.last)
        rest = at(slack, index)
    following = np.minimum(index + 1, n_points - 1)
    width = np.abs(at(slack, following) - at(slack, index))
    inside = inside & interpolate
    return Choice(index, np.where(inside, rest, 0), np.where(inside, width, 1))


POINT = (
    "threshold",
    "true_accepts",
    "false_accepts",
    "false_rejects",
    "true_rejects",
    "acceptance_rate",
    "verification_rate",
    "correction_rate",
    "error_rate",
    "accuracy_after_correction",
    "risk",
    "precision",
    "recall",
    "false_positive_rate",
    "tie_acceptance",
)


def operating_point(o: Orders, choice: Choice) -> tuple[Array, ...]:
    """All values of an operating point, in the order of `POINT`."""
    index, top, bottom = choice
    following = np.minimum(index + 1, o.t.shape[1] - 1)
    t, f = (
        at(counts, index) * bottom + (at(counts, following) - at(counts, index)) * top
        for counts in (o.t, o.f)
    )
    n, p, q = o.n * bottom, o.p[:, 0] * bottom, o.q[:, 0] * bottom
    first_t, first_f = o.t[:, 1], o.f[:, 1]
    nothing = t + f == 0
    t_or_first, f_or_first = np.where(nothing, first_t, t), np.where(nothing, first_f, f)
    return (
        o.threshold(np.where(top > 0, following, index)),
        quotient(t, bottom),
        quotient(f, bottom),
        quotient(p - t, bottom),
        quotient(q - f, bottom),
        quotient(t + f, n),
        quotient(n - t - f, n),
        quotient(q - f, n),
        quotient(f, n),
        quotient(n - f, n),
        quotient(f_or_first, t_or_first + f_or_first),
        quotient(t_or_first, t_or_first + f_or_first),
        quotient(t, p),
        quotient(f, q),
        np.where(top > 0, quotient(top, bottom), 1.0),
    )


# --- The points that scikit-learn keeps --------------------------------------------------------


def kept(o: Orders, rule: str) -> Array:
    """Mask of the points that a curve keeps, (orders, n + 1); the first point is always kept.

    "corners": the first tie, the last, and those whose counts of correct or of incorrect items
    differ from those of the next tie. "recall": the first tie, the last, and those that change the
    recall or come before such a one. "misses": the same, but for the first, which is as the others.
    """
    dt, df = np.diff(o.t), np.diff(o.f)
    if rule == "corners":
        keep = (dt[:, :-1] != dt[:, 1:]) | (df[:, :-1] != df[:, 1:])
    else:
        keep = (dt[:, :-1] > 0) | (dt[:, 1:] > 0)
    point = np.arange(1, o.n)
    inner = (point >= (1 if rule == "misses" else 2)) & (point < o.last[:, None])
    result = o.used.copy()
    result[:, 1:-1] &= keep | ~inner
    return result
