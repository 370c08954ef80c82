"""Bets on groups, beside ones that begin anew at each threshold."""

from __future__ import annotations

import math

import numpy as np

from fastarac.guarantees.betting import GroupedItems, bet_on_error_rate


def proves(outcomes, largest, limit, delta):
    """Whether the capital of bets on the mean and spread so far is ever 1/δ."""
    total, squares = -limit * largest / 2, (limit * largest / 2) ** 2
    capital = 0.0
    for n, outcome in enumerate(outcomes, start=1):
        bet = min(max(-(total / n) / (squares / n), 0.0), 0.9 / ((1 - limit) * largest))
        capital += math.log1p(-bet * outcome)
        if capital >= math.log(1 / delta):
            return True
        total, squares = total + outcome, squares + outcome**2
    return False


def points_proved(group, place, wrong, sizes, n_points, limit, delta):
    for last in range(-1, n_points):
        errors = [sum(w and p <= last and g == k for g, p, w in zip(group, place, wrong, strict=True))
                  for k in range(len(sizes))]  # fmt: skip
        outcomes = [error - limit * size for error, size in zip(errors, sizes, strict=True)]
        if not proves(outcomes, max(sizes), limit, delta):
            return max(last, 0)
    return n_points


def test_points_are_those_of_bets_begun_anew(monkeypatch):
    monkeypatch.setattr("fastarac.guarantees.betting.FEW", 2)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(30):
        sizes = rng.integers(1, 4, 80)
        group = np.repeat(np.arange(80), sizes)
        place = rng.integers(12, size=len(group))
        place[:12] = np.arange(12)
        wrong = rng.random(len(group)) < rng.choice([0.0, 0.02, 0.1, 0.3])
        items = GroupedItems(group, place, wrong, sizes, int(sizes.max()))
        limit, delta = rng.choice([0.05, 0.1, 0.2]), rng.choice([0.05, 0.3])
        told = [each.tolist() for each in (group, place, wrong, sizes)]
        found.append(bet_on_error_rate(items, 12, limit, delta))
        assert found[-1] == points_proved(*told, 12, limit, delta)
    assert {0, 12} < set(found)
