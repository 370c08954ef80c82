"""What a policy made of the outputs in a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.results import Result
from fastarac._core.text import percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
        return f"{self.shift}; the limit and the expected errors may not hold for these outputs"

    @property
    def unit(self) -> str:
        """What is accepted: outputs, or documents."""
        return "outputs" if self.n_documents is None else "documents"

    @property
    def decision(self) -> str:
        """How much is accepted, and how much people verify."""
        whole, accepted = self.n_items, self.accepted
        if self.n_documents is not None:
            whole, accepted = self.n_documents, self.accepted_documents or 0
        if not whole:
            return "there are no outputs: nothing to accept, nothing to verify"
        if not accepted:
            return f"accept nothing: people verify all {whole:,} {self.unit}"
        share = percent(accepted / whole, 3)
        if self.n_unread:
            n_read = self.n_items - self.n_unread
            share += (
                f"; {percent(accepted / n_read if n_read else 0.0, 3)} of {n_read:,} with an output"
            )
        groups = ""
        if self.n_groups is not None:
            groups = f" in {self.n_groups:,} {plural('group', self.n_groups)}"
        return (
            f"accept {accepted:,} of {whole:,} {self.unit}{groups} ({share}); people verify the other "
            f"{whole - accepted:,}"
        )

    @property
    def expectation(self) -> str:
        """How many errors are expected among what is accepted; empty where nothing is."""
        if not self.accepted:
            return ""
        whole = self.n_items if self.n_documents is None else self.n_documents
        wrong = "errors" if self.n_documents is None else "wrong documents"
        return (
            f"expect about {self.expected_errors:.3g} {wrong} among the accepted ones "
            f"({self.expected_low:.3g} to {self.expected_high:.3g} with 95% confidence), "
            f"{percent(self.expected_errors / whole, 3)} of all {self.unit}"
        )

    def remarks(self) -> Iterator[str]:
        """Yield what becomes of outputs of unknown fields and of documents that lack fields."""
        if self.unknown_fields:
            fate = "rejects" if self.n_documents is None else "ignores"
            these = f"{self.unknown_fields:,} {plural('output', self.unknown_fields)}"
            yield f"the policy {fate} {these} of unknown fields"
        if self.lacking_documents:
            verb = "lacks" if self.lacking_documents == 1 else "lack"
            yield f"{self.lacking_documents:,} of the other documents {verb} a required field"
        if self.of_outputs_read:
            yield self.of_outputs_read.rstrip(".")

    def __str__(self) -> str:
        parts = [self.decision, self.expectation, *self.remarks()]
        text = "; ".join(filter(None, parts))
        return text if self.warning is None else f"{text}; but {self.warning}"


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
