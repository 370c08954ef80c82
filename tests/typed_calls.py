"""Calls as users write them, for type checkers: an ignored line must be an error, every other must not.

mypy and pyright, which the gate runs, complain about an ignored line that is none. It is never run.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true, reportUnusedCallResult=false

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

import numpy as np
from numpy.typing import NDArray

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

c: NDArray[np.bool_] = np.array([True, False])
t: NDArray[np.float64] = np.array([0.9, 0.4])
sweep = fa.threshold_sweep(c, t)

# Items, as lists or arrays, or a sweep in their place.
assert_type(sweep, fa.ThresholdSweep)
assert_type(fa.threshold_sweep([1, 0], [0.9, 0.1], corners_only=True), fa.results.CornerSweep)
assert_type(fa.arac_auc_score(c, t), float)
assert_type(fa.arac_auc_score([1, 0], [0.9, 0.4], sample_weight=[1, 2]), float)
assert_type(fa.arac_auc_score(sweep), float)
fa.arac_auc_score()  # type: ignore[call-arg]
fa.arac_auc_score(c, t, [1, 2])  # type: ignore[call-arg]
print(fa.arac_area(sweep, gamma=2.0).normalized)
fa.arac_area(sweep, gama=2.0)  # type: ignore[call-arg]
x, y, thresholds = fa.arac_curve(sweep)
fa.arac_curve(c, t, [1, 2])  # type: ignore[call-overload]
fa.aurc_loss(sweep, estimator="mean")
fa.aurc_loss(sweep, estimator="median")  # type: ignore[arg-type]
assert_type(fa.arp_curve(c, t), fa.results.ARPCurve)
fa.pr_auc_score(sweep)

# Whether there are bounds, one figure or several, follows from the arguments.
bins = fa.frames.BoundedSweep.from_bins([0, 1, 2], [1, 2], [1, 0])
assert_type(fa.arp_curve(bins), fa.results.CurveBounds[fa.results.ARPCurve])
fa.arac_curve(bins, reviewer=fa.Reviewer())  # type: ignore[call-overload]
fa.arac_auc_score(bins)  # type: ignore[arg-type]
point = fa.operating_point(c, t, max_error_rate=0.1)
assert_type(point, fa.OperatingPoint)
fa.operating_point(sweep, max_risk=0.1)
fa.operating_point(sweep, threshold=0.5)
fa.operating_point(c, t, min_acceptance_rate=0.5, sample_weight=t)
assert_type(fa.operating_point(bins, max_risk=0.1), fa.results.BoundedOperatingPoint)
fa.operating_point(bins, max_risk=0.1, interpolate=True)  # type: ignore[call-overload]
assert_type(fa.acceptance_at_error_rate(c, t, max_error_rate=0.1), float)
assert_type(fa.acceptance_at_risk(sweep, max_risk=[0.1]), float | NDArray[np.float64])
fa.acceptance_at_error_rate(sweep, max_error_rate=[0.01, 0.05])
fa.acceptance_at_error_rate(sweep)  # type: ignore[call-overload]

# What takes them too.
print(fa.evaluate(c, t, max_error_rate=(0.01, 0.05)).roc_auc)
fa.evaluate(sweep)
assert_type(fa.evaluate(bins, max_risk=0.1).arac_auc, fa.frames.Bounds)
fa.evaluate(bins, intervals=True)  # type: ignore[call-overload]
assert_type(fa.bootstrap(sweep, n_resamples=100, random_state=1), fa.Interval)
assert_type(fa.bootstrap(c, t, statistic=["arac_auc"], groups=c), dict[str, fa.Interval])
fa.bootstrap(c, t, statistic=("arac_auc", fa.Statistic("roc_auc")))
fa.bootstrap(c, t, n_resample=100)  # type: ignore[call-overload]
fa.bootstrap_band(c, t, curve="roc")
fa.bootstrap_band(sweep, kind="simultaneous")
fa.asymptotic_interval(c, t, groups=c)
fa.asymptotic_interval(sweep, statistic="roc_auc")
fa.guaranteed_operating_point(sweep, max_error_rate=0.01)
fa.guaranteed_operating_point(c, t, max_risk=0.01, scale="unit", groups=c)
fa.operation.isotonic_calibration(sweep)
prices = fa.VerificationCosts(1.0, 2.0, 5.0)
assert_type(prices.cost(fa.costs.optimal_operating_point(sweep, costs=prices)), float)
assert_type(prices.cost(sweep), NDArray[np.float64])
assert_type(fa.costs.expected_cost(0.1, 0.9, p_positive=0.2, cost_fn=5, cost_fp=1), float)
fa.costs.iso_performance_slope(0.2, cost_fn=[5, 30], cost_fp=1).max()
assert_type(fa.average_precision_score(c, t), float)
fa.PartialTruth([True, None], inclusion_probability=0.5)
fa.operation.ErrorRateMonitor(max_error_rate=0.1).count([True, None], details=t)
print(fa.displays.draw_curves({"a": (c, t)}, band=True)["a"].figure_.number)
score: Callable[..., float] = fa.normalized_arac_auc_score

# Frames: the type of the result by `by` and `method`; the options that fit it.
frames = fa.frames
assert_type(frames.threshold_sweep(t, confidence="c", correct="r", method="counts"), fa.ThresholdSweep)
exact = frames.threshold_sweep(t, confidence="c", correct="r", method="exact")
assert_type(exact, frames.BoundedSweep)
assert_type(frames.threshold_sweep(t, confidence="c", correct="r"), fa.ThresholdSweep)
assert_type(frames.evaluate(t, confidence="c", correct="r", intervals=True), fa.Evaluation)
fields = frames.threshold_sweep(t, confidence="c", correct="r", by=["field"], method="bounds")
assert_type(fields["name",], frames.BoundedSweep)
frames.threshold_sweep(t, confidence="c", correct="r", weight="w", method="exact")  # type: ignore[call-overload]
frames.threshold_sweep(t, confidence="c", correct="r", method="fast")  # type: ignore[call-overload]
counted = frames.evaluate(t, confidence="c", correct="r", method="counts", intervals=True)
assert_type(counted, fa.Evaluation)
print(counted.limits[0].point.threshold)
by_field = frames.evaluate(t, confidence="c", correct="r", by="field", method="counts")
assert_type(by_field["name"], fa.Evaluation)
bounded = frames.evaluate(t, confidence="c", correct="r", method="bounds", max_risk=0.01)
assert_type(bounded.arac_auc, frames.Bounds)
found = frames.evaluate(t, confidence="c", correct="r", by="field", max_error_rate=[0.01, 0.05])
assert_type(found["name"].recognition_rate, float)
frames.evaluate(t, confidence="c", correct="r", max_eror_rate=0.01)  # type: ignore[call-overload]
frames.evaluate(t, confidence="c", correct="r", method="exact", intervals=True)  # type: ignore[call-overload]
frames.evaluate(t, confidence="c", correct="r", method="exact", reviewer=None)  # type: ignore[call-overload]
