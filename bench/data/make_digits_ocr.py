"""Make ``digits_ocr.npz``: the outputs of four classifiers on handwritten digits.

Run it with ``python -m bench.data.make_digits_ocr [PATH]``; it needs scikit-learn 1.9 or
later and a few seconds. The shipped file was made with scikit-learn 1.9.1.

The images are the 1797 UCI handwritten digits that scikit-learn bundles (``load_digits``: 8 x 8
pixels, values 0 to 16). They are split into ten stratified folds, and the digits of each fold are
read by a model that was fitted, preprocessing included, to the other nine. So no output comes from
a model that had seen the image. The outputs of the ten folds are pooled.

The four classifiers are ordinary ones with ordinary confidences. They were *chosen*, from about
fifty models and settings that were tried, because together they show how differently a confidence
can behave. They do not say which kind of classifier is best, and each could be tuned to read better
than it does here. The random state of the folds was not searched: it is 0, and with 1 and 2 the
four behave alike.

``svm-rbf``
    Support vector machine with radial kernel on standardised pixels, scikit-learn's defaults.
    Confidence: by how much the best class leads the runner-up in ``SVC.decision_function``. There
    every class has the number of pairwise votes it won plus a small term for how clearly it won
    them, so the lead is little more than 1 for most digits. The highest accuracy of the four, and
    the confidence that tells its errors worst.
``knn-votes``
    The 20 nearest neighbours on raw pixels. Confidence: the share of them that voted for the
    output, hence 15 distinct values and many ties (two thirds of the digits have all 20 votes).
``naive-bayes``
    Gaussian naive Bayes on raw pixels, ``var_smoothing=1e-3`` because some pixels never vary within
    a digit. Confidence: the largest posterior. Neighbouring pixels are treated as independent
    evidence, so the model is far too sure of itself: half of the digits have 1, and much of what
    tells errors apart lies many nines behind the point.
``logistic-pca5``
    Logistic regression on the first five principal components only, a deliberately small model.
    Confidence: the largest posterior. The lowest accuracy, but it knows well when it may be wrong.

``logistic-pca5`` trades places with both ``svm-rbf`` and ``naive-bayes``: it has the lower accuracy
and the lower area under the ARAC curve, yet the clearly higher ROC-AUC of its confidence (in paired
bootstraps over the digits, the 95 % intervals of all four differences exclude 0). Which of
``naive-bayes`` and ``logistic-pca5`` is better depends on how many errors are allowed: where 1 %
may stay undetected, the two automate about as much; at 5 %, ``naive-bayes`` automates a tenth of
all digits more.

Confidences are rounded to 12 significant digits. What comes after is rounding noise of the machine
that ran the script; left in, it would make or break ties near a posterior of 1. Rounding to fewer
digits is no formality: with 6, ``naive-bayes`` would lose more than half of what it automates where
1 % errors are allowed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

N_FOLDS = 10
SIGNIFICANT_DIGITS = 12
SHIPPED_FILE = Path(__file__).parents[2] / "fastarac" / "datasets" / "digits_ocr.npz"


class Reader(NamedTuple):
    """A classifier, the scores it gives the classes, and the confidence made of those scores."""

    classifier: Any
    method: str
    confidence: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def largest(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best class's score in each row of ``scores`` (n, n_classes)."""
    best: NDArray[np.float64] = scores.max(axis=1)
    return best


def lead(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the best class leads the runner-up in each row of ``scores``."""
    ascending = np.sort(scores, axis=1)
    return ascending[:, -1] - ascending[:, -2]


# The solvers named here have no random part and converge far beyond the digits that are kept; the
# k-d tree finds the same neighbours as a full search, in an order that no thread count changes.
READERS = {
    "svm-rbf": Reader(make_pipeline(StandardScaler(), SVC()), "decision_function", lead),
    "knn-votes": Reader(
        KNeighborsClassifier(n_neighbors=20, algorithm="kd_tree"), "predict_proba", largest
    ),
    "naive-bayes": Reader(GaussianNB(var_smoothing=1e-3), "predict_proba", largest),
    "logistic-pca5": Reader(
        make_pipeline(
            PCA(n_components=5, svd_solver="full"),
            LogisticRegression(solver="newton-cholesky", tol=1e-10),
        ),
        "predict_proba",
        largest,
    ),
}


def round_significant(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    """Round ``values`` (n,) to ``digits`` significant decimal digits."""
    return np.array([float(f"{value:.{digits}g}") for value in values])


def read_digits(
    reader: Reader, images: NDArray[np.float64], truth: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Read every image, of shape (n, n_pixels), with a model fitted to the folds it is not in.

    Returns the digits, the classes of the highest score, and the confidences, rounded.
    """
    prediction = np.empty(len(truth), dtype=np.uint8)
    confidence = np.empty(len(truth))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for fitted, unseen in folds.split(images, truth):
        model = reader.classifier.fit(images[fitted], truth[fitted])
        scores = getattr(model, reader.method)(images[unseen])
        prediction[unseen] = model.classes_[scores.argmax(axis=1)]
        confidence[unseen] = reader.confidence(scores)
    return prediction, round_significant(confidence, SIGNIFICANT_DIGITS)


def main(path: Path = SHIPPED_FILE) -> None:
    """Write the outputs of all readers to ``path``."""
    images, truth = map(np.asarray, load_digits(return_X_y=True))
    outputs = [read_digits(reader, images, truth) for reader in READERS.values()]
    np.savez_compressed(
        path,
        models=np.array(list(READERS)),
        truth=truth.astype(np.uint8),
        prediction=np.stack([prediction for prediction, _ in outputs]),
        confidence=np.stack([confidence for _, confidence in outputs]),
    )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
