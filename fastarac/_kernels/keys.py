"""Items encoded as unsigned integers: sorting moves these integers only.

An item becomes one unsigned integer, its *key*. The bits of its confidence are mapped so that unsigned
order is the order of the values, and shifted left by one. The lowest bit holds the label (1 correct, 0
incorrect), so incorrect items come first at equal confidence. The shift drops the top bit, so items
below zero and other items are kept in different buckets.

All arrays of these kernels are one-dimensional and C-contiguous. `bits` is a view of `values` as
unsigned integers; `kind` is the type of the values, a code of `codes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT, UNSIGNED


@kernel
def one_and_sign(bits: Array) -> tuple[Any, Any]:
    """Return 1 and the highest bit, both in the type of `bits`."""
    one = bits.dtype.type(1)
    return one, one << bits.dtype.type(8 * bits.itemsize - 1)


@kernel
def ordered(bits: Any, sign: Any, kind: int) -> Any:
    """Map the bits of a value to an unsigned integer so that the order of the values is kept."""
    if kind == UNSIGNED:
        return bits
    if kind == FLOAT and bits & sign:
        return sign if bits == sign else ~bits  # minus zero counts as zero
    return bits ^ sign


@kernel
def threshold_bits(value: Any, upper: bool, kind: int, sign: Any) -> Any:
    """Return the bits of the confidence with the key `value` (given without the label bit)."""
    o = value | sign if upper else value
    if kind == UNSIGNED:
        return o
    if kind == FLOAT and not upper:
        return ~o
    return o ^ sign


@kernel
def to_ordered_bits(bits: Array, kind: int, keys: Array) -> None:
    """Write `ordered` of each entry of `bits` into `keys`."""
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    sign = bits.dtype.type(sign)
    for i in range(len(bits)):
        keys[i] = ordered(bits[i], sign, kind)


@kernel
def from_ordered_bits(keys: Array, kind: int) -> None:
    """Replace each entry of `keys` by the bits that `to_ordered_bits` was given."""
    sign = keys.dtype.type(np.uint64(1) << np.uint64(8 * keys.itemsize - 1))
    for i in range(len(keys)):
        if kind != UNSIGNED:
            keys[i] = ~keys[i] if kind == FLOAT and not keys[i] & sign else keys[i] ^ sign


@kernel
def encode_two_ended(
    bits: Array, labels: Array, kind: int, exponent: Any, keys: Array
) -> tuple[bool, int, int]:
    """Write the keys of negative values from the front, and all other keys from the back.

    Return whether a float is not finite, the bitwise OR of the labels, and the number of negative
    values.
    """
    one, sign = one_and_sign(bits)
    bad = False
    seen = np.uint8(0)
    some = sign ^ sign
    every = ~some
    for i in range(len(bits)):
        b = bits[i]
        bad |= (b & exponent) == exponent
        seen |= labels[i]
        o = ordered(b, sign, kind)
        some |= o
        every &= o
        keys[i] = (o << one) | bits.dtype.type(labels[i])
    front = 0 if every & sign else len(bits)
    if (some ^ every) & sign:  # some values are negative and others are not
        front = 0
        back = len(bits) - 1
        for i in range(len(bits)):
            # Numba may have widened the result to 64 bits.
            o = bits.dtype.type(ordered(bits[i], sign, kind))
            upper = np.int64(1) if o & sign else np.int64(0)
            keys[back if upper else front] = (o << one) | bits.dtype.type(labels[i])
            front += 1 - upper
            back -= upper
    return bad and kind == FLOAT, np.int64(seen), front


@kernel
def next_tie(keys: Array, end: int) -> tuple[int, int, int]:
    """Return (start, p, q) of the tie `keys[start:end]`: p correct and q incorrect items; end > 0."""
    one = keys.dtype.type(1)
    value = keys[end - 1] >> one
    p = np.int64(keys[end - 1] & one)
    i = end - 1
    while i > 0 and keys[i - 1] >> one == value:
        i -= 1
        p += np.int64(keys[i] & one)
    return i, p, end - i - p
