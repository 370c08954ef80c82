"""Build the command to suggest next from the files and options of the current one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fastarac.answers.decisions import are_too_few, leader, too_few_groups
from fastarac.answers.screen import MANY
from fastarac.cli._files import named_files
from fastarac.cli._ocr import are_by_page
from fastarac.cli._options import DEFAULT_ERROR_RATES, limit_options
from fastarac.cli._policies import MODEL
from fastarac.cli._screen import command_line
from fastarac.evaluation.limits import is_given, read_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import typer

    from fastarac.answers.models import Model
    from fastarac.cli._options import Limits
    from fastarac.evaluation.limits import Limit

READING = (
    *("confidence", "correct", "prediction", "truth", "compare", "allow_empty"),
    *("inclusion_probability", "judge", "open", "group"),
)
OF_PILOTS = "open", "group"
ANSWERED = "details", "form", "report", "plot", "output"


def after_evaluate(context: typer.Context, models: Sequence[Model], *, alike: bool) -> str:
    """Return the command to suggest after an evaluation.

    `alike` is whether the models have the same items, so that they can be compared.
    """
    files = list(map(str, context.params["paths"]))
    limit = _first(models[0].limits)
    if limit is None or len(models) > MANY:  # a command for many models is long and slow
        return ""
    limited = limit_options(limit.criterion, limit.value)
    index = models[0].limits.index(limit)
    first = leader(models, index)
    sure = first.at(index).guaranteed
    if len(models) > 1 and alike and sure is None:
        options = _typed(context, [*READING, "model", "weight"])
        return command_line("compare", *files, *options, "--statistic", f"acceptance_rate/{limit.key}")
    if sure is None:
        if not first.takes_guarantee:
            return ""
        options = _typed(context, [*READING, "model"])
        return command_line("evaluate", *files, *options, *limited, "--guarantee", "0.05")
    column, one = context.params["model"], []
    if column is None and len(models) > len(files):  # fit takes one column of confidences
        return ""
    if column is None:
        files = [str(named_files(context.params["paths"])[first.name])]
    elif column == MODEL and len(files) == 1:
        one = ["--only", first.name]
    else:
        return ""
    if sure.threshold == math.inf:
        if _typed(context, [name for name in READING if name not in OF_PILOTS]):
            return ""  # plan finds columns by their usual names only
        return command_line("plan", *limited, "--pilot", *files, *one, *_typed(context, OF_PILOTS))
    if len(models) > 1:  # with --choose, the guarantee holds although the same data chose the model
        files, one = list(map(str, context.params["paths"])), ["--choose"]
    probability = sure.failure_probability
    promise = [] if probability == 0.05 else ["--guarantee", f"{probability:.3g}"]
    options = _typed(context, READING)
    return command_line("fit", *files, *one, *options, *limited, *promise, "-o", "policy.json")


def after_verified(context: typer.Context, limits: Limits, *, several: bool) -> str:
    """Return the command to suggest after an evaluation of partly verified outputs."""
    files, options = list(map(str, context.params["paths"])), _typed(context, READING)
    if several or len(files) > 1:
        return command_line("compare", *files, *options)
    limit = _first(read_limits(limits.max_error_rate, limits.max_risk, []))
    if limit is None:
        return ""
    limited = limit_options(limit.criterion, limit.value)
    return command_line("fit", *files, *options, *limited, "-o", "policy.json")


def after_compare(context: typer.Context, n_groups: int | None = None) -> str:
    """Return the command to suggest after a comparison: evaluate, with a guarantee if possible."""
    if n_groups is not None and are_too_few(n_groups, max(DEFAULT_ERROR_RATES)):
        return ""
    if len(context.params["paths"]) > MANY:
        return ""
    options = _typed(context, [*READING, "model", "weight", "by"])
    in_parts = context.params["weight"] is not None or context.params["by"] is not None
    guarantee = () if in_parts else ("--guarantee", "0.05")
    return command_line("evaluate", *map(str, context.params["paths"]), *options, *guarantee)


def after_ocr(context: typer.Context, models: Sequence[Model]) -> str:
    """Return the command to suggest after an evaluation of engines without ``--output``."""
    names = [parameter.name or "" for parameter in context.command.params]
    # With dependent items, there is no guarantee for a limit of the risk.
    of_pages = are_by_page(context.params["group"]) and bool(context.params["max_risk"])
    no_guarantee = of_pages or context.params["guarantee"] is not None or too_few_groups(models)
    end = ("-o", "words.parquet") if no_guarantee else ("--guarantee", "0.05")
    return command_line("ocr", *_typed(context, [name for name in names if name not in ANSWERED]), *end)


def after_items(path: Path, models: Sequence[Model], *, by_field: bool) -> str:
    """Return the command to suggest for a file of engines' items: fit a policy for the best engine."""
    limit = _first(models[0].limits)
    if limit is None:
        return command_line("evaluate", path, *(["--model", MODEL] if len(models) > 1 else []))
    best = leader(models, models[0].limits.index(limit))
    one = ["--only", best.name] if len(models) > 1 else []
    fields = ["--by", "field", "--document", "document"] if by_field else []
    limited = limit_options(limit.criterion, limit.value)
    if too_few_groups(models) and not by_field:
        most = max(each.value for each in models[0].limits if each.criterion == limit.criterion)
        limited = limit_options(limit.criterion, most)
        return command_line("plan", *limited, "--pilot", path, *one, "--group", "page")
    return command_line("fit", path, *one, *fields, *limited, "-o", "policy.json")


def _first(limits: Iterable[Limit]) -> Limit | None:
    """Return the first limit that is not a threshold given by the user."""
    return next((limit for limit in limits if not is_given(limit)), None)


def _typed(context: typer.Context, names: Sequence[str]) -> list[str]:
    """Return the options in `names` that the user typed, with their values."""
    found: list[str] = []
    for parameter in context.command.params:
        value: Any = context.params.get(parameter.name or "")
        if parameter.name not in names or value in (None, False, [], (), parameter.default):
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            if parameter.param_type_name == "argument":
                found.append(str(each))
            else:
                found += [parameter.opts[0]] if each is True else [parameter.opts[0], str(each)]
    return found
