"""Weights are relative: multiplying all by one number changes no estimate, interval or p-value."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import register

import fastarac as fa
from fastarac.uncertainty import asymptotic

PARAMETERS = {
    "acceptance_at_error_rate": {"max_error_rate": 0.05},
    "acceptance_at_risk": {"max_risk": 0.05},
    "cost": {"costs": fa.VerificationCosts(error=20.0, verification=1.0, correction=2.0)},
    "arac_partial_auc": {"max_error_rate": 0.05},
    "roc_partial_auc": {"fpr_range": (0.0, 0.3)},
    "pr_partial_auc": {"recall_range": (0.1, 0.6)},
    **{name: {"optimum": "asymptotic"} for name in ("excess_aurc", "normalized_aurc")},
    **{name: {"threshold": 0.4} for name in register.AT_THRESHOLD},
}
STATISTICS = [fa.Statistic(name, **PARAMETERS.get(name, {})) for name in fa.Statistic.names()]
HOPELESS = fa.Statistic("acceptance_at_risk", max_risk=0.001)  # of which no item is within
SCALES = (0.1, 1.0, 100.0)


def sample(seed: int = 0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=80)
    correct = rng.random(80) < 1 / (1 + np.exp(-z - 0.7))
    correct[np.argmax(z)] = False
    return correct, 1 / (1 + np.exp(-z)), rng.uniform(0.5, 3.0, 80), np.arange(80) // 4


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **options)


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "groups"])
@pytest.mark.parametrize("method", asymptotic.METHODS)
def test_intervals_do_not_depend_on_the_scale_of_weights(method, grouped):
    correct, confidence, weight, groups = sample()
    tried = 0
    for statistic in [*STATISTICS, HOPELESS]:
        found = []
        try:
            asymptotic.check_method(statistic, method)
        except ValueError:
            continue
        for scale in SCALES:
            one = quietly(
                fa.asymptotic_interval, correct, confidence, statistic=statistic, method=method,
                groups=groups if grouped else None, sample_weight=scale * weight,
            )  # fmt: skip
            found.append((one.estimate, one.low, one.high, one.standard_error))
        for other in found:
            np.testing.assert_allclose(other, found[1], rtol=1e-9, atol=1e-12, err_msg=repr(statistic))
        tried += 1
    assert tried >= (1 if method == "gaps" else 6)


@pytest.mark.parametrize("method", ["asymptotic", "bootstrap"])
def test_tests_do_not_depend_on_the_scale_of_weights(method):
    correct, confidence, weight, groups = sample(1)
    models = {"a": (correct, confidence), "b": sample(2)[:2]}
    tried = 0
    for statistic in STATISTICS:
        if method == "asymptotic" and not statistic.definition.is_smooth:
            continue
        found = []
        for scale in SCALES:
            pair = quietly(
                fa.compare_models, models, statistic=statistic, method=method, groups=groups,
                sample_weight=scale * weight, n_resamples=40, random_state=0,
            ).pairs[0]  # fmt: skip
            found.append((pair.difference, pair.interval.low, pair.interval.high, pair.pvalue))
        for other in found:
            np.testing.assert_allclose(other, found[1], rtol=1e-9, atol=1e-12, err_msg=repr(statistic))
        tried += 1
    assert tried >= 20


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "groups"])
def test_resamples_do_not_depend_on_the_scale_of_weights(grouped):
    correct, confidence, weight, groups = sample(3)
    found = []
    for scale in SCALES:
        results = quietly(
            fa.bootstrap, correct, confidence, statistic=[*STATISTICS, HOPELESS], n_resamples=40,
            random_state=0, groups=groups if grouped else None, sample_weight=scale * weight,
        )  # fmt: skip
        found.append([(one.estimate, one.low, one.high) for one in results.values()])
    assert len(found[0]) > 20
    for other in found:
        np.testing.assert_allclose(other, found[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "groups"])
def test_warnings_do_not_depend_on_the_scale_of_weights(grouped):
    """Few items and few that count warn, whatever the unit of their weights."""
    correct, confidence, weight, groups = sample(4)
    weight = np.where(np.arange(80) % 9 == 0, 100.0, weight)
    for statistic in STATISTICS:
        said = []
        for scale in SCALES:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    fa.asymptotic_interval(
                        correct, confidence, statistic=statistic, sample_weight=scale * weight,
                        groups=groups if grouped else None,
                    )  # fmt: skip
                except ValueError:
                    break
            said.append([str(one.message) for one in caught])
        assert all(one == said[0] for one in said), statistic
