"""Intervals of costs: against the pseudocode, exact moments, coverage, and wrong input."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import reference_costs as ref
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import fastarac as fa
from fastarac.costs import intervals as module

# The source's λ = 1 is tested where it is too much, too; the warning has tests of its own below.
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore:laplace=:fastarac.UnreliableIntervalWarning"),
]

COUNTS = np.array([[60, 3], [10, 27]])
COSTS = np.array([[0.0, 5.0], [1.0, 0.25]])


def ends(distribution: np.ndarray, level: str) -> tuple[float, float]:
    """The interval by sorting, μ from fractions."""
    n = len(distribution)
    ordered = sorted(distribution.tolist())
    mu = ref.rank(level, n)
    return ordered[mu - 1], ordered[n + 1 - mu - 1]


def test_mu_of_the_source():
    """ρ = 0.9 and 1,000 resamples: the 51st smallest and the 950th smallest."""
    assert ref.rank("0.9", 1000) == 51
    interval = fa.costs.bcost(COUNTS, COSTS, confidence_level=0.9, random_state=0)
    ordered = np.sort(interval.distribution)
    assert (interval.low, interval.high) == (ordered[50], ordered[949])


LEVELS = ["0.5", "0.6", "0.68", "0.7", "0.8", "0.9", "0.94", "0.95", "0.98", "0.99", "0.995", "0.999"]


@pytest.mark.parametrize("level", LEVELS)
def test_mu_is_not_bitten_by_binary_fractions(level):
    for n_resamples in (1, 2, 3, 7, 10, 19, 20, 39, 40, 99, 100, 199, 400, 1000, 1999, 2000):
        plan = module._plan(float(level), n_resamples, 1.0, 0)
        assert plan.rank == ref.rank(level, n_resamples)
        assert 1 <= plan.rank <= (n_resamples + 1) / 2
    assert module._plan(np.float32(level), 1000, 1.0, 0).rank == ref.rank(level, 1000)


@given(st.integers(1, 9999), st.integers(1, 5000))
def test_mu_of_many_levels(ten_thousandths, n_resamples):
    plan = module._plan(ten_thousandths / 10_000, n_resamples, 1.0, 0)
    beyond = Fraction(10_000 - ten_thousandths, 20_000)
    assert plan.rank == math.floor(beyond * n_resamples) + 1


@pytest.mark.parametrize(
    ("n_resamples", "level"), [(1, "0.9"), (2, "0.5"), (19, "0.9"), (1000, "0.95")]
)
def test_the_ends_are_order_statistics(n_resamples, level):
    interval = fa.costs.bcost(
        COUNTS, COSTS, confidence_level=float(level), n_resamples=n_resamples, random_state=1
    )
    assert (interval.low, interval.high) == ends(interval.distribution, level)
    assert interval.distribution.shape == (n_resamples,)
    assert interval.confidence_level == float(level)
    assert interval.estimate == pytest.approx(float(ref.expected_cost(COSTS, COUNTS)), rel=1e-15)
    assert isinstance(interval, fa.Interval)
    assert interval.method == "bcost"


@pytest.mark.parametrize("laplace", [0.0, 0.5, 1.0, 20.0])
def test_the_pseudocode_draws_the_same_law(laplace):
    probabilities = ref.smoothed(COUNTS, laplace)
    rng = np.random.default_rng(5)
    naive = ref.naive_bcost(probabilities, COSTS.ravel().tolist(), int(COUNTS.sum()), 1500, rng)
    ours = fa.costs.bcost(COUNTS, COSTS, laplace=laplace, n_resamples=6000, random_state=3).distribution
    # costs are multiples of 1/400: jitter both alike, so that the test sees no ties
    jitter = (x + rng.random(len(x)) / 400 for x in (np.array(naive), ours))
    assert stats.ks_2samp(*jitter).pvalue > 1e-3


def large_table(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    table = (n * rng.dirichlet(np.full(25, 0.3))).astype(np.int64).reshape(5, 5)
    return table, rng.normal(size=(5, 5))


@pytest.mark.parametrize("n", [10, 1000, 10**6, 10**9, 10**12])
def test_exact_mean_and_variance(n):
    table, costs = large_table(n)
    items = int(table.sum())
    mean, variance = ref.moments(ref.smoothed(table, 1.0), costs.ravel().tolist(), items)
    interval = fa.costs.bcost(table, costs, n_resamples=20_000, random_state=2)
    deviation = math.sqrt(variance)
    assert interval.distribution.mean() == pytest.approx(mean, abs=4 * deviation / math.sqrt(20_000))
    assert interval.distribution.std() == pytest.approx(deviation, rel=0.03)
    assert interval.standard_error == pytest.approx(deviation, rel=1e-9)
    if n >= 10**6:
        assert stats.kstest((interval.distribution - mean) / deviation, "norm").pvalue > 1e-3


def test_each_resample_has_n_items():
    """Unit costs: whatever is drawn, an item costs 1."""
    for n in (1, 7, 10**9, 10**15):
        table = np.array([[n, 0], [0, 1]])
        interval = fa.costs.bcost(table, np.ones((2, 2)), random_state=0)
        assert set(interval.distribution.tolist()) == {1.0}


def test_empty_cells_stay_empty_without_smoothing():
    """Not one item in a billion may fall where no item can."""
    table = np.array([[10**9, 0, 3], [0, 0, 0], [7, 1, 0]])
    costs = np.where(table == 0, 1e9, 0.0)
    interval = fa.costs.bcost(table, costs, laplace=0, n_resamples=5000, random_state=0)
    assert (interval.low, interval.high, interval.distribution.max()) == (0, 0, 0)
    assert fa.costs.bcost(table, costs, laplace=0.1, random_state=0).high > 0
    one = fa.costs.bcost([[0, 0], [5, 0]], COSTS, laplace=0)
    assert (one.estimate, one.low, one.high) == (1.0, 1.0, 1.0)


def test_rare_cells_among_many_items():
    """The expected number in a cell of 20 among 10¹² is 20, with a Poisson law."""
    table = np.array([[20, 10**12], [0, 20]])
    drawn = fa.costs.bcost(table, [[1, 0], [0, 0]], laplace=0, n_resamples=20_000, random_state=0)
    found = np.rint(drawn.distribution * table.sum())
    assert found.mean() == pytest.approx(20, abs=4 * math.sqrt(20 / 20_000))
    assert found.var() == pytest.approx(20, rel=0.05)
    last = fa.costs.bcost(table, [[0, 0], [0, 1]], laplace=0, n_resamples=20_000, random_state=0)
    found = np.rint(last.distribution * table.sum())
    assert found.mean() == pytest.approx(20, abs=4 * math.sqrt(20 / 20_000))
    assert found.var() == pytest.approx(20, rel=0.05)


@given(
    hnp.arrays(np.int64, (3, 2), elements=st.integers(0, 50)).filter(np.any),
    hnp.arrays(float, (2, 4, 3, 2), elements=st.floats(-10, 10)),
)
def test_a_stack_is_evaluated_on_the_same_resamples(table, stack):
    whole = fa.costs.bcost(table, stack, n_resamples=50, random_state=9)
    assert whole.estimate.shape == whole.low.shape == whole.high.shape == (2, 4)
    assert whole.distribution.shape == (2, 4, 50)
    for index in np.ndindex(2, 4):
        single = fa.costs.bcost(table, stack[index], n_resamples=50, random_state=9)
        for name in ("estimate", "low", "high", "distribution"):
            np.testing.assert_allclose(
                getattr(whole, name)[index], getattr(single, name), rtol=1e-13, atol=1e-13
            )


def test_resampling_in_pieces(monkeypatch):
    expected = fa.costs.bcost(COUNTS, COSTS, n_resamples=101, random_state=4)
    monkeypatch.setattr(module, "MOST_CELLS", 17)
    found = fa.costs.bcost(COUNTS, COSTS, n_resamples=101, random_state=4)
    np.testing.assert_allclose(found.distribution, expected.distribution, rtol=1e-14)


def test_seeds():
    first, again, other = (fa.costs.bcost(COUNTS, COSTS, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.distribution, again.distribution)
    assert (first.distribution != other.distribution).any()
    rng = np.random.default_rng(1)
    drawn = [fa.costs.bcost(COUNTS, COSTS, random_state=rng).distribution for _ in range(2)]
    assert (drawn[0] != drawn[1]).any()
    assert fa.costs.bcost(COUNTS, COSTS).low <= fa.costs.bcost(COUNTS, COSTS).high


@pytest.mark.slow
@pytest.mark.parametrize(("level", "n"), [(0.9, 200), (0.95, 1000)])
def test_coverage(level, n):
    """The true cost lies in the interval about as often as promised."""
    rng = np.random.default_rng(12)
    truth = np.array([[0.62, 0.05], [0.08, 0.25]])
    cost = float((truth * COSTS).sum())
    repeats = 1500
    hits = 0
    for _ in range(repeats):
        table = rng.multinomial(n, truth.ravel()).reshape(2, 2)
        interval = fa.costs.bcost(
            table, COSTS, confidence_level=level, n_resamples=400, random_state=rng
        )
        hits += interval.low <= cost <= interval.high
    # three standard errors of the simulation, and 1.5% for the bootstrap's own approximation
    assert hits / repeats == pytest.approx(
        level, abs=3 * math.sqrt(level * (1 - level) / repeats) + 0.015
    )


def test_the_reject_model():
    """The interval of L(k): the cost of verification at a threshold."""
    rng = np.random.default_rng(0)
    confidence = rng.random(2000)
    sweep = fa.threshold_sweep(rng.random(2000) < confidence, confidence)
    costs = fa.VerificationCosts(1.0, 2.0, 20.0)
    at = sweep.at(0.6)
    np.testing.assert_array_equal(
        at.matrix, [[at.true_rejects, at.false_rejects], [at.false_accepts, at.true_accepts]]
    )
    assert at.matrix.dtype == np.int64
    interval = fa.costs.bcost(at.matrix, costs.matrix, random_state=0)
    index = np.searchsorted(-sweep.thresholds, -0.6, side="right") - 1
    verified, corrected, missed = (
        getattr(sweep, name)[index] for name in ("verification_rate", "correction_rate", "error_rate")
    )
    assert interval.estimate == pytest.approx(verified + 2 * corrected + 20 * missed, rel=1e-12)
    assert interval.low < interval.estimate < interval.high
    several = sweep.at([0.2, 0.6])
    assert several.matrix.shape == (2, 2, 2)
    np.testing.assert_array_equal(several.matrix[1], at.matrix)


# --- Two classifiers -----------------------------------------------------------------------------


def labels_of(rng: np.random.Generator, n: int, errors: float) -> tuple[np.ndarray, ...]:
    actual = rng.integers(0, 3, n)
    hard = rng.random(n) < 0.3
    predictions = []
    for share in (0.2, 0.2 + errors):
        wrong = hard & (rng.random(n) < share / 0.3)
        predictions.append(np.where(wrong, (actual + rng.integers(1, 3, n)) % 3, actual))
    return *predictions, actual


def test_difference_from_labels_and_from_counts():
    costs = np.arange(9.0).reshape(3, 3) * (1 - np.eye(3))
    first, second, actual = labels_of(np.random.default_rng(0), 300, 0.05)
    from_labels = fa.costs.bcost_delta(first, second, actual, costs, random_state=0)
    counts = fa.costs.paired_prediction_counts(first, second, actual)
    from_counts = fa.costs.bcost_delta(counts, costs=fa.costs.CostMatrix(costs), random_state=0)
    np.testing.assert_array_equal(from_labels.distribution, from_counts.distribution)
    expected = sum(
        Fraction(costs[i, k]) - Fraction(costs[j, k])
        for i, j, k in zip(first, second, actual, strict=True)
    )
    assert from_labels.estimate == pytest.approx(float(expected / 300), rel=1e-13)
    assert (from_labels.low, from_labels.high) == ends(from_labels.distribution, "0.95")
    one = [
        fa.costs.bcost(fa.costs.prediction_counts(x, actual), costs).estimate for x in (first, second)
    ]
    assert from_labels.estimate == pytest.approx(one[0] - one[1], rel=1e-12)


@pytest.mark.parametrize("laplace", [0.0, 1.0])
def test_moments_of_the_difference(laplace):
    first, second, actual = labels_of(np.random.default_rng(1), 400, 0.05)
    costs = np.array([[0, 1, 2], [3, 0, 1], [1, 5, 0]], float)
    counts = fa.costs.paired_prediction_counts(first, second, actual)
    delta = costs[:, np.newaxis, :] - costs[np.newaxis, :, :]
    mean, variance = ref.moments(ref.smoothed(counts, laplace), delta.ravel().tolist(), 400)
    found = fa.costs.bcost_delta(
        counts, costs=costs, laplace=laplace, n_resamples=20_000, random_state=0
    ).distribution
    assert found.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / 20_000))
    assert found.var() == pytest.approx(variance, rel=0.05)


def test_differences_reverse_their_sign():
    first, second, actual = labels_of(np.random.default_rng(2), 200, 0.1)
    costs = 1 - np.eye(3)
    a = fa.costs.bcost_delta(first, second, actual, costs, n_resamples=4000, random_state=0)
    b = fa.costs.bcost_delta(second, first, actual, costs, n_resamples=4000, random_state=1)
    assert a.estimate == -b.estimate
    assert a.low == pytest.approx(-b.high, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("errors", "least", "most"), [(0.0, 0.0, 0.09), (0.08, 0.85, 1.0)])
def test_how_often_equal_costs_are_rejected(errors, least, most):
    """About one time in twenty where they are equal, mostly where they are not."""
    rng = np.random.default_rng(3)
    repeats = 300
    rejected = 0
    for _ in range(repeats):
        labels = labels_of(rng, 1000, errors)
        difference = fa.costs.bcost_delta(*labels, 1 - np.eye(3), n_resamples=300, random_state=rng)
        assert difference.rejected == (not difference.low <= 0 <= difference.high)
        rejected += difference.rejected
    assert least <= rejected / repeats <= most


def test_zero_up_to_rounding_is_zero():
    """0.3 of the one against 0.1 and 0.2 of the other: no difference, whatever the last bits say."""
    costs = np.array([[0, 0.1, 0.2, 0.3], [0.3, 0, 0, 0], [0.1, 0, 0, 0], [0.2, 0, 0, 0]])
    counts = np.zeros((4, 4, 4), np.int64)
    counts[1, 0, 0] = counts[0, 2, 0] = counts[0, 3, 0] = 1
    assert sum([-costs[2, 0], -costs[3, 0], costs[1, 0]]) != 0
    found = fa.costs.bcost_delta(counts, costs=costs, laplace=0, random_state=0)
    assert found.estimate == 0
    assert (found.distribution == 0).any()
    assert abs(found.distribution[found.distribution != 0]).min() > 0.03
    same = fa.costs.bcost_delta([0, 1, 1], [0, 1, 1], [0, 1, 0], COSTS, laplace=0, random_state=0)
    assert (same.estimate, same.low, same.high, same.rejected) == (0, 0, 0, False)
    stack = fa.costs.bcost_delta(counts, costs=np.stack([costs, 2 * costs]), laplace=0, random_state=0)
    assert stack.rejected.shape == (2,)
    assert stack.rejected.dtype == bool


# --- Whole groups --------------------------------------------------------------------------------

FEW = pytest.mark.filterwarnings("ignore:there are [0-9]+ groups:fastarac.UnreliableIntervalWarning")


@pytest.mark.slow
@FEW
def test_whole_groups_are_drawn():
    """Every order of drawing five groups, one of them of two tables, one of which is empty."""
    rng = np.random.default_rng(7)
    tables = rng.integers(0, 5, (7, 2, 2))
    tables[3] = 0
    labels = ["b", "a", "e", "none", "c", "d", "a"]
    groups, mean, error = ref.grouped_costs(list(tables), COSTS, labels)
    law = ref.law_of_grouped_costs(groups)
    found = fa.costs.bcost(tables, COSTS, groups=labels, n_resamples=20_000, random_state=0)
    assert found.estimate == pytest.approx(float(mean), rel=1e-15)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    assert (found.low, found.high) == ends(found.distribution, "0.95")
    values = np.array(sorted(map(float, law)))
    at = abs(values[:, np.newaxis] - found.distribution).argmin(axis=0)
    np.testing.assert_allclose(values[at], found.distribution, rtol=1e-13)
    expected = 20_000 * np.array([float(law[value]) for value in sorted(law)])
    seen = np.bincount(at, minlength=len(law))
    common = expected > 5
    parts = [np.append(counts[common], counts[~common].sum()) for counts in (seen, expected)]
    parts = [part[parts[1] > 0] for part in parts]
    assert stats.chisquare(*parts).pvalue > 1e-3


def test_groups_of_items_and_of_tables():
    costs = np.arange(9.0).reshape(3, 3) * (1 - np.eye(3))
    first, second, actual = labels_of(np.random.default_rng(0), 300, 0.05)
    pages = np.random.default_rng(1).integers(0, 40, 300) * 2**50
    difference = fa.costs.bcost_delta(first, second, actual, costs, groups=pages, random_state=0)
    names = np.unique(pages)
    tables = [
        fa.costs.paired_prediction_counts(
            *(x[pages == name] for x in (first, second, actual)), labels=[0, 1, 2]
        )
        for name in names
    ]
    again = fa.costs.bcost_delta(tables, costs=costs, groups=names, random_state=0)
    np.testing.assert_allclose(again.distribution, difference.distribution, rtol=1e-12, atol=1e-15)
    delta = costs[:, np.newaxis, :] - costs[np.newaxis, :, :]
    _, mean, error = ref.grouped_costs(tables, delta, list(names))
    assert difference.estimate == pytest.approx(float(mean), rel=1e-12)
    assert difference.standard_error == pytest.approx(error, rel=1e-12)
    order = np.random.default_rng(2).permutation(300)
    moved = fa.costs.bcost_delta(
        first[order], second[order], actual[order], costs, groups=pages[order], random_state=0
    )
    np.testing.assert_array_equal(moved.distribution, difference.distribution)

    counts = fa.costs.prediction_counts(first, actual, groups=pages)
    np.testing.assert_array_equal(counts, [table.sum(axis=1) for table in tables])
    one, two = (
        fa.costs.bcost(
            fa.costs.prediction_counts(x, actual, groups=pages), costs, groups=names, random_state=0
        )
        for x in (first, second)
    )
    np.testing.assert_allclose(
        one.distribution - two.distribution, difference.distribution, rtol=1e-12, atol=1e-14
    )
    stack = fa.costs.bcost(counts, [costs, 2 * costs], groups=names, random_state=0)
    np.testing.assert_allclose(stack.distribution, [one.distribution, 2 * one.distribution], rtol=1e-14)


def test_single_items_as_groups():
    """Groups of one item vary as the items do without smoothing."""
    rng = np.random.default_rng(3)
    predicted, actual = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    tables = fa.costs.prediction_counts(predicted, actual, groups=range(200))
    grouped = fa.costs.bcost(tables, COSTS, groups=range(200), n_resamples=5000, random_state=0)
    single = fa.costs.bcost(tables.sum(axis=0), COSTS, laplace=0, n_resamples=5000, random_state=0)
    assert grouped.estimate == single.estimate
    assert grouped.standard_error == pytest.approx(single.standard_error, rel=1e-12)
    assert stats.ks_2samp(grouped.distribution, single.distribution).pvalue > 1e-3


@pytest.mark.slow
def test_coverage_of_dependent_items():
    """Pages on which all is right or much is wrong: their intervals cover, those of items do not."""
    rng = np.random.default_rng(5)
    repeats, hits = 300, np.zeros(2)
    for _ in range(repeats):
        sizes = rng.integers(5, 30, 60)
        wrong = rng.binomial(sizes, np.where(rng.random(60) < 0.3, 0.6, 0.02))
        tables = np.zeros((60, 2, 2), np.int64)
        tables[:, 0, 0], tables[:, 1, 0] = sizes - wrong, wrong
        price = 0.3 * 0.6 + 0.7 * 0.02
        for i, found in enumerate(
            (
                fa.costs.bcost(
                    tables, [[0, 0], [1, 0]], groups=range(60), n_resamples=300, random_state=rng
                ),
                fa.costs.bcost(
                    tables.sum(axis=0), [[0, 0], [1, 0]], laplace=0, n_resamples=300, random_state=rng
                ),
            )
        ):
            hits[i] += found.low <= price <= found.high
    assert hits[0] / repeats > 0.95 - 0.015 - 3 * math.sqrt(0.05 * 0.95 / repeats)
    assert hits[1] / repeats < 0.75


def test_groups_that_cannot_be():
    tables = np.ones((4, 2, 2), int)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 4 groups; intervals"):
        fa.costs.bcost(tables, COSTS, groups=range(4))
    for message, arguments in [
        ("must be 0 with groups, because groups are not smoothed", {"laplace": 1}),
        ("groups and counts must have the same number of", {"counts": np.ones((5, 2, 2), int)}),
        (
            r"counts must have shape \(m, 2, 2\), a table for each of m groups.*, got \(2, 2\)",
            {"counts": COUNTS},
        ),
        (r"counts must have a positive sum below 2\*\*63, got", {"counts": 0 * tables}),
    ]:
        with pytest.raises(ValueError, match=message):
            fa.costs.bcost(**{"counts": tables, "costs": COSTS, "groups": range(4), **arguments})
    with pytest.raises(ValueError, match=r"counts must have shape \(2, 2\), like the costs,"):
        fa.costs.bcost(tables, COSTS)
    with pytest.raises(ValueError, match="groups and predicted_1 must have the same number"):
        fa.costs.bcost_delta([0, 1], [1, 1], [0, 1], COSTS, groups=[0])
    with pytest.raises(ValueError, match="groups and predicted must have the same number"):
        fa.costs.prediction_counts([0, 1], [1, 1], groups=[0])


# --- What is shown, and wrong input --------------------------------------------------------------


def test_shown():
    interval = fa.costs.bcost(COUNTS, COSTS, confidence_level=0.9, random_state=0)
    assert repr(interval).startswith("CostInterval(0.3175 [0.")
    assert repr(interval).endswith("], 90%, bcost)")
    assert repr(fa.costs.bcost(COUNTS, [COSTS] * 3)) == "CostInterval(shape (3,), 95%)"
    difference = fa.costs.bcost_delta([0, 1], [0, 1], [0, 1], COSTS, random_state=0)
    assert repr(difference).startswith("CostDifference(0 [")
    with pytest.raises(AttributeError):
        interval.low = 0


# --- Too much smoothing --------------------------------------------------------------------------


def test_one_item_in_every_cell_is_too_much_for_many_classes():
    """With λ = 1 and costs that spare the diagonal, ten classes never contain their own estimate."""
    rng = np.random.default_rng(4)
    truth = 0.9 * np.eye(10) / 10 + 0.1 * (1 - np.eye(10)) / 90
    costs = 1 - np.eye(10)
    for _ in range(20):
        table = rng.multinomial(500, truth.ravel()).reshape(10, 10)
        with pytest.warns(fa.UnreliableIntervalWarning) as caught:
            smoothed = fa.costs.bcost(table, costs, random_state=rng)
        assert smoothed.low > smoothed.estimate
        assert len(caught) == 1
        assert caught[0].filename == __file__
        text = str(caught[0].message)
        assert text.startswith("laplace=1 adds 100 items and moves the cost by 0.1")
        assert "so that the estimate is outside its own interval; laplace=0 adds none" in text
        assert text.endswith("laplace=0.01 (1/100) adds one item in total")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for laplace in (0, 1 / 100):
                found = fa.costs.bcost(table, costs, laplace=laplace, random_state=rng)
                assert found.low < found.estimate < found.high


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (3, 3, 3)])
def test_the_bias_that_is_warned_of(shape):
    """λ(Σc − s²·c̄)/(n + λs²) beyond a quarter of the standard error, by fractions; else silence."""
    rng = np.random.default_rng(6)
    seen = []
    for n in (10, 20, 40, 100, 300, 1000, 3000, 10_000):
        table = rng.multinomial(n, rng.dirichlet(np.ones(math.prod(shape)))).reshape(shape)
        costs = rng.integers(0, 9, shape[-2:]).astype(float)
        call = fa.costs.bcost if len(shape) == 2 else fa.costs.bcost_delta
        prices = costs if len(shape) == 2 else costs[:, np.newaxis, :] - costs[np.newaxis, :, :]
        mean, variance = ref.moments(ref.smoothed(table, 1.0), prices.ravel().tolist(), n)
        bias = mean - float((prices * table).sum()) / n
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = call(table, costs=costs, random_state=0)
        expected = abs(bias) > math.sqrt(variance) / 4
        expected |= not found.low <= found.estimate <= found.high
        assert bool(caught) == expected
        seen.append(expected)
    assert seen[0]
    assert not seen[-1]


def test_which_of_several_matrices_is_warned_of():
    stack = [[[0, 0], [0, 0]], [[0, 9], [9, 0]]]
    with pytest.warns(fa.UnreliableIntervalWarning, match=r"moves the cost of costs\[1\] by 1\.5"):
        fa.costs.bcost([[4, 0], [0, 4]], stack, random_state=0)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"confidence_level": 0},
            ValueError,
            "confidence_level must be a number strictly between 0 and 1",
        ),
        ({"confidence_level": 95}, ValueError, "confidence_level must be a number strictly"),
        ({"confidence_level": "0.9"}, TypeError, r"confidence_level must be a number, got '0\.9'"),
        ({"confidence_level": math.nan}, ValueError, "confidence_level must be a finite number, got"),
        ({"n_resamples": 0}, ValueError, "resamples must be an integer of at least 1, got"),
        ({"n_resamples": 10.0}, TypeError, r"integer, got 10\.0 \(float\)"),
        ({"n_resamples": True}, TypeError, r"n_resamples must be an integer, got True \(bool\)"),
        ({"laplace": -1}, ValueError, "must be a finite number of at least 0, got -1"),
        ({"laplace": math.inf}, ValueError, "laplace must be a finite number, got inf"),
        ({"random_state": -1}, ValueError, "random_state must be None, an integer of at"),
        ({"counts": [[1.0, 0], [0, 1]]}, TypeError, "counts must hold whole numbers, got type float64"),
        ({"counts": [[1, 0, 1]]}, ValueError, r"counts must have shape \(2, 2\), like the costs,"),
        ({"counts": [[1, -2], [0, 1]]}, ValueError, r"counts\[0, 1\] must .*got -2"),
        (
            {"counts": [[0, 0], [0, 0]]},
            ValueError,
            r"counts must have a positive sum below 2\*\*63, got",
        ),
        ({"counts": [[1, 0], [1]]}, ValueError, "counts is not an array"),
        ({"costs": [[0, math.nan], [1, 0]]}, ValueError, r"costs\[0, 1\] must .*got nan"),
        ({"costs": [0, 1]}, ValueError, r"costs must .*got (shape )?\(2,\)"),
        (
            {"costs": fa.costs.CostMatrix([[[0, 1], [1, 0]]])},
            TypeError,
            "costs must be one matrix for all items, or a stack of these, got",
        ),
    ],
)
def test_wrong_input(changed, error, message):
    arguments = {"counts": COUNTS, "costs": COSTS, **changed}
    with pytest.raises(error, match=message):
        fa.costs.bcost(**arguments)
    if "counts" not in changed:
        with pytest.raises(error, match=message):
            fa.costs.bcost_delta([0, 1], [1, 1], [0, 1], **{"costs": COSTS, **changed})


def test_wrong_arguments_of_the_difference():
    counts = np.ones((2, 2, 2), int)
    wrong = [
        (([0], [0], [0]), {}, TypeError, "costs is missing"),
        (
            (counts,),
            {"costs": COSTS, "labels": [0, 1]},
            TypeError,
            "labels cannot go with counts: give labels only with",
        ),
        ((counts, COSTS), {}, TypeError, "costs is missing"),
        (
            (counts, [0]),
            {"costs": COSTS},
            TypeError,
            "give both predicted_2 and actual, or counts alone",
        ),
        (
            (np.ones((2, 2), int),),
            {"costs": COSTS},
            ValueError,
            r"counts must have shape \(2, 2, 2\).*, got \(2, 2\)",
        ),
        (([0], [0], [0], COSTS), {}, ValueError, r"1 classes, but the costs have shape \(2, 2\); give"),
        (
            ([0], [0], [2], COSTS),
            {"labels": [0, 1]},
            ValueError,
            r"actual\[0\] must .*got 2",
        ),
    ]
    for arguments, options, error, message in wrong:
        with pytest.raises(error, match=message):
            fa.costs.bcost_delta(*arguments, **options)


def test_smoothing_that_outweighs_the_counts_warns():
    """Ten classes, 3,000 items, 5% errors: with λ = 1 the estimate lies outside its own interval."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 3000)
    read = np.where(rng.random(3000) < 0.05, rng.integers(0, 10, 3000), truth)
    table, costs = fa.costs.prediction_counts(read, truth), 1 - np.eye(10)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fa.costs.bcost(table, costs, random_state=0)
    assert found.estimate < found.low
    assert "laplace=0 adds" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for laplace in (0, 1 / 100):
            found = fa.costs.bcost(table, costs, laplace=laplace, random_state=0)
            assert found.low < found.estimate < found.high
