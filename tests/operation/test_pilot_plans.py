"""Planned policies: fits to fresh samples succeed as promised; exact where there is a formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastarac as fa
from bench.simulations.planned_policies import CASES, planned, source
from fastarac import operation
from fastarac.operation import pilot_plans

plan = operation.sample_size_for_policy


def a_pilot(n_groups, size):
    return source(size, n_groups, np.random.default_rng(0))


@pytest.mark.parametrize(("limit", "expected"), [(0.05, 0.0), (0.1, 0.03), (0.01, 0.0005)])
def test_independent_items_as_by_the_exact_test(limit, expected):
    exact = operation.sample_size_for_guarantee(limit, expected)
    found = plan(max_error_rate=limit, expected_error_rate=expected)
    assert found.least_groups == found.least_items == exact.least
    assert found.n_groups == found.n_items <= exact.stable
    power = operation.guarantee_power([found.n_groups], limit, expected)[0]
    assert abs(found.power - power) <= 3 * found.standard_error
    assert power >= 0.8 - 0.05
    assert math.isnan(found.pilot_power_low)
    assert str(found).startswith(f"verify {found.n_groups} outputs, drawn at random: ")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
@pytest.mark.parametrize(
    "name",
    sorted({*CASES} - {"single"}),  # whose steps are in the others
)
def test_fits_to_fresh_samples_succeed_as_planned(name):
    found = planned(name, 300)
    rng = np.random.default_rng(11)
    runs = 300
    share = np.mean([CASES[name].succeeds(found, rng) for _ in range(runs)])
    chance = math.hypot(found.standard_error, math.sqrt(found.power * (1 - found.power) / runs))
    assert abs(share - found.power) <= 2.5 * chance  # about .08
    assert found.power >= 0.75
    if "correct" in CASES[name].planned_from:
        assert 0.0 <= found.pilot_power_low <= found.pilot_power_high <= 1.0
        assert found.plug_in_groups <= found.n_groups
    else:
        assert found.plug_in_groups == found.n_groups
    assert found.grouped == ("groups" in CASES[name].labels)


@pytest.mark.slow
def test_most_pilots_reach_the_power():
    """Of pilots drawn from the pilot, 7 of 10 reach the power at the number, but not at the one before.

    Pilots and samples are new, so the share has a standard error of about .1.
    """
    correct, confidence, *_ = a_pilot(400, 1)
    limit = {"max_error_rate": 0.04, "accept": 0.5}
    found = plan(correct, confidence, **limit, n_runs=100)
    assert found.n_groups > found.plug_in_groups
    rng = np.random.default_rng(5)
    reached = {found.n_groups: 0, round(found.plug_in_groups / 1.25): 0}
    for _ in range(16):
        pilot = rng.integers(0, 400, 400)
        for n in reached:
            shares = []
            for _ in range(16):
                drawn = pilot[rng.integers(0, 400, n)]
                policy = operation.fit_policy(
                    correct[drawn], confidence[drawn], max_error_rate=0.04, random_state=rng
                )
                shares.append(policy.acceptance_rate >= 0.5)
            reached[n] += np.mean(shares) >= 0.8
    enough, few = reached.values()
    assert enough / 16 >= 0.7 - 2 * 0.1
    assert few / 16 < 0.7


@pytest.mark.slow
def test_a_pilot_that_is_too_small(monkeypatch):
    monkeypatch.setattr(pilot_plans, "STEPS", 2)
    rng = np.random.default_rng(1)
    confidence = rng.random(30)
    correct = rng.random(30) >= 0.3 * (1 - confidence)
    found = plan(correct, confidence, max_error_rate=0.05, n_runs=20)
    assert found.n_groups is None
    assert found.n_items is None
    assert found.plug_in_groups is not None
    assert found.target_power == 0.8
    assert str(found).startswith(
        f"this pilot is too small to plan with: for {found.plug_in_groups:,} outputs, the chance that "
    )
    assert "; verify a larger pilot; " in str(found)


def test_what_the_pilot_allows():
    correct, confidence, field, page = a_pilot(800, 1)
    point = fa.operating_point(correct, confidence, max_error_rate=0.04)
    of_pilot = pilot_plans._of_pilot
    allowed = of_pilot(correct, confidence, None, None, "max_error_rate", 0.04, None)[1]
    assert allowed == pytest.approx(0.9 * point.acceptance_rate)
    assert of_pilot(correct, confidence, field, page, "max_error_rate", 0.04, None)[1] > allowed
    # of two confidences, the lower of which cannot be sure to be accepted
    tied = np.repeat([1, 1, 0], [500, 480, 20]), np.repeat([2, 1, 1], [500, 480, 20])
    assert of_pilot(*tied, None, None, "max_error_rate", 0.0201, None)[1] == 0.95 * 0.5
    assert of_pilot(*tied, None, None, "max_error_rate", 0.1, None)[1] == 0.9
    assert of_pilot(*tied, None, None, "max_risk", 0.1, None)[1] == 0.9


def test_a_group_that_is_drawn_twice_is_two_groups():
    correct, confidence, field, page = a_pilot(7, [1, 2, 5])
    pilot = pilot_plans._Pilot(pilot_plans._Drawn(correct, confidence, field, page))
    there = {tuple(confidence[page == g]): field[page == g].tolist() for g in range(7)}
    drawn = pilot.draw(40, np.random.default_rng(0))
    assert np.array_equal(np.unique(drawn.groups), np.arange(40))
    for g in range(40):
        own = drawn.groups == g
        assert there[tuple(drawn.confidence[own])] == drawn.by[own].tolist()


def test_errors_of_the_model_have_its_rate_and_correlation():
    rng = np.random.default_rng(3)
    for icc in (0.0, 0.2, 1.0):
        drawn = pilot_plans._Model(0.2, icc, np.array([5])).draw(40_000, rng)
        errors = 5 - drawn.correct.reshape(-1, 5).sum(axis=1)
        assert errors.mean() == pytest.approx(1.0, abs=0.04)
        # variance of a beta-binomial number
        assert errors.var() == pytest.approx(5 * 0.2 * 0.8 * (1 + 4 * icc), rel=0.04)


def test_the_same_again_and_progress(capsys):
    arguments = {"max_error_rate": 0.1, "expected_error_rate": 0.02, "n_runs": 20, "random_state": 4}
    found = plan(**arguments)
    assert capsys.readouterr().err == ""
    assert plan(**arguments, progress=True) == found
    assert capsys.readouterr().err.startswith("samples: ")


def test_names_of_groups_and_fields_do_not_matter(monkeypatch):
    monkeypatch.setattr(pilot_plans, "PILOTS", 4)
    correct, confidence, field, page = a_pilot(60, 5)
    limit = {"max_error_rate": 0.2, "method": "gamma", "n_runs": 20}
    found = plan(correct, confidence, by=field, groups=page, **limit)
    names = np.array(["b", "a"])[field], np.array([f"{31 * g % 60}" for g in page])
    assert plan(correct, confidence, by=names[0], groups=names[1], **limit) == found


def test_what_cannot_be_reached(monkeypatch):
    monkeypatch.setattr(pilot_plans, "MOST_ITEMS", 600)
    found = plan(max_error_rate=0.05, expected_error_rate=0.045, n_runs=20)
    assert (found.n_groups, found.n_items, found.most_groups) == (None, None, 600)
    assert found.power < 0.5
    assert str(found).startswith("no number up to 600 outputs is enough: ")
    nothing = plan(max_error_rate=0.001, expected_error_rate=0.0, n_runs=20)
    assert (nothing.n_groups, nothing.least_groups, nothing.power) == (None, None, 0.0)


def test_an_interruption_ends_it(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pilot_plans.PolicyFit, "acceptance_rate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        plan(max_error_rate=0.05, expected_error_rate=0.01)


PAIR = [1, 1, 0, 1], [4, 3, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "give either a pilot .* or expected_error_rate"),
        (
            {"expected_error_rate": 0.5},
            ValueError,
            "expected_error_rate must be below the limit",
        ),
        (
            {"expected_error_rate": 0.1, "icc": 2},
            ValueError,
            r"icc must be a number in \[0, 1\], got 2\.0 \(2% is 0\.02\)",
        ),
        (
            {"expected_error_rate": 0.1, "icc": 0.1},
            ValueError,
            "group_sizes has no group of two or more items",
        ),
        (
            {"expected_error_rate": 0.1, "group_sizes": 0},
            ValueError,
            "group_sizes must be an integer of at least 1, got 0",
        ),
        (
            {"expected_error_rate": 0.1, "group_sizes": []},
            ValueError,
            "group_sizes is empty; give at least one size",
        ),
        (
            {"expected_error_rate": 0.1, "accept": 0.5},
            TypeError,
            "accept cannot go with expected_error_rate",
        ),
        (
            {"expected_error_rate": 0.1, "by": [1]},
            TypeError,
            "by cannot go with expected_error_rate",
        ),
        (
            {"expected_error_rate": 0.1, "power": 1},
            ValueError,
            r"power must be a number strictly between 0 and 1, got 1\.0",
        ),
        (
            {"expected_error_rate": 0.1, "n_runs": 5},
            ValueError,
            "n_runs must be an integer of at least 20, got 5",
        ),
        ({"expected_error_rate": 0.1, "max_risk": 0.1}, TypeError, "max_error_rate and max_risk"),
        (
            {"expected_error_rate": 0.1, "method": "gamma"},
            ValueError,
            "method must be 'exact' for max_error_rate, got 'gamma'",
        ),
        (
            {"expected_error_rate": 0.1, "method": "x"},
            ValueError,
            "method must be one of 'auto', 'gamma', got 'x'",
        ),
    ],
)
def test_refusals_of_models(arguments, error, message):
    with pytest.raises(error, match=message):
        plan(**{"max_error_rate": 0.2, **arguments})


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"icc": 0.1}, TypeError, "icc cannot go with a pilot"),
        ({"group_sizes": 3}, TypeError, "group_sizes cannot go with a pilot"),
        (
            {"accept": 0.9},
            ValueError,
            r"accept must be above 0 and at most 0\.5, got 0\.9: no larger share of the pilot",
        ),
        ({"accept": 0}, ValueError, "accept must be above 0"),
        (
            {"groups": [1, 1]},
            ValueError,
            "groups and confidence must have the same number of items, got 2",
        ),
        (
            {"groups": [1, 1, 2, 2], "max_group_size": 1},
            ValueError,
            r"max_group_size must be at least 2 \(the size of the largest group\),",
        ),
    ],
)
def test_refusals_of_pilots(arguments, error, message):
    with pytest.raises(error, match=message):
        plan(*PAIR, **{"max_error_rate": 0.2, **arguments})
    with pytest.raises(ValueError, match="too low to accept any of the pilot"):
        plan([0, 1], [2, 1], max_error_rate=0.2)
