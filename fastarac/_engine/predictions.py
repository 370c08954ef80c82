"""Items sorted by falling confidence, and predictions of their errors from the verified items."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac._engine.buckets import over_buckets, partition_by, plan_buckets, sort_buckets
from fastarac._engine.inputs import NAMES, Items
from fastarac._kernels.codes import FLOAT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

# Number of folds of the verified items. The prediction for an item uses the other folds only.
FOLDS = 5
# Number of pseudo-items added to each calibration block; their error rate is the mean error rate.
PRIOR = 2.0
CELLS = 1 << 13  # Number of cells into which the judge's scores are divided to find their blocks.
SPREAD = 0.08  # prior standard deviation of the weights of identical judges, around their mean
ROUNDS = 100  # maximum number of rounds of the search for the weights of predictions


class Order(NamedTuple):
    """The items, sorted by falling confidence."""

    items: NDArray[np.intp]
    """The index of each item in the input, (n,)."""
    starts: NDArray[np.intp]
    """Where each tie begins, followed by n, (m + 1,)."""
    places: NDArray[np.intp]
    """The places of the verified items in this order, rising, (n_verified,)."""
    thresholds: NDArray[Any]
    """Infinity, then the distinct confidences, falling, (m + 1,)."""


def order_of(scores: NDArray[Any], known: NDArray[np.bool_]) -> Order:
    """Sort the items by falling confidence; `known` marks the verified ones."""
    # Sorting keys that contain item numbers is far faster than argsort.
    n = len(scores)
    kernels = _kernels.numbered
    items = Items(known, scores, None, NAMES)
    layout, plan = items.layout, plan_buckets(items)
    values = np.ascontiguousarray(scores, layout.values)
    bits = values.view(layout.bits)
    shift = max(64 - 8 * bits.itemsize, n.bit_length() + 1)

    def write(offset: int, part: Any, positions: NDArray[np.int64], keys: NDArray[Any]) -> None:
        kernels.scatter_numbered(part, layout.kind, tuple(plan), shift, offset, positions, keys)

    buckets = partition_by(items, plan, np.uint64, write)
    order, rows = np.empty(n, np.intp), np.empty((len(buckets.bounds) - 1, 2), np.int64)
    sort_buckets(buckets, kernels.order_buckets, rows, shift, bits, layout.kind, order)
    above = np.zeros_like(rows)
    np.cumsum(rows[:0:-1], axis=0, out=above[-2::-1])
    m, k = rows.sum(axis=0).tolist()
    starts, places = np.empty(m + 1, np.intp), np.empty(k, np.intp)
    starts[m] = n

    def write_ties(first: int, last: int) -> None:
        kernels.write_ties(buckets.keys, buckets.bounds, first, last, above, starts, places)

    over_buckets(len(rows), n, lambda: write_ties)
    thresholds = np.empty(m + 1)
    thresholds[0] = np.inf

    def fetch(share: tuple[int, int]) -> None:
        kernels.fetch_values(values, order, starts, *share, thresholds[1:])

    parallel.run(fetch, parallel.shares(m))
    if layout.kind != FLOAT and max(abs(int(values[order[0]])), abs(int(values[order[-1]]))) > 1 << 53:
        exact = values[order[starts[:m]]].tolist()  # keep integers that floats cannot represent
        thresholds = np.array([np.inf, *exact], object)
    return Order(order, starts, places, thresholds)


class Verified(NamedTuple):
    """The verified items, sorted by falling confidence; each array has the shape (n_verified,)."""

    tie: NDArray[np.intp]
    """The index of each item's threshold."""
    error: FloatArray
    """e: 1 for an error, 0 otherwise."""
    weight: FloatArray
    """The inverse 1/π of the probability of verification."""
    fold: NDArray[np.intp]
    """The fold of each item. The error of an item is predicted from the other folds."""

    def at(self, places: NDArray[np.intp]) -> Verified:
        """Return the items at these indices, in this order."""
        return Verified(self.tie[places], self.error[places], self.weight[places], self.fold[places])


def folds_of(
    error: FloatArray,
    weight: FloatArray,
    tie: NDArray[np.intp],
    judge: FloatArray | None,
    codes: NDArray[np.intp] | None,
) -> NDArray[np.intp]:
    """Return the fold of each verified item or group, drawn independently of the order of the input."""
    rng = np.random.default_rng(0)
    if codes is not None:
        own, number = np.unique(codes, return_inverse=True)
        return rng.permutation(len(own))[number] % FOLDS
    drawn = rng.permutation(len(tie)) % FOLDS
    if (tie[1:] > tie[:-1]).all():
        return drawn
    opinions = () if judge is None else judge.reshape(len(tie), -1).T
    fold = np.empty(len(tie), np.intp)
    fold[np.lexsort((error, *opinions, weight, tie))] = drawn
    return fold


def _blocks_of(ends: NDArray[np.intp], n: int) -> NDArray[np.int32]:
    """Return the block of each of n items, given the end of each block except the last."""
    sizes = np.diff(ends, prepend=0, append=n)
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


class _Rules(NamedTuple):
    """One rule per fold that maps a score to an error rate; unverified items get the rules' mean."""

    edges: FloatArray
    """The highest score of each block, rising, (k,)."""
    rates: FloatArray
    """The error rate of each block; row f is fitted without fold f, (FOLDS, k + 1)."""

    @property
    def mean(self) -> FloatArray:
        """The mean of the error rates over the folds, (k + 1,)."""
        rates: FloatArray = self.rates.mean(axis=0)
        return rates

    def of_verified(self, score: FloatArray, fold: NDArray[np.intp]) -> FloatArray:
        """Predict the errors of verified items with rising scores, each without its own fold."""
        ends = np.searchsorted(score, self.edges, side="right")  # fewer searches than scores in edges
        rates: FloatArray = self.rates[fold, _blocks_of(ends, len(score))]
        return rates


def _rules(score: FloatArray, items: Verified) -> _Rules:
    """Return isotonic regressions of the error on a rising score, each fitted without one fold."""
    mean = float(np.sum(items.weight * items.error)) / float(np.sum(items.weight))
    edges, rates, weights = (np.empty(FOLDS * (len(score) + 1)) for _ in range(3))
    ends = np.empty(FOLDS + 1, np.intp)
    _kernels.estimated.pool_folds(
        score, items.error, items.weight, items.fold, mean, PRIOR, edges, rates, weights, ends
    )
    union = np.unique(edges[: ends[-1]])
    table = np.empty((FOLDS, len(union) + 1))
    for k in range(FOLDS):
        own = slice(ends[k], ends[k + 1])
        block = np.minimum(np.searchsorted(edges[own], union), ends[k + 1] - ends[k] - 1)
        table[k, :-1] = rates[own][block]
    table[:, -1] = table[:, -2]
    return _Rules(union, table)


class Prediction(NamedTuple):
    """A prediction of each item's error."""

    blocks: NDArray[np.int32]
    """The block of each item, (n,)."""
    rates: FloatArray
    """The prediction of each block, for items that are not verified."""
    verified: FloatArray
    """The predictions of the verified items, each fitted without the item's fold."""

    def values(self, places: NDArray[np.intp]) -> FloatArray:
        """Return the predictions of all items; `places` are the indices of the verified items."""
        found: FloatArray = self.rates[self.blocks]
        found[places] = self.verified
        return found


def by_confidence(order: Order, items: Verified) -> Prediction:
    """Return errors predicted from the confidence; they never fall as the confidence falls."""
    score = items.tie.astype(np.float64)
    rules = _rules(score, items)
    ends = order.starts[rules.edges.astype(np.intp) + 1]  # an edge is the last tie of its block
    blocks = _blocks_of(ends, len(order.items))
    return Prediction(blocks, rules.mean, rules.of_verified(score, items.fold))


def by_judge(order: Order, items: Verified, judge: FloatArray) -> Prediction:
    """Return errors predicted from a judge's probability, in [0, 1], that an item is right."""
    own = judge[order.items[order.places]]
    rising = order_of(own, np.zeros(len(own), np.bool_)).items  # of −judge; faster than argsort
    score, sorted_items = -own[rising], items.at(rising)
    rules = _rules(score, sorted_items)
    verified = np.empty(len(own))
    verified[rising] = rules.of_verified(score, sorted_items.fold)
    cells = np.searchsorted(((1.0 + rules.edges) * CELLS).astype(np.intp), np.arange(CELLS + 1))
    table, (found, blocks) = cells.astype(np.int32), np.empty((2, len(judge)), np.int32)

    def find(share: tuple[int, int]) -> None:
        _kernels.estimated.blocks_by_score(judge, *share, rules.edges, table, found)

    def sort(share: tuple[int, int]) -> None:
        part = slice(*share)
        np.take(found, order.items[part], out=blocks[part], mode="clip")  # "raise" would copy `out`

    # Blocks take less memory than scores, so they are found first and sorted afterwards.
    for work in find, sort:
        parallel.run(work, parallel.shares(len(judge)))
    return Prediction(blocks, rules.mean, verified)


def best_weights(difference: FloatArray, residual: FloatArray) -> FloatArray:
    """Return the weights κ of further predictions that minimise the sum of squared residuals.

    The residuals are ``residual − κ @ difference``, with κ ≥ 0 and Σκ ≤ 1. A ridge penalty pulls the
    weights of two predictions together, the more strongly the more their differences correlate. A few
    errors cannot tell similar judges apart. Without the penalty, one judge could get all the weight by
    chance, and the standard error would be too small.
    """
    # Not by "@": BLAS would start threads, and the sums would depend on their number.
    products = np.array([[np.sum(one * other) for other in difference] for one in difference])
    slopes = np.array([np.sum(one * residual) for one in difference])
    weights = _descend(products, slopes)
    n, squares = len(products), np.diag(products)
    if n == 1 or not squares.any():
        return weights
    left = residual - np.einsum("j,ji->i", weights, difference)
    noise = float(np.sum((difference * left) ** 2)) / float(squares.sum())
    scale = np.sqrt(np.outer(squares, squares))
    alike = np.divide(products, scale, out=np.zeros((n, n)), where=scale > 0.0) ** 2
    penalty = noise / SPREAD**2 / n * (np.diag(alike.sum(axis=1)) - alike)
    return _descend(products + penalty, slopes)


def _descend(products: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return the κ that minimises κ @ products @ κ − 2·slopes @ κ over κ ≥ 0 with Σκ ≤ 1.

    The rest 1 − Σκ is treated as one more weight.
    """
    n = len(slopes)
    curved, linear = np.pad(products, (1, 0)), np.append(0.0, slopes)
    weights = np.append(1.0, np.zeros(n))
    for _ in range(ROUNDS):
        before = weights.copy()
        for i, j in combinations(range(n + 1), 2):
            curvature = curved[i, i] + curved[j, j] - 2.0 * curved[i, j]
            if not curvature > 0.0:
                continue
            gain = linear[j] - linear[i] - (curved[j] - curved[i]) @ weights
            moved = min(max(gain / curvature, -weights[j]), weights[i])
            weights[i] -= moved
            weights[j] += moved
        if np.abs(weights - before).max() < 1e-6:
            break
    return weights[1:]
