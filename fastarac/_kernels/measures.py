"""The formulas of all measures of confusion tables.

Each formula has its own loop without branches, so that the processor can compute several tables at
once. 0/0 gives NaN, and x/0 gives an infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.double_double import add, multiply

BLOCK = 1024  # Number of tables in a block, whose cells stay in the cache.

# Rows of the array that holds the cells of a block of tables, and sums of cells.
N_ROWS = 11
TP, FP, FN, TN, POSITIVES, NEGATIVES, RIGHT, WRONG, DETERMINANT, RAW_TN, RAW_NEGATIVES = range(N_ROWS)

# Numbers of the measures, in the order of `measures._tables.NAMES`, then the F-measure for any β.
(
    ACCURACY,
    ERROR_RATE,
    SENSITIVITY,
    SPECIFICITY,
    FALSE_POSITIVE_RATE,
    FALSE_NEGATIVE_RATE,
    PRECISION,
    NEGATIVE_PREDICTIVE_VALUE,
    FALSE_DISCOVERY_RATE,
    FALSE_OMISSION_RATE,
    POSITIVE_LIKELIHOOD_RATIO,
    NEGATIVE_LIKELIHOOD_RATIO,
    DIAGNOSTIC_ODDS_RATIO,
    YOUDEN_INDEX,
    MATTHEWS_CORRELATION,
    DISCRIMINANT_POWER,
    F1,
    ADJUSTED_F,
    MARKEDNESS,
    BALANCED_ACCURACY,
    BALANCED_ERROR_RATE,
    GEOMETRIC_MEAN,
    ADJUSTED_GEOMETRIC_MEAN,
    OPTIMIZED_PRECISION,
    JACCARD,
    PREVALENCE,
    KAPPA,
    F_BETA,
) = range(28)

# For each measure of the form a/(a + b), the rows that hold a and b. For other measures, both entries
# are 0.
SHARES = np.zeros((F_BETA + 1, 2), np.int64)
SHARES[ACCURACY] = RIGHT, WRONG
SHARES[ERROR_RATE] = WRONG, RIGHT
SHARES[SENSITIVITY] = TP, FN
SHARES[SPECIFICITY] = TN, FP
SHARES[FALSE_POSITIVE_RATE] = FP, TN
SHARES[FALSE_NEGATIVE_RATE] = FN, TP
SHARES[PRECISION] = TP, FP
SHARES[NEGATIVE_PREDICTIVE_VALUE] = TN, FN
SHARES[FALSE_DISCOVERY_RATE] = FP, TP
SHARES[FALSE_OMISSION_RATE] = FN, TN
SHARES[PREVALENCE] = POSITIVES, NEGATIVES

SQRT_HALF_BITS = int(np.float64(0.5**0.5).view(np.int64))
FRACTION_BITS = 52
LN_2 = float(np.log(2.0))
# √3/π: the discriminant power is √3/π times the logarithm of the odds ratio.
POWER_OF_E = 3.0**0.5 / np.pi


@kernel
def load(tables: Any, scale: Array, determinants: Array, exact: bool, start: int, rows: Array) -> None:
    """Write into `rows` the cells, as floats, and the common sums of the tables from `start` on."""
    n = rows.shape[1]
    tp, fp, fn, tn = rows[TP], rows[FP], rows[FN], rows[TN]
    first, second = tables[0][start : start + n], tables[1][start : start + n]
    for i in range(n):
        tp[i] = first[i]
    for i in range(n):
        fp[i] = second[i]
    if len(tables[3]) == 0:
        all_positives, all_negatives = tables[2][0], tables[2][1]
        for i in range(n):
            fn[i] = all_positives - first[i]
        for i in range(n):
            tn[i] = all_negatives - second[i]
    else:
        third, fourth = tables[2][start : start + n], tables[3][start : start + n]
        for i in range(n):
            fn[i] = third[i]
        for i in range(n):
            tn[i] = fourth[i]
    raw_tn, raw_negatives = rows[RAW_TN], rows[RAW_NEGATIVES]
    for i in range(n):
        raw_tn[i] = tn[i]
        raw_negatives[i] = fp[i] + tn[i]
    if len(scale) == 1:
        factor = scale[0]
        for cells in (tp, fp, fn, tn):
            for i in range(n):
                cells[i] *= factor
    elif len(scale):
        factors = scale[start : start + n]
        for cells in (tp, fp, fn, tn):
            for i in range(n):
                cells[i] *= factors[i]
    add_rows(tp, fn, rows[POSITIVES])
    add_rows(fp, tn, rows[NEGATIVES])
    add_rows(tp, tn, rows[RIGHT])
    add_rows(fp, fn, rows[WRONG])
    determinant = rows[DETERMINANT]
    if len(determinants):
        given = determinants[start : start + n]
        for i in range(n):
            determinant[i] = given[i]
    elif exact:
        for i in range(n):
            determinant[i] = tp[i] * tn[i] - fp[i] * fn[i]
    else:  # the products are exact, and their difference is rounded once
        for i in range(n):
            p, p_error = multiply(tp[i], 0.0, tn[i], 0.0)
            q, q_error = multiply(fp[i], 0.0, fn[i], 0.0)
            high, _ = add(p, p_error, -q, -q_error)
            determinant[i] = high


@kernel
def add_rows(a: Array, b: Array, out: Array) -> None:
    """Write the sums of two rows."""
    for i in range(len(out)):
        out[i] = a[i] + b[i]


@kernel
def evaluate(measure: int, rows: Array, f_weights: Array, out: Array) -> None:
    """Write one measure of a block of tables."""
    n = len(out)
    tp, fp, fn, tn = rows[TP], rows[FP], rows[FN], rows[TN]
    positives, negatives, determinant = rows[POSITIVES], rows[NEGATIVES], rows[DETERMINANT]
    if SHARES[measure, 0] != SHARES[measure, 1]:
        part, other = rows[SHARES[measure, 0]], rows[SHARES[measure, 1]]
        for i in range(n):
            out[i] = part[i] / (part[i] + other[i])
    elif measure == POSITIVE_LIKELIHOOD_RATIO:
        for i in range(n):
            out[i] = tp[i] * negatives[i] / (fp[i] * positives[i])
    elif measure == NEGATIVE_LIKELIHOOD_RATIO:
        for i in range(n):
            out[i] = fn[i] * negatives[i] / (tn[i] * positives[i])
    elif measure == DIAGNOSTIC_ODDS_RATIO:
        for i in range(n):
            out[i] = tp[i] * tn[i] / (fp[i] * fn[i])
    elif measure == YOUDEN_INDEX:
        for i in range(n):
            out[i] = determinant[i] / (positives[i] * negatives[i])
    elif measure == MATTHEWS_CORRELATION:
        for i in range(n):
            a = np.sqrt((tp[i] + fp[i]) * positives[i])
            b = np.sqrt((fn[i] + tn[i]) * negatives[i])
            out[i] = determinant[i] / (a * b)
    elif measure == DISCRIMINANT_POWER:
        for i in range(n):
            out[i] = discriminant_power(tp[i] * tn[i], fp[i] * fn[i], determinant[i])
    elif measure == ADJUSTED_F:
        # F2 and, with the classes exchanged, F0.5: both weigh FP by 0.2 and FN by 0.8.
        for i in range(n):
            wrong = 0.2 * fp[i] + 0.8 * fn[i]
            out[i] = np.sqrt(tp[i] * tn[i] / ((tp[i] + wrong) * (tn[i] + wrong)))
    elif measure == MARKEDNESS:
        for i in range(n):
            out[i] = determinant[i] / ((tp[i] + fp[i]) * (fn[i] + tn[i]))
    elif measure == BALANCED_ACCURACY:
        for i in range(n):
            both = tp[i] * negatives[i] + tn[i] * positives[i]
            out[i] = both / (2.0 * positives[i] * negatives[i])
    elif measure == BALANCED_ERROR_RATE:
        for i in range(n):
            both = fn[i] * negatives[i] + fp[i] * positives[i]
            out[i] = both / (2.0 * positives[i] * negatives[i])
    elif measure == GEOMETRIC_MEAN:
        for i in range(n):
            out[i] = np.sqrt(tp[i] * tn[i] / (positives[i] * negatives[i]))
    elif measure == ADJUSTED_GEOMETRIC_MEAN:  # TNR·(FP + TN) is written as TN, which it equals
        raw_tn, raw_negatives = rows[RAW_TN], rows[RAW_NEGATIVES]
        for i in range(n):
            mean = np.sqrt(tp[i] * tn[i] / (positives[i] * negatives[i]))
            adjusted = (mean + raw_tn[i]) / (1.0 + raw_negatives[i])
            none_found = 0.0 if positives[i] > 0.0 else np.nan
            out[i] = adjusted if tp[i] > 0.0 else none_found
    elif measure == OPTIMIZED_PRECISION:
        # This is |TPR − TNR|/(TPR + TNR). Numerator and denominator are multiplied by both class sizes,
        # so that equal rates give exactly 0.
        for i in range(n):
            upper, lower = tp[i] * fp[i], tn[i] * fn[i]
            imbalance = abs(upper - lower) / (2.0 * tp[i] * tn[i] + upper + lower)
            out[i] = (tp[i] + tn[i]) / (positives[i] + negatives[i]) - imbalance
    elif measure == KAPPA:
        for i in range(n):
            accepted, rejected = tp[i] + fp[i], fn[i] + tn[i]
            chance = accepted * negatives[i] + positives[i] * rejected
            out[i] = 2.0 * determinant[i] / chance
    else:
        to_fp, to_fn = f_weights[0], f_weights[1]
        if measure == F1:
            to_fp, to_fn = 0.5, 0.5
        elif measure == JACCARD:
            to_fp, to_fn = 1.0, 1.0
        for i in range(n):
            out[i] = tp[i] / (tp[i] + to_fp * fp[i] + to_fn * fn[i])


@kernel
def discriminant_power(right: float, wrong: float, difference: float) -> float:
    """Return √3/π · ln(right/wrong), given `difference` = right − wrong at full precision."""
    ratio = right / wrong
    bits = np.float64(ratio).view(np.int64)
    exponent = (bits - SQRT_HALF_BITS) >> FRACTION_BITS
    mantissa = np.int64(bits - (exponent << FRACTION_BITS)).view(np.float64)  # in [√½, √2)
    # For a mantissa m, ln m = 2 artanh((m − 1)/(m + 1)). If the exponent is 0, m is right/wrong, and m
    # − 1 is known at full precision from `difference`.
    above = difference if exponent == 0 else mantissa - 1.0
    below = right + wrong if exponent == 0 else mantissa + 1.0
    s = above / below
    z = s * s
    series = 1 / 17 + z * (1 / 19)
    series = 1 / 13 + z * (1 / 15 + z * series)
    series = 1 / 9 + z * (1 / 11 + z * series)
    series = 1 / 5 + z * (1 / 7 + z * series)
    series = 1.0 + z * (1 / 3 + z * series)
    power = POWER_OF_E * (np.float64(exponent) * LN_2 + 2.0 * s * series)
    power = power if ratio > 0.0 else -np.inf
    return power if ratio < np.inf else ratio


@kernel
def reaches(values: Array, sign: float, least: float) -> bool:
    """Return whether any value times `sign` is at least `least`."""
    count = 0
    for i in range(len(values)):
        count += sign * values[i] >= least
    return count > 0


@kernel
def largest(values: Array, sign: float) -> float:
    """Return the largest value times `sign`, ignoring NaN; four values at a time, for speed."""
    a = b = c = d = -np.inf
    fours = len(values) // 4
    for i in range(fours):
        w, x, y, z = values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]
        a = max_of(a, sign * w)
        b = max_of(b, sign * x)
        c = max_of(c, sign * y)
        d = max_of(d, sign * z)
    for i in range(4 * fours, len(values)):
        a = max_of(a, sign * values[i])
    return max_of(max_of(a, b), max_of(c, d))


@kernel
def max_of(a: float, b: float) -> float:
    """Return the larger of a and b; a if b is NaN."""
    return b if b > a else a  # noqa: FURB136 - because of NaN


@kernel
def measure_tables(
    of_tables: Any, measures: Array, f_weights: Array, out: Array, first: int, found: Any
) -> None:
    """Evaluate measures of tables: write all values, or find the best value of each measure.

    Parameters
    ----------
    of_tables
        A tuple (tables, scale, determinants, exact). `tables` holds the cells TP, FP, FN and TN. If all
        tables have the same number of positives, and the same number of negatives, it may instead hold
        TP, FP, these two numbers, and an empty array. `scale` holds powers of two by which the cells
        are multiplied: one per table, one for all tables, or none. `determinants` holds TP·TN − FP·FN
        of each table, or nothing if floats can compute it. `exact` says whether floats hold the
        products without rounding.
    measures
        The numbers of the measures.
    f_weights
        The weights of false positives and false negatives in the F-measure.
    out
        A row for each measure, written from column `first` on. If `out` has no rows, the best values
        are searched instead.
    first
        The number of the first table.
    found
        A tuple (signs, best, positions), each with one entry per measure. The sign is −1 if smaller
        values are better, else 1. A search updates `best`, the best value times the sign, and
        `positions`, the number of the last table that has the best value.
    """
    (tables, scale, determinants, exact), (signs, best, positions) = of_tables, found
    size = len(tables[0])
    all_rows = np.empty(N_ROWS * BLOCK)
    scratch = np.empty(BLOCK)
    for start in range(0, size, BLOCK):
        n = min(BLOCK, size - start)
        rows = all_rows[: N_ROWS * n].reshape((N_ROWS, n))
        load(tables, scale, determinants, exact, start, rows)
        for k in range(len(measures)):
            if len(out):
                evaluate(measures[k], rows, f_weights, out[k, first + start : first + start + n])
                continue
            values = scratch[:n]
            evaluate(measures[k], rows, f_weights, values)
            if reaches(values, signs[k], best[k]):
                best[k] = largest(values, signs[k])
                i = n - 1
                while signs[k] * values[i] != best[k]:
                    i -= 1
                positions[k] = first + start + i
