"""The error rate of a policy's accepted outputs if people verified only some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._core.random_state import generator_for, key_of
from fastarac.guarantees.weighted_betting import (
    Clips,
    Weights,
    largest_unit,
    looked_at,
    outcomes_of,
    shuffled_units,
)
from fastarac.operation.rate_bets import with_others
from fastarac.samples.partial_items import PartialItems

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.samples.partial import PartialTruth


class KnownErrors(NamedTuple):
    """The known errors of new outputs with partial truth.

    Attributes
    ----------
    error : ndarray of shape (n,)
        1 for an error, 0 for a right output, NaN if unverified.
    probability : ndarray of shape (n,)
        π, the probability with which each output is verified, in (0, 1].
    judge : ndarray of shape (n,) or None
        The judge's probability that the output is wrong.
    estimate : ndarray of shape (n,)
        An estimate of each output's error. The sum over outputs estimates their number of errors.
    """

    error: NDArray[np.float64]
    probability: NDArray[np.float64]
    judge: NDArray[np.float64] | None
    estimate: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        truth: PartialTruth,
        confidence: ArrayLike,
        accepted: NDArray[np.bool_],
        codes: NDArray[np.intp] | None,
    ) -> KnownErrors:
        """Estimate the error of each output; the weight of the judge is optimal for accepted outputs.

        Raises
        ------
        ValueError
            For graded truth, because a check counts whole errors.
        """
        if truth.graded:
            raise ValueError("correct is graded, but a check needs 0 or 1")
        items = PartialItems(truth, confidence, codes)
        taken = accepted[items.order[items.places]].astype(np.float64)
        estimate = np.empty(len(truth))
        estimate[items.order] = items.sweep(items.share_of(taken)).item_errors
        # Replace unknown probabilities by the assumed lower bound, or else by the smallest known one.
        given = truth.inclusion_probability
        least = truth.least_probability or float(given[truth.verified].min())
        return cls(
            1.0 - truth.correct,
            np.where((given > 0.0) & (given <= 1.0), given, least),
            None if truth.mean_judge is None else 1.0 - truth.mean_judge,
            estimate,
        )

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> KnownErrors:
        """Return a subset of the outputs."""
        judge = None if self.judge is None else self.judge[chosen]
        return KnownErrors(self.error[chosen], self.probability[chosen], judge, self.estimate[chosen])


@dataclass(frozen=True, eq=False)
class VerifiedUnits:
    """Outputs in random order, with groups kept together, as input of a betting test."""

    rejected: NDArray[np.int64]
    items: NDArray[np.float64]
    """Outcomes as made by :func:`.outcomes_of`."""
    probability: NDArray[np.float64]
    ends: NDArray[np.int64]
    largest: int
    """The largest number of outputs in a group."""
    of_accepted: bool

    @classmethod
    def of(
        cls,
        outputs: KnownErrors,
        accepted: NDArray[np.bool_],
        codes: NDArray[np.intp] | None,
        max_group_size: int | None,
        *,
        of_accepted: bool,
    ) -> VerifiedUnits:
        """Shuffle the outputs, but keep groups together."""
        units = shuffled_units(
            accepted.astype(np.int64), outputs.error, outputs.probability, outputs.judge, codes,
            key_of(0),
        )  # fmt: skip
        rejected = (units.distinct[units.place] == 0).astype(np.int64)
        largest = 1 if codes is None else largest_unit(units, max_group_size)
        items = outcomes_of(units)
        return cls(rejected, items, units.probability, units.ends, largest, of_accepted)

    @classmethod
    def of_log(
        cls,
        accepted: NDArray[np.bool_],
        wrong: NDArray[np.bool_],
        probability: NDArray[np.float64],
        codes: NDArray[np.intp] | None = None,
        max_group_size: int | None = None,
        *,
        of_accepted: bool,
    ) -> VerifiedUnits:
        """Shuffle the outputs of a log, or whole groups; `wrong` marks known errors."""
        # Only known errors matter. Right and unverified outputs both contribute 0, so use NaN for both.
        if codes is not None:
            error = np.where(wrong, 1.0, np.nan)
            log = KnownErrors(error, probability, None, error)
            return cls.of(log, accepted, codes, max_group_size, of_accepted=of_accepted)
        outcomes = np.where(wrong, 1.0 / probability, 0.0)
        # Sort before shuffling, so that the result does not depend on the order of rows in the log.
        order = np.lexsort((probability, outcomes, accepted))
        rng = generator_for(key_of(0), accepted[order], outcomes[order], probability[order])
        order = order[rng.permutation(len(order))]
        return cls(
            (~accepted[order]).astype(np.int64), outcomes[order, None], probability[order],
            np.arange(1, len(order) + 1), 1, of_accepted,
        )  # fmt: skip

    @property
    def n_units(self) -> int:
        """The number of groups or, without groups, the number of outputs."""
        return len(self.ends)

    def drawn(self, n: int, rng: np.random.Generator) -> VerifiedUnits:
        """Return n units in random order: each of these units once, the rest drawn from them."""
        chosen = with_others(self.n_units, n, rng, keeps_order=False)
        sizes = np.diff(self.ends, prepend=0)[chosen]
        ends = np.cumsum(sizes)
        first = self.ends[chosen] - sizes
        rows = np.repeat(first - (ends - sizes), sizes) + np.arange(ends[-1])
        return replace(
            self, rejected=self.rejected[rows], items=self.items[rows],
            probability=self.probability[rows], ends=ends,
        )  # fmt: skip

    def is_below(self, rate: float, delta: float) -> bool:
        """Whether bets on a lower rate refute a rate of `rate` or more."""
        clips = Clips.of(self._weights, rate, delta, self.largest, looked_at(self.n_units))
        return bool(
            _kernels.betting.reaches(
                self.rejected, self.items, self.probability, clips.first, clips.bets, self.ends, 1,
                clips.begin, rate, self.of_accepted, 1.0 / delta,
            )
        )  # fmt: skip

    def is_above(self, rate: float, delta: float) -> bool:
        """Whether bets on a higher rate refute a rate of `rate` or less."""
        turned, first = self._turned
        most = 1.0 / self._weights.lowest
        # With a judge, the outcome of a right output may be as low as 1 − 1/π.
        beyond = most - 1.0 if self.items.shape[1] > 1 else 0.0
        # This clip is larger than every weight 1/π, so it clips nothing.
        bets = 1.0 / ((beyond + rate) * self.largest), rate * self.largest * most
        clips = np.array([[2.0 * most, *bets, 0.0]])
        return bool(
            _kernels.betting.reaches(
                self.rejected, turned, self.probability, first, clips, self.ends, 1, 0, -rate,
                self.of_accepted, 1.0 / delta,
            )
        )  # fmt: skip

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self.probability)

    @cached_property
    def _turned(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The negative outcomes, and for each the index of the first clip."""
        turned = self.items.copy()
        turned[:, :2] *= -1.0
        return turned, np.ones(len(turned), np.int64)
