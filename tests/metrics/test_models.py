"""Several models by name: one reading of them, and one wording of what is wrong."""

from __future__ import annotations

import pytest

import fastarac as fa
from fastarac._engine.inputs import SCORED_NAMES
from fastarac.models import as_models, named_models, sweep_of

PAIR = ([1, 0, 1], [0.9, 0.4, 0.6])


def test_pairs_lists_and_sweeps_are_the_same():
    sweep = fa.threshold_sweep(*PAIR)
    found = as_models({"b": PAIR, "a": list(PAIR), "c": sweep})
    assert list(found) == ["b", "a", "c"]
    assert found["b"] == found["a"] == found["c"]
    assert found["c"] is sweep


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        (
            PAIR,
            TypeError,
            r"models must be a mapping of names to \(correct, confidence\) or to Th.*, got a tuple",
        ),
        ({}, ValueError, "models must have at least 1 entry, got 0"),
        ({1: PAIR}, TypeError, r"models must have names of type str, got 1 \(int\)"),
        (
            {"a": 3},
            TypeError,
            r"models\['a'\] must be \(correct, confidence\) or a ThresholdSweep.*, got a int",
        ),
        (
            {"a": PAIR, "b": [1, 0, 1, 1]},
            TypeError,
            r"models\['b'\] must be \(correct, conf.*, got a list of 4",
        ),
        ({"a": ([2, 0], [0, 1])}, ValueError, r"models\['a'\]: correct\[0\] must be 0 \(incorrect\)"),
        ({"a": ([1, 0], ["x", "y"])}, TypeError, r"models\['a'\]: confidence has type <U1; "),
    ],
)
def test_refused(models, error, message):
    with pytest.raises(error, match=f"^{message}"):
        as_models(models)


def test_names_of_the_arrays_and_the_least_number():
    with pytest.raises(
        TypeError, match=r"models\['a'\] must be \(y_true, y_score\) or a ThresholdSweep,"
    ):
        sweep_of(3, "models['a']", SCORED_NAMES)
    with pytest.raises(ValueError, match="models must have at least 2 entries, got 1"):
        named_models({"a": PAIR}, 2)
