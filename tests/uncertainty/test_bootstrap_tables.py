"""Counts of many small cells from tables of Poisson's distribution, and statistics of pairs by runs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import reference_bootstrap as ref
from laws import LEVEL, MANY, chi_square, draws
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty import poisson, resampling
from fastarac.uncertainty.resampling import population_of

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning"),
    pytest.mark.filterwarnings("ignore::fastarac.UndefinedMetricWarning"),
]
WHOLE = 1 << 64
MEANS = [Fraction(0), Fraction(1, 10**12), Fraction(1, 3), Fraction(0.999), Fraction(5, 2),
         Fraction(0.97) * 64, Fraction(0.9999) * 1024]  # fmt: skip


@pytest.fixture
def by_tables(monkeypatch):
    """Let tables be the quickest way."""
    monkeypatch.setattr(resampling, "LOOKUP_COST", 0)
    monkeypatch.setattr(resampling, "_table_cost", lambda _: 1)


def population_of_cells(sizes, *, of_pairs=False, **options):
    """Correct and incorrect cells in turns, each of its own confidence."""
    counts = np.zeros((2, len(sizes)), np.int64)
    counts[np.arange(len(sizes)) % 2, np.arange(len(sizes))] = sizes
    sweep = fa.ThresholdSweep.from_counts(-np.arange(len(sizes)), *counts)
    return population_of(sweep, None, None, None, **{"stratified": False, **options}, of_pairs=of_pairs)


@pytest.mark.parametrize("mean", MEANS, ids=float)
def test_masses_are_poissons(mean):
    least, masses = poisson.poisson_masses(mean)
    assert sum(masses) == WHOLE
    assert min(masses[0], masses[-1]) > 0
    law = stats.poisson(float(mean))
    counts = np.arange(least, least + len(masses))
    found = np.array(masses, dtype=float) / WHOLE
    assert found == pytest.approx(law.pmf(counts), rel=1e-10, abs=2 / WHOLE)
    assert law.sf(counts[-1]) + law.cdf(least - 1) < 2e-17
    # neighbours, to all digits: p(k + 1)/p(k) = mean/(k + 1)
    for k, (here, after) in enumerate(itertools.pairwise(masses), least):
        assert abs(after * (k + 1) - here * mean) <= (k + 1) + (1 + len(masses)) * (mean + 1)


@pytest.mark.parametrize("mean", MEANS, ids=float)
def test_a_table_gives_each_count_its_mass(mean):
    least, masses = poisson.poisson_masses(mean)
    first, limits, others = poisson.alias_table(mean)
    assert first == least
    n = len(limits)
    assert n & (n - 1) == 0
    given = dict.fromkeys(range(least, least + n), 0)
    for column, (limit, other) in enumerate(zip(limits.tolist(), others.tolist(), strict=True)):
        own, rest = divmod(limit, n)
        assert rest == 0  # a limit is compared with a word whose last digits are 0
        given[least + column] += own
        given[other] += WHOLE // n - own
    assert [mass for mass in given.values() if mass] == [mass for mass in masses if mass]
    assert given[least] == masses[0]


@pytest.mark.parametrize("sizes", [[1], [5], [1, 2, 3], [7, 1023, 1024, 1025, 5000, 1], [1] * 40])
def test_tables_make_up_the_sizes(sizes):
    sizes = np.array(sizes)
    cells = np.arange(len(sizes))[::-1]
    tables = poisson.tables_of(cells, sizes)
    made = np.zeros(len(sizes), np.int64)
    used = 0
    for level, (column, log_columns, _, begin, end) in enumerate(tables.levels.tolist()):
        assert begin == used
        used = end
        np.add.at(made, tables.places[begin:end], 1 << level)
        assert column + (1 << log_columns) <= len(tables.limits)
    assert made.tolist() == sizes.tolist()
    assert used == len(tables.places) == poisson.lookups(sizes)
    assert tables.cells is cells
    assert tables.ends.tolist() == np.cumsum(sizes).tolist()
    block = 1
    while (sizes.sum() - 1) // block >= len(tables.guide):
        block *= 2
    for i, cell in enumerate(tables.guide.tolist()):
        assert cell == next(c for c, end in enumerate(tables.ends) if i * block < end)


@pytest.mark.parametrize("sizes", [(5,), (1, 1), (3, 1), (2, 5), (1, 1, 4), (3, 2, 1, 1)])
def test_cells_are_drawn_by_the_multinomial_law(sizes, by_tables):
    population = population_of_cells(sizes)
    assert population.tables
    counts = draws(population, MANY)
    assert (counts.sum(axis=1) == sum(sizes)).all()
    outcomes = dict(ref.multinomial(list(sizes)))
    number = {outcome: i for i, outcome in enumerate(outcomes)}
    observed = np.bincount([number[tuple(row)] for row in counts.tolist()], minlength=len(number))
    if len(outcomes) > 1:
        assert chi_square(observed, np.array([float(c) for c in outcomes.values()])) > LEVEL


@pytest.mark.parametrize("stratified", [False, True])
def test_counts_of_larger_cells_have_the_moments_of_the_law(stratified, by_tables):
    sizes = np.array([1, 2, 5000, 1, 77, 3, 1, 1023, 12, 1])
    population = population_of_cells(sizes, stratified=stratified)
    counts = draws(population, MANY)
    whole = np.full(len(sizes), sizes.sum())
    if stratified:
        whole[::2], whole[1::2] = sizes[::2].sum(), sizes[1::2].sum()
        assert (counts[:, ::2].sum(axis=1) == whole[0]).all()
    assert (counts.sum(axis=1) == sizes.sum()).all()
    for i, size in enumerate(sizes):
        law = stats.binom(whole[i], size / whole[i])
        ends = np.unique(law.ppf(np.linspace(0, 1, 22)[1:-1]))
        chances = np.diff(np.concatenate([[0], law.cdf(ends), [1]]))
        observed = np.bincount(np.searchsorted(ends, counts[:, i]), minlength=len(chances))
        assert chi_square(observed, chances) > LEVEL
    x = counts - sizes
    for i, j in [(2, 4), (1, 7), (0, 2), (1, 2)]:
        same = not stratified or i % 2 == j % 2
        products = x[:, i] * x[:, j]
        expected = -sizes[i] * sizes[j] / whole[i] if same else 0.0
        assert abs(products.mean() - expected) < 5 * products.std() / math.sqrt(len(x))


def few_errors(n: int, every: int) -> tuple[np.ndarray, np.ndarray]:
    """Items of distinct confidences, and now and then an incorrect one."""
    rng = np.random.default_rng(n)
    correct = np.ones(n, np.bool_)
    correct[rng.integers(0, n, n // every)] = False
    return correct, rng.random(n) ** np.where(correct, 0.5, 1.0)


@pytest.mark.skipif(not COMPILED, reason="needs many items")
@pytest.mark.parametrize("stratified", [False, True])
def test_few_errors_are_resampled_by_runs(stratified):
    """The replicates of runs and those of items are of one law, and so is the closed form."""
    correct, confidence = few_errors(12_000, 200)
    of_runs = population_of(correct, confidence, None, None, stratified=stratified, of_pairs=True)
    n_runs = len(of_runs.codes)
    assert len(of_runs.tables) == 1 + stratified
    assert n_runs <= 2 * np.count_nonzero(~correct) + 1
    options = {"stratified": stratified, "n_resamples": 4000, "random_state": 7}
    names = ["roc_auc", "arac_auc", "augrc", "recognition_rate", "normalized_arac_auc"]
    runs = fa.bootstrap(correct, confidence, statistic=names, **options)
    items = fa.bootstrap(correct, confidence, statistic=[*names, "aurc"], **options)
    for name in names:
        assert runs[name].estimate == items[name].estimate
        a, b = runs[name].distribution, items[name].distribution
        if stratified and name == "recognition_rate":
            assert set(a) == set(b) == {runs[name].estimate}
            continue
        assert not np.array_equal(a, b)
        assert stats.ks_2samp(a, b).pvalue > LEVEL
        assert runs[name].standard_error == pytest.approx(items[name].standard_error, rel=0.06)
    assert runs["augrc"].distribution == pytest.approx(1 - runs["arac_auc"].distribution, abs=1e-15)
    if stratified:
        exact = fa.bootstrap(
            correct, confidence, statistic=names[:3], stratified=True, method="exact-variance"
        )
        for name in names[:3]:  # four relative errors of a standard deviation, 1/√(2B)
            assert runs[name].standard_error == pytest.approx(exact[name].standard_error, rel=0.045)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
@pytest.mark.parametrize("label", [None, 0, 1])
def test_every_method_takes_runs(method, label, by_tables):
    """Of one class there is one run. A sweep and its items give the same, on any number of threads."""
    correct, confidence = few_errors(600, 30)
    if label is not None:
        correct[:] = label
    options = {"method": method, "n_resamples": 20, "random_state": 3}
    expected = fa.bootstrap(correct, confidence, **options, n_threads=1)
    for data in ((fa.threshold_sweep(correct, confidence),), (correct[::-1], confidence[::-1])):
        found = fa.bootstrap(*data, **options, n_threads=3)
        assert found.distribution.tolist() == expected.distribution.tolist()
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), nan_ok=True)
    if label is not None:
        assert set(expected.distribution) == {expected.estimate}
    fewer = fa.bootstrap(correct, confidence, **{**options, "n_resamples": 7})
    assert fewer.distribution.tolist() == expected.distribution[:7].tolist()


def test_vast_counts_are_drawn_by_binomials(by_tables):
    """A table would be asked too often, and twice the pairs are beyond int64."""
    population = population_of_cells([1 << 40, 3, 1 << 39], of_pairs=True)
    assert not population.tables
    assert (draws(population, 5).sum(axis=1) == (1 << 40) + 3 + (1 << 39)).all()


def test_the_way_depends_on_the_sample_alone(monkeypatch):
    """Tables where cells are many and small, binomials where few, items where they are hardly more."""
    sizes = {"tables": [1, 300] * 400, "binomials": [10**6] * 3, "items": [1, 2] * 50}
    found = {}
    for name, of_cells in sizes.items():
        for threads in ("1", "4"):
            monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
            population = population_of_cells(of_cells)
            way = (
                "items" if population.sizes is None else "tables" if population.tables else "binomials"
            )
            assert found.setdefault(name, way) == way
    assert found == {name: name for name in sizes}
