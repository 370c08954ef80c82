"""What a command says of a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.answers.tables import Column


@dataclass(frozen=True, slots=True)
class Answer:
    """A result in words for people, and in figures for programs.

    Attributes
    ----------
    sentences : sequence of str
    figures : mapping
        By their names, as JSON has them.
    notes, warnings : sequence of str
        What limits the result, and what speaks against it.
    names, columns : sequence
        The rows and columns of a table that follows the first sentence; no names for no table.
    title : str
        What the names are.
    """

    sentences: Sequence[str]
    figures: Mapping[str, Any]
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    names: Sequence[str] = ()
    columns: Sequence[Column] = ()
    title: str = "field"

    def after(self, *sentences: str) -> Answer:
        """Return the answer after other sentences."""
        return replace(self, sentences=[*sentences, *self.sentences])

    def followed_by(self, *sentences: str) -> Answer:
        """Return the answer, and other sentences after it."""
        return replace(self, sentences=[*self.sentences, *sentences])

    def with_figures(self, **figures: Any) -> Answer:
        """Return the answer with further figures."""
        return replace(self, figures={**figures, **self.figures})
