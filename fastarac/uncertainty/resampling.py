"""Populations of a bootstrap: items, groups of items, or cells of identical items."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.checks import reject_beside_sweep
from fastarac._engine.counts import AcceptedCounts
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_items
from fastarac._engine.pairs import scale_of
from fastarac._kernels.codes import CORRECT, STARTS
from fastarac.samples.door import (
    as_ranked,
    as_sweep,
    refuse_partial,
    require_confidence,
    threshold_sweep,
)
from fastarac.uncertainty import poisson
from fastarac.uncertainty.influence import effective

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.sweep import ThresholdSweep

Array = NDArray[Any]

# How long each way of drawing takes, relative to drawing one item. These numbers are fixed rather than
# measured, so that resamples are the same on every machine.
CELL_COST = 64  # time to draw the count of a cell from a binomial distribution
LOOKUP_COST = 6  # time to look up one table entry, or to assemble one cell
SINGLE_COST = 12  # time to draw one of the items that are still missing after the lookups
STRATUM_SHIFT = 48  # the resamples of stratum s are numbered from s << STRATUM_SHIFT
LARGEST_BYTE = 255
WHOLE_PAIRS = 1 << 31  # maximum number of items for which twice the number of pairs fits int64
_ONE = np.array([1], np.int64)
_ONE_POINT_ZERO = np.array([1.0])
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Items with weights or groups, in order of decreasing confidence.

    In `codes`, bit 0 marks correct items, and bit 1 the first of several items with equal confidence.
    `weights` are scaled as in the population.
    """

    codes: NDArray[np.uint8]
    weights: NDArray[np.float64] | None
    groups: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The population of a bootstrap, in the layout of the kernels (see `_kernels.bootstrap`).

    A unit is an item, or a cell of identical items; `sizes` holds the number of items of each cell.
    `weights` holds the units' weights times `scale`; without weights, it holds a single 1, which is a
    float if numbers of pairs could overflow int64. `scale` is a power of two that brings the largest
    weight into [0.5, 1), so that products of weights stay in range. `n_drawn` is the number of items or
    groups in the population and in each resample. `strata` lists the units by stratum, and `bounds` the
    start of each stratum. `may_be_empty` means that a resample can be empty, because some groups have
    no items. With `left_out` = k, nothing is drawn: resample r lacks the groups with numbers r·k to r·k
    + k − 1. `tables` has one entry per stratum if counts of cells are looked up. `sweep` is the
    `ThresholdSweep` of all items or, for pair-based statistics, the `PointCounts` between runs of one
    class.
    """

    sweep: Any
    members: Members | None
    codes: NDArray[np.uint8]
    lanes: int
    weights: Array
    n_drawn: int
    strata: NDArray[np.int64]
    bounds: NDArray[np.int64]
    sizes: NDArray[np.int64] | None = None
    groups: Array | None = None
    scale: float = 1.0
    may_be_empty: bool = False
    left_out: int = 0
    tables: list[poisson.PoissonTables] = field(default_factory=list)

    @property
    def n_items(self) -> float:
        """Number of items; for weighted items, the effective number."""
        if self.members is None or self.members.weights is None:
            return float(self.sweep.total)
        return effective(self.members.weights)

    @property
    def sizes_of_groups(self) -> NDArray[np.float64]:
        """The weight of each group's items, scaled like `weights`."""
        weights = self.weights if len(self.weights) > 1 else None
        groups = np.asarray(self.groups)
        return np.bincount(groups, weights, minlength=self.n_drawn).astype(np.float64)

    @property
    def stratified(self) -> bool:
        """Whether all resamples have the same number of correct items."""
        return len(self.bounds) > 2

    @property
    def work(self) -> int:
        """The work for one resample, relative to drawing one item."""
        if self.sizes is None:
            return len(self.codes)
        if self.tables:
            return _table_cost(self.sizes)
        return CELL_COST * len(self.codes)

    @property
    def in_bytes(self) -> bool:
        """Whether each count fits into a byte, except in very rare resamples."""
        return self.sizes is None

    def draw(self, key: NDArray[np.uint64], first: int, counts: Array) -> Array:
        """Draw resamples, starting with number `first`, into the rows of `counts` (r, n_units).

        Return `counts`, or another array of a wider type if a count does not fit.
        """
        resampling = _kernels.bootstrap_draws
        if self.left_out:
            several = np.arange(first, first + len(counts))[:, None]
            counts[:] = np.asarray(self.groups) // self.left_out != several
            return counts
        with np.errstate(over="ignore"):  # random words wrap around on purpose
            for stratum, table in enumerate(self.tables):
                numbers = first + (stratum << STRATUM_SHIFT)
                resampling.draw_from_tables(key, numbers, tuple(table), counts)
            if self.tables:
                return counts
            if self.sizes is not None:
                resampling.draw_cells(key, first, self.sizes, self.strata, self.bounds, counts)
                return counts
            drawn = counts
            if self.groups is not None:
                drawn = np.empty((len(counts), self.n_drawn), counts.dtype)
            largest = LARGEST_BYTE if counts.dtype == np.uint8 else np.iinfo(counts.dtype).max
            limits = poisson_limits(self.n_drawn)
            units = self.codes, self.strata, self.bounds
            if not resampling.draw_units(key, first, limits, units, largest, drawn):
                return self.draw(key, first, np.empty(counts.shape, np.int64))
            if self.groups is not None:
                resampling.expand_groups(drawn, self.groups, counts)
        return counts


def poisson_limits(n: int) -> NDArray[np.uint32]:
    """Return 2**32 times the Poisson distribution function at 0 to 11.

    The mean is slightly below 1, so that n counts rarely sum to more than n.
    """
    mean = 1.0 - 1.0 / math.sqrt(n)
    mass, below, limits = math.exp(-mean), 0.0, []
    for k in range(_kernels.bootstrap_draws.N_LIMITS):
        below += mass
        mass *= mean / (k + 1)
        limits.append(min(round(below * 2.0**32), 2**32 - 1))
    return np.array(limits, np.uint32)


def population_of(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    *,
    stratified: bool,
    of_pairs: bool = False,
    single_items: bool = False,
    n_groups: int | None = None,
) -> Population:
    """Read the arguments of a bootstrap.

    `of_pairs` means that all statistics are pair-based. With `single_items`, identical items are never
    drawn as a cell, because the caller needs to know which items are missing. With `n_groups`, `groups`
    holds numbers below `n_groups`, and groups without items are drawn, too.
    """
    if stratified and groups is not None:
        raise ValueError(
            "stratified cannot go with groups: whole groups are drawn, so the numbers of correct "
            "and incorrect items cannot be fixed"
        )
    refuse_partial(correct)
    if isinstance(correct, AcceptedCounts):
        reject_beside_sweep(confidence, sample_weight)
        if groups is not None:
            raise TypeError(
                "groups needs single items, which a ThresholdSweep lacks: give (correct, confidence)"
            )
        if correct.true_accepts.dtype != np.int64:
            raise ValueError(
                "correct is a weighted ThresholdSweep, which does not hold the weight of each item: "
                "give (correct, confidence) with sample_weight"
            )
    if isinstance(correct, AcceptedCounts) or (sample_weight is None and groups is None):
        if of_pairs:
            counts: AcceptedCounts = as_ranked(correct, confidence, corners=True).runs
        else:
            counts = as_sweep(correct, confidence)
        return _of_counts(counts, stratified=stratified, single_items=single_items)
    confidence = require_confidence(confidence)
    sweep = threshold_sweep(correct, confidence, sample_weight=sample_weight)
    items = read_items(correct, confidence, sample_weight)
    labels, values, weights = items.correct.astype(np.bool_), items.confidence, items.weight
    codes = None
    if groups is not None:
        taker = "the bootstrap, which draws whole groups,"
        codes = read_outermost(groups, items.n, taker) if n_groups is None else np.asarray(groups)
    if weights is not None and not weights.all():
        present = weights > 0
        labels, values, weights = labels[present], values[present], weights[present]
        if codes is not None:
            codes = codes[present]
            if n_groups is None:
                codes = np.unique(codes, return_inverse=True)[1]
    scale = 1.0 if weights is None else scale_of(weights.max())
    members = _sorted(labels, values, None if weights is None else weights * scale, codes)
    if np.count_nonzero(members.codes & STARTS) != len(sweep.thresholds) - 1:
        raise ValueError("correct or confidence was changed while it was read")
    return _of_members(sweep, members, scale, stratified=stratified, n_groups=n_groups)


def _sorted(
    labels: Array, values: Array, weights: NDArray[np.float64] | None, groups: Array | None
) -> Members:
    """Return the items in an order that does not depend on the order given."""
    keys = [key for key in (groups, weights) if key is not None] if weights is not None else []
    order = np.lexsort((*keys, labels, values))[::-1]
    values = values[order]
    codes = labels[order].astype(np.uint8)
    codes[0] |= STARTS
    codes[1:] |= STARTS * (values[1:] != values[:-1]).astype(np.uint8)
    return Members(
        codes,
        None if weights is None else weights[order],
        None if groups is None else groups[order].astype(np.int32 if len(groups) < 2**31 else np.int64),
    )


def _of_members(
    sweep: ThresholdSweep,
    members: Members,
    scale: float,
    *,
    stratified: bool,
    n_groups: int | None = None,
) -> Population:
    codes = _interleaved(members.codes)
    groups = None if members.groups is None else _interleaved(members.groups)
    n_drawn = len(codes)
    largest = n_drawn
    may_be_empty = False
    if groups is not None:
        sizes = np.bincount(groups, minlength=n_groups or 0)
        may_be_empty = not sizes.all()
        n_drawn = len(sizes)
        largest = n_drawn * int(sizes.max())
    if members.weights is not None:
        weights: Array = _interleaved(members.weights)
        if len(weights) == 1:
            weights = weights.copy()
    else:
        weights = _ONE if largest < WHOLE_PAIRS else _ONE_POINT_ZERO
    strata, bounds = _strata(codes, stratified=stratified)
    if groups is not None:
        bounds = np.array([0, n_drawn], np.int64)
    return Population(
        sweep, members, codes, _kernels.bootstrap.LANES, weights, n_drawn, strata, bounds,
        groups=groups, scale=scale, may_be_empty=may_be_empty,
    )  # fmt: skip


def _of_counts(sweep: AcceptedCounts, *, stratified: bool, single_items: bool) -> Population:
    n = sweep.true_accepts[-1].item() + sweep.false_accepts[-1].item()
    least = min(2 * LOOKUP_COST, CELL_COST) * (len(sweep.true_accepts) - 1)
    if single_items and n >= WHOLE_PAIRS:
        raise ValueError(
            f"correct, drawn item by item, must hold fewer than {WHOLE_PAIRS:,} items, got {n:,}"
        )
    if not single_items and (least < n or n >= WHOLE_PAIRS):
        found = _of_cells(sweep, n, stratified=stratified)
        if found is not None:
            return found
    codes = np.empty(n + 1, np.uint8)
    _kernels.bootstrap.codes_of_counts(sweep.true_accepts, sweep.false_accepts, codes)
    codes = _interleaved(codes[:n])
    strata, bounds = _strata(codes, stratified=stratified)
    return Population(sweep, None, codes, _kernels.bootstrap.LANES, _ONE, n, strata, bounds)


def _of_cells(sweep: AcceptedCounts, n: int, *, stratified: bool) -> Population | None:
    """Return the population as cells of identical items, or None if single items are less work."""
    sizes = np.stack([np.diff(sweep.true_accepts), np.diff(sweep.false_accepts)], axis=1).ravel()
    used = sizes > 0
    n_cells = int(used.sum())
    by_tables = n < WHOLE_PAIRS and _table_cost(sizes[used]) < min(n, CELL_COST * n_cells)
    if not by_tables and CELL_COST * n_cells >= n and n < WHOLE_PAIRS:
        return None
    codes = np.tile(np.array([CORRECT, 0], np.uint8), len(sizes) // 2) | STARTS * _first_of_ties(used)
    codes, sizes = codes[used], sizes[used]
    strata, bounds = _strata(codes, stratified=stratified)
    if not stratified:
        strata = np.arange(n_cells)
    cells = [strata[a:b] for a, b in itertools.pairwise(bounds) if a < b] if by_tables else []
    return Population(
        sweep, None, codes, 1, _ONE if n < WHOLE_PAIRS else _ONE_POINT_ZERO, n, strata, bounds,
        sizes=sizes, tables=[poisson.tables_of(some, sizes[some]) for some in cells],
    )  # fmt: skip


def _table_cost(sizes: NDArray[np.int64]) -> int:
    """Return the cost of drawing the counts of cells from tables."""
    singles = 1 + int(poisson.DEVIATIONS * math.sqrt(float(sizes.sum())))
    return LOOKUP_COST * (poisson.lookups(sizes) + len(sizes)) + SINGLE_COST * singles


def _first_of_ties(used: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Mark, at each confidence, the cell of correct items, or the other cell if that one is empty."""
    first = np.empty(len(used), np.uint8)
    first[0::2] = used[0::2]
    first[1::2] = ~used[0::2]
    return first


def _strata(
    codes: NDArray[np.uint8], *, stratified: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the units by stratum (none for a single stratum), and the bounds of the strata."""
    if not stratified:
        return _NONE, np.array([0, len(codes)], np.int64)
    correct = (codes & CORRECT).astype(np.bool_)
    members = [np.flatnonzero(~correct), np.flatnonzero(correct)]
    return np.concatenate(members), np.cumsum([0, *map(len, members)])


def _interleaved(units: Array) -> Array:
    """Split the units into contiguous lanes, and return the lanes interleaved, as the kernels need."""
    n, lanes = len(units), _kernels.bootstrap.LANES
    rows, longer = divmod(n, lanes)
    out = np.empty_like(units)
    table = out[: rows * lanes].reshape(rows, lanes)
    start = 0
    for lane in range(lanes):
        table[:, lane] = units[start : start + rows]
        start += rows
        if lane < longer:
            out[rows * lanes + lane] = units[start]
            start += 1
    return out
