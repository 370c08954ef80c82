"""Areas of several classes or labels: one area per column or row, and their averages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel, strategy
from fastarac._engine.inputs import LAYOUTS
from fastarac.dropins._arrays import (
    Array,
    bits_of,
    check_lengths,
    check_sum,
    column,
    readable,
    sortable,
    sum_of,
    to_array,
)
from fastarac.dropins._labels import DEFAULT_PAIRS, Codes, Target, positive_labels
from fastarac.dropins._sums import ONE_CLASS, Score

BLOCK = 8  # number of score columns that are copied together, because they share a cache line
ROWS = 1 << 14  # number of score rows that are processed together
CHUNK = 1 << 12  # number of score rows that are copied together


class Metric(NamedTuple):
    """A measure that is computed for single columns or rows of labels and scores."""

    of_items: Callable[[Codes, Array, Array | None], Score]
    of_rows: str | None
    """Name of the kernel for many rows, which returns NaN where undefined; or None."""
    undefined: Score
    """Value and warning that replace a NaN."""
    of_classes: Callable[[Array, int, Array], list[Score]] | None
    """Function for all columns at once, for unweighted items that have one class each; or None."""
    asks_labels: bool
    """Whether the labels of a column or row must be 0 and 1, or -1 and 1."""


class Multilabel:
    """The labels of each item, as columns of a matrix of 0 and 1."""

    def __init__(self, target: Target) -> None:
        self.values = target.values
        self.codes = target.is_label(1)
        self.shape = target.values.shape
        self.target = target

    def columns(self, start: int, stop: int) -> Codes:
        """Return the columns from `start` to `stop`, transposed: shape (stop - start, n)."""
        return np.ascontiguousarray(self.codes[:, start:stop].T)

    def rows(self, start: int, stop: int) -> Codes:
        """Return the rows from `start` to `stop`: shape (stop - start, n_columns)."""
        return self.codes[start:stop]

    def support(self, weight: Array | None) -> Array:
        """Return the sum of each column of the labels, weighted if weights are given."""
        values = self.values if weight is None else self.values * weight[:, np.newaxis]
        return np.asarray(values.sum(axis=0))

    def check_labels(self, axis: int | None) -> None:
        """Raise if the positive label is unknown, but some column or row has both labels."""
        pair, codes = self.target.pair, self.target.codes
        if pair is None or codes is None or pair.tolist() in DEFAULT_PAIRS:
            return
        if np.any(codes.any(axis=axis) & ~codes.all(axis=axis)):
            positive_labels(self.target, None)


class Classes:
    """The class of each item, with the methods of `Multilabel`, but without a stored matrix."""

    def __init__(self, codes: Array, n_classes: int) -> None:
        self.codes = codes
        self.shape = (len(codes), n_classes)

    def columns(self, start: int, stop: int) -> Codes:
        """Return the columns from `start` to `stop`, transposed."""
        return np.asarray(self.codes == np.arange(start, stop)[:, np.newaxis]).view(np.uint8)

    def rows(self, start: int, stop: int) -> Codes:
        """Return the rows from `start` to `stop`."""
        some = self.codes[start:stop, np.newaxis]
        return np.asarray(some == np.arange(self.shape[1])).view(np.uint8)

    def support(self, weight: Array | None) -> Array:
        """Return the number of items of each class, or their weight."""
        return np.bincount(self.codes, weight, self.shape[1])

    def check_labels(self, axis: int | None) -> None:
        """Do nothing, because the labels are 0 and 1."""


Indicator = Multilabel | Classes


def class_codes(values: Array, classes: Array) -> Array:
    """Return the position of each value in the sorted `classes`, which must contain all values."""
    dtype = np.min_scalar_type(len(classes) - 1)
    return np.searchsorted(classes, values).astype(dtype)


def averaged(
    indicator: Indicator,
    scores: Array,
    average: str | None,
    weight: Array | None,
    metric: Metric,
) -> tuple[float | NDArray[np.float64], list[str]]:
    """Compute the metric, averaged as `average` says, and return it with the warnings to issue."""
    average_weight = weight if average == "samples" else None
    if average == "weighted":
        with np.errstate(over="ignore", invalid="ignore"):
            average_weight = indicator.support(weight)
        if np.isclose(sum_of(average_weight), 0):
            return 0, []
    _check_columns(indicator, scores, average)
    scores, _ = sortable(scores)
    if metric.asks_labels:
        indicator.check_labels({"micro": None, "samples": 1}.get(average or "", 0))
    if average == "micro":
        flat = indicator.rows(0, indicator.shape[0]).reshape(-1)
        repeated = None if weight is None else np.repeat(weight, indicator.shape[1])
        value, message = metric.of_items(flat, scores.reshape(-1), repeated)
        return float(value), [] if message is None else [message]
    if average == "samples":
        values, messages = _of_rows(indicator, scores, metric)
    elif weight is None and metric.of_classes is not None and isinstance(indicator, Classes):
        values, messages = _collect(metric.of_classes(indicator.codes, *indicator.shape[1:], scores))
    else:
        values, messages = _of_columns(indicator, scores, weight, metric)
    if average is None:
        return values, messages
    if average_weight is not None:
        check_sum(average_weight)
        values[average_weight == 0] = 0
    return float(np.average(values, weights=average_weight)), messages


def _check_columns(indicator: Indicator, scores: Array, average: str | None) -> None:
    found, expected = scores.shape[1], indicator.shape[1]
    if found != expected and average in {"micro", "samples"}:
        rows = len(scores) if average == "micro" else 1
        lengths = [rows * expected, rows * found]
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    if found > expected:
        raise IndexError(f"index {expected} is out of bounds for axis 1 with size {expected}")
    if found < expected:
        raise ValueError(f"y_score must have {expected} columns, as y_true has, got {found}")


def _collect(scores: Sequence[Score]) -> tuple[NDArray[np.float64], list[str]]:
    messages = dict.fromkeys(message for _, message in scores if message is not None)
    return np.array([value for value, _ in scores], dtype=np.float64), list(messages)


def shares_of(n: int, n_items: int) -> list[tuple[int, int]]:
    """Split `n` columns or rows (`n_items` items in total) into one contiguous share per thread."""
    k = max(1, min(n, strategy.n_threads(n_items)))
    return [(n * i // k, n * (i + 1) // k) for i in range(k)]


def _transposed(block: Array) -> Array:
    """Copy a few columns in chunks of rows, so that the source and the copy fit in the cache."""
    out = np.empty((block.shape[1], len(block)), block.dtype)
    for start in range(0, len(block), CHUNK):
        rows = slice(start, start + CHUNK)
        out[:, rows] = block[rows].T
    return out


def _of_columns(
    indicator: Indicator, scores: Array, weight: Array | None, metric: Metric
) -> tuple[NDArray[np.float64], list[str]]:
    n, n_columns = indicator.shape

    def work(share: tuple[int, int]) -> list[Score]:
        found = []
        for start in range(*share, BLOCK):
            stop = min(start + BLOCK, share[1])
            labels = indicator.columns(start, stop)
            columns = _transposed(scores[:, start:stop])
            found += [metric.of_items(*pair, weight) for pair in zip(labels, columns, strict=True)]
        return found

    parts = parallel.run(work, shares_of(n_columns, n * n_columns))
    return _collect([score for part in parts for score in part])


def _of_rows(
    indicator: Indicator, scores: Array, metric: Metric
) -> tuple[NDArray[np.float64], list[str]]:
    n, n_columns = indicator.shape
    if metric.of_rows is None:
        labels = indicator.rows(0, n)
        return _collect([metric.of_items(labels[i], scores[i], None) for i in range(n)])
    kernel = getattr(_kernels.curve_points, metric.of_rows)
    values = np.empty(n)

    def work(share: tuple[int, int]) -> None:
        for start in range(*share, ROWS):
            stop = min(start + ROWS, share[1])
            labels = readable(indicator.rows(start, stop))
            bits, layout = bits_of(scores[start:stop])
            kernel(bits, labels, layout.kind, layout.exponent, values[start:stop])

    parallel.run(work, shares_of(n, n * n_columns))
    undefined = np.isnan(values)
    if not undefined.any():
        return values, []
    values[undefined], message = metric.undefined
    return values, [] if message is None else [message]


def multiclass_roc_auc(
    target: Target,
    scores: Array,
    labels: Any,
    multi_class: str,
    average: str | None,
    weight: Array | None,
    metric: Metric,
) -> tuple[float | NDArray[np.float64], list[str]]:
    """Return the ROC areas of more than two classes, and the warnings to issue."""
    if multi_class == "raise":
        raise ValueError("multi_class must be in ('ovo', 'ovr')")
    if scores.ndim != 2:
        raise ValueError(wrong_shape(scores))
    if not np.allclose(1, scores.sum(axis=1)):
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to "
            "1.0 over classes"
        )
    options: tuple[str | None, ...] = ("macro", "weighted", None)
    options = ("micro", *options) if multi_class == "ovr" else options
    if average not in options:
        raise ValueError(f"average must be one of {options} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    classes = _classes(target, scores, labels)
    if multi_class == "ovr":
        check_lengths(target.values, scores, weight)
        indicator = Classes(class_codes(target.values, classes), len(classes))
        return averaged(indicator, scores, average, weight, metric)
    if weight is not None:
        raise ValueError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' must be "
            "None in this case."
        )
    check_lengths(target.values, scores)
    codes = class_codes(target.values, classes)
    return one_vs_one(codes, len(classes), scores, weighted=average == "weighted"), []


def wrong_shape(scores: Array) -> str:
    """Return the error message for scores without one column per class."""
    return (
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
        f"classes. Got `y_score.shape={scores.shape}`."
    )


def _classes(target: Target, scores: Array, labels: Any) -> Array:
    if labels is None:
        classes = target.classes()
        if len(classes) != scores.shape[1]:
            raise ValueError(
                "Number of classes in y_true not equal to the number of columns in 'y_score'"
            )
        return classes
    given = column(to_array(labels))
    classes = np.unique(given)
    if len(classes) != len(given):
        raise ValueError("Parameter 'labels' must be unique")
    if not np.array_equal(classes, given):
        raise ValueError("Parameter 'labels' must be ordered")
    if len(classes) != scores.shape[1]:
        raise ValueError(
            f"Number of given labels, {len(classes)}, not equal to the number of columns in 'y_score', "
            f"{scores.shape[1]}"
        )
    if len(np.setdiff1d(target.classes(), classes)):
        raise ValueError("'y_true' contains labels not in parameter 'labels'")
    return classes


def one_vs_one(codes: Array, n_classes: int, scores: Array, *, weighted: bool) -> float:
    """Return the mean ROC area over all pairs of classes that occur.

    The area of a pair is the mean over the score columns of its two classes (Hand and Till 2001). With
    `weighted`, each pair is weighted by its number of items.
    """
    sizes = np.bincount(codes, minlength=n_classes)
    present = np.flatnonzero(sizes)
    sums = rank_sums(codes, sizes, scores, by_class=True)
    sizes = sizes[present]
    doubled = 2 * sizes[:, np.newaxis] * sizes - sums[:, present]
    areas = doubled / (2.0 * sizes[:, np.newaxis] * sizes)
    upper = np.triu_indices(len(present), 1)
    pair_areas = (areas + areas.T)[upper] / 2
    prevalence = (sizes[:, np.newaxis] + sizes)[upper] / len(codes) if weighted else None
    return np.average(pair_areas, weights=prevalence)


def one_vs_rest(codes: Array, n_classes: int, scores: Array) -> list[Score]:
    """Return the ROC area of each class against all others."""
    sizes = np.bincount(codes, minlength=n_classes)
    n = len(codes)
    found: list[Score] = [(float("nan"), ONE_CLASS)] * n_classes
    sums = rank_sums(codes, sizes, scores, by_class=False)[:, 0].tolist()
    for c, total in zip(np.flatnonzero(sizes).tolist(), sums, strict=True):
        size = sizes[c].item()
        if size < n:  # `total` includes the pairs within the class; subtract them below
            pairs = size * (n - size)
            found[c] = (2 * pairs - (total - size * size)) / (2 * pairs), None
    return found


def rank_sums(codes: Array, sizes: Array, scores: Array, *, by_class: bool) -> NDArray[np.int64]:
    """Return rank sums, from which ROC areas follow: a row for each class that occurs.

    Row c compares the scores for class c. An item adds 2 for each item of class c with a lower score,
    and 1 for each with an equal score. With `by_class`, the row has a sum for the items of each class,
    otherwise a single sum.
    """
    kernels = _kernels.curve_points
    n, n_classes = scores.shape
    scores, _ = sortable(scores)
    scores = readable(scores, LAYOUTS[scores.dtype.str[1:]].values)
    present = np.flatnonzero(sizes)
    bounds = np.zeros(len(present) + 1, np.int64)
    np.cumsum(sizes[present], out=bounds[1:])
    is_float = scores.dtype.kind == "f"
    highest = scores.dtype.type(np.inf if is_float else np.iinfo(scores.dtype).max)
    # The scores that items have for their own class, sorted by class; all scores are looked up in them.
    own = scores[np.arange(n), codes][np.argsort(codes, kind="stable")]
    levels = np.empty(n + 2 * len(present), scores.dtype)
    below = np.empty(len(levels), np.int32 if n < 1 << 30 else np.int64)
    sums = np.zeros((len(present), n_classes if by_class else 1), np.int64)
    shares = shares_of(n, n * n_classes)
    n_cells = _kernels.sort.N_CELLS
    for start in range(0, len(present), BLOCK):
        stop = min(start + BLOCK, len(present))
        limits = np.empty((stop - start, 2))
        cells = np.empty((stop - start, n_cells), np.int64)
        size = (stop - start) * (n_cells + 1) + 4 * (bounds[stop] - bounds[start])
        starts = np.empty(size, below.dtype)
        index = (levels, below, limits, cells, starts)
        for c in range(start, stop):
            own[bounds[c] : bounds[c + 1]].sort()
        kernels.index_columns(own, bounds, start, stop, highest, index)
        columns = present[start:stop]

        def look_up(share: tuple[int, int], index: Any = index, columns: Array = columns) -> Array:
            part = np.zeros((len(columns), sums.shape[1]), np.int64)
            kernels.rank_rows(scores, codes, columns, *share, index, part)
            return part

        sums[start:stop] = np.sum(parallel.run(look_up, shares), axis=0)
    return sums
