"""Numbers that kernels and their callers share; this module needs no compiler."""

from __future__ import annotations

# How a kernel reads the bits of a confidence.
FLOAT, SIGNED, UNSIGNED = range(3)

# Areas under the precision, over the acceptance rate or over the recall. Trapezoids and steps come
# from the points alone; what has the mean over items, or an integral, in it looks inside the ties.
(
    PRECISION_TRAPEZOIDS,
    PRECISION_MEANS,
    PRECISION_INTEGRALS,
    RECALL_TRAPEZOIDS,
    RECALL_STEPS,
    RECALL_INTEGRALS,
) = range(6)
# The first of them, or the same of the risk, and RECALL_STEPS in one pass.
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

# Curves that a bootstrap band goes along.
ARAC, GENERALIZED_RC, RC, ARP, ROC = range(5)

# The bits of a unit of the bootstrap: it is correct, it is the first of its tie.
CORRECT, STARTS = 1, 2

# Which ties become points of a curve. The lowest one always does; EVERY is all of them.
EVERY = 0
CORNERS = 1  # the highest, and those where the direction of the ROC curve changes
TP_CHANGES = 2  # the highest, and those next to a change of tp
TP_CHANGES_ONLY = 3  # those next to a change of tp, counting from no item at all

# What x and y are at such a point.
RATES = 0  # fp / n, tp / p
PRECISION = 1  # tp / (tp + fp), tp / p
MISSES = 2  # fp / n, (positives - tp) / p
COUNTS = 3  # fp, tp, and beside them tn and fn
