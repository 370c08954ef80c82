"""Expected numbers of errors, estimated from the items that tested the guarantee."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.interval import Interval
from fastarac._core.special import chi_square_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.reviewer import Reviewer

# A field's rate is shrunk towards the overall rate: the field gets additional outputs at the overall
# rate, with this number of errors (with groups, with the errors of this number of groups).
PRIOR = 3.0


class TestedCounts(NamedTuple):
    """Counts of the tested items, with accepted outputs and errors for each field."""

    n_items: int
    accepted: tuple[int, ...]
    errors: tuple[float, ...]
    errors_per_group: float
    n_verified: int | None = None

    @classmethod
    def of(
        cls,
        right: NDArray[np.bool_],
        accepted: NDArray[np.bool_],
        field: NDArray[np.intp],
        groups: NDArray[Any] | None,
        n_fields: int,
        weight: NDArray[np.float64] | None = None,
    ) -> TestedCounts:
        """Count outputs and errors; with `weight`, estimate errors by the ratio estimator (Hájek 1971).

        An error with inclusion probability π then counts as 1/π errors in one group.
        """
        wrong = accepted & ~right
        per_group = 1.0
        taken, errors = (np.bincount(field[of], minlength=n_fields) for of in (accepted, wrong))
        if weight is None:
            if groups is not None and wrong.any():
                in_groups = np.bincount(groups[wrong])
                per_group = float(np.sum(in_groups**2) / in_groups.sum())
            return cls(len(right), tuple(taken.tolist()), tuple(errors.tolist()), per_group)
        known, found = (np.bincount(field[of], weight[of], n_fields) for of in (accepted, wrong))
        rates = np.divide(found, known, out=np.zeros(n_fields), where=known > 0.0)
        # Without accepted errors, use the weights of all accepted outputs, because each might be wrong.
        of = wrong if wrong.any() else accepted & (weight > 0.0)
        if of.any():
            together = weight[of] if groups is None else np.bincount(groups[of], weight[of])
            per_group = float(np.sum(together**2) / together.sum())
        return cls(
            len(wrong), tuple(taken.tolist()), tuple((taken * rates).tolist()), max(1.0, per_group),
            int(np.sum(weight > 0.0)),
        )  # fmt: skip


def expected_rates(
    tested: tuple[int, ...], wrong: tuple[float, ...], per_group: float, is_all: bool
) -> list[float]:
    """Return the expected share of errors among the accepted outputs of each field.

    For each field, `tested` is the number of accepted outputs in the test, and `wrong` the number of
    errors among them. Unless all outputs were accepted (`is_all`), the errors of one more group
    (`per_group`) are added, because the threshold is just above an error.
    """
    whole = sum(tested)
    beyond = 0.0 if is_all else per_group
    overall = (sum(wrong) + beyond) / (whole + beyond) if whole else 0.0
    if not overall or len(tested) == 1:
        return [overall] * len(tested)
    prior = PRIOR * per_group
    rates = [(k + prior) / (n + prior / overall) for n, k in zip(tested, wrong, strict=True)]
    together = math.fsum(n * rate for n, rate in zip(tested, rates, strict=True))
    return [rate * overall * whole / together for rate in rates]


def errors_expected(
    accepted: tuple[int, ...],
    tested: tuple[int, ...],
    wrong: tuple[float, ...],
    per_group: float,
    is_all: bool,
    *,
    level: float,
) -> Interval:
    """Return the expected errors among `accepted` outputs of each field, with their interval."""
    if len(accepted) != len(tested):
        raise ValueError(
            f"accepted must have {len(tested)} elements, one for each field, got {len(accepted)}"
        )
    whole, errors = sum(tested), sum(wrong)
    if not whole:
        return Interval(0.0, 0.0, 0.0, math.nan, level, "gamma")
    rates = expected_rates(tested, wrong, per_group, is_all)
    estimate = math.fsum(n * rate for n, rate in zip(accepted, rates, strict=True))
    tail = (1.0 - level) / 2.0
    most = per_group / 2.0 * chi_square_quantile(1.0 - tail, 2.0 * (errors + per_group) / per_group)
    counted = errors + (0.0 if is_all else per_group)
    if not counted:
        return Interval(0.0, 0.0, min(1.0, most / whole) * sum(accepted), math.nan, level, "gamma")
    least = per_group / 2.0 * chi_square_quantile(tail, 2.0 * counted / per_group)
    ends = least / counted * estimate, min(most / counted * estimate, float(sum(accepted)))
    error = estimate * math.sqrt(per_group / counted)
    return Interval(estimate, min(ends[0], estimate), max(ends[1], estimate), error, level, "gamma")


def all_of_found(people: Reviewer | None, found: Interval, accepted: float) -> Interval:
    """Divide the number of found errors by people's detection rate; cap the result at `accepted`."""
    if people is None:
        return found
    d = people.detection_rate
    low, high = people.detection_bounds((1.0 - found.confidence_level) / 2.0)
    return replace(
        found,
        estimate=min(accepted, found.estimate / d),
        low=min(accepted, found.low / high),
        high=min(accepted, found.high / low if low else math.inf),
        standard_error=found.standard_error / d,
    )
