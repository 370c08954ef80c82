"""Figures that other programs print for the same data, and how to get theirs from ours.

The constants were printed by pROC 1.18.0 and ROCR 1.0.11 in R for the table made here, or stand in the
documentation of precrec and cutpointr.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Iterable

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


PRECREC_SCORE = [20, 19, 18, 17, 16, 15, 14, 14, 14, 14, 14, 14, 8, 7, 6, 5, 5, 5, 5, 5]
PRECREC_LABEL = [1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0]


def test_precision_recall_area_of_precrec():
    """The example of Saito and Rehmsmeier 2015 (PLOS ONE 10(3)), for which precrec prints its areas.

    precrec adds trapezoids between a thousand steps of recall on the same curve, which is what its
    last digit comes from.
    """
    assert round(fa.roc_auc_score(PRECREC_LABEL, PRECREC_SCORE), 7) == 0.72
    exact = fa.pr_auc_score(PRECREC_LABEL, PRECREC_SCORE)
    assert exact == pytest.approx(0.7397716, abs=3e-7)
    sweep = fa.threshold_sweep(PRECREC_LABEL, PRECREC_SCORE)
    area = 0.0
    for k in range(1, len(sweep.thresholds)):
        (t0, t1), (f0, f1) = sweep.true_accepts[k - 1 : k + 1], sweep.false_accepts[k - 1 : k + 1]
        right = np.union1d(np.linspace(0, 10, 1001), [t0, t1])
        right = right[(right >= t0) & (right <= t1) & (t1 > t0)]
        wrong = f0 + (right - t0) * (f1 - f0) / max(t1 - t0, 1)
        precision = np.where(right + wrong > 0, right / np.maximum(right + wrong, 1e-300), 1.0)
        area += np.trapezoid(precision, right / 10)
    assert round(area, 7) == 0.7397716


# `head(metric_table(…))` of precrec, at the scores from 20 to 16.
PRECREC = {
    "error_rate": "0.45 0.40 0.45 0.40 0.35",
    "accuracy": "0.55 0.60 0.55 0.60 0.65",
    "specificity": "1.0 1.0 0.9 0.9 0.9",
    "sensitivity": "0.1 0.2 0.2 0.3 0.4",
    "precision": "1.0000000 1.0000000 0.6666667 0.7500000 0.8000000",
    "matthews_correlation": "0.2294157 0.3333333 0.1400280 0.2500000 0.3464102",
    "f1": "0.1818182 0.3333333 0.3076923 0.4285714 0.5333333",
    "balanced_accuracy": "0.55 0.60 0.55 0.60 0.65",
    "negative_predictive_value": "0.5263158 0.5555556 0.5294118 0.5625000 0.6000000",
    "youden_index": "0.1 0.2 0.1 0.2 0.3",
    "markedness": "0.5263158 0.5555556 0.1960784 0.3125000 0.4000000",
    "kappa": "0.1 0.2 0.1 0.2 0.3",
    "jaccard": "0.1000000 0.2000000 0.1818182 0.2727273 0.3636364",
}


def digits(values: Iterable[float], text: str) -> list[str]:
    """The values with as many decimals as the numbers of a line that was printed."""
    return [
        f"{value:.{len(number.partition('.')[2])}f}"
        for value, number in zip(values, text.split(), strict=True)
    ]


@pytest.mark.parametrize("name", PRECREC)
def test_metric_table_of_precrec(name):
    sweep = fa.threshold_sweep(PRECREC_LABEL, PRECREC_SCORE)
    measures = fa.measures.confusion_measures(sweep)
    assert digits(measures.compute([name])[name][1:6], PRECREC[name]) == PRECREC[name].split()
    assert measures.best("f1")[:2] == (0.72, 6.0)


def test_partial_area_of_precrec():
    area = fa.roc_partial_auc_score(PRECREC_LABEL, PRECREC_SCORE, fpr_range=(0, 0.25))
    assert digits([area, area / 0.25], "0.1006250 0.4025000") == ["0.1006250", "0.4025000"]


# `auc_ci(auc_boot(…, boot_n = 1000))` of precrec: mean, standard error and ends.
PRECREC_BOOTSTRAP = {
    "roc_auc": (0.7225900, 0.1076912, 0.4900000, 0.9200000),
    "pr_auc": (0.7453352, 0.1078822, 0.5132078, 0.9298933),
}


@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
def test_bootstrap_of_precrec():
    """Its thousand resamples of both classes apart, within four of their own standard errors."""
    found = fa.bootstrap(
        PRECREC_LABEL, PRECREC_SCORE, statistic=list(PRECREC_BOOTSTRAP), stratified=True,
        n_resamples=4000 if COMPILED else 400, random_state=0,
    )  # fmt: skip
    share = 1 / 1000 + 1 / len(found["roc_auc"].distribution)
    for name, (mean, error, low, high) in PRECREC_BOOTSTRAP.items():
        ours = found[name]
        assert ours.distribution.mean() == pytest.approx(mean, abs=4 * error * math.sqrt(share))
        assert ours.standard_error == pytest.approx(error, rel=4 * math.sqrt(share / 2))
        # A quantile of 2.5% has a standard error of about 2.7 standard deviations over √n.
        room = 4 * 2.7 * error * math.sqrt(share)
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=room)


# The ROC curve that cutpointr's README prints for its data, from the score 11 down to 0.
TRUE_POSITIVES = [1, 2, 3, 4, 7, 16, 20, 28, 29, 32, 34, 36]
FALSE_POSITIVES = [0, 1, 1, 1, 1, 6, 16, 44, 56, 68, 120, 496]
CUTPOINTR = fa.ThresholdSweep(
    [math.inf, *range(11, -1, -1)], [0, *TRUE_POSITIVES], [0, *FALSE_POSITIVES]
)
CUTPOINTR_COLUMNS = {
    "kappa": "0.0506 0.0931 0.138 0.182 0.301 0.527 0.523 0.471 0.425 0.412 0.279 0",
    "f1": "0.0541 0.103 0.15 0.195 0.318 0.552 0.556 0.519 0.479 0.471 0.358 0.127",
}
# Each line of a README: TP, FP, FN and TN at a threshold, and what is printed of them.
CUTPOINTR_TABLES = [
    ((32, 68, 4, 428), {"youden_index": "0.751792", "accuracy": "0.864662", "sensitivity": "0.888889",
                        "specificity": "0.862903", "prevalence": "0.0676692"}),
    ((25, 43, 2, 322), {"youden_index": "0.808118", "accuracy": "0.885204", "sensitivity": "0.925926",
                        "specificity": "0.882192", "prevalence": "0.0688776", "precision": "0.367647",
                        "negative_predictive_value": "0.993827"}),
    ((7, 20, 2, 111), {"youden_index": "0.625106", "accuracy": "0.842857", "sensitivity": "0.777778",
                       "specificity": "0.847328", "prevalence": "0.0642857", "precision": "0.259259",
                       "negative_predictive_value": "0.982301"}),
]  # fmt: skip


@pytest.mark.parametrize("name", CUTPOINTR_COLUMNS)
def test_roc_table_of_cutpointr(name):
    text = CUTPOINTR_COLUMNS[name]
    values = fa.measures.confusion_measures(CUTPOINTR).compute([name])[name][1:]
    assert digits(values, text) == text.split()


@pytest.mark.parametrize(("cells", "expected"), CUTPOINTR_TABLES)
def test_confusion_tables_of_cutpointr(cells, expected):
    tp, fp, fn, tn = cells
    found = fa.measures.confusion_measures(tp=tp, fp=fp, fn=fn, tn=tn).compute(list(expected))
    assert {name: digits([found[name]], text) for name, text in expected.items()} == {
        name: [text] for name, text in expected.items()
    }


def test_cutpoints_of_cutpointr():
    """The best cutpoint, `use_midpoints`, and all within `tol_metric = 0.05`."""
    assert digits([fa.roc_auc_score(CUTPOINTR)], "0.9237791") == ["0.9237791"]
    chosen = fa.near_optimal_thresholds(CUTPOINTR, measure="youden_index", tolerance=0)
    assert (chosen.thresholds.tolist(), chosen.midpoints.tolist()) == ([2], [1.5])
    near = fa.near_optimal_thresholds(CUTPOINTR, measure="youden_index", tolerance=0.05)
    assert near.thresholds.tolist() == [2, 1]
    assert digits(near.values + 1, "1.75 1.70") == ["1.75", "1.70"]
    small = [0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 8, 11, 11, 12]
    found = fa.near_optimal_thresholds(*small, measure="youden_index", tolerance=0)
    assert (found.thresholds.tolist(), found.midpoints.tolist()) == ([8], [5.5])


def test_bootstrap_of_cutpointr():
    """The README's 50 resamples: their quantiles of the cutpoint, and means within four errors."""
    found = fa.bootstrap_threshold(
        CUTPOINTR, measure="youden_index", n_resamples=4000 if COMPILED else 100, random_state=0
    )
    thresholds = found.threshold.distribution
    shares = [0.05, 0.25, 0.5, 0.75, 0.95]
    assert np.quantile(thresholds, shares).tolist() == [1, 2, 2, 2, 4]
    for ours, mean, spread in (
        (thresholds, 2.1, 0.7071),
        (found.in_bag + 1, 1.7663, 0.0545),
        (found.out_of_bag + 1, 1.7029, 0.0821),
    ):
        assert np.mean(ours) == pytest.approx(mean, abs=4 * spread / math.sqrt(50))
        assert np.std(ours) == pytest.approx(spread, rel=4 / math.sqrt(2 * 50))
