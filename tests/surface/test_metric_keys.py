"""Keys of metrics: what stands in them, and names that have other characters."""

from __future__ import annotations

import re

import pytest

import fastarac as fa
from fastarac._core.metric_keys import in_key, parts_of_keys

KEY = re.compile(r"[A-Za-z0-9_./-]+")
COSTS = fa.VerificationCosts(verification=1, correction=2, error=9)


@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
def test_evaluations_have_no_other_characters():
    correct, confidence = [1, 0, 1, 1] * 30, range(120)
    limits = {"max_error_rate": [0.2, 2.5e-05], "max_risk": [0.3], "threshold": [-1e20, 1e20, 5]}
    found = fa.evaluate(
        correct, confidence, **limits, costs=COSTS, intervals=True, failure_probability=0.1
    ).to_dict()
    assert all(KEY.fullmatch(key) for key in found)
    assert {"cost/2.5e-05", "risk/threshold/-1e20", "acceptance_rate_low/threshold/1e20"} <= set(found)
    assert {"error_rate/threshold/5", "bound/guaranteed/risk/0.3", "cost/cheapest"} <= set(found)
    by = fa.evaluate_groups(correct, confidence, by=[1, 2] * 60, **limits, intervals=True)
    assert all(KEY.fullmatch(key) for key in by.values)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("items[].price", "items__.price"), ("a/b", "a_b"), ("Größe 2", "Größe_2"), (7, "7"),
        ("", "_"), (".", "_"), ("..", "__"), ("a.", "a."), ("=x\n", "_x_"),
    ],
)  # fmt: skip
def test_other_characters_of_a_name(name, expected):
    assert in_key(name) == expected


def test_names_with_one_key():
    assert parts_of_keys(["a b", "a-b", "a.b"], "fields") == ["a_b", "a-b", "a.b"]
    expected = "the values of 'dpi' '<300' and '>300' have the same key, '_300'; rename one"
    with pytest.raises(ValueError, match=expected):
        parts_of_keys(["<300", "=200", ">300"], "values of 'dpi'")
