"""The answer about outputs of which some are verified: as of whole labels, with estimated figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastarac._core.text import capitalised, printable
from fastarac.answers import decisions
from fastarac.answers.screen import WIDTH, Note, Screen, Section, Weight
from fastarac.answers.tables import TABLE, Said
from fastarac.evaluation.limits import exact
from fastarac.evaluation.sources import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.answers.groups import Groups
    from fastarac.evaluation.limits import Limit


@dataclass(frozen=True, slots=True)
class VerifiedModel:
    """A model of whose outputs some are verified, as `decisions` reads models.

    Attributes
    ----------
    name : str
    evaluation : Evaluation
        Of all outputs, estimated.
    n_verified : int
    groups : Groups or None
        The figures of each group, where they are asked for.
    """

    name: str
    evaluation: Any
    n_verified: int
    groups: Groups | None = None

    source = Source()
    units = "outputs"
    n_groups = None
    doubts = ()
    notes = ()

    @property
    def limits(self) -> list[Limit]:
        """What decides what is accepted."""
        return [found.limit for found in self.evaluation.limits]

    @property
    def cost_evaluation(self) -> Any:
        """What it costs, where there are prices."""
        return self.evaluation.cost_evaluation

    @property
    def verified(self) -> str:
        """How many outputs are verified, as a sentence."""
        return f"{self.n_verified:,} of {self.evaluation.n:,} outputs are verified."

    def at(self, index: int) -> Any:
        """Return what the limit of this index lets through."""
        return self.evaluation.limits[index]

    def point(self, index: int) -> Any:
        """Return the operating point for the limit of this index."""
        return self.at(index).point

    def threshold(self, index: int) -> str:
        """Return the threshold for the limit of this index, with all its digits."""
        return exact(self.point(index).threshold)

    def decimal(self, threshold: float) -> str:
        """Return a threshold with all its digits."""
        return exact(threshold)

    def figures(self) -> str:
        """Return all figures as text, without what is guaranteed."""
        plain = tuple(replace(each, guaranteed=None) for each in self.evaluation.limits)
        return str(replace(self.evaluation, limits=plain))

    def guaranteed(self) -> list[str]:
        """Return what is guaranteed, a sentence each."""
        every = [each.guaranteed for each in self.evaluation.limits]
        return [f"Guaranteed: {sure}." for sure in every if sure is not None]


def screen(models: Sequence[VerifiedModel], notes: Sequence[str] = (), width: int = WIDTH) -> Screen:
    """Return the answer about models of which some outputs are verified, with notes of estimates."""
    every: Any = models
    about = " ".join(f"{printable(model.name)}: {model.verified}" for model in models)
    details = []
    for model in models:
        parts = [Said(f"{model.figures()}\n", TABLE), *map(Said, model.guaranteed())]
        details.append(Section(f"All figures of {model.name}, estimated", parts))
        if model.groups is not None:
            of_groups = list(model.groups.parts("", model.limits, with_costs=False))
            details.append(Section(f"Groups of {model.name}", of_groups))
    return Screen(
        decisions.sentences(every),
        decisions.table(every, width),
        decisions.caption(every),
        [*decisions.notes(every), *(Note(f"{capitalised(note)}.", Weight.LITTLE) for note in notes)],
        details=details,
        about=about,
    )
