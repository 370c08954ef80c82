"""Whether the model that accepts most at a limit does so beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.exceptions import collected
from fastarac._core.text import UNDEFINED, lead, percent, printable, pvalue
from fastarac.cli._compare import refuse_rejected
from fastarac.cli._options import RefusalError
from fastarac.uncertainty.comparison import compare_models
from fastarac.uncertainty.comparison_results import best_first
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.evaluation.limits import Limit
    from fastarac.io import Outputs
    from fastarac.uncertainty.comparison_results import ModelComparison

STATISTICS = {"max_error_rate": "acceptance_at_error_rate", "max_risk": "acceptance_at_risk"}
RESAMPLES = 1000
MOST = 200_000  # items, of which the resamples take about a second
SEED = 0


def sentences(models: Mapping[str, Outputs], limits: Sequence[Limit], level: float) -> tuple[str, ...]:
    """Return for each limit how sure its leader's lead is; empty where that is not compared.

    Models are of the same items in the same order; tests are at one less the level of intervals.
    """
    return tuple(_sentence(models, limit, level) for limit in limits)


def _sentence(models: Mapping[str, Outputs], limit: Limit, level: float) -> str:
    first = next(iter(models.values()))
    name = STATISTICS.get(limit.criterion)
    if name is None or len(first) > MOST:
        return ""
    with collected([]):
        found = compare_models(
            {name: (outputs.correct, outputs.confidence) for name, outputs in models.items()},
            statistic=Statistic(name, **{limit.criterion: limit.value, "interpolate": False}),
            method="bootstrap",
            confidence_level=level,
            sample_weight=first.weight,
            groups=None if first.group is None else first.group.codes,
            n_resamples=RESAMPLES,
            random_state=SEED,
        )
    try:
        refuse_rejected(models, found)
    except RefusalError:
        return ""
    return verdict(best_first(found))


def verdict(found: ModelComparison) -> str:
    """Return how sure it is that the first model accepts more than each of the others."""
    alpha = 1.0 - found.confidence_level
    leader, *others = found.names
    clear, even = list[str](), list[str]()
    for other in others:
        pair = found.pair(leader, other)
        by = 100.0 * pair.difference
        ends = f"{100.0 * pair.interval.low:+.1f} to {100.0 * pair.interval.high:+.1f}"
        chance = pvalue(pair.adjusted_pvalue)
        sure = "" if chance == UNDEFINED else f", p {chance if '<' in chance else f'= {chance}'}"
        interval = f"{percent(found.confidence_level)} interval {ends}"
        said = f"{printable(other)} ({by:+.1f} points, {interval}{sure})"
        (clear if pair.adjusted_pvalue < alpha else even).append(said)
    words = lead(printable(leader), clear, even, "accepts more than {}, beyond chance")
    return f"On the {found.n:,} items that all have, {words}"
