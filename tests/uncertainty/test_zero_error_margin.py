"""Room for what was not seen: gamma intervals of groups and weights, and the ends of the others."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import reference as ref
import reference_losses
import strategies
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fastarac as fa
from fastarac._core.interval import Interval
from fastarac.uncertainty import inversion, zero_error_margin
from fastarac.uncertainty.influence import items_of

pytestmark = pytest.mark.interpreted


def quietly(*arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fa.asymptotic_interval(*arguments, **keywords)


def gamma_ends(y: float, v: float, w: float, level: float = 0.95) -> tuple[float, float]:
    """Equation 5 of Fay and Feuer 1997."""
    tail = (1 - level) / 2
    low = v / (2 * y) * stats.chi2.ppf(tail, 2 * y * y / v) if y else 0.0
    y, v = y + w, v + w * w
    return low, v / (2 * y) * stats.chi2.ppf(1 - tail, 2 * y * y / v)


LOSSES = {  # the loss, and what the worst error of weight 1 loses times the sum of weights
    "augrc": (ref.augrc, lambda _: 1),
    "aurc": (ref.aurc, lambda items: max(reference_losses.contributions(items, ref.aurc)) * len(items)),
}


@given(sample=strategies.unweighted, grouped=st.booleans(), unequal=st.booleans())
def test_gamma_of_groups_and_weights_is_that_of_the_reference(sample, grouped, unequal):
    sample = sample.take(slice(14))
    n = len(sample.correct)
    if grouped and n < 4:
        return  # a single group says nothing
    weight = np.arange(1, n + 1) % 4 + 0.5 if unequal else None
    groups = [k // 3 for k in range(n)] if grouped else None
    items = ref.to_items(sample.correct, sample.confidence, weight)
    for name, (loss, worst) in LOSSES.items():
        if unequal and name == "aurc":
            continue  # the worst error of an item depends on how weights lie among the others
        y, v, w = reference_losses.moments(items, loss, worst(items), groups)
        found = quietly(
            sample.correct, sample.confidence, statistic=name, method="gamma", groups=groups,
            sample_weight=weight,
        )  # fmt: skip
        low, high = gamma_ends(float(y), float(v), float(w))
        most = fa.Statistic(name).range[1]
        assert found.low == pytest.approx(min(low, float(y)), rel=1e-8, abs=1e-12)
        assert found.high == pytest.approx(min(high, most), rel=1e-8)


def test_gamma_of_groups_allows_for_an_average_group_wrong_throughout():
    """By hand: three groups of two, the two errors of the second at ranks 3 and 4 of 6."""
    correct, confidence, groups = [1, 1, 0, 0, 1, 1], [6, 5, 4, 3, 2, 1], [0, 0, 1, 1, 2, 2]
    lost = [(6 - k - 0.5) / 36 for k in range(6)]
    y = lost[2] + lost[3]
    w = max(1 / 6, y, sum(lost) / 3)
    assert w == y  # a group as bad as the one that was seen
    low, high = gamma_ends(y, y * y, w)
    found = quietly(correct, confidence, statistic="augrc", method="gamma", groups=groups)
    assert (found.low, found.high) == pytest.approx((low, min(high, 0.5)), rel=1e-9)
    perfect = quietly(np.ones(600), np.arange(600), statistic="augrc", groups=np.arange(600) // 10)
    # an average group loses 1/(2G), and no error of 60 groups was seen
    assert perfect.high == pytest.approx(-math.log(0.025) / 120, rel=1e-9)
    assert perfect.method == "gamma"


def test_gamma_of_weights_allows_for_an_error_of_the_heaviest():
    weight = np.where(np.arange(200) == 7, 5.0, 1.0)
    found = quietly(np.ones(200), np.arange(200), statistic="augrc", sample_weight=weight)
    assert found.high == pytest.approx(-math.log(0.025) * 5 / 204, rel=1e-9)
    assert quietly(
        np.ones(200), np.arange(200), statistic="augrc", sample_weight=1e9 * weight
    ).high == pytest.approx(found.high, rel=1e-12)


# --- Ends of the other methods ------------------------------------------------------------------


def items(n=600, groups=None, weight=None, seed=0):
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    of_items = items_of(rng.random(n) < 0.55 + 0.42 * confidence, confidence, weight)
    plain = groups is None and weight is None
    return inversion.ItemSample(of_items.sweep, None if plain else of_items, groups)


def test_how_many_may_be_unseen():
    z, poisson, auc = stats.norm.ppf(0.975), -math.log(0.025), fa.Statistic("roc_auc")
    groups = np.arange(600) // 20
    assert zero_error_margin.unseen_share(items(), auc, 0.95) == 0.0
    assert zero_error_margin.unseen_share(items(90), auc, 0.95) == pytest.approx(poisson / 90)
    assert zero_error_margin.unseen_share(items(90), auc, 0.8) == pytest.approx(-math.log(0.1) / 90)
    assert zero_error_margin.unseen_share(items(groups=groups), auc, 0.95) == pytest.approx(z / 60)
    heavy = np.where(np.arange(600) % 10 == 0, 100.0, 1.0)
    share = poisson * 100 / heavy.sum()
    assert zero_error_margin.unseen_share(items(weight=heavy), auc, 0.95) == pytest.approx(share)
    assert zero_error_margin.unseen_share(items(weight=heavy * 1e12), auc, 0.95) == pytest.approx(share)
    assert zero_error_margin.unseen_share(
        items(groups=groups, weight=heavy), auc, 0.95
    ) == pytest.approx(share)
    assert zero_error_margin.unseen_share(items(weight=np.ones(600)), auc, 0.95) == 0.0
    assert zero_error_margin.unseen_share(items(3), auc, 0.95) == 1.0


def test_ends_reach_as_far_as_the_statistic_of_the_turned_items():
    """Both distances in one, on the side to which the turned items move the statistic."""
    sample = items(90, groups=np.arange(90) // 3)
    for name in ("roc_auc", "excess_aurc", "recognition_rate"):
        options = {"optimum": "asymptotic"} if name == "excess_aurc" else {}
        statistic = fa.Statistic(name, **options)
        value = statistic(sample.sweep)
        found = Interval(value, value - 0.01, value + 0.01, 0.005, 0.95, "logit")
        share = zero_error_margin.unseen_share(sample, statistic, 0.95)
        right, wrong = (np.diff(of) for of in (sample.sweep.true_accepts, sample.sweep.false_accepts))
        at = sample.sweep.thresholds[1:]
        columns = np.ones(len(at)), np.zeros(len(at))
        moved = []
        for weights in (
            (right * (1 - share), wrong + right * share),
            (right + wrong * share, wrong * (1 - share)),
        ):
            sweep = fa.threshold_sweep(
                np.concatenate(columns), np.concatenate([at, at]), sample_weight=np.concatenate(weights)
            )
            moved.append(statistic(sweep) - value)
        wide = zero_error_margin.with_unseen(found, sample, statistic)
        down = max(0.0, *(-move for move in moved))
        up = max(0.0, *moved)
        assert wide.low == pytest.approx(value - math.hypot(0.01, down), rel=1e-9)
        assert wide.high == pytest.approx(min(1.0, value + math.hypot(0.01, up)), rel=1e-9)


@given(sample=strategies.items, grouped=st.booleans())
def test_intervals_stay_in_range_around_the_estimate(sample, grouped):
    correct, confidence, weight = sample
    groups = np.arange(len(correct)) // 3 if grouped else None
    for name in ("recognition_rate", "arac_auc", "roc_auc", "normalized_arac_auc", "arp_auc"):
        found = quietly(
            correct, confidence, statistic=name, method="auto", groups=groups, sample_weight=weight
        )
        if math.isnan(found.estimate):
            continue
        least, most = fa.Statistic(name).range
        assert least <= found.low <= found.estimate + 1e-12
        assert found.estimate - 1e-12 <= found.high <= most


def test_a_whole_document_that_was_not_seen_is_within():
    """60 documents of 20 items, of which one more, wrong throughout, would be nothing strange."""
    sample = items(1200, groups=np.arange(1200) // 20, seed=3)
    correct = np.zeros(20)
    for name in ("recognition_rate", "roc_auc", "arac_auc", "cost"):
        options = {"costs": fa.VerificationCosts(error=20.0, verification=1.0, correction=2.0)}
        statistic = fa.Statistic(name, **(options if name == "cost" else {}))
        rng = np.random.default_rng(3)
        confidence = rng.random(1200)
        right = rng.random(1200) < 0.55 + 0.42 * confidence
        found = quietly(right, confidence, statistic=statistic, groups=sample.codes)
        more = np.concatenate([right, correct]), np.concatenate([confidence, confidence[:20]])
        assert found.low <= statistic(fa.threshold_sweep(*more)) <= found.high


def test_few_effective_errors_of_unequal_weights_have_room_without_a_warning():
    correct = np.arange(400) % 20 > 0  # 20 errors
    confidence = np.random.default_rng(0).random(400)
    weight = np.ones(400)
    weight[20] = 100.0  # one of the errors: 119²/10,019 = 1.4
    part = fa.Statistic("roc_partial_auc", tpr_range=(0.9, 1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limit = fa.Statistic("acceptance_at_risk", max_risk=0.01)
        for statistic in ("roc_auc", "recognition_rate", limit, part):
            fa.asymptotic_interval(correct, confidence, statistic=statistic, sample_weight=weight)
        fa.asymptotic_interval(correct, confidence, statistic="roc_auc", sample_weight=3 * np.ones(400))
        found = fa.asymptotic_interval(correct, confidence, sample_weight=weight)
    assert found.method == "gamma"  # which allows for the heaviest
