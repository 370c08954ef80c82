"""Numbering of integer labels, by their distance from the lowest or by a hash table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.results import read_only
from fastarac._engine import parallel, strategy


def number_integers(array: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct integers (in rising order if gaps are few), and each item's number."""
    lowest, highest = int(array.min()), int(array.max())
    wide = np.uint64 if array.dtype.kind == "u" and array.dtype.itemsize == 8 else np.int64
    values = np.ascontiguousarray(array, wide)
    if highest - lowest <= len(array):  # few gaps: number by distance from `lowest`
        values = read_only(values)  # numba would compile another version for writable arrays
        codes = np.empty(len(values), np.int64)
        present = np.zeros(highest - lowest + 1, np.bool_)
        edges = parallel.edges(len(values))

        def number(i: int) -> bool:
            share = slice(edges[i], edges[i + 1])
            return _kernels.numbering.number_range(values[share], wide(lowest), codes[share], present)

        if not all(parallel.run(number, range(len(edges) - 1))):
            raise ValueError(f"{name} was changed while it was read")
        if not present.all():
            codes = (np.cumsum(present) - 1)[codes]
        labels = np.flatnonzero(present).astype(wide) + wide(lowest)
        return labels.astype(array.dtype), codes
    bits = strategy.sizes.table_bits
    while True:
        few = number_few(values, bits)
        if few is not None:
            return few[0].astype(array.dtype), few[1]
        bits += 3


def number_few(
    values: NDArray[Any], bits: int | None = None
) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
    """Number 64-bit integers in the order of their first appearance, by a hash table of 2**bits slots.

    Return the distinct integers and each item's number; None as soon as there are too many.
    """
    bits = strategy.sizes.table_bits if bits is None else bits
    slots = np.empty(1 << bits, values.dtype)
    found = np.empty(1 << bits, values.dtype)
    numbers = np.full(1 << bits, -1, np.int64)
    codes = np.empty(len(values), np.int64)
    distinct = _kernels.numbering.encode_groups(values, slots, numbers, found, codes)
    return None if distinct < 0 else (found[:distinct], codes)
