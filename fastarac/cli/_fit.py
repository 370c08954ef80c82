"""`fastarac fit`: find thresholds that keep a limit on new outputs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from fastarac import operation
from fastarac._core.exceptions import collected
from fastarac._core.files import suffix_problem
from fastarac._core.text import quoted
from fastarac.answers.file_notes import notes_of_groups, notes_of_pages, with_pages
from fastarac.answers.policies import fit_answer
from fastarac.answers.screen import Weight
from fastarac.cli import _policy_options as options
from fastarac.cli._exit import UNDECIDED, interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import (
    OptionsOf,
    PrintingOptions,
    ReadColumns,
    ReadingOptions,
    VerifiedOptions,
    given_options,
    grouped,
)
from fastarac.cli._options import (
    NONE,
    ByColumn,
    ErrorRate,
    Failure,
    Files,
    GroupColumn,
    MaxRisk,
    RefusalError,
    ReportFile,
    column_option,
    groups_of,
    in_words_of_options,
    limit_options,
    option,
    output_option,
    refuse,
    require_files,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import (
    MODEL,
    columns_in,
    labels_of,
    of_one_model,
    one_group_of,
    read_verified,
    refusing,
    save_report,
    types_in,
    with_confidence,
)
from fastarac.cli._refusals import incompatible, incomplete
from fastarac.cli._screen import command_line
from fastarac.io._pages import count_words, names_in, parts_of_pages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac import io
    from fastarac.operation import Policy
    from fastarac.operation.choosing import PolicyChoice

EXAMPLES = """
Examples:

\b
  fastarac fit verified.csv --error-rate 0.01 -o policy.json
  fastarac fit fields.parquet --by field --error-rate 0.01 -o policy.json
  fastarac fit a.csv b.csv c.csv --choose --error-rate 0.01 -o policy.json
\f
\b
  fastarac fit fields.parquet --by field --document form --error-rate 0.02 -o policy.json
  fastarac fit fields.parquet --by field --document form --optional po --error-rate 0.02 \\
    -o policy.json
  fastarac fit part.csv --inclusion-probability inclusion_probability --judge judge \\
    --error-rate 0.01 -o policy.json

A file that fastarac ocr -o wrote may hold several models; --only names the one to fit. A policy that
accepts nothing is written, with exit code 3.
"""

PolicyOutput = Annotated[Path, output_option("Write the policy as this .json file.")]


Choose = Annotated[
    bool,
    option("--choose", "Fit every model, and keep the policy that accepts most.", Panel.columns),
]


def _promise(
    error_rate: ErrorRate = None,
    max_risk: MaxRisk = None,
    scale: options.Scale = None,
    guarantee: Failure = 0.05,
    truth_found: options.TruthFound = None,
) -> dict[str, Any]:
    """Return the options of the guarantee as arguments of :func:`fastarac.operation.fit_policy`."""
    return {
        "max_error_rate": error_rate, "max_risk": max_risk, "failure_probability": guarantee,
        "scale": None if scale is None else str(scale),
        "truth_reader": truth_found,
    }  # fmt: skip


PromiseOptions = Annotated[dict[str, Any], OptionsOf(_promise)]


@grouped
def fit(
    context: typer.Context,
    paths: Files,
    output: PolicyOutput,
    *,
    reading: ReadingOptions,
    only: options.Only = None,
    choose: Choose = False,
    by: ByColumn = None,
    document: options.Document = None,
    optional: options.Optional = None,
    fields_complete: options.FieldsComplete = False,
    document_type: options.DocumentTypes = None,
    group: GroupColumn = None,
    promise: PromiseOptions,
    verified: VerifiedOptions,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Fit thresholds that keep a limit on new outputs; write a policy."""
    groups = groups_of(group)
    given = set(given_options(context).values())
    incomplete(given, [("--scale", ("--max-risk",))])
    incompatible(given, [("--scale", ("--by", "--document"))])
    if len(paths) > 1 and not choose:
        raise RefusalError(
            f"got {len(paths)} files; --choose fits a policy to each and keeps the best one"
        )
    path = paths[0]
    incompatible(given, [("--choose", ("--only", "--inclusion-probability", "--judge"))])
    columns = reading.columns(by=by, item=document, group=groups, open=verified.how_open)
    of_verified = verified.columns(
        context, reading, groups, "only", "document", "optional", "fields_complete",
        "document_type", paths=paths, by=by,
    )  # fmt: skip
    require_files(None, report)
    refuse(suffix_problem(output, "policy", (".json",)))
    notes: list[str] = []
    chosen, of_pages = None, list[str]()
    if of_verified is not None:
        read, labels = read_verified(path, of_verified, notes)
        of_pages = notes_of_groups([path], [read], of_verified)
        policy = _fitted(path, (*read,), {**promise, "by": labels}, notes)
    else:
        # With --max-risk, groups need --scale: all items then test the limit, rather than half of them.
        if (promise["max_risk"] is None or promise["scale"]) and document is None:
            columns, of_pages = with_pages(paths, columns)
        promise |= {"optional": _optional(optional or []), "fields_complete": fields_complete}
        if choose:
            chosen = _chosen(paths, columns, document_type, promise, notes)
            policy = chosen.policy
        else:
            policy = _fitted_to_items(path, only, columns, document_type, promise, notes)
            of_pages += notes_of_pages([path], columns, only)
    roles = {"by": by, "documents": document, "types": document_type, "groups": groups}
    remembered = _remembered(reading, roles, complete=fields_complete) | _rules_in(path)
    policy = replace(policy, columns=remembered)
    refusing(str(output), lambda: policy.save(output))
    save_report(report, policy=policy)
    answer = fit_answer(policy, chosen).with_figures(path=str(output))
    answer = answer.with_warnings(of_pages, Weight.ASSUMES).with_warnings(notes)
    command, written = _next(policy, path, only, output, by), f"{output} has the policy."
    answer = answer.in_words(_in_words_of_options).closing(command, written)
    deliver(printing, "fit", answer, about="policy", report=report)
    if not policy.accepted:
        raise typer.Exit(UNDECIDED)


def _remembered(reading: ReadColumns, roles: dict[str, Any], *, complete: bool) -> dict[str, Any]:
    """Return the columns that the policy saves for reading other files, without default names."""
    names = ("confidence", "correct", "prediction", "truth", "compare")
    found = {name: getattr(reading, name) for name in names} | roles
    found = {
        role: name if isinstance(name, tuple) else str(name)
        for role, name in found.items()
        if name not in (None, NONE) and (role, name) != ("confidence", "confidence")
    }
    if reading.allow_empty:
        found["allow_empty"] = tuple(map(str, reading.allow_empty))
    return found | ({"fields_complete": True} if complete else {})


def _rules_in(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the rules for fields that a file names; empty if it has no column of rules."""
    from fastarac.io._formats import open_source
    from fastarac.io._sources import connect
    from fastarac.ocr.fields.rules import BROKEN, RULES, SEPARATOR

    if not {BROKEN, RULES} <= set(columns_in(path)):
        return {}
    with connect() as connection:
        source = open_source(path, connection)
        ((text,),) = source.select(f"any_value({source.identifier(RULES)})").fetchall()
    return {RULES: tuple(text.split(SEPARATOR))} if text else {}


def _next(policy: Policy, path: Path, only: str | None, output: Path, by: str | None) -> str:
    """Return the command to suggest: apply the policy or, if it accepts nothing, plan a sample."""
    if not policy.accepted:
        fields = column_option("--by", by)
        one = column_option("--only", only)
        limit = limit_options(policy.criterion, policy.limit)
        return command_line("plan", *limit, "--pilot", path, *one, *fields)
    written = "-o", "accepted.csv", "--review", "review.csv"
    return command_line("apply", output, "new.csv", *written)


def _chosen(
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    types: str | None,
    arguments: Mapping[str, Any],
    notes: list[str],
) -> PolicyChoice:
    """Fit a policy for every model in the files, and choose one of them."""
    candidates: dict[str, dict[str, Any]] = {}
    for path in paths:
        in_file: list[str | None] = [None]
        if MODEL in columns_in(path):
            in_file = list(names_in(path, MODEL)) or in_file
        for name in in_file:
            outputs, of_items, about = _items_of(path, name, columns, types, notes)
            label = name or path.stem
            if label in candidates:
                raise RefusalError(f"{path}: two models are called {quoted(label)}")
            pair = {"correct": outputs.correct, "confidence": outputs.confidence}
            candidates[label] = {**pair, **of_items, **(about if of_items["documents"] is None else {})}
    if len(candidates) < 2:
        raise RefusalError(
            f"--choose needs several models, got only {quoted(next(iter(candidates)))}; leave it out"
        )
    first = next(iter(candidates.values()))
    same = "by", "documents"
    paired = any(first[name] is not None for name in same) and all(
        np.array_equal(first[name], each[name]) for each in candidates.values() for name in same
    )
    with collected(notes), interrupts_end_at_once():
        found: PolicyChoice = refusing(
            str(paths[0]), partial(operation.fit_policies, candidates, paired=paired, **arguments)
        )
    return found


def _fitted(path: Path, pair: Any, arguments: Mapping[str, Any], notes: list[str]) -> Policy:
    with collected(notes), interrupts_end_at_once():
        found: Policy = refusing(str(path), partial(operation.fit_policy, *pair, **arguments))
    return found


def _fitted_to_items(
    path: Path,
    only: str | None,
    columns: Mapping[str, Any],
    types: str | None,
    arguments: Mapping[str, Any],
    notes: list[str],
) -> Policy:
    """Fit a policy to the fully verified outputs of a file, or of one model in it."""
    outputs, of_items, about = _items_of(path, only, columns, types, notes)
    pair = outputs.correct, outputs.confidence
    policy = _fitted(path, pair, {**arguments, **of_items}, notes)
    return policy if policy.documents is not None else policy.with_unread(**about)


def _items_of(
    path: Path, only: str | None, columns: Mapping[str, Any], types: str | None, notes: list[str]
) -> tuple[io.Outputs, dict[str, Any], dict[str, Any]]:
    """Return a model's outputs, further columns of the same rows, and the counts of items left out."""
    every = of_one_model(path, only, columns, notes)
    outputs = with_confidence(path, every, notes, missed=not columns["empty_confidence"])
    of_items = {
        "by": labels_of(outputs.by),
        "groups": one_group_of(outputs),
        "documents": labels_of(outputs.item),
        "rejected": None if outputs.item is None else outputs.rejected,
        "types": types_in(path, only, columns, types),
    }
    words = count_words(path, only)
    about = {
        "n_unread": len(every) - len(outputs),
        "missed_rate": words[0] / words[1] if words and words[1] else None,
        "regions": parts_of_pages(path),
    }
    return outputs, of_items, about


def _optional(given: list[str]) -> list[str]:
    """Return the optional fields; a .toml file in `given` stands for the fields named in it."""
    from fastarac.ocr.fields.comparisons import settings_of_file

    found: list[str] = []
    for each in given:
        path = Path(each)
        is_file = path.suffix == ".toml"
        found += refusing(each, partial(settings_of_file, path))[1] if is_file else [each]
    return found


def _in_words_of_options(text: str) -> str:
    told = in_words_of_options(text).replace("fields_complete=True", "--fields-complete")
    return told.replace("scale='unit'", "--scale unit")
