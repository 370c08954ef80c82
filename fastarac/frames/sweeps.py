"""From a frame to sweeps: `threshold_sweep` and `evaluate` over any eager or lazy frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac import evaluation
from fastarac._core.counted import integer_thresholds
from fastarac._core.extras import require
from fastarac._core.inputs import choice, vector
from fastarac._core.text import listed
from fastarac.frames.bounded import BoundedSweep
from fastarac.frames.extremes import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastarac.evaluation import Evaluation
    from fastarac.evaluation_bounds import BoundedEvaluation
    from fastarac.frames.ranges import Cells
    from fastarac.frames.sources import Source
    from fastarac.sweep import ThresholdSweep

    Evaluated = Evaluation | BoundedEvaluation

Method = Literal["auto", "exact", "bounds"]
MOST_DISTINCT = 1 << 20  # confidences that are counted one by one


def threshold_sweep(
    frame: Any,
    *,
    confidence: str,
    correct: str,
    weight: str | None = None,
    by: str | None = None,
    method: Method = "auto",
) -> ThresholdSweep | BoundedSweep | Mapping[Any, ThresholdSweep | BoundedSweep]:
    """Count the accepted items of a frame, in the engine that holds it.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
        Of pandas, polars or pyarrow, a relation of DuckDB, a DataFrame of Spark or Dask, or whatever
        else narwhals reads.
    confidence, correct : str
        Columns: the confidence of each item (real and finite), and whether it is right (bool, or 0
        and 1).
    weight : str, optional
        Column of weights: real, finite, at least 0, with a positive sum.
    by : str, optional
        Column of labels: each group has a sweep of its own.
    method : {"auto", "exact", "bounds"}, default="auto"
        "auto": the items of each confidence are counted where there are at most 2**20 distinct
        confidences, over all groups, and "exact" is the way otherwise. "exact": counts in bins, from
        one pass, and areas summed by the kernels where the items are. "bounds": counts in bins alone,
        from one pass, and bounds of the areas.

    Returns
    -------
    ThresholdSweep
        Where the items of each confidence were counted; to the last bit that of the arrays.
    BoundedSweep
        Otherwise; with "exact" both bounds of every area are the same, to the last bit that of the
        arrays, and the counts at its thresholds are exact either way.
    dict
        Of labels, in rising order, to sweeps, where `by` is given.

    Raises
    ------
    TypeError
        For columns that do not hold booleans, integers or floats, from the schema alone; where `frame`
        is none.
    ValueError
        For nulls, NaN, infinities, labels other than 0 and 1, columns that are not there, an empty
        frame, an engine's frame whose rows change between two passes, and weights with a `method`, or
        with more than 2**20 kinds of items, of one confidence and one weight each, in an engine.
    ModuleNotFoundError
        Without narwhals: ``pip install "fastarac[frames]"``.

    Notes
    -----
    What comes to this process is bounded: at most 2**20 rows of counts, or one row a bin; with "exact"
    DuckDB and polars hand out up to 2**25 items at a time, Spark and Dask one row of sums a partition.
    Bins: 2,048 for each halving of the confidence below 0.5, or of its distance from 1 above; those
    that are too large for a worker are split by another pass. Sums of integers, which add up exactly.

    Examples
    --------
    >>> import fastarac as fa
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"score": [0.9, 0.8, 0.8, 0.3], "right": [1, 1, 0, 1]})
    >>> fa.frames.threshold_sweep(frame, confidence="score", correct="right")
    ThresholdSweep(3 thresholds, 3 correct, 1 incorrect)
    >>> sweep = fa.frames.threshold_sweep(frame, confidence="score", correct="right", method="exact")
    >>> sweep.arac_auc
    Bounds(low=0.875, high=0.875)
    >>> fa.frames.threshold_sweep(frame, confidence="score", correct="ok")
    Traceback (most recent call last):
    ValueError: correct is 'ok', but there is no such column; there are 'score' and 'right'
    """
    choice(method, "method", ("auto", "exact", "bounds"))
    columns = {"confidence": confidence, "correct": correct, "weight": weight, "by": by}
    if weight is not None and method != "auto":
        message = (
            f"weight is given with method={method!r}, whose bins hold numbers of items; "
            "method='auto' is expected, which sums the weights of each confidence"
        )
        raise ValueError(message)
    source = _open(frame, {role: name for role, name in columns.items() if name is not None})
    sweeps: Mapping[Any, ThresholdSweep | BoundedSweep] | None = None
    if method == "auto":
        sweeps = source.sweeps(MOST_DISTINCT)
    if sweeps is None:
        sweeps = _bounded(source, exact=method != "bounds")
    return sweeps if by is not None else sweeps[None]


def evaluate(
    frame: Any,
    *,
    confidence: str,
    correct: str,
    weight: str | None = None,
    by: str | None = None,
    method: Method = "auto",
    **options: Any,
) -> Evaluated | Mapping[Any, Evaluated]:
    """Evaluate the items of a frame, in the engine that holds it.

    Parameters
    ----------
    frame, confidence, correct, weight, by, method
        As :func:`.frames.threshold_sweep`.
    **options
        As :func:`.evaluate` takes them beside a sweep: `max_error_rate`, `max_risk`, `threshold`,
        `costs` and so on.

    Returns
    -------
    Evaluation or BoundedEvaluation
        As :func:`.evaluate` of the sweep; with bounds where the sweep has them.
    dict
        Of labels, in rising order, to evaluations, where `by` is given.

    Raises
    ------
    ValueError, TypeError, ModuleNotFoundError
        As :func:`.frames.threshold_sweep` and :func:`.evaluate`.

    Examples
    --------
    >>> import fastarac as fa
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"score": [0.9, 0.8, 0.8, 0.3], "right": [1, 1, 0, 1]})
    >>> fa.frames.evaluate(frame, confidence="score", correct="right").arac.auc
    0.875
    """
    sweeps: Any = threshold_sweep(
        frame, confidence=confidence, correct=correct, weight=weight, by=by, method=method
    )
    figures: Callable[..., Evaluated] = evaluation.evaluate
    if by is None:
        return figures(sweeps, **options)
    return {label: figures(sweep, **options) for label, sweep in sweeps.items()}


def _open(frame: Any, columns: dict[str, str]) -> Source:
    """Find the columns and check their types, from the schema."""
    require("narwhals", "frames")
    import narwhals as nw

    if nw.dependencies.is_dask_dataframe(frame):
        from fastarac.frames.dask import DaskSource

        _check(nw.from_native(frame._meta).schema, columns)  # noqa: SLF001  # what the schema is known from
        return DaskSource(frame, columns)
    try:
        known = nw.from_native(frame)
    except TypeError as error:
        message = f"frame is of type {type(frame).__name__}; a frame that narwhals reads is expected"
        raise TypeError(message) from error
    if isinstance(known, nw.DataFrame):
        from fastarac.frames.sources import ArraySource

        _check(known.schema, columns, known)
        return ArraySource(known, columns)
    _check(known.collect_schema(), columns)
    if known.implementation in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        from fastarac.frames.spark import SparkSource

        return SparkSource(known, columns)
    from fastarac.frames.queries import QuerySource

    return QuerySource(known, columns)


def _check(schema: Mapping[str, Any], columns: dict[str, str], frame: Any = None) -> None:
    """Raise for columns that are not there or hold no numbers; `frame` has them where it is known."""
    import narwhals as nw

    for role, name in columns.items():
        if not isinstance(name, str):
            message = f"{role} is of type {type(name).__name__}; the name of a column is expected"
            raise TypeError(message)
        if name not in schema:
            there = listed([repr(column) for column in schema]) if schema else "none"
            message = f"{role} is {name!r}, but there is no such column; there are {there}"
            raise ValueError(message)
    for role, name in columns.items():
        kind = schema[name]
        numeric = kind == nw.Boolean or (
            (kind.is_integer() or kind.is_float()) and kind not in (nw.Int128, nw.UInt128)
        )
        if role == "by" or numeric:
            continue
        if frame is not None:
            vector(
                frame.get_column(name).to_native(), role
            )  # raises the error of arrays, with the place
        message = (
            f"{role} (column {name!r}) has type {kind}; booleans, integers or floats up to 64 bits are "
            "expected"
        )
        raise TypeError(message + (", not text" if kind == nw.String else ""))


def _bounded(source: Source, *, exact: bool) -> dict[Any, BoundedSweep]:
    groups = source.bins()
    sweeps = {label: _of_cells(cells) for label, cells in groups.items()}
    if not exact:
        return sweeps
    return {
        label: replace(sweeps[label], known={k: Bounds(v, v) for k, v in sums.areas().items()})
        for label, sums in source.sums(groups).items()
    }


def _of_cells(cells: Cells) -> BoundedSweep:
    values = np.concatenate([cells.low[-1:], cells.low[::-1]])
    if values.dtype.kind in "iu":
        thresholds = integer_thresholds(values)
    else:
        thresholds = values.astype(np.float64)
        thresholds[0] = np.inf
    ta, fa = (np.append(0, np.cumsum(counts[::-1])) for counts in (cells.correct, cells.incorrect))
    return BoundedSweep(thresholds, ta, ta, fa, fa, cells.single_valued[::-1])
