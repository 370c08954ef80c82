"""lm-evaluation-harness: a reader of outputs in its logged samples, and metrics for its tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fastarac._core.metric_keys import as_key, in_key
from fastarac.adapters._items import HarnessOutputs, outputs_of
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.statistics import Statistic, as_statistic

__all__ = ["multiple_choice", "outputs"]


def outputs(
    results: Mapping[str, Any],
    task: str | None = None,
    *,
    metric: str = "acc",
    confidence: Callable[[Mapping[str, Any]], float] | None = None,
    cluster: Callable[[Mapping[str, Any]], Any] | None = None,
) -> HarnessOutputs:
    """Return the outputs of a task from the results of ``simple_evaluate(…, log_samples=True)``.

    Parameters
    ----------
    results : mapping
        The results, with ``results["samples"]``.
    task : str, optional
        The name of the task; required if there are several.
    metric : str, default="acc"
        The name of the metric that grades the output of a sample, from 0 to 1.
    confidence : callable, optional
        Function from a logged sample to the confidence of its output; by default the probability of the
        chosen answer among the answers of a multiple-choice task.
    cluster : callable, optional
        Function from a logged sample to a label that dependent samples share, such as the document of a
        question. By default, each question is a cluster of its own, and includes its outputs from all
        filters.

    Returns
    -------
    HarnessOutputs
        The arrays `correct`, `confidence` and `groups`, in the order of the samples.

    Raises
    ------
    ValueError
        If the results have no samples, if the task or metric is unknown, or if a sample has no
        confidence.

    Examples
    --------
    >>> import fastarac as fa
    >>> sample = {"doc_id": 0, "acc": 1.0, "filtered_resps": [(-0.1, True), (-2.5, False)]}
    >>> found = fa.adapters.lm_eval.outputs({"samples": {"quiz": [sample]}})
    >>> found.confidence.round(3)
    array([0.917])
    """
    tasks: Mapping[str, Sequence[Mapping[str, Any]]] = results.get("samples") or {}
    if not tasks:
        raise ValueError("results has no samples: use simple_evaluate(..., log_samples=True)")
    if task is None and len(tasks) == 1:
        task = next(iter(tasks))
    if task is None or task not in tasks:
        raise ValueError(f"task must be one of {', '.join(map(repr, tasks))}, got {task!r}")
    samples = tasks[task]
    if any(metric not in sample for sample in samples):
        known = ", ".join(map(repr, samples[0].get("metrics", ())))
        raise ValueError(f"metric must be one of {known} and in every sample, got {metric!r}")
    sure = _probability_of_choice if confidence is None else confidence
    return outputs_of(
        [float(sample[metric]) for sample in samples],
        [sure(sample) for sample in samples],
        [sample["doc_id"] if cluster is None else cluster(sample) for sample in samples],
    )


def multiple_choice(
    gold: str | Callable[[Mapping[str, Any]], int], *statistics: str | Statistic
) -> dict[str, Any]:
    """Return the configuration of a multiple-choice task, with statistics as additional metrics.

    Parameters
    ----------
    gold : str or callable
        The field of a document that holds the number of the right answer, or a function of the document
        that returns this number.
    *statistics : str or Statistic
        Statistics such as ``"arac_auc"`` or ``Statistic("acceptance_at_error_rate",
        max_error_rate=0.01)``. The harness lists them next to the accuracy, without standard errors. It
        names the second example ``acceptance_at_error_rate/max_error_rate/0.01``.

    Returns
    -------
    dict
        The entries ``process_results`` and ``metric_list`` of the configuration.

    Examples
    --------
    >>> import fastarac as fa
    >>> config = {"output_type": "multiple_choice", "doc_to_target": "label"}
    >>> config |= fa.adapters.lm_eval.multiple_choice("label", "arac_auc")
    >>> config["process_results"]({"label": 0}, [(-0.1, True), (-2.5, False)])
    {'acc': 1.0, 'arac_auc': (True, 0.9168273035060777)}
    >>> config["metric_list"][1]["aggregation"]([(True, 0.9), (False, 0.3)])
    0.875
    """
    chosen = [as_statistic(each) for each in statistics]

    def process_results(
        doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]
    ) -> dict[str, Any]:
        answer, confidence = _choice([each[0] for each in results])
        correct = answer == (gold(doc) if callable(gold) else doc[gold])
        pairs = {_key(statistic): (correct, confidence) for statistic in chosen}
        return {"acc": float(correct), **pairs}

    metrics = [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}]
    metrics += [
        {
            "metric": _key(statistic),
            "aggregation": _Aggregation(statistic),
            "higher_is_better": not statistic.definition.lower_is_better,
        }
        for statistic in chosen
    ]
    return {"process_results": process_results, "metric_list": metrics}


class _Aggregation:
    """A statistic as a function of a list of (correct, confidence)."""

    def __init__(self, statistic: Statistic) -> None:
        self.statistic = statistic
        self.__name__ = _key(statistic)  # the harness looks up this attribute

    def __call__(self, items: Sequence[tuple[bool, float]]) -> float:
        correct, confidence = zip(*items, strict=True)
        return self.statistic(threshold_sweep(correct, confidence))


def _key(statistic: Statistic) -> str:
    """Return a statistic's name and parameters: ``acceptance_at_error_rate/max_error_rate/0.01``."""
    parameters = (f"/{name}/{in_key(as_key(str(value)))}" for name, value in statistic.parameters)
    return statistic.name + "".join(parameters)


def _probability_of_choice(sample: Mapping[str, Any]) -> float:
    answers = sample["filtered_resps"]
    try:
        return _choice([float(each[0]) for each in answers])[1]
    except (TypeError, ValueError, IndexError) as error:
        message = (
            f"sample {sample['doc_id']} has no log-likelihoods of several answers; give confidence="
        )
        raise ValueError(message) from error


def _choice(log_likelihoods: Sequence[float]) -> tuple[int, float]:
    """Return the index of the likeliest answer, and its probability among the answers."""
    if len(log_likelihoods) < 2:
        raise ValueError("a choice needs at least two answers")
    values = np.asarray(log_likelihoods, float)
    return int(values.argmax()), float(1.0 / np.exp(values - values.max()).sum())
