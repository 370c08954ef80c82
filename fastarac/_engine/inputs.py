"""Checks and conversion of all arrays that users pass.

:func:`.read_items` checks types, shapes and lengths in constant time. The values are checked by the
pass that reads them anyway. If that pass meets a bad value, :meth:`.Items.reject` finds it and raises
an error that names it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import reject_where, same_number, text_in
from fastarac._core.results import read_only
from fastarac._engine import parallel, strategy
from fastarac._engine.numbering import number_integers
from fastarac._engine.tensors import on_cpu
from fastarac._kernels.codes import FLOAT, SIGNED, UNSIGNED

# Largest allowed ratio of two positive weights. Larger ratios could make products underflow.
MAX_SPAN = 1e305


class Layout(NamedTuple):
    """How kernels read confidences of one type."""

    values: np.dtype[Any]
    bits: np.dtype[Any]
    kind: int
    exponent: Any  # the exponent bits; infinite and NaN floats have all of them set


_F4 = Layout(np.dtype("=f4"), np.dtype("=u4"), FLOAT, np.uint32(0x7F800000))
_F8 = Layout(np.dtype("=f8"), np.dtype("=u8"), FLOAT, np.uint64(0x7FF0000000000000))
_I8 = Layout(np.dtype("=i8"), np.dtype("=u8"), SIGNED, np.uint64(0))
_U8 = Layout(np.dtype("=u8"), np.dtype("=u8"), UNSIGNED, np.uint64(0))

# For each input type, the smallest of the layouts above that represents all values of the type.
LAYOUTS: dict[str, Layout] = {
    "b1": _F4, "i1": _F4, "u1": _F4, "i2": _F4, "u2": _F4, "f2": _F4, "f4": _F4,
    "i4": _F8, "u4": _F8, "f8": _F8, "i8": _I8, "u8": _U8,
}  # fmt: skip

_BYTES = frozenset({"b1", "u1", "i1"})
_INTEGERS = (int, np.integer, np.bool_)


class Items:
    """The items of one evaluation, as given by the user.

    Attributes
    ----------
    correct, confidence : ndarray of shape (n,)
        Arrays of any accepted type and memory layout. They are never copied or written to.
    weight : ndarray of float64 of shape (n,) or None
    layout : Layout
        The types with which the kernels read the confidences.
    n : int
    direct : bool
        Whether the arrays have the form that the kernels need, so that `chunks` copies nothing.
    """

    __slots__ = (
        "_direct_confidence",
        "_direct_correct",
        "_names",
        "_sample",
        "confidence",
        "correct",
        "direct",
        "layout",
        "n",
        "weight",
    )

    def __init__(
        self,
        correct: NDArray[Any],
        confidence: NDArray[Any],
        weight: NDArray[np.float64] | None,
        names: tuple[str, str, str],
    ) -> None:
        self.correct = correct
        self.confidence = confidence
        self.weight = weight
        self.n = len(confidence)
        self._names = names
        self._sample: NDArray[Any] | None = None
        dtype = confidence.dtype
        self.layout = LAYOUTS[dtype.str[1:]]
        flags = confidence.flags
        self._direct_confidence = dtype == self.layout.values and flags.c_contiguous and flags.aligned
        self._direct_correct = correct.dtype.str[1:] in _BYTES and correct.flags.c_contiguous
        self.direct = self._direct_confidence and self._direct_correct

    @property
    def sample(self) -> NDArray[Any]:
        """A sorted sample of the confidences, by which the sorting method is chosen."""
        if self._sample is None:
            self._sample = strategy.sample_of(self.confidence)
            if not (math.isfinite(self._sample[0]) and math.isfinite(self._sample[-1])):
                self.reject()
        return self._sample

    def chunks(
        self, start: int, stop: int
    ) -> Iterator[tuple[int, tuple[NDArray[Any], NDArray[Any], NDArray[np.uint8]]]]:
        """Yield the offset and (values, bits, labels) for the items from `start` up to `stop`.

        The chunks are contiguous and read-only. They are views if the kernels can read the array
        directly, otherwise copies. Converted labels are checked here; the kernel checks the others.
        """
        step = stop - start if self.direct else strategy.sizes.chunk
        layout = self.layout
        for offset in range(start, stop, step):
            end = min(offset + step, stop)
            values = self.confidence[offset:end]
            if not self._direct_confidence:
                values = np.ascontiguousarray(values, layout.values)
            bits = values.view(layout.bits)
            labels = self.correct[offset:end]
            labels = labels.view(np.uint8) if self._direct_correct else self._as_bytes(labels)
            part = values, bits, labels
            for array in part:
                # Read-only, because numba would compile another version for writable arrays.
                array.flags.writeable = False
            yield offset, part

    def _as_bytes(self, labels: NDArray[Any]) -> NDArray[np.uint8]:
        as_bool = labels.astype(np.bool_, order="C")
        if not np.array_equal(as_bool, labels):
            self.reject()
        return as_bool.view(np.uint8)

    def check(self, *, not_finite: bool, seen_labels: int) -> None:
        """Raise if a kernel has met a value that is not finite, or a label above 1."""
        if not_finite or seen_labels > 1:
            self.reject()

    def reject(self) -> NoReturn:
        """Find the first bad value and raise an error that names it."""
        correct_name, confidence_name, _ = self._names
        chunk = strategy.sizes.chunk
        for offset in range(0, self.n, chunk):
            labels = self.correct[offset : offset + chunk]
            if labels.dtype == np.bool_:
                labels = np.ascontiguousarray(labels).view(np.uint8)
            bad = (labels != 0) & (labels != 1)
            if bad.any():
                i = offset + int(bad.argmax())
                message = (
                    f"{correct_name}[{i}] must be 0 (incorrect) or 1 (correct), got {self.correct[i]}"
                )
                if correct_name == NAMES[0] and np.isin(self.confidence, (0, 1)).all():
                    message += " (did you swap correct and confidence?)"
                elif correct_name == NAMES[0] and np.isnan(self.correct[i]):
                    message += " (if some labels are unknown, use PartialTruth)"
                elif correct_name == NAMES[0] and 0 < self.correct[i] < 1:
                    message += " (for grades, use threshold_sweep with graded=True)"
                raise ValueError(message)
            bad = ~np.isfinite(self.confidence[offset : offset + chunk])
            if bad.any():
                i = offset + int(bad.argmax())
                raise ValueError(
                    f"{confidence_name}[{i}] must be a finite number, got {self.confidence[i]}"
                )
        raise ValueError(f"{correct_name} or {confidence_name} was changed while it was read")


NAMES = ("correct", "confidence", "sample_weight")
COUNTS = ("correct_counts", "incorrect_counts")
UNVERIFIED = (
    " (the query of frames.sql gives such counts for two reasons. If a label or confidence is NULL or "
    "invalid, leave out the row, for example by WHERE label IS NOT NULL. If a column has another "
    "type, cast it, for example DECIMAL to double)"
)
SCORED_NAMES = ("y_true", "y_score", "sample_weight")


def read_items(
    correct: ArrayLike,
    confidence: ArrayLike,
    sample_weight: ArrayLike | None = None,
    names: tuple[str, str, str] = NAMES,
) -> Items:
    """Check the arguments of an evaluation and return them as arrays.

    Raises
    ------
    TypeError
        For anything but real numbers.
    ValueError
        For arrays that are not one-dimensional, have unequal lengths, are empty or hold nulls. For
        weights that are negative, not finite or all zero. For two pandas Series with the same index
        labels in different orders, because they could be paired by position or by label.
    """
    scores = vector(confidence, names[1])
    labels = vector(correct, names[0])
    n = len(scores)
    same_number(names[0], len(labels), names[1], n)
    if n == 0:
        raise ValueError(f"{names[0]} and {names[1]} are empty; give at least one item")
    # Of all inputs, only pandas objects have an index to compare.
    if labels is not correct and scores is not confidence:
        _refuse_other_order(correct, confidence, names)
    if sample_weight is None:
        return Items(labels, scores, None, names)
    return Items(labels, scores, _weights(sample_weight, names, n), names)


def _refuse_other_order(first: Any, second: Any, names: tuple[str, ...]) -> None:
    if not all(hasattr(each, "factorize") and hasattr(each, "index") for each in (first, second)):
        return
    one, other = first.index, second.index
    if not one.equals(other) and one.isin(other).all() and other.isin(one).all():
        raise ValueError(
            f"{names[0]} and {names[1]} are Series with the same index labels in different orders; "
            f"align them, for example by {names[1]}.reindex({names[0]}.index), or give arrays, which "
            "are paired by position"
        )


def vector(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional array of real numbers, if possible without a copy."""
    array = values if type(values) is np.ndarray else _to_array(values, name)
    if array.dtype.str[1:] not in LAYOUTS:
        _reject_type(array, name)
    if array.ndim != 1:
        message = f"{name} must be a one-dimensional array, got shape {array.shape}"
        if array.ndim == 2 and name == NAMES[1]:
            message += " (for class probabilities, use fastarac.correctness)"
        raise ValueError(message)
    return array


def labels_in_part(values: ArrayLike | Sequence[float | None], name: str) -> NDArray[np.float64]:
    """Return numbers as float64, with NaN for missing ones (None, null or masked)."""
    given: Any = on_cpu(values)
    _reject_table(given, name)
    mask = _null_mask(given)
    if mask is not None:
        if np.ma.isMaskedArray(given):
            given = given.filled(0)
        else:
            filled = getattr(given, "fill_null", None) or given.fillna
            given = filled(0)
    elif isinstance(given, list | tuple) or str(getattr(given, "dtype", "")) == "object":
        given = [np.nan if value is None else value for value in given]
    found = vector(given, name).astype(np.float64)
    if mask is not None:
        found[mask] = np.nan
    return found


def _without_nulls(values: Any, name: str) -> Any:
    """Return one column in CPU memory; raise for a table, and for nulls."""
    values = on_cpu(values)
    _reject_table(values, name)
    nulls = _null_mask(values)
    if nulls is not None:
        _reject_nulls(nulls, name)
    return values


def _to_array(values: Any, name: str) -> NDArray[Any]:
    values = _without_nulls(values, name)
    # Only the nullable types of pandas have the attribute `numpy_dtype`.
    own_type = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
    try:
        array = np.asarray(values) if own_type is None else values.to_numpy(dtype=own_type)
    except ValueError as error:  # raised for nested sequences of unequal lengths
        raise ValueError(f"{name} is not a one-dimensional array: {error}") from error
    except (TypeError, RuntimeError) as error:
        raise TypeError(
            f"{name} ({type(values).__name__}) cannot be read as an array: {error}"
        ) from error
    if not (isinstance(values, list | tuple) and array.dtype == np.float64 and array.ndim == 1):
        return array
    integers = _integers_of(values)
    if integers is not None and integers.dtype != object:
        return integers
    if integers is not None or _rounded(values, array):
        message = f"{name} has integers that fit neither int64 nor uint64; convert them to floats"
        if integers is None:
            message = (
                f"{name} mixes floats with integers that floats cannot hold; convert all to floats"
            )
        raise ValueError(message)
    return array


def _integers_of(values: Sequence[Any]) -> NDArray[Any] | None:
    """Return integers as int64, uint64 or (beyond both) objects; None if not all are integers.

    numpy would convert the integers to floats if some exceed int64, or if only some are uint64 scalars.
    """
    if not values or not all(isinstance(value, _INTEGERS) for value in values):
        return None
    whole = [int(value) for value in values]
    for dtype in (np.int64, np.uint64):
        try:
            return np.array(whole, dtype)
        except OverflowError:
            continue
    return np.array(whole, object)


def _rounded(values: Sequence[Any], array: NDArray[np.float64]) -> bool:
    """Return whether the conversion to an array has changed any integer of the list."""
    large = np.flatnonzero(np.abs(array) >= 2.0**53).tolist()
    return any(isinstance(values[i], _INTEGERS) and int(values[i]) != int(array[i]) for i in large)


def _reject_table(values: Any, name: str) -> None:
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2 and not hasattr(values, "dtype"):
        raise ValueError(f"{name} must be one column, got a table of shape {shape}")


def mask_of(values: Any) -> NDArray[np.bool_] | None:
    """Return the mask of a masked array; None for anything else."""
    return np.ma.getmaskarray(values) if np.ma.isMaskedArray(values) else None


def _null_mask(values: Any) -> NDArray[np.bool_] | None:
    """Return a mask of the nulls in a masked array or a data frame's column; None without nulls."""
    mask = mask_of(values)
    if getattr(getattr(values, "dtype", None), "numpy_dtype", None) is not None:
        mask = np.asarray(values.isna())
    elif mask is None:
        # `null_count` is an attribute in pyarrow and a method in polars.
        count: Any = getattr(values, "null_count", 0)
        if not (count() if callable(count) else count):
            return None
        mask = np.asarray(values.is_null())
    return mask if mask.any() else None


def _reject_nulls(mask: NDArray[np.bool_], name: str) -> NoReturn:
    message = f"{name} must have a value for each item, got null at {name}[{int(mask.argmax())}]"
    if (count := int(mask.sum())) > 1:
        message += f" ({count} are null)"
    if name in COUNTS:
        message += UNVERIFIED
    raise ValueError(message)


def _reject_type(array: NDArray[Any], name: str) -> NoReturn:
    if array.dtype == object and array.ndim == 1:
        nulls = np.array([v is None or type(v).__name__ in {"NAType", "NaTType"} for v in array])
        if nulls.any():
            _reject_nulls(nulls, name)
    found = f"{name} has type {array.dtype}"
    if array.dtype == object and array.size:
        found = f"{name} holds objects ({type(array.flat[0]).__name__})"
    message = f"{found}; use booleans, integers or floats of up to 64 bits"
    message += text_in(array)
    if found.endswith("(Decimal)"):
        message += "; cast them to double"
    raise TypeError(message)


def _weights(sample_weight: ArrayLike, names: tuple[str, str, str], n: int) -> NDArray[np.float64]:
    name = names[2]
    given = vector(sample_weight, name)
    same_number(name, len(given), names[1], n)
    weight = np.ascontiguousarray(given, np.float64)
    lowest, greatest = range_of_weights(weight)
    if not (lowest >= 0 and greatest < np.inf):
        bad = ~((weight >= 0) & (weight < np.inf))
        reject_where(bad, given, name, "a finite number of at least 0")
    with np.errstate(over="ignore"):
        total = greatest * n  # an upper bound of the sum, faster than the sum itself
        total = total if total < np.inf else weight.sum()
    if not 0 < total < np.inf:
        raise ValueError(f"{name} must have a positive, finite sum, got {total}")
    _check_span(lowest or least_positive(weight), greatest, name)
    return read_only(weight)  # type: ignore[no-any-return]


def range_of_weights(weight: NDArray[np.float64]) -> tuple[float, float]:
    """Return the least and the greatest weight; NaN if any weight is NaN."""

    def ends_of(share: tuple[int, int]) -> list[tuple[float, float]]:
        size = strategy.sizes.chunk  # small parts, which are still in the cache for `max` after `min`
        parts = (weight[k : min(k + size, share[1])] for k in range(*share, size))
        return [(part.min(), part.max()) for part in parts]

    ends = np.array(
        [pair for found in parallel.run(ends_of, parallel.shares(len(weight))) for pair in found]
    )
    return float(ends[:, 0].min()), float(ends[:, 1].max())


def _check_span(least: float, greatest: float, name: str) -> None:
    if least < greatest / MAX_SPAN:
        verb = "span" if " and " in name else "spans"
        raise ValueError(
            f"{name} {verb} from {least} to {greatest}; the greatest may be at most {MAX_SPAN:g} "
            "times the least positive one"
        )


def least_positive(weight: NDArray[Any]) -> float:
    """Return the least weight above 0."""
    lowest = weight.min()
    return float(lowest if lowest > 0 else weight.min(where=weight > 0, initial=np.inf))


def read_counts(
    thresholds: ArrayLike, correct_counts: ArrayLike, incorrect_counts: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Check a table of counts; return thresholds and counts. Both counts are int64, or both float64."""
    values = vector(thresholds, "thresholds")
    reject_where(~np.isfinite(values), values, "thresholds", "a finite number")
    counts = []
    for given, name in zip((correct_counts, incorrect_counts), COUNTS, strict=True):
        array = vector(given, name)
        same_number(name, len(array), "thresholds", len(values))
        bad = ~((array >= 0) & np.isfinite(array))
        if bad.any():
            i = int(bad.argmax())
            message = f"{name}[{i}] must be a finite number of at least 0, got {array[i]}"
            message += UNVERIFIED if array[i] != array[i] else ""
            raise ValueError(message)
        counts.append(array)
    whole = all(array.dtype.kind in "biu" for array in counts)
    total = sum(sum(array.tolist()) for array in counts)
    if not 0 < total < (2**63 if whole else float("inf")):
        raise ValueError(
            "correct_counts and incorrect_counts must have a positive sum "
            f"{'below 2**63' if whole else 'that is finite'}, got {total}"
        )
    dtype = np.int64 if whole else np.float64
    correct, incorrect = counts[0].astype(dtype), counts[1].astype(dtype)
    if not whole:
        least = min(least_positive(correct), least_positive(incorrect))
        greatest = max(float(correct.max()), float(incorrect.max()))
        _check_span(least, greatest, "correct_counts and incorrect_counts")
    return values, correct, incorrect


def read_groups(
    groups: Any, n: int, name: str = "groups", *, beside: str = "confidence"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct labels in rising order, and each item's label number."""
    groups = _without_nulls(groups, name)
    if hasattr(groups, "factorize"):  # pandas columns have this method
        codes, labels = groups.factorize()
        if (codes < 0).any():
            _reject_nulls(codes < 0, name)
        labels = np.asarray(labels)
    elif hasattr(groups, "dictionary_encode"):  # pyarrow columns have this method
        encoded = groups.dictionary_encode()
        encoded = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
        codes, labels = np.array(encoded.indices, np.int64), np.asarray(encoded.dictionary)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(labels):
            raise ValueError(f"{name} has indices outside its dictionary of {len(labels)} labels")
    else:
        array = labels_of(groups, name)
        if array.dtype.kind in "biu" and len(array):
            labels, codes = number_integers(array, name)
        else:
            nulls = _missing(array)
            if nulls.any():
                _reject_nulls(nulls, name)
            labels, codes = _distinct(array, name)
            return _of_length(labels, codes, n, name, beside)
    nulls = _missing(labels)
    if nulls.any():
        _reject_nulls(nulls[codes], name)
    if labels.dtype == object or not (labels[1:] > labels[:-1]).all():
        labels, rank = _distinct(labels, name)
        codes = rank[codes]
    return _of_length(labels, codes, n, name, beside)


def labels_of(values: Any, name: str) -> NDArray[Any]:
    """Return labels as a one-dimensional array without changing any of them.

    In a list that contains strings, numpy would convert 1 to "1"; it would also round large integers.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:  # raised for nested sequences of unequal lengths
        raise ValueError(f"{name} is not a one-dimensional array: {error}") from error
    if array.ndim != 1:
        raise ValueError(f"{name} must be a one-dimensional array, got shape {array.shape}")
    own: Any = {"U": str, "S": bytes, "f": (float, np.floating)}.get(array.dtype.kind)
    if isinstance(values, np.ndarray) or own is None or all(isinstance(v, own) for v in values):
        return array
    integers = _integers_of(list(values))
    return np.fromiter(values, object, len(array)) if integers is None else integers


def _missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    if labels.dtype == object:
        return np.array([v is None or v != v for v in labels], np.bool_)
    if labels.dtype.kind in "fcmM":
        return np.asarray(labels != labels)
    return np.zeros(len(labels), np.bool_)


def _distinct(labels: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct labels in rising order, and each item's label number; -0.0 equals 0.0."""
    if labels.dtype.kind == "f":
        labels = labels + 0.0
    try:
        return np.unique(labels, return_inverse=True)
    except TypeError as error:
        types = sorted({type(label).__name__ for label in labels})
        message = f"{name} has labels of type {types[0]}, which cannot be compared: {error}"
        if len(types) > 1:
            found = ", ".join(types[:-1]) + f" and {types[-1]}"
            message = f"{name} must hold labels of one type, got {found}"
        raise TypeError(message) from error


def _of_length(
    labels: NDArray[Any], codes: NDArray[Any], n: int, name: str, beside: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    same_number(name, len(codes), beside, n)
    return labels, codes
