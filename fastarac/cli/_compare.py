"""``fastarac compare``: compare models on the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import typer

from fastarac.cli import _options as options
from fastarac.cli._comparison import BY_IDS, ORDER, ORDER_AND_TRUTH, deliver, request_of
from fastarac.cli._costs import Costs
from fastarac.cli._fail_if import end, worse_than_first
from fastarac.cli._next import after_compare
from fastarac.cli._option_groups import (
    NOT_OF_VERIFIED,
    SEVERAL_CONFIDENCES,
    ReadingOptions,
    VerifiedOptions,
    given_options,
    grouped,
)
from fastarac.cli._options import NONE, Delivery, RefusalError, groups_of, require_groups
from fastarac.cli._refusals import incompatible
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastarac.answers.compared_models import ComparisonRequest
    from fastarac.uncertainty.comparison_results import ModelComparison

EXAMPLES = f"""
Examples:

\b
  fastarac compare engine-a.csv engine-b.csv --id image
  fastarac compare all.parquet --model engine --statistic recognition_rate
  fastarac compare engine-a.csv engine-b.csv --by language
  fastarac compare outputs.csv --confidence old,new
\f
\b
  fastarac compare released.csv candidate.csv --fail-if worse
  fastarac compare a.csv b.csv --statistic acceptance_rate/risk/0.01

Files are as for fastarac evaluate. --fail-if worse holds if a file is significantly worse than the
first one (by the adjusted interval of their difference). Name a statistic at a limit or a threshold by
its key in --format json, such as acceptance_rate/0.01, acceptance_rate/risk/0.01 or
error_rate/threshold/0.9. Other parameters follow the name after a colon, as in aurc:estimator=exact.
Statistics are {", ".join(Statistic.names())}.
"""


@grouped
def compare(
    context: typer.Context,
    paths: options.Files,
    *,
    reading: ReadingOptions,
    model: options.ModelColumn = None,
    item: options.Item = None,
    weight: options.Weight = None,
    by: options.ByColumn = None,
    group: options.GroupColumn = None,
    statistic: options.StatisticName = "arac_auc",
    ci: options.Level = 0.95,
    unseen_pages: options.UnseenPages = False,
    costs: Costs = None,
    form: options.OutputFormat = options.PrintedFormat.table,
    details: options.Details = False,
    fail_if: options.FailIfWorse = None,
    verified: VerifiedOptions,
) -> None:
    """Compare models on the same items, and test whether they differ."""
    groups = groups_of(group)
    refused = (*NOT_OF_VERIFIED, "by", "costs")
    of_verified = verified.columns(context, reading, groups, *refused, paths=paths)
    delivery = Delivery(form, details)
    incompatible(given_options(context).values(), [("--fail-if", ("--model",)), ("--by", ("--costs",))])
    confidence = reading.confidences(paths)
    if of_verified is not None:
        from fastarac.cli import _verified

        request = request_of(statistic, options.needed_level(ci), None)
        command = after_compare(context)
        of_verified["confidence"] = confidence
        compared, first = _verified.compare(paths, of_verified, request, delivery, item, command)
        if fail_if is not None:
            end(worse_than_first(compared, first))
        return
    request = request_of(statistic, options.needed_level(ci), costs, unseen_pages=unseen_pages)
    ids = False if item == NONE else item
    if by is not None and request.by_bootstrap:
        raise RefusalError(
            f"--by cannot go with --statistic {statistic}, which needs resamples: use another statistic"
        )
    if model is not None and isinstance(confidence, list):
        raise RefusalError(f"{SEVERAL_CONFIDENCES} cannot go with --model: leave out one of the two")
    columns = reading.columns(
        confidence=confidence, item=ids, by=by, group=groups, model=model, weight=weight,
        open=verified.how_open,
    )  # fmt: skip
    compared, first = _compare_items(context, paths, columns, request, delivery)
    if fail_if is not None:
        end(worse_than_first(compared, first))


def _compare_items(
    context: typer.Context,
    paths: Sequence[Path],
    columns: dict[str, Any],
    request: ComparisonRequest,
    delivery: Delivery,
) -> tuple[ModelComparison, str]:
    """Read and compare the models, and print the result; return it with the first model's name."""
    from fastarac.answers.file_notes import (
        notes_of_none_right,
        notes_of_pages,
        with_pages,
        without_right_ones,
    )
    from fastarac.cli._files import named_files, read_models

    groups, item = columns["group"], context.params["item"]
    columns, pages = with_pages(paths, columns)
    one_file = len(paths) == 1 and columns["model"] is None  # all models share the file's rows
    by_pages = columns["group"] != groups and columns["group"] is not None and not one_file
    if request.unseen_pages:
        require_groups(columns["group"])
    if by_pages and request.costs is not None:
        raise RefusalError(
            "--costs needs models of the same items; use fastarac ocr --costs for OCR engines"
        )
    found = read_models(paths, columns, pages, same_items=not by_pages)
    order = None
    if not (by_pages or one_file) and found.item is None:
        order = ORDER_AND_TRUTH if found.same_truths else ORDER
    elif not (by_pages or one_file) and item is None:
        order = BY_IDS
    paired: Literal["items", "groups"] = "groups" if by_pages else "items"
    difference = None if by_pages else found.difference
    if groups is None:
        pages += notes_of_pages(paths, columns)
    pages += notes_of_none_right(named_files(paths), without_right_ones(found.outputs), columns)
    compared = deliver(
        found.outputs,
        request,
        delivery,
        order=order,
        difference=difference,
        paired=paired,
        by=columns["by"],
        notes=pages,
        command=after_compare(context, next(iter(found.outputs.values())).n_groups),
    )
    return compared, next(iter(found.outputs))
