"""Many evaluations in one call: each field, document, writer or language on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._inputs import positive_scalar, read_groups, read_items
from fastarac._sorting import count_pairs_of_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    Counts = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class GroupEvaluation:
    """Figures of every group: ``result["arac_auc"]`` is an array with a value a group.

    Attributes
    ----------
    groups : ndarray of shape (n_groups,)
        The labels, in rising order.
    values : dict of str to ndarray of shape (n_groups,)
        The metrics by name.
    """

    groups: NDArray[Any]
    values: dict[str, NDArray[Any]]

    def __getitem__(self, metric: str) -> NDArray[Any]:
        if metric not in self.values:
            message = f"no metric {metric!r}; there are {', '.join(self.values)}"
            raise KeyError(message)
        return self.values[metric]

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.groups)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table: ``group``, then each metric."""
        return {"group": self.groups, **self.values}


def _ratio(numerator: Counts, denominator: Counts) -> NDArray[np.float64]:
    """Quotients of integers, each rounded once; NaN for 0/0."""
    quotient = np.full(len(numerator), np.nan)
    some = denominator != 0
    a, b = numerator[some], denominator[some]
    # what a double holds is divided as doubles; beyond, Python's division rounds correctly as well
    quotient[some] = a.astype(np.float64) / b if _fits(a) and _fits(b) else a.astype(object) / b
    return quotient


def _fits(counts: Counts) -> bool:
    return not len(counts) or abs(int(counts.max())) <= 1 << 53


def _wide(pairs: Counts) -> Counts:
    """Python integers where a product of counts may leave int64."""
    largest = int((pairs[:, 0] + pairs[:, 1]).max())
    return pairs if largest < 1 << 30 else pairs.astype(object)


def _arac(p: Counts, q: Counts, d: Counts, _: float) -> NDArray[np.float64]:
    square = 2 * (p + q) ** 2
    return _ratio(square - 2 * p * q + d - q * q, square)


def _augrc(p: Counts, q: Counts, d: Counts, _: float) -> NDArray[np.float64]:
    return _ratio(2 * p * q - d + q * q, 2 * (p + q) ** 2)


def _normalized(p: Counts, q: Counts, d: Counts, gamma: float) -> NDArray[np.float64]:
    g, h = gamma.as_integer_ratio()
    if g + h > 4:
        p, q, d = (x.astype(object) for x in (p, q, d))
    value = _ratio(g * (q * q + d) + 2 * h * p * q, 2 * (p + q) * q * (g + h))
    value[(q == 0).astype(bool)] = 1.0
    return value


METRICS: dict[str, Callable[[Counts, Counts, Counts, float], NDArray[Any]]] = {
    "n": lambda p, q, _, __: (p + q).astype(np.int64),
    "n_correct": lambda p, _, __, ___: p.astype(np.int64),
    "recognition_rate": lambda p, q, _, __: _ratio(p, p + q),
    "arac_auc": _arac,
    "normalized_arac_auc": _normalized,
    "augrc": _augrc,
    "roc_auc": lambda p, q, d, _: _ratio(d, 2 * p * q),
}


def evaluate_groups(
    correct: ArrayLike,
    confidence: ArrayLike,
    groups: ArrayLike,
    *,
    metrics: Sequence[str] = ("n", "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc"),
    gamma: float = 1.0,
) -> GroupEvaluation:
    """Evaluate every group of items on its own, all in one pass.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each output was right: bool, or 0 and 1.
    confidence : array_like of shape (n,)
        Real and finite.
    groups : array_like of shape (n,)
        Label of the group of each item: integers, strings, or whatever can be compared; in any
        order, without nulls. Integers, and columns of pandas and pyarrow, are fastest.
    metrics : sequence of str, default=("n", "recognition_rate", "arac_auc", "normalized_arac_auc", \
"roc_auc")
        Out of these and "n_correct" and "augrc".
    gamma : float, default=1.0
        γ of the normalised ARAC-AUC, at least 0.

    Returns
    -------
    GroupEvaluation
        The labels in rising order, and an array of shape (n_groups,) for each metric, exact and
        rounded once. "roc_auc" is NaN for groups whose items are all correct or all incorrect.

    Raises
    ------
    ValueError, TypeError
        As :func:`threshold_sweep`; also for an unknown metric, and labels that are null, of another
        number than the items, or not comparable.

    Notes
    -----
    The items are spread over blocks of groups that fit the cache, and there over the groups. A group
    is sorted only where that is faster than to compare all of its pairs, so that small groups, and
    groups with few errors, hardly take longer than the spreading.

    Examples
    --------
    >>> import fastarac as fa
    >>> result = fa.evaluate_groups(
    ...     [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.9, 0.2], ["name", "date"] * 3
    ... )
    >>> result.groups
    array(['date', 'name'], dtype='<U4')
    >>> result["recognition_rate"]
    array([0.66666667, 0.33333333])
    """
    gamma = positive_scalar(gamma, "gamma")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if name not in METRICS:
            message = f"metrics has {name!r}; some of {', '.join(map(repr, METRICS))} are expected"
            raise ValueError(message)
    items = read_items(correct, confidence)
    labels, codes = read_groups(groups, items.n)
    p, q, d = _wide(count_pairs_of_groups(items, codes, len(labels))).T
    return GroupEvaluation(labels, {name: METRICS[name](p, q, d, gamma) for name in names})
