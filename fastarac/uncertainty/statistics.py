"""The statistics that intervals and tests are made for, by name."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac import areas, operating, partial_areas, precision_recall, risk_areas
from fastarac.exceptions import UndefinedMetricWarning
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Callable


class _Definition(NamedTuple):
    """How a statistic is read off a sweep, and between which values it lies."""

    of: Callable[..., Any]
    low: float = 0.0
    high: float = 1.0
    parameters: frozenset[str] = frozenset()


def _roc_auc(sweep: ThresholdSweep) -> float:
    return areas.roc_auc(areas.pair_counts(sweep, None, None))


def _average_precision(sweep: ThresholdSweep) -> float:
    return precision_recall.pr_auc_score(sweep, interpolation="step")


def _break_even(sweep: ThresholdSweep) -> float:
    return precision_recall.break_even_point(sweep).value


def _equal_error_rate(sweep: ThresholdSweep) -> float:
    return precision_recall.equal_error_rate(sweep).rate


def _recognition_rate(sweep: ThresholdSweep) -> float:
    return sweep.recognition_rate


def _at_threshold(rate: str) -> Callable[..., float]:
    def of(sweep: ThresholdSweep, *, threshold: float) -> float:
        point = operating.operating_point(sweep, threshold=threshold)
        return float(getattr(point, rate))

    return of


_AT = frozenset({"threshold"})
_ESTIMATOR = frozenset({"estimator"})
_OPTIMUM = frozenset({"estimator", "optimum"})

_DEFINITIONS: dict[str, _Definition] = {
    "recognition_rate": _Definition(_recognition_rate),
    "arac_auc": _Definition(areas.arac_auc_score),
    "normalized_arac_auc": _Definition(
        areas.normalized_arac_auc_score, parameters=frozenset({"gamma"})
    ),
    "augrc": _Definition(areas.augrc_loss),
    "arac_partial_auc": _Definition(
        partial_areas.arac_partial_auc_score,
        parameters=frozenset({"acceptance_range", "max_error_rate"}),
    ),
    "arp_auc": _Definition(risk_areas.arp_auc_score, parameters=_ESTIMATOR),
    "normalized_arp_auc": _Definition(
        risk_areas.normalized_arp_auc_score, -math.inf, parameters=_ESTIMATOR | {"gamma"}
    ),
    "aurc": _Definition(risk_areas.aurc_loss, parameters=_ESTIMATOR),
    "excess_aurc": _Definition(risk_areas.excess_aurc_loss, -1.0, parameters=_OPTIMUM),
    "normalized_aurc": _Definition(
        risk_areas.normalized_aurc_loss, -math.inf, math.inf, parameters=_OPTIMUM
    ),
    "roc_auc": _Definition(_roc_auc),
    "roc_partial_auc": _Definition(
        partial_areas.roc_partial_auc_score,
        parameters=frozenset({"fpr_range", "tpr_range", "standardize"}),
    ),
    "pr_auc": _Definition(precision_recall.pr_auc_score, parameters=frozenset({"interpolation"})),
    "average_precision": _Definition(_average_precision),
    "eleven_point_average_precision": _Definition(precision_recall.eleven_point_average_precision),
    "break_even_point": _Definition(_break_even),
    "equal_error_rate": _Definition(_equal_error_rate),
    "acceptance_at_error_rate": _Definition(
        operating.acceptance_at_error_rate, parameters=frozenset({"error_rate", "interpolate"})
    ),
    "acceptance_rate": _Definition(_at_threshold("acceptance_rate"), parameters=_AT),
    "error_rate": _Definition(_at_threshold("error_rate"), parameters=_AT),
    "correction_rate": _Definition(_at_threshold("correction_rate"), parameters=_AT),
    "risk": _Definition(_at_threshold("risk"), parameters=_AT),
    "precision": _Definition(_at_threshold("precision"), parameters=_AT),
}


@dataclass(frozen=True, slots=True, init=False)
class Statistic:
    """A number that is read off a threshold sweep, by name and with its parameters.

    Where an interval or a test takes ``statistic``, a plain name stands for the statistic with its
    default parameters.

    Parameters
    ----------
    name : str
        One of the names in ``Statistic.names()``: the area functions without ``_score`` and
        ``_loss``, ``"recognition_rate"``, ``"acceptance_at_error_rate"``, and the rates at a given
        ``threshold``.
    **parameters
        Keyword arguments of the function of that name, such as ``error_rate=0.01``.

    Raises
    ------
    ValueError, TypeError
        For an unknown name, and for parameters that its function does not take.

    Examples
    --------
    >>> import fastarac as fa
    >>> x = fa.Statistic("acceptance_at_error_rate", error_rate=0.25)
    >>> x
    Statistic('acceptance_at_error_rate', error_rate=0.25)
    >>> x(fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]))
    1.0
    """

    name: str
    parameters: tuple[tuple[str, Any], ...]

    def __init__(self, name: str, **parameters: Any) -> None:
        if name not in _DEFINITIONS:
            message = f"statistic is {name!r}; one of {', '.join(_DEFINITIONS)} is expected"
            raise ValueError(message)
        unknown = sorted(set(parameters) - _DEFINITIONS[name].parameters)
        if unknown:
            takes = ", ".join(sorted(_DEFINITIONS[name].parameters)) or "no parameters"
            message = f"statistic {name!r} has no parameter {unknown[0]!r}; it takes {takes}"
            raise TypeError(message)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "parameters", tuple(sorted(parameters.items())))
        self(_EXAMPLE)  # bad values of parameters raise here

    def __call__(self, sweep: ThresholdSweep) -> float:
        """Return the statistic of a sweep; NaN, without a warning, where it is undefined."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return float(_DEFINITIONS[self.name].of(sweep, **dict(self.parameters)))

    def __repr__(self) -> str:
        parameters = "".join(f", {key}={value!r}" for key, value in self.parameters)
        return f"Statistic({self.name!r}{parameters})"

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value it can take."""
        definition = _DEFINITIONS[self.name]
        return definition.low, definition.high

    @staticmethod
    def names() -> tuple[str, ...]:
        """All names there are."""
        return tuple(_DEFINITIONS)


def as_statistic(statistic: str | Statistic) -> Statistic:
    """Return the statistic of that name, with its default parameters, or the one given."""
    if isinstance(statistic, Statistic):
        return statistic
    if isinstance(statistic, str):
        return Statistic(statistic)
    message = f"statistic is {statistic!r}; a name or a Statistic is expected"
    raise TypeError(message)


_EXAMPLE = ThresholdSweep.from_counts([0.0, 1.0], [1, 1], [1, 0])
