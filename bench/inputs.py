"""Synthetic items to evaluate, the same in every run, generated in chunks.

All confidences lie in [0, 1], where every peer takes them as they are. Unless stated otherwise, four
items in five are correct, and correct items tend to have higher confidences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

CHUNK = 1 << 18  # so that making the items needs no more memory than the items


class Inputs(NamedTuple):
    """The data that fastarac gets and, in its preferred form, each peer."""

    correct: NDArray[np.bool_]
    confidence: NDArray[Any]
    weight: NDArray[np.float64] | None = None


def _fill(
    n: int,
    draw: Callable[[np.random.Generator, NDArray[np.bool_]], NDArray[np.float64]],
    dtype: type[np.floating[Any]] = np.float64,
    share: float = 0.8,
) -> Inputs:
    rng = np.random.default_rng(20240607)
    correct = np.empty(n, np.bool_)
    confidence = np.empty(n, dtype)
    for start in range(0, n, CHUNK):
        part = slice(start, min(start + CHUNK, n))
        correct[part] = rng.random(part.stop - start) < share
        confidence[part] = draw(rng, correct[part])
    return Inputs(correct, confidence)


def _rising(rng: np.random.Generator, correct: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Uniform where an item is incorrect, of density 2t where it is correct."""
    value = rng.random(len(correct))
    return np.where(correct, np.sqrt(value), value)


def _softmax(rng: np.random.Generator, correct: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The larger of two softmax outputs: most of them crowd just below 1."""
    logit = rng.normal(np.where(correct, 6.0, 2.0), 3.0)
    return 1 / (1 + np.exp(-np.abs(logit)))


def continuous(n: int) -> Inputs:
    """float64, almost without ties."""
    return _fill(n, _rising)


def one_percent(n: int) -> Inputs:
    """The same with one item in a hundred incorrect."""
    return _fill(n, _rising, share=0.99)


def two_in_a_thousand(n: int) -> Inputs:
    """The same with two items in a thousand incorrect."""
    return _fill(n, _rising, share=0.998)


def single(n: int) -> Inputs:
    """The same as float32."""
    return _fill(n, _rising, np.float32)


def rounded_2(n: int) -> Inputs:
    """float64 rounded to two decimals: 101 distinct values."""
    return _fill(n, lambda rng, correct: np.round(_rising(rng, correct), 2))


def rounded_3(n: int) -> Inputs:
    """float64 rounded to three decimals: 1,001 distinct values."""
    return _fill(n, lambda rng, correct: np.round(_rising(rng, correct), 3))


def softmax(n: int) -> Inputs:
    """float64, as a neural network's largest softmax output is distributed."""
    return _fill(n, _softmax)


def weighted(n: int) -> Inputs:
    """float64 with a weight between 0 and 1 for each item."""
    return continuous(n)._replace(weight=np.random.default_rng(7).random(n))
