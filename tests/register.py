"""The register of metrics: all invariance tests run over its entries, one per metric.

An entry names its function, which is looked up only when called, so that this file can be imported even
if a function is missing. A name with a dot is an attribute of the sweep, `ThresholdSweep.risk`.
"""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import reference as ref

if TYPE_CHECKING:
    from collections.abc import Callable

# Weighted values, and those that a logarithm or many denominators keep from being exact, are held
# to the relative error; the absolute one is for rates near 0, of a whole that is 1 (or the largest
# count), such as those that are 1 minus another.
RELATIVE = 1e-12
ABSOLUTE = 1e-14


@dataclass(frozen=True)
class Metric:
    """One or more numbers that fastarac computes from (correct, confidence), with their properties.

    Parameters
    ----------
    function
        Its name in fastarac; "ThresholdSweep.…" for an attribute of the sweep.
    reference
        Computes the same from a tuple of `reference.Item`: one or more values, None if undefined.
    keywords
        Keyword arguments in addition to the data.
    fields
        Names of the result's fields to compare; without any, the result itself.
    rounded_once
        Without weights, the result is the double nearest to the exact value, bit for bit.
    absolute
        Absolute error allowed if the result is not rounded once, for values of the order of 1.
    weights
        Whether it takes `sample_weight`.
    jumps
        It picks a point by comparing a rate with a limit, so that the last bit of a rate decides:
        weighted values are compared only where weights add up exactly.
    monotone
        Whether a strictly increasing transform of the confidence leaves it unchanged.
    scale
        Exponent of its growth if all weights are multiplied, or all items repeated: 0 for rates, 1 for
        counts, None if it depends on the number of items in another way.
    warns
        Warning that may accompany a value that is not NaN.
    """

    function: str
    reference: Callable[[tuple[ref.Item, ...]], Any]
    keywords: dict[str, Any] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    rounded_once: bool = True
    absolute: float = ABSOLUTE
    weights: bool = True
    jumps: bool = False
    monotone: bool = True
    scale: int | None = 0
    warns: type[Warning] | None = None

    @property
    def owner(self) -> str:
        """The public name: the function, or ThresholdSweep for an attribute of the sweep."""
        return self.function.partition(".")[0]

    @property
    def scales(self) -> bool:
        """Whether its change under repetition of the items follows from `scale`."""
        return self.scale is not None

    @property
    def name(self) -> str:
        """The call as source code."""
        options = ", ".join(f"{key}={value!r}" for key, value in self.keywords.items())
        return f"{self.function}({options})"

    def call(self, *data: Any, **weights: Any) -> np.ndarray:
        """Return fastarac's values, flat, from a sweep or from (correct, confidence)."""
        import fastarac

        if self.owner == "ThresholdSweep":
            sweep = data[0] if len(data) == 1 else fastarac.threshold_sweep(*data, **weights)
            result = getattr(sweep, self.function.partition(".")[2])
        else:
            result = operator.attrgetter(self.function)(fastarac)(*data, **weights, **self.keywords)
        if self.fields:
            result = operator.attrgetter(*self.fields)(result)
        return np.ravel(np.asarray(result, dtype=np.float64))

    def checked(self, *data: Any, **weights: Any) -> np.ndarray:
        """Return the same; assert that it warns of an undefined metric iff a value is NaN."""
        import fastarac

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            values = self.call(*data, **weights)
        of_input = fastarac.QuestionableInputWarning
        kinds = {warning.category for warning in caught} - {self.warns, of_input}
        undefined = {fastarac.UndefinedMetricWarning} if np.isnan(values).any() else set()
        assert kinds == undefined, [str(warning.message) for warning in caught]
        return values

    def expected(self, *columns: Any) -> np.ndarray:
        """Return the reference's values, each rounded once, from the same columns."""
        values = self.reference(ref.to_items(*columns))
        if not isinstance(values, list | tuple):
            values = [values]
        return np.array([ref.round_once(value) for value in values], dtype=np.float64)


class AtThreshold(NamedTuple):
    """A statistic that takes a threshold: its reference, and its range at a threshold of 0.5."""

    value: Callable[[tuple[ref.Item, ...], Any], ref.Fraction | None]
    ends: tuple[float, float] = (0.0, 1.0)


def _rate_at(name: str) -> AtThreshold:
    def value(items: tuple[ref.Item, ...], threshold: Any) -> ref.Fraction | None:
        return getattr(ref.point_at(items, ref.exact(threshold)), name)

    return AtThreshold(value)


# The names in `Statistic.names()` that take a threshold, and nothing else.
AT_THRESHOLD = {
    name: _rate_at(name)
    for name in ("acceptance_rate", "error_rate", "correction_rate", "risk", "precision")
} | {"net_benefit": AtThreshold(ref.net_benefit, (-1.0, 1.0))}


def identical(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether both are equal to the last bit; NaN equals NaN."""
    return np.array_equal(a, b, equal_nan=True)


def close(a: np.ndarray, b: np.ndarray, absolute: float = ABSOLUTE) -> bool:
    """Whether both are equal within the tolerances; NaN equals NaN."""
    whole = np.max(np.abs(b), initial=1.0, where=~np.isnan(b))
    return a.shape == b.shape and np.allclose(a, b, RELATIVE, absolute * whole, equal_nan=True)


# --- How the reference gives what an entry compares --------------------------------------------

AREA = ("auc", "upper", "lower", "improved", "normalized", "gamma")
POINT = (
    "acceptance_rate",
    "verification_rate",
    "correction_rate",
    "error_rate",
    "accuracy_after_correction",
    "risk",
    "precision",
    "tie_acceptance",
)
LIMITS = [0.0, 0.01, 0.05, 0.125, 0.3, 0.5, 1.0]


def sweep_column(rate: str, **properties: Any) -> Metric:
    """An array of the sweep, with a value at every threshold."""
    return Metric(
        f"ThresholdSweep.{rate}", lambda items: ref.column(ref.sweep(items), rate), **properties
    )


def operating_point(**criterion: Any) -> Metric:
    """The rates of the operating point that a criterion selects."""

    def rates(items: tuple[ref.Item, ...]) -> list[Any]:
        point = ref.operating_point(items, **criterion)
        return [ref.rate_at(items, point, rate) for rate in POINT]

    by_rate = "threshold" not in criterion
    return Metric(
        "operating_point",
        rates,
        criterion,
        POINT,
        rounded_once=False,
        jumps=by_rate,
        monotone=by_rate,
    )


def three_way(**limits: float) -> Metric:
    """The counts of the three zones of two limits."""
    return Metric(
        "three_way_operating_point",
        lambda items: ref.three_way_counts(items, *limits.items()),
        limits,
        tuple(f"{side}_{zone}" for zone in ("accepts", "rejects", "discards") for side in SIDES[zone]),
        rounded_once=False,
        jumps=True,
        scale=1,
    )


# Correct outputs first; accepting these is right, and rejecting or discarding them is not.
SIDES = {
    "accepts": ("true", "false"), "rejects": ("false", "true"), "discards": ("false", "true"),
}  # fmt: skip


def acceptance_at_error_rate(**options: Any) -> Metric:
    """X(θ) at several limits, in one call."""
    return Metric(
        "acceptance_at_error_rate",
        lambda items: [ref.acceptance_at_error_rate(items, e, **options) for e in LIMITS],
        {"max_error_rate": LIMITS, **options},
        rounded_once=False,
        jumps=True,
    )


def curve(name: str, *columns: str) -> Metric:
    """The two axes of a curve, one after the other, without its thresholds."""
    return Metric(
        name,
        lambda items: [value for axis in ref.curve(items, name)[:2] for value in axis],
        fields=columns,
        rounded_once=False,  # 1 minus a rate is rounded twice
    )


def by_estimator(function: str, reference: Any, estimator: str) -> Metric:
    """An area over precision or risk, by one of its estimators."""
    against_best = "excess" in function or function == "normalized_aurc_loss"
    return Metric(
        function,
        partial(reference, estimator=estimator),
        {"estimator": estimator},
        # sums to some 30 digits, whose difference from the best need not be exactly 0
        rounded_once=estimator != "exact" and not against_best,
        # a difference of two logarithms, divided by one that may be small
        absolute=1e-30 if estimator != "exact" else 1e-12 if "normalized" in function else ABSOLUTE,
        weights=estimator == "exact" or (estimator == "trapezoid" and not against_best),
        # single items, whose precision or optimum a repetition changes, count in these
        scale=0 if estimator == "exact" or (estimator == "trapezoid" and not against_best) else None,
    )


def roc_partial(axis: str, ends: tuple[float, float], standardize: str | None) -> Metric:
    """Part of the area under the ROC curve, over a range of one axis."""
    return Metric(
        "roc_partial_auc_score",
        lambda items: ref.roc_partial(items, axis, *ends, standardize),
        {f"{axis}_range": ends, "standardize": standardize},
        jumps=standardize is not None,  # undefined below the area of chance
    )


def pr_partial(ends: tuple[float, float], interpolation: str, standardize: str | None) -> Metric:
    """Part of the area under the precision–recall curve, over a range of recall."""
    return Metric(
        "pr_partial_auc_score",
        lambda items: ref.pr_partial(items, *ends, interpolation, standardize),
        {"recall_range": ends, "interpolation": interpolation, "standardize": standardize},
        rounded_once=interpolation != "davis-goadrich",
        jumps=standardize == "mcclish",  # undefined below the area of chance
    )


def first_of(reference: Any, items: Any) -> Any:
    """The value of a point, without its threshold."""
    point = reference(items)
    return None if point is None else point[0]


def normalized(items: tuple[ref.Item, ...], gamma: float = 1.0) -> ref.Fraction:
    """A'' alone."""
    return ref.arac_area(items, gamma).normalized


PRICES = (2.0, 4.0, 22.0)
COST_RATES = [0.0, 0.125, 0.3, 0.5, 0.9, 1.0]


def optimal_operating_point() -> Metric:
    """The rates at the cheapest threshold."""
    import fastarac

    def rates(items: tuple[ref.Item, ...]) -> list[Any]:
        points = ref.sweep(items)
        best = min(
            range(len(points)), key=lambda j: (ref.cost(points[j], *PRICES), -points[j].accepted)
        )
        return [ref.rate_at(items, points[best], rate) for rate in POINT]

    costs = fastarac.VerificationCosts(*PRICES)
    return Metric(
        "costs.optimal_operating_point", rates, {"costs": costs}, POINT, rounded_once=False, jumps=True
    )


def performance_at_error_rate() -> Metric:
    """W at allowed error rates."""
    import fastarac

    return Metric(
        "costs.performance_at_error_rate",
        lambda items: [ref.performance_at_error_rate(items, e, 0.5, 3) for e in LIMITS],
        {"max_error_rate": LIMITS, "costs": fastarac.VerificationCosts.from_ratios(0.5, 3)},
        rounded_once=False,
        jumps=True,
    )


def rejection_cost(items: tuple[ref.Item, ...]) -> list[Any]:
    """The minimum of (1 − λ)·risk + λ·(1 − X) for each λ; the risk is 0 if nothing is accepted."""
    points = ref.sweep(items)
    return [
        min(
            (1 - ref.exact(rate)) * (p.risk or 0) + ref.exact(rate) * p.verification_rate
            for p in points
        )
        for rate in COST_RATES
    ]


THRESHOLD_PROBABILITIES = [0.0, 0.05, 0.25, 0.5, 0.9]


METRICS = [
    Metric(
        "net_benefit_curve",
        lambda items: [ref.net_benefit(items, p) for p in THRESHOLD_PROBABILITIES],
        {"thresholds": THRESHOLD_PROBABILITIES},
        ("net_benefit",),
        rounded_once=False,
        jumps=False,
        monotone=False,
    ),
    Metric("ThresholdSweep.recognition_rate", ref.recognition_rate),
    sweep_column("true_accepts", scale=1),
    sweep_column("false_accepts", scale=1),
    sweep_column("false_rejects", scale=1),
    sweep_column("true_rejects", scale=1),
    sweep_column("acceptance_rate"),
    sweep_column("verification_rate", rounded_once=False),
    sweep_column("correction_rate"),
    sweep_column("error_rate"),
    sweep_column("accuracy_after_correction", rounded_once=False),
    sweep_column("risk"),
    sweep_column("precision"),
    *(
        curve(name, *columns)
        for name, columns in (
            ("arac_curve", ("acceptance_rate", "accuracy_after_correction")),
            ("arp_curve", ("acceptance_rate", "precision")),
            ("rc_curve", ("coverage", "risk")),
            ("generalized_rc_curve", ("coverage", "error_rate")),
            ("accuracy_rejection_curve", ("rejection_rate", "accuracy")),
        )
    ),
    Metric("arac_auc_score", ref.arac_auc),
    Metric("normalized_arac_auc_score", normalized),
    Metric("normalized_arac_auc_score", partial(normalized, gamma=0.3), {"gamma": 0.3}),
    Metric("arac_area", ref.arac_area, fields=AREA),
    Metric("arac_area", partial(ref.arac_area, gamma=2.5), {"gamma": 2.5}, AREA),
    Metric("augrc_loss", ref.augrc),
    Metric("roc_auc_score", ref.roc_auc),
    *(
        by_estimator(*entry, estimator)
        for entry in (
            ("arp_auc_score", ref.arp_auc),
            ("aurc_loss", ref.aurc),
            ("excess_aurc_loss", ref.excess_aurc),
            ("normalized_aurc_loss", ref.normalized_aurc),
        )
        for estimator in ("trapezoid", "mean", "exact")
    ),
    Metric("arp_area", partial(ref.arp_area, gamma=2.5), {"gamma": 2.5}, AREA),
    Metric(
        "excess_aurc_loss",
        partial(ref.excess_aurc, optimum="asymptotic"),
        {"optimum": "asymptotic"},
        rounded_once=False,
    ),
    *(
        Metric("arac_partial_auc_score", partial(reference, **arguments), keywords)
        for reference, arguments, keywords in (
            (
                ref.arac_partial_by_acceptance,
                {"low": 0.2, "high": 0.7},
                {"acceptance_range": (0.2, 0.7)},
            ),
            (ref.arac_partial_by_acceptance, {"low": 0, "high": 1}, {"acceptance_range": (0, 1)}),
            (ref.arac_partial_by_error_rate, {"limit": 0.125}, {"max_error_rate": 0.125}),
            (ref.arac_partial_by_error_rate, {"limit": 1}, {"max_error_rate": 1}),
        )
    ),
    *(
        roc_partial(axis, ends, standardize)
        for axis, ends in (("fpr", (0.1, 0.4)), ("tpr", (0.3, 0.9)), ("fpr", (0, 1)))
        for standardize in (None, "mcclish")
    ),
    Metric("pr_auc_score", ref.pr_auc, rounded_once=False),
    *(
        Metric("pr_auc_score", partial(ref.pr_auc, interpolation=way), {"interpolation": way})
        for way in ("linear", "step")
    ),
    *(
        pr_partial(ends, interpolation, standardize)
        for ends, standardize in (
            ((0.1, 0.7), None),
            ((0.3, 0.35), "width"),
            ((0.25, 1), "mcclish"),
            ((0, 1), None),
        )
        for interpolation in ("davis-goadrich", "linear", "step")
    ),
    Metric("interpolated_precision", ref.interpolated_precision, jumps=True),
    Metric(
        "eleven_point_average_precision",
        ref.eleven_point_average_precision,
        rounded_once=False,
        jumps=True,
    ),
    Metric("break_even_point", partial(first_of, ref.break_even_point), fields=("value",)),
    Metric("equal_error_rate", partial(first_of, ref.equal_error_rate), fields=("rate",)),
    acceptance_at_error_rate(),
    acceptance_at_error_rate(interpolate=True),
    operating_point(max_error_rate=0.05),
    operating_point(max_error_rate=0.3),
    operating_point(max_error_rate=0.125, interpolate=True),
    operating_point(max_risk=0.25),
    operating_point(max_risk=0.5, interpolate=True),
    operating_point(min_acceptance_rate=0.6),
    operating_point(min_acceptance_rate=0.6, interpolate=True),
    operating_point(threshold=0.5),
    three_way(max_error_rate=0.1, max_false_discard_rate=0.1),
    three_way(max_risk=0.25, max_false_omission_rate=0.4),
    three_way(max_risk=0.75, max_false_omission_rate=0.5),
    three_way(max_error_rate=0.4, max_false_omission_rate=0.25),
    optimal_operating_point(),
    performance_at_error_rate(),
    Metric(
        "costs.rejection_cost_curve",
        rejection_cost,
        {"reject_cost": COST_RATES},
        ("cost",),
        rounded_once=False,
    ),
]
