"""The statistics that intervals and tests are made for, by name."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.exceptions import undefined_is_nan
from fastarac._core.results import Pickled
from fastarac._engine.counts import ThresholdCounts
from fastarac.areas import arac as areas
from fastarac.areas import partial as partial_areas
from fastarac.areas import precision_recall
from fastarac.areas import risk as risk_areas
from fastarac.costs.verification import optimal_operating_point
from fastarac.operating_points import points as operating
from fastarac.operating_points.limits import last_accepted, most_accepted
from fastarac.samples.door import as_ranked
from fastarac.sweep import ThresholdSweep, trusted_sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.costs.verification import VerificationCosts
    from fastarac.reviewer import Reviewer


class _Definition(NamedTuple):
    """How a statistic is read off a sweep, and between which values it lies."""

    of: Callable[..., Any]
    ends: tuple[float, float] | Callable[..., tuple[float, float]] = (0.0, 1.0)  # of its parameters
    parameters: tuple[str, ...] = ()
    required: str | None = None


def _roc_auc(sweep: ThresholdSweep) -> float:
    return as_ranked(sweep, corners=True).roc_auc


def _average_precision(sweep: ThresholdSweep) -> float:
    return precision_recall.pr_auc_score(sweep, interpolation="step")


def _at_threshold(rate: str) -> Callable[..., float]:
    def of(sweep: ThresholdSweep, *, threshold: float) -> float:
        point = operating.operating_point(sweep, threshold=threshold)
        return float(getattr(point, rate))

    return of


def _acceptance(of: Callable[..., float]) -> Callable[..., float]:
    """Give an acceptance rate the parameter `never_accepted`."""

    def above(sweep: ThresholdSweep, *, never_accepted: float | None = None, **limit: float) -> float:
        last = last_accepted(sweep, never_accepted)
        if last == len(sweep.true_accepts) - 1:
            return of(sweep, **limit)
        most = most_accepted(sweep, never_accepted)
        if "max_error_rate" in limit:  # all points before one that keeps the limit keep it, too
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
    """Of a part of a curve that is at least Y = 1 − X; rounded once, as the area itself is."""
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


def _cost(
    sweep: ThresholdSweep, *, costs: VerificationCosts, reviewer: Reviewer | None = None
) -> float:
    """What an item costs at the cheapest threshold."""
    point = optimal_operating_point(sweep, costs=costs, reviewer=reviewer)
    return float(costs.cost(point))


_OPTIMUM = ("estimator", "optimum")

_DEFINITIONS: dict[str, _Definition] = {
    "recognition_rate": _Definition(attrgetter("recognition_rate")),
    "arac_auc": _Definition(areas.arac_auc_score, (0.5, 1.0)),
    "normalized_arac_auc": _Definition(
        areas.normalized_arac_auc_score, areas.ends_of_normalized, ("gamma",)
    ),
    "augrc": _Definition(areas.augrc_loss, (0.0, 0.5)),
    "arac_partial_auc": _Definition(
        partial_areas.arac_partial_auc_score,
        _arac_partial_ends,
        ("acceptance_range", "max_error_rate"),
    ),
    "arp_auc": _Definition(risk_areas.arp_auc_score, parameters=("estimator",)),
    "normalized_arp_auc": _Definition(
        risk_areas.normalized_arp_auc_score, (-math.inf, 1.0), ("estimator", "gamma")
    ),
    "aurc": _Definition(risk_areas.aurc_loss, parameters=("estimator",)),
    "excess_aurc": _Definition(risk_areas.excess_aurc_loss, (-1.0, 1.0), _OPTIMUM),
    "normalized_aurc": _Definition(risk_areas.normalized_aurc_loss, (-math.inf, math.inf), _OPTIMUM),
    "roc_auc": _Definition(_roc_auc),
    "roc_partial_auc": _Definition(
        partial_areas.roc_partial_auc_score,
        _roc_partial_ends,
        ("fpr_range", "tpr_range", "standardize"),
    ),
    "pr_auc": _Definition(precision_recall.pr_auc_score, parameters=("interpolation",)),
    "average_precision": _Definition(_average_precision),
    "eleven_point_average_precision": _Definition(precision_recall.eleven_point_average_precision),
    "break_even_point": _Definition(lambda sweep: precision_recall.break_even_point(sweep).value),
    "equal_error_rate": _Definition(lambda sweep: precision_recall.equal_error_rate(sweep).rate),
    "acceptance_at_error_rate": _Definition(
        _acceptance(operating.acceptance_at_error_rate),
        parameters=("max_error_rate", "interpolate", "never_accepted"),
        required="max_error_rate",
    ),
    "acceptance_at_risk": _Definition(
        _acceptance(operating.acceptance_at_risk),
        parameters=("max_risk", "interpolate", "never_accepted"),
        required="max_risk",
    ),
    "cost": _Definition(_cost, (0.0, math.inf), parameters=("costs", "reviewer"), required="costs"),
    **{
        rate: _Definition(_at_threshold(rate), parameters=("threshold",), required="threshold")
        for rate in ("acceptance_rate", "error_rate", "correction_rate", "risk", "precision")
    },
}

LOWER_IS_BETTER = frozenset(
    {
        "augrc", "aurc", "cost", "excess_aurc", "normalized_aurc", "equal_error_rate", "error_rate",
        "correction_rate", "risk",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, init=False)
class Statistic(Pickled):
    """A number that is read off a threshold sweep, by name and with its parameters.

    Where an interval or a test takes ``statistic``, a plain name stands for the statistic with its
    default parameters.

    Parameters
    ----------
    name : str
        One of the names in ``Statistic.names()``: the area functions without ``_score`` and
        ``_loss``, ``"recognition_rate"``, ``"acceptance_at_error_rate"``, ``"acceptance_at_risk"``,
        ``"cost"`` (of an item at the cheapest threshold), and the rates at a given ``threshold``.
    **parameters
        Keyword arguments of the function of that name, such as ``max_error_rate=0.01``. Acceptance
        rates at a limit also take ``never_accepted``, the confidence at and below which no threshold
        accepts, whatever is allowed: that of outputs without one.

    Raises
    ------
    ValueError, TypeError
        For an unknown name, for parameters that its function does not take, for a rate without a
        `threshold`, and for an acceptance rate without its limit or a cost without prices.

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
        definition = _DEFINITIONS[name]
        unknown = sorted(set(parameters).difference(definition.parameters))
        if unknown:
            takes = ", ".join(sorted(definition.parameters)) or "no parameters"
            raise TypeError(f"statistic {name!r} has no parameter {unknown[0]!r}; it takes {takes}")
        if definition.required is not None and definition.required not in parameters:
            raise TypeError(
                f"statistic {name!r} is given without {definition.required}; "
                f"Statistic({name!r}, {definition.required}=...) is expected"
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "parameters", tuple(sorted(parameters.items())))
        self(_EXAMPLE)  # bad values of parameters raise here

    def __call__(self, sweep: ThresholdSweep | AcceptedCounts) -> float:
        """Return the statistic of a sweep; NaN, without a warning, where it is undefined."""
        with undefined_is_nan():
            return float(_DEFINITIONS[self.name].of(sweep, **dict(self.parameters)))

    def __repr__(self) -> str:
        parameters = "".join(f", {key}={value!r}" for key, value in self.parameters)
        return f"Statistic({self.name!r}{parameters})"

    @property
    def range(self) -> tuple[float, float]:
        """Ends that it always lies between, with its parameters; infinite where it has none."""
        ends = _DEFINITIONS[self.name].ends
        return ends(**dict(self.parameters)) if callable(ends) else ends

    @staticmethod
    def names() -> tuple[str, ...]:
        """All names there are."""
        return tuple(_DEFINITIONS)


def check_name(name: object, argument: str = "statistic") -> None:
    """Raise unless there is a statistic of this name, which was given as `argument`."""
    if not isinstance(name, str):
        raise TypeError(f"{argument} is {name!r} ({type(name).__name__}); a name is expected")
    if name not in _DEFINITIONS:
        message = f"{argument} is {name!r}; one of {', '.join(_DEFINITIONS)} is expected"
        raise ValueError(message + _meant(name))


def _meant(name: str) -> str:
    """Say what an unknown name may have been meant for, where that shows."""
    known, *parameters = name.split(":")
    if known in _DEFINITIONS and parameters:
        return f" (parameters are given by name: Statistic({known!r}, {', '.join(parameters)}))"
    plain = known.strip().lower().replace("-", "_").replace(" ", "_")
    plain = plain.removesuffix("_score").removesuffix("_loss")
    close = [f"{plain}_auc"] if f"{plain}_auc" in _DEFINITIONS else []
    close += difflib.get_close_matches(plain, _DEFINITIONS, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def as_statistic(statistic: str | Statistic) -> Statistic:
    """Return the statistic of that name, with its default parameters, or the one given."""
    if isinstance(statistic, Statistic):
        return statistic
    if isinstance(statistic, str):
        return Statistic(statistic)
    raise TypeError(f"statistic is {statistic!r}; a name or a Statistic is expected")


_EXAMPLE = ThresholdSweep.from_counts([0.0, 1.0], [1, 1], [1, 0])
