"""Whether another model is ahead in a part: by groups at the thresholds, and by resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from fastarac.uncertainty.reversals import enough_resamples, reversal_pvalue

pytestmark = pytest.mark.interpreted


def samples(seed=0, n_groups=12):
    """Which items of two models are accepted, of groups of one size."""
    rng = np.random.default_rng(seed)
    groups = [np.repeat(np.arange(n_groups), size) for size in (7, 9)]
    shares = rng.beta(4, 4, n_groups), np.clip(rng.beta(4, 4, n_groups) + 0.3, 0, 1)
    accepted = [rng.random(len(g)) < share[g] for g, share in zip(groups, shares, strict=True)]
    return accepted, groups


def student(ratio, n_groups):
    return float(stats.t.sf(ratio, n_groups - 1))


def test_by_groups_and_by_resamples():
    accepted, groups = samples()
    rates = [
        np.array([a[g == k].mean() for k in range(12)]) for a, g in zip(accepted, groups, strict=True)
    ]
    by = rates[1].mean() - rates[0].mean()
    error = stats.sem(rates[1] - rates[0])
    assert reversal_pvalue(accepted, groups, np.full(1999, -1.0)) == pytest.approx(
        max(student(by / error, 12), student(stats.norm.isf(1 / 2000) * math.sqrt(11 / 12), 12))
    )
    draws = np.r_[np.full(1899, -1.0), np.zeros(60), np.ones(40)]
    expected = student(stats.norm.isf(101 / 2000) * math.sqrt(11 / 12), 12)
    assert reversal_pvalue(accepted, groups, draws) == pytest.approx(expected)
    assert reversal_pvalue(accepted[::-1], groups[::-1], draws) == 1.0


def test_without_any_spread():
    groups = [np.repeat(np.arange(10), 3)] * 2
    accepted = np.zeros(30, bool), np.ones(30, bool)
    assert reversal_pvalue(accepted, groups, None) == 0.5**10
    assert reversal_pvalue(accepted, [np.zeros(30, int)] * 2, None) == 1.0


@pytest.mark.parametrize(("n_groups", "level"), [(10, 0.05), (12, 0.0125), (12, 0.006), (50, 0.005)])
def test_resamples_are_enough_for_a_level(n_groups, level):
    groups = [np.repeat(np.arange(n_groups), 5)] * 2
    accepted = np.zeros(5 * n_groups, bool), np.ones(5 * n_groups, bool)
    n_resamples = enough_resamples(1000, groups, level)
    assert reversal_pvalue(accepted, groups, np.full(n_resamples, -1.0)) < level / 2
    assert n_resamples == 1000 or (
        reversal_pvalue(accepted, groups, np.full(n_resamples // 2, -1.0)) >= level / 2
    )
