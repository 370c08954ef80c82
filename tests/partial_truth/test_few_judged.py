"""What a judge narrows where few errors are verified."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty.losses import gamma_ends

pytestmark = pytest.mark.interpreted

N, VERIFIED = 20_000, 600
STATISTICS = ("recognition_rate", "arac_auc")


def items(rng, n, *, found=0.85, accused=0.02):
    """Items of which 3.2% are wrong; the judge finds most errors and calls few right ones wrong."""
    z = rng.normal(3.9, 1.5, n)
    correct = rng.random(n) < 1 / (1 + np.exp(-0.9 * z - 0.2))
    flagged = np.where(correct, rng.random(n) < accused, rng.random(n) < found)
    return correct, z, np.where(flagged, 0.1, 0.95)


def quietly(truth, z, statistic):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.asymptotic_interval(truth, z, statistic=statistic)


@pytest.mark.slow
def test_widths_and_coverage():
    """Some twenty errors are seen: .73 and .80 of the widths without a judge."""
    trials = 80 if COMPILED else 1
    sweep = fa.threshold_sweep(*items(np.random.default_rng(1), 10**6 if COMPILED else 10**4)[:2])
    widths = {(s, judged): [] for s in STATISTICS for judged in (False, True)}
    covered = dict.fromkeys(STATISTICS, 0)
    for k in range(trials):
        rng = np.random.default_rng([2, k])
        correct, z, judge = items(rng, N)
        known = np.full(N, np.nan)
        drawn = rng.choice(N, VERIFIED, replace=False)
        known[drawn] = correct[drawn]
        for judged in (False, True):
            truth = fa.PartialTruth(
                known, inclusion_probability=VERIFIED / N, judge=judge if judged else None
            )
            for name in STATISTICS:
                found = quietly(truth, z, name)
                widths[name, judged].append(found.high - found.low)
                if judged:
                    covered[name] += found.low <= fa.Statistic(name)(sweep) <= found.high
    if COMPILED:
        least = 0.93 - 2 * (0.93 * 0.07 / trials) ** 0.5
        assert all(count >= least * trials for count in covered.values())
        for name, ratio in zip(STATISTICS, (0.72, 0.87), strict=True):
            own, other = (np.median(widths[name, judged]) for judged in (True, False))
            assert own <= 1.1 * ratio * other


def test_one_more_error_of_the_mean_weight():
    """Tiwari, Clegg and Zou 2006: the gamma law of the sums with one more error of the mean weight."""
    y, v, m1, m2 = 0.3, 0.02, 0.05, 0.004
    mean, variance = y + m1, v + m2
    high = stats.gamma.ppf(0.975, mean**2 / variance, scale=variance / mean)
    low = stats.gamma.ppf(0.025, y**2 / v, scale=v / y)
    assert gamma_ends((y, v), (m1, m2), 0.95) == pytest.approx((low, high), rel=1e-9)


def test_a_useless_judge_costs_little():
    """Of equal opinions nothing is learned: the interval is hardly wider than without a judge."""
    rng = np.random.default_rng(3)
    correct, z, _ = items(rng, 4000)
    known = np.where(np.arange(4000) % 10, np.nan, correct)
    given = {"inclusion_probability": 0.1}
    alone = fa.PartialTruth(known, **given)
    judged = fa.PartialTruth(known, **given, judge=np.full(4000, 0.5))
    for name in STATISTICS:
        one, other = (quietly(truth, z, name) for truth in (alone, judged))
        assert other.high - other.low <= 1.1 * (one.high - one.low)
