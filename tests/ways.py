"""Every way in which items can be sorted or counted, forced upon small data."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from unittest import mock

import numpy as np

from fastarac._engine import strategy

# Data of any size are many, and a few items are worth a thread.
SMALL = {
    "few": 0, "single": 0, "per_thread": 1, "sample": 32, "buckets_of": 1, "max_buckets": 16, "task": 2,
    "threaded_keys": 0, "max_mark_bits": 3, "quantized_buckets_of": 1,
}  # fmt: skip
NO_OTHER = {"repeats": math.inf, "as_fast": 0.0, "max_share": 0.0, "max_corner_share": 0.0}
BY_NUMPY = {"as_fast": math.inf, "max_quantized": 0}
OF_WAY = {
    "few": {"few": 1 << 11, "single": 1 << 16},
    "one bucket": {"single": 1 << 16},
    "smaller class": BY_NUMPY | {"max_share": 1.0, "max_corner_share": 1.0, "max_shared": 1.0},
    "quantized": {
        "as_fast": math.inf, "max_alike": 1.0, "max_repeats": math.inf, "max_picked": 1.0,
        "quantized_spread": math.inf,
    },
    "counted": {"repeats": 1e-9},
    "numpy": BY_NUMPY,
    "buckets": {},
}  # fmt: skip


@contextmanager
def forced(way: str, threads: int = 1, **sizes: float):
    """Send data of any size this way, where it can go there, by so many threads."""
    given = SMALL | NO_OTHER | OF_WAY[way] | sizes
    environment = mock.patch.dict("os.environ", FASTARAC_NUM_THREADS=str(threads))
    with environment, mock.patch.object(strategy, "sizes", replace(strategy.sizes, **given)):
        yield


WAYS = {
    "few": partial(forced, "few"),
    "one bucket": partial(forced, "one bucket"),
    "many buckets": partial(forced, "buckets", max_buckets=32),
    "two threads": partial(forced, "buckets", 2, max_buckets=8),
    "four threads in chunks": partial(forced, "buckets", 4, chunk=3),
    "counted": partial(forced, "counted"),
    "counted, three threads in chunks": partial(forced, "counted", 3, chunk=3),
    "numpy": partial(forced, "numpy"),
    "numpy, two threads": partial(forced, "numpy", 2),
    "numpy, three threads in chunks": partial(forced, "numpy", 3, chunk=3),
    "quantized": partial(forced, "quantized"),
    "quantized, three threads in chunks": partial(forced, "quantized", 3, chunk=3),
    "quantized in buckets": partial(forced, "quantized", quantized_spread=1, max_quantized_buckets=8),
    "quantized in buckets, three threads in chunks": partial(
        forced, "quantized", 3, chunk=3, quantized_spread=1, max_quantized_buckets=32
    ),
    "smaller class": partial(forced, "smaller class"),
    "smaller class, two threads": partial(forced, "smaller class", 2),
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
