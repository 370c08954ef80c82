"""The register of benchmarks, one entry each, for the table and for the tests."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench import inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bench.inputs import Inputs

TIME = "time"
SORT = "np.sort"
SORT_CONTINUOUS = "np.sort, all distinct"
LARGE = 10**7


@dataclass(frozen=True)
class Target:
    """A limit on the median at one size: of the seconds, or of a ratio to another contestant."""

    against: str
    limit: float
    size: int = LARGE


@dataclass(frozen=True)
class Work:
    """One call of fastarac on items of one kind.

    Parameters
    ----------
    name
        As in the table.
    inputs
        Makes n items.
    run
        What is timed.
    area
        Reads the ARAC-AUC out of the result, to check it; None where it is not in there.
    kind
        What peers are asked for: "auc", "weighted auc" or "curve"; nothing where it is empty.
    targets
        What the work is judged by.
    beside
        Other calls of fastarac that it is compared with, by name.
    largest
        The greatest number of items.
    few_distinct
        Sorting so few distinct values is quick work itself: the floor is shown for both them and as
        many distinct ones.
    """

    name: str
    inputs: Callable[[int], Inputs]
    run: Callable[[Inputs], Any]
    area: Callable[[Any], float] | None = float
    kind: str = "auc"
    targets: tuple[Target, ...] = ()
    beside: dict[str, Callable[[Inputs], Any]] = field(default_factory=dict)
    largest: int = LARGE
    few_distinct: bool = False

    def floors(self, items: Inputs) -> dict[str, NDArray[np.float64]]:
        """The arrays whose sorting time is the yardstick, by name."""
        floors = {SORT: items.confidence.astype(np.float64, copy=False)}
        if self.few_distinct:
            floors[SORT_CONTINUOUS] = inputs.continuous(len(items.confidence)).confidence
        return floors


def _auc(items: Inputs) -> float:
    return fa.arac_auc_score(items.correct, items.confidence)


def _weighted_auc(items: Inputs) -> float:
    return fa.arac_auc_score(items.correct, items.confidence, sample_weight=items.weight)


def _curve(items: Inputs) -> fa.results.ARACCurve:
    return fa.arac_curve(items.correct, items.confidence)


def _sweep(items: Inputs) -> fa.ThresholdSweep:
    return fa.threshold_sweep(items.correct, items.confidence)


def _evaluate(items: Inputs) -> fa.Evaluation:
    return fa.evaluate(items.correct, items.confidence)


def _bootstrap(name: str, n_resamples: int, **parameters: Any) -> Callable[[Inputs], fa.Interval]:
    def run(items: Inputs) -> fa.Interval:
        statistic = fa.Statistic(name, **parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)  # of few items
            return fa.bootstrap(
                items.correct, items.confidence, statistic=statistic, n_resamples=n_resamples,
                random_state=0,
            )  # fmt: skip

    return run


def _exact_variance(items: Inputs) -> fa.Interval:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.bootstrap(items.correct, items.confidence, method="exact-variance", stratified=True)


def _corners(items: Inputs) -> fa.ThresholdSweep:
    return fa.threshold_sweep(items.correct, items.confidence, corners_only=True)


def _mean_of_precisions(items: Inputs) -> float:
    return fa.arp_auc_score(items.correct, items.confidence, estimator="mean")


def _estimate(interval: fa.Interval) -> float:
    return interval.estimate


def _area_of_curve(curve: fa.results.ARACCurve) -> float:
    return float(np.trapezoid(curve.accuracy_after_correction, curve.acceptance_rate))


_SORTING = (Target(SORT, 1.5), Target(SORT, 0.8))
_LIMITS = {10**4: 1.4, 10**5: 1.0, 10**6: 0.7, LARGE: 0.65}
_OF_EVERY_SIZE = tuple(Target(SORT, limit, size) for size, limit in _LIMITS.items())
_COUNTING = (Target(SORT, 0.35), Target(SORT_CONTINUOUS, 0.35))
_CURVE = (Target("scikit-learn", 1 / 15),)
_PARTS = {
    "roc_partial_auc": {"fpr_range": (0, 0.1)},
    "arac_partial_auc": {"acceptance_range": (0.5, 1)},
    "acceptance_at_error_rate": {"max_error_rate": 0.01},
}
_OF_ROC = "bootstrap of roc_auc"

WORKS = (
    Work(
        "arac_auc_score, float64", inputs.continuous, _auc,
        targets=(Target(TIME, 30e-6, 10**3), Target(TIME, 12e-6, 10**3), *_SORTING, *_OF_EVERY_SIZE),
    ),
    Work(
        "arac_auc_score, 1 % errors", inputs.one_percent, _auc,
        targets=(Target(SORT, 0.5, 10**6), Target(SORT, 0.4)),
    ),
    Work(
        "arac_auc_score, 0.2 % errors", inputs.two_in_a_thousand, _auc, targets=(Target(SORT, 0.3),)
    ),
    Work("arac_auc_score, softmax", inputs.softmax, _auc, targets=_SORTING),
    Work("arac_auc_score, float32", inputs.single, _auc, targets=(Target(SORT, 1.0),)),
    Work(
        "arac_auc_score, 101 distinct", inputs.rounded_2, _auc, targets=_COUNTING, few_distinct=True
    ),
    Work(
        "arac_auc_score, 1001 distinct", inputs.rounded_3, _auc, targets=_COUNTING, few_distinct=True
    ),
    Work(
        "arac_auc_score, weighted", inputs.weighted, _weighted_auc, kind="weighted auc",
        targets=(Target("scikit-learn", 1 / 5), Target(SORT, 1.2)),
    ),
    Work("arac_curve", inputs.continuous, _curve, _area_of_curve, "curve", _CURVE),
    Work("threshold_sweep", inputs.continuous, _sweep, fa.arac_auc_score, "curve", _CURVE),
    Work(
        "threshold_sweep, corners only, 1 % errors", inputs.one_percent, _corners, fa.arac_auc_score, ""
    ),
    Work("arp_auc_score, mean, 1 % errors", inputs.one_percent, _mean_of_precisions, None, ""),
    Work(
        "evaluate", inputs.continuous, _evaluate, lambda result: result.arac.auc, "",
        targets=(Target(TIME, 120e-6, 10**3), Target(SORT, 3.0, 10**5), Target(SORT, 1.6)),
    ),
    Work(
        "bootstrap, 2 resamples", inputs.continuous, _bootstrap("arac_auc", 2), _estimate, "",
        targets=(Target(SORT, 1.5),),
    ),
    Work(  # 0.3 and 0.1 ns for each of the items of each resample, all in
        "bootstrap, 300 resamples, 1 % errors", inputs.one_percent, _bootstrap("arac_auc", 300),
        _estimate, "", targets=(Target(TIME, 0.9),),
    ),
    Work(
        "bootstrap, 300 resamples, 0.2 % errors", inputs.two_in_a_thousand,
        _bootstrap("arac_auc", 300), _estimate, "", targets=(Target(TIME, 0.3),),
    ),
    Work(
        "bootstrap, exact variance", inputs.continuous, _exact_variance, _estimate, "",
        targets=(Target("arac_auc_score", 2.0),), beside={"arac_auc_score": _auc},
    ),
    *(
        Work(
            f"bootstrap of {name}", inputs.continuous, _bootstrap(name, 300, **parameters), None, "",
            targets=(Target(_OF_ROC, 5.0, 10**4),), beside={_OF_ROC: _bootstrap("roc_auc", 300)},
            largest=10**5,
        )
        for name, parameters in _PARTS.items()
    ),
)  # fmt: skip


def arac_from_roc(roc_auc: float, items: Inputs) -> float:
    """ARAC-AUC = 1 − β(1 − β)(1 − ROC-AUC) − (1 − β)²/2."""
    beta = float(np.average(items.correct, weights=items.weight))
    return 1 - beta * (1 - beta) * (1 - roc_auc) - (1 - beta) ** 2 / 2
