"""Every way in which items can be sorted or counted, forced upon small data."""

from __future__ import annotations

import math
from contextlib import contextmanager, nullcontext
from unittest import mock

import numpy as np

from fastarac._engine import (
    counting,
    inputs,
    numpy_sort,
    parallel,
    quantized,
    smaller_class,
    sorting,
)


@contextmanager
def spread(buckets: int, threads: int, chunk: int = 1 << 16, *, by_numpy: bool = False,
    max_share: float = 0.0, by_place: bool = False, place_buckets: int = 1,
):  # fmt: skip
    """Send small data the way of large data: `buckets` of them, over `threads`.

    Or, `by_numpy`, two halves that numpy sorts, `by_place` however many items share one, and in
    `place_buckets` of them; or, where the smaller class has at most `max_share` of the items, that of
    few errors.
    """
    environment = mock.patch.dict("os.environ", FASTARAC_NUM_THREADS=str(threads))
    sizes = mock.patch.multiple(
        sorting, FEW=0, SINGLE=0, BUCKET=1, MAX_BUCKETS=buckets, TASK=2,
    )  # fmt: skip
    own = mock.patch.object(numpy_sort, "slowness", return_value=0.0 if by_numpy else math.inf)
    sample = mock.patch.object(counting, "SAMPLE", 32)
    share = mock.patch.multiple(
        smaller_class, MAX_SHARE=max_share, MAX_CORNER_SHARE=max_share, MAX_SHARED=max_share
    )
    shared = {"MAX_ALIKE": 1.0, "MAX_REPEATS": math.inf, "MAX_PICKED": 1.0} if by_place else {}
    few = mock.patch.multiple(
        quantized, MAX_MARK_BITS=3, TWO_THREADS=0, BUCKET=1, MAX_BUCKETS=place_buckets,
        SPREAD=1 if place_buckets > 1 else math.inf, **shared,
    )  # fmt: skip
    least = mock.patch.object(parallel, "MIN_ITEMS_PER_THREAD", 1)
    with environment, sizes, own, sample, share, few, least, mock.patch.object(inputs, "CHUNK", chunk):
        yield


WAYS = {
    "one bucket": nullcontext,
    "many buckets": lambda: spread(32, 1),
    "two threads": lambda: spread(8, 2),
    "four threads in chunks": lambda: spread(16, 4, chunk=3),
    "numpy": lambda: spread(1, 1, by_numpy=True),
    "numpy, two threads": lambda: spread(1, 2, by_numpy=True),
    "numpy, three threads in chunks": lambda: spread(1, 3, chunk=3, by_numpy=True),
    "places": lambda: spread(1, 1, by_numpy=True, by_place=True),
    "places, three threads in chunks": lambda: spread(1, 3, chunk=3, by_numpy=True, by_place=True),
    "places in buckets": lambda: spread(1, 1, by_numpy=True, by_place=True, place_buckets=8),
    "places in buckets, three threads in chunks": lambda: spread(
        1, 3, chunk=3, by_numpy=True, by_place=True, place_buckets=32
    ),
    "smaller class": lambda: spread(1, 1, by_numpy=True, max_share=1.0),
    "smaller class, two threads": lambda: spread(1, 2, by_numpy=True, max_share=1.0),
}


DISTRIBUTIONS = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "powers": lambda rng, n: 10.0 ** rng.uniform(-300, 300, n) * rng.choice([-1, 1], n),
    "close to one": lambda rng, n: 1 - 10.0 ** -rng.uniform(0, 17, n),
    "two heaps": lambda rng, n: rng.beta(0.02, 0.02, n),
    "outliers": lambda rng, n: np.where(np.arange(n) % 97, rng.random(n), 1e300),
    "constant": lambda rng, n: np.full(n, 0.25),
    "rounded": lambda rng, n: np.round(rng.random(n), 2),
    "rising": lambda rng, n: np.sort(rng.random(n)),
    "falling": lambda rng, n: np.sort(rng.random(n))[::-1],
    "mostly one value": lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.random(n)),
}
