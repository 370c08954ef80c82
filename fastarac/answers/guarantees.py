"""Describe thresholds that are guaranteed to keep limits on new outputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastarac._core.text import listed, percent, printable, rounded_percent
from fastarac.evaluation.limits import exact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastarac.answers.models import Model
    from fastarac.guarantees.exact import GuaranteedOperatingPoint

NOTHING = "no threshold is safe enough; review everything"


def sentences(models: Sequence[Model]) -> Iterator[str]:
    """Yield for each limit a sentence on the share that each model accepts with a guarantee."""
    for index in range(len(models[0].limits)):
        yield from at_limit(models, index)


def at_limit(models: Sequence[Model], index: int) -> Iterator[str]:
    """Yield a sentence on the share that each model accepts at a limit with a guarantee, if any."""
    several, limit = len(models) > 1, models[0].limits[index]
    every = [(model, model.at(index).guaranteed) for model in models]
    promised = [(model, sure) for model, sure in every if sure is not None]
    if not promised:
        return
    confidence = percent(1.0 - promised[0][1].failure_probability)
    rate = percent(limit.value)
    promise = f"at most {rate} errors remain"
    if limit.criterion == "max_risk":
        promise = f"at most {rate} of the accepted {models[0].units} are wrong"
    outcome = NOTHING
    if any(sure.threshold < math.inf for _, sure in promised):
        each = [_outcome(model, sure, several=several) for model, sure in promised]
        outcome = f"{'accept ' if several else ''}{listed(each)}"
    yield f"With {confidence} confidence {promise}: {outcome}."
    yield from _approximately(promised, several=several)


def _approximately(
    promised: list[tuple[Model, GuaranteedOperatingPoint]], *, several: bool
) -> Iterator[str]:
    """Yield a sentence if the approximate method would accept much more than the proven guarantee."""
    shares = [
        rounded_percent(sure.approximate_acceptance_rate)
        + (f" of {printable(model.name)}" if several else "")
        for model, sure in promised
        if sure.approximate_acceptance_rate is not None
    ]
    if shares:
        yield f"The method gamma, an approximation without proof, would accept {listed(shares)}."


def together(models: Sequence[Model]) -> str:
    """Return a sentence on the confidence in several guarantees together; empty for one."""
    every = [
        found.guaranteed.failure_probability
        for model in models
        for found in model.evaluation.limits
        if found.guaranteed is not None
    ]
    if len(every) < 2:
        return ""
    each, left = percent(1.0 - every[0]), 1.0 - sum(every)
    of_all = f"with at least {percent(left)}" if left > 1e-9 else "with an unknown confidence"
    return (
        f"Each of the {len(every)} guarantees holds with {each} confidence, all of them together "
        f"{of_all}. "
        f"If you choose one by fit --choose, its guarantee keeps {each} confidence."
    )


def premise(models: Sequence[Model]) -> str:
    """Return the assumptions of a guarantee: independence, and the largest group size."""
    sizes = [
        found.guaranteed.max_group_size
        for model in models
        for found in model.evaluation.limits
        if found.guaranteed is not None and found.guaranteed.max_group_size is not None
    ]
    if not sizes:
        return "errors are independent of each other"
    kind = models[0].source.group_word
    return (
        f"{kind}s err independently of each other and have at most {max(sizes):,} outputs each, like "
        "the largest here"
    )


def _outcome(model: Model, found: GuaranteedOperatingPoint, *, several: bool) -> str:
    name = printable(model.name)
    if found.threshold == math.inf:
        return f"nothing of {name}"
    threshold = exact(found.threshold)
    share = rounded_percent(found.acceptance_rate)
    if several:
        return f"{share} of {name} at confidence >= {threshold}"
    return f"accept at confidence >= {threshold}, {share} of the outputs"
