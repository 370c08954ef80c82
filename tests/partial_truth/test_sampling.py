"""Which outputs are drawn to be verified, and with which probability."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from bench.simulations import sampling_goals
from fastarac.partial_truth import draw_verification_sample


def filled(floor, size, count, budget):
    """min(1, floor + λ·size), λ by bisection."""
    low, high = 0.0, 1e12
    for _ in range(300):
        middle = (low + high) / 2
        if np.minimum(1, floor + middle * size) @ count < budget:
            low = middle
        else:
            high = middle
    return np.minimum(1, floor + low * size)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.floats(0.01, 1), st.floats(0.05, 1))
def test_probabilities(n, seed, share, mix):
    rng = np.random.default_rng(seed)
    judge = rng.random(n) ** rng.choice([0.2, 1, 5])
    groups = rng.integers(0, rng.integers(1, n + 1), n)
    budget = share * n
    sample = draw_verification_sample(rng.random(n), budget, judge=judge, mix=mix, groups=groups)
    codes = np.unique(groups, return_inverse=True)[1]
    count = np.bincount(codes)
    size = np.sqrt(np.bincount(codes, judge * (1 - judge)) / count)
    expected = filled(mix * share, size, count, budget)[codes]
    np.testing.assert_allclose(sample.inclusion_probability, expected, rtol=1e-7, atol=1e-12)
    assert sample.expected_size == pytest.approx(budget)
    assert (sample.inclusion_probability >= sample.least_probability * (1 - 1e-12)).all()
    drawn = [set(sample.selected[codes == code]) for code in np.unique(codes)]
    assert all(len(each) == 1 for each in drawn)


def test_strata_get_their_shares():
    rng = np.random.default_rng(1)
    strata = np.repeat(["a", "b"], [900, 100])
    judge = np.where(strata == "a", 0.999, 0.5)
    sample = draw_verification_sample(rng.random(1000), 100, judge=judge, strata=strata)
    for name, expected in (("a", 90), ("b", 10)):
        assert sample.inclusion_probability[strata == name].sum() == pytest.approx(expected)
    assert (
        draw_verification_sample(rng.random(1000), 100, judge=judge)
        .inclusion_probability[strata == "b"]
        .sum()
        > 35
    )


def test_draws_are_of_these_probabilities():
    confidence = np.random.default_rng(0).random(300)
    rng = np.random.default_rng(1)
    draws = [draw_verification_sample(confidence, 60, random_state=rng) for _ in range(400)]
    counts = sum(each.selected.astype(int) for each in draws)
    probability = draws[0].inclusion_probability
    z = (counts - 400 * probability) / np.sqrt(400 * probability * (1 - probability))
    assert abs(z).max() < 4.5
    assert 0.85 < z.std() < 1.15


def test_same_seed_same_rows():
    confidence = np.random.default_rng(0).random(300)
    a, b, c = (draw_verification_sample(confidence, 60, random_state=seed) for seed in (5, 5, 6))
    assert a == b
    assert a != c
    assert list(a.indices) == list(np.flatnonzero(a.selected))
    assert a.to_frame().shape == (300, 2)


def test_ends():
    assert draw_verification_sample([0.1, 0.2], 2).selected.all()
    certain = draw_verification_sample([0.1, 0.2, 0.3], 1.5, judge=[0, 1, 1])
    np.testing.assert_allclose(certain.inclusion_probability, 0.5)
    assert set(draw_verification_sample([0.1, 0.2, 0.3], 2).inclusion_probability) == {2 / 3}
    one = draw_verification_sample([0.1, 0.2, 0.3], 2, judge=[0.5, 1, 1], mix=0.9)
    np.testing.assert_allclose(one.inclusion_probability, [0.8, 0.6, 0.6])
    spare = draw_verification_sample([0.1, 0.2, 0.3], 2.8, judge=[0.5, 1, 1], mix=0.5)
    np.testing.assert_allclose(spare.inclusion_probability, [1, 0.9, 0.9])


@given(st.integers(1, 60), st.floats(0.01, 1), st.integers(0, 2**32 - 1), st.booleans())
def test_a_simple_random_sample(n, share, seed, by_group):
    """Exactly as many units as asked for, all alike; a larger budget keeps what a smaller one drew."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 5, n) if by_group else None
    units = len(set(groups)) if by_group else n
    samples = [
        draw_verification_sample(
            rng.random(n), part * n, purpose="guarantee-new", groups=groups, random_state=seed
        )
        for part in (share / 2, share)
    ]
    for sample, part in zip(samples, (share / 2, share), strict=True):
        k = max(1, round(part * units))
        chosen = set(groups[sample.selected]) if by_group else sample.indices
        assert len(chosen) == k
        assert set(sample.inclusion_probability) == {k / units} == {sample.least_probability}
        assert sample.best_acceptance_rate is None
    assert not (samples[0].selected & ~samples[1].selected).any()


def test_each_unit_is_drawn_as_often():
    draws = [
        draw_verification_sample(np.arange(20), 5, purpose="guarantee-these", random_state=seed)
        for seed in range(800)
    ]
    counts = sum(each.selected.astype(int) for each in draws)
    assert counts.sum() == 800 * 5
    z = (counts - 200) / np.sqrt(800 * 0.25 * 0.75)
    assert abs(z).max() < 4


@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")  # as the best case says
@pytest.mark.parametrize(("criterion", "limit"), [("max_error_rate", 0.05), ("max_risk", 0.1)])
def test_the_best_case_is_a_fit_to_right_answers(criterion, limit):
    confidence = np.random.default_rng(0).random(2000)
    for budget in (40, 200):
        sample = draw_verification_sample(confidence, budget, random_state=1, **{criterion: limit})
        assert sample.purpose == "guarantee-new"
        policy = fa.operation.fit_policy(
            np.ones(budget), confidence[sample.selected], random_state=0, **{criterion: limit}
        )
        assert sample.best_acceptance_rate == (confidence >= policy.thresholds[0]).mean()
    assert sample.best_acceptance_rate > 0.9
    aimed = draw_verification_sample(
        confidence, 200, purpose="estimate", judge=confidence, random_state=1, **{criterion: limit}
    )
    truth = fa.PartialTruth(
        np.where(aimed.selected, 1, np.nan), inclusion_probability=aimed.inclusion_probability
    )
    policy = fa.operation.fit_policy(truth, confidence, random_state=0, **{criterion: limit})
    assert aimed.best_acceptance_rate == (confidence >= policy.thresholds[0]).mean()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"purpose": "proof"}, ValueError, "purpose must be one of 'guarantee-these', .*got 'proof'"),
        ({"max_risk": 0.1, "max_error_rate": 0.1}, TypeError, "give exactly one of max_error_rate"),
        ({"max_risk": 1.5}, ValueError, "max_risk must be a number strictly between 0"),
        ({"max_risk": 0.1, "mix": 1}, TypeError, "mix cannot go with purpose='guarantee-new'"),
        ({"purpose": "guarantee-these", "judge": [1, 1]}, TypeError, "judge cannot go with purpose="),
        ({"max_risk": 0.1, "strata": [1, 2]}, TypeError, "leave out strata, or use purpose='estimate'"),
    ],
)
def test_bad_purposes(options, error, message):
    with pytest.raises(error, match=message):
        draw_verification_sample([0.1, 0.2], 1, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], 1), {}, "confidence is empty"),
        (([0.1, np.nan], 1), {}, r"confidence\[1\] must .*got nan"),
        (([0.1, 0.2], 0), {}, "budget must be above 0 and at most 2, the number"),
        (([0.1, 0.2], 3), {}, "budget must be above 0 and at most 2, the number"),
        (([0.1, 0.2], 1), {"judge": [0.1]}, "judge and confidence must have the same number"),
        (([0.1, 0.2], 1), {"judge": [0.1, 1.5]}, r"judge\[1\] must .*got 1.5"),
        (([0.1, 0.2], 1), {"judge": [np.nan, 0.5]}, r"judge\[0\] must .*got nan"),
        (([0.1, 0.2], 1), {"mix": 2}, r"mix must be a number in \[0, 1\], got 2\.0 \(2% is 0"),
        (([0.1, 0.2], 0.5), {"mix": 0, "judge": [1, 0.5]}, "output 0 would never be drawn"),
        (
            ([0.1, 0.2], 1),
            {"groups": [1, 1], "strata": [1, 2]},
            "each group must lie in one stratum, but the group of output",
        ),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        draw_verification_sample(*arguments, **options)


@pytest.mark.slow
def test_three_hundred_answers_prove_one_percent(monkeypatch):
    """What is drawn for a guarantee proves it from few answers, and breaks it no more than promised."""
    monkeypatch.setattr(sampling_goals, "WAYS", ("guarantee-new",))
    for population, least, runs in (("smooth", 0.4, 500), ("lognormal", 0.15, 100)):
        (row,) = sampling_goals.simulate(population, 300, runs)
        assert row.nothing < 0.03
        assert row.accepted > least
        assert row.broken_new <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_rates_of_the_simulated_source():
    """Their formula is the share of wrong outputs among many that are drawn."""
    for population in sampling_goals.POPULATIONS:
        rng = np.random.default_rng(0)
        outputs = [sampling_goals.draw(population, rng) for _ in range(20)]
        for threshold in (-math.inf, 0.4, 0.6):
            wrong = [(each.wrong & (each.confidence >= threshold)).mean() for each in outputs]
            error = np.std(wrong) / math.sqrt(len(wrong))
            assert abs(np.mean(wrong) - sampling_goals.true_rate(population, threshold)) < 4 * error
    assert sampling_goals.true_rate("smooth", math.inf) == 0.0


def test_the_simulation_goes_on_where_it_ended(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sampling_goals, "BUDGETS", (300,))
    monkeypatch.setattr(sampling_goals, "POPULATIONS", ("smooth",))
    arguments = ["--samples", "1", "--output", str(tmp_path / "rows.json")]
    printed = []
    for _ in range(2):
        sampling_goals.main(arguments)
        printed.append(capsys.readouterr().out)
    assert printed[0].count("Row(") == len(sampling_goals.WAYS)
    assert printed[1] == ""
