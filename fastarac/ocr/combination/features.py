"""What tells whether a word is right: how sure the engines are, who agrees, and what it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.combination.readings import Readings

__all__ = ["feature_names", "features_of"]

OF_ITSELF = ("calibrated", "no confidence", "as written")
OF_OTHER = ("agrees", "differs", "calibrated and agrees", "calibrated and differs", "similarity")
OF_TEXT = ("length", "one character", "a digit", "neither letter nor digit", "a capital")
#: Beside 1, so that the highest confidence of a scale has a logarithm.
BEYOND = 1.02


def feature_names(names: Sequence[str], engine: int) -> list[str]:
    """Return what the columns of :func:`features_of` are called."""
    others = [name for k, name in enumerate(names) if k != engine]
    found = [*OF_ITSELF, *(f"{name}: {each}" for name in others for each in OF_OTHER)]
    return [*found, *(["two others agree"] * (len(others) > 1)), *OF_TEXT, "several words"]


def features_of(
    readings: Readings, engine: int, calibrated: Sequence[NDArray[np.float64]], highest: float
) -> NDArray[np.float64]:
    """Return what is known of each word of an engine, (n_words, n_features).

    Parameters
    ----------
    readings : Readings
    engine : int
        Which of the engines.
    calibrated : sequence of ndarray of shape (n_words,), float64
        The logarithmic odds of each engine's words to be right; NaN where there is no confidence.
    highest : float
        The highest confidence of the engine's scale.
    """
    place, own = readings.place[engine], calibrated[engine]
    known = ~np.isnan(own)
    written = -np.log(BEYOND - readings.confidence[engine] / highest)
    columns = [np.where(known, own, 0.0), ~known, np.where(known, written, 0.0)]
    against = np.zeros(len(place), np.bool_)
    for other in range(readings.n_engines):
        if other == engine:
            continue
        agrees = readings.same[place, engine, other]
        differs = ~agrees & (readings.sizes[place, other] > 0)
        sure = _least(readings, other, calibrated[other])[place]
        alike = _similarity(readings, engine, other)[place]
        columns += [agrees, differs, sure * agrees, sure * differs, alike]
        against |= differs & (readings.supporters[place, other] > 1)
    if readings.n_engines > 2:
        columns.append(against)
    columns += [*_of_texts(readings.text[engine]), readings.sizes[place].max(axis=1) > 1]
    return np.stack([np.asarray(each, np.float64) for each in columns], axis=1)


def _least(readings: Readings, engine: int, calibrated: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least odds of an engine's words at each place; 0 where it has none."""
    least = np.full(len(readings), np.inf)
    np.fmin.at(least, readings.place[engine], calibrated)
    return np.where(np.isinf(least), 0.0, least)


def _similarity(readings: Readings, engine: int, other: int) -> NDArray[np.float64]:
    """Return, for each place, how alike two differing texts are, in [0, 1]; 0 where there are none."""
    from rapidfuzz.distance import Indel

    found = np.zeros(len(readings))
    both = (readings.sizes[:, engine] > 0) & (readings.sizes[:, other] > 0)
    rows = np.flatnonzero(both & ~readings.same[:, engine, other])
    first, second = readings.texts[engine], readings.texts[other]
    found[rows] = [Indel.normalized_similarity(first[k], second[k]) for k in rows.tolist()]
    return found


def _of_texts(words: Sequence[str]) -> NDArray[np.float64]:
    """Return length and kinds of characters of each word, (5, n_words)."""
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(word, len(numbers)) for word in words]
    kinds = np.zeros((len(numbers), len(OF_TEXT)))
    for word, k in numbers.items():
        letters, digits = any(map(str.isalpha, word)), any(map(str.isdigit, word))
        kinds[k] = (
            np.log2(max(len(word), 1)),
            len(word) == 1,
            digits,
            not letters and not digits,
            word[:1].isupper(),
        )
    return kinds[which].reshape(-1, len(OF_TEXT)).T
