"""`fastarac fit`: thresholds that keep a limit on new outputs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastarac import operation
from fastarac._core.exceptions import collected
from fastarac._core.files import suffix_problem
from fastarac.answers.policies import fit_answer
from fastarac.answers.screen import Weight
from fastarac.cli import _html
from fastarac.cli import _policy_options as options
from fastarac.cli._exit import UNDECIDED, interrupts_end_at_once
from fastarac.cli._files import notes_of_groups, notes_of_pages, with_pages
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import (
    PrintingOptions,
    ReadingOptions,
    VerifiedOptions,
    given_options,
    grouped,
)
from fastarac.cli._options import (
    ByColumn,
    ErrorRate,
    Failure,
    GroupColumn,
    MaxRisk,
    ReportFile,
    groups_of,
    in_words_of_options,
    limit_options,
    output_option,
    refuse,
    require_files,
)
from fastarac.cli._policies import (
    labels_of,
    of_one_model,
    one_group_of,
    read_verified,
    refusing,
    types_in,
    with_confidence,
)
from fastarac.cli._refusals import incompatible, incomplete
from fastarac.cli._screen import command_line
from fastarac.io._pages import count_words, parts_of_pages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.operation import Policy

EXAMPLES = """
Examples:

\b
  fastarac fit verified.csv --error-rate 0.01 -o policy.json
  fastarac fit fields.parquet --by field --error-rate 0.01 -o policy.json
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


@grouped
def fit(
    context: typer.Context,
    path: options.File,
    output: PolicyOutput,
    *,
    reading: ReadingOptions,
    only: options.Only = None,
    by: ByColumn = None,
    document: options.Document = None,
    optional: options.Optional = None,
    fields_complete: options.FieldsComplete = False,
    document_type: options.DocumentTypes = None,
    group: GroupColumn = None,
    error_rate: ErrorRate = None,
    max_risk: MaxRisk = None,
    scale: options.Scale = None,
    guarantee: Failure = 0.05,
    truth_found: options.TruthFound = None,
    verified: VerifiedOptions,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Fit thresholds that keep a limit on new outputs; write a policy."""
    groups = groups_of(group)
    given = set(given_options(context).values())
    incomplete(given, [("--scale", ("--max-risk",))])
    incompatible(given, [("--scale", ("--by", "--document"))])
    columns = reading.columns(by=by, item=document, group=groups)
    arguments: dict[str, Any] = {
        "max_error_rate": error_rate, "max_risk": max_risk, "failure_probability": guarantee,
        "scale": None if scale is None else str(scale),
        "truth_reader": truth_found,
    }  # fmt: skip
    of_verified = verified.columns(
        context, reading, groups, "only", "document", "optional", "fields_complete",
        "document_type", paths=[path], by=by,
    )  # fmt: skip
    require_files(None, report)
    refuse(suffix_problem(output, "policy", (".json",)))
    notes: list[str] = []
    if of_verified is not None:
        read, labels = read_verified(path, of_verified)
        of_pages = notes_of_groups([path], [read], of_verified)
        policy = _fitted(path, (*read,), {**arguments, "by": labels}, notes)
    else:
        if (max_risk is None or scale) and document is None:  # the others have no guarantee by groups
            columns, of_pages = with_pages([path], columns)
        else:
            of_pages = []
        arguments |= {"optional": _optional(optional or []), "fields_complete": fields_complete}
        policy = _fitted_to_items(path, only, columns, document_type, arguments, notes)
        of_pages += notes_of_pages([path], columns, only)
    refusing(str(output), lambda: policy.save(output))
    refusing(str(report), lambda: _html.save_operation(report, policy=policy))
    answer = fit_answer(policy).with_figures(path=str(output))
    answer = answer.with_warnings(of_pages, Weight.ASSUMES).with_warnings(notes)
    command, written = _next(policy, path, only, output, by, document), f"{output} has the policy."
    answer = answer.in_words(_in_words_of_options).closing(command, written)
    deliver(printing, "fit", answer, about="policy", report=report)
    if not policy.accepted:
        raise typer.Exit(UNDECIDED)


def _next(
    policy: Policy, path: Path, only: str | None, output: Path, by: str | None, document: str | None
) -> str:
    """Return how a policy is applied, or where nothing is accepted, how many more outputs it takes."""
    fields = ("--by", by) if by else ()
    if not policy.accepted:
        one = ("--only", only) if only else ()
        limit = limit_options(policy.criterion, policy.limit)
        return command_line("plan", *limit, "--pilot", path, *one, *fields)
    documents = ("--document", document) if document else ()
    written = "-o", "accepted.csv", "--review", "review.csv"
    return command_line("apply", output, "new.csv", *fields, *documents, *written)


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
    """Fit a policy to a file, or to one model in it, of which all outputs are verified."""
    every = of_one_model(path, only, columns)
    outputs = with_confidence(path, every, notes, missed=not columns["empty_confidence"])
    of_items = {
        "by": labels_of(outputs.by),
        "groups": one_group_of(outputs),
        "documents": labels_of(outputs.item),
        "rejected": None if outputs.item is None else outputs.rejected,
        "types": types_in(path, only, columns, types),
    }
    pair = outputs.correct, outputs.confidence
    policy = _fitted(path, pair, {**arguments, **of_items}, notes)
    if policy.documents is not None:
        return policy
    words = count_words(path, only)
    missed_rate = words[0] / words[1] if words and words[1] else None
    return policy.with_unread(len(every) - len(outputs), missed_rate, parts_of_pages(path))


def _optional(given: list[str]) -> list[str]:
    """Return the fields that documents may lack, those in .toml files of fields in place of these."""
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
