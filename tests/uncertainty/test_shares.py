"""Verdicts on parts, and intervals of shares of items in groups."""

from __future__ import annotations

import numpy as np
import pytest

from fastarac._core.special import binomial_cdf, binomial_interval
from fastarac.areas.order import is_reversed
from fastarac.uncertainty.shares import grouped_share_interval, verdicts_of

pytestmark = pytest.mark.interpreted


def test_verdicts_are_those_of_the_interval():
    for n in (1, 20, 400, 5000):
        for errors in {0, 1, n // 100, n // 20, n // 4}:
            low, high = binomial_interval(errors, n, 0.95)
            for limit in (0.002, 0.01, 0.05, 0.3):
                expected = "holds" if high <= limit else "fails" if low > limit else "too few"
                assert verdicts_of([errors], [n], limit, 0.95) == [expected]
    assert verdicts_of([0], [0], 0.01, 0.95) == ["too few"]
    assert verdicts_of([], [], 0.01, 0.95) == []


def test_verdicts_allow_for_the_number_of_parts():
    # three of ten items wrong at a limit of 5%: sure of one part by itself, not of one among ten
    p = 1 - binomial_cdf(2, 10, 0.05)
    assert p < 0.025 < 10 * p
    assert verdicts_of([3], [10], 0.05, 0.95) == ["fails"]
    assert set(verdicts_of([3] + [0] * 9, [10] * 10, 0.05, 0.95)) == {"too few"}
    # Holm: beside a part that fails by itself, the next is tested among one part less
    assert 2 * p < 0.025
    assert verdicts_of([3, 10], [10, 10], 0.05, 0.95) == ["fails", "fails"]
    q = binomial_cdf(0, 75, 0.05)
    assert q < 0.025 < 2 * q
    assert verdicts_of([0], [75], 0.05, 0.95) == ["holds"]
    assert verdicts_of([0, 1], [75, 1], 0.05, 0.95)[0] == "too few"
    assert verdicts_of([0, 0], [75, 1000], 0.05, 0.95) == ["holds", "holds"]


def test_items_of_groups_count_as_fewer():
    right = np.repeat([True, False, True, True], 50)
    alone = binomial_interval(150, 200, 0.95)
    assert grouped_share_interval(right, None, 0.95) == alone
    low, high = grouped_share_interval(right, np.repeat(np.arange(4), 50), 0.95)
    assert low < alone[0]
    assert alone[1] < high
    # groups that are alike say as much as single items, and no more
    alike = grouped_share_interval(np.tile([True, False], 100), np.repeat(np.arange(100), 2), 0.95)
    assert alike == binomial_interval(100, 200, 0.95)


def test_reversed_is_more_than_chance():
    assert is_reversed(0.2, 500, 500)
    assert not is_reversed(0.4, 5, 5)
    assert not is_reversed(0.46, 10**6, 10**6)
    assert not is_reversed(float("nan"), 10, 0)
