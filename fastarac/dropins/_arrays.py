"""Read arrays as scikit-learn does: accept the same inputs and raise the same errors.

Other functions of the library use `_engine.inputs`.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastarac._engine.inputs import LAYOUTS, SCORED_NAMES, Items, Layout, mask_of, range_of_weights
from fastarac._engine.tensors import on_cpu

Array = NDArray[Any]


def _of_pandas(column: Any, own_type: np.dtype[Any]) -> Array:
    """Return a pandas column of a nullable type as an array in which NaN replaces null."""
    if column.isna().any():
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column.to_numpy(dtype=own_type))


def to_array(values: Any) -> Array:
    """Return `values` as an array, without a copy if possible."""
    if type(values) is np.ndarray and values.dtype.kind != "c":
        return values
    values = on_cpu(values)
    if isinstance(values, np.matrix):
        raise TypeError(
            "np.matrix is not supported. Please convert to a numpy array with np.asarray. For more "
            "information see: https://numpy.org/doc/stable/reference/generated/numpy.matrix.html"
        )
    mask = mask_of(values)
    if mask is not None and mask.any():
        raise ValueError(f"an array has {mask.sum()} masked values; remove them first")
    # pandas' nullable types have the attribute `numpy_dtype`; other types lack it.
    own_type = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
    if own_type is None or own_type.kind not in "biuf":
        array = np.asarray(values)
    else:
        array = _of_pandas(values, own_type)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    return array


def numeric_array(values: Any, *, finite: bool = True) -> Array:
    """Return `values` as a numeric array of one or two dimensions."""
    array = to_array(values)
    if array.dtype == object:
        array = array.astype(np.float64)
    if array.dtype.kind in "USV":
        raise ValueError(
            "dtype='numeric' is not compatible with arrays of bytes/strings."
            "Convert your data to numeric values explicitly instead."
        )
    check_dimensions(array)
    if finite:
        check_finite(array)
    check_not_empty(array)
    return array


def check_dimensions(array: Array) -> None:
    """Raise if there are more than two dimensions."""
    if array.ndim >= 3:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")


def check_not_empty(array: Array) -> None:
    """Raise if there are no rows, or if a matrix has no columns."""
    for what, size in (("sample", n_samples(array)), ("feature", array.shape[-1])):
        if size < 1 and (what == "sample" or array.ndim == 2):
            raise ValueError(
                f"Found array with {size} {what}(s) (shape={array.shape}) while a minimum of 1 is "
                "required."
            )


def matrix(values: Any) -> Array:
    """Return `values` as a two-dimensional numeric array."""
    array = to_array(values)
    check_matrix(array)
    return numeric_array(array)


def check_matrix(array: Array) -> None:
    """Raise if the array has only one dimension."""
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )


def column(values: Any) -> Array:
    """Return `values`, which may be a matrix of one column, as a one-dimensional array."""
    array = to_array(values)
    if array.ndim == 1:
        return array
    check_dimensions(array)
    if array.ndim == 2 and array.shape[1] == 1:
        return array.reshape(-1)
    raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")


def n_samples(array: Array) -> int:
    """Return the number of rows."""
    if array.ndim == 0:
        raise TypeError(
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar "
            f"`{array!r}` instead."
        )
    return int(array.shape[0])


def check_lengths(*arrays: Array | None) -> None:
    """Raise unless all arrays have the same number of rows."""
    lengths = [n_samples(array) for array in arrays if array is not None]
    if lengths.count(lengths[0]) != len(lengths):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def check_finite(array: Array, name: str = "") -> None:
    """Raise if the array holds NaN or infinity."""
    name = f"{name} " if name else ""
    if array.dtype == object:
        if any(isinstance(value, float | np.floating) and value != value for value in array.flat):
            raise ValueError("Input contains NaN")
        return
    if array.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        total = array.sum()
    if np.isfinite(total):
        return
    if np.isnan(array).any():
        raise ValueError(f"Input {name}contains NaN.")
    if np.isinf(array).any():
        raise ValueError(f"Input {name}contains infinity or a value too large for {array.dtype!r}.")


def read_weights(
    sample_weight: Array, scores: Array
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Check the values of weights, and return them with their range."""
    # Check the scores first: if both are invalid, scikit-learn's error is about the scores.
    weights = np.ascontiguousarray(sample_weight, np.float64)
    lowest, greatest = range_of_weights(weights) if len(weights) else (0.0, 0.0)
    largest = max(-lowest, greatest)
    if not largest <= sys.float_info.max / max(1, len(weights)) and not np.isfinite(sum_of(weights)):
        check_finite(scores)
        check_finite(weights, "sample_weight")
        check_sum(weights)
    if lowest == greatest == 0:
        check_finite(scores)
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return readable(weights), (lowest, greatest)


def sum_of(weight: Array) -> float:
    """Return the sum, which may be infinite, without a warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(weight.sum(dtype=np.float64))


def check_sum(weight: Array) -> None:
    """Raise if the weights sum to infinity."""
    total = sum_of(weight)
    if np.isfinite(total) or np.isnan(weight.astype(np.float64)).any():
        return  # NaN passes, because scikit-learn's functions differ in how they treat it
    raise ValueError(f"sample_weight must have a finite sum, got {total}")


def sortable(scores: Array) -> tuple[Array, Array | None]:
    """Return the scores and None or, if kernels cannot read them, ranks and the distinct scores."""
    if scores.dtype.str[1:] in LAYOUTS:
        return scores, None
    if scores.dtype == object or scores.dtype.kind == "f":
        check_finite(scores)
        levels, ranks = np.unique(scores, return_inverse=True)
        return ranks.reshape(scores.shape), levels
    raise TypeError(f"y_score must hold numbers, got type {scores.dtype}")


def bits_of(scores: Array) -> tuple[Array, Layout]:
    """Return the bits of the scores as a contiguous, read-only array, and their layout."""
    layout = LAYOUTS[scores.dtype.str[1:]]
    return readable(scores, layout.values).view(layout.bits), layout


def readable(array: Array, dtype: Any = None) -> Array:
    """Return a contiguous, read-only view, so that numba compiles for one kind of array only."""
    array = np.ascontiguousarray(array, dtype).view()
    array.flags.writeable = False
    return array


class Scores(Items):
    """Labelled items with scores of any sortable type; invalid scores raise scikit-learn's errors.

    `given` is the type of the scores as the caller gave them. If ranks replace the scores, `levels`
    holds the score of each rank; otherwise it is None. `weight_range` is the smallest and the largest
    weight.
    """

    __slots__ = ("given", "levels", "weight_range")

    def __init__(
        self,
        labels: NDArray[np.uint8],
        scores: Array,
        weight: NDArray[np.float64] | None = None,
        weight_range: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.given = scores.dtype
        self.weight_range = weight_range
        scores, self.levels = sortable(scores)
        super().__init__(labels, scores, weight, SCORED_NAMES)

    def reject(self) -> NoReturn:
        """Raise the error about a score that is not finite."""
        check_finite(self.confidence)
        raise ValueError("y_true or y_score was changed while it was read")


def read_scores(labels: NDArray[np.uint8], y_score: Any, sample_weight: Any) -> Scores:
    """Return items with these labels (1 positive, 0 negative), scores and weights."""
    scores = to_array(y_score)
    weight = None if sample_weight is None else to_array(sample_weight)
    check_lengths(labels, scores, weight)
    scores = column(scores)
    if weight is None:
        return Scores(labels, scores)
    return Scores(labels, scores, *read_weights(column(weight), scores))
