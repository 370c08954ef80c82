"""Everything about one model at once: what the command line prints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.inputs import fractions_of, positive_scalar, real_scalar
from fastarac._core.pairs import value_of_pairs
from fastarac._core.text import percent
from fastarac.areas import arac as areas
from fastarac.areas.precision_recall import pr_auc_score
from fastarac.areas.risk import risk_areas
from fastarac.operating.points import OperatingPoint, acceptance_at_error_rate, operating_point
from fastarac.sweep import ThresholdSweep, as_sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.areas.arac import CurveArea


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of one model; ``print`` shows them as a table.

    Attributes
    ----------
    n : int or float
        Number of items, Ω; their weight where they are weighted.
    recognition_rate : float
        Share of correct items, β.
    arac : CurveArea
        ARAC-AUC and its parts, among them the normalised one.
    arp : CurveArea
        ARP-AUC by trapezoids, and its parts.
    roc_auc : float
        How well the confidence tells correct items from incorrect ones; NaN where all are alike.
    pr_auc : float
        Area under the precision–recall curve, interpolated after Davis and Goadrich; NaN where no
        item is correct.
    average_precision : float
        The same area by steps; NaN where no item is correct.
    aurc : float
        1 − ARP-AUC, the mean risk, by trapezoids.
    normalized_aurc : float
        AURC between that of the best order of the items, 0, and that of a random one, 1, as
        :func:`.normalized_aurc_loss` has it. NaN where all items are alike, and where they are
        weighted: no order of single items is the best then.
    augrc : float
        1 − ARAC-AUC, the mean error rate.
    gamma, delta : float
        The ratios of costs γ = C_R/C_C and δ = C_E/C_C − 1 (equation 13).
    error_rates : tuple of float
        The allowed error rates ε.
    operating_points : tuple of OperatingPoint
        For each of `error_rates`, the threshold that accepts most, ties accepted whole.
    performance : tuple of float
        For each of `error_rates`, W(θ) = γX(θ) + β − δε (equation 15), X(θ) read off the curve.
    """

    n: int | float
    recognition_rate: float
    arac: CurveArea
    arp: CurveArea
    roc_auc: float
    pr_auc: float
    average_precision: float
    aurc: float
    normalized_aurc: float
    augrc: float
    gamma: float
    delta: float
    error_rates: tuple[float, ...]
    operating_points: tuple[OperatingPoint, ...]
    performance: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a flat dictionary that JSON can hold.

        Keys of the operating points end in ``@`` and the allowed error rate, as in
        ``"acceptance_rate@0.01"``. What is undefined or infinite is ``None``.
        """
        figures: dict[str, Any] = {
            "n": self.n,
            "recognition_rate": self.recognition_rate,
            "arac_auc": self.arac.auc,
            "arac_auc_upper": self.arac.upper,
            "arac_auc_improved": self.arac.improved,
            "normalized_arac_auc": self.arac.normalized,
            "arp_auc": self.arp.auc,
            "normalized_arp_auc": self.arp.normalized,
            "roc_auc": self.roc_auc,
            "pr_auc": self.pr_auc,
            "average_precision": self.average_precision,
            "aurc": self.aurc,
            "normalized_aurc": self.normalized_aurc,
            "augrc": self.augrc,
            "gamma": self.gamma,
            "delta": self.delta,
        }
        for limit, point, performance in zip(
            self.error_rates, self.operating_points, self.performance, strict=True
        ):
            for name in ("threshold", "acceptance_rate", "error_rate", "risk", "correction_rate"):
                figures[f"{name}@{limit:.12g}"] = getattr(point, name)
            figures[f"performance@{limit:.12g}"] = performance
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in figures.items()
        }

    def __str__(self) -> str:
        rows = [
            ("items", f"{self.n:.12g}"),
            ("recognition rate β", f"{self.recognition_rate:.4f}"),
            ("ARAC-AUC", f"{self.arac.auc:.4f}"),
            (f"normalised ARAC-AUC (γ = {self.gamma:g})", f"{self.arac.normalized:.4f}"),
            ("ARP-AUC", f"{self.arp.auc:.4f}"),
            ("ROC-AUC", f"{self.roc_auc:.4f}"),
            ("PR-AUC", f"{self.pr_auc:.4f}"),
            ("AURC", f"{self.aurc:.4f}"),
            ("AUGRC", f"{self.augrc:.4f}"),
        ]
        for limit, point, performance in zip(
            self.error_rates, self.operating_points, self.performance, strict=True
        ):
            rows += [
                (f"at most {percent(limit)} errors: accepted", f"{point.acceptance_rate:.4f}"),
                ("    threshold", f"{point.threshold!r}"),
                ("    errors that remain", f"{point.error_rate:.4f}"),
                (f"    W (γ = {self.gamma:g}, δ = {self.delta:g})", f"{performance:.4f}"),
            ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def evaluate(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    error_rates: ArrayLike = (0.01, 0.05),
    gamma: float = 1.0,
    delta: float = 0.0,
) -> Evaluation:
    """Evaluate one model: its areas, and how much it automates at which error rate.

    Parameters
    ----------
    correct : array_like of shape (n,) or ThresholdSweep
        Whether each output was right: bool, or 0 and 1. A sweep stands for both first arguments.
    confidence : array_like of shape (n,)
        Real and finite.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.
    error_rates : float or sequence of float, default=(0.01, 0.05)
        Allowed shares of undetected errors among all items, each in [0, 1].
    gamma : float, default=1.0
        γ = C_R/C_C, what verifying costs relative to correcting; at least 0.
    delta : float, default=0.0
        δ = C_E/C_C − 1, what an undetected error costs beyond a correction; at least -1.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for error rates, `gamma` or `delta` outside their range.

    Examples
    --------
    >>> import fastarac as fa
    >>> print(fa.evaluate([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2], error_rates=[0.2]))
    items                          5
    recognition rate β             0.6000
    ARAC-AUC                       0.8800
    normalised ARAC-AUC (γ = 1)    0.6500
    ARP-AUC                        0.8433
    ROC-AUC                        0.8333
    PR-AUC                         0.9041
    AURC                           0.1567
    AUGRC                          0.1200
    at most 20 % errors: accepted  0.8000
        threshold                  0.6
        errors that remain         0.2000
        W (γ = 1, δ = 0)           1.4000
    """
    limits = tuple(np.atleast_1d(fractions_of(error_rates, "error_rates")).tolist())
    gamma = positive_scalar(gamma, "gamma")
    delta = real_scalar(delta, "delta")
    if delta < -1:
        message = f"delta is {delta!r}; a number of at least -1 is expected"
        raise ValueError(message)
    sweep = as_sweep(correct, confidence, sample_weight)
    pairs = areas.pair_counts(sweep, None, None)
    some = bool(sweep.n_correct)
    arp, aurc, normalized_aurc = risk_areas(sweep, gamma)
    beta = sweep.recognition_rate
    points = tuple(operating_point(sweep, max_error_rate=limit) for limit in limits)
    accepted = [acceptance_at_error_rate(sweep, max_error_rate=limit) for limit in limits]
    return Evaluation(
        n=sweep.total,
        recognition_rate=beta,
        arac=areas.arac_area_of(pairs, gamma),
        arp=arp,
        roc_auc=value_of_pairs("roc_auc", pairs),
        pr_auc=pr_auc_score(sweep) if some else math.nan,
        average_precision=pr_auc_score(sweep, interpolation="step") if some else math.nan,
        aurc=aurc,
        normalized_aurc=normalized_aurc,
        augrc=value_of_pairs("augrc", pairs),
        gamma=gamma,
        delta=delta,
        error_rates=limits,
        operating_points=points,
        performance=tuple(
            float(gamma * x + beta - delta * limit) for x, limit in zip(accepted, limits, strict=True)
        ),
    )
