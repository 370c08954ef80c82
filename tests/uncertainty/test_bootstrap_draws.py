"""The law of the draws, the layout of the units, and the values read off each resample."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import reference_bootstrap as ref
import register
from laws import LEVEL, MANY, chi_square, draws
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac import _kernels
from fastarac.uncertainty import replicates, resampling
from fastarac.uncertainty.resampling import population_of

KERNELS = _kernels.bootstrap_draws

# Few items make quick tests, and intervals that one would not rely on.
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning"),
]

WITH_PARAMETERS = [
    fa.Statistic("normalized_arac_auc", gamma=0.3),
    fa.Statistic("arac_partial_auc", acceptance_range=(0.2, 0.7)),
    fa.Statistic("arac_partial_auc", acceptance_range=(0.0, 1.0)),
    *(fa.Statistic("arac_partial_auc", max_error_rate=limit) for limit in (0.1, 1.0)),
    *(
        fa.Statistic(name, estimator=estimator)
        for name in ("arp_auc", "aurc", "normalized_arp_auc", "excess_aurc", "normalized_aurc")
        for estimator in ("trapezoid", "mean", "exact")
    ),
    fa.Statistic("normalized_arp_auc", gamma=2.5),
    fa.Statistic("normalized_aurc", optimum="asymptotic"),
    *(fa.Statistic("roc_partial_auc", fpr_range=ends) for ends in ((0.1, 0.6), (0.25, 0.26), (0, 1))),
    fa.Statistic("roc_partial_auc", fpr_range=(0.1, 0.6), standardize="mcclish"),
    fa.Statistic("roc_partial_auc", tpr_range=(0.5, 1.0)),
    *(
        fa.Statistic("pr_partial_auc", recall_range=(0.1, 0.6), interpolation=i)
        for i in ("davis-goadrich", "linear", "step")
    ),
    fa.Statistic("acceptance_at_error_rate", max_error_rate=0.0),
    *(fa.Statistic("pr_auc", interpolation=i) for i in ("davis-goadrich", "linear", "step")),
    *(
        fa.Statistic(f"acceptance_at_{limit}", **{f"max_{limit}": 0.1}, interpolate=i)
        for limit in ("error_rate", "risk")
        for i in (True, False)
    ),
    fa.Statistic("cost", costs=fa.VerificationCosts(1.0, 2.0, 5.0)),
    *(fa.Statistic(name, threshold=0.55) for name in register.AT_THRESHOLD),
]
PLAIN = [
    fa.Statistic(name)
    for name in fa.Statistic.names()
    if name not in register.AT_THRESHOLD
    and name not in {"arac_partial_auc", "roc_partial_auc", "pr_partial_auc", "cost"}
    and not name.startswith("acceptance_at_")
]
STATISTICS = [*PLAIN, *WITH_PARAMETERS]


def items(n: int, levels: int | None, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    if levels is not None:
        confidence = np.floor(confidence * levels) / levels
    return rng.random(n) < 0.3 + 0.6 * confidence, confidence


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_items_are_drawn_by_the_multinomial_law(n):
    population = population_of([1, 0, 1, 0, 1][:n], np.arange(n), None, None, stratified=False)
    assert population.sizes is None
    counts = draws(population, MANY)
    assert (counts.sum(axis=1) == n).all()
    outcomes = dict(ref.multinomial([1] * n))
    assert sum(outcomes.values()) == 1
    number = {outcome: i for i, outcome in enumerate(outcomes)}
    observed = np.bincount([number[tuple(row)] for row in counts.tolist()], minlength=len(number))
    if n > 1:
        assert chi_square(observed, np.array([float(c) for c in outcomes.values()])) > LEVEL


def test_items_of_a_stratum_are_drawn_by_the_multinomial_law():
    population = population_of([1, 0, 0, 1, 0], np.arange(5), None, None, stratified=True)
    counts = draws(population, MANY)
    outcomes = dict(ref.multinomial([1] * 3))
    number = {outcome: i for i, outcome in enumerate(outcomes)}
    incorrect = counts[:, (population.codes & 1) == 0]
    observed = np.bincount([number[tuple(row)] for row in incorrect.tolist()], minlength=len(number))
    assert chi_square(observed, np.array([float(c) for c in outcomes.values()])) > LEVEL


@pytest.mark.parametrize("sizes", [(3, 1), (1, 3), (2, 5), (1, 1, 4), (2, 0, 3), (3, 2, 1, 1)])
def test_cells_are_drawn_by_the_multinomial_law(sizes, monkeypatch):
    monkeypatch.setattr(resampling, "CELL_COST", 0)
    sweep = fa.ThresholdSweep.from_counts(np.arange(len(sizes)), sizes[::-1], [0] * len(sizes))
    population = population_of(sweep, None, None, None, stratified=False)
    used = [size for size in sizes if size]
    assert population.sizes.tolist() == used
    counts = draws(population, MANY)
    outcomes = dict(ref.multinomial(used))
    number = {outcome: i for i, outcome in enumerate(outcomes)}
    observed = np.bincount([number[tuple(row)] for row in counts.tolist()], minlength=len(number))
    assert chi_square(observed, np.array([float(c) for c in outcomes.values()])) > LEVEL


@pytest.mark.parametrize(
    ("n", "weight", "whole"),
    [
        (1, 1, 2), (7, 1, 3), (40, 1, 3), (19, 1, 2), (21, 10, 21), (100, 73, 100), (100, 1, 50),
        (10**4, 3, 10**4), (10**6, 77, 1000), (10**9, 10**7, 10**9), (10**9, 3, 10**9),
        (10**9, 10**9 - 40, 10**9), (10**15, 1, 3),
    ],
)  # fmt: skip
def test_binomials(n, weight, whole):
    state = np.array([n + weight], np.uint64)
    with np.errstate(over="ignore"):
        drawn = np.array([KERNELS.binomial(n, weight, whole, state) for _ in range(MANY)])
    assert drawn.min() >= 0
    assert drawn.max() <= n
    law = stats.binom(n, weight / whole)
    ends = np.unique(law.ppf(np.linspace(0, 1, 22)[1:-1]))
    chances = np.diff(np.concatenate([[0], law.cdf(ends), [1]]))
    observed = np.bincount(np.searchsorted(ends, drawn), minlength=len(chances))
    assert chi_square(observed, chances) > LEVEL
    # the tails too, where a flaw of the rejection would show
    far = law.ppf([1e-3, 1 - 1e-3])
    for observed_far, chance in (
        ((drawn < far[0]).sum(), law.cdf(far[0] - 1)),
        ((drawn > far[1]).sum(), law.sf(far[1])),
    ):
        assert stats.binomtest(int(observed_far), MANY, min(max(chance, 0), 1)).pvalue > LEVEL


def test_a_binomial_of_everything_or_nothing():
    state = np.array([1], np.uint64)
    with np.errstate(over="ignore"):
        assert KERNELS.binomial(0, 1, 2, state) == 0
        assert KERNELS.binomial(5, 0, 2, state) == 0
        assert KERNELS.binomial(5, 2, 2, state) == 5
        huge = KERNELS.binomial(2**62, 1, 3, state)
    assert abs(huge - 2**62 / 3) < 8 * math.sqrt(2**62)


def test_indices_are_uniform():
    state = np.array([9], np.uint64)
    with np.errstate(over="ignore"):
        for n in (1, 2, 3, 7, 1000):
            drawn = [KERNELS.below(n, state) for _ in range(MANY)]
            assert max(drawn) < n
            if n > 1:
                assert chi_square(np.bincount(drawn, minlength=n), np.full(n, 1 / n)) > LEVEL
        # close to the end of 32 bits, where every other product would be wrong without rejection
        n = 3 * 2**30
        drawn = np.array([KERNELS.below(n, state) for _ in range(MANY)])
    assert drawn.max() < n
    assert chi_square(np.bincount(drawn * 12 // n, minlength=12), np.full(12, 1 / 12)) > LEVEL


@pytest.mark.parametrize("n", [40, 300])
def test_counts_of_more_items_have_the_moments_of_the_law(n):
    """Means, variances, covariances of neighbours and of counts in lanes; third moments."""
    correct, confidence = items(n, None)
    counts = draws(population_of(correct, confidence, None, None, stratified=False), MANY // 4)
    x = counts.astype(float) - 1.0
    b = len(x)
    assert (x.sum(axis=1) == 0).all()
    spread = x.var(axis=1)  # Σ(c − 1)²/n, whose law is known to have mean 1 − 1/n
    assert abs(spread.mean() - (1 - 1 / n)) < 5 * spread.std() / math.sqrt(b)
    for lag in (1, 2, 16):
        products = (x[:, lag:] * x[:, :-lag]).mean(axis=1)
        assert abs(products.mean() + 1 / n) < 5 * products.std() / math.sqrt(b)
    ends = x[:, 0] * x[:, -1]
    assert abs(ends.mean() + 1 / n) < 5 * ends.std() / math.sqrt(b)
    law = stats.binom(n, 1 / n)
    observed = np.bincount(counts[:, :: n // 10].ravel(), minlength=30)
    chances = np.append(law.pmf(np.arange(len(observed) - 1)), law.sf(len(observed) - 2))
    assert chi_square(observed, chances) > LEVEL


@pytest.mark.parametrize("cells", [False, True])
def test_strata_keep_their_numbers(cells, monkeypatch):
    if cells:
        monkeypatch.setattr(resampling, "CELL_COST", 0)
    correct, confidence = items(50, 10)
    population = population_of(correct, confidence, None, None, stratified=True)
    assert (population.sizes is not None) == cells
    counts = draws(population, 300)
    is_correct = (population.codes & 1).astype(bool)
    assert (counts[:, is_correct].sum(axis=1) == correct.sum()).all()
    assert (counts[:, ~is_correct].sum(axis=1) == (~correct).sum()).all()
    sizes = np.ones(50) if population.sizes is None else population.sizes
    assert abs(counts.mean(axis=0) / sizes - 1).max() < 0.5


def test_a_stratum_may_be_empty():
    for label in (0, 1):
        result = fa.bootstrap(
            [label] * 4, [4, 3, 2, 1], statistic="recognition_rate", stratified=True, n_resamples=9
        )
        assert (result.distribution == label).all()


def test_whole_groups_are_drawn():
    correct, confidence = items(60, None)
    groups = np.array(list("abcdefghij"))[np.random.default_rng(3).integers(0, 10, 60)]
    population = population_of(correct, confidence, None, groups, stratified=False)
    counts = draws(population, 300)
    names, numbers = np.unique(groups, return_inverse=True)
    assert population.n_drawn == len(names)
    memory = ref.natural_order(60, population.lanes)
    of_item = numbers[np.argsort(-confidence)]
    of_groups = np.zeros((300, len(names)), int)
    for g in range(len(names)):
        same = counts[:, memory][:, of_item == g]
        assert (same == same[:, :1]).all()
        of_groups[:, g] = same[:, 0]
    assert (of_groups.sum(axis=1) == len(names)).all()
    assert np.unique(of_groups).tolist()[:3] == [0, 1, 2]


CASES = {
    "untied": {"n": 70, "levels": None},
    "tied": {"n": 70, "levels": 9},
    "long ties": {"n": 83, "levels": 2},
    "one tie": {"n": 40, "levels": 1},
    "cells": {"n": 500, "levels": 3},
    "few": {"n": 6, "levels": 3},
    "stratified": {"n": 70, "levels": 9, "stratified": True},
    "stratified cells": {"n": 500, "levels": 3, "stratified": True},
    "weighted": {"n": 70, "levels": 9, "weighted": True},
    "weighted strata": {"n": 70, "levels": None, "weighted": True, "stratified": True},
    "groups": {"n": 70, "levels": 9, "groups": 12},
    "weighted groups": {"n": 70, "levels": None, "weighted": True, "groups": 12},
    "huge": {"n": 70, "levels": 9, "times": 10**7},
    "beyond int64 pairs": {"n": 70, "levels": 9, "times": 10**8},
}


@pytest.mark.parametrize("case", CASES)
def test_replicates_are_the_statistics_of_the_items_drawn(case):
    options = CASES[case]
    rng = np.random.default_rng(8)
    n, b = options["n"], 12 if COMPILED else 3
    correct, confidence = items(n, options["levels"])
    keywords = {"stratified": options.get("stratified", False)}
    if options.get("weighted"):
        keywords["sample_weight"] = np.round(rng.random(n), 2) * (rng.random(n) < 0.9)
    if "groups" in options:
        keywords["groups"] = rng.integers(0, options["groups"], n)
    data = (correct, confidence)
    if "times" in options:
        sweep = fa.threshold_sweep(correct, confidence)
        counts = [np.diff(c) * options["times"] for c in (sweep.true_accepts, sweep.false_accepts)]
        data = (fa.ThresholdSweep.from_counts(sweep.thresholds[1:], *counts), None)
    population = population_of(
        *data, keywords.get("sample_weight"), keywords.get("groups"), stratified=keywords["stratified"]
    )
    assert (population.sizes is not None) == ("cells" in case or "times" in options)
    counts = draws(population, b, seed=4)
    memory = ref.natural_order(len(population.codes), population.lanes)
    of_unit = [values[memory] for values in (population.codes, *counts)]
    statistics = [
        s for s in STATISTICS
        if not (options.get("weighted") and (
            ("estimator", "mean") in s.parameters
            or (s.name in {"excess_aurc", "normalized_aurc"}
                and ("estimator", "exact") not in s.parameters
                and ("optimum", "asymptotic") not in s.parameters)
        ))
    ]  # fmt: skip
    if "times" in options:  # sums over single items of a tie
        statistics = [s for s in statistics if ("estimator", "mean") not in s.parameters]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UndefinedMetricWarning)
        found = fa.bootstrap(*data, statistic=statistics, n_resamples=b, random_state=4, **keywords)
    values = population.sweep.thresholds[1:][np.cumsum((of_unit[0] & 2) > 0) - 1]
    labels = of_unit[0] & 1
    weights = np.ones(len(values), int)
    if options.get("weighted"):
        weights = population.weights[memory]
        # the units are the items, weight and all
        given = [
            k for k in zip(confidence, correct, keywords["sample_weight"], strict=True) if k[2] > 0
        ]
        assert sorted(zip(values, labels, weights, strict=True)) == sorted(given)
    elif population.sizes is None:
        assert sorted(zip(values, labels, strict=True)) == sorted(zip(confidence, correct, strict=True))
    for r in range(b):
        drawn = of_unit[1 + r] * weights
        sweep = fa.ThresholdSweep.from_counts(values, drawn * labels, drawn * (1 - labels))
        for statistic in statistics:
            name = repr(statistic) if statistic.parameters else statistic.name
            expected = statistic(sweep)
            value = found[name].distribution[r]
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), name
    for statistic in statistics:
        name = repr(statistic) if statistic.parameters else statistic.name
        expected = statistic(population.sweep)
        assert found[name].estimate == expected or math.isnan(expected)


def test_a_count_that_does_not_fit_is_drawn_again_in_full(monkeypatch):
    """The same resamples, whether counts are bytes or not."""
    correct, confidence = items(200, 40)
    groups = np.arange(200) // 4
    before = [
        fa.bootstrap(
            correct,
            confidence,
            statistic=["arac_auc", "aurc"],
            n_resamples=20,
            random_state=1,
            **keywords,
        )
        for keywords in ({}, {"groups": groups}, {"stratified": True})
    ]
    monkeypatch.setattr(resampling, "LARGEST_BYTE", 1)
    types = set()
    draw = resampling.Population.draw

    def noted(self, key, first, counts):
        types.add(counts.dtype)
        return draw(self, key, first, counts)

    monkeypatch.setattr(resampling.Population, "draw", noted)
    after = [
        fa.bootstrap(
            correct,
            confidence,
            statistic=["arac_auc", "aurc"],
            n_resamples=20,
            random_state=1,
            **keywords,
        )
        for keywords in ({}, {"groups": groups}, {"stratified": True})
    ]
    assert types == {np.dtype(np.uint8), np.dtype(np.int64)}
    for a, b in zip(before, after, strict=True):
        for name in a:
            assert a[name].distribution.tolist() == b[name].distribution.tolist()


@pytest.mark.parametrize("n", [1, 15, 16, 17, 63, 64, 65, 200])
@pytest.mark.parametrize("levels", [None, 1, 3, 30])
def test_pairs_in_lanes_are_those_in_order(n, levels, monkeypatch):
    rng = np.random.default_rng(n)
    monkeypatch.setattr(resampling, "CELL_COST", n + 1)
    correct, confidence = items(n, levels)
    population = population_of(correct, confidence, None, None, stratified=False)
    counts = rng.integers(0, 256, (2, n)).astype(np.uint8)
    found = np.zeros((2, 3), np.int64)
    _kernels.bootstrap.pairs_of_lanes(counts, population.codes, found)
    expected = np.zeros((2, 3), np.int64)
    _kernels.bootstrap.pairs_in_order(
        counts, population.codes, population.lanes, np.array([1]), expected
    )
    assert found.tolist() == expected.tolist()
    memory = ref.natural_order(n, population.lanes)
    order = np.lexsort((~correct, -confidence))
    by_hand = counts[0][memory].astype(int)
    c, t = correct[order], confidence[order]
    doubled = sum(
        int(by_hand[i]) * int(by_hand[j]) * (1 + (t[j] > t[i]))
        for i in np.flatnonzero(~c) for j in np.flatnonzero(c) if t[j] >= t[i]
    )  # fmt: skip
    assert found[0].tolist() == [by_hand[c].sum(), by_hand[~c].sum(), doubled]


@pytest.mark.skipif(not COMPILED, reason="needs long lanes")
@pytest.mark.parametrize("levels", [None, 2, 5000])
def test_long_lanes_of_the_largest_counts(levels):
    n = 16 * 1100 + 5
    correct, confidence = items(n, levels)
    population = population_of(correct, confidence, None, np.arange(n), stratified=False)
    for counts in (np.full((1, n), 255, np.uint8), np.arange(n, dtype=np.uint8)[None] % 251):
        found, expected = np.zeros((1, 3), np.int64), np.zeros((1, 3), np.int64)
        _kernels.bootstrap.pairs_of_lanes(counts, population.codes, found)
        _kernels.bootstrap.pairs_in_order(
            counts.astype(np.int64), population.codes, population.lanes, np.array([1]), expected
        )
        assert found.tolist() == expected.tolist()


def test_harmonic_sums():
    for start in (0, 1, 7, 31, 40, 1000):
        for length in (1, 3, 8, 9, 40, 500):
            exact = math.fsum(1 / k for k in range(start + 1, start + length + 1))
            found = _kernels.bootstrap.harmonic(float(start), float(length))
            assert found == pytest.approx(exact, rel=1e-13)


def test_batches_do_not_change_the_resamples(monkeypatch):
    correct, confidence = items(37, None)
    whole = fa.bootstrap(correct, confidence, n_resamples=30, random_state=6).distribution
    for size in (1, 80):
        monkeypatch.setattr(replicates, "BATCH", size)
        assert fa.bootstrap(
            correct, confidence, n_resamples=30, random_state=6
        ).distribution.tolist() == (whole.tolist())
    fewer = fa.bootstrap(correct, confidence, n_resamples=10, random_state=6).distribution
    assert fewer.tolist() == whole[:10].tolist()


def test_the_rest_of_stirlings_formula():
    for k in [*range(200), 10**4, 10**9]:
        log_factorial = math.lgamma(k + 1.0)
        stirling = (k + 0.5) * math.log(k + 1.0) - (k + 1.0) + 0.5 * math.log(2 * math.pi)
        rounding = 4 * np.finfo(float).eps * max(1.0, log_factorial)
        assert abs(KERNELS.tail(float(k)) - (log_factorial - stirling)) < 1e-12 + rounding
