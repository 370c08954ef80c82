"""Parts of the items, such as languages, in which the order of two models is reversed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.text import few_of, listed, printable
from fastarac.uncertainty.adjustment import adjusted_pvalues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.io import Outputs

#: Minimum number of groups that a part needs for a test of the order of its models.
FEWEST = 10
#: If a model has no output for this share of a part's true words, the text says that it reads almost
#: nothing. If this share of its items is wrong, the text says that it reads almost nothing right.
ALMOST_ALL = 0.9
#: Attributes whose values need no name: a text says "in ru", but "where quality is photo".
NAMING = frozenset({"country", "lang", "language", "locale", "script"})
NAMED = 5


class ItemParts(NamedTuple):
    """A partition of one model's items.

    Attributes
    ----------
    name : str
        The attribute that differs between parts, such as "language".
    values : tuple of str
        The value of the attribute in each part.
    codes : ndarray of shape (n,), intp
        The index of each item's part, or -1 for none.
    missed : ndarray of shape (n_values,), float64
        The share of each part's true words or fields that have no output; NaN if there are none.
    """

    name: str
    values: tuple[str, ...]
    codes: NDArray[np.intp]
    missed: NDArray[np.float64]


class PartOrder(NamedTuple):
    """Comparison of the best model overall with another model in one part of the items.

    Attributes
    ----------
    split, value : str
    leader, other : str
    shares : tuple of float
        The compared statistic of `leader` (the best model overall) and of `other` in the part.
    n_units : int
        Number of groups in the part, or of items if there are no groups.
    adjusted_pvalue : float
        One-sided p-value of the hypothesis that the order is not reversed, with Holm's correction for
        all parts and pairs.
    reads : mapping of str to str
        Has an entry for each of the two models that reads almost nothing in the part. The value is
        "almost nothing" or "almost nothing right".
    """

    split: str
    value: str
    leader: str
    other: str
    shares: tuple[float, float]
    n_units: int
    adjusted_pvalue: float
    reads: Mapping[str, str]

    @property
    def by(self) -> float:
        """How much better `other` is; negative if `leader` is better."""
        return self.shares[1] - self.shares[0]

    def is_reversed(self, alpha: float) -> bool:
        """Return whether the order is significantly reversed at this level."""
        return self.adjusted_pvalue < alpha


def part_orders(
    models: Mapping[str, Outputs],
    splits: Mapping[str, Sequence[ItemParts]],
    order: Sequence[str],
    values: Callable[[Mapping[str, Outputs]], Sequence[float]],
    pvalue: Callable[[Mapping[str, Outputs], float], float],
    alpha: float,
) -> tuple[PartOrder, ...]:
    """Compare the best model with each other model in every part that has at least ten groups.

    Parameters
    ----------
    models : mapping of str to Outputs
    splits : mapping of str to sequence of ItemParts
        The partitions of each model's items.
    order : sequence of str
        The best model, followed by the models to compare with it.
    values : callable
        Returns the compared statistic of each model, given the items of a part.
    pvalue : callable
        Returns a one-sided p-value, which is small if the second model is better. Its arguments are the
        items of a part, and the smallest significance level with which the p-value may be compared.
    alpha : float
        The level of the tests.

    Returns
    -------
    tuple of PartOrder

    Notes
    -----
    In each part, a one-sided test checks whether the order is opposite to the overall order. The part's
    items are in the overall difference, too. So if the models are equally good in the part, both
    differences tend to have the same sign, and the test keeps its level.
    """
    leader, *others = order
    found: list[PartOrder] = []
    parts: list[dict[str, Outputs]] = []
    for other in others:
        for split, value, rows, silent in _parts(splits, leader, other):
            of_two = {name: models[name].take(rows[name]) for name in (leader, other)}
            n_units = _n_units(of_two.values())
            if n_units < FEWEST or not all(map(len, of_two.values())):
                continue
            first, second = values(of_two)
            shares = float(first), float(second)
            reads = {
                name: "almost nothing" if name in silent else "almost nothing right"
                for name, items in of_two.items()
                if name in silent or items.correct.mean() <= 1.0 - ALMOST_ALL
            }
            found.append(PartOrder(split, value, leader, other, shares, n_units, 1.0, reads))
            parts.append(of_two)
    pvalues = [1.0] * len(found)
    for k, (each, of_two) in enumerate(zip(found, parts, strict=True)):
        if each.by > 0.0:
            pvalues[k] = pvalue(of_two, alpha / len(found))
    adjusted = adjusted_pvalues(pvalues, "holm")
    return tuple(each._replace(adjusted_pvalue=own) for each, own in zip(found, adjusted, strict=True))


def _parts(
    splits: Mapping[str, Sequence[ItemParts]], first: str, second: str
) -> Iterator[tuple[str, str, dict[str, NDArray[np.intp]], tuple[str, ...]]]:
    """Yield the parts of both models: (split, value, rows by model, models with almost no output)."""
    of_second = {split.name: split for split in splits.get(second, ())}
    for split in splits.get(first, ()):
        other = of_second.get(split.name)
        for value in split.values:
            if other is None or value not in other.values:
                continue
            rows, silent = {}, []
            for name, own in ((first, split), (second, other)):
                code = own.values.index(value)
                rows[name] = np.flatnonzero(own.codes == code)
                silent += [name] * bool(own.missed[code] >= ALMOST_ALL)
            yield split.name, value, rows, tuple(silent)


def _n_units(of_two: Iterable[Outputs]) -> int:
    """Return the number of groups with items of either model; without groups, the number of items."""
    groups: set[str] = set()
    n_items = 0
    for outputs in of_two:
        n_items = max(n_items, len(outputs))
        if outputs.group is not None:
            groups.update(outputs.group.names[code] for code in np.unique(outputs.group.codes))
    return len(groups) or n_items


def _where(parts: Iterable[tuple[str, str]]) -> str:
    """Return parts, given as (split, value), in words: "in ru and uk", "where quality is photo"."""
    of_splits: dict[str, list[str]] = {}
    for split, value in dict.fromkeys(parts):
        of_splits.setdefault(split, []).append(printable(value))
    said = []
    for split, values in of_splits.items():
        names = listed(values) if len(values) <= NAMED else few_of(values, NAMED)
        if split.casefold() in NAMING:
            said.append(f"in {names}")
        elif split == "field":
            said.append(f"in the field{'s' * (len(values) > 1)} {names}")
        else:
            said.append(f"where {printable(split)} is {names}")
    return listed(said) if said else ""


def exception_of(orders: Sequence[PartOrder], alpha: float) -> str:
    """Return the parts with a reversed order, in words; empty if there are none."""
    return _where(_part(each) for each in orders if each.is_reversed(alpha))


def note_of(orders: Sequence[PartOrder], alpha: float, *, of_areas: bool = False) -> str:
    """Return sentences on the parts with a reversed order, and on models that read almost nothing.

    Differences are in percentage points of accepted shares or, with `of_areas`, of areas.
    """
    ahead: dict[tuple[str, str], PartOrder] = {}
    for each in orders:
        part = each.split, each.value
        if each.is_reversed(alpha) and (part not in ahead or each.by > ahead[part].by):
            ahead[part] = each
    said = []
    for other in dict.fromkeys(each.other for each in ahead.values()):
        own = [each for each in ahead.values() if each.other == other]
        ends = sorted(each.by for each in own)
        texts = [f"{end:.4f}" if of_areas else f"{100.0 * end:.1f}" for end in (ends[0], ends[-1])]
        by = " to ".join(dict.fromkeys(texts)) + " points" * (not of_areas)
        leads = f"{printable(other)} leads {_where(_part(each) for each in own)} (by {by})"
        it = "it"
        leader, of_leader = own[0].leader, {each.reads.get(own[0].leader) for each in own}
        if None not in of_leader:
            leads += f", where {printable(leader)} reads {min(filter(None, of_leader))}"
            it = printable(other)
        blind = [each for each in orders if each.other == other and other in each.reads]
        if blind:
            what = min(each.reads[other] for each in blind)
            leads += f"; {it} reads {what} {_where(_part(each) for each in blind)}"
        said.append(f"{leads}.")
    return " ".join(said)


def _part(order: PartOrder) -> tuple[str, str]:
    return order.split, order.value
