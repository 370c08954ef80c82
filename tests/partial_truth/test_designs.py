"""Estimates and their variance, in the mean over all samples that a design could draw."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import fastarac as fa
from fastarac._engine.predictions import Prediction
from fastarac.samples.partial_items import PartialItems
from fastarac.uncertainty.derivatives import PointInfluence
from fastarac.uncertainty.estimated_samples import PartialSample, value_of

pytestmark = pytest.mark.interpreted

CONFIDENCE = [0.9, 0.8, 0.8, 0.7, 0.5, 0.5, 0.2, 0.1]
RIGHT = [1, 1, 0, 1, 0, 1, 1, 0]
PREDICTED = [Fraction(k, 16) for k in (1, 4, 9, 2, 8, 8, 3, 12)]
SLOPES = [Fraction(k, 4) for k in (3, -1, 2, 0, 5, 1, -2, 4)]  # of a linear statistic, by item
SLOPES[2], SLOPES[5] = SLOPES[1], SLOPES[4]  # one of each threshold
ALONE = [[i] for i in range(8)]
PAGES = [[0, 2], [1, 7], [3, 5], [4, 6]]


def samples(units):
    """Each set of units, as it marks the items, with its chance; the last unit is always drawn."""
    chances = [Fraction(k, 8) for k in (2, 4, 3, 6, 1, 5, 4)][: len(units) - 1]
    chances.append(Fraction(1))
    pi = [chances[next(g for g, unit in enumerate(units) if i in unit)] for i in range(8)]
    for drawn in itertools.product((False, True), repeat=len(units) - 1):
        chance = Fraction(1)
        for seen, p in zip(drawn, chances[:-1], strict=True):
            chance *= p if seen else 1 - p
        chosen = [
            any(i in u for u, t in zip(units, (*drawn, True), strict=True) if t) for i in range(8)
        ]
        yield chosen, pi, chance


def sample_of(chosen, pi, units):
    codes = None
    if units is PAGES:
        codes = np.array([next(g for g, unit in enumerate(units) if i in unit) for i in range(8)])
    correct = np.where(chosen, RIGHT, np.nan)
    truth = fa.PartialTruth(correct, inclusion_probability=np.array([float(p) for p in pi]))
    items = PartialItems(truth, CONFIDENCE, codes)
    g = np.array([float(x) for x in PREDICTED])
    items.predictions = [Prediction(items.order.astype(np.int32), g, g[items.order[items.places]])]
    return PartialSample(items)


@pytest.mark.parametrize("statistic", ["augrc", "aurc", "arp_auc", "pr_auc", "average_precision"])
def test_the_mean_influence_at_estimated_counts_is_0(statistic):
    """Also where the estimated correct items of a tie are negative."""
    rng = np.random.default_rng(5)
    confidence = rng.random(300)
    right, drawn = rng.random(300) < confidence, rng.random(300) < 0.2
    truth = fa.PartialTruth(np.where(drawn, right, np.nan), inclusion_probability=0.2)
    sample = PartialSample.of(truth, confidence)
    found = sample.evidence(fa.Statistic(statistic))
    assert np.diff(found.sweep.true_accepts).min() < 0.0
    at, errors = sample.influence_of(fa.Statistic(statistic), found), found.sweep.item_errors
    assert np.mean(at.correct + (at.incorrect - at.correct) * errors) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("units", [ALONE, PAGES], ids=["items", "pages"])
def test_the_variance_is_that_of_the_items_and_of_the_draw(units):
    """S²/n of the truth of all, plus what the draw alone makes of the estimate."""
    slopes = [float(SLOPES[i]) for i in (0, 1, 3, 4, 6, 7)]
    at = PointInfluence(np.zeros(6), np.array(slopes))
    mean = 0.0
    estimates = []
    for chosen, pi, chance in samples(units):
        sample = sample_of(chosen, pi, units)
        mean += float(chance) * sample.spread(at, sample.items.sweep(())).standard_error ** 2
        total = Fraction(0)
        for d, g, c, taken, p in zip(SLOPES, PREDICTED, RIGHT, chosen, pi, strict=True):
            total += d * (g + (1 - c - g) / p if taken else g)
        estimates.append((chance, total))
        found = sample.items.estimate(()).sweep.false_accepts
        assert np.diff(found) @ slopes == pytest.approx(float(total), abs=1e-12)
    expected = sum(d * (1 - c) for d, c in zip(SLOPES, RIGHT, strict=True))
    assert sum(chance * total for chance, total in estimates) == expected
    of_draw = sum(chance * (total - expected) ** 2 for chance, total in estimates)
    sums = [sum(SLOPES[i] * (1 - RIGHT[i]) for i in unit) for unit in units]
    n = len(units)
    of_units = sum((s - Fraction(expected, n)) ** 2 for s in sums) * Fraction(n, n - 1)
    assert mean == pytest.approx(float(of_units + of_draw) / 64, rel=1e-12)


@pytest.mark.parametrize("units", [ALONE, PAGES], ids=["items", "pages"])
def test_pairs_are_those_of_the_truth(units):
    """Also of two items of a group that is drawn whole, whose truths become known together."""
    above = pairs = 0.0
    for chosen, pi, chance in samples(units):
        sample = sample_of(chosen, pi, units)
        counts = sample.items.estimate(())
        above += float(chance) * counts.sweep.pairs_above
        sweep = counts.sweep
        of_both = sweep.n_correct * sweep.n_incorrect - sweep.pairs_alone
        pairs += float(chance) * of_both
        if of_both > 0:
            area = value_of(fa.Statistic("roc_auc"), counts)
            assert area == pytest.approx(min(max(sweep.pairs_above / of_both, 0.0), 1.0))
    wanted = [
        Fraction(1) if t > u else Fraction(1, 2) if t == u else Fraction(0)
        for t, c in zip(CONFIDENCE, RIGHT, strict=True)
        for u, d in zip(CONFIDENCE, RIGHT, strict=True)
        if c and not d
    ]
    assert pairs == pytest.approx(len(wanted), rel=1e-12)
    assert above == pytest.approx(float(sum(wanted)), rel=1e-12)


def test_groups_are_drawn_whole_or_not():
    chosen = [True, False, True, False, True, False, True, False]
    assert sample_of(chosen, [Fraction(1, 2)] * 8, PAGES).items.drawn_whole
    assert not sample_of([True, *[False] * 7], [Fraction(1, 2)] * 8, PAGES).items.drawn_whole
    unequal = [Fraction(1, 2)] * 7 + [Fraction(1, 4)]
    assert not sample_of([*[False] * 7, True], unequal, PAGES).items.drawn_whole
    all_of_two = [False, True, False, False, False, False, False, True]
    assert not sample_of(all_of_two, unequal, PAGES).items.drawn_whole
