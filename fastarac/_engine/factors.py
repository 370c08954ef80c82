"""Grouping factors of dependent items: one column of labels, or several, nested or crossed."""

from __future__ import annotations

from collections.abc import Sized
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._engine.inputs import read_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[Any]

MOST = 4  # Maximum number of crossed factors; a variance with m factors has 2^m − 1 terms.


def columns_of(groups: Any) -> tuple[Any, ...] | None:
    """Return the columns of labels if `groups` is a tuple of several; None for a single column."""
    if not isinstance(groups, tuple) or not groups:
        return None
    several = all(isinstance(each, Sized) and not isinstance(each, str | bytes) for each in groups)
    return groups if several else None


def read_factors(groups: Any, n: int, *, beside: str = "confidence") -> tuple[Codes, ...]:
    """Return each item's group number for each factor, the factor with the fewest groups first.

    A factor nested in another one (documents in batches) is left out: the outer factor already allows
    for the dependence inside the inner groups.
    """
    columns = columns_of(groups)
    if columns is None:
        return (read_groups(groups, n, beside=beside)[1],)
    read = [
        read_groups(column, n, f"groups[{k}]", beside=beside)[1] for k, column in enumerate(columns)
    ]
    return tuple(read[k] for k in outermost(read))


def outermost(columns: Sequence[Codes]) -> list[int]:
    """Return the indices of the columns not nested in another column, by rising number of groups."""
    order = sorted(range(len(columns)), key=lambda k: n_groups(columns[k]))
    kept: list[int] = []
    for k in order:
        finer = n_groups(columns[k])
        if all(n_groups(intersection([columns[k], columns[other]])) > finer for other in kept):
            kept.append(k)
    if len(kept) > MOST:
        raise ValueError(f"groups must have at most {MOST} crossed columns, got {len(kept)}")
    return kept


def read_outermost(groups: Any, n: int, taker: str, *, beside: str = "confidence") -> Codes:
    """Return each item's group number; if columns are nested, only the outermost one is used.

    Raise ValueError for crossed columns, which `taker` does not support.
    """
    first, *others = read_factors(groups, n, beside=beside)
    if others:
        raise ValueError(crossed_in(taker))
    return first


def crossed_in(taker: str) -> str:
    """Return the message that `taker` does not support crossed columns."""
    return (
        f"groups has columns that are crossed (none is nested in another); {taker} takes one column, "
        "or nested columns such as (batch, document)"
    )


def n_groups(codes: Codes) -> int:
    """Return the number of distinct codes."""
    return int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0


def codes_of_terms(factors: Sequence[Codes]) -> list[Codes]:
    """Return the group numbers of all items for each of `terms`: groups agree in all its factors."""
    return [intersection([factors[k] for k in chosen]) for _, chosen in terms(len(factors))]


def intersection(columns: Iterable[Codes]) -> Codes:
    """Return numbers for the combinations of groups: equal for items that agree in all columns."""
    found: Codes | None = None
    for codes in columns:
        if found is None:
            found = codes
            continue
        pairs = found.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes
        found = np.unique(pairs, return_inverse=True)[1]
    return np.zeros(0, np.intp) if found is None else found


def terms(n_factors: int) -> list[tuple[float, tuple[int, ...]]]:
    """Return sign and factors of each term in the variance of Cameron, Gelbach and Miller 2011."""
    return [
        (1.0 if size % 2 else -1.0, chosen)
        for size in range(1, n_factors + 1)
        for chosen in combinations(range(n_factors), size)
    ]
