"""`fastarac cascade`: thresholds of successive models and people, from a TOML file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastarac._core.exceptions import collected
from fastarac.answers.cascade import cascade_answer
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import refuse_samples
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import grouped
from fastarac.cli._options import (
    Delivery,
    Details,
    ErrorRate,
    Form,
    Guarantee,
    MaxRisk,
    OutputFormat,
    Plot,
    PrintedFormat,
    Printing,
    refused,
    require_files,
)
from fastarac.cli._screen import command_line
from fastarac.cli._standard import csv_text, tell, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.costs.cascade import Cascade
    from fastarac.costs.stage_files import CascadeStages

EXAMPLES = """
Examples:

\b
  fastarac cascade stages.toml
  fastarac cascade stages.toml --error-rate 0.005 --plot stages.png
  fastarac cascade judges.toml --max-risk 0.15 --guarantee 0.1

The file lists the stages in order, each with its price; files are named relative to its folder:

\b
  max_error_rate = 0.01
  [costs]
  correction = 5
  error = 200
  [[stage]]
  name = "engine"
  price = 0.1
  file = "engine.csv"
  [[stage]]
  name = "clerk"
  price = 2
  detection_rate = 0.98
  max_share = 0.2

The last stage takes all remaining outputs. If it has "abstains = true", but no price and no file, these
outputs get no answer. Options replace limits of the file.
\f
Files of fastarac ocr -o are matched by their items; an engine never decides on an item for which it has
no output. Further keys of the file are max_risk, failure_probability and max_group_size. A stage of
people may also have false_alarm_rate. In [columns], the keys confidence, correct, prediction, truth,
id, group and model name the columns of all files, and compare and open are as in evaluate. With the key
model, each stage has the name of its model.
"""

Stages = Annotated[
    Path, typer.Argument(metavar="STAGES", help="A TOML file with the stages.", show_default=False)
]


@grouped
def cascade(
    path: Stages,
    error_rate: ErrorRate = None,
    max_risk: MaxRisk = None,
    guarantee: Guarantee = None,
    form: OutputFormat = PrintedFormat.table,
    details: Details = False,
    plot: Plot = None,
) -> None:
    """Choose thresholds for several models and people at the least cost."""
    from fastarac.costs.cascade import optimize_cascade
    from fastarac.costs.stage_files import StagesFile

    require_files(plot, None)
    notes: list[str] = []
    named = partial(_naming, path)
    with (
        collected(notes),
        interrupts_end_at_once(),
        refused(ValueError, TypeError, OSError, words=named),
    ):
        file = StagesFile.read(path)
        refuse_samples(list(file.files.values()), taken=False)
        request = file.load(error_rate, max_risk, guarantee)
        tell(request.notes)
        found = optimize_cascade(request.stages, costs=request.costs, **request.limits)
    if plot is not None:
        _draw(found, request, plot)
    _deliver(found, Delivery(form, details), notes, path)


def _naming(path: Path, error: Exception) -> str:
    """Return an error's message, beginning with the path of the file."""
    said = str(getattr(error, "strerror", None) or error)
    return said if said.startswith(f"{path}: ") else f"{path}: {said}"


def _draw(found: Cascade, request: CascadeStages, plot: Path) -> None:
    """Draw the stages and, beside them, the cost against each threshold."""
    from matplotlib import figure as figures

    from fastarac.cli import _plot
    from fastarac.displays import CascadeCostDisplay, CascadeDisplay

    figure = figures.Figure(figsize=(2 * _plot.WIDTH, _plot.HEIGHT), layout="constrained")
    left, right = figure.subplots(1, 2)
    CascadeDisplay.from_cascade(found, ax=left)
    for name in found.names[:-1]:
        CascadeCostDisplay.from_stages(request.stages, found, stage=name, costs=request.costs, ax=right)
    _plot.write(figure, plot)


def _deliver(found: Cascade, delivery: Delivery, notes: Sequence[str], path: Path) -> None:
    answer = cascade_answer(found).with_warnings(notes)
    if delivery.form.is_for_people:
        screen = answer.closing(command_line("cascade", path, "--plot", "stages.png")).screen
        write(delivery.text(screen))
        return
    if delivery.form is PrintedFormat.json:
        deliver(Printing(Form.json), "cascade", answer)
        return
    tables = {name: each for name, each in answer.figures.items() if isinstance(each, list)}
    rows = zip(*tables.values(), strict=True)
    write(csv_text([dict(zip(tables, row, strict=True)) for row in rows]))
    tell(answer.warnings)
