"""Test whether confidences have shifted, before any truth is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.dtype_comparison import number_at_or_below
from fastarac._core.results import Result, Table
from fastarac._core.text import p_is, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Number of cells: ranges of confidences with about equal counts. A shift is measured at their edges.
CELLS = 64
DRAWS = 4999
# Maximum number of groups from the fit, and of new groups, in a permutation test. If there are more,
# they are sampled.
MOST_GROUPS = 500
# Number of permutations of groups: in all, and in each block.
GROUP_DRAWS, AT_ONCE = 1999, 250
# Maximum total count in a permutation test; larger counts are scaled down.
MOST_COUNTED = 10**8
PROBABILITIES = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reference(Result):
    """The distribution of confidences at the fit: counts in cells, and quantiles.

    Attributes
    ----------
    edges : tuple of float
        The lowest confidence of each cell, in increasing order; each edge is a value of the data.
    counts : ndarray of shape (n_cells,), int64
        The number of items in each cell.
    quantiles : tuple of float
        The quantiles at `PROBABILITIES`, from the lowest to the highest confidence; all are values of
        the data.
    groups : ndarray of shape (n_groups, n_cells), int64, or None
        Counts in the cells for each of up to 500 random groups, if items depend on each other.

    See Also
    --------
    fastarac.operation.Policy : which outputs are accepted, under one limit
    ConfidenceShift : whether confidences have shifted
    """

    edges: tuple[float, ...]
    counts: NDArray[np.int64]
    quantiles: tuple[float, ...]
    groups: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, confidence: NDArray[Any], groups: NDArray[Any] | None = None) -> Reference:
        """Count confidences (at least one) by cell and, with `groups`, by group."""
        rising = np.sort(confidence.astype(np.uint8) if confidence.dtype == bool else confidence)
        starts = np.unique(np.searchsorted(rising, rising[np.arange(CELLS) * len(rising) // CELLS]))
        counts = np.diff(np.append(starts, len(rising)))
        found = cls(tuple(rising[starts].tolist()), counts.astype(np.int64), quantiles_of(rising))
        if groups is None:
            return found
        by_group = found.counts_by_group(confidence, groups)
        return cls(found.edges, found.counts, found.quantiles, by_group)

    def counts_of(self, confidence: NDArray[Any]) -> NDArray[np.int64]:
        """Return how many of these confidences lie in each cell."""
        return np.bincount(self._cells_of(confidence), minlength=len(self.edges)).astype(np.int64)

    def counts_by_group(self, confidence: NDArray[Any], groups: NDArray[Any]) -> NDArray[np.int64]:
        """Count confidences by group and cell, in at most `MOST_GROUPS` random groups."""
        own, codes = np.unique(groups, return_inverse=True)
        chosen = np.arange(len(own))
        if len(own) > MOST_GROUPS:
            chosen = np.sort(np.random.default_rng(0).permutation(len(own))[:MOST_GROUPS])
        place = np.full(len(own), -1)
        place[chosen] = np.arange(len(chosen))
        row, width = place[codes], len(self.edges)
        there = row >= 0
        cells = row[there] * width + self._cells_of(confidence[there])
        return np.bincount(cells, minlength=len(chosen) * width).reshape(-1, width).astype(np.int64)

    def _cells_of(self, confidence: NDArray[Any]) -> NDArray[np.intp]:
        return np.maximum(number_at_or_below(confidence, self.edges) - 1, 0)


class Seen(NamedTuple):
    """New confidences of one field, as counts in the cells of its reference, and as quantiles.

    `groups` holds the counts of each group if whole groups are permuted.
    """

    field: Any
    counts: NDArray[np.int64]
    quantiles: tuple[float, ...]
    groups: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        field: Any,
        reference: Reference,
        confidence: NDArray[Any],
        codes: NDArray[Any] | None = None,
    ) -> Seen:
        """Count confidences (at least one) by cell and, with `codes`, by group."""
        groups = None if codes is None else reference.counts_by_group(confidence, codes)
        return cls(field, reference.counts_of(confidence), quantiles_of(np.sort(confidence)), groups)


def quantiles_of(rising: NDArray[Any], counts: NDArray[np.int64] | None = None) -> tuple[float, ...]:
    """Return quantiles of the sorted array `rising`, without interpolation.

    `counts` is the number of times that each value occurs, by default 1.
    """
    n = len(rising) if counts is None else int(counts.sum())
    places = np.array([max(0, math.ceil(p * n) - 1) for p in PROBABILITIES])
    if counts is not None:
        places = np.searchsorted(np.cumsum(counts), places, side="right")
    return tuple(rising[places].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceShift(Table, Result):
    """Whether confidences have shifted, and how.

    Attributes
    ----------
    shifted : bool
        Whether the p-value is at most the policy's failure probability.
    pvalue : float
        The p-value of the test over all fields.
    statistic : float
        The largest difference between the old and the new distribution function at the edges of cells,
        in [0, 1], for the field with the smallest p-value.
    field : str or int or None
        The field with the smallest p-value; None if the policy has no fields.
    probabilities : ndarray of shape (k,)
        The probabilities of the quantiles in `before` and `now`.
    before, now : ndarray of shape (k,)
        Quantiles of the confidences of `field` at the fit, and of the new confidences.

    See Also
    --------
    fastarac.operation.Policy : which outputs are accepted, under one limit
    fastarac.partial_truth.confidence_based_estimate : estimate the errors of outputs without truth

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(4000)
    >>> correct = rng.random(4000) < 0.9 + 0.1 * confidence
    >>> policy = fa.operation.fit_policy(correct, confidence, max_error_rate=0.03)
    >>> shift = policy.shift(rng.random(1000) ** 2)
    >>> shift.shifted, shift.pvalue < 0.01
    (True, True)
    """

    shifted: bool
    pvalue: float
    statistic: float
    field: Any
    probabilities: NDArray[np.float64]
    before: NDArray[np.float64]
    now: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"ConfidenceShift(shifted={self.shifted}, pvalue={self.pvalue:.3g})"

    def __str__(self) -> str:
        p = p_is(self.pvalue)
        if not self.shifted:
            return f"the confidences have not visibly moved since the fit ({p})"
        at = int(np.argmax(np.abs(self.now - self.before)))
        where = "" if self.field is None else f" of {self.field}"
        share, before, now = self.probabilities[at], self.before[at], self.now[at]
        name = {0.0: "least", 0.5: "median", 1.0: "largest"}.get(share)
        moved = f"the {name} was {before:.4g} and is {now:.4g}"
        if name is None:
            moved = f"{percent(share)} were at most {before:.4g} and are now at most {now:.4g}"
        return f"the confidences{where} have moved since the fit ({p}): {moved}"


def shift_of(
    references: Sequence[Reference], parts: Sequence[Seen | None], failure_probability: float
) -> ConfidenceShift:
    """Compare new confidences with the confidences of the fit, field by field.

    An entry of `parts` is None if the field has no new confidences. The statistic is that of Kolmogorov
    and Smirnov, evaluated at the edges of cells. Its null distribution comes from random permutations
    of all confidences, or of whole groups. So p-values are valid at any sample size, and with ties. The
    smallest p-value is multiplied by the number of fields (Bonferroni).
    """
    tested: list[tuple[float, float, int, Seen, Reference]] = []
    for reference, seen in zip(references, parts, strict=True):
        if seen is not None:
            if reference.groups is not None and seen.groups is not None:
                statistic, chance = permuted_groups(reference.groups, seen.groups)
            else:
                statistic, chance = _permuted(reference.counts, seen.counts)
            tested.append((chance, -statistic, len(tested), seen, reference))
    if not tested:
        raise ValueError("by must hold at least one of the policy's fields")
    chance, negative, _, seen, reference = min(tested, key=lambda found: found[:3])
    p = min(1.0, chance * len(tested))
    return ConfidenceShift(
        shifted=p <= failure_probability,
        pvalue=p,
        statistic=-negative,
        field=seen.field,
        probabilities=np.array(PROBABILITIES),
        before=np.array(reference.quantiles, np.float64),
        now=np.array(seen.quantiles, np.float64),
    )


def _permuted(before: NDArray[np.int64], now: NDArray[np.int64]) -> tuple[float, float]:
    """Return the largest difference between two distribution functions over cells, and its p-value.

    The sampler of numpy takes at most 10⁹ items, so larger counts are scaled down.
    """
    before, now = _at_most(before), _at_most(now)
    n_before, n_now = int(before.sum()), int(now.sum())
    pooled = before + now
    cumulated = np.cumsum(pooled)

    def distances(drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        of_new = np.cumsum(drawn, axis=-1)
        gaps = np.abs(of_new / n_now - (cumulated - of_new) / n_before)
        return np.asarray(gaps.max(axis=-1))

    found = float(distances(now))
    rng = np.random.default_rng(0)
    draws = rng.multivariate_hypergeometric(pooled, n_now, size=DRAWS, method="marginals")
    # Allow for rounding, so that distances equal to the observed one are counted.
    as_large = np.count_nonzero(distances(draws) >= found * (1.0 - 1e-12))
    return found, (1 + int(as_large)) / (1 + DRAWS)


def permuted_groups(before: NDArray[np.int64], now: NDArray[np.int64]) -> tuple[float, float]:
    """Do the same as `_permuted` with whole groups; counts have the shape (n_groups, n_cells)."""
    cumulated = np.cumsum(np.concatenate([now, before]), axis=1).astype(np.float64)
    whole, n_now = cumulated.sum(axis=0), len(now)

    def distances(of_new: NDArray[np.float64]) -> NDArray[np.float64]:
        others = whole - of_new
        gaps = np.abs(of_new / of_new[:, -1:] - others / others[:, -1:])
        return np.asarray(gaps.max(axis=1))

    found = float(distances(cumulated[:n_now].sum(axis=0)[None])[0])
    rng = np.random.default_rng(0)
    as_large = done = 0
    while done < GROUP_DRAWS:
        n = min(AT_ONCE, GROUP_DRAWS - done)
        order = rng.random((n, len(cumulated))).argsort(axis=1)
        chosen = (order < n_now).astype(np.float64)
        as_large += int(np.count_nonzero(distances(chosen @ cumulated) >= found * (1.0 - 1e-12)))
        done += n
    return found, (1 + as_large) / (1 + GROUP_DRAWS)


def _at_most(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Scale the counts down if their sum exceeds `MOST_COUNTED`."""
    n = int(counts.sum())
    return counts if n <= MOST_COUNTED else (counts * (MOST_COUNTED / n)).astype(np.int64)
