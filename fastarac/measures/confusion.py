"""The measures of confusion tables: a single table, many tables, or every threshold of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import choice, reject_all_beside_sweep, reject_where, whole_number
from fastarac._core.export import html_of_columns
from fastarac._core.results import Table, TupleResult
from fastarac.measures._named import Measures
from fastarac.measures._tables import GOALS, ConfusionTables
from fastarac.sweep import CornerSweep, ThresholdSweep

FloatArray = NDArray[np.float64]

LARGEST_COUNT = (1 << 63) - 1
NAMES = ("tp", "fp", "fn", "tn")
SHOWN = ("accuracy", "sensitivity", "specificity", "precision", "f1", "matthews_correlation")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionMeasures(Measures):
    """All measures of confusion tables; each is computed when it is read.

    Made by :func:`.confusion_measures`.

    Attributes
    ----------
    tp, fp, fn, tn : ndarray
        The given cells as read-only int64 or float64 arrays, all in the shape of the results.

    See Also
    --------
    fastarac.measures.confusion_measures : measures of confusion tables
    AveragedMeasures : mean of each measure over the classes

    Examples
    --------
    >>> import fastarac as fa
    >>> found = fa.measures.confusion_measures(tp=8, fp=2, fn=1, tn=9)
    >>> found.precision, round(found.recall, 3)
    (0.8, 0.889)
    """

    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    tn: NDArray[Any]

    def __repr__(self) -> str:
        shape = self.tp.shape
        if not shape:
            cells = ", ".join(f"{name}={getattr(self, name):.12g}" for name in NAMES)
            return f"ConfusionMeasures({cells})"
        return f"ConfusionMeasures({' x '.join(map(str, shape))} tables)"

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the four cells and the measures as columns, with a row per confusion table."""
        columns = {name: getattr(self, name) for name in NAMES} | self.compute()
        return {name: np.ravel(values) for name, values in columns.items()}

    def _compute(self, names: Sequence[str], beta: float = 1.0) -> list[Any]:
        tables = ConfusionTables.of_cells([getattr(self, name) for name in NAMES])
        rows = tables.evaluate(names, beta).reshape(len(names), *self.tp.shape)
        return list(rows) if rows.ndim > 1 else rows.tolist()


class _BestThreshold(NamedTuple):
    value: float
    """The best value: the smallest one for error measures and LR₋, otherwise the largest one."""
    threshold: Any
    """The threshold with this value; if there are several, the lowest."""
    position: int
    """The position in the arrays of the sweep."""


class BestThreshold(TupleResult, _BestThreshold):
    """The best value of a measure at the thresholds of a sweep.

    See Also
    --------
    SweepMeasures : all measures at all thresholds of a sweep, each computed when it is read
    fastarac.measures.confusion_measures : measures of confusion tables
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SweepMeasures(Measures):
    """All measures at all thresholds of a sweep; each is computed when it is read.

    :func:`.confusion_measures` of a :class:`.ThresholdSweep` returns it: accepted items are predicted
    positive, correct items are actually positive. A measure is an array of shape (m + 1,), aligned with
    ``sweep.thresholds``.

    Attributes
    ----------
    sweep : ThresholdSweep or CornerSweep
        The counts at every threshold.

    See Also
    --------
    fastarac.measures.confusion_measures : measures of confusion tables
    BestThreshold : the best value of a measure along a sweep
    """

    sweep: ThresholdSweep | CornerSweep

    def __repr__(self) -> str:
        return f"SweepMeasures({len(self.sweep.thresholds) - 1} thresholds)"

    @overload
    def best(self, measure: str) -> BestThreshold: ...
    @overload
    def best(self, measure: list[str] | tuple[str, ...] | None = None) -> dict[str, BestThreshold]: ...
    def best(
        self, measure: str | list[str] | tuple[str, ...] | None = None
    ) -> BestThreshold | dict[str, BestThreshold]:
        """Find the threshold with the best value of a measure, or of several measures in one pass.

        Parameters
        ----------
        measure : str or list of str, optional
            Names of measures; by default all except the prevalence, which does not depend on the
            threshold.

        Returns
        -------
        BestThreshold or dict of str to BestThreshold
            The best value with its threshold. The best value is the smallest one for error_rate,
            false_positive_rate, false_negative_rate, false_discovery_rate, false_omission_rate,
            negative_likelihood_ratio and balanced_error_rate, and the largest one for all other
            measures. If several thresholds reach it, the result is the lowest of them, which accepts
            the largest number of items. NaN values are ignored; if all values are NaN, the best value
            and the threshold are NaN, and the position is -1.

        Raises
        ------
        ValueError
            If a name is unknown, or is the prevalence.

        Examples
        --------
        >>> import fastarac as fa
        >>> sweep = fa.threshold_sweep([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
        >>> measures = fa.measures.confusion_measures(sweep)
        >>> best = measures.best("f1")
        >>> round(best.value, 4), best.threshold
        (0.8571, 0.6)
        >>> measures.best(["youden_index", "kappa"])["kappa"].threshold
        0.8
        """
        if measure is None:
            names: Sequence[str] = GOALS
        else:
            names = [measure] if isinstance(measure, str) else list(measure)
            for name in names:
                choice(name, "measure", GOALS)
        best = ConfusionTables.of_sweep(self.sweep).best(names)
        found = {name: self._at(*best[name]) for name in names}
        return found[names[0]] if isinstance(measure, str) else found

    def blocks(
        self, measures: Sequence[str] | None = None, *, size: int = 1 << 17
    ) -> Iterator[tuple[slice, dict[str, FloatArray]]]:
        """Yield the measures at all thresholds in blocks of thresholds.

        For ten million thresholds, the result of :meth:`.compute` takes 2 GB, but blocks of the default
        size take only 28 MB.

        Parameters
        ----------
        measures : sequence of str, optional
            Names of measures; by default all.
        size : int, default 131072
            Number of thresholds in a block, at least 1; the last block may be smaller.

        Returns
        -------
        iterator of (slice, dict of str to ndarray)
            The block's slice of the sweep's arrays, and the measures of the block by name.

        Raises
        ------
        ValueError, TypeError
            If a name is not in `names`, or if `size` is not an integer of at least 1.

        Examples
        --------
        >>> import fastarac as fa
        >>> sweep = fa.threshold_sweep([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
        >>> measures = fa.measures.confusion_measures(sweep)
        >>> for where, found in measures.blocks(["f1", "accuracy"], size=4):
        ...     print(sweep.thresholds[where], found["f1"].round(3), found["accuracy"])
        [inf 0.9 0.8 0.7] [0.    0.5   0.8   0.667] [0.4 0.6 0.8 0.6]
        [0.6 0.2] [0.857 0.75 ] [0.8 0.6]
        """
        names = self._chosen(measures)
        step = whole_number(size, "size", 1)
        tables = ConfusionTables.of_sweep(self.sweep)
        n = len(self.sweep.thresholds)
        places = (slice(first, min(first + step, n)) for first in range(0, n, step))
        return (
            (place, dict(zip(names, tables.part(place.start, place.stop).evaluate(names), strict=True)))
            for place in places
        )

    def _at(self, value: float, index: int) -> BestThreshold:
        if index < 0:
            return BestThreshold(np.nan, np.nan, -1)
        threshold = self.sweep.thresholds[index]
        return BestThreshold(
            value + 0.0, threshold.item() if hasattr(threshold, "item") else threshold, index
        )

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with one row for each threshold."""
        return {"thresholds": self.sweep.thresholds, **self.compute()}

    def _repr_html_(self) -> str:
        return html_of_columns({"thresholds": self.sweep.thresholds, **self.compute(SHOWN)})

    def _compute(self, names: Sequence[str], beta: float = 1.0) -> list[Any]:
        return list(ConfusionTables.of_sweep(self.sweep).evaluate(names, beta))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AveragedMeasures(Measures):
    """The mean of each measure over the classes, made by :class:`.ClassCounts`.

    Attributes
    ----------
    measures : ConfusionMeasures
        The measures of the classes, along the last axis.
    weight : ndarray or None
        The weight of each class; None for equal weights.

    See Also
    --------
    fastarac.measures.confusion_measures : measures of confusion tables
    ConfusionMeasures : all measures of confusion tables, each computed when it is read
    """

    measures: ConfusionMeasures
    weight: NDArray[Any] | None = None

    def __repr__(self) -> str:
        kind = "macro" if self.weight is None else "weighted"
        return f"AveragedMeasures({kind}, {self.measures.tp.shape[-1]} classes)"

    def _compute(self, names: Sequence[str], beta: float = 1.0) -> list[Any]:
        return [self._mean(v) for v in self.measures._compute(names, beta)]  # noqa: SLF001

    def _mean(self, values: FloatArray) -> Any:
        with np.errstate(all="ignore"):
            if self.weight is None:
                mean = np.mean(values, axis=-1)
            else:
                weight = self.weight / self.weight.sum(axis=-1, keepdims=True)
                mean = np.where(weight == 0, 0.0, values * weight).sum(axis=-1)
        return mean if mean.ndim else float(mean)


@overload
def confusion_measures(tp: ThresholdSweep | CornerSweep) -> SweepMeasures: ...
@overload
def confusion_measures(
    tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike
) -> ConfusionMeasures: ...
def confusion_measures(
    tp: ArrayLike | ThresholdSweep | CornerSweep,
    fp: ArrayLike | None = None,
    fn: ArrayLike | None = None,
    tn: ArrayLike | None = None,
) -> ConfusionMeasures | SweepMeasures:
    r"""Measures of confusion tables: accuracy, F₁, Matthews correlation and two dozen others.

    Parameters
    ----------
    tp : array_like or ThresholdSweep
        True positives (predicted positive and actually positive), as counts or weights of at least 0.
        Or a sweep instead of all four arguments: then accepted items are predicted positive, and
        correct items are actually positive.
    fp, fn, tn : array_like
        False positives (predicted positive, but actually negative), false negatives and true negatives.
        The shapes of all four arrays must broadcast.

    Returns
    -------
    ConfusionMeasures or SweepMeasures
        An object with each measure as an attribute: a float for a single table, and otherwise an array
        in the common shape. The attributes and their formulas are listed at
        :class:`~fastarac.results.ConfusionMeasures`; there, Ω is the sum of all four cells.
        ``compute()`` returns all measures, ``.f_beta(b)`` the F-measures, and ``print`` shows the
        measures of a single table. For a sweep, :meth:`~fastarac.results.SweepMeasures.best` finds the
        best thresholds.

    Raises
    ------
    ValueError, TypeError
        If a count is missing, is not a real number, or is negative, NaN or infinite. Also if the sum of
        a table is too large for int64, or if the shapes do not broadcast.

    See Also
    --------
    class_counts : split a confusion matrix into one table per class
    fastarac.cohen_kappa_score : Cohen's kappa for any number of classes
    fastarac.results.ConfusionMeasures : all measures of confusion tables, each computed when it is read

    Notes
    -----
    0/0 is NaN and x/0 is infinite, without a warning. In particular, the Matthews correlation of a
    table with an empty row or column is NaN.

    Names and formulas are from Tharwat (2020), sections 2.2 to 2.8. Kappa is from Cohen (1960), and
    generality and fallout are from lecture slides. The determinant TP·TN − FP·FN in many measures is
    computed exactly and rounded once. Integers are exact up to 2⁶³. Weights may have any scale if the
    largest is less than 10¹⁵⁰ times the smallest. The optimized precision is a difference, with an
    absolute error of about 10⁻¹⁵.

    References
    ----------
    Tharwat 2020, "Classification assessment methods", sections 2.2 to 2.8; Cohen 1960, "A coefficient
    of agreement for nominal scales".

    Examples
    --------
    Tharwat's example in section 2.9.1:

    >>> import fastarac as fa
    >>> measures = fa.measures.confusion_measures(tp=70, fp=20, fn=30, tn=80)
    >>> measures.accuracy, measures.sensitivity, measures.specificity
    (0.75, 0.7, 0.8)
    >>> round(measures.matthews_correlation, 4), round(measures.f_beta(2), 4)
    (0.5025, 0.7143)
    >>> fa.measures.confusion_measures([70, 0], 20, [30, 100], 80).f1.round(4)
    array([0.7368, 0.    ])

    At all thresholds of a sweep:

    >>> sweep = fa.threshold_sweep([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
    >>> fa.measures.confusion_measures(sweep).f1.round(3)
    array([0.   , 0.5  , 0.8  , 0.667, 0.857, 0.75 ])
    """
    given: dict[str, Any] = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    if isinstance(tp, ThresholdSweep | CornerSweep):
        reject_all_beside_sweep(**{name: given[name] for name in NAMES[1:]})
        return SweepMeasures(cast("ThresholdSweep | CornerSweep", tp.possible))
    for name in NAMES:
        if given[name] is None:
            raise TypeError(f"{name} is missing: give tp, fp, fn and tn, or a ThresholdSweep")
    cells = [read_table(given[name], name, copy=True) for name in NAMES]
    dtype = np.int64 if all(cell.dtype.kind == "i" for cell in cells) else np.float64
    try:
        shape = np.broadcast_shapes(*(cell.shape for cell in cells))
    except ValueError as error:
        shapes = ", ".join(str(cell.shape) for cell in cells)
        raise ValueError(f"tp, fp, fn and tn must have shapes that broadcast, got {shapes}") from error
    cells = [np.broadcast_to(cell.astype(dtype, copy=False), shape) for cell in cells]
    with np.errstate(over="ignore"):
        total = np.asarray(sum(cell.astype(np.float64) for cell in cells))
    if dtype is np.int64:
        if (total >= 2.0**62).any() and np.any(
            sum(cell.astype(object) for cell in cells) > LARGEST_COUNT
        ):
            raise ValueError("tp, fp, fn and tn must sum to at most 2**63 - 1")
    elif np.isinf(total).any():
        raise ValueError("tp, fp, fn and tn must have a finite sum, got inf")
    return ConfusionMeasures(*cells)


def read_table(values: ArrayLike, name: str, *, copy: bool = False) -> NDArray[Any]:
    """Return counts of at least 0 as int64, or weights as float64, in any shape."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} must hold integers or floats up to 64 bits, got type {array.dtype}")
    bad = np.asarray(~((array >= 0) & np.isfinite(array)))
    reject_where(bad, array, name, "a finite number of at least 0")
    if array.dtype.kind == "f":
        return array.astype(np.float64, copy=copy)
    if array.dtype.kind == "u" and array.size and array.max() > LARGEST_COUNT:
        raise ValueError(f"{name} must hold at most 2**63 - 1, got {array.max()}")
    return array.astype(np.int64, copy=copy)


class _ClassCounts(NamedTuple):
    tp: NDArray[Any]
    """Items of the class predicted as this class, of shape (..., K)."""
    fp: NDArray[Any]
    """Items of other classes predicted as this class."""
    fn: NDArray[Any]
    """Items of the class predicted as another class."""
    tn: NDArray[Any]
    """Items of other classes predicted as any other class."""


class ClassCounts(Table, TupleResult, _ClassCounts):
    """The confusion table of each class against all other classes, as returned by `class_counts`.

    See Also
    --------
    fastarac.measures.class_counts : split a confusion matrix into one table per class
    ConfusionMeasures : all measures of confusion tables, each computed when it is read
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with one row for each class."""
        return {name: np.ravel(values) for name, values in self._asdict().items()}

    def measures(self) -> ConfusionMeasures:
        """Return the measures of each class."""
        return confusion_measures(*self)

    def macro(self) -> AveragedMeasures:
        """Return the means of the measures over the classes, which all have the same weight.

        The macro F₁ is therefore the mean of the classes' F₁, not the F₁ of the mean precision and the
        mean recall. The mean of a measure is NaN if the measure is NaN for any class.
        """
        return AveragedMeasures(self.measures())

    def micro(self) -> ConfusionMeasures:
        """Return the measures of the sum of the classes' tables."""
        tp, fp, fn, tn = (cell.sum(axis=-1) for cell in self)
        return confusion_measures(tp, fp, fn, tn)

    def weighted(self) -> AveragedMeasures:
        """Return the means over the classes, weighted by their numbers of items.

        Classes without items do not count.
        """
        return AveragedMeasures(self.measures(), self.tp + self.fn)


def class_counts(prediction_counts: ArrayLike) -> ClassCounts:
    """Split a confusion matrix of K classes into K tables of one class against the others.

    Parameters
    ----------
    prediction_counts : array_like of shape (..., K, K)
        Entry (i, j), at least 0, is the number of items of class j that are predicted as class i. This
        is the transpose of scikit-learn's matrix. Leading axes index separate matrices.

    Returns
    -------
    ClassCounts
        The cells tp, fp, fn and tn, each of shape (..., K). ``measures()`` returns the measures of each
        class; ``macro()``, ``micro()`` and ``weighted()`` return their averages. For each class, FN is
        the rest of its column and FP the rest of its row (Tharwat 2020, section 2 and figure 2).

    Raises
    ------
    ValueError, TypeError
        If the matrix is not square, or if a count is not a real number, or is negative, NaN or
        infinite.

    See Also
    --------
    confusion_measures : measures of confusion tables
    fastarac.results.ClassCounts : confusion table of each class against all others

    References
    ----------
    Tharwat 2020, "Classification assessment methods".

    Examples
    --------
    Tharwat's example in section 2.9.2:

    >>> import fastarac as fa
    >>> counts = fa.measures.class_counts([[80, 15, 0], [15, 70, 10], [5, 15, 90]])
    >>> counts.measures().sensitivity, counts.measures().specificity
    (array([0.8, 0.7, 0.9]), array([0.925, 0.875, 0.9  ]))
    >>> round(counts.macro().f1, 4), counts.micro().f1
    (0.7985, 0.8)
    """
    table = read_table(prediction_counts, "prediction_counts")
    if table.ndim < 2 or table.shape[-1] != table.shape[-2] or table.shape[-1] == 0:
        raise ValueError(f"prediction_counts must be a square matrix, got shape {table.shape}")
    with np.errstate(over="ignore"):
        total = table.sum(axis=(-2, -1), dtype=np.float64)
    if not (total < (2.0**63 if table.dtype.kind == "i" else np.inf)).all():
        raise ValueError(f"prediction_counts must sum to less than 2**63, got {total.max():g}")
    tp = np.diagonal(table, axis1=-2, axis2=-1)
    fp = table.sum(axis=-1) - tp
    fn = table.sum(axis=-2) - tp
    tn = table.sum(axis=(-2, -1))[..., np.newaxis] - tp - fp - fn
    return ClassCounts(np.ascontiguousarray(tp), fp, fn, tn)
