"""What is said of models at limits and thresholds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import fastarac as fa
from fastarac.answers import evaluation
from fastarac.answers.models import Model
from fastarac.answers.without_items import ModelWithoutItems
from fastarac.io import Outputs

CORRECT, CONFIDENCE = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]


def model_of(name: str, correct, confidence, **options) -> Model:
    outputs = Outputs(np.asarray(correct, bool), np.asarray(confidence))
    return Model.of(name, outputs, **{"max_error_rate": (), **options})


class TestWords:
    def test_one_model(self):
        model = model_of("m", [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2], max_error_rate=[0.0, 0.2, 1])
        none, some, everything = evaluation.words([model])
        assert none == (
            "At most 0% errors: accept 40.0% automatically at confidence >= 0.8; no errors remain."
        )
        assert some == (
            "At most 20% errors: accept 80.0% automatically at confidence >= 0.6; "
            "20.0% of all outputs remain wrong."
        )
        assert everything == (
            "At most 100% errors: accept everything automatically at any confidence; "
            "40.0% of all outputs remain wrong."
        )

    def test_the_one_that_automates_most(self):
        good = model_of("good", [1, 1, 1, 0], [4, 3, 2, 1], max_error_rate=[0.005])
        bad = model_of("bad", [0, 1, 1, 1], [1, 4, 3, 1], max_error_rate=[0.005])
        (sentence,) = evaluation.words([good, bad])
        assert sentence == (
            "At most 0.5% errors: good accepts most: accept 75.0% automatically at "
            "confidence >= 2; no errors remain."
        )

    def test_ties(self):
        options = {"max_error_rate": [0.0, 1]}
        models = [
            model_of("a", [1, 1, 1, 0], [4, 3, 2, 1], **options),
            model_of("b", [1, 1, 1, 0], [8, 7, 6, 5], **options),
            model_of("c", [0, 0, 0, 0], [4, 3, 2, 1], **options),
        ]
        some, everything = evaluation.words(models)
        assert some == (
            "At most 0% errors: a and b tie; each accepts 75.0% automatically: "
            "a at confidence >= 2 (no errors remain) and b at confidence >= 6 (no errors remain)."
        )
        assert everything == (
            "At most 100% errors: a, b and c tie; each accepts everything automatically: "
            "a at any confidence (25.0% of all outputs remain wrong), "
            "b at any confidence (25.0% of all outputs remain wrong) and "
            "c at any confidence (100% of all outputs remain wrong)."
        )

    def test_nothing(self):
        model = model_of("m", [0, 1], [2, 1], max_error_rate=[0.01])
        nothing = "no threshold keeps this limit: review everything."
        assert evaluation.words([model, model])[0] == f"At most 1% errors: {nothing}"


class TestRisksAndThresholds:
    def test_risk(self):
        model = model_of("m", CORRECT, CONFIDENCE, max_risk=[0.25, 0.0])
        assert evaluation.words([model]) == [
            f"At most {limit} errors among the accepted: accept {share} automatically {rest}."
            for limit, share, rest in (
                ("25%", "80.0%", "at confidence >= 0.6; 25.0% of the accepted outputs are wrong"),
                ("0%", "40.0%", "at confidence >= 0.8; no errors remain"),
            )
        ]

    def test_thresholds(self):
        limits = {"threshold": [0.65, 1.0, 0.1]}
        remain = "of all outputs remain wrong"
        model = model_of("m", CORRECT, CONFIDENCE, **limits)
        assert evaluation.words([model]) == [
            f"At confidence >= 0.65: accept 60.0% automatically (20.0% {remain}).",
            "At confidence >= 1: accept nothing automatically.",
            f"At confidence >= 0.1: accept everything automatically (40.0% {remain}).",
        ]
        other = model_of("b", [1, 1], [0.7, 0.3], **limits)
        assert evaluation.words([model, other])[0] == (
            f"At confidence >= 0.65: m accepts 60.0% automatically (20.0% {remain}) "
            "and b accepts 50.0% automatically (no errors remain)."
        )


def test_models_without_items_are_described_alike():
    """As with items, given costs, thresholds, notes and a reversed confidence."""
    rng = np.random.default_rng(1)
    confidence = rng.random(400).astype(np.float32)
    options = {"max_error_rate": [0.01, 0.2], "threshold": [0.5], "failure_probability": 0.05}
    options["costs"] = fa.VerificationCosts(verification=0.1, correction=0.2, error=2.0)
    models = [
        model_of("good", rng.random(400) < confidence, confidence, **options),
        model_of("reversed", rng.random(400) > confidence, confidence, **options),
    ]
    models = [replace(model, notes=("few",)) for model in models]
    without = [ModelWithoutItems.of(model) for model in models]
    assert models[1].doubts
    assert evaluation.screen(without) == evaluation.screen(models)
    assert evaluation.objects(without) == evaluation.objects(models)
    assert evaluation.records(without) == evaluation.records(models)
    assert evaluation.reliability_warnings(without) == evaluation.reliability_warnings(models)
