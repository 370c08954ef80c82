"""Read rankings of different lengths for several queries, in every accepted form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastarac._engine import parallel, strategy
from fastarac._engine.inputs import vector
from fastarac.dropins._arrays import readable

FloatArray = NDArray[np.float64]


class Ragged(NamedTuple):
    """Rankings one after the other: query q is ``values[offsets[q]:offsets[q + 1]]``."""

    values: NDArray[Any]
    offsets: NDArray[np.int64]
    single: bool
    """Whether a single ranking was given instead of a batch."""

    @property
    def n_queries(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def over_queries(self, kernel: Callable[..., None], *arguments: Any, out: Any) -> Any:
        """Run `kernel(values, offsets, *arguments, first, last, out)` on parts of the queries."""
        k = strategy.n_threads(len(self.values))
        goals = [len(self.values) * i // k for i in range(1, k)]
        inner = np.searchsorted(self.offsets, goals).tolist()
        edges = [0, *(min(edge, self.n_queries) for edge in inner), self.n_queries]

        def work(share: int) -> None:
            kernel(self.values, self.offsets, *arguments, edges[share], edges[share + 1], out)

        parallel.run(work, range(k))
        return out

    def reject(self, name: str, bad: NDArray[np.bool_], expected: str) -> NoReturn:
        """Raise a ValueError that names the first bad value."""
        i = int(bad.argmax())
        q = int(np.searchsorted(self.offsets, i, side="right")) - 1
        place = f"{name}[{i}]" if self.single else f"{name}[{q}][{i - self.offsets[q]}]"
        raise ValueError(f"{place} must be {expected}, got {self.values[i]}")

    def result(self, values: FloatArray) -> Any:
        """Return `values`, or only the first entry if a single ranking was given."""
        if not self.single:
            return values
        first = values[0]
        return first if first.ndim else first.item()


def read_ragged(given: Any, name: str) -> Ragged:
    """Read one ranking, a list of them, the rows of a matrix, or (values, offsets)."""
    if isinstance(given, tuple):
        if len(given) != 2 or np.ndim(given[0]) != 1 or np.ndim(given[1]) != 1:
            raise ValueError(
                f"{name} is a tuple, but not (values, offsets), two one-dimensional arrays; give "
                "several rankings as a list"
            )
        values = vector(given[0], name)
        return Ragged(values, _offsets(given[1], len(values), name), single=False)
    if isinstance(given, list) and given and np.ndim(given[0]):
        rankings = []
        for i, ranking in enumerate(given):
            if (found := np.ndim(ranking)) != 1:
                raise ValueError(
                    f"{name}[{i}] must be a one-dimensional ranking, got {found} dimensions"
                )
            some = len(ranking) > 0
            rankings.append(vector(ranking, f"{name}[{i}]") if some else np.empty(0, np.bool_))
        offsets = np.zeros(len(rankings) + 1, np.int64)
        np.cumsum([len(ranking) for ranking in rankings], out=offsets[1:])
        return Ragged(np.concatenate(rankings), offsets, single=False)
    if isinstance(given, np.ndarray) and given.ndim == 2:
        n, length = given.shape
        _require_some(n, name)
        offsets = np.arange(n + 1, dtype=np.int64) * length
        return Ragged(vector(given.reshape(-1), name), offsets, single=False)
    values = vector(given, name)
    _require_some(len(values), name)
    return Ragged(values, np.array([0, len(values)], np.int64), single=True)


def _require_some(n: int, name: str) -> None:
    if n < 1:
        raise ValueError(f"{name} is empty; give at least one ranking")


def _offsets(given: Any, n: int, name: str) -> NDArray[np.int64]:
    _require_some(len(given) - 1, name)
    offsets = vector(given, f"the offsets of {name}")
    if offsets.dtype.kind not in "iu":
        raise TypeError(f"the offsets of {name} must hold integers, got type {offsets.dtype}")
    _require_some(len(offsets) - 1 if len(offsets) else 0, name)
    ends = int(offsets[0]), int(offsets[-1])
    if ends != (0, n):
        raise ValueError(f"the offsets of {name} must go from 0 to {n}, got {ends[0]} to {ends[1]}")
    if (offsets[1:] < offsets[:-1]).any():
        i = int((offsets[1:] < offsets[:-1]).argmax())
        falls = f"decrease from {offsets[i]} to {offsets[i + 1]}"
        raise ValueError(f"the offsets of {name} {falls}, but must not decrease")
    return offsets.astype(np.int64)


def as_relevance(ragged: Ragged, name: str) -> Ragged:
    """Return the rankings with values 0 and 1 as bytes; raise for any other value."""
    values = ragged.values
    if values.dtype != np.bool_:
        as_bool = values != 0
        bad = as_bool & (values != 1)
        if bad.any():
            ragged.reject(name, bad, "0 (not relevant) or 1 (relevant)")
        values = as_bool
    return ragged._replace(values=readable(values.view(np.uint8), np.uint8))


def as_gains(ragged: Ragged, name: str, *, negative: bool = True) -> Ragged:
    """Return the rankings with float64 values; raise unless all are finite and, if required, >= 0."""
    values = readable(ragged.values, np.float64)
    floats = ragged._replace(values=values)
    if not len(values):
        return floats
    low, high = values.min(), values.max()
    if not (low > -np.inf and high < np.inf) or (low < 0 and not negative):
        bad = ~np.isfinite(values) if negative else ~((values >= 0) & (values < np.inf))
        expected = "a finite number" if negative else "a finite number of at least 0"
        floats.reject(name, bad, expected)
    return floats


def as_keys(ragged: Ragged, name: str) -> Ragged:
    """Return the rankings with uint64 keys that fall as the values rise; raise unless finite."""
    values = ragged.values
    sign = np.uint64(1 << 63)
    if values.dtype.kind == "u":
        keys = values.astype(np.uint64)
    elif values.dtype.kind in "bi":
        keys = values.astype(np.int64).view(np.uint64) ^ sign
    else:
        bits = (as_gains(ragged, name).values + 0.0).view(np.int64)  # adding 0.0 turns -0.0 into 0.0
        keys = (bits ^ ((bits >> 63) & np.int64((1 << 63) - 1))).view(np.uint64) ^ sign
    return ragged._replace(values=readable(~keys, np.uint64))


def same_shape(ragged: Ragged, other: Ragged, names: tuple[str, str]) -> None:
    """Raise unless both batches have rankings of the same lengths."""
    if not np.array_equal(ragged.offsets, other.offsets):
        raise ValueError(f"{names[0]} and {names[1]} must have rankings of the same lengths")
