"""Describe what an answer assumes about the people who verified outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import percent
from fastarac.answers.screen import Note, Weight
from fastarac.reviewer import premise_of

if TYPE_CHECKING:
    from fastarac.reviewer import Reviewer


def verification_note(truth_reader: Reviewer | None, what: str = "This") -> Note:
    """Return a note on the assumption about verifiers behind `what`, such as "The verdict"."""
    return Note(f"{what} holds {premise_of(truth_reader)}.", Weight.ASSUMES)


def cost_note(accepted: float, faultless: float | None) -> list[Note]:
    """Return a note that compares the accepted share with the share for `faultless` verifiers."""
    if faultless is None:
        return []
    return [
        Note(
            f"Overlooked errors reduce the accepted share to {percent(accepted, 3)}. If the verifiers "
            f"overlooked nothing, it would be {percent(faultless, 3)}.",
            Weight.DECIDES,
        )
    ]


def reader_figures(truth_reader: Reviewer | None) -> dict[str, Any]:
    """Return the share of errors that verifiers find, and the counts behind it; empty for None."""
    if truth_reader is None:
        return {}
    return {"truth_found": truth_reader.detection_rate, "double_readings": truth_reader.double_readings}
