"""Engines side by side at a limit: one quantity in headline, ranking and test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastarac._core.text import rounded_percent
from fastarac.answers import evaluation
from fastarac.answers.models import Model
from fastarac.evaluation.limits import Limit
from fastarac.evaluation.model_ranking import leads_of
from fastarac.io import Labels, Outputs
from fastarac.report.views import decisions_of

RATES = [0.02, 0.1, 0.3]
LIMITS = [Limit(name, rate) for name in ("max_error_rate", "max_risk") for rate in RATES]


def engine(rng: np.random.Generator, n_pages: int) -> Outputs:
    """Items of its own on each page; some are never accepted, on some pages all of them."""
    page = np.repeat(np.arange(n_pages), rng.integers(2, 30, n_pages))
    quality = rng.uniform(0.7, 1.0) * rng.beta(8, 2, n_pages)[page]
    noise = rng.normal(0, rng.uniform(0.02, 0.3), len(page))
    confidence = np.round(np.clip(quality + noise, 0, 1), int(rng.integers(1, 4)))
    rejected = rng.random(len(page)) < rng.choice([0, 0.02, 0.3])
    if rng.random() < 0.3:
        rejected |= page < n_pages // 2
    correct = (rng.random(len(page)) < quality * confidence ** rng.uniform(0, 2)) & ~rejected
    names = tuple(f"p{k:02}" for k in range(n_pages))
    never = float(rng.choice([-1.0, -3.0]))
    return Outputs(
        correct,
        np.where(rejected, never, confidence),
        group=Labels(names, page),
        rejected=rejected if rejected.any() else None,
    )


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(2, 3))
@settings(max_examples=6)
@example(0, 2)
def test_no_table_contradicts_a_sentence(seed, n_engines):
    """The leader has the largest share in every table; p-value, interval and words say the same."""
    rng = np.random.default_rng(seed)
    n_pages = int(rng.integers(4, 40))
    outputs = {f"engine {k}": engine(rng, n_pages) for k in range(n_engines)}
    if rng.random() < 0.2:
        outputs["again"] = outputs["engine 0"]
    leads = leads_of(outputs, LIMITS, unit="page", n_resamples=199)
    models = [
        Model.of(name, items, max_error_rate=RATES, max_risk=RATES) for name, items in outputs.items()
    ]
    decisions = decisions_of(models, leads=leads)
    said = evaluation.words(models, leads=leads)
    for index, lead in enumerate(leads):
        found = lead.comparison
        shares = {model.name: model.point(index).acceptance_rate for model in models}
        assert found.estimates == pytest.approx([shares[name] for name in found.names], rel=1e-12)
        most = max(shares.values())
        leader = found.names[0]
        assert shares[leader] == pytest.approx(most)
        assert rounded_percent(most) == decisions[index].share
        best = [name for name, share in shares.items() if share == most]
        if len(best) == 1 and most > 0:
            assert best == [leader] == [decisions[index].name]
            assert f"{leader} accepts most" in said[index]
        opposite = [f"{other} accepts more than" for other in found.names[1:]]
        assert not any(words in text for words in opposite for text in (lead.sentence, said[index]))
        for pair in found.pairs:
            ends = pair.adjusted_interval
            assert ends.low <= pair.difference <= ends.high
            assert lead.is_clear(pair) == (round(pair.adjusted_pvalue, 9) < 0.05) == (ends.low > 0)
            assert ends.high >= 0  # never the other way round
        clear = [name for name in found.names[1:] if lead.is_clear(found.pair(leader, name))]
        assert ("beyond chance" in lead.sentence) == bool(clear)


@pytest.mark.parametrize("n_pages", [6, 30])
def test_few_pages_are_doubted_in_the_sentence(n_pages):
    """What cannot be relied on is not said by itself, and no interval is as wide as can be."""
    page = np.repeat(np.arange(n_pages), 20)
    group = Labels(tuple(map(str, range(n_pages))), page)
    confidence = np.tile(np.arange(20.0), n_pages)
    best = Outputs(np.ones(len(page), bool), confidence, group=group)
    worse = Outputs((np.arange(len(page)) + page) % 20 < 10, confidence, group=group)
    lead = leads_of({"a": best, "b": worse}, LIMITS[:1], unit="page")[0]
    pair = lead.comparison.pair("a", "b")
    assert lead.is_clear(pair)
    assert lead.is_of_few == (n_pages < 20)
    assert lead.verdict(pair) == ("too few pages" if n_pages < 20 else "beyond chance")
    doubt = "beyond chance if 6 pages are enough (20 or more are reliable)" in lead.sentence
    assert doubt == (n_pages < 20)
    same = leads_of({"b": worse, "again": worse}, LIMITS[:1], unit="page")[0]
    assert same.ends(same.comparison.pairs[0]) == "the same outputs"
    assert same.sentence == f"Judged by {n_pages} pages, b and again have the same outputs."


def test_equal_shares_of_different_outputs_are_not_called_the_same():
    page = np.repeat(np.arange(24), 10)
    group = Labels(tuple(map(str, range(24))), page)
    correct = np.arange(240) % 10 > 0
    one = Outputs(correct, np.where(correct, 0.9, 0.1), group=group)
    other = Outputs(correct, np.where(correct, 0.8, 0.2), group=group)
    (lead,) = leads_of({"a": one, "b": other, "c": one}, LIMITS[:1], unit="page")
    assert lead.alike == {("a", "c")}
    assert lead.ends(lead.comparison.pair("a", "b")) == "alike in all resamples"
    ahead = "Judged by 24 pages, a and c have the same outputs; a and b accept the same share."
    assert lead.sentence == ahead
