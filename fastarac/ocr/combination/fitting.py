"""Learning from true texts how to combine engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.extras import require
from fastarac.ocr.combination.features import features_of
from fastarac.ocr.combination.model import Combination, EngineModel, Regression
from fastarac.operation.calibration import isotonic_calibration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.combination.readings import Readings

#: Inverse strength of the L2 penalty on the coefficients of standardised features (`C` in
#: scikit-learn). Chosen from 0.03, 0.1, 0.3, 1 and 10, on pages that the documentation does not use.
STRENGTH = 0.1
#: Seed for dividing the pages into folds and for drawing the words that a regression is fitted to.
SEED = 0
#: Maximum number of words to which a regression is fitted; of more words, this many are drawn.
MOST_WORDS = 60_000


class WordLabels(NamedTuple):
    """Labels of the words of one engine; arrays of shape (n_words,), bool."""

    right: NDArray[np.bool_]
    """Whether the word is right."""
    real: NDArray[np.bool_]
    """Whether there is a true word at its place."""
    known: NDArray[np.bool_]
    """Whether the alignment covers the word."""


def folds_of(names: Sequence[str], n_folds: int) -> NDArray[np.intp]:
    """Return the fold of each page, of shape (n_pages,); the order of the pages does not matter."""
    fold = np.empty(len(names), np.intp)
    order = np.argsort(np.array(names, object), kind="stable")
    drawn = np.random.default_rng(SEED).permutation(len(names))
    fold[order[drawn]] = np.arange(len(names)) % n_folds
    return fold


def fit_combination(
    readings: Readings,
    labels: Sequence[WordLabels],
    engines: Mapping[str, float],
    order: tuple[str, ...],
    learnt: NDArray[np.bool_],
    *,
    unit: str,
    fold: tuple[str, ...] = (),
) -> Combination:
    """Learn a combination from the words of some groups (pages or documents).

    Parameters
    ----------
    readings : Readings
    labels : sequence of WordLabels
        Labels of each engine's words.
    engines : mapping of str to float
        Highest confidence of each engine's scale, by name.
    order, unit, fold
        As for :class:`.Combination`.
    learnt : ndarray of shape (n_groups,), bool
        Whether each group is training data.

    Returns
    -------
    Combination
    """
    require("sklearn", "combine")
    used = [
        learnt[readings.group[place]] & of.known
        for place, of in zip(readings.place, labels, strict=True)
    ]
    curves = [
        _curve(readings.confidence[k][rows], labels[k].right[rows]) for k, rows in enumerate(used)
    ]
    calibrated = [
        np.interp(confidence, *curve)
        for confidence, curve in zip(readings.confidence, curves, strict=True)
    ]
    found = []
    for k, (rows, (name, highest)) in enumerate(zip(used, engines.items(), strict=True)):
        features = features_of(readings, k, calibrated, highest)
        contested = rows & readings.contested[readings.place[k]]
        right = _regression(features[rows], labels[k].right[rows])
        real = None
        if not labels[k].real[contested].all():
            real = _regression(features[contested], labels[k].real[contested])
        knots, odds = (tuple(values.tolist()) for values in curves[k])
        found.append(EngineModel(name, highest, knots, odds, right, real))
    n_words = sum(int(learnt[readings.group[each]].sum()) for each in readings.place)
    return Combination(tuple(found), order, unit, fold, int(learnt.sum()), n_words)


def _curve(
    confidence: NDArray[np.float64], right: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return confidence knots and, for each knot, the log-odds of being right, by isotonic regression.

    A knot is the mean confidence in a block (constant piece) of the isotonic regression.
    """
    known = ~np.isnan(confidence)
    if not known.any():  # the engine gives no confidence on the training pages
        return np.zeros(1), np.zeros(1)
    values, correct = confidence[known], right[known]
    found = isotonic_calibration(correct, values)
    block = found.block_of(values)
    mean = np.bincount(block, values) / found.n_items
    # Adding 1/2 keeps the log-odds finite.
    odds = np.log((found.n_items - found.errors + 0.5) / (found.errors + 0.5))
    return mean[::-1], np.maximum.accumulate(odds[::-1])


def _regression(features: NDArray[np.float64], true: NDArray[np.bool_]) -> Regression:
    """Fit a logistic regression with an L2 penalty on the coefficients of standardised features."""
    if len(true) > MOST_WORDS:
        rows = np.random.default_rng(SEED).choice(len(true), MOST_WORDS, replace=False)
        features, true = features[rows], true[rows]
    n, n_true = len(true), int(true.sum())
    if n_true in (0, n):  # only one class: predict the same log-odds for every word
        odds = float(np.log((n_true + 0.5) / (n - n_true + 0.5)))
        return Regression(odds, (0.0,) * features.shape[1])
    from sklearn.linear_model import LogisticRegression

    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0.0] = 1.0
    model: Any = LogisticRegression(C=STRENGTH, solver="newton-cholesky")
    model.fit((features - mean) / scale, true)
    coefficients = model.coef_[0] / scale
    intercept = float(model.intercept_[0] - coefficients @ mean)
    return Regression(intercept, tuple(coefficients.tolist()))
