"""Describe a comparison of models: tables, and how certain it is which model is best."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from fastarac._core.export import plain
from fastarac._core.text import UNDEFINED, by_chance, listed, percent, printable, probability, pvalue
from fastarac.answers.evaluation import GROUP, in_words
from fastarac.answers.screen import MANY, one_table
from fastarac.answers.tables import AnswerTable, Column, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastarac._core.interval import Interval
    from fastarac.answers.tables import Part
    from fastarac.uncertainty.comparison_results import ModelComparison, PairDifference
    from fastarac.uncertainty.statistics import Statistic

RESAMPLES = 2000
SEED = 0  # fixed, so that repeating a comparison gives the same resamples
NAMED = 3  # maximum number of equally good models that the answer names
SHOWN = 45  # maximum number of pairs in the table: all pairs of ten models
AT_LIMIT = {"max_error_rate": "errors", "max_risk": "risk"}
SHARED_FIGURES = ("method", "correction", "confidence_level", "n")


def parts(found: ModelComparison, n_groups: int | None) -> Iterator[Part]:
    """Yield the tables and sentences of a comparison."""
    yield AnswerTable(found.names, [_columns_of_models(found)])
    pairs = _shown_pairs(found)
    names = [f"{pair.a} - {pair.b}" for pair in pairs]
    yield AnswerTable(names, [_columns_of_pairs(found, pairs)], "difference")
    if len(pairs) < len(found.pairs):
        yield Said(
            f"The table shows the best model's differences; --format json has all {len(found.pairs)}."
        )
    yield Said(conclusion(found))
    of_groups = "" if n_groups is None else f" of {in_words(n_groups, GROUP)}"
    source = f"asymptotic, from influence values{of_groups}"
    if found.method == "bootstrap":
        source = f"from {RESAMPLES:,} resamples{of_groups} (seed {SEED})"
        if found.statistic.definition.has_limit:
            source += ", except those of single models, which need no resamples"
    held = "Each interval holds on its own"
    if len(found.pairs) > 1:
        held += ", and p-values are not adjusted for the number of pairs"
    if len(found.pairs) > 1 and found.correction is not None:
        how = f"{len(found.pairs)} pairs ({found.correction.capitalize()})"
        held = f"Intervals of differences, and all p-values, are adjusted for {how}"
    yield Said(
        f"Models that share a letter do not differ significantly at {percent(_alpha(found))}. "
        f"Intervals are {source}. {held}."
    )


def answer(found: ModelComparison) -> str:
    """Return a sentence on the best model, and on whether its advantage may be chance."""
    best, *others = (printable(name) for name in found.names)
    label = label_of(found.statistic)
    if math.isnan(found.share_of_best[0]):
        return f"{label} is undefined for one of the models; none is best."
    chances = {name: found.pair(found.names[0], name).adjusted_pvalue for name in found.names[1:]}
    alike = [name for name, chance in chances.items() if not chance < _alpha(found)]
    estimate = _number(found.estimates[0])
    if alike == list(chances) and all(_number(value) == estimate for value in found.estimates):
        every = listed([best, *others]) if len(others) < NAMED else f"All {len(found.names)} models"
        return f"{every} have the same {label} ({estimate}): no difference was found."
    lower = "; lower is better" if found.statistic.definition.lower_is_better else ""
    said = f"{best} is best by {label} ({estimate}{lower})"
    if not alike:
        over = listed(others) if len(others) <= NAMED else f"all {len(others)} others"
        why = by_chance([*chances.values()], clear=True)
        return f"{said}; its lead over {over} is beyond chance{why}."
    over = f"{len(alike)} of {len(others)} others"
    if len(alike) <= NAMED:
        over = listed(list(map(printable, alike)))
    why = by_chance([chances[name] for name in alike], clear=False)
    return f"{said}, but its lead over {over} may be chance{why}."


def table(found: ModelComparison, width: int) -> AnswerTable:
    """Return a table of the models and of their differences from the best one."""
    pairs = [found.pair(name, found.names[0]) for name in found.names[1:]]
    few = len(found.names) <= MANY
    columns = [
        Column(
            _header(label_of(found.statistic)),
            [_number(value) for value in found.estimates],
            below=[interval_text(interval) for interval in found.intervals] if few else None,
        ),
        Column(
            "behind\nthe best",
            ["best", *(_number(pair.difference, "+") for pair in pairs)],
            below=["", *(interval_text(each.adjusted_interval, "+") for each in pairs)]
            if few
            else None,
        ),
        Column("p-value", ["", *(pvalue(pair.adjusted_pvalue) for pair in pairs)]),
    ]
    return one_table(found.names, columns, "model", width)


def caption(found: ModelComparison, n_groups: int | None) -> str:
    """Return a caption that explains the intervals in the table."""
    resting = f"{found.n:,} items" if n_groups is None else f"{n_groups:,} groups"
    adjusted = ""
    if len(found.pairs) > 1 and found.correction is not None:
        adjusted = f"; differences are adjusted for {len(found.pairs):,} pairs"
    if len(found.names) > MANY:
        return f"From {resting}{adjusted}. --details shows intervals."
    return f"Below: {percent(found.confidence_level)} intervals, from {resting}{adjusted}."


def models_of(comparison: ModelComparison) -> list[dict[str, Any]]:
    """Return the name and the figures of each model as dictionaries."""
    columns = {name: plain(column) for name, column in comparison.to_columns().items()}
    columns = {"name": columns.pop("model")} | columns
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def object_of(comparison: ModelComparison) -> dict[str, Any]:
    """Return a comparison and its pairs as a dictionary for JSON."""
    return {
        "statistic": comparison.statistic.name,
        "parameters": {key: _listed(value) for key, value in comparison.statistic.parameters},
        **{name: getattr(comparison, name) for name in SHARED_FIGURES},
        "pairs": [pair.to_dict() for pair in comparison.pairs],
    }


def _listed(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _listed(part) for name, part in dataclasses.asdict(value).items()}
    return plain(value)


def named(statistic: Statistic) -> str:
    """Return the statistic as users type it after ``--statistic``."""
    return ":".join([statistic.name, *(f"{key}={value}" for key, value in statistic.parameters)])


def label_of(statistic: Statistic) -> str:
    """Return the everyday name of the statistic, such as "accepted share at 1% errors"."""
    label, others = statistic.definition.label, []
    for key, value in statistic.parameters:
        if key in AT_LIMIT:
            label = f"accepted share at {percent(value)} {AT_LIMIT[key]}"
        elif key == "threshold":
            label += f" at confidence >= {value}"
        else:
            others.append(f"{key} = {value}")
    return f"{label} ({', '.join(others)})" if others else label


def conclusion(found: ModelComparison) -> str:
    """Return a sentence on the best model and on the models that are not significantly worse."""
    best, *others = (printable(name) for name in found.names)
    if math.isnan(found.share_of_best[0]):
        return f"{label_of(found.statistic)} is undefined for one of the models; none is best."
    alike = [
        name
        for name, other in zip(others, found.names[1:], strict=True)
        if not found.pair(found.names[0], other).adjusted_pvalue < _alpha(found)
    ]
    by = f"Best by {label_of(found.statistic)}: {best}"
    if not alike:
        return f"{by}, significantly better than {listed(others)}."
    return f"{by}, but not significantly better than {listed(alike)}."


def _shown_pairs(found: ModelComparison) -> Sequence[PairDifference]:
    if len(found.pairs) <= SHOWN:
        return found.pairs
    return [pair for pair in found.pairs if pair.a == found.names[0]]


def _alpha(found: ModelComparison) -> float:
    return round(1.0 - found.confidence_level, 12)


def _columns_of_models(found: ModelComparison) -> list[Column]:
    return [
        Column(_header(label_of(found.statistic)), [_number(value) for value in found.estimates]),
        Column(
            f"{percent(found.confidence_level)} interval",
            [interval_text(interval) for interval in found.intervals],
        ),
        Column(
            "best in",
            [probability(value) for value in found.share_of_best],
        ),
        Column("letters", list(found.letters), justify="left"),
    ]


def _columns_of_pairs(found: ModelComparison, pairs: Sequence[PairDifference]) -> list[Column]:
    return [
        Column("by", [_number(pair.difference, "+") for pair in pairs]),
        Column(
            f"{percent(found.confidence_level)} interval",
            [interval_text(pair.adjusted_interval, "+") for pair in pairs],
        ),
        Column("p-value", [pvalue(pair.adjusted_pvalue) for pair in pairs]),
    ]


def _header(label: str) -> str:
    return label.replace(" (", "\n(").replace(" at ", "\nat ", 1).replace(" ARAC", "\nARAC")


def difference(value: float) -> str:
    """Return a difference with its sign and four digits."""
    return _number(value, "+")


def _number(value: float, sign: str = "") -> str:
    return UNDEFINED if math.isnan(value) else f"{value:{sign}z.4f}"


def interval_text(interval: Interval, sign: str = "") -> str:
    """Return the ends of an interval with four digits."""
    low, high = _number(interval.low, sign), _number(interval.high, sign)
    return low if low == UNDEFINED else f"{low} to {high}"
