"""Counts of streamed items in a few dyadic ranges of confidence, and at single confidences.

A confidence is a key of 64 bits that keeps the order of the values (`keys.ordered`). A *node* holds the
counts of some items in a range: all keys that agree with `low` except in the lowest `bits` bits. A node
with 0 bits stands for a single confidence, so that its counts are exact. Two ranges are either
disjoint, or one encloses the other. Nodes are sorted by `low`, and an enclosing node comes before the
nodes inside it.

The confidence of an item may lie anywhere in the range of its node. So the order of two items is
unknown if their nodes are the same, or if one encloses the other. The `sums` of a node are the total
counts of its enclosing nodes. A node's counts plus its sums are limited to a share of all items. This
limits the pairs of unknown order to the same share, however deeply nodes are nested.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.keys import ordered

# Logarithm (base 2) of the number of cells per octave; finer than in `sort`, so that a cell holds few
# intervals.
CELL_BITS = 10
HALF_CELLS = 32 << CELL_BITS
N_CELLS = 2 * HALF_CELLS
MANTISSA_SHIFT = 52 - CELL_BITS
FEW = 8  # Maximum number of intervals that are searched one by one.

DEPTH = 66  # Largest possible number of nested ranges, plus one.
SIGN = np.uint64(1 << 63)
ONE = np.uint64(1)
ALL = ~np.uint64(0)


@kernel
def span(bits: Any) -> Any:
    """Return the distance from the first to the last key of a range with `bits` free bits."""
    return ALL if bits >= 64 else (ONE << np.uint64(bits)) - ONE


@kernel
def last_keys(low: Array, bits: Array) -> Array:
    """Return the last key of the range of each node."""
    out = np.empty(len(low), np.uint64)
    for i in range(len(low)):
        out[i] = low[i] | span(np.int64(bits[i]))
    return out


@kernel
def bit_length(x: Any) -> Any:
    """Return the position of the highest set bit, counted from 1; 0 if no bit is set."""
    n = 0
    for step in (32, 16, 8, 4, 2, 1):
        if x >> np.uint64(step):
            x >>= np.uint64(step)
            n += step
    return n + 1 if x else n


@kernel
def count_keys(correct: Array, incorrect: Array, low: Array, counts: Array) -> int:
    """Write each distinct key, and its counts in both sorted arrays; return the number of keys."""
    i = 0
    j = 0
    n = 0
    while i < len(correct) or j < len(incorrect):
        if j >= len(incorrect) or (i < len(correct) and correct[i] <= incorrect[j]):
            key = correct[i]
        else:
            key = incorrect[j]
        p = 0
        q = 0
        while i < len(correct) and correct[i] == key:
            i += 1
            p += 1
        while j < len(incorrect) and incorrect[j] == key:
            j += 1
            q += 1
        low[n] = key
        counts[n, 0] = q
        counts[n, 1] = p
        n += 1
    return n


@kernel
def merge(
    low_a: Array, bits_a: Array, counts_a: Array, low_b: Array, bits_b: Array, counts_b: Array,
    low: Array, bits: Array, counts: Array,
) -> int:  # fmt: skip
    """Merge two sorted sets of nodes, adding the counts of equal ranges; return the number of nodes."""
    i = 0
    j = 0
    n = 0
    while i < len(low_a) or j < len(low_b):
        take_a = j >= len(low_b)
        take_b = i >= len(low_a)
        if not take_a and not take_b:
            same = low_a[i] == low_b[j]
            take_a = low_a[i] < low_b[j] or (same and bits_a[i] >= bits_b[j])
            take_b = low_b[j] < low_a[i] or (same and bits_b[j] >= bits_a[i])
        p = 0
        q = 0
        if take_a:
            low[n] = low_a[i]
            bits[n] = bits_a[i]
            q += counts_a[i, 0]
            p += counts_a[i, 1]
            i += 1
        if take_b:
            low[n] = low_b[j]
            bits[n] = bits_b[j]
            q += counts_b[j, 0]
            p += counts_b[j, 1]
            j += 1
        counts[n, 0] = q
        counts[n, 1] = p
        n += 1
    return n


@kernel
def collapse(
    low: Array, bits: Array, counts: Array, budget: Array, share: float,
    new_low: Array, new_bits: Array, new_counts: Array,
) -> int:  # fmt: skip
    """In each range whose counts are small, merge all nodes into one; return how many nodes result.

    Counts are small if they are at most `share`·(`budget` − counts of the enclosing nodes), in both
    classes; `budget` has one entry per class.
    """
    before = np.zeros((len(low) + 1, 2), np.int64)
    for i in range(len(low)):
        before[i + 1, 0] = before[i, 0] + counts[i, 0]
        before[i + 1, 1] = before[i, 1] + counts[i, 1]
    start = np.empty(3 * DEPTH, np.int64)
    stop = np.empty(3 * DEPTH, np.int64)
    sums = np.zeros((3 * DEPTH, 2))
    start[0] = 0
    stop[0] = len(low)
    top = 1
    n = 0
    while top:
        top -= 1
        i = start[top]
        j = stop[top]
        q_above = sums[top, 0]
        p_above = sums[top, 1]
        if j - i <= 1:
            if j > i:
                new_low[n] = low[i]
                new_bits[n] = bits[i]
                new_counts[n, 0] = counts[i, 0]
                new_counts[n, 1] = counts[i, 1]
                n += 1
            continue
        level: Any = max(bit_length(low[i] ^ low[j - 1]), np.int64(bits[i]))
        q = before[j, 0] - before[i, 0]
        p = before[j, 1] - before[i, 1]
        if q <= share * (budget[0] - q_above) and p <= share * (budget[1] - p_above):
            prefix = low[i] & ~span(level)
            if n and new_low[n - 1] == prefix and new_bits[n - 1] == level:
                new_counts[n - 1, 0] += q  # the previous node covers this range, so it takes the counts
                new_counts[n - 1, 1] += p
                continue
            new_low[n] = prefix
            new_bits[n] = level
            new_counts[n, 0] = q
            new_counts[n, 1] = p
            n += 1
            continue
        if bits[i] == level:  # keep the node of the whole range, and continue with the nodes inside
            new_low[n] = low[i]
            new_bits[n] = level
            new_counts[n, 0] = counts[i, 0]
            new_counts[n, 1] = counts[i, 1]
            n += 1
            start[top] = i + 1
            sums[top, 0] = q_above + counts[i, 0]
            sums[top, 1] = p_above + counts[i, 1]
            top += 1
            continue
        half = (low[j - 1] >> np.uint64(level - 1)) << np.uint64(level - 1)
        first = i
        last = j - 1
        while first < last:  # bisection for the first node of the upper half
            middle = (first + last) // 2
            if low[middle] >= half:
                last = middle
            else:
                first = middle + 1
        start[top] = first
        stop[top] = j
        start[top + 1] = i
        stop[top + 1] = first
        sums[top + 1, 0] = q_above
        sums[top + 1, 1] = p_above
        top += 2
    return n


@kernel
def lay_out(low: Array, bits: Array, counts: Array, sums: Array, starts: Array, owners: Array) -> int:
    """Divide the range of all keys into intervals, and return their number.

    `starts` receives the first key of each interval. `owners` receives the node that covers the
    interval and encloses no other node, or -1. `sums` (n, 2) receives the sums of each node.
    """
    open_end = np.empty(DEPTH, np.uint64)
    open_node = np.empty(DEPTH, np.int64)
    leaf = np.ones(len(low), np.bool_)
    top = 0
    n = 0
    position = np.uint64(0)
    full = False  # whether no key is left
    for k in range(len(low) + 1):
        while top and (k == len(low) or open_end[top - 1] < low[k]):
            top -= 1
            node = open_node[top]
            if not full and position <= open_end[top]:
                owner = node if leaf[node] else -1
                if owner >= 0 or n == 0 or owners[n - 1] >= 0:
                    starts[n] = position
                    owners[n] = owner
                    n += 1
            full |= open_end[top] == ALL
            position = ALL if full else open_end[top] + ONE
        if k == len(low):
            break
        if position < low[k] and (n == 0 or owners[n - 1] >= 0):
            starts[n] = position
            owners[n] = -1
            n += 1
        position = low[k]
        sums[k, 0] = 0
        sums[k, 1] = 0
        if top:
            above = open_node[top - 1]
            leaf[above] = False
            sums[k, 0] = sums[above, 0] + counts[above, 0]
            sums[k, 1] = sums[above, 1] + counts[above, 1]
        open_end[top] = low[k] | span(np.int64(bits[k]))
        open_node[top] = k
        top += 1
    if not full and (n == 0 or owners[n - 1] >= 0):
        starts[n] = position
        owners[n] = -1
        n += 1
    return n


@kernel
def value_of(key: Any) -> float:
    """Return the confidence of a key; keys beyond those of finite values give ±inf."""
    if key >= np.uint64(0xFFF0000000000000):
        return np.inf
    if key <= np.uint64(0x000FFFFFFFFFFFFF):
        return -np.inf
    bits = key ^ SIGN if key & SIGN else ~key
    return np.uint64(bits).view(np.float64)


@kernel
def values_of(keys: Array) -> Array:
    """Return `value_of` of each key."""
    out = np.empty(len(keys))
    for i in range(len(keys)):
        out[i] = value_of(keys[i])
    return out


@kernel
def cell_of(value: Any, ends: Any) -> Any:
    """Return the cell of `value`; cells are numbered by rising value and finest near both ends."""
    low, middle, high, base = ends
    below = value < middle
    distance = max(value - low if below else high - value, 0.0)
    k = (np.float64(distance).view(np.int64) >> np.int64(MANTISSA_SHIFT)) - base
    k = min(max(k, np.int64(0)), np.int64(HALF_CELLS - 1))
    return k if below else np.int64(N_CELLS - 1) - k


@kernel
def cells_of(keys: Array, ends: Any) -> Array:
    """Return `cell_of` for the confidence of each key."""
    out = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        out[i] = cell_of(value_of(keys[i]), ends)
    return out


@kernel
def route(
    values: Array, labels: Array, starts: Array, table: Array, ends: Any,
    keys: Array, places: Array, added: Array,
) -> None:  # fmt: skip
    """Write the key and the interval of each item; count the items of each interval in `added` (n, 2).

    An item of cell c lies in one of the intervals from table[c] to table[c + 1]; table[c] is the last
    interval that begins before cell c.
    """
    for i in range(len(values)):
        keys[i] = ordered(np.float64(values[i]).view(np.uint64), SIGN, FLOAT)
        places[i] = cell_of(values[i], ends)
    for i in range(len(values)):
        key = keys[i]
        first = table[places[i]]
        last = table[places[i] + 1]
        while last - first > FEW:
            middle = (first + last) >> 1
            if starts[middle] <= key:
                first = middle
            else:
                last = middle - 1
        while first < last and starts[first + 1] <= key:
            first += 1
        places[i] = first
        added[first, labels[i]] += 1


@kernel
def accept(
    owners: Array, added: Array, bits: Array, counts: Array, sums: Array, budget: Array, share: float
) -> int:
    """Add each interval's new items to the node that owns it, if the node stays small.

    Return how many items were not added. ``added[:, 0]`` becomes -1 for intervals whose items were not
    added, and 0 for all others.
    """
    left = 0
    for k in range(len(owners)):
        q = added[k, 0]
        p = added[k, 1]
        added[k, 0] = 0
        added[k, 1] = 0
        if p == 0 and q == 0:
            continue
        node = owners[k]
        fits = node >= 0
        if fits and bits[node]:
            q_room = share * (budget[0] - sums[node, 0])
            p_room = share * (budget[1] - sums[node, 1])
            fits = (q == 0 or counts[node, 0] + q <= q_room) and (
                p == 0 or counts[node, 1] + p <= p_room
            )
        if fits:
            counts[node, 0] += q
            counts[node, 1] += p
        else:
            added[k, 0] = -1
            left += p + q
    return left


@kernel
def keep(keys: Array, labels: Array, places: Array, added: Array, kept: Array, n_kept: Array) -> None:
    """Append the key of each item that `accept` did not add to its label's row of `kept` (2, n)."""
    for i in range(len(keys)):
        if added[places[i], 0] < 0:
            label = labels[i]
            kept[label, n_kept[label]] = keys[i]
            n_kept[label] += 1


@kernel
def clear(added: Array) -> None:
    """Set the first column to 0, where `accept` may have written −1."""
    for k in range(len(added)):
        added[k, 0] = 0
