"""Net benefit: published values, what it equals elsewhere, and intervals."""

from __future__ import annotations

import numpy as np
import pytest

import fastarac as fa

# dcurves 1.1.7 (Apache-2.0), data set df_binary of its documentation: 750 patients with and without
# cancer, by family history (a model that says 0 or 1), and by `cancerpredmarker` between thresholds;
# net benefits that its `dca` returns.
THRESHOLDS = [0.05, 0.1, 0.2, 0.35, 0.5]
FAMILY_HISTORY = fa.ThresholdSweep.from_counts([0.0, 1.0], [81, 24], [554, 91])
MARKER = fa.ThresholdSweep.from_counts(
    [0.0, *THRESHOLDS], [9, 9, 12, 18, 24, 33], [325, 127, 95, 62, 19, 17]
)
OF_FAMILY_HISTORY = [
    0.025614035087719297, 0.018518518518518517, 0.0016666666666666635, -0.03333333333333334,
    -0.08933333333333335,
]  # fmt: skip
OF_MARKER = [
    0.1055438596491228, 0.08740740740740742, 0.06733333333333334, 0.05015384615384615,
    0.02133333333333334,
]  # fmt: skip
OF_ALL = [
    0.09473684210526317, 0.04444444444444445, -0.07499999999999998, -0.32307692307692304, -0.72,
]  # fmt: skip


@pytest.mark.parametrize(
    ("sweep", "expected"), [(FAMILY_HISTORY, OF_FAMILY_HISTORY), (MARKER, OF_MARKER)]
)
def test_values_of_dcurves(sweep, expected):
    curve = fa.net_benefit_curve(sweep, thresholds=THRESHOLDS)
    np.testing.assert_allclose(curve.net_benefit, expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(curve.accept_all, OF_ALL, rtol=1e-13, atol=1e-15)
    assert not curve.accept_none.any()
    for threshold, value in zip(THRESHOLDS, expected, strict=True):
        statistic = fa.Statistic("net_benefit", threshold=threshold)
        assert statistic(sweep) == pytest.approx(value, rel=1e-13, abs=1e-15)


def test_thresholds_by_default():
    curve = fa.net_benefit_curve(MARKER)
    assert curve.thresholds.tolist() == [k / 100 for k in range(100)]
    assert curve.net_benefit[0] == curve.accept_all[0] == 105 / 750


@pytest.mark.parametrize("threshold", [1.0, -0.1, 2.0, float("nan")])
def test_thresholds_are_probabilities_below_1(threshold):
    with pytest.raises(ValueError, match="threshold"):
        fa.net_benefit_curve(MARKER, thresholds=[threshold])
    with pytest.raises(ValueError, match="threshold"):
        fa.Statistic("net_benefit", threshold=threshold)


def test_the_interval_is_that_of_a_mean():
    statistic = fa.Statistic("net_benefit", threshold=0.2)
    found = fa.asymptotic_interval(MARKER, statistic=statistic)
    values = np.repeat([1.0, -0.25, 0.0], [75, 98, 577])
    assert found.standard_error == pytest.approx(values.std(ddof=1) / 750**0.5, rel=1e-12)
    assert found.low < found.estimate < found.high


def test_models_are_compared_by_it():
    rng = np.random.default_rng(3)
    right = rng.random(600) < 0.4
    noise = rng.normal(size=(2, 600))
    good, poor = (
        1 / (1 + np.exp(-(3.0 * (right - 0.5) + s * z))) for s, z in zip((1, 9), noise, strict=True)
    )
    statistic = fa.Statistic("net_benefit", threshold=0.5)
    found = fa.compare_models({"good": (right, good), "poor": (right, poor)}, statistic=statistic)
    assert found.pair("good", "poor").difference > 0
    assert found.pair("good", "poor").pvalue < 0.01
