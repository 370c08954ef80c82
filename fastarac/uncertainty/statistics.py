"""The register of statistics: an entry has all that the library knows of one."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fastarac._core.exceptions import undefined_is_nan
from fastarac._core.results import Pickled
from fastarac._engine.counts import ThresholdCounts
from fastarac.areas import arac as areas
from fastarac.areas import partial as partial_areas
from fastarac.areas import precision_recall
from fastarac.areas import risk as risk_areas
from fastarac.costs.verification import optimal_operating_point
from fastarac.estimated_sweep import roc_auc_of
from fastarac.operating_points import points as operating
from fastarac.operating_points.limits import last_accepted, most_accepted
from fastarac.sweep import ThresholdSweep, as_ranked, trusted_sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.costs.verification import VerificationCosts
    from fastarac.reviewer import Reviewer


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """All that the library knows of a statistic: evaluations, intervals, tests and commands read it."""

    label: str
    """What people call it."""
    value: Callable[..., Any]
    """Of a sweep, with its parameters."""
    symbol: str = ""
    """Behind the label in tables of figures."""
    ends: tuple[float, float] | Callable[..., tuple[float, float]] = (0.0, 1.0)
    """Between which it lies, or a function of its parameters that returns them."""
    parameters: tuple[str, ...] = ()
    required: str | None = None
    """The parameter without which it means nothing."""
    lower_is_better: bool = False
    evaluated: bool = False
    """Whether each evaluation of a model has it as a row."""

    @property
    def title(self) -> str:
        """The label with the symbol."""
        return f"{self.label} {self.symbol}".rstrip()


def _roc_auc(sweep: ThresholdSweep) -> float:
    return roc_auc_of(as_ranked(sweep, corners=True))


def _average_precision(sweep: ThresholdSweep) -> float:
    return precision_recall.pr_auc_score(sweep, interpolation="step")


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


def _rate(name: str, *, lower_is_better: bool = False) -> Definition:
    """A share of items at a threshold, which operating points have under its name."""

    def value(sweep: ThresholdSweep, *, threshold: float) -> float:
        return float(getattr(operating.operating_point(sweep, threshold=threshold), name))

    return Definition(
        label=name.replace("_", " "),
        value=value,
        parameters=("threshold",),
        required="threshold",
        lower_is_better=lower_is_better,
    )


DEFINITIONS: dict[str, Definition] = {
    "recognition_rate": Definition(
        label="recognition rate",
        symbol="β",
        value=attrgetter("recognition_rate"),
        evaluated=True,
    ),
    "arac_auc": Definition(
        label="ARAC-AUC", value=areas.arac_auc_score, ends=(0.5, 1.0), evaluated=True
    ),
    "normalized_arac_auc": Definition(
        label="normalised ARAC-AUC",
        value=areas.normalized_arac_auc_score,
        ends=areas.ends_of_normalized,
        parameters=("gamma",),
        evaluated=True,
    ),
    "arac_partial_auc": Definition(
        label="partial ARAC-AUC",
        value=partial_areas.arac_partial_auc_score,
        ends=_arac_partial_ends,
        parameters=("acceptance_range", "max_error_rate"),
    ),
    "arp_auc": Definition(
        label="ARP-AUC", value=risk_areas.arp_auc_score, parameters=("estimator",), evaluated=True
    ),
    "normalized_arp_auc": Definition(
        label="normalised ARP-AUC",
        value=risk_areas.normalized_arp_auc_score,
        ends=(-math.inf, 1.0),
        parameters=("estimator", "gamma"),
    ),
    "roc_auc": Definition(label="ROC-AUC", value=_roc_auc, evaluated=True),
    "roc_partial_auc": Definition(
        label="partial ROC-AUC",
        value=partial_areas.roc_partial_auc_score,
        ends=_roc_partial_ends,
        parameters=("fpr_range", "tpr_range", "standardize"),
    ),
    "pr_auc": Definition(
        label="PR-AUC",
        value=precision_recall.pr_auc_score,
        parameters=("interpolation",),
        evaluated=True,
    ),
    "average_precision": Definition(
        label="average precision", value=_average_precision, evaluated=True
    ),
    "eleven_point_average_precision": Definition(
        label="eleven-point average precision", value=precision_recall.eleven_point_average_precision
    ),
    "aurc": Definition(
        label="AURC",
        value=risk_areas.aurc_loss,
        parameters=("estimator",),
        lower_is_better=True,
        evaluated=True,
    ),
    "excess_aurc": Definition(
        label="excess AURC",
        value=risk_areas.excess_aurc_loss,
        ends=(-1.0, 1.0),
        parameters=("estimator", "optimum"),
        lower_is_better=True,
    ),
    "normalized_aurc": Definition(
        label="normalised AURC",
        value=risk_areas.normalized_aurc_loss,
        ends=(-math.inf, math.inf),
        parameters=("estimator", "optimum"),
        lower_is_better=True,
    ),
    "augrc": Definition(
        label="AUGRC", value=areas.augrc_loss, ends=(0.0, 0.5), lower_is_better=True, evaluated=True
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
    ),
    "acceptance_at_risk": Definition(
        label="acceptance at risk",
        value=_acceptance(operating.acceptance_at_risk),
        parameters=("max_risk", "interpolate", "never_accepted"),
        required="max_risk",
    ),
    "cost": Definition(
        label="cost",
        value=_cost,
        ends=(0.0, math.inf),
        parameters=("costs", "reviewer"),
        required="costs",
        lower_is_better=True,
    ),
    "acceptance_rate": _rate("acceptance_rate"),
    "error_rate": _rate("error_rate", lower_is_better=True),
    "correction_rate": _rate("correction_rate", lower_is_better=True),
    "risk": _rate("risk", lower_is_better=True),
    "precision": _rate("precision"),
}


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
        definition = DEFINITIONS[name]
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
            return float(self.definition.value(sweep, **dict(self.parameters)))

    def __repr__(self) -> str:
        parameters = "".join(f", {key}={value!r}" for key, value in self.parameters)
        return f"Statistic({self.name!r}{parameters})"

    @property
    def definition(self) -> Definition:
        """Its entry in the register."""
        return DEFINITIONS[self.name]

    @property
    def range(self) -> tuple[float, float]:
        """Ends that it always lies between, with its parameters; infinite where it has none."""
        ends = self.definition.ends
        return ends(**dict(self.parameters)) if callable(ends) else ends

    @staticmethod
    def names() -> tuple[str, ...]:
        """All names there are."""
        return tuple(DEFINITIONS)


def check_name(name: object, argument: str = "statistic") -> None:
    """Raise unless there is a statistic of this name, which was given as `argument`."""
    if not isinstance(name, str):
        raise TypeError(f"{argument} is {name!r} ({type(name).__name__}); a name is expected")
    if name not in DEFINITIONS:
        message = f"{argument} is {name!r}; one of {', '.join(DEFINITIONS)} is expected"
        raise ValueError(message + _meant(name))


def _meant(name: str) -> str:
    """Say what an unknown name may have been meant for, where that shows."""
    known, *parameters = name.split(":")
    if known in DEFINITIONS and parameters:
        return f" (parameters are given by name: Statistic({known!r}, {', '.join(parameters)}))"
    plain = known.strip().lower().replace("-", "_").replace(" ", "_")
    plain = plain.removesuffix("_score").removesuffix("_loss")
    close = [f"{plain}_auc"] if f"{plain}_auc" in DEFINITIONS else []
    close += difflib.get_close_matches(plain, DEFINITIONS, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def as_statistic(statistic: str | Statistic) -> Statistic:
    """Return the statistic of that name, with its default parameters, or the one given."""
    if isinstance(statistic, Statistic):
        return statistic
    if isinstance(statistic, str):
        return Statistic(statistic)
    raise TypeError(f"statistic is {statistic!r}; a name or a Statistic is expected")


_EXAMPLE = ThresholdSweep.from_counts([0.0, 1.0], [1, 1], [1, 0])
