"""Checks for confidences that do not order the items, because they are reversed or all equal."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.exceptions import warn_questionable
from fastarac._core.text import area, few_of, plural
from fastarac._engine.factors import n_groups, read_factors
from fastarac._engine.inputs import vector
from fastarac._engine.pairs import value_of_pairs
from fastarac.samples.door import as_ranked
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

REVERSED = 0.45  # ROC-AUC below which confidences may be reversed.
CHANCE = 3.0  # Number of standard deviations by which the ROC-AUC may deviate from ½ by chance.
LISTED = 3  # Maximum number of groups that a message names.
FEWEST = 50  # Smallest number of items for a warning; examples often have fewer.


def is_reversed(roc_auc: float, correct: float, incorrect: float, chance: float = CHANCE) -> bool:
    """Return whether the ROC-AUC is further below ½ than chance explains (Mann and Whitney 1947)."""
    if not roc_auc < REVERSED or correct + incorrect < FEWEST:  # `not … <` is true for NaN, too
        return False
    deviation = math.sqrt((correct + incorrect + 1) / (12 * correct * incorrect))
    return 0.5 - roc_auc > chance * deviation


def reversed_confidence(roc_auc: float, of: str = "", among: str = "") -> str:
    """Return a message (without a final period) that a confidence is reversed, with advice."""
    return (
        f"the confidence{of} seems reversed: correct items tend to have lower confidence{among} "
        f"(ROC-AUC = {area(roc_auc)}). If lower values mean surer outputs, negate them; if the label "
        "1 means an error, exchange the labels 0 and 1"
    )


def constant_confidence(n: float, of: str = "", among: str = "") -> str:
    """Return a message (without a final period) that all items have the same confidence."""
    return (
        f"the confidence{of} is the same for all {n:,.12g} items{among}: no threshold can separate them"
    )


def question_labels(correct: float, n: float) -> None:
    """Warn if no item is correct."""
    if not correct and n >= FEWEST:
        warn_questionable(
            f"none of the {n:,.12g} items is correct: the labels may be reversed (1 must mean "
            "correct), or may come from the wrong column"
        )


def are_alike(items: ArrayLike | ThresholdSweep) -> bool:
    """Return whether all confidences, given as items or as a sweep, are equal."""
    if isinstance(items, ThresholdSweep):
        return len(items.thresholds) == 2
    values = vector(items, "confidence")
    return bool((values == values[0]).all())


def question_sweep(sweep: ThresholdSweep, groups: Any = None, of: str = "") -> None:
    """Warn as :func:`question_order` does for the items of a sweep, unless they are weighted."""
    if sweep.false_accepts.dtype != np.int64:
        return
    pairs = as_ranked(sweep).pairs
    roc_auc = value_of_pairs("roc_auc", pairs)
    if roc_auc > 0.5:
        return
    n = int(sweep.total)
    independent = None if groups is None else n_groups(read_factors(groups, n)[0])
    question_order(roc_auc, int(pairs.correct), int(pairs.incorrect), sweep, independent, of)


def question_order(
    roc_auc: float,
    correct: float,
    incorrect: float,
    items: ArrayLike | ThresholdSweep,
    independent: int | None = None,
    of: str = "",
) -> None:
    """Warn if a confidence is reversed by more than chance explains, or equal for all items.

    For dependent items, `independent` is the number of independent groups.
    """
    n = correct + incorrect
    scale = 1.0 if independent is None else min(1.0, independent / n)
    if is_reversed(roc_auc, correct * scale, incorrect * scale):
        warn_questionable(reversed_confidence(roc_auc, of))
    elif roc_auc == 0.5 and n >= FEWEST and are_alike(items):
        warn_questionable(constant_confidence(n, of))


def question_groups(labels: NDArray[Any], pairs: NDArray[Any], independent: float = 1.0) -> None:
    """Warn once about all groups whose confidence is reversed by more than chance explains.

    `pairs` holds the :class:`.PairCounts` of each group. `independent` is the number of independent
    items divided by the number of all items.
    """
    correct, incorrect, doubled = pairs.T.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        areas = doubled / (2.0 * correct * incorrect)
        deviation = np.sqrt((correct + incorrect + 1.0 / independent) / (12.0 * correct * incorrect))
    chance = -NormalDist().inv_cdf(NormalDist().cdf(-CHANCE) / len(labels))
    turned = (areas < REVERSED) & (0.5 - areas > chance * deviation / math.sqrt(independent))
    if turned.any():
        names = few_of([repr(label) for label in labels[turned].tolist()], LISTED)
        of = f" of {int(turned.sum()):,} of {len(labels):,} {plural('group', len(labels))} ({names})"
        warn_questionable(reversed_confidence(float(areas[turned].min()), of))
