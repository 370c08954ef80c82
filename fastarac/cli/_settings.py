"""The options that all commands share, and the steps that depend on them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fastarac._core.exceptions import collected
from fastarac._core.text import capitalised
from fastarac.cli import _html, _plot
from fastarac.cli._costs import cost_arguments
from fastarac.cli._options import (
    Certainty,
    Delivery,
    Limits,
    in_words_of_options,
    refused,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastarac.answers.models import Model
    from fastarac.answers.screen import Screen, Section
    from fastarac.answers.without_items import ModelWithoutItems
    from fastarac.cli._costs import Prices
    from fastarac.evaluation.groups import GroupEvaluation
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.evaluation.sources import Source
    from fastarac.io import Labels, Outputs

    M = TypeVar("M", bound=Model | ModelWithoutItems)

WITHOUT_GROUPS = (
    "--by needs a confidence for each output, but some outputs have none, such as missed words"
)


def in_groups_of(kind: str, notes: Iterable[str]) -> Iterator[str]:
    """Yield the notes with "group" replaced by the kind of group, such as "page"."""
    return (re.sub(r"\bgroup(s?)\b", rf"{kind}\1", note) for note in notes)


def by_area(models: Iterable[M]) -> list[M]:
    """Return the models by falling ARAC-AUC."""
    return sorted(models, key=lambda model: -model.evaluation.arac.auc)


class Settings:
    """The options that several commands share; invalid ones are refused at once."""

    def __init__(
        self,
        limits: Limits,
        prices: Prices | None,
        delivery: Delivery,
        certainty: Certainty | None = None,
    ) -> None:
        import fastarac

        self.limits = limits
        self.prices = prices
        self.delivery = delivery
        self.certainty = (certainty or Certainty()).printed_as(delivery.form)
        with refused(ValueError, words=in_words_of_options):
            self.arguments: dict[str, Any] = limits.arguments() | cost_arguments(prices)
            fastarac.evaluate([True], [0.0], **self.arguments)
        self.certainty.check(limits)
        delivery.check()

    def leave_out_slow_intervals(self, outputs: Mapping[str, Outputs]) -> list[str]:
        """Leave out default intervals that take too long, and return a note about it."""
        size = sum(len(each) * (1 if each.by is None else 2) for each in outputs.values())
        groups = sum(0 if each.by is None else len(each.by.names) for each in outputs.values())
        self.certainty, notes = self.certainty.in_time(size, len(outputs) + groups)
        return notes

    def evaluate(
        self, outputs: Mapping[str, Outputs], sources: Mapping[str, Source] | None = None
    ) -> list[Model]:
        """Return the models with their figures, by falling ARAC-AUC."""
        known = sources or {}
        return by_area(self._model(name, items, known.get(name)) for name, items in outputs.items())

    def _model(self, name: str, outputs: Outputs, source: Source | None) -> Model:
        from fastarac.answers.models import Model

        notes: list[str] = []
        certain = self.certainty.arguments()
        with (
            refused(ValueError, words=lambda error: f"{name}: {in_words_of_options(error)}"),
            collected(notes),
        ):
            model = Model.of(name, outputs, source, **self.arguments, **certain)
            if outputs.by is not None and source is None:
                if outputs.never_accepted is not None:
                    raise ValueError(WITHOUT_GROUPS)
                model = replace(model, by_group=self._by_group(model, outputs.by))
        said = (in_words_of_options(note) for note in notes)
        return replace(model, notes=tuple(in_groups_of(model.source.group_word, said)))

    def _by_group(self, model: Model, by: Labels) -> GroupEvaluation:
        """Evaluate each group at its own thresholds and at those of all items together."""
        from fastarac.evaluation.groups import evaluate_groups

        outputs = model.outputs
        options: dict[str, Any] = {"max_error_rate": [], "max_risk": [], "threshold": []}
        for limit in model.limits:
            options[limit.criterion].append(limit.value)
        options |= cost_arguments(self.prices)
        if self.certainty.level is not None:
            options |= {"intervals": True, "confidence_level": self.certainty.level}
        return evaluate_groups(
            outputs.correct,
            outputs.confidence,
            by=by.codes,
            sample_weight=outputs.weight,
            groups=outputs.factors,
            **options,
        )

    def example(self) -> dict[str, Any]:
        """Return the figures of made-up outputs, which have all keys that results can have."""
        from fastarac.answers.evaluation import objects
        from fastarac.io import Outputs

        correct = np.arange(20) % 2 == 0
        return objects(self.evaluate({"": Outputs(correct, np.arange(20.0))}))[0]

    def report(
        self,
        models: Sequence[Model],
        notes: Sequence[str],
        leads: Sequence[Lead | None] = (),
    ) -> None:
        path, prices = self.delivery.report, self.prices
        if path is None:
            return
        from fastarac.report.page import Report
        from fastarac.report.writing import save

        report = Report(
            models,
            _html.TITLE,
            self.certainty.level or _html.LEVEL,
            None if prices is None else prices.reviewer,
            None if prices is None else prices.costs,
            notes,
            leads,
        )
        with writing(path):
            save(path, report)

    def draw(self, models: Sequence[Model]) -> None:
        if self.delivery.plot is not None:
            with writing(self.delivery.plot):
                _plot.save(models, self.delivery.plot, self.certainty.level)

    def screen(
        self,
        models: Sequence[Model],
        difference: str | None = None,
        decisive: Iterable[str] = (),
        others: Iterable[str] = (),
        leads: Sequence[Lead | None] = (),
        more: Iterable[Section] = (),
    ) -> Screen:
        """Return what to print; the first note, `difference`, says how the models' items differ."""
        from fastarac.answers import evaluation
        from fastarac.answers.screen import Note, Weight

        first = [*([] if difference is None else [difference]), *decisive]
        notes = [Note(f"{capitalised(said)}.", Weight.DECIDES) for said in first]
        notes += [Note(f"{capitalised(said)}.", Weight.ASSUMES) for said in others]
        width = self.delivery.page().width
        screen = evaluation.screen(models, leads=leads, width=width, more=more)
        plot, report = self.delivery.plot, self.delivery.report
        written = [] if plot is None else [f"{plot} has the plot."]
        written += [] if report is None else [_html.WRITTEN.format(path=report)]
        return replace(screen, notes=[*notes, *screen.notes], written=written)

    def deliver(
        self,
        models: list[Model],
        screen: Screen,
        *,
        difference: str | None = None,
        notes: Sequence[str] = (),
        command: str = "evaluate",
    ) -> None:
        """Print the figures, and draw the plot if one is wanted; notes go to stderr."""
        from fastarac.answers import evaluation
        from fastarac.cli._json import print_models

        self.draw(models)
        apart = [] if difference is None else [difference]
        print_models(
            self.delivery,
            command,
            screen,
            [*apart, *evaluation.reliability_warnings(models), *notes],
            models=lambda: evaluation.objects(models),
            rows=lambda: evaluation.records(models),
        )
