"""What is printed: a table and words for people, or JSON, CSV and Markdown for programs."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text

from fastarac._core.text import area, count, json_text, listed, printable, rounded_percent
from fastarac.cli import _costs, _guarantees
from fastarac.cli import _numbers as numbers
from fastarac.cli._limits import Limit
from fastarac.cli._tables import Column, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from rich.console import Console

    from fastarac.cli._costs import Spending
    from fastarac.cli._groups import Groups
    from fastarac.cli._guarantees import Guarantees
    from fastarac.cli._intervals import Intervals
    from fastarac.evaluation import Evaluation
    from fastarac.operating.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep

CAUTION = (
    "Thresholds are fitted to these outputs: on new ones the limit may well be exceeded. Check a "
    "threshold on outputs that it was not chosen on."
)
BESIDE_GUARANTEE = (
    "The other thresholds are fitted to these outputs: on new ones the limit may well be exceeded. "
    "What is said with confidence holds for new outputs from the same source that err independently of "
    "each other, for each model and limit by itself."
)
FEW = 10  # allowed errors, below which chance decides what a limit means
REVERSED = 0.45  # ROC-AUC, below which a confidence may be lower for what is right
CHANCE = 3  # standard deviations that chance alone may explain


@dataclass(frozen=True, slots=True)
class Model:
    """A model and its figures.

    Attributes
    ----------
    name : str
        Its name.
    sweep : ThresholdSweep
        Its counts at every threshold.
    evaluation : Evaluation
        Its figures.
    dtype : numpy.dtype
        The dtype of its confidences.
    groups : Groups or None
        The figures of its groups, where a column says which there are.
    others : tuple of (Limit, OperatingPoint)
        What follows from limits other than error rates.
    spending : Spending or None
        What it costs, where there are prices.
    intervals : Intervals or None
        How far its figures may be from those of all outputs of the kind.
    guarantees : Guarantees or None
        What it may accept for sure.
    """

    name: str
    sweep: ThresholdSweep
    evaluation: Evaluation
    dtype: np.dtype[Any]
    groups: Groups | None = None
    others: tuple[tuple[Limit, OperatingPoint], ...] = ()
    spending: Spending | None = None
    intervals: Intervals | None = None
    guarantees: Guarantees | None = None

    @property
    def points(self) -> list[tuple[Limit, OperatingPoint]]:
        """The limits and their operating points, those of the error rates first."""
        figures = self.evaluation
        own = [(Limit(at.limit.criterion, at.limit.value), at.point) for at in figures.limits]
        return [*own, *self.others]

    @property
    def limits(self) -> list[Limit]:
        """The limits alone."""
        return [limit for limit, _ in self.points]

    def point(self, index: int) -> OperatingPoint:
        """Return the operating point for the limit of this index."""
        return self.points[index][1]

    def performance(self, index: int) -> float:
        """Return W = γX + β − δ·R_E at that operating point, with whole ties and the errors there."""
        return self.evaluation.costs.performance(self.point(index))

    def threshold(self, index: int) -> str:
        """Return the threshold for the limit of this index."""
        limit = self.limits[index]
        if limit.is_given:
            return limit.as_given
        return numbers.threshold(self.point(index).threshold, self.sweep, self.dtype)


def as_json(models: Sequence[Model]) -> str:
    """Return all figures as a JSON array with one object a model, or a group of one."""
    return json_text(records(models), indent=2) + "\n"


def as_csv(models: Sequence[Model]) -> str:
    """Return all figures as CSV with one row a model; what is undefined is empty."""
    return csv_text(records(models))


def as_markdown(models: Sequence[Model]) -> str:
    """Return all figures as a Markdown table with one row a model; what is undefined is empty."""
    return markdown_text(records(models))


def csv_text(records: Sequence[dict[str, Any]]) -> str:
    """Return the text of a CSV file with a header; None is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(records[0])
    for record in records:
        writer.writerow(printable(cell) if isinstance(cell, str) else cell for cell in record.values())
    return text.getvalue()


def markdown_text(records: Sequence[dict[str, Any]]) -> str:
    """Return a Markdown table with a header; None is an empty cell."""
    rows = [list(records[0]), ["---", *["---:"] * (len(records[0]) - 1)]]
    rows += [["" if cell is None else str(cell) for cell in record.values()] for record in records]
    return "".join(f"| {' | '.join(map(_markdown_cell, row))} |\n" for row in rows)


def print_text(models: Sequence[Model], console: Console, *, with_costs: bool) -> None:
    """Print the table and the words for people; no table is wider than the console."""
    names = [model.name for model in models]
    for table in tables(names, _blocks(models, with_costs=with_costs), console):
        console.print(table)
        console.print()
    if models[0].intervals is not None:
        console.print(Text(models[0].intervals.explanation(), style="dim"))
    for model in models:
        if model.groups is not None:
            several = len(models) > 1
            console.print(model.groups.table(printable(model.name), model.limits, several=several))
            console.print()
    for sentence in words(models, with_costs=with_costs):
        console.print(Text(sentence))
    for sentence in _guarantees.sentences(models):
        console.print(Text(sentence))
    if models[0].spending is not None:
        console.print(Text(_costs.sentence(models)))
    for doubt in doubts(models):
        console.print(Text(doubt, style="yellow"))
    fitted = [limit for limit in models[0].limits if not limit.is_given]
    fewest = min(model.evaluation.n for model in models)
    tightest = min(fitted, key=lambda limit: limit.value, default=None)
    if tightest is not None and 0 < tightest.value * fewest < FEW:
        few = f"{count(fewest)} outputs are few for a limit of {tightest.short}: "
        console.print(Text(few + "chance decides much of these figures."))
    if fitted:
        caution = CAUTION if models[0].guarantees is None else BESIDE_GUARANTEE
        console.print(Text(caution, style="dim"))


def doubts(models: Sequence[Model]) -> list[str]:
    """Return what speaks against relying on the figures: reversed confidences, too few outputs."""
    reversed_ones = [
        f"The confidence of {printable(model.name)} seems reversed: what is correct tends to have "
        f"less of it (ROC-AUC = {area(model.evaluation.roc_auc)}). If lower means surer, "
        "evaluate its negative."
        for model in models
        if _is_reversed(model.evaluation)
    ]
    of_models: dict[str, list[str]] = {}
    for model in models:
        for part in (model.intervals, model.guarantees):
            for note in () if part is None else part.notes:
                of_models.setdefault(note, []).append(printable(model.name))
    return reversed_ones + [
        f"{note}." if len(models) == 1 else f"{listed(names)}: {note}."
        for note, names in of_models.items()
    ]


def _is_reversed(figures: Evaluation) -> bool:
    """Whether the ROC-AUC is below ½ by more than chance makes it (Mann and Whitney 1947)."""
    correct = figures.recognition_rate * figures.n
    incorrect = figures.n - correct
    if not figures.roc_auc < REVERSED:  # nor where it is undefined
        return False
    deviation = math.sqrt((figures.n + 1) / (12 * correct * incorrect))
    return 0.5 - figures.roc_auc > CHANCE * deviation


def words(models: Sequence[Model], *, with_costs: bool = False) -> list[str]:
    """Return a sentence per limit: which model automates most, at which threshold."""
    sentences = []
    for index, limit in enumerate(models[0].limits):
        told = _outcomes(models, index) if limit.is_given else _advice(models, index)
        sentence = f"{limit.opening}: {told}"
        if with_costs and len(models) > 1:
            sentence += f" {_cheapest(models, index)}"
        sentences.append(sentence)
    return sentences


def records(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Return flat dictionaries of all figures, one a model, or a group of one."""
    rows: list[dict[str, Any]] = []
    for model in models:
        if model.groups is not None:
            rows += model.groups.records(model.name)
        else:
            record = {"model": model.name, **model.evaluation.to_dict()}
            for limit, point in model.others:
                record |= limit.figures(point)
            if model.spending is not None:
                record |= model.spending.figures()
            if model.intervals is not None:
                record |= model.intervals.figures()
            if model.guarantees is not None:
                record |= model.guarantees.figures()
            rows.append(record)
    return rows


def _markdown_cell(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").strip()


def _outcomes(models: Sequence[Model], index: int) -> str:
    """What a threshold that was given does, to each model."""
    several = len(models) > 1
    each = []
    for model in models:
        point = model.point(index)
        name = f"{printable(model.name)} " if several else ""
        outcome = f"{name}{'accepts' if several else 'accept'} {_share(point)} automatically"
        if point.acceptance_rate:
            outcome += f" ({_remaining(model, index)})"
        each.append(outcome)
    return f"{listed(each)}."


def _share(point: OperatingPoint) -> str:
    rate = point.acceptance_rate
    if rate in (0, 1):
        return "everything" if rate else "nothing"
    return rounded_percent(rate)


def _advice(models: Sequence[Model], index: int) -> str:
    best = max(model.point(index).acceptance_rate for model in models)
    leaders = [model for model in models if model.point(index).acceptance_rate == best]
    if best == 0:
        return "nothing can be accepted automatically; people have to verify every output."
    share = _share(leaders[0].point(index))
    if len(leaders) == 1:
        who = "" if len(models) == 1 else f"{printable(leaders[0].name)} automates most: "
        where, errors = _where(leaders[0], index), _remaining(leaders[0], index)
        return f"{who}accept {share} automatically {where}; {errors}."
    names = [printable(model.name) for model in leaders]
    each = [
        f"{name} {_where(model, index)} ({_remaining(model, index)})"
        for name, model in zip(names, leaders, strict=True)
    ]
    return f"{listed(names)} tie; each accepts {share} automatically: {listed(each)}."


def _where(model: Model, index: int) -> str:
    if model.point(index).acceptance_rate == 1:
        return "at any confidence"
    return f"at confidence >= {model.threshold(index)}"


def _remaining(model: Model, index: int) -> str:
    limit, point = model.points[index]
    if not point.error_rate:
        return "no errors remain"
    if limit.criterion == "max_risk":
        return f"{rounded_percent(point.risk)} of what is accepted is wrong"
    return f"{rounded_percent(point.error_rate)} of all outputs remain wrong"


def _cheapest(models: Sequence[Model], index: int) -> str:
    performances = [model.performance(index) for model in models]
    names = [
        printable(model.name)
        for model, performance in zip(models, performances, strict=True)
        if performance == max(performances)
    ]
    first = models[0].evaluation
    costs = f"gamma = {first.costs.gamma:g} and delta = {first.costs.delta:g}"
    verb = "costs" if len(names) == 1 else "cost"
    return f"With {costs}, {listed(names)} {verb} least (W = {max(performances):.4f})."


def _blocks(models: Sequence[Model], *, with_costs: bool) -> list[list[Column]]:
    """Return the columns of the table after the names, in blocks that stay together."""

    def column(header: str, name: str, text: Callable[[float], str]) -> Column:
        values = [_figure(model.evaluation, name) for model in models]
        return Column(header, [text(value) for value in values], values, _below(models, name))

    weighted = any(isinstance(model.evaluation.n, float) for model in models)
    blocks = [
        [
            Column(
                "weight" if weighted else "outputs",
                [count(model.evaluation.n) for model in models],
            ),
            column("recognition\nrate", "recognition_rate", rounded_percent),
            column("ARAC-AUC", "arac_auc", area),
            column("normalised\nARAC-AUC", "normalized_arac_auc", area),
            column("ROC-AUC", "roc_auc", area),
        ]
    ]
    for index, limit in enumerate(models[0].limits):
        rates = [model.point(index).acceptance_rate for model in models]
        shares = [rounded_percent(rate) for rate in rates]
        below = _below(models, f"acceptance_rate@{limit.key}")
        if limit.is_given:
            errors = [rounded_percent(model.point(index).error_rate) for model in models]
            of_errors = _below(models, f"error_rate@{limit.key}")
            block = [
                Column(limit.header, shares, below=below),
                Column("errors that\nremain", errors, below=of_errors),
            ]
        else:
            thresholds = [model.threshold(index) for model in models]
            block = [
                Column(limit.header, shares, rates, below),
                Column("confidence\n>=", thresholds),
            ]
        if with_costs:
            performances = [model.performance(index) for model in models]
            block.append(Column("\nW", [f"{value:.4f}" for value in performances], performances))
        blocks.append(block)
    if models[0].spending is not None:
        blocks.append([Column(*column) for column in _costs.columns(models)])
    return blocks


def _figure(figures: Evaluation, name: str) -> float:
    value = figures.to_dict()[name]
    return math.nan if value is None else float(value)


def _below(models: Sequence[Model], name: str) -> list[str] | None:
    """The intervals of a figure, where there are any."""
    every = [model.intervals for model in models if model.intervals is not None]
    areas = ("arac_auc", "normalized_arac_auc", "roc_auc")
    shown = [found.area(name) if name in areas else found.share(name) for found in every]
    return shown or None
