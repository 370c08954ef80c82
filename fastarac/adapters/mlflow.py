"""MLflow: results become metrics of a run, and a file beside them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from fastarac._core.extras import require
from fastarac._core.results import Shown

if TYPE_CHECKING:
    from fastarac._core.results import Result, TupleResult

__all__ = ["log_result"]


def log_result(
    result: Result | TupleResult, name: str = "fastarac", *, step: int | None = None
) -> dict[str, float]:
    """Log a result to the active run: its numbers as metrics, all of it as ``NAME.json``.

    Parameters
    ----------
    result : Evaluation, OperatingPoint, ThresholdSweep or any other result
        Whatever has ``to_dict()``.
    name : str, default="fastarac"
        Stands before the names of the metrics, and names the file.
    step : int, optional
        Of the metrics; the file's name has it too.

    Returns
    -------
    dict of str to float
        The metrics as they were logged. ``acceptance_rate@risk=0.02`` is
        ``fastarac/acceptance_rate/risk_0.02``: MLflow takes neither sign. What is undefined is left
        out, and is null in the file; arrays are in the file alone.

    Raises
    ------
    TypeError
        For anything but a result.
    ModuleNotFoundError
        Where MLflow is not installed.
    """
    require("mlflow", "adapters")
    import mlflow

    if not isinstance(result, Shown):
        message = f"result is of type {type(result).__name__}; a result of fastarac is expected"
        raise TypeError(message)
    content = result.to_dict()
    metrics = {
        f"{name}/{_metric_name(key)}": float(value)
        for key, value in content.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }
    mlflow.log_metrics(metrics, step=step)
    mlflow.log_dict(content, f"{name}.json" if step is None else f"{name}-{step}.json")
    return metrics


def _metric_name(key: str) -> str:
    return re.sub(r"[^\w. /-]", "_", key.replace("@guaranteed:", "/guaranteed/").replace("@", "/"))
