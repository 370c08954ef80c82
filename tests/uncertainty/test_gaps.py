"""Intervals of parts of the ROC curve inside of which are few items."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import fastarac as fa


def interval(correct, confidence, **options):
    part = {
        name: options.pop(name) for name in list(options) if name not in ("groups", "sample_weight")
    }
    statistic = fa.Statistic("roc_partial_auc", **part)
    return fa.asymptotic_interval(correct, confidence, statistic=statistic, **options)


def sample(n, n_errors, seed):
    """Distinct confidences, those of the errors lower."""
    rng = np.random.default_rng(seed)
    correct = np.ones(n, bool)
    correct[:n_errors] = False
    return correct, rng.normal(size=n) + 1.2 * correct


def ends_by_shares(correct, confidence, low, high, draws, level=0.95):
    """Of a part of the false positive rate, by the definition: shares of gaps as those of uniforms."""
    drawn = random.Random(5)
    errors = sorted((float(x) for x in confidence[~correct]), reverse=True)
    right = [float(x) for x in confidence[correct]]
    heights = [0.0, *(sum(x > e for x in right) / len(right) for e in errors), 1.0]
    least, most = [], []
    for _ in range(draws):
        cuts = [0.0, *sorted(drawn.random() for _ in errors), 1.0]
        spans = [max(0.0, min(b, high) - max(a, low)) for a, b in itertools.pairwise(cuts)]
        least.append(sum(w * y for w, y in zip(spans, heights[:-1], strict=True)))
        most.append(sum(w * y for w, y in zip(spans, heights[1:], strict=True)))
    tail = (1 - level) / 2
    return sorted(least)[round(tail * draws)], sorted(most)[round((1 - tail) * draws) - 1]


@pytest.mark.parametrize(("n_errors", "part"), [(1, (0.0, 1.0)), (4, (0.0, 0.5)), (20, (0.05, 0.2))])
def test_ends_are_those_of_shares_in_the_gaps(n_errors, part):
    correct, confidence = sample(20_000, n_errors, n_errors)
    found = interval(correct, confidence, fpr_range=part)
    assert found.method == "gaps"
    expected = ends_by_shares(correct, confidence, *part, 4000)
    assert (found.low, found.high) == pytest.approx(expected, abs=0.03 * (part[1] - part[0]))
    # correct items of the lowest confidences take the place of errors of the highest
    mirrored = interval(~correct, -confidence, tpr_range=(1 - part[1], 1 - part[0]))
    assert mirrored.estimate == pytest.approx(found.estimate, abs=1e-12)
    assert (mirrored.low, mirrored.high) == pytest.approx(
        (found.low, found.high), abs=0.03 * (part[1] - part[0])
    )


def test_standardized_ends_are_the_same_ends():
    correct, confidence = sample(2000, 6, 0)
    found = interval(correct, confidence, fpr_range=(0.0, 0.1))
    other = interval(correct, confidence, fpr_range=(0.0, 0.1), standardize="mcclish")
    scaled = [0.5 * (1 + (x - 0.005) / 0.095) for x in (found.estimate, found.low, found.high)]
    assert other.estimate == pytest.approx(scaled[0])
    assert (other.low, other.high) == pytest.approx((max(scaled[1], 0.5), scaled[2]))


def test_errors_of_one_confidence_are_joined_by_a_line():
    """Nothing but what is above and below them is in doubt: the halves of a tie are known."""
    correct = np.repeat([True, False], 400)
    tied = interval(correct, np.full(800, 0.5), fpr_range=(0.0, 0.01))
    apart = interval(correct, np.tile(np.arange(400.0), 2), fpr_range=(0.0, 0.01))
    assert tied.method == apart.method == "gaps"
    assert tied.estimate == pytest.approx(apart.estimate, abs=1e-4)
    assert tied.high < 1.2 * apart.high


def test_groups_and_weights_say_as_much_as_fewer_items():
    widths = []
    for seed in range(8):
        correct, confidence = sample(600, 24, seed)
        weight = np.where(np.arange(600) % 8, 1.0, 20.0)  # of the errors: 81²/1,221 = 5.4
        pages = np.where(correct, np.arange(600), np.arange(600) % 5)
        every = {}, {"sample_weight": np.full(600, 7.0)}, {"sample_weight": weight}, {"groups": pages}
        found = [interval(correct, confidence, fpr_range=(0.0, 0.1), **each) for each in every]
        widths.append([each.high - each.low for each in found])
    plain, same, weighted, grouped = np.mean(widths, axis=0)
    assert same == pytest.approx(plain)
    assert weighted > 1.1 * plain
    assert grouped > 1.04 * plain


def test_many_errors_are_joined_in_blocks():
    """Thousands that are as few in their groups: as wide as if there were as many as groups."""
    correct, confidence = sample(20_000, 6000, 4)
    found = interval(correct, confidence, fpr_range=(0.0, 0.1), groups=np.arange(20_000) % 6)
    assert found.method == "gaps"
    assert 0.0 <= found.low < found.estimate < found.high <= 0.1


def test_intervals_of_few_errors_contain_the_area():
    """Of normal classes 1.2 apart; 93% at least in 200 samples, where 95% is promised."""
    z = np.linspace(-9.0, 9.0, 200_001)
    order = fa.threshold_sweep(
        np.repeat([1, 0], len(z)),
        np.concatenate((z + 1.2, z)),
        sample_weight=np.tile(np.exp(-z * z / 2), 2),
    )
    true = fa.Statistic("roc_partial_auc", fpr_range=(0.0, 0.1))(order)
    covered = 0
    for seed in range(200):
        correct, confidence = sample(150, 8, seed + 100)
        found = interval(correct, confidence, fpr_range=(0.0, 0.1))
        covered += found.low <= true <= found.high
    assert covered >= 186
