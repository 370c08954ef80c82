"""The answer of a command."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastarac._core.text import sentence
from fastarac.answers.screen import Note, Weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fastarac.answers.screen import Screen


@dataclass(frozen=True, slots=True)
class Answer:
    """A result as sentences for people and as figures for programs.

    Attributes
    ----------
    screen : Screen
        The text of the answer, in parts.
    figures : mapping
        The figures by name, as in JSON.
    warnings : sequence of str
        Notes that cast doubt on the result or on its input; a separate list in JSON.
    """

    screen: Screen
    figures: Mapping[str, Any]
    warnings: Sequence[str] = ()

    def with_figures(self, **figures: Any) -> Answer:
        """Return the answer with further figures."""
        return replace(self, figures={**figures, **self.figures})

    def with_warnings(self, notes: Iterable[str | Note], weight: Weight = Weight.LITTLE) -> Answer:
        """Return the answer with further warnings; a string becomes a `Note` with this weight."""
        every = [each if isinstance(each, Note) else Note(sentence(each), weight) for each in notes]
        warnings = [*self.warnings, *(note.text for note in every)]
        return replace(self, screen=self.screen.with_notes(*every), warnings=warnings)

    def closing(self, command: str = "", *written: str) -> Answer:
        """Return the answer with a command to suggest and with sentences about the files written."""
        screen = replace(self.screen, command=command, written=[*self.screen.written, *written])
        return replace(self, screen=screen)

    def in_words(self, words: Callable[[str], str]) -> Answer:
        """Return the answer with sentences, notes and warnings replaced by ``words(text)``."""
        screen = self.screen
        notes = [each._replace(text=words(each.text), brief=words(each.brief)) for each in screen.notes]
        said = list(map(words, screen.answer))
        warnings = list(map(words, self.warnings))
        return replace(self, screen=replace(screen, answer=said, notes=notes), warnings=warnings)

    def sentences(self) -> list[str]:
        """Return all sentences except warnings."""
        return [each for each in self.screen.sentences() if each not in self.warnings]
