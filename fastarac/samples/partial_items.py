"""Partly verified items in order of confidence, and counts estimated from them."""

from __future__ import annotations

import math
from copy import copy
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
from fastarac.samples.partial import answered_by
from fastarac.sweep import trusted_sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac.reviewer import Reviewer
    from fastarac.samples.partial import PartialTruth

FloatArray = NDArray[np.float64]
Shares = tuple[float, ...]  # κ of each judge; empty if no judge is used

STEPS = 20  # κ is rounded to a multiple of 1/STEPS
KEPT = 3  # number of values of κ for which estimated counts are cached
# Minimum effective numbers of verified errors: to use predictions in a linear statistic, to estimate κ,
# and to estimate κ for a linear statistic whose items have nearly equal weights.
FEW = 10.0
FEW_JUDGED = 20.0
FEW_DRAWN_ALIKE = 5.0
HEAVY = 2.5  # weights are nearly equal if the largest is at most this multiple of their mean


class EstimatedCounts(NamedTuple):
    """Counts from the estimated errors of all items."""

    sweep: EstimatedSweep
    doubled: float
    """2·n²·AUGRC, the sum over ties of size·(errors above the tie + errors down to and in it)."""


class PartialItems:
    """Partly verified items, in order of decreasing confidence.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        Thresholds in decreasing order, from inf.
    starts : ndarray of shape (m + 1,)
        Index of the first item at each threshold except the first, and n.
    places : ndarray of shape (n_verified,)
        Indices of the verified items, in increasing order.
    tie : ndarray of shape (n_verified,)
        Index of each verified item into ``thresholds[1:]``; it never decreases.
    error, weight : ndarray of shape (n_verified,)
        e and 1/π of the verified items, where e is the error and π the inclusion probability.
    reader : Reviewer or None
        The people or the judge who gave the answers; None if the answers are the truth.
    order : ndarray of shape (n,)
        The index of each item in the given arrays.
    predictions : list of Prediction
        The prediction g⁰ by confidence, and for each judge j the prediction gʲ by judge value.
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
        self._order = predictions.order_of(scores, truth.verified)
        self.order, self.starts, self.places, self.thresholds = self._order
        self.codes = None if codes is None else codes[self.order]
        self.weight: FloatArray = 1.0 / truth.inclusion_probability[self.order[self.places]]
        self.tie = self.places
        if not self.distinct:
            self.tie = np.searchsorted(self.starts, self.places, side="right") - 1
        self.read_answers(truth)

    def read_answers(self, truth: PartialTruth) -> None:
        """Read the answers, and predict the errors from them."""
        rows, self._truth, self.reader = self.order[self.places], truth, truth.truth_reader
        self.error: FloatArray = truth.errors[rows]
        fold = predictions.folds_of(
            self.error, self.weight, self.tie,
            None if truth.judge is None else truth.judge[rows],
            None if self.codes is None else self.codes[self.places],
        )  # fmt: skip
        verified = predictions.Verified(self.tie, self.error, self.weight, fold)
        judges = () if truth.judge is None else truth.judge.reshape(self.n, -1).T

        def predict(judge: FloatArray | None) -> predictions.Prediction:
            if judge is None:
                return predictions.by_confidence(self._order, verified)
            return predictions.by_judge(self._order, verified, judge)

        self.predictions = parallel.each(predict, [None, *judges], self.n)
        self._counts: dict[Shares | None, EstimatedCounts] = {}

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.order)

    @property
    def distinct(self) -> bool:
        """Whether no two items have the same confidence."""
        return len(self.starts) == len(self.order) + 1

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of items at each threshold except the first."""
        return np.diff(self.starts)

    @property
    def partial(self) -> bool:
        """Whether the truth of any item is uncertain."""
        return self.reader is not None or len(self.places) < self.n or bool((self.weight != 1.0).any())

    def answered_by(self, people: Reviewer | None) -> PartialItems:
        """Return the items with `people` as the readers who answered; None if they never err."""
        items = copy(self)
        items.__dict__.pop("beginning", None)  # these counts belong to the other answers
        items.read_answers(answered_by(self._truth, people))  # the order does not depend on the answers
        return items

    @property
    def mostly_wrong(self) -> bool:
        """Whether more than half of the items are wrong, so that correct items are the rare ones."""
        return float(np.sum(self.weight * self.error)) * 2.0 > self.n

    def share_of(self, derivative: FloatArray) -> Shares:
        """Return each judge's weight κ, given a statistic's derivative by each verified error.

        κ is the slope of a regression through the origin (PPI++, equation 8). The response is each
        verified item's contribution to the statistic's error. The regressors are the parts of this
        contribution that depend on the differences gʲ − g⁰.
        """
        if len(self.predictions) == 1:
            return ()
        scale = np.sqrt(self.weight * (self.weight - 1.0)) * derivative
        by_confidence, *by_judges = (each.verified for each in self.predictions)
        difference = np.stack([self.sums((each - by_confidence) * scale) for each in by_judges])
        residual = self.sums((self.error - by_confidence) * scale)
        whole = np.cumsum(predictions.best_weights(difference, residual))
        # Rounding lets similar statistics share the same counts.
        steps = np.diff(np.round(whole * STEPS), prepend=0.0)
        return tuple((steps / STEPS).tolist())

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the values of the verified items; with groups, their sums by group."""
        if self.codes is None:
            return values
        return np.bincount(self.codes[self.places], values).astype(np.float64)

    def effective(self, values: FloatArray) -> float:
        """Return the effective number (Σx)²/Σx² of verified items or groups."""
        values = self.sums(values)
        largest = float(values.max(initial=0.0))
        if not largest:
            return 0.0
        values = values / largest
        return float(np.sum(values)) ** 2 / float(np.sum(values * values))

    def verified_errors(self, derivative: FloatArray) -> float:
        """Return the effective number of verified errors, or of right items if that is smaller."""
        own = self.weight * np.abs(derivative)
        wrong = own * self.error
        found = min(self.effective(wrong), self.effective(own - wrong))
        return 0.0 if math.isnan(found) else found

    def share_by(
        self, derivative: FloatArray, verified: float | None = None, *, linear: bool
    ) -> Shares | None:
        """Return the judges' weights κ (see `share_of`) if enough errors are verified.

        `verified` is the number of `verified_errors`, if it is known already. If it is too small,
        return () to use no judge. If a linear statistic has very few verified errors, return
        None to use no predictions at all.
        """
        if verified is None:
            verified = self.verified_errors(derivative)
        if verified >= FEW_JUDGED:
            return self.share_of(derivative)
        if linear and verified >= FEW_DRAWN_ALIKE and self.drawn_alike:
            share = self.share_of(derivative)
            if any(share):
                return share
        return None if linear and verified < FEW else ()

    @property
    def drawn_alike(self) -> bool:
        """Whether all verified outputs have similar weights, and there are no groups."""
        return self.codes is None and float(self.weight.max()) <= HEAVY * float(self.weight.mean())

    def share_by_tie(self, derivative: FloatArray, *, linear: bool) -> Shares | None:
        """Return κ as `share_by` does, given the derivative by an error at each threshold, (m,)."""
        return self.share_by(derivative[self.tie], linear=linear)

    @cached_property
    def above(self) -> FloatArray:
        """The share of all items above each verified item; items of equal confidence count half."""
        return (self.starts[self.tie] + self.starts[self.tie + 1]) / (2.0 * self.n)

    def effect_on_roc_auc(self) -> FloatArray:
        """Return n times the derivative of the ROC-AUC by each verified error.

        If a share r of the items is above an error, this is (r − c)/(βp). Here β is the recognition
        rate, p = 1 − β, and c = Aβ + (1 − A)p for the area A. β and A are estimated from the verified
        items alone, which is good enough to choose the judges' weights κ.
        """
        wrong, total = self.weight * self.error, float(np.sum(self.weight))
        p = float(np.sum(wrong)) / total
        if not 0.0 < p < 1.0:
            return np.zeros(len(wrong))
        # Of all items above a wrong one, those that are wrong themselves form p²/2 pairs.
        area = (float(np.sum(wrong * self.above)) / total - p * p / 2.0) / (p * (1.0 - p))
        centre = area * (1.0 - p) + (1.0 - area) * p
        effect: FloatArray = (self.above - centre) / (p * (1.0 - p))
        return effect

    def last_tie(self, acceptance_rate: float) -> int:
        """Return the index of the tie (distinct confidence) at which `acceptance_rate` is reached."""
        wanted = acceptance_rate * self.n * (1.0 - 1e-12)
        return min(int(np.searchsorted(self.starts[1:], wanted)), len(self.starts) - 2)

    def share_up_to(self, last: int) -> Shares | None:
        """Return the judges' weights κ for the number of errors among items down to the tie `last`."""
        return self.share_by((self.tie <= last).astype(np.float64), linear=True)

    def at_limit(self, acceptance: Callable[[EstimatedSweep], float]) -> tuple[EstimatedSweep, int]:
        """Choose the threshold that a limit allows; return the counts, and the index of its tie.

        `acceptance(counts)` returns the acceptance rate that the limit allows. Up to the chosen
        threshold, the counts use the κ that is best at this threshold.
        """
        chosen: dict[Shares | None, int] = {}

        def choice(share: Shares | None) -> int:
            if share not in chosen:
                chosen[share] = self.last_tie(acceptance(self.sweep(share)))
            return chosen[share]

        share: Shares | None = self.share_of(np.ones(len(self.places)))
        path: list[int] = []
        while (last := choice(share)) not in path:
            path.append(last)
            share, before = self.share_up_to(last), share
            if share == before:
                return self.sweep(share), last
        last = self._last_kept(choice, path[path.index(last) :])
        share = self.share_up_to(last)
        if choice(share) == last:
            return self.sweep(share), last
        # Below this threshold, use the counts for the next lower one, which exceed the limit there.
        counts = self.sweep(self.share_up_to(last + 1))
        while True:
            counts = _joined(self.sweep(self.share_up_to(last)), counts, last + 2)
            after = self.last_tie(acceptance(counts))
            if after >= last:
                return counts, last
            last = after  # the risk exceeds the limit here, but may be within it at a higher threshold

    def _last_kept(self, choice: Callable[[Shares | None], int], circle: list[int]) -> int:
        """Return the last tie that a limit allows with the κ that is best at this tie.

        `circle` holds the ties between which `at_limit` alternates. κ changes only at ties with a
        verified item. The first tie of `circle` is always accepted.
        """
        low, high = min(circle), max(circle)
        known = np.unique(self.tie[(self.tie > low) & (self.tie <= high)])
        starts: list[int] = [low, *known.tolist()]
        for start, stop in reversed(list(pairwise([*starts, high + 1]))):
            last = min(stop - 1, choice(self.share_up_to(stop - 1)))
            if last >= start:
                return last
        return low

    @cached_property
    def beginning(self) -> EstimatedCounts:
        """The initial counts, with the κ that is best for the recognition rate."""
        return self.estimate(self.share_of(np.ones(len(self.places))))

    def sweep(self, share: Shares | None) -> EstimatedSweep:
        """Return the counts at every threshold, for the judges' weights κ."""
        return self.estimate(share).sweep

    def estimate(self, share: Shares | None) -> EstimatedCounts:
        """Return the counts for the judges' weights κ.

        With None, the predicted error of every item is 0, or 1 if most items are wrong.
        """
        if share not in self._counts:
            first, judged = self.predictions[0], self._judged(share or ())
            rest = 1.0 - sum(share or ())
            rates, own = rest * first.rates, rest * first.verified + judged.verified
            if share is None:
                rates, own = (np.full(len(each), float(self.mostly_wrong)) for each in (rates, own))
            together = self._pairs_drawn_together(self.error - own)
            # Copy the errors of items that are known with certainty, to avoid rounding.
            own = np.where(self.weight == 1.0, self.error, own + self.weight * (self.error - own))
            added = self._added_up(first._replace(rates=rates), judged, own)
            right, wrong, errors, sums = added
            # The checks of ThresholdSweep, which would refuse falling counts, are skipped.
            sweep = trusted_sweep(EstimatedSweep, ThresholdCounts(self.thresholds, right, wrong))
            object.__setattr__(sweep, "item_errors", read_only(errors))
            object.__setattr__(sweep, "n_verified", len(self.places))
            # In half of the pairs of items that were drawn together, the correct item is above.
            object.__setattr__(sweep, "pairs_above", sums[0] + together / 2.0)
            object.__setattr__(sweep, "pairs_alone", sums[1] - together)
            while len(self._counts) > KEPT:  # keep entry 0, the initial counts
                del self._counts[list(self._counts)[1]]
            self._counts[share] = EstimatedCounts(sweep, sums[2])
        return self._counts[share]

    def predicted(self, share: Shares) -> FloatArray:
        """Return each verified item's predicted error g; a judge's prediction has the weight κ."""
        return (1.0 - sum(share)) * self.predictions[0].verified + self._judged(share).verified

    def _judged(self, share: Shares) -> predictions.Prediction:
        """Return the sum of the judges' predictions, each times its κ."""
        used = [
            (kappa, each)
            for kappa, each in zip(share, self.predictions[1:], strict=False)
            if kappa > 0.0
        ]
        if not used:
            first = self.predictions[0]
            return first._replace(
                rates=np.zeros_like(first.rates), verified=np.zeros_like(first.verified)
            )
        known = np.sum([kappa * each.verified for kappa, each in used], axis=0)
        if len(used) == 1:
            return used[0][1]._replace(rates=used[0][0] * used[0][1].rates, verified=known)
        # The judges' blocks of items differ, so return one block per item.
        rates = np.zeros(self.n)
        for kappa, each in used:
            rates += (kappa * each.rates)[each.blocks]
        return predictions.Prediction(np.arange(self.n, dtype=np.int32), rates, known)

    def _added_up(
        self,
        by_confidence: predictions.Prediction,
        by_judges: predictions.Prediction,
        corrected: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray, tuple[float, float, float]]:
        """Return correct items and errors by threshold, errors by item, and sums over pairs."""
        kernels, m = _kernels.estimated, len(self.starts) - 1
        errors, (right, wrong) = np.empty(self.n), np.empty((2, m + 1))
        right[0] = wrong[0] = 0.0
        # The blocks do not depend on the number of threads, and so neither do the results.
        n_blocks = -(-m // kernels.BLOCK)
        sums, before = np.empty((n_blocks, 5)), np.empty(n_blocks)
        ends = [n_blocks * edge // m for edge in parallel.edges(m)]
        shares, places = [*pairwise(ends)], np.append(self.places, self.n)

        def add_up(share: tuple[int, int]) -> None:
            kernels.add_up_errors(
                *share, by_confidence.blocks, by_judges.blocks, by_confidence.rates, by_judges.rates,
                self.starts, places, corrected, errors, wrong, sums,
            )  # fmt: skip

        parallel.run(add_up, shares)
        found = kernels.add_up_blocks(sums, before)
        anchor = 3.0 * 2.0 ** self.n.bit_length()

        def finish(share: tuple[int, int]) -> None:
            kernels.finish_counts(*share, before, self.starts, anchor, right, wrong)

        parallel.run(finish, shares)
        return right, wrong, errors, found

    def _pairs_drawn_together(self, residual: FloatArray) -> float:
        """Return how much too low Σc̃ᵢẽⱼ is over pairs of items that were drawn together.

        e is an item's error, g its prediction, ẽ the estimated error of :class:`.PartialTruth`,
        c̃ = 1 − ẽ, and π the probability of a draw. If items i and j are in a group that is drawn as a
        whole, the product of the means of c̃ᵢ and ẽⱼ exceeds the mean of c̃ᵢẽⱼ by
        (1 − π)/π·(eᵢ − gᵢ)(eⱼ − gⱼ).
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
        """Whether each group is either unverified, or verified completely with a single probability."""
        if self.codes is None:
            return False
        codes = self.codes[self.places]
        sizes, known = np.bincount(self.codes), np.bincount(codes, minlength=int(self.codes.max()) + 1)
        if not ((known == 0) | (known == sizes)).all():
            return False
        _, first, own = np.unique(codes, return_index=True, return_inverse=True)
        return bool((self.weight == self.weight[first][own]).all())


def _joined(first: EstimatedSweep, second: EstimatedSweep, end: int) -> EstimatedSweep:
    """Return the counts of the first sweep before index `end`, and of the second from there on."""
    right, wrong = (
        np.concatenate([getattr(first, name)[:end], getattr(second, name)[end:]])
        for name in ("true_accepts", "false_accepts")
    )
    joined = trusted_sweep(EstimatedSweep, ThresholdCounts(first.thresholds, right, wrong))
    for name in ("item_errors", "n_verified", "pairs_above", "pairs_alone"):
        object.__setattr__(joined, name, getattr(first, name))
    return joined
