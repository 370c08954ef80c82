"""Describe, for each limit, the differences between engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import count, percent, printable, pvalue
from fastarac.answers import comparison
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.evaluation.limits import short
from fastarac.evaluation.model_ranking import RESAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastarac.answers.tables import Part
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.evaluation.part_orders import PartOrder
    from fastarac.uncertainty.comparison_results import ModelComparison


def object_of(lead: Lead) -> dict[str, Any]:
    """Return the differences at a limit as a dictionary for JSON."""
    found = lead.comparison
    content = comparison.object_of(found)
    for each, pair in zip(content["pairs"], found.pairs, strict=True):
        each["beyond_chance"] = lead.is_clear(pair)
    content |= {"unit": lead.unit, "n_units": lead.n_units}
    if lead.limit is not None:
        content |= {"limit": lead.limit.key, "n_resamples": RESAMPLES, "seed": SEED}
    if lead.parts:
        content["parts"] = [_part(lead, part) for part in lead.parts]
    return content


def _part(lead: Lead, part: PartOrder) -> dict[str, Any]:
    """Return the order of two engines in one part of the items, as a dictionary for JSON."""
    return {
        "split": part.split,
        "value": part.value,
        "a": part.leader,
        "b": part.other,
        "estimate_a": part.shares[0],
        "estimate_b": part.shares[1],
        "n_units": part.n_units,
        "adjusted_pvalue": part.adjusted_pvalue,
        "reversed": part.is_reversed(lead.alpha),
    }


def parts(leads: Sequence[Lead | None], units: str) -> Iterator[Part]:
    """Yield for each limit a table of the differences between any two engines."""
    found = [lead for lead in leads if lead is not None]
    for number, each in enumerate(found):
        if number:
            yield Said()
        pairs = each.comparison.pairs
        what = "ARAC-AUC" if each.limit is None else f"accepted\nat {short(each.limit)}"
        columns = [
            Column(f"{what}\nby", [each.by(pair) for pair in pairs]),
            Column(
                f"{percent(each.comparison.confidence_level)} interval",
                [each.ends(pair) for pair in pairs],
            ),
            Column("p-value", [pvalue(pair.adjusted_pvalue) for pair in pairs]),
            Column("", [each.verdict(pair) if each.is_clear(pair) else "" for pair in pairs]),
        ]
        yield AnswerTable([f"{pair.a} - {pair.b}" for pair in pairs], [columns], "difference")
        if each.reversed_parts:
            yield _reversed(each)
    first = found[0]
    said = f"{first.judged} each engine over its own {units}"
    if first.limit is not None:
        said += f", from {RESAMPLES:,} resamples (seed {SEED})"
    adjusted = adjusted_for(first.comparison)
    yield Said(f"{said}{f'. Intervals and p-values are {adjusted}' if adjusted else ''}.")


def adjusted_for(found: ModelComparison) -> str:
    """Return a phrase such as "adjusted for 3 differences (Holm)"; empty for one difference."""
    if len(found.pairs) == 1 or found.correction is None:
        return ""
    return f"adjusted for {len(found.pairs)} differences ({found.correction.capitalize()})"


def _reversed(lead: Lead) -> AnswerTable:
    """Return a table of the parts of the items in which the other engine is better."""
    parts = lead.reversed_parts
    columns = [
        Column(f"{lead.unit}s", [count(part.n_units) for part in parts]),
        Column(
            "difference",
            [f"{printable(part.leader)} - {printable(part.other)}" for part in parts],
            justify="left",
        ),
        Column("by", [lead.amount(-part.by) for part in parts]),
        Column("p-value", [pvalue(part.adjusted_pvalue) for part in parts]),
    ]
    names = [f"{part.split} {part.value}" for part in parts]
    return AnswerTable(names, [columns], "the order is\nreversed in")
