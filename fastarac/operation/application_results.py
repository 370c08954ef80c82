"""Results of applying a policy to the outputs in a file."""

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
        The field's label.
    n_items, accepted : int
        Numbers of outputs and of accepted outputs of the field.
    expected_errors : float
        The expected number of errors among the accepted outputs.
    """

    field: str
    n_items: int
    accepted: int
    expected_errors: float


def applied_fields(policy: Policy, counts: Iterable[tuple[int, int]]) -> tuple[AppliedField, ...]:
    """Return the counts of each field; `counts` has the numbers of outputs and of accepted outputs."""
    return tuple(
        AppliedField(str(field), n, accepted, accepted * rate)
        for field, (n, accepted), rate in zip(
            policy.fields, counts, policy.expected_rates, strict=False
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPolicy(Result):
    """Counts of accepted and rejected outputs in a file; prints as a sentence.

    Attributes
    ----------
    n_items, accepted : int
        Numbers of outputs and of accepted outputs.
    expected_errors : float
        The expected number of errors among the accepted outputs (:meth:`.Policy.expected_errors`). For
        a policy of whole documents, the expected number of accepted documents with an error.
    expected_low, expected_high : float
        The 95% interval of the expected errors.
    unknown_fields : int
        Number of outputs of fields that the policy does not know. They are rejected, or ignored in
        whole documents.
    criterion : {"max_error_rate", "max_risk"}
        The kind of limit.
    limit : float
        The limit of the error rate or risk.
    fields : tuple of AppliedField
        The fields of the policy; empty if it has none, or accepts whole documents.
    n_documents, accepted_documents : int or None
        Numbers of documents and of accepted documents, if whole documents are accepted.
    lacking_documents : int or None
        Number of documents that are rejected because they lack a required field or have no output.
    n_groups : int or None
        The number of groups, if a column of groups was given.
    shift : ConfidenceShift or None
        Test for a shift of the confidences since the fit (:meth:`.Policy.shift`). Quantiles of the new
        confidences are rounded to four digits. None if all outputs belong to unknown fields.
    n_unread : int
        Number of outputs without a confidence, which are part of `n_items`; 0 for documents.
    of_outputs_read : str
        To which outputs the shares refer, in words; empty if the engine cannot have missed words.

    See Also
    --------
    fastarac.operation.apply_policy : split the outputs in a file into accepted and rejected ones
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
        """The number of outputs that people verify."""
        return self.n_items - self.accepted

    @property
    def straight_through_rate(self) -> float | None:
        """The share of documents that are accepted; None for single outputs, NaN without documents."""
        if self.n_documents is None or self.accepted_documents is None:
            return None
        return self.accepted_documents / self.n_documents if self.n_documents else math.nan

    @property
    def expected_rate(self) -> float:
        """The expected error rate or, if the limit is on the risk, the expected risk; NaN for 0/0."""
        if self.n_documents is None:
            return self._rate(self.n_items, self.accepted, self.expected_errors)
        return self._rate(self.n_documents, self.accepted_documents or 0, self.expected_errors)

    def rate_of(self, field: AppliedField) -> float:
        """Return the expected rate of one field."""
        return self._rate(*field[1:])

    def _rate(self, n_items: int, accepted: int, errors: float) -> float:
        whole = n_items if self.criterion == "max_error_rate" else accepted
        return errors / whole if whole else math.nan

    @property
    def warning(self) -> str | None:
        """A warning if the confidences have shifted; None if not, or if no test was possible."""
        if self.shift is None or not self.shift.shifted:
            return None
        return f"{self.shift}; the limit and the expected errors may not hold for these outputs"

    @property
    def unit(self) -> str:
        """The unit of decision: outputs or documents."""
        return "outputs" if self.n_documents is None else "documents"

    @property
    def decision(self) -> str:
        """A sentence on how many outputs or documents are accepted, and how many people verify."""
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
        """A sentence on the expected errors among accepted outputs; empty if nothing is accepted."""
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
        """Yield remarks on outputs of unknown fields and on documents that lack fields."""
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
    """Return the counts together with the number of errors that the policy expects.

    `by_field` holds the number of accepted outputs of each field, as for
    :meth:`.Policy.expected_errors`. `others` are further attributes of the result.
    """
    expected = policy.expected_errors(by_field)
    return AppliedPolicy(
        n_items, accepted, expected.estimate, expected.low, expected.high,
        criterion=policy.criterion, limit=policy.limit, **others,
    )  # fmt: skip
