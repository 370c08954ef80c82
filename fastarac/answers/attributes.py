"""Describe the figures of engines for each value of a page attribute, such as each language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.export import plain
from fastarac._core.metric_keys import parts_of_keys
from fastarac._core.text import count, percent, printable, sentence, share
from fastarac.answers.intervals import of_share
from fastarac.answers.limits import header
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.ocr.analysis.attribute_figures import tables_by_attribute

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastarac.answers.tables import Part
    from fastarac.ocr.analysis.attribute_figures import AttributeRow
    from fastarac.results import AttributeFigures


def objects(figures: AttributeFigures) -> list[dict[str, Any]]:
    """Return a dictionary of figures for each value of each attribute; undefined figures are None."""
    columns = figures.to_columns()
    return [
        {name: plain(values[row]) for name, values in columns.items()} for row in range(len(figures))
    ]


def flat(figures: AttributeFigures) -> dict[str, Any]:
    """Return all figures in one dictionary, whose keys end in an attribute and its value."""
    return {
        f"{name}/{part}": value
        for part, each in zip(_parts_of_keys(figures), objects(figures), strict=True)
        for name, value in each.items()
        if name not in ("attribute", "value")
    }


def _parts_of_keys(figures: AttributeFigures) -> Iterator[str]:
    """Yield the end of the keys of each row: the attribute and its value."""
    names = list(dict.fromkeys(figures.attribute))
    for attribute, part in zip(names, parts_of_keys(names, "attributes"), strict=True):
        own = zip(figures.attribute, figures.value, strict=True)
        values = parts_of_keys(
            (value for name, value in own if name == attribute), f"values of {attribute!r}"
        )
        yield from (f"attribute/{part}/{value}" for value in values)


def parts(engines: Mapping[str, AttributeFigures]) -> Iterator[Part]:
    """Yield a table for each page attribute, and sentences that explain the tables."""
    first = next(iter(engines.values()))
    several = len(engines) > 1
    for attribute, rows in tables_by_attribute(engines):
        yield Said(f"By {printable(attribute)}", "bold")
        names = [f"{row.value}, {row.engine}" if several else row.value for row in rows]
        title = f"{printable(attribute)}{', engine' if several else ''}"
        yield AnswerTable(names, list(_blocks(rows, first)), title)
    level = percent(first.confidence_level)
    yield Said(f"Below the figures: {level} intervals, with whole pages as units. {first.rule}")
    notes = dict.fromkeys(note for each in engines.values() for note in each.notes)
    yield from (Said(sentence(note)) for note in notes)


def _blocks(rows: Sequence[AttributeRow], figures: AttributeFigures) -> Iterator[list[Column]]:
    yield [
        Column("pages", [count(row.pages) for row in rows]),
        Column("words", [count(row.true_words) for row in rows]),
    ]
    for index, each in enumerate(figures.at):
        at = [row.at[index] for row in rows]
        is_risk = each.limit.criterion == "max_risk"
        remaining = "errors\namong the\naccepted" if is_risk else "errors\nthat remain"
        accepted = [of_share(a.acceptance_low, a.acceptance_high) for a in at]
        errors = [of_share(a.error_low, a.error_high) for a in at]
        block = [
            Column(header(each.limit), [share(a.acceptance_rate) for a in at], below=accepted),
            Column(remaining, [share(a.error_rate) for a in at], below=errors),
        ]
        if each.verdict is not None:
            block.append(Column("limit", [a.verdict or "" for a in at], justify="left"))
        yield block
