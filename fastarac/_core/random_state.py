"""Where random numbers come from: one reading of `random_state` for all that draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RandomState = int | np.random.SeedSequence | np.random.Generator | None


def key_of(random_state: RandomState) -> NDArray[np.uint64]:
    """Return the two words that decide over all random numbers.

    None takes them from the operating system; the same integer or SeedSequence always gives the same
    ones. A Generator is asked for them, so that it gives others each time.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(0, 2**64, size=2, dtype=np.uint64)
    if random_state is None:
        return _words(np.random.SeedSequence())
    if isinstance(random_state, np.random.SeedSequence):
        return _words(random_state)
    expected = "None, an integer of at least 0, a SeedSequence or a Generator is expected"
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise TypeError(f"random_state is {random_state!r} ({type(random_state).__name__}); {expected}")
    if random_state < 0:
        raise ValueError(f"random_state is {random_state!r}; {expected}")
    return _words(np.random.SeedSequence(int(random_state)))


def _words(seed: np.random.SeedSequence) -> NDArray[np.uint64]:
    return np.asarray(seed.generate_state(2, np.uint64), np.uint64)
