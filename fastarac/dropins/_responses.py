"""Get the scores that an estimator gives to rows of data, without importing scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

METHODS = ("predict_proba", "decision_function")
KEYS = {"estimator": "return_estimator=True", "indices": "return_indices=True"}
# With two classes, the second one is predicted if its score is at least this threshold.
THRESHOLDS = {"predict_proba": 0.5, "decision_function": 0.0}


def scores_of(
    estimator: Any, X: Any, response_method: str = "auto"
) -> tuple[NDArray[np.floating[Any]], float]:
    """Return the scores of rows, and the threshold between two classes if each row has one score.

    Raises
    ------
    ValueError, TypeError
        If the method is neither "auto" nor one of `METHODS`, or the estimator lacks it.
    """
    if response_method != "auto" and response_method not in METHODS:
        known = ", ".join(map(repr, ("auto", *METHODS)))
        raise ValueError(f"response_method must be one of {known}, got {response_method!r}")
    wanted = METHODS if response_method == "auto" else (response_method,)
    for method in wanted:
        if hasattr(estimator, method):
            return np.asarray(getattr(estimator, method)(X)), THRESHOLDS[method]
    raise TypeError(
        f"{type(estimator).__name__} has {'no' if len(wanted) == 1 else 'neither'} "
        f"{' nor '.join(wanted)}; use a classifier that gives confidences"
    )


def scores_of_positives(
    estimator: Any, X: Any, response_method: str = "auto", pos_label: Any = None
) -> tuple[NDArray[np.floating[Any]], Any]:
    """Return the scores of the positive class (by default the second of two), and its label."""
    scores, _ = scores_of(estimator, X, response_method)
    classes = np.asarray(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(f"{type(estimator).__name__} must have two classes, got {len(classes)}")
    label = classes[1] if pos_label is None else pos_label
    if label not in classes:
        raise ValueError(f"pos_label must be one of the classes {classes.tolist()}, got {label!r}")
    is_second = bool(label == classes[1])
    if scores.ndim == 2:
        return scores[:, int(is_second)], label
    return scores if is_second else -scores, label


def folds_of(
    cv_results: Mapping[str, Any], X: Any, *columns: Any
) -> Iterator[tuple[Any, Any, tuple[Any, ...]]]:
    """Yield for each fold its estimator and its test rows of `X` and of the other columns.

    Raises
    ------
    ValueError
        If the results lack estimators or indices, or if the number of rows in `X` does not match them.
    """
    missing = [option for key, option in KEYS.items() if key not in cv_results]
    if missing:
        raise ValueError(f"cv_results must come from cross_validate({', '.join(missing)})")
    tested = cv_results["indices"]["test"]
    expected = len(cv_results["indices"]["train"][0]) + len(tested[0])
    found = X.shape[0] if hasattr(X, "shape") else len(X)
    if found != expected:
        raise ValueError(f"X must have {expected} rows, as in cross_validate, got {found}")
    for estimator, rows in zip(cv_results["estimator"], tested, strict=True):
        yield (
            estimator,
            rows_of(X, rows),
            tuple(None if column is None else rows_of(column, rows) for column in columns),
        )


def rows_of(table: Any, rows: NDArray[np.intp]) -> Any:
    """Return the given rows of an array, a data frame or a list."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "shape") else [table[row] for row in rows]
