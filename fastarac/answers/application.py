"""What is said of outputs that a policy has divided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import sentence
from fastarac.answers.answer import Answer
from fastarac.answers.policies import shift_figures
from fastarac.answers.tables import Column

if TYPE_CHECKING:
    from pathlib import Path

    from fastarac.ocr.application import AppliedPages
    from fastarac.ocr.fields.application import AppliedFields
    from fastarac.operation.application_results import AppliedPolicy


GROUPS_NOTE = (
    "the policy was fitted with --group: without it here, outputs of a page whose confidences go up "
    "and down together look as if all had moved"
)


def application_answer(applied: AppliedPolicy, path: Path, *, lacks_groups: bool) -> Answer:
    """Say how many outputs of a table are accepted; `lacks_groups` those that the policy has."""
    notes = (GROUPS_NOTE,) if lacks_groups else ()
    return _answer(applied, applied, "them", notes, where=f"{path}: ")


def pages_answer(pages: AppliedPages) -> Answer:
    """Say how many words of an OCR engine's pages are accepted."""
    return _answer(pages, pages.applied, "the pages", tuple(pages.notes))


def documents_answer(documents: AppliedFields) -> Answer:
    """Say how many fields of documents are accepted."""
    return _answer(documents, documents.applied, "the documents", tuple(documents.notes))


def _answer(
    found: object,
    applied: AppliedPolicy,
    units: str,
    notes: tuple[str, ...] = (),
    where: str = "",
) -> Answer:
    warnings = []
    if applied.warning is not None:
        advice = f"verify a random sample of {units} for fastarac check"
        warnings.append(f"{where}{applied.warning}; {advice}")
    fields = applied.fields
    return Answer(
        [sentence(found)],
        application_figures(applied),
        notes,
        warnings,
        names=[each.field for each in fields],
        columns=[
            Column("outputs", [f"{each.n_items:,}" for each in fields]),
            Column("accepted", [f"{each.accepted:,}" for each in fields]),
            Column("errors\nexpected", [f"{each.expected_errors:.4g}" for each in fields]),
        ],
    )


def application_figures(applied: AppliedPolicy) -> dict[str, Any]:
    """Return how many outputs went where, and the errors expected among them."""
    names = (
        *("criterion", "limit", "n_items", "accepted", "rejected", "unknown_fields"),
        *("expected_errors", "expected_low", "expected_high", "expected_rate"),
        *("n_documents", "accepted_documents", "lacking_documents", "straight_through_rate"),
        *("n_groups", "n_unread"),
    )
    return {
        **{name: getattr(applied, name) for name in names},
        **shift_figures(applied.shift),
        "fields": [each._asdict() for each in applied.fields],
    }
