"""The names of the measures of a confusion table, the same for tables, sweeps and averages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fastarac._core.inputs import choice, positive_scalar
from fastarac.measures._tables import F_BETA, NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence


class Measures(ABC):
    """What has each measure as an attribute, computed when asked for."""

    __slots__ = ()

    names: ClassVar[tuple[str, ...]] = NAMES
    """The names of the measures; recall, fallout and generality are second names of three."""

    @abstractmethod
    def _compute(self, names: Sequence[str], beta: float = 1.0) -> list[Any]:
        """Evaluate measures of all tables."""

    def __str__(self) -> str:
        values = self.to_dict()
        if any(np.ndim(value) for value in values.values()):
            return repr(self)
        width = max(map(len, values))
        return "\n".join(f"{name:<{width}}  {value:.6g}" for name, value in values.items())

    def to_dict(self, measures: Sequence[str] | None = None) -> dict[str, Any]:
        """Return measures by name, computed together: quicker than one by one.

        Parameters
        ----------
        measures : sequence of str, optional
            Their names; all, each under one name, where they are left out.

        Returns
        -------
        dict of str to float or ndarray
            In the order of the names. Arrays are rows of one block of memory, which stays as long as
            any of them does.

        Raises
        ------
        ValueError
            For a name that is not in `names`.
        """
        names = self._chosen(measures)
        return dict(zip(names, self._compute(names), strict=True))

    def _chosen(self, measures: Sequence[str] | None) -> list[str]:
        """Return the names asked for, once they are known to be names."""
        if measures is None:
            return list(self.names)
        chosen = [measures] if isinstance(measures, str) else list(measures)
        for name in chosen:
            choice(name, "measures", self.names)
        return chosen

    def f_beta(self, beta: float) -> Any:
        """F-measure (1+β²)TP/((1+β²)TP + β²FN + FP): recall counts β times as much as precision.

        Parameters
        ----------
        beta : float
            At least 0. The precision at 0, F₁ at 1.

        Returns
        -------
        float or ndarray
            In [0, 1].
        """
        number = positive_scalar(beta, "beta")
        return self._compute([F_BETA], number)[0]

    @property
    def accuracy(self) -> Any:
        """(TP + TN)/Ω: the share predicted rightly (Tharwat 2020, equation 1)."""
        return self._compute(["accuracy"])[0]

    @property
    def error_rate(self) -> Any:
        """(FP + FN)/Ω: the share predicted wrongly. Not the `error_rate` of a sweep, FP/Ω."""
        return self._compute(["error_rate"])[0]

    @property
    def sensitivity(self) -> Any:
        """TPR = TP/(TP + FN), also recall (equation 2)."""
        return self._compute(["sensitivity"])[0]

    @property
    def specificity(self) -> Any:
        """TNR = TN/(FP + TN) (equation 2)."""
        return self._compute(["specificity"])[0]

    @property
    def false_positive_rate(self) -> Any:
        """FPR = FP/(FP + TN), also fallout (equation 4)."""
        return self._compute(["false_positive_rate"])[0]

    @property
    def false_negative_rate(self) -> Any:
        """FNR = FN/(TP + FN), the miss rate (equation 5)."""
        return self._compute(["false_negative_rate"])[0]

    @property
    def precision(self) -> Any:
        """PPV = TP/(TP + FP); NaN where nothing is predicted positive (equation 6)."""
        return self._compute(["precision"])[0]

    @property
    def negative_predictive_value(self) -> Any:
        """NPV = TN/(FN + TN) (equation 7)."""
        return self._compute(["negative_predictive_value"])[0]

    @property
    def false_discovery_rate(self) -> Any:
        """FP/(TP + FP) = 1 − PPV (equation 6)."""
        return self._compute(["false_discovery_rate"])[0]

    @property
    def false_omission_rate(self) -> Any:
        """FN/(FN + TN) = 1 − NPV (equation 7)."""
        return self._compute(["false_omission_rate"])[0]

    @property
    def positive_likelihood_ratio(self) -> Any:
        """LR₊ = TPR/FPR, from 0 to inf (equation 9)."""
        return self._compute(["positive_likelihood_ratio"])[0]

    @property
    def negative_likelihood_ratio(self) -> Any:
        """LR₋ = FNR/TNR, from 0 to inf (equation 9)."""
        return self._compute(["negative_likelihood_ratio"])[0]

    @property
    def diagnostic_odds_ratio(self) -> Any:
        """LR₊/LR₋ = TP·TN/(FP·FN), from 0 to inf (equation 10)."""
        return self._compute(["diagnostic_odds_ratio"])[0]

    @property
    def youden_index(self) -> Any:
        """TPR + TNR − 1, also informedness; in [−1, 1]."""
        return self._compute(["youden_index"])[0]

    @property
    def matthews_correlation(self) -> Any:
        """(TP·TN − FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN)), in [−1, 1]."""
        return self._compute(["matthews_correlation"])[0]

    @property
    def discriminant_power(self) -> Any:
        """√3/π · (ln(TPR/FPR) + ln(TNR/FNR)), from −inf to inf."""
        return self._compute(["discriminant_power"])[0]

    @property
    def f1(self) -> Any:
        """2TP/(2TP + FP + FN), the harmonic mean of precision and recall (equation 12)."""
        return self._compute(["f1"])[0]

    @property
    def adjusted_f(self) -> Any:
        """√(F₂ · F₀.₅ where the classes are swapped)."""
        return self._compute(["adjusted_f"])[0]

    @property
    def markedness(self) -> Any:
        """PPV + NPV − 1, in [−1, 1]."""
        return self._compute(["markedness"])[0]

    @property
    def balanced_accuracy(self) -> Any:
        """(TPR + TNR)/2."""
        return self._compute(["balanced_accuracy"])[0]

    @property
    def balanced_error_rate(self) -> Any:
        """(FPR + FNR)/2 = 1 − balanced accuracy."""
        return self._compute(["balanced_error_rate"])[0]

    @property
    def geometric_mean(self) -> Any:
        """GM = √(TPR·TNR) (equation 15)."""
        return self._compute(["geometric_mean"])[0]

    @property
    def adjusted_geometric_mean(self) -> Any:
        """(GM + TNR·(FP+TN))/(1 + FP + TN), and 0 where TPR = 0 (equation 16)."""
        return self._compute(["adjusted_geometric_mean"])[0]

    @property
    def optimized_precision(self) -> Any:
        r"""Accuracy − \|TPR − TNR\|/(TPR + TNR), in [−1, 1]."""
        return self._compute(["optimized_precision"])[0]

    @property
    def jaccard(self) -> Any:
        """TP/(TP + FP + FN), also Tanimoto similarity."""
        return self._compute(["jaccard"])[0]

    @property
    def prevalence(self) -> Any:
        """(TP + FN)/Ω, also generality: the share of positives."""
        return self._compute(["prevalence"])[0]

    @property
    def kappa(self) -> Any:
        """Cohen's kappa (pₒ − pₑ)/(1 − pₑ) of prediction and truth, in [−1, 1]."""
        return self._compute(["kappa"])[0]

    @property
    def recall(self) -> Any:
        """Another name of `sensitivity`."""
        return self.sensitivity

    @property
    def fallout(self) -> Any:
        """Another name of `false_positive_rate`."""
        return self.false_positive_rate

    @property
    def generality(self) -> Any:
        """Another name of `prevalence`."""
        return self.prevalence
