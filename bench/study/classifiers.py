"""Cross-fitted outputs of four classifiers on the data sets that come with scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
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


def items(name: str) -> Iterator[tuple[str, NDArray[np.bool_], NDArray[np.floating[Any]]]]:
    """Return what each classifier says of every example, fitted on nine tenths of the others.

    Parameters
    ----------
    name : str
        One of `SETS`.

    Returns
    -------
    iterator of (classifier, correct, confidence)
    """
    from sklearn import datasets
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    data = getattr(datasets, f"load_{name}")()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    for title, classifier in classifiers().items():
        scores = cross_val_predict(classifier, data.data, data.target, cv=folds, method="predict_proba")
        yield title, *fa.correctness(data.target, scores)
