"""Match the fields and list items of a truth and an output, with maximal total similarity.

SciPy finds the assignment with the largest sum (D. F. Crouse, "On implementing 2D rectangular
assignment algorithms", IEEE Transactions on Aerospace and Electronic Systems 52, 2016).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fastarac._core.extras import needed_by_ocr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastarac.ocr.fields.rows import FieldPath, Row

    Placed: TypeAlias = tuple[FieldPath, Row]
    Pair: TypeAlias = tuple[Placed | None, Placed | None]
    Similarity: TypeAlias = Callable[[Placed, Placed], float]

#: Maximum number of pairs (true item, item read) that are compared within one list.
LARGEST = 4_000_000


def pair_fields(
    truths: Sequence[Placed], outputs: Sequence[Placed], similarity: Similarity
) -> list[Pair]:
    """Pair the fields of a document: plain fields by name, items of lists by similarity.

    Parameters
    ----------
    truths, outputs : sequence of (FieldPath, Row)
        The true fields and the fields read.
    similarity : callable
        Similarity of a true field and a field read, from 0 (nothing in common) to 1 (right).

    Returns
    -------
    pairs : list of (truth or None, output or None)
        One pair for each true field, and one for each output without a true field. An item of a list is
        paired as a whole, with at most one item of the other side. As many items as possible are
        paired, with the largest possible sum of similarities over all fields.

    Raises
    ------
    ValueError
        If more than `LARGEST` pairs of items would have to be compared in one list.
    """
    return _paired(
        [(path, 0, row) for path, row in truths], [(p, 0, r) for p, r in outputs], similarity
    )[0]


# A field's path, how many of its enclosing lists are already paired, and its row.
Entry: TypeAlias = "tuple[FieldPath, int, Row]"


def _paired(
    truths: Sequence[Entry], outputs: Sequence[Entry], similarity: Similarity
) -> tuple[list[Pair], float]:
    """Return the pairs, and the sum of their similarities."""
    lists = sorted(
        {p.key[: p.items[n][0]] for p, n, _ in (*truths, *outputs) if len(p.items) > n}, key=len
    )
    true_lists, plain = _apart(truths, lists)
    read_lists, others = _apart(outputs, lists)
    read = {entry[0].key: entry for entry in others}
    pairs: list[Pair] = []
    total = 0.0
    for entry in plain:
        partner = read.pop(entry[0].key, None)
        pairs.append((_placed(entry), None if partner is None else _placed(partner)))
        if partner is not None:
            total += similarity(_placed(entry), _placed(partner))
    pairs += [(None, _placed(entry)) for entry in read.values()]
    for name in dict.fromkeys((*true_lists, *read_lists)):
        found, more = _assigned(
            list(true_lists.get(name, {}).values()), list(read_lists.get(name, {}).values()), similarity
        )
        pairs += found
        total += more
    return pairs, total


def _apart(
    entries: Sequence[Entry], lists: Sequence[str]
) -> tuple[dict[str, dict[int, list[Entry]]], list[Entry]]:
    """Return the items of each outermost list, and the fields that are not in a list."""
    items: dict[str, dict[int, list[Entry]]] = {}
    plain = []
    for path, done, row in entries:
        name = next((each for each in lists if path.is_below(each)), None)
        if name is None:
            plain.append((path, done, row))
            continue
        numbered = len(path.items) > done and path.items[done][0] == len(name)
        number = path.items[done][1] if numbered else 0
        item = items.setdefault(name, defaultdict(list))
        item[number].append((path, done + numbered, row))
    return items, plain


def _assigned(
    truths: list[list[Entry]], outputs: list[list[Entry]], similarity: Similarity
) -> tuple[list[Pair], float]:
    """Pair the items of one list; return the pairs of their fields and the sum of similarities."""
    if len(truths) * len(outputs) > LARGEST:
        raise ValueError(
            f"a list has {len(truths):,} true items and {len(outputs):,} items that were read, too "
            f"many pairs to compare: at most {LARGEST:,} are allowed"
        )
    chosen: list[tuple[int, int]] = []
    if truths and outputs:
        chosen = _assignment(_table(truths, outputs, similarity))
    pairs: list[Pair] = []
    total = 0.0
    for i, j in chosen:
        found, more = _paired(truths[i], outputs[j], similarity)
        pairs += found
        total += more
    of_truths, of_outputs = {i for i, _ in chosen}, {j for _, j in chosen}
    for i, item in enumerate(truths):
        pairs += [(_placed(entry), None) for entry in item if i not in of_truths]
    for j, item in enumerate(outputs):
        pairs += [(None, _placed(entry)) for entry in item if j not in of_outputs]
    return pairs, total


def _table(truths: list[list[Entry]], outputs: list[list[Entry]], similarity: Similarity) -> np.ndarray:
    """Return the sum of similarities for each true item (row) and each item read (column)."""
    by_key = [{p.key: (p, row) for p, _, row in item} for item in (*truths, *outputs)]
    entries = sum(map(len, truths)) + sum(map(len, outputs))
    nested = any(len(p.items) > n for item in (*truths, *outputs) for p, n, _ in item)
    if nested or sum(map(len, by_key)) < entries:  # an item contains a list, or has a name twice
        return np.array([[_paired(t, o, similarity)[1] for o in outputs] for t in truths])
    true, read = by_key[: len(truths)], by_key[len(truths) :]
    table = np.zeros((len(true), len(read)))
    for i, t in enumerate(true):
        for j, o in enumerate(read):
            for key in t:
                if key in o:
                    table[i, j] += similarity(t[key], o[key])
    return table


def _assignment(table: np.ndarray) -> list[tuple[int, int]]:
    if 1 in table.shape:  # for one row or column the maximum suffices, without SciPy
        best = int(np.argmax(table))
        return [(best // table.shape[1], best % table.shape[1])]
    with needed_by_ocr("matching repeated fields needs SciPy"):
        from scipy.optimize import linear_sum_assignment
    rows, columns = linear_sum_assignment(table, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _placed(entry: Entry) -> Placed:
    return entry[0], entry[2]
