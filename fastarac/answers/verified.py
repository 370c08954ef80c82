"""Describe partly verified outputs; their figures are estimates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastarac._core.text import capitalised, printable
from fastarac.answers import decisions
from fastarac.answers.figures import FiguresOfModel
from fastarac.answers.screen import WIDTH, Note, Screen, Section, Weight
from fastarac.answers.tables import TABLE, Said

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class VerifiedModel(FiguresOfModel):
    """A model with partly verified outputs; its figures are estimates for all outputs.

    Attributes
    ----------
    n_verified : int
    """

    n_verified: int = 0

    @property
    def verified(self) -> str:
        """A sentence on how many outputs are verified."""
        return f"{self.n_verified:,} of {self.evaluation.n:,} outputs are verified."

    def figures(self) -> str:
        """Return all figures as text, except guarantees."""
        plain = tuple(replace(each, guaranteed=None) for each in self.evaluation.limits)
        return str(replace(self.evaluation, limits=plain))

    def guaranteed(self) -> list[str]:
        """Return a sentence for each guarantee."""
        every = [each.guaranteed for each in self.evaluation.limits]
        return [f"Guaranteed: {sure}." for sure in every if sure is not None]


def screen(models: Sequence[VerifiedModel], notes: Sequence[str] = (), width: int = WIDTH) -> Screen:
    """Return what to print about models with partly verified outputs, with further `notes`."""
    every: Any = models
    about = models[0].verified
    if len({model.verified for model in models}) > 1:
        about = " ".join(f"{printable(model.name)}: {model.verified}" for model in models)
    details = []
    for model in models:
        parts = [Said(f"{model.figures()}\n", TABLE), *map(Said, model.guaranteed())]
        details.append(Section(f"All figures of {model.name}, estimated", parts))
        if model.groups is not None:
            of_groups = list(model.groups.parts("", model.limits))
            details.append(Section(f"Groups of {model.name}", of_groups))
    return Screen(
        decisions.sentences(every),
        decisions.table(every, width),
        decisions.caption(every),
        [*decisions.notes(every), *(Note(f"{capitalised(note)}.", Weight.LITTLE) for note in notes)],
        details=details,
        about=about,
    )
