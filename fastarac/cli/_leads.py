"""Engines side by side at each limit, as tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from fastarac._core.text import percent, pvalue
from fastarac.cli import _compare
from fastarac.cli._tables import Column, print_tables
from fastarac.evaluation.leads import RESAMPLES, SEED
from fastarac.evaluation.wording import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from fastarac.evaluation.leads import Lead


def sentences(leads: Sequence[Lead | None], n_limits: int) -> list[str]:
    """Return for each limit how sure its leader's lead is; empty where there is none."""
    return ["" if lead is None else lead.sentence for lead in leads[:n_limits]]


def object_of(lead: Lead) -> dict[str, Any]:
    """Return the differences at a limit as JSON can hold them."""
    found = lead.comparison
    content = _compare.object_of(found)
    for each, pair in zip(content["pairs"], found.pairs, strict=True):
        each["beyond_chance"] = lead.is_clear(pair)
    content |= {"unit": lead.unit, "n_units": lead.n_units}
    if lead.limit is not None:
        content |= {"limit": lead.limit.key, "n_resamples": RESAMPLES, "seed": SEED}
    return content


def print_text(leads: Sequence[Lead | None], units: str, console: Console) -> None:
    """Print the differences of all engines, two by two."""
    found = [lead for lead in leads if lead is not None]
    for number, each in enumerate(found):
        if number:
            console.print()
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
        print_tables([f"{pair.a} - {pair.b}" for pair in pairs], [columns], console, "difference")
    first = found[0]
    said = f"{first.judged} over each engine's own {units}"
    if first.limit is not None:
        said += f", from {RESAMPLES:,} resamples (seed {SEED})"
    n, how = len(first.comparison.pairs), first.comparison.correction
    if n > 1 and how is not None:
        said += f". Intervals and p-values are adjusted for {n} differences ({how.capitalize()})"
    console.print(Text(f"{said}."))
