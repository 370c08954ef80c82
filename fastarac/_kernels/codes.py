"""Numeric codes that kernels and their callers share; this module does not import numba."""

from __future__ import annotations

# The type as which a kernel reads the bits of a confidence.
FLOAT, SIGNED, UNSIGNED = range(3)

# Areas under the precision, over the acceptance rate or the recall. Trapezoids and steps depend on the
# points only; means over items and integrals also depend on what happens inside the ties.
(
    PRECISION_TRAPEZOIDS,
    PRECISION_MEANS,
    PRECISION_INTEGRALS,
    RECALL_TRAPEZOIDS,
    RECALL_STEPS,
    RECALL_INTEGRALS,
) = range(6)
# PRECISION_TRAPEZOIDS (or its counterpart for the risk) and RECALL_STEPS in one pass.
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

# Curves with bootstrap bands.
ARAC, GENERALIZED_RC, RC, ARP, ROC = range(5)

# Bits in the code of a bootstrap unit: it is correct; it is the first of its tie.
CORRECT, STARTS = 1, 2

# Rules for which ties become points of a curve. The lowest tie always does.
EVERY = 0
CORNERS = 1  # the highest tie, and ties where the direction of the ROC curve changes
TP_CHANGES = 2  # the highest tie, and ties next to a change of tp
TP_CHANGES_ONLY = 3  # ties next to a change of tp, including the change from 0

# The meaning of x and y at such a point.
RATES = 0  # fp / n, tp / p
PRECISION = 1  # tp / (tp + fp), tp / p
MISSES = 2  # fp / n, (positives - tp) / p
COUNTS = 3  # fp, tp, and also tn and fn
