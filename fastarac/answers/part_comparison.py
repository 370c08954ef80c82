"""Describe a comparison of models in parts of the items, such as languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.export import plain
from fastarac._core.text import few_of, listed, p_is, printable, pvalue
from fastarac.answers.comparison import difference, interval_text
from fastarac.answers.screen import one_table
from fastarac.answers.tables import Column
from fastarac.uncertainty.part_results import other_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.answers.tables import AnswerTable
    from fastarac.uncertainty.comparison_results import ModelComparison
    from fastarac.uncertainty.part_results import PartComparison

SHOWN = 12  # maximum number of parts in the table, the largest first; JSON and CSV have all
NAMED = 3
MODELS = 4  # maximum number of models in the table; JSON and CSV have all


def answers(found: PartComparison, order: Sequence[str], by: str) -> list[str]:
    """Return a sentence for each model if the best model's advantage over it differs between parts.

    `order` names the models, the best one first; `by` is the column of the parts.
    """
    alpha = round(1.0 - found.confidence_level, 12)
    best, said = order[0], []
    pvalues: list[float] = []
    for lead in found.leads:
        if best not in (lead.a, lead.b) or lead.part is None:
            continue
        pvalues.append(lead.adjusted_pvalue)
        if not lead.adjusted_pvalue < alpha:
            continue
        other, sign = (lead.b, 1.0) if lead.a == best else (lead.a, -1.0)
        there, others = difference(sign * lead.there), difference(sign * lead.elsewhere)
        reverse = _ahead(found, other, best, alpha)
        text = (
            f"Its lead over {printable(other)} depends on {printable(by)} "
            f"({p_is(lead.adjusted_pvalue)}): {there} in {printable(str(lead.part))}, "
            f"{others} in {printable(other_parts(lead, found.parts))}"
        )
        if reverse:
            names = listed(reverse) if len(reverse) <= NAMED else few_of(reverse, NAMED)
            text += f"; {printable(other)} leads in {names}"
        said.append(f"{text}.")
    if not pvalues:
        return [f"The values of {printable(by)} have too few errors to compare the lead between them."]
    return said or [
        f"Its lead may be the same for every value of {printable(by)} ({p_is(min(pvalues))})."
    ]


def _ahead(found: PartComparison, other: str, best: str, alpha: float) -> list[str]:
    """Return the parts in which `other` is significantly better than `best`."""
    better = -1.0 if found.statistic.definition.lower_is_better else 1.0
    return [
        printable(str(label))
        for label, comparison in zip(found.parts, found.comparisons, strict=True)
        if (pair := comparison.pair(other, best)).adjusted_pvalue < alpha
        and better * pair.difference > 0.0
    ]


def table(found: PartComparison, overall: ModelComparison, by: str, width: int) -> AnswerTable:
    """Return a table of the largest parts and of all items; for two models, add their difference."""
    order = overall.names
    parts = sorted(zip(found.parts, found.comparisons, strict=True), key=lambda row: -row[1].n)
    shown = [row for row in zip(found.parts, found.comparisons, strict=True) if row in parts[:SHOWN]]
    shown.append(("all", overall))
    comparisons = [comparison for _, comparison in shown]
    columns = [Column("items", [f"{each.n_items[0]:,}" for each in comparisons])]
    columns += [
        Column(printable(name), [f"{_estimate(each, name):.4f}" for each in comparisons])
        for name in order[:MODELS]
    ]
    if len(order) == 2:
        pairs = [each.pair(*order) for each in comparisons]
        columns += [
            Column(
                "lead",
                [difference(pair.difference) for pair in pairs],
                below=[
                    interval_text(pair.adjusted_interval, "+")
                    if pair.adjusted_pvalue == pair.adjusted_pvalue
                    else "too few errors"
                    for pair in pairs
                ],
            ),
            Column("p-value", [pvalue(pair.adjusted_pvalue) for pair in pairs]),
        ]
    return one_table([str(label) for label, _ in shown], columns, by, width)


def caption(found: PartComparison) -> str:
    """Return a caption on the adjustment for several tests and on parts left out."""
    n_tests = sum(
        pair.adjusted_pvalue == pair.adjusted_pvalue
        for comparison in found.comparisons
        for pair in comparison.pairs
    )
    said = [f"Differences in parts are adjusted for {n_tests} tests."] * (n_tests > 1)
    left_out = len(found.parts) - SHOWN
    if left_out > 0:
        said.append(f"{left_out} smaller parts are not shown: --format csv has all.")
    return " ".join(said)


def object_of(found: PartComparison, by: str) -> dict[str, Any]:
    """Return the parts, and the tests for differences between parts, as a dictionary for JSON."""
    leads = [
        {name: plain(value) for name, value in lead.to_dict().items()} | {"part": _text(lead.part)}
        for lead in found.leads
    ]
    return {"by": by, "in_parts": records(found), "leads": leads}


def records(found: PartComparison) -> list[dict[str, Any]]:
    """Return a flat row for each part and pair of models; undefined figures are None."""
    columns = {name: plain(column) for name, column in found.to_columns().items()}
    columns["part"] = [_text(label) for label in found.to_columns()["part"]]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _text(label: Any) -> str | None:
    return None if label is None else str(label)


def _estimate(comparison: ModelComparison, name: str) -> float:
    return comparison.estimates[comparison.names.index(name)]
