"""Outputs of four classifiers on the UCI handwritten digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastarac._core.results import Result, Table, read_only

CorrectAndConfidence: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DigitsOCR(Table, Result, Mapping[str, CorrectAndConfidence]):
    """Outputs of several classifiers on the same images of handwritten digits.

    A mapping from the name of each model to its arrays ``(correct, confidence)``, in the order of
    `models`. All arrays are read-only.

    Attributes
    ----------
    models : tuple of str, of length n_models
        The names of the models.
    truth : ndarray of shape (n,), int64
        The digit, 0 to 9, that each image shows.
    prediction : ndarray of shape (n_models, n), int64
        The output of each model for each image.
    confidence : ndarray of shape (n_models, n), float64
        The confidence of each model in its output; larger means more confident. Each model has its own
        scale: a probability, a share of votes, or a margin that may exceed 1.
    correct : ndarray of shape (n_models, n), bool
        Whether ``prediction == truth``.

    See Also
    --------
    load_digits_ocr : Loads the outputs that ship with the package.

    Examples
    --------
    >>> from fastarac.datasets import load_digits_ocr
    >>> data = load_digits_ocr()
    >>> list(data)
    ['svm-rbf', 'knn-votes', 'naive-bayes', 'logistic-pca5']
    >>> data.correct.sum(axis=1)
    array([1765, 1756, 1630, 1539])
    """

    models: tuple[str, ...]
    truth: NDArray[np.int64]
    prediction: NDArray[np.int64]
    confidence: NDArray[np.float64]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each model read each image correctly; shape (n_models, n)."""
        return read_only(self.prediction == self.truth)  # type: ignore[no-any-return]

    def __getitem__(self, model: str) -> CorrectAndConfidence:
        """Return `correct` (bool) and `confidence` of one model, both of shape (n,)."""
        if model not in self.models:
            raise KeyError(f"no model {model!r}; the models are {', '.join(self.models)}")
        row = self.models.index(model)
        return read_only(self.prediction[row] == self.truth), self.confidence[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        return f"DigitsOCR(models={self.models})"

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return all outputs as columns, one row per model and image, for a data frame or a file.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_models * n,)
            ``model`` (str), ``item`` (int64, the image's index from 0 to n - 1), ``prediction``,
            ``truth`` (int64) and ``confidence`` (float64). The rows of the first model, for all images,
            come first; then the rows of the second, and so on.

        Examples
        --------
        >>> from fastarac.datasets import load_digits_ocr
        >>> columns = load_digits_ocr().to_columns()
        >>> list(columns)
        ['model', 'item', 'prediction', 'truth', 'confidence']
        >>> len(columns["confidence"])
        7188
        """
        n_models, n = self.prediction.shape
        return {
            "model": np.repeat(np.array(self.models), n),
            "item": np.tile(np.arange(n, dtype=np.int64), n_models),
            "prediction": self.prediction.ravel(),
            "truth": np.tile(self.truth, n_models),
            "confidence": self.confidence.ravel(),
        }


def load_digits_ocr() -> DigitsOCR:
    """Load the outputs of four classifiers on 1797 handwritten digits.

    Each image was read by a model fitted to other images (ten stratified folds). The models were chosen
    to behave differently, not to have high accuracy.

    ==================  ============================================  ============================
    model               kind                                          confidence
    ==================  ============================================  ============================
    ``svm-rbf``         support vector machine, radial kernel         highest decision value minus
                                                                      the second highest
    ``knn-votes``       20 nearest neighbours                         share of their votes, which
                                                                      has many ties
    ``naive-bayes``     Gaussian naive Bayes on pixels                posterior, which is too often
                                                                      (nearly) 1
    ``logistic-pca5``   logistic regression on five principal         posterior
                        components
    ==================  ============================================  ============================

    Returns
    -------
    data : DigitsOCR
        The outputs, with n = 1797 and n_models = 4.

    See Also
    --------
    fastarac.ocr.load_sample : load twenty pages with their true texts and the texts read by two engines
    fastarac.synthetic.TruncatedNormalMixture : confidences of correct and incorrect outputs

    Notes
    -----
    ``logistic-pca5`` has the lowest accuracy and the lowest area under the ARAC curve. But its
    confidence separates errors better than the confidences of ``svm-rbf`` and ``naive-bayes``: the
    ROC-AUC alone would rank it above these two. ``svm-rbf`` reads the largest number of digits
    correctly. But if 1% errors are allowed, more outputs of ``knn-votes`` can be accepted without a
    check.

    Confidences are rounded to 12 significant digits. The module ``bench.data.make_digits_ocr`` computes
    the data and describes the models in full.

    The images are the test part of E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten
    Digits", UCI Machine Learning Repository, 1998, https://doi.org/10.24432/C50P49 (CC BY 4.0), in the
    order of ``sklearn.datasets.load_digits``.

    References
    ----------
    Alpaydin and Kaynak 1998, "Optical recognition of handwritten digits", UCI Machine Learning
    Repository.

    Examples
    --------
    >>> from fastarac.datasets import load_digits_ocr
    >>> data = load_digits_ocr()
    >>> data
    DigitsOCR(models=('svm-rbf', 'knn-votes', 'naive-bayes', 'logistic-pca5'))
    >>> correct, confidence = data["knn-votes"]
    >>> correct.shape, confidence.shape
    ((1797,), (1797,))
    >>> for name, (correct, confidence) in data.items():
    ...     print(f"{name:13}  accuracy {correct.mean():.3f}")
    svm-rbf        accuracy 0.982
    knn-votes      accuracy 0.977
    naive-bayes    accuracy 0.907
    logistic-pca5  accuracy 0.856
    """
    # Read bytes instead of opening a path, because the package may be in a zip file.
    content = files("fastarac.datasets").joinpath("digits_ocr.npz").read_bytes()
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return DigitsOCR(
            models=tuple(arrays["models"].tolist()),
            # Convert labels to int64, because differences of unsigned labels would wrap around.
            truth=arrays["truth"].astype(np.int64),
            prediction=arrays["prediction"].astype(np.int64),
            confidence=arrays["confidence"],
        )
