"""Sample sizes against full searches, the checks of the literature, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import fastarac as fa
from fastarac import operation


@pytest.mark.parametrize(
    ("limit", "expected", "first", "stable", "least"),
    [
        (0.01, 0.0025, 773, 773, 299), (0.01, 0.005, 1941, 2185, 299), (0.01, 0.0075, 8753, 9409, 299),
        (0.05, 0.025, 361, 434, 59),
    ],
)  # fmt: skip
def test_checks(limit, expected, first, stable, least):
    assert operation.sample_size_for_guarantee(limit, expected) == (first, stable, least)


def searched(limit, expected, delta, power, most):
    n = np.arange(1, most)
    allowed = stats.binom.ppf(delta, n, limit).astype(int)
    allowed -= stats.binom.cdf(allowed, n, limit) > delta
    reached = np.where(allowed >= 0, stats.binom.cdf(allowed, n, expected), 0) >= power
    return n[reached][0], n[~reached][-1] + 1, n[allowed >= 0][0]


@pytest.mark.parametrize(
    ("limit", "expected", "delta", "power"),
    [
        (0.02, 0.0, 0.05, 0.8), (0.02, 0.01, 0.1, 0.9), (0.1, 0.07, 0.05, 0.5), (0.3, 0.2, 0.01, 0.95),
        (0.5, 0.1, 0.2, 0.6), (0.03, 0.005, 0.05, 0.99),
    ],
)  # fmt: skip
def test_against_a_full_search(limit, expected, delta, power):
    found = operation.sample_size_for_guarantee(limit, expected, failure_probability=delta, power=power)
    assert found == searched(limit, expected, delta, power, 4000)
    counts = [1, found.least, found.first, found.stable, found.first]
    powers = operation.guarantee_power(counts, limit, expected, failure_probability=delta)
    assert (powers[2:] >= power).all()
    assert powers[2] == powers[4]


@pytest.mark.parametrize(
    ("limit", "actual", "delta", "power"),
    [(0.01, 0.02, 0.05, 0.8), (0.05, 0.15, 0.05, 0.8), (0.02, 0.03, 0.1, 0.9), (0.2, 0.5, 0.05, 0.6)],
)
def test_audits_against_a_full_search(limit, actual, delta, power):
    n = np.arange(1, 6000)
    errors = stats.binom.isf(delta, n, limit).astype(int) + 1
    seen = stats.binom.sf(errors - 1, n, actual) >= power
    found = operation.audit_plan(limit, actual, failure_probability=delta, power=power)
    assert (found.first, found.stable) == (n[seen][0], n[~seen][-1] + 1)
    share = operation.audit_plan(
        limit, actual, failure_probability=delta, power=power, n_outputs=60_000
    )
    assert share.audit_probability == found.stable / 60_000


def test_comparison_and_its_power():
    n = operation.sample_size_for_comparison(0.01, 0.05)
    assert n == 3923
    rng = np.random.default_rng(2)
    counts = rng.multinomial(n, [0.03, 0.02, 0.95], 20_000)
    better, worse = counts[:, 0], counts[:, 1]
    found = (better - worse) / np.sqrt(better + worse) > stats.norm.isf(0.025)
    # 20,000 runs: a standard error of 0.3%
    assert abs(found.mean() - 0.8) < 0.015
    assert operation.sample_size_for_comparison(0.01, 0.05, design_effect=2) == pytest.approx(
        2 * n, abs=1
    )


def test_interval_is_as_wide_as_planned():
    rng = np.random.default_rng(5)
    confidence = rng.random(2000)
    correct = rng.random(2000) < 0.5 + confidence / 2
    n = operation.sample_size_for_interval(
        fa.threshold_sweep(correct, confidence), statistic="roc_auc", half_width=0.02
    )
    confidence = rng.random(n)
    correct = rng.random(n) < 0.5 + confidence / 2
    found = fa.asymptotic_interval(correct, confidence, statistic="roc_auc", method="wald")
    assert (found.high - found.low) / 2 == pytest.approx(0.02, rel=0.1)


def test_design_effect():
    rng = np.random.default_rng(6)
    wrong = np.repeat(rng.random(3000) < 0.1, 5)
    groups = np.repeat(np.arange(3000), 5)
    found = operation.design_effect(~wrong, np.ones(15_000), groups=groups, threshold=0.5)
    assert found == pytest.approx(5, rel=0.02)
    assert operation.design_effect(~wrong, np.ones(15_000), groups=groups, threshold=2) == 5
    alone = operation.audit_plan(0.01, 0.02)
    grouped = operation.audit_plan(0.01, 0.02, design_effect=found)
    assert grouped.stable == pytest.approx(found * alone.stable, abs=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: operation.sample_size_for_guarantee(0.01, 0.01), "must be below the limit of 0.01"),
        (lambda: operation.sample_size_for_guarantee(0.0, 0.0), r"max_error_rate must be a number"),
        (lambda: operation.sample_size_for_guarantee(0.1, 0.0, power=1), r"power must be a number"),
        (lambda: operation.audit_plan(0.1, 0.2, design_effect=0.5), "at least 1"),
        (lambda: operation.audit_plan(0.01, 0.005), "must be above the limit of 0.01"),
        (lambda: operation.audit_plan(0.01, 0.02, n_outputs=100), "n_outputs must be at least 1015,"),
        (lambda: operation.sample_size_for_comparison(0.1, 0.05), r"at least difference \(0\.1\)"),
        (lambda: operation.guarantee_power([0], 0.1, 0.05), "n_items must be an integer of at least"),
    ],
)  # fmt: skip
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
