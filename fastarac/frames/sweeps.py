"""`threshold_sweep` and `evaluate` for any eager or lazy data frame."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from fastarac._core.checks import check_intervals, choice, failure_of, inner_fraction
from fastarac._core.extras import require
from fastarac._core.text import listed
from fastarac._engine.counts import integer_thresholds
from fastarac._engine.inputs import vector
from fastarac.bounds.bins import Range
from fastarac.bounds.bounded import BoundedSweep
from fastarac.bounds.extremes import Bounds
from fastarac.bounds.points import open_edges
from fastarac.costs.verification import VerificationCosts, require_costs
from fastarac.evaluation import items
from fastarac.evaluation.costs import check_reviewer_of_costs
from fastarac.evaluation.limits import read_limits
from fastarac.frames.sources import ItemSource, reject_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from fastarac.evaluation.bounds import BoundedEvaluation
    from fastarac.evaluation.limits import Limit, Limits, Options
    from fastarac.evaluation.results import Evaluation
    from fastarac.frames.ranges import Cells
    from fastarac.reviewer import Reviewer
    from fastarac.sweep import ThresholdSweep

    Sweep = ThresholdSweep | BoundedSweep
    Evaluated = Evaluation | BoundedEvaluation

Method = Literal["auto", "counts", "exact", "bounds"]
METHODS = ("auto", "counts", "exact", "bounds")
IN_BINS = ("exact", "bounds")
RANGES = 64  # maximum number of confidence ranges to count in one query
MOST_DISTINCT = 1 << 20  # maximum number of distinct confidences that are counted one by one


# fmt: off
@overload
def threshold_sweep(
    frame: Any, *, confidence: str, correct: str, weight: str | None = None, by: None = None,
    method: Literal["auto", "counts"] = "auto",
) -> ThresholdSweep: ...
@overload
def threshold_sweep(
    frame: Any, *, confidence: str, correct: str, weight: str | None = None, by: str | Sequence[str],
    method: Literal["auto", "counts"] = "auto",
) -> dict[Any, ThresholdSweep]: ...
@overload
def threshold_sweep(
    frame: Any, *, confidence: str, correct: str, by: None = None,
    method: Literal["exact", "bounds"],
) -> BoundedSweep: ...
@overload
def threshold_sweep(
    frame: Any, *, confidence: str, correct: str, by: str | Sequence[str],
    method: Literal["exact", "bounds"],
) -> dict[Any, BoundedSweep]: ...
# fmt: on
def threshold_sweep(
    frame: Any,
    *,
    confidence: str,
    correct: str,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    method: Method = "auto",
) -> Sweep | Mapping[Any, Sweep]:
    """Count the accepted items of a data frame inside the engine that holds it.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
        A frame of pandas, polars or pyarrow, a relation of DuckDB, a DataFrame of Spark or Dask, or any
        other frame that narwhals reads.
    confidence, correct : str
        The columns that hold the confidence of each item (real and finite), and whether the item is
        right (bool, or 0 and 1).
    weight : str, optional
        The column of weights, which must be real, finite and at least 0, with a positive sum.
    by : str or sequence of str, optional
        The column of labels; each group gets its own sweep. For a list of columns, the groups are the
        combinations of labels that occur, and their keys are tuples.
    method : {"auto", "counts", "exact", "bounds"}, default="auto"
        "auto" and "counts" count the items at each confidence; "auto" raises an error if all groups
        together have more than 2**20 distinct confidences. "exact" first counts items in bins in one
        pass; then the workers that hold the items compute exact areas. "bounds" only counts items in
        bins, in one pass, and gives bounds of the areas.

    Returns
    -------
    ThresholdSweep
        With "auto" and "counts". The sweep is identical, bit for bit, to one made from arrays.
    BoundedSweep
        With "exact" and "bounds". Its counts at its thresholds are exact. With "exact", the two bounds
        of every area are equal, and they are identical, bit for bit, to the area computed from arrays.
    dict
        If `by` is given: a sweep for each label, with labels in increasing order.

    Raises
    ------
    TypeError
        If `frame` is not a data frame or, according to its schema, a column does not hold booleans,
        integers or floats.
    ValueError
        If a column is missing, its name occurs twice, or it holds nulls, NaN, infinities, or labels
        other than 0 and 1. If the frame is empty, or its rows change between two passes of an engine.
        If weights are given with "exact" or "bounds". With "auto", also if there are more than 2**20
        distinct confidences or, if an engine's items have weights, distinct pairs of confidence and
        weight.
    ModuleNotFoundError
        If narwhals is missing; the extra ``frames`` installs it.

    See Also
    --------
    fastarac.threshold_sweep : count correct and incorrect accepted items at every threshold
    evaluate : compute all metrics of a data frame inside its engine
    sql : write a query that counts items at each confidence

    Notes
    -----
    The amount of data sent to this process is bounded: at most 2**20 rows of counts, or one row per
    bin. With "exact", DuckDB and polars also send up to 2**25 items at a time, and Spark and Dask send
    one row of sums per partition. Only "counts" is unbounded: it sends one row of about 24 bytes per
    confidence.

    Below 0.5, there are 2,048 bins per factor of two of the confidence. Above 0.5, there are 2,048 bins
    per factor of two of its distance from 1. Another pass splits bins that are too large for a worker.

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
    sweeps = _sweeps(_source(frame, confidence, correct, weight, by, method), method)
    return sweeps if by is not None else sweeps[None]


# fmt: off
@overload
def evaluate(
    frame: Any, *, confidence: str, correct: str, weight: str | None = None, by: None = None,
    method: Literal["auto", "counts"] = "auto", **options: Unpack[Options],
) -> Evaluation: ...
@overload
def evaluate(
    frame: Any, *, confidence: str, correct: str, weight: str | None = None, by: str | Sequence[str],
    method: Literal["auto", "counts"] = "auto", **options: Unpack[Options],
) -> dict[Any, Evaluation]: ...
@overload
def evaluate(
    frame: Any, *, confidence: str, correct: str, by: None = None,
    method: Literal["exact", "bounds"], **options: Unpack[Limits],
) -> BoundedEvaluation: ...
@overload
def evaluate(
    frame: Any, *, confidence: str, correct: str, by: str | Sequence[str],
    method: Literal["exact", "bounds"],
    **options: Unpack[Limits],
) -> dict[Any, BoundedEvaluation]: ...
# fmt: on
def evaluate(
    frame: Any,
    *,
    confidence: str,
    correct: str,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    method: Method = "auto",
    max_error_rate: ArrayLike = (0.01, 0.05),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    intervals: bool = False,
    confidence_level: float = 0.95,
    failure_probability: float | None = None,
) -> Evaluated | Mapping[Any, Evaluated]:
    """Compute all metrics of a data frame inside the engine that holds it.

    Parameters
    ----------
    frame, confidence, correct, weight, by, method
        As in :func:`.frames.threshold_sweep`.
    max_error_rate, max_risk, threshold, costs
        As in :func:`.evaluate`. With "exact", another pass counts the items at each confidence of the
        bin that contains a limit, if the bin has at most 2**20 distinct confidences. With `by`, each
        group gets its own threshold, which keeps the limit on the items of this group;
        :func:`.evaluate_groups` uses a common threshold instead.
    reviewer, intervals, confidence_level, failure_probability
        As in :func:`.evaluate`. All except `confidence_level` need "auto" or "counts", because counts
        in bins are not enough to compute them.

    Returns
    -------
    Evaluation
        With "auto" and "counts". The result is the same as :func:`.evaluate` of the sweep.
    BoundedEvaluation
        With "exact" and "bounds".
    dict
        If `by` is given: an evaluation for each label, with labels in increasing order.

    Raises
    ------
    ValueError, TypeError, ModuleNotFoundError
        The errors of :func:`.frames.threshold_sweep`, and those of :func:`.evaluate`, which are raised
        before the engine starts.

    See Also
    --------
    threshold_sweep : count the accepted items of a data frame inside its engine
    fastarac.evaluate_groups : evaluate every group of items separately, in one pass
    sql : write a query that counts items at each confidence

    Examples
    --------
    >>> import fastarac as fa
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"score": [0.9, 0.8, 0.8, 0.3], "right": [1, 1, 0, 1]})
    >>> fa.frames.evaluate(frame, confidence="score", correct="right").arac.auc
    0.875
    """
    choice(method, "method", METHODS)
    check_intervals(intervals, confidence_level)
    needing = {
        "reviewer": reviewer,
        "intervals": intervals,
        "failure_probability": failure_probability,
    }
    for name, value in needing.items():
        if value is not None and value is not False and method in IN_BINS:
            raise TypeError(
                f"{name} needs counts at each confidence (method='auto' or 'counts'), but method="
                f"{method!r} counts items in bins"
            )
    limits = read_limits(max_error_rate, max_risk, threshold)
    inner_fraction(confidence_level, "confidence_level")
    if costs is not None:
        require_costs(costs)
    check_reviewer_of_costs(costs, reviewer)
    if failure_probability is not None:
        failure_of(failure_probability)
    source = _source(frame, confidence, correct, weight, by, method)
    sweeps = _sweeps(source, method)
    if method == "exact":
        sweeps = _sharpened(source, sweeps, limits)
    options: dict[str, Any] = {
        "max_error_rate": max_error_rate,
        "max_risk": max_risk,
        "threshold": threshold,
        "costs": costs,
    }
    if method not in IN_BINS:
        options |= {**needing, "confidence_level": confidence_level}
    figures: Callable[..., Evaluated] = items.evaluate
    if by is None:
        return figures(sweeps[None], **options)
    return {label: figures(sweep, **options) for label, sweep in sweeps.items()}


def _source(
    frame: Any,
    confidence: str,
    correct: str,
    weight: str | None,
    by: str | Sequence[str] | None,
    method: Method,
) -> ItemSource:
    """Check the arguments, then return the opened frame."""
    choice(method, "method", METHODS)
    if weight is not None and method in IN_BINS:
        raise ValueError(
            f"weight needs method='auto' or 'counts', but method={method!r} counts items in bins, "
            "without weights"
        )
    columns: dict[str, str | None] = {"confidence": confidence, "correct": correct, "weight": weight}
    if by is None or isinstance(by, str):
        columns["by"] = by
    elif isinstance(by, list | tuple):
        if not by:
            raise ValueError("by must name at least one column")
        columns |= {f"by_{i}": name for i, name in enumerate(by)}
    else:
        raise TypeError(f"by must be a column's name, or a list of names, got type {type(by).__name__}")
    return _open(frame, {role: name for role, name in columns.items() if name is not None})


def _open(frame: Any, columns: dict[str, str]) -> ItemSource:
    """Check the columns and their types in the frame's schema, then return the opened frame."""
    require("narwhals", "frames")
    import narwhals as nw

    frame = nw.to_native(frame, pass_through=True)
    _reject_repeated(_names(frame))
    if nw.dependencies.is_dask_dataframe(frame):
        from fastarac.frames.dask import DaskSource

        _check(nw.from_native(frame._meta).schema, columns)  # noqa: SLF001  # it has the schema
        return DaskSource(frame, columns)
    try:
        known = nw.from_native(frame)
    except TypeError as error:
        message = (
            "frame must be a data frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask, got "
            f"type {type(frame).__name__}"
        )
        if isinstance(frame, str | os.PathLike):
            message += " (fastarac.io.read_outputs reads files)"
        raise TypeError(message) from error
    if isinstance(known, nw.DataFrame):
        from fastarac.frames.sources import ArraySource

        _check(known.schema, columns, known)
        return ArraySource(known, columns)
    _check(known.collect_schema(), columns)
    if known.implementation in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        from fastarac.frames.spark import SparkSource, reject_stream

        reject_stream(frame)
        return SparkSource(known, columns)
    from fastarac.frames.queries import QuerySource

    return QuerySource(known, columns)


def _reject_repeated(names: Iterable[Any]) -> None:
    repeated = [repr(name) for name, n in Counter(names).items() if n > 1]
    if repeated:
        raise ValueError(
            f"frame has several columns named {listed(repeated)}; rename them, or select the "
            "columns to read"
        )


def _names(native: Any) -> Iterable[Any]:
    """Return all column names with repetitions, or () for polars, where names are unique."""
    if hasattr(type(native), "collect_schema"):
        return ()
    # In pyarrow, `column_names` holds the names and `columns` holds the data.
    attribute = "column_names" if hasattr(type(native), "column_names") else "columns"
    names: Iterable[Any] = getattr(native, attribute, ())
    return names


def _check(schema: Mapping[str, Any], columns: dict[str, str], frame: Any = None) -> None:
    """Raise if a column is missing or not numeric; `frame` holds the values, if they are in memory."""
    import narwhals as nw

    for role, name in columns.items():
        shown = "by" if role.startswith("by") else role
        if not isinstance(name, str):
            raise TypeError(f"{shown} must be the name of a column, got type {type(name).__name__}")
        if name not in schema:
            there = listed([repr(column) for column in schema]) if schema else "none"
            raise ValueError(f"{shown} is {name!r}, but there is no such column; there are {there}")
    for role, name in columns.items():
        kind = schema[name]
        numeric = kind == nw.Boolean or (
            (kind.is_integer() or kind.is_float()) and kind not in (nw.Int128, nw.UInt128)
        )
        if role.startswith("by"):
            _check_label(name, kind)
            continue
        if numeric:
            continue
        if frame is not None:
            # If a value is bad, this raises an error that names its position.
            vector(frame.get_column(name).to_native(), role)
        message = (
            f"{role} (column {name!r}) must hold booleans, integers or floats up to 64 bits, got "
            f"type {kind}"
        )
        more = ", not text" if kind == nw.String else ""
        raise TypeError(message + (more if kind != nw.Decimal else "; cast it to double"))


def _check_label(name: str, kind: Any) -> None:
    if kind.is_nested():
        raise TypeError(
            f"by (column {name!r}) must hold labels, got type {kind}; for combinations, give a "
            "list of column names"
        )


def _sweeps(source: ItemSource, method: Method) -> Mapping[Any, Sweep]:
    if method in IN_BINS:
        return _bounded(source, exact=method == "exact")
    sweeps = source.sweeps(MOST_DISTINCT if method == "auto" else None)
    if sweeps is None:
        where = " over all groups" if source.grouped else ""
        raise ValueError(
            f"confidence (column {source.columns['confidence']!r}) has more than {MOST_DISTINCT:,} "
            f"distinct values{where}; choose method='counts' (counts at each value), 'exact' (exact "
            "areas, computed inside the engine) or 'bounds' (only counts in bins)"
        )
    return sweeps


def _bounded(source: ItemSource, *, exact: bool) -> dict[Any, BoundedSweep]:
    groups = source.bins()
    sweeps = {label: _of_cells(cells) for label, cells in groups.items()}
    if not exact:
        return sweeps
    return {
        label: replace(sweeps[label], known={k: Bounds(v, v) for k, v in sums.areas().items()})
        for label, sums in source.sums(groups).items()
    }


def _sharpened(
    source: ItemSource, sweeps: Mapping[Any, Sweep], limits: Sequence[Limit]
) -> Mapping[Any, Sweep]:
    """Return sweeps in which the bins around a limit are replaced by counts at each confidence.

    Bins with too many distinct confidences stay as they are.
    """
    found = {label: sweep for label, sweep in sweeps.items() if isinstance(sweep, BoundedSweep)}
    for limit in limits:
        if limit.criterion == "threshold":
            continue
        every = []
        for label, sweep in found.items():
            first, last = open_edges(sweep, limit.criterion, limit.value)
            if not sweep.single_valued[first:last].all():
                every.append((label, first, last))
        for i in range(0, len(every), RANGES):
            chosen = every[i : i + RANGES]
            ranges = [
                Range(label, *(found[label].thresholds[[last, first]].tolist()))
                for label, first, last in chosen
            ]
            parts = source.within(ranges).sweeps(MOST_DISTINCT)
            if parts is not None:
                for label, first, last in chosen:
                    found[label] = _with_counts(found[label], first, last, parts.get(label))
    return {**sweeps, **found}


def _with_counts(
    sweep: BoundedSweep, first: int, last: int, part: ThresholdSweep | None
) -> BoundedSweep:
    """Return the sweep with its bins from `first` to `last` replaced by the counts of `part`."""
    ta, fa = sweep.true_accepts_low, sweep.false_accepts_low
    if part is None or (part.n_correct, part.n_incorrect) != (
        ta[last] - ta[first],
        fa[last] - fa[first],
    ):
        reject_changed()
    new = (
        part.thresholds[1:],
        part.true_accepts[1:] + ta[first],
        part.false_accepts[1:] + fa[first],
    )
    thresholds, ta, fa = (
        np.concatenate([old[: first + 1], inside, old[last + 1 :]])
        for old, inside in zip((sweep.thresholds, ta, fa), new, strict=True)
    )
    single = sweep.single_valued
    single = np.concatenate([single[:first], np.ones(len(new[0]), np.bool_), single[last:]])
    return BoundedSweep(thresholds, ta, ta, fa, fa, single, sweep.known)


def _of_cells(cells: Cells) -> BoundedSweep:
    values = np.concatenate([cells.low[-1:], cells.low[::-1]])
    if values.dtype.kind in "iu":
        thresholds = integer_thresholds(values)
    else:
        thresholds = values.astype(np.float64)
        thresholds[0] = np.inf
    ta, fa = (np.append(0, np.cumsum(counts[::-1])) for counts in (cells.correct, cells.incorrect))
    return BoundedSweep(thresholds, ta, ta, fa, fa, cells.single_valued[::-1])
