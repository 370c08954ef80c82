"""Figures that other programs print for the same data, and how to get theirs from ours.

The constants were printed by pROC 1.18.0 and ROCR 1.0.11 in R for the table made here.
"""

from __future__ import annotations

import numpy as np
import pytest

import fastarac as fa

ITEM = np.arange(80)
POSITIVE = ITEM * 5 % 11 < 5
SCORE = (7 * ITEM * ITEM + 3 * ITEM) % 53 + 20 * POSITIVE
POSITIVE = POSITIVE ^ np.isin(ITEM, [2, 9, 16, 39, 40])

PROC = [  # focus, McClish's correction, range of that rate, area
    ("specificity", False, (1, 0.9), 0.050158730158730139),
    ("specificity", False, (0.8, 0.4), 0.3133333333333333),
    ("specificity", True, (1, 0.9), 0.73767752715121138),
    ("specificity", True, (0.8, 0.4), 0.81944444444444442),
    ("sensitivity", False, (1, 0.9), 0.037063492063492048),
    ("sensitivity", False, (0.8, 0.4), 0.33301587301587299),
    ("sensitivity", True, (1, 0.9), 0.66875522138680032),
    ("sensitivity", True, (0.8, 0.4), 0.86044973544973535),
]


@pytest.mark.parametrize(("focus", "corrected", "ends", "area"), PROC)
def test_partial_areas_of_proc(focus, corrected, ends, area):
    if focus == "specificity":
        where = {"fpr_range": (1 - ends[0], 1 - ends[1])}
    else:
        where = {"tpr_range": ends[::-1]}
    standardize = "mcclish" if corrected else None
    found = fa.roc_partial_auc_score(POSITIVE, SCORE, standardize=standardize, **where)
    assert found == pytest.approx(area, rel=1e-14)


def test_areas_of_rocr():
    assert fa.roc_auc_score(POSITIVE, SCORE) == pytest.approx(0.82, rel=1e-15)
    stopped = fa.roc_partial_auc_score(POSITIVE, SCORE, fpr_range=(0, 0.25))
    assert stopped == pytest.approx(0.14587301587301588, rel=1e-14)


def test_precision_recall_area_of_rocr():
    """ROCR keeps the fewest false positives at each count of true ones, and draws straight lines."""
    sweep = fa.threshold_sweep(POSITIVE, SCORE)
    recall, precision = sweep.recall, sweep.precision
    _, fewest = np.unique(sweep.true_accepts, return_index=True)
    area = np.trapezoid(precision[fewest], recall[fewest])
    assert area == pytest.approx(0.82889768779268813, rel=1e-14)
    # which is above the area of all points, and that above the exact one
    linear = fa.pr_auc_score(POSITIVE, SCORE, interpolation="linear")
    assert area > linear > fa.pr_auc_score(POSITIVE, SCORE)


def test_areas_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    precision, recall, _ = metrics.precision_recall_curve(POSITIVE, SCORE)
    linear = fa.pr_auc_score(POSITIVE, SCORE, interpolation="linear")
    assert linear == pytest.approx(metrics.auc(recall, precision), rel=1e-14)
    step = fa.pr_auc_score(POSITIVE, SCORE, interpolation="step")
    assert step == pytest.approx(metrics.average_precision_score(POSITIVE, SCORE), rel=1e-14)


def test_precision_recall_area_of_precrec():
    """The example of Saito and Rehmsmeier 2015 (PLOS ONE 10(3)), for which precrec prints its areas.

    precrec adds trapezoids between a thousand steps of recall on the same curve, which is what its
    last digit comes from.
    """
    score = [20, 19, 18, 17, 16, 15, 14, 14, 14, 14, 14, 14, 8, 7, 6, 5, 5, 5, 5, 5]
    label = [1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0]
    assert round(fa.roc_auc_score(label, score), 7) == 0.72
    exact = fa.pr_auc_score(label, score)
    assert exact == pytest.approx(0.7397716, abs=3e-7)
    sweep = fa.threshold_sweep(label, score)
    area = 0.0
    for k in range(1, len(sweep.thresholds)):
        (t0, t1), (f0, f1) = sweep.true_accepts[k - 1 : k + 1], sweep.false_accepts[k - 1 : k + 1]
        right = np.union1d(np.linspace(0, 10, 1001), [t0, t1])
        right = right[(right >= t0) & (right <= t1) & (t1 > t0)]
        wrong = f0 + (right - t0) * (f1 - f0) / max(t1 - t0, 1)
        precision = np.where(right + wrong > 0, right / np.maximum(right + wrong, 1e-300), 1.0)
        area += np.trapezoid(precision, right / 10)
    assert round(area, 7) == 0.7397716
