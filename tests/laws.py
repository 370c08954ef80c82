"""How numbers of outcomes are compared with their law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from strategies import COMPILED

from fastarac._core.random_state import key_of

if TYPE_CHECKING:
    from fastarac.uncertainty import resampling

LEVEL = 1e-4  # of the tests of a law: seeds are fixed, so that they fail always or never


MANY = 20_000 if COMPILED else 400


def draws(population: resampling.Population, n_resamples: int, seed: int = 0) -> np.ndarray:
    dtype = np.uint8 if population.in_bytes else np.int64
    counts = np.zeros((n_resamples, len(population.codes)), dtype)
    return population.draw(key_of(seed), 0, counts)


def chi_square(observed: np.ndarray, chances: np.ndarray) -> float:
    """p-value of these numbers of outcomes; rare ones are put together."""
    expected = chances * observed.sum()
    order = np.argsort(expected)
    observed, expected = observed[order], expected[order]
    group = np.minimum(np.floor(np.cumsum(expected) / 8), np.inf).astype(int)
    a, b = np.bincount(group, observed), np.bincount(group, expected)
    a, b = a[b > 0], b[b > 0]
    return float(stats.chi2.sf(np.sum((a - b) ** 2 / b), len(a) - 1))
