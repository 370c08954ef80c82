"""Find the kind of `y_true`, and encode two labels as bytes, without sorting if possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac.dropins._arrays import Array, check_finite, readable, to_array

Codes = NDArray[np.uint8]


class Target(NamedTuple):
    """A target, its kind (such as "binary") and, for at most two distinct values, codes 0 and 1."""

    values: Array
    """The given target, one-dimensional if it has only one column."""
    kind: str
    """scikit-learn's name of the kind, such as binary or multilabel-indicator."""
    pair: Array | None
    """The sorted distinct values; None if there are more than two."""
    codes: Codes | None
    """1 where a value equals the last of the pair, in the shape of `values`; None without a pair."""

    def classes(self) -> Array:
        """Return the distinct values, sorted."""
        return np.unique(self.values) if self.pair is None else self.pair

    def is_label(self, label: Any) -> Codes:
        """Return 1 for values equal to `label` and 0 for others, as contiguous bytes."""
        if self.pair is None or self.codes is None:
            return np.ascontiguousarray(self.values == label, np.bool_).view(np.uint8)
        hits = [bool(value == label) for value in self.pair]
        if not any(hits):
            return np.zeros(self.values.shape, np.uint8)
        return self.codes if hits[-1] else self.codes ^ np.uint8(1)


def read_target(values: Any, name: str = "y_true") -> Target:
    """Return the target with its kind; raise the errors of scikit-learn's `type_of_target`."""
    array = _target_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.reshape(-1)
    if array.ndim not in (1, 2):
        return Target(array, "unknown", None, None)
    if array.ndim == 1 and array.size == 0:
        return Target(array, "binary", array, np.zeros(0, np.uint8))
    if array.dtype == object and array.size and not isinstance(array.flat[0], str):
        return Target(array, "unknown", None, None)
    if array.size == 0:
        kind = "multilabel-indicator" if array.shape[-1] and array.dtype.kind in "biuf" else "unknown"
        return Target(array, kind, array.reshape(-1), np.zeros(array.shape, np.uint8))
    pair, codes = _two_values(array.reshape(-1))
    if codes is not None:
        codes = codes.reshape(array.shape)
    return Target(array, _kind_of(array, pair, name), pair, codes)


def _target_array(values: Any) -> Array:
    if type(values) is np.ndarray and values.dtype.kind in "biuf":
        return values
    if not (isinstance(values, Sequence) or hasattr(values, "__array__")) or isinstance(values, str):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {values!r}")
    try:
        array = to_array(values)
    except ValueError as error:
        if not isinstance(values, Sequence) or "inhomogeneous" not in str(error):
            raise
        raise ValueError(
            "You appear to be using a legacy multi-label data representation. Sequence of sequences "
            "are no longer supported; use a binary array or sparse matrix instead - the "
            "MultiLabelBinarizer transformer can convert to this format."
        ) from error
    if array.ndim and array.size and isinstance(array.flat[0], bytes):
        raise TypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a string "
            "or integer format."
        )
    return array


def _kind_of(array: Array, pair: Array | None, name: str) -> str:
    whole = array.dtype.kind != "f" or _is_whole(array if pair is None else pair)
    if array.ndim == 1:
        if not whole:
            check_finite(array, name)
            return "continuous"
        return "multiclass" if pair is None else "binary"
    if whole and pair is not None and array.dtype.kind in "biuf":
        return "multilabel-indicator"
    if not whole:
        check_finite(array, name)
        return "continuous-multioutput"
    return "multiclass-multioutput"


def _is_whole(values: Array) -> bool:
    with np.errstate(invalid="ignore"):
        return bool((values.astype(np.int64).astype(values.dtype) == values).all())


def _two_values(flat: Array) -> tuple[Array | None, Codes | None]:
    """Return the one or two distinct values, sorted, and which items have the last of them.

    Return (None, None) if there are more than two values.
    """
    if flat.dtype.kind == "b":
        codes = np.ascontiguousarray(flat).view(np.uint8)
        if flat.all():
            return flat[:1], codes
        if flat.any():
            return np.array([False, True]), codes
        return flat[:1], codes ^ np.uint8(1)
    if flat.dtype.kind not in "iuf" or flat.dtype == np.longdouble != np.float64:
        return _two_by_equality(flat)
    bits = np.ascontiguousarray(flat, flat.dtype.newbyteorder("="))
    if bits.dtype == np.float16:
        bits = bits.astype(np.float32)
    # View signed integers as unsigned ones, so that numba compiles the kernels for fewer types.
    bits = readable(bits.view(f"u{bits.itemsize}") if bits.dtype.kind == "i" else bits)
    dropin = _kernels.curve_points
    n = len(bits)
    other = dropin.first_other(bits)
    if other == n:
        return flat[:1], np.ones(n, np.uint8)
    low, high = (0, other) if flat[0] < flat[other] else (other, 0)
    codes = np.empty(n, np.uint8)

    def encode(share: tuple[int, int]) -> bool:
        part = slice(*share)
        return dropin.encode(bits[part], bits[low], bits[high], codes[part])

    if not all(parallel.run(encode, parallel.shares(n))):
        return None, None
    return flat[[low, high]], codes


def _two_by_equality(flat: Array) -> tuple[Array | None, Codes | None]:
    """Return the result of `_two_values` for strings and other comparable types."""
    is_first = np.asarray(flat == flat[0])
    if is_first.all():
        return flat[:1], np.ones(len(flat), np.uint8)
    other = int(is_first.argmin())
    is_other = np.asarray(flat == flat[other])
    if not (is_first | is_other).all():
        return None, None
    pair = np.unique(flat[[0, other]])
    codes = is_first if pair[-1] == flat[0] else is_other
    return pair, codes.view(np.uint8)


# The sets of labels for which the default positive label is 1.
DEFAULT_PAIRS = ([0, 1], [-1, 1], [0], [-1], [1])


def positive_labels(target: Target, pos_label: Any) -> Codes:
    """Return 1 for items of the positive class; raise if the positive class is unknown."""
    if pos_label is None:
        pair = target.pair
        if pair is None or pair.dtype.kind not in "biuf" or pair.tolist() not in DEFAULT_PAIRS:
            found = ", ".join(repr(value) for value in target.classes().tolist())
            raise ValueError(
                f"y_true takes value in {{{found}}} and pos_label is not specified: either make y_true "
                "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
            )
        pos_label = 1
    return target.is_label(pos_label)
