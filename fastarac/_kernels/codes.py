"""Numeric codes that kernels and their callers share; this module does not import numba."""

from __future__ import annotations

# Types of confidences. Kernels read the bits of the confidences accordingly.
FLOAT, SIGNED, UNSIGNED = range(3)

# Areas under the precision: PRECISION_… over the acceptance rate, RECALL_… over the recall. Trapezoids
# and steps use only the points of the curve. Means and integrals also average over the order inside
# ties.
(
    PRECISION_TRAPEZOIDS,
    PRECISION_MEANS,
    PRECISION_INTEGRALS,
    RECALL_TRAPEZOIDS,
    RECALL_STEPS,
    RECALL_INTEGRALS,
) = range(6)
# Two areas in one pass: trapezoids under the precision or the risk, and RECALL_STEPS.
PRECISION_AND_STEPS, RISK_AND_STEPS = 6, 7
OF_ESTIMATOR = {
    "trapezoid": PRECISION_TRAPEZOIDS,
    "mean": PRECISION_MEANS,
    "exact": PRECISION_INTEGRALS,
}
OF_INTERPOLATION = {
    "linear": RECALL_TRAPEZOIDS,
    "step": RECALL_STEPS,
    "davis-goadrich": RECALL_INTEGRALS,
}

# Curves for which bootstrap bands can be computed.
ARAC, GENERALIZED_RC, RC, ARP, ROC = range(5)

# Bits in the code of a bootstrap unit: it is correct; it is the first unit of its tie.
CORRECT, STARTS = 1, 2

# Rules that choose which ties become points of a curve.
EVERY = 0
CORNERS = 1  # the lowest and the highest tie, and ties with other counts than the tie below
TP_CHANGES = 2  # the lowest and the highest tie, and ties with positives in them or in the tie below
TP_CHANGES_ONLY = 3  # the lowest tie, and ties with positives in them or in the tie below

# Coordinates x, y of the points of a curve. tp and fp are the true and false positives at the point, p
# and n are the numbers of positives and negatives.
RATES = 0  # fp / n, tp / p
PRECISION = 1  # tp / (tp + fp), tp / p
MISSES = 2  # fp / n, (p - tp) / p
COUNTS = 3  # fp, tp, and also tn and fn
