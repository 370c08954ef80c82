"""Cross-fitted outputs of four classifiers on the data sets that come with scikit-learn."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

SETS = ("digits", "wine", "breast_cancer", "iris")
FOLDS, SEED = 10, 2026


def classifiers() -> Mapping[str, Any]:
    """Return the four classifiers, as scikit-learn sets them."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "forest": RandomForestClassifier(random_state=SEED),
        "naive-bayes": GaussianNB(),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
    }


@cache
def scores(name: str) -> Mapping[str, tuple[NDArray[np.integer[Any]], NDArray[np.float64]]]:
    """Return the probabilities of each classifier, which is fitted on nine tenths of the others.

    Parameters
    ----------
    name : str
        One of `SETS`.

    Returns
    -------
    mapping of classifier to (true class of each example, its probability of each class)
    """
    from sklearn import datasets
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    data = getattr(datasets, f"load_{name}")()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    found = {}
    for title, model in classifiers().items():
        said = cross_val_predict(model, data.data, data.target, cv=folds, method="predict_proba")
        found[title] = data.target, np.asarray(said, np.float64)
    return found


def items(name: str) -> Iterator[tuple[str, NDArray[np.bool_], NDArray[np.floating[Any]]]]:
    """Return (classifier, correct, confidence) of the examples of one of `SETS`."""
    for title, (target, found) in scores(name).items():
        yield title, *fa.correctness(target, found)
