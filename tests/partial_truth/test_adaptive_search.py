"""The step-by-step search: what it bets is fair, exactly, and what it is told counts in its order."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from fastarac import _kernels
from fastarac.partial_truth import AdaptiveThresholdSearch, adaptive_search
from fastarac.partial_truth.sequential_plan import plan_of_any, plan_of_budget

pytestmark = pytest.mark.interpreted

CASES = [
    ({"max_error_rate": 0.25}, [0, 0, 1, 0, 1], None),
    ({"max_error_rate": 0.25}, [1, 1, 0, 0, 0], None),
    ({"max_error_rate": 0.25}, [1, 0, 0, 0, 1], [0.1, 0.9, 0.9, 0.9, 1.0]),
    ({"max_error_rate": 0.25, "budget": 4}, [0, 1, 0, 0, 1], None),
    ({"max_risk": 0.3}, [0, 1, 0, 1, 0], None),
    ({"max_risk": 0.3, "budget": 3}, [0, 0, 1, 0, 1], None),
    ({"max_risk": 0.3}, [1, 0, 0, 0, 0], [1.0, 0.0, 0.5, 0.5, 0.5]),
]


def searches(limit, wrong, judge, failure, monkeypatch):
    """A search for each order of the outputs, with the probability of that order."""
    densities = []
    for order in itertools.permutations(range(len(wrong))):
        clock = np.argsort(order).astype(float)

        def clocks(_, density, clock=clock):
            densities[:] = [Fraction(float(each)) for each in density]
            return clock

        monkeypatch.setattr(adaptive_search, "_clocks", clocks)
        search = AdaptiveThresholdSearch(
            np.linspace(1.0, 0.5, len(wrong)), judge=judge, failure_probability=failure,
            random_state=0, **limit
        )  # fmt: skip
        probability, left = Fraction(1), sum(densities)
        for i in order:
            probability *= densities[i] / left
            left -= densities[i]
        yield search, order, probability


def capital_of(search, k, order, wrong, steps, start):
    """What the bets on candidate k come to, from after `start` to so many outputs of the order."""
    kernels = _kernels.adaptive_search
    _, enough, mass, cell, clock, density, _ = search._outputs
    run = np.zeros(6)
    kernels.begin_run(k, mass, search._money, run)
    places = np.array([np.flatnonzero(search._items == i)[0] for i in order], np.int64)
    verdict = np.array(wrong, np.int64)[search._items]
    kernels.bet_on(
        k, float(steps), enough[k], cell, clock, density, verdict, places, len(wrong), search._plan,
        np.array([np.inf, 1.0, start]), run,
    )  # fmt: skip
    return Fraction(float(run[kernels.CAPITAL]))


@pytest.mark.compiled
@pytest.mark.parametrize(("limit", "wrong", "judge"), CASES)
def test_capital_does_not_grow_on_average(limit, wrong, judge, monkeypatch):
    """Over all orders: of each candidate that breaks the limit, and how often one is accepted.

    With one error too many exactly, capital stays the same on average: the bets lose nothing either.
    """
    failure, n = 0.4, len(wrong)
    total, failed, grown = Fraction(0), Fraction(0), False
    mean = [[Fraction(0)] * (n + 1) for _ in range(n)]
    mean_of_later = [[Fraction(0)] * (n + 1) for _ in range(n)]
    for search, order, probability in searches(limit, wrong, judge, failure, monkeypatch):
        total += probability
        errors = np.cumsum(wrong)[search._sizes - 1]
        share = next(iter(limit.values()))
        allowed = [share * (n if "max_error_rate" in limit else int(m)) for m in search._sizes]
        broken = np.flatnonzero(errors > allowed)
        assert len(broken)
        for k, steps in itertools.product(broken, range(n + 1)):
            capital = capital_of(search, k, order, wrong, steps, -1.0)
            grown |= capital > 1
            mean[k][steps] += probability * capital
            later = capital_of(search, k, order, wrong, steps, 1.0)  # without the first two outputs
            mean_of_later[k][steps] += probability * later
            assert steps > 2 or later == 1
        is_broken = False
        for _ in range(n):
            index = search.ask()
            search.tell(index, [not wrong[index[0]]])
            is_broken |= search._candidate in broken
        failed += probability * is_broken
    assert total == 1
    assert grown
    for found in (mean, mean_of_later):
        assert max(map(max, found)) <= 1 + Fraction(1, 10**12)
        for k in np.flatnonzero(errors == search._enough):
            assert min(found[k][:4]) >= 1 - Fraction(1, 10**12)
    assert failed <= Fraction(failure)


@pytest.mark.parametrize(
    ("failure", "plan", "price"), [(0.05, (0.5, 1.5), 1.45), (0.3, (0.25, 1.2), 1.75)]
)
def test_the_plan_against_a_recursion(failure, plan, price):
    """Chances by small steps in which an error comes or does not, and the sum of what is spent."""
    step = _kernels.adaptive_search.STEP
    later, spending = plan
    plan = np.exp(plan_of_any(failure, later, spending))
    most = len(plan) - 3
    assert 0.95 * failure < plan[0, 0] <= failure
    accepted = [int(np.argmax(row >= 1.0)) for row in plan[: most + 1]]
    expected = np.full(most + 2, later * failure / (most + 1) ** spending)
    for t in range(max(accepted), -1, -1):
        once = expected + step * np.append(np.diff(expected), 0.0)
        twice = once + step * np.append(np.diff(once), 0.0)
        expected = 0.5 * (expected + twice)  # of second order in the step
        expected[:-1][np.array(accepted) <= t] = 1.0
        if t % 50 == 0:
            np.testing.assert_allclose(plan[: most + 1, t], expected[:-1], rtol=0.005)
    # without errors, what is spent on none
    assert step * accepted[0] == pytest.approx(-np.log((1 - later) * failure), abs=2 * step)
    # so many times the answers of one look with as many errors, at most
    once = step * np.array(accepted) / price
    assert (stats.poisson.cdf(np.arange(most + 1), once) > failure).all()


@pytest.mark.parametrize("failure", [0.01, 0.3])
@pytest.mark.parametrize(("horizon", "spending"), [(7.0, (0.95, 5.0, 2.0)), (1.0, (0.8, 0.5, 1.0))])
def test_the_plan_of_a_budget_spends_no_more_than_it_may(failure, horizon, spending):
    """Errors at the limit, by small steps: how many are accepted by when."""
    step = _kernels.adaptive_search.STEP
    plan = np.exp(plan_of_budget(failure, horizon, *spending))
    most = len(plan) - 3
    accepted = np.array([int(np.argmax(row >= 1.0)) for row in plan[: most + 1]])
    before, rise, fall = spending
    left, spent = np.zeros(most + 2), 0.0
    left[0] = 1.0
    closest = 0.0
    for t in range(accepted.max() + 1):
        ending = np.append(accepted <= t, False)
        spent += left[ending].sum()
        left[ending] = 0.0
        time = step * t
        allowed = failure * (
            before * (time / horizon) ** rise
            if time < horizon
            else 1 - (1 - before) * (horizon / time) ** fall
        )
        assert spent <= 1.005 * allowed
        closest = max(closest, spent / allowed if ending.any() and allowed else 0.0)
        once = left + step * (np.append(0.0, left[:-1]) - left)
        twice = once + step * (np.append(0.0, once[:-1]) - once)
        left = 0.5 * (left + twice)  # of second order in the step; what leaves the end is of no weight
    assert closest > 0.98  # nothing is left unused
    assert plan[0, 0] == pytest.approx(failure, rel=0.01)
    assert plan[-1, 0] == pytest.approx(failure - spent, abs=0.005 * failure)


@pytest.mark.slow
def test_a_budget_pays_where_it_is_spent():
    """More is accepted with so many answers, and less with a tenth of them."""
    rng = np.random.default_rng(8)
    confidence = rng.random(5_000)
    correct = rng.random(5_000) > 0.3 * (1 - confidence) ** 4
    shares = np.empty((3, 12))
    for k in range(12):
        for row, (budget, answers) in enumerate([(None, 300), (300, 300), (3_000, 300)]):
            search = AdaptiveThresholdSearch(
                confidence, max_error_rate=0.02, budget=budget, random_state=k
            )
            while search.n_verified < answers:
                indices = search.ask(100)
                search.tell(indices, correct[indices])
            shares[row, k] = search.acceptance_rate
    anyhow, known, too_early = shares.mean(axis=1)
    assert known > anyhow + 0.005
    assert too_early < anyhow
    with pytest.raises(ValueError, match="budget must be an integer of at least 1, got 0"):
        AdaptiveThresholdSearch(confidence, max_error_rate=0.02, budget=0)


def test_capital_without_an_error():
    """Of ten outputs without an error: the bets are the chances that the plan leaves after one."""
    search = AdaptiveThresholdSearch(
        np.zeros(10), max_error_rate=0.5, failure_probability=0.001, random_state=3
    )
    plan, step = np.exp(plan_of_any(0.001, 0.5, 1.5)), _kernels.adaptive_search.STEP
    capital, progress = 1.0, 0.0
    for left in (10, 9, 8):
        limit = 6 / left
        kept = plan[1, int(progress / step)] / plan[0, int(progress / step)]
        capital *= (1 - kept * limit) / (1 - limit)
        progress -= np.log(1 - limit)
        search.tell(search.ask(), [True])
        assert search._run[_kernels.adaptive_search.CAPITAL] == pytest.approx(capital, rel=1e-12)


def test_answers_without_an_error():
    """All is accepted with little more answers than the plan needs, a share of it with that share."""
    confidence = np.arange(20_000) / 20_000
    search = AdaptiveThresholdSearch(confidence, max_error_rate=0.02, random_state=5)
    needed = np.log(1 / (0.5 * 0.05)) / -np.log(1 - 0.02)
    while search.acceptance_rate < 1.0:
        search.tell(search.ask(), [True])
        if search.n_verified % 40 == 0 and search.acceptance_rate < 0.9:
            assert 0.85 < search.acceptance_rate * needed / search.n_verified <= 1.02
    assert search.done
    needed *= search._outputs[2][-1] / len(confidence)  # the mean density
    assert 0.98 * needed < search.n_verified < 1.15 * needed


def test_batches_are_asked_as_if_all_were_right(outputs):
    confidence, _ = outputs
    for limit in ({"max_error_rate": 0.05}, {"max_risk": 0.05}):
        one, other = (AdaptiveThresholdSearch(confidence, random_state=2, **limit) for _ in range(2))
        asked = []
        for _ in range(90):
            asked += other.ask().tolist()
            other.tell(asked[-1], [True])
        assert one.ask(60).tolist() + one.ask(30).tolist() == asked


def test_the_next_output_comes_as_its_density():
    clock = adaptive_search._clocks(np.random.default_rng(0), np.tile([1.0, 3.0], 40_000))
    assert np.mean(clock[1::2] < clock[::2]) == pytest.approx(0.75, abs=0.008)  # 5 standard errors


def test_what_a_candidate_is_chosen_by_is_not_bet_on():
    """With `max_risk`, bets begin after the answers that choose a candidate, with what is left."""
    kernels = _kernels.adaptive_search
    confidence = np.arange(300) / 300
    correct = (confidence > 0.7) | (np.random.default_rng(7).random(300) > 0.1)
    search = AdaptiveThresholdSearch(confidence, max_risk=0.05, random_state=1)
    start, capital, left = -1.0, 1.0, [1.0]
    for _ in range(30):
        index = search.ask()
        search.tell(index, correct[index])
        if search._money[kernels.START] != start:
            start = search._money[kernels.START]
            assert start == search._outputs[4][search._places].max()
            assert search._run[kernels.CAPITAL] == search._money[kernels.BEGINNING] <= capital
            left.append(search._money[kernels.BEGINNING])
        capital = search._run[kernels.CAPITAL] if start >= 0.0 else 1.0
    assert left[1] == 1.0
    assert len(left) == 4
    assert left[3] < left[2] < 0.5


def test_a_proof_that_failed_is_taken_back():
    """Known errors never exceed the limit, though one proof in two may fail."""
    confidence, taken_back = np.arange(30) / 30, 0
    correct = np.random.default_rng(0).random(30) > 0.25
    for seed in range(8):
        search = AdaptiveThresholdSearch(
            confidence, max_error_rate=0.1, failure_probability=0.5, random_state=seed
        )
        known, before = np.ones(30, bool), 0.0
        while search.n_verified < 30:
            index = search.ask()
            search.tell(index, correct[index])
            known[index] = correct[index]
            assert (~known[confidence >= search.threshold]).sum() <= 3
            taken_back += search.acceptance_rate < before
            before = search.acceptance_rate
    assert taken_back


def test_an_error_counts_as_its_density():
    judge = np.linspace(1.0, 0.0, 50)
    search = AdaptiveThresholdSearch(
        np.arange(50) / 50, max_error_rate=0.01, judge=judge, random_state=0
    )
    search.tell(search.ask(), [False])
    density = search._outputs[5][search._places[0]]
    assert density > 1.0
    assert search._run[_kernels.adaptive_search.FOUND] == 1.0 / density


def test_a_bad_judge_costs_a_quarter_more():
    density = adaptive_search._densities(np.repeat([0.0, 1.0], 500), 0.02)
    assert density.min() == 1.0
    assert density.mean() == pytest.approx(1.25)


def run_to(search, correct, labels, batch=10):
    while search.n_verified < labels and not search.done:
        indices = search.ask(batch)
        search.tell(indices, correct[indices])
    return search


@pytest.fixture(scope="module")
def outputs():
    rng = np.random.default_rng(0)
    confidence = rng.random(1000)
    return confidence, rng.random(1000) > 0.5 * (1 - confidence) ** 6


@pytest.mark.parametrize("criterion", ["max_error_rate", "max_risk"])
def test_all_verified(outputs, criterion):
    """With all answers, the lowest candidate within the limit is accepted."""
    confidence, correct = outputs[0][:60], outputs[1][:60].copy()
    correct[np.argsort(confidence)[:12]] = False
    search = AdaptiveThresholdSearch(confidence, random_state=2, **{criterion: 0.1})
    run_to(search, correct, 60)
    accepted = confidence >= search.threshold
    wrong = int((accepted & ~correct).sum())
    assert wrong <= 0.1 * (60 if criterion == "max_error_rate" else accepted.sum())
    assert accepted.mean() == search.acceptance_rate > 0.5
    assert search.done


def test_answers_count_in_the_order_of_the_draws(outputs):
    confidence, correct = outputs
    one, other = (
        AdaptiveThresholdSearch(confidence, max_error_rate=0.05, random_state=2) for _ in range(2)
    )
    for _ in range(12):
        indices = one.ask(10)
        assert indices.tolist() == other.ask(10).tolist()
        one.tell(indices, correct[indices])
        other.tell(indices[1:], correct[indices[1:]])
        assert other.n_verified == one.n_verified - 10
        assert other.open.tolist() == [indices[0]]
        other.tell(indices[0], correct[indices[0]])
    assert one.acceptance_rate == other.acceptance_rate > 0.3
    np.testing.assert_array_equal(one._run, other._run)


def test_to_json_and_back(outputs):
    confidence, correct = outputs
    search = run_to(
        AdaptiveThresholdSearch(confidence, max_risk=0.05, judge=confidence, budget=50, random_state=4),
        correct,
        70,
    )
    indices = search.ask(10)
    search.tell(indices[4:], correct[indices[4:]])
    text = search.to_json()
    again = AdaptiveThresholdSearch.from_json(text, confidence, judge=confidence)
    assert again.to_json() == text
    np.testing.assert_array_equal(again._run, search._run)
    assert again.ask(5).tolist() == search.ask(5).tolist()
    with pytest.raises(ValueError, match="belongs to other outputs"):
        AdaptiveThresholdSearch.from_json(text, confidence[::-1], judge=confidence)
    with pytest.raises(ValueError, match="belongs to other outputs"):
        AdaptiveThresholdSearch.from_json(text, confidence)
    damaged = json.loads(text)
    damaged["batches"][1]["indices"][0] = damaged["batches"][0]["indices"][0]
    with pytest.raises(ValueError, match=r"batches\[1\] does not match the questions"):
        AdaptiveThresholdSearch.from_json(json.dumps(damaged), confidence, judge=confidence)


def test_refusals(outputs):
    confidence, _ = outputs
    search = AdaptiveThresholdSearch(confidence, max_error_rate=0.05, random_state=0)
    indices = search.ask(3)
    for given, answers, problem in (
        (
            [int(np.setdiff1d(np.arange(1000), indices)[0])],
            [True],
            r"indices must be outputs that ask\(\) returned, got",
        ),
        ([indices[0]], [0.5], r"correct\[0\] must .*got 0.5"),
        (indices, [True], "one answer for each"),
        ([indices[0], indices[0]], [True, False], "a different answer"),
    ):
        with pytest.raises(ValueError, match=problem):
            search.tell(given, answers)
    assert search.n_verified == 0
    with pytest.raises(ValueError, match="judge"):
        AdaptiveThresholdSearch(confidence, max_risk=0.1, judge=2 * confidence)
    with pytest.raises(ValueError, match="max_risk must be a number strictly between 0 and"):
        AdaptiveThresholdSearch(confidence, max_risk=1.5)
