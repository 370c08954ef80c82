"""Describe a combination of several engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import plural, rounded_percent
from fastarac.ocr.analysis.engine_prices import worth_of_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastarac.answers.models import Model


def together_name(engines: Mapping[str, Any] | Sequence[str]) -> str:
    """Return the name of the learnt combination of engines."""
    return " + ".join(engines)


def agreement_name(engines: Mapping[str, Any] | Sequence[str]) -> str:
    """Return the name of the rule that accepts outputs on which all engines agree."""
    return " = ".join(engines)


def sentences(
    engines: Sequence[str], models: Sequence[Model], prices: Mapping[str, float], n_pages: int
) -> Iterator[str]:
    """Yield sentences on outputs that all engines agree on, and on the costs of the combination."""
    by_name = {model.name: model for model in models}
    rule = by_name.get(agreement_name(engines)) if len(engines) > 1 else None
    if rule is None:
        return
    agreed = rule.outputs.confidence == 1.0
    wrong = agreed & ~rule.outputs.correct
    units = rule.source.units
    yield (
        f"{rule.name}: all engines agree on {rounded_percent(float(agreed.mean()))} of the {units}. "
        f"If these are accepted, {rounded_percent(float(wrong.mean()))} of all {units} remain wrong. "
        f"This rule has no threshold to adjust: it accepts the {units} on which all engines agree."
    )
    costs = {}
    for name in (*engines, together_name(engines)):
        found = by_name[name].cost_evaluation
        if found is not None:
            costs[name] = found.at_cheapest * len(by_name[name].outputs) / n_pages
    if len(costs) > len(engines):
        name = together_name(engines)
        alone = {each: costs[each] for each in engines}
        page = plural(rule.source.group_word, 1)
        yield worth_of_all(alone, (name, costs[name]), prices, page)
