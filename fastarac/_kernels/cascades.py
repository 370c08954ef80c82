"""Cuts of a cascade: items in cells of several confidences, and the cheapest cuts between cells.

An item has one cell for each model, the number of cut points at or below its confidence less one. A
table of a model holds, for cuts of the models before it, how many items they all leave and lie below
each cell of this one: an item that a cut u leaves has a cell below u. So what a stage decides is a
difference of two entries, whatever the number of items.

Loops over cuts go from the lowest up, depth first, a stage below the other. What cuts cost so far, by
how much they exceed a limit, and how many items they leave never gets better further down: a branch
that is no better than the best one found is left. Of equally good cuts the first one stays, at which
the earlier stages decide most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel

OPENS, TABLE, TOP = range(3)  # rows of a layout
BLOCK = 512  # items whose cells are found together
CORRECT, WRONG, CORRECT_ERROR, WRONG_ERROR = range(4)  # rows of the weights


@kernel
def find_cells(values: Array, cuts: Array, cells: Array) -> None:
    """Write how many cut points after the first lie at or below each value.

    Items are searched in blocks, a step of the bisection for a whole block at a time: the processor
    then reads several values at once, and has no branches to predict.
    """
    n = len(cuts)
    low = np.zeros(BLOCK, np.int64)
    for start in range(0, len(values), BLOCK):
        size = min(BLOCK, len(values) - start)
        low[:] = 0
        left = n
        while left > 1:
            half = left >> 1
            for i in range(size):
                low[i] += half * np.int64(cuts[low[i] + half] <= values[start + i])
            left -= half
        for i in range(size):
            cells[start + i] = low[i]


@kernel
def count_cells(cells: Array, tops: Array, correct: Array, weight: Array, counts: Array) -> None:
    """Count items by their cells of all models: `counts` (2, k), of wrong and of correct ones.

    `tops` (models,): how many cells a model has. An item is counted at the least cuts above its cells,
    as many times as its weight says.
    """
    models, n = cells.shape
    for i in range(n):
        place = np.int64(0)
        for m in range(models):
            place = place * (tops[m] + 1) + cells[m, i] + 1
        counts[correct[i], place] += weight[i]


@kernel
def mark_zones(values: Array, limits: Array, correct: Array, key: Array, kept: Array) -> None:
    """Number the zones between limits, in the digits of a key, and keep the items in odd ones."""
    n_limits = len(limits)
    for i in range(len(values)):
        zone = np.int64(0)
        for j in range(n_limits):
            zone += np.int64(values[i] >= limits[j])
        key[i] = (key[i] * (n_limits + 1) + zone) * 2 + correct[i]
        kept[i] |= zone & 1


@kernel
def sum_up(key: Array, kept: Array, number: Array, example: Array, taken: Array) -> int:
    """Write which items are kept, and return how many; count the others by their keys.

    `number` and `example` (keys,) get how many items have a key, and the first of them.
    """
    n_taken = 0
    for i in range(len(key)):
        if kept[i]:
            taken[n_taken] = i
            n_taken += 1
        else:
            if number[key[i]] == 0:
                example[key[i]] = i
            number[key[i]] += 1
    return n_taken


@kernel
def best_cuts(
    tables: Array, layout: Array, weights: Array, capacity: Array, limit: Array, window: Array
) -> Any:
    """Return the cheapest cuts of all stages but the last: (cuts, cost, excess).

    `tables` (2, k): of all models, one behind the other, of wrong and of correct items, cuts of the
    last model being neighbours. `layout` (3, stages): whether a stage is a model, or people who go by
    the confidence of the model before; where the table of that model begins; how many cells it has.
    `weights` (4, stages, parts): what a correct and a wrong item cost that a stage decides, and how
    many errors they are then; `limit` (parts,): of errors. Each number is the sum of its parts, of
    which sums over items are exact, and so sums are compared exactly. `capacity` (stages,): items that
    may reach each. `window` (2, stages − 1): the least and the greatest cut tried. `excess` is by how
    many items limit and capacities are exceeded together: cuts of least excess are found, and of these
    the cheapest.
    """
    stages, parts = weights.shape[1:]
    free = stages - 1
    cuts = np.zeros(stages, np.int64)
    found = np.full(stages, -1, np.int64)
    prefix = np.zeros(stages + 1, np.int64)  # of the cuts of the models before a stage's
    cost = np.zeros((stages + 1, parts))
    errors = np.zeros((stages + 1, parts))
    beyond = np.zeros(stages + 1)  # of capacities
    best_cost, best_excess = np.full(parts, np.inf), np.inf
    s = 0
    entering = True
    while s >= 0:
        last = s == free
        top = layout[TOP, s] if layout[OPENS, s] == 1 else cuts[s - 1]
        if entering:
            cuts[s] = 0 if last else window[0, s]
            if layout[OPENS, s] == 1 and s > 0:
                # all that the model before leaves, below its last cut
                prefix[s] = prefix[s - 1] * (layout[TOP, s - 1] + 1) + cuts[s - 1]
            elif s > 0:
                prefix[s] = prefix[s - 1]
            entering = False
        else:
            cuts[s] += 1
        highest = 0 if last else min(window[1, s], layout[TOP, s])
        if cuts[s] > highest or cuts[s] > top:
            s -= 1
            continue
        at = layout[TABLE, s] + prefix[s] * (layout[TOP, s] + 1)
        wrong = tables[0, at + top] - tables[0, at + cuts[s]]
        correct = tables[1, at + top] - tables[1, at + cuts[s]]
        reached = correct + wrong
        if layout[OPENS, s] == 1 and not last:
            reached = tables[0, at + top] + tables[1, at + top]
        # the sum of differences, the largest first, has the sign of the difference
        dearer, above = 0.0, 0.0
        for k in range(parts):
            cost[s + 1, k] = (
                cost[s, k] + weights[CORRECT, s, k] * correct + weights[WRONG, s, k] * wrong
            )
            errors[s + 1, k] = (
                errors[s, k]
                + weights[CORRECT_ERROR, s, k] * correct
                + weights[WRONG_ERROR, s, k] * wrong
            )
            dearer += cost[s + 1, k] - best_cost[k]
            above += errors[s + 1, k] - limit[k]
        beyond[s + 1] = beyond[s] + max(0.0, np.float64(reached - capacity[s]))
        excess = beyond[s + 1] + max(0.0, above)
        if excess > best_excess or (excess == best_excess and dearer >= 0.0):
            continue
        if last:
            best_excess = excess
            best_cost[:] = cost[s + 1]
            found[:] = cuts
            continue
        s += 1
        entering = True
    return found, best_cost, best_excess
