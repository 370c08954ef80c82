"""The three ways from items to counts: all of them, on small data, against the definition."""

from __future__ import annotations

import itertools
import math
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
import reference as ref
import strategies
from hypothesis import given, note
from reference import exact
from scipy import special
from ways import DISTRIBUTIONS, WAYS, forced

import fastarac as fa
from fastarac import _kernels
from fastarac._engine import (
    buckets,
    counting,
    groups,
    inputs,
    quantized,
    ranked,
    smaller_class,
    strategy,
)
from fastarac._engine.pairs import pairs_between
from fastarac._kernels import codes
from fastarac.samples.door import as_ranked

pytestmark = pytest.mark.interpreted


ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def counts_by_definition(sample: strategies.Sample) -> list[tuple[object, Fraction, Fraction]]:
    """Threshold, TA and FA at every distinct confidence, highest first, by looking at every item."""
    weights = np.ones(len(sample.correct)) if sample.sample_weight is None else sample.sample_weight
    items = [
        (exact(t), bool(c), exact(w))
        for t, c, w in zip(sample.confidence, sample.correct, weights, strict=True)
        if w > 0
    ]
    return [
        (
            k,
            sum((w for t, c, w in items if c and t >= k), Fraction(0)),
            sum((w for t, c, w in items if not c and t >= k), Fraction(0)),
        )
        for k in sorted({t for t, _, _ in items}, reverse=True)
    ]


def test_values_that_share_a_slot_are_counted_apart():
    """Among so many values that some meet in the table, one of which is not finite."""
    counting, exponent = _kernels.counting, np.array(np.inf).view(np.uint64)[()]
    distinct = np.append(np.arange(1.0, 1500.0), np.inf)
    values = np.tile(distinct, 2)
    labels = (np.arange(len(values)) % 3 > 0).view(np.uint8)
    slots = np.full(counting.N_SLOTS, counting.NONE, np.uint16)
    found = np.empty(counting.MAX_DISTINCT + 1, np.uint64)
    counts = np.zeros((len(found), 2), np.int64)
    told = counting.count_items(
        values.view(np.uint64), labels, exponent > 0, exponent, (slots, found, counts), 0
    )
    assert told == (True, 1, len(distinct))
    assert found[: len(distinct)].view(np.float64).tolist() == distinct.tolist()
    expected = [np.bincount(labels[values == value], minlength=2).tolist() for value in distinct]
    assert counts[: len(distinct)].tolist() == expected


def test_sums_of_buckets_are_combined_to_twice_the_digits():
    """Distinct confidences; weights of both classes and their pairs, each in two parts."""
    low, high = rows = np.array(
        [[2, 3, 2.0**-60, 5, 2.0**-58, 7, 2.0**-57], [3, 11, 2.0**-59, 13, 2.0**-56, 17, 0]]
    )
    found = _kernels.weighted.combine(rows)
    correct, incorrect, pairs = (low[i : i + 2].tolist() for i in (1, 3, 5))
    above, others, more = (high[i : i + 2].tolist() for i in (1, 3, 5))
    products = 2 * sum(map(Fraction, above)) * sum(map(Fraction, incorrect))
    for i, expected in (
        (1, sum(map(Fraction, [*correct, *above]))),
        (3, sum(map(Fraction, [*incorrect, *others]))),
        (5, sum(map(Fraction, [*pairs, *more])) + products),
    ):
        assert abs(expected - Fraction(found[i]) - Fraction(found[i + 1])) < 1e-30
    assert found[0] == 5


@pytest.mark.parametrize(
    ("kind", "bad"), [(codes.FLOAT, True), (codes.SIGNED, False), (codes.UNSIGNED, False)]
)
def test_a_few_weighted_floats_have_to_be_finite(kind, bad):
    """The bits of an infinity are those of an integer."""
    bits, labels = np.array([1.0, np.inf, 2.0]).view(np.uint64), np.array([1, 0, 1], np.uint8)
    exponent = np.array(np.inf).view(np.uint64)[()]
    found = _kernels.weighted.small_pairs(bits, labels, np.ones(3), kind, exponent, 1.0)
    assert found[:2] == (bad, 1)


@pytest.mark.parametrize("error", [-2.5, -0.0, 0.5])
def test_items_are_counted_on_either_side_of_an_error(error):
    """And of zero; one is tied with it, and the lowest of those above and below is kept."""
    values = np.array([error, error + 0.0, -3.0, 3.0, error + 1.0, error - 1.0])
    labels = np.array([0, 1, 1, 1, 1, 1], np.uint8)
    with forced("smaller class"):
        gaps = smaller_class.gaps_around_few(inputs.read_items(labels, values))
    assert gaps is not None
    assert (gaps.ties.tolist(), gaps.counts.tolist()) == ([1], [2, 2])
    lowest = gaps.lowest.copy()
    _kernels.keys.from_ordered_bits(lowest, codes.FLOAT)
    assert lowest.view(np.float64).tolist() == [min(-3.0, error - 1.0), min(3.0, error + 1.0)]


@ways
@pytest.mark.parametrize("place", [0, 70, 127])
def test_labels_that_are_none_are_seen(way, place):
    correct = np.tile([1] * 15 + [0], 8).astype(np.int8)
    correct[place] = 2
    with way(), pytest.raises(ValueError, match="correct"):
        fa.arac_auc_score(correct, np.arange(128.0))


@ways
@pytest.mark.parametrize("tie", [3, 20, 38])
def test_a_single_tie(way, tie):
    """It has both labels; no other confidence is shared."""
    confidence = np.arange(40.0)
    confidence[tie] = tie + 1.0
    correct = np.arange(40) % 3 > 0
    items = ref.to_items(correct, confidence, None)
    with way():
        found = fa.evaluate(correct, confidence)
    assert found.aurc == pytest.approx(float(ref.aurc(items)), rel=1e-14)
    assert found.pr_auc == pytest.approx(ref.round_once(ref.pr_auc(items)), rel=1e-14)
    assert found.average_precision == pytest.approx(float(ref.average_precision(items)), rel=1e-14)


@given(sample=strategies.items)
def test_sweep_and_pairs_follow_the_definition(sample):
    expected = counts_by_definition(sample)
    doubled, ta_before, fa_before = Fraction(0), Fraction(0), Fraction(0)
    for _, ta, fa_ in expected:
        doubled += (fa_ - fa_before) * (ta + ta_before)
        ta_before, fa_before = ta, fa_
    for name, way in WAYS.items():
        with way():
            sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
            pairs = as_ranked(sample.correct, sample.confidence, sample.sample_weight).pairs
        note(name)
        follows_the_definition(sweep, pairs, sample, expected, doubled)


def follows_the_definition(sweep, pairs, sample, expected, doubled):
    assert sweep.thresholds[0] == np.inf
    assert sweep.true_accepts[0] == sweep.false_accepts[0] == 0
    assert [exact(t) for t in sweep.thresholds[1:]] == [k for k, _, _ in expected]
    found = list(zip(sweep.true_accepts[1:], sweep.false_accepts[1:], strict=True))
    if sample.sample_weight is None:
        assert sweep.true_accepts.dtype == sweep.false_accepts.dtype == np.int64
        assert found == [(ta, fa_) for _, ta, fa_ in expected]
    else:  # each sum rounded once
        assert found == [(float(ta), float(fa_)) for _, ta, fa_ in expected]

    correct, incorrect = expected[-1][1:]
    for value, exact_value in zip(pairs, (correct, incorrect, doubled), strict=True):
        if sample.sample_weight is None:
            assert value == exact_value
        else:
            assert float(value) == float(exact_value)
    from_sweep = as_ranked(sweep).pairs
    if sample.sample_weight is None:
        assert from_sweep == pairs
    else:
        # a sweep holds sums: a weight is lost beside those that were summed before it
        lost = 1e-15 * float(correct * incorrect)
        assert float(from_sweep.doubled_pairs) == pytest.approx(float(doubled), rel=1e-12, abs=lost)


@given(sample=strategies.unweighted)
def test_runs_follow_the_definition(sample):
    """Points between ties of one and the same label are left out, and no others."""
    points = [(np.inf, 0, 0), *counts_by_definition(sample)]
    labels = [
        {name for name, a, b in zip("+-", before[1:], after[1:], strict=True) if a < b}
        for before, after in itertools.pairwise(points)
    ]
    expected = [
        point
        for i, point in enumerate(points)
        if i in (0, len(labels)) or labels[i - 1] != labels[i] or len(labels[i]) > 1
    ]
    whole = fa.threshold_sweep(sample.correct, sample.confidence)
    found = {"of the sweep": as_ranked(whole).runs}
    for name, way in WAYS.items():
        with way():
            found[name] = as_ranked(sample.correct, sample.confidence).runs
    for name, sweep in found.items():
        assert sweep.true_accepts.tolist() == [ta for _, ta, _ in expected], name
        assert sweep.false_accepts.tolist() == [fa_ for _, _, fa_ in expected], name
        assert as_ranked(sweep, corners=True).pairs == as_ranked(whole).pairs, name


@pytest.mark.parametrize("way", list(WAYS.values())[2:5], ids=list(WAYS)[2:5])
@pytest.mark.parametrize("to", ["lowest", "highest", "not a number"])
def test_an_array_that_changes_between_the_passes_is_an_error(way, to):
    """Another thread may write to it: then nothing may be written beyond the buckets."""
    n = 300
    confidence = np.random.default_rng(5).random(n)
    value = {"lowest": 0.0, "highest": confidence.max(), "not a number": np.nan}[to]
    starts_of = buckets.starts_of

    def between(counts):
        confidence[:] = value
        return starts_of(counts)

    message = "must be a finite number" if to == "not a number" else "was changed while it was read"
    changed = pytest.raises(ValueError, match=message)
    with way(), changed, mock.patch.object(buckets, "starts_of", between):
        fa.arac_auc_score(np.arange(n) % 2, confidence)


def test_blocks_of_groups_take_no_more_items_than_were_counted():
    items = inputs.read_items(np.arange(300) % 2, np.random.default_rng(5).random(300))
    codes = np.arange(300) % 100
    starts_of = buckets.starts_of

    def between(counts):
        codes[:] = 99
        return starts_of(counts)

    changed = pytest.raises(ValueError, match="was changed while it was read")
    with forced("few", blocks_of=10), changed, mock.patch.object(groups, "starts_of", between):
        groups.count_pairs_of_groups(items, codes, 100)


@given(sample=strategies.tied() | strategies.extreme_magnitudes())
def test_counting_gives_the_same_sweep(sample):
    items = inputs.read_items(sample.correct, sample.confidence)
    expected = ranked.every_threshold(items)
    for name, way in WAYS.items():
        with way():
            counted = counting.count_values(items)
        assert counted is not None, name
        for a, b in zip(counted, expected, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=name)


def test_counting_gives_up_on_too_many_values():
    n = _kernels.counting.MAX_DISTINCT + 1
    items = inputs.read_items(np.ones(n, bool), np.arange(n, dtype=float))
    assert counting.count_values(items) is None
    few = inputs.read_items(np.ones(n - 1, bool), np.arange(n - 1, dtype=float))
    counted = counting.count_values(few)
    assert counted is not None
    assert len(counted.thresholds) == n


@pytest.mark.compiled
def test_counting_that_gives_up_in_vain_changes_nothing():
    """A sample may see few values where there are many."""
    n = 40_000
    confidence = np.where(np.arange(n) % 2, 0.5, np.arange(n) / n)
    correct = np.arange(n) % 3 > 0
    tries = mock.Mock(wraps=counting.count_values)
    every_other = forced("buckets", repeats=4, sample=20_000)
    with every_other, mock.patch.dict(ranked._ORDERED, counted=tries):
        tried = fa.arac_auc_score(correct, confidence[::-1])
    tries.assert_called_once()
    assert tried == fa.arac_auc_score(correct, confidence[::-1])


@pytest.mark.parametrize("n", [0, 1, 2, 24, 25, 300, 5000])
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sort_keys(draw, n, dtype):
    rng = np.random.default_rng(n)
    with np.errstate(over="ignore"):
        values = np.abs(draw(rng, n)).astype(dtype)
    keys = values.view(np.uint64 if dtype is np.float64 else np.uint32)
    spare = np.empty(0, keys.dtype)
    counts = np.empty(_kernels.sort.counts_needed(n), np.int32)
    expected = np.sort(keys)
    weights = keys.astype(np.float64)
    paired = keys.copy()
    if n:
        _kernels.sort.sort_keys(keys, spare, counts)
    _kernels.weighted.sort_pairs(paired, weights)
    np.testing.assert_array_equal(keys, expected)
    np.testing.assert_array_equal(paired, expected)
    np.testing.assert_array_equal(weights, expected.astype(np.float64))


def _cells_of(values, ends):
    cells = np.empty(len(values), np.int32)
    _kernels.sort.fill_cells(values, ends, cells)
    return cells


@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_cells_never_fall(draw):
    """The bucket of a value must not be above that of a larger one, whatever the sample was."""
    rng = np.random.default_rng(5)
    values = np.sort(np.concatenate([draw(rng, 1500), [-1e308, -1.0, -0.0, 0.0, 5e-324, 1e308]]))
    for sample in DISTRIBUTIONS.values():
        items = inputs.read_items(np.ones(3000, bool), sample(rng, 3000))
        with forced("buckets", max_buckets=64):
            ends = buckets.plan_buckets(items).ends
        assert (np.diff(_cells_of(values, ends)) >= 0).all()


@pytest.mark.compiled
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_large_data(draw):
    """Enough items for the ways that large data takes by itself."""
    rng = np.random.default_rng(7)
    n = 3000 if _parallel_is_python() else 300_000
    confidence = draw(rng, n)
    correct = rng.random(n) < 0.8
    order = np.argsort(-confidence, kind="stable")
    last = np.append(np.diff(confidence[order]) != 0, [True])
    with forced("buckets", 2, max_buckets=64) if _parallel_is_python() else nullcontext():
        sweep = fa.threshold_sweep(correct, confidence)
        area = fa.arac_auc_score(correct, confidence)
    np.testing.assert_array_equal(sweep.thresholds[1:], confidence[order][last])
    np.testing.assert_array_equal(sweep.true_accepts[1:], np.cumsum(correct[order])[last])
    np.testing.assert_array_equal(sweep.false_accepts[1:], np.cumsum(~correct[order])[last])
    assert area == fa.arac_auc_score(sweep)


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_places_never_fall(draw, linear):
    rng = np.random.default_rng(5)
    values = np.sort(np.concatenate([draw(rng, 1500), [-1e308, -1.0, -0.0, 0.0, 5e-324, 1e308]]))
    for low, high in ([0.0, 1.0], [-3.0, 1e300], [0.5, np.nextafter(0.5, 1)]):
        ends = smaller_class.ends_of(low, high, _kernels.quantized_keys.QUANTIZED_BITS, linear=linear)
        if ends is None:  # so narrow that the number of places in a unit is infinite
            continue
        cells = np.empty(len(values), np.int32)
        with np.errstate(over="ignore"):
            _kernels.smaller_class.cells_between(
                values, ends, _kernels.quantized_keys.N_QUANTIZED, cells
            )
        assert (np.diff(cells) >= 0).all()
        assert cells[0] >= 0


@pytest.mark.parametrize(("room", "found"), [(1 / 8, True), (0.0, False)])
def test_items_at_shared_places_are_sorted_in_full_unless_they_are_many(room, found):
    """Near one value all are at one place; all bits of them count, and two ways lead there."""
    rng = np.random.default_rng(3)
    n = 3000 if _parallel_is_python() else 100_000
    confidence = rng.random(n)
    confidence[: n // 20] = 0.5 + 1e-15 * np.arange(n // 20)
    correct = rng.random(n) < 0.8
    items = inputs.read_items(correct, confidence)
    sizes = replace(strategy.sizes, max_repeats=math.inf, max_picked=room)
    with mock.patch.object(strategy, "sizes", sizes):
        pairs = quantized.count_quantized(items)
    assert pairs == (pairs_between(*ranked.every_threshold(items)[1:]) if found else None)


@pytest.mark.parametrize("share", [0.01, 0.99])
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_few_errors_and_few_correct_items(draw, share):
    rng = np.random.default_rng(8)
    n = 3000 if _parallel_is_python() else 200_000
    confidence = draw(rng, n)
    correct = rng.random(n) < share
    with forced("smaller class", 2):
        few = fa.roc_auc_score(correct, confidence)
    assert few == fa.roc_auc_score(fa.threshold_sweep(correct, confidence))


@pytest.mark.parametrize(
    "draw", [DISTRIBUTIONS["uniform"], lambda rng, n: special.expit(rng.normal(6, 3, n))]
)
def test_few_errors_spare_the_sort(draw):
    """With cells of equal width or such as are finer towards the end, where most confidences are."""
    rng = np.random.default_rng(9)
    n = 3000 if _parallel_is_python() else 100_000
    items = inputs.read_items(rng.random(n) < 0.99, draw(rng, n))
    with forced("smaller class"):
        found = smaller_class.count_around_few(items)
    assert found == pairs_between(*ranked.every_threshold(items)[1:])


@pytest.mark.parametrize(
    ("own", "by_numpy", "well"), [(1.0, 0.5, True), (1.0, 1.4, True), (1.0, 1.6, False)]
)
def test_the_faster_sort_is_chosen(own, by_numpy, well):
    """The least of four times each counts."""
    clock = np.cumsum([0.0, *(second for took in (own, by_numpy) for second in (took, 9.0) * 4)])
    times = [t for start in (0, 8) for i in range(4) for t in clock[start + 2 * i :][:2].tolist()]
    with mock.patch.object(strategy, "perf_counter", side_effect=times):
        found = strategy.slowness.__wrapped__(np.dtype(np.uint32))
    assert found == pytest.approx(by_numpy / own)
    with mock.patch.object(strategy, "slowness", return_value=found):
        assert strategy.numpy_sorts_well(np.dtype(np.uint32)) is well


@pytest.mark.parametrize(
    "n_marked", [0, 1, _kernels.quantized_keys.FEW_MARKS, _kernels.quantized_keys.FEW_MARKS + 1, 60]
)
def test_marked_keys_are_picked(n_marked):
    """One by one or by a table; and not a key more than there is room for."""
    rng = np.random.default_rng(n_marked)
    keys = rng.integers(0, 1 << 32, 3 * _kernels.quantized_keys.BLOCK - 5, dtype=np.uint32)
    marks = np.zeros(1 << 10, np.uint8)
    marked = rng.permutation(len(marks))[:n_marked].astype(np.uint32)
    marks[marked] = 1
    expected = np.flatnonzero(np.isin(keys >> 1 & 1023, marked))
    found = np.empty(len(expected), np.int64)
    packed = np.packbits(marks, bitorder="little")
    assert _kernels.quantized_keys.pick(keys, packed, marked, found) == len(expected)
    assert found.tolist() == expected.tolist()
    if n_marked:
        assert _kernels.quantized_keys.pick(keys, packed, marked, found[:-1]) == -1


def test_the_greatest_integers_are_tied_where_errors_are_few():
    """No key is beyond theirs."""
    greatest = np.iinfo(np.uint64).max
    confidence = np.array([greatest, greatest, greatest - 1, 5, 6, 7], np.uint64)
    correct = np.array([1, 0, 1, 1, 0, 1], np.bool_)
    with forced("smaller class"):
        found = smaller_class.count_around_few(inputs.read_items(correct, confidence))
    assert found == (4, 2, 3 + 2 + 0 + 2)


def _parallel_is_python() -> bool:
    return not hasattr(_kernels.sort.sort_keys, "signatures")


def test_counts_beyond_what_a_product_of_int64_holds():
    counts = [2**61, 2**60 + 1], [2**60 + 3, 7]
    sweep = fa.ThresholdSweep.from_counts([0.9, 0.1], *counts)
    ta, fa_ = (Fraction(sum(c)) for c in counts)
    total = ta + fa_
    errors = (2**61 + 2**60 + 3) * Fraction(2**60 + 3) + (2**60 + 8) * Fraction(2 * (2**60 + 3) + 7)
    assert fa.arac_auc_score(sweep) == float(1 - errors / (2 * total**2))


@pytest.mark.parametrize("setting", ["0", "two", "-1", "1.5"])
def test_number_of_threads_must_be_one(setting, monkeypatch):
    monkeypatch.setenv("FASTARAC_NUM_THREADS", setting)
    with pytest.raises(ValueError, match="FASTARAC_NUM_THREADS must be a whole number of"):
        strategy.n_threads(10**6)


def test_threads_are_worth_their_items(monkeypatch):
    monkeypatch.setenv("FASTARAC_NUM_THREADS", "4")
    assert strategy.n_threads(10) == 1
    assert strategy.n_threads(10**9) == 4
    monkeypatch.delenv("FASTARAC_NUM_THREADS")
    assert strategy.n_threads(10**12) >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    assert strategy.n_threads(10**12) >= 1
