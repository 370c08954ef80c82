"""What is printed: a table and words for people, or JSON, CSV and Markdown for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from fastarac.cli import _costs
from fastarac.cli import _numbers as numbers
from fastarac.cli._limits import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from rich.console import Console

    from fastarac.cli._costs import Spending
    from fastarac.cli._groups import Groups
    from fastarac.evaluation import Evaluation
    from fastarac.operating import OperatingPoint
    from fastarac.sweep import ThresholdSweep

BEST = "bold green"
UNLIMITED = 100_000  # characters a line
CAUTION = (
    "Thresholds are fitted to these outputs: on new ones the limit may well be exceeded. Check a "
    "threshold on outputs that it was not chosen on."
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
    """

    name: str
    sweep: ThresholdSweep
    evaluation: Evaluation
    dtype: np.dtype[Any]
    groups: Groups | None = None
    others: tuple[tuple[Limit, OperatingPoint], ...] = ()
    spending: Spending | None = None

    @property
    def points(self) -> list[tuple[Limit, OperatingPoint]]:
        """The limits and their operating points, those of the error rates first."""
        figures = self.evaluation
        limits = [Limit("max_error_rate", rate) for rate in figures.error_rates]
        return [*zip(limits, figures.operating_points, strict=True), *self.others]

    @property
    def limits(self) -> list[Limit]:
        """The limits alone."""
        return [limit for limit, _ in self.points]

    def point(self, index: int) -> OperatingPoint:
        """Return the operating point for the limit of this index."""
        return self.points[index][1]

    def performance(self, index: int) -> float:
        """Return W = γX + β − δ·R_E at that operating point, with whole ties and the errors there."""
        figures, point = self.evaluation, self.point(index)
        gained = figures.gamma * point.acceptance_rate + figures.recognition_rate
        return gained - figures.delta * point.error_rate

    def threshold(self, index: int) -> str:
        """Return the threshold for the limit of this index."""
        limit = self.limits[index]
        if limit.is_given:
            return limit.as_given
        return numbers.threshold(self.point(index).threshold, self.sweep, self.dtype)


def as_json(models: Sequence[Model]) -> str:
    """Return all figures as a JSON array with one object a model, or a group of one."""
    return json.dumps(_records(models), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(models: Sequence[Model]) -> str:
    """Return all figures as CSV with one row a model; what is undefined is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    records = _records(models)
    writer.writerow(records[0])
    writer.writerows(record.values() for record in records)
    return text.getvalue()


def as_markdown(models: Sequence[Model]) -> str:
    """Return all figures as a Markdown table with one row a model; what is undefined is empty."""
    records = _records(models)
    rows = [list(records[0]), ["---", *["---:"] * (len(records[0]) - 1)]]
    rows += [["" if cell is None else str(cell) for cell in record.values()] for record in records]
    return "".join(f"| {' | '.join(map(_markdown_cell, row))} |\n" for row in rows)


def print_text(models: Sequence[Model], console: Console, *, with_costs: bool) -> None:
    """Print the table and the words for people; no table is wider than the console."""
    for table in _tables(models, console, with_costs=with_costs):
        console.print(table)
        console.print()
    for model in models:
        if model.groups is not None:
            several = len(models) > 1
            console.print(model.groups.table(numbers.shown(model.name), model.limits, several=several))
            console.print()
    for sentence in words(models, with_costs=with_costs):
        console.print(Text(sentence))
    if models[0].spending is not None:
        console.print(Text(_costs.sentence(models)))
    for doubt in doubts(models):
        console.print(Text(doubt, style="yellow"))
    fitted = [limit for limit in models[0].limits if not limit.is_given]
    fewest = min(model.evaluation.n for model in models)
    tightest = min(fitted, key=lambda limit: limit.value, default=None)
    if tightest is not None and 0 < tightest.value * fewest < FEW:
        few = f"{numbers.count(fewest)} outputs are few for a limit of {tightest.short}: "
        console.print(Text(few + "chance decides much of these figures."))
    if fitted:
        console.print(Text(CAUTION, style="dim"))


def doubts(models: Sequence[Model]) -> list[str]:
    """Return a sentence per model whose confidence is clearly lower for what is correct."""
    return [
        f"The confidence of {numbers.shown(model.name)} seems reversed: what is correct tends to have "
        f"less of it (ROC-AUC = {numbers.area(model.evaluation.roc_auc)}). If lower means surer, "
        "evaluate its negative."
        for model in models
        if _is_reversed(model.evaluation)
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


def _records(models: Sequence[Model]) -> list[dict[str, Any]]:
    records = []
    for model in models:
        if model.groups is not None:
            records += model.groups.records(model.name)
        else:
            record = {"model": model.name, **model.evaluation.to_dict()}
            for limit, point in model.others:
                record |= limit.figures(point)
            if model.spending is not None:
                record |= model.spending.figures()
            records.append(record)
    return records


def _markdown_cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


def _outcomes(models: Sequence[Model], index: int) -> str:
    """What a threshold that was given does, to each model."""
    several = len(models) > 1
    each = []
    for model in models:
        point = model.point(index)
        name = f"{numbers.shown(model.name)} " if several else ""
        outcome = f"{name}{'accepts' if several else 'accept'} {_share(point)} automatically"
        if point.acceptance_rate:
            outcome += f" ({_remaining(model, index)})"
        each.append(outcome)
    return f"{_joined(each)}."


def _share(point: OperatingPoint) -> str:
    rate = point.acceptance_rate
    if rate in (0, 1):
        return "everything" if rate else "nothing"
    return numbers.share(rate)


def _advice(models: Sequence[Model], index: int) -> str:
    best = max(model.point(index).acceptance_rate for model in models)
    leaders = [model for model in models if model.point(index).acceptance_rate == best]
    if best == 0:
        return "nothing can be accepted automatically; people have to verify every output."
    share = _share(leaders[0].point(index))
    if len(leaders) == 1:
        who = "" if len(models) == 1 else f"{numbers.shown(leaders[0].name)} automates most: "
        where, errors = _where(leaders[0], index), _remaining(leaders[0], index)
        return f"{who}accept {share} automatically {where}; {errors}."
    names = [numbers.shown(model.name) for model in leaders]
    each = [
        f"{name} {_where(model, index)} ({_remaining(model, index)})"
        for name, model in zip(names, leaders, strict=True)
    ]
    return f"{_joined(names)} tie; each accepts {share} automatically: {_joined(each)}."


def _where(model: Model, index: int) -> str:
    if model.point(index).acceptance_rate == 1:
        return "at any confidence"
    return f"at confidence >= {model.threshold(index)}"


def _remaining(model: Model, index: int) -> str:
    limit, point = model.points[index]
    if not point.error_rate:
        return "no errors remain"
    if limit.criterion == "max_risk":
        return f"{numbers.share(point.risk)} of what is accepted is wrong"
    return f"{numbers.share(point.error_rate)} of all outputs remain wrong"


def _cheapest(models: Sequence[Model], index: int) -> str:
    performances = [model.performance(index) for model in models]
    names = [
        numbers.shown(model.name)
        for model, performance in zip(models, performances, strict=True)
        if performance == max(performances)
    ]
    first = models[0].evaluation
    costs = f"gamma = {first.gamma:g} and delta = {first.delta:g}"
    verb = "costs" if len(names) == 1 else "cost"
    return f"With {costs}, {_joined(names)} {verb} least (W = {max(performances):.4f})."


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the table: its header, its cells, and the values of which the largest is best."""

    header: str
    cells: list[str]
    values: list[float] | None = None

    def best(self) -> list[bool]:
        """Return which cells are best; none where all are alike."""
        if self.values is None:
            return [False] * len(self.cells)
        largest = max((value for value in self.values if not math.isnan(value)), default=None)
        best = [value == largest for value in self.values]
        return [False] * len(best) if all(best) else best


def _blocks(models: Sequence[Model], *, with_costs: bool) -> list[list[_Column]]:
    """Return the columns of the table after the names, in blocks that stay together."""

    def column(
        header: str, figure: Callable[[Evaluation], float], text: Callable[[float], str]
    ) -> _Column:
        values = [figure(model.evaluation) for model in models]
        return _Column(header, [text(value) for value in values], values)

    weighted = any(isinstance(model.evaluation.n, float) for model in models)
    blocks = [
        [
            _Column(
                "weight" if weighted else "outputs",
                [numbers.count(model.evaluation.n) for model in models],
            ),
            column("recognition\nrate", lambda figures: figures.recognition_rate, numbers.share),
            column("ARAC-AUC", lambda figures: figures.arac.auc, numbers.area),
            column("normalised\nARAC-AUC", lambda figures: figures.arac.normalized, numbers.area),
            column("ROC-AUC", lambda figures: figures.roc_auc, numbers.area),
        ]
    ]
    for index, limit in enumerate(models[0].limits):
        rates = [model.point(index).acceptance_rate for model in models]
        shares = [numbers.share(rate) for rate in rates]
        if limit.is_given:
            errors = [numbers.share(model.point(index).error_rate) for model in models]
            block = [_Column(limit.header, shares), _Column("errors that\nremain", errors)]
        else:
            thresholds = [model.threshold(index) for model in models]
            block = [_Column(limit.header, shares, rates), _Column("confidence\n>=", thresholds)]
        if with_costs:
            performances = [model.performance(index) for model in models]
            block.append(_Column("\nW", [f"{value:.4f}" for value in performances], performances))
        blocks.append(block)
    if models[0].spending is not None:
        blocks.append([_Column(*column) for column in _costs.columns(models)])
    return blocks


def _tables(models: Sequence[Model], console: Console, *, with_costs: bool) -> list[Table]:
    """Return one table, or several where the console is too narrow for all blocks in one."""
    tables: list[Table] = []
    columns: list[_Column] = []
    unlimited = console.options.update(width=UNLIMITED)
    for block in _blocks(models, with_costs=with_costs):
        wider = _table(models, columns + block)
        if columns and Measurement.get(console, unlimited, wider).maximum > console.width:
            tables.append(_table(models, columns))
            columns = []
        columns = columns + block
    return [*tables, _table(models, columns)]


def _table(models: Sequence[Model], columns: Sequence[_Column]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("model", overflow="fold", vertical="bottom")
    for column in columns:
        table.add_column(Text(column.header), justify="right", no_wrap=True, overflow="fold")
    best = [column.best() for column in columns]
    for row, model in enumerate(models):
        cells = [
            Text(column.cells[row], style=BEST if marks[row] else "")
            for column, marks in zip(columns, best, strict=True)
        ]
        table.add_row(Text(numbers.shown(model.name)), *cells)
    return table
