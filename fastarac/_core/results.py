"""Base classes of all results: compared by value, read-only, and unchanged by pickling.

Frozen dataclasses, declared with ``eq=False``, inherit from `Result`. Named tuples inherit from
`TupleResult` and from a class with their fields. Results that are tables inherit first from `Table`;
results that ``print`` shows line by line inherit from `Sheet`. A pickle names a result by its public
path, ``fastarac.results:Interval``, so that it can be read even after source files have moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from importlib import import_module
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fastarac._core.export import Backend, fields_of, flat, frame_of, html_of_columns, html_table


def read_only(value: Any) -> Any:
    """Return a read-only view of an array, or a proxy of a copied dict; other values stay the same."""
    if isinstance(value, dict):
        return MappingProxyType({key: read_only(each) for key, each in value.items()})
    if type(value) is tuple and value and isinstance(value[0], np.ndarray):
        return tuple(map(read_only, value))
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal, including arrays and containers of them; NaN equals NaN."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype == object or b.dtype == object:
            return a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict | MappingProxyType) and isinstance(b, dict | MappingProxyType):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b or (a != a and b != b))


def hash_of(values: Iterable[object]) -> int:
    """Return a hash that is equal for values that are equal by `same`; arrays raise a TypeError."""
    return hash(tuple(map(_hashable, values)))


def _hashable(value: object) -> object:
    if isinstance(value, float | np.floating) and value != value:
        return "nan"
    if isinstance(value, MappingProxyType):
        return frozenset((key, _hashable(each)) for key, each in value.items())
    return tuple(map(_hashable, value)) if type(value) is tuple else value


def _picklable(value: object) -> object:
    """Return a dict for a proxy, because proxies cannot be pickled; other values stay the same."""
    if isinstance(value, MappingProxyType):
        return {key: _picklable(each) for key, each in value.items()}
    return value


def in_one_line(name: str, parts: dict[str, Any]) -> str:
    """Return a representation in one line, with long arrays shortened."""
    with np.printoptions(threshold=20):
        values = ", ".join(f"{key}={_picklable(value)!r}" for key, value in parts.items())
    return " ".join(f"{name}({values})".split())


class Shown:
    """Mixin for output as dictionaries, data frames and HTML."""

    __slots__ = ()

    def _parts(self) -> dict[str, Any]:
        """Return the parts of the result by name."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a flat dictionary that JSON can hold.

        Arrays become lists. The keys of a nested result begin with the name of its field. NaN and
        infinite values become None.
        """
        return flat(self._parts())

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of a table; any other result becomes one row, as in `to_dict`."""
        return {name: [value] for name, value in self.to_dict().items()}

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the columns as a table of another package.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The package, which must be installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
        """
        return frame_of(self.to_columns(), backend)

    def _repr_html_(self) -> str:
        return html_table((), self.to_dict().items())


class Sheet(Shown):
    """A result that ``print`` shows as one line per name and value."""

    __slots__ = ()

    def _rows(self) -> list[tuple[str, str]]:
        """Return names and values as the texts that ``print`` shows."""
        raise NotImplementedError

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)

    def _repr_html_(self) -> str:
        return html_table((), self._rows())


class Table(Shown):
    """A result that is a table: columns of equal length."""

    __slots__ = ()

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of the table."""
        return {k: v for k, v in self._parts().items() if isinstance(v, np.ndarray | tuple)}

    def _repr_html_(self) -> str:
        return html_of_columns(self.to_columns())


def public_path(cls: type) -> str:
    """Return the public path of a class, or the path of its definition if it has no public one."""
    package, *folder = cls.__module__.split(".")[:2]
    if package == "fastarac":
        for module in ("fastarac.results", "fastarac.frames", package, ".".join([package, *folder])):
            public = import_module(module)
            if cls.__name__ in getattr(public, "__all__", ()) and getattr(public, cls.__name__) is cls:
                return f"{module}:{cls.__name__}"
    return f"{cls.__module__}:{cls.__qualname__}"


def _rebuilt(path: str, *values: object) -> object:
    """Return a result with the given values of its fields, without checking them again."""
    cls: Any = resolve_name(path)
    if hasattr(cls, "_fields"):  # the class is a named tuple
        return cls(*values)
    result = cls.__new__(cls)
    for field, value in zip(fields(cls), values, strict=True):
        object.__setattr__(result, field.name, read_only(value))
    return result


# Pickles store this public name, so they stay readable if this file moves.
_rebuilt.__module__ = "fastarac.results"


class Pickled:
    """Base of frozen dataclasses that are pickled by their public path."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _rebuilt, (public_path(type(self)), *map(_picklable, fields_of(self).values()))


class Result(Pickled, Shown):
    """Base of the frozen dataclasses; declare them with ``eq=False``."""

    __slots__ = ()
    _derived: ClassVar[tuple[str, ...]] = ()  # names of properties that are shown like fields
    _is_sweep: ClassVar[bool] = False  # whether functions accept the result in place of items

    def __post_init__(self) -> None:
        kinds = np.ndarray, dict, tuple
        for name in self.__dataclass_fields__:  # type: ignore[attr-defined]  # faster than `fields`
            value = getattr(self, name)
            if isinstance(value, kinds):
                object.__setattr__(self, name, read_only(value))

    def _parts(self) -> dict[str, Any]:
        return fields_of(self) | {name: getattr(self, name) for name in self._derived}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return same(fields_of(self), fields_of(other))

    def __hash__(self) -> int:
        return hash_of(fields_of(self).values())

    def __repr__(self) -> str:
        return in_one_line(type(self).__name__, self._parts())


class TupleResult(Shown):
    """Base of named tuples; it must precede the base class that holds the fields."""

    __slots__ = ()
    _locked: ClassVar[bool] = True  # whether the arrays in the tuple become read-only

    if not TYPE_CHECKING:

        def __new__(cls, *args, **kwargs):
            if not cls._locked:
                return super().__new__(cls, *args, **kwargs)
            named = {name: read_only(value) for name, value in kwargs.items()}
            return super().__new__(cls, *map(read_only, args), **named)

    def _parts(self: Any) -> dict[str, Any]:
        return self._asdict()  # type: ignore[no-any-return]

    def __eq__(self: Any, other: object) -> bool:
        return same(tuple(self), tuple(other)) if isinstance(other, tuple) else NotImplemented

    def __ne__(self, other: object) -> bool:  # otherwise, Python would call tuple.__ne__
        return not self == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash_of(self)

    def __repr__(self: Any) -> str:
        return in_one_line(type(self).__name__, self._asdict())

    def __reduce__(self: Any) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _rebuilt, (public_path(type(self)), *map(_picklable, self))
