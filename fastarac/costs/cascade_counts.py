"""Which stage decides each item at given thresholds, and counts of items by stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac.costs.stages import MODEL, SILENT, Stages


class StageCounts(NamedTuple):
    """Numbers of items, with one entry per stage; expected values if people make errors."""

    reached: tuple[int, ...]
    decided: tuple[int, ...]
    missed: tuple[float, ...]
    """Wrong outputs that the stage leaves wrong."""
    corrected: tuple[float, ...]
    spoiled: tuple[float, ...]
    """Correct outputs that people make wrong."""

    def errors(self) -> float:
        """Return the number of items that are wrong in the end."""
        found: float = 0
        for missed, spoiled in zip(self.missed, self.spoiled, strict=True):
            found = found + missed + spoiled
        return found

    def changed(self) -> float:
        """Return the number of items that people change."""
        pairs = zip(self.corrected, self.spoiled, strict=True)
        return sum(corrected + spoiled for corrected, spoiled in pairs)


def decided_by(stages: Stages, thresholds: Sequence[float]) -> NDArray[np.int8]:
    """Return the stage that decides each item; `thresholds` has no entry for the last stage."""
    last = stages.free
    found = np.full(stages.n_items, last, np.int8)
    for s in range(last - 1, -1, -1):
        values = stages.values[stages.model[s]]
        found[(values >= thresholds[s]) & (values > SILENT)] = s
    return found


def counts_of(stages: Stages, thresholds: Sequence[float]) -> StageCounts:
    """Count the items of each stage; `thresholds` has no entry for the last stage."""
    decided = decided_by(stages, thresholds)
    all_decided = np.bincount(decided, minlength=len(stages.stages)).tolist()
    reached, missed, corrected, spoiled = [], [], [], []
    left = stages.n_items
    for s, stage in enumerate(stages.stages):
        right = int(np.count_nonzero((decided == s) & (stages.correct[stages.model[s]] == 1)))
        wrong = all_decided[s] - right
        found, alarmed = stages.rates(s)
        reached.append(left if stage.kind == MODEL else all_decided[s])
        missed.append((1.0 - found) * wrong if stages.leaves_errors(s) else 0.0)
        corrected.append(found * wrong)
        spoiled.append(alarmed * right)
        left -= all_decided[s]
    each = map(tuple, (reached, all_decided, missed, corrected, spoiled))
    return StageCounts(*each)
