"""Many evaluations in one call: each field, document, writer or language on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastarac._core.inputs import positive_scalar, read_groups, read_items
from fastarac._core.pairs import METRICS, values_of_pairs
from fastarac._core.sorting import count_pairs_of_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray


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
        As :func:`.threshold_sweep`; also for an unknown metric, and labels that are null, of another
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
            known = ", ".join(map(repr, METRICS))
            message = f"metrics has {name!r}; some of {known} are expected"
            raise ValueError(message)
    items = read_items(correct, confidence)
    labels, codes = read_groups(groups, items.n)
    counts = count_pairs_of_groups(items, codes, len(labels))
    return GroupEvaluation(labels, {name: values_of_pairs(name, counts, gamma) for name in names})
