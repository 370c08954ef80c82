"""Combine the rows of a log into documents, if audits draw whole documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import fractions_of
from fastarac.operation.audit_logs import answers_of_log, flags_of, refuse_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.acceptance import AcceptanceRule, NewOutputs
    from fastarac.operation.documents import Documents

ABSENT = "add a row for each such field, with an empty confidence, so that audits find missed values"
OF_DOCUMENT = "all rows of this document must have the same value"


class DocumentLog(NamedTuple):
    """The documents of a log, in the order of their labels.

    Attributes
    ----------
    correct : ndarray of shape (n_documents,), float64
        1 if all fields of the document are known to be right, 0 if one is known to be wrong, else NaN.
    accepted : ndarray of shape (n_documents,), bool
        Whether the policy accepts each document.
    probability : ndarray of shape (n_documents,), float64
        The probability with which each document was drawn for an audit; 1 for rejected documents.
    drawn : ndarray of shape (n_documents,), bool, or None
        Whether each document was drawn; None if the log does not say.
    first : ndarray of shape (n_documents,), int
        The first row of each document.
    of_item : ndarray of shape (n,), int
        The document of each row.
    """

    correct: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    probability: NDArray[np.float64]
    drawn: NDArray[np.bool_] | None
    first: NDArray[np.intp]
    of_item: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        rule: AcceptanceRule,
        correct: ArrayLike,
        outputs: NewOutputs,
        probability: ArrayLike,
        drawn: ArrayLike | None,
        *,
        fields_complete: bool,
    ) -> DocumentLog:
        """Combine the rows of each document.

        Raises
        ------
        LogError
            For an answer other than 0, 1 or NaN, and if the rows of an accepted document differ in
            `probability` or `drawn`.
        ValueError, TypeError
            As :meth:`.Policy.apply`. Also if a drawn document has no row for an optional field, unless
            `fields_complete` is true.
        """
        whole, accepted, codes = rule.decided(outputs)
        n, of_item = len(whole.of_item), whole.of_item
        truth = answers_of_log(correct, n, "rows")
        chance = np.broadcast_to(fractions_of(probability, "audit_probability"), (n,))
        chance = _of_documents("audit_probability", chance, whole, accepted)
        made = None
        if drawn is not None:
            made = _of_documents("drawn", flags_of(drawn, "drawn", n), whole, accepted)
        # Outputs of fields that the policy does not know are ignored.
        counts = np.ones(n, np.bool_) if codes is None else codes >= 0
        is_open = np.bincount(of_item, counts & np.isnan(truth)) > 0
        is_wrong = np.bincount(of_item, counts & (truth == 0.0)) > 0
        answered = np.where(is_wrong, 0.0, np.where(is_open, np.nan, 1.0))
        if not fields_complete:
            asked = accepted & (~np.isnan(answered) if made is None else made)
            rule.require_told(whole, asked, outputs.documents)
        return cls(answered, accepted, np.where(accepted, chance, 1.0), made, whole.first, of_item)


def require_listed(rule: AcceptanceRule, outputs: NewOutputs) -> None:
    """Raise a ValueError if an accepted document has no row for an optional field of its type."""
    whole, accepted, _ = rule.decided(outputs)
    rule.require_told(whole, accepted, outputs.documents, ABSENT)


def without_confidence(confidence: NDArray[np.float64]) -> tuple[NDArray[np.float64], Any]:
    """Replace NaN by 0; also return a mask of the NaN, or None if there are none."""
    missing = np.isnan(confidence)
    return np.where(missing, 0.0, confidence), missing if missing.any() else None


def _of_documents(
    name: str, values: NDArray[Any], whole: Documents, accepted: NDArray[np.bool_]
) -> NDArray[Any]:
    """Return each document's value; raise a LogError if the rows of an accepted document differ."""
    found = values[whole.first]
    differs = accepted[whole.of_item] & (values != found[whole.of_item])
    refuse_rows(name, differs, values, OF_DOCUMENT)
    return found
