"""The answer of an evaluation: its sentences, its table, its notes."""

from typing import Any

import numpy as np
import pytest

import fastarac as fa
from fastarac.answers import decisions, evaluation
from fastarac.answers.models import Model
from fastarac.answers.screen import WIDTH, Weight, lines_of
from fastarac.answers.without_items import ModelWithoutItems
from fastarac.datasets import load_digits_ocr
from fastarac.io import Outputs

CORRECT, CONFIDENCE = np.array([1, 1, 1, 0, 0], bool), np.array([0.9, 0.8, 0.7, 0.6, 0.2])


def models_of(*names, **options):
    return [Model.of(name, Outputs(CORRECT, CONFIDENCE), **options) for name in names]


@pytest.fixture(scope="module")
def digits():
    return load_digits_ocr()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"max_error_rate": [0.0]}, "At most 0% errors: accept 60.0% at confidence >= 0.7."),
        (
            {"max_risk": [0.4]},
            "At most 40% errors among the accepted: accept everything (40.0% wrong).",
        ),
        ({"threshold": 0.6}, "At confidence >= 0.6: accept 80.0%; 20.0% of all outputs remain wrong."),
        ({"threshold": 0.95}, "At confidence >= 0.95: nothing is accepted."),
    ],
)
def test_one_model(options, sentence):
    defaults = {"max_error_rate": [], "max_risk": [], "threshold": []}
    assert decisions.sentences(models_of("a", **defaults | options)) == [sentence]


def test_nothing_is_guaranteed():
    with pytest.warns(fa.SampleTooSmallWarning):
        models = models_of("a", max_error_rate=[0.1], failure_probability=0.05)
    (said,) = decisions.sentences(models)
    assert said == (
        "No threshold keeps 10% errors on new outputs with 95% confidence: review everything (in this "
        "sample 60.0% at 0.7)."
    )


def test_nothing_is_accepted_where_all_is_wrong():
    outputs = Outputs(np.zeros(4, bool), np.arange(4.0))
    (said,) = decisions.sentences([Model.of("a", outputs, max_error_rate=[0.01])])
    assert said == "No threshold keeps 1% errors: review everything."


def test_ties_and_many_models():
    assert decisions.sentences(models_of("a", "b", max_error_rate=[0.1])) == [
        "At most 10% errors: a and b accept most, 60.0% at confidence >= 0.7."
    ]
    (said,) = decisions.sentences(models_of(*map(str, range(50)), max_error_rate=[0.1, 0.3]))
    assert said == (
        "At most 10% errors: 0, 1, 2 and 47 more accept most, 60.0% at confidence >= 0.7; at most 30% "
        "errors: 0, 1, 2 and 47 more accept most, 80.0% at confidence >= 0.6."
    )


def test_what_is_guaranteed_is_the_answer(digits):
    options = {"max_error_rate": [0.01], "failure_probability": 0.05, "intervals": True}
    models = [Model.of(name, Outputs(*digits[name]), **options) for name in digits.models]
    (said,) = decisions.sentences(models)
    assert said == (
        "At most 1% errors on new outputs, with 95% confidence: knn-votes accepts most, 92.5% at "
        "confidence >= 0.75 (in this sample 96.3% at 0.6)."
    )
    table = decisions.table(models, WIDTH)
    (columns,) = table.blocks
    assert table.names == ["knn-votes", "svm-rbf", "logistic-pca5", "naive-bayes"]
    assert [column.header for column in columns] == [
        "outputs", "right", "guaranteed\nat 1%", "threshold",
    ]  # fmt: skip
    assert columns[2].cells == ["92.5%", "75.5%", "52.9%", "none"]
    assert columns[3].cells[-1] == "-"
    weights = [note.weight for note in decisions.notes(models)]
    assert Weight.ASSUMES in weights


def test_one_threshold_for_two_scales():
    def said(**limits) -> str:
        confidence = {"a": np.arange(5.0) / 4, "b": np.arange(5.0) / 8, "c": np.arange(5.0) * 25}
        items = ((name, Outputs(np.arange(5) > 1, each)) for name, each in confidence.items())
        models = [Model.of(name, each, **limits) for name, each in items]
        without_items: list[Any] = list(map(ModelWithoutItems.of, models))
        found = decisions.scales(models)
        assert found == decisions.scales(without_items)
        assert (found in [note.text for note in decisions.notes(models)]) == bool(found)
        return found

    note = (
        "Confidences of c run from 0 to 100, but those of a and b run from 0 to 1: one threshold does "
        "not fit both."
    )
    assert said(threshold=0.9) == note
    assert not said(max_error_rate=[0.1])


def test_a_table_has_eighty_columns(digits):
    for n_limits, name in ((2, "a-very-long-name-of-a-model-" * 3), (5, "short")):
        limits = [0.001, 0.003, 0.01, 0.02, 0.05][-n_limits:]
        model = Model.of(name, Outputs(*digits["naive-bayes"]), max_error_rate=limits, intervals=True)
        table = decisions.table([model], WIDTH)
        (columns,) = table.blocks
        cells = [[*c.header.split("\n"), *c.cells, *(c.below or ())] for c in columns]
        widths = [max(map(len, lines)) for lines in cells]
        assert len(table.names[0]) + sum(width + 2 for width in widths) <= WIDTH


def test_no_jargon_on_the_screen(digits):
    options = {"max_error_rate": [0.01, 0.05], "intervals": True}
    models = [Model.of(name, Outputs(*digits[name]), **options) for name in digits.models]
    screen = evaluation.screen(models)
    assert all(lines_of(sentence, WIDTH) <= 2 for sentence in screen.answer)
    shown = " ".join([*screen.answer, *screen.shown_notes(), screen.caption])
    assert not any(word in shown for word in ("γ", "δ", "W =", "norm", "quantile", "Holm"))
