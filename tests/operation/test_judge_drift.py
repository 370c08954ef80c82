"""A judge against frozen anchors: p-values by counting orders, and how often a false alarm comes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac.operation.judged_releases import _factor
from tests.commands import reason, run


def by_orders(differs):
    """The share of all orders of each anchor's results in which the last release differs as often."""
    n, t = len(differs), len(differs[0])
    of_anchor = []
    for row in differs:
        places = list(combinations(range(t), sum(row)))
        of_anchor.append([int(t - 1 in chosen) for chosen in places])
    at_least = sum(row[-1] for row in differs)
    orders = [sum(each) for each in product(*of_anchor)]
    assert n
    return Fraction(sum(each >= at_least for each in orders), len(orders))


@given(
    st.integers(2, 3).flatmap(
        lambda t: st.lists(st.lists(st.integers(0, 1), min_size=t, max_size=t), min_size=1, max_size=6)
    )
)
def test_pvalues_are_shares_of_all_orders(differs):
    correct = np.arange(len(differs)) % 3 > 0
    calls = {k: correct ^ np.array([row[k] for row in differs], bool) for k in range(len(differs[0]))}
    last = fa.operation.judge_drift(correct, calls).releases[-1]
    assert last.pvalue == pytest.approx(float(by_orders(differs)), rel=1e-12)
    assert last.worse == sum(row[-1] > row[0] for row in differs)
    assert last.better == sum(row[-1] < row[0] for row in differs)


def test_figures_are_those_of_the_table():
    correct = [1] * 70 + [0] * 30
    calls = [1] * 63 + [0] * 7 + [0] * 24 + [1] * 6
    (only,) = fa.operation.judge_drift(correct, {"v1": calls}).releases
    assert only.agreement == pytest.approx(0.87)
    assert (only.errors_found, only.false_alarms) == (0.8, 0.1)
    assert only.kappa == pytest.approx(fa.cohen_kappa_score(correct, calls))
    assert (only.worse, only.better, only.pvalue, only.evidence) == (0, 0, 1.0, 1.0)
    every = fa.operation.judge_drift([1, 1], {"v1": [1, 1]}).releases[0]
    assert math.isnan(every.errors_found)
    assert math.isnan(every.kappa)


@pytest.mark.parametrize("p", [1e-12, 0.001, 0.05, 0.5, 0.9, 0.9995, 1.0 - 1e-7, 1.0])
def test_evidence_is_an_integral(p):
    kappa = (np.arange(200_000) + 0.5) / 200_000
    assert _factor(p) == pytest.approx(np.mean(kappa * p ** (kappa - 1.0)), rel=1e-3)


def test_a_judge_that_does_not_change_is_seldom_alarmed_about():
    """Random judges of unequal anchors over twelve releases: at most δ and two standard errors."""
    rng, alarms, runs = np.random.default_rng(7), 0, 500
    for _ in range(runs):
        correct = rng.random(150) < 0.7
        chance = rng.beta(0.4, 2.0, 150)
        calls = {t: correct ^ (rng.random(150) < chance) for t in range(12)}
        alarms += fa.operation.judge_drift(correct, calls, failure_probability=0.1).alarm
    assert alarms / runs <= 0.1 + 2 * math.sqrt(0.1 * 0.9 / runs)
    fixed = dict.fromkeys(range(50), correct)  # a judge without chance never loses or gains evidence
    assert fa.operation.judge_drift(correct, fixed).releases[-1].evidence == 1.0


def test_a_judge_that_gets_worse_is_noticed():
    rng, noticed = np.random.default_rng(8), 0
    for _ in range(100):
        correct = rng.random(400) < 0.7
        calls = {t: correct ^ (rng.random(400) < (0.08 if t < 2 else 0.16)) for t in range(4)}
        found = fa.operation.judge_drift(correct, calls)
        noticed += found.alarm_at in (2, 3)
    assert noticed >= 90


@pytest.mark.parametrize(
    ("correct", "releases", "message"),
    [
        ([1, 2], {"v1": [1, 0]}, r"correct\[1\] must be 0 or 1, got 2"),
        ([1, 0], {"v1": [1, 0, 1]}, r"releases\['v1'\] has 3 items and correct has 2"),
        ([1, 0], {"v1": [1, math.nan]}, r"releases\['v1'\]"),
        ([1, 0], {}, "releases is empty"),
        ([], {"v1": []}, "correct is empty"),
    ],
)
def test_what_is_refused(correct, releases, message):
    with pytest.raises(ValueError, match=message):
        fa.operation.judge_drift(correct, releases)


def test_a_gate_on_the_command_line(tmp_path):
    rng, path = np.random.default_rng(1), tmp_path / "anchors.csv"
    correct = rng.random(400) < 0.8
    calls = [correct ^ (rng.random(400) < share) for share in (0.08, 0.08, 0.25)]
    rows = zip(correct.astype(int), *(each.astype(int) for each in calls), strict=True)
    path.write_text("\n".join(["correct,v1,v2,v3", *(",".join(map(str, row)) for row in rows), ""]))
    good = run("drift", path, "--release", "v1", "--release", "v2")
    assert good.stdout.startswith("No drift is shown: v2 agrees with people on ")
    bad = run("drift", path, "--release", "v1", "--release", "v2", "--release", "v3", code=1)
    assert bad.stdout.startswith("Drift: since v3, the judge agrees less than before (95% sure)")
    assert "evidence" in bad.stdout
    assert "v4" in reason("drift", path, "--release", "v4")
