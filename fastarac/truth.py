"""Truth of some items, each verified with a known probability, and counts estimated from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import choice, reject_where, same_number
from fastarac._core.results import Result, read_only
from fastarac._core.text import plural
from fastarac._engine import parallel, predictions
from fastarac._engine.counts import ThresholdCounts
from fastarac._engine.inclusion import least_of, probabilities_of, refuse_unlikely
from fastarac._engine.inputs import NAMES, Items, labels_in_part, read_groups, vector
from fastarac.estimated_sweep import EstimatedSweep
from fastarac.sweep import LabelsInPart, ThresholdSweep, threshold_sweep, trusted_sweep

FloatArray = NDArray[np.float64]

STEPS = 20  # of κ from 0 to 1
KEPT = 3  # of the counts by κ that are held at a time
FEW = 10.0  # verified errors that count, below which predictions are left out
FEW_JUDGED = 20.0  # below which they do not show how far a judge is off

INSTEAD = (
    "threshold_sweep(correct, confidence), given alone, has the estimated counts for curves, "
    "asymptotic_interval has intervals and compare_models tests"
)


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
    least_probability : float, optional
        What no item's probability is below, verified or not; of use where some are NaN, as guarantees
        rest on it. By default the least of all where none is NaN.

    Attributes
    ----------
    least_probability : float or None
        None where it is neither given nor known from the probabilities of all.
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

    See Also
    --------
    EstimatedSweep : counts at every threshold, estimated from the truth of some items
    fastarac.partial_truth.draw_verification_sample : draw the outputs that people verify
    fastarac.partial_truth.read_verified : read outputs of which some are verified

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

    References
    ----------
    Särndal, Swensson and Wretman 1992, "Model assisted survey sampling", 6.3; Robins, Rotnitzky and
    Zhao 1994, "Estimation of regression coefficients when some regressors are not always observed";
    Angelopoulos and others 2023, "Prediction-powered inference"; Angelopoulos, Duchi and Zrnic 2023,
    "PPI++".

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
    least_probability: float | None

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
        least_probability: float | None = None,
    ) -> None:
        choice(open, "open", ("refuse", "wrong"))
        truth = labels_in_part(correct, "correct")
        n = len(truth)
        if n == 0:
            raise ValueError("correct is empty; at least one item is expected")
        known = ~np.isnan(truth)
        good = ((truth >= 0) & (truth <= 1)) if graded else np.isin(truth, (0, 1))
        reject_where(known & ~good, truth, "correct", "a grade in [0, 1]" if graded else "0, 1 or NaN")
        probability = probabilities_of(inclusion_probability, n)
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
        bad = ~((probability > 0) & (probability <= 1)) & (known | ~np.isnan(probability))
        if bad.any():
            i = int(bad.argmax())
            of, or_unknown = (" of a verified item", "") if known[i] else ("", ", or NaN if unknown,")
            raise ValueError(
                f"inclusion_probability[{i}] is {probability[i]:g}{of}; a number above "
                f"0 and at most 1{or_unknown} is expected ({_such_rows(bad)})"
            )
        certain = (probability == 1.0) & ~known
        if certain.any() and known.any():
            i = int(certain.argmax())
            raise ValueError(
                f"inclusion_probability[{i}] is 1, but correct[{i}] is NaN; the truth of an item that "
                f"is certain to be chosen is expected ({_such_rows(certain)})"
            )
        if not known.any():
            raise ValueError("correct is NaN everywhere; the truth of some items is expected")
        codes = None
        if groups is not None:
            codes = read_groups(groups, n, beside="correct")[1].astype(np.intp)
        least = least_of(probability, least_probability)
        refuse_unlikely(probability, chosen, codes, least)
        opinion = None if judge is None else read_judge(judge, n, beside="correct")
        self._fill(truth, probability, opinion, codes, least, graded=bool(graded))

    def _fill(
        self,
        truth: FloatArray,
        probability: FloatArray,
        judge: FloatArray | None,
        groups: NDArray[np.intp] | None,
        least: float | None,
        *,
        graded: bool,
    ) -> None:
        values: dict[str, Any] = {"correct": truth, "inclusion_probability": probability}
        values |= {"judge": judge, "groups": groups}
        for name, value in values.items():
            object.__setattr__(self, name, read_only(value))
        object.__setattr__(self, "graded", graded)
        object.__setattr__(self, "least_probability", least)

    @classmethod
    def of_checked(cls, correct: FloatArray, inclusion_probability: FloatArray) -> PartialTruth:
        """Of labels and probabilities that were checked in another way."""
        truth = cls.__new__(cls)
        least = least_of(inclusion_probability, None)
        truth._fill(correct, inclusion_probability, None, None, least, graded=False)  # noqa: SLF001
        return truth

    def __repr__(self) -> str:
        judged = "" if self.judge is None else ", with a judge"
        return f"PartialTruth({self.n_verified} of {len(self.correct)} verified{judged})"

    def __len__(self) -> int:
        return len(self.correct)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return the labels where all are known with certainty; raise ``TypeError`` otherwise."""
        if self.simplified is self:
            self.refuse()
        return np.array(self.correct, dtype)

    def refuse(self, instead: str = "") -> NoReturn:
        """Raise where the labels of all items are needed, and say what to use instead."""
        raise TypeError(
            f"a PartialTruth is given in place of the labels of all items; {instead or INSTEAD}"
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
        least = None
        if self.least_probability is not None and other.least_probability is not None:
            least = min(self.least_probability, other.least_probability)
        both._fill(
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.inclusion_probability, other.inclusion_probability]),
            judge,
            groups,
            least,
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

    def sweep_of(
        self,
        confidence: ArrayLike,
        share_of_judge: Callable[[PartialItems], float | None] | None = None,
    ) -> ThresholdSweep:
        """Return the estimated counts at every threshold; those of plain labels where all are known.

        The judge has the share κ that suits the errors of all items, or the one that a function of the
        items tells.
        """
        if self.simplified is not self:
            return threshold_sweep(self.correct, confidence)
        items = PartialItems(self, confidence, self.groups)
        return items.beginning.sweep if share_of_judge is None else items.sweep(share_of_judge(items))


def _such_rows(bad: NDArray[np.bool_]) -> str:
    """How many rows are as the first one that is named."""
    n = int(bad.sum())
    return f"{n:,} such {plural('row', n)}"


def read_judge(judge: Any, n: int, *, beside: str = "confidence") -> FloatArray:
    """Return a judge's probabilities of being right, one for each of n outputs."""
    given = vector(judge, "judge")
    same_number("judge", len(given), beside, n)
    reject_where(~((given >= 0) & (given <= 1)), given, "judge", "a number in [0, 1]")
    return given.astype(np.float64)


def truth_of_some(truth: PartialTruth, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> PartialTruth:
    """Return the truth of some of the items, by a mask or their places, each with its probability.

    Raises
    ------
    ValueError
        Where none of them is verified.
    """
    if not truth.verified[chosen].any():
        raise ValueError(
            f"correct has {truth.n_verified} verified items, and none of them in a random part; more "
            "are expected"
        )
    part = PartialTruth.__new__(PartialTruth)
    judge = None if truth.judge is None else truth.judge[chosen]
    codes = None
    if truth.groups is not None:
        codes = np.unique(truth.groups[chosen], return_inverse=True)[1]
    values = truth.correct[chosen], truth.inclusion_probability[chosen]
    part._fill(*values, judge, codes, truth.least_probability, graded=truth.graded)  # noqa: SLF001
    return part


def require_alone(**others: object) -> None:
    """Raise where anything of these names is given beside a `PartialTruth`."""
    for name, value in others.items():
        if value is not None:
            raise TypeError(f"{name} is given beside a PartialTruth; the truth alone is expected")


class EstimatedCounts(NamedTuple):
    """What the estimated errors of all items add up to."""

    sweep: EstimatedSweep
    errors: FloatArray
    """ẽ of each item, (n,)."""
    doubled: float
    """The items of each tie times the errors before and at it, summed: 2·n²·AUGRC."""


class PartialItems:
    """Items of which some are verified, from the highest confidence down.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        From inf down.
    starts : ndarray of shape (m + 1,)
        Where the items of each threshold but the first begin, and n.
    places : ndarray of shape (n_verified,)
        The verified items, rising.
    tie : ndarray of shape (n_verified,)
        Index into ``thresholds[1:]`` of these; never falls.
    error, weight : ndarray of shape (n_verified,)
        e and 1/π of these.
    order : ndarray of shape (n,)
        The place of each item among those that were given.
    predictions : list of one or two Prediction
        g⁰, by the confidence, and g¹, by the judge, where there is one.
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
        order = predictions.order_of(scores, truth.verified)
        self.order, self.starts, self.places, self.thresholds = order
        self.codes = None if codes is None else codes[self.order]
        rows = self.order[self.places]
        self.error: FloatArray = 1.0 - truth.correct[rows]
        self.weight: FloatArray = 1.0 / truth.inclusion_probability[rows]
        self.tie = self.places
        if not self.distinct:
            self.tie = np.searchsorted(self.starts, self.places, side="right") - 1
        fold = predictions.folds_of(
            self.error, self.weight, self.tie,
            None if truth.judge is None else truth.judge[rows],
            None if self.codes is None else self.codes[self.places],
        )  # fmt: skip
        verified = predictions.Verified(self.tie, self.error, self.weight, fold)
        self.predictions = [predictions.by_confidence(order, verified)]
        if truth.judge is not None:
            self.predictions.append(predictions.by_judge(order, verified, truth.judge))
        self._counts: dict[float | None, EstimatedCounts] = {}

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.order)

    @property
    def distinct(self) -> bool:
        """Whether no two items have the same confidence."""
        return len(self.starts) == len(self.order) + 1

    @property
    def counts(self) -> NDArray[np.intp]:
        """Items at each threshold but the first."""
        return np.diff(self.starts)

    @property
    def partial(self) -> bool:
        """Whether anything is left to chance."""
        return len(self.places) < self.n or bool((self.weight != 1.0).any())

    @property
    def mostly_wrong(self) -> bool:
        """Whether more than half of the items are wrong, so that correct ones are what is rare."""
        return float(np.sum(self.weight * self.error)) * 2.0 > self.n

    def share_of(self, derivative: FloatArray) -> float:
        """κ for a statistic with this derivative by the error of each verified item.

        The slope of the regression, through the origin, of what the verified items add to the error of
        the statistic on what they add by the difference of the two predictions (PPI++, equation 8),
        within [0, 1], and to the next of `STEPS`: statistics that are alike share their counts.
        """
        if len(self.predictions) == 1:
            return 0.0
        scale = np.sqrt(self.weight * (self.weight - 1.0)) * derivative
        by_confidence, by_judge = (each.verified for each in self.predictions)
        difference = (by_judge - by_confidence) * scale
        residual = (self.error - by_confidence) * scale
        difference, residual = self.sums(difference), self.sums(residual)
        squares = float(np.sum(difference * difference))
        if not squares > 0.0:
            return 0.0
        slope = float(np.sum(residual * difference)) / squares
        return round(min(1.0, max(0.0, slope)) * STEPS) / STEPS

    def sums(self, values: FloatArray) -> FloatArray:
        """Values of verified items, or their sums over groups."""
        if self.codes is None:
            return values
        return np.bincount(self.codes[self.places], values).astype(np.float64)

    def effective(self, values: FloatArray) -> float:
        """(Σx)²/Σx² over verified items, or groups: as many equal ones would say as much."""
        values = self.sums(values)
        largest = float(values.max(initial=0.0))
        if not largest:
            return 0.0
        values = values / largest
        return float(np.sum(values)) ** 2 / float(np.sum(values * values))

    def verified_errors(self, derivative: FloatArray) -> float:
        """How many verified errors, or correct items, a statistic of this derivative rests on."""
        own = self.weight * np.abs(derivative)
        wrong = own * self.error
        found = min(self.effective(wrong), self.effective(own - wrong))
        return 0.0 if math.isnan(found) else found

    def share_by(self, derivative: FloatArray, verified: float, *, linear: bool) -> float | None:
        """κ, where so many verified errors show it; None of a linear statistic of few."""
        if verified >= FEW_JUDGED:
            return self.share_of(derivative)
        return None if linear and verified < FEW else 0.0

    def share_by_tie(self, derivative: FloatArray, *, linear: bool) -> float | None:
        """κ for a statistic with this derivative by an error at each threshold but the first, (m,)."""
        of_verified = derivative[self.tie]
        return self.share_by(of_verified, self.verified_errors(of_verified), linear=linear)

    def last_tie(self, acceptance_rate: float) -> int:
        """Index of the tie in which so many are accepted."""
        wanted = acceptance_rate * self.n * (1.0 - 1e-12)
        return min(int(np.searchsorted(self.starts[1:], wanted)), len(self.starts) - 2)

    def share_up_to(self, last: int) -> float | None:
        """κ for the errors that are accepted with this tie."""
        derivative = (self.tie <= last).astype(np.float64)
        return self.share_by(derivative, self.verified_errors(derivative), linear=True)

    @cached_property
    def beginning(self) -> EstimatedCounts:
        """Counts with κ for the recognition rate."""
        return self.estimate(self.share_of(np.ones(len(self.places))))

    def sweep(self, share: float | None) -> EstimatedSweep:
        """The counts at every threshold."""
        return self.estimate(share).sweep

    def estimate(self, share: float | None) -> EstimatedCounts:
        """With so much of the judge in g; for None g is 0, or 1 where most items are wrong."""
        if share not in self._counts:
            first, last = self.predictions[0], self.predictions[-1]
            rates, own, judged = first.rates, first.verified, share or 0.0
            if share is None:
                rates, own = (np.full(len(each), float(self.mostly_wrong)) for each in (rates, own))
            own = (1.0 - judged) * own + judged * last.verified
            together = self._pairs_drawn_together(self.error - own)
            # what is known with certainty is not the sum of two rounded parts
            own = np.where(self.weight == 1.0, self.error, own + self.weight * (self.error - own))
            added = self._added_up((1.0 - judged) * rates, judged * last.rates, own)
            right, wrong, squares, errors, sums = added
            # estimates may fall from a threshold to the next, which a check refuses
            sweep = trusted_sweep(EstimatedSweep, ThresholdCounts(self.thresholds, right, wrong))
            object.__setattr__(sweep, "squares", read_only(squares))
            object.__setattr__(sweep, "n_verified", len(self.places))
            object.__setattr__(sweep, "pairs_above", sums[0] + together / 2.0)
            object.__setattr__(sweep, "pairs_alone", sums[1] - together)
            while len(self._counts) > KEPT:  # not the first, with which all begins
                del self._counts[list(self._counts)[1]]
            self._counts[share] = EstimatedCounts(sweep, errors, sums[2])
        return self._counts[share]

    def _added_up(
        self, by_confidence: FloatArray, by_judge: FloatArray, corrected: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, tuple[float, float, float]]:
        """Correct and incorrect items and Σẽ² at the thresholds, ẽ of each item, and sums over pairs.

        By several threads, in blocks that do not depend on how many these are.
        """
        kernels, m = _kernels.estimated, len(self.starts) - 1
        blocks = self.predictions[0].blocks, self.predictions[-1].blocks
        errors, squares, (right, wrong) = np.empty(self.n), np.empty(m), np.empty((2, m + 1))
        right[0] = wrong[0] = 0.0
        n_blocks = -(-m // kernels.BLOCK)
        sums, before = np.empty((n_blocks, 5)), np.empty(n_blocks)
        ends = [n_blocks * edge // m for edge in parallel.edges(m)]
        shares, places = [*pairwise(ends)], np.append(self.places, self.n)

        def add_up(share: tuple[int, int]) -> None:
            kernels.add_up_errors(
                *share, *blocks, by_confidence, by_judge, self.starts, places, corrected,
                errors, wrong, squares, sums,
            )  # fmt: skip

        parallel.run(add_up, shares)
        found = kernels.add_up_blocks(sums, before)
        anchor = 3.0 * 2.0 ** self.n.bit_length()

        def finish(share: tuple[int, int]) -> None:
            kernels.finish_counts(*share, before, self.starts, anchor, right, wrong)

        parallel.run(finish, shares)
        return right, wrong, squares, errors, found

    def _pairs_drawn_together(self, residual: FloatArray) -> float:
        """What products of c̃ and ẽ of two items lack where groups are drawn whole, in either order.

        Their mean is lower than the product of the means by (1 − π)/π·(eᵢ − gᵢ)(eⱼ − gⱼ). Of two items
        one is above, or they are tied: half of the sum belongs to pairs with the correct one above.
        """
        if self.codes is None or not self.drawn_whole:
            return 0.0
        codes = self.codes[self.places]
        sums, squares = (np.bincount(codes, x) for x in (residual, residual * residual))
        first = np.unique(codes, return_index=True)
        weight = np.ones(len(sums))
        weight[first[0]] = self.weight[first[1]]
        return float(np.sum(weight * (weight - 1.0) * (sums * sums - squares)))

    @cached_property
    def drawn_whole(self) -> bool:
        """Whether all items of each group are verified with one probability, or none is."""
        if self.codes is None:
            return False
        codes = self.codes[self.places]
        sizes, known = np.bincount(self.codes), np.bincount(codes, minlength=int(self.codes.max()) + 1)
        if not ((known == 0) | (known == sizes)).all():
            return False
        _, first, own = np.unique(codes, return_index=True, return_inverse=True)
        return bool((self.weight == self.weight[first][own]).all())
