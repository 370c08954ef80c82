"""Which stage of a cascade decides each item at given thresholds, and what that makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac.costs.stages import MODEL, SILENT, Stages


class StageCounts(NamedTuple):
    """What each stage does; numbers of items, which are expected numbers where people err."""

    reached: tuple[int, ...]
    decided: tuple[int, ...]
    missed: tuple[float, ...]
    """Wrong outputs that a stage leaves wrong."""
    corrected: tuple[float, ...]
    spoiled: tuple[float, ...]
    """Correct outputs that people change."""

    def errors(self) -> float:
        """How many items are wrong in the end; in the order of sums of one threshold's costs."""
        found: float = 0
        for missed, spoiled in zip(self.missed, self.spoiled, strict=True):
            found = found + missed + spoiled
        return found

    def changed(self) -> float:
        """How many items people change."""
        pairs = zip(self.corrected, self.spoiled, strict=True)
        return sum(corrected + spoiled for corrected, spoiled in pairs)


def decided_by(stages: Stages, thresholds: Sequence[float]) -> NDArray[np.int8]:
    """Number of the stage that decides each item, at thresholds (doubles) of all but the last."""
    last = stages.free
    found = np.full(stages.n_items, last, np.int8)
    for s in range(last - 1, -1, -1):
        values = stages.values[stages.model[s]]
        found[(values >= thresholds[s]) & (values > SILENT)] = s
    return found


def counts_of(stages: Stages, thresholds: Sequence[float]) -> StageCounts:
    """Count what each stage does at thresholds (doubles) of all but the last."""
    decided = decided_by(stages, thresholds)
    all_decided = np.bincount(decided, minlength=len(stages.stages)).tolist()
    reached, missed, corrected, spoiled = [], [], [], []
    left = stages.n_items
    for s, stage in enumerate(stages.stages):
        right = int(np.count_nonzero((decided == s) & (stages.correct[stages.model[s]] == 1)))
        wrong = all_decided[s] - right
        if stage.kind == MODEL:
            reached.append(left)
            missed.append(float(wrong))
            corrected.append(0.0)
            spoiled.append(0.0)
        else:
            people = stages.reviewer(s)
            reached.append(all_decided[s])
            missed.append((1.0 - people.detection_rate) * wrong)
            corrected.append(people.detection_rate * wrong)
            spoiled.append(people.false_alarm_rate * right)
        left -= all_decided[s]
    each = map(tuple, (reached, all_decided, missed, corrected, spoiled))
    return StageCounts(*each)
