"""Search for the cheapest cuts of a cascade, with items counted by the cells of their confidences.

For each model, an item's cell is the number of cut points at or below its confidence, minus 1. If the
cut of a model is u, items whose cell is below u go on to the next stage. The table of a model has a row
for each combination of the earlier models' cuts. For each cell of the model, the row holds how many of
the items that reach the model are below the cell.

The search is depth first, one level per stage, and tries cuts from the lowest up. Deeper levels never
reduce the cost or the excess over the limits, so a branch that is no better than the best result is
abandoned. Among equally good cuts, the lowest ones are kept, with which the earlier stages decide most
items.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel

OPENS, TABLE, TOP = range(3)  # rows of `layout`, see `best_cuts`
BLOCK = 512  # Number of items whose cells are found together, so that the arrays stay in the cache.
CORRECT, WRONG, CORRECT_ERROR, WRONG_ERROR = range(4)  # rows of `weights`, see `best_cuts`


@kernel
def find_cells(values: Array, cuts: Array, cells: Array) -> None:
    """Write the cell of each value: the number of cut points at or below it, minus 1."""
    n = len(cuts)
    # Each bisection step is done for a whole block, so that the processor reads several values at once.
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
    """Count the wrong and the correct items of each combination of cells, in `counts` (2, k).

    `tops` (models,) holds the number of cells of each model. An item in cell c of a model is counted at
    c + 1, the lowest cut that sends the item on to the next stage.
    """
    models, n = cells.shape
    for i in range(n):
        place = np.int64(0)
        for m in range(models):
            place = place * (tops[m] + 1) + cells[m, i] + 1
        counts[correct[i], place] += weight[i]


@kernel
def mark_zones(values: Array, limits: Array, correct: Array, key: Array, kept: Array) -> None:
    """Append each value's zone and correctness to its item's key; set `kept` for items in odd zones.

    The zone of a value is the number of `limits` at or below the value.
    """
    n_limits = len(limits)
    for i in range(len(values)):
        zone = np.int64(0)
        for j in range(n_limits):
            zone += np.int64(values[i] >= limits[j])
        key[i] = (key[i] * (n_limits + 1) + zone) * 2 + correct[i]
        kept[i] |= zone & 1


@kernel
def sum_up(key: Array, kept: Array, number: Array, example: Array, taken: Array) -> int:
    """Write the indices of the kept items and return their number; count the other items by key.

    For each key, `number` receives the number of items with this key, and `example` the index of the
    first one.
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

    - `tables` (2, k) holds the tables of all models one after the other, for wrong and for correct
      items; the cut of the last model varies fastest.
    - The rows of `layout` (3, stages) are: 1 for a model, 0 for people (whose cut applies to the
      confidence of the previous model); where the model's table begins; its number of cells.
    - `weights` (4, stages, parts) holds the cost of deciding a correct item and a wrong item at each
      stage, then the errors added by a correct item and a wrong item.
    - `limit` (parts,) is the limit on errors.
    - `capacity` (stages,) is the number of items that may reach each stage.
    - `window` (2, stages − 1) holds the lowest and the highest cut to try for each stage but the last.

    Weights and limits are sums of parts, which are chosen so that sums over items, and therefore
    comparisons, are exact. `excess` is the total number of items beyond the limit and the capacities.
    The result has the least excess and, among cuts with this excess, the least cost.
    """
    stages, parts = weights.shape[1:]
    free = stages - 1
    cuts = np.zeros(stages, np.int64)
    found = np.full(stages, -1, np.int64)
    # For each stage, the row in the table of its model; it depends on the cuts of the earlier models.
    prefix = np.zeros(stages + 1, np.int64)
    cost = np.zeros((stages + 1, parts))
    errors = np.zeros((stages + 1, parts))
    beyond = np.zeros(stages + 1)  # items beyond the capacity, summed over the stages
    best_cost, best_excess = np.full(parts, np.inf), np.inf
    s = 0
    entering = True
    while s >= 0:
        last = s == free
        top = layout[TOP, s] if layout[OPENS, s] == 1 else cuts[s - 1]
        if entering:
            cuts[s] = 0 if last else window[0, s]
            if layout[OPENS, s] == 1 and s > 0:
                # The row depends also on the cut of the previous model.
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
        # The differences of the parts are added from the largest part down, so that the sign of the sum
        # is exact.
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
