"""Several columns of groups: nested ones count by the outermost, crossed ones by the sum over all."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
import reference_influence as slow
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fastarac as fa
from fastarac._engine.factors import read_factors

pytestmark = pytest.mark.interpreted


def quietly(function, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **keywords)


def sample(seed: int, n: int = 48, writers: int = 6, forms: int = 8):
    """Writers who have filled in forms; both are told in the labels."""
    rng = np.random.default_rng(seed)
    writer, form = rng.integers(0, writers, n), rng.integers(0, forms, n)
    z = rng.normal(size=n) + rng.normal(size=writers)[writer] + rng.normal(size=forms)[form]
    correct = rng.random(n) < 1 / (1 + np.exp(-z))
    return correct, np.round(z + 0.3 * rng.normal(size=n), 1), writer, form


def variance(values: list[Fraction], columns: tuple[np.ndarray, ...]) -> float:
    """By each set of columns in turn, items that are alike in all of them summed one by one."""
    of_sets, n = {}, len(values)
    for size in range(1, len(columns) + 1):
        for chosen in itertools.combinations(range(len(columns)), size):
            sums: dict[tuple[int, ...], Fraction] = {}
            for i, value in enumerate(values):
                key = tuple(int(columns[k][i]) for k in chosen)
                sums[key] = sums.get(key, Fraction(0)) + value / n
            squares = sum((each**2 for each in sums.values()), Fraction(0))
            of_sets[chosen] = squares * Fraction(len(sums), len(sums) - 1)
    total = sum((-1) ** (len(chosen) + 1) * each for chosen, each in of_sets.items())
    return float(max(total, *(each for chosen, each in of_sets.items() if len(chosen) == 1)))


def influence(correct, confidence, name: str) -> list[Fraction]:
    of = {"recognition_rate": ref.recognition_rate, "arac_auc": ref.arac_auc}[name]
    return slow.influence_values(ref.to_items(correct, confidence), of)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["recognition_rate", "arac_auc"])
def test_the_error_of_an_estimate_is_the_sum_over_the_factors(name, seed):
    correct, confidence, writer, form = sample(seed)
    ward = np.random.default_rng(seed).integers(0, 4, len(form))
    values = influence(correct, confidence, name)
    for columns in ((writer, form), (form, writer), (writer, form, ward)):
        found = quietly(fa.asymptotic_interval, correct, confidence, statistic=name, groups=columns)
        assert found.standard_error == pytest.approx(math.sqrt(variance(values, columns)), rel=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_the_error_of_a_difference_is_the_sum_over_the_factors(seed):
    correct, confidence, writer, form = sample(seed)
    other = np.roll(confidence, 1)
    a, b = (influence(correct, scores, "arac_auc") for scores in (confidence, other))
    expected = math.sqrt(variance([x - y for x, y in zip(a, b, strict=True)], (writer, form)))
    models = {"a": (correct, confidence), "b": (correct, other)}
    by_items = quietly(fa.compare_models, models, groups=(writer, form)).pairs[0]
    both = dict.fromkeys(models, (writer, form))
    by_groups = quietly(fa.compare_models, models, groups=both, paired="groups").pairs[0]
    alone = [quietly(fa.compare_models, models, groups=each).pairs[0] for each in (writer, form)]
    degrees = min(each.degrees_of_freedom for each in alone)
    for pair in (by_items, by_groups):
        assert pair.standard_error == pytest.approx(expected, rel=1e-9)
        assert pair.degrees_of_freedom == pytest.approx(degrees, rel=1e-12)
        t = abs(pair.difference) / expected
        assert pair.pvalue == pytest.approx(2 * stats.t.sf(t, int(degrees)), rel=1e-9)
    test = quietly(fa.delong_test, correct, confidence, other, groups=(writer, form))
    same = quietly(fa.compare_models, models, statistic="roc_auc", groups=(form, writer)).pairs[0]
    assert (test.difference, test.interval.low) == pytest.approx((same.difference, same.interval.low))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), method=st.sampled_from(["auto", "wald", "logit"]))
def test_an_interval_is_as_wide_as_by_the_factor_of_the_largest_error(seed, method):
    correct, confidence, writer, form = sample(seed, n=60)
    for name in ("arac_auc", "recognition_rate", "roc_auc"):
        both, *alone = (
            quietly(
                fa.asymptotic_interval, correct, confidence, statistic=name, groups=groups,
                method=method,
            )
            for groups in ((writer, form), writer, form)
        )  # fmt: skip
        if math.isnan(both.estimate):
            continue
        widest = max(alone, key=lambda found: found.standard_error)
        assert both.low <= widest.low + 1e-12
        assert both.high >= widest.high - 1e-12
        assert both.standard_error >= widest.standard_error - 1e-15


def test_a_limit_takes_the_distances_of_the_ends():
    correct, confidence, writer, form = sample(4, n=900, writers=30, forms=30)
    limit = fa.Statistic("acceptance_at_risk", max_risk=0.25)
    both, *alone = (
        quietly(fa.asymptotic_interval, correct, confidence, statistic=limit, groups=groups)
        for groups in ((writer, form), writer, form, writer * 30 + form)
    )
    low, high = (
        [(found.estimate - end(found)) ** 2 for found in alone]
        for end in (lambda found: found.low, lambda found: found.high)
    )
    assert 0.0 < both.low < both.high < 1.0
    for squares, end in ((low, both.estimate - both.low), (high, both.high - both.estimate)):
        expected = math.sqrt(max(squares[0] + squares[1] - squares[2], squares[0], squares[1]))
        assert end == pytest.approx(expected)


def test_nested_columns_count_by_the_outermost():
    correct, confidence, document, _ = sample(5, writers=12)
    batch = document // 3
    line = np.arange(len(batch)) // 2 + 100 * document
    weight = np.random.default_rng(5).uniform(0.5, 2.0, len(batch))
    for columns in ((batch, document), (document, batch), (document, line, batch), (batch, batch)):
        (only,) = read_factors(columns, len(batch))
        np.testing.assert_array_equal(only, np.unique(batch, return_inverse=True)[1])
        for function, options in (
            (fa.asymptotic_interval, {"sample_weight": weight}),
            (fa.asymptotic_interval, {"graded": True}),
            (fa.bootstrap, {"random_state": 0, "n_resamples": 20}),
        ):
            one, several = (
                quietly(function, correct, confidence, groups=groups, **options)
                for groups in (batch, columns)
            )
            assert (one.low, one.high) == (several.low, several.high)
    models = {"a": (correct, confidence), "b": (correct, -confidence)}
    one, several = (
        quietly(fa.compare_models, models, groups=dict.fromkeys(models, groups), paired="groups")
        for groups in (batch, (document, batch))
    )
    assert one.pairs[0].pvalue == several.pairs[0].pvalue
    assert (one.n, several.n) == (4, 4)


def test_a_tuple_of_labels_is_one_column():
    correct, confidence, writer, _ = sample(6)
    for labels in (tuple(writer.tolist()), tuple(map(str, writer)), (b"1", b"2") * 24):
        (codes,) = read_factors(labels, len(labels))
        assert len(np.unique(codes)) == len(set(labels))
    found = quietly(fa.asymptotic_interval, correct, confidence, groups=tuple(writer.tolist()))
    assert found.low == quietly(fa.asymptotic_interval, correct, confidence, groups=writer).low


def test_all_figures_take_crossed_columns():
    correct, confidence, writer, form = sample(7, n=200)
    both = (writer, form)
    whole = quietly(fa.evaluate, correct, confidence, groups=both, intervals=True)
    found = quietly(fa.asymptotic_interval, correct, confidence, groups=both)
    assert whole.intervals["arac_auc"].low == found.low
    first = writer < 3
    parts = quietly(fa.evaluate_groups, correct, confidence, by=~first, groups=both, intervals=True)
    found = quietly(
        fa.asymptotic_interval, correct[first], confidence[first], groups=(writer[first], form[first])
    )
    assert parts["arac_auc_low"][0] == found.low


def test_what_takes_no_crossed_columns_says_so():
    correct, confidence, writer, form = sample(8)
    both = (writer, form)
    models = {"a": (correct, confidence), "b": (correct, -confidence)}
    limit = {"max_error_rate": 0.2}
    for call in (
        lambda: fa.bootstrap(correct, confidence, groups=both),
        lambda: fa.bootstrap_band(correct, confidence, groups=both),
        lambda: fa.compare_models(models, groups=both, method="bootstrap"),
        lambda: fa.guaranteed_operating_point(correct, confidence, groups=both, **limit),
        lambda: fa.operation.fit_policy(correct, confidence, groups=both, **limit),
        lambda: fa.operation.design_effect(correct, confidence, groups=both, threshold=0),
        lambda: fa.costs.bcost_delta(
            correct, ~correct, correct, [[0, 1], [1, 0]], groups=both, random_state=0
        ),
    ):
        with pytest.raises(ValueError, match=r"groups has columns that are crossed.*takes one column"):
            call()
    with pytest.raises(ValueError, match=r"groups\[1\] and confidence must have the same"):
        fa.asymptotic_interval(correct, confidence, groups=(writer, form[:-1]))
    many = tuple(np.random.default_rng(k).integers(0, 3, len(form)) for k in range(5))
    with pytest.raises(ValueError, match="at most 4 crossed columns, got 5"):
        fa.asymptotic_interval(correct, confidence, groups=many)
    with pytest.raises(ValueError, match="have the same columns for each model, got 2 for"):
        fa.compare_models(models, groups={"a": both, "b": writer}, paired="groups")


def test_few_groups_of_the_coarsest_factor_warn():
    correct, confidence, writer, form = sample(9, n=600, writers=6, forms=100)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 6 groups"):
        fa.asymptotic_interval(correct, confidence, groups=(form, writer))
