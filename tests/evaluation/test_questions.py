"""What the command line says of doubtful input, Python warns of: once, and of no honest input."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from commands import run, write

import fastarac as fa
from fastarac.operation import fit_policy

N = 300
RNG = np.random.default_rng(0)
CORRECT = RNG.random(N) < 0.8
REVERSED = (RNG.random(N) - 0.3 * CORRECT).round(4)
COARSE = -REVERSED.round(1)
CONSTANT = np.full(N, 0.5)
FIELD = np.where(np.arange(N) % 2, "a", "b")
TURNED = (
    r"^the confidence.* seems reversed: correct items tend to have lower confidence \(ROC-AUC = 0\.2"
)
ALIKE = r"^the confidence.* is the same for all \d+ items: no threshold can separate them"
ONE = r"^max_(error_rate|risk) is 1, so every threshold keeps it; for 1%, give 0\.01"

CALLS = {
    "evaluate": fa.evaluate,
    "a sweep": lambda c, s, **limit: fa.evaluate(fa.threshold_sweep(c, s), **limit),
    "a guarantee": lambda c, s, **limit: fa.evaluate(c, s, failure_probability=0.1, **limit),
    "weights": lambda c, s, **limit: fa.evaluate(c, s, sample_weight=np.linspace(1, 2, N), **limit),
    "groups": lambda c, s, **limit: fa.evaluate(
        c, s, groups=np.arange(N) // 3, intervals=True, **limit
    ),
    "operating_point": fa.operating_point,
    "guaranteed_operating_point": fa.guaranteed_operating_point,
    "compare_models": lambda c, s, **_: fa.compare_models({"a": (c, COARSE), "b": (c, s)}),
    "compare_models groups": lambda c, s, **_: fa.compare_models(
        {"a": (c, COARSE), "b": (c, s)}, groups=np.arange(N) // 3
    ),
    "fit_policy": fit_policy,
    "fit_policy by": lambda c, s, **limit: fit_policy(c, s, by=FIELD, **limit),
}


@pytest.fixture(params=CALLS)
def call(request):
    return CALLS[request.param]


@pytest.mark.parametrize(("confidence", "message"), [(REVERSED, TURNED), (CONSTANT, ALIKE)])
def test_a_doubtful_confidence_warns_once(call, confidence, message):
    with pytest.warns(fa.QuestionableInputWarning, match=message) as caught:
        call(CORRECT, confidence, max_error_rate=0.1)
    texts = [str(each.message) for each in caught if each.category is fa.QuestionableInputWarning]
    assert len(texts) == len(set(texts)) <= 2  # of two fields, one each
    assert all(each.filename == __file__ for each in caught)


def test_no_honest_confidence_warns(call):
    call(CORRECT, -REVERSED, max_error_rate=0.1)
    call(CORRECT, RNG.random(N), max_error_rate=0.5)


@pytest.mark.parametrize("function", [fa.evaluate, fit_policy])
def test_labels_of_which_none_is_right_warn(function):
    with pytest.warns(fa.QuestionableInputWarning, match="none of the 300 items is correct: the lab"):
        function(np.zeros(N, np.bool_), -REVERSED, max_error_rate=0.5)


def test_groups_are_named():
    with pytest.warns(fa.QuestionableInputWarning, match=r"of 1 of 2 groups \('a'\) seems reversed"):
        fa.evaluate_groups(CORRECT, np.where(FIELD == "a", REVERSED, -REVERSED), by=FIELD)


@pytest.mark.parametrize("name", ["max_error_rate", "max_risk"])
def test_a_limit_of_1_may_mean_1_percent(name):
    with pytest.warns(fa.QuestionableInputWarning, match=ONE):
        fa.evaluate(CORRECT, -REVERSED, **{name: 1})
    with pytest.warns(fa.QuestionableInputWarning, match=ONE):
        fa.evaluate(CORRECT, -REVERSED, **{name: [0.05, 1]})
    with pytest.warns(fa.QuestionableInputWarning, match=ONE):
        fa.operating_point(CORRECT, -REVERSED, **{name: 1})
    curve = {"max_error_rate": fa.acceptance_at_error_rate, "max_risk": fa.acceptance_at_risk}[name]
    with pytest.warns(fa.QuestionableInputWarning, match=ONE):
        curve(CORRECT, -REVERSED, **{name: 1})
    fa.operating_point(CORRECT, -REVERSED, **{name: 1.0})  # a share, as it is written
    curve(CORRECT, -REVERSED, **{name: np.linspace(0, 1, 5)})


@pytest.mark.parametrize(("confidence", "message"), [(REVERSED, TURNED), (CONSTANT, ALIKE)])
def test_the_command_line_says_it_once(tmp_path, confidence, message):
    path = write(tmp_path / "x.csv", CORRECT.astype(int).tolist(), confidence.tolist())
    message = message.removeprefix("^")
    for words in (
        ("evaluate", path), ("evaluate", path, "--ci", "0.95", "--guarantee", "0.05"),
        ("evaluate", path, "--format", "csv"),
        ("fit", path, "--error-rate", "0.1", "-o", tmp_path / "policy.json"),
    ):  # fmt: skip
        result = run(*words, code=None)  # a fit that accepts nothing ends with 3
        assert len(re.findall(message, result.output, re.IGNORECASE)) == 1, words
    said = json.loads(run("evaluate", path, "--format", "json").stdout)["warnings"]
    assert [bool(re.match(message, each, re.IGNORECASE)) for each in said].count(True) == 1
