"""Least total cost without the items of a group."""

from __future__ import annotations

from fastarac._kernels._jit import Array, kernel


@kernel
def least_without(
    totals: Array, tree: Array, points: Array, paid: Array, starts: Array, out: Array
) -> None:
    """Write, for each group, the least total cost without its items into `out` (G,).

    ``totals[k]`` is the cost of all items if the first k points are accepted. The items of group g are
    those from ``starts[g]`` to ``starts[g + 1]``, sorted by `points`. Item i costs ``paid[0, i]`` if it
    is verified (k <= ``points[i]``), and ``paid[1, i]`` if it is accepted. The cost of a group is
    constant between its neighbouring items. `tree` (2m,) is scratch space for a tree of minima, in
    which the least total between them is looked up.
    """
    m = len(totals)
    for k in range(m):
        tree[m + k] = totals[k]
    for k in range(m - 1, 0, -1):
        tree[k] = min(tree[2 * k], tree[2 * k + 1])
    for g in range(len(starts) - 1):
        cost = 0.0
        for i in range(starts[g], starts[g + 1]):
            cost += paid[0, i]
        least, first = totals[0] - cost, 0
        for i in range(starts[g], starts[g + 1] + 1):
            last = points[i] + 1 if i < starts[g + 1] else m
            low, high = first + m, last + m
            while low < high:
                if low & 1:
                    least = min(least, tree[low] - cost)
                    low += 1
                if high & 1:
                    high -= 1
                    least = min(least, tree[high] - cost)
                low >>= 1
                high >>= 1
            first = last
            if i < starts[g + 1]:
                cost += paid[1, i] - paid[0, i]
        out[g] = least
