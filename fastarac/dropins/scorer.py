"""A scorer for scikit-learn's model selection; scikit-learn itself is not imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fastarac._core.results import Result
from fastarac.dropins._responses import scores_of
from fastarac.dropins.correctness import correctness
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.statistics import Statistic, check_name


@dataclass(frozen=True, slots=True, eq=False)
class Scorer(Result):
    """The result of :func:`.make_scorer`: call it with (estimator, X, y).

    Attributes
    ----------
    statistic : Statistic
        The statistic computed from the predictions.
    sign : int
        -1 for a loss, so that larger is better; otherwise 1.

    See Also
    --------
    fastarac.make_scorer : make a scorer for cross_validate, GridSearchCV and the like of scikit-learn
    fastarac.correctness : whether predictions of a classifier are right, and their confidence
    """

    statistic: Statistic
    sign: int

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the score of the estimator's predictions of `X`; larger is better."""
        scores, threshold = scores_of(estimator, X)
        found = correctness(y, scores, classes=estimator.classes_, threshold=threshold)
        return self.sign * self.statistic(threshold_sweep(*found, sample_weight=sample_weight))

    def _parts(self) -> dict[str, Any]:
        return {"statistic": self.statistic.name, **dict(self.statistic.parameters), "sign": self.sign}

    def __repr__(self) -> str:
        return f"{'-' if self.sign < 0 else ''}{self.statistic!r}"


def make_scorer(metric: str = "arac_auc", **options: Any) -> Scorer:
    """Make a scorer for ``cross_validate``, ``GridSearchCV`` and the like of scikit-learn.

    The scorer uses whether each prediction is right, and its confidence. scikit-learn's own
    ``make_scorer(fastarac.arac_auc_score)`` does not: it would take the predicted labels for
    confidences or, with ``response_method="predict_proba"``, class 1 for "correct".

    Parameters
    ----------
    metric : str, default="arac_auc"
        A name of :class:`.Statistic`. Losses are negated, so that larger is better.
    **options
        Parameters of the statistic, such as ``max_error_rate=0.01``.

    Returns
    -------
    Scorer
        Callable as ``scorer(estimator, X, y, sample_weight=None)``; it can be pickled.

    Raises
    ------
    ValueError, TypeError
        If the metric is unknown or does not accept an option.

    See Also
    --------
    correctness : whether predictions of a classifier are right, and their confidence
    fastarac.results.Scorer : what make_scorer returns

    Notes
    -----
    The confidence is the largest value of ``predict_proba`` or, without that method, of
    ``decision_function`` (for two classes, its absolute value); columns are matched by ``classes_``.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.make_scorer("acceptance_at_error_rate", max_error_rate=0.01)
    Statistic('acceptance_at_error_rate', max_error_rate=0.01)
    >>> fa.make_scorer("aurc")
    -Statistic('aurc')
    """
    check_name(metric, "metric")
    statistic = Statistic(metric, **options)
    return Scorer(statistic, -1 if statistic.definition.lower_is_better else 1)
