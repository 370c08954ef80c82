"""Comparisons by shared groups: page by page, beside pairs of items, resamples and adjusted levels."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from bench.simulations import paired_groups
from fastarac.uncertainty import replicates
from fastarac.uncertainty.adjustment import adjusted_levels, adjusted_pvalues

pytestmark = pytest.mark.interpreted

STATISTICS = ["recognition_rate", "arac_auc", "aurc", "roc_auc"]
PRICES = fa.VerificationCosts(error=20.0, verification=1.0, correction=2.0)


def engines(seed: int, pages: int = 25, k: int = 2, size: int = 12):
    """Engines that find other numbers of words on the same pages; and the page of each word."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(1.0, 0.7, pages)
    models, labels = {}, {}
    for engine in range(k):
        page = np.repeat(np.arange(pages), rng.integers(size // 2, size, pages))
        margin = ease[page] + rng.normal(size=len(page)) - 0.2 * engine
        name = f"engine {engine}"
        models[name] = (margin > 0, np.abs(margin) + 0.3 * rng.random(len(page)))
        labels[name] = page
    return models, labels


def added_by_pages(models, labels, statistic, a, b):
    """D_g, page by page, from the influence values; of the ROC-AUC, where it is the same for both."""
    pages = sorted(set(labels[a]) | set(labels[b]))
    if statistic == "roc_auc":
        return added_to_roc_auc(models, labels, a, b, pages)
    values = {name: fa.influence_values(*models[name], statistic=statistic) for name in (a, b)}
    found = []
    for page in pages:
        added = 0.0
        for name, sign in ((a, 1.0), (b, -1.0)):
            own = [v for v, of in zip(values[name], labels[name], strict=True) if of == page]
            added += sign * math.fsum(own) / len(values[name])
        found.append(added)
    return np.array(found)


def added_to_roc_auc(models, labels, a, b, pages):
    """By the formula of the Notes, from pairs of items; the incorrect items are the fewer ones."""
    added, areas, wrong, words = {}, {}, {}, {}
    for name in (a, b):
        right, confidence = models[name]
        above = confidence[right][:, None] > confidence[~right]
        ahead = above + 0.5 * (confidence[right][:, None] == confidence[~right])
        areas[name] = ahead.mean()
        on = [labels[name] == page for page in pages]
        wrong[name] = np.array([np.sum(here & ~right) for here in on])
        words[name] = np.array([np.sum(here) for here in on])
        of_right = [np.sum(ahead.mean(axis=1)[here[right]] - areas[name]) for here in on]
        of_wrong = [np.sum(ahead.mean(axis=0)[here[~right]] - areas[name]) for here in on]
        added[name] = np.array(of_wrong) / np.sum(~right), np.array(of_right) / np.sum(right)
    n_a, n_b = wrong[a].sum(), wrong[b].sum()
    assert n_a + n_b < (words[a].sum() + words[b].sum()) / 2
    shares = (wrong[a] / n_a + wrong[b] / n_b) / 2
    shares -= (words[a] / words[a].sum() + words[b] / words[b].sum()) / 2
    return (
        math.sqrt((n_a + n_b) / (2 * n_b)) * added[a][0]
        - math.sqrt((n_a + n_b) / (2 * n_a)) * added[b][0]
        + (added[a][1] - added[b][1])
        + (areas[a] - areas[b]) * shares
    )


@pytest.mark.parametrize("statistic", STATISTICS)
def test_errors_are_what_the_pages_add(statistic):
    models, labels = engines(1, k=3)
    found = fa.compare_models(models, statistic=statistic, groups=labels, paired="groups")
    assert (found.n, found.n_items) == (25, tuple(len(labels[name]) for name in models))
    for name, interval in zip(found.names, found.intervals, strict=True):
        alone = fa.asymptotic_interval(*models[name], statistic=statistic, groups=labels[name])
        assert interval == alone
    for pair in found.pairs:
        added = added_by_pages(models, labels, statistic, pair.a, pair.b)
        error = math.sqrt(25 / 24 * np.sum(added**2))
        assert pair.standard_error == pytest.approx(error, rel=1e-10)
        of = found.estimates[found.names.index(pair.a)] - found.estimates[found.names.index(pair.b)]
        assert pair.difference == of


@pytest.mark.parametrize("statistic", [*STATISTICS, None])
def test_of_the_same_items_it_is_the_test_by_items_with_groups(statistic):
    models, labels = engines(2)
    n = min(map(len, labels.values()))
    models = {name: tuple(column[:n] for column in model) for name, model in models.items()}
    shared = np.arange(n) // 9
    compared = {"statistic": statistic} if statistic else {"costs": PRICES}
    labels = dict.fromkeys(models, shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        by_items = fa.compare_models(models, groups=shared, **compared)
        by_groups = fa.compare_models(models, groups=labels, paired="groups", **compared)
    a, b = by_items.pairs[0], by_groups.pairs[0]
    assert (a.difference, a.pvalue) == pytest.approx((b.difference, b.pvalue), rel=1e-10)
    assert a.standard_error == pytest.approx(b.standard_error, rel=1e-10)


def test_names_of_pages_order_of_items_and_scale_of_weights_do_not_matter():
    models, labels = engines(3)
    weights = {name: np.random.default_rng(5).uniform(1, 3, len(of)) for name, of in labels.items()}
    options = {"paired": "groups", "statistic": "arac_auc"}
    pair = fa.compare_models(models, groups=labels, sample_weight=weights, **options).pairs[0]
    order = {name: np.random.default_rng(6).permutation(len(of)) for name, of in labels.items()}
    other = fa.compare_models(
        {name: tuple(column[order[name]] for column in model) for name, model in models.items()},
        groups={name: [f"page {k}" for k in of[order[name]]] for name, of in labels.items()},
        sample_weight={name: 7.0 * of[order[name]] for name, of in weights.items()},
        **options,
    ).pairs[0]
    found = [(p.difference, p.standard_error, p.pvalue) for p in (pair, other)]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.parametrize("statistic", ["arac_auc", "aurc"])
def test_resampled_pages_agree(statistic):
    models, labels = engines(4, pages=40)
    labels["engine 1"] = np.where(labels["engine 1"] == 3, 41, labels["engine 1"])
    options = {"statistic": statistic, "groups": labels, "paired": "groups"}
    resamples = 2000 if COMPILED else 60
    drawn = fa.compare_models(
        models, method="bootstrap", n_resamples=resamples, random_state=0, **options
    )
    asymptotic = fa.compare_models(models, **options)
    assert drawn.estimates == asymptotic.estimates
    assert drawn.n == asymptotic.n == 41
    a, b = drawn.pairs[0], asymptotic.pairs[0]
    assert a.standard_error == pytest.approx(b.standard_error, rel=0.08 if COMPILED else 0.5)
    alone = fa.bootstrap(
        *models["engine 0"], statistic=statistic, groups=labels["engine 0"], n_resamples=resamples,
        random_state=0,
    )  # fmt: skip
    assert alone.standard_error == pytest.approx(
        drawn.intervals[0].standard_error, rel=0.1 if COMPILED else 0.5
    )


@pytest.mark.parametrize("statistic", ["arac_auc", "aurc", "recognition_rate"])
def test_an_engine_that_reads_few_pages(statistic):
    """It adds nothing on the others, and resamples that have none of its pages are left out."""
    models, labels = engines(5, pages=24)
    some = labels["engine 1"] < 2
    models["engine 1"] = tuple(column[some] for column in models["engine 1"])
    labels["engine 1"] = labels["engine 1"][some]
    options = {"statistic": statistic, "groups": labels, "paired": "groups"}
    with pytest.warns(fa.UnreliableIntervalWarning, match="'engine 1': there are 2 groups"):
        found = fa.compare_models(models, **options)
    added = added_by_pages(models, labels, statistic, "engine 0", "engine 1")
    assert found.n == len(added) == 24
    error = math.sqrt(24 / 23 * np.sum(added**2))
    assert found.pairs[0].standard_error == pytest.approx(error, rel=1e-10)
    with pytest.warns(fa.UnreliableIntervalWarning, match=r"undefined in \d+ of 200 resamples"):
        drawn = fa.compare_models(
            models, method="bootstrap", n_resamples=200, random_state=1, **options
        )
    left = len(drawn.pairs[0].interval.distribution)
    assert left / 200 == pytest.approx(1 - (22 / 24) ** 24, abs=0.08)


def test_bad_input_is_refused():
    models, labels = engines(6)
    one = labels["engine 0"]

    def compare(**options):
        return fa.compare_models(models, **{"groups": labels, "paired": "groups", **options})

    with pytest.raises(ValueError, match="', got 'pages'"):
        compare(paired="pages")
    with pytest.raises(TypeError, match="an array of its items with paired='groups', got"):
        compare(groups=None)
    with pytest.raises(TypeError, match="array of its items with paired='groups', got a"):
        compare(groups=one)
    with pytest.raises(ValueError, match="must have an array for each model, got none for"):
        compare(groups={"engine 0": one})
    with pytest.raises(ValueError, match="groups has an array for 'engine 2', which is not a model"):
        compare(groups={**labels, "engine 2": one})
    with pytest.raises(ValueError, match=r"groups\['engine 1'\] and confidence must have the"):
        compare(groups={**labels, "engine 1": [1, 2]})
    with pytest.raises(ValueError, match=r"no label in common \(0, '0', …\)"):
        compare(groups={**labels, "engine 1": [str(k) for k in labels["engine 1"]]})
    with pytest.raises(TypeError, match="to an array of its items with paired='groups',"):
        compare(sample_weight=[1.0])
    with pytest.raises(ValueError, match=r"sample_weight\['engine 0'\]\[0\] must be"):
        compare(sample_weight={name: -np.ones(len(of)) for name, of in labels.items()})
    with pytest.raises(ValueError, match=r"model 'engine 0' must be \(correct, confidence\):"):
        fa.compare_models(
            {**models, "engine 0": (*models["engine 0"], one)}, groups=labels, paired="groups"
        )
    with pytest.raises(TypeError, match="must be one array for all models with paired="):
        compare(paired="items")
    with pytest.raises(ValueError, match="use paired='groups' to compare them by groups"):
        compare(paired="items", groups=None)


# --- Degrees of freedom ------------------------------------------------------------------------


def shares_of_pages(labels):
    """The mean of both engines' shares of their words, of each page; 0 where neither has any."""
    pages = sorted(set().union(*(set(of) for of in labels.values())))
    return [sum(list(of).count(g) / len(of) for of in labels.values()) / len(labels) for g in pages]


@pytest.mark.parametrize("statistic", ["recognition_rate", "aurc", "roc_auc"])
def test_degrees_are_those_of_pages_of_one_size(statistic):
    models, labels = engines(8)
    pair = fa.compare_models(models, statistic=statistic, groups=labels, paired="groups").pairs[0]
    degrees = 1 / sum(share**2 for share in shares_of_pages(labels)) - 1
    assert 20 < degrees < 24
    if statistic == "roc_auc":
        added = added_by_pages(models, labels, statistic, *models)
        contributors = np.sum(added**2) ** 2 / np.sum(added**4)
        degrees = min(degrees, 2 * contributors / (1 - contributors / len(added)))
    assert pair.degrees_of_freedom == pytest.approx(degrees, rel=1e-10)
    ratio = abs(pair.difference) / pair.standard_error
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(ratio, int(degrees)), rel=1e-10)
    equal = dict.fromkeys(models, np.arange(200) // 10)
    models = {name: tuple(column[:200] for column in model) for name, model in models.items()}
    pair = fa.compare_models(models, statistic="aurc", groups=equal, paired="groups").pairs[0]
    assert pair.degrees_of_freedom == pytest.approx(19)


AT_A_LIMIT = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.02, interpolate=True)


def accepted_within(correct, confidence, limit):
    """The share accepted of distinct confidences, up to where the errors reach the limit."""
    order = np.argsort(-confidence)
    errors = np.concatenate([[0], np.cumsum(~correct[order])]) / len(correct)
    last = np.flatnonzero(errors <= limit)[-1]
    if last == len(correct):
        return 1.0
    return (last + (limit - errors[last]) * len(correct)) / len(correct)


@pytest.mark.compiled
@pytest.mark.parametrize("statistic", ["arac_auc", "roc_auc", AT_A_LIMIT])
@pytest.mark.parametrize("of_one", [False, True])
def test_resamples_of_groups_by_order_and_by_spread(statistic, of_one):
    """Student's law for both; the larger p-value, and the interval that takes in both."""
    models, labels = engines(9, pages=24)
    if of_one:  # resamples that lack the page differ less, and hardly any the other way
        correct, confidence = models["engine 0"]
        models["engine 0"] = (correct & ((labels["engine 0"] != 7) | (confidence < 0.3)), confidence)
    options = {"statistic": statistic, "groups": labels, "paired": "groups", "method": "bootstrap"}
    n = 1000 if COMPILED else 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        pair = fa.compare_models(models, n_resamples=n, random_state=0, **options).pairs[0]
    values = np.sort(pair.interval.distribution)
    error = np.std(values, ddof=1) * math.sqrt(24 / 23)
    degrees = 1 / sum(share**2 for share in shares_of_pages(labels)) - 1
    added = None
    if statistic == "roc_auc":
        added = added_by_pages(models, labels, statistic, *models)
    elif statistic is AT_A_LIMIT:
        added = np.zeros(24)
        for sign, name in zip((1, -1), models, strict=True):
            for k in range(24):
                rest = labels[name] != k
                added[k] += sign * accepted_within(*(part[rest] for part in models[name]), 0.02)
        added -= added.mean()
    if added is not None:
        contributors = np.sum(added**2) ** 2 / np.sum(added**4)
        most = 2 * contributors / (1 - contributors / 24) + 2 * (statistic is AT_A_LIMIT)
        degrees = min(degrees, most)
        assert degrees == most or not of_one
    assert pair.degrees_of_freedom == pytest.approx(degrees, rel=1e-9)
    share = 2 * (np.sum(values * pair.difference <= 0) + 1) / (len(values) + 1)
    reach = stats.t.isf(0.025, int(degrees))
    by_order = stats.norm.isf(share / 2) * math.sqrt(23 / 24)
    by_spread = abs(pair.difference) / error
    assert pair.pvalue == pytest.approx(
        2 * stats.t.sf(min(by_order, by_spread), int(degrees)), rel=1e-9
    )
    tail = stats.norm.sf(reach * math.sqrt(24 / 23))
    k = max(math.ceil(tail * (len(values) + 1)) - 1, 1)
    low, high = pair.difference - reach * error, pair.difference + reach * error
    ends = min(low, values[k - 1]), max(high, values[-k])
    assert (pair.interval.low, pair.interval.high) == pytest.approx(ends, rel=1e-9)
    assert (pair.pvalue < 0.05) == (not pair.interval.low <= 0 <= pair.interval.high)


def test_many_groups_are_left_out_some_at_a_time(monkeypatch):
    models, labels = engines(10, pages=24)
    options = {"statistic": AT_A_LIMIT, "paired": "groups", "method": "bootstrap", "random_state": 0}
    monkeypatch.setattr(replicates, "MOST_LEFT_OUT", 8)
    some = fa.compare_models(models, groups=labels, n_resamples=10, **options).pairs[0]
    added = np.zeros(8)
    for sign, name in zip((1, -1), models, strict=True):
        for k in range(8):
            rest = labels[name] // 3 != k
            added[k] += sign * accepted_within(*(part[rest] for part in models[name]), 0.02)
    added -= added.mean()
    contributors = np.sum(added**2) ** 2 / np.sum(added**4)
    most = 2 * contributors / (1 - contributors / 8) + 2
    assert some.degrees_of_freedom == pytest.approx(most)


@pytest.mark.parametrize("spoiled", [[7], [7, 40]])
def test_pages_that_one_engine_spoiled_do_not_tell_it_apart(spoiled):
    """So few could as well have been the other engine's; influence values alone say more than that."""
    rng = np.random.default_rng(3)
    page, models = np.repeat(np.arange(60), 30), {}
    for name in "ab":
        confidence = rng.random(len(page))
        models[name] = (rng.random(len(page)) < 0.985 + 0.015 * confidence, confidence)
    bad = np.isin(page, spoiled) & (rng.random(len(page)) < 0.7)
    models["a"] = (models["a"][0] & ~bad, models["a"][1])
    (pair,) = fa.compare_models(models, statistic="roc_auc", groups=page).pairs
    alone = fa.influence_values
    added = alone(*models["a"], statistic="roc_auc") - alone(*models["b"], statistic="roc_auc")
    error = math.sqrt(np.sum(np.bincount(page, added) ** 2)) / len(page)
    assert pair.standard_error > 1.2 * error
    assert pair.pvalue > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("pages", [25, 60])
def test_engines_with_bursts_of_their_own_are_seldom_told_apart(pages):
    """A small part of the simulation: 100 samples, at most 6.5% and three standard errors."""
    rejected = dict.fromkeys(["roc_auc", "normalized_arac_auc", "normalized_aurc"], 0)
    design = paired_groups.DESIGNS["equal pages, 1.9 % errors, bursts of each engine"]
    for k in range(100):
        models, labels = paired_groups.engines(design, pages, np.random.default_rng([29, pages, k]))
        for statistic in rejected:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
                found = fa.compare_models(models, statistic=statistic, groups=labels, paired="groups")
            rejected[statistic] += found.pairs[0].pvalue < 0.05
    assert max(rejected.values()) <= 100 * (0.065 + 3 * math.sqrt(0.05 * 0.95 / 100))


@pytest.mark.slow
def test_equal_engines_are_told_apart_as_often_as_is_said():
    """A small part of the simulation: 150 samples, at most 6.5% and three standard errors."""
    rejected = 0
    for k in range(150):
        rng = np.random.default_rng([17, k])
        design = paired_groups.DESIGNS["unequal pages, bursts"]
        models, labels = paired_groups.engines(design, 12, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
            found = fa.compare_models(
                models, statistic="recognition_rate", groups=labels, paired="groups"
            )
        rejected += found.pairs[0].pvalue < 0.05
    assert 1 <= rejected <= 150 * (0.065 + 3 * math.sqrt(0.05 * 0.95 / 150))


# --- Adjusted intervals ------------------------------------------------------------------------


@given(
    pvalues=st.lists(st.sampled_from([0.001, 0.01, 0.015, 0.02, 0.03, 0.2, math.nan]), min_size=1),
    correction=st.sampled_from(["holm", "bonferroni", None]),
)
def test_levels_decide_as_adjusted_p_values_do(pvalues, correction):
    """A test whose interval at a level excludes 0 iff its p-value is below 1 − level."""
    adjusted = adjusted_pvalues(pvalues, correction)
    for p, own, level in zip(
        pvalues, adjusted, adjusted_levels(pvalues, correction, 0.951), strict=True
    ):
        assert (p < 1.0 - level) == (own < 1.0 - 0.951)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", None])
@pytest.mark.parametrize("method", ["asymptotic", pytest.param("bootstrap", marks=pytest.mark.slow)])
def test_adjusted_intervals_exclude_0_where_the_adjusted_p_value_is_small(method, correction):
    decisions = set()
    for seed in range(4):
        models, labels = engines(seed, k=4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
            found = fa.compare_models(
                models, groups=labels, paired="groups", method=method, correction=correction,
                statistic="recognition_rate", n_resamples=600, random_state=seed,
            )  # fmt: skip
        for pair in found.pairs:
            for interval, pvalue in (
                (pair.interval, pair.pvalue),
                (pair.adjusted_interval, pair.adjusted_pvalue),
            ):
                outside = not interval.low <= 0.0 <= interval.high
                assert outside == (pvalue < 1.0 - 0.95)
                decisions.add(outside)
            assert pair.adjusted_interval.low <= pair.interval.low
        said = str(found)
        assert ("adjusted (" in said) == (correction is not None)
    assert decisions == {True, False}


def test_intervals_of_few_groups_or_resamples_say_what_the_spread_says():
    """Also at adjusted levels, at which no p-value of the resamples is; 0 is inside, as p says."""
    for n_resamples in (20, 1000):
        models, labels = engines(5, k=3)
        kept = {name: np.asarray(each) < 5 for name, each in labels.items()}
        models = {name: (c[kept[name]], s[kept[name]]) for name, (c, s) in models.items()}
        labels = {name: np.asarray(each)[kept[name]] for name, each in labels.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
            found = fa.compare_models(
                models, groups=labels, paired="groups", method="bootstrap",
                statistic="recognition_rate", n_resamples=n_resamples, random_state=0,
            )  # fmt: skip
        for pair in found.pairs:
            low, high = pair.adjusted_interval.low, pair.adjusted_interval.high
            assert low > -0.9
            assert high < 0.9
            resamples = pair.adjusted_interval.distribution
            assert low <= min(0.0, resamples.min()) if pair.adjusted_pvalue >= 0.05 else True
            assert low <= pair.interval.low <= pair.interval.high <= high


def test_too_few_resamples_leave_no_difference_beyond_chance():
    models, labels = engines(7, k=3)
    found = fa.compare_models(
        models, groups=labels, paired="groups", method="bootstrap", n_resamples=100, random_state=0
    )
    for pair in found.pairs:
        assert pair.adjusted_interval.confidence_level > 0.98
    most = [pair.adjusted_interval for pair in found.pairs if pair.adjusted_pvalue > 0.05]
    assert all(interval.low <= 0.0 <= interval.high for interval in most)
