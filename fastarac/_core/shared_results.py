"""Intermediate results that several metrics need, kept while the metrics are computed."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

T = TypeVar("T")

_results: ContextVar[dict[Hashable, tuple[object, Any]] | None] = ContextVar("results", default=None)


@contextmanager
def shared_results() -> Iterator[None]:
    """Let metrics share results in this block; the end of the outermost block discards the results."""
    if _results.get() is not None:
        yield
        return
    token = _results.set({})
    try:
        yield
    finally:
        _results.reset(token)


def shared(counts: object, key: Hashable, compute: Callable[[], T]) -> T:
    """Return ``compute()``, or its earlier result for the same object `counts` and the same `key`."""
    results = _results.get()
    if results is None:
        return compute()
    place = id(counts), key
    if place not in results:  # `counts` is kept, so that no other object can get the same id
        results[place] = counts, compute()
    found: T = results[place][1]
    return found
