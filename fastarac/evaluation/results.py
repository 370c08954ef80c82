"""The figures of one model, overall and at each limit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastarac._core.export import flat
from fastarac._core.results import Result, Sheet
from fastarac._core.text import plural
from fastarac.evaluation.costs import CostEvaluation, rates_of
from fastarac.evaluation.limits import LABELS, Limit, ends_of, few_for, name_of, rows_of, shown
from fastarac.uncertainty.statistics import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac._core.interval import Interval
    from fastarac.areas.arac import CurveArea
    from fastarac.costs.verification import VerificationCosts
    from fastarac.guarantees.exact import GuaranteedOperatingPoint
    from fastarac.operating_points.points import OperatingPoint


@dataclass(frozen=True, slots=True, eq=False)
class LimitEvaluation(Result):
    """The outcome at one limit: an operating point, its performance, and a guaranteed threshold.

    Attributes
    ----------
    limit : Limit
        The limit.
    point : OperatingPoint
        The operating point at the threshold that accepts as many items as the limit allows. Items of
        equal confidence are accepted together or not at all.
    performance : float
        W = γX + β − δ·R_E (equation 15) at that point. X is the acceptance rate, β the share of correct
        items and R_E the error rate; γ and δ are ratios of prices.
    guaranteed : GuaranteedOperatingPoint or None
        The threshold that keeps the limit on new items, if a failure probability is given.

    See Also
    --------
    fastarac.evaluate : all figures of one model
    Limit : a criterion that sets a threshold, with its value

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> (at,) = fa.evaluate(correct, confidence, max_error_rate=0.2).limits
    >>> at.point.acceptance_rate
    0.8
    """

    limit: Limit
    point: OperatingPoint
    performance: float
    guaranteed: GuaranteedOperatingPoint | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Sheet, Result):
    """The figures of one model; ``print`` shows them as a table.

    Attributes
    ----------
    n : int or float
        Ω, the number of items or the sum of their weights.
    recognition_rate : float
        Share of correct items, β.
    arac, arp : CurveArea
        ARAC-AUC and ARP-AUC (by trapezoids), each with its components.
    roc_auc : float
        How well the confidence separates correct from incorrect items. NaN if all items are correct, or
        if all are incorrect.
    pr_auc, average_precision : float
        Area under the precision–recall curve, interpolated as by Davis and Goadrich, and area under its
        steps. Both are NaN if no item is correct.
    aurc : float
        1 − ARP-AUC, the mean risk.
    normalized_aurc : float
        AURC rescaled to 0 for the best order and 1 for a random order. NaN if all items are correct, or
        if all are incorrect. Also NaN with weights, because the best order is then not defined.
    augrc : float
        1 − ARAC-AUC, the mean error rate.
    costs : VerificationCosts
        The prices of `performance` and of the normalised ARAC-AUC (its γ).
    limits : tuple of LimitEvaluation
        One for each limit: first the error rates, then the risks, then the thresholds.
    intervals : mapping of str to Interval
        Intervals with the keys of `to_dict`, such as ``"arac_auc"`` and ``"acceptance_rate/0.01"``. The
        mapping is read-only. It is empty if no intervals were requested.
    cost_evaluation : CostEvaluation or None
        The cheapest threshold and the costs per item: at that threshold, at each limit, if every item
        is checked, and if none is. None unless prices are given.

    See Also
    --------
    evaluate : all figures of one model
    fastarac.results.LimitEvaluation : the outcome at one limit

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> found = fa.evaluate(correct, confidence, max_error_rate=0.2)
    >>> round(found.arac.auc, 4), found.recognition_rate
    (0.88, 0.6)
    >>> found.limits[0].point.threshold
    0.6
    """

    n: int | float
    recognition_rate: float
    arac: CurveArea
    arp: CurveArea
    roc_auc: float
    pr_auc: float
    average_precision: float
    aurc: float
    normalized_aurc: float
    augrc: float
    costs: VerificationCosts
    limits: tuple[LimitEvaluation, ...]
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    cost_evaluation: CostEvaluation | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a flat dictionary that JSON can hold.

        The keys of a limit's figures end in the limit, as in ``"acceptance_rate/0.01"``,
        ``"acceptance_rate/risk/0.02"`` or ``"error_rate/threshold/0.9"``. The keys of a guarantee end
        in ``/guaranteed/0.01``. The ends of an interval have ``_low`` and ``_high`` after the figure's
        name. With prices, the keys of :meth:`.CostEvaluation.to_dict` follow: the cost per item is
        ``"cost/0.01"`` at a limit, and ``"cost/cheapest"`` at the cheapest threshold. Undefined and
        infinite values are ``None``.
        """
        figures: dict[str, Any] = {
            "n": self.n,
            "recognition_rate": self.recognition_rate,
            "arac_auc": self.arac.auc,
            "arac_auc_upper": self.arac.upper,
            "arac_auc_improved": self.arac.improved,
            "normalized_arac_auc": self.arac.normalized,
            "arp_auc": self.arp.auc,
            "normalized_arp_auc": self.arp.normalized,
            **{name: getattr(self, name) for name in SCALARS},
            "gamma": self.costs.gamma,
            "delta": self.costs.delta,
        }
        for found in self.limits:
            key = found.limit.key
            figures |= rates_of(found.point, key)
            figures[f"performance/{key}"] = found.performance
            if found.guaranteed is not None:
                sure = found.guaranteed
                figures |= rates_of(sure.point, f"guaranteed/{key}")
                figures[f"bound/guaranteed/{key}"] = sure.bound
                figures["failure_probability"] = sure.failure_probability
        for name, interval in self.intervals.items():
            figures["confidence_level"] = interval.confidence_level
            figures |= ends_of(name, interval)
        return flat(figures) | ({} if self.cost_evaluation is None else self.cost_evaluation.to_dict())

    def _rows(self) -> list[tuple[str, str]]:
        figures = self.to_dict()
        rows = [("items", f"{self.n:.12g}")]
        for name in LABELS:
            value = math.nan if figures[name] is None else figures[name]
            rows.append((name_of(name, self.costs), self._shown(name, value)))
        for found in self.limits:
            limit, point = found.limit, found.point
            accepted = self._shown("acceptance_rate", point.acceptance_rate, limit)
            errors = self._shown("error_rate", point.error_rate, limit)
            rows += rows_of(found, self.costs, accepted, errors, f"{found.performance:.4f}")
            if self.cost_evaluation is not None:
                rows.append(("    cost of an item", f"{self.cost_evaluation.at_limits[limit.key]:.6g}"))
            if found.guaranteed is not None:
                rows.append(("    guaranteed", str(found.guaranteed)))
        if self.cost_evaluation is not None:
            cheapest = self.cost_evaluation.cheapest
            rows += [
                ("cheapest: accepted", f"{cheapest.acceptance_rate:.4f}"),
                ("    threshold", shown(cheapest.threshold)),
                (f"    {self.cost_evaluation.errors_name}", f"{cheapest.error_rate:.4f}"),
                ("    cost of an item", f"{self.cost_evaluation.at_cheapest:.6g}"),
                ("    with everything checked", f"{self.cost_evaluation.everything_checked:.6g}"),
                ("    with nothing checked", f"{self.cost_evaluation.nothing_checked:.6g}"),
            ]
        limits = sorted((found.limit for found in self.limits), key=lambda limit: limit.value)
        few = next(filter(None, (few_for(limit, self.n) for limit in limits)), "")
        return [*rows, ("note", few)] if few else rows

    def __repr__(self) -> str:
        area = f"ARAC-AUC {self.arac.auc:.4f}"
        limits = f"{len(self.limits)} {plural('limit', len(self.limits))}"
        return f"Evaluation({self.n:.12g} items, {area}, {limits})"

    def _shown(self, name: str, value: float, limit: Limit | None = None) -> str:
        found = self.intervals.get(name if limit is None else f"{name}/{limit.key}")
        return f"{value:.4f}" + ("" if found is None else f" [{found.low:.4f}, {found.high:.4f}]")


SCALARS = tuple(name for name in Evaluation.__dataclass_fields__ if name in DEFINITIONS)
