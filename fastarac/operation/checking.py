"""Check whether a policy keeps its limit on new verified outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import largest_group
from fastarac._core.interval import Interval
from fastarac._core.random_state import generator_for, key_of
from fastarac._core.results import Result
from fastarac._core.special import binomial_cdf, binomial_upper_bound
from fastarac._core.text import percent, percent_range, widened
from fastarac.guarantees.betting import wealth
from fastarac.operation.remaining_sample_size import (
    FURTHEST,
    PROBABILITY,
    needed_by_counts,
    needed_by_draws,
)
from fastarac.operation.sequences import needed_by_sequence, sequence_ends
from fastarac.operation.verified_rates import VerifiedUnits
from fastarac.reviewer import FoundLimit, Reviewer, limit_of_found, premise_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from fastarac.operation.remaining_sample_size import RateEvidence
    from fastarac.operation.verified_rates import KnownErrors

Verdict = Literal["holds", "fails", "too few"]
EXIT_STATUS = {"holds": 0, "fails": 1, "too few": 3}
# candidate rates at which the interval of dependent items can end
RATES = np.unique(np.concatenate([np.geomspace(1e-5, 0.5, 150), np.linspace(0.5, 1.0, 20)]))


class LookRule(NamedTuple):
    """The rule for repeated looks at a limit, and the number of the present look."""

    name: Literal["once", "declared", "sequence"] = "once"
    look: int = 1
    declared: int | None = None
    logged: bool = False
    """Whether a log records this as the only look at these outputs; further ones must be new."""

    def share(self, delta: float, look: int, *, pools: bool, bets: bool) -> float:
        """Return the part of `delta` that a look spends.

        Bets on pooled groups (whose order never changes) and sequences of counts hold at all looks
        simultaneously, so each look may spend all of `delta`.
        """
        if self.declared is not None and not (pools and bets):
            return delta / self.declared
        if self.name == "sequence" and not pools:
            return delta / (look * (look + 1.0))
        return delta


ONCE = LookRule()


class CheckedField(NamedTuple):
    """The counts and the rate of one field; the limit applies to all fields together.

    Attributes
    ----------
    field : str or int
        The field's label.
    n_items, accepted, errors : int
        Outputs of the field, accepted ones among them, and known errors among the accepted ones
        (including outputs that count as errors).
    rate, low, high : float
        The limited rate in this field alone, with its interval; NaN, 0 and 1 if there is no output to
        count.
    """

    field: Any
    n_items: int
    accepted: int
    errors: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class PolicyCheck(Result):
    """Whether a limit holds on new verified outputs; printed as a sentence.

    Attributes
    ----------
    verdict : {"holds", "fails", "too few"}
        Whether the rate is proved to be within the limit, proved to be above it, or neither.
    interval : Interval
        The limited rate, with an interval. Each end fails with at most the policy's failure
        probability.
    criterion : {"max_error_rate", "max_risk"}
        The kind of limit.
    limit : float
        The limit of the error rate or risk.
    n_items, accepted, errors : int
        Outputs (or whole documents), accepted ones among them, and known errors among the accepted
        ones; in a log, the errors include drawn outputs without a result.
    still_needed : int or None
        If the verdict is "too few": about how many more outputs lead to `expected_verdict` with
        probability 0.8, if the observed rate is the true one (for a log, all outputs are counted, not
        audits alone). None if the rate equals the limit, or is so close to it that too many would be
        needed.
    audited : int or None
        For a log of audits, the number of accepted outputs with a result.
    unanswered : int or None
        For a log of audits, the number of outputs drawn without a result, which count as errors; None
        if the log does not say what was drawn, in which case the verdict is never "holds".
    fields : tuple of CheckedField
        The fields of the policy, each with its own interval.
    documents : bool
        Whether whole documents were counted.
    verified : int or None
        With partial truth, the number of verified outputs; None if all are verified, and for a log.
    of_fit : bool
        Whether these are the outputs that the policy was fitted on; if so, the verdict is never
        "holds".
    n_unread : int
        Items without an output or without a confidence: never accepted, and not part of `n_items` or of
        the rate's denominator.
    unknown_fields : int
        Outputs of fields that the policy does not know: rejected, or ignored in whole documents.
    look_rule : {"once", "declared", "sequence"}
        The rule of :class:`.Looks` by which the verdict holds.
    look, looks_declared : int, int or None
        The number of this look, from 1, and the declared number of looks, if any.
    needs_new : bool
        Whether further outputs must form a new sample, because these had their only look.
    needed_once : int or None
        At the first look of a sequence, the size of a new sample that would decide in one look, with
        the same probability; None if unknown.
    truth_reader : Reviewer or None
        The people who gave the truth, if they are known to err; `errors` then counts the errors found,
        while rates include the overlooked ones.

    See Also
    --------
    fastarac.operation.Policy.check : test the limit of a policy on new verified outputs
    fastarac.results.ConfidenceShift : whether confidences have shifted

    References
    ----------
    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
    binomial"; Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting".

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(4000)
    >>> correct = rng.random(4000) < 0.9 + 0.1 * confidence
    >>> policy = fa.operation.fit_policy(correct, confidence, max_error_rate=0.03)
    >>> new = rng.random(4000)
    >>> check = policy.check(rng.random(4000) < 0.9 + 0.1 * new, new)
    >>> check.verdict, check.exit_status
    ('too few', 3)
    """

    verdict: Verdict
    interval: Interval
    criterion: str
    limit: float
    n_items: int
    accepted: int
    errors: int
    still_needed: int | None = None
    audited: int | None = None
    unanswered: int | None = None
    fields: tuple[CheckedField, ...] = ()
    documents: bool = False
    verified: int | None = None
    of_fit: bool = False
    n_unread: int = 0
    unknown_fields: int = 0
    look_rule: str = "once"
    look: int = 1
    looks_declared: int | None = None
    needs_new: bool = False
    needed_once: int | None = None
    truth_reader: Reviewer | None = None

    @property
    def exit_status(self) -> int:
        """0 where the limit holds, 1 where it fails, 3 where the outputs are too few to tell."""
        return EXIT_STATUS[self.verdict]

    def __str__(self) -> str:
        people = "" if self.truth_reader is None else premise_of(self.truth_reader)
        words = self.decision, people, self.look_words, self.source_words, self.needed_words
        return "; ".join(filter(None, words))

    @property
    def look_words(self) -> str:
        """The look for which the verdict holds, in words; empty for a single look without a log."""
        if self.looks_declared is not None:
            return f"look {self.look} of the {self.looks_declared} declared"
        return f"look {self.look}, valid at every look" if self.look_rule == "sequence" else ""

    @property
    def decision(self) -> str:
        """The verdict on the limit and the rate behind it, in words."""
        found, head = self.interval, f"the limit of {percent(self.limit)}"
        if math.isnan(found.estimate):
            return f"too few {self.unit} to tell whether {head} holds: none is accepted"
        about = "" if self.truth_reader is None else "about "
        rate = f"{about}{percent(found.estimate, 3)} of {self._these} are {self._wrong}"
        if self.of_fit and self.verdict != "fails":
            return (
                f"no verdict on {head}: the policy was fitted on these {self.unit}, so they cannot "
                f"check it; {rate}"
            )
        if self._needs_drawn:
            return (
                f"no verdict on {head} without drawn=: drawn outputs without a result may hide errors; "
                f"{rate}"
            )
        sure = percent((1.0 + found.confidence_level) / 2.0)
        low, high = widened(found.low, found.high)
        if self.verdict == "holds":
            end = f"at most {percent(high, 3)}"
        elif self.verdict == "fails":
            end = f"at least {percent(low, 3)}"
        else:
            ends = percent_range(found.low, found.high, 3)
            return (
                f"too few {self.unit} to tell whether {head} holds: {rate}; the true rate is {ends} "
                f"with {percent(found.confidence_level)} confidence"
            )
        return (
            f"{head} {self.verdict}: {rate}, and with {sure} confidence {end} of all such {self.unit}"
        )

    @property
    def _these(self) -> str:
        """The denominator of the observed rate, in words."""
        return (
            f"these {self.unit}" if self.criterion == "max_error_rate" else f"the accepted {self.unit}"
        )

    @property
    def _wrong(self) -> str:
        return "wrong" if self.criterion == "max_risk" else "accepted and wrong"

    @property
    def source_words(self) -> str:
        """The number of audits or verified outputs behind the rate; empty if all truth is known."""
        if self.audited is not None:
            unanswered = ""
            if self.unanswered:
                unanswered = f"; {self.unanswered:,} drawn outputs without a result count as errors"
            return f"estimated from {self.audited:,} audits{unanswered}"
        if self.verified is not None:
            return f"estimated from {self.verified:,} verified of {self.n_items:,} outputs"
        return ""

    @property
    def expected_verdict(self) -> Verdict:
        """The verdict that enough outputs would give if the observed rate is the true one."""
        undecided = math.isnan(self.interval.estimate) or self.interval.estimate == self.limit
        if undecided or self._needs_drawn or (self.of_fit and self.verdict != "fails"):
            return "too few"
        return "holds" if self.interval.estimate < self.limit else "fails"

    @property
    def needed_words(self) -> str:
        """The number of further outputs needed for a verdict, in words; empty if unknown."""
        if self.still_needed is None:
            return ""
        audits = ""
        if self.audited is not None:
            drawn = self.audited + (self.unanswered or 0)
            n = math.ceil(self.still_needed * drawn / self.n_items)
            audits = f", about {n:,} of them audited,"
        if self.verified is not None:
            n = math.ceil(self.still_needed * self.verified / self.n_items)
            audits = f", about {n:,} of them verified,"
        more = f"about {self.still_needed:,} more {self.unit}"
        if self.needs_new:
            more = f"a new sample of about {self.still_needed:,} {self.unit}"
        return (
            f"{more}{audits} would show in 4 of 5 cases that it {self.expected_verdict}, if the rate "
            "stays as it is"
        )

    @property
    def unit(self) -> str:
        """The unit that is counted: outputs or documents."""
        return "documents" if self.documents else "outputs"

    @property
    def _needs_drawn(self) -> bool:
        """Whether the rate is within the limit, but the log does not say what was drawn."""
        unknown = self.audited is not None and self.unanswered is None
        return unknown and self.interval.estimate <= self.limit


class CheckedPromise(NamedTuple):
    """The limit of a policy, and the corresponding limit for the errors that people find."""

    criterion: str
    limit: float
    delta: float
    people: Reviewer | None
    tested: FoundLimit

    @classmethod
    def of(cls, criterion: str, limit: float, delta: float, people: Reviewer | None) -> CheckedPromise:
        """Create the promise from a policy's limit and failure probability."""
        return cls(criterion, limit, delta, people, limit_of_found(limit, delta, people))

    def ends(self, items: Checked) -> _Ends:
        """Return bounds on the rate of all errors, each of which fails with probability δ at most."""
        found = items.ends(self.criterion, self.tested.limit, self.tested.failure_probability)
        if self.people is None:
            return found
        return _Ends(*self.tested.rates(found.low, found.high), found.method)

    def rate(self, items: Checked) -> float:
        """Return the estimated rate of all errors, found or overlooked."""
        rate = items.rate(self.criterion)
        return (
            rate if self.people is None else float(np.minimum(1.0, rate / self.people.detection_rate))
        )

    def needed(self, items: Checked, *, afresh: bool = False) -> int | None:
        """Return how many more (or new) items decide with probability 0.8 if this rate is true."""
        above = self.rate(items) > self.limit
        limit = self.tested.highest if above else self.tested.limit
        return items.needed(self.criterion, limit, self.tested.failure_probability, afresh=afresh)


class Audits(NamedTuple):
    """Audited outputs of a log, and drawn outputs without a result (None if unknown)."""

    audited: int
    unanswered: int | None


class _Ends(NamedTuple):
    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Checked:
    """New outputs or whole documents: which are accepted and which are wrong.

    Attributes
    ----------
    accepted, wrong : ndarray of shape (n,), bool
        Whether each item is accepted; whether it is accepted and known to be wrong.
    codes : ndarray of shape (n,), int, or None
        The group of each item; items of one group depend on each other.
    max_group_size : int or None
        The largest number of items in a group.
    probability : ndarray of shape (n,) or None
        In a log of audits, the probability with which each item's truth became known.
    verified : KnownErrors or None
        With partial truth, the known errors.
    looks : ndarray of shape (n,), int, or None
        The look in which each item came, from 0, in rising order.
    sizes : tuple of int or None
        The largest number of items in a group, for each look.
    rule : LookRule
        The rule by which the limit is looked at.
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
        """Whether all items are verified, so that looks can be pooled."""
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
        """Return the limited rate; each known error of a log counts 1/π times."""
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
        """Return the part of `delta` that a look spends."""
        return self.rule.share(delta, look, pools=self.pools, bets=self.codes is not None)

    def ends(self, criterion: str, limit: float, delta: float) -> _Ends:
        """Return bounds on the rate, each of which fails with probability `delta` at most.

        The observed rate is always within the bounds: bets alone might exclude it.
        """
        counted = self.counted(criterion)
        trials = int(counted.sum())
        if not trials:
            return _Ends(0.0, 1.0, "Clopper–Pearson")
        delta = self._level(delta, self.rule.look)
        if (seen := self._evidence(criterion)) is not None:
            ends, rate = _ends_by_betting(seen, limit, delta), self.rate(criterion)
            return _Ends(min(ends.low, rate), max(ends.high, rate), ends.method)
        if self._in_sequence:
            bounds = sequence_ends(int(self.wrong.sum()), trials, limit, delta)
            return _Ends(*bounds, "confidence sequence")
        errors, share = int(self.wrong.sum()), self._share
        low = 1.0 - binomial_upper_bound(trials - errors, trials, delta)
        high = binomial_upper_bound(errors, trials, delta)
        return _Ends(min(1.0, low / share), min(1.0, high / share), "Clopper–Pearson")

    def pvalues(self, criterion: str, limit: float) -> tuple[float, float]:
        """Return p-values for "the rate is at least the limit" and for "it is at most the limit".

        A small first one proves that the limit holds, a small second one that it fails. Not for logs.
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
        """Whether the rate is bounded by a confidence sequence of counts."""
        return self.rule.name == "sequence" and self.pools and self.codes is None

    def _groups(self, counted: NDArray[np.bool_], codes: NDArray[Any]) -> _Groups:
        return _Groups.of(counted, self.wrong, codes, self.max_group_size, self.looks, self.sizes)

    def needed(self, criterion: str, limit: float, delta: float, *, afresh: bool = False) -> int | None:
        """Return how many more items decide with probability 0.8 if the rate stays as it is.

        With `afresh`, return the size of a new sample that is looked at once, without these items.
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
        """The smallest probability with which an accepted output was audited; often the only one."""
        probability = self.probability if self.verified is None else self.verified.probability
        return 1.0 if probability is None else float(probability[self.accepted].min(initial=1.0))

    def _evidence(self, criterion: str) -> RateEvidence | None:
        """Return the units to bet on; None where the exact test of counts suffices."""
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


def check_of(
    items: Checked,
    fields: Iterable[tuple[Any, NDArray[np.bool_]]],
    promise: CheckedPromise,
    *,
    audits: Audits | None = None,
    documents: bool = False,
    of_fit: bool = False,
    n_unread: int = 0,
) -> PolicyCheck:
    """Test both sides of a limit, each at level δ; fields get intervals only."""
    audited, unanswered = (None, None) if audits is None else audits
    # without knowing what was drawn, a log can prove many errors, but not few
    may_hold = (audits is None or unanswered is not None) and not of_fit
    criterion, limit = promise.criterion, promise.limit
    rate, ends = promise.rate(items), promise.ends(items)
    verified = None
    if items.verified is not None:
        verified = int(np.sum(~np.isnan(items.verified.error)))
    verdict: Verdict = "too few"
    if ends.high <= limit and may_hold:
        verdict = "holds"
    elif ends.low > limit:
        verdict = "fails"
    can_be_decided = verdict == "too few" and not of_fit and (may_hold or rate > limit)
    # bets on groups need as many outputs for one look as for all looks
    first_of_many = can_be_decided and items.rule == LookRule("sequence") and items.codes is None
    return PolicyCheck(
        verdict,
        Interval(
            rate,
            ends.low,
            ends.high,
            math.nan,
            1.0 - 2.0 * promise.delta,
            ends.method,
        ),
        criterion,
        limit,
        n_items=len(items.accepted),
        accepted=int(items.accepted.sum()),
        errors=int(items.wrong.sum()),
        still_needed=promise.needed(items) if can_be_decided else None,
        audited=audited,
        unanswered=unanswered,
        fields=tuple(_checked_field(field, items.only(chosen), promise) for field, chosen in fields),
        documents=documents,
        verified=verified,
        of_fit=of_fit,
        n_unread=n_unread,
        look_rule=items.rule.name,
        look=items.rule.look,
        looks_declared=items.rule.declared,
        needs_new=items.rule.logged,
        needed_once=promise.needed(items, afresh=True) if first_of_many and items.pools else None,
        truth_reader=promise.people,
    )


def _checked_field(field: Any, items: Checked, promise: CheckedPromise) -> CheckedField:
    counts = len(items.accepted), int(items.accepted.sum()), int(items.wrong.sum())
    ends = promise.ends(items)
    return CheckedField(field, *counts, promise.rate(items), ends.low, ends.high)


class _Groups(NamedTuple):
    """Groups in random order: counted items and errors in each, and the largest group size."""

    counts: NDArray[np.float64]
    errors: NDArray[np.float64]
    largest: NDArray[np.int64]
    """The largest group size known when the bet on each group is made."""
    keeps_order: bool

    @classmethod
    def of(
        cls,
        counted: NDArray[np.bool_],
        wrong: NDArray[np.bool_],
        codes: NDArray[Any],
        max_group_size: int | None,
        looks: NDArray[np.intp] | None = None,
        sizes: tuple[int, ...] | None = None,
    ) -> _Groups:
        """Shuffle the groups of each look, keeping the looks in order."""
        n = np.bincount(codes)
        counts, errors = (np.bincount(codes, each).astype(np.float64) for each in (counted, wrong))
        if looks is None:
            largest = largest_group(int(n.max()), max_group_size)
            of_group, known = np.zeros(len(n), np.intp), np.array([largest])
        else:
            of_group = np.zeros(len(n), np.intp)
            of_group[codes] = looks
            known = np.maximum.accumulate(np.array(sizes, np.int64))
        parts = []
        for look in np.unique(of_group).tolist():
            own = np.flatnonzero(of_group == look)
            rng = generator_for(key_of(0), counts[own], errors[own])
            parts.append(own[rng.permutation(len(own))])
        order = np.concatenate(parts)
        return cls(counts[order], errors[order], known[of_group[order]], looks is not None)

    @property
    def n_units(self) -> int:
        """The number of groups."""
        return len(self.counts)

    def drawn(self, n: int, rng: np.random.Generator) -> _Groups:
        """Return n groups in random order: these, and others drawn from them with replacement."""
        chosen = _with_others(self.n_units, n, rng, keeps_order=self.keeps_order)
        # drawn groups are no larger than the last known largest size
        largest = self.largest[chosen] if self.keeps_order else self.largest[:1]
        if self.keeps_order:
            largest[self.n_units :] = self.largest[-1]
        return self._replace(counts=self.counts[chosen], errors=self.errors[chosen], largest=largest)

    def is_below(self, rate: float, delta: float) -> bool:
        """Whether bets on FA − r·m of each group refute a rate of r or more."""
        return self._wealth_below(rate) >= 1.0 / delta

    def is_above(self, rate: float, delta: float) -> bool:
        """Whether bets on r·m − FA of each group refute a rate of r or less."""
        return self._wealth_above(rate) >= 1.0 / delta

    def pvalues(self, rate: float) -> tuple[float, float]:
        """Return 1 over the largest wealth of each bet, which is a p-value (Ville 1939)."""
        return 1.0 / self._wealth_below(rate), 1.0 / self._wealth_above(rate)

    def _wealth_below(self, rate: float) -> float:
        return wealth(self.errors - rate * self.counts, self.largest, rate)

    def _wealth_above(self, rate: float) -> float:
        return wealth(rate * self.counts - self.errors, self.largest, 1.0 - rate)


def _with_others(
    n: int, total: int, rng: np.random.Generator, *, keeps_order: bool
) -> NDArray[np.intp]:
    """Return indices of n units and of others drawn from them, shuffled or in order."""
    every = np.concatenate([np.arange(n), rng.integers(n, size=total - n)])
    return every if keeps_order else rng.permutation(every)


def _ends_by_betting(seen: RateEvidence, limit: float, delta: float) -> _Ends:
    """Return the range of rates that bets on units in random order do not refute.

    The bets are tested on a grid of rates; the range spans all rates that are not refuted (Waudby-Smith
    and Ramdas 2024).
    """
    rates = np.union1d(RATES, limit) if 0.0 < limit < 1.0 else RATES
    inner = rates[:-1].tolist()
    # the ends are the refuted grid points next to the range
    kept = np.flatnonzero([not seen.is_below(rate, delta) for rate in inner])
    high = float(rates[kept[-1] + 1]) if len(kept) else float(rates[0])
    left = np.flatnonzero([not seen.is_above(rate, delta) for rate in inner])
    low = float(rates[left[0] - 1]) if len(left) and left[0] else 0.0
    return _Ends(low, high, "betting")
