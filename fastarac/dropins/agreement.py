"""Cohen's kappa, as scikit-learn computes it."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._engine.pairs import scale_of
from fastarac.dropins import _checks
from fastarac.dropins._arrays import (
    Array,
    check_dimensions,
    check_finite,
    check_lengths,
    check_sum,
    n_samples,
    to_array,
)
from fastarac.dropins._labels import Target, read_target

# Integer labels whose range is at most this are counted in a table instead of being sorted.
MAX_TABLE = 1 << 16


def cohen_kappa_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    weights: str | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = np.nan,
) -> float:
    r"""Cohen's kappa: the agreement of two raters beyond chance.

    Parameters
    ----------
    y1, y2 : array_like of shape (n,)
        Labels from the first and the second rater.
    labels : array_like of shape (n_classes,), optional
        The labels to count, in order; by default all labels that occur. Items with another label are
        left out.
    weights : {"linear", "quadratic"}, optional
        How the weight of a disagreement depends on the distance between the labels' positions; by
        default, all disagreements have the same weight.
    sample_weight : array_like of shape (n,), optional
        Weights of the items.
    replace_undefined_by : float in [-1, 1] or nan, default=nan
        Value returned if kappa is undefined.

    Returns
    -------
    float
        Kappa in [-1, 1], where 1 means full agreement and 0 the agreement expected by chance. Without
        weights, the result is the exact value, rounded once.

    Warns
    -----
    UndefinedMetricWarning
        If chance alone cannot cause disagreement, or if no item has a label that is counted.

    See Also
    --------
    fastarac.measures.confusion_measures : measures of confusion tables

    Notes
    -----
    Signature, errors and warnings are the same as in scikit-learn 1.9, and values differ only by
    scikit-learn's rounding errors (Cohen 1960; Artstein and Poesio 2008):

    .. math:: \kappa = 1 - \frac{\sum_{ij} w_{ij} n_{ij}}{\sum_{ij} w_{ij} n_{i\cdot} n_{\cdot j} / n}

    Here, n_ij is the number of items that the first rater labels i and the second labels j. w_ij is 1
    for i ≠ j by default, \|i − j\| with "linear", and (i − j)² with "quadratic".

    References
    ----------
    Cohen 1960, "A coefficient of agreement for nominal scales"; Artstein and Poesio 2008, "Inter-coder
    agreement for computational linguistics".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.cohen_kappa_score(["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"])
    0.5
    >>> fa.cohen_kappa_score([1, 2, 3, 3], [1, 3, 3, 3], weights="quadratic")
    0.8333333333333334

    To compute kappa of a table of counts, pass the two labels of each cell, with the counts as weights:

    >>> import numpy as np
    >>> table = np.array([[20, 5], [10, 15]])
    >>> one, other = np.indices(table.shape).reshape(2, -1)
    >>> fa.cohen_kappa_score(one, other, sample_weight=table.ravel())
    0.4
    """
    name = "cohen_kappa_score"
    _checks.check_array_like(name, y1=y1, y2=y2)
    _checks.check_array_like(name, optional=True, labels=labels)
    _checks.check_option(name, "weights", weights, ("linear", "quadratic"), optional=True)
    _checks.check_array_like(name, optional=True, sample_weight=sample_weight)
    is_nan = isinstance(replace_undefined_by, float | np.floating) and math.isnan(replace_undefined_by)
    if not (is_nan or _checks.is_in(replace_undefined_by, -1.0, 1.0, "both")):
        expected = "a float in the range [-1.0, 1.0] or numpy.nan"
        _checks.reject_parameter(name, "replace_undefined_by", expected, replace_undefined_by)
    counts = _table(y1, y2, labels, sample_weight)
    if counts.shape == (1, 1):
        message = (
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the "
            "correct shape, use the 'labels' parameter to pass all known labels."
        )
        warnings.warn(message, UserWarning, stacklevel=2)
    kappa = _exact_kappa if counts.dtype.kind == "i" else _weighted_kappa
    value = kappa(counts, weights)
    if value is not None:
        return value
    if counts.sum() == 0:
        _checks.warn_undefined(
            "`y2` contains no labels that are present in both `y1` and `labels`.`cohen_kappa_score` is "
            "undefined and set to the value defined by the `replace_undefined_by` param, which is set "
            f"to {replace_undefined_by}."
        )
    else:
        _checks.warn_undefined(
            "`y1`, `y2` and `labels` have only one label in common. `cohen_kappa_score` is undefined "
            "and set to the value defined by the the `replace_undefined_by` param, which is set to "
            f"{replace_undefined_by}."
        )
    return replace_undefined_by


def _exact_kappa(counts: Array, weights: str | None) -> float | None:
    """Return kappa of a table of integers, exact up to one rounding; None if it is undefined."""
    second = counts.sum(axis=0).tolist()
    first = counts.sum(axis=1).tolist()
    n = sum(first)
    i, j = np.nonzero(counts)
    cells = counts[i, j].tolist()
    distances = np.abs(i - j).tolist()
    if weights is None:
        observed = sum(c for c, d in zip(cells, distances, strict=True) if d)
        expected = n * n - sum(a * b for a, b in zip(first, second, strict=True))
    elif weights == "linear":
        # Compute Σ|i − j|·a_i·b_j: for each gap between adjacent categories, count the pairs that span
        # it.
        observed = sum(c * d for c, d in zip(cells, distances, strict=True))
        expected = below_first = below_second = 0
        for a, b in zip(first[:-1], second[:-1], strict=True):
            below_first += a
            below_second += b
            expected += below_first * (n - below_second) + below_second * (n - below_first)
    else:
        observed = sum(c * d * d for c, d in zip(cells, distances, strict=True))
        squares = sum(k * k * (a + b) for k, (a, b) in enumerate(zip(first, second, strict=True)))
        expected = n * squares - 2 * math.prod(
            sum(k * a for k, a in enumerate(side)) for side in (first, second)
        )
    if not expected:
        return None
    return float(1 - Fraction(observed * n, expected))


def _weighted_kappa(counts: Array, weights: str | None) -> float | None:
    # Scale the counts, so that products of their sums neither overflow nor underflow.
    counts = counts * scale_of(np.abs(counts).max())
    second = counts.sum(axis=0)
    first = counts.sum(axis=1)
    total = second.sum()
    if total == 0:
        return None
    position = np.arange(len(counts), dtype=np.float64)
    distance = np.abs(position - position[:, np.newaxis])
    cost = {"linear": distance, "quadratic": distance**2}.get(weights or "", distance != 0)
    expected = (cost * (np.outer(second, first) / total)).sum()
    if expected == 0:
        return None
    return float(1 - (cost * counts).sum() / expected)


def _table(y1: Any, y2: Any, labels: Any, sample_weight: Any) -> NDArray[Any]:
    """Return the table of counts or total weights, with rows for y1 and columns for y2."""
    first, second, weight = _read(y1, y2, sample_weight)
    if labels is None:
        classes, codes = _encode(first, second)
        n_classes = len(classes)
        codes_1, codes_2 = codes[: len(first)], codes[len(first) :]
    else:
        classes = to_array(labels)
        n_classes = classes.size
        if n_classes == 0:
            raise ValueError("'labels' should contain at least one label.")
        if len(np.intersect1d(first, classes)) == 0:
            raise ValueError(
                "At least one label in `labels` must be present in `y1` (even though "
                "`cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`)."
            )
        codes_1, codes_2 = _positions(first, classes), _positions(second, classes)
        counted = (codes_1 >= 0) & (codes_2 >= 0)
        codes_1, codes_2 = codes_1[counted], codes_2[counted]
        weight = None if weight is None else weight[counted]
    cells = codes_1.astype(np.int64) * n_classes + codes_2
    table = np.bincount(cells, weight, minlength=n_classes * n_classes)
    if weight is not None and weight.dtype.kind in "biu":
        table = np.rint(table).astype(np.int64)
    return table.reshape(n_classes, n_classes)


def _read(y1: Any, y2: Any, sample_weight: Any) -> tuple[Array, Array, Array | None]:
    arrays = [to_array(y1), to_array(y2)]
    weight = None if sample_weight is None else to_array(sample_weight)
    for array in arrays:
        check_dimensions(array)
        n_samples(array)
    check_lengths(*arrays, arrays[0] if weight is None else weight)
    targets = [read_target(arrays[0], "y_true"), read_target(arrays[1], "y_pred")]
    if not len(arrays[0]):
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is "
            "required."
        )
    if weight is not None:
        weight = _read_weights(weight)
    kinds = {target.kind for target in targets}
    if len(kinds) > 1 and kinds != {"binary", "multiclass"}:
        raise ValueError(
            f"Classification metrics can't handle a mix of {targets[0].kind} and {targets[1].kind} "
            "targets"
        )
    if not kinds <= {"binary", "multiclass"}:
        raise ValueError(f"{targets[0].kind} is not supported")
    _check_types(targets)
    return targets[0].values, targets[1].values, weight


def _read_weights(weight: Array) -> Array:
    check_finite(weight, "sample_weight")
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D array. Expected either a "
            f"scalar value or a 1D array of length {len(weight)}."
        )
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    check_sum(weight)
    return weight


def _check_types(targets: list[Target]) -> None:
    """Raise if one rater gave strings and the other numbers."""
    words = [target.values.dtype.kind in "OUT" for target in targets]
    if words[0] != words[1]:
        found = " and ".join(str(target.classes()) for target in targets)
        raise ValueError(f"Mix of label input types (string and number); Got {found}.")


def _encode(first: Array, second: Array) -> tuple[Array, Array]:
    """Return the sorted labels of both raters, and the position of each item's label among them."""
    both = np.concatenate([first, second])
    if both.dtype.kind in "biu":
        lowest, highest = int(both.min()), int(both.max())
        if highest - lowest < MAX_TABLE:
            offsets = both.astype(np.int64) - lowest if lowest else both.astype(np.int64)
            seen = np.bincount(offsets) > 0
            return np.flatnonzero(seen) + lowest, (np.cumsum(seen) - 1)[offsets]
    return np.unique(both, return_inverse=True)


def _positions(values: Array, classes: Array) -> NDArray[np.int64]:
    """Return the last index in `classes` that holds each value, or -1 if none does."""
    distinct, where = np.unique(values, return_inverse=True)
    positions = {label: i for i, label in enumerate(classes.tolist())}
    found = np.array([positions.get(label, -1) for label in distinct.tolist()], dtype=np.int64)
    return found[where]
