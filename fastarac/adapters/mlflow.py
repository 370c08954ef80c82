"""MLflow: log results as metrics of a run, and as a file."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping

from fastarac._core.extras import require
from fastarac._core.metric_keys import parts_of_keys
from fastarac._core.results import Result, Shown, TupleResult
from fastarac.evaluation.groups import GroupEvaluation

__all__ = ["log_result"]

BATCH = 1000  # maximum number of metrics that MLflow accepts per call


def log_result(
    result: Result | TupleResult | Mapping[Hashable, Result | TupleResult],
    name: str = "fastarac",
    *,
    step: int | None = None,
) -> dict[str, float]:
    """Log a result to the active run: its numbers as metrics, and all of it as ``NAME.json``.

    Parameters
    ----------
    result : Evaluation, OperatingPoint, GroupEvaluation or any other result, or a mapping of results
        Any object with a method ``to_dict()``, or a mapping of such results by group or model, for
        example from :func:`.frames.evaluate` with ``by``.
    name : str, default="fastarac"
        Prefix of the metrics' names, and name of the file.
    step : int, optional
        The step of the metrics, which is also part of the file's name.

    Returns
    -------
    dict of str to float
        The logged metrics. Their names consist of `name`, the key in `to_dict` and, with groups, the
        group: ``fastarac/acceptance_rate/risk/0.02/group/invoices``. Undefined values are left out
        here, and null in the file. Arrays are only in the file.

    Raises
    ------
    TypeError
        If `result` is neither a result nor a mapping of results.
    ValueError
        If two groups get the same key. In keys, all characters except letters, digits, ``_``, ``-`` and
        ``.`` are replaced by ``_``.
    ModuleNotFoundError
        If MLflow is not installed.
    """
    require("mlflow", "adapters")
    import mlflow

    content = _content(result)
    metrics: dict[str, float] = {}
    for key, value in _figures(result):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            continue
        metrics[f"{name}/{key}"] = float(value)
    rows = list(metrics.items())
    for start in range(0, len(rows), BATCH):
        mlflow.log_metrics(dict(rows[start : start + BATCH]), step=step)
    mlflow.log_dict(content, f"{name}.json" if step is None else f"{name}-{step}.json")
    return metrics


def _content(result: object) -> dict[str, object]:
    """Return what to write to the JSON file, for a result or a mapping of results."""
    if isinstance(result, Shown):
        return result.to_dict()
    if isinstance(result, Mapping) and result:
        return {str(label): _content(part) for label, part in result.items()}
    found = "an empty mapping" if isinstance(result, Mapping) else f"type {type(result).__name__}"
    raise TypeError(f"result must be a result of fastarac, or a mapping of results, got {found}")


def _figures(result: object) -> Iterator[tuple[str, object]]:
    """Yield the metric keys and the values of a result."""
    if isinstance(result, Mapping):
        for label, part in zip(parts_of_keys(result, "groups"), result.values(), strict=True):
            for key, value in _figures(part):
                yield f"{key}/group/{label}", value
    elif isinstance(result, GroupEvaluation):
        labels = parts_of_keys(result.groups.tolist(), "groups")
        for key, values in result.values.items():
            for label, value in zip(labels, values.tolist(), strict=True):
                yield f"{key}/group/{label}", value
    elif isinstance(result, Shown):
        yield from result.to_dict().items()
