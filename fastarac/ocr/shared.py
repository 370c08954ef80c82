"""The items that several engines have in common, and what speaks against their confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.results import Result
from fastarac._core.text import few_of, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from fastarac.ocr.items import AlignedOutputs

__all__ = ["SharedItems", "doubts", "shared_items", "ties"]

#: Share of equal confidences from which a tie is named.
LARGE_TIE = 0.2


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


def doubts(aligned: AlignedOutputs) -> list[str]:
    """Return what is to be known of the confidences, a sentence each, with counts."""
    records = aligned.records
    units = plural(aligned.reading.unit)
    found = ties(records.confidence[~np.isnan(records.confidence)])
    if aligned.n_without_confidence:
        found.append(
            f"{aligned.n_without_confidence:,} of {len(aligned):,} items have no confidence: they are "
            "never accepted."
        )
    without = [
        name
        for name, right, wrong, merged, split, inserted in zip(
            aligned.pages.name, *aligned.pages[3:8], strict=True
        )
        if not right + wrong + merged + split + inserted
    ]
    if without:
        found.append(_pages(without, "without any output"))
    hard = [name for name in aligned.hardly_aligned if name not in without]
    if hard:
        found.append(
            f"{_pages(hard, 'on which more than half of the characters differ')} Their truth may be of "
            "another page, or in another order; they are kept."
        )
    if records.n_unspaced:
        found.append(
            f"{records.n_unspaced:,} characters of scripts that are written without spaces are taken "
            f"one by one, as {units} of their own."
        )
    if records.n_emptied:
        found.append(
            f"{records.n_emptied:,} {units} of truth and output are left out: nothing of them is left "
            "when folded."
        )
    return found


def ties(known: NDArray[np.float64]) -> list[str]:
    """Return what is to be known of the values of confidences, a sentence each."""
    found = []
    values, counts = np.unique(known, return_counts=True)
    if len(values) == 1:
        found.append(
            f"All {len(known):,} confidences are {values[0]:g}: no threshold tells outputs apart."
        )
    elif counts.max() > LARGE_TIE * len(known):
        tie = values[counts.argmax()]
        found.append(
            f"{counts.max():,} of {len(known):,} confidences are {tie:g}: they are accepted together "
            "or not at all."
        )
    scale = 100 if values[-1] > 1 else 1
    if 1 < len(values) <= 101 and np.array_equal(100 / scale * values, np.rint(100 / scale * values)):
        found.append(
            f"Confidences are whole percents ({len(values)} different ones among {len(known):,}): ties "
            "make the thresholds coarse."
        )
    return found


def _pages(names: list[str], what: str) -> str:
    return f"{len(names)} {plural('page', len(names))} {what}: {few_of(names, 5)}."
