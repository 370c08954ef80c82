"""Synthetic predictors whose curves and areas are known exactly."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from fastarac._core.checks import fractions_of, positive_scalar, real_scalar, whole_number
from fastarac._core.exceptions import UndefinedMetricWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastarac.areas.arac import CurveArea
    from fastarac.costs.verification import VerificationCosts

__all__ = ["PAPER_CASES", "TruncatedNormalMixture"]


def __dir__() -> list[str]:
    return __all__


_Array: TypeAlias = npt.NDArray[np.float64]
_Positions: TypeAlias = float | _Array

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL_TOLERANCE, _MAX_HALVINGS, _MAX_PANELS, _MAX_SEARCH_STEPS = 1e-13, 60, 2**14, 200
# Minimum standard deviation and maximum slope, so that exponents stay finite.
_LEAST_SD, _STEEPEST = 1e-150, 1e150

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _mills_ratio(x: _Array) -> _Array:
    """Integrate exp(-(x y + y²/2)) over y >= 0, for x >= 0."""
    # For x < 5, `erfc` does not underflow, but the continued fraction converges slowly.
    far = np.maximum(x, 5)
    fraction = far
    for k in range(24, 0, -1):
        fraction = far + k / fraction
    near = np.minimum(x, 5)
    erfcx = np.exp(near**2 / 2) * _erfc(near / math.sqrt(2))
    return np.where(x < 5, math.sqrt(math.pi / 2) * erfcx, 1 / fraction)


def _decay_average(slope: _Positions, width: _Positions) -> _Array:
    """Return the mean of exp(-(slope y + y²/2)) over 0 <= y <= width, with full relative accuracy."""
    slope, width = np.broadcast_arrays(slope, width)
    fall = width * (slope + width / 2)
    average = np.empty(fall.shape)
    gentle = fall <= 1  # here, subtracting one tail from the other would lose digits
    y = width[gentle][:, None] * ((_NODES + 1) / 2)
    average[gentle] = np.exp(-y * (slope[gentle][:, None] + y / 2)) @ (_WEIGHTS / 2)
    slope, width, rest = slope[~gentle], width[~gentle], np.exp(-fall[~gentle])
    average[~gentle] = (_mills_ratio(slope) - rest * _mills_ratio(slope + width)) / width
    return average


class _TruncatedNormal:
    """A normal distribution truncated to [0, 1], described relative to its mode in [0, 1].

    At distance ``sd * y`` from the mode, the density is proportional to exp(-(slope y + y²/2)). A
    position is ``origin + offset``, in two parts because a distribution may be much narrower than the
    spacing of doubles near its mean.
    """

    __slots__ = ("log_area", "mode", "sd", "slope")

    def __init__(self, mean: float, sd: float) -> None:
        self.sd = max(sd, _LEAST_SD)
        self.mode = min(max(mean, 0.0), 1.0)
        self.slope = min(abs(mean - self.mode) / self.sd, _STEEPEST)
        sides = np.array([self.mode, 1 - self.mode]) / self.sd
        self.log_area = math.log(sides @ _decay_average(self.slope, sides))

    def distance(self, k: _Positions) -> _Array:
        """Return the distance from the mode where the density is exp(-k²/2) times its peak, k > 0."""
        return np.asarray(self.sd * (k * (k / (self.slope + np.hypot(self.slope, k)))))

    def log_density(self, y: _Array) -> _Array:
        """Return the log density per unit of sd, at ``mode + sd * y``."""
        return -np.abs(y) * (self.slope + np.abs(y) / 2) - self.log_area

    def log_tail_average(self, origin: _Positions, offset: _Positions) -> _Array:
        """Return the log of the mean density from the position to 1; at 1, the log of the density."""
        y = ((origin - self.mode) + offset) / self.sd
        rest = np.maximum((1 - origin) - offset, 0) / self.sd
        beyond = np.maximum(y, 0)
        right = np.log(_decay_average(self.slope + beyond, rest)) - beyond * (self.slope + beyond / 2)
        before, above = np.maximum(-y, 0), (1 - self.mode) / self.sd
        area = before * _decay_average(self.slope, before)
        left = np.log((area + above * _decay_average(self.slope, above)) / rest)
        return np.where(y >= 0, right, left) - self.log_area - math.log(self.sd)

    def log_survival(self, origin: _Positions, offset: _Positions) -> _Array:
        """Return the log of the probability of a confidence at or above the position."""
        rest = np.maximum((1 - origin) - offset, 0)
        return np.minimum(self.log_tail_average(origin, offset) + np.log(rest), 0)

    @np.errstate(all="ignore")
    def mean_of(self, value: Callable[[float, _Array], _Array], other: _TruncatedNormal) -> float:
        """Return the mean of ``value(origin, offset)`` over this distribution.

        `value` must not vary faster than the densities of this and of the other distribution.
        """
        own = self.distance(np.arange(2.0, 15, 2))  # up to where the density is negligible
        theirs = other.distance(np.array([1.0, 2, 4, 8, 16, 32]))
        origins = np.unique([self.mode, other.mode, 1.0])
        middles = np.diff(origins) / 2
        lows, highs = np.append(-origins[0], -middles), np.append(middles, 0.0)
        total = 0.0
        for origin, low, high in zip(origins.tolist(), lows, highs, strict=True):
            here, there = self.mode - origin, other.mode - origin
            start, stop = max(low, here - own[-1]), min(high, here + own[-1])

            def integrand(offset: _Array, origin: float = origin) -> _Array:
                density = np.exp(self.log_density((offset - (self.mode - origin)) / self.sd))
                return density / self.sd * value(origin, offset)

            if start < stop:
                inner = [here - own, here + own, there - theirs, there + theirs]
                edges = np.concatenate([[start, here, there, stop], *inner])
                total += _integral(integrand, np.unique(np.clip(edges, start, stop)))
        return total

    @np.errstate(all="ignore")
    def sample(self, n: int, rng: np.random.Generator) -> _Array:
        """Draw n values by rejection sampling; more than 40% of the proposals are accepted."""
        values = self._propose(n, rng)
        while values.size < n:
            values = np.append(values, self._propose(n - values.size, rng))
        return values

    def _propose(self, n: int, rng: np.random.Generator) -> _Array:
        """Draw n proposals and return the accepted ones."""
        width = 1 / self.sd
        if self.slope == 0 and width > 2.5:
            values = rng.normal(self.mode, self.sd, n)
            return values[(values >= 0) & (values <= 1)]
        if self.slope == 0:
            values = rng.random(n)
            return values[rng.random(n) < np.exp(-(((values - self.mode) / self.sd) ** 2) / 2)]
        # The mean lies outside [0, 1]. Propose from the truncated exponential of Robert (1995).
        excess = 2 / (self.slope + math.hypot(self.slope, 2))
        rate = self.slope + excess
        y = -np.log1p(rng.random(n) * math.expm1(-rate * width)) / rate
        peak = min(excess, width)
        y = y[rng.random(n) < np.exp(y * (excess - y / 2) - peak * (excess - peak / 2))]
        return np.abs(self.mode - np.minimum(self.sd * y, 1))


def _integral(function: Callable[[_Array], _Array], edges: _Array) -> float:
    """Integrate by Gauss-Legendre quadrature on panels that are halved until the results agree."""

    def panels(left: _Array, right: _Array) -> _Array:
        half = (right - left) / 2
        nodes = (left + half)[:, None] + half[:, None] * _NODES
        return np.asarray(function(nodes.ravel()).reshape(nodes.shape) @ _WEIGHTS * half)

    left, right = edges[:-1], edges[1:]
    whole = panels(left, right)
    total = 0.0
    for _ in range(_MAX_HALVINGS):
        middle = left + (right - left) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        halves = panels(left, right)
        refined = halves[: whole.size] + halves[whole.size :]
        open_ = np.abs(refined - whole) > _PANEL_TOLERANCE
        total += float(refined[~open_].sum())
        left, right, whole = (values[np.tile(open_, 2)] for values in (left, right, halves))
        if not 0 < whole.size <= _MAX_PANELS:
            break
    return total + float(whole.sum())


def _plain(values: _Array) -> float | _Array:
    """Return a float if the caller gave a scalar."""
    return values if values.ndim else float(values)


@dataclass(frozen=True, slots=True)
class TruncatedNormalMixture:
    """Confidences of correct and incorrect outputs, from two normal distributions truncated to [0, 1].

    The density of the confidence t is ``weight_correct * f_P(t) + (1 - weight_correct) * f_N(t)``. Here
    f_P and f_N are normal densities for correct and for incorrect outputs. They are zero outside [0, 1]
    and scaled to integrate to 1 (Kimura et al., section 4.1). An item is accepted iff confidence >=
    threshold. Areas and rates have an absolute error of at most 1e-9. For rates, this does not include
    the effect of rounding the given threshold or error rate to double precision.

    Parameters
    ----------
    weight_correct : float in [0, 1]
        Probability that an output is correct: the recognition rate β.
    mean_correct, mean_incorrect : float
        Mean of each class's normal distribution before truncation; it may lie outside [0, 1].
    sd_correct, sd_incorrect : float > 0
        Standard deviation of each class's normal distribution before truncation. Values below 1e-150
        are replaced by 1e-150.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of its range, not finite or not a real number.

    See Also
    --------
    fastarac.datasets.load_digits_ocr : load the outputs of four classifiers on 1797 handwritten digits

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 4.1.

    Examples
    --------
    >>> import fastarac as fa
    >>> mixture = fa.synthetic.TruncatedNormalMixture(0.75, 0.6, 0.1, 0.4, 0.1)
    >>> round(mixture.acceptance_rate(0.5), 6), round(mixture.error_rate(0.5), 6)
    (0.67067, 0.039665)
    >>> round(mixture.arp_auc_score(), 6), round(mixture.normalized_arp_auc_score(), 6)
    (0.942431, 0.759863)
    >>> round(mixture.threshold_at_error_rate(0.05), 6)
    0.484164
    """

    weight_correct: float
    mean_correct: float
    sd_correct: float
    mean_incorrect: float
    sd_incorrect: float

    def __post_init__(self) -> None:
        for field in fields(self):
            number = real_scalar(getattr(self, field.name), field.name)
            object.__setattr__(self, field.name, number)
        positive_scalar(self.sd_correct, "sd_correct", strict=True)
        positive_scalar(self.sd_incorrect, "sd_incorrect", strict=True)
        fractions_of(self.weight_correct, "weight_correct")

    def sample(
        self, n: int, random_state: int | np.random.Generator | None = None
    ) -> tuple[npt.NDArray[np.bool_], _Array]:
        """Draw n independent items.

        Parameters
        ----------
        n : int >= 0
            Number of items.
        random_state : int, numpy.random.Generator or None
            Passed to `numpy.random.default_rng`; the same seed gives the same items.

        Returns
        -------
        correct : ndarray of shape (n,), bool
            Whether each output is correct: Bernoulli(``weight_correct``).
        confidence : ndarray of shape (n,), float64
            Drawn from the truncated normal distribution of each item's class, exactly, by rejection (C.
            P. Robert, "Simulation of truncated normal variables", Statistics and Computing 5, 1995).

        Raises
        ------
        ValueError, TypeError
            If n is negative or not an integer.

        Examples
        --------
        >>> import fastarac as fa
        >>> correct, confidence = fa.synthetic.PAPER_CASES[1].sample(100_000, random_state=0)
        >>> round(float(correct.mean()), 2), round(float(confidence.mean()), 2)
        (0.75, 0.55)
        """
        count = whole_number(n, "n", 0)
        rng = np.random.default_rng(random_state)
        correct = rng.random(count) < self.weight_correct
        confidence = np.empty(count)
        for law, chosen in zip(self._laws(), (correct, ~correct), strict=True):
            confidence[chosen] = law.sample(int(chosen.sum()), rng)
        return correct, confidence

    @property
    def recognition_rate(self) -> float:
        """β, the probability that an output is correct (Kimura et al., eq. 6)."""
        return self.weight_correct

    def recall(self, threshold: npt.ArrayLike) -> float | _Array:
        """Share of the correct outputs that are accepted: the true positive rate.

        Parameters
        ----------
        threshold : float or array-like
            Real thresholds. All items are accepted at thresholds up to 0, and none at thresholds of 1
            or more.

        Returns
        -------
        float or ndarray of the shape of threshold
            P(confidence >= threshold | correct), in [0, 1].

        Raises
        ------
        ValueError, TypeError
            If a threshold is NaN or not a real number.

        Examples
        --------
        >>> import fastarac as fa
        >>> fa.synthetic.PAPER_CASES[1].recall([0, 0.6, 1]).round(6).tolist()
        [1.0, 0.499984, 0.0]
        """
        return self._survival(threshold)[0]

    def false_positive_rate(self, threshold: npt.ArrayLike) -> float | _Array:
        """Share of the incorrect outputs that are accepted; for arguments, see `recall`."""
        return self._survival(threshold)[1]

    def acceptance_rate(self, threshold: npt.ArrayLike) -> float | _Array:
        """X, the share of accepted outputs (Kimura et al., eq. 1); for arguments, see `recall`."""
        recall, false_positive_rate = self._survival(threshold)
        return self.weight_correct * recall + (1 - self.weight_correct) * false_positive_rate

    def error_rate(self, threshold: npt.ArrayLike) -> float | _Array:
        """R_E, the share of accepted incorrect outputs (eq. 5); for arguments, see `recall`."""
        return (1 - self.weight_correct) * self._survival(threshold)[1]

    def accuracy_after_correction(self, threshold: npt.ArrayLike) -> float | _Array:
        """Y = 1 - R_E (Kimura et al., eq. 16); for arguments, see `recall`."""
        return 1 - self.error_rate(threshold)

    def roc_auc_score(self) -> float:
        """ROC-AUC, ∫ TPR dFPR, in [0, 1]: the share of pairs where the correct output ranks higher.

        NaN, with an `UndefinedMetricWarning`, if ``weight_correct`` is 0 or 1.

        Examples
        --------
        >>> import fastarac as fa
        >>> [round(case.roc_auc_score(), 3) for case in fa.synthetic.PAPER_CASES.values()]
        [0.921, 0.921, 0.998, 0.76, 0.998]
        """
        if self.weight_correct in (0, 1):
            return self._undefined("ROC-AUC")
        return 1 - self._misorder()

    def pr_auc_score(self) -> float:
        """PR-AUC, ∫ precision d(recall), in [0, 1].

        NaN, with an `UndefinedMetricWarning`, if ``weight_correct`` is 0.

        Examples
        --------
        >>> import fastarac as fa
        >>> [round(case.pr_auc_score(), 3) for case in fa.synthetic.PAPER_CASES.values()]
        [0.97, 0.822, 0.994, 0.982, 1.0]
        """
        if self.weight_correct == 0:
            return self._undefined("PR-AUC")
        if self.weight_correct == 1:
            return 1.0
        correct, incorrect = self._laws()
        return min(correct.mean_of(lambda *position: self._shares(*position)[0], incorrect), 1.0)

    def arac_auc_score(self) -> float:
        """ARAC-AUC, ∫ Y dX, in [0, 1] (Kimura et al., eq. 17, tables 4 and 6).

        Examples
        --------
        >>> import fastarac as fa
        >>> [round(case.arac_auc_score(), 3) for case in fa.synthetic.PAPER_CASES.values()]
        [0.954, 0.704, 0.718, 0.987, 0.999]
        """
        return 1 - self.augrc_loss()

    def arac_area(self, *, gamma: float = 1.0) -> CurveArea:
        """The ARAC-AUC and its parts (Kimura et al., eq. 17-20).

        Parameters
        ----------
        gamma : float >= 0
            The cost of verifying an item divided by the cost of correcting it.

        Returns
        -------
        CurveArea
            ``auc``; ``lower`` = β; ``upper`` = auc - β; ``improved`` = gamma·upper/(1-β) + β, or
            gamma + 1 where β = 1; ``normalized`` = improved/(gamma+1); ``gamma``.

        Raises
        ------
        ValueError, TypeError
            If gamma is negative, not finite or not a real number.

        Examples
        --------
        >>> import fastarac as fa
        >>> area = fa.synthetic.PAPER_CASES[1].arac_area()
        >>> round(area.upper, 3), round(area.lower, 3), round(area.normalized, 3)
        (0.204, 0.75, 0.783)
        """
        return self._area(self._arac_loss(), gamma)

    def normalized_arac_auc_score(self, *, gamma: float = 1.0) -> float:
        """Normalised ARAC-AUC, ``arac_area(gamma).normalized`` (Kimura et al., eq. 20).

        For case 2, table 4 of the paper prints 0.423, but the paper's formula gives 0.428.

        Examples
        --------
        >>> import fastarac as fa
        >>> [round(case.normalized_arac_auc_score(), 3) for case in fa.synthetic.PAPER_CASES.values()]
        [0.783, 0.428, 0.437, 0.849, 0.961]
        """
        return self.arac_area(gamma=gamma).normalized

    def arp_auc_score(self) -> float:
        """ARP-AUC, ∫ precision dX, in [0, 1] (the curve of Kimura et al., section 3.4)."""
        return 1 - self.aurc_loss()

    def normalized_arp_auc_score(self, *, gamma: float = 1.0) -> float:
        """ARP-AUC, normalised like the ARAC-AUC; for its parameter and errors, see `arac_area`."""
        return self._area(self._arp_loss(), gamma).normalized

    def aurc_loss(self) -> float:
        """AURC, the area under the risk-coverage curve: 1 - `arp_auc_score`."""
        return min((1 - self.weight_correct) * self._arp_loss(), 1.0)

    def augrc_loss(self) -> float:
        """AUGRC, the area under the generalised risk-coverage curve: 1 - `arac_auc_score`."""
        return (1 - self.weight_correct) * self._arac_loss()

    def threshold_at_error_rate(self, max_error_rate: npt.ArrayLike) -> float | _Array:
        """Return θ, the lowest threshold with an error rate of at most `max_error_rate`.

        Parameters
        ----------
        max_error_rate : float or array-like, in [0, 1]
            Allowed error rates ε.

        Returns
        -------
        float or ndarray of the shape of max_error_rate
            The threshold θ with R_E(θ) = ε (Kimura et al., section 3.2). If ε >= 1 - β, θ is 0;
            otherwise, if ε = 0, θ is 1. Here R_E is the error rate, and β is `weight_correct`.

        Raises
        ------
        ValueError, TypeError
            If an error rate is NaN, outside [0, 1] or not a real number.
        """
        offset = self._offset_at(fractions_of(max_error_rate, "max_error_rate"))
        return _plain(np.clip(self._laws()[0].mode + offset, 0, 1))

    def acceptance_at_error_rate(self, max_error_rate: npt.ArrayLike) -> float | _Array:
        """X(θ), the highest acceptance rate with an error rate of at most `max_error_rate`.

        For arguments and errors raised, see `threshold_at_error_rate`. The result is 1 for limits of at
        least 1 - `weight_correct`; otherwise, it is 0 for a limit of 0.

        Examples
        --------
        >>> import fastarac as fa
        >>> limits = [0, 0.01, 0.05, 0.25]
        >>> fa.synthetic.PAPER_CASES[1].acceptance_at_error_rate(limits).round(4).tolist()
        [0.0, 0.4588, 0.7075, 1.0]
        """
        allowed = fractions_of(max_error_rate, "max_error_rate")
        law = self._laws()[0]
        with np.errstate(all="ignore"):
            recall = np.exp(law.log_survival(law.mode, self._offset_at(allowed)))
            accepted = np.where(allowed > 0, self.weight_correct * recall + allowed, 0)
        return _plain(np.where(allowed >= 1 - self.weight_correct, 1, np.minimum(accepted, 1)))

    def performance_at_error_rate(
        self, max_error_rate: npt.ArrayLike, *, costs: VerificationCosts
    ) -> float | _Array:
        """W(θ) = γ X(θ) + β - δ ε, where higher is better (Kimura et al., eq. 15, tables 4 and 6).

        Here ε is `max_error_rate`, β is `weight_correct`, and `costs` provides γ and δ. For other
        arguments and errors raised, see `threshold_at_error_rate`.

        Examples
        --------
        >>> import fastarac as fa
        >>> costs = fa.VerificationCosts.from_ratios(gamma=1, delta=0)
        >>> case = fa.synthetic.PAPER_CASES[1]
        >>> case.performance_at_error_rate([0.01, 0.05], costs=costs).round(2).tolist()
        [1.21, 1.46]
        """
        from fastarac.costs.verification import performance_of, require_costs

        require_costs(costs)
        allowed = fractions_of(max_error_rate, "max_error_rate")
        rates = self.acceptance_at_error_rate(allowed), self.weight_correct, allowed
        return _plain(np.asarray(performance_of(costs.gamma, costs.delta, *rates)))

    @np.errstate(all="ignore")
    def _laws(self) -> tuple[_TruncatedNormal, _TruncatedNormal]:
        """Return the distributions of confidence for the correct and for the incorrect outputs."""
        return (
            _TruncatedNormal(self.mean_correct, self.sd_correct),
            _TruncatedNormal(self.mean_incorrect, self.sd_incorrect),
        )

    @np.errstate(all="ignore")
    def _survival(self, threshold: npt.ArrayLike) -> tuple[float | _Array, float | _Array]:
        """Return the recall and the false positive rate at thresholds."""
        array = np.asarray(threshold)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"threshold must hold real numbers, got type {array.dtype}")
        if np.isnan(array).any():
            raise ValueError("threshold must hold real numbers, got nan")
        position = np.clip(array.astype(np.float64), 0, 1)
        correct, incorrect = (
            np.where(position > 0, np.exp(law.log_survival(position, 0.0)), 1) for law in self._laws()
        )
        return _plain(correct), _plain(incorrect)

    def _shares(self, origin: float, offset: _Array) -> tuple[_Array, _Array]:
        """Return precision, and risk/(1-β), at the threshold ``origin + offset``; 0 < β < 1."""
        correct, incorrect = (law.log_tail_average(origin, offset) for law in self._laws())
        weight, other = self.weight_correct, 1 - self.weight_correct
        odds = np.exp(correct - incorrect + (math.log(weight) - math.log(other)))
        return 1 / (1 + 1 / odds), 1 / (other * (1 + odds))

    def _misorder(self) -> float:
        """Return P(confidence of an incorrect output ≥ confidence of a correct one)."""
        law, other = self._laws()
        return min(law.mean_of(lambda *at: np.exp(other.log_survival(*at)), other), 1.0)

    def _arac_loss(self) -> float:
        """Return (1 - ARAC-AUC) / (1-β), the integral of FPR over X; dX = β dTPR + (1-β) dFPR."""
        return self.weight_correct * self._misorder() + (1 - self.weight_correct) / 2

    def _arp_loss(self) -> float:
        """Return (1 - ARP-AUC) / (1-β), the integral of risk/(1-β) over X."""
        beta = self.weight_correct
        if beta in (0, 1):
            return 1 - beta
        correct, incorrect = self._laws()
        return sum(
            law.mean_of(lambda *position, w=weight: w * self._shares(*position)[1], other)
            for law, other, weight in ((correct, incorrect, beta), (incorrect, correct, 1 - beta))
        )

    def _area(self, loss: float, gamma: float) -> CurveArea:
        """Decompose the area 1 - (1-β)·loss into the parts of a `CurveArea`."""
        from fastarac.areas.arac import CurveArea

        gamma = positive_scalar(gamma, "gamma")
        beta = self.weight_correct
        upper = (1 - beta) * (1 - loss)
        improved = gamma * (1 - loss) + beta if beta < 1 else gamma + 1
        return CurveArea(beta + upper, upper, beta, improved, improved / (gamma + 1), gamma)

    @np.errstate(all="ignore")
    def _offset_at(self, error_rate: _Array) -> _Array:
        """Return the lowest thresholds with these error rates, minus the mode for correct outputs."""
        correct, incorrect = self._laws()
        low, high, weight = -correct.mode, 1 - correct.mode, 1 - self.weight_correct
        lows = np.where((error_rate == 0) & (weight > 0), high, low)
        highs = np.where(error_rate >= weight, low, high)
        target = np.log(error_rate) - np.log(weight)
        fine = 1e-15 * min(1, *(float(law.distance(1)) for law in (correct, incorrect)))
        offset = (lows + highs) / 2
        # Take a Newton step if it stays inside the bracket, otherwise bisect.
        for _ in range(_MAX_SEARCH_STEPS):
            log_survival = incorrect.log_survival(correct.mode, offset)
            excess = log_survival - target
            lows, highs = np.where(excess > 0, offset, lows), np.where(excess <= 0, offset, highs)
            y = (correct.mode - incorrect.mode + offset) / incorrect.sd
            step = incorrect.sd * excess * np.exp(log_survival - incorrect.log_density(y))
            tolerance = fine + 2 * np.spacing(np.abs(offset))
            settled = (np.abs(step) <= tolerance) | (highs - lows <= tolerance)
            if settled.all():
                break
            inside = (offset + step > lows) & (offset + step < highs)
            step = np.where(inside, step, lows + (highs - lows) / 2 - offset)
            offset = np.where(settled, offset, offset + step)
        return offset

    def _undefined(self, metric: str) -> float:
        message = f"{metric} is undefined where weight_correct is {self.weight_correct:g}: NaN"
        warnings.warn(message, UndefinedMetricWarning, stacklevel=3)
        return math.nan


PAPER_CASES: Final[Mapping[int, TruncatedNormalMixture]] = MappingProxyType(
    {
        1: TruncatedNormalMixture(0.75, 0.6, 0.1, 0.4, 0.1),
        2: TruncatedNormalMixture(0.25, 0.6, 0.1, 0.4, 0.1),
        3: TruncatedNormalMixture(0.25, 0.7, 0.1, 0.3, 0.1),
        4: TruncatedNormalMixture(0.95, 0.55, 0.1, 0.45, 0.1),
        5: TruncatedNormalMixture(0.95, 0.7, 0.1, 0.3, 0.1),
    }
)
"""The mixtures of Kimura et al. by case number, read-only: 1 to 3 in table 3, 4 and 5 in table 5."""
