"""Which model is best for which ratios of costs, each at its own best threshold."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import reference_verification as slow
from hypothesis import given
from hypothesis import strategies as st
from priced import people, points_of, sweeps

import fastarac as fa
from fastarac.datasets import load_digits_ocr

GAMMAS = [0.0, 0.02, 0.5, 4.0]
DELTAS = [-1.0, -0.5, 0.0, 0.05, 1.0, 500.0]


@pytest.mark.slow
@given(st.lists(sweeps(), min_size=1, max_size=3), st.none() | people)
def test_by_definition(given_sweeps, rates):
    models = {f"model {j}": sweep for j, sweep in enumerate(given_sweeps)}
    reviewer = None if rates is None else fa.Reviewer(*rates)
    found = fa.costs.preference_map(models, gammas=GAMMAS, deltas=DELTAS, reviewer=reviewer)
    assert found.names == tuple(models)
    assert found.performance.shape == (len(models), len(GAMMAS), len(DELTAS))
    assert found.best.shape == found.margin.shape == (len(GAMMAS), len(DELTAS))
    points = [points_of(sweep) for sweep in given_sweeps]
    for g, gamma in enumerate(GAMMAS):
        for d, delta in enumerate(DELTAS):
            exact = [slow.best_performance(p, gamma, delta, *(rates or ())) for p in points]
            size = 1 + gamma + abs(delta)
            assert found.performance[:, g, d] == pytest.approx(
                [float(value) for value in exact], rel=1e-12, abs=1e-13 * size
            )
            *_, runner_up, winner = [-math.inf, *sorted(exact)]
            margin = math.inf if len(exact) == 1 else float(winner - runner_up)
            assert found.margin[g, d] == pytest.approx(margin, rel=1e-9, abs=1e-12 * size)
            alike = [j for j, value in enumerate(exact) if value == winner]
            if all(winner - value > 1e-9 * size for value in exact if value != winner):
                assert found.best[g, d] == alike[0]
            if len(alike) > 1:
                assert found.margin[g, d] == 0.0


def test_each_model_at_its_own_best_threshold():
    sweeps = [fa.threshold_sweep(*items) for items in load_digits_ocr().values()]
    found = fa.costs.preference_map(load_digits_ocr(), gammas=GAMMAS, deltas=DELTAS)
    for g, gamma in enumerate(GAMMAS):
        for d, delta in enumerate(DELTAS):
            costs = fa.VerificationCosts.from_ratios(gamma, delta)
            for m, sweep in enumerate(sweeps):
                point = fa.costs.optimal_operating_point(sweep, costs=costs)
                assert found.performance[m, g, d] == pytest.approx(costs.performance(point), rel=1e-12)


def test_items_and_sweeps_are_the_same():
    data = load_digits_ocr()
    sweeps = {name: fa.threshold_sweep(*items) for name, items in data.items()}
    mixed = {**data, "svm-rbf": sweeps["svm-rbf"]}
    whole = fa.costs.preference_map(data, gammas=GAMMAS, deltas=DELTAS)
    for models in (sweeps, mixed, {name: list(items) for name, items in data.items()}):
        assert np.array_equal(
            fa.costs.preference_map(models, gammas=GAMMAS, deltas=DELTAS).performance, whole.performance
        )


def test_of_equal_models_the_first():
    sweep = fa.threshold_sweep([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
    twice = fa.ThresholdSweep.from_counts([5, 4, 3, 2, 1], [2, 2, 0, 2, 0], [0, 0, 2, 0, 2])
    found = fa.costs.preference_map({"a": sweep, "b": twice, "c": sweep}, gammas=GAMMAS, deltas=DELTAS)
    assert (found.best == 0).all()
    assert (found.margin == 0).all()


def test_errors_that_cost_nothing_make_all_models_alike():
    """Where C_E = 0 everything is accepted, and W = γ + 1 whatever the model and the rounding."""
    found = fa.costs.preference_map(load_digits_ocr(), gammas=np.linspace(0, 2, 60), deltas=[-1.0, 0.0])
    assert (found.best[:, 0] == 0).all()
    assert (found.margin[:, 0] == 0).all()
    assert (found.margin[:, 1] > 0).all()


def test_one_model():
    found = fa.costs.preference_map({"only": ([1, 0], [0.9, 0.1])}, gammas=[1], deltas=[0, 2])
    assert found.best.tolist() == [[0, 0]]
    assert found.margin.tolist() == [[math.inf, math.inf]]


def test_where_verifying_is_dear_the_most_accurate_model_wins():
    """From γ = δ on everything is accepted, and only the recognition rate is left to differ."""
    found = fa.costs.preference_map(load_digits_ocr(), gammas=[2.0, 5.0, 100.0], deltas=[0.0, 1.0, 2.0])
    assert [found.names[index] for index in found.best.flat] == ["svm-rbf"] * 9


def test_frozen():
    found = fa.costs.preference_map(load_digits_ocr(), gammas=[0.1, 1], deltas=[1, 2])
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.best = None
    with pytest.raises(ValueError, match="read-only"):
        found.performance[0, 0, 0] = 2.0


def test_printed():
    text = str(fa.costs.preference_map(load_digits_ocr(), gammas=[0.1, 1], deltas=[1, 2, 30]))
    lines = text.splitlines()
    assert lines[0] == "6 pairs of ratios: gamma from 0.1 to 1, delta from 1 to 30"
    assert lines[1].startswith("svm-rbf        best at ")
    assert lines[1].endswith("% of them")
    assert len(lines) == 5


ONE = {"a": ([1, 0], [0.9, 0.1])}


@pytest.mark.parametrize(
    ("models", "gammas", "deltas", "error", "message"),
    [
        (
            [([1], [1])],
            [1],
            [1],
            TypeError,
            r"models must be a mapping of names to \(correct, conf.*, got a list",
        ),
        ({}, [1], [1], ValueError, "models must have at least 1 entry, got 0"),
        (
            {"a": [1, 0, 1, 1]},
            [1],
            [1],
            TypeError,
            r"models\['a'\] must be \(correct.*, got a list of 4",
        ),
        ({"a": 3}, [1], [1], TypeError, r"models\['a'\] must be \(correct, confidence\) or a"),
        ({"a": ([1, 2], [0.9, 0.1])}, [1], [1], ValueError, r"correct\[1\] must .*got 2"),
        (ONE, [], [1], ValueError, "gammas is empty; give at least one ratio"),
        (ONE, [1], [], ValueError, "deltas is empty; give at least one ratio"),
        (ONE, [-1, 1], [1], ValueError, r"gammas\[0\] must .*got -1.0"),
        (ONE, [1], [0, -1.5], ValueError, r"deltas\[1\] must .*got -1.5"),
        (ONE, [1, math.inf], [1], ValueError, r"gammas\[1\] must be a finite number.*, got inf"),
        (ONE, [1], [math.nan], ValueError, r"deltas\[0\] must be a finite number.*, got nan"),
        (ONE, [1, 3, 3], [1], ValueError, r"increasing, got 3\.0 after 3\.0 at index 2"),
        (ONE, [1], [2, 1], ValueError, r"increasing, got 1\.0 after 2\.0 at index 1"),
        (ONE, 1, [1], ValueError, r"gammas must .*got (shape )?\(\)"),
        (ONE, ["x"], [1], TypeError, "gammas has type"),
    ],
)
def test_refused(models, gammas, deltas, error, message):
    with pytest.raises(error, match=message):
        fa.costs.preference_map(models, gammas=gammas, deltas=deltas)


def test_extreme_ratios_warn_of_nothing():
    found = fa.costs.preference_map(
        load_digits_ocr(), gammas=[0.0, 1e-300, 1e300], deltas=[-1.0, 0.0, 1e-300, 1e300]
    )
    assert np.isfinite(found.performance).all()


def test_a_reviewer_is_required_to_be_one():
    with pytest.raises(TypeError, match=r"reviewer must be a Reviewer, got 0.5 \(float\)"):
        fa.costs.preference_map(ONE, gammas=[1], deltas=[1], reviewer=0.5)
