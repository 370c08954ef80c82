"""Options and limits of an evaluation, and the printed names of its figures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, cast

import numpy as np

from fastarac._core.checks import fractions_of, real_scalar
from fastarac._core.metric_keys import as_key
from fastarac._core.results import Result
from fastarac._core.text import count, percent
from fastarac.costs.verification import VerificationCosts, require_costs
from fastarac.uncertainty.statistics import DEFINITIONS, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from fastarac._core.interval import Interval
    from fastarac.bounds.extremes import Bounds
    from fastarac.reviewer import Reviewer

    class Limits(TypedDict, total=False):
        """Options of every evaluation."""

        max_error_rate: ArrayLike
        max_risk: ArrayLike
        threshold: float | Sequence[float]
        costs: VerificationCosts | None

    class Options(Limits, total=False):
        """Options of evaluations from counts at each confidence."""

        reviewer: Reviewer | None
        intervals: bool
        confidence_level: float
        failure_probability: float | None

    class OptionsOfItems(Options, total=False):
        """Options of evaluations from single items."""

        sample_weight: ArrayLike | None
        groups: ArrayLike | None
        graded: bool
        never_accepted: float | None
        unseen_pages: bool


LABELS = {name: one.title for name, one in DEFINITIONS.items() if one.evaluated}
# Minimum number of errors that a limit must allow. With fewer, figures at the limit depend mostly on
# chance.
FEW = 10
# Equal prices, so that γ = 1 and δ = 0 as in the tables of Kimura et al.
UNIT_PRICES = VerificationCosts(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Limit(Result):
    """A criterion that sets a threshold, with its value.

    Attributes
    ----------
    criterion : {"max_error_rate", "max_risk", "threshold"}
        The keyword argument of :func:`.operating_point`.
    value : float or int
        A rate in [0, 1], or the threshold.

    See Also
    --------
    fastarac.operating_point : choose the threshold by one criterion, and return its counts and rates
    LimitEvaluation : the outcome at one limit

    Examples
    --------
    >>> from fastarac.evaluation.limits import Limit
    >>> Limit("max_error_rate", 0.01).key
    '0.01'
    """

    criterion: Literal["max_error_rate", "max_risk", "threshold"]
    value: float

    @property
    def key(self) -> str:
        """Suffix of the keys of the limit's figures: ``0.01``, ``risk/0.01``, ``threshold/0.9``."""
        if self.criterion == "threshold":
            return f"threshold/{as_key(repr(self.value))}"
        return f"{'risk/' if self.criterion == 'max_risk' else ''}{as_key(f'{self.value:.12g}')}"

    def __str__(self) -> str:
        if self.value == math.inf:
            return "at no threshold"
        if self.criterion == "threshold":
            return f"at confidence >= {self.value!r}".removesuffix(".0")
        kind = "errors among the accepted" if self.criterion == "max_risk" else "errors"
        return f"at most {percent(self.value)} {kind}"


class Asked(NamedTuple):
    """Options of the evaluation of a sample."""

    limits: Sequence[Limit]
    prices: VerificationCosts
    """Prices for W and normalised areas."""
    costs: VerificationCosts | None
    reviewer: Reviewer | None
    groups: ArrayLike | None
    graded: bool
    level: float | None
    failure_probability: float | None
    never_accepted: float | None
    unseen_pages: bool = False


def is_given(limit: Limit) -> bool:
    """Return whether the limit is a given threshold."""
    return limit.criterion == "threshold"


def few_for(limit: Limit, n: float) -> str:
    """Return a sentence if there are too few outputs for a limit, else an empty string."""
    if is_given(limit) or not 0 < limit.value * n < FEW:
        return ""
    few = f"{count(n)} outputs are few for a limit of {short(limit)}"
    return f"{few}: these figures depend mostly on chance."


def as_given(limit: Limit) -> str:
    """Return the value of a limit as a text with exactly the digits given."""
    return exact(limit.value)


def short(limit: Limit) -> str:
    """Return the limit as a short text for headers and remarks."""
    if is_given(limit):
        return f">= {as_given(limit)}"
    return f"{percent(limit.value)} {'risk' if limit.criterion == 'max_risk' else 'errors'}"


def exact(value: float) -> str:
    """Return a threshold with all its digits, because a rounded one might accept more."""
    return repr(value).removesuffix(".0")


def name_of(figure: str, costs: VerificationCosts) -> str:
    """Return the printed name of a figure of :data:`LABELS`, with γ if the figure depends on it."""
    definition = DEFINITIONS[figure]
    return definition.title + (f" (γ = {costs.gamma:g})" if "gamma" in definition.parameters else "")


def shown(threshold: float) -> str:
    """Return a threshold with all its digits; in words if it accepts nothing."""
    return "none: review everything" if threshold == math.inf else f"{threshold!r}"


def rows_of(
    found: Any, costs: VerificationCosts, accepted: str, errors: str, performance: str
) -> list[tuple[str, str]]:
    """Return the rows that ``print`` shows for an evaluated limit."""
    return [
        (f"{found.limit}: accepted", accepted),
        ("    threshold", shown(found.point.threshold)),
        ("    errors that remain", errors),
        (f"    W (γ = {costs.gamma:g}, δ = {costs.delta:g})", performance),
    ]


def ends_of(name: str, ends: Interval | Bounds) -> dict[str, float]:
    """Return the ends of a figure's interval; the keys have ``_low`` or ``_high`` after its name."""
    figure, at, key = name.partition("/")
    return {f"{figure}_{end}{at}{key}": getattr(ends, end) for end in ("low", "high")}


def prices_of(costs: VerificationCosts | None) -> VerificationCosts:
    """Return the checked prices of an evaluation; by default γ = 1 and δ = 0."""
    return UNIT_PRICES if costs is None else require_costs(costs)


def read_limits(
    max_error_rate: ArrayLike, max_risk: ArrayLike, threshold: float | Sequence[float]
) -> list[Limit]:
    """Check the limits of an evaluation and return them in the order of its results."""
    rates = _rates_of(max_error_rate, "max_error_rate")
    risks = _rates_of(max_risk, "max_risk")
    several = isinstance(threshold, list | tuple | np.ndarray)
    given: Any = list(threshold) if several else [threshold]  # type: ignore[arg-type]
    return [
        *(Limit("max_error_rate", rate) for rate in rates),
        *(Limit("max_risk", risk) for risk in risks),
        *(
            # Keep integers, because large ones do not fit a float.
            Limit("threshold", t if type(t) is int else real_scalar(t, "threshold", finite=False))
            for t in given
        ),
    ]


def _rates_of(values: ArrayLike, name: str) -> list[float]:
    """Return the rates as floats; raise unless they are in [0, 1]."""
    # A tuple of floats needs no slow conversion to an array.
    if isinstance(values, tuple) and all(type(rate) is float and 0.0 <= rate <= 1.0 for rate in values):
        return cast("list[float]", list(values))
    return list(fractions_of(values, name).ravel().tolist())


def statistics_of_limit(limit: Limit, never_accepted: float | None = None) -> dict[str, Statistic]:
    """Return, by name, the statistics at a limit for which intervals are computed."""
    if limit.criterion == "threshold":
        least = -math.inf if never_accepted is None else math.nextafter(never_accepted, math.inf)
        rates = statistics_of((), 1.0, {limit.key: max(limit.value, least)})
        return dict(reversed(rates.items()))
    name = f"acceptance_at_{limit.criterion.removeprefix('max_')}"
    of_limit: dict[str, Any] = {limit.criterion: limit.value}
    if never_accepted is not None:
        of_limit["never_accepted"] = never_accepted
    return {f"acceptance_rate/{limit.key}": Statistic(name, **of_limit)}


def statistics_of(
    names: Iterable[str], gamma: float, thresholds: Mapping[str, float]
) -> dict[str, Statistic]:
    """Return, by name, the statistics `names` and two rates at each of the `thresholds`."""
    found = {
        name: Statistic(name, **({"gamma": gamma} if "gamma" in DEFINITIONS[name].parameters else {}))
        for name in names
    }
    for key, threshold in thresholds.items():
        for rate in ("acceptance_rate", "error_rate"):
            found[f"{rate}/{key}"] = Statistic(rate, threshold=threshold)
    return found


def label_of(name: str, limits: Sequence[Limit]) -> str:
    """Return the printed name of a figure, with its limit if it has one."""
    figure, _, key = name.partition("/")
    if not key:
        return DEFINITIONS[name].title
    limit = next(limit for limit in limits if limit.key == key)
    share = "share accepted" if figure == "acceptance_rate" else DEFINITIONS[figure].label
    return f"{share} {limit if limit.criterion == 'threshold' else f'within {limit}'}"
