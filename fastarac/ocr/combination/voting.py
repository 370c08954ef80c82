"""Voting: choose one engine's words at each place, and give them a confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac.ocr.combination.model import probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.combination.model import Combination
    from fastarac.ocr.combination.readings import Readings


class Chosen(NamedTuple):
    """The chosen words in the order of the places; arrays of shape (n,).

    Attributes
    ----------
    engine, word : ndarray of intp
        Index of each word's engine, and of the word among the readings of this engine.
    place : ndarray of intp
    agreeing : ndarray of intp
        Number of engines that have each word.
    confidence : ndarray of float64
    """

    engine: NDArray[np.intp]
    word: NDArray[np.intp]
    place: NDArray[np.intp]
    agreeing: NDArray[np.intp]
    confidence: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Chosen:
        """Return the words with these indices, or selected by this mask."""
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in self._fields}
        return Chosen(**columns)


def by_probability(readings: Readings, combination: Combination) -> Chosen:
    """Choose the most probable candidate (distinct text) at each place, by a learnt combination.

    The notes on :func:`.combine` describe the rule. In a tie, the candidate of more engines is chosen;
    if still tied, the candidate of the first engine.
    """
    right, real = probabilities(combination, readings)
    found = _chosen(readings, _means(readings, right), right, "mean")
    # Index of each engine's first word in the concatenated array.
    before = np.cumsum([0, *map(len, readings.place)])
    every = np.concatenate(real)[before[found.engine] + found.word]
    return found.take(~(readings.contested[found.place] & (every < 0.5)))


def by_agreement(readings: Readings, *, exact: bool) -> Chosen:
    """Choose the most frequent candidate (distinct text) at each place.

    The notes on :func:`.combine` describe the rule. If the mean ranks are tied, too, the candidate of
    the first engine is chosen. With `exact`, the confidence is 1 if all engines have the candidate,
    otherwise 0.
    """
    ranks = [_ranks(each) for each in readings.confidence]
    found = _chosen(readings, readings.supporters - 1 + _means(readings, ranks), ranks, "least")
    confidence = (found.agreeing - 1 + found.confidence) / readings.n_engines
    if exact:
        confidence = (found.agreeing == readings.n_engines).astype(np.float64)
    return found._replace(confidence=confidence)


def _chosen(
    readings: Readings,
    score: NDArray[np.float64],
    of_word: Sequence[NDArray[np.float64]],
    join: Literal["mean", "least"],
) -> Chosen:
    """Choose the candidate with the largest mean score at each place.

    Its confidence is the mean or minimum of `of_word` over the engines that have the candidate.
    """
    there = readings.sizes > 0
    n = readings.n_engines
    if not len(readings):
        none = np.empty(0, np.intp)
        return Chosen(none, none, none, none, np.empty(0))
    # Engines that read the same text share their mean score.
    of_candidate = np.stack(
        [
            np.where(readings.same[:, e], score, 0.0).sum(axis=1)
            / np.maximum(readings.supporters[:, e], 1)
            for e in range(n)
        ],
        axis=1,
    )
    of_candidate[~there] = -np.inf
    best = of_candidate == of_candidate.max(axis=1, keepdims=True)
    engine = np.where(best, readings.supporters, -1).argmax(axis=1)
    size = readings.sizes[np.arange(len(readings)), engine]
    place = np.repeat(np.arange(len(readings)), size)
    within = np.arange(len(place)) - np.repeat(np.cumsum(size) - size, size)
    engine = engine[place]
    known = np.full((len(place), n), np.nan)
    for f in range(n):
        rows = readings.same[place, engine, f]
        known[rows, f] = of_word[f][readings.starts[place[rows], f] + within[rows]]
    confidence = (np.nanmin if join == "least" else np.nanmean)(known, axis=1)
    word = readings.starts[place, engine] + within
    return Chosen(engine, word, place, readings.supporters[place, engine], confidence)


def _means(readings: Readings, of_word: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the mean of `of_word` for each engine at each place, of shape (n_places, n_engines)."""
    sums = [
        np.bincount(place, values, minlength=len(readings))
        for place, values in zip(readings.place, of_word, strict=True)
    ]
    return np.stack(sums, axis=1) / np.maximum(readings.sizes, 1)


def _ranks(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each word's share of words with a lower confidence; ties count half, and NaN has 0."""
    known = ~np.isnan(confidence)
    found = np.zeros(len(confidence))
    if known.any():
        _, which, counts = np.unique(confidence[known], return_inverse=True, return_counts=True)
        found[known] = ((np.cumsum(counts) - counts / 2) / counts.sum())[which]
    return found
