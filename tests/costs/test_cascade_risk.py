"""Cascades that abstain: their guaranteed risk, beside slow references and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

import fastarac as fa
from fastarac.costs import Stage, evaluate_cascade, optimize_cascade
from fastarac.costs.cascade_risk import _decided, threshold_of_pilot
from fastarac.costs.stages import SILENT, read_stages

LIMIT, DELTA = 0.15, 0.1
ABSTENTION = Stage("no answer", None, abstains=True)


def judge(difficulty, rng, skill=1.8, slope=1.6, noise=0.3):
    """A model: which outputs are correct, and confidences."""
    quality = rng.normal(size=len(difficulty)) * 0.8 - 0.6 * difficulty
    correct = rng.random(len(quality)) < 1 / (1 + np.exp(-(skill + slope * quality)))
    return correct, 1 / (1 + np.exp(-2 * quality - noise * rng.normal(size=len(quality))))


def draw(case, n, seed):
    """Two models whose risk is hard to keep in one way or another."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(size=n)
    cheap, dear = judge(difficulty, rng, 1.0), judge(difficulty, rng)
    if case == "uninformative":
        cheap = judge(difficulty, rng, 0.6, 0.0)
    elif case == "reversed":
        cheap = cheap[0], 1.0 - cheap[1]
    elif case == "tied":
        cheap, dear = ((right, np.round(5 * sure) / 5) for right, sure in (cheap, dear))
    elif case == "at the limit":  # every threshold of the first model has nearly the risk of the limit
        cheap = rng.random(n) >= LIMIT + 0.001, rng.random(n)
        dear = rng.random(n) >= LIMIT + 0.001, np.round(rng.random(n), 1)
    return cheap, dear


def stages_of(models, last=ABSTENTION):
    pairs = enumerate(models)
    return [
        *(Stage(f"m{k}", 10.0**k, correct=right, confidence=sure) for k, (right, sure) in pairs),
        last,
    ]


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("case", ["", "uninformative", "reversed", "tied", "at the limit"])
@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
def test_the_risk_is_exceeded_no_more_often_than_promised(case, alone):
    kept = slice(1, 2) if alone else slice(2)
    source = stages_of(draw(case, 50_000, 1)[kept])
    samples, exceeded, accepted = 100, 0, 0.0
    for seed in range(samples):
        stages = stages_of(draw(case, 300, (2, seed))[kept])
        options = {"max_risk": LIMIT, "failure_probability": DELTA, "random_state": seed}
        found = optimize_cascade(stages, **options)
        new = evaluate_cascade(source, thresholds=found)
        exceeded += new.acceptance_rate > 0 and new.risk > LIMIT
        accepted += new.acceptance_rate / samples
    assert exceeded <= samples * DELTA + 2 * math.sqrt(samples * DELTA * (1 - DELTA))
    assert accepted > (0.0 if case == "at the limit" else 0.4)


@st.composite
def paths(draw):
    """Stages, and thresholds that fall from step to step."""
    n = draw(st.integers(2, 8))
    levels = st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(lambda v: len(set(v)) > 1)
    labels = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    models = [(draw(labels), draw(levels)) for _ in range(draw(st.integers(1, 3)))]
    silent = draw(st.booleans())
    models = [
        (
            right,
            [
                math.nan if silent and k == 0 and level == 0 else float(level)
                for k, level in enumerate(own)
            ],
        )
        for right, own in models
    ]
    n_steps = draw(st.integers(1, 5))
    value = st.sampled_from([-math.inf, 0.0, 0.5, 1.0, 2.0, 3.0, math.inf])
    column = st.lists(value, min_size=n_steps, max_size=n_steps)
    path = np.array([sorted(draw(column), reverse=True) for _ in models]).T
    return models, path


@settings(max_examples=60)
@given(paths())
def test_items_of_each_stage_along_a_path_beside_counting_one_by_one(given_path):
    models, path = given_path
    stages = read_stages(stages_of(models), None)
    counts = _decided(stages, path)
    for step, thresholds in enumerate(path.tolist()):
        expected = np.zeros((len(models) + 1, 2), int)
        for i in range(stages.n_items):
            pairs = zip(models, thresholds, strict=True)
            accepting = [right[i] for (right, sure), least in pairs if sure[i] >= least]
            by = [sure[i] >= least for (_, sure), least in zip(models, thresholds, strict=True)]
            stage = by.index(True) if True in by else len(models)
            right = accepting[0] if accepting else models[-1][0][i]
            expected[stage, right] += 1
        assert counts[step].tolist() == expected.tolist()


def logits_of_pilot(knots, confidence, wrong):
    """Error probability of each distinct confidence, as a logit with a standard error above it."""
    ranks = np.array([np.mean(confidence < k) + np.mean(confidence == k) / 2 for k in knots])
    scores = np.log(ranks / (1 - ranks)) * math.sqrt(3) / math.pi
    at = np.searchsorted(knots, confidence)

    def loss(intercept, slope):
        eta = (intercept - slope * scores)[at]
        return np.sum(np.logaddexp(0, eta) - wrong * eta) + intercept**2 / 8 + 2.5 * (slope - 1) ** 2

    found = minimize(lambda each: loss(*each), [0.0, 1.0], tol=1e-12).x
    eta = found[0] - found[1] * scores
    spread = expit(eta[at]) * (1 - expit(eta[at]))
    design = np.column_stack([np.ones(len(knots)), -scores])
    information = (design[at].T * spread) @ design[at] + np.diag([0.25, 5.0])
    errors = np.sqrt(np.diag(design @ np.linalg.inv(information) @ design.T))
    return np.minimum.accumulate(found[0] - max(found[1], 0.0) * scores + errors)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=20),
    st.sampled_from([0.01, 0.1, 0.3, 0.5, 0.9]),
)
def test_a_model_decides_where_its_error_probability_is_within_the_limit(items, limit):
    confidence = np.array([level / 6 for level, _ in items])
    wrong = np.array([wrong for _, wrong in items], bool)
    least = threshold_of_pilot(confidence, wrong, limit)
    assert threshold_of_pilot(confidence, wrong, 0.0) == math.inf
    if not items:
        assert least == math.inf
        return
    assert threshold_of_pilot(confidence, wrong, 1.0) == SILENT
    knots = np.unique(confidence)
    tried = np.linspace(knots[0], knots[-1], 61)
    logits = np.interp(tried, knots, logits_of_pilot(knots, confidence, wrong))
    clear = np.abs(logits - math.log(limit / (1 - limit))) > 1e-4
    assert ((tried >= least) == (logits <= math.log(limit / (1 - limit))))[clear].all()


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from([0.2, 0.3, 0.5]))
def test_one_model_has_the_guarantee_of_all_thresholds_at_once(seed, n_wrong, limit):
    rng = np.random.default_rng(seed)
    n = 60
    wrong = np.zeros(n, bool)
    wrong[rng.permutation(n)[:n_wrong]] = True
    sure = np.round(rng.random(n), int(rng.integers(1, 4)))
    options = {"max_risk": limit, "failure_probability": DELTA}
    found = optimize_cascade([Stage("m", 1, correct=~wrong, confidence=sure), ABSTENTION], **options)
    point = fa.guaranteed_operating_point(~wrong, sure, method="pocock", **options)
    assert found.thresholds[0] == point.threshold
    assert found.acceptance_rate == point.acceptance_rate
    if found.acceptance_rate:
        assert found.bound == point.bound


def test_pages_are_set_aside_and_tested_whole():
    models = draw("", 1200, 3)
    pages = np.arange(1200) // 2
    found = optimize_cascade(
        stages_of(models), max_risk=0.3, failure_probability=DELTA, groups=pages, max_group_size=3
    )
    assert (found.n_items, found.max_group_size, found.bound) == (1080, 3, None)
    assert 0.3 < found.acceptance_rate < 1.0
    assert found.risk < 0.3
    assert "at most 30% of the new outputs that models accept are wrong, in groups" in str(found)
    one = optimize_cascade(stages_of(models[1:]), max_risk=0.3, failure_probability=DELTA, groups=pages)
    assert one.n_items == 1080
    assert one.acceptance_rate > 0.3


def test_a_price_of_abstention_people_and_capacities_choose_among_the_proved_thresholds():
    models = draw("", 1000, 4)
    options = {"max_risk": LIMIT, "failure_probability": DELTA}
    most = optimize_cascade(stages_of(models), **options)
    cheapest = optimize_cascade(stages_of(models, Stage("no answer", 0, abstains=True)), **options)
    assert cheapest.cost <= most.cost
    assert cheapest.acceptance_rate <= most.acceptance_rate
    people = optimize_cascade(stages_of(models, Stage("clerk", 500)), **options)
    assert people.thresholds == most.thresholds
    assert people.risk == most.risk
    assert people.error_rate == most.error_rate
    first, second, last = stages_of(models)
    few = Stage("m1", 10, correct=second.correct, confidence=second.confidence, max_share=0.75)
    assert optimize_cascade([first, few, last], **options).reached[1] <= 750
    none = Stage("m1", 10, correct=second.correct, confidence=second.confidence, max_share=0.1)
    with pytest.raises(ValueError, match="no thresholds guarantee it with 90% confidence within all"):
        optimize_cascade([first, none, last], **options)
    with pytest.raises(ValueError, match="no thresholds keep it together with all capacities"):
        optimize_cascade([first, few, Stage("clerk", 5, max_share=0.1)], max_risk=0.001)


def test_abstention_leaves_no_errors_and_costs_its_price():
    models = draw("", 1000, 9)
    stages = stages_of(models, Stage("no answer", 3, abstains=True))
    costs = fa.VerificationCosts(2, 5, 200)
    none = evaluate_cascade(stages, thresholds=[math.inf, math.inf], costs=costs)
    assert (none.error_rate, none.correction_rate, none.cost) == (0, 0, 1 + 10 + 3)
    kept = optimize_cascade(stages, max_error_rate=0.02, failure_probability=DELTA)
    assert 0.1 < kept.acceptance_rate < 0.9
    assert kept.error_rate == kept.acceptance_rate * kept.risk <= 0.02
    display = fa.displays.CascadeCostDisplay.from_stages(stages, kept, stage="m1", costs=costs)
    assert np.isfinite(display.cost).all()


def test_nothing_is_accepted_where_nothing_can_be_proved():
    models = draw("", 100, 5)
    for limit in (0, 0.01):
        with pytest.warns(fa.SampleTooSmallWarning, match="the test has (90|100) items; even without"):
            found = optimize_cascade(stages_of(models), max_risk=limit, failure_probability=DELTA)
        assert (found.acceptance_rate, found.error_rate, found.bound) == (0, 0, 0)
        assert math.isnan(found.risk)
        assert "No model is sure enough: no output gets an answer." in str(found)
    everything = optimize_cascade(stages_of(models[:1]), max_risk=1.0, failure_probability=DELTA)
    assert everything.acceptance_rate == 1
    one = Stage("m", 1, correct=[1] * 100, confidence=[math.nan] * 50 + [0.1, 0.2] * 25)
    half = optimize_cascade([one, ABSTENTION], max_risk=LIMIT, failure_probability=DELTA)
    assert half.decided == (50, 50)


def test_the_order_of_the_items_does_not_matter():
    models = draw("tied", 400, 6)
    order = np.random.default_rng(0).permutation(400)
    for kept in (models, models[:1]):
        shuffled = [(right[order], sure[order]) for right, sure in kept]
        first, second = (
            optimize_cascade(stages_of(each), max_risk=LIMIT, failure_probability=DELTA)
            for each in (kept, shuffled)
        )
        assert first.to_dict() == second.to_dict()


@pytest.mark.parametrize(
    ("last", "options", "message"),
    [
        (ABSTENTION, {"max_risk": 0.1, "max_error_rate": 0.1}, "one of max_error_rate, max_risk"),
        (ABSTENTION, {"max_risk": 1.1}, "max_risk must be a number in"),
        (None, {"max_risk": 0.1}, "max_risk needs people or abstention as the last stage"),
        (ABSTENTION, {"failure_probability": 0.1}, "give max_error_rate, max_risk or costs"),
    ],
)
def test_limits_that_do_not_fit_are_refused(last, options, message):
    stages = stages_of(draw("", 50, 7))
    with pytest.raises((TypeError, ValueError), match=message):
        optimize_cascade(stages if last else stages[:-1], **options)


def test_abstention_that_does_not_fit_is_refused():
    first, second, _ = stages_of(draw("", 50, 8))
    with pytest.raises(ValueError, match="stage 'no answer' abstains, so it must be the last one"):
        optimize_cascade([first, ABSTENTION, second], max_error_rate=0.1)
    with pytest.raises(ValueError, match="needs only models before the last stage, got model, people,"):
        optimize_cascade([first, Stage("clerk", 2), ABSTENTION], max_risk=0.1, failure_probability=0.1)
    with pytest.raises(TypeError, match="abstains of stage 'x' cannot go with correct or reviewer"):
        Stage("x", 1, correct=[1, 0], abstains=True)
    with pytest.raises(TypeError, match="abstains of stage 'x' must be True or False, got 'no'"):
        Stage("x", 1, abstains="no")
