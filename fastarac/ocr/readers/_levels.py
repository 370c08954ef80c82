"""Choose between the words of a line and the text of the line, if both exist."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from fastarac.ocr.readers._builder import Box, Builder, around, lowest
from fastarac.ocr.words.folding import SOFT_HYPHEN, printed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.ocr.readers._files import InputFile

Place = TypeVar("Place")


class WordPart(NamedTuple, Generic[Place]):
    """A word of a line, or a part of a word, with its confidence, box and place in the file."""

    text: str
    confidence: float
    box: Box
    place: Place


def regrouped(parts: Sequence[WordPart[Place]], text: str) -> list[WordPart[Place]] | None:
    """Join parts into the words of a line's text; return None if the parts form another text.

    The parts may differ from the text in spaces, or in the order of whole words. A word gets the lowest
    confidence of its parts. If a part has no confidence, the word has none.
    """
    pieces = ["".join(printed(part.text).split()) for part in parts]
    words = printed(text).split()
    if pieces == words:
        return list(parts)
    if sorted(pieces) == sorted(words):  # the same words in another order
        left: dict[str, list[WordPart[Place]]] = {}
        for piece, part in zip(pieces, parts, strict=True):
            left.setdefault(piece, []).append(part)
        return [left[word].pop(0) for word in words]
    if "".join(pieces) != "".join(words):
        return None
    owner = [i for i, piece in enumerate(pieces) for _ in piece]
    found: list[WordPart[Place]] = []
    end = 0
    for word in words:
        begin, end = end, end + len(word)
        found.append(joined(word, parts[owner[begin] : owner[end - 1] + 1]))
    if found and text.rstrip().endswith(SOFT_HYPHEN):
        found[-1] = found[-1]._replace(text=found[-1].text + SOFT_HYPHEN)
    return found


def _in_another_order(a: Sequence[WordPart[Place]], b: Sequence[WordPart[Place]]) -> bool:
    """Return whether two sequences have the same parts in different orders."""
    return any(x is not y for x, y in zip(a, b, strict=False)) and set(map(id, a)) == set(map(id, b))


def joined(text: str, parts: Sequence[WordPart[Place]]) -> WordPart[Place]:
    """Join parts into one word with this text, at the place of the first part."""
    if len(parts) == 1:
        return parts[0]._replace(text=text)
    confidence, box = lowest(part.confidence for part in parts), around(part.box for part in parts)
    return WordPart(text, confidence, box, parts[0].place)


def is_punctuation(text: str) -> bool:
    """Return whether a text consists of punctuation marks only."""
    return all(unicodedata.category(letter).startswith("P") for letter in text)


class LineLevels(Generic[Place]):
    """Adds the words of each line at the requested level; counts lines whose words and text differ."""

    def __init__(self, file: InputFile, builder: Builder[Place]) -> None:
        self.file = file
        self.builder = builder
        self.from_words = 0
        self.from_lines = 0
        self.put_together = 0
        self._different = 0
        # Lines whose words are in another order than their text: `_numbered` counts lines with numbered
        # words, `_reordered` the others.
        self._numbered = 0
        self._reordered = 0

    def add(
        self, line: WordPart[Place], words: Sequence[WordPart[Place]], *, numbered: bool = False
    ) -> None:
        """Add a line from its text and its words; one of the two may be blank.

        Numbered words keep their order even if the text has another order: some software writes the
        text of right-to-left lines in visual order.
        """
        level = self.file.level
        self.builder.new_line()
        words = [word for word in words if word.text.strip()]
        if not line.text.strip() or (level == "word" and words):
            self._add_words(words)
            return
        found = regrouped(words, line.text) if words else None
        if found is not None and _in_another_order(found, words):
            if numbered:
                self._numbered += 1
                found = words
                line = line._replace(text=" ".join(word.text for word in words))
            else:
                self._reordered += 1
        if level in ("region", "line"):
            if found is not None and line.confidence != line.confidence:
                self._add_regrouped(found, words)
            else:
                self._add_line(line)
        elif found is not None:
            self._add_regrouped(found, words)
        elif not words:
            self._add_line(line)
        else:
            self._different += 1
            if self.file.truth:
                self._add_line(line)
            else:
                self._add_words(words)

    def _add_line(self, line: WordPart[Place]) -> None:
        self.from_lines += 1
        self.add_part(line)

    def _add_regrouped(
        self, found: Sequence[WordPart[Place]], words: Sequence[WordPart[Place]]
    ) -> None:
        self.put_together += max(0, len(words) - len(found))
        self._add_words(found)

    def _add_words(self, words: Sequence[WordPart[Place]]) -> None:
        self.from_words += bool(words)
        for word in words:
            self.add_part(word)

    def add_part(self, part: WordPart[Place]) -> None:
        """Add a word unchanged."""
        self.builder.add(part.text, part.confidence, part.box, part.place)

    def finish(self) -> None:
        """Add notes on joined words, and on lines whose words and text differ."""
        builder = self.builder
        of, taken = (" of the truth", "that text is") if self.file.truth else ("", "the words are")
        builder.note(
            self._different,
            f"line{of} has a text that differs from its words by more than spaces: {taken} used",
            f"lines{of} have a text that differs from their words by more than spaces: {taken} used",
        )
        builder.note(
            self._numbered,
            f"line{of} has its words in an order that differs from its text: the numbers of the words "
            "are used",
            f"lines{of} have their words in an order that differs from their text: the numbers of the "
            "words are used",
        )
        builder.note(
            self._reordered,
            f"line{of} has its words in an order that differs from its text: the order of the text is "
            "used",
            f"lines{of} have their words in an order that differs from their text: the order of the "
            "text is used",
        )
        if self.file.truth:
            return
        builder.note(
            self.put_together,
            "part of a word is separate from the rest: it is joined with the rest, and the word gets "
            "the lower confidence",
            "parts of words are separate from the rest: they are joined with the rest, and each word "
            "gets the lowest confidence of its parts",
        )
