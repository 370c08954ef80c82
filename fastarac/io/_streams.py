"""Read the numbers of a query as arrays, in batches of rows.

DuckDB's Python interface would take ten times as long: it gives batches only as Python objects. So this
module reads an Arrow stream, a structure in C
(https://arrow.apache.org/docs/format/CStreamInterface.html).
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckdb import DuckDBPyRelation
    from numpy.typing import NDArray


class _Batch(ctypes.Structure):
    """The structure ArrowArray: a batch, or one of its columns."""


_Batch._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Batch))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Batch))),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    """The structure ArrowArrayStream."""

    _fields_: ClassVar[Any] = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Batch))),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def numbers(relation: DuckDBPyRelation, size: int) -> Iterator[NDArray[np.float64]]:
    """Yield the rows of a relation of DOUBLE columns, `size` rows at a time; nulls become NaN."""
    waiting: list[NDArray[np.float64]] = []
    n_waiting = 0
    for batch in _batches(relation):
        waiting.append(batch)
        n_waiting += len(batch)
        if n_waiting < size:
            continue
        rows = np.concatenate(waiting)
        whole = n_waiting - n_waiting % size
        yield from (rows[start : start + size] for start in range(0, whole, size))
        waiting, n_waiting = [rows[whole:]], n_waiting - whole
    if n_waiting:
        yield np.concatenate(waiting)


def _batches(relation: DuckDBPyRelation) -> Iterator[NDArray[np.float64]]:
    """Yield the batches as copies, because DuckDB frees their memory."""
    import duckdb

    capsule: object = relation.__arrow_c_stream__()  # deleting the capsule frees the stream
    address = _address(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    while True:
        batch = _Batch()
        if stream.get_next(address, ctypes.byref(batch)):
            raise duckdb.Error((stream.get_last_error(address) or b"").decode())
        if not batch.release:  # a batch without a release function marks the end of the stream
            return
        try:
            columns = [_column(batch.children[k].contents, batch) for k in range(batch.n_children)]
            yield np.stack(columns, axis=1)
        finally:
            batch.release(ctypes.byref(batch))


def _column(column: Any, batch: Any) -> NDArray[np.float64]:
    """Return the values of a column, a view of DuckDB's memory if there are no nulls."""
    start, n = column.offset + batch.offset, batch.length
    values = _array(column.buffers[1], ctypes.c_double, start + n)[start:]
    if not column.null_count:
        return values
    bits = _array(column.buffers[0], ctypes.c_uint8, -(-(start + n) // 8))
    there = np.unpackbits(bits, count=start + n, bitorder="little")[start:]
    return np.where(there, values, np.nan)


def _array(address: int, kind: Any, n: int) -> NDArray[Any]:
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (n,))
