"""Sort items by confidence without ever moving an index, and count pairs.

An item becomes one unsigned integer, its *key*: the bits of its confidence, mapped so that unsigned
order is the order of the values, shifted left by one, with the label (1 correct, 0 incorrect) in the
lowest bit. The shift loses the top bit, so items below and above zero live in different buckets.
Sorting keys sorts the items, equal confidences with the incorrect ones first, and nothing but the
keys has to be moved.

Large inputs are first spread over buckets (`histogram`, `scatter`) through a table of cells that a
sample of the confidences has balanced; each bucket then fits the cache and is sorted on its own
(`sort_keys`), one thread a bucket. The time is linear in the number of items and hardly depends on
how well the processor predicts branches.

All arrays are one-dimensional and C-contiguous. `bits` is `values` seen as unsigned integers. `kind`
says how to read the bits. A pair is one correct and one incorrect item; `doubled_pairs` counts those
with the correct item above twice and those that are tied once, so that it stays an integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT, UNSIGNED

CELL_BITS = 7  # each octave of the distance from an end is divided into 128 cells
HALF_CELLS = 32 << CELL_BITS  # 32 octaves from each end
N_CELLS = 2 * HALF_CELLS
MANTISSA_SHIFT = 52 - CELL_BITS

BLOCK = 1 << 11  # items whose cells are found together, in the cache
SMALL = 24  # so few keys are sorted by insertion
MAX_COST = 16  # mean number of keys in a key's own cell up to which insertion finishes the sort


@kernel
def cell_of(value: Any, ends: Any) -> Any:
    """Number of the cell that holds `value`: nowhere decreasing in it, finest near both ends."""
    low, middle, high, base = ends
    below = value < middle
    distance = value - low if below else high - value
    distance = max(distance, 0.0)
    k = (np.float64(distance).view(np.int64) >> np.int64(MANTISSA_SHIFT)) - base
    k = min(max(k, np.int64(0)), np.int64(HALF_CELLS - 1))
    return k if below else np.int64(N_CELLS - 1) - k


@kernel
def fill_cells(values: Array, ends: Any, cells: Array) -> None:
    """Write `cell_of` for each of `values`, in a loop of its own: several at a time."""
    for i in range(len(values)):
        cells[i] = np.int32(cell_of(np.float64(values[i]), ends))


@kernel
def ordered(bits: Any, sign: Any, kind: int) -> Any:
    """Map the bits of a value to an unsigned integer in the order of the values."""
    if kind == UNSIGNED:
        return bits
    if kind == FLOAT and bits & sign:
        return sign if bits == sign else ~bits  # minus zero is zero
    return bits ^ sign


@kernel
def fill_buckets(
    values: Array,
    bits: Array,
    kind: int,
    table: Array,
    n_buckets: int,
    ends: Any,
    cells: Array,
    buckets: Array,
) -> None:
    """Write the bucket of each value, in loops that look at several at a time."""
    sign = bits.dtype.type(1) << bits.dtype.type(8 * bits.itemsize - 1)
    fill_cells(values, ends, cells)
    for i in range(len(values)):
        upper = n_buckets if ordered(bits[i], sign, kind) & sign else 0
        buckets[i] = np.int64(table[cells[i]]) + upper


@kernel
def histogram(
    values: Array,
    bits: Array,
    labels: Array,
    kind: int,
    table: Array,
    n_buckets: int,
    ends: Any,
    exponent: Any,
    streams: Array,
    counts: Array,
) -> tuple[bool, int, int]:
    """Count the items of each bucket.

    `counts` has `n_buckets` entries for the values below zero and as many for the others. Where
    `streams` has room for all items, each bucket has two streams, of incorrect and of correct items:
    these are counted, and the number of each item's stream is kept. Returns whether a float is not
    finite (all bits of `exponent` set), the union of the labels, and all bits combined.
    """
    bad = False
    seen = np.uint8(0)
    total = np.uint64(0)
    by_label = len(streams) > 0
    cells = np.empty(BLOCK, np.int32)
    block = np.empty(BLOCK, np.uint16)
    for start in range(0, len(bits), BLOCK):
        buckets = streams[start : start + BLOCK] if by_label else block
        some = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        value = values[start : start + BLOCK]
        for i in range(len(some)):
            bad |= (some[i] & exponent) == exponent
            seen |= label[i]
            total ^= np.uint64(some[i])
        fill_buckets(value, some, kind, table, n_buckets, ends, cells, buckets)
        for i in range(len(some) if by_label else 0):
            buckets[i] = np.uint16(2) * buckets[i] + (label[i] & np.uint8(1))
        for i in range(len(some)):
            counts[buckets[i]] += 1
    return bad and kind == FLOAT, np.int64(seen), np.int64(total)


@kernel
def scatter(
    values: Array,
    bits: Array,
    labels: Array,
    kind: int,
    table: Array,
    n_buckets: int,
    ends: Any,
    positions: Array,
    keys: Array,
) -> None:
    """Write each item's key at the next free position of its bucket; `positions` move on.

    Positions were counted by an earlier pass over arrays that another thread may have written to since:
    nothing is written beyond the keys, and the caller sees from the positions whether each bucket took
    what was counted.
    """
    T = bits.dtype.type
    one = T(1)
    sign = one << T(8 * bits.itemsize - 1)
    cells = np.empty(BLOCK, np.int32)
    buckets = np.empty(BLOCK, np.uint16)
    for start in range(0, len(bits), BLOCK):
        some = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        value = values[start : start + BLOCK]
        fill_buckets(value, some, kind, table, n_buckets, ends, cells, buckets)
        for i in range(len(some)):
            p = positions[buckets[i]]
            positions[buckets[i]] = p + 1
            if p < len(keys):
                keys[p] = (ordered(some[i], sign, kind) << one) | T(label[i])


@kernel
def encode_two_ended(
    bits: Array, labels: Array, kind: int, exponent: Any, keys: Array
) -> tuple[bool, int, int]:
    """Write the keys of the values below zero from the front and of the others from the back.

    Returns whether a float is not finite, the union of the labels, and the number of values below
    zero.
    """
    T = bits.dtype.type
    one = T(1)
    sign = one << T(8 * bits.itemsize - 1)
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
        keys[i] = (o << one) | T(labels[i])
    front = 0 if every & sign else len(bits)
    if (some ^ every) & sign:  # values on both sides of zero
        front = 0
        back = len(bits) - 1
        for i in range(len(bits)):
            o = T(ordered(bits[i], sign, kind))  # of 64 bits before
            upper = np.int64(1) if o & sign else np.int64(0)
            keys[back if upper else front] = (o << one) | T(labels[i])
            front += 1 - upper
            back -= upper
    return bad and kind == FLOAT, np.int64(seen), front


@kernel
def insert_sorted(source: Array, keys: Array) -> None:
    """Sort `source` into `keys`, which may be the same: fast where every key is near its place."""
    for i in range(len(keys)):
        key = source[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@kernel
def radix_sort(keys: Array, spare: Array, counts: Array, low: Any, differ: Any) -> None:
    """Sort by digits from the lowest: any distribution, a fixed number of passes.

    `differ` has a bit set wherever two keys differ from each other after `low` is subtracted.
    """
    T = keys.dtype.type
    n = len(keys)
    width = 8 if n < 512 else 11
    size = 1 << width
    digit_mask = T(size - 1)
    shift = 0
    in_spare = False
    while shift < 8 * keys.itemsize and differ >> T(shift) != T(0):
        s = T(shift)
        shift += width
        if (differ >> s) & digit_mask == T(0):
            continue
        source = spare if in_spare else keys
        target = keys if in_spare else spare
        counts[:size] = 0
        for i in range(n):
            counts[((source[i] - low) >> s) & digit_mask] += 1
        total = 0
        for d in range(size):
            count = counts[d]
            counts[d] = total
            total += count
        for i in range(n):
            d = ((source[i] - low) >> s) & digit_mask
            target[counts[d]] = source[i]
            counts[d] += 1
        in_spare = not in_spare
    if in_spare:
        for i in range(n):  # assigning the slice would compile the text of an error, for two seconds
            keys[i] = spare[i]


@kernel
def sort_keys(keys: Array, spare: Array, counts: Array) -> None:
    """Sort `keys` in place.

    `counts` (int32) has at least `counts_needed` entries; `spare` is used where it is long enough.
    One pass puts each key into a cell of equal width, of which there are about as many as keys, and
    insertion puts right what is left; where the keys crowd into few cells, their digits are sorted.
    """
    n = len(keys)
    T = keys.dtype.type
    if n <= SMALL:
        insert_sorted(keys, keys)
        return
    low = keys[0]
    high = keys[0]
    for i in range(n):
        low = min(low, keys[i])
        high = max(high, keys[i])
    span = high - low
    span_bits = 0
    while span_bits < 8 * keys.itemsize and span >> T(span_bits) != T(0):
        span_bits += 1
    count_bits = 0
    while (2 << count_bits) < 3 * n and count_bits < 18:
        count_bits += 1
    shift = T(max(0, span_bits - count_bits))
    n_cells = np.int64(span >> shift) + 1
    counts[:n_cells] = 0
    for i in range(n):
        counts[(keys[i] - low) >> shift] += 1
    total = 0
    cost = 0
    for c in range(n_cells):
        count = np.int64(counts[c])
        counts[c] = total
        total += count
        cost += count * count
    if shift == T(0):  # a cell is a value: the counts say it all
        first = 0
        for c in range(n_cells):
            last = np.int64(counts[c + 1]) if c + 1 < n_cells else n
            keys[first:last] = low + T(c)
            first = last
        return
    if len(spare) < n:
        spare = np.empty(n, keys.dtype)
    if cost > MAX_COST * n:
        differ = low ^ low
        for i in range(n):
            differ |= keys[i] - low
        radix_sort(keys, spare, counts, low, differ)
        return
    for i in range(n):
        key = keys[i]
        c = (key - low) >> shift
        p = counts[c]
        counts[c] = p + 1
        spare[p] = key
    insert_sorted(spare, keys)


@kernel
def counts_needed(n_keys: int) -> int:
    """Return the number of entries that `sort_keys` wants in `counts`."""
    n = 2048
    while 2 * n < 3 * n_keys and n < (1 << 18):
        n *= 2
    return n


@kernel
def count_keys(keys: Array) -> tuple[int, int, int, int]:
    """Return (distinct confidences, correct, incorrect, doubled_pairs) of sorted keys."""
    n = len(keys)
    one = keys.dtype.type(1)
    distinct = 1 if n else 0
    mixed = 0  # ties with items of both labels
    for i in range(1, n):
        differ = keys[i] ^ keys[i - 1]
        distinct += 1 if differ > one else 0
        mixed += 1 if differ == one else 0
    correct = 0
    positions = 0  # of the correct items: all items below, of which 0, 1, 2, … are correct
    for i in range(n):
        label = np.int64(keys[i] & one)
        correct += label
        positions += label * i
    doubled = 2 * positions - correct * (correct - 1)
    for i in range(1, n if mixed else 0):
        if keys[i] ^ keys[i - 1] == one:  # from the incorrect items of a tie to the correct ones
            first = i
            while first > 0 and keys[first - 1] == keys[i - 1]:
                first -= 1
            last = i
            while last < n and keys[last] == keys[i]:
                last += 1
            doubled -= (i - first) * (last - i)
    return distinct, correct, n - correct, doubled


@kernel
def sort_range(keys: Array, bounds: Array, first: int, last: int, spare: Array, counts: Array) -> None:
    """Sort the buckets from `first` up to `last`."""
    for b in range(first, last):
        sort_keys(keys[bounds[b] : bounds[b + 1]], spare, counts)


@kernel
def count_range(keys: Array, bounds: Array, first: int, last: int, results: Array) -> None:
    """Write `count_keys` of the sorted buckets from `first` up to `last` into `results`."""
    for b in range(first, last):
        row = results[b]
        row[0], row[1], row[2], row[3] = count_keys(keys[bounds[b] : bounds[b + 1]])


@kernel
def small_pairs(
    bits: Array, labels: Array, kind: int, exponent: Any
) -> tuple[bool, int, int, int, int]:
    """Return (not finite, union of labels, correct, incorrect, doubled_pairs) of a few items."""
    n = len(bits)
    keys = np.empty(n, bits.dtype)
    bad, seen, lower = encode_two_ended(bits, labels, kind, exponent, keys)
    spare = np.empty(n, bits.dtype)
    counts = np.empty(counts_needed(n), np.int32)
    correct = 0
    incorrect = 0
    doubled = 0
    for part in (keys[:lower], keys[lower:]):
        sort_keys(part, spare, counts)
        _, p, q, pairs = count_keys(part)
        doubled += pairs + 2 * p * incorrect
        correct += p
        incorrect += q
    return bad, seen, correct, incorrect, doubled


@kernel
def threshold_bits(value: Any, upper: bool, kind: int, sign: Any) -> Any:
    """Bits of the confidence of a key without its label: undoes `ordered`, and the lost top bit."""
    o = value | sign if upper else value
    if kind == UNSIGNED:
        return o
    if kind == FLOAT and not upper:
        return ~o
    return o ^ sign


@kernel
def write_sweep(
    keys: Array,
    upper: bool,
    kind: int,
    start: int,
    correct: int,
    incorrect: int,
    thresholds: Array,
    true_accepts: Array,
    false_accepts: Array,
) -> None:
    """Write the thresholds of sorted keys, highest first, from `start` on, and the counts at each.

    `upper` says whether the top bit that the keys lost was set; `correct` and `incorrect` are the
    counts above them. `thresholds` is written as bits of the values.
    """
    T = keys.dtype.type
    one = T(1)
    sign = one << T(8 * keys.itemsize - 1)
    j = start
    for r in range(len(keys)):
        i = len(keys) - 1 - r
        value = keys[i] >> one
        label = np.int64(keys[i] & one)
        correct += label
        incorrect += 1 - label
        thresholds[j] = threshold_bits(value, upper, kind, sign)
        true_accepts[j] = correct
        false_accepts[j] = incorrect
        if i > 0 and keys[i - 1] >> one != value:
            j += 1


@kernel
def small_sweep(
    bits: Array, labels: Array, kind: int, exponent: Any
) -> tuple[bool, int, Array, Array, Array]:
    """Return (not finite, union of labels, thresholds as bits, true_accepts, false_accepts)."""
    n = len(bits)
    keys = np.empty(n, bits.dtype)
    bad, seen, lower = encode_two_ended(bits, labels, kind, exponent, keys)
    spare = np.empty(n, bits.dtype)
    counts = np.empty(counts_needed(n), np.int32)
    sort_keys(keys[:lower], spare, counts)
    sort_keys(keys[lower:], spare, counts)
    below = count_keys(keys[:lower])
    above = count_keys(keys[lower:])
    size = 1 + below[0] + above[0]
    thresholds = np.zeros(size, bits.dtype)
    true_accepts = np.zeros(size, np.int64)
    false_accepts = np.zeros(size, np.int64)
    write_sweep(keys[lower:], True, kind, 1, 0, 0, thresholds, true_accepts, false_accepts)
    write_sweep(
        keys[:lower], False, kind, 1 + above[0], above[1], above[2],
        thresholds, true_accepts, false_accepts,
    )  # fmt: skip
    return bad, seen, thresholds, true_accepts, false_accepts


@kernel
def write_buckets(
    keys: Array,
    bounds: Array,
    first: int,
    last: int,
    below: int,
    kind: int,
    starts: Array,
    thresholds: Array,
    true_accepts: Array,
    false_accepts: Array,
) -> None:
    """`write_sweep` for the buckets from `first` up to `last`; those from `below` on are above zero.

    `starts` (n_buckets, 3): the thresholds, correct and incorrect items above each bucket.
    """
    for b in range(first, last):
        write_sweep(
            keys[bounds[b] : bounds[b + 1]],
            b >= below,
            kind,
            1 + starts[b, 0],
            starts[b, 1],
            starts[b, 2],
            thresholds,
            true_accepts,
            false_accepts,
        )
