"""Answers about OCR engines: sections of text, rows and objects of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac.answers import evaluation, ranking
from fastarac.answers.screen import Section
from fastarac.answers.tables import Said
from fastarac.ocr.analysis.engine_prices import with_engine_price

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fastarac.answers.cost_comparison import CostComparison
    from fastarac.answers.engine_fields import EngineFields
    from fastarac.answers.engine_texts import EngineTexts
    from fastarac.answers.models import Model
    from fastarac.evaluation.model_ranking import Lead

CLUSTERED = "Intervals are by {group}: {group}s are independent, {units} of one {group} may not be."
ALONE = (
    "Intervals treat {units} as independent (--group none). They are too narrow if {units} of one "
    "{group} resemble each other."
)


@dataclass(frozen=True, slots=True)
class EnginesFound:
    """All results about the engines, from which text, rows and reports are made.

    Attributes
    ----------
    engines : Texts or Fields
        The engines; the class depends on whether they read texts or fields.
    models : list of Model
        The figures of each engine, ordered by the share accepted at the first limit.
    leads : list of Lead or None
        The comparison of the engines at each limit, if there are several.
    costs : CostComparison or None
        The comparison of the engines by cost, if there are prices.
    notes : list of str
    together : list of str
        Sentences about combined engines.
    written : str
        A sentence on the pages written, or an empty text.
    """

    engines: EngineTexts | EngineFields
    models: list[Model]
    leads: list[Lead | None]
    costs: CostComparison | None
    notes: list[str]
    together: list[str]
    written: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the engines, best first."""
        return [model.name for model in self.models]

    @property
    def group(self) -> str | None:
        """The noun for a group of dependent items, such as "page"; None without groups."""
        first = self.models[0]
        return None if first.outputs.group is None else first.source.group_word

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the items of all engines as columns; with several engines, one column names them."""
        parts = {}
        for name, (outputs, _) in self.engines.sources.items():
            rejected = np.zeros(len(outputs), bool) if outputs.rejected is None else outputs.rejected
            parts[name] = {**self.engines.columns(name), "rejected": rejected}
        columns: dict[str, NDArray[Any]] = {}
        if len(parts) > 1:
            models = [name for name, part in parts.items() for _ in part["id"]]
            columns["model"] = np.array(models, object)
        for key in next(iter(parts.values())):
            values = np.concatenate([np.asarray(part[key]) for part in parts.values()])
            columns[key] = values.astype(object) if values.dtype.kind == "U" else values
        return columns


def with_price(model: Model, n_pages: int, price: float) -> Model:
    """Return the model with the engine's price per page added to its costs."""
    figures = model.evaluation
    if figures.cost_evaluation is None:
        return model
    costs = with_engine_price(figures.cost_evaluation, len(model.outputs), n_pages, price)
    return replace(
        model,
        evaluation=replace(figures, cost_evaluation=costs),
        source=replace(model.source, apart=(n_pages, price, "outside", "a page of the engine")),
    )


def records(found: EnginesFound, level: float | None) -> list[dict[str, Any]]:
    """Return a flat row for each engine; the figures of `fastarac evaluate` come first."""
    parts = [found.engines.flat(model) for model in found.models]
    rows = [
        figures | found.engines.row(model, found.group or "none", level) | part
        for model, figures, part in zip(
            found.models, evaluation.records(found.models), parts, strict=True
        )
    ]
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in keys} for row in rows]


def objects(found: EnginesFound, level: float | None) -> list[dict[str, Any]]:
    """Return all figures of each engine as a dictionary."""
    return [
        figures | found.engines.row(model, found.group or "none", level) | found.engines.inside(model)
        for model, figures in zip(found.models, evaluation.objects(found.models), strict=True)
    ]


def comparisons(found: EnginesFound) -> Iterator[dict[str, Any]]:
    """Yield the differences between engines at each limit, and in cost."""
    for lead in found.leads:
        if lead is not None:
            yield ranking.object_of(lead)
    if found.costs is not None:
        yield found.costs.comparison()


def sections(found: EnginesFound, level: float | None) -> Iterator[Section]:
    """Yield the sections of ``--details``."""
    yield Section("What was read", list(found.engines.read(found.names, level)))
    if level is not None:
        first = found.models[0].source
        said = ALONE if found.group is None else CLUSTERED
        yield Section(
            "What intervals rest on", [Said(said.format(units=first.units, group=first.group_word))]
        )
    if any(found.leads):
        units = found.models[0].source.units
        yield Section("Differences", list(ranking.parts(found.leads, units)))
    if found.costs is not None:
        yield Section("Costs", list(found.costs.parts()))
    if found.together:
        yield Section("Engines together", list(map(Said, found.together)))
    yield from found.engines.sections(found.models)
