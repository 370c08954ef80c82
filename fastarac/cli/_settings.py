"""The groups of options that all commands have, and the work that is done by them."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from fastarac._core.exceptions import collected
from fastarac._core.text import capitalised, printable
from fastarac.cli import _html, _plot
from fastarac.cli._exit import discard_output
from fastarac.cli._options import (
    Certainty,
    Costs,
    Delivery,
    Limits,
    RefusalError,
    in_words_of_options,
    writing,
)
from fastarac.cli._tables import Column, Page, print_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastarac.evaluation.groups import GroupEvaluation
    from fastarac.evaluation.leads import Lead
    from fastarac.evaluation.sources import Source
    from fastarac.io import Labels, Outputs
    from fastarac.report.models import Model

WITHOUT_GROUPS = (
    "some outputs have no confidence, such as words that were missed; --by evaluates groups of outputs "
    "that all have one"
)
UNBROKEN = "\ue000%"  # a percentage that stays on one line while lines are broken


def in_groups_of(kind: str, notes: Iterable[str]) -> Iterator[str]:
    """Yield notes with groups called what they are."""
    return (re.sub(r"\bgroup(s?)\b", rf"{kind}\1", note) for note in notes)


class Settings:
    """The options that all commands have, checked before any work is done."""

    def __init__(
        self, limits: Limits, costs: Costs, delivery: Delivery, certainty: Certainty | None = None
    ) -> None:
        import fastarac

        self.limits = limits
        self.costs = costs
        self.delivery = delivery
        self.certainty = certainty or Certainty()
        try:
            self.arguments: dict[str, Any] = limits.arguments() | costs.arguments()
            fastarac.evaluate([True], [0.0], **self.arguments)
        except ValueError as error:
            raise RefusalError(in_words_of_options(error)) from None
        self.certainty.check(limits)
        delivery.check()

    def evaluate(
        self, outputs: Mapping[str, Outputs], sources: Mapping[str, Source] | None = None
    ) -> list[Model]:
        """Return the models with their figures, the one of largest ARAC-AUC first."""
        known = sources or {}
        models = [self._model(name, items, known.get(name)) for name, items in outputs.items()]
        return sorted(models, key=lambda model: -model.evaluation.arac.auc)

    def _model(self, name: str, outputs: Outputs, source: Source | None) -> Model:
        from fastarac.report.models import Model

        notes: list[str] = []
        certain = self.certainty.arguments()
        try:
            with collected(notes):
                model = Model.of(name, outputs, source, **self.arguments, **certain)
                if outputs.by is not None and source is None:
                    if outputs.never_accepted is not None:
                        raise ValueError(WITHOUT_GROUPS)
                    model = replace(model, by_group=self._by_group(model, outputs.by))
        except ValueError as error:
            raise RefusalError(f"{name}: {in_words_of_options(error)}") from None
        cost_evaluation = model.cost_evaluation
        if (
            self.costs.prices is None and cost_evaluation is not None
        ):  # the ratios of the prices are no prices
            optimum = cost_evaluation.cheapest if self.costs.are_given else None
            figures = replace(model.evaluation, cost_evaluation=None)
            model = replace(model, evaluation=figures, optimum=optimum)
        said = (in_words_of_options(note) for note in notes)
        return replace(model, notes=tuple(in_groups_of(model.source.group_word, said)))

    def _by_group(self, model: Model, by: Labels) -> GroupEvaluation:
        """Evaluate each group on its own, and at the thresholds that hold for all together."""
        from fastarac.evaluation.groups import evaluate_groups

        outputs = model.outputs
        options: dict[str, Any] = {"max_error_rate": [], "max_risk": [], "threshold": []}
        for limit in model.limits:
            options[limit.criterion].append(limit.value)
        if self.costs.prices is not None or self.costs.are_given:
            options |= self.costs.arguments()
        if self.certainty.level is not None:
            options |= {"intervals": True, "confidence_level": self.certainty.level}
        return evaluate_groups(
            outputs.correct,
            outputs.confidence,
            by=by.codes,
            sample_weight=outputs.weight,
            groups=None if outputs.group is None else outputs.group.codes,
            **options,
        )

    def report(
        self,
        models: Sequence[Model],
        notes: Sequence[str],
        leads: Sequence[Lead | None] = (),
    ) -> None:
        """Write the report, if there is to be one."""
        path, prices = self.delivery.report, self.costs.prices
        if path is None:
            return
        from fastarac.report.page import Report
        from fastarac.report.writing import save

        given = prices is not None or self.costs.are_given
        report = Report(
            models,
            _html.TITLE,
            self.certainty.level or _html.LEVEL,
            None if prices is None else prices.reviewer,
            self.costs.of_evaluation() if given else None,
            notes,
            leads,
        )
        with writing(path):
            save(path, report)

    def draw(self, models: Sequence[Model]) -> None:
        """Draw the plot, if there is to be one."""
        if self.delivery.plot is not None:
            with writing(self.delivery.plot):
                _plot.save(models, self.delivery.plot)

    def deliver(
        self,
        models: list[Model],
        before: str = "",
        after: str = "",
        difference: str | None = None,
    ) -> None:
        """Draw the plot, if there is to be one, and print the figures.

        What sets the items of the models apart is said before any figure.
        """
        from fastarac.cli import _report

        form = self.delivery.form
        if form.is_for_people:
            apart = "" if difference is None else f"{capitalised(difference)}.\n"
            text = self._text(models, before, after, apart)
        else:
            text = _report.text_of_rows(_report.records(models), form)
        self.draw(models)
        if not form.is_for_people and difference is not None:
            typer.echo(f"fastarac: note: {printable(difference)}", err=True)
        write(text)
        if not form.is_for_people:
            for warning in _report.reliability_warnings(models):
                typer.echo(f"fastarac: note: {printable(warning)}", err=True)

    def _text(self, models: list[Model], before: str, after: str, apart: str) -> str:
        from fastarac.cli._report import print_text

        console = self.delivery.page()
        with console.capture() as captured:
            if before:
                console.print(before, end="\n\n")
            if apart:
                console.print(Text(apart, style="yellow"))
            print_text(models, console, with_costs=self.costs.are_given)
            if after:
                console.print()
                console.print(after)
        return captured.get()


def say(
    *paragraphs: str, columns: Sequence[Column] = (), names: Sequence[str] = (), title: str = "field"
) -> None:
    """Print paragraphs, and a table of names and columns after the first, where there is one."""
    console = Page()
    with console.capture() as captured:
        for i, paragraph in enumerate(paragraphs):
            console.print(Text(printable(paragraph).replace(" %", UNBROKEN)))
            if i == 0 and names:
                console.print()
                print_tables(names, [[column] for column in columns], console, title)
    text = captured.get().replace(UNBROKEN, " %")
    write("".join(f"{line.rstrip()}\n" for line in text.rstrip().split("\n")))


def write(text: str) -> None:
    """Write to stdout, with escapes for what its encoding lacks."""
    if sys.stdout is None:
        raise RefusalError("the standard output is closed")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise RefusalError(f"the standard output cannot be written: {error.strerror}") from None
