"""The metric and the reader beside a real evaluation of Inspect."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import SampleScore, Score, Target, accuracy, scorer
from inspect_ai.solver import TaskState, solver

import fastarac as fa
from fastarac.adapters.inspect_ai import outputs, selective_metrics

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

QUESTIONS = 12
EPOCHS = 3


@pytest.fixture(autouse=True)
def _collected():
    """Collect the streams that Inspect leaves open within the test whose filter lets them pass."""
    yield
    gc.collect()


def answers():
    """What the model says, by question and epoch: an answer, and how sure it is."""
    rng = np.random.default_rng(4)
    sure = rng.random((QUESTIONS, EPOCHS)).round(2)
    right = rng.random((QUESTIONS, EPOCHS)) < 0.4 + 0.6 * sure
    return right, sure


@solver
def says_yes():
    """Stands in for ``generate()``, whose tokens Inspect counts with files from the network."""

    async def solve(state: TaskState, generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", "yes")
        return state

    return solve


def evaluated(tmp_path, metrics, value=lambda right: "C" if right else "I", epochs=EPOCHS):
    right, sure = answers()

    @scorer(metrics=metrics)
    def said():
        async def score(state: TaskState, target: Target) -> Score:
            question, epoch = int(state.sample_id), state.epoch - 1
            if question == QUESTIONS:
                return Score.unscored(reason="no_response")
            assert state.output.completion == "yes"
            return Score(
                value=value(right[question, epoch]),
                metadata={"confidence": float(sure[question, epoch])},
            )

        return score

    samples = [
        Sample(input="?", target="yes", id=k, metadata={"document": k // 4})
        for k in range(QUESTIONS + 1)
    ]
    (log,) = evaluate(
        Task(dataset=samples, solver=says_yes(), scorer=said(), epochs=epochs),
        model="mockllm/model",
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def metrics_of(log):
    return {name: metric.value for each in log.results.scores for name, metric in each.metrics.items()}


@pytest.mark.filterwarnings("ignore")  # of Inspect itself, and of intervals from a few questions
@pytest.mark.parametrize("cluster", [None, "document"])
def test_figures_are_those_of_evaluate(tmp_path, cluster):
    log = evaluated(tmp_path, [accuracy(), selective_metrics(cluster=cluster, max_error_rate=[0.1])])
    right, sure = answers()
    groups = np.repeat(np.arange(QUESTIONS), EPOCHS)
    if cluster:
        groups = groups // 4
    expected = fa.evaluate(
        right.ravel(), sure.ravel(), groups=groups, intervals=True, max_error_rate=[0.1]
    ).to_dict()
    found = metrics_of(log)
    assert {name: found[name] for name in expected if expected[name] is not None} == pytest.approx(
        {name: value for name, value in expected.items() if value is not None}, rel=1e-12
    )
    assert expected["arac_auc_low"] < expected["arac_auc"] < expected["arac_auc_high"]


@pytest.mark.filterwarnings("ignore")
def test_logs_are_read(tmp_path):
    log = evaluated(tmp_path, [selective_metrics(intervals=False)])
    read = outputs(read_eval_log(log.location))
    right, sure = answers()
    assert len(read.correct) == QUESTIONS * EPOCHS  # what has no score is no output
    order = np.lexsort((read.confidence, read.groups))
    expected = np.lexsort((sure.ravel(), np.repeat(np.arange(QUESTIONS), EPOCHS)))
    assert read.confidence[order].tolist() == sure.ravel()[expected].tolist()
    assert read.correct[order].tolist() == right.ravel()[expected].tolist()
    assert read.evaluate().arac.auc == metrics_of(log)["arac_auc"]
    clustered = outputs(log, "said", cluster="document")
    assert len(np.unique(clustered.groups)) == 3
    with pytest.raises(ValueError, match="scorer must be one of 'said', got 'other'"):
        outputs(log, "other")
    with pytest.raises(TypeError, match="the confidence of 0 must be a number, got None"):
        outputs(log, confidence="logprob")
    with pytest.raises(ValueError, match="no 'page' in its metadata: each sample needs"):
        outputs(log, cluster="page")
    with pytest.raises(ValueError, match="log must have samples with scores"):
        outputs(read_eval_log(log.location, header_only=True))


@pytest.mark.filterwarnings("ignore")
def test_partial_credit(tmp_path):
    log = evaluated(
        tmp_path,
        [selective_metrics(max_error_rate=0.3)],
        value=lambda right: "C" if right else "P",
        epochs=1,
    )
    right, sure = answers()
    expected = fa.evaluate(
        np.where(right, 1, 0.5)[:, 0], sure[:, 0], graded=True, intervals=True, max_error_rate=0.3
    ).to_dict()
    found = metrics_of(log)
    for name in ("arac_auc", "arac_auc_low", "recognition_rate", "acceptance_rate/0.3"):
        assert found[name] == pytest.approx(expected[name], rel=1e-12)


def test_a_score_without_a_confidence():
    scores = [SampleScore(score=Score(value="C"), sample_id="q1")]
    with pytest.raises(TypeError, match="the confidence of 'q1' must be a number, got None"):
        selective_metrics()(scores)
