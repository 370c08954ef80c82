"""Scored samples, and their points in ROC space."""

from __future__ import annotations

from typing import Any

import numpy as np
import reference_hulls as ref
import strategies

import fastarac as fa

PLACE = np.arange(40)


SCORE = (PLACE * 37) % 23  # with ties


LABEL = ((PLACE * PLACE) % 7 < 3) == (SCORE > 9)


Y_TRUE = [1, 1, 0, 1, 0, 0]


A = (Y_TRUE, [0.9, 0.3, 0.5, 0.2, 0.4, 0.1])


B = (Y_TRUE, [0.7, 0.6, 0.8, 0.5, 0.4, 0.3])


def two_classes(sample: strategies.Sample) -> bool:
    weight = np.ones(len(sample.correct)) if sample.sample_weight is None else sample.sample_weight
    return bool(weight[sample.correct != 0].sum() and weight[sample.correct == 0].sum())


scored = strategies.exact_sums.filter(two_classes)


def sweep_of(sample: strategies.Sample) -> fa.ThresholdSweep:
    return fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)


def points_of(sample: strategies.Sample, name: Any = "m") -> list[ref.Point]:
    return ref.roc_points(*sample, name=name)
