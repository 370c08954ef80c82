"""Isotonic regression of counts by pooling adjacent violators, in one pass with exact comparisons."""

from __future__ import annotations

from fastarac._kernels._jit import Array, linear_kernel
from fastarac._kernels.hulls import exceeds


@linear_kernel
def pool(n: Array, errors: Array, last: Array, block_n: Array, block_errors: Array) -> int:
    """Pool neighbours until error rates rise strictly from block to block; return the number of blocks.

    Counts are below 2**62. `last` receives the index of the last point of each block.
    """
    m = 0
    for i in range(len(n)):
        block_n[m], block_errors[m], last[m] = n[i], errors[i], i
        m += 1
        while m > 1 and not exceeds(
            block_errors[m - 1], block_n[m - 2], block_errors[m - 2], block_n[m - 1]
        ):
            block_n[m - 2] += block_n[m - 1]
            block_errors[m - 2] += block_errors[m - 1]
            last[m - 2] = i
            m -= 1
    return m
