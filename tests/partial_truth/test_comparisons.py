"""Differences of models whose outputs were verified in part; room for errors that were not drawn."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import fastarac as fa
from fastarac.uncertainty.estimated_samples import PartialSample


def models_of(seed, *, mix, n=4000, budget=400, errors=0.03):
    """Two models of one law, verified together, aimed by a good judge of the first."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    found, sample = {}, None
    for name in "ab":
        ease = (common + rng.normal(size=n)) / math.sqrt(2)
        confidence = 1 / (1 + np.exp(-2 - ease))
        right = rng.random(n) >= 2 * errors * (1 - stats.norm.cdf(ease))
        score = rng.normal(size=n) + 4 * right
        judge = 1 / (1 + np.exp(-(-np.log(errors) + 4 * score - 8)))
        if sample is None:
            sample = fa.partial_truth.draw_verification_sample(
                confidence, budget, judge=judge, mix=mix, random_state=seed
            )
        truth = fa.PartialTruth(
            np.where(sample.selected, right, np.nan),
            inclusion_probability=sample.inclusion_probability,
            judge=judge,
        )
        found[name] = truth, confidence
    return found


def compared(models, statistic="arac_auc"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.compare_models(models, statistic=statistic)


def room_of(truth, confidence, statistic="arac_auc"):
    sample = PartialSample.of(truth, confidence)
    return sample.unseen(sample.evidence(fa.Statistic(statistic)), 0.95)


def test_the_room_is_that_described():
    """Of the recognition rate at one confidence an error moves it by 1/π over n, at one rate of all."""
    rng = np.random.default_rng(0)
    pi = rng.choice([0.05, 0.1, 0.4], 3000)
    right = rng.random(3000) < 0.9
    chosen = rng.random(3000) < pi
    truth = fa.PartialTruth(np.where(chosen, right, np.nan), inclusion_probability=pi)
    moves = [1 / (p * 3000) for p in pi[chosen]]
    wrong = [not answer for answer in right[chosen]]
    seen = [move for move, e in zip(moves, wrong, strict=True) if e]
    typical = math.fsum(move**2 for move in seen) / math.fsum(seen)
    beyond = [move - typical for move in moves if move > typical]
    expected = -math.log(0.025) * math.sqrt(math.fsum(b * b for b in beyond) / len(beyond))
    down, up = room_of(truth, np.full(3000, 0.5), "recognition_rate")
    assert (down, up) == (pytest.approx(expected, rel=0.01), 0.0)


@pytest.mark.parametrize("statistic", ["arac_auc", "roc_auc"])
def test_a_difference_has_the_room_of_both(statistic):
    """Errors that one model hides count against it, so that its end of the interval is the farther."""
    models = models_of(3, mix=0.2)
    pair = compared(models, statistic).pairs[0]
    (down_a, up_a), (down_b, up_b) = (room_of(*model, statistic) for model in models.values())
    rooms = math.hypot(down_a, up_b), math.hypot(up_a, down_b)
    assert min(rooms) > 0
    reach, z = stats.t.ppf(0.975, math.floor(pair.degrees_of_freedom)), stats.norm.ppf(0.975)
    for end, side, room in zip((pair.interval.low, pair.interval.high), (-1, 1), rooms, strict=True):
        whole = math.hypot(pair.standard_error, room / z)
        assert end == pytest.approx(pair.difference + side * reach * whole, rel=1e-9)
    turned = compared(dict(reversed(models.items())), statistic).pairs[0]
    assert turned.pvalue == pytest.approx(pair.pvalue)
    assert turned.interval.low == pytest.approx(-pair.interval.high)


def test_a_difference_is_found_where_its_interval_lacks_0():
    for seed in range(12):
        pair = compared(models_of(seed, mix=0.2)).pairs[0]
        found = not pair.interval.low <= 0 <= pair.interval.high
        assert found == (pair.pvalue < 0.05)


def test_no_difference_is_found_by_chance_where_nine_tenths_are_aimed():
    """Errors where the judge is sure are seldom drawn; without room 14 of these 80 would be found."""
    pairs = [compared(models_of(seed, mix=0.1)).pairs[0] for seed in range(80)]
    assert sum(pair.pvalue < 0.05 for pair in pairs) <= 5


def test_few_verified_errors_are_noted_and_one_warns():
    few = models_of(5, mix=0.5, budget=150)
    assert any("only about" in note for note in compared(few, "recognition_rate").notes)
    right = np.array([1.0] * 99 + [0.0] + [np.nan] * 900)
    one = fa.PartialTruth(right, inclusion_probability=0.1)
    with pytest.warns(
        fa.UnreliableIntervalWarning, match="about 1 verified error or correct item; its"
    ):
        fa.asymptotic_interval(one, np.arange(1000), statistic="recognition_rate")
    confidence = np.random.default_rng(0).random((2, 1000))
    with pytest.warns(fa.UnreliableIntervalWarning, match="'b' has fewer than 2 verified errors"):
        fa.compare_models({"a": (one, confidence[0]), "b": (one, confidence[1])})
