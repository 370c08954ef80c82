"""The groups of options that all commands have, and the work that is done by them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from fastarac._core.text import printable
from fastarac.cli import _plot, discard_output
from fastarac.cli._options import (
    Certainty,
    Costs,
    Delivery,
    Format,
    Limits,
    RefusalError,
    in_words_of_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.cli._report import Model
    from fastarac.io import Outputs


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
        self.arguments: dict[str, Any] = {"max_error_rate": limits.error_rates}
        try:
            self.arguments["costs"] = costs.of_evaluation()
            sweep = fastarac.threshold_sweep([True], [0.0])
            fastarac.evaluate(sweep, **self.arguments)
            for limit in limits.others:
                limit.point(sweep)
        except ValueError as error:
            raise RefusalError(in_words_of_options(error)) from None
        self.certainty.check(limits)
        delivery.check()

    def evaluate(self, outputs: Mapping[str, Outputs]) -> list[Model]:
        """Return the models with their figures, the one of largest ARAC-AUC first."""
        models = [self._model(name, of_model) for name, of_model in outputs.items()]
        return sorted(models, key=lambda model: -model.evaluation.arac.auc)

    def _model(self, name: str, outputs: Outputs) -> Model:
        import fastarac
        from fastarac.cli._costs import Spending
        from fastarac.cli._report import Model

        correct, confidence, by = outputs.correct, outputs.confidence, outputs.by
        try:
            sweep = fastarac.threshold_sweep(correct, confidence, sample_weight=outputs.weight)
            figures = fastarac.evaluate(sweep, **self.arguments)
        except ValueError as error:
            raise RefusalError(f"{name}: {in_words_of_options(error)}") from None
        others = tuple((limit, limit.point(sweep)) for limit in self.limits.others)
        groups = None
        if by is not None:
            from fastarac.cli._groups import evaluate_by

            points = Model(name, sweep, figures, confidence.dtype, others=others).points
            groups = evaluate_by(correct, confidence, by, points, gamma=figures.costs.gamma)
        spending = None
        if self.costs.prices is not None:
            spending = Spending.of(sweep, self.costs.prices)
        model = Model(name, sweep, figures, confidence.dtype, groups, others, spending)
        return self._with_certainty(model, outputs)

    def _with_certainty(self, model: Model, outputs: Outputs) -> Model:
        certainty = self.certainty
        if certainty.level is not None:
            from fastarac.cli._intervals import Intervals

            model = replace(model, intervals=Intervals.of(outputs, model, level=certainty.level))
        if certainty.failure_probability is not None:
            from fastarac.cli._guarantees import Guarantees

            promised = Guarantees.of(model.sweep, self.limits.fitted, certainty.failure_probability)
            model = replace(model, guarantees=promised)
        return model

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

        form, plot = self.delivery.form, self.delivery.plot
        if form is Format.table:
            apart = "" if difference is None else f"{difference[:1].upper()}{difference[1:]}.\n"
            text = self._text(models, before, after, apart)
        else:
            text = getattr(_report, f"as_{form.value}")(models)
        if plot is not None:
            try:
                _plot.save(models, self.limits.error_rates, plot)
            except OSError as error:
                raise RefusalError(f"{plot}: it cannot be written: {error.strerror}") from None
        if form is not Format.table and difference is not None:
            typer.echo(f"fastarac: note: {printable(difference)}", err=True)
        write(text)
        if form is not Format.table:
            for doubt in _report.doubts(models):
                typer.echo(f"fastarac: note: {printable(doubt)}", err=True)

    def _text(self, models: list[Model], before: str, after: str, apart: str) -> str:
        from fastarac.cli._report import print_text
        from fastarac.cli._tables import UNLIMITED

        console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
        if not console.is_terminal:
            console.width = UNLIMITED
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
        message = f"the standard output cannot be written: {error.strerror}"
        raise RefusalError(message) from None
