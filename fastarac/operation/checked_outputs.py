"""Checked new outputs: their error rate, its bounds, and the number of outputs still needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.special import binomial_cdf, binomial_upper_bound
from fastarac.operation.rate_bets import GroupBets, unrefuted_range
from fastarac.operation.remaining_sample_size import (
    FURTHEST,
    PROBABILITY,
    needed_by_counts,
    needed_by_draws,
)
from fastarac.operation.sequences import needed_by_sequence, sequence_ends
from fastarac.operation.verified_rates import VerifiedUnits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.operation.remaining_sample_size import RateEvidence
    from fastarac.operation.verified_rates import KnownErrors


class LookRule(NamedTuple):
    """The rule for repeated checks ("looks") of a limit, and the number of the present check."""

    name: Literal["once", "declared", "sequence"] = "once"
    look: int = 1
    declared: int | None = None
    logged: bool = False
    """Whether a log of looks records that no other look may test these outputs."""

    def share(self, delta: float, look: int, *, pools: bool, bets: bool) -> float:
        """Return the part of the failure probability `delta` that a look may use.

        If outputs are pooled over looks, bets on groups and confidence sequences hold at all looks
        simultaneously. Then each look may use all of `delta`.
        """
        if self.declared is not None and not (pools and bets):
            return delta / self.declared
        if self.name == "sequence" and not pools:
            return delta / (look * (look + 1.0))
        return delta


ONCE = LookRule()


class RateBounds(NamedTuple):
    """Bounds on an error rate, and the name of the method."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Checked:
    """New outputs or whole documents, with flags for accepted and wrong items.

    Attributes
    ----------
    accepted, wrong : ndarray of shape (n,), bool
        Whether each item is accepted, and whether it is accepted and known to be wrong.
    codes : ndarray of shape (n,), int, or None
        The group of each item; items of one group depend on each other.
    max_group_size : int or None
        The largest number of items in a group.
    probability : ndarray of shape (n,) or None
        In a log of audits, the probability with which each item's truth became known.
    verified : KnownErrors or None
        With partial truth, the known errors.
    looks : ndarray of shape (n,), int, or None
        The number of the look to which each item belongs, from 0, in increasing order.
    sizes : tuple of int or None
        The largest number of items in a group, for each look.
    rule : LookRule
        The rule for repeated looks.
    """

    accepted: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    codes: NDArray[Any] | None = None
    max_group_size: int | None = None
    probability: NDArray[np.float64] | None = None
    verified: KnownErrors | None = None
    looks: NDArray[np.intp] | None = None
    sizes: tuple[int, ...] | None = None
    rule: LookRule = ONCE

    @property
    def pools(self) -> bool:
        """Whether all items are verified, so that a test can use the items of all looks together."""
        return self.probability is None and self.verified is None

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Checked:
        """Return a subset of the items."""

        def part(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[chosen]

        codes = part(self.codes)
        if codes is not None:
            codes = np.unique(codes, return_inverse=True)[1]
        return Checked(
            self.accepted[chosen], self.wrong[chosen], codes, self.max_group_size,
            part(self.probability), None if self.verified is None else self.verified.only(chosen),
            part(self.looks), self.sizes, self.rule,
        )  # fmt: skip

    def counted(self, criterion: str) -> NDArray[np.bool_]:
        """Return which items are in the denominator of the rate."""
        whole = np.ones(len(self.accepted), np.bool_)
        return whole if criterion == "max_error_rate" else self.accepted

    def rate(self, criterion: str) -> float:
        """Return the error rate or the risk, according to `criterion`.

        In a log, an error that was audited with probability π counts as 1/π errors.
        """
        trials = int(self.counted(criterion).sum())
        if not trials:
            return math.nan
        if self.verified is not None:
            errors = math.fsum(self.verified.estimate[self.accepted].tolist())
        elif self.probability is not None:
            errors = math.fsum((1.0 / self.probability[self.wrong]).tolist())
        else:
            errors = float(self.wrong.sum())
        return min(max(errors, 0.0), float(self.accepted.sum())) / trials

    def _level(self, delta: float, look: int) -> float:
        """Return the part of `delta` that a look may use."""
        return self.rule.share(delta, look, pools=self.pools, bets=self.codes is not None)

    def ends(self, criterion: str, limit: float, delta: float) -> RateBounds:
        """Return bounds on the rate, each of which fails with probability `delta` at most.

        The bounds are widened, if necessary, to include the observed rate, which bets might exclude.
        """
        counted = self.counted(criterion)
        trials = int(counted.sum())
        if not trials:
            return RateBounds(0.0, 1.0, "Clopper–Pearson")
        delta = self._level(delta, self.rule.look)
        if (seen := self._evidence(criterion)) is not None:
            (low, high), rate = unrefuted_range(seen, limit, delta), self.rate(criterion)
            return RateBounds(min(low, rate), max(high, rate), "betting")
        if self._in_sequence:
            bounds = sequence_ends(int(self.wrong.sum()), trials, limit, delta)
            return RateBounds(*bounds, "confidence sequence")
        errors, share = int(self.wrong.sum()), self._share
        low = 1.0 - binomial_upper_bound(trials - errors, trials, delta)
        high = binomial_upper_bound(errors, trials, delta)
        return RateBounds(min(1.0, low / share), min(1.0, high / share), "Clopper–Pearson")

    def pvalues(self, criterion: str, limit: float) -> tuple[float, float]:
        """Return p-values for the hypotheses "rate at least the limit" and "rate at most the limit".

        All outputs must be verified.
        """
        counted = self.counted(criterion)
        trials, errors = int(counted.sum()), int(self.wrong.sum())
        if not trials:
            return 1.0, 1.0
        if self.codes is not None:
            return self._groups(counted, self.codes).pvalues(limit)
        above = 1.0 - binomial_cdf(errors - 1, trials, limit) if errors else 1.0
        return binomial_cdf(errors, trials, limit), above

    @property
    def _in_sequence(self) -> bool:
        """Whether the bounds of the rate come from a confidence sequence."""
        return self.rule.name == "sequence" and self.pools and self.codes is None

    def _groups(self, counted: NDArray[np.bool_], codes: NDArray[Any]) -> GroupBets:
        return GroupBets.of(counted, self.wrong, codes, self.max_group_size, self.looks, self.sizes)

    def needed(self, criterion: str, limit: float, delta: float, *, afresh: bool = False) -> int | None:
        """Return how many more items give a verdict with probability 0.8, if the observed rate is true.

        With `afresh`, return instead the size of a new sample that gives a verdict without the old
        items.
        """
        counted = self.counted(criterion)
        n, trials = len(counted), int(counted.sum())
        if not trials or not 0.0 < limit < 1.0 or self.rule.look == self.rule.declared:
            return None
        afresh = afresh or self.rule.logged
        delta, errors, units = self._level(delta, self.rule.look + 1), int(self.wrong.sum()), trials
        if (seen := self._evidence(criterion)) is not None:
            units, whole = seen.n_units, needed_by_draws(seen, self.rate(criterion), limit, delta)
        elif self._in_sequence and not afresh:
            whole = needed_by_sequence(errors, trials, limit, delta, PROBABILITY, FURTHEST)
        else:
            whole = needed_by_counts(errors, trials, self._share * limit, delta, afresh=afresh)
        if afresh:
            return None if whole is None else math.ceil(whole * n / units)
        return None if whole is None else max(1, math.ceil((whole - units) * n / units))

    @property
    def _share(self) -> float:
        """The smallest probability with which an accepted output was verified."""
        probability = self.probability if self.verified is None else self.verified.probability
        return 1.0 if probability is None else float(probability[self.accepted].min(initial=1.0))

    def _evidence(self, criterion: str) -> RateEvidence | None:
        """Return the units for a betting test; None if an exact binomial test can be used."""
        if self.verified is not None:
            differ = bool(np.ptp(self.verified.probability) > 0.0)
            if self.codes is None and self.verified.judge is None and not differ:
                return None
            return VerifiedUnits.of(
                self.verified, self.accepted, self.codes, self.max_group_size,
                of_accepted=criterion == "max_risk",
            )  # fmt: skip
        if self.codes is not None and self.probability is None:
            return self._groups(self.counted(criterion), self.codes)
        if self.probability is None:
            return None
        if self.codes is None and not (self.probability[self.accepted] > self._share).any():
            return None
        return VerifiedUnits.of_log(
            self.accepted, self.wrong, self.probability, self.codes, self.max_group_size,
            of_accepted=criterion == "max_risk",
        )  # fmt: skip
