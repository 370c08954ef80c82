"""Operating points and acceptance rates of outputs of which some are verified."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fastarac as fa

pytestmark = pytest.mark.interpreted


def quiet(statistic, *items):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.asymptotic_interval(*items, statistic=statistic)


@pytest.mark.parametrize(("share", "groups"), [(0.4, None), (0.05, None), (0.4, np.arange(3000) // 5)])
def test_an_acceptance_rate_is_that_of_its_interval_and_of_the_evaluation(share, groups):
    rng = np.random.default_rng(11)
    confidence = rng.random(3000).round(2)
    right = rng.random(3000) >= 0.4 * (1 - confidence)
    judge = 1 / (1 + np.exp(-(6.0 * right - 2 + rng.logistic(size=3000))))
    answers = np.where(rng.random(3000) < share, right, np.nan)
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
