"""Room for groups that are wrong throughout, of which the sample has none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty.unseen_groups import WrongGroups, largest_unseen_share

STATISTICS = (
    *map(fa.Statistic, ("recognition_rate", "arac_auc", "roc_auc")),
    fa.Statistic("acceptance_at_error_rate", max_error_rate=0.05),
)


def pages(n, rng, *, bad=0.0, place=9.0, size=30):
    """Pages with errors of their own kind; of `bad` of them every item is wrong at one confidence."""
    groups = np.repeat(np.arange(n), size)
    z = rng.normal(2.0, 1.5, len(groups)) + 0.5 * rng.normal(size=n)[groups]
    wrong = rng.random(len(groups)) >= 1 / (1 + np.exp(-1.5 * z - 0.5))
    whole = (rng.random(n) < bad)[groups]
    return ~(wrong | whole), np.where(whole, place + 1e-3 * rng.random(len(z)), z), groups


def test_how_many_pages_may_be_unseen():
    """A sample of n has none with a probability of 1 less the level."""
    for n in (1, 40, 300):
        share = largest_unseen_share(n, 0.95)
        assert (1 - share) ** n == pytest.approx(0.05, rel=1e-12)
    assert largest_unseen_share(40, 0.95) == pytest.approx(0.0722, abs=1e-4)


def test_pages_that_are_wrong_throughout_are_counted():
    correct = np.array([True, False, False, False, True, False])
    codes = np.array([0, 0, 1, 1, 2, 2])
    assert WrongGroups.of(correct, codes, None) == (1, 3, 0)
    assert WrongGroups.of(correct, codes, np.array([0.0, 1.0, 1.0, 1.0, 0.0, 0.0])) == (2, 2, 0)


@pytest.mark.parametrize("statistic", STATISTICS, ids=str)
def test_an_end_is_as_far_as_both_distances_together(statistic):
    """The further items are wrong and stand above or below all others."""
    correct, confidence, groups = pages(50, np.random.default_rng(1))
    given = {"statistic": statistic, "groups": groups}
    narrow = fa.asymptotic_interval(correct, confidence, **given)
    wide = fa.asymptotic_interval(correct, confidence, **given, unseen_pages=True)
    n = len(correct)
    more = math.ceil(n * (0.05 ** (-1 / 50) - 1))
    changes = []
    for place in (99.0, -99.0):
        items = np.append(correct, np.zeros(more, bool)), np.append(confidence, np.full(more, place))
        changes.append(statistic(fa.threshold_sweep(*items)) - narrow.estimate)
    down, up = max(0, *(-c for c in changes)), max(0, *changes)
    low, high = narrow.estimate - narrow.low, narrow.high - narrow.estimate
    assert wide.low == pytest.approx(max(0, wide.estimate - math.hypot(low, down)), abs=1e-12)
    assert wide.high == pytest.approx(min(1, wide.estimate + math.hypot(high, up)), abs=1e-12)
    assert wide.low < narrow.low


def test_a_difference_has_room_for_either_model():
    """The p-value agrees with the interval; of weighted and crossed groups there is one, too."""
    rng = np.random.default_rng(2)
    correct, confidence, groups = pages(50, rng)
    other = correct & (rng.random(len(correct)) < 0.97)
    models = {"a": (correct, confidence), "b": (other, confidence)}
    pair = fa.compare_models(models, groups=groups).pairs[0]
    wide = fa.compare_models(models, groups=groups, unseen_pages=True).pairs[0]
    own = [
        fa.asymptotic_interval(*items, groups=groups, unseen_pages=unseen)
        for items in models.values()
        for unseen in (False, True)
    ]
    assert pair.pvalue < 0.05 < wide.pvalue
    assert wide.interval.low < 0.0 < wide.interval.high
    least = math.sqrt((own[1].estimate - own[1].low) ** 2 - (own[0].estimate - own[0].low) ** 2)
    assert pair.interval.low - wide.interval.low > 0.5 * least
    crossed = groups, np.arange(len(groups)) % 40
    weight = np.where(np.arange(len(groups)) % 2, 1.0, 2.0)
    for options in ({"groups": crossed}, {"groups": groups, "sample_weight": weight}):
        narrow = fa.asymptotic_interval(correct, confidence, **options)
        assert (
            fa.asymptotic_interval(correct, confidence, **options, unseen_pages=True).low < narrow.low
        )


def test_what_it_needs():
    correct, confidence, groups = pages(50, np.random.default_rng(3))
    known = np.where(np.arange(len(correct)) % 2, np.nan, correct)
    truth = fa.PartialTruth(known, inclusion_probability=0.5)
    models = {"a": (correct, confidence), "b": (~correct, confidence)}
    with pytest.raises(TypeError, match="unseen_pages needs groups"):
        fa.asymptotic_interval(correct, confidence, unseen_pages=True)
    with pytest.raises(TypeError, match="unseen_pages cannot go with a PartialTruth"):
        fa.asymptotic_interval(truth, confidence, groups=groups, unseen_pages=True)
    with pytest.raises(TypeError, match="unseen_pages cannot go with a PartialTruth"):
        fa.evaluate(truth, confidence, groups=groups, intervals=True, unseen_pages=True)
    with pytest.raises(ValueError, match="unseen_pages needs intervals=True"):
        fa.evaluate(correct, confidence, unseen_pages=True)
    with pytest.raises(TypeError, match="unseen_pages needs groups"):
        fa.compare_models(models, unseen_pages=True)
    with pytest.raises(ValueError, match="use 'asymptotic'"):
        fa.compare_models(models, groups=groups, method="bootstrap", unseen_pages=True)
    figures = fa.evaluate(correct, confidence, groups=groups, intervals=True, unseen_pages=True)
    assert figures.intervals["arac_auc"] == fa.asymptotic_interval(
        correct, confidence, groups=groups, unseen_pages=True
    )


@pytest.mark.slow
def test_how_often_the_wide_interval_covers():
    """2% of 40 pages are wrong throughout, above all others: the default covers two thirds."""
    trials = 100 if COMPILED else 2
    correct, confidence, _ = pages(20_000 if COMPILED else 400, np.random.default_rng(4))
    n_bad = round(len(correct) * 0.02 / 0.98)
    truth = fa.threshold_sweep(
        np.append(correct, np.zeros(n_bad, bool)), np.append(confidence, np.full(n_bad, 9.0005))
    )
    covered = {statistic: [0, 0] for statistic in STATISTICS}
    for k in range(trials):
        items = pages(40, np.random.default_rng([5, k]), bad=0.02)
        for statistic, counts in covered.items():
            for unseen in (False, True):
                found = fa.asymptotic_interval(
                    *items[:2], statistic=statistic, groups=items[2], unseen_pages=unseen
                )
                counts[unseen] += found.low <= statistic(truth) <= found.high
    if COMPILED:
        allowed = 2 * math.sqrt(0.93 * 0.07 * trials)
        assert all(wide >= 0.93 * trials - allowed for _, wide in covered.values())
        assert covered[STATISTICS[1]][0] < 0.8 * trials  # of ARAC-AUC by default
