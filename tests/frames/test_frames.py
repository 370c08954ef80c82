"""Frames of the light engines: the same figures as of arrays, to the last bit, and the same errors."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import strategies
from framed import connected, duck, sample, table_of
from hypothesis import given, settings

import fastarac as fa
from fastarac.frames import sweeps as module
from fastarac.frames.queries import QuerySource
from fastarac.frames.sources import ItemSource

if TYPE_CHECKING:
    from collections.abc import Callable

AREAS = ("arac_auc", "roc_auc", "augrc", "arp_auc", "aurc", "average_precision")


ENGINES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "polars-lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table,
    "duckdb": duck,
}
LAZY = ("polars-lazy", "duckdb")
engines = pytest.mark.parametrize("engine", ENGINES)


def areas_of(sweep: fa.ThresholdSweep) -> dict[str, float]:
    """Every area of the items themselves."""
    return {
        "arac_auc": fa.arac_auc_score(sweep),
        "roc_auc": fa.roc_auc_score(sweep),
        "augrc": fa.augrc_loss(sweep),
        "arp_auc": fa.arp_auc_score(sweep),
        "aurc": fa.aurc_loss(sweep),
        "average_precision": fa.average_precision_score(sweep),
    }


@engines
def test_counts_are_those_of_arrays(engine):
    correct, confidence = sample(500)
    found = fa.frames.threshold_sweep(
        ENGINES[engine](table_of(correct, confidence)), confidence="score", correct="right"
    )
    assert found == fa.threshold_sweep(correct, confidence)


@engines
def test_exact_areas_are_those_of_arrays(engine, monkeypatch):
    """In ranges of a few hundred items, with bins that are split, and a value that no worker needs."""
    monkeypatch.setattr(ItemSource, "batch", 640)
    rng = np.random.default_rng(5)
    correct, confidence = sample(3000)
    crowded = 0.25 + rng.random(3000) * 1e-9  # one bin
    confidence = np.concatenate([confidence, crowded])
    correct = np.concatenate([correct, rng.random(3000) < 0.5])
    found = fa.frames.threshold_sweep(
        ENGINES[engine](table_of(correct, confidence)),
        confidence="score",
        correct="right",
        method="exact",
    )
    sweep = fa.threshold_sweep(correct, confidence)
    assert {name: getattr(found, name) for name in AREAS} == {
        name: (area, area) for name, area in areas_of(sweep).items()
    }
    at = sweep.at(found.thresholds)
    np.testing.assert_array_equal(found.true_accepts_low, at.true_accepts)
    np.testing.assert_array_equal(found.false_accepts_high, at.false_accepts)


@engines
def test_bounds_contain_the_areas(engine):
    correct, confidence = sample(2000)
    frame = ENGINES[engine](table_of(correct, confidence))
    found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="bounds")
    for name, area in areas_of(fa.threshold_sweep(correct, confidence)).items():
        bounds = getattr(found, name)
        assert bounds.low <= area <= bounds.high, name
    assert found.roc_auc.width < 2e-3


@engines
@pytest.mark.parametrize("method", ["auto", "exact", "bounds"])
def test_groups(engine, method, monkeypatch):
    monkeypatch.setattr(ItemSource, "batch", 1500)
    correct, confidence = sample(400)
    group = np.array(["b", "a", "c", "a", "a"])[np.arange(len(correct)) % 5]
    frame = ENGINES[engine](table_of(correct, confidence, field=group))
    found = fa.frames.threshold_sweep(
        frame, confidence="score", correct="right", by="field", method=method
    )
    assert list(found) == ["a", "b", "c"]
    for label, sweep in found.items():
        expected = fa.threshold_sweep(correct[group == label], confidence[group == label])
        if method == "auto":
            assert sweep == expected
            continue
        for name, area in areas_of(expected).items():
            low, high = getattr(sweep, name)
            assert low <= area <= high
            assert method == "bounds" or low == high


@engines
def test_weights_are_summed_as_those_of_arrays(engine):
    correct, confidence = sample(300)
    weight = np.random.default_rng(1).choice([0.1, 0.7, 1.3, 1e-8, 0.0], len(correct))
    frame = ENGINES[engine](table_of(correct, confidence, w=weight))
    found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", weight="w")
    assert found == fa.threshold_sweep(correct, confidence, sample_weight=weight)


@engines
@pytest.mark.parametrize("dtype", ["f4", "i8", "u8", "i2", "b1", "f8"])
def test_types_of_confidences(engine, dtype):
    confidence = np.array([3, 0, 1, 1, 0, 2]).astype(dtype)
    if dtype in ("i8", "u8"):
        confidence = confidence + np.array(2**62, dtype)
    correct = np.array([1, 0, 1, 0, 0, 1])
    expected = fa.threshold_sweep(correct, confidence)
    for labels in (np.bool_, np.float32):
        frame = ENGINES[engine](table_of(correct.astype(labels), confidence))
        assert fa.frames.threshold_sweep(frame, confidence="score", correct="right") == expected
    frame = ENGINES[engine](table_of(correct.astype(np.uint8), confidence))
    found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="exact")
    assert found.arac_auc == (fa.arac_auc_score(expected),) * 2


def native(column: np.ndarray) -> np.ndarray:
    """In a type and a layout that frames have."""
    kind = np.float32 if column.dtype == np.float16 else column.dtype.newbyteorder("=")
    return np.ascontiguousarray(column, kind)


@pytest.mark.slow
@given(strategies.items)
@settings(max_examples=10)
def test_any_items_in_duckdb(items):
    correct, confidence, weight = (None if column is None else native(column) for column in items)
    sweep = fa.threshold_sweep(correct, confidence, sample_weight=weight)
    columns = {} if weight is None else {"w": weight}
    frame = duck(table_of(correct, confidence, **columns))
    options = {role: "w" for role in ("weight",) if weight is not None}
    assert fa.frames.threshold_sweep(frame, confidence="score", correct="right", **options) == sweep
    if weight is None:
        found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="exact")
        assert found.arac_auc == (fa.arac_auc_score(sweep),) * 2
        assert found.aurc == (fa.aurc_loss(sweep),) * 2
        assert found.arp_auc == (fa.arp_auc_score(sweep),) * 2


def test_ranges_of_many_items(monkeypatch):
    """More than are sorted in one go, below others and above others."""
    monkeypatch.setattr(ItemSource, "batch", 100_000)
    rng = np.random.default_rng(2)
    confidence = rng.random(270_000)
    correct = rng.random(len(confidence)) < confidence
    frame = duck(table_of(correct, confidence))
    found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="exact")
    for name, area in areas_of(fa.threshold_sweep(correct, confidence)).items():
        assert getattr(found, name) == (area, area), name


@pytest.mark.slow
def test_vast_counts_above_a_range(monkeypatch):
    """Beyond 2**35 items the sums take another way; the figures stay."""
    from fastarac import _kernels

    correct, confidence = sample(300)
    sweep = fa.threshold_sweep(correct, confidence)
    expected = areas_of(sweep)
    monkeypatch.setattr(_kernels.sums, "MAX_TOTAL", 100)
    monkeypatch.setattr(ItemSource, "batch", 100)
    frame = duck(table_of(correct, confidence))
    found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="exact")
    for name, area in expected.items():
        assert getattr(found, name) == (area, area), name


@engines
def test_many_distinct_confidences_are_refused_by_auto(engine, monkeypatch):
    """The type of the result does not change as the data grow."""
    correct, confidence = sample(500)
    distinct = len(np.unique(confidence))
    frame = ENGINES[engine](table_of(correct, confidence))
    columns: dict[str, Any] = {"confidence": "score", "correct": "right"}
    monkeypatch.setattr(module, "MOST_DISTINCT", distinct)
    found = fa.frames.threshold_sweep(frame, **columns)
    assert found == fa.threshold_sweep(correct, confidence)
    for most in (distinct - 1, distinct // 4):
        monkeypatch.setattr(module, "MOST_DISTINCT", most)
        for call in (fa.frames.threshold_sweep, fa.frames.evaluate):
            with pytest.raises(ValueError, match="distinct values; choose method") as caught:
                call(frame, **columns)
            assert str(caught.value) == (
                f"confidence (column 'score') has more than {most:,} distinct values; choose "
                "method='counts' (counts at each value), 'exact' (exact areas, computed inside the "
                "engine) or 'bounds' (only counts in bins)"
            )


@pytest.mark.parametrize("engine", LAZY)
def test_many_weights_are_refused_by_auto(engine, monkeypatch):
    correct, confidence = sample(500)
    monkeypatch.setattr(module, "MOST_DISTINCT", 10)
    frame = ENGINES[engine](table_of(correct, confidence, w=np.ones(len(correct))))
    with pytest.raises(ValueError, match="confidence and weight have more than 10 distinct pairs"):
        fa.frames.threshold_sweep(frame, confidence="score", correct="right", weight="w")


@engines
def test_counts_of_each_confidence_however_many(engine, monkeypatch):
    """The result has one type, whatever the data become."""
    monkeypatch.setattr(module, "MOST_DISTINCT", 10)
    correct, confidence = sample(200)
    sweep = fa.threshold_sweep(correct, confidence)
    frame = ENGINES[engine](table_of(correct, confidence, w=np.ones(len(correct)), field=correct))
    found = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="counts")
    assert found == sweep
    found = fa.frames.threshold_sweep(
        frame, confidence="score", correct="right", weight="w", method="counts"
    )
    assert found == fa.threshold_sweep(correct, confidence, sample_weight=np.ones(len(correct)))
    options: dict[str, Any] = {"intervals": True, "failure_probability": 0.1, "max_error_rate": 0.05}
    figures = fa.frames.evaluate(frame, confidence="score", correct="right", method="counts", **options)
    assert figures == fa.evaluate(sweep, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"intervals": True, "method": "exact"},
            TypeError,
            r"\(method='auto' or 'counts'\), but method='exact' counts items in bins",
        ),
        (
            {"failure_probability": 0.1, "method": "exact"},
            TypeError,
            r"failure_probability needs counts at each confidence \(method='auto' or 'counts'\)",
        ),
        (
            {"reviewer": fa.Reviewer(0.9), "method": "bounds"},
            TypeError,
            r"reviewer needs counts at each confidence \(method='auto' or 'counts'\), but method=",
        ),
        ({"max_error_rate": 1.5}, ValueError, "max_error_rate"),
        ({"max_risk": "a"}, TypeError, "max_risk"),
        ({"costs": 3}, TypeError, "costs"),
        ({"confidence_level": 95}, ValueError, "confidence_level must be a number strictly"),
        (
            {"failure_probability": 2, "method": "counts"},
            ValueError,
            "failure_probability must be a number strictly",
        ),
        (
            {"reviewer": fa.Reviewer(0.9), "method": "counts"},
            ValueError,
            "reviewer needs costs: no other figure depends on",
        ),
        ({"max_eror_rate": 0.1}, TypeError, "max_eror_rate"),
        ({"by": ["page", "q"]}, ValueError, "by is 'q', but there is no such column"),
        ({"by": []}, ValueError, "by must name at least one column"),
        ({"by": "pair"}, TypeError, r"by \(column 'pair'\) must hold labels, got type"),
    ],
)
def test_options_are_refused_before_the_engine_works(options, error, message, monkeypatch):
    pair = pa.array([{"a": 1}])
    frame = duck(pa.table({"score": [0.5], "right": [1], "page": [1], "pair": pair}))
    for name in ("sweeps", "bins", "sums", "approximate_distinct"):
        monkeypatch.setattr(QuerySource, name, Untouched())
    with pytest.raises(error, match=message):
        fa.frames.evaluate(frame, confidence="score", correct="right", **options)


@engines
@pytest.mark.parametrize("method", ["auto", "exact", "bounds"])
def test_groups_by_several_columns(engine, method, monkeypatch):
    """Keys are tuples, in rising order; small groups and such as are read in ranges."""
    monkeypatch.setattr(ItemSource, "batch", 700)
    correct, confidence = sample(400)
    model = np.array(["b", "a"])[np.arange(len(correct)) % 2]
    page = np.where(np.arange(len(correct)) % 7 < 4, 2, np.arange(len(correct)) % 5 + 10)
    frame = ENGINES[engine](table_of(correct, confidence, model=model, page=page))
    found: Any = fa.frames.threshold_sweep(
        frame, confidence="score", correct="right", by=["model", "page"], method=method
    )
    assert list(found) == [(name, number) for name in "ab" for number in (2, 10, 11, 12, 13, 14)]
    for (name, number), sweep in found.items():
        mine = (model == name) & (page == number)
        expected = fa.threshold_sweep(correct[mine], confidence[mine])
        if method == "auto":
            assert sweep == expected
            continue
        for area, value in areas_of(expected).items():
            low, high = getattr(sweep, area)
            assert low <= value <= high
            assert method == "bounds" or low == high
    one = fa.frames.threshold_sweep(frame, confidence="score", correct="right", by=["page"])
    assert list(one) == [(2,), (10,), (11,), (12,), (13,), (14,)]


@engines
def test_nulls_in_one_of_several_columns(engine):
    columns = {"model": ["a", "b"], "page": pa.array([1, None], pa.int64())}
    frame = ENGINES[engine](table_of([1, 0], [0.5, 0.6], **columns))
    for method in ("counts", "exact"):
        options: dict[str, Any] = {"by": ["model", "page"], "method": method}
        with pytest.raises(ValueError, match=r"by\b.*null"):
            fa.frames.threshold_sweep(frame, confidence="score", correct="right", **options)


def test_rows_that_change_between_passes_are_noticed(monkeypatch):
    monkeypatch.setattr(ItemSource, "batch", 1000)
    frame = connected().sql("SELECT random() AS score, random() < 0.5 AS right FROM range(5000)")
    with pytest.raises(
        ValueError, match="frame must give the same rows each time it is read, but read"
    ):
        fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="exact")


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "null confidence": ({"score": [0.5, None]}, ValueError, "null|nan"),
    "null label": ({"right": [1, None]}, ValueError, "null|nan"),
    "null weight": ({"w": [1.0, None]}, ValueError, "null|nan"),
    "null group": ({"g": ["a", None]}, ValueError, "null"),
    "nan": ({"score": [0.5, np.nan]}, ValueError, "e a finite number"),
    "inf": ({"score": [0.5, np.inf]}, ValueError, "e a finite number"),
    "label": ({"right": [1, 2]}, ValueError, r"0 \(incorrect\) or 1 \(correct\)"),
    "negative weight": ({"w": [1.0, -1.0]}, ValueError, "e a finite number of at least 0"),
    "text": ({"score": ["0.5", "0.6"]}, TypeError, r"not text|\(str\)"),
    "text label": ({"right": ["1", "0"]}, TypeError, r"not text|\(str\)"),
    "decimal": (
        {"score": [Decimal("0.5"), Decimal("0.6")]},
        TypeError,
        "up to 64 bits",
    ),
    "empty": ({name: [] for name in ("score", "right", "w", "g")}, ValueError, "empty"),
}


@pytest.mark.parametrize("engine", [*LAZY, "pandas"])
@pytest.mark.parametrize("case", BAD)
def test_bad_items_are_refused_as_those_of_arrays(engine, case):
    given_columns, error, message = BAD[case]
    columns = {"score": [0.5, 0.6], "right": [1, 0], "w": [1.0, 2.0], "g": ["a", "b"], **given_columns}
    types = {"score": pa.float64(), "right": pa.int64(), "w": pa.float64(), "g": pa.string()}
    if not case.startswith(("text", "decimal")):
        table = pa.table({name: pa.array(column, types[name]) for name, column in columns.items()})
    else:
        table = pa.table(columns)
    frame = ENGINES[engine](table)
    methods = ["auto"] if "weight" in case else ["auto", "exact"]
    for method in methods:
        options: dict[str, Any] = {"weight": "w"} if "weight" in case else {}
        options |= {"by": "g"} if "group" in case else {}
        with pytest.raises(error, match=message):
            fa.frames.threshold_sweep(
                frame, confidence="score", correct="right", method=method, **options
            )


class Untouched:
    """Stands for an engine that must not be asked."""

    def __call__(self, *_: object, **__: object) -> None:
        pytest.fail("the engine was asked")


def test_the_schema_tells_before_the_engine_works(monkeypatch):
    frame = duck(pa.table({"score": ["0.5"], "right": [1]}))
    for name in ("sweeps", "bins", "sums", "approximate_distinct"):
        monkeypatch.setattr(QuerySource, name, Untouched())
    with pytest.raises(TypeError, match=r"confidence \(column 'score'\) must hold booleans,"):
        fa.frames.threshold_sweep(frame, confidence="score", correct="right")
    with pytest.raises(ValueError, match=r"correct is 'ok', .*; there are 'score' and 'right'"):
        fa.frames.threshold_sweep(frame, confidence="score", correct="ok")
    with pytest.raises(TypeError, match="confidence must be the name of a column, got type int"):
        fa.frames.threshold_sweep(frame, confidence=1, correct="right")  # type: ignore[arg-type]


def test_arguments():
    frame = pa.table({"score": [0.5], "right": [1], "w": [1.0]})
    with pytest.raises(TypeError, match="Dask, got type list"):
        fa.frames.threshold_sweep([1], confidence="score", correct="right")
    with pytest.raises(ValueError, match="method must be one of 'auto', 'counts', 'exact',"):
        fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="fast")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="weight needs method="):
        fa.frames.threshold_sweep(
            frame, confidence="score", correct="right", weight="w", method="exact"
        )


@engines
def test_evaluate(engine):
    correct, confidence = sample(300)
    group = np.arange(len(correct)) % 2
    frame = ENGINES[engine](table_of(correct, confidence, page=group))
    options: dict[str, Any] = {"max_error_rate": 0.02, "max_risk": 0.05, "threshold": 0.5}
    found = fa.frames.evaluate(frame, confidence="score", correct="right", **options)
    assert found == fa.evaluate(correct, confidence, **options)
    sure = fa.frames.evaluate(
        frame, confidence="score", correct="right", max_error_rate=0.02, failure_probability=0.1
    )
    assert sure.limits[0].guaranteed is not None
    groups = fa.frames.evaluate(frame, confidence="score", correct="right", by="page", **options)
    assert list(groups) == [0, 1]
    assert groups[1] == fa.evaluate(correct[group == 1], confidence[group == 1], **options)


@engines
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_limits_of_exact_evaluations_cost_nothing(engine, dtype):
    """A limit that falls into a bin of several confidences has the threshold of the items."""
    rng = np.random.default_rng(9)
    confidence = np.concatenate(
        [rng.random(3000) * 1e-4 + 0.75, rng.random(3000), np.full(900, 0.75003)]
    )
    confidence = (confidence * (2**60 if dtype == np.int64 else 1)).astype(dtype)
    correct = rng.random(len(confidence)) < 0.8
    group = np.arange(len(correct)) % 2
    frame = ENGINES[engine](table_of(correct, confidence, page=group))
    columns: dict[str, Any] = {"confidence": "score", "correct": "right"}
    limits = {"max_error_rate": [0.02, 0.09, 0.15], "max_risk": [0.15, 0.195]}
    whole = fa.frames.evaluate(frame, **columns, method="exact", **limits)
    groups = fa.frames.evaluate(frame, **columns, by=["page"], method="exact", **limits)
    cases = [(whole, group >= 0), *((groups[page,], group == page) for page in (0, 1))]
    rough = fa.frames.evaluate(frame, **columns, method="bounds", **limits)
    assert any(found.point.acceptance_lost for found in rough.limits)
    for found, mine in cases:
        expected = fa.evaluate(correct[mine], confidence[mine], **limits)
        assert found.arac_auc == (expected.arac.auc,) * 2
        for limit, at in zip(found.limits, expected.limits, strict=True):
            assert limit.point.acceptance_lost == 0
            assert limit.point.threshold == at.point.threshold
            assert limit.point.acceptance_rate == (at.point.acceptance_rate,) * 2


def test_what_is_exact_at_a_threshold_alone_says_so(monkeypatch):
    """Where a bin holds too many confidences for another pass, acceptance may be lost."""
    rng = np.random.default_rng(9)
    confidence = rng.random(3000) * 1e-4 + 0.75
    frame = table_of(rng.random(3000) < 0.8, confidence)
    columns: dict[str, Any] = {"confidence": "score", "correct": "right", "max_error_rate": 0.1}
    text = str(fa.frames.evaluate(frame, **columns, method="exact"))
    assert text.count("exact at this threshold") == 0
    assert "acceptance lost" not in text
    monkeypatch.setattr(module, "MOST_DISTINCT", 10)
    text = str(fa.frames.evaluate(frame, **columns, method="exact"))
    assert text.count("exact at this threshold") == 3
    assert "acceptance lost" in text


def test_bins_of_two_sweeps_do_not_add_up():
    sweep = fa.frames.BoundedSweep.from_bins([0, 0.5, 1], [1, 2], [1, 0])
    for add in (lambda: sweep + sweep, lambda: sum([sweep, sweep])):  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"add ThresholdSweeps \(method='counts'\) or ThresholdSk"):
            add()


def test_nothing_heavy_is_imported_with_the_module():
    code = (
        "import sys, fastarac as fa; fa.frames; dir(fa.frames); fa.frames.threshold_sweep; "
        "print({'narwhals', 'pandas', 'pyarrow', 'duckdb', 'dask', 'pyspark'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
