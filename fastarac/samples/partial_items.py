"""Items of which some are verified, in order, and counts estimated from them."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import same_number
from fastarac._core.results import read_only
from fastarac._engine import parallel, predictions
from fastarac._engine.counts import ThresholdCounts
from fastarac._engine.inputs import NAMES, Items, vector
from fastarac.samples.estimated import EstimatedSweep
from fastarac.sweep import trusted_sweep

if TYPE_CHECKING:
    from fastarac.samples.partial import PartialTruth

FloatArray = NDArray[np.float64]

STEPS = 20  # of κ from 0 to 1
KEPT = 3  # of the counts by κ that are held at a time
FEW = 10.0  # verified errors that count, below which predictions are left out
FEW_JUDGED = 20.0  # below which they do not show how far a judge is off
FEW_DRAWN_ALIKE = 5.0  # the same of a linear statistic of outputs that were drawn nearly alike
HEAVY = 2.5  # times the mean weight, beyond which they were not


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
    certain : bool
        Whether the answers are the truth, so that nobody overlooked an error.
    doubt : float
        The relative standard error of what an answer "wrong" counts, where people are estimated.
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
        self.error: FloatArray = truth.errors[rows]
        self.certain = truth.truth_reader is None
        self.doubt = 0.0 if truth.truth_reader is None else truth.truth_reader.doubt
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
        return not self.certain or len(self.places) < self.n or bool((self.weight != 1.0).any())

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
        if linear and verified >= FEW_DRAWN_ALIKE and self.drawn_alike:
            share = self.share_of(derivative)
            if share > 0.0:
                return share
        return None if linear and verified < FEW else 0.0

    @property
    def drawn_alike(self) -> bool:
        """Whether no verified output stands for many more than the others, nor for a group."""
        return self.codes is None and float(self.weight.max()) <= HEAVY * float(self.weight.mean())

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

    def predicted(self, share: float) -> FloatArray:
        """What is predicted of each verified item with so much of the judge, g."""
        first, last = self.predictions[0], self.predictions[-1]
        return (1.0 - share) * first.verified + share * last.verified

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
        """Return what the sum of c̃ᵢẽⱼ over pairs of two items lacks where groups are drawn whole.

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
