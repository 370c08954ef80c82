"""Random text for pages: words drawn by frequency, with capitals, punctuation, numbers and dates.

The text means nothing, so that no engine can have learnt it by heart, and its words are as frequent,
as long and as hard to read as those of the language.
"""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from bench.study.languages import Language

MOST_WORDS = 20_000
COMMA, NUMBER, QUOTED, BRACKETED, ELIDED = 0.08, 0.05, 0.05, 0.04, 0.3
VOWELS = "aeiouyhàâéèêëîïôûœ"
NUMBERS = ("number", "year", "price", "percent", "day")


@dataclass(frozen=True)
class Vocabulary:
    """Words, and how often they come.

    Attributes
    ----------
    words : tuple of str
        As they are written inside a sentence.
    cumulated : tuple of float
        Their frequencies, added up.
    """

    words: tuple[str, ...]
    cumulated: tuple[float, ...]

    @classmethod
    def of(cls, frequencies: Iterable[tuple[str, float]]) -> Vocabulary:
        """Return the vocabulary of words with their frequencies."""
        words, shares = zip(*frequencies, strict=True)
        return cls(words, tuple(accumulate(shares)))

    @classmethod
    def load(cls, language: Language) -> Vocabulary:
        """Return the most frequent words of a language, those of its dictionary where it has one."""
        import wordfreq

        word = re.compile(f"[{language.letters}]+")
        shares = wordfreq.get_frequency_dict(language.code)
        spellings = _spellings(language)
        if spellings is None:
            spellings = {each: each for each in shares}
        found = [each for each in shares if word.fullmatch(each) and each in spellings]
        found.sort(key=lambda each: (-shares[each], each))
        return cls.of((spellings[each], shares[each]) for each in found[:MOST_WORDS])

    def draw(self, chance: random.Random) -> str:
        """Return one word, by its frequency."""
        return self.words[bisect(self.cumulated, chance.random() * self.cumulated[-1])]


def _spellings(language: Language) -> dict[str, str] | None:
    """Return how the words of the dictionary are written, by their lower case."""
    if language.dictionary is None:
        return None
    path = Path(language.dictionary)
    if not path.exists():
        package = {"ngerman": "wngerman", "american-english": "wamerican", "french": "wfrench"}
        message = f"{path} is missing; Debian's package {package[path.name]} brings it"
        raise FileNotFoundError(message)
    spellings: dict[str, str] = {}
    for word in path.read_text(encoding="utf-8").split():
        # single letters are units and notes, but for the words a, i and à, y
        if len(word) > 1 or word in "aIày":
            lower = word.lower()
            if word == lower or lower not in spellings:
                spellings[lower] = word
    return spellings


def compose(language: Language, vocabulary: Vocabulary, chance: random.Random, size: int) -> list[str]:
    """Return paragraphs of running text, the first of which is a title.

    Parameters
    ----------
    language : Language
        Whose marks and numbers are used.
    vocabulary : Vocabulary
        The words.
    chance : random.Random
        Only its method `random` is called, whose numbers never change between versions of Python.
    size : int
        How many words there are at least, or characters where a language has no spaces. The last
        sentence ends as it would.
    """
    glue = " " if language.spaces else ""
    paragraphs = [glue.join(_title(vocabulary, chance))]
    count = 0
    while count < size:
        sentences: list[str] = []
        for _ in range(2 + _below(chance, 4)):
            words = list(_sentence(language, vocabulary, chance))
            sentences.append(glue.join(words))
            count += len(words) if language.spaces else len(sentences[-1])
            if count >= size:
                break
        paragraphs.append(glue.join(sentences))
    return paragraphs


def _title(vocabulary: Vocabulary, chance: random.Random) -> list[str]:
    words = [vocabulary.draw(chance) for _ in range(3 + _below(chance, 3))]
    return [_capital(words[0]), *words[1:]]


def _sentence(language: Language, vocabulary: Vocabulary, chance: random.Random) -> Iterator[str]:
    """Return the words of a sentence, with the marks that cling to them."""
    n = 5 + _below(chance, 15)
    words = [_word(language, vocabulary, chance) for _ in range(n)]
    words[0] = _capital(words[0])
    for share, (opening, closing) in ((QUOTED, language.quotes), (BRACKETED, "()")):
        first = 1 + _below(chance, n - 2)
        last = min(n - 2, first + _below(chance, 3))
        if chance.random() < share * n / 5 and first <= last:
            words[first] = opening + words[first]
            words[last] += closing
            break  # one pair, so that none crosses the other
    for i in range(1, n - 1):
        if chance.random() < COMMA:
            words[i] += language.comma
    words[-1] += language.ends[_below(chance, len(language.ends))]
    return iter(words)


def _word(language: Language, vocabulary: Vocabulary, chance: random.Random) -> str:
    if chance.random() < NUMBER:
        return _number(language, chance)
    word = vocabulary.draw(chance)
    while len(word) == 1 and word in language.elided:
        word = vocabulary.draw(chance)
    if language.elided and word[0] in VOWELS and chance.random() < ELIDED:
        return f"{language.elided[_below(chance, len(language.elided))]}’{word}"
    return word


def _number(language: Language, chance: random.Random) -> str:
    kind = NUMBERS[_below(chance, len(NUMBERS))]
    if kind == "number":
        return str(1 + _below(chance, 120))
    if kind == "year":
        return str(1850 + _below(chance, 180))
    if kind == "percent":
        return f"{_below(chance, 100)}{language.decimal}{_below(chance, 10)}%"
    if kind == "price":
        parts = f"{1 + _below(chance, 9)}{language.thousands}{_below(chance, 1000):03d}"
        return f"{parts}{language.decimal}{_below(chance, 100):02d}"
    day, month = 1 + _below(chance, 28), 1 + _below(chance, 12)
    return language.date.format(day=day, month=month, year=1990 + _below(chance, 50))


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _below(chance: random.Random, n: int) -> int:
    return int(chance.random() * n)
