"""Limits of dependent items by the gamma approximation."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa

DELTA, LIMIT = 0.1, 0.3


def bound_by_definition(accepted, wrong, groups, delta, criterion):
    """The quantile of the gamma distribution at one threshold, from counts in fractions."""
    labels = sorted(set(groups))
    a = [sum(1 for k, g in zip(accepted, groups, strict=True) if k and g == label) for label in labels]
    y = [
        sum(1 for k, w, g in zip(accepted, wrong, groups, strict=True) if k and w and g == label)
        for label in labels
    ]
    m = [groups.count(label) for label in labels]
    if criterion == "max_risk":
        y, a = zip(*[(errors, size) for errors, size in zip(y, a, strict=True) if size], strict=True)
        m = a
    n, number = sum(m), len(m)
    if number < 2:
        return None
    sizes = [groups.count(label) for label in labels]
    p = Fraction(sum(y), n)
    v = Fraction(number, number - 1) * sum((e - p * size) ** 2 for e, size in zip(y, m, strict=True))
    v /= n * n
    return p, v, max(*y, math.sqrt(sum(x * x for x in sizes) / len(sizes))) / n


def quantile(p, v, w, delta):
    mean, variance = float(p + w), float(v + w * w)
    return stats.gamma.ppf(1 - delta, mean**2 / variance, scale=variance / mean)


def lowest_threshold(confidence, wrong, groups, delta, limit):
    """Go down while the bound is within the limit."""
    found = math.inf
    for k in sorted(set(confidence), reverse=True):
        accepted = [c >= k for c in confidence]
        moments = bound_by_definition(accepted, wrong, groups, delta, "max_error_rate")
        if moments is None:
            return math.inf
        if quantile(*moments, delta) > limit:
            break
        found = k
    return found


@given(st.data())
def test_the_lowest_threshold_by_definition(data):
    n = data.draw(st.integers(4, 40))
    groups = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    wrong = data.draw(st.lists(st.sampled_from([False, False, False, True]), min_size=n, max_size=n))
    confidence = data.draw(st.lists(st.integers(0, 15), min_size=n, max_size=n))
    limit = data.draw(st.sampled_from([0.15, 0.3, 0.5, 0.8]))
    too_few = "the approximation by gamma was only tested with 20|needs about [0-9]+ without an error"
    with pytest.warns(fa.SampleTooSmallWarning, match=too_few):
        found = fa.guaranteed_operating_point(
            [not each for each in wrong], confidence, max_error_rate=limit, failure_probability=DELTA,
            groups=groups, method="gamma",
        )  # fmt: skip
    if len(set(groups)) < 2:
        assert found.threshold == math.inf
        return
    assert found.threshold == lowest_threshold(confidence, wrong, groups, DELTA, limit)
    assert not found.certified
    if found.threshold < math.inf:
        assert found.bound <= limit


def test_a_bound_worked_out_by_hand():
    """Six groups with m = 10 20 30 15 25 20, a = 8 15 20 10 20 12 and y = 0 0 3 1 0 2."""
    sizes, accepted, errors = [10, 20, 30, 15, 25, 20], [8, 15, 20, 10, 20, 12], [0, 0, 3, 1, 0, 2]
    groups = np.repeat(np.arange(6), sizes)
    confidence, correct = np.zeros(120), np.ones(120, np.bool_)
    for first, a, y in zip(np.cumsum(sizes) - sizes, accepted, errors, strict=True):
        confidence[first : first + a] = 1.0
        correct[first : first + y] = False
    with pytest.warns(fa.SampleTooSmallWarning, match="there are 6 groups"):
        found = fa.guaranteed_operating_point(
            correct, confidence, max_error_rate=0.47, failure_probability=0.1, groups=groups,
            method="gamma",
        )  # fmt: skip
    # p = 6/120, v = 6/5·6.125/120² and w = √(2650/6)/120
    v, w = 0.000510416666666667, math.sqrt(2650 / 6) / 120
    assert found.bound == pytest.approx(quantile(0.05, v, w, 0.1), rel=1e-9)
    assert found.threshold == 0.0  # below the last error nothing changes
    assert "by an approximation that is not proved" in str(found)


def pages(n, rng, *, bursts):
    """Pages of unequal size; of `bursts` of them every item is wrong."""
    sizes = np.maximum(1, rng.lognormal(3.4, 0.8, n).astype(int))
    groups = np.repeat(np.arange(n), sizes)
    z = rng.normal(2.2, 1.5, len(groups))
    shift = rng.normal(0.0, 0.7, n)[groups]
    wrong = rng.random(len(groups)) >= 1 / (1 + np.exp(shift - 1.1 * z - 1.2))
    wrong |= (rng.random(n) < bursts)[groups]
    return ~wrong, 1 / (1 + np.exp(-z)), groups


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["max_error_rate", "max_risk"])
def test_how_often_the_limit_is_exceeded(criterion):
    rng = np.random.default_rng(12)
    trials = 200 if COMPILED else 2
    correct, confidence, _ = pages(20_000 if COMPILED else 500, rng, bursts=0.02)
    truth = fa.threshold_sweep(correct, confidence)
    limits = {criterion: 0.03 if criterion == "max_error_rate" else 0.05}
    fixed = {"scale": "unit"} if criterion == "max_risk" else {}
    broken, accepted, proved, beside = 0, 0.0, 0.0, 0.0
    for trial in range(trials):
        correct, confidence, groups = pages(200, rng, bursts=0.02)
        found = fa.guaranteed_operating_point(
            correct, confidence, groups=groups, method="gamma", **limits, **fixed
        )
        at = fa.operating_point(truth, threshold=found.threshold)
        rate = at.error_rate if criterion == "max_error_rate" else at.risk
        broken += found.threshold < math.inf and rate > next(iter(limits.values()))
        accepted += found.acceptance_rate
        if trial % 4:  # it takes longer
            continue
        beside += found.acceptance_rate
        with pytest.warns(fa.SampleTooSmallWarning, match="groups, but a limit of"):
            proof = fa.guaranteed_operating_point(correct, confidence, groups=groups, **limits, **fixed)
        proved += proof.acceptance_rate
        if found.acceptance_rate > 2 * proof.acceptance_rate:
            assert proof.approximate_acceptance_rate == found.acceptance_rate
            assert "method='gamma', an approximation without proof, would accept" in str(proof)
    if COMPILED:
        assert broken <= 0.075 * trials + 2 * math.sqrt(0.075 * 0.925 * trials)
        assert beside >= proved
        assert criterion == "max_risk" or accepted > 0.3 * trials


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least"), [(60, 0.0), (100, 0.005)])
def test_pages_that_are_wrong_throughout_at_the_top(n, least):
    """Where 5.1% of them are, any threshold below them exceeds a limit of 5%; few samples show none."""
    trials = 300 if COMPILED else 2
    broken = 0
    for k in range(trials):
        rng = np.random.default_rng([6, n, k])
        correct, confidence, groups = pages(n, rng, bursts=0.0)
        bad = (rng.random(n) < 0.051)[groups]
        confidence = np.where(bad, 2.0 + rng.random(len(bad)), confidence)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some look reversed, too
            found = fa.guaranteed_operating_point(
                correct & ~bad, confidence, groups=groups, method="gamma", max_error_rate=0.05
            )
        broken += found.threshold < 2.0
    if COMPILED:
        assert broken <= 0.05 * trials + 2 * math.sqrt(0.05 * 0.95 * trials)
        assert broken >= least * trials


def test_a_guarantee_says_how_many_pages_it_takes():
    """A page wrong throughout has room, however little is accepted: of G equal pages ln(1/δ)/G."""
    groups = np.repeat(np.arange(80), 5)
    confidence = np.linspace(1.0, 0.0, len(groups))
    given = {"max_error_rate": 0.05, "groups": groups, "method": "gamma"}
    assert fa.guaranteed_operating_point(np.ones(400), confidence, **given).acceptance_rate == 1.0
    some = groups < 50
    with pytest.warns(
        fa.SampleTooSmallWarning, match="are 50 groups, but .* about 60 without an error"
    ):
        found = fa.guaranteed_operating_point(
            np.ones(250), confidence[some], **given | {"groups": groups[some]}
        )
    assert found.threshold == math.inf


def test_what_needs_groups():
    with pytest.raises(ValueError, match="method must be 'exact' for max_error_rate, got 'gamma'"):
        fa.guaranteed_operating_point([1, 0], [0.9, 0.1], max_error_rate=0.1, method="gamma")
    with pytest.raises(TypeError, match="max_risk needs thresholds"):
        fa.guaranteed_operating_point([1, 0], [0.9, 0.1], max_risk=0.1, method="gamma", groups=[0, 1])


def test_a_policy_says_that_it_is_not_proved(tmp_path):
    correct, confidence, groups = pages(150, np.random.default_rng(4), bursts=0.0)
    given = {"groups": groups, "max_error_rate": 0.03}
    policy = fa.operation.fit_policy(correct, confidence, method="gamma", **given)
    point = fa.guaranteed_operating_point(correct, confidence, method="gamma", **given)
    assert policy.thresholds == (point.threshold,)
    assert not policy.certified
    assert policy.promise.endswith("by an approximation without proof")
    policy.save(tmp_path / "policy.json")
    assert fa.operation.Policy.load(tmp_path / "policy.json") == policy
    with pytest.warns(fa.SampleTooSmallWarning, match="groups, but a limit of"):
        proved = fa.operation.fit_policy(correct, confidence, **given)
    assert proved.certified
    assert proved.approximate_acceptance_rate == policy.acceptance_rate
    assert "without proof" in str(proved)
    with pytest.raises(ValueError, match="method must be one of 'auto', 'gamma', got 'sgr'"):
        fa.operation.fit_policy(correct, confidence, method="sgr", **given)
