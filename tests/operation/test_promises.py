"""What policies promise, by simulation under the assumptions, and with each of them broken."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import fastarac as fa
from fastarac import operation
from fastarac.operation import checked_outputs

RATES = {"date": 0.05, "name": 0.5}  # the error probability at confidence 0; it falls in a line to 0


@pytest.fixture
def verdicts_alone(monkeypatch):
    """Leave out how many items are still needed: most of the time of a check, and not looked at."""
    for needed in ("needed_by_counts", "needed_by_draws"):
        monkeypatch.setattr(checked_outputs, needed, lambda *_, **__: None)


def draw(n, rng):
    field = rng.choice(list(RATES), n)
    confidence = rng.random(n)
    p = np.where(field == "date", *RATES.values()) * (1 - confidence)
    return rng.random(n) >= p, confidence, field


def true_error_rate(thresholds):
    """Half of the items are of each field; a field's share of errors above k is r(1 − k)²/2."""
    kept = [1 - min(max(k, 0.0), 1.0) for k in thresholds]
    return sum(r * share**2 / 4 for r, share in zip(RATES.values(), kept, strict=True))


def true_acceptance(thresholds):
    return sum((1 - min(max(k, 0.0), 1.0)) / 2 for k in thresholds)


@pytest.mark.slow
def test_one_limit_over_two_fields_keeps_it_and_accepts_more():
    """Against one raw threshold, and against the same limit in each field."""
    rng = np.random.default_rng(14)
    runs, broken, n = 25, 0, 40_000
    for limit, surely in ((0.01, False), (0.02, True), (0.05, True)):
        shares = []
        for _ in range(runs):
            correct, confidence, field = draw(n, rng)
            policy = operation.fit_policy(
                correct, confidence, by=field, max_error_rate=limit, random_state=rng
            )
            broken += true_error_rate(policy.thresholds) > limit
            raw = operation.fit_policy(correct, confidence, max_error_rate=limit).thresholds * 2
            each = [
                fa.guaranteed_operating_point(
                    correct[field == f], confidence[field == f], max_error_rate=limit
                ).threshold
                for f in RATES
            ]
            shares.append([true_acceptance(k) for k in (raw, each, policy.thresholds)])
        raw, same, merged = np.transpose(shares)
        gain, chance = np.mean(merged - same), np.std(merged - same) / math.sqrt(runs)
        assert gain > (5 if surely else -2) * chance  # at 1% it is .007, where 25 runs are ± .007
        assert np.mean(raw) < min(np.mean(same), np.mean(merged))
    assert broken / (3 * runs) <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / (3 * runs))


def pages(n_pages, size, rng, *, bad=0.02):
    """Pages whose lines are all wrong where the page is bad: the error rate is `bad`."""
    wrong = np.repeat(rng.random(n_pages) < bad, size)
    return ~wrong, rng.random(n_pages * size), np.repeat(np.arange(n_pages), size)


@pytest.mark.slow
def test_pages_taken_for_independent_break_the_promise():
    """Groups keep it; the damage without them is that of the page on operation."""
    rng = np.random.default_rng(15)
    runs, limit, broken = 200, 0.01, np.zeros(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        for _ in range(runs):
            correct, confidence, page = pages(150, 20, rng)
            for i, groups in enumerate((None, page)):
                policy = operation.fit_policy(
                    correct, confidence, max_error_rate=limit, groups=groups, max_group_size=None
                )
                # a bad page is wrong at any confidence: the error rate is that of bad pages, times X
                share = 1 - min(max(policy.thresholds[0], 0.0), 1.0)
                broken[i] += 0.02 * share > limit
    assert broken[0] / runs > 0.2
    assert broken[1] / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_verdicts_are_wrong_at_most_as_often_as_is_said(verdicts_alone):
    rng = np.random.default_rng(16)
    policy = operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.02)
    runs = 200
    wrong = {"holds": 0, "fails": 0}
    for verdict, rate in (("holds", 0.0201), ("fails", 0.0199)):
        for _ in range(runs):
            correct = rng.random(1000) >= rate
            wrong[verdict] += policy.check(correct, np.full(1000, 5000)).verdict == verdict
    for count in wrong.values():
        assert count / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_checks_of_dependent_items(verdicts_alone):
    rng = np.random.default_rng(17)
    policy = operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.019)
    runs, broken = 150, np.zeros(2)
    for _ in range(runs):
        correct, _, page = pages(300, 10, rng)
        for i, groups in enumerate((None, page)):
            found = policy.check(correct, np.full(len(correct), 5000), groups=groups)
            broken[i] += found.verdict == "holds"
    assert broken[0] / runs > 0.1
    assert broken[1] / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)
