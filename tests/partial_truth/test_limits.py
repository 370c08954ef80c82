"""Operating points and acceptance rates of outputs of which some are verified."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa

pytestmark = pytest.mark.interpreted

N = 3000 if COMPILED else 600


def quiet(statistic, *items):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.asymptotic_interval(*items, statistic=statistic)


@pytest.mark.compiled
@pytest.mark.parametrize(("share", "groups"), [(0.4, None), (0.05, None), (0.4, np.arange(N) // 5)])
def test_an_acceptance_rate_is_that_of_its_interval_and_of_the_evaluation(share, groups):
    rng = np.random.default_rng(11)
    confidence = rng.random(N).round(2)
    right = rng.random(N) >= 0.4 * (1 - confidence)
    judge = 1 / (1 + np.exp(-(6.0 * right - 2 + rng.logistic(size=N))))
    answers = np.where(rng.random(N) < share, right, np.nan)
    truth = fa.PartialTruth(answers, inclusion_probability=share, judge=judge, groups=groups)
    for criterion, of in (
        ("max_error_rate", fa.acceptance_at_error_rate),
        ("max_risk", fa.acceptance_at_risk),
    ):
        limits, ends = [0.05, 0.1], []
        for limit in limits:
            for interpolate in (True, False):
                options = {criterion: limit, "interpolate": interpolate}
                found = quiet(fa.Statistic(of.__name__, **options), truth, confidence).estimate
                assert of(truth, confidence, **options) == found
                point = fa.operating_point(truth, confidence, **options)
                assert point.acceptance_rate == pytest.approx(found, rel=1e-12)
            every = fa.evaluate(truth, confidence, **{criterion: limit}).limits
            same = [e.point for e in every if (e.limit.criterion, e.limit.value) == (criterion, limit)]
            assert [each.threshold for each in same] == [point.threshold]
            ends.append(of(truth, confidence, **{criterion: limit}))
        assert of(truth, confidence, **{criterion: limits}).tolist() == ends
    point = fa.operating_point(truth, confidence, threshold=0.6)
    for name in ("acceptance_rate", "error_rate", "risk", "precision"):
        found = quiet(fa.Statistic(name, threshold=0.6), truth, confidence).estimate
        assert getattr(point, name) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("groups", [None, np.arange(3000) // 50])
def test_the_share_of_all_outputs_that_are_read_varies_with_the_sample(groups):
    """By pages where there are any: it hangs on the confidences alone, which are all known."""
    rng = np.random.default_rng(3)
    missed = rng.random(3000) < np.repeat(rng.choice([0.0, 0.2], 60), 50)
    right, confidence = (rng.random(3000) < 0.995) & ~missed, np.where(missed, -1.0, rng.random(3000))
    answers = np.where(rng.random(3000) < 0.5, right, np.nan)
    truth = fa.PartialTruth(answers, inclusion_probability=0.5, groups=groups)
    for name, limit in (("error_rate", 0.3), ("risk", 0.3)):
        options = {f"max_{name}": limit, "interpolate": False, "never_accepted": -1.0}
        statistic = fa.Statistic(f"acceptance_at_{name}", **options)
        found = quiet(statistic, truth, confidence)
        known = quiet(fa.Statistic("acceptance_rate", threshold=0.0), truth, confidence)
        assert found.estimate == pytest.approx(1.0 - missed.mean(), rel=1e-12)
        assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=2e-3)
        assert found.high > found.estimate + 0.01
    with pytest.raises(TypeError, match=r"^never_accepted cannot go with a PartialTruth"):
        fa.evaluate(truth, confidence, never_accepted=-1.0)


@pytest.mark.compiled
@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("criterion", ["max_error_rate", "max_risk"])
def test_a_limit_and_its_threshold_give_the_same_rates(criterion, judged):
    """Also with about 10 verified errors, from which on predictions are used."""
    limit = 0.05
    for seed in range(12):
        rng = np.random.default_rng(seed)
        confidence = rng.beta(5, 1.5, 1500).round(3)
        right = rng.random(1500) >= (0.4, 0.8, 1.6)[seed % 3] * (1 - confidence) ** 1.5
        chosen = np.isin(np.arange(1500), rng.choice(1500, 200, replace=False))
        judge = np.clip(0.3 + 0.5 * right + rng.normal(0, 0.2, 1500), 0, 1) if judged else None
        truth = fa.PartialTruth(
            np.where(chosen, right, np.nan), inclusion_probability=200 / 1500, judge=judge
        )
        point = fa.operating_point(truth, confidence, **{criterion: limit})
        rate = point.error_rate if criterion == "max_error_rate" else point.risk
        assert not rate > limit * (1 + 1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same = fa.operating_point(truth, confidence, threshold=point.threshold)
            options = {criterion: limit, "threshold": min(point.threshold, 2.0)}
            found = {
                each.limit.criterion: each.point
                for each in fa.evaluate(truth, confidence, **options).limits
                if each.limit.criterion == "threshold" or each.limit.value == limit
            }
        of = fa.acceptance_at_error_rate if criterion == "max_error_rate" else fa.acceptance_at_risk
        accepted = of(truth, confidence, **{criterion: limit})
        assert accepted == pytest.approx(point.acceptance_rate, rel=1e-12)
        for other in (same, found[criterion], found["threshold"]):
            assert other.acceptance_rate == point.acceptance_rate
            assert other.error_rate == point.error_rate
            assert other.correction_rate == point.correction_rate
