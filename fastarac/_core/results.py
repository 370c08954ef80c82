"""What all results have in common: equal by value, read-only, and the same again after pickling.

Frozen dataclasses inherit from `Result`; named tuples of arrays, which cannot, are decorated with
`locked`. Either way the arrays are views that refuse to be written to, whatever the caller does with an
array of his own, and copies and unpickled results are as they were.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")


def read_only(value: Any) -> Any:
    """Return a view of an array that cannot be written to, and anything else as it is."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays and what holds them included; NaN is equal to NaN."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype == object or b.dtype == object:
            return a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b or (a != a and b != b))


class Result:
    """Base of the frozen dataclasses that hold arrays; declare them with ``eq=False``."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as arrays

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, read_only(value))

    def __eq__(self, other: object) -> bool:
        """Whether both are of the same class and all their values are equal."""
        if type(self) is not type(other):
            return NotImplemented
        return all(map(same, _values(self), _values(other)))

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _rebuilt, (type(self), *_values(self))


def _values(result: object) -> Iterable[object]:
    return [getattr(result, field.name) for field in fields(result)]  # type: ignore[arg-type]


def _rebuilt(cls: type[T], *values: object) -> T:
    """Make a dataclass again from the values of its fields, which were checked before."""
    result = cls.__new__(cls)
    for field, value in zip(fields(cls), values, strict=True):  # type: ignore[arg-type]
        object.__setattr__(result, field.name, read_only(value))
    return result


def locked(cls: type[T]) -> type[T]:
    """Make a named tuple of arrays read-only, equal by value, and shown in one line (a decorator)."""
    methods: Any = cls
    new = methods.__new__

    def make(cls: type[T], *args: object, **kwargs: object) -> T:
        return new(cls, *map(read_only, args), **{k: read_only(v) for k, v in kwargs.items()})  # type: ignore[no-any-return]

    def equal(self: Any, other: object) -> bool:
        return same(tuple(self), tuple(other)) if isinstance(other, tuple) else NotImplemented

    def represent(self: Any) -> str:
        with np.printoptions(threshold=20):
            values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return " ".join(f"{cls.__name__}({values})".split())

    def unequal(self: Any, other: object) -> bool:
        return not equal(self, other) if isinstance(other, tuple) else NotImplemented

    methods.__new__ = make
    methods.__eq__, methods.__ne__, methods.__hash__ = equal, unequal, None
    methods.__repr__ = represent
    methods.__reduce__ = lambda self: (cls, tuple(self))
    return cls
