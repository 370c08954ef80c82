"""Truth of some items, each verified with a known probability, and counts estimated from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import choice, reject_where, same_number
from fastarac._core.quantiles import normal_quantile
from fastarac._core.results import Result, read_only
from fastarac._engine.counts import CountsAtThresholds, ThresholdCounts
from fastarac._engine.inputs import NAMES, Items, labels_in_part, read_groups, vector
from fastarac.sweep import LabelsInPart, ThresholdSweep, threshold_sweep, trusted_sweep

FloatArray = NDArray[np.float64]

FOLDS = 5  # that verified items are divided into, so that none predicts itself
PRIOR = 2.0  # items of the mean error rate that each block of a calibration has beside its own
STEPS = 20  # of κ from 0 to 1
UNLIKELY = 0.001  # of honest samples that are refused for their size


@dataclass(frozen=True, slots=True, eq=False)
class PartialTruth(LabelsInPart, Result):
    r"""The truth of those items that people verified, and with which probability each was chosen.

    It stands where `correct` does: in :func:`.evaluate`, :func:`.asymptotic_interval`,
    :func:`.compare_models`, operating points, curves and areas of (correct, confidence). Each item then
    counts with an estimate of its error, which is right on average.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each output was right (1 or 0); NaN or null where nobody verified it.
    inclusion_probability : float or array_like of shape (n,)
        π, with which probability each item was chosen to be verified, in (0, 1]; decided before its
        truth was known. It may be NaN where an item was not chosen.
    judge : array_like of shape (n,), optional
        A guess at the probability that each item is right, in [0, 1], for all of them: of another
        engine, of a language model, a calibrated confidence. It is calibrated anew on the verified
        items. A bad judge makes nothing wrong, and a good one makes intervals narrower.
    drawn : array_like of shape (n,), bool, optional
        Which items were chosen, with or without an answer so far. Without it, those that are known.
    open : {"refuse", "wrong"}, default="refuse"
        What to do with items that were drawn and have no answer: refuse them, or count them as wrong.
    groups : array_like of shape (n,), optional
        Labels of pages, documents or other groups of items that depend on each other, or that were
        drawn whole. Intervals and guarantees rest on them, unless they are given other groups.
    graded : bool, default=False
        Whether `correct` may be a grade in [0, 1], such as the share of verifiers who called it right.

    Attributes
    ----------
    n_verified : int
        Items whose truth is known.
    complete : bool
        Whether that is all of them, with certainty: figures are then those of plain labels.

    Raises
    ------
    ValueError
        For a probability of 0, above 1 or NaN where an item is verified, a truth without one, a judge
        outside [0, 1], other labels than 0 and 1 (grades with `graded`), drawn items without an answer,
        and where nothing is verified. Where the probabilities of all items are given, also for a number
        of drawn items that is outside the central 99.9 % of what they make likely, or whose weights 1/π
        do not sum to about n.

    Notes
    -----
    With e = 1 − `correct`, V = 1 of a verified item and g a prediction of e from items of other folds,

    .. math:: \tilde e_i = g_i + \frac{V_i}{\pi_i}(e_i - g_i)

    has the mean e over the draw, whatever g is worth (the difference estimator, Särndal, Swensson and
    Wretman 1992, 6.3; augmented inverse probability weighting, Robins, Rotnitzky and Zhao 1994;
    "prediction-powered inference", Angelopoulos et al. 2023). Counts at a threshold are sums of ẽ. g is
    (1 − κ)·g⁰ + κ·g¹: g⁰ is the error rate by the confidence, g¹ by the judge, each by isotonic
    regression with weights 1/π on the other four of five folds; κ in [0, 1] minimises the variance of
    the statistic that is asked for (PPI++, Angelopoulos, Duchi and Zrnic 2023).

    ``a + b`` is the truth of the items of `a` followed by those of `b`, each with its probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(10_000)
    >>> right = rng.random(10_000) < 0.9 + 0.1 * confidence
    >>> chosen = rng.random(10_000) < 0.1
    >>> truth = fa.PartialTruth(np.where(chosen, right, np.nan), inclusion_probability=0.1)
    >>> truth
    PartialTruth(1004 of 10000 verified)
    >>> fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
    Interval(0.942832 [0.926221, 0.956656], 95 %, inversion)
    """

    correct: FloatArray
    inclusion_probability: FloatArray
    judge: FloatArray | None
    groups: NDArray[np.intp] | None
    graded: bool

    def __init__(
        self,
        correct: ArrayLike,
        *,
        inclusion_probability: ArrayLike,
        judge: ArrayLike | None = None,
        drawn: ArrayLike | None = None,
        open: Literal["refuse", "wrong"] = "refuse",  # noqa: A002, as users say it
        groups: ArrayLike | None = None,
        graded: bool = False,
    ) -> None:
        choice(open, "open", ("refuse", "wrong"))
        truth = labels_in_part(correct, "correct")
        n = len(truth)
        if n == 0:
            raise ValueError("correct is empty; at least one item is expected")
        known = ~np.isnan(truth)
        good = ((truth >= 0) & (truth <= 1)) if graded else np.isin(truth, (0, 1))
        reject_where(known & ~good, truth, "correct", "a grade in [0, 1]" if graded else "0, 1 or NaN")
        probability = _probabilities(inclusion_probability, n)
        chosen = known
        if drawn is not None:
            flags = vector(drawn, "drawn")
            same_number("drawn", len(flags), "correct", n)
            reject_where(~np.isin(flags, (0, 1)), flags, "drawn", "0 or 1")
            chosen = flags == 1
            if (known & ~chosen).any():
                i = int((known & ~chosen).argmax())
                raise ValueError(f"drawn[{i}] is 0, but correct[{i}] is {truth[i]:g}; NaN is expected")
            left = chosen & ~known
            if left.any() and open == "refuse":
                raise ValueError(
                    f"correct is NaN at {int(left.sum())} items that were drawn, first at "
                    f"{int(left.argmax())}; their answers are expected, or open='wrong'"
                )
            truth = np.where(left, 0.0, truth)
            known = known | left
        bad = known & ~((probability > 0) & (probability <= 1))
        if bad.any():
            i = int(bad.argmax())
            raise ValueError(
                f"inclusion_probability[{i}] is {probability[i]:g} of a verified item; a number above "
                f"0 and at most 1 is expected ({int(bad.sum())} such rows)"
            )
        if not known.any():
            raise ValueError("correct is NaN everywhere; the truth of some items is expected")
        codes = None
        if groups is not None:
            codes = read_groups(groups, n, beside="correct")[1].astype(np.intp)
        _refuse_unlikely(probability, chosen, codes)
        opinion = None
        if judge is not None:
            given = vector(judge, "judge")
            same_number("judge", len(given), "correct", n)
            reject_where(~((given >= 0) & (given <= 1)), given, "judge", "a number in [0, 1]")
            opinion = given.astype(np.float64)
        self._fill(truth, probability, opinion, codes, graded=bool(graded))

    def _fill(
        self,
        truth: FloatArray,
        probability: FloatArray,
        judge: FloatArray | None,
        groups: NDArray[np.intp] | None,
        *,
        graded: bool,
    ) -> None:
        values: dict[str, Any] = {"correct": truth, "inclusion_probability": probability}
        values |= {"judge": judge, "groups": groups}
        for name, value in values.items():
            object.__setattr__(self, name, read_only(value))
        object.__setattr__(self, "graded", graded)

    def __repr__(self) -> str:
        judged = "" if self.judge is None else ", with a judge"
        return f"PartialTruth({self.n_verified} of {len(self.correct)} verified{judged})"

    def __len__(self) -> int:
        return len(self.correct)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Raise ``TypeError``: it is no array of labels."""
        raise TypeError(
            "a PartialTruth is given, which this function does not take; evaluate, "
            "asymptotic_interval, compare_models, guaranteed_operating_point, operating_point, "
            "acceptance_at_error_rate, acceptance_at_risk, threshold_sweep, and "
            "curves and areas of (correct, confidence) do"
        )

    def __add__(self, other: object) -> PartialTruth:
        """The items of this one, then those of the other."""
        if not isinstance(other, PartialTruth):
            return NotImplemented
        for name in ("judge", "groups"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                raise ValueError(f"{name} is given for one of two truths that are added, but not both")
        both = PartialTruth.__new__(PartialTruth)
        judge = None
        if self.judge is not None and other.judge is not None:
            judge = np.concatenate([self.judge, other.judge])
        groups = None
        if self.groups is not None and other.groups is not None:
            groups = np.concatenate([self.groups, other.groups + self.groups.max() + 1])
        both._fill(
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.inclusion_probability, other.inclusion_probability]),
            judge,
            groups,
            graded=self.graded or other.graded,
        )
        return both

    @property
    def verified(self) -> NDArray[np.bool_]:
        """Whose truth is known, (n,)."""
        return ~np.isnan(self.correct)

    @property
    def n_verified(self) -> int:
        """How many items are verified."""
        return int(self.verified.sum())

    @property
    def complete(self) -> bool:
        """Whether all items are known with certainty, so that there is nothing to estimate."""
        return self.n_verified == len(self.correct) and bool((self.inclusion_probability == 1.0).all())

    @property
    def simplified(self) -> PartialTruth | FloatArray:
        """Plain labels where all items are known with certainty; this object otherwise."""
        return self.correct if self.complete and not self.graded else self

    def sweep_of(self, confidence: ArrayLike) -> ThresholdSweep:
        """Return the estimated counts at every threshold; those of plain labels where all are known."""
        if self.simplified is not self:
            return threshold_sweep(self.correct, confidence)
        items = PartialItems(self, confidence)
        return items.sweep(items.share_of(np.ones(len(items.counts))))


def _probabilities(given: ArrayLike, n: int) -> FloatArray:
    if np.ndim(given) == 0:
        given = np.full(n, given)
    found = labels_in_part(given, "inclusion_probability")
    same_number("inclusion_probability", len(found), "correct", n)
    return found


def _refuse_unlikely(
    probability: FloatArray, chosen: NDArray[np.bool_], codes: NDArray[np.intp] | None
) -> None:
    """Refuse a sample whose size contradicts its probabilities, where those of all items are known.

    Where groups were drawn whole, the groups are counted, each by its first item.
    """
    if not ((probability > 0) & (probability <= 1)).all():
        return
    unit = "items"
    if codes is not None:
        first = np.unique(codes, return_index=True)[1]
        whole = (chosen == chosen[first][codes]) & (probability == probability[first][codes])
        if whole.all():
            probability, chosen, unit = probability[first], chosen[first], "groups"
    n, found = len(probability), int(chosen.sum())
    reach = normal_quantile(1.0 - UNLIKELY)
    spread = math.sqrt(float(np.sum(probability * (1.0 - probability))))
    mean = float(probability.sum())
    if abs(found - mean) > reach * spread + 1.0:
        raise ValueError(
            f"inclusion_probability sums to {mean:,.1f}, about so many of {n:,} {unit} are expected to "
            f"be verified, but {found:,} are"
        )
    odds = (1.0 - probability) / probability
    spread = math.sqrt(float(odds.sum()))
    stand_for = float((1.0 / probability[chosen]).sum())
    heaviest = float((1.0 / probability).max())
    if abs(stand_for - n) > reach * spread + heaviest:
        raise ValueError(
            f"inclusion_probability does not fit: verified {unit} stand for {stand_for:,.0f}, "
            f"each for one over its probability; about {n:,} are expected"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EstimatedSweep(ThresholdSweep):
    """Counts of accepted items at every threshold, estimated from the truth of some.

    How many items are accepted at a threshold is known, and how many of them are wrong is estimated:
    `false_accepts` is a sum of ẽ (:class:`.PartialTruth`), which may fall from one threshold to the
    next, and `true_accepts` is the rest. Areas are right on average over the draw of what was verified.
    For limits, :attr:`rising` takes the largest number of errors so far, from the highest threshold
    down.

    Attributes
    ----------
    thresholds, true_accepts, false_accepts : ndarray of shape (m + 1,)
        As of a :class:`.ThresholdSweep`.
    squares : ndarray of shape (m,)
        Σẽ² of the items at each threshold but the first, which pairs of an item with itself need.
    n_verified : int
        Items whose truth is known.
    """

    squares: FloatArray
    n_verified: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", read_only(self.squares))

    def __repr__(self) -> str:
        return (
            f"EstimatedSweep({len(self.thresholds) - 1} thresholds, about {self.n_correct:.6g} "
            f"correct, {self.n_incorrect:.6g} incorrect, {self.n_verified} verified)"
        )

    @property
    def rising(self) -> ThresholdSweep:
        """The counts with which limits are kept: errors never fall from a threshold to the next."""
        accepted = self.true_accepts + self.false_accepts
        errors = np.minimum(np.maximum.accumulate(np.maximum(self.false_accepts, 0.0)), accepted)
        counts = ThresholdCounts(self.thresholds, accepted - errors, errors)
        return trusted_sweep(ThresholdSweep, counts)

    def __add__(self, other: object) -> ThresholdSweep:
        """Raise ``TypeError``: truths are added, and estimated together."""
        raise TypeError("an EstimatedSweep is added; a PartialTruth of all items is expected")


def for_limits(sweep: CountsAtThresholds) -> CountsAtThresholds:
    """Counts with which limits are kept: of estimated ones those whose errors never fall."""
    return sweep.rising if isinstance(sweep, EstimatedSweep) else sweep


def require_alone(**others: object) -> None:
    """Raise where anything of these names is given beside a `PartialTruth`."""
    for name, value in others.items():
        if value is not None:
            raise TypeError(f"{name} is given beside a PartialTruth; the truth alone is expected")


class PartialItems:
    """Items of which some are verified, from the highest confidence down.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        From inf down.
    point : ndarray of shape (n,)
        Index into ``thresholds[1:]`` of each item; never falls.
    counts : ndarray of shape (m,)
        Items at each threshold but the first.
    places : ndarray of shape (n_verified,)
        The verified items, rising.
    error, weight : ndarray of shape (n_verified,)
        e and 1/π of these.
    order : ndarray of shape (n,)
        The place of each item among those that were given.
    predictions : tuple of one or two ndarray of shape (n,)
        g⁰ of each item, by the confidence, and g¹, by the judge, where there is one.
    codes : ndarray of shape (n,) or None
        The number of each item's group.
    """

    def __init__(
        self, truth: PartialTruth, confidence: ArrayLike, codes: NDArray[np.intp] | None = None
    ) -> None:
        scores = vector(confidence, "confidence")
        same_number("correct", len(truth), "confidence", len(scores))
        if scores.dtype.kind == "f" and not np.isfinite(scores).all():
            Items(np.zeros(len(scores), np.bool_), scores, None, NAMES).reject()
        n = len(scores)
        order = np.argsort(scores, kind="stable")[::-1]
        self.order = order
        ordered = scores[order]
        first = np.ones(n, np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        values = ordered[first]
        exact = values.dtype.kind in "iu" and max(abs(int(values[0])), abs(int(values[-1]))) > 1 << 53
        values = values.astype(object if exact else np.float64) + 0  # minus zero is zero
        self.thresholds: NDArray[Any] = np.concatenate([[np.inf], values])
        self.distinct = len(values) == n
        self._starts = np.flatnonzero(first)
        self.counts = np.diff(np.append(self._starts, n))
        self.point = np.arange(n) if self.distinct else np.cumsum(first) - 1
        self.codes = None if codes is None else codes[order]
        self.places = np.flatnonzero(truth.verified[order])
        rows = order[self.places]
        self.error: FloatArray = 1.0 - truth.correct[rows]
        self.weight: FloatArray = 1.0 / truth.inclusion_probability[rows]
        judge = None if truth.judge is None else truth.judge[order]
        fold = self._folds(judge)
        self.predictions = [self._predicted(self.point, fold)]
        if judge is not None:
            self.predictions.append(self._predicted(-judge, fold))
        self._sweeps: dict[float | None, EstimatedSweep] = {}

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.point)

    @property
    def partial(self) -> bool:
        """Whether anything is left to chance."""
        return len(self.places) < self.n or bool((self.weight != 1.0).any())

    def errors(self, share: float | None) -> FloatArray:
        """ẽ of each item, with so much of the judge in g; without any g for None."""
        if share is None:
            found = np.zeros(self.n)
            found[self.places] = self.weight * self.error
            return found
        if share and len(self.predictions) > 1:
            found = (1.0 - share) * self.predictions[0]
            found += share * self.predictions[1]
        else:
            found = self.predictions[0].copy()
        found[self.places] += self.weight * (self.error - found[self.places])
        return found

    def share_of(self, derivative: FloatArray) -> float:
        """κ for a statistic with this derivative by the error of an item at each threshold.

        The slope of the regression, through the origin, of what the verified items add to the error of
        the statistic on what they add by the difference of the two predictions (PPI++, equation 8),
        within [0, 1], and to the next of `STEPS`: statistics that are alike share their counts.
        """
        if len(self.predictions) == 1:
            return 0.0
        w, places = self.weight, self.places
        scale = np.sqrt(w * (w - 1.0)) * derivative[self.point[places]]
        by_confidence, by_judge = (each[places] for each in self.predictions)
        difference = (by_judge - by_confidence) * scale
        residual = (self.error - by_confidence) * scale
        if self.codes is not None:
            difference, residual = (np.bincount(self.codes[places], x) for x in (difference, residual))
        squares = float(difference @ difference)
        if not squares > 0.0:
            return 0.0
        return round(min(1.0, max(0.0, float(residual @ difference) / squares)) * STEPS) / STEPS

    def of_ties(self, values: FloatArray) -> FloatArray:
        """Sums of the values of the items at each threshold."""
        return values if self.distinct else np.add.reduceat(values, self._starts)

    def sweep(self, share: float | None) -> EstimatedSweep:
        """The counts at every threshold."""
        if share not in self._sweeps:
            errors = self.errors(share)
            wrong = np.concatenate([[0.0], np.cumsum(self.of_ties(errors))])
            accepted = np.concatenate([[0], np.cumsum(self.counts)])
            counts = ThresholdCounts(self.thresholds, accepted - wrong, wrong)
            sweep = trusted_sweep(EstimatedSweep, counts)
            object.__setattr__(sweep, "squares", read_only(self.of_ties(errors * errors)))
            object.__setattr__(sweep, "n_verified", len(self.places))
            self._sweeps[share] = sweep
        return self._sweeps[share]

    def _folds(self, judge: FloatArray | None) -> NDArray[np.intp]:
        """The fold of each verified item, drawn in an order that does not depend on theirs."""
        rng = np.random.default_rng(0)
        if self.codes is not None:
            own, number = np.unique(self.codes[self.places], return_inverse=True)
            return rng.permutation(len(own))[number] % FOLDS
        opinion = np.zeros(len(self.places)) if judge is None else judge[self.places]
        keys = self.error, opinion, self.weight, self.point[self.places]
        fold = np.empty(len(self.places), np.intp)
        fold[np.lexsort(keys)] = rng.permutation(len(self.places)) % FOLDS
        return fold

    def _predicted(self, score: NDArray[Any], fold: NDArray[np.intp]) -> FloatArray:
        """The error rate by a score, which never falls with it, from the verified items of other folds.

        Items that are not verified get the mean of what all folds say.
        """
        own = score[self.places]
        mean = float(self.weight @ self.error) / float(self.weight.sum())
        rules = []
        for k in range(FOLDS):
            others = fold != k
            rules.append(_calibration(own[others], self.error[others], self.weight[others], mean))
        edges = np.unique(np.concatenate([edges for edges, _ in rules]))
        rates = np.array(
            [rates[np.minimum(np.searchsorted(ends, edges), len(ends) - 1)] for ends, rates in rules]
        )
        rates = np.concatenate([rates, rates[:, -1:]], axis=1)
        index = np.searchsorted(edges, score)
        found: FloatArray = rates.mean(axis=0)[index]
        found[self.places] = rates[fold, index[self.places]]
        return found


def _calibration(
    score: NDArray[Any], error: FloatArray, weight: FloatArray, mean: float
) -> tuple[NDArray[Any], FloatArray]:
    """The highest score of each block, rising, and its error rate; with `PRIOR` items of the mean."""
    if not len(score):
        return np.zeros(1), np.full(1, mean)
    values, place = np.unique(score, return_inverse=True)
    w, e = np.bincount(place, weight), np.bincount(place, weight * error)
    last = np.empty(len(values), np.int64)
    m = _kernels.betting.pool_weighted(e, w, last)
    beside = PRIOR * float(weight.mean())
    rates = (e[:m] + beside * mean) / (w[:m] + beside)
    return values[last[:m]], rates
