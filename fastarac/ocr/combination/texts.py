"""Features of texts, and the similarity of two texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

#: Names of the columns that :func:`looks_of` returns. The first column is log2 of the length, and the
#: other columns are 0 or 1.
LOOKS = ("length", "one character", "a digit", "neither letter nor digit", "a capital")


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
