"""What all results have in common: equal by value, read-only, and the same after pickling."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import fastarac as fa

CORRECT, CONFIDENCE = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
RESULTS = {
    "interval": lambda: fa.Interval(0.5, 0.4, math.nan, 0.1, 0.95, "wald", np.array([0.4, math.nan])),
    "bootstrap": lambda: fa.bootstrap([1, 0] * 12, range(24), n_resamples=3, random_state=0),
    "band": lambda: fa.bootstrap_band([1, 0] * 12, range(24), n_resamples=3, random_state=0),
    "arac_curve": lambda: fa.arac_curve(CORRECT, CONFIDENCE),
    "threshold_sweep": lambda: fa.threshold_sweep(CORRECT, CONFIDENCE),
    "arac_convex_hull": lambda: fa.costs.arac_convex_hull(CORRECT, CONFIDENCE),
    "roc_convex_hull": lambda: fa.costs.roc_convex_hull({"a": (CORRECT, CONFIDENCE)}),
    "cost_curve": lambda: fa.costs.cost_curve(CORRECT, CONFIDENCE),
    "cost_curve_band": lambda: fa.costs.cost_curve_band(CORRECT, CONFIDENCE, random_state=0),
    "preference_map": lambda: fa.costs.preference_map(
        {"a": (CORRECT, CONFIDENCE)}, gammas=[0.1], deltas=[0, 2]
    ),
    "rejection_cost_curve": lambda: fa.costs.rejection_cost_curve(CORRECT, CONFIDENCE),
    "accuracy_rejection_cost_curve": lambda: fa.costs.accuracy_rejection_cost_curve(
        CORRECT, CONFIDENCE, costs=fa.VerificationCosts(1, 2, 3)
    ),
    "cost_matrix": lambda: fa.costs.CostMatrix([[0, 5], [1, 0]]),
    "bcost": lambda: fa.costs.bcost([[85, 3], [5, 7]], [[0, 5], [1, 0]], laplace=0, random_state=0),
    "bcost_delta": lambda: fa.costs.bcost_delta(
        CORRECT, CORRECT[::-1], CORRECT, [[0, 5], [1, 0]], laplace=0, random_state=0
    ),
    "confusion_measures": lambda: fa.measures.confusion_measures([70, 0], 20, [30, 100], 80),
    "class_counts": lambda: fa.measures.class_counts([[8, 1], [2, 9]]),
    "average_curves": lambda: fa.measures.average_curves(
        [fa.threshold_sweep(CORRECT, CONFIDENCE)] * 2, grid=[0.5, 1.0]
    ),
    "calibration": lambda: fa.operation.isotonic_calibration(CORRECT, CONFIDENCE),
    "calibration_table": lambda: fa.operation.calibration_table(CORRECT, CONFIDENCE),
    "confidence_shift": lambda: _policy().shift(CONFIDENCE),
    "monitor_history": lambda: _monitor().history(),
    "audited_sweep": lambda: fa.operation.audited_sweep(
        [1, math.nan, 0, 0], [4, 4, 3, 1], threshold=2, audit_probability=0.5
    ),
    "digits": fa.datasets.load_digits_ocr,
    "vast_integers": lambda: fa.threshold_sweep([1, 0], np.array([2**63, 1], np.uint64)),
}


def _monitor():
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    monitor.update(2, 50)
    return monitor


def _policy():
    return fa.operation.fit_policy([1] * 300, range(300), max_error_rate=0.01)


def arrays(value):
    found = list(value) if isinstance(value, tuple) else [getattr(value, f.name) for f in fields(value)]
    return [item for item in found if isinstance(item, np.ndarray)]


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
def test_copies_are_equal_and_read_only(make):
    first = make()
    for other in (make(), copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert type(other) is type(first)
        assert other == first
        assert not other != first  # noqa: SIM202
        assert arrays(other)
        for array in arrays(other):
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(first, first._fields[0] if isinstance(first, tuple) else fields(first)[0].name, None)
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)
    assert first != "something else"
    assert "\n" not in repr(first)


def test_an_array_that_is_given_stays_writable():
    given = np.array([1.0, 2.0])
    interval = fa.Interval(0.5, 0.4, 0.6, 0.1, 0.95, "percentile", given)
    assert given.flags.writeable
    assert not interval.distribution.flags.writeable
    assert interval != fa.Interval(0.5, 0.4, 0.6, 0.1, 0.95, "percentile", np.array([1.0, 3.0]))
    assert repr(interval) == "Interval(0.5 [0.4, 0.6], 95 %, percentile)"
