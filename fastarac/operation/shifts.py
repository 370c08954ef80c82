"""Whether confidences have moved, before any truth is known."""

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

CELLS = 64  # of about equal numbers, between which a shift is seen
DRAWS = 4999
MOST_GROUPS = 500  # of either side that are permuted; of more, so many are drawn
GROUP_DRAWS, AT_ONCE = 1999, 250  # permutations of groups
MOST_COUNTED = 10**8  # confidences, beyond which their counts are scaled down to so many
PROBABILITIES = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reference(Result):
    """Confidences as they were: how many were in each of a few cells, and their quantiles.

    Attributes
    ----------
    edges : tuple of float
        The least confidence of each cell, rising; each is one that occurred.
    counts : ndarray of shape (n_cells,), int64
        Items in each cell.
    quantiles : tuple of float
        Those of `PROBABILITIES`, from the least to the largest confidence; each is one that occurred.
    groups : ndarray of shape (n_groups, n_cells), int64, or None
        The same counts of each group, of up to 500 random ones, where items depend on each other.

    See Also
    --------
    fastarac.operation.Policy : which outputs are accepted, under one limit
    ConfidenceShift : whether confidences have moved
    """

    edges: tuple[float, ...]
    counts: NDArray[np.int64]
    quantiles: tuple[float, ...]
    groups: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, confidence: NDArray[Any], groups: NDArray[Any] | None = None) -> Reference:
        """Count confidences, of which there is at least one, and those of each group."""
        rising = np.sort(confidence.astype(np.uint8) if confidence.dtype == bool else confidence)
        starts = np.unique(np.searchsorted(rising, rising[np.arange(CELLS) * len(rising) // CELLS]))
        counts = np.diff(np.append(starts, len(rising)))
        found = cls(tuple(rising[starts].tolist()), counts.astype(np.int64), quantiles_of(rising))
        if groups is None:
            return found
        by_group = found.counts_by_group(confidence, groups)
        return cls(found.edges, found.counts, found.quantiles, by_group)

    def counts_of(self, confidence: NDArray[Any]) -> NDArray[np.int64]:
        """Return how many of other confidences are in each cell."""
        return np.bincount(self._cells_of(confidence), minlength=len(self.edges)).astype(np.int64)

    def counts_by_group(self, confidence: NDArray[Any], groups: NDArray[Any]) -> NDArray[np.int64]:
        """Return how many confidences each group has in each cell, of at most so many groups."""
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
    """New confidences of a field: its label, how many are in each cell of its reference, quantiles.

    `groups` has the counts of each group, where these are permuted.
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
        """Count confidences, of which there is at least one."""
        groups = None if codes is None else reference.counts_by_group(confidence, codes)
        return cls(field, reference.counts_of(confidence), quantiles_of(np.sort(confidence)), groups)


def quantiles_of(rising: NDArray[Any], counts: NDArray[np.int64] | None = None) -> tuple[float, ...]:
    """Quantiles that are values of the sample, of sorted values that occur once, or so many times."""
    n = len(rising) if counts is None else int(counts.sum())
    places = np.array([max(0, math.ceil(p * n) - 1) for p in PROBABILITIES])
    if counts is not None:
        places = np.searchsorted(np.cumsum(counts), places, side="right")
    return tuple(rising[places].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceShift(Table, Result):
    """Whether confidences have moved, and how.

    Attributes
    ----------
    shifted : bool
        Whether the p-value is at most the failure probability of the policy.
    pvalue : float
        Of the test over all fields.
    statistic : float
        The largest difference between the two distribution functions at the edges of the cells, in
        [0, 1], in the field with the least p-value.
    field : str or int or None
        That field; None where the policy has one threshold for all.
    probabilities : ndarray of shape (k,)
        Of the quantiles below.
    before, now : ndarray of shape (k,)
        Quantiles of the confidences of that field that the policy was fitted on, and of the new ones.

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
    """Compare new confidences with those before, field by field; None stands for a field without any.

    The statistic of Kolmogorov and Smirnov at the edges of cells, with its distribution given the
    pooled counts: which of these are new is random where nothing has moved. So ties cost nothing, and
    p-values are valid at any size. Over fields, the least p-value times their number (Bonferroni). With
    groups, which of all groups are the new ones is permuted.
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
    """The largest difference of two distributions over cells, and its p-value.

    Draws are from at most 10⁹, so that both are taken for `MOST_COUNTED` where they are more: what
    that changes is below what is seen.
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
    # sums in another order differ by rounding alone
    as_large = np.count_nonzero(distances(draws) >= found * (1.0 - 1e-12))
    return found, (1 + int(as_large)) / (1 + DRAWS)


def permuted_groups(before: NDArray[np.int64], now: NDArray[np.int64]) -> tuple[float, float]:
    """The same of counts by group, (n_groups, n_cells): whole groups change their side."""
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
    """Return counts, scaled down where there are more than `MOST_COUNTED`."""
    n = int(counts.sum())
    return counts if n <= MOST_COUNTED else (counts * (MOST_COUNTED / n)).astype(np.int64)
