"""All figures from counts in bins: bounds that certainly contain the figures of the items."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fastarac._core.checks import reject_beside_sweep
from fastarac._core.exceptions import undefined_is_nan
from fastarac._core.export import flat
from fastarac._core.results import Result, Sheet
from fastarac._core.text import percent
from fastarac.areas.arac import arac_area
from fastarac.bounds.bounded import refuse_of_bounds
from fastarac.bounds.extremes import Bounds, outward
from fastarac.bounds.points import BoundedOperatingPoint, bounded_point
from fastarac.costs.verification import VerificationCosts, performance_of
from fastarac.evaluation.costs import RATES
from fastarac.evaluation.limits import LABELS, Asked, Limit, ends_of, name_of, rows_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.bounds.bounded import BoundedSweep


@dataclass(frozen=True, slots=True, eq=False)
class BoundedLimitEvaluation(Result):
    """The operating point at one limit, and its performance W.

    Attributes
    ----------
    limit : Limit
        The limit.
    point : BoundedOperatingPoint
        The operating point at the threshold that accepts the largest share, among all thresholds that
        certainly keep the limit.
    performance : Bounds
        W = γX + β − δ·R_E at that point. X is the acceptance rate, β the share of correct items and R_E
        the error rate; γ and δ are ratios of prices.

    See Also
    --------
    BoundedEvaluation : the figures of a BoundedSweep
    BoundedOperatingPoint : bounds on the counts and rates at one threshold
    """

    limit: Limit
    point: BoundedOperatingPoint
    performance: Bounds


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundedEvaluation(Sheet, Result):
    """The figures of a :class:`.BoundedSweep`; ``print`` shows them as a table.

    Attributes
    ----------
    n : int or float
        Ω, the number of items or the sum of their weights.
    recognition_rate : float
        Share of correct items, β. This value is exact.
    arac_auc, normalized_arac_auc, arp_auc, roc_auc, average_precision, aurc, augrc : Bounds
        Bounds of the areas of :class:`.Evaluation`. Both ends are NaN for an undefined area.
    costs : VerificationCosts
        The prices of `performance` and of the normalised ARAC-AUC (its γ).
    limits : tuple of BoundedLimitEvaluation
        One for each limit: first the error rates, then the risks, then the thresholds.

    See Also
    --------
    fastarac.evaluate : all figures of one model
    fastarac.frames.BoundedSweep : bounds of figures from counts in bins
    BoundedLimitEvaluation : the operating point at one limit, and its performance W

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.frames.BoundedSweep.from_bins([0.0, 0.5, 0.9, 1.0], [10, 30, 50], [20, 5, 1])
    >>> found = fa.evaluate(sweep)
    >>> print(found.roc_auc)
    between 0.7905 and 0.9616
    """

    n: int | float
    recognition_rate: float
    arac_auc: Bounds
    normalized_arac_auc: Bounds
    arp_auc: Bounds
    roc_auc: Bounds
    average_precision: Bounds
    aurc: Bounds
    augrc: Bounds
    costs: VerificationCosts
    limits: tuple[BoundedLimitEvaluation, ...]

    @property
    def _areas(self) -> dict[str, Bounds]:
        bounds = ((name, getattr(self, name)) for name in LABELS if hasattr(self, name))
        return {name: each for name, each in bounds if isinstance(each, Bounds)}

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a flat dictionary that JSON can hold.

        The keys of a figure's bounds have ``_low`` or ``_high`` after the name and before a limit, as
        in ``"arac_auc_low"`` and ``"acceptance_rate_high/0.01"``. Undefined and infinite values are
        ``None``.
        """
        figures: dict[str, Any] = {"n": self.n, "recognition_rate": self.recognition_rate}
        for name, bounds in self._areas.items():
            figures |= ends_of(name, bounds)
        figures |= {"gamma": self.costs.gamma, "delta": self.costs.delta}
        for found in self.limits:
            at = f"/{found.limit.key}"
            figures[f"threshold{at}"] = found.point.threshold
            for name in RATES[1:]:  # skip the threshold, which has no bounds
                figures |= ends_of(name + at, getattr(found.point, name))
            figures[f"acceptance_lost{at}"] = found.point.acceptance_lost
            figures |= ends_of(f"performance{at}", found.performance)
        return flat(figures)

    def __repr__(self) -> str:
        return (
            f"BoundedEvaluation({self.n:.12g} items, ARAC-AUC {self.arac_auc}, "
            f"{len(self.limits)} limits)"
        )

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("items", f"{self.n:.12g}"),
            (LABELS["recognition_rate"], f"{self.recognition_rate:.4f}, exact"),
        ]
        rows += [(name_of(name, self.costs), _said(bounds)) for name, bounds in self._areas.items()]
        for found in self.limits:
            point = found.point
            # Another threshold may accept more items, so limit "exact" to this threshold.
            there = " at this threshold" if point.acceptance_lost else ""
            bounds = (point.acceptance_rate, point.error_rate, found.performance)
            said = (_said(each, there) for each in bounds)
            rows += rows_of(found, self.costs, *said)
            if point.acceptance_lost:
                lost = f"at most {percent(point.acceptance_lost, 2)} of all items"
                rows.insert(-1, ("    acceptance lost", lost))
        return rows


def _said(bounds: Bounds, there: str = "") -> str:
    exact = f", exact{there}" if bounds.low == bounds.high else ""
    return f"{bounds}{exact}"


class BoundedFigures:
    """Computes the evaluation of counts in bins."""

    def __init__(
        self,
        sweep: BoundedSweep,
        confidence: ArrayLike | None,
        sample_weight: ArrayLike | None,
        asked: Asked,
    ) -> None:
        reject_beside_sweep(confidence, sample_weight)
        refuse_of_bounds(
            reviewer=asked.reviewer, groups=asked.groups, intervals=asked.level, graded=asked.graded,
            failure_probability=asked.failure_probability, never_accepted=asked.never_accepted,
        )  # fmt: skip
        self._sweep, self._asked = sweep, asked

    def evaluation(self) -> BoundedEvaluation:
        """Return bounds for all figures of the items."""
        sweep, prices = self._sweep, self._asked.prices
        limits = tuple(map(self._at_limit, self._asked.limits))
        with undefined_is_nan():
            areas = {name: getattr(sweep, name) for name in LABELS if hasattr(type(sweep), name)}
        normalized = _normalized(sweep, areas["augrc"], prices.gamma)
        return BoundedEvaluation(
            sweep.total, normalized_arac_auc=normalized, costs=prices, limits=limits, **areas
        )

    def _at_limit(self, limit: Limit) -> BoundedLimitEvaluation:
        sweep, prices = self._sweep, self._asked.prices
        point = bounded_point(sweep, limit.criterion, limit.value)
        accepted, errors = point.acceptance_rate, point.error_rate
        ends = (
            performance_of(*map(Fraction, (prices.gamma, prices.delta, x, sweep.recognition_rate, e)))
            for x, e in ((accepted.low, errors.high), (accepted.high, errors.low))
        )
        return BoundedLimitEvaluation(limit, point, outward(*ends))


def _normalized(sweep: BoundedSweep, augrc: Bounds, gamma: float) -> Bounds:
    """Return bounds of the normalised ARAC-AUC, from bounds of the AUGRC, which is 1 − ARAC-AUC."""
    items = sweep.sweep
    if items is not None:
        return Bounds(*[arac_area(items, gamma=gamma).normalized] * 2)
    rest = Fraction(sweep.n_incorrect) / Fraction(sweep.total)
    if not rest:
        return Bounds(1.0, 1.0)
    ratio = Fraction(gamma)
    ends = ((ratio * (1 - Fraction(e) / rest) + 1 - rest) / (ratio + 1) for e in (augrc[1], augrc[0]))
    return outward(*ends)
