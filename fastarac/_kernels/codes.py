"""Numeric codes that kernels and their callers share; this module does not import numba."""

from __future__ import annotations

# Types of confidences, whose bits kernels read.
FLOAT, SIGNED, UNSIGNED = range(3)

# Areas under the precision, over the acceptance rate or the recall. Trapezoids and steps depend on
# the curve's points only; means over items and integrals also model the order inside ties.
(
    PRECISION_TRAPEZOIDS,
    PRECISION_MEANS,
    PRECISION_INTEGRALS,
    RECALL_TRAPEZOIDS,
    RECALL_STEPS,
    RECALL_INTEGRALS,
) = range(6)
# Two areas in one pass: PRECISION_TRAPEZOIDS (or the same of the risk), and RECALL_STEPS.
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

# Bits of a bootstrap unit's code: the unit is correct; the unit is the first of its tie.
CORRECT, STARTS = 1, 2

# Rules that choose the ties that become points of a curve. The lowest tie always becomes one.
EVERY = 0
CORNERS = 1  # also the highest tie, and ties where the ROC curve turns
TP_CHANGES = 2  # also the highest tie, and ties next to a change of tp
TP_CHANGES_ONLY = 3  # also ties next to a change of tp, including its change from 0

# Coordinates x and y of a curve's points; p positives, n negatives.
RATES = 0  # fp / n, tp / p
PRECISION = 1  # tp / (tp + fp), tp / p
MISSES = 2  # fp / n, (positives - tp) / p
COUNTS = 3  # fp, tp, and also tn and fn
