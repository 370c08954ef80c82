"""Many evaluations in one call: the same figures as one call a group."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from ways import forced

import fastarac as fa
from fastarac._engine import parallel
from fastarac._engine.pairs import METRICS, PairCounts, values_of_pairs
from fastarac._kernels import groups
from fastarac._kernels.codes import UNSIGNED
from fastarac.areas import arac as areas

pytestmark = pytest.mark.interpreted

ALL = METRICS


def one_by_one(sample, labels, gamma):
    for label in sorted(set(labels)):
        rows = [i for i, other in enumerate(labels) if other == label]
        part = sample.take(rows)
        costs = fa.VerificationCosts.from_ratios(gamma, 0)
        e = fa.evaluate(part.correct, part.confidence, costs=costs)
        yield (
            e.n, fa.threshold_sweep(part.correct, part.confidence).n_correct, e.recognition_rate,
            e.arac.auc, e.augrc, e.roc_auc, e.arac.normalized,
        )  # fmt: skip


@given(
    strategies.unweighted,
    st.data(),
    st.sampled_from([1.0, 0.0, 0.3, 2.5]),
)
def test_each_group_is_as_if_evaluated_alone(sample, data, gamma):
    n = len(sample.correct)
    labels = data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    result = fa.evaluate_groups(sample.correct, sample.confidence, by=labels, metrics=ALL, gamma=gamma)
    assert result.groups.tolist() == sorted(set(labels))
    found = list(zip(*(result[name] for name in ALL), strict=True))
    expected = list(one_by_one(sample, labels, gamma))
    assert [list(map(repr_of, row)) for row in found] == [list(map(repr_of, r)) for r in expected]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("blocks", "shift"), [(1, 15), (4, 15), (64, 15), (1, 0)])
def test_blocks_and_threads_change_nothing(blocks, shift, threads):
    rng = np.random.default_rng(5)
    sizes = np.array([1, 2, 40, 400, 7, 0, 30] * 3)  # 400 mixed items are sorted, fewer compared
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    correct = rng.random(len(labels)) < 0.6
    confidence = rng.integers(-40, 60, len(labels)) / 8
    with forced("few", threads, blocks_of=1, max_blocks=blocks, max_block_shift=shift):
        result = fa.evaluate_groups(correct, confidence, by=labels, metrics=ALL)
    sample = strategies.Sample(correct, confidence, None)
    found = list(zip(*(result[name] for name in ALL), strict=True))
    expected = list(one_by_one(sample, labels.tolist(), 1.0))
    assert [list(map(repr_of, row)) for row in found] == [list(map(repr_of, r)) for r in expected]


def repr_of(value):
    return "nan" if math.isnan(value) else repr(float(value))


CORRECT = [1, 1, 0, 1, 0, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.9, 0.2]
NAMES = ["name", "date"] * 3


@pytest.mark.parametrize(
    "make",
    [list, np.array, lambda v: np.array(v, object), pd.Series, pl.Series, pa.array,
     lambda v: pd.Series(v, dtype="category"), lambda v: pa.chunked_array([v[:2], v[2:]])],
)  # fmt: skip
def test_labels_of_every_kind(make):
    result = fa.evaluate_groups(CORRECT, CONFIDENCE, by=make(NAMES))
    assert result.groups.tolist() == ["date", "name"] == list(result)
    assert len(result) == 2
    assert result["recognition_rate"].tolist() == [2 / 3, 1 / 3]
    columns = result.to_columns()
    assert list(columns) == [
        "group", "n", "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc",
    ]  # fmt: skip
    with pytest.raises(KeyError, match="no metric 'augrc'; the metrics are n, recognition_rate"):
        result["augrc"]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-(2**63), 2**63 - 1] * 3),
        np.array([0, 2**64 - 1] * 3, np.uint64),
        np.array([2**64 - 3, 2**64 - 1] * 3, np.uint64),
        np.array([2**63 - 2, 2**63] * 3, np.uint64),
        np.array([-(2**63), 4 - 2**63] * 3),
        np.array([False, True] * 3),
        np.array([-1, 1] * 3, np.int8),
        np.array([0.5, 1.5] * 3),
    ],
)
def test_labels_of_every_number_type(labels):
    result = fa.evaluate_groups(CORRECT, CONFIDENCE, by=labels)
    assert result.groups.dtype == labels.dtype
    np.testing.assert_array_equal(result.groups, np.sort(labels[:2]))


def test_more_groups_than_the_first_table_holds():
    n = 5000
    labels = (np.arange(n) * 7919) % 10007 - 5000
    correct, confidence = np.arange(n) % 3 > 0, np.arange(n) % 11
    result = fa.evaluate_groups(correct, confidence, by=labels, metrics=["n", "arac_auc"])
    np.testing.assert_array_equal(result.groups, np.sort(labels))
    assert (result["n"] == 1).all()
    np.testing.assert_array_equal(result["arac_auc"], np.where(correct[np.argsort(labels)], 1, 0.5))


def test_counts_beyond_what_a_double_or_int64_holds():
    pairs = PairCounts(3 * 10**9, 10**9, 5 * 10**18)
    expected = areas.arac_area_of(pairs, 1.0)
    counts = np.array([pairs])
    assert values_of_pairs("arac_auc", counts) == expected.auc
    assert values_of_pairs("normalized_arac_auc", counts) == expected.normalized


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": NAMES[:5]}, "by and confidence must have the same number of items, got 5 and 6"),
        ({"by": [*NAMES[:5], None]}, r"by must have a value for each item, got null at by\[5\]"),
        (
            {"by": pd.Series([*NAMES[:5], None])},
            r"by must have a value for each item, got null at by\[5\]",
        ),
        (
            {"by": pl.Series([*NAMES[:5], None])},
            r"by must have a value for each item, got null at by\[5\]",
        ),
        (
            {"by": pa.array([*NAMES[:5], None])},
            r"by must have a value for each item, got null at by\[5\]",
        ),
        ({"by": [0.5] * 5 + [math.nan]}, r"by must have a value for each item, got null at by\[5\]"),
        ({"by": [*NAMES[:5], math.nan]}, r"by must have a value for each item, got null at by\[5\]"),
        (
            {"by": pa.array([0.5] * 5 + [math.nan])},
            r"by must have a value for each item, got null at by\[5\]",
        ),
        (
            {"by": np.array(["2026-11-22"] * 5 + ["NaT"], "M8[D]")},
            r"by must have a value for each item, got null at by\[5\]",
        ),
        (
            {"by": np.ma.array([1, 2, 3, 1, 2, 3], mask=[0, 1, 0, 0, 0, 1])},
            r"by must have a value for each item, got null at by\[1\] \(2 are null\)",
        ),
        ({"by": pl.DataFrame({"a": NAMES})}, r"by must be one column, got a table of shape \(6, 1\)"),
        ({"by": [NAMES]}, r"by must be a one-dimensional array, got shape \(1, 6\)"),
        ({"metrics": ["arac"]}, "metrics must be some of 'n', 'n_correct',"),
        ({"gamma": -1}, "gamma must be a finite number of at least 0, got -1"),
        ({"confidence": [math.inf] * 6}, r"confidence\[0\] must be a finite number, got inf"),
        ({"correct": [2] * 6}, r"correct\[0\] must be 0 \(incorrect\) or 1 \(correct\), got 2"),
    ],
)
def test_wrong_values(arguments, message):
    given = {"correct": CORRECT, "confidence": CONFIDENCE, "by": NAMES} | arguments
    with pytest.raises(ValueError, match=message):
        fa.evaluate_groups(**given)


@pytest.mark.parametrize("labels", [[1, 2, 1, 2, 1, 2], list("ababab"), [1.5, 2.5] * 3])
def test_masked_labels_are_null(labels):
    masked = np.ma.array(labels, mask=[0, 1, 0, 0, 1, 0])
    for call in (
        lambda **labels: fa.evaluate_groups(CORRECT, CONFIDENCE, by=NAMES, intervals=True, **labels),
        lambda **labels: fa.evaluate(CORRECT, CONFIDENCE, intervals=True, **labels),
        lambda **labels: fa.bootstrap(CORRECT, CONFIDENCE, n_resamples=5, **labels),
        lambda **labels: fa.operation.fit_policy(CORRECT, CONFIDENCE, max_error_rate=0.5, **labels),
    ):
        with pytest.raises(
            ValueError, match=r"groups must have a value .*, got null at groups\[1\] .*\(2 are null"
        ):
            call(groups=masked)
    with pytest.raises(
        ValueError, match=r"by must have a value for each item, got null at by\[1\] .*\(2 are null"
    ):
        fa.evaluate_groups(CORRECT, CONFIDENCE, by=masked)
    whole = np.ma.array(labels)
    assert fa.evaluate_groups(CORRECT, CONFIDENCE, by=whole) == fa.evaluate_groups(
        CORRECT, CONFIDENCE, by=labels
    )


def test_labels_that_cannot_be_compared():
    message = "by must hold labels of one type, got int and str"
    for labels in (["a", 1], np.array(["a", 1], object), pd.Series(["a", 1])):
        with pytest.raises(TypeError, match=message):
            fa.evaluate_groups([1, 0], [0.5, 0.6], by=labels)
    with pytest.raises(TypeError, match="by has labels of type dict, which cannot be compared"):
        fa.evaluate_groups([1, 0], [0.5, 0.6], by=[{"a": 1}, {"a": 2}])


BEYOND = [2**63 + 1, 2**63, 2**63 + 1, 2**63, 7, 7]


@pytest.mark.parametrize(
    "labels",
    [
        BEYOND,
        tuple(BEYOND),
        np.array(BEYOND, np.uint64),
        [np.uint64(label) if i % 2 else label for i, label in enumerate(BEYOND)],
        np.array(BEYOND, object),
        pd.Series(BEYOND, dtype=np.uint64),
        pa.array(BEYOND, pa.uint64()),
        [label + 10**30 for label in BEYOND],
        [label - 2**63 - 8 if label == 7 else label for label in BEYOND],  # neither int64 nor uint64
        [label / 2 if label == 7 else label for label in BEYOND],  # beside floats
    ],
)
def test_integer_labels_are_never_rounded(labels):
    result = fa.evaluate_groups(CORRECT, CONFIDENCE, by=labels)
    assert sorted(result.groups.tolist()) == sorted(set(np.asarray(labels, object).tolist()))
    assert result["n"].tolist() == [2, 2, 2]


@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
def test_integer_labels_of_dependence_are_never_rounded():
    found, expected = (
        fa.asymptotic_interval(CORRECT, CONFIDENCE, groups=labels).standard_error
        for labels in (BEYOND, np.array(BEYOND, np.uint64))
    )
    assert found == expected
    found, expected = (
        fa.bootstrap(CORRECT, CONFIDENCE, groups=labels, n_resamples=20, random_state=1).distribution
        for labels in (BEYOND, np.array(BEYOND, np.uint64))
    )
    np.testing.assert_array_equal(found, expected)


ZEROS = [0.0, -0.0, 1.0, -0.0, 0.0, 1.0]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_minus_zero_is_zero(make):
    result = fa.evaluate_groups(CORRECT, CONFIDENCE, by=make(ZEROS))
    assert result.groups.tolist() == [0.0, 1.0]
    assert not np.signbit(result.groups).any()
    assert result["n"].tolist() == [4, 2]


def test_a_dictionary_that_names_a_label_twice():
    labels = pa.DictionaryArray.from_arrays([0, 1, 2, 0, 1, 2], ["b", "a", "b"])
    result = fa.evaluate_groups(CORRECT, CONFIDENCE, by=labels)
    assert result.groups.tolist() == ["a", "b"]
    assert result["n"].tolist() == [2, 4]


def test_indices_outside_their_dictionary():
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 9, 0, 1, 1, 1]), ["a", "b"], safe=False)
    with pytest.raises(ValueError, match="by has indices outside its dictionary of 2 labels"):
        fa.evaluate_groups(CORRECT, CONFIDENCE, by=labels)


@pytest.mark.parametrize("later", [-1, 6, 2**62, -(2**62)])
def test_labels_that_change_after_their_range_was_found_are_an_error(later):
    labels = np.array([0, 5, 3, 3, 2, 1])
    edges = parallel.edges

    def change_then_divide(n):
        labels[4] = later
        return edges(n)

    changed = pytest.raises(ValueError, match="by was changed while it was read")
    with changed, mock.patch.object(parallel, "edges", change_then_divide):
        fa.evaluate_groups(CORRECT, CONFIDENCE, by=labels)


@given(strategies.unweighted, st.data())
def test_at_one_threshold_for_all(sample, data):
    """Each group at the threshold that all items together decide on, as counted one by one."""
    correct, confidence = np.asarray(sample.correct), np.asarray(sample.confidence)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(correct), max_size=len(correct)))
    costs = fa.VerificationCosts.from_ratios(0.5, 3)
    result = fa.evaluate_groups(
        correct, confidence, by=labels, max_error_rate=0.1, max_risk=[0.2], threshold=[0.5], costs=costs
    )
    whole = fa.evaluate(correct, confidence, max_error_rate=0.1, max_risk=[0.2], threshold=[0.5])
    for row, label in enumerate(result.groups):
        mine = np.array(labels) == label
        for at in whole.limits:
            key, threshold = at.limit.key, at.point.threshold
            found = {
                name: result[f"{name}/{key}"][row] for name in ("acceptance_rate", "error_rate", "risk")
            }
            pairs = list(zip(correct[mine].tolist(), confidence[mine].tolist(), strict=True))
            accepted = [bool(right) for right, t in pairs if t >= threshold]
            wrong = len(accepted) - sum(accepted)
            assert found["acceptance_rate"] == len(accepted) / len(pairs)
            assert found["error_rate"] == wrong / len(pairs)
            assert found["risk"] == wrong / len(accepted) if accepted else math.isnan(found["risk"])
            point = fa.operating_point(correct[mine], confidence[mine], threshold=threshold)
            assert result[f"performance/{key}"][row] == pytest.approx(
                costs.performance(point), abs=1e-14
            )
            if at.limit.criterion != "threshold":
                rate = found[at.limit.criterion.removeprefix("max_")]
                assert result[f"keeps_limit/{key}"][row] == (not rate > at.limit.value)


def test_integers_beyond_floats_keep_their_threshold():
    result = fa.evaluate_groups([1, 0], [2**60 + 1, 2**60], by=[0, 0], max_error_rate=0)
    assert result["threshold/0"].tolist() == [2**60 + 1]
    assert result["acceptance_rate/0"].tolist() == [0.5]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint64])
def test_items_and_sweep_agree_on_what_is_accepted(dtype):
    confidence = np.arange(12).astype(dtype)
    if np.dtype(dtype).kind == "f":
        confidence = (np.arange(12) / 10).astype(dtype)
    correct = np.arange(12) % 3 > 0
    sweep = fa.threshold_sweep(correct, confidence)
    thresholds = [*(np.arange(-2, 30) / 10).tolist(), 1e9, -1e9]
    found = fa.evaluate_groups(correct, confidence, by=np.zeros(12), threshold=thresholds)
    for threshold in thresholds:
        key = f"threshold/{threshold!r}".removesuffix(".0")
        assert found[f"acceptance_rate/{key}"] == sum(sweep.at(threshold)[:2]) / 12
        assert found[f"error_rate/{key}"] == sweep.at(threshold).false_accepts / 12


class TestIntervals:
    RNG = np.random.default_rng(0)
    CORRECT = RNG.random(500) < 0.8
    CONFIDENCE = RNG.random(500).round(2) + 0.3 * CORRECT
    BY = RNG.integers(0, 3, 500)
    PAGES = RNG.integers(0, 120, 500)
    WEIGHT = RNG.integers(0, 3, 500) / 7

    @pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")  # of unequal weights
    @pytest.mark.parametrize("weight", [None, WEIGHT])
    @pytest.mark.parametrize("pages", [None, PAGES])
    def test_each_group_is_as_if_it_were_alone(self, pages, weight):
        found = fa.evaluate_groups(
            self.CORRECT, self.CONFIDENCE, by=self.BY, max_error_rate=0.1, threshold=0.9,
            gamma=2.0, groups=pages, intervals=True, confidence_level=0.9, sample_weight=weight,
        )  # fmt: skip
        tolerance = 0 if weight is None else 1e-12
        at = float(found["threshold/0.1"][0])
        for row, label in enumerate(found.groups):
            mine = label == self.BY
            alone = fa.evaluate(
                self.CORRECT[mine], self.CONFIDENCE[mine], max_error_rate=(), threshold=[at, 0.9],
                costs=fa.VerificationCosts.from_ratios(2.0, 0.0), intervals=True,
                groups=None if pages is None else pages[mine], confidence_level=0.9,
                sample_weight=None if weight is None else weight[mine],
            )  # fmt: skip
            names = {"recognition_rate": "", "arac_auc": "", "roc_auc": "", "normalized_arac_auc": ""}
            expected = {name: alone.intervals[name] for name in names}
            assert alone.intervals["arac_auc"].low < alone.arac.auc
            for rate in ("acceptance_rate", "error_rate"):
                expected[f"{rate}/0.1"] = alone.intervals[f"{rate}/threshold/{at!r}".removesuffix(".0")]
                expected[f"{rate}/threshold/0.9"] = alone.intervals[f"{rate}/threshold/0.9"]
            for name, interval in expected.items():
                figure, mark, key = name.partition("/")
                ends = [found[f"{figure}_{end}{mark}{key}"][row] for end in ("low", "high")]
                assert ends == pytest.approx([interval.low, interval.high], rel=tolerance)

    def test_one_warning_for_all(self):
        correct, pages = np.ones(40, bool), np.arange(40) // 10
        correct[:2] = False
        with pytest.warns(fa.UnreliableIntervalWarning, match="^2 of 2 groups have too little") as said:
            fa.evaluate_groups(
                correct, self.CONFIDENCE[:40], by=[0, 1] * 20, intervals=True, groups=pages
            )
        assert len(said) == 1
        assert "_auc" not in str(said[0].message)

    def test_groups_without_intervals(self):
        with pytest.raises(ValueError, match="groups needs intervals=True"):
            fa.evaluate_groups(self.CORRECT, self.CONFIDENCE, by=self.BY, groups=self.PAGES)


def test_items_without_weight_are_absent():
    weight = [1, 0, 2, 0, 0.5, 0]
    found = fa.evaluate_groups(
        CORRECT, CONFIDENCE, by=[*NAMES[:5], "none"], sample_weight=weight, metrics=ALL, threshold=0.7
    )
    assert found.groups.tolist() == ["name"]
    assert found["n"].tolist() == [3.5]
    assert found["arac_auc"].tolist() == [
        fa.arac_auc_score(CORRECT[:5:2], CONFIDENCE[:5:2], sample_weight=weight[:5:2])
    ]
    with pytest.raises(ValueError, match=r"confidence\[5\] must .*got nan"):
        fa.evaluate_groups(CORRECT, [*CONFIDENCE[:5], math.nan], by=NAMES, sample_weight=weight)
    with pytest.raises(ValueError, match=r"sample_weight\[0\] must .*got -1"):
        fa.evaluate_groups(CORRECT, CONFIDENCE, by=NAMES, sample_weight=[-1] * 6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reviewer", [None, fa.Reviewer(0.9, 0.05)])
def test_the_points_are_those_of_each_group_alone(reviewer, weighted):
    rng = np.random.default_rng(1)
    correct, confidence, by = rng.random(200) < 0.8, rng.random(200), rng.integers(0, 4, 200)
    weight = rng.integers(0, 4, 200) / 7 if weighted else None
    costs = fa.VerificationCosts(2, 3, 40)
    options = {"costs": costs, "reviewer": reviewer}
    limits = {"max_error_rate": 0.1, "max_risk": 0.1, "threshold": 0.5}
    found = fa.evaluate_groups(
        correct, confidence, by=by, sample_weight=weight, metrics=ALL, **limits, **options
    )
    whole = fa.evaluate(correct, confidence, sample_weight=weight, **limits, **options)
    for at in whole.limits:
        key = at.limit.key
        assert (found[f"threshold/{key}"] == at.point.threshold).all()
        for row, label in enumerate(found.groups):
            mine = by == label
            alone = fa.evaluate(
                correct[mine], confidence[mine], threshold=at.point.threshold, max_error_rate=(),
                sample_weight=None if weight is None else weight[mine], **options,
            )  # fmt: skip
            there = alone.limits[0]
            expected = {
                "n": alone.n,
                "recognition_rate": alone.recognition_rate,
                "arac_auc": alone.arac.auc,
                "normalized_arac_auc": alone.arac.normalized,
                "augrc": alone.augrc,
                "roc_auc": alone.roc_auc,
                f"acceptance_rate/{key}": there.point.acceptance_rate,
                f"error_rate/{key}": there.point.error_rate,
                f"risk/{key}": there.point.risk,
                f"performance/{key}": there.performance,
                f"cost/{key}": alone.cost_evaluation.at_limits[there.limit.key],
            }
            for name, value in expected.items():
                assert found[name][row] == pytest.approx(value, rel=1e-13), name
    cheapest = whole.cost_evaluation.cheapest.threshold
    assert (found["threshold/cheapest"] == cheapest).all()
    for row, label in enumerate(found.groups):
        mine = by == label
        there = fa.operating_point(
            correct[mine], confidence[mine], threshold=cheapest, reviewer=reviewer,
            sample_weight=None if weight is None else weight[mine],
        )  # fmt: skip
        expected = there.acceptance_rate, there.error_rate, costs.cost(there)
        rates = [found[f"{name}/cheapest"][row] for name in ("acceptance_rate", "error_rate", "cost")]
        assert rates == pytest.approx(expected, rel=1e-13)
    assert "cost/0.1" not in fa.evaluate_groups(correct, confidence, by=by, max_error_rate=0.1).values


def test_gamma_is_that_of_the_prices_unless_it_is_given():
    def found(**options):
        result = fa.evaluate_groups(CORRECT, CONFIDENCE, by=NAMES, **options)
        return result["normalized_arac_auc"].tolist()

    costs = fa.VerificationCosts(1, 2, 10)
    assert found(costs=costs) == found(gamma=0.5) != found() == found(gamma=1.0)
    assert found(costs=costs, gamma=3.0) == found(gamma=3.0)


def test_people_who_count_in_the_costs_alone():
    rng = np.random.default_rng(2)
    items = {"correct": rng.random(200) < 0.8, "confidence": rng.random(200)}
    by, costs, people = np.arange(200) % 3, fa.VerificationCosts(1, 2, 10), fa.Reviewer(0.9, 0.01)
    options = {"max_error_rate": 0.1, "costs": costs}
    found = fa.evaluate_groups(**items, by=by, **options, reviewer=people)
    machine = fa.evaluate_groups(**items, by=by, **options)
    for name in ("threshold/0.1", "error_rate/0.1", "performance/0.1", "keeps_limit/0.1"):
        np.testing.assert_array_equal(found[name], machine[name])
    whole = fa.evaluate(**items, **options, reviewer=people).to_dict()
    for name in ("cost/0.1", "cost/cheapest", "error_rate/cheapest", "acceptance_rate/cheapest"):
        assert np.average(found[name], weights=found["n"]) == pytest.approx(whole[name])


def test_a_changed_input_is_not_written_beyond_the_keys():
    """More items of a block than were counted: those that do not fit stop the pass."""
    bits, labels = np.arange(5, dtype=np.uint64), np.ones(5, np.uint8)
    room, halves = np.full(5, 7, np.uint64), np.full(5, 7, np.uint16)
    positions, codes = np.array([1, 0]), np.zeros(5, np.int64)
    found = groups.scatter_blocks(
        bits, labels, codes, 0, UNSIGNED, np.uint64(0), positions, room[:3], halves[:3]
    )
    assert found == (False, 1)
    assert positions.tolist() == [4, 0]
    assert room.tolist() == [7, 1, 3, 7, 7]
    assert halves.tolist() == [7, 0, 0, 7, 7]
