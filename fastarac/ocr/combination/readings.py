"""Words or fields of several engines, aligned with each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


#: Names of the columns that :func:`looks_of` returns: log2 of the length, and four flags (0 or 1).
LOOKS = ("length", "one character", "a digit", "neither letter nor digit", "a capital")


@dataclass(frozen=True, eq=False)
class Readings:
    """The words (or fields) of several engines; aligned words share a place.

    Attributes
    ----------
    group : ndarray of shape (n_places,), intp
        Page or document of each place.
    place : sequence of ndarray of shape (n_words,), intp
        For each engine, the place of each word, in non-decreasing order.
    text : sequence of sequence of str
        The words of each engine, normalised and folded in the same way.
    confidence : sequence of ndarray of shape (n_words,), float64
        Confidence of each word of each engine; NaN if there is none.
    """

    group: NDArray[np.intp]
    place: Sequence[NDArray[np.intp]]
    text: Sequence[Sequence[str]]
    confidence: Sequence[NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.group)

    @property
    def n_engines(self) -> int:
        """Number of engines."""
        return len(self.place)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of words of each engine at each place, of shape (n_places, n_engines)."""
        return np.stack([np.bincount(each, minlength=len(self)) for each in self.place], axis=1)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Index of each engine's first word at or after each place, of shape (n_places, n_engines)."""
        return np.cumsum(self.sizes, axis=0) - self.sizes

    @cached_property
    def texts(self) -> tuple[list[str], ...]:
        """The text of each engine at each place: its words, separated by line feeds."""
        found = []
        for place, words in zip(self.place, self.text, strict=True):
            joined = [""] * len(self)
            for at, word in zip(place.tolist(), words, strict=True):
                joined[at] = f"{joined[at]}\n{word}" if joined[at] else word
            found.append(joined)
        return tuple(found)

    @cached_property
    def looks(self) -> tuple[NDArray[np.float64], ...]:
        """Features of the text of each engine's words, as in :func:`looks_of`."""
        return tuple(map(looks_of, self.text))

    @cached_property
    def similarity(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """For two engines, the similarity of texts that differ; 0 elsewhere. Shape (n_places,)."""
        found = {}
        for e, f in combinations(range(self.n_engines), 2):
            both = (self.sizes[:, e] > 0) & (self.sizes[:, f] > 0) & ~self.same[:, e, f]
            rows = np.flatnonzero(both)
            alike = np.zeros(len(self))
            alike[rows] = similarities((self.texts[e][k], self.texts[f][k]) for k in rows.tolist())
            found[e, f] = found[f, e] = alike
        return found

    @cached_property
    def candidate(self) -> NDArray[np.intp]:
        """For each place and engine, the index of the first engine with this text; -1 without text."""
        found = np.where(self.sizes > 0, np.arange(self.n_engines), -1)
        for e in range(self.n_engines):
            for f in range(e):
                pairs = zip(self.texts[e], self.texts[f], strict=True)
                equal = np.fromiter((a == b for a, b in pairs), np.bool_, len(self))
                equal &= found[:, e] == e
                found[equal, e] = found[equal, f]
        return found

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Whether two engines have the same text, of shape (n_places, n_engines, n_engines)."""
        equal: NDArray[np.bool_] = self.candidate[:, :, None] == self.candidate[:, None, :]
        return equal & (self.sizes > 0)[:, :, None]

    @cached_property
    def supporters(self) -> NDArray[np.intp]:
        """For each place and engine, the number of engines with the same text, itself included."""
        found: NDArray[np.intp] = self.same.sum(axis=2)
        return found

    @cached_property
    def contested(self) -> NDArray[np.bool_]:
        """For each place, whether at most half of the engines have a word there."""
        found: NDArray[np.bool_] = 2 * (self.sizes > 0).sum(axis=1) <= self.n_engines
        return found


def looks_of(words: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each word, log2 of its length and flags for its characters, shape (n_words, 5)."""
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(word, len(numbers)) for word in words]
    looks = np.zeros((len(numbers), len(LOOKS)))
    for word, k in numbers.items():
        n, letters = len(word), word.isalpha()
        digits = not letters and any(map(str.isdigit, word))
        neither = not letters and not digits and not any(map(str.isalpha, word))
        looks[k] = n, n == 1, digits, neither, word[:1].isupper()
    looks[:, 0] = np.log2(np.maximum(looks[:, 0], 1.0))
    return looks[which].reshape(-1, len(LOOKS))


def similarities(pairs: Iterable[tuple[str, str]]) -> NDArray[np.float64]:
    """Return each pair's similarity in [0, 1]: 2 × longest common subsequence / total length."""
    from rapidfuzz.distance import Indel

    return np.array([Indel.normalized_similarity(a, b) for a, b in pairs], np.float64)
