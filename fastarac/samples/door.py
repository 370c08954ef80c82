"""Entry points for samples: detect the kind of sample, and return its counts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, overload

from numpy.typing import ArrayLike

from fastarac._core.checks import reject_all_beside_sweep, reject_beside_sweep
from fastarac._core.shared_results import shared
from fastarac._core.single_items import takes_items_only
from fastarac._engine.counts import AcceptedCounts
from fastarac._engine.grades import GradedItems, graded_items
from fastarac._engine.inputs import NAMES, SCORED_NAMES, Items, read_items
from fastarac._engine.ranked import RankedItems, corners_of, every_threshold
from fastarac.reviewer import Reviewer, informative
from fastarac.samples.estimated import EstimatedItems, EstimatedSweep, require_alone
from fastarac.samples.partial import INSTEAD, PartialTruth, refuse, truth_of_some
from fastarac.samples.partial_items import PartialItems, Shares
from fastarac.sweep import CornerSweep, ThresholdSweep, trusted_sweep, whole_sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


def simplified(correct: Any) -> Any:
    """Return plain labels if the truth of all items is certain; otherwise `correct` itself."""
    return correct.simplified if isinstance(correct, PartialTruth) else correct


def labels_and_truth(correct: Any) -> tuple[Any, PartialTruth | None]:
    """Return the labels, and the `PartialTruth` if some labels are uncertain, else None."""
    labels = simplified(correct)
    return labels, labels if isinstance(labels, PartialTruth) else None


def answers_of(
    correct: Any, truth_reader: Reviewer | None
) -> tuple[Any, PartialTruth | None, Reviewer | None]:
    """Return the labels, the `PartialTruth` or None, and the people who answered, or None.

    If people may err, tests of limits use their answers without a correction, so the answers are
    returned as labels.
    """
    people = informative(truth_reader)
    if isinstance(correct, PartialTruth) and correct.truth_reader is not None:
        if truth_reader is not None:
            raise TypeError("truth_reader cannot go with a PartialTruth that has its own truth_reader")
        correct, people = correct.as_answered, correct.truth_reader
    return *labels_and_truth(correct), people


def partial_truth_of(correct: Any) -> PartialTruth:
    """Return the given `PartialTruth`; for plain labels, one with inclusion probability 1."""
    labels, truth = labels_and_truth(correct)
    return PartialTruth(labels, inclusion_probability=1.0) if truth is None else truth


def is_partial(correct: object) -> bool:
    """Return whether `correct` is a `PartialTruth` with uncertain labels."""
    return isinstance(simplified(correct), PartialTruth)


def is_estimated(correct: object) -> bool:
    """Return whether `correct` is a `PartialTruth`, or has counts estimated from one."""
    return is_partial(correct) or isinstance(correct, EstimatedSweep)


def labels_of_some(correct: Any, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Any:
    """Return the labels, or the partial truth, of some items, given by a mask or by indices."""
    return truth_of_some(correct, chosen) if isinstance(correct, PartialTruth) else correct[chosen]


def refuse_partial(correct: Any, instead: str = INSTEAD) -> None:
    """Raise for a `PartialTruth`, in functions that need all labels."""
    if is_partial(correct):
        refuse(instead)


@overload
def threshold_sweep(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    graded: bool = False,
    corners_only: Literal[False] = False,
) -> ThresholdSweep: ...
@overload
def threshold_sweep(
    correct: ArrayLike, confidence: ArrayLike, *, corners_only: Literal[True]
) -> CornerSweep: ...
@takes_items_only("it makes a sweep of items")
def threshold_sweep(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    graded: bool = False,
    corners_only: bool = False,
) -> ThresholdSweep | CornerSweep:
    """Count the accepted correct and incorrect items at every distinct threshold.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each output was right: bool, or 0 and 1 of any numeric type.
    confidence : array_like of shape (n,)
        Real and finite, in any range. Integers are compared as integers, even beyond 2**53.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. Items of weight 0 do not count.
    graded : bool, default=False
        Whether `correct` has grades in [0, 1], such as the score of a partly right answer. An item with
        grade g counts as g correct and 1 − g incorrect items, so the counts are floats.
    corners_only : bool, default=False
        Leave out the thresholds inside runs of correct items. With k errors, at most 2k + 1 thresholds
        remain; if k is small, the correct items need no sorting. Not with weights or grades.

    Returns
    -------
    ThresholdSweep
        Counts from nothing accepted to everything accepted; a :class:`~.results.CornerSweep` with
        `corners_only`.

    Raises
    ------
    ValueError
        If an argument is empty, not one-dimensional, or of another length than the others; if it holds
        nulls, NaN, infinities, labels other than 0 and 1, or negative weights; or if the largest weight
        is more than 1e305 times the smallest positive one.
    TypeError
        If an argument does not hold real numbers, and for `corners_only` with weights or grades.

    See Also
    --------
    ThresholdSweep : counts of accepted items at every threshold that makes a difference
    evaluate : all metrics of one model
    fastarac.frames.threshold_sweep : count the accepted items of a frame, in the engine that holds it

    Notes
    -----
    The counts are those of Kimura et al. 2024, table 1. The order of the items does not matter: equal
    confidences share a threshold. Sums are exact integers; sums of weights are rounded once.

    With `corners_only`, metrics have exactly the same values as with all thresholds if they depend only
    on pairs of items, on errors, or on corners of the ROC curve. Among them are the ARAC and ROC areas
    and their partial areas, the convex hull, the acceptance rate at an error rate or a risk, costs,
    ARP-AUC and AURC with "mean" and "exact", and PR-AUC with "davis-goadrich". Functions that need all
    thresholds raise ``TypeError``.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, table 1.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 0, 1], [0.9, 0.5, 0.7])
    >>> sweep.accuracy_after_correction
    array([1.        , 1.        , 1.        , 0.66666667])
    >>> fa.threshold_sweep([1, 0, 0.25], [0.9, 0.5, 0.7], graded=True).false_accepts
    array([0.  , 0.  , 0.75, 1.75])
    >>> fa.threshold_sweep([1, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5], corners_only=True).thresholds
    array([inf, 0.9, 0.8, 0.5])
    """
    correct, truth = labels_and_truth(correct)
    if truth is not None:
        require_alone(graded=graded or None, corners_only=corners_only or None)
        return estimated_sweep(truth, confidence, sample_weight)
    if corners_only:
        if graded or sample_weight is not None:
            other = "graded" if graded else "sample_weight"
            message = f"give only one of corners_only and {other}"
            raise TypeError(message)
        items = read_items(correct, confidence)
        return trusted_sweep(CornerSweep, corners_of(items))
    if graded:
        correct, confidence, sample_weight, _ = graded_items(correct, confidence, sample_weight)
    return sweep_of_items(read_items(correct, confidence, sample_weight))


def sweep_of_items(items: Items) -> ThresholdSweep:
    """Return the threshold sweep of checked items."""
    return trusted_sweep(ThresholdSweep, every_threshold(items))


def as_sweep(
    correct: ArrayLike | AcceptedCounts,
    confidence: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    names: tuple[str, str, str] = NAMES,
    *,
    instead: str | None = None,
) -> ThresholdSweep:
    """Return a sweep with every threshold: the given sweep, or one of (correct, confidence).

    If `instead` is given, a `PartialTruth` raises an error with this advice.
    """
    if instead is not None:
        refuse_partial(correct, instead)
    if isinstance(correct, AcceptedCounts):
        reject_beside_sweep(confidence, sample_weight, names[1])
        return whole_sweep(correct)
    confidence = require_confidence(confidence, names, beside=correct)
    labels, truth = labels_and_truth(correct)
    if truth is not None:
        return estimated_sweep(truth, confidence, sample_weight)
    return sweep_of_items(read_items(labels, confidence, sample_weight, names))


def as_ranked(
    correct: ArrayLike | AcceptedCounts,
    confidence: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    names: tuple[str, str, str] = NAMES,
    *,
    corners: bool = False,
    share_of_judge: Callable[[PartialItems], Shares | None] | None = None,
    instead: str | None = None,
) -> RankedItems:
    """Return an object that computes metrics from items or from a given sweep.

    With `corners`, metrics may use only the points where a curve bends, so `correct` may be a
    `CornerSweep`. For partly verified items, `share_of_judge` computes the weights κ of the judges'
    predictions. If `instead` is given, a `PartialTruth` raises an error with this advice.
    """
    if instead is not None:
        refuse_partial(correct, instead)
    if isinstance(correct, AcceptedCounts):
        reject_beside_sweep(confidence, sample_weight, names[1])
        given: AcceptedCounts = correct if corners else whole_sweep(correct)
        kind = EstimatedItems if isinstance(correct, EstimatedSweep) else RankedItems
        return shared(given, ("ranked", corners), lambda: kind(None, given, corners=corners))
    confidence = require_confidence(confidence, names, beside=correct)
    labels, truth = labels_and_truth(correct)
    if truth is not None:
        sweep = estimated_sweep(truth, confidence, sample_weight, share_of_judge)
        return EstimatedItems(None, sweep, corners=corners)
    return RankedItems(read_items(labels, confidence, sample_weight, names), corners=corners)


def ranked_in_place(
    y_true: Any,
    y_score: ArrayLike | None,
    sample_weight: ArrayLike | None,
    share_of_judge: Callable[[PartialItems], Shares | None],
    *,
    corners: bool = False,
    **others: object,
) -> RankedItems | None:
    """Return ranked items if `y_true` is a sweep or a partial truth; None for class labels.

    Raise if any of `others` is given beside a sweep or a partial truth.
    """
    labels, truth = labels_and_truth(y_true)
    if truth is not None:
        require_alone(**others)
    elif isinstance(labels, AcceptedCounts):
        reject_all_beside_sweep(y_score=y_score, sample_weight=sample_weight, **others)
    else:
        return None
    return as_ranked(
        y_true, y_score, sample_weight, SCORED_NAMES, corners=corners, share_of_judge=share_of_judge
    )


def estimated_sweep(
    truth: PartialTruth,
    confidence: ArrayLike,
    sample_weight: object = None,
    share_of_judge: Callable[[PartialItems], Shares | None] | None = None,
) -> EstimatedSweep:
    """Return the estimated counts at every threshold.

    `share_of_judge` computes the weights κ of the judges' predictions. By default, κ is the best for
    the number of errors among all items.
    """
    require_alone(sample_weight=sample_weight)
    items = PartialItems(truth, confidence, truth.groups)
    return items.beginning.sweep if share_of_judge is None else items.sweep(share_of_judge(items))


def known_best(
    correct: Any,
    confidence: ArrayLike | None,
    sample_weight: object,
    acceptance: Callable[[ThresholdSweep], float],
) -> tuple[Any, ArrayLike | None]:
    """Return (correct, confidence) as given; for a partial truth, return (estimated counts, None).

    `acceptance(counts)` returns the acceptance rate at the threshold to choose. The counts use the
    weights κ of the judges' predictions that are best at this threshold.
    """
    labels, truth = labels_and_truth(correct)
    if truth is None:
        return labels, confidence
    require_alone(sample_weight=sample_weight)
    items = PartialItems(truth, require_confidence(confidence), truth.groups)
    return items.at_limit(acceptance)[0], None


def split_grades(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
) -> GradedItems:
    """Split each graded item into a correct and an incorrect one with weights; raise for a sweep."""
    if isinstance(correct, AcceptedCounts):
        raise TypeError("graded cannot go with a ThresholdSweep, which has no grades")
    return graded_items(correct, require_confidence(confidence), sample_weight, groups)


def require_confidence(
    confidence: ArrayLike | None, names: tuple[str, str, str] = NAMES, *, beside: Any = None
) -> ArrayLike:
    """Return the confidence; raise if it is missing."""
    if confidence is None:
        if isinstance(beside, AcceptedCounts):
            whole_sweep(beside)
        message = f"{names[1]} is missing: give ({names[0]}, {names[1]}) or a ThresholdSweep"
        if isinstance(beside, str | os.PathLike):
            message += " (fastarac.io.read_outputs reads files)"
        elif hasattr(beside, "columns"):
            message += " (fastarac.frames.evaluate takes data frames)"
        raise TypeError(message)
    return confidence
