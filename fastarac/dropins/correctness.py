"""Convert the scores of a classifier to (correct, confidence)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import of_percent, real_scalar
from fastarac._engine.tensors import on_cpu


def correctness(
    y_true: ArrayLike, y_score: ArrayLike, *, classes: ArrayLike | None = None, threshold: float = 0.5
) -> tuple[NDArray[np.bool_], NDArray[np.floating[Any]]]:
    """Return whether each prediction of a classifier is right, and how confident it is.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        The true class of each item.
    y_score : array_like of shape (n, n_classes) or (n,)
        Scores of all classes, for example from ``predict_proba``; the prediction is the class with the
        largest score (the first one in a tie). For two classes, a one-dimensional array of scores of
        the second class is enough.
    classes : array_like of shape (n_classes,), optional
        The class of each column of `y_score`, such as an estimator's ``classes_``; by default the
        sorted classes in `y_true`.
    threshold : float, default=0.5
        For one-dimensional scores: the second class is predicted if its score is at least this. Use 0
        for scores from ``decision_function``.

    Returns
    -------
    correct : ndarray of bool of shape (n,)
        Whether the predicted class is the true class.
    confidence : ndarray of shape (n,)
        The largest score; for one-dimensional scores, the distance from the threshold.

    Raises
    ------
    ValueError, TypeError
        If scores are not finite numbers, if shapes do not match, or if a true class is missing in
        `classes`. Also if true classes are fractions and `classes` is left out, or if `threshold` is
        outside [0, 1] but all scores are inside.

    See Also
    --------
    make_scorer : make a scorer for scikit-learn's model selection
    evaluate : compute all metrics of one model

    Notes
    -----
    A prediction is correct if it is the true class, whichever class that is. In contrast,
    ``roc_auc_score(y_true, y_score)`` measures how well the score separates the two classes. Do not
    call ``arac_auc_score(y_true, y_score)``: it would treat class 1 as "correct".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = fa.correctness(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> correct, confidence
    (array([ True, False,  True]), array([0.9, 0.6, 0.8]))
    >>> fa.arac_auc_score(correct, confidence)
    0.9444444444444444
    """
    labels = np.asarray(on_cpu(y_true))
    scores = np.asarray(on_cpu(y_score))
    if scores.dtype.kind not in "biuf":
        raise TypeError(f"y_score must hold real numbers, got type {scores.dtype}")
    if labels.ndim != 1 or scores.ndim not in (1, 2) or len(labels) != len(scores) or not len(labels):
        raise ValueError(
            "y_true must have shape (n,) and y_score (n, n_classes) or (n,), with n >= 1, got "
            f"{labels.shape} and {scores.shape}"
        )
    if not np.isfinite(scores).all():
        raise ValueError("y_score must hold finite numbers, got NaN or infinite ones")
    if classes is None and labels.dtype.kind in "fc" and (labels != np.round(labels)).any():
        found = labels[labels != np.round(labels)][0].item()
        message = f"y_true must hold classes (texts, booleans or whole numbers), got {found!r}"
        if scores.ndim == 1 and (scores == np.round(scores)).all():
            message += " (y_true comes before y_score)"
        raise ValueError(message + "; if fractions are classes, list all classes in classes=")
    known = np.unique(labels) if classes is None else np.asarray(on_cpu(classes))
    columns = scores.shape[1] if scores.ndim == 2 else 2
    if known.shape != (columns,):
        origin = "y_true has" if classes is None else "classes has"
        raise ValueError(
            f"{origin} {len(known)} classes, but y_score has columns for {columns}; list all classes "
            "in classes="
        )
    among = np.isin(labels, known)
    if not among.all():
        raise ValueError(
            f"y_true must hold only the classes {known.tolist()}, got {labels[~among][0]!r}"
        )
    if scores.ndim == 2:
        return known[scores.argmax(axis=1)] == labels, scores.max(axis=1)
    at = real_scalar(threshold, "threshold")
    if not 0 <= at <= 1 and scores.min() >= 0 and scores.max() <= 1:
        message = f"threshold must be in [0, 1], because y_score holds probabilities, got {at!r}"
        raise ValueError(message + of_percent(at))
    return known[(scores >= at).astype(np.intp)] == labels, np.abs(scores - np.float64(at))
