"""Frames of Spark and Dask, two worker processes each: as arrays, to the last bit, with losses too."""

from __future__ import annotations

import os
import re
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import fastarac as fa
from fastarac.frames.dask import DaskSource
from fastarac.frames.spark import SparkSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AREAS = {
    "arac_auc": fa.arac_auc_score,
    "roc_auc": fa.roc_auc_score,
    "augrc": fa.augrc_loss,
    "arp_auc": fa.arp_auc_score,
    "aurc": fa.aurc_loss,
    "average_precision": fa.average_precision_score,
}
COLUMNS: dict[str, Any] = {"confidence": "score", "correct": "right"}

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(params=["spark", "dask"])
def frame_of(request: pytest.FixtureRequest) -> Callable[[pa.Table], Any]:
    """Makes a frame of several partitions."""
    if request.param == "spark":
        session = request.getfixturevalue("spark")
        return lambda table: session.createDataFrame(table).repartition(5)
    request.getfixturevalue("dask_client")
    import dask.dataframe as dd

    return lambda table: dd.from_pandas(table.to_pandas(), npartitions=5)


def arrays(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    return table["right"].to_numpy(), table["score"].to_numpy()


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().split()[3])


def test_counts(frame_of, items):
    frame = frame_of(items)
    correct, confidence = arrays(items)
    assert fa.frames.threshold_sweep(frame, **COLUMNS) == fa.threshold_sweep(correct, confidence)
    weight = items["w"].to_numpy()
    expected = fa.threshold_sweep(correct, confidence, sample_weight=weight)
    assert fa.frames.threshold_sweep(frame, **COLUMNS, weight="w") == expected
    fields = np.array(items["field"].to_pylist())
    found = fa.frames.threshold_sweep(frame, **COLUMNS, by="field")
    assert list(found) == ["date", "name", "sum"]
    for label, sweep in found.items():
        assert sweep == fa.threshold_sweep(correct[fields == label], confidence[fields == label])


@pytest.mark.parametrize("by", [None, "field"])
def test_areas(frame_of, items, by, monkeypatch):
    """In ranges of some thousand items, with a bin that is split, and a value that no worker needs."""
    for source in (SparkSource, DaskSource):
        monkeypatch.setattr(source, "batch", 3000)
    frame = frame_of(items)
    correct, confidence = arrays(items)
    fields = np.array(items["field"].to_pylist())
    for method in ("exact", "bounds"):
        found = fa.frames.threshold_sweep(frame, **COLUMNS, by=by, method=method)
        for label, sweep in found.items() if by else [(None, found)]:
            mine = fields == label if by else slice(None)
            expected = fa.threshold_sweep(correct[mine], confidence[mine])
            for name, area in AREAS.items():
                low, high = getattr(sweep, name)
                value = area(expected)
                assert low <= value <= high
                assert method == "bounds" or low == high == value
            at = expected.at(sweep.thresholds)
            np.testing.assert_array_equal(sweep.true_accepts_low, at.true_accepts)


@pytest.mark.parametrize(
    ("column", "value", "error", "message"),
    [
        ("score", None, ValueError, "null|not finite"),
        ("score", np.nan, ValueError, "not finite"),
        ("right", 2, ValueError, r"use 0 \(incorrect\) or 1 \(correct\)"),
        ("score", "0.5", TypeError, "type String.*not text"),
    ],
)
def test_bad_items(frame_of, column, value, error, message):
    columns: dict[str, list[Any]] = {"score": [0.5, 0.25, 0.75], "right": [1, 0, 1]}
    columns[column][1] = value
    if isinstance(value, str):
        columns[column] = [value] * 3
    for method in ("auto", "bounds"):
        with pytest.raises(error, match=message):
            fa.frames.threshold_sweep(frame_of(pa.table(columns)), **COLUMNS, method=method)


def test_a_worker_that_dies_once(spark, items, tmp_path: Path, monkeypatch):
    """Its partition is computed again; the sums are the same."""
    monkeypatch.setattr(SparkSource, "batch", 3000)
    mark = tmp_path / "died"

    def die_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if not mark.exists():
                mark.write_text(str(os.getpid()))
                os._exit(1)
            yield batch

    frame = spark.createDataFrame(items.select(["score", "right"])).repartition(4)
    frame = frame.mapInArrow(die_once, frame.schema)
    found = fa.frames.threshold_sweep(frame, **COLUMNS, method="exact")
    assert int(mark.read_text()) != os.getpid()
    sweep = fa.threshold_sweep(*arrays(items))
    assert found.aurc == (fa.aurc_loss(sweep),) * 2
    assert found.roc_auc == (fa.roc_auc_score(sweep),) * 2


def test_an_executor_that_is_lost_after_the_shuffle(spark, items, tmp_path: Path, monkeypatch):
    """Where a whole process goes with what it had shuffled, its partitions are computed again."""
    import fastarac.frames.spark as module

    monkeypatch.setattr(SparkSource, "batch", 3000)
    mark = tmp_path / "lost"
    work = module._work

    def kill_once(plan: Any, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = list(batches)
        if not mark.exists():
            mark.write_text("")
            worker = os.getppid()  # the daemon of Python, whose parent is the executor
            os.kill(parent_of(worker), 9)
        yield from work(plan, iter(rows))

    monkeypatch.setattr(module, "_work", kill_once)
    frame = spark.createDataFrame(items.select(["score", "right"])).repartition(4)
    found = fa.frames.threshold_sweep(frame, **COLUMNS, method="exact")
    assert mark.exists()
    sweep = fa.threshold_sweep(*arrays(items))
    assert found.average_precision == (fa.average_precision_score(sweep),) * 2
    assert found.arac_auc == (fa.arac_auc_score(sweep),) * 2


def test_two_processes_work(spark, dask_client):
    """Neither engine does its work in this process."""

    def processes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        yield pa.RecordBatch.from_pydict({"executor": [parent_of(os.getppid())]})

    # As a barrier: both tasks start at once, each on an executor of its own, also where an executor has
    # work left from another test.
    frame = spark.range(0, 2, 1, 2).mapInArrow(processes, "executor long", barrier=True)
    assert len({row.executor for row in frame.collect()} - {os.getpid()}) == 2
    assert len(set(dask_client.run(os.getpid).values()) - {os.getpid()}) == 2


def test_this_process_stays_small(spark):
    """3 million items of 3 million confidences: only sums and counts in bins come here."""
    frame = spark.range(0, 3_000_000, 1, 6).selectExpr(
        "(hash(id) + 2147483648D) / 4294967296D AS score", "hash(id, 7) % 10 < 7 AS right"
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = fa.frames.threshold_sweep(frame, **COLUMNS, method="exact")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert found.roc_auc.width == 0
    assert found.total == 3_000_000
    assert grown < 100, f"{grown:.0f} MB"


def test_groups_by_two_columns(frame_of, items, monkeypatch):
    """Keys are tuples, on the workers too."""
    for source in (SparkSource, DaskSource):
        monkeypatch.setattr(source, "batch", 3000)
    correct, confidence = arrays(items)
    fields = np.array(items["field"].to_pylist())
    page = np.arange(len(fields)) % 2
    frame = frame_of(items.append_column("page", pa.array(page)))
    for method in ("counts", "exact"):
        found: Any = fa.frames.threshold_sweep(frame, **COLUMNS, by=["field", "page"], method=method)
        assert list(found) == [(name, i) for name in ("date", "name", "sum") for i in (0, 1)]
        for (name, i), sweep in found.items():
            mine = (fields == name) & (page == i)
            expected = fa.threshold_sweep(correct[mine], confidence[mine])
            if method == "counts":
                assert sweep == expected
            else:
                assert sweep.aurc == (fa.aurc_loss(expected),) * 2


def test_recipes_run_as_printed(spark, items, tmp_path: Path):
    page = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text(encoding="utf-8")
    section = page.split("\n## In Spark\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    table = items.rename_columns(["score", "good", "day", "w"])
    spark.createDataFrame(table).repartition(3).write.parquet(str(tmp_path / "outputs"))
    names: dict[str, Any] = {"__name__": "__main__", "spark": spark}
    code = "\n".join(blocks).replace("s3://archive/outputs/", str(tmp_path / "outputs"))
    exec(code, names)  # what the page prints
    expected = fa.threshold_sweep(*arrays(items))
    assert names["total"] == names["streamed"] == names["sweep"] == expected
    assert len(names["sketches"]) == 3
    low, high = sum(names["sketches"]).bounds().roc_auc
    assert low <= fa.roc_auc_score(expected) <= high <= low + 1e-3
    with pytest.raises(TypeError, match=r"frame is a Spark stream.*foreachBatch"):
        fa.frames.threshold_sweep(names["stream"], confidence="score", correct="good")


def test_evaluate(frame_of, items):
    correct, confidence = arrays(items)
    found = fa.frames.evaluate(frame_of(items), **COLUMNS, max_error_rate=0.02)
    assert found == fa.evaluate(correct, confidence, max_error_rate=0.02)


def test_limits_of_exact_evaluations_cost_nothing(frame_of, items):
    """Another pass counts the bin that a limit falls into."""
    correct, confidence = arrays(items)
    limits = {"max_error_rate": [0.1, 0.2], "max_risk": 0.4}
    found: Any = fa.frames.evaluate(frame_of(items), **COLUMNS, method="exact", **limits)
    expected = fa.evaluate(correct, confidence, **limits)
    for limit, at in zip(found.limits, expected.limits, strict=True):
        assert limit.point.acceptance_lost == 0
        assert limit.point.threshold == at.point.threshold


def test_names_are_names(frame_of):
    """Of columns that differ by case, or that an engine would read as a field, a star or a pattern."""
    rng = np.random.default_rng(0)
    names = ["*", "^s$", "s", "S", "a.b", "a", "`", '"', "by", "a b"]
    columns = {name: rng.integers(0, 2, 50).astype(float) for name in names}
    frame = frame_of(pa.table(columns))
    for i, name in enumerate(names):
        roles = {"confidence": name, "correct": names[i - 1], "by": names[i - 2]}
        found = fa.frames.threshold_sweep(frame, **roles)
        for label, sweep in found.items():
            mine = columns[names[i - 2]] == label
            assert sweep == fa.threshold_sweep(columns[names[i - 1]][mine], columns[name][mine])


def test_two_columns_of_one_name(spark):
    frame = spark.createDataFrame([(0.5, 0.25, 1)]).toDF("score", "score", "right")
    with pytest.raises(ValueError, match="frame has several columns named"):
        fa.frames.threshold_sweep(frame, confidence="score", correct="right")
