"""Features that predict whether a word is right: confidence, agreement, and kinds of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.combination.readings import LOOKS, Readings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

OF_ITSELF = ("calibrated", "no confidence", "as written")
OF_OTHER = ("agrees", "differs", "calibrated and agrees", "calibrated and differs", "similarity")
#: Slightly above 1, so that log(BEYOND − x) is finite even for the highest confidence, x = 1.
BEYOND = 1.02


def feature_names(names: Sequence[str], engine: int) -> list[str]:
    """Return the column names of :func:`features_of`."""
    others = [name for k, name in enumerate(names) if k != engine]
    found = [*OF_ITSELF, *(f"{name}: {each}" for name in others for each in OF_OTHER)]
    return [*found, *(["two others agree"] * (len(others) > 1)), *LOOKS, "several words"]


def features_of(
    readings: Readings, engine: int, calibrated: Sequence[NDArray[np.float64]], highest: float
) -> NDArray[np.float64]:
    """Return the features of each word of an engine, of shape (n_words, n_features).

    Parameters
    ----------
    readings : Readings
    engine : int
        Index of the engine.
    calibrated : sequence of ndarray of shape (n_words,), float64
        For each engine, the log-odds that its words are right; NaN without a confidence.
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
        alike = readings.similarity[engine, other][place]
        columns += [agrees, differs, sure * agrees, sure * differs, alike]
        against |= differs & (readings.supporters[place, other] > 1)
    if readings.n_engines > 2:
        columns.append(against)
    columns += [*readings.looks[engine].T, readings.sizes[place].max(axis=1) > 1]
    return np.stack([np.asarray(each, np.float64) for each in columns], axis=1)


def _least(readings: Readings, engine: int, calibrated: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lowest log-odds of an engine's words at each place; 0 if it has no word there."""
    least = np.full(len(readings), np.inf)
    np.fmin.at(least, readings.place[engine], calibrated)
    return np.where(np.isinf(least), 0.0, least)
