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
        -1 for a loss, so that a larger score is better; otherwise 1.

    See Also
    --------
    fastarac.make_scorer : make a scorer for scikit-learn's model selection
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
    """Make a scorer for scikit-learn's ``cross_validate``, ``GridSearchCV`` and similar tools.

    The scorer finds out whether each prediction is right, and how confident it is. Do not pass
    ``arac_auc_score`` to scikit-learn's own ``make_scorer``, which would treat predicted labels as
    confidences.

    Parameters
    ----------
    metric : str, default="arac_auc"
        The name of a :class:`.Statistic`. The score of a loss is negated, so that larger is better.
    **options
        Parameters of the statistic, such as ``max_error_rate=0.01``.

    Returns
    -------
    Scorer
        The scorer, which is called as ``scorer(estimator, X, y, sample_weight=None)`` and can be
        pickled.

    Raises
    ------
    ValueError, TypeError
        If the metric is unknown or does not accept an option.

    See Also
    --------
    correctness : whether predictions of a classifier are right, and their confidence
    fastarac.results.Scorer : the class of the result

    Notes
    -----
    The confidence is the largest value of ``predict_proba``. Estimators without that method give the
    largest value of ``decision_function`` or, for two classes, its absolute value. Columns are matched
    to classes by ``classes_``.

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
