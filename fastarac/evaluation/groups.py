"""Separate evaluations of many groups in one call, such as fields, documents or languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any, cast

from fastarac._core.checks import check_intervals, positive_scalar
from fastarac._core.results import Result, Table
from fastarac._core.single_items import takes_items_only
from fastarac._core.text import aligned, plural, printable
from fastarac._engine.pairs import METRICS
from fastarac.evaluation.costs import check_reviewer_of_costs
from fastarac.evaluation.group_figures import AskedOfGroups, CountedGroups
from fastarac.evaluation.limits import prices_of, read_limits
from fastarac.evaluation.verified_groups import EstimatedGroups
from fastarac.reviewer import Reviewer
from fastarac.samples.door import simplified
from fastarac.samples.partial import PartialTruth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.group_figures import GroupFigures

MOST_SHOWN = 20  # maximum number of groups that are printed


@dataclass(frozen=True, slots=True, eq=False)
class GroupEvaluation(Table, Result):
    """Figures of every group: ``result["arac_auc"]`` is an array with one value per group.

    Attributes
    ----------
    groups : ndarray of shape (n_groups,)
        The labels, in increasing order.
    values : mapping of str to ndarray of shape (n_groups,)
        The figures by name, read-only.

    See Also
    --------
    fastarac.evaluate_groups : evaluate every group of items on its own, all in one pass
    fastarac.Evaluation : the figures of one model

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]
    >>> found = fa.evaluate_groups(correct, confidence, by=["a", "a", "b", "b"])
    >>> found["recognition_rate"]
    array([1. , 0.5])
    """

    groups: NDArray[Any]
    values: Mapping[str, NDArray[Any]]

    def __getitem__(self, metric: str) -> NDArray[Any]:
        if metric not in self.values:
            raise KeyError(f"no metric {metric!r}; the metrics are {', '.join(self.values)}")
        return self.values[metric]

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.groups)

    def __repr__(self) -> str:
        return f"GroupEvaluation({len(self)} groups, {', '.join(self.values)})"

    def __str__(self) -> str:
        rows = [
            [printable(str(group)), *(f"{column[i]:.6g}" for column in self.values.values())]
            for i, group in enumerate(self.groups[:MOST_SHOWN])
        ]
        lines = aligned([["group", *self.values], *rows])
        more = len(self) - len(rows)
        return "\n".join([*lines, *([f"and {more:,} {plural('group', more)} more"] if more else [])])

    def _parts(self) -> dict[str, Any]:
        return {"group": self.groups, **self.values}


@takes_items_only("`by` has a label for each item")
def evaluate_groups(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    by: ArrayLike,
    sample_weight: ArrayLike | None = None,
    metrics: Sequence[str] = ("n", "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc"),
    max_error_rate: ArrayLike = (),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    gamma: float | None = None,
    groups: ArrayLike | None = None,
    graded: bool = False,
    intervals: bool = False,
    confidence_level: float = 0.95,
) -> GroupEvaluation:
    """Evaluate every group of items separately, all in one pass.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite). With a
        :class:`.PartialTruth`, the figures of each group are estimated from its verified items. The
        figure ``"n_verified"`` is the number of these items. If a group has none, its figures are NaN,
        and ``"keeps_limit/…"`` is false.
    by : array_like of shape (n,)
        Label of each item's group: integers, strings, or other comparable values, in any order and
        without nulls. Integers, and columns of pandas and pyarrow, are fastest.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. Groups of weight 0 are left out.
    metrics : sequence of str, default=("n", "recognition_rate", "arac_auc", "normalized_arac_auc", \
"roc_auc")
        The metrics to compute: any of the default ones, "n_correct" and "augrc".
    max_error_rate, max_risk, threshold : float or sequence of float, default=()
        Limits, or given thresholds. A limit sets a single threshold for *all* items together
        (:func:`.frames.evaluate` sets one for each group). The result then has ``"threshold/…"``. For
        each group at that threshold, it has ``"acceptance_rate/…"``, ``"error_rate/…"``, ``"risk/…"``
        (NaN if nothing is accepted) and ``"performance/…"`` (W). A limit also gives
        ``"keeps_limit/…"``.
    costs : VerificationCosts, optional
        The prices of W and of the normalised ARAC-AUC (its γ); by default γ = 1 and δ = 0. If given,
        the result also has ``"cost/…"``, the cost per item at each limit's threshold, and
        ``"threshold/cheapest"``, the cheapest threshold for all items together. At that threshold, it
        has ``"acceptance_rate/cheapest"``, ``"error_rate/cheapest"`` and ``"cost/cheapest"``.
    reviewer : Reviewer, optional
        The people who verify the rejected items. They affect only the costs, and by default find and
        correct every error.
    gamma : float, optional
        γ of the normalised ARAC-AUC, at least 0. By default, γ is taken from `costs`.
    groups : array_like of shape (n,), optional
        Label of each item's group of dependent items, such as its page. These groups affect only the
        intervals.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`).
    intervals : bool, default=False
        Whether to compute a confidence interval for each rate and area (:func:`.asymptotic_interval`).
        The ends of an interval are named ``"arac_auc_low"``, ``"arac_auc_high"``,
        ``"error_rate_low/0.01"`` and so on. Intervals of rates at a limit treat the threshold as fixed.
        Intervals take about a millisecond per group.
    confidence_level : float, default=0.95
        Level of each single interval.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.9, 0.2]
    >>> result = fa.evaluate_groups(correct, confidence, by=["name", "date"] * 3, threshold=0.7)
    >>> result.groups
    array(['date', 'name'], dtype='<U4')
    >>> result["recognition_rate"]
    array([0.66666667, 0.33333333])
    >>> result["error_rate/threshold/0.7"]
    array([0.        , 0.66666667])

    Returns
    -------
    GroupEvaluation
        The labels in increasing order, and an array of shape (n_groups,) for each figure. Metrics are
        computed exactly and then rounded once. "roc_auc" is NaN for a group without correct items or
        without incorrect items.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`. Also for an unknown metric, for limits outside their range, for
        labels that are null or not comparable, and if the numbers of labels and items differ.

    Warns
    -----
    UnreliableIntervalWarning, UndefinedMetricWarning
        If groups have no verified item, or too little data for a reliable interval. One warning gives
        the number of such groups.
    QuestionableInputWarning
        If correct items of a group have lower confidences than its incorrect items, by more than chance
        explains. One warning names all such groups. Also for a limit of 1, which may have been meant
        as 1%.

    See Also
    --------
    evaluate : all figures of one model
    fastarac.results.GroupEvaluation : figures of every group

    Notes
    -----
    Small groups, and groups with few errors, take little time.
    """
    prices = prices_of(costs)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    gamma = prices.gamma if gamma is None else positive_scalar(gamma, "gamma")
    for name in names:
        if name not in METRICS:
            known = ", ".join(map(repr, METRICS))
            raise ValueError(f"metrics must be some of {known}, got {name!r}")
    check_intervals(intervals, confidence_level)
    limits = read_limits(max_error_rate, max_risk, threshold)
    check_reviewer_of_costs(costs, reviewer)
    if groups is not None and not intervals:
        raise ValueError("groups needs intervals=True: no other figure depends on groups")
    asked = AskedOfGroups(
        names, limits, prices, gamma, None if costs is None else reviewer or Reviewer(), groups, graded,
        confidence_level if intervals else None,
    )  # fmt: skip
    sample = groups_of(simplified(correct), confidence, sample_weight, by, asked)
    return GroupEvaluation(sample.labels, sample.values())


groups_of = singledispatch(cast("Callable[..., GroupFigures]", CountedGroups))
groups_of.register(PartialTruth, EstimatedGroups)
