"""The step-by-step search: what it bets is fair, exactly, and what it is told counts in its order."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import numpy as np
import pytest

from fastarac import _kernels
from fastarac.partial_truth import AdaptiveThresholdSearch

pytestmark = pytest.mark.interpreted


def paths(search, wrong, steps, probability=Fraction(1)):
    """All searches after so many draws one by one, with their exact probabilities."""
    if steps == 0 or search.n_verified == len(wrong):
        yield search, probability
        return
    # the densities of the next draw are those that ask would have drawn with
    trial = copy.deepcopy(search)
    trial.ask(1)
    density = [Fraction(float(each)) for each in trial._batches[-1][1]]
    left = [int(each) for each in search._total - search._drawn]
    mass = sum(d * m for d, m in zip(density, left, strict=True))
    for cell, m in enumerate(left):
        begin = int(search._begin[cell] + search._drawn[cell])
        for place in range(begin, begin + m):
            child = copy.deepcopy(trial)
            # the draw that ask made is replaced by this one
            (drawn,) = (int(child._asked[-1]),)
            child._drawn = search._drawn.copy()
            child._drawn[cell] += 1
            items = search._items.copy()
            items[[begin, place]] = items[[place, begin]]
            child._items = items
            index = int(items[begin])
            del child._position[drawn]
            child._asked[-1], child._cells[-1] = index, cell
            child._position[index] = len(child._asked) - 1
            child.tell([index], [not wrong[index]])
            yield from paths(child, wrong, steps - 1, probability * density[cell] / mass)


CASES = [
    ({"max_error_rate": 0.25}, [0, 0, 1, 0, 1], None),
    ({"max_error_rate": 0.25}, [1, 1, 0, 0, 0], None),
    ({"max_error_rate": 0.25}, [1, 0, 0, 0, 1], [0.1, 0.9, 0.9, 0.9, 1.0]),
    ({"max_risk": 0.3}, [0, 1, 0, 1, 0], None),
    ({"max_risk": 0.3}, [1, 0, 0, 0, 0], [1.0, 0.0, 0.5, 0.5, 0.5]),
]


@pytest.mark.parametrize(("limit", "wrong", "judge"), CASES)
def test_capital_does_not_grow_on_average(limit, wrong, judge, monkeypatch):
    """Over all orders of the draws: of each candidate that breaks the limit, and of passing it."""
    confidence = np.linspace(1.0, 0.5, len(wrong))
    failure = 0.4
    start = AdaptiveThresholdSearch(
        confidence, judge=judge, failure_probability=failure, random_state=0, **limit
    )
    errors = np.cumsum(wrong)[start._sizes - 1]
    of = "max_error_rate" in limit
    allowed = [
        Fraction(next(iter(limit.values()))) * (len(wrong) if of else int(m)) for m in start._sizes
    ]
    broken = np.array([e > a for e, a in zip(errors.tolist(), allowed, strict=True)])
    assert broken.any()
    grown = False
    for steps in (1, 3):
        total, mean, failed = Fraction(0), [Fraction(0)] * len(broken), Fraction(0)
        for search, probability in paths(start, wrong, steps):
            total += probability
            for k in np.flatnonzero(broken):
                mean[k] += probability * Fraction(float(search._capital[k]))
            sizes = round(search.acceptance_rate * len(wrong))
            k = int(np.searchsorted(start._sizes, sizes)) if sizes else -1
            failed += probability * bool(k >= 0 and broken[k])
            grown |= bool((search._capital != 1.0).any())
        assert total == 1
        # passed candidates keep what they have, others never grow on average
        assert all(mean[k] <= 1 + Fraction(1, 10**12) for k in np.flatnonzero(broken))
        assert failed <= Fraction(failure)
    assert grown


def test_capital_by_hand():
    """Two outputs of ten without an error: each bet is its share of the largest one."""
    search = AdaptiveThresholdSearch(
        np.zeros(10), max_error_rate=0.5, failure_probability=0.001, random_state=3
    )
    expected = np.array(_kernels.adaptive_search.SHARES)
    bets = np.array(_kernels.adaptive_search.BETS)
    for left, needed in ((10, 6), (9, 6)):
        limit = needed / left
        expected = expected * (1 + bets * limit / (1 - limit))
        search.tell(search.ask(), [True])
    np.testing.assert_allclose(search._parts[0], expected, rtol=1e-12)


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
    search = AdaptiveThresholdSearch(confidence, random_state=1, **{criterion: 0.1})
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
    np.testing.assert_array_equal(one._capital, other._capital)


def test_to_json_and_back(outputs):
    confidence, correct = outputs
    search = run_to(
        AdaptiveThresholdSearch(confidence, max_risk=0.05, judge=confidence, random_state=4),
        correct,
        70,
    )
    indices = search.ask(10)
    search.tell(indices[4:], correct[indices[4:]])
    text = search.to_json()
    again = AdaptiveThresholdSearch.from_json(text, confidence, judge=confidence)
    assert again.to_json() == text
    np.testing.assert_array_equal(again._capital, search._capital)
    assert again.ask(5).tolist() == search.ask(5).tolist()
    with pytest.raises(ValueError, match="of other outputs"):
        AdaptiveThresholdSearch.from_json(text, confidence[::-1], judge=confidence)
    with pytest.raises(ValueError, match="of other outputs"):
        AdaptiveThresholdSearch.from_json(text, confidence)
    damaged = json.loads(text)
    damaged["batches"][1]["indices"][0] = damaged["batches"][0]["indices"][0]
    with pytest.raises(ValueError, match=r"batches\[1\] is not what this search asks for"):
        AdaptiveThresholdSearch.from_json(json.dumps(damaged), confidence, judge=confidence)


def test_refusals(outputs):
    confidence, _ = outputs
    search = AdaptiveThresholdSearch(confidence, max_error_rate=0.05, random_state=0)
    indices = search.ask(3)
    for given, answers, problem in (
        ([int(np.setdiff1d(np.arange(1000), indices)[0])], [True], "was not asked for"),
        ([indices[0]], [0.5], r"correct\[0\] is 0.5"),
        (indices, [True], "one answer for each"),
        ([indices[0], indices[0]], [True, False], "another answer"),
    ):
        with pytest.raises(ValueError, match=problem):
            search.tell(given, answers)
    assert search.n_verified == 0
    with pytest.raises(ValueError, match="judge"):
        AdaptiveThresholdSearch(confidence, max_risk=0.1, judge=2 * confidence)
    with pytest.raises(ValueError, match=r"max_risk is 1\.5"):
        AdaptiveThresholdSearch(confidence, max_risk=1.5)
