"""What is reported of partial truth is what items can have, and lies in its own interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastarac as fa
from fastarac.areas.arac import estimated_arac_area
from fastarac.operation import fit_policy

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SHARES = {
    *("recognition_rate", "arac_auc", "arac_auc_upper", "normalized_arac_auc", "arp_auc", "roc_auc"),
    *("pr_auc", "average_precision", "aurc", "augrc", "acceptance_rate", "error_rate", "risk"),
    *("correction_rate",),
}
RATES = (
    *("acceptance_rate", "error_rate", "risk", "precision", "recall", "false_positive_rate"),
    *("correction_rate", "accuracy_after_correction", "recognition_rate"),
)
COUNTS = ("true_accepts", "false_accepts", "false_rejects", "true_rejects")
COSTS = fa.VerificationCosts(1.0, 1.0, 5.0)


def design(seed):
    """A small sample: equal or aimed probabilities, pages drawn whole or not, a judge or none."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 61))
    levels = int(rng.integers(2, n + 2))
    confidence = rng.integers(0, levels, n) / levels
    right = rng.random(n) < rng.choice([0.3, 0.7, 0.9, 0.97])
    probability = np.full(n, rng.uniform(0.2, 0.9)) if seed % 2 else rng.uniform(0.1, 1.0, n)
    chosen = rng.random(n) < probability
    groups = None
    if seed % 3 == 0:
        groups = rng.integers(0, max(2, n // 4), n)
        of_pages = rng.uniform(0.3, 0.9, groups.max() + 1)
        probability = of_pages[groups]
        chosen = (rng.random(len(of_pages)) < of_pages)[groups]
    chosen[probability == 1.0] = True
    judge = np.clip(0.6 * right + 0.4 * rng.random(n), 0.0, 1.0) if seed % 5 < 3 else None
    thresholds = [*rng.choice(np.unique(confidence), 2), 2.0, -1.0]
    try:
        truth = fa.PartialTruth(
            np.where(chosen, right, np.nan),
            inclusion_probability=probability,
            judge=judge,
            groups=groups,
        )
    except ValueError:  # nothing is verified, or improbably much
        return None
    return truth, confidence, [float(t) for t in thresholds], rng.integers(0, 3, n)


DESIGNS = [given for given in map(design, range(40)) if given is not None]


def check_figures(figures):
    for key, value in figures.items():
        name = key.split("/")[0].removesuffix("_low").removesuffix("_high")
        if name in SHARES and value is not None and not math.isnan(value):
            assert 0.0 <= value <= 1.0, (key, value)
        figure, at, limit = key.partition("/")
        low, high = (figures.get(f"{figure}_{end}{at}{limit}") for end in ("low", "high"))
        if None not in (value, low, high) and not math.isnan(value):
            assert low <= value <= high, (key, low, value, high)


def check_point(point, n):
    assert all(getattr(point, name) >= 0.0 for name in COUNTS), point
    assert sum(getattr(point, name) for name in COUNTS) == pytest.approx(n)
    for name in RATES:
        rate = getattr(point, name)
        assert math.isnan(rate) or 0.0 <= rate <= 1.0, (name, rate)


def test_evaluations_and_points_hold_what_is_possible():
    assert len(DESIGNS) > 25
    for k, (truth, confidence, thresholds, _) in enumerate(DESIGNS):
        found = fa.evaluate(
            truth, confidence, threshold=thresholds, max_error_rate=(0.0, 0.1), max_risk=0.1,
            intervals=k % 4 == 0, costs=COSTS,
        )  # fmt: skip
        check_figures(found.to_dict())
        for at in found.limits:
            check_point(at.point, len(truth))
        sweep = fa.threshold_sweep(truth, confidence)
        criteria = [{"threshold": each} for each in thresholds]
        criteria += [{"max_error_rate": 0.1}, {"max_risk": 0.1}, {"min_acceptance_rate": 0.5}]
        for criterion in criteria:
            for given in ((truth, confidence), (sweep,)):
                check_point(fa.operating_point(*given, **criterion), len(truth))
        for name in RATES[:-1]:
            rates = getattr(sweep, name)
            assert (np.isnan(rates) | ((rates >= 0.0) & (rates <= 1.0))).all(), name


def test_groups_hold_what_is_possible():
    for truth, confidence, thresholds, by in DESIGNS[::6]:
        found = fa.evaluate_groups(
            truth, confidence, by=by, threshold=[thresholds[0], thresholds[0], 2.0], max_error_rate=0.1,
            max_risk=0.1, intervals=True,
        )  # fmt: skip
        columns = found.to_columns()
        for row in range(len(found.groups)):
            check_figures({k: float(v[row]) for k, v in columns.items() if v.dtype.kind in "if"})


def test_intervals_of_rates_hold_the_rate():
    for k, (truth, confidence, thresholds, _) in enumerate(DESIGNS):
        statistic = fa.Statistic(("error_rate", "risk", "precision")[k % 3], threshold=thresholds[0])
        found = fa.asymptotic_interval(truth, confidence, statistic=statistic)
        if not math.isnan(found.estimate):
            assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
    # no item is rejected, or accepted, whatever the truth
    for name, threshold in (("correction_rate", -1.0), ("error_rate", 2.0)):
        statistic = fa.Statistic(name, threshold=threshold)
        assert fa.asymptotic_interval(truth, confidence, statistic=statistic).estimate == 0.0


def test_costs_and_parts_of_curves_are_possible():
    for truth, confidence, *_ in DESIGNS:
        hull = fa.costs.arac_convex_hull(truth, confidence)
        assert (np.diff([*hull.accuracy_after_correction]) <= 1e-12).all()
        assert hull.accuracy_after_correction.max() <= 1.0
        cost = fa.costs.rejection_cost_curve(truth, confidence).cost
        assert ((cost >= 0.0) & (cost <= 1.0)).all()
        curve = fa.costs.accuracy_rejection_cost_curve(truth, confidence, costs=COSTS)
        assert (curve.normalized_cost >= 0.0).all()
        assert ((curve.accuracy >= 0.0) & (curve.accuracy <= 1.0)).all()
        area = fa.arac_partial_auc_score(truth, confidence, acceptance_range=(0.0, 0.2))
        assert 0.9 <= area <= 1.0
        table = fa.measures.confusion_measures(fa.threshold_sweep(truth, confidence))
        assert (np.nan_to_num(table.recall) <= 1.0).all()
        assert (np.nan_to_num(table.recall) >= 0.0).all()
        sweep = fa.threshold_sweep(truth, confidence)
        if 0.0 < sweep.recognition_rate < 1.0:
            part = fa.roc_partial_auc_score(sweep, fpr_range=(0.0, 0.3))
            assert 0.0 <= part <= 0.3


def test_counts_are_moved_as_little_as_possible():
    """Of the counts that items can have, no other is nearer to those that were estimated."""
    for truth, confidence, *_ in DESIGNS:
        sweep = fa.threshold_sweep(truth, confidence)
        n = len(truth)
        incorrect = min(max(sweep.n_incorrect, 0.0), n)
        for threshold, errors in zip(sweep.thresholds.tolist(), sweep.false_accepts, strict=True):
            accepted = int(np.sum(confidence >= threshold))
            least, most = max(0.0, accepted - (n - incorrect)), min(accepted, incorrect)
            nearest = min(max(float(errors), least), most)
            point = fa.operating_point(sweep, threshold=threshold)
            assert point.false_accepts == pytest.approx(nearest, abs=1e-9)
            assert point.true_rejects == pytest.approx(incorrect - nearest, abs=1e-9)


def test_the_upper_part_of_an_area_is_between_the_worst_and_the_best_order():
    """The area and the recognition rate are estimated apart, each with the least variance."""
    for auc, upper in ((0.89, 0.005), (0.92, 0.02), (0.999, 0.095)):
        area = estimated_arac_area(auc, 0.9, 0.9, 1.0)
        assert (area.auc, area.lower, area.normalized) == (auc, 0.9, 0.9)
        assert area.upper == pytest.approx(upper, abs=1e-12)


def test_checks_estimate_within_their_intervals():
    """Fields of which few answers are known, and a log with more audits than there were to be."""
    n = 4000
    right, confidence = np.ones(n), np.arange(n) % 100 / 100
    policy = fit_policy(right, confidence, by=np.arange(n) % 2, max_error_rate=0.1)
    for truth, confidence, *_ in DESIGNS[:4]:
        found = policy.check(truth, confidence, by=np.arange(len(truth)) % 2)
        assert 0.0 <= found.interval.low <= found.interval.estimate <= found.interval.high <= 1.0
        for field in found.fields:
            assert field.low <= field.rate <= field.high
    correct, audited = np.full(12, np.nan), [1, 2, 3, 5, 8]
    correct[audited] = 0.0
    log = policy.check(correct, np.ones(12), by=np.arange(12) % 2, audit_probability=0.2)
    for figure in (log.interval.estimate, *(field.rate for field in log.fields)):
        assert 0.0 <= figure <= 1.0
