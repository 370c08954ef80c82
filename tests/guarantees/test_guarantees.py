"""Guaranteed thresholds: the binomial distribution, the rules item by item, and how often they fail."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import reference_costs as ref
import strategies
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac._core.special import binomial_cdf, binomial_upper_bound

# --- The binomial distribution -------------------------------------------------------------------


@given(st.integers(1, 60), st.data())
def test_tail_against_fractions(n, data):
    k = data.draw(st.integers(0, n))
    p = data.draw(st.floats(0, 1) | st.floats(-30, 0).map(lambda e: 10.0**e))
    expected = float(ref.binomial_cdf(k, n, Fraction(p)))
    assert binomial_cdf(k, n, p) == pytest.approx(expected, rel=2e-13, abs=1e-300)


@pytest.mark.parametrize(
    ("k", "n", "p"),
    [
        (0, 10**12, 1e-12), (1, 10**12, 1e-11), (4, 9735881, 1.5105043278767398e-06),
        (30, 10**9, 1e-7), (84, 8113934, 1.112e-05), (100, 10**7, 2e-5), (200, 10**6, 1e-4),
    ],
)  # fmt: skip
def test_rare_events_among_many(k, n, p):
    """Where scipy loses half of its digits: the sum of the terms, in the log of exact integers."""
    terms = []
    for i in range(k + 1):
        choices = Fraction(math.comb(n, i))
        log_choices = math.log(choices.numerator)
        terms.append(log_choices + i * math.log(p) + (n - i) * math.log1p(-p))
    expected = math.fsum(math.exp(term) for term in terms)
    # a term of size exp(t) has an error of t·2⁻⁵²
    assert binomial_cdf(k, n, p) == pytest.approx(expected, rel=max(map(abs, terms)) * 4e-16 + 1e-14)


def test_tail_against_scipy():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        n = int(10 ** rng.uniform(1, 7))
        k = int(rng.integers(n // 100, n + 1))
        near = (k + rng.normal() * 5 * math.sqrt(k + 1)) / n
        p = min(max(near, 1e-3), 1 - 1e-9) if rng.random() < 0.7 else rng.random()
        expected = stats.binom.cdf(k, n, p)
        if expected > 1e-250:
            # scipy's own error grows with n
            assert binomial_cdf(k, n, p) == pytest.approx(expected, rel=1e-14 * math.sqrt(n) + 1e-13)


def test_ends_of_the_tail():
    assert binomial_cdf(3, 3, 0.7) == 1
    assert binomial_cdf(2, 5, 0.0) == 1
    assert binomial_cdf(2, 5, 1.0) == 0
    assert binomial_cdf(2, 3, 1e-9) == 1.0
    assert binomial_cdf(0, 1, 0.25) == 0.75


def test_upper_bound_against_scipy():
    rng = np.random.default_rng(1)
    for _ in range(500):
        n = int(10 ** rng.uniform(0, 7))
        k = int(rng.integers(0, n)) if rng.random() < 0.5 else int(min(n - 1, 10 ** rng.uniform(0, 3)))
        delta = 10 ** rng.uniform(-12, -0.01)
        expected = stats.beta.isf(delta, k + 1, n - k)
        # scipy is exact to 1e-10 only where k is small and n large
        assert binomial_upper_bound(k, n, delta) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 0.05, 0.5, 0.999, 1 - 1e-15])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 10**6, 10**12])
def test_upper_bound_solves_its_equation(n, delta):
    ks = {0, 1, 2, min(n // 1000, 10**6), n // 10**6, n - 2, n - 1}
    for k in (k for k in ks if 0 <= k < n):
        bound = binomial_upper_bound(k, n, delta)
        below, above = bound * (1 - 1e-12), min(1.0, bound * (1 + 1e-12))
        assert binomial_cdf(k, n, below) >= delta >= binomial_cdf(k, n, above)
    assert binomial_upper_bound(n, n, delta) == 1


# --- The rules -----------------------------------------------------------------------------------


def guaranteed(*items, **limits):
    """By SGR, where thresholds are not given."""
    if "max_risk" in limits and not {"thresholds", "scale"} & set(limits):
        limits = {"method": "sgr", **limits}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        return fa.guaranteed_operating_point(*items, **limits)


limits = st.sampled_from([0.0, 0.01, 0.1, 0.2, 0.3, 0.5, 0.75, 0.9, 1.0]) | st.floats(0, 1, width=16)
deltas = st.sampled_from([0.001, 0.05, 0.1, 0.25, 0.4, 0.5])


@given(strategies.unweighted, limits, deltas)
def test_rules_item_by_item(sample, limit, delta):
    correct = [int(c) for c in sample.correct.tolist()]
    confidence = sample.confidence.tolist()
    for criterion, rule in (
        ("max_error_rate", ref.guaranteed_by_error_rate),
        ("max_risk", ref.guaranteed_by_risk),
    ):
        found = guaranteed(
            sample.correct, sample.confidence, **{criterion: limit}, failure_probability=delta
        )
        expected = rule(correct, confidence, Fraction(limit), Fraction(delta))
        assert found.threshold == expected
        assert (found.limit, found.failure_probability, found.criterion) == (limit, delta, criterion)
        assert 0 <= found.bound <= limit * (1 + 1e-12)
        assert found.point == fa.operating_point(
            sample.correct, sample.confidence, threshold=found.threshold
        )
        assert found.acceptance_rate == found.point.acceptance_rate
        sweep = fa.threshold_sweep(sample.correct, sample.confidence)
        assert guaranteed(sweep, **{criterion: limit}, failure_probability=delta) == found


def test_bound_is_clopper_and_pearsons():
    rng = np.random.default_rng(0)
    confidence = rng.random(5000).round(2)
    correct = rng.random(5000) < confidence**0.2
    found = fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.05)
    errors = found.point.false_accepts
    assert found.bound == pytest.approx(stats.beta.ppf(0.95, errors + 1, 5000 - errors), rel=1e-10)
    found = fa.guaranteed_operating_point(correct, confidence, max_risk=0.05, method="sgr")
    errors, accepted = found.point.false_accepts, found.point.true_accepts + found.point.false_accepts
    share = 0.05 / math.ceil(math.log2(len(np.unique(confidence))))
    expected = stats.beta.isf(share, errors + 1, accepted - errors)
    assert found.bound == pytest.approx(expected, rel=1e-10)
    assert found.bound <= 0.05


@pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 8, 9])
def test_each_test_of_the_bisection_has_its_share(m):
    """Up to ⌈log₂(m + 1)⌉ of m thresholds are tested, the middle one first."""
    tests, accepted = math.ceil(math.log2(m + 1)), 40 * ((m + 1) // 2)
    confidence = np.repeat(np.arange(m), 40)
    correct = np.ones(len(confidence), bool)
    delta = tests * 0.95**accepted  # with so many right ones in a row, the first test just passes
    for factor, threshold in ((1 + 1e-9, 0.0), (1 - 1e-9, math.inf)):
        point = guaranteed(correct, confidence, max_risk=0.05, failure_probability=delta * factor)
        assert point.threshold == threshold


def test_stricter_promises_accept_less():
    rng = np.random.default_rng(3)
    confidence = rng.random(3000)
    correct = rng.random(3000) < confidence**0.3
    for criterion in ("max_error_rate", "max_risk"):
        at = [
            guaranteed(correct, confidence, **{criterion: 0.1}, failure_probability=d).acceptance_rate
            for d in (0.5, 0.1, 0.01, 1e-6)
        ]
        assert at == sorted(at, reverse=True)
        assert at[0] > at[-1]
    plain = fa.operating_point(correct, confidence, max_error_rate=0.1)
    found = fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.1)
    assert found.acceptance_rate < plain.acceptance_rate


# --- How often a promise is broken ---------------------------------------------------------------

GRID = np.linspace(0, 1, 11)


def broken(criterion, limit, delta, n, draw, true_rate, repeats, seed):
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(repeats):
        confidence = draw(rng, n)
        correct = rng.random(n) < confidence
        point = guaranteed(correct, confidence, **{criterion: limit}, failure_probability=delta)
        count += point.threshold != math.inf and true_rate(point.threshold) > limit * (1 + 1e-12)
    return count / repeats


def uniform(rng, n):
    return rng.random(n)


def discrete(rng, n):
    return rng.choice(GRID, n)


def error_rate_uniform(k):
    """P(t ≥ k, wrong) where t is uniform and the item correct with probability t."""
    return (1 - k) ** 2 / 2


def error_rate_discrete(k):
    return float((1 - GRID[k <= GRID]).sum() / len(GRID))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "limit"), [(100, 0.1), (400, 0.05)])
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_how_often_the_error_rate_is_exceeded(kind, n, limit, delta):
    draw, rate = (
        (uniform, error_rate_uniform) if kind == "continuous" else (discrete, error_rate_discrete)
    )
    repeats = 1500 if COMPILED else 200
    found = broken("max_error_rate", limit, delta, n, draw, rate, repeats, seed=n)
    assert found <= delta + 3 * math.sqrt(delta * (1 - delta) / repeats)
    if kind == "continuous" and COMPILED:
        # no more cautious than whole errors require: where fewer than are allowed lie above the
        # threshold at which the limit is reached, a lower one is chosen
        allowed = max(k for k in range(n) if stats.binom.cdf(k, n, limit) <= delta)
        attained = stats.binom.cdf(allowed - 1, n, limit)
        assert found >= attained - 3 * math.sqrt(attained / repeats)


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
@pytest.mark.parametrize(("n", "delta"), [(200, 0.05), pytest.param(1000, 0.3, marks=pytest.mark.slow)])
def test_how_often_the_risk_is_exceeded(kind, n, delta):
    repeats = 800 if COMPILED else 100
    if kind == "continuous":
        found = broken("max_risk", 0.2, delta, n, uniform, lambda k: (1 - k) / 2, repeats, seed=n)
    else:

        def rate(k):
            return float((1 - GRID[k <= GRID]).mean())

        found = broken("max_risk", 0.2, delta, n, discrete, rate, repeats, seed=n)
    assert found <= delta + 3 * math.sqrt(delta * (1 - delta) / repeats)


@pytest.mark.slow
def test_how_often_a_risk_that_rises_and_falls_is_exceeded():
    """The most confident items are bad, then good, then bad: not what bisection presumes."""
    levels = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
    right = np.array([0.5, 0.99, 0.99, 0.99, 0.6, 0.99, 0.3])
    risks = np.cumsum(1 - right) / np.arange(1, 8)
    limit, delta = 0.15, 0.1
    assert (np.diff(risks) < 0).any()
    assert (risks <= limit).any()
    rng = np.random.default_rng(0)
    repeats = 1000 if COMPILED else 100
    count = 0
    for _ in range(repeats):
        place = rng.integers(0, 7, 1500)
        correct = rng.random(1500) < right[place]
        point = guaranteed(correct, levels[place], max_risk=limit, failure_probability=delta)
        if point.threshold != math.inf:
            count += risks[np.flatnonzero(levels == point.threshold)[0]] > limit
    assert count / repeats <= delta


# --- Small samples, what is shown, and wrong input -----------------------------------------------


def test_too_few_items():
    """No error in n items still allows 1 − δ^(1/n), about 3/n."""
    with pytest.warns(
        fa.SampleTooSmallWarning,
        match=r"100 items are too few: even without an error they prove no limit below 2.951%;",
    ):
        found = fa.guaranteed_operating_point([1] * 100, range(100), max_error_rate=0.01)
    assert found.threshold == math.inf
    assert found.acceptance_rate == found.bound == 0
    with pytest.warns(fa.SampleTooSmallWarning, match="at least 299 items"):
        fa.guaranteed_operating_point([1] * 298, range(298), max_error_rate=0.01)
    found = fa.guaranteed_operating_point([1] * 299, range(299), max_error_rate=0.01)
    assert found.acceptance_rate == 1
    assert found.bound == pytest.approx(1 - 0.05 ** (1 / 299), rel=1e-13)
    with pytest.warns(fa.SampleTooSmallWarning, match="no number of items proves max_risk=0$"):
        fa.guaranteed_operating_point([1, 1], [1, 2], max_risk=0, method="sgr")
    # by risk, with 300 distinct confidences: δ/9
    with pytest.warns(fa.SampleTooSmallWarning, match="at least 517 items"):
        fa.guaranteed_operating_point([1] * 300, range(300), max_risk=0.01, method="sgr")
    assert guaranteed([1] * 299, [1] * 299, max_risk=0.01).acceptance_rate == 1


def test_the_whole_can_be_accepted():
    found = fa.guaranteed_operating_point([0, 0, 1], [1, 2, 3], max_error_rate=1.0)
    assert (found.acceptance_rate, found.threshold) == (1, 1)
    assert 2 / 3 < found.bound < 1
    found = fa.guaranteed_operating_point([0, 0, 0], [1, 2, 3], max_risk=1.0, method="sgr")
    assert (found.threshold, found.bound) == (1, 1)


def test_integers_beyond_floats():
    confidence = np.array([2**60, 2**60 + 1], np.int64).repeat(100)
    correct = np.repeat([0, 1], 100)
    found = fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.05)
    assert found.threshold == 2**60 + 1


def test_shown():
    rng = np.random.default_rng(0)
    confidence = rng.random(2000).round(1)
    correct = rng.random(2000) < confidence**0.1
    text = str(fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.05))
    assert "with 95% confidence at most 5% errors remain among all items (observed" in text
    assert text.startswith("accept ")
    text = str(guaranteed(correct, confidence, max_risk=0.05, failure_probability=0.01))
    assert "with 99% confidence at most 5% errors remain among accepted items" in text
    text = str(guaranteed(correct, confidence, max_risk=0))
    assert text.startswith("no threshold guarantees with 95% confidence that at most 0% errors")
    assert text.endswith("accept nothing")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "exactly one of max_error_rate, max_risk, got none"),
        ({"max_risk": 0.1, "max_error_rate": 0.1}, TypeError, "exactly one of"),
        ({"max_risk": -0.1}, ValueError, r"max_risk must be a number in \[0, 1\], got -0\.1"),
        (
            {"max_error_rate": 1.5},
            ValueError,
            r"max_error_rate must be a number in \[0, 1\], got 1\.5 \(1\.5% is 0\.015\)",
        ),
        ({"max_error_rate": "1"}, TypeError, r"max_error_rate must be a number, got '1' \(str\)"),
        (
            {"max_risk": 0.1, "failure_probability": 0},
            ValueError,
            "failure_probability must be a number strictly between 0 and 1,",
        ),
        (
            {"max_risk": 0.1, "failure_probability": 1},
            ValueError,
            r"failure_probability must be at most 0\.5, got 1\.0: it is the probability",
        ),
        (
            {"max_risk": 0.1, "failure_probability": "x"},
            TypeError,
            r"failure_probability must be a number, got 'x' \(str\)",
        ),
    ],
)
def test_wrong_input(options, error, message):
    with pytest.raises(error, match=message):
        fa.guaranteed_operating_point([1, 0], [0.9, 0.1], **options)


def test_weights_are_refused():
    sweep = fa.threshold_sweep([1, 0], [0.9, 0.1], sample_weight=[1.0, 2.0])
    with pytest.raises(TypeError, match="the sweep is weighted, but a guarantee needs counts of items"):
        fa.guaranteed_operating_point(sweep, max_risk=0.1, method="sgr")
    with pytest.raises(
        TypeError, match="confidence cannot go with a ThresholdSweep: give the sweep alone"
    ):
        fa.guaranteed_operating_point(sweep, [1], max_risk=0.1, method="sgr")


# --- Fixed thresholds, and groups ------------------------------------------------------------


def drawn(n, rng, shift=0.0, mean=3.2):
    """P(correct) = expit(0.9z + 0.2 − shift), confidence expit(z), z normal."""
    z = rng.normal(mean, 1.5, n)
    return rng.random(n) < 1 / (1 + np.exp(shift - 0.9 * z - 0.2)), 1 / (1 + np.exp(-z))


def test_the_fallback_sequence_as_it_is_written():
    rng = np.random.default_rng(5)
    correct, confidence = drawn(1500, rng)
    pilot = drawn(700, rng)[1]
    grid, limit, delta = np.linspace(0.99, 0.2, 80), 0.06, 0.05
    found = fa.guaranteed_operating_point(
        correct, confidence, max_risk=limit, thresholds=grid, pilot=pilot
    )
    targets = np.geomspace(1.5 * math.log(5 / delta) / limit, 0.97 * 1500, 5)
    shares = [np.mean(pilot >= k) * 1500 for k in grid]
    starts = [next((j for j, x in enumerate(shares) if x >= t), len(grid) - 1) for t in targets]
    level, expected = 0.0, math.inf
    for j, k in enumerate(grid):
        level += starts.count(j) * delta / 5
        accepted = confidence >= k
        wrong = np.sum(accepted & ~correct)
        if level and stats.binom.cdf(wrong, accepted.sum(), limit) <= level:
            expected = k
        else:
            level = 0.0
    assert found.threshold == expected < math.inf


@pytest.mark.parametrize("tied", [False, True])
def test_the_fallback_sequence_of_own_thresholds_as_it_is_written(tied):
    rng = np.random.default_rng(8)
    n, limit, delta = 900, 0.06, 0.05
    correct, confidence = drawn(n, rng)
    if tied:  # in threes that are alike, so that the draw within a tie does not matter
        correct, confidence = np.repeat(correct[::3], 3), np.repeat(confidence[::3], 3)
    found = fa.guaranteed_operating_point(correct, confidence, max_risk=limit, method="fallback")
    order = np.argsort(-confidence, kind="stable")
    wrong = np.cumsum(~correct[order])
    ranks = np.ceil(np.geomspace(1.5 * math.log(5 / delta) / limit, 0.97 * n, 5)).astype(int)
    # Up to 1,000 ranks are tested, which are all of them here.
    starts, size = [], 3 if tied else 1
    for k in ranks:
        end = -(-k // size) * size
        if stats.binom.cdf(wrong[k - 1], k, limit) <= delta / 5:
            starts.append(end)
    level, expected = 0.0, math.inf
    for end in range(size, n + 1, size):
        level += starts.count(end) * delta / 5
        if level and stats.binom.cdf(wrong[end - 1], end, limit) <= level:
            expected = confidence[order][end - 1]
        else:
            level = 0.0
    assert found.threshold == expected < math.inf
    assert 2 <= len(starts) < 5


def test_a_scale_and_a_tenth_set_aside():
    correct, confidence = drawn(3000, np.random.default_rng(6))
    sweep = fa.threshold_sweep(correct, confidence)
    point = fa.guaranteed_operating_point(sweep, max_risk=0.05, scale="unit")
    assert point == fa.guaranteed_operating_point(correct, confidence, max_risk=0.05, scale="unit")
    assert 0.5 < point.acceptance_rate < 1
    percent = np.round(100 * confidence)
    point = fa.guaranteed_operating_point(correct, percent, max_risk=0.05, scale="percent")
    assert point.threshold == int(point.threshold)
    with pytest.raises(TypeError, match="thresholds and scale are both given"):
        fa.guaranteed_operating_point(sweep, max_risk=0.05, scale="unit", thresholds=[0.5])
    with pytest.raises(TypeError, match=r"max_risk needs thresholds .* or method='fallback'"):
        fa.guaranteed_operating_point(sweep, max_risk=0.05)
    with pytest.raises(ValueError, match="method must be 'exact' for max_error_rate, got 'betting'"):
        fa.guaranteed_operating_point(sweep, max_error_rate=0.05, method="betting")


@pytest.mark.slow
def test_groups_of_dependent_items_break_the_limit_seldom():
    """Of 100 samples of pages whose errors grow with their size; tests of items break it often."""
    rng = np.random.default_rng(8)
    trials = 100 if COMPILED else 4

    def pages(n):
        sizes = rng.integers(1, 21, n)
        groups = np.repeat(np.arange(n), sizes)
        shift = (rng.normal(0, 1.5, n) + 0.05 * (sizes - 10))[groups]
        return *drawn(len(groups), rng, shift), groups

    correct, confidence, _ = pages(40_000 if COMPILED else 2000)
    truth = fa.threshold_sweep(correct, confidence)
    broken = dict.fromkeys(("items", "betting", "one_per_group"), 0)
    for _ in range(trials):
        correct, confidence, groups = pages(300)
        for name in broken:
            options = {"groups": groups, "max_group_size": 20, "method": name}
            found = fa.guaranteed_operating_point(
                correct, confidence, max_error_rate=0.05, **({} if name == "items" else options)
            )
            rate = fa.operating_point(truth, threshold=found.threshold).error_rate
            broken[name] += rate > 0.05
            if name != "items":
                assert found.max_group_size == 20
                if found.threshold < math.inf:
                    assert "if no group has more than 20 items" in str(found)
    if COMPILED:
        assert max(broken["betting"], broken["one_per_group"]) <= 9  # 5 and two standard errors
        assert broken["items"] > 9


def test_groups_are_refused_or_warn():
    correct, confidence = drawn(60, np.random.default_rng(3))
    groups = np.arange(60) // 6
    with pytest.warns(
        fa.SampleTooSmallWarning, match="there are 10 groups, but a limit of 5% needs about 60"
    ):
        found = fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.05, groups=groups)
    assert found.threshold == math.inf
    with pytest.raises(ValueError, match=r"max_group_size must be at least 6 \(the size of"):
        fa.guaranteed_operating_point(
            correct, confidence, max_error_rate=0.05, groups=groups, max_group_size=5
        )
    with pytest.raises(TypeError, match="groups needs single items"):
        fa.guaranteed_operating_point(
            fa.threshold_sweep(correct, confidence), max_error_rate=0.05, groups=groups
        )


class TestConfidencesOfAnotherScale:
    """A declared scale or fixed thresholds that the confidences do not fit accept nothing."""

    @pytest.fixture
    def items(self):
        return drawn(2000, np.random.default_rng(6))

    def refused(self, items, confidence, **options):
        with pytest.raises(ValueError, match=r"must|use") as caught:
            fa.guaranteed_operating_point(items[0], confidence, max_risk=0.05, **options)
        return str(caught.value)

    def test_scale(self, items):
        unit = items[1]
        low, high = 100 * unit.min(), 100 * unit.max()
        assert self.refused(items, 100 * unit, scale="unit") == (
            f"confidence must run from 0 to 1 for scale='unit', got {low:.6g} to {high:.6g}; use "
            "scale='percent'"
        )
        assert "use scale='unit'" in self.refused(items, unit, scale="percent")
        logits = np.log(unit / (1 - unit))
        for scale in ("unit", "percent"):
            said = self.refused(items, logits, scale=scale)
            assert said.endswith("use thresholds that were fixed without these items")
        assert "-99" in self.refused(items, unit - 100, scale="unit")

    @pytest.mark.parametrize("options", [{"groups": True}, {"sweep": True}, {"part": True}])
    def test_in_every_way_of_giving_items(self, items, options):
        correct, confidence, groups = items[0], 100 * items[1], None
        if "groups" in options:
            groups = np.arange(len(correct)) // 5
        if "part" in options:
            correct = fa.PartialTruth(
                correct.astype(float), inclusion_probability=np.ones(len(correct))
            )
        if "sweep" in options:
            correct, confidence = fa.threshold_sweep(correct, confidence), None
        with pytest.raises(ValueError, match="confidence must run from 0 to 1 for scale='unit', got"):
            fa.guaranteed_operating_point(
                correct, confidence, max_risk=0.05, scale="unit", groups=groups
            )
        with pytest.raises(ValueError, match=r"thresholds run from 101 to 102, but confidences from"):
            fa.guaranteed_operating_point(
                correct, confidence, max_risk=0.05, thresholds=[101, 102], groups=groups
            )

    def test_pilot(self, items):
        said = self.refused(items, items[1], scale="unit", pilot=100 * items[1])
        assert "pilot must run from 0 to 1 for scale='unit'" in said

    def test_thresholds(self, items):
        for thresholds in ([50, 90, 95], [1.5], [2.0]):
            said = self.refused(items, items[1], thresholds=thresholds)
            assert said.startswith(
                f"thresholds run from {min(thresholds):g} to {max(thresholds):g}, but"
            )
            assert said.endswith("use one scale for both")
        self.refused(items, 100 * items[1], thresholds=[0.5, 0.9])
        self.refused(items, 100 * items[1], thresholds=[0.9])

    def test_what_fits(self, items):
        correct, confidence = items
        for values, options in (
            (confidence, {"thresholds": [0.5, 0.9, 1.5]}),  # some may be out of reach
            (100 * confidence, {"thresholds": [0.0]}),  # whether everything may be accepted
            (np.where(confidence < 0.3, -1.0, confidence), {"scale": "unit"}),  # never accepted ones
            (confidence * (1 + 1e-7), {"scale": "unit"}),
            (np.log(confidence / (1 - confidence)), {"thresholds": [0.0, 1.0, 2.0]}),
        ):
            fa.guaranteed_operating_point(correct, values, max_risk=0.05, **options)
