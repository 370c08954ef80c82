"""The reader and the metrics beside a real run of lm-evaluation-harness, with a model of our own."""

from __future__ import annotations

import json

import numpy as np
import pytest
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager

import fastarac as fa
from fastarac.adapters.lm_eval import multiple_choice, outputs

QUESTIONS, CHOICES = 40, 4
WORDS = ["alpha", "beta", "gamma", "delta"]


def likelihoods():
    rng = np.random.default_rng(8)
    gold = rng.integers(CHOICES, size=QUESTIONS)
    scores = rng.normal(size=(QUESTIONS, CHOICES))
    scores[np.arange(QUESTIONS), gold] += 1.5
    return gold, scores


class Scripted(LM):
    """A model whose log-likelihoods are made beforehand."""

    def loglikelihood(self, requests):
        _, scores = likelihoods()
        found = []
        for request in requests:
            context, answer = request.args
            found.append((float(scores[int(context.split()[1]), WORDS.index(answer.strip())]), False))
        return found

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError

    def generate_until(self, requests):
        return ["alpha" for _ in requests]


def config(tmp_path, **changes):
    gold, _ = likelihoods()
    path = tmp_path / "quiz.jsonl"
    rows = [{"number": k, "label": int(gold[k]), "document": k // 5} for k in range(QUESTIONS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {
        "task": "quiz",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(path)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "Question {{number}} :",
        "doc_to_choice": WORDS,
        "doc_to_target": "label",
        **changes,
    }


def run(tmp_path, monkeypatch, **changes):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    task = ConfigurableTask(config=config(tmp_path, **changes))
    return simple_evaluate(
        Scripted(),
        tasks=[task],
        task_manager=TaskManager(include_defaults=False),  # thousands of files
        log_samples=True,
        bootstrap_iters=0,
    )


def expected():
    gold, scores = likelihoods()
    probability = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return scores.argmax(axis=1) == gold, probability.max(axis=1)


@pytest.mark.filterwarnings("ignore")
def test_outputs_of_a_task_as_it_is(tmp_path, monkeypatch):
    results = run(tmp_path, monkeypatch)
    found = outputs(results)
    correct, confidence = expected()
    assert found.correct.tolist() == correct.tolist()
    np.testing.assert_allclose(found.confidence, confidence, rtol=1e-12)
    assert found.groups.tolist() == list(range(QUESTIONS))
    plain = fa.evaluate(found.correct, found.confidence, intervals=True)
    assert found.evaluate(intervals=True) == plain  # questions by themselves
    documents = outputs(results, "quiz", cluster=lambda sample: sample["doc"]["document"])
    of_pages = fa.evaluate(
        found.correct, found.confidence, groups=np.arange(QUESTIONS) // 5, intervals=True
    )
    assert documents.evaluate(intervals=True) == of_pages
    assert of_pages.intervals["arac_auc"] != plain.intervals["arac_auc"]
    other = outputs(results, metric="acc_norm", confidence=lambda sample: sample["doc_id"])
    assert other.confidence.tolist() == list(range(QUESTIONS))
    with pytest.raises(ValueError, match="task must be one of 'quiz', got 'other'"):
        outputs(results, "other")
    with pytest.raises(ValueError, match="metric must be one of 'acc'"):
        outputs(results, metric="f1")


@pytest.mark.filterwarnings("ignore")
def test_metrics_of_a_task(tmp_path, monkeypatch):
    limit = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.1)
    results = run(
        tmp_path,
        monkeypatch,
        **multiple_choice("label", "arac_auc", "aurc", limit),
    )
    figures = results["results"]["quiz"]
    correct, confidence = expected()
    sweep = fa.threshold_sweep(correct, confidence)
    assert figures["acc,none"] == correct.mean()
    assert figures["arac_auc,none"] == pytest.approx(fa.arac_auc_score(sweep))
    assert figures["aurc,none"] == pytest.approx(fa.aurc_loss(sweep))
    assert figures["acceptance_at_error_rate/max_error_rate/0.1,none"] == pytest.approx(limit(sweep))
    assert results["higher_is_better"]["quiz"]["arac_auc"] is True
    assert results["higher_is_better"]["quiz"]["aurc"] is False


@pytest.mark.filterwarnings("ignore")
def test_answers_without_likelihoods(tmp_path, monkeypatch):
    results = run(
        tmp_path,
        monkeypatch,
        output_type="generate_until",
        doc_to_choice=None,
        doc_to_target="{{number}}",
        metric_list=[{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    )
    with pytest.raises(ValueError, match="sample 0 has no log-likelihoods of several answers"):
        outputs(results, metric="exact_match")
    found = outputs(results, metric="exact_match", confidence=lambda sample: len(sample["resps"][0][0]))
    assert found.confidence.tolist() == [5.0] * QUESTIONS


def test_results_without_samples():
    with pytest.raises(ValueError, match="results has no samples: use simple_evaluate"):
        outputs({"results": {}})
