"""MLflow: results become metrics of a run, and a file beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator, Mapping

from fastarac._core.extras import require
from fastarac._core.results import Result, Shown, TupleResult
from fastarac.evaluation.groups import GroupEvaluation

__all__ = ["log_result"]

BATCH = 1000  # metrics that MLflow takes at a time


def log_result(
    result: Result | TupleResult | Mapping[Hashable, Result | TupleResult],
    name: str = "fastarac",
    *,
    step: int | None = None,
) -> dict[str, float]:
    """Log a result to the active run: its numbers as metrics, all of it as ``NAME.json``.

    Parameters
    ----------
    result : Evaluation, OperatingPoint, GroupEvaluation or any other result, or a mapping of results
        Whatever has ``to_dict()``; or a result of each group or model by its label, as
        :func:`.frames.evaluate` returns with ``by``.
    name : str, default="fastarac"
        Stands before the names of the metrics, and names the file.
    step : int, optional
        Of the metrics; the file's name has it too.

    Returns
    -------
    dict of str to float
        The metrics as they were logged. ``acceptance_rate@risk=0.02`` is
        ``fastarac/acceptance_rate/risk_0.02``: MLflow takes neither sign. Behind the name of a figure
        stands its group, where there are groups: ``fastarac/acceptance_rate.invoices/risk_0.02``. What
        is undefined is left out, and is null in the file; other arrays are in the file alone.

    Raises
    ------
    TypeError
        For anything but a result, or a mapping of results.
    ValueError
        For groups whose metrics would have one name, as signs that MLflow refuses become ``_``.
    ModuleNotFoundError
        Where MLflow is not installed.
    """
    require("mlflow", "adapters")
    import mlflow

    content = _content(result)
    metrics: dict[str, float] = {}
    for key, value in _figures(result):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            continue
        metric = f"{name}/{key}"
        if metric in metrics:
            raise ValueError(
                f"two groups of result have the metric {metric}; other labels are expected"
            )
        metrics[metric] = float(value)
    rows = list(metrics.items())
    for start in range(0, len(rows), BATCH):
        mlflow.log_metrics(dict(rows[start : start + BATCH]), step=step)
    mlflow.log_dict(content, f"{name}.json" if step is None else f"{name}-{step}.json")
    return metrics


def _content(result: object) -> dict[str, object]:
    """What the file holds; raises for what is not a result."""
    if isinstance(result, Shown):
        return result.to_dict()
    if isinstance(result, Mapping) and result:
        return {str(label): _content(part) for label, part in result.items()}
    found = "an empty mapping" if isinstance(result, Mapping) else f"of type {type(result).__name__}"
    raise TypeError(f"result is {found}; a result of fastarac, or a mapping of results, is expected")


def _figures(result: object) -> Iterator[tuple[str, object]]:
    """The figures, by the names that their metrics have."""
    if isinstance(result, Mapping):
        for label, part in result.items():
            for key, value in _figures(part):
                yield _of_group(key, label), value
    elif isinstance(result, GroupEvaluation):
        for key, values in result.values.items():
            for label, value in zip(result.groups.tolist(), values.tolist(), strict=True):
                yield _of_group(_metric_name(key), label), value
    elif isinstance(result, Shown):
        for key, value in result.to_dict().items():
            yield _metric_name(key), value


def _of_group(metric: str, label: object) -> str:
    figure, slash, limit = metric.partition("/")
    group = re.sub(r"[^\w. -]", "_", str(label))
    return f"{figure}.{group}{slash}{limit}"


def _metric_name(key: str) -> str:
    return re.sub(r"[^\w. /-]", "_", key.replace("@guaranteed:", "/guaranteed/").replace("@", "/"))
