"""Whether the limit of a policy holds on new verified outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import whole_number
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
# rates that the interval of dependent items is searched among
RATES = np.unique(np.concatenate([np.geomspace(1e-5, 0.5, 150), np.linspace(0.5, 1.0, 20)]))


class LookRule(NamedTuple):
    """How often a limit is looked at, and which look this is."""

    name: Literal["once", "declared", "sequence"] = "once"
    look: int = 1
    declared: int | None = None
    logged: bool = False
    """Whether it is the one look at outputs that a log knows, so that others have to be new."""

    def share(self, delta: float, look: int, *, pools: bool, bets: bool) -> float:
        """Return what a look spends of `delta`.

        Bets on pooled groups, whose order stays, and sequences of counts hold at all looks together.
        """
        if self.declared is not None and not (pools and bets):
            return delta / self.declared
        if self.name == "sequence" and not pools:
            return delta / (look * (look + 1.0))
        return delta


ONCE = LookRule()


class CheckedField(NamedTuple):
    """What was found of one field; the limit is about all of them together.

    Attributes
    ----------
    field : str or int
        Its label.
    n_items, accepted, errors : int
        Its outputs, accepted ones among them, and known errors among these, or what counts as one.
    rate, low, high : float
        The rate that is limited, in this field alone, with its interval; NaN, 0 and 1 where there is no
        output.
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
    """Whether a limit holds on new verified outputs. Printed, it is a sentence.

    Attributes
    ----------
    verdict : {"holds", "fails", "too few"}
        Whether the rate is proved to be within the limit, or above it, or neither.
    interval : Interval
        The rate that is limited, with an interval whose either end holds but for the failure
        probability of the policy.
    criterion : {"max_error_rate", "max_risk"}
        What is limited.
    limit : float
        The error rate or risk that is to be kept.
    n_items, accepted, errors : int
        Outputs (or whole documents), accepted ones among them, and known errors among these; in a log,
        those too that were drawn and have no result.
    still_needed : int or None
        Of "too few", about how many more outputs (of a log: all of them, not audits) show, beside these
        and with a probability of 0.8, what `expected_verdict` says if the rate stays as it was found;
        None where the rate is that of the limit, or so near that they are more than can be asked for.
    audited : int or None
        From a log of audits, how many of the accepted outputs have a result.
    unanswered : int or None
        From a log of audits, how many outputs were drawn and have none, which count as errors; None
        where the log does not say what was drawn, so that no verdict is "holds".
    fields : tuple of CheckedField
        The fields of the policy, each with an interval of its own.
    documents : bool
        Whether whole documents were counted.
    verified : int or None
        Of outputs that are verified in part, how many are; None where all are, and in a log.
    of_fit : bool
        Whether these are the outputs that the policy was fitted on: of them no verdict is "holds".
    n_unread : int
        Items beside `n_items` that have no output, or none with a confidence: never accepted, and not
        among what the rate is of.
    unknown_fields : int
        Outputs of fields that the policy does not know: rejected, or of documents ignored.
    look_rule : {"once", "declared", "sequence"}
        By which rule of :class:`.Looks` the verdict holds.
    look, looks_declared : int, int or None
        Which look it is, from 1 on, and how many there will be at most, where that was declared.
    needs_new : bool
        Whether outputs still needed are those of a new sample, as these had their one look.
    needed_once : int or None
        At the first look of a sequence, how many outputs of a new sample would decide in one look, with
        the same probability; None where that is not known.
    truth_reader : Reviewer or None
        Who gave the truth, where that is known to err: `errors` are those that were found, and rates
        are of all.

    See Also
    --------
    fastarac.operation.Policy.check : test the limit of a policy on new verified outputs
    fastarac.results.ConfidenceShift : whether confidences have moved

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
        """For how many looks the verdict holds; empty for the one look that nothing keeps a log of."""
        if self.looks_declared is not None:
            return f"look {self.look} of the {self.looks_declared} declared"
        return f"look {self.look}, valid at every look" if self.look_rule == "sequence" else ""

    @property
    def decision(self) -> str:
        """Whether the limit holds, by which rate."""
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
        """What the observed rate is a share of."""
        return (
            f"these {self.unit}" if self.criterion == "max_error_rate" else f"the accepted {self.unit}"
        )

    @property
    def _wrong(self) -> str:
        return "wrong" if self.criterion == "max_risk" else "accepted and wrong"

    @property
    def source_words(self) -> str:
        """What a log or a sample knows the truth of; empty where all of it is known."""
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
        """What outputs enough would show if the rate stays as it was found."""
        undecided = math.isnan(self.interval.estimate) or self.interval.estimate == self.limit
        if undecided or self._needs_drawn or (self.of_fit and self.verdict != "fails"):
            return "too few"
        return "holds" if self.interval.estimate < self.limit else "fails"

    @property
    def needed_words(self) -> str:
        """How many more outputs it takes to show what, in words; empty where that is not known."""
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
        """What is counted: outputs, or documents."""
        return "documents" if self.documents else "outputs"

    @property
    def _needs_drawn(self) -> bool:
        """Whether the rate is within the limit, by a log that does not say what was drawn."""
        unknown = self.audited is not None and self.unanswered is None
        return unknown and self.interval.estimate <= self.limit


class CheckedPromise(NamedTuple):
    """The limit of a policy, and what is tested of the errors that people found."""

    criterion: str
    limit: float
    delta: float
    people: Reviewer | None
    tested: FoundLimit

    @classmethod
    def of(cls, criterion: str, limit: float, delta: float, people: Reviewer | None) -> CheckedPromise:
        """Of the limit and the failure probability of a policy."""
        return cls(criterion, limit, delta, people, limit_of_found(limit, delta, people))

    def ends(self, items: Checked) -> _Ends:
        """Return the rates between which that of all errors is, but for δ on either side."""
        found = items.ends(self.criterion, self.tested.limit, self.tested.failure_probability)
        if self.people is None:
            return found
        return _Ends(*self.tested.rates(found.low, found.high), found.method)

    def rate(self, items: Checked) -> float:
        """Return the rate of all errors."""
        rate = items.rate(self.criterion)
        return (
            rate if self.people is None else float(np.minimum(1.0, rate / self.people.detection_rate))
        )

    def needed(self, items: Checked, *, afresh: bool = False) -> int | None:
        """Return how many more items, or new ones, decide with a probability of 0.8 at this rate."""
        above = self.rate(items) > self.limit
        limit = self.tested.highest if above else self.tested.limit
        return items.needed(self.criterion, limit, self.tested.failure_probability, afresh=afresh)


class Audits(NamedTuple):
    """Of a log: accepted outputs with a result, and those drawn without one where that is known."""

    audited: int
    unanswered: int | None


class _Ends(NamedTuple):
    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Checked:
    """New outputs, or whole documents, of which the accepted and wrong ones are counted.

    Attributes
    ----------
    accepted, wrong : ndarray of shape (n,), bool
        Accepted ones, and those of them that are known to be wrong.
    codes : ndarray of shape (n,), int, or None
        Groups of items that depend on each other.
    max_group_size : int or None
        Items that a group has at most.
    probability : ndarray of shape (n,) or None
        In a log of audits, with which probability the truth became known.
    verified : KnownErrors or None
        What is known of outputs that are verified in part.
    looks : ndarray of shape (n,), int, or None
        In which look each item came, from 0 on, in rising order.
    sizes : tuple of int or None
        Items that a group of each look has at most.
    rule : LookRule
        How often the limit is looked at.
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
        """Whether the truth of all items is known, so that looks add up."""
        return self.probability is None and self.verified is None

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Checked:
        """Return some of the items."""

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
        """Return which items the rate is a share of."""
        whole = np.ones(len(self.accepted), np.bool_)
        return whole if criterion == "max_error_rate" else self.accepted

    def rate(self, criterion: str) -> float:
        """Return the rate that is limited; each known error of a log stands for 1/π."""
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
        """What a look spends of `delta`."""
        return self.rule.share(delta, look, pools=self.pools, bets=self.codes is not None)

    def ends(self, criterion: str, limit: float, delta: float) -> _Ends:
        """Return the rates between which the rate is but for `delta` on either side.

        Bets may refute the rate of these items on their way: it is kept between the ends.
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
        """Return those of the rate being the limit or more, and of its being the limit or less.

        Small ones prove that the limit holds, and that it fails. Not of a log.
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
        """Whether it is counts that a confidence sequence bounds."""
        return self.rule.name == "sequence" and self.pools and self.codes is None

    def _groups(self, counted: NDArray[np.bool_], codes: NDArray[Any]) -> _Groups:
        return _Groups.of(counted, self.wrong, codes, self.max_group_size, self.looks, self.sizes)

    def needed(self, criterion: str, limit: float, delta: float, *, afresh: bool = False) -> int | None:
        """Return how many more items decide with a probability of 0.8 if the rate stays as it is.

        Of a new sample that is looked at once, `afresh`, these items do not count.
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
        """The probability with which each accepted output was audited, where all have one."""
        probability = self.probability if self.verified is None else self.verified.probability
        return 1.0 if probability is None else float(probability[self.accepted].min(initial=1.0))

    def _evidence(self, criterion: str) -> RateEvidence | None:
        """What bets are on: groups, outputs with a judge, or with probabilities that differ."""
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
    """Test both sides of a limit, each with `delta`; of fields there are the intervals alone."""
    audited, unanswered = (None, None) if audits is None else audits
    # what was drawn has to be known to prove that few errors are there, not to prove that many are
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
    # bets on groups take as many outputs for one look as for all
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
    """Groups in random order: what is counted in each, errors among it, and items one has at most."""

    counts: NDArray[np.float64]
    errors: NDArray[np.float64]
    largest: NDArray[np.int64]
    """As far as is known when a bet on each group is made."""
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
        """Put the groups of each look into a random order, behind those of the looks before."""
        n = np.bincount(codes)
        counts, errors = (np.bincount(codes, each).astype(np.float64) for each in (counted, wrong))
        if looks is None:
            largest = int(n.max())
            if max_group_size is not None:
                most = whole_number(max_group_size, "max_group_size", 1)
                if largest > most:
                    raise ValueError(
                        f"max_group_size must be at least {largest}, the size of the largest group, "
                        f"got {most}"
                    )
                largest = most
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
        """How many groups there are."""
        return len(self.counts)

    def drawn(self, n: int, rng: np.random.Generator) -> _Groups:
        """Return n groups in random order: these, and others drawn from them with replacement."""
        chosen = _with_others(self.n_units, n, rng, keeps_order=self.keeps_order)
        # what is drawn is no larger than what was seen, or declared, last
        largest = self.largest[chosen] if self.keeps_order else self.largest[:1]
        if self.keeps_order:
            largest[self.n_units :] = self.largest[-1]
        return self._replace(counts=self.counts[chosen], errors=self.errors[chosen], largest=largest)

    def is_below(self, rate: float, delta: float) -> bool:
        """Whether bets on FA − r·m of each group refute that the rate is r or more."""
        return self._wealth_below(rate) >= 1.0 / delta

    def is_above(self, rate: float, delta: float) -> bool:
        """Whether bets on r·m − FA of each group refute that the rate is r or less."""
        return self._wealth_above(rate) >= 1.0 / delta

    def pvalues(self, rate: float) -> tuple[float, float]:
        """Return one over the largest capital of either bet, which is a p-value (Ville 1939)."""
        return 1.0 / self._wealth_below(rate), 1.0 / self._wealth_above(rate)

    def _wealth_below(self, rate: float) -> float:
        return wealth(self.errors - rate * self.counts, self.largest, rate)

    def _wealth_above(self, rate: float) -> float:
        return wealth(rate * self.counts - self.errors, self.largest, 1.0 - rate)


def _with_others(
    n: int, total: int, rng: np.random.Generator, *, keeps_order: bool
) -> NDArray[np.intp]:
    """Indices of n units and of others drawn from these, in random order or behind these."""
    every = np.concatenate([np.arange(n), rng.integers(n, size=total - n)])
    return every if keeps_order else rng.permutation(every)


def _ends_by_betting(seen: RateEvidence, limit: float, delta: float) -> _Ends:
    """The rates that bets on units in random order do not refute, on either side.

    What is not refuted on a grid is kept, and with it everything between (Waudby-Smith and Ramdas
    2024).
    """
    rates = np.union1d(RATES, limit) if 0.0 < limit < 1.0 else RATES
    inner = rates[:-1].tolist()
    # the first rate from which on every higher one is refuted, and the last below which all are
    kept = np.flatnonzero([not seen.is_below(rate, delta) for rate in inner])
    high = float(rates[kept[-1] + 1]) if len(kept) else float(rates[0])
    left = np.flatnonzero([not seen.is_above(rate, delta) for rate in inner])
    low = float(rates[left[0] - 1]) if len(left) and left[0] else 0.0
    return _Ends(low, high, "betting")
