"""Statistics by name: between which ends they lie, and what they need."""

from __future__ import annotations

import math

import pytest
import register
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa

ENDS = [
    (fa.Statistic("arac_auc"), 0.5, 1.0),
    (fa.Statistic("augrc"), 0.0, 0.5),
    (fa.Statistic("normalized_arac_auc"), 0.25, 1.0),
    (fa.Statistic("normalized_arac_auc", gamma=0.0), 0.0, 1.0),
    (fa.Statistic("normalized_arac_auc", gamma=0.5), 1 / 6, 1.0),
    (fa.Statistic("normalized_arac_auc", gamma=7.0), 1 / 8, 1.0),
    (fa.Statistic("arac_partial_auc", acceptance_range=(0.25, 0.75)), 0.5, 1.0),
    (fa.Statistic("arac_partial_auc", acceptance_range=(0.1, 0.3)), 0.8, 1.0),
    (fa.Statistic("arac_partial_auc", max_error_rate=0.3), 0.15, 1.0),
    (fa.Statistic("roc_partial_auc", fpr_range=(0.25, 0.75)), 0.0, 0.5),
    (fa.Statistic("roc_partial_auc", tpr_range=(0.5, 0.75)), 0.0, 0.25),
    (fa.Statistic("pr_partial_auc", recall_range=(0.25, 0.75)), 0.0, 0.5),
    (fa.Statistic("pr_partial_auc", recall_range=(0.5, 1.0), standardize="width"), 0.0, 1.0),
    (fa.Statistic("roc_partial_auc", fpr_range=(0.5, 0.75), standardize="mcclish"), 0.5, 1.0),
    (fa.Statistic("pr_partial_auc", recall_range=(0.5, 1.0), standardize="mcclish"), 0.5, 1.0),
    (fa.Statistic("normalized_arp_auc"), -math.inf, 1.0),
    (fa.Statistic("normalized_aurc"), -math.inf, math.inf),
    (fa.Statistic("excess_aurc"), -1.0, 1.0),
    *(
        (fa.Statistic(name), 0.0, 1.0)
        for name in ("recognition_rate", "roc_auc", "aurc", "arp_auc", "pr_auc", "equal_error_rate")
    ),
    (fa.Statistic("acceptance_at_error_rate", max_error_rate=0.2), 0.0, 1.0),
    *(
        (fa.Statistic(name, threshold=0.5), *entry.ends)
        for name, entry in register.AT_THRESHOLD.items()
    ),
]
REACHED = ENDS[:13]  # by samples of one class, or all in the wrong order


@pytest.mark.parametrize(("statistic", "low", "high"), ENDS, ids=repr)
def test_ranges(statistic, low, high):
    assert statistic.range == pytest.approx((low, high), abs=1e-15)


@given(sample=strategies.unweighted, which=st.sampled_from(ENDS))
def test_statistics_stay_within_their_ranges(sample, which):
    statistic = which[0]
    low, high = statistic.range
    value = statistic(fa.threshold_sweep(sample.correct, sample.confidence))
    assert math.isnan(value) or low <= value <= high


def ends_of(statistic):
    """The least and the greatest value over the extreme cases that ranges are made from."""
    n = 2000
    samples = [
        (right, confidence)
        for right in ([0] * n, [1] * n, [0] * (n - 1) + [1], [1] * (n - 1) + [0], [1] * n + [0] * n)
        for confidence in (range(len(right)), range(len(right), 0, -1))
    ]
    values = [statistic(fa.threshold_sweep(*sample)) for sample in samples]
    values = [value for value in values if not math.isnan(value)]
    return min(values), max(values)


@pytest.mark.parametrize(
    ("statistic", "low", "high"),
    REACHED,
    ids=repr,
)
def test_no_range_is_wider_than_what_is_reached(statistic, low, high):
    assert ends_of(statistic) == pytest.approx((low, high), abs=2e-3)


@pytest.mark.parametrize("name", register.AT_THRESHOLD)
def test_a_rate_needs_its_threshold(name):
    message = rf"statistic '{name}' needs threshold: use Statistic"
    with pytest.raises(TypeError, match=message):
        fa.Statistic(name)
    with pytest.raises(TypeError, match=message):
        fa.bootstrap([1, 0], [0.9, 0.3], statistic=name)
    with pytest.raises(TypeError, match=message):
        fa.asymptotic_interval([1, 0], [0.9, 0.3], statistic=name)


def test_what_is_no_statistic():
    with pytest.raises(TypeError, match=r"statistic must be a name, got 3 \(int\)"):
        fa.Statistic(3)
    with pytest.raises(TypeError, match="statistic must be a name or a Statistic, got None"):
        fa.asymptotic_interval([1, 0], [0.9, 0.3], statistic=None)
    with pytest.raises(ValueError, match="it must be one of recognition_rate, arac_auc,"):
        fa.Statistic("auc")
    with pytest.raises(
        TypeError, match="statistic 'aurc' has no parameter 'gamma'; it takes estimator"
    ):
        fa.Statistic("aurc", gamma=1)
    with pytest.raises(TypeError, match="'roc_auc' has no parameter 'gamma'; it takes no parameters"):
        fa.Statistic("roc_auc", gamma=1)
    with pytest.raises(TypeError, match="exactly one of acceptance_range, max_error_rate"):
        fa.Statistic("arac_partial_auc")
