"""What is said of samples and searches, and of cascades."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import fastarac as fa
from fastarac.answers import cascade, sampling

GOAL = Path("to_verify.csv")


def test_a_draw():
    sample = fa.partial_truth.draw_verification_sample(np.arange(1000), 100, mix=0.5, random_state=0)
    least, most = sample.inclusion_probability.min(), sample.inclusion_probability.max()
    found = sampling.drawn_answer(sample, GOAL, is_audit=False, answers=Path("old.csv"))
    first, least_limit, *others = found.sentences()
    assert first == (
        "Drew 102 of 1,000 outputs (100 on average, as each is drawn by chance): "
        'fill in the column "correct" of to_verify.csv.'
    )
    assert least_limit.startswith("Without a single error, this sample proves a limit of ")
    assert others == [
        "The sample is for estimates; for a guarantee, add --error-rate or --for guarantee-new.",
        "The answers of old.csv are kept: fill in the empty ones.",
        f"Each output was drawn with a probability from {least:.4g} to {most:.4g}.",
    ]
    assert (found.figures["n_items"], found.figures["drawn"]) == (1000, 102)
    found = sampling.drawn_answer(sample, GOAL, is_audit=True)
    assert found.screen.answer == [
        (
            "Drew 102 of 1,000 accepted outputs (100 on average, as each is drawn by chance): "
            'fill in the column "correct" of to_verify.csv where drawn is 1.'
        )
    ]


def test_words():
    words = SimpleNamespace(n_words=1200, n_pages=1, n_crops=2)
    assert sampling.pages_sentence(words, None) == "The sample is drawn from 1,200 words on 1 page."
    assert sampling.pages_sentence(words, Path("c")) == (
        "The sample is drawn from 1,200 words on 1 page. 2 crops are in c."
    )


@pytest.mark.parametrize(
    ("answered", "left"), [(5, ""), (4, " 1 answer is open."), (3, " 2 answers are open.")]
)
def test_answers(answered, left):
    found = sampling.joined_answer(5, answered, GOAL)
    assert found.sentences() == [
        f"{answered} of 5 drawn outputs have an answer.{left}",
        "to_verify.csv has all outputs with these answers.",
    ]


def test_a_search():
    search = fa.partial_truth.AdaptiveThresholdSearch(np.arange(400) / 400, max_error_rate=0.05)
    n_asked = len(search.ask(5))
    found = sampling.search_answer(search, GOAL)
    assert f"to_verify.csv ({n_asked} outputs)" in found.sentences()[-1]
    assert (found.figures["verified"], found.figures["open"]) == (0, n_asked)
    state = {
        "n_verified": 1, "budget": 20, "n_errors": 0, "criterion": "max_risk", "limit": 0.05,
        "acceptance_rate": 0.25, "failure_probability": 0.05, "threshold": 0.5,
    }  # fmt: skip
    nothing = SimpleNamespace(**state | {"acceptance_rate": 0.0, "budget": None})
    assert sampling.accepted_sentences(nothing) == [
        "Nothing is safe to accept yet.",
        "So far 1 answer: 0 errors found.",
    ]
    which = "Accept 25% of the outputs, those at confidence >= 0.5"
    by = "So far 1 of 20 planned answers: 0 errors found."
    assert sampling.accepted_sentences(SimpleNamespace(**state)) == [
        f"{which}: with 95% confidence, at most 5% of the accepted outputs are wrong.",
        by,
    ]
    state["criterion"] = "max_error_rate"
    (said, _) = sampling.accepted_sentences(SimpleNamespace(**state))
    promise = "at most 5% of all these outputs are accepted and wrong"
    assert said == f"{which}: with 95% confidence, {promise}."
    state["limit"] = 0.3
    (said, _) = sampling.accepted_sentences(SimpleNamespace(**state))
    assert said == f"{which}: even if all of them are wrong, that is within 30%."


def test_a_cascade():
    rng = np.random.default_rng(0)
    confidence = rng.random(1000)
    correct = rng.random(1000) < confidence
    stages = [
        fa.costs.Stage("engine", 0.1, correct=correct, confidence=confidence),
        fa.costs.Stage("clerk", 2.0),
    ]
    found = fa.costs.optimize_cascade(stages, max_error_rate=0.05)
    answer = cascade.cascade_answer(found)
    first, *others = answer.sentences()
    assert first.startswith(f"1,000 outputs cost {1000 * found.cost:,.2f}: ")
    assert others == found.sentences()
    assert answer.figures == found.to_dict()
    table = answer.screen.table
    assert table is not None
    (columns,) = table.blocks
    rows = list(zip(*(column.cells for column in columns), strict=True))
    assert rows == found.rows_in_words()
    assert rows[-1][0] == "the rest"
    for row, line in zip(rows, str(found).split("\n")[1:3], strict=True):
        assert " ".join(row).split() == line.split()[1:]
