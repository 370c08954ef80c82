"""The items that several engines have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from fastarac.ocr.items import AlignedOutputs

__all__ = ["SharedItems", "shared_items"]


@dataclass(frozen=True, slots=True, eq=False)
class SharedItems(Result):
    """The items that all engines have, in one order: those to compare the engines by.

    Attributes
    ----------
    models : mapping of str to (correct, confidence)
        Arrays of shape (n,) for each engine, as :func:`fastarac.compare_models` takes them.
    groups : ndarray of shape (n,), intp
        Index of each item's page.
    lacking : mapping of str to int
        How many of the items that any engine has are not among those of each.
    n_items : int
        How many items any engine has.
    """

    models: Mapping[str, tuple[NDArray[np.bool_], NDArray[np.float64]]]
    groups: NDArray[np.intp]
    lacking: Mapping[str, int]
    n_items: int


def shared_items(engines: Mapping[str, AlignedOutputs]) -> SharedItems:
    """Join the items of several engines by page and number of the true word.

    Parameters
    ----------
    engines : mapping of str to AlignedOutputs
        Aligned with the same truth, in the same unit.

    Returns
    -------
    SharedItems

    Raises
    ------
    ValueError
        If the pages are not the same, or no item is shared.

    Examples
    --------
    >>> from fastarac.ocr import align, load_sample, shared_items
    >>> sample = load_sample()
    >>> outputs = sample.outputs.items()
    >>> shared = shared_items({name: align(sample.truth, words) for name, words in outputs})
    >>> len(shared.groups) > 1000, sorted(shared.models)
    (True, ['enlarged', 'plain'])
    """
    every = list(engines.values())
    names = every[0].records.page_names
    if any(aligned.records.page_names != names for aligned in every):
        raise ValueError("engines are of different pages; those of the same pages are expected")
    keys = [
        np.stack([a.page, a.records.number[a.rows], a.records.inserted[a.rows]], axis=1) for a in every
    ]
    unique, codes, counts = np.unique(
        np.concatenate(keys), axis=0, return_inverse=True, return_counts=True
    )
    in_all = np.flatnonzero(counts == len(every))
    if not len(in_all):
        raise ValueError("engines have no item in common; some are expected")
    models, lacking = {}, {}
    ends = np.cumsum([0, *map(len, keys)])
    for (name, aligned), begin, end in zip(engines.items(), ends, ends[1:], strict=False):
        row = np.full(len(unique), -1)
        row[codes.reshape(-1)[begin:end]] = np.arange(end - begin)
        models[name] = aligned.correct[row[in_all]], aligned.confidence[row[in_all]]
        lacking[name] = len(unique) - len(aligned)
    return SharedItems(models, unique[in_all, 0], lacking, len(unique))
