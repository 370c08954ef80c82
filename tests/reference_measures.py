"""Measures of tables, rankings and clusters by their definitions; nothing here comes from fastarac.

Values are `Fraction`, to `DIGITS` digits where there is a root or a logarithm; `INFINITE` and its
negative stand for x/0, and `None` for 0/0.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

DIGITS = 80
INFINITE = math.inf
Value = Any  # Fraction, an infinite float, or None

PI = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"


def rounded(value: Value) -> float:
    if value is None:
        return math.nan
    return value if isinstance(value, float) else value.numerator / value.denominator


def in_decimals(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def root(value: Value) -> Value:
    if value is None or value == INFINITE:
        return value
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(in_decimals(value).sqrt())


def logarithm(value: Value) -> Value:
    if value is None or value == INFINITE:
        return value
    if value == 0:
        return -INFINITE
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction(in_decimals(value).ln())


def ratio(part: Value, whole: Value) -> Value:
    if part is None or whole is None:
        return None
    if whole == 0:
        return None if part == 0 else (INFINITE if part > 0 else -INFINITE)
    return part / whole


def mean(*values: Value) -> Value:
    return None if None in values else sum(values) / len(values)


def plus(a: Value, b: Value, c: int = 0) -> Value:
    if a is None or b is None:
        return None
    return a + b + c


def f_beta(tp, fp, fn, beta) -> Value:
    square = Fraction(beta) ** 2
    return ratio((1 + square) * tp, (1 + square) * tp + square * fn + fp)


def confusion(tp, fp, fn, tn) -> dict[str, Value]:
    """All measures of one 2 × 2 table of numbers of any type (Tharwat 2020, sections 2.2 to 2.8)."""
    tp, fp, fn, tn = map(Fraction, (tp, fp, fn, tn))
    n = tp + fp + fn + tn
    tpr, tnr = ratio(tp, tp + fn), ratio(tn, fp + tn)
    fpr, fnr = ratio(fp, fp + tn), ratio(fn, tp + fn)
    ppv, npv = ratio(tp, tp + fp), ratio(tn, fn + tn)
    accuracy = ratio(tp + tn, n)
    chance = ratio((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), n * n)
    both = None if tpr is None or tnr is None else tpr * tnr
    gm = root(both)
    agm = None if gm is None else (gm + tnr * (fp + tn)) / (1 + fp + tn)
    if tpr == 0:
        agm = Fraction(0)
    power = plus(logarithm(ratio(tpr, fpr)), logarithm(ratio(tnr, fnr)))
    if power is not None and not isinstance(power, float):
        power = power * root(Fraction(3)) / Fraction(PI)
    unequal = None if both is None else ratio(abs(tpr - tnr), tpr + tnr)
    f2, inverse = f_beta(tp, fp, fn, 2), f_beta(tn, fn, fp, Fraction(1, 2))
    return {
        "accuracy": accuracy,
        "error_rate": ratio(fp + fn, n),
        "sensitivity": tpr,
        "specificity": tnr,
        "false_positive_rate": fpr,
        "false_negative_rate": fnr,
        "precision": ppv,
        "negative_predictive_value": npv,
        "false_discovery_rate": ratio(fp, tp + fp),
        "false_omission_rate": ratio(fn, fn + tn),
        "positive_likelihood_ratio": ratio(tpr, fpr),
        "negative_likelihood_ratio": ratio(fnr, tnr),
        "diagnostic_odds_ratio": ratio(tp * tn, fp * fn),
        "youden_index": plus(tpr, tnr, -1),
        "matthews_correlation": ratio(
            tp * tn - fp * fn, root((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        ),
        "discriminant_power": power,
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "adjusted_f": None if f2 is None or inverse is None else root(f2 * inverse),
        "markedness": plus(ppv, npv, -1),
        "balanced_accuracy": mean(tpr, tnr),
        "balanced_error_rate": mean(fpr, fnr),
        "geometric_mean": gm,
        "adjusted_geometric_mean": agm,
        "optimized_precision": None if unequal is None else accuracy - unequal,
        "jaccard": ratio(tp, tp + fp + fn),
        "prevalence": ratio(tp + fn, n),
        "kappa": None if chance is None else ratio(accuracy - chance, 1 - chance),
    }


# --- Rankings ------------------------------------------------------------------------------------


def precision_at(relevance: Sequence[int], k: int) -> Fraction:
    return Fraction(sum(relevance[:k]), k)


def recall_at(relevance: Sequence[int], k: int, n_relevant: int) -> Value:
    return ratio(Fraction(sum(relevance[:k])), Fraction(n_relevant))


def average_precision(relevance: Sequence[int], n_relevant: int) -> Value:
    total = sum(
        (precision_at(relevance, k) for k, r in enumerate(relevance, 1) if r), start=Fraction(0)
    )
    return ratio(total, Fraction(n_relevant))


def reciprocal_rank(relevance: Sequence[int]) -> Fraction:
    return next((Fraction(1, k) for k, r in enumerate(relevance, 1) if r), Fraction(0))


def discount(rank: int, kind: str) -> Fraction:
    """The discount: the number by which a gain is divided."""
    if kind == "jarvelin" and rank == 1:
        return Fraction(1)
    with localcontext() as context:
        context.prec = DIGITS
        argument = Decimal(rank if kind == "jarvelin" else rank + 1)
        return Fraction(argument.ln() / Decimal(2).ln())


def discounted_gain(gains: Sequence[Any], k: int, kind: str) -> Fraction:
    terms = (Fraction(gain) / discount(rank, kind) for rank, gain in enumerate(gains[:k], 1))
    return sum(terms, start=Fraction(0))


def normalized_gain(gains: Sequence[Any], judged: Sequence[Any], k: int, kind: str) -> Value:
    best = discounted_gain(sorted(judged, reverse=True), k, kind)
    return ratio(discounted_gain(gains, k, kind), best)


# --- Clusters ------------------------------------------------------------------------------------


def purity(counts: Sequence[Sequence[Any]]) -> Value:
    rows = [[Fraction(c) for c in row] for row in counts]
    return ratio(sum(map(max, rows), start=Fraction(0)), sum(map(sum, rows), start=Fraction(0)))


def inverse_purity(counts: Sequence[Sequence[Any]]) -> Value:
    return purity(list(zip(*counts, strict=True)))


def size_weighted_inverse_purity(counts: Sequence[Sequence[Any]]) -> Value:
    rows = [[Fraction(c) for c in row] for row in counts]
    columns = [sum(column) for column in zip(*rows, strict=True)]
    total = Fraction(0)
    for row in rows:
        if not sum(row):
            continue
        largest = max(size for c, size in zip(row, columns, strict=True) if c == max(row))
        total += sum(row) / largest * max(row)
    return ratio(total, sum(map(sum, rows), start=Fraction(0)))


def harmonic_mean(a: Value, b: Value) -> Value:
    return None if a is None or b is None else 2 / (1 / a + 1 / b)


def kappa(counts: Sequence[Sequence[Any]], weights: str | None) -> Value:
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    size = range(len(counts))
    table = [[Fraction(c) for c in row] for row in counts]
    n = sum(map(sum, table))
    first, second = [sum(row) for row in table], [sum(col) for col in zip(*table, strict=True)]
    cost = [[Fraction(abs(i - j) ** power if i != j else 0) for j in size] for i in size]
    observed = sum(cost[i][j] * table[i][j] for i in size for j in size)
    expected = sum(cost[i][j] * first[i] * second[j] for i in size for j in size)
    value = ratio(observed * n, expected)
    return None if value is None else 1 - value
