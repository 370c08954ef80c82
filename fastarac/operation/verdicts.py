"""The verdict of a check: whether a policy keeps its limit, in numbers and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.results import Result
from fastarac._core.text import percent, percent_range, widened
from fastarac.reviewer import Reviewer, premise_of

if TYPE_CHECKING:
    from fastarac._core.interval import Interval
    from fastarac.uncertainty.shares import Verdict

EXIT_STATUS = {"holds": 0, "fails": 1, "too few": 3}


class CheckedField(NamedTuple):
    """The counts and the rate of one field; the limit applies to all fields together.

    Attributes
    ----------
    field : str or int
        The field's label.
    n_items, accepted, errors : int
        Numbers of outputs of the field, of accepted outputs, and of known errors among the accepted
        outputs. In a log, drawn outputs without a result count as errors.
    rate, low, high : float
        The error rate or risk of this field alone, and its interval. They are NaN, 0 and 1 if the
        denominator of the rate is 0.
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
        The error rate or risk, as the limit counts it, with an interval. For each end of the interval,
        the probability that the true rate lies beyond it is at most the policy's failure probability.
    criterion : {"max_error_rate", "max_risk"}
        The kind of limit.
    limit : float
        The limit of the error rate or risk.
    n_items, accepted, errors : int
        Numbers of outputs (or whole documents), of accepted ones, and of known errors among the
        accepted ones. In a log, drawn outputs without a result count as errors.
    still_needed : int or None
        If the verdict is "too few": the approximate number of further outputs that lead to
        `expected_verdict` with probability 0.8, if the observed rate is the true rate. For a log, this
        is the number of all outputs, not of audits. None if the rate is so close to the limit that too
        many outputs would be needed.
    audited : int or None
        For a log of audits, the number of accepted outputs with a result.
    unanswered : int or None
        For a log of audits, the number of drawn outputs without a result, which count as errors. None
        if the log does not say which outputs were drawn; the verdict is then never "holds".
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
        Number of items without an output or without a confidence. They are never accepted, and they are
        not counted in `n_items` or in the denominator of the rate.
    unknown_fields : int
        Number of outputs of fields that the policy does not know. They are rejected, or ignored in
        whole documents.
    look_rule : {"once", "declared", "sequence"}
        The rule of :class:`.Looks` by which the verdict holds.
    look, looks_declared : int, int or None
        The number of this look, counted from 1, and the declared number of looks, if any.
    needs_new : bool
        Whether further outputs must form a new sample, because the present outputs may be tested only
        once.
    needed_once : int or None
        At the first look of a sequence, the size of a new sample that would decide in a single look
        with probability 0.8; None if this is unknown.
    truth_reader : Reviewer or None
        The people who gave the truth, if they are known to overlook errors. Then `errors` counts only
        the errors that they found, while rates include overlooked errors.

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
        """0 if the limit holds, 1 if it fails, 3 if the outputs are too few to decide."""
        return EXIT_STATUS[self.verdict]

    def __str__(self) -> str:
        people = "" if self.truth_reader is None else premise_of(self.truth_reader)
        words = self.decision, people, self.look_words, self.source_words, self.needed_words
        return "; ".join(filter(None, words))

    @property
    def look_words(self) -> str:
        """The number and the rule of the present look, in words; empty if only one look is allowed."""
        if self.looks_declared is not None:
            return f"look {self.look} of {self.looks_declared} declared looks"
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
                f"no verdict on {head} without drawn=: outputs that were drawn but have no result may "
                f"be wrong; {rate}"
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
            f"{head} {self.verdict}: {rate}, and with {sure} confidence {end} of all {self.unit} like "
            "these"
        )

    @property
    def _these(self) -> str:
        """The items in the denominator of the rate, in words."""
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
            f"{more}{audits} would show in 4 of 5 cases that the limit {self.expected_verdict}, if the "
            "rate stays as it is"
        )

    @property
    def unit(self) -> str:
        """The unit that is counted: outputs or documents."""
        return "documents" if self.documents else "outputs"

    @property
    def _needs_drawn(self) -> bool:
        """Whether the rate is within the limit, but the log does not say which outputs were drawn."""
        unknown = self.audited is not None and self.unanswered is None
        return unknown and self.interval.estimate <= self.limit
