"""`fastarac cascade`: thresholds of successive models and people, from a TOML file."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer

from fastarac._core.exceptions import collected
from fastarac._core.text import listed, printable
from fastarac.answers.cascade import cascade_answer
from fastarac.cli._json import write_object
from fastarac.cli._option_groups import grouped
from fastarac.cli._options import (
    NONE,
    Details,
    ErrorRate,
    OutputFormat,
    Plot,
    PrintedFormat,
    RefusalError,
    require_files,
)
from fastarac.cli._screen import command_line, screen_text
from fastarac.cli._standard import csv_text, tell, write
from fastarac.cli._tables import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastarac.costs.cascade import Cascade
    from fastarac.costs.stages import Stage
    from fastarac.costs.verification import VerificationCosts

EXAMPLES = """
Examples:

\b
  fastarac cascade stages.toml
  fastarac cascade stages.toml --error-rate 0.005 --plot stages.png

The file has the stages in their order, each with its price; files are beside it:

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

The last stage takes all remaining outputs; --error-rate replaces max_error_rate of the file.
\f
Files of fastarac ocr -o are matched by their items: an engine without an output decides nothing there.
Further keys: failure_probability, max_group_size; in [columns] confidence, correct, prediction, truth,
id, group and model, the columns of all files (with model, a stage has the name of its model), and
compare and open, as in evaluate; in a stage of people false_alarm_rate.
"""

TOP = ("max_error_rate", "failure_probability", "max_group_size", "columns", "costs", "stage")
COLUMNS = ("confidence", "correct", "prediction", "truth", "id", "group", "model", "compare", "open")
PRICES = ("verification", "correction", "error")
OF_MODELS = ("name", "price", "file", "max_share")
OF_PEOPLE = ("name", "price", "detection_rate", "false_alarm_rate", "max_share")

# Replace the library's arguments in messages by keys of the TOML file.
KEYS = {
    "item=COLUMN matches them": "id in [columns] matches them",
    "item=False": 'id = "none" in [columns]',
    "item='id'": 'id = "id" in [columns]',
    "open='wrong'": 'open = "wrong" in [columns]',
    "compare='number'": 'compare = "number" in [columns]',
    "compare='text'": '"text"',
    "(see model=COLUMN)": "(see model in [columns])",
    "prediction=COLUMN": "prediction in [columns]",
    "truth=COLUMN": "truth in [columns]",
}

StagesFile = Annotated[
    Path, typer.Argument(metavar="STAGES", help="A TOML file with the stages.", show_default=False)
]


class _Request(NamedTuple):
    """The stages, prices and limits of a TOML file."""

    stages: list[Stage]
    costs: VerificationCosts | None
    limits: dict[str, Any]


@grouped
def cascade(
    path: StagesFile,
    error_rate: ErrorRate = None,
    output_format: OutputFormat = PrintedFormat.table,
    details: Details = False,
    plot: Plot = None,
) -> None:
    """Choose thresholds for several models and people at the least cost."""
    from fastarac.costs.cascade import optimize_cascade

    require_files(plot, None)
    notes: list[str] = []
    with collected(notes):
        request = _read(path, error_rate)
        found: Cascade = _of(
            path,
            lambda: optimize_cascade(request.stages, costs=request.costs, **request.limits),
        )
    if plot is not None:
        _draw(found, request, plot)
    _deliver(found, output_format, notes, path, details=details)


def _read(path: Path, error_rate: float | None) -> _Request:
    """Read the TOML file and the outputs of its models."""
    from fastarac.costs.stages import Stage
    from fastarac.costs.verification import VerificationCosts
    from fastarac.reviewer import Reviewer

    content = _content(path)
    _only(path, "", content, TOP)
    columns, prices = (_table(path, content, name) for name in ("columns", "costs"))
    _only(path, "[columns] ", columns, COLUMNS)
    _only(path, "[costs] ", prices, PRICES)
    given = content.get("stage")
    if not isinstance(given, list) or not given:
        raise RefusalError(f"{path}: it must have at least two [[stage]], got none")
    costs = None
    if prices:
        missing = [name for name in PRICES[1:] if name not in prices]
        if missing:
            raise RefusalError(f"{path}: [costs] must have prices of {listed(missing)}")
        costs = _of(path, lambda: VerificationCosts(**{"verification": 0.0, **prices}), "[costs] ")
    limits = {name: content[name] for name in TOP[:3] if name in content}
    if error_rate is not None:
        limits["max_error_rate"] = error_rate
    by_pages = "failure_probability" in limits
    outputs, groups = _outputs(path, given, columns, by_pages=by_pages)
    if groups is not None:
        limits["groups"] = groups
    stages = []
    for place, each in enumerate(given, 1):
        where = f"[[stage]] {place} "
        if "name" not in each:
            raise RefusalError(f"{path}: {where}has no name")
        options: dict[str, Any] = {name: each[name] for name in ("max_share",) if name in each}
        if each["name"] in outputs:
            own = outputs[each["name"]]
            silent = own.rejected is not None
            confidence = np.where(own.rejected, np.nan, own.confidence) if silent else own.confidence
            options |= {"correct": own.correct, "confidence": confidence}
        else:
            _only(path, where, each, OF_PEOPLE)
            if "price" not in each and "verification" not in prices:
                raise RefusalError(f"{path}: {where}needs a price, or [costs] needs verification")
            people = {name: each[name] for name in OF_PEOPLE[2:4] if name in each}
            if people:
                options["reviewer"] = _of(path, partial(Reviewer, **people), where)
        stages.append(_of(path, partial(Stage, each["name"], each.get("price"), **options)))
    return _Request(stages, costs, limits)


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise RefusalError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise RefusalError(f"{path}: it is no TOML: it is not UTF-8 text") from None
    except ValueError as error:  # TOMLDecodeError is a ValueError
        raise RefusalError(f"{path}: it is no TOML: {error}") from None


def _table(path: Path, content: dict[str, Any], name: str) -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise RefusalError(f"{path}: {name} must be a table [{name}], got {table!r}")
    return table


def _only(path: Path, where: str, table: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise RefusalError(
                f"{path}: {where}has the unknown key {printable(key)!r}; keys are {', '.join(known)}"
            )


def _outputs(
    path: Path, stages: list[Any], columns: dict[str, Any], *, by_pages: bool
) -> tuple[dict[str, Any], Any]:
    """Return the outputs by model, and the groups if a column has them.

    If `by_pages`, outputs that `fastarac ocr` wrote are grouped by page.
    """
    files: dict[str, Path] = {}
    for place, each in enumerate(stages, 1):
        if not isinstance(each, dict):
            raise RefusalError(f"{path}: [[stage]] {place} must be a table, got {each!r}")
        if "file" in each:
            where = f"[[stage]] {place} "
            _only(path, where, each, OF_MODELS)
            for key in ("name", "file"):
                if not isinstance(each.get(key), str):
                    raise RefusalError(f"{path}: {where}{key} must be a text, got {each.get(key)!r}")
            if each["name"] in files:
                raise RefusalError(f"{path}: {where}has the name {each['name']!r} again")
            files[each["name"]] = path.parent / each["file"]
    if not files:
        raise RefusalError(f"{path}: no [[stage]] has a file; the first stage must be a model")
    for key, value in columns.items():
        if not isinstance(value, str):
            raise RefusalError(f"{path}: [columns] {key} must be a text, got {value!r}")

    named: dict[str, Any] = {"item" if key == "id" else key: value for key, value in columns.items()}
    of_ocr = _is_of_ocr(path, files, named)
    if of_ocr and "open" in named:
        raise RefusalError(f"{path}: [columns] open cannot go with files of fastarac ocr -o")
    if of_ocr:
        named = _columns_of_ocr(files, named, by_pages=by_pages)
    elif named.get("item") == NONE:
        named["item"] = False
    by_column = "model" in named
    sources = {str(file): file for file in files.values()} if by_column else files
    models = _read_files(path, sources, named, several=len(files) > 1, of_ocr=of_ocr)
    for name in files:
        if name not in models:
            raise RefusalError(
                f"{path}: the stage {name!r} is no model in column {named['model']!r}, which has "
                f"{listed(list(models))}"
            )
    outputs = {name: models[name] for name in files}
    group = next(iter(outputs.values())).group
    return outputs, None if group is None else group.codes


def _is_of_ocr(path: Path, files: dict[str, Path], columns: dict[str, Any]) -> bool:
    """Return whether all files have items of `fastarac ocr -o`; raise if only some have."""
    from fastarac.io._pages import says_kinds

    item = columns.get("item", "id")
    found = {file: says_kinds(file, item) for file in files.values()}
    if len(set(found.values())) > 1:
        with_kinds, others = (
            next(f for f, has in found.items() if has is kind) for kind in (True, False)
        )
        raise RefusalError(
            f"{path}: {with_kinds} has the items that fastarac ocr -o writes, with the columns "
            f'"{item}" and "kind", but {others} lacks them: all files must be alike'
        )
    return True in found.values()


def _columns_of_ocr(
    files: dict[str, Path], columns: dict[str, Any], *, by_pages: bool
) -> dict[str, Any]:
    """Return the columns; the defaults are the columns that `fastarac ocr -o` writes."""
    from fastarac.cli._files import with_pages
    from fastarac.cli._policies import MODEL, columns_in

    named = {"item": "id", **columns}
    paths = list(files.values())
    if "model" not in named and all(MODEL in columns_in(file) for file in paths):
        named["model"] = MODEL
    if by_pages and "group" not in named:
        pages, notes = with_pages(paths, {"group": None})
        tell([note.partition("; --group")[0] for note in notes])
        named |= {name: column for name, column in pages.items() if column is not None}
    return named


def _read_files(
    path: Path, files: dict[str, Path], columns: dict[str, Any], *, several: bool, of_ocr: bool
) -> Any:
    from fastarac import io
    from fastarac.cli._exit import interrupts_end_at_once
    from fastarac.cli._files import refuse_samples
    from fastarac.io._models import read_engine_items

    refuse_samples(list(files.values()), taken=False)
    with interrupts_end_at_once():
        try:
            if of_ocr:
                return read_engine_items(files, **columns)
            models = io.read_models(files, same_items=several, **columns)
        except (ValueError, OSError) as error:
            message = str(error)
            for argument, key in KEYS.items():
                message = message.replace(argument, key)
            if not any(str(file) in message for file in files.values()):
                message += f" (read from {listed(list(map(str, files.values())))})"
            raise RefusalError(f"{path}: {message}") from None
    if models.difference is not None:
        raise RefusalError(f"{path}: {models.difference}; use outputs of the same items")
    return models.outputs


def _of(path: Path, make: Callable[[], Any], where: str = "") -> Any:
    """Return the result of `make`; turn its errors into refusals that name the file."""
    try:
        return make()
    except (ValueError, TypeError) as error:
        raise RefusalError(f"{path}: {where}{error}") from None


def _draw(found: Cascade, request: _Request, plot: Path) -> None:
    """Draw the stages and, beside them, the cost as a function of each threshold."""
    from matplotlib import figure as figures

    from fastarac.cli import _plot
    from fastarac.displays import CascadeCostDisplay, CascadeDisplay

    figure = figures.Figure(figsize=(2 * _plot.WIDTH, _plot.HEIGHT), layout="constrained")
    left, right = figure.subplots(1, 2)
    CascadeDisplay.from_cascade(found, ax=left)
    for name in found.names[:-1]:
        CascadeCostDisplay.from_stages(request.stages, found, stage=name, costs=request.costs, ax=right)
    _plot.write(figure, plot)


def _deliver(
    found: Cascade, form: PrintedFormat, notes: Sequence[str], path: Path, *, details: bool
) -> None:
    answer = cascade_answer(found).with_warnings(notes)
    screen = answer.screen
    if form is PrintedFormat.json:
        about = {"cascade": answer.figures}
        write_object("cascade", about, decisions=answer.sentences(), warnings=answer.warnings)
    elif form is PrintedFormat.csv:
        tables = {name: each for name, each in answer.figures.items() if isinstance(each, list)}
        rows = zip(*tables.values(), strict=True)
        write(csv_text([dict(zip(tables, row, strict=True)) for row in rows]))
    else:
        screen = answer.closing(command_line("cascade", path, "--plot", "stages.png")).screen
        write(screen_text(screen, Page(markdown=form is PrintedFormat.markdown), details=details))
        return
    tell(answer.warnings)
