"""Data frames of Spark: a query counts items in bins, then the workers compute exact sums."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import narwhals as nw

from fastarac.bounds.bins import part_expression
from fastarac.frames.queries import QuerySource
from fastarac.frames.ranges import Cells, Planned, RangeSums, dropped, plan_of, totals_of_rows
from fastarac.frames.sources import Groups, keys_of, numbered, positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


def reject_stream(frame: Any) -> None:
    """Raise if the frame is a stream, which has no end."""
    if frame.isStreaming:
        raise TypeError(
            "frame is a Spark stream, which has no end; use the batches that "
            "writeStream.foreachBatch gives"
        )


class SparkSource(QuerySource):
    """A DataFrame of Spark."""

    batch = 1 << 22

    def approximate_distinct(self) -> int:
        """Return Spark's estimate of the number of distinct confidences."""
        from pyspark.sql import functions

        native: Any = self.frame.to_native()
        return int(native.agg(functions.approx_count_distinct("confidence")).collect()[0][0])

    def sums(self, groups: Groups) -> dict[Any, RangeSums]:
        """Return the exact sums of each group, computed on the workers."""
        x = nw.col("confidence")
        frame = self.frame.with_columns(self.bin_number().alias("bin"))
        keys = [*self.keys, "bin"]
        for level, splits in enumerate(self.splits):
            keys.append(f"part_{level}")
            frame = frame.with_columns(part_expression(splits, x, self.by).alias(keys[-1]))
        conditions = [self._dropped_values(label, cells) for label, cells in groups.items()]
        known = [condition for condition in conditions if condition is not None]
        if known:
            frame = frame.filter(~reduce(or_, known))
        total = sum(int(cells.size.sum()) for cells in groups.values())
        native: Any = frame.to_native()
        chosen = native.repartitionByRange(1 + total // self.batch, *keys).select(
            *self.keys, "confidence", "correct"
        )
        schema = ", ".join(f"{name} string" for name in ("number", *RangeSums._fields))
        work = partial(_work, plan_of(groups, self.batch))
        rows = chosen.mapInArrow(work, schema).toArrow().to_pylist()
        return totals_of_rows(rows, groups, self.batch)

    def _dropped_values(self, label: Any, cells: Cells) -> nw.Expr | None:
        """Return an expression that is true for the group's items in `dropped` bins, or None."""
        values = cells.low[dropped(cells, self.batch)].tolist()
        if not values:
            return None
        condition = nw.col("confidence").is_in(values)
        return condition if self.by is None else condition & self.by(label)


def _work(plan: dict[Any, Planned], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield one row of sums for each group of a partition."""
    import pyarrow as pa

    given = list(batches)
    if not sum(batch.num_rows for batch in given):
        return
    table = pa.Table.from_batches(given)
    del given
    confidence = table["confidence"].to_numpy()
    correct = table["correct"].to_numpy()
    keys = keys_of(table.column_names)
    for label, mine in positions(numbered((table[key] for key in keys), table.num_rows, keys)):
        yield pa.RecordBatch.from_pylist([plan[label].row(confidence[mine], correct[mine])])
