"""The evaluation of one model: all figures that the command line prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, overload

from fastarac._core.checks import check_intervals
from fastarac.evaluation.figures import figures_of
from fastarac.evaluation.limits import Asked, prices_of, read_limits
from fastarac.samples.door import simplified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from fastarac.bounds.bounded import BoundedSweep
    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.bounds import BoundedEvaluation
    from fastarac.evaluation.limits import Limits, OptionsOfItems
    from fastarac.evaluation.results import Evaluation
    from fastarac.reviewer import Reviewer
    from fastarac.sweep import ThresholdSweep


@overload
def evaluate(sweep: BoundedSweep, /, **limits: Unpack[Limits]) -> BoundedEvaluation: ...
@overload
def evaluate(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    **options: Unpack[OptionsOfItems],
) -> Evaluation: ...
def evaluate(
    correct: ArrayLike | ThresholdSweep | BoundedSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    max_error_rate: ArrayLike = (0.01, 0.05),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    groups: ArrayLike | None = None,
    graded: bool = False,
    intervals: bool = False,
    confidence_level: float = 0.95,
    failure_probability: float | None = None,
    never_accepted: float | None = None,
    unseen_pages: bool = False,
) -> Evaluation | BoundedEvaluation:
    """Evaluate one model: its areas, and the share that it automates within each limit.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.
    max_error_rate : float or sequence of float, default=(0.01, 0.05)
        Allowed shares of undetected errors among *all* items, each in [0, 1].
    max_risk : float or sequence of float, default=()
        Allowed shares of errors among the *accepted* items, each in [0, 1].
    threshold : float or sequence of float, default=()
        Given thresholds to evaluate.
    costs : VerificationCosts, optional
        The prices of verification, correction and errors; by default γ = 1 and δ = 0. If given, the
        cheapest threshold and the costs per item are also computed (`Evaluation.cost_evaluation`).
    reviewer : Reviewer, optional
        The people who verify the rejected items; by default they find and correct every error. They
        affect only `Evaluation.cost_evaluation`. Limits, intervals and guarantees count the model's
        errors alone. :func:`.operating_point` can also count the errors that people leave.
    groups : array_like of shape (n,), optional
        Label of each item's group, such as its page. Items of a group may depend on each other, and
        intervals and guarantees allow for this.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`).
    intervals : bool, default=False
        Whether to compute a confidence interval for each figure (:func:`.asymptotic_interval`).
    confidence_level : float, default=0.95
        Level of the intervals.
    failure_probability : float, optional
        Also find a threshold that keeps each limit on new items, except with this probability
        (:func:`.guaranteed_operating_point`). A limit on the risk uses the method "pocock" if it allows
        at most 100 errors among all items, and otherwise "fallback"; both need no fixed thresholds.
    never_accepted : float, optional
        Items at or below this confidence are never accepted, whatever the limit. Use this for items
        without an output, whose confidence is below all others (`AlignedOutputs.never_accepted`). Such
        items count in the number of items and in the areas, but never as accepted.
    unseen_pages : bool, default=False
        Widen the intervals, because the sample may lack groups in which all items are wrong
        (:func:`.asymptotic_interval`). Needs `groups` and `intervals`.

    Examples
    --------
    >>> import fastarac as fa
    >>> print(fa.evaluate([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2], max_error_rate=0.2))
    items                         5
    recognition rate β            0.6000
    ARAC-AUC                      0.8800
    normalised ARAC-AUC (γ = 1)   0.6500
    ARP-AUC                       0.8433
    ROC-AUC                       0.8333
    PR-AUC                        0.9041
    average precision             0.9167
    AURC                          0.1567
    AUGRC                         0.1200
    at most 20% errors: accepted  0.8000
        threshold                 0.6
        errors that remain        0.2000
        W (γ = 1, δ = 0)          1.4000
    note                          5 outputs are few for a limit of 20% errors: these figures ...

    Returns
    -------
    Evaluation
        A :class:`.BoundedSweep` gives a `BoundedEvaluation` instead, whose figures are
        :class:`.Bounds`.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`. Also for limits outside their range, a `reviewer` without `costs`,
        or a `confidence_level` without `intervals`. Also for a guarantee with grades or with weights
        (which are not counts), and for a guarantee of `max_risk` with `groups`, because it needs fixed
        thresholds.

    Warns
    -----
    UnreliableIntervalWarning, SampleTooSmallWarning
        If there is too little data for an interval or a guarantee.
    QuestionableInputWarning
        If correct items have lower confidences than incorrect items, by more than chance explains. Also
        if all items have the same confidence, if no item is correct, or if a limit is 1, which may have
        been meant as 1%.

    See Also
    --------
    evaluate_groups : evaluate every group of items on its own, all in one pass
    Evaluation : the figures of one model
    compare_models : compare models on the same items or groups
    fastarac.report.write_report : write one HTML page of all figures

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, sections 3.2 to 3.4.
    """
    check_intervals(intervals, confidence_level)
    if unseen_pages and not intervals:
        raise ValueError("unseen_pages needs intervals=True: no other figure depends on it")
    asked = Asked(
        read_limits(max_error_rate, max_risk, threshold), prices_of(costs), costs, reviewer, groups,
        graded, confidence_level if intervals else None, failure_probability, never_accepted,
        unseen_pages,
    )  # fmt: skip
    return figures_of(simplified(correct), confidence, sample_weight, asked).evaluation()
