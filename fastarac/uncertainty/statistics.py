"""Definitions of all statistics: how each is computed, displayed, tested and bounded."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.exceptions import undefined_is_nan
from fastarac._core.results import Pickled
from fastarac._engine.counts import ThresholdCounts
from fastarac.areas import arac as areas
from fastarac.areas import partial as partial_areas
from fastarac.areas import precision_recall
from fastarac.areas import risk as risk_areas
from fastarac.areas.gradients import PointInfluence
from fastarac.costs import net_benefit
from fastarac.costs.verification import optimal_operating_point
from fastarac.operating_points import points as operating
from fastarac.operating_points.limits import last_accepted, most_accepted
from fastarac.samples.door import as_ranked
from fastarac.sweep import ThresholdSweep, trusted_sweep
from fastarac.uncertainty import derivatives, estimated_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.costs.verification import VerificationCosts
    from fastarac.reviewer import Reviewer
    from fastarac.samples.partial_items import PartialItems
    from fastarac.uncertainty.derivatives import Lines, Rate

    FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Definition of a statistic, used by evaluations, intervals, tests and commands."""

    label: str
    """Name in tables and messages."""
    value: Callable[..., Any]
    """Function that returns the statistic, given a sweep and the parameters."""
    symbol: str = ""
    """Symbol after the label in tables of figures."""
    ends: tuple[float, float] | Callable[..., tuple[float, float]] = (0.0, 1.0)
    """The range of values, or a function that returns it, given the parameters."""
    parameters: tuple[str, ...] = ()
    required: str | None = None
    """The parameter that must be given."""
    lower_is_better: bool = False
    evaluated: bool = False
    """Whether every evaluation of a model shows it as a row."""
    lines: Callable[..., Lines] | None = None
    """Linear influence of items, for statistics computed from pairs of items."""
    is_line_of_roc: bool = False
    """Whether the statistic is a linear function of the ROC-AUC at a given recognition rate."""
    influence: Callable[..., PointInfluence] | None = None
    """Influence of items, for other smooth statistics."""
    rate: Rate | None = None
    """The items in the numerator and in the denominator, for statistics that are shares of items."""
    smaller_part: Callable[..., tuple[str, float]] | None = None
    """Function that returns the name and weight of the smaller of the two classes that the statistic
    contrasts; None if these are the correct and the incorrect items."""
    error_weights: Callable[..., FloatArray] | None = None
    """For a loss (or 1 − loss) that is a sum over errors: the loss of an error at each threshold."""
    complement: str | None = None
    """The statistic that is 1 minus this one, and therefore has the same spread."""
    is_mean: bool = False
    """Whether it is a mean over all items."""
    of_one_class: bool = False
    """Whether it is a mean over one class, so that the smaller class decides its spread."""
    few_errors_decide: bool = False
    """Whether a few errors at high confidences dominate it, whatever the number of errors."""
    is_skewed: bool = False
    """Whether it is nearly always positive, and skewed: intervals use its logarithm."""
    has_gaps: bool = False
    """Whether it has intervals by method "gaps"."""
    in_part: bool = False
    """Whether it can be estimated from a `PartialTruth`."""
    is_linear: bool = False
    """Whether, given the confidences, it is linear in the estimated errors of a `PartialTruth`."""
    of_risk: bool = False
    """Whether its estimate comes from the area under the risk–coverage curve."""
    estimate: Callable[..., float] | None = None
    """Function of estimated counts that replaces `value`, if needed."""
    effect_of_errors: Callable[[PartialItems], FloatArray] | None = None
    """Function that returns n times its derivative by each verified error, without estimated counts."""
    estimated_lines: Callable[..., Lines] | None = None
    """Function that replaces `lines`, given estimated counts and the statistic's value."""
    least_verified: int = 0
    """Smallest effective number of verified items for a reliable estimate."""

    @property
    def title(self) -> str:
        """The label and the symbol."""
        return f"{self.label} {self.symbol}".rstrip()

    @property
    def is_smooth(self) -> bool:
        """Whether the statistic has influence values."""
        return self.lines is not None or self.influence is not None

    @property
    def has_limit(self) -> bool:
        """Whether the statistic is the largest acceptance rate within a limit."""
        return self.required in ("max_error_rate", "max_risk")

    @property
    def methods(self) -> frozenset[str]:
        """The methods of intervals without resampling that support the statistic."""
        return frozenset(
            method
            for methods, has in (
                (("auto",), self.is_smooth or self.has_limit),
                (("wald", "logit"), self.is_smooth),
                (("gamma",), self.error_weights is not None),
                (("inversion",), self.rate is not None or self.has_limit),
                (("gaps",), self.has_gaps),
            )
            if has
            for method in methods
        )


def _roc_auc(sweep: ThresholdSweep) -> float:
    return as_ranked(sweep, corners=True).roc_auc


def _average_precision(sweep: ThresholdSweep) -> float:
    return precision_recall.pr_auc_score(sweep, interpolation="step")


def _acceptance(of: Callable[..., float]) -> Callable[..., float]:
    """Return the acceptance rate function `of` with the additional parameter `never_accepted`."""

    def above(sweep: ThresholdSweep, *, never_accepted: float | None = None, **limit: float) -> float:
        last = last_accepted(sweep, never_accepted)
        if last == len(sweep.true_accepts) - 1:
            return of(sweep, **limit)
        most = most_accepted(sweep, never_accepted)
        # Errors never decrease, so all earlier points are also within the limit.
        if "max_error_rate" in limit:
            return min(of(sweep, **limit), most)
        if not last:
            return 0.0
        each = (sweep.thresholds, sweep.true_accepts, sweep.false_accepts)
        counts = ThresholdCounts(*(values[: last + 1] for values in each))
        return most * of(trusted_sweep(ThresholdSweep, counts), **limit)

    return above


def _arac_partial_ends(
    *, acceptance_range: tuple[float, float] = (0.0, 1.0), max_error_rate: float | None = None
) -> tuple[float, float]:
    """Return the range of a partial ARAC-AUC, whose curve lies above Y = 1 − X."""
    if max_error_rate is not None:
        return float(max_error_rate) / 2.0, 1.0
    low, high = (Fraction(float(end)) for end in acceptance_range)
    return float(1 - (low + high) / 2), 1.0


def _roc_partial_ends(
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] = (0.0, 1.0),
    standardize: str | None = None,
) -> tuple[float, float]:
    low, high = (Fraction(float(end)) for end in fpr_range or tpr_range)
    return (0.5, 1.0) if standardize else (0.0, float(high - low))


def _pr_partial_ends(
    *,
    recall_range: tuple[float, float],
    interpolation: str = "davis-goadrich",
    standardize: str | None = None,
) -> tuple[float, float]:
    del interpolation
    low, high = (Fraction(float(end)) for end in recall_range)
    least = 0.5 if standardize == "mcclish" else 0.0
    return least, 1.0 if standardize else float(high - low)


def _cost(
    sweep: ThresholdSweep, *, costs: VerificationCosts, reviewer: Reviewer | None = None
) -> float:
    """Return the cost per item at the cheapest threshold."""
    point = optimal_operating_point(sweep, costs=costs, reviewer=reviewer)
    return float(costs.cost(point))


def _net_benefit_influence(sweep: ThresholdSweep, *, threshold: float) -> PointInfluence:
    """Return the influence on the net benefit.

    The net benefit is the mean of 1 for accepted correct items, −p/(1 − p) for accepted errors, and 0
    for rejected items.
    """
    accepted = np.asarray(sweep.thresholds[1:] >= threshold, np.bool_)
    mean = net_benefit.net_benefit_at(sweep, threshold=threshold)
    lost = net_benefit.odds_of(threshold)
    return PointInfluence(np.where(accepted, 1.0, 0.0) - mean, np.where(accepted, -lost, 0.0) - mean)


def _net_benefit_part(sweep: ThresholdSweep, *, threshold: float) -> tuple[str, float]:
    true_accepts, false_accepts = sweep.at(threshold)[:2]
    return "correct, or incorrect, accepted items", float(min(true_accepts, false_accepts))


def _rate(name: str, of: Rate, *, lower_is_better: bool = False) -> Definition:
    """Return the definition of a rate at a threshold; `name` is also its name in operating points."""
    label = name.replace("_", " ")

    def value(sweep: ThresholdSweep, *, threshold: float) -> float:
        return float(getattr(operating.operating_point(sweep, threshold=threshold), name))

    def smaller_part(sweep: ThresholdSweep, *, threshold: float) -> tuple[str, float]:
        part, whole = derivatives.parts(sweep, threshold, of)
        return f"items that make up the {label}, or its complement", min(part, whole - part)

    return Definition(
        label=label,
        value=value,
        parameters=("threshold",),
        required="threshold",
        lower_is_better=lower_is_better,
        influence=partial(derivatives.share_at_threshold, of),
        rate=of,
        smaller_part=smaller_part,
        is_mean=True,
        in_part=True,
        is_linear=True,
        estimate=partial(estimated_values.share, of),
    )


DEFINITIONS: dict[str, Definition] = {
    "recognition_rate": Definition(
        label="recognition rate",
        symbol="β",
        value=attrgetter("recognition_rate"),
        evaluated=True,
        lines=derivatives.recognition_rate,
        rate=lambda _, right: (right, True),
        is_mean=True,
        in_part=True,
        is_linear=True,
        estimated_lines=estimated_values.lines_of_recognition_rate,
    ),
    "arac_auc": Definition(
        label="ARAC-AUC",
        value=areas.arac_auc_score,
        ends=(0.5, 1.0),
        evaluated=True,
        lines=derivatives.arac_auc,
        is_line_of_roc=True,
        error_weights=areas.weights_of_errors,
        in_part=True,
        is_linear=True,
        estimate=estimated_values.arac_auc,
        effect_of_errors=lambda items: items.above - 1.0,
        estimated_lines=estimated_values.lines_of_arac_auc,
    ),
    "normalized_arac_auc": Definition(
        label="normalised ARAC-AUC",
        value=areas.normalized_arac_auc_score,
        ends=areas.ends_of_normalized,
        parameters=("gamma",),
        evaluated=True,
        lines=derivatives.normalized_arac_auc,
        of_one_class=True,
        in_part=True,
        estimate=estimated_values.normalized_arac_auc,
        estimated_lines=estimated_values.lines_of_normalized,
    ),
    "arac_partial_auc": Definition(
        label="partial ARAC-AUC",
        value=partial_areas.arac_partial_auc_score,
        ends=_arac_partial_ends,
        parameters=("acceptance_range", "max_error_rate"),
        influence=derivatives.arac_partial_auc,
        smaller_part=derivatives.arac_part,
        in_part=True,
        is_linear=True,
    ),
    "arp_auc": Definition(
        label="ARP-AUC",
        value=risk_areas.arp_auc_score,
        parameters=("estimator",),
        evaluated=True,
        influence=derivatives.arp_auc,
        error_weights=risk_areas.weights_of_errors,
        in_part=True,
        is_linear=True,
        of_risk=True,
    ),
    "normalized_arp_auc": Definition(
        label="normalised ARP-AUC",
        value=risk_areas.normalized_arp_auc_score,
        ends=(-math.inf, 1.0),
        parameters=("estimator", "gamma"),
        influence=derivatives.normalized_arp_auc,
        of_one_class=True,
        few_errors_decide=True,
        in_part=True,
        of_risk=True,
    ),
    "roc_auc": Definition(
        label="ROC-AUC",
        value=_roc_auc,
        evaluated=True,
        lines=derivatives.roc_auc,
        is_line_of_roc=True,
        of_one_class=True,
        in_part=True,
        estimate=estimated_values.roc_auc,
        effect_of_errors=methodcaller("effect_on_roc_auc"),
        estimated_lines=estimated_values.lines_of_roc_auc,
    ),
    "roc_partial_auc": Definition(
        label="partial ROC-AUC",
        value=partial_areas.roc_partial_auc_score,
        ends=_roc_partial_ends,
        parameters=("fpr_range", "tpr_range", "standardize"),
        influence=derivatives.roc_partial_auc,
        smaller_part=derivatives.roc_part,
        has_gaps=True,
    ),
    "pr_auc": Definition(
        label="PR-AUC",
        value=precision_recall.pr_auc_score,
        parameters=("interpolation",),
        evaluated=True,
        influence=derivatives.pr_auc,
        error_weights=precision_recall.weights_of_errors,
        in_part=True,
        estimate=estimated_values.pr_auc,
        least_verified=100,
    ),
    "pr_partial_auc": Definition(
        label="partial PR-AUC",
        value=partial_areas.pr_partial_auc_score,
        ends=_pr_partial_ends,
        parameters=("recall_range", "interpolation", "standardize"),
        required="recall_range",
    ),
    "average_precision": Definition(
        label="average precision",
        value=_average_precision,
        evaluated=True,
        influence=derivatives.average_precision,
        error_weights=precision_recall.weights_of_errors,
        in_part=True,
        estimate=estimated_values.average_precision,
        least_verified=100,
    ),
    "eleven_point_average_precision": Definition(
        label="eleven-point average precision", value=precision_recall.eleven_point_average_precision
    ),
    "aurc": Definition(
        label="AURC",
        value=risk_areas.aurc_loss,
        parameters=("estimator",),
        lower_is_better=True,
        complement="arp_auc",
        evaluated=True,
        influence=derivatives.aurc,
        error_weights=risk_areas.weights_of_errors,
        in_part=True,
        is_linear=True,
        of_risk=True,
    ),
    "excess_aurc": Definition(
        label="excess AURC",
        value=risk_areas.excess_aurc_loss,
        ends=(-1.0, 1.0),
        parameters=("estimator", "optimum"),
        lower_is_better=True,
        influence=derivatives.excess_aurc,
        is_skewed=True,
    ),
    "normalized_aurc": Definition(
        label="normalised AURC",
        value=risk_areas.normalized_aurc_loss,
        ends=(-math.inf, math.inf),
        parameters=("estimator", "optimum"),
        lower_is_better=True,
        influence=derivatives.normalized_aurc,
        of_one_class=True,
        few_errors_decide=True,
        is_skewed=True,
    ),
    "augrc": Definition(
        label="AUGRC",
        value=areas.augrc_loss,
        ends=(0.0, 0.5),
        lower_is_better=True,
        complement="arac_auc",
        evaluated=True,
        lines=derivatives.augrc,
        is_line_of_roc=True,
        error_weights=areas.weights_of_errors,
        in_part=True,
        is_linear=True,
        estimate=estimated_values.augrc,
        effect_of_errors=lambda items: 1.0 - items.above,
        estimated_lines=estimated_values.lines_of_augrc,
    ),
    "break_even_point": Definition(
        label="break-even point", value=lambda sweep: precision_recall.break_even_point(sweep).value
    ),
    "equal_error_rate": Definition(
        label="equal error rate",
        value=lambda sweep: precision_recall.equal_error_rate(sweep).rate,
        lower_is_better=True,
    ),
    "acceptance_at_error_rate": Definition(
        label="acceptance at error rate",
        value=_acceptance(operating.acceptance_at_error_rate),
        parameters=("max_error_rate", "interpolate", "never_accepted"),
        required="max_error_rate",
        in_part=True,
    ),
    "acceptance_at_risk": Definition(
        label="acceptance at risk",
        value=_acceptance(operating.acceptance_at_risk),
        parameters=("max_risk", "interpolate", "never_accepted"),
        required="max_risk",
        in_part=True,
    ),
    "cost": Definition(
        label="cost",
        value=_cost,
        ends=(0.0, math.inf),
        parameters=("costs", "reviewer"),
        required="costs",
        lower_is_better=True,
        influence=derivatives.cost,
        smaller_part=derivatives.cost_part,
        is_mean=True,
    ),
    "acceptance_rate": _rate("acceptance_rate", lambda accepted, _: (accepted, True)),
    "error_rate": _rate(
        "error_rate", lambda accepted, right: (accepted and not right, True), lower_is_better=True
    ),
    "correction_rate": _rate(
        "correction_rate",
        lambda accepted, right: (not accepted and not right, True),
        lower_is_better=True,
    ),
    "risk": _rate(
        "risk", lambda accepted, right: (accepted and not right, accepted), lower_is_better=True
    ),
    "net_benefit": Definition(
        label="net benefit",
        value=net_benefit.net_benefit_at,
        ends=lambda *, threshold: (-net_benefit.odds_of(threshold) or 0.0, 1.0),
        parameters=("threshold",),
        required="threshold",
        influence=_net_benefit_influence,
        smaller_part=_net_benefit_part,
        is_mean=True,
        in_part=True,
        is_linear=True,
    ),
    "precision": _rate("precision", lambda accepted, right: (accepted and right, accepted)),
}

SMOOTH = tuple(name for name, one in DEFINITIONS.items() if one.is_smooth)


@dataclass(frozen=True, slots=True, init=False)
class Statistic(Pickled):
    """A number computed from a threshold sweep, given by name and parameters.

    Where an interval or a test takes a ``statistic``, a name alone stands for the statistic with its
    default parameters.

    Parameters
    ----------
    name : str
        One of the names in ``Statistic.names()``: the area functions without ``_score`` and
        ``_loss``, ``"recognition_rate"``, ``"acceptance_at_error_rate"``, ``"acceptance_at_risk"``,
        ``"cost"`` (of an item at the cheapest threshold), and the rates at a given ``threshold``.
    **parameters
        Keyword arguments of the function with that name, such as ``max_error_rate=0.01``. Acceptance
        rates at a limit also take ``never_accepted``: items with this confidence or less, such as items
        without an output, are never accepted.

    Raises
    ------
    ValueError, TypeError
        For an unknown name, for parameters that its function does not take, for a rate without a
        `threshold`, for an acceptance rate without its limit, and for a cost without prices.

    See Also
    --------
    bootstrap : interval and standard error of a statistic, from resamples of the items
    asymptotic_interval : confidence interval of a statistic, without resampling
    compare_models : compare models on the same items or groups

    Examples
    --------
    >>> import fastarac as fa
    >>> x = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.25)
    >>> x
    Statistic('acceptance_at_error_rate', max_error_rate=0.25)
    >>> x(fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]))
    1.0
    """

    name: str
    parameters: tuple[tuple[str, Any], ...]

    def __init__(self, name: str, **parameters: Any) -> None:
        check_name(name)
        definition = DEFINITIONS[name]
        unknown = sorted(set(parameters).difference(definition.parameters))
        if unknown:
            takes = ", ".join(sorted(definition.parameters)) or "no parameters"
            raise TypeError(f"statistic {name!r} has no parameter {unknown[0]!r}; it takes {takes}")
        if definition.required is not None and definition.required not in parameters:
            raise TypeError(
                f"statistic {name!r} needs {definition.required}: use Statistic({name!r}, "
                f"{definition.required}=...)"
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "parameters", tuple(sorted(parameters.items())))
        self(_EXAMPLE)  # raises if a parameter value is invalid

    def __call__(self, sweep: ThresholdSweep | AcceptedCounts) -> float:
        """Return the statistic's value for a sweep; NaN, without a warning, if it is undefined."""
        with undefined_is_nan():
            return float(self.definition.value(sweep, **dict(self.parameters)))

    def __repr__(self) -> str:
        parameters = "".join(f", {key}={value!r}" for key, value in self.parameters)
        return f"Statistic({self.name!r}{parameters})"

    @property
    def definition(self) -> Definition:
        """The definition of the statistic."""
        return DEFINITIONS[self.name]

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and largest possible value with these parameters; may be infinite."""
        ends = self.definition.ends
        return ends(**dict(self.parameters)) if callable(ends) else ends

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the names of all statistics."""
        return tuple(DEFINITIONS)


# Names that other packages use for these statistics.
OTHER_NAMES = {"auroc": "roc_auc", "auc": "roc_auc", "auprc": "pr_auc", "ap": "average_precision"}


def check_name(name: object, argument: str = "statistic") -> None:
    """Raise unless there is a statistic with this name; the error names the `argument`."""
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be a name, got {name!r} ({type(name).__name__})")
    if name not in DEFINITIONS:
        names = ", ".join(DEFINITIONS)
        raise ValueError(f"{argument} {name!r} is unknown{_meant(name)}; it must be one of {names}")


def _meant(name: str) -> str:
    """Return a suggestion for an unknown name, or an empty string."""
    known, *parameters = name.split(":")
    if known in DEFINITIONS and parameters:
        return f" (parameters are given by name: Statistic({known!r}, {', '.join(parameters)}))"
    plain = known.strip().lower().replace("-", "_").replace(" ", "_")
    plain = plain.removesuffix("_score").removesuffix("_loss")
    close = [OTHER_NAMES[plain]] if plain in OTHER_NAMES else []
    close += [f"{plain}_auc"] if f"{plain}_auc" in DEFINITIONS else []
    close += difflib.get_close_matches(plain, DEFINITIONS, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def as_statistic(statistic: str | Statistic) -> Statistic:
    """Return the given statistic, or the statistic with this name and default parameters."""
    if isinstance(statistic, Statistic):
        return statistic
    if isinstance(statistic, str):
        return Statistic(statistic)
    raise TypeError(f"statistic must be a name or a Statistic, got {statistic!r}")


_EXAMPLE = ThresholdSweep.from_counts([0.0, 1.0], [1, 1], [1, 0])
