"""Cascades: beside exhaustive search, beside one threshold, limits, capacities, what is refused."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_cascade import RefStage, exhaustive, outcome
from strategies import COMPILED

import fastarac as fa
from fastarac.costs import Stage, cascade_search, evaluate_cascade, optimize_cascade
from fastarac.costs.cascade_search import CascadeSearch
from fastarac.costs.stages import ErrorLimit, in_parts, read_stages

pytestmark = pytest.mark.interpreted

COSTS = fa.VerificationCosts(2, 5, 200)
N = 300 if COMPILED else 12


def model(rng, n, levels, price, strength=2.0, **options):
    """A model that is right the more often, the surer it is."""
    confidence = rng.integers(0, levels, n) / levels
    correct = rng.random(n) < 1 / (1 + np.exp(-strength * (4 * confidence - 1)))
    return RefStage(price, correct.astype(int).tolist(), confidence.tolist(), **options)


def as_stages(stages):
    """The same stages as the library takes them."""
    found = []
    for place, stage in enumerate(stages):
        share = None if stage.max_share is None else float(stage.max_share)
        people = None
        if stage.correct is None and stage.people != ("1", "0"):
            people = fa.Reviewer(*map(float, stage.people))
        found.append(
            Stage(
                f"s{place}", None if stage.price is None else float(stage.price), correct=stage.correct,
                confidence=stage.confidence, reviewer=people, max_share=share, abstains=stage.abstains,
            )
        )  # fmt: skip
    return found


def assert_as_exhaustive(stages, limit, correction="5", error="200", risk=None):
    """The library finds the thresholds that exhaustive search finds, and the same figures."""
    expected = exhaustive(stages, limit, correction, error, risk)
    options = {"max_error_rate": limit and float(limit), "max_risk": risk and float(risk)}
    options["costs"] = fa.VerificationCosts(0, float(correction), float(error))
    if expected is None:
        with pytest.raises(ValueError, match=r"no thresholds keep|leave an error rate of at least"):
            optimize_cascade(as_stages(stages), **options)
        return None
    found = optimize_cascade(as_stages(stages), **options)
    thresholds, figures = expected
    assert found.exact
    assert found.decided == figures.decided
    assert found.reached == figures.reached
    assert found.cost == pytest.approx(float(figures.cost), rel=1e-12)
    assert found.error_rate == pytest.approx(float(figures.errors), rel=1e-12)
    if found.acceptance_rate:
        assert found.risk == figures.wrong / round(found.acceptance_rate * found.n_items)
    # the thresholds are those that come first, too, and "nothing" is inf
    assert outcome(stages, found.thresholds[:-1], correction, error) == figures
    models = [s for s, stage in enumerate(stages[:-1]) if stage.correct is not None]
    assert [found.thresholds[s] for s in models] == [thresholds[s] for s in models]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_three_stages_of_thirty_cells_beside_exhaustive_search(seed):
    rng = np.random.default_rng(seed)
    two = model(rng, 60, 30, "0.1"), model(rng, 60, 30, "1.5", 3.0)
    assert_as_exhaustive([*two, RefStage("20")], "0.05")
    one = two[0], RefStage("3", people=("0.9", "0.01"))
    assert_as_exhaustive([*one, RefStage("20")], (None, "0.05")[seed % 2])


@pytest.mark.parametrize("seed", range(3))
def test_four_stages_with_capacities_beside_exhaustive_search(seed):
    rng = np.random.default_rng(seed)
    stages = [
        model(rng, 40, 7, "0.1"),
        model(rng, 40, 7, "1.5", 3.0, max_share=("0.6", None)[seed % 2]),
        RefStage("4", people=("0.8", "0.02"), max_share="0.2"),
        RefStage("15", people=("0.99", "0"), max_share=("0.5", "0.25")[seed % 2]),
    ]
    assert_as_exhaustive(stages, ("0.05", None, "0.1")[seed])
    between = [stages[0], stages[2], stages[1]._replace(max_share=None), RefStage("15")]
    assert_as_exhaustive(between, "0.1")
    engines = [stages[0], stages[1]._replace(max_share=None), model(rng, 40, 7, "4", 4.0)]
    assert_as_exhaustive(engines, (None, "0.12", "0.2")[seed])


@st.composite
def cascades(draw):
    n = draw(st.integers(2, 9))
    levels = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    labels = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    rate = st.sampled_from(["1", "0.9", "0.5", "0"])
    stages = []
    for place in range(draw(st.integers(2, 4))):
        price = draw(st.sampled_from(["0", "0.1", "1", "3"]))
        share = draw(st.sampled_from([None, None, None, "0.5", "0.3"]))
        if place == 0 or draw(st.booleans()):
            confidence = draw(levels.filter(lambda values: len(set(values)) > 1))
            floats = [level / 3 for level in confidence]
            stages.append(RefStage(price, draw(labels), floats, max_share=share if place else None))
        else:
            people = draw(rate), draw(st.sampled_from(["0", "0", "0.25"]))
            stages.append(RefStage(price, people=people, max_share=share))
    limit = draw(st.sampled_from([None, "0", "0.1", "0.25", "0.5"]))
    return stages, limit


@settings(max_examples=60)
@given(cascades(), st.sampled_from([("1", "3"), ("5", "200"), ("0.1", "0.3")]))
def test_any_cascade_beside_exhaustive_search(cascade, prices):
    assert_as_exhaustive(*cascade, *prices)


@settings(max_examples=60)
@given(
    cascades(),
    st.sampled_from([None, "0", "0.25", "0.5"]),
    st.sampled_from([None, "0", "2"]),
    st.booleans(),
)
def test_any_cascade_that_abstains_or_limits_the_risk_beside_exhaustive_search(
    cascade, risk, price, people
):
    stages, limit = cascade
    if stages[-1].correct is not None or not people:
        stages = [*stages[:-1], RefStage(price, abstains=True, max_share=stages[-1].max_share)]
    assert_as_exhaustive(stages, None if risk else limit, risk=risk)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=30).filter(
        lambda items: len({level for _, level in items}) > 1
    ),
    st.sampled_from([(2, 5, 200), (0.1, 0.1, 0.3), (1, 2, 3), (0.3, 0.1, 0.7), (0, 1, 0)]),
    st.sampled_from([None, fa.Reviewer(0.9, 0.005), fa.Reviewer(0.3, 0.4)]),
)
def test_one_model_before_people_is_the_cheapest_threshold_to_the_last_bit(items, prices, people):
    correct, level = map(list, zip(*items, strict=True))
    confidence = [each / 8 for each in level]
    costs = fa.VerificationCosts(*prices)
    stages = [
        Stage("model", 0, correct=correct, confidence=confidence),
        Stage("people", None, reviewer=people),
    ]
    point = fa.costs.optimal_operating_point(correct, confidence, costs=costs, reviewer=people)
    found = optimize_cascade(stages, costs=costs)
    assert found.thresholds == (point.threshold, -math.inf)
    assert found.cost == costs.cost(point)
    assert found.error_rate == point.error_rate
    assert found.correction_rate == point.correction_rate
    assert found.acceptance_rate == point.acceptance_rate
    # the search over cells, which limits and more stages take, agrees
    searched = CascadeSearch(read_stages(stages, costs)).cheapest(None).thresholds
    cost = evaluate_cascade(stages, thresholds=searched, costs=costs).cost
    assert cost == pytest.approx(found.cost, rel=1e-12)


def correlated(n, seed=0, people=1):
    """Three models on items that are hard for all of them, before people."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n)
    stages = []
    for place, (skill, price) in enumerate(((1.5, 0.1), (2.0, 1.0), (2.6, 3.0))):
        z = skill - 0.8 * hard + 0.6 * rng.normal(size=n)
        right = rng.random(n) < 1 / (1 + np.exp(-2.2 * z))
        confidence = 1 / (1 + np.exp(-(z + 0.4 * rng.normal(size=n))))
        stages.append(Stage(f"m{place}", price, correct=right, confidence=confidence))
    clerk = [Stage("clerk", 12, reviewer=fa.Reviewer(0.9, 0.002), max_share=0.2)]
    return [*stages, *clerk[: people - 1], Stage("expert", 40)]


@pytest.mark.skipif(not COMPILED, reason="needs many thresholds")
@pytest.mark.parametrize("limit", [None, 0.002, 0.02])
def test_a_grid_costs_little_more_than_all_thresholds(limit):
    stages = read_stages(correlated(1500)[1:], COSTS)
    every = CascadeSearch(stages, every=1 << 22)
    assert every.exact
    coarse = CascadeSearch(stages, every=0)
    given = limit and ErrorLimit(limit, of_accepted=False)
    best, near = (
        evaluate_cascade(stages.stages, thresholds=search.cheapest(given).thresholds, costs=COSTS).cost
        for search in (every, coarse)
    )
    assert best <= near * (1 + 1e-12)
    assert near <= 1.02 * best


@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
def test_items_in_another_order_and_items_twice_have_the_same_thresholds():
    stages = correlated(N, people=2)
    order = np.random.default_rng(1).permutation(N)

    def taking(rows):
        return [
            each
            if each.correct is None
            else Stage(
                each.name, each.price, correct=each.correct[rows], confidence=each.confidence[rows]
            )
            for each in stages
        ]

    options = {"max_error_rate": 0.1, "costs": COSTS}
    found = optimize_cascade(stages, **options)
    assert optimize_cascade(taking(order), **options) == found
    promised = {**options, "failure_probability": 0.1}
    assert optimize_cascade(taking(order), **promised) == optimize_cascade(stages, **promised)
    twice = optimize_cascade(taking(np.repeat(order, 2)), **options)
    assert twice.cost == pytest.approx(found.cost)


@pytest.mark.parametrize("limit", [None, 0.05])
def test_items_that_are_summed_up_have_the_same_thresholds(monkeypatch, limit):
    stages = read_stages(correlated(2000 if COMPILED else 80), COSTS)
    given = limit and ErrorLimit(limit, of_accepted=False)
    first, finer = (1 << 12, 1 << 9) if COMPILED else (64, 27)
    monkeypatch.setattr(cascade_search, "PAIRED", finer)
    one_by_one = CascadeSearch(stages, 0, first, finer).cheapest(given)
    monkeypatch.setattr(cascade_search, "FEW", 10)
    assert CascadeSearch(stages, 0, first, finer).cheapest(given) == one_by_one
    assert not one_by_one.exact
    assert one_by_one.excess == 0


def test_whole_numbers_beyond_doubles_and_integers_keep_their_order():
    confidence = 2**60 + np.arange(6)
    correct = [0, 0, 0, 1, 1, 1]
    stages = [Stage("model", 0, correct=correct, confidence=confidence), Stage("people", 3)]
    for costs in (None, COSTS):
        found = optimize_cascade(stages, max_error_rate=0.0, costs=costs)
        assert found.thresholds[0] == 2**60 + 3
    assert optimize_cascade(stages, costs=COSTS).thresholds[0] == 2**60 + 3
    assert found.apply([confidence]).tolist() == [1, 1, 1, 0, 0, 0]
    again = evaluate_cascade(stages, thresholds=found, costs=COSTS)
    assert (again.decided, again.cost) == (found.decided, found.cost)


def test_apply_needs_later_models_for_what_gets_there_alone():
    stages = correlated(N, people=2)
    found = optimize_cascade(stages, max_error_rate=0.05, costs=COSTS)
    given_all = {each.name: each.confidence.copy() for each in stages if each.confidence is not None}
    decided = found.apply(given_all)
    assert np.bincount(decided, minlength=5).tolist() == list(found.decided)
    assert found.apply(list(given_all.values())).tolist() == decided.tolist()
    waiting = found.apply({"m0": given_all["m0"]})
    assert set(waiting) == {0, 1}
    assert ((waiting == 0) == (decided == 0)).all()
    given_all["m1"][waiting == 0] = np.nan
    assert found.apply(given_all).tolist() == decided.tolist()
    given_all["m1"][np.flatnonzero(waiting == 1)[0]] = np.inf
    with pytest.raises(ValueError, match="confidence of 'm1' must be finite for each item"):
        found.apply(given_all)
    with pytest.raises(ValueError, match="must have keys among m0, m1, m2, got 'clerk'"):
        found.apply({"m0": [0.5], "clerk": [0.5]})
    with pytest.raises(ValueError, match="'m0', the first stage"):
        found.apply({"m1": [0.5]})
    with pytest.raises(ValueError, match="have 1 items like the others, got 2"):
        found.apply([[0.1], [0.1, 0.2], [0.3]])
    with pytest.raises(TypeError, match="a dict, or a list"):
        found.apply([[0.1]] * 4)


def test_what_a_cascade_shows_and_holds():
    found = optimize_cascade(correlated(N, people=2), max_error_rate=0.05, costs=COSTS)
    assert sum(found.shares) == pytest.approx(1)
    assert sum(found.stage_costs) == pytest.approx(found.cost, rel=1e-12)
    assert pickle.loads(pickle.dumps(found)) == found
    flat = found.to_dict()
    assert flat["thresholds"][-1] is None
    assert flat["cost"] == found.cost
    assert "\n" not in repr(found)
    lines = str(found).splitlines()
    assert lines[0].split()[:3] == ["stage", "threshold", "reached"]
    assert [line.split()[0] for line in lines[1:6]] == list(found.names)
    assert max(map(len, lines[:7])) <= 80
    assert found.to_frame()["names"].tolist() == list(found.names)
    assert "<table" in found._repr_html_()


def test_where_nothing_can_be_accepted_it_says_so():
    rng = np.random.default_rng(0)
    hopeless = Stage("hopeless", 0, correct=np.zeros(50, bool), confidence=rng.random(50))
    found = optimize_cascade([hopeless, Stage("people", 1)], max_error_rate=0.01)
    assert found.thresholds[0] == math.inf
    assert "people verify everything" in str(found)
    with pytest.raises(ValueError, match=r"max_error_rate is 0.01, .* at least 0.1 \(at thresholds"):
        optimize_cascade([hopeless, Stage("people", 1, reviewer=fa.Reviewer(0.9))], max_error_rate=0.01)
    first = Stage("first", 1, correct=[1] * 50, confidence=rng.random(50), max_share=0.5)
    with pytest.raises(ValueError, match=r"1 of the items reach 'first' \(max_share 0.5\)"):
        optimize_cascade([first, Stage("a", 1)], max_error_rate=1.0)
    few = Stage("few", 1, max_share=0.2)
    with pytest.raises(ValueError, match=r"leave an error rate of at least 0\.8"):
        optimize_cascade([hopeless, few], max_error_rate=0.01)
    second = Stage("second", 1, correct=[1] * 50, max_share=0.2)
    assert optimize_cascade([hopeless, second], max_error_rate=0.8).shares == (0.8, 0.2)


def good(**options):
    return Stage("a", 1, correct=[1, 0], confidence=[0.9, 0.1], **options)


@pytest.mark.parametrize(
    ("stages", "error", "message"),
    [
        ("ab", TypeError, "stages must be a list of stages, got a"),
        ([good()], ValueError, "stages must have at least two stages, got 1"),
        ([good(), 3], TypeError, r"stages\[1\] must be a Stage or a dict of its"),
        (
            [good(), {"name": "b", "prise": 1}],
            TypeError,
            r"stages\[1\] has the unknown key 'prise'; keys are",
        ),
        ([good(), {"price": 1}], TypeError, r"stages\[1\] must have name"),
        (
            [good(), {"name": "b", "price": None}],
            TypeError,
            "stage 'b' has no price: give it, or give costs",
        ),
        ([good(), Stage("a", 1)], ValueError, ", got 'a' twice"),
        ([Stage("b", 1), good()], ValueError, "the first stage, 'b', must be a model, with"),
        ([good(), Stage("b", 1, correct=[1]), Stage("c", 1)], ValueError, "has 1 and 'a' has 2"),
        ([good(), Stage("b", 1, correct=[1, 1]), Stage("c", 1)], TypeError, "confidence of stage 'b'"),
        (
            [Stage("a", 1, correct=[1, 0], confidence=[0.5, 0.5]), Stage("b", 1)],
            ValueError,
            "confidence of stage 'a' must differ between items,",
        ),
    ],
)
def test_what_is_no_cascade_is_refused(stages, error, message):
    with pytest.raises(error, match=message):
        optimize_cascade(stages, max_error_rate=0.1)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("a", -1), {}, ValueError, "price of stage 'a' must be a finite number of at"),
        (("a", math.nan), {}, ValueError, "price of stage 'a' must be a finite number, got"),
        (("a", "1"), {}, TypeError, "price of stage 'a' must be a number, got '1'"),
        (("", 1), {}, TypeError, "name must be a non-empty string, got ''"),
        ((3, 1), {}, TypeError, "name must be a non-empty string, got 3"),
        (("a", None), {"correct": [1]}, TypeError, "is None, but a model needs the price of an item"),
        (
            ("a", 1),
            {"max_share": 1.5},
            ValueError,
            r"max_share of stage 'a' must be a number in \[0, 1",
        ),
        (("a", 1), {"confidence": [1]}, TypeError, "' needs correct"),
        (("a", 1), {"reviewer": 0.9}, TypeError, r"reviewer of stage 'a' must be a Reviewer, got 0\."),
        (
            ("a", 1),
            {"correct": [1], "reviewer": fa.Reviewer()},
            TypeError,
            "reviewer and correct of stage 'a' are both given",
        ),
        (("a", 1), {"correct": [1, 2], "confidence": [1, 2]}, ValueError, r"'a'\[1\] must .*got 2"),
        (
            ("a", 1),
            {"correct": [1, 0], "confidence": [1, math.inf]},
            ValueError,
            r"'a'\[1\] must .*got inf",
        ),
        (("a", 1), {"correct": [1, 0], "confidence": [1]}, ValueError, "same number"),
        (("a", 1), {"correct": [], "confidence": []}, ValueError, "empty"),
    ],
)
def test_what_is_no_stage_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        Stage(*arguments, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "give max_error_rate, max_risk or costs: without them errors cost nothing"),
        ({"max_error_rate": 2}, ValueError, r"max_error_rate must be a number in \[0, 1\], got 2"),
        ({"costs": 3}, TypeError, r"costs must be VerificationCosts, got 3 \(int\)"),
        ({"costs": COSTS, "failure_probability": 0.1}, TypeError, "needs max_error_rate"),
        ({"max_error_rate": 0.1, "groups": np.arange(2)}, TypeError, "groups needs failure"),
        (
            {"max_error_rate": 0.1, "failure_probability": 0.1, "max_group_size": 3},
            TypeError,
            "max_group_size needs groups",
        ),
        (
            {"max_error_rate": 0.1, "failure_probability": 0.95},
            ValueError,
            r"failure_probability must be at most 0\.5, got",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        optimize_cascade([good(), Stage("b", 1)], **options)


def test_thresholds_of_ones_own_are_checked():
    stages = [good(), Stage("b", 1)]
    with pytest.raises(ValueError, match="thresholds must have 1 numbers, one for each"):
        evaluate_cascade(stages, thresholds=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"thresholds\[0\] must .*got nan"):
        evaluate_cascade(stages, thresholds=[math.nan])
    with pytest.raises(TypeError, match="a list of numbers"):
        evaluate_cascade(stages, thresholds=0.5)
    other = optimize_cascade([good(), Stage("c", 1)], max_error_rate=0.1)
    with pytest.raises(ValueError, match="to the stages a, b, got a, c"):
        evaluate_cascade(stages, thresholds=other)


def test_prices_and_limits_are_the_decimals_that_they_are_written_as():
    correct, confidence = np.ones(100, bool), np.linspace(0, 1, 100)
    correct[:29] = False
    stages = [Stage("a", 0.1, correct=correct, confidence=confidence), Stage("b", 0.3)]
    found = optimize_cascade(stages, max_error_rate=0.29)
    assert found.decided == (100, 0)
    assert Fraction(str(found.error_rate)) == Fraction("0.29")


@pytest.mark.parametrize(
    ("seed", "second", "clerk", "error"),
    [
        (6, "2.44506472979335", "4.18589408588534", "8.62178817177068"),
        (8, "1.08901595651413", "6.7512852301416", "13.7525704602832"),
        (0, "3.1234567890123", "2.5000000000001", "5.2500000000002"),
    ],
)
def test_equally_cheap_thresholds_of_prices_with_many_digits(seed, second, clerk, error):
    """An error costs twice what the clerk does, beside correcting it: as many errors as right
    outputs are as cheap to accept as to verify."""
    assert Fraction(error) == 2 * Fraction(clerk) + Fraction("0.25")
    rng = np.random.default_rng(seed)
    two = model(rng, 40, 9, "0.00001", 0), model(rng, 40, 9, second, 0)
    assert_as_exhaustive([*two, RefStage(clerk)], None, "0.25", error)
    people = RefStage(second, people=("0.9375", "0.0123456789"))
    assert_as_exhaustive([two[0], people, RefStage(clerk)], "0.31", "0.25", error)


def test_one_model_before_people_takes_ties_of_decimals():
    """1.1 − 0.1 − 0.5 is 0.5 in decimals, and more in doubles: one right output for each error."""
    stages = [RefStage("0", [0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0]), RefStage("0.5")]
    found = assert_as_exhaustive(stages, None, "0.1", "1.1")
    assert found.decided == (4, 0)
    costs = fa.VerificationCosts(0.5, 0.1, 1.1)
    point = fa.costs.optimal_operating_point(stages[0].correct, stages[0].confidence, costs=costs)
    assert point.threshold == found.thresholds[0] == 1.0


def test_sums_of_parts_are_exact():
    for n in (2, 1000, 10**7):
        for whole in ([0], [1, 2**80 + 1, 10**30, 3], [2**900 - 1, 5]):
            parts = in_parts(whole, n)
            rest = max(0, max(whole).bit_length() - (53 - n.bit_length()) * 16)
            for number, row in zip(whole, parts.tolist(), strict=True):
                assert sum(map(int, row)) == (number >> rest)
                for part in row:
                    assert part == 0 or int(part) * n // (int(part) & -int(part)) < 2**53


def test_limits_and_capacities_have_one_rule():
    """2 of 6 are within 1/3, which as a double is less; 29 of 100 within 0.29."""
    correct, confidence = [0, 0, 1, 1, 1, 1], [6, 5, 4, 3, 2, 1]
    machine = Stage("machine", 1, correct=correct, confidence=confidence)
    wrong = Stage("machine", 1, correct=[0] * 6, confidence=confidence)
    errors_cost = fa.VerificationCosts(0, 1, 100)
    for share, most in ((1 / 3, 2), (0.33, 1), (math.nextafter(1 / 3, 0), 1), (0.5, 3), (1.0, 6)):
        clerk = Stage("clerk", 1, max_share=share)
        assert optimize_cascade([wrong, clerk], costs=errors_cost).reached[1] == most
    for limit, accepted in ((1 / 3, 6), (math.nextafter(1 / 3, 0), 1), (0.33, 1)):
        found = optimize_cascade([machine, Stage("clerk", 5)], max_error_rate=limit)
        assert found.decided[0] == accepted
        point = fa.operating_point(correct, confidence, max_error_rate=limit)
        assert point.acceptance_rate == accepted / 6


def test_a_guarantee_is_tested_on_the_other_half():
    n, limit = (2000, 0.03) if COMPILED else (60, 0.4)
    stages = correlated(n)[1:]
    found = optimize_cascade(stages, max_error_rate=limit, costs=COSTS, failure_probability=0.05)
    assert found.n_items == n / 2
    assert found.bound <= limit
    assert found.acceptance_rate > 0.2
    assert "With 95% confidence, at most" in str(found)
    groups = np.arange(n) // 4
    of_pages = optimize_cascade(
        stages, max_error_rate=2 * limit, costs=COSTS, failure_probability=0.2, groups=groups
    )
    assert (of_pages.bound, of_pages.max_group_size) == (None, 4)
    assert "in groups of at most 4 outputs" in str(of_pages)
    assert of_pages.acceptance_rate > 0.2 or not COMPILED


@pytest.mark.compiled
def test_too_few_items_guarantee_nothing_and_say_so():
    stages = correlated(60)
    options = {"max_error_rate": 0.01, "failure_probability": 0.05}
    with pytest.warns(
        fa.SampleTooSmallWarning, match="has 30 items; even without an error, at least 299 are"
    ):
        found = optimize_cascade(stages, **options)
    assert found.acceptance_rate == 0
    assert found.error_rate == 0
    assert found.bound == 0.0
    with pytest.warns(fa.SampleTooSmallWarning, match="groups; even without an error, at least"):
        of_pages = optimize_cascade(stages, **options, groups=np.arange(60) // 2)
    assert of_pages.acceptance_rate == 0
    assert of_pages.bound is None  # as with groups where something is guaranteed
    imperfect = [*stages[:-1], Stage("clerk", 1, reviewer=fa.Reviewer(0.9))]
    with (
        pytest.warns(fa.SampleTooSmallWarning),
        pytest.raises(ValueError, match="no thresholds guarantee it with 95% confidence"),
    ):
        optimize_cascade(imperfect, **options)
    with (
        pytest.warns(fa.SampleTooSmallWarning, match="groups; even without an error, at least"),
        pytest.raises(ValueError, match="no thresholds guarantee"),
    ):
        optimize_cascade(imperfect, **options, groups=np.arange(60) // 2)


class TestSilentStages:
    """A model decides nothing where it has no output: its confidence is NaN."""

    @staticmethod
    def stages(rng, n):
        correct, confidence = np.zeros((2, n), np.int64), np.empty((2, n))
        for m in range(2):
            confidence[m] = rng.integers(0, 6, n) / 6
            correct[m] = rng.random(n) < confidence[m]
            silent = rng.random(n) < 0.3
            confidence[m, silent] = np.nan
            correct[m, silent] = rng.random(silent.sum()) < 0.2
        people = Stage("clerk", 3, reviewer=fa.Reviewer(0.9))
        return [Stage(f"m{m}", 0.5, correct=correct[m], confidence=confidence[m]) for m in range(2)] + [
            people
        ]

    @pytest.mark.parametrize("seed", range(4))
    def test_as_all_thresholds_compared(self, seed):
        rng = np.random.default_rng(seed)
        stages = self.stages(rng, N)
        costs = fa.VerificationCosts(0, 5, 12)
        tried = [[*(k / 6 for k in range(6)), math.inf]] * 2
        every = [
            evaluate_cascade(stages, thresholds=[a, b], costs=costs) for a in tried[0] for b in tried[1]
        ]
        best = min(each.cost for each in every)
        found = optimize_cascade(stages, costs=costs)
        assert found.cost == pytest.approx(best, rel=1e-12)
        limit = 0.1
        within = [each for each in every if each.error_rate <= limit]
        found = optimize_cascade(stages, costs=costs, max_error_rate=limit)
        assert found.cost == pytest.approx(min(each.cost for each in within), rel=1e-12)

    def test_nothing_silent_is_decided(self):
        stages = self.stages(np.random.default_rng(7), N)
        taken = evaluate_cascade(stages, thresholds=[-math.inf, -math.inf])
        silent = [np.isnan(stage.confidence) for stage in stages[:2]]
        expected = [(~silent[0]).sum(), (silent[0] & ~silent[1]).sum(), (silent[0] & silent[1]).sum()]
        assert list(taken.decided) == expected
        assert np.bincount(taken.apply([s.confidence for s in stages[:2]])).tolist() == expected

    def test_a_grid_and_a_guarantee(self):
        rng = np.random.default_rng(3)
        n = 4000 if COMPILED else 60
        confidence = rng.random((2, n))
        correct = rng.random((2, n)) < confidence**0.2
        confidence[rng.random((2, n)) < 0.1] = np.nan
        correct[np.isnan(confidence)] = False
        stages = [Stage(f"m{m}", 0.1, correct=correct[m], confidence=confidence[m]) for m in range(2)]
        stages.append(Stage("clerk", 3))
        found = optimize_cascade(stages, max_error_rate=0.2, costs=COSTS)
        assert found.error_rate <= 0.2
        assert all(threshold > -math.inf for threshold in found.thresholds[:-1])
        kept = optimize_cascade(stages, max_error_rate=0.2, failure_probability=0.05)
        assert kept.error_rate <= 0.2

    def test_one_that_is_always_silent_is_refused(self):
        with pytest.raises(ValueError, match="confidence of stage 'm' is NaN for all items"):
            optimize_cascade(
                [Stage("m", 1, correct=[0, 0], confidence=[np.nan, np.nan]), Stage("clerk", 1)],
                max_error_rate=0.1,
            )
