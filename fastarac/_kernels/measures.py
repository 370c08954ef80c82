"""What measures of confusion tables need that plain arithmetic would round away."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from fastarac._kernels._jit import kernel
from fastarac._kernels.weighted import add, multiply

Array = NDArray[Any]


@kernel
def determinants(a: Array, b: Array, c: Array, d: Array, out: Array) -> None:
    """Write a·b − c·d of floats: the products are exact, and their difference is rounded once."""
    for i in range(len(out)):
        p, p_error = multiply(a[i], 0.0, b[i], 0.0)
        q, q_error = multiply(c[i], 0.0, d[i], 0.0)
        high, _ = add(p, p_error, -q, -q_error)
        out[i] = high
