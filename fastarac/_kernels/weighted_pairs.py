"""Pairs of many weighted items: distribute over buckets in one pass, sort only the smaller class.

An item is stored as its key (as in `keys`, but always of 64 bits) and its weight. Each bucket has two
streams, for incorrect and for correct items. A stream consists of pieces of memory, each with the keys
of `PIECE` items, then their weights. When its last piece is full, a stream takes the next free piece of
the store; this saves a counting pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._intrinsics import prefetch
from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.double_double import two_product, two_sum
from fastarac._kernels.keys import one_and_sign, ordered
from fastarac._kernels.smaller_class import first_from
from fastarac._kernels.sort import BLOCK, fill_buckets
from fastarac._kernels.weighted import sort_pairs, sort_pairs_in_cells, sum_bucket

PIECE = 256  # Number of items in a piece (a power of two), and number of independent partial sums.
LINE = 8  # Number of 64-bit numbers per cache line.
AHEAD = 8 * PIECE  # Distance from a new piece to the memory that is prefetched, in 64-bit numbers.
MORE_BITS = 2  # Logarithm (base 2) of the number of cells per item of the smaller class.
SCANNED = 8  # Maximum number of smaller-class items in a cell that are searched one by one.


@kernel
def fill_streams(
    part: Any,
    weights: Array,
    kind: int,
    exponent: Any,
    plan: Any,
    store: Array,
    stream_of: Array,
    positions: Array,
    free: int,
) -> tuple[bool, int, int, int]:
    """Write each item's key and weight into its stream; the first free piece of `store` is `free`.

    `positions` holds where the next item of each stream goes in the store; at a multiple of `PIECE`,
    the stream needs a new piece. The stream of each piece is written to `stream_of`. Return whether a
    float is not finite, the bitwise OR of the labels, the bits of the largest weight, and the next free
    piece.
    """
    values, bits, labels = part
    one, sign = one_and_sign(bits)
    weight_bits = weights.view(np.int64)
    bad = False
    seen = np.uint8(0)
    largest = np.int64(0)
    # Each item is copied once, because another thread may write to the arrays meanwhile.
    own = np.empty(BLOCK, bits.dtype)
    own_values = own.view(values.dtype)
    own_labels = np.empty(BLOCK, np.uint8)
    cells = np.empty(BLOCK, np.int32)
    streams = np.empty(BLOCK, np.uint16)
    for start in range(0, len(bits), BLOCK):
        some = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        weight = weight_bits[start : start + BLOCK]
        n = len(some)
        for i in range(n):
            b = some[i]
            own[i] = b
            bad |= (b & exponent) == exponent
        for i in range(n):
            seen |= label[i]
            own_labels[i] = label[i] & np.uint8(1)
        for i in range(n):
            largest = max(largest, weight[i])
        fill_buckets(own_values[:n], own[:n], kind, plan, cells, streams)
        for i in range(n):
            streams[i] = np.uint16(2) * streams[i] + own_labels[i]
        for i in range(n):
            stream = streams[i]
            p = positions[stream]
            if p & (PIECE - 1) == 0:
                stream_of[free] = stream
                p = np.int64(2 * PIECE) * free
                free += 1
                prefetch(store, p + AHEAD)
                prefetch(store, p + AHEAD + PIECE)
            positions[stream] = p + 1
            store[p] = (ordered(own[i], sign, kind) << one) | bits.dtype.type(own_labels[i])
            store[p + PIECE] = np.uint64(weight[i])
            prefetch(store, p + LINE)
            prefetch(store, p + LINE + PIECE)
    return bad and kind == FLOAT, np.int64(seen), largest, free


@kernel
def fill_last_pieces(store: Array, positions: Array) -> None:
    """Fill the rest of each stream's last piece with copies of its last item, of weight zero."""
    for stream in range(len(positions)):
        p = positions[stream]
        while p & (PIECE - 1):
            store[p] = store[p - 1]
            store[p + PIECE] = 0
            p += 1


@kernel
def copy_piece(store: Array, piece: int, flip: Any, keys: Array, weights: Array) -> None:
    """Copy the keys of a piece, with the bits of `flip` inverted, and the weights."""
    first = np.int64(2 * PIECE) * piece
    key = store[first : first + PIECE]
    weight = store.view(np.float64)[first + PIECE : first + 2 * PIECE]
    for i in range(PIECE):
        keys[i] = key[i] ^ flip
    for i in range(PIECE):
        weights[i] = weight[i]


@kernel
def prefetch_piece(store: Array, piece: int) -> None:
    """Prefetch a piece into the cache."""
    first = np.int64(2 * PIECE) * piece
    for line in range(0, 2 * PIECE, LINE):
        prefetch(store, first + line)


@kernel
def copy_weighted(store: Array, pieces: Array, flip: Any, keys: Array, weights: Array) -> int:
    """Copy the items of nonzero weight; return their number. The outputs are as long as the pieces."""
    n = 0
    for k in range(len(pieces)):
        if k + 2 < len(pieces):
            prefetch_piece(store, pieces[k + 2])
        key, weight = keys[n : n + PIECE], weights[n : n + PIECE]
        copy_piece(store, pieces[k], flip, key, weight)
        kept = 0
        for i in range(PIECE):
            kept += 1 if weight[i] != 0.0 else 0
        n += kept
        if kept < PIECE:
            kept = 0
            for i in range(PIECE):
                key[kept] = key[i]
                weight[kept] = weight[i]
                kept += 1 if weight[i] != 0.0 else 0
    return n


@kernel
def sort_buckets(streams: Any, first: int, last: int, buckets: Any, results: Array) -> None:
    """Copy, sort and sum the items of each bucket from `first` up to `last`.

    `streams` holds the store, the list of its pieces stream by stream, and where each stream begins in
    that list. `buckets` holds the keys and weights to be written, each bucket's bounds, and the scale.
    `results` receives the sums of `weighted.sum_bucket`.
    """
    store, pieces, bounds_of_pieces = streams
    keys, weights, bounds, scale = buckets
    for b in range(first, last):
        own = pieces[bounds_of_pieces[2 * b] : bounds_of_pieces[2 * b + 2]]
        start = PIECE * bounds_of_pieces[2 * b]
        end = start + copy_weighted(store, own, np.uint64(0), keys[start:], weights[start:])
        bounds[b, 0], bounds[b, 1] = start, end
        sort_pairs(keys[start:end], weights[start:end])
        sum_bucket(keys[start:end], weights[start:end], scale, results[b])


@kernel
def sum_around_few(
    store: Array, few_pieces: Array, other_pieces: Array, flip: Any, scale: float, result: Array
) -> None:
    """Sum over two classes and over their pairs, as double-doubles, sorting only the smaller class.

    The smaller class is "the few". The bits set in `flip` are inverted in each key; its lowest bit is
    then 0 for the few and 1 for the others. `result` (6,) receives, each as high and low: the weight of
    the few, the weight of the others, and the doubled pairs of the few with others above them.
    """
    few = np.empty(PIECE * len(few_pieces), np.uint64)
    few_weights = np.empty(len(few), np.float64)
    m = copy_weighted(store, few_pieces, flip, few, few_weights)
    few, few_weights = few[:m], few_weights[:m]
    low, shift, table = sort_pairs_in_cells(few, few_weights, MORE_BITS)
    high = few[m - 1] if m else low
    # Row i holds the double-double 2·(weight of the few before item i), and then the key of item i, so
    # that they share a cache line.
    below = np.empty((m + 1, 4))
    values = below.view(np.uint64)[:, 2]  # the keys of the few, column 2 of `below`
    total = lost = 0.0
    for i in range(m):
        below[i, 0], below[i, 1] = 2.0 * total, 2.0 * lost
        values[i] = few[i]
        total, error = two_sum(total, scale * few_weights[i])
        lost += error
    below[m, 0], below[m, 1] = 2.0 * total, 2.0 * lost
    values[m] = ~np.uint64(0)  # a sentinel; it differs from the keys of the few, which are even
    crowded = False
    for c in range(len(table) - 2):
        crowded |= table[c + 1] - table[c] > SCANNED
    value_of = np.empty(PIECE, np.uint64)
    weight_of = np.empty(PIECE, np.float64)
    cells = np.empty(PIECE, np.int32)
    unsettled = np.empty(PIECE, np.int32)
    factors = np.empty(2 * PIECE)
    sums = np.zeros(4 * PIECE)
    tie = np.uint64(1)  # matches no key of the few, because their keys are even
    tie_high = tie_low = 0.0
    flip ^= np.uint64(1)
    for piece in range(len(other_pieces)):
        copy_piece(store, other_pieces[piece], flip, value_of, weight_of)
        following = np.int64(2 * PIECE) * other_pieces[min(piece + 1, len(other_pieces) - 1)]
        for j in range(PIECE):
            cells[j] = np.int32((min(max(value_of[j], low), high) - low) >> shift)
        n_unsettled = PIECE if crowded else 0
        for j in range(n_unsettled):
            unsettled[j] = j
        for j in range(0 if crowded else PIECE):
            if 2 * j % LINE == 0:  # one at a time, because the processor can queue only few prefetches
                prefetch(store, following + 2 * j)
            i = np.int64(table[cells[j]])
            i += 1 if values[i] < value_of[j] else 0
            factors[j] = below[i, 0]
            factors[PIECE + j] = below[i, 1]
            unsettled[n_unsettled] = j
            n_unsettled += 1 if values[i] <= value_of[j] else 0
        # Search for the items that are tied with the few or share a cell with several of the few.
        for k in range(n_unsettled):
            j = np.int64(unsettled[k])
            value = value_of[j]
            i = np.int64(table[cells[j]])
            if crowded and values[i] < value:
                i = first_from(values, value, i, np.int64(table[cells[j] + 1]), False)
            while values[i] < value:
                i += 1
            if values[i] == value:
                if value != tie:
                    tie = value
                    end = first_from(values, value, i, m, True)
                    tie_high, tie_low = two_sum(0.5 * below[i, 0], 0.5 * below[end, 0])
                    tie_low += 0.5 * (below[i, 1] + below[end, 1])
                factors[j] = tie_high
                factors[PIECE + j] = tie_low
            else:
                factors[j] = below[i, 0]
                factors[PIECE + j] = below[i, 1]
        for j in range(PIECE):
            w = scale * weight_of[j]
            sums[j], error = two_sum(sums[j], w)
            sums[PIECE + j] += error
            product, error = two_product(factors[j], w)
            sums[2 * PIECE + j], more = two_sum(sums[2 * PIECE + j], product)
            sums[3 * PIECE + j] += error + more + factors[PIECE + j] * w
    result[0], result[1] = two_sum(total, lost)
    for k in (0, 2):
        total = lost = 0.0
        for j in range(PIECE):
            total, error = two_sum(total, sums[k * PIECE + j])
            lost += error + sums[(k + 1) * PIECE + j]
        result[2 + k], result[3 + k] = two_sum(total, lost)


@kernel
def sums_of_streams(
    store: Array, pieces: Array, bounds: Array, scale: float, first: int, last: int, results: Array
) -> None:
    """Write the sums of `weighted.sum_bucket` for the buckets from `first` up to `last` into `results`.

    Distinct confidences are not counted: their number is set to 0. `pieces` lists the pieces of each
    stream in turn.
    """
    sums = np.empty(6)
    for b in range(first, last):
        few = pieces[bounds[2 * b] : bounds[2 * b + 1]]
        others = pieces[bounds[2 * b + 1] : bounds[2 * b + 2]]
        swapped = len(few) > len(others)
        flip = np.uint64(0)
        if swapped:  # inverting the keys reverses the order and swaps the labels
            few, others = others, few
            flip = ~flip
        sum_around_few(store, few, others, flip, scale, sums)
        correct, incorrect = (0, 2) if swapped else (2, 0)
        row = results[b]
        row[0] = 0.0
        row[1], row[2] = sums[correct], sums[correct + 1]
        row[3], row[4] = sums[incorrect], sums[incorrect + 1]
        row[5], row[6] = sums[4], sums[5]
