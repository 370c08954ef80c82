"""The measures of confusion tables, shared by single tables, sweeps and averages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from fastarac._core.checks import choice, positive_scalar
from fastarac._core.results import Result, Table

F_BETA = "f_beta"


class _Measure(property):
    """A measure of confusion tables. For a second name, `of` is the first name of the measure."""

    def __init__(self, doc: str, of: str | None = None) -> None:
        super().__init__(lambda measures: measures._compute([self.of])[0])  # noqa: SLF001
        self.of, self.__doc__ = of, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.of = self.of or name


class Measures(Table, Result, ABC):
    """All measures as attributes, each computed when it is read."""

    __slots__ = ()

    @abstractmethod
    def _compute(self, names: Sequence[str], beta: float = 1.0) -> list[Any]:
        """Evaluate measures of all tables."""

    def __str__(self) -> str:
        values = self.compute()
        if any(np.ndim(value) for value in values.values()):
            return repr(self)
        width = max(map(len, values))
        return "\n".join(f"{name:<{width}}  {value:.6g}" for name, value in values.items())

    def compute(self, measures: Sequence[str] | None = None) -> dict[str, Any]:
        """Return several measures by name, which is faster than reading them one by one.

        Parameters
        ----------
        measures : sequence of str, optional
            Names of measures; by default the first name of every measure.

        Returns
        -------
        dict of str to float or ndarray
            The measures, in the order of the names. Arrays are views of one block of memory, which is
            kept as long as any of them.

        Raises
        ------
        ValueError
            If a name is not in `names`.
        """
        names = self._chosen(measures)
        return dict(zip(names, self._compute(names), strict=True))

    def _parts(self) -> dict[str, Any]:
        return self.compute()

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of a table with one row for each set of measures."""
        return {name: np.ravel(values) for name, values in self.compute().items()}

    def _chosen(self, measures: Sequence[str] | None) -> list[str]:
        """Return the requested names; raise for an unknown one."""
        if measures is None:
            return list(self.names)
        chosen = [measures] if isinstance(measures, str) else list(measures)
        for name in chosen:
            choice(name, "measures", self.names)
        return chosen

    def f_beta(self, beta: float) -> Any:
        """F-measure (1+β²)TP/((1+β²)TP + β²FN + FP), which weights recall β times as much as precision.

        Parameters
        ----------
        beta : float
            The weight β of the recall, at least 0. β = 0 gives the precision, and β = 1 gives F₁.

        Returns
        -------
        float or ndarray
            In [0, 1].
        """
        number = positive_scalar(beta, "beta")
        return self._compute([F_BETA], number)[0]

    # List the measures in the order of their numbers in the kernel.
    accuracy = _Measure("(TP + TN)/Ω: the share predicted rightly (Tharwat 2020, equation 1).")
    error_rate = _Measure(
        "(FP + FN)/Ω: the share predicted wrongly. Not the `error_rate` of a sweep, FP/Ω."
    )
    sensitivity = _Measure("TPR = TP/(TP + FN), also recall (equation 2).")
    specificity = _Measure("TNR = TN/(FP + TN) (equation 2).")
    false_positive_rate = _Measure("FPR = FP/(FP + TN), also fallout (equation 4).")
    false_negative_rate = _Measure("FNR = FN/(TP + FN), the miss rate (equation 5).")
    precision = _Measure("PPV = TP/(TP + FP); NaN where nothing is predicted positive (equation 6).")
    negative_predictive_value = _Measure("NPV = TN/(FN + TN) (equation 7).")
    false_discovery_rate = _Measure("FP/(TP + FP) = 1 − PPV (equation 6).")
    false_omission_rate = _Measure("FN/(FN + TN) = 1 − NPV (equation 7).")
    positive_likelihood_ratio = _Measure("LR₊ = TPR/FPR, from 0 to inf (equation 9).")
    negative_likelihood_ratio = _Measure("LR₋ = FNR/TNR, from 0 to inf (equation 9).")
    diagnostic_odds_ratio = _Measure("LR₊/LR₋ = TP·TN/(FP·FN), from 0 to inf (equation 10).")
    youden_index = _Measure("TPR + TNR − 1, also informedness; in [−1, 1].")
    matthews_correlation = _Measure("(TP·TN − FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN)), in [−1, 1].")
    discriminant_power = _Measure("√3/π · (ln(TPR/FPR) + ln(TNR/FNR)), from −inf to inf.")
    f1 = _Measure("2TP/(2TP + FP + FN), the harmonic mean of precision and recall (equation 12).")
    adjusted_f = _Measure("√(F₂ · F₀.₅), with F₀.₅ computed after swapping the classes.")
    markedness = _Measure("PPV + NPV − 1, in [−1, 1].")
    balanced_accuracy = _Measure("(TPR + TNR)/2.")
    balanced_error_rate = _Measure("(FPR + FNR)/2 = 1 − balanced accuracy.")
    geometric_mean = _Measure("GM = √(TPR·TNR) (equation 15).")
    adjusted_geometric_mean = _Measure(
        "(GM + TNR·(FP+TN))/(1 + FP + TN), and 0 where TPR = 0 (equation 16)."
    )
    optimized_precision = _Measure(r"Accuracy − \|TPR − TNR\|/(TPR + TNR), in [−1, 1].")
    jaccard = _Measure("TP/(TP + FP + FN), also Tanimoto similarity.")
    prevalence = _Measure("(TP + FN)/Ω, also generality: the share of positives.")
    kappa = _Measure("Cohen's kappa (pₒ − pₑ)/(1 − pₑ) of prediction and truth, in [−1, 1].")
    recall = _Measure("Another name of `sensitivity`.", of="sensitivity")
    fallout = _Measure("Another name of `false_positive_rate`.", of="false_positive_rate")
    generality = _Measure("Another name of `prevalence`.", of="prevalence")

    names: ClassVar[tuple[str, ...]] = tuple(
        name for name, value in locals().items() if isinstance(value, _Measure) and not value.of
    )
    """The names of the measures, except for the second names recall, fallout and generality."""
