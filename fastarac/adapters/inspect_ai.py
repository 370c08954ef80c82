"""Inspect: a metric for its scorers, and a reader of outputs in its logs."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fastarac._core.extras import require
from fastarac.adapters._items import HarnessOutputs, outputs_of

require("inspect_ai", "adapters")

from inspect_ai.scorer import SampleScore, metric, value_to_float  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inspect_ai.log import EvalLog

__all__ = ["outputs", "selective_metrics"]

F = TypeVar("F", bound="Callable[..., Any]")


def _registered(function: F) -> F:
    """Register a metric with its docstring and signature."""
    made: Any = metric(scores="unreduced")(function)
    made.__doc__, made.__signature__ = function.__doc__, signature(function)
    return cast("F", made)


@_registered
def selective_metrics(
    confidence: str = "confidence",
    cluster: str | None = None,
    max_error_rate: float | Sequence[float] = (0.01, 0.05),
    max_risk: float | Sequence[float] = (),
    *,
    intervals: bool = True,
) -> Callable[[list[SampleScore]], dict[str, Any]]:
    """Return an Inspect metric with all results of :func:`.evaluate`, for ``@scorer(metrics=[…])``.

    Each epoch of a sample counts as one output. Intervals treat the epochs of a sample, or the samples
    of a cluster, as dependent.

    Parameters
    ----------
    confidence : str, default="confidence"
        The key of the confidence in the metadata of the scores.
    cluster : str, optional
        The metadata key of a label that dependent samples share, such as their document, as in
        Inspect's ``stderr(cluster=…)``.
    max_error_rate, max_risk : float or sequence of float
        As in :func:`.evaluate`.
    intervals : bool, default=True
        Whether to compute confidence intervals.

    Returns
    -------
    callable
        A metric of Inspect that returns a dictionary; undefined values are None.

    Raises
    ------
    TypeError
        If a score has no confidence.
    ValueError
        If `cluster` is given, but a sample has no such label.

    Examples
    --------
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> import fastarac as fa
    >>> metric = fa.adapters.inspect_ai.selective_metrics(max_error_rate=[0.2], intervals=False)
    >>> values = [("C", 0.9), ("I", 0.3), ("C", 0.6)]
    >>> scores = [
    ...     SampleScore(score=Score(value=value, metadata={"confidence": sure}), sample_id=k)
    ...     for k, (value, sure) in enumerate(values)
    ... ]
    >>> metric(scores)["acceptance_rate/0.2"]
    0.6666666666666666
    """
    options: dict[str, Any] = {"max_error_rate": max_error_rate, "max_risk": max_risk}

    def of_scores(scores: list[SampleScore]) -> dict[str, Any]:
        found = _outputs(
            [(each.score, each.sample_id, each.sample_metadata) for each in scores], confidence, cluster
        )
        return found.evaluate(intervals=intervals, **options).to_dict()

    return of_scores


def outputs(
    log: EvalLog,
    scorer: str | None = None,
    *,
    confidence: str = "confidence",
    cluster: str | None = None,
) -> HarnessOutputs:
    """Return the outputs in a log, as read by ``inspect_ai.log.read_eval_log``.

    Parameters
    ----------
    log : EvalLog
        The log, with its samples.
    scorer : str, optional
        The name of the scorer; required if there are several.
    confidence, cluster : str
        As in :func:`selective_metrics`.

    Returns
    -------
    HarnessOutputs
        The arrays `correct`, `confidence` and `groups`, with one entry for each epoch of a scored
        sample.

    Raises
    ------
    ValueError
        If the log has no samples, or if it has several scorers and `scorer` is not one of them.
    """
    samples = [sample for sample in log.samples or () if sample.scores]
    if not samples:
        raise ValueError("log must have samples with scores")
    names = list(dict.fromkeys(name for sample in samples for name in sample.scores))
    if scorer is None and len(names) == 1:
        scorer = names[0]
    if scorer not in names:
        raise ValueError(f"scorer must be one of {', '.join(map(repr, names))}, got {scorer!r}")
    found = [
        (sample.scores[scorer], sample.id, sample.metadata)
        for sample in samples
        if scorer in sample.scores and sample.scores[scorer].value == sample.scores[scorer].value
    ]
    return _outputs(found, confidence, cluster)


def _outputs(
    scores: list[tuple[Any, Any, dict[str, Any] | None]], confidence: str, cluster: str | None
) -> HarnessOutputs:
    to_float = value_to_float()
    groups = []
    for _, name, metadata in scores:
        group = name if cluster is None else (metadata or {}).get(cluster)
        if group is None:
            raise ValueError(
                f"sample {name!r} has no {cluster!r} in its metadata: each sample needs its cluster"
            )
        groups.append(group)
    return outputs_of(
        [to_float(score.value) for score, _, _ in scores],
        [(score.metadata or {}).get(confidence) for score, _, _ in scores],
        groups,
    )
