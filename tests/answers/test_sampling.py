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
    sample = fa.partial_truth.draw_verification_sample(np.arange(1000), 100, random_state=0)
    least, most = sample.inclusion_probability.min(), sample.inclusion_probability.max()
    found = sampling.drawn_answer(sample, GOAL, is_audit=False, answers=Path("old.csv"))
    assert found.sentences[0] == (
        "102 of 1,000 outputs were drawn to be verified, with probabilities from "
        f"{least:.4g} to {most:.4g}."
    )
    assert found.sentences[1].startswith("Where none of them is wrong, at best limits from ")
    assert found.sentences[2:] == [
        "The answers of old.csv are kept: fill in what is empty.",
        'Fill in the column "correct" of to_verify.csv; then fastarac sample --answers.',
    ]
    assert (found.figures["n_items"], found.figures["drawn"]) == (1000, 102)
    found = sampling.drawn_answer(sample, GOAL, is_audit=True)
    assert " of 1,000 outputs that the policy accepts were drawn " in found.sentences[0]
    assert found.sentences[1:] == [
        'Fill in the column "correct" of to_verify.csv where drawn is 1; then fastarac check --log.'
    ]


def test_words():
    words = SimpleNamespace(n_words=1200, n_pages=1, n_crops=2)
    assert sampling.pages_sentence(words, None) == "They are from 1,200 words on 1 page."
    assert sampling.pages_sentence(words, Path("c")) == (
        "They are from 1,200 words on 1 page. 2 crops are in c."
    )


@pytest.mark.parametrize(
    ("answered", "left"), [(5, ""), (4, " 1 answer is open."), (3, " 2 answers are open.")]
)
def test_answers(answered, left):
    found = sampling.joined_answer(5, answered, GOAL)
    assert found.sentences == [
        f"{answered} of 5 drawn outputs have an answer.{left} Written to to_verify.csv."
    ]


def test_a_search():
    search = fa.partial_truth.AdaptiveThresholdSearch(np.arange(400) / 400, max_error_rate=0.05)
    n_asked = len(search.ask(5))
    found = sampling.search_answer(search, GOAL)
    assert f"to_verify.csv, {n_asked} outputs" in found.sentences[-1]
    assert (found.figures["verified"], found.figures["open"]) == (0, n_asked)
    state = {
        "n_verified": 1, "budget": 20, "n_errors": 0, "criterion": "max_risk", "limit": 0.05,
        "acceptance_rate": 0.25, "failure_probability": 0.05, "threshold": 0.5,
    }  # fmt: skip
    nothing = SimpleNamespace(**state | {"acceptance_rate": 0.0, "budget": None})
    assert sampling.accepted_sentences(nothing) == [
        "Nothing can go through yet, by 1 answer with 0 wrong."
    ]
    through = "25.00% of the outputs can go through, those of confidence >= 0.5"
    by = "1 answer of 20 planned with 0 wrong"
    assert sampling.accepted_sentences(SimpleNamespace(**state)) == [
        f"{through}: with a probability of 95% at most 5% of what is accepted is wrong, by {by}."
    ]
    state["criterion"], promise = "max_error_rate", "at most 5% of all outputs are wrong and accepted"
    assert sampling.accepted_sentences(SimpleNamespace(**state)) == [
        f"{through}: with a probability of 95% {promise}, by {by}."
    ]
    state["limit"] = 0.3
    assert sampling.accepted_sentences(SimpleNamespace(**state)) == [
        f"{through}: so few that all of them may be wrong.",
        f"So far: {by}.",
    ]


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
    assert answer.sentences[0].startswith(f"1,000 outputs cost {1000 * found.cost:,.2f}; ")
    assert answer.sentences[1:] == found.sentences()
    assert answer.figures == found.to_dict()
    rows = list(zip(*(column.cells for column in answer.columns), strict=True))
    assert rows == found.rows_in_words()
    assert rows[-1][0] == "the rest"
    for row, line in zip(rows, str(found).split("\n")[1:3], strict=True):
        assert " ".join(row).split() == line.split()[1:]
