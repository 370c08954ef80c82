"""Describe how a policy has split outputs into accepted and rejected ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import capitalised, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.policies import MOST_FIELDS, shift_figures
from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.ocr.application import AppliedPages
    from fastarac.ocr.fields.application import AppliedFields
    from fastarac.operation.application_results import AppliedPolicy


GROUPS_NOTE = (
    "The policy was fitted with --group, but this file has no column of groups. So differences "
    "between pages may be mistaken for a shift of the confidences."
)


def application_answer(applied: AppliedPolicy, *, lacks_groups: bool) -> Answer:
    """Describe how many outputs are accepted; `lacks_groups` adds a note on missing groups."""
    notes = [Note(GROUPS_NOTE, Weight.ASSUMES)] if lacks_groups else []
    return _answer(applied, notes)


def pages_answer(pages: AppliedPages) -> Answer:
    """Describe how many words on an OCR engine's pages are accepted."""
    return _answer(pages.applied, _notes_of(pages))


def documents_answer(documents: AppliedFields) -> Answer:
    """Describe how many fields of documents are accepted."""
    return _answer(documents.applied, _notes_of(documents))


def _notes_of(files: AppliedPages | AppliedFields) -> list[Note]:
    return [Note(sentence(each), Weight.LITTLE) for each in files.notes]


def _answer(applied: AppliedPolicy, notes: Sequence[Note]) -> Answer:
    fields = applied.fields
    table = AnswerTable(
        [each.field for each in fields],
        [
            [
                Column("outputs", [f"{each.n_items:,}" for each in fields]),
                Column("accepted", [f"{each.accepted:,}" for each in fields]),
                Column("errors\nexpected", [f"{each.expected_errors:.3g}" for each in fields]),
            ]
        ],
        "field",
    )
    small = 0 < len(fields) <= MOST_FIELDS
    details = [Section("Fields", [table])] if len(fields) > MOST_FIELDS else []
    remarks = [Note(sentence(each), Weight.LITTLE) for each in applied.remarks()]
    if applied.shift is not None:
        details.append(Section("Confidences", [Said(sentence(applied.shift))]))
    said = [f"{capitalised(each)}." for each in (applied.decision, applied.expectation) if each]
    screen = Screen(said, table if small else None, notes=remarks, details=details)
    warnings = [] if applied.warning is None else [_warning(applied)]
    return Answer(screen, application_figures(applied)).with_warnings([*warnings, *notes])


def _warning(applied: AppliedPolicy) -> Note:
    advice = "Verify a random sample of these outputs and run fastarac check."
    brief = f"The confidences have moved since the fit: the limit may no longer hold. {advice}"
    return Note(f"{sentence(applied.warning)} {advice}", Weight.DECIDES, brief)


def application_figures(applied: AppliedPolicy) -> dict[str, Any]:
    """Return the counts of accepted and rejected outputs, and the expected errors."""
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
