"""Interpretation of `random_state`, shared by all functions that draw random numbers."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

RandomState = int | np.random.SeedSequence | np.random.Generator | None


def key_of(random_state: RandomState) -> NDArray[np.uint64]:
    """Return two 64-bit integers that determine all random numbers.

    None takes the integers from the operating system. A Generator gives new integers on each call.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(0, 2**64, size=2, dtype=np.uint64)
    if random_state is None:
        return _words(np.random.SeedSequence())
    if isinstance(random_state, np.random.SeedSequence):
        return _words(random_state)
    expected = "None, an integer of at least 0, a SeedSequence or a Generator"
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise TypeError(
            f"random_state must be {expected}, got {random_state!r} ({type(random_state).__name__})"
        )
    if random_state < 0:
        raise ValueError(f"random_state must be {expected}, got {random_state!r}")
    return _words(np.random.SeedSequence(int(random_state)))


def generator_for(key: NDArray[np.uint64], *columns: NDArray[Any] | None) -> np.random.Generator:
    """Return a generator that depends on the seed and on the data.

    If it depended on the seed alone, it would draw the same positions from all samples of equal size.
    Some seeds would then break a guarantee for all these samples. Sort `columns` first, so that the
    input order has no effect.
    """
    digest = blake2b(digest_size=16)
    for column in columns:
        if column is not None:
            digest.update(np.ascontiguousarray(column).tobytes())
    return np.random.default_rng([*key.tolist(), int.from_bytes(digest.digest(), "little")])


def _words(seed: np.random.SeedSequence) -> NDArray[np.uint64]:
    return np.asarray(seed.generate_state(2, np.uint64), np.uint64)
