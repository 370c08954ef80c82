"""Outputs that are hardly ever drawn: intervals have room for errors there, or warn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fastarac as fa

pytestmark = pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")

N, VERIFIED, SAMPLES = 6_000, 900, 150
LEAST = 0.93 - 2.326 * np.sqrt(0.93 * 0.07 / SAMPLES)  # of intervals that cover, by a test at 99%


def wrong_at_the_top(rng, n=N):
    """An engine that is surest of what is wrong more often than the rest."""
    confidence = rng.random(n)
    return confidence, rng.random(n) >= np.where(confidence > 0.9, 0.12, 0.03 + 0.05 * (1 - confidence))


def seldom_at_the_top(confidence, floor):
    size = (1.0 - confidence) ** 2
    return np.clip(VERIFIED * size / size.sum(), floor, 1.0)


@pytest.mark.slow
def test_intervals_where_the_highest_confidences_are_hardly_ever_drawn():
    confidence, right = wrong_at_the_top(np.random.default_rng(1), 1_000_000)
    names = ("recognition_rate", "arac_auc", "roc_auc")
    truth = {name: fa.Statistic(name)(fa.threshold_sweep(right, confidence)) for name in names}
    covered = dict.fromkeys(names, 0)
    taken = 0
    for seed in range(SAMPLES):
        rng = np.random.default_rng([7, seed])
        confidence, right = wrong_at_the_top(rng)
        probability = seldom_at_the_top(confidence, 0.01)
        answers = np.where(rng.random(N) < probability, right, np.nan)
        try:
            verified = fa.PartialTruth(answers, inclusion_probability=probability)
        except ValueError:  # one in a thousand samples contradicts its probabilities
            continue
        taken += 1
        for name in names:
            found = fa.asymptotic_interval(verified, confidence, statistic=name)
            covered[name] += found.low <= truth[name] <= found.high
    assert all(hits >= LEAST * taken for hits in covered.values()), covered


def test_room_is_continuous_in_the_heaviest_weight():
    """Outputs at 2.5 times the mean weight have the room of all others, and beyond it more and more."""
    rng = np.random.default_rng(2)
    confidence, right = wrong_at_the_top(rng)
    given = np.where(confidence > 0.9, 0.05, 0.2)
    drawn = rng.random(N) < given
    widths = []
    for top in (0.06, 0.0599, 0.03, 0.015):
        probability = np.where(confidence > 0.9, top, 0.2)
        truth = fa.PartialTruth(np.where(drawn, right, np.nan), inclusion_probability=given)
        # one draw serves all probabilities, which do not fit it
        object.__setattr__(truth, "inclusion_probability", probability)
        found = fa.asymptotic_interval(truth, confidence, statistic="arac_auc")
        widths.append(found.high - found.low)
    assert widths[0] == pytest.approx(widths[1], rel=0.01)
    assert widths[0] < widths[2] < widths[3]


@pytest.mark.parametrize(("n_verified", "warns"), [(60, True), (140, False)])
def test_areas_over_precision_of_few_verified_outputs_warn(n_verified, warns):
    """With 60 verified outputs, intervals for the average precision cover 92% instead of 95%."""
    rng = np.random.default_rng(6)
    score = rng.normal(0.5, 1.5, 600)
    right = rng.random(600) < 1 / (1 + np.exp(-0.9 * score - 0.2))
    chosen = np.zeros(600, np.bool_)
    chosen[rng.permutation(600)[:n_verified]] = True
    truth = fa.PartialTruth(np.where(chosen, right, np.nan), inclusion_probability=n_verified / 600)
    for name in ("pr_auc", "average_precision", "arac_auc"):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            fa.asymptotic_interval(truth, score, statistic=name)
        assert bool(given) == (warns and name != "arac_auc"), name
        if given:
            assert f"is based on only {n_verified} verified outputs" in str(given[0].message)
