"""What a policy made of the outputs in a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.results import Result
from fastarac._core.text import percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastarac.operation.policy import Policy
    from fastarac.operation.shifts import ConfidenceShift


class AppliedField(NamedTuple):
    """Counts of one field in a file.

    Attributes
    ----------
    field : str
        Its label.
    n_items, accepted : int
        Its outputs, and accepted ones among them.
    expected_errors : float
        How many errors are expected among the accepted ones.
    """

    field: str
    n_items: int
    accepted: int
    expected_errors: float


def applied_fields(policy: Policy, counts: Iterable[tuple[int, int]]) -> tuple[AppliedField, ...]:
    """Return the fields of a policy by how many outputs each has, and how many are accepted."""
    return tuple(
        AppliedField(str(field), n, accepted, accepted * rate)
        for field, (n, accepted), rate in zip(
            policy.fields, counts, policy.expected_rates, strict=False
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPolicy(Result):
    """Counts of the outputs in a file that were accepted and not. Printed, it is a sentence.

    Attributes
    ----------
    n_items, accepted : int
        Outputs, and accepted ones among them.
    expected_errors : float
        How many errors are expected among the accepted ones (:meth:`.Policy.expected_errors`); where
        whole documents are accepted, how many of these are expected to have an error.
    expected_low, expected_high : float
        The 95% interval of that number.
    unknown_fields : int
        Outputs of fields that the policy does not know: all rejected, or of documents ignored.
    criterion : {"max_error_rate", "max_risk"}
        What the policy limits.
    limit : float
        The error rate or risk that it keeps.
    fields : tuple of AppliedField
        The fields of the policy; empty where it has none, or accepts whole documents.
    n_documents, accepted_documents : int or None
        Where whole documents are accepted, how many there are, and accepted ones among them.
    lacking_documents : int or None
        How many of them lack a required field, or have no output, and so are not accepted.
    n_groups : int or None
        How many groups there are, where the column of groups was given.
    shift : ConfidenceShift or None
        Whether the confidences have moved since the policy was fitted, as :meth:`.Policy.shift` tests
        it; quantiles of the new ones are rounded to four digits. None where no field is known.
    n_unread : int
        Of the `n_items`, those without a confidence; 0 of documents.
    of_outputs_read : str
        What shares are of, where words may be missing that nobody sees; else empty.

    See Also
    --------
    fastarac.operation.apply_policy : divide the outputs in a file into those that are accepted
    fastarac.operation.Policy : which outputs are accepted, under one limit
    """

    n_items: int
    accepted: int
    expected_errors: float
    expected_low: float
    expected_high: float
    unknown_fields: int
    criterion: str
    limit: float
    fields: tuple[AppliedField, ...] = ()
    n_documents: int | None = None
    accepted_documents: int | None = None
    lacking_documents: int | None = None
    n_groups: int | None = None
    shift: ConfidenceShift | None = None
    n_unread: int = 0
    of_outputs_read: str = ""

    @property
    def rejected(self) -> int:
        """Outputs that people are to verify."""
        return self.n_items - self.accepted

    @property
    def straight_through_rate(self) -> float | None:
        """The share of the documents that are accepted; None where single outputs are, NaN of none."""
        if self.n_documents is None or self.accepted_documents is None:
            return None
        return self.accepted_documents / self.n_documents if self.n_documents else math.nan

    @property
    def _lacking_words(self) -> str:
        if not self.lacking_documents:
            return ""
        verb = "lacks" if self.lacking_documents == 1 else "lack"
        return f", {self.lacking_documents:,} of the others {verb} a required field"

    @property
    def expected_rate(self) -> float:
        """The rate that is limited, as it is expected; NaN where nothing is accepted."""
        if self.n_documents is None:
            return self._rate(self.n_items, self.accepted, self.expected_errors)
        return self._rate(self.n_documents, self.accepted_documents or 0, self.expected_errors)

    def rate_of(self, field: AppliedField) -> float:
        """Return the same rate of one field."""
        return self._rate(*field[1:])

    def _rate(self, n_items: int, accepted: int, errors: float) -> float:
        whole = n_items if self.criterion == "max_error_rate" else accepted
        return errors / whole if whole else math.nan

    @property
    def warning(self) -> str | None:
        """What speaks against the policy for these outputs; None where nothing does."""
        if self.shift is None or not self.shift.shifted:
            return None
        return f"{self.shift}, so that neither the limit nor the expected errors need be true of them"

    def __str__(self) -> str:
        if not self.n_items:
            return "there are no outputs: nothing is accepted, and nothing is to be verified"
        share = percent(self.accepted / self.n_items, 4)
        if self.n_unread:
            n_read = self.n_items - self.n_unread
            of_read = percent(self.accepted / n_read if n_read else 0.0, 4)
            share += f"; {of_read} of the {n_read:,} that are read"
        unknown = ""
        if self.unknown_fields:
            unknown = f" ({self.unknown_fields:,} of them of fields that the policy does not know)"
            if self.n_documents is not None:
                unknown = (
                    f"; {self.unknown_fields:,} {plural('output', self.unknown_fields)} of fields that "
                    "the policy does not know decide nothing"
                )
        ends = f"95% interval {self.expected_low:.3g} to {self.expected_high:.3g}"
        number = f"about {self.expected_errors:.3g} ({ends})"
        errors, whole = f"{number} errors are expected among the", self.n_items
        on = "" if self.n_groups is None else f" in {self.n_groups:,} {plural('group', self.n_groups)}"
        head, noun = "", "outputs"
        if self.n_documents is not None and self.straight_through_rate is not None:
            errors = f"{number} wrong documents are expected among the"
            whole, noun = self.n_documents, "documents"
            head = (
                f"{self.accepted_documents:,} of {whole:,} documents go straight through "
                f"({percent(self.straight_through_rate, 4)}){self._lacking_words}; "
            )
        return (
            f"{head}{self.accepted:,} of {self.n_items:,} outputs{on} are accepted ({share}), "
            f"{self.rejected:,} are to be verified{unknown}; {errors} accepted ones, "
            f"{percent(self.expected_errors / whole, 3)} of all {noun}"
            f"{'' if self.warning is None else f'; but {self.warning}'}"
            f"{self.of_outputs_read and f'. {self.of_outputs_read[:-1]}'}"
        )


def applied_policy(
    policy: Policy, n_items: int, accepted: int, by_field: Sequence[int], **others: Any
) -> AppliedPolicy:
    """Return counts with the errors that a policy expects among the accepted outputs.

    `by_field` has how many outputs of each field are accepted, as :meth:`.Policy.expected_errors`
    takes them; `others` are further attributes.
    """
    expected = policy.expected_errors(by_field)
    return AppliedPolicy(
        n_items, accepted, expected.estimate, expected.low, expected.high,
        criterion=policy.criterion, limit=policy.limit, **others,
    )  # fmt: skip
