"""``fastarac evaluate``: how much can be accepted unchecked, and at which confidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fastarac.cli import _html
from fastarac.cli import _options as options
from fastarac.cli._costs import Costs
from fastarac.cli._fail_if import Conditions, end
from fastarac.cli._next import after_evaluate, after_verified
from fastarac.cli._option_groups import (
    NOT_OF_VERIFIED,
    SEVERAL_CONFIDENCES,
    DeliveryOptions,
    LimitOptions,
    OptionsOf,
    ReadColumns,
    ReadingOptions,
    VerifiedOptions,
    given_options,
    grouped,
    is_typed,
)
from fastarac.cli._options import (
    NONE,
    RISK_BY_PAGE,
    RISK_OF_GROUPS,
    Certainty,
    RefusalError,
    groups_of,
    require_groups,
)
from fastarac.cli._refusals import incompatible
from fastarac.cli._settings import Settings, by_area

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.models import Model
    from fastarac.answers.without_items import ModelWithoutItems
    from fastarac.cli._options import Limits
    from fastarac.io import Outputs

EXAMPLES = """
Examples:

\b
  fastarac evaluate outputs.csv --error-rate 0.005 --guarantee 0.05
  fastarac evaluate engine-a.csv engine-b.parquet --report report.html
  fastarac evaluate outputs.csv --confidence old,new
\f
\b
  fastarac evaluate fields.jsonl --prediction text --truth checked --confidence score
  fastarac evaluate all.parquet --model engine --error-rate 0.005 --format json
  fastarac evaluate outputs.csv --fail-if "acceptance_rate/0.01 < 0.6"
  fastarac evaluate fields.parquet --by field --report report.html
  fastarac evaluate archive.parquet --max-memory 500MB

A file of outputs has one row per output: a column "confidence", and a column "correct" (true or
false, or 1 or 0) or the two columns "prediction" and "truth". Options name other columns. With
--confidence old,new, each of the two columns is a model of the same outputs. --error-rate,
--max-risk, --threshold and --fail-if may be repeated. A condition of --fail-if is a key of --format
json, then <, <=, > or >=, then a number. It applies to every model; "NAME: KEY < NUMBER" names one, and
"best: KEY < NUMBER" holds if even the best model is below.
"""


NEED_ITEMS = (  # options that need all outputs in memory
    *("--model", "--by", "--weight", "--group", "--allow-empty confidence", "--ci", "--guarantee"),
    *("--unseen-pages", "--plot", "--report", "--costs", "--open", SEVERAL_CONFIDENCES),
)
EXCLUDED = (
    (SEVERAL_CONFIDENCES, ("--model",)),
    ("--guarantee", ("--by", "--weight")),
    ("--unseen-pages", ("--by", "--ci none")),
    ("--max-memory", NEED_ITEMS),
)
MARKDOWN = "--format markdown"
EXCLUDED_IN_PART = (
    ("--max-risk", ("--guarantee",)),
    ("--report", ("--by", "--costs")),
    (MARKDOWN, ("--inclusion-probability",)),
)


def _certainty(
    ci: options.Level = 0.95,
    guarantee: options.Guarantee = None,
    unseen_pages: options.UnseenPages = False,
) -> Certainty:
    return Certainty(ci, guarantee, unseen_pages=unseen_pages)


CertaintyOptions = Annotated[Certainty, OptionsOf(_certainty)]


@grouped
def evaluate(
    context: typer.Context,
    paths: options.Files,
    *,
    reading: ReadingOptions,
    model: options.ModelColumn = None,
    by: options.ByColumn = None,
    weight: options.Weight = None,
    group: options.GroupColumn = None,
    limits: LimitOptions,
    costs: Costs = None,
    certainty: CertaintyOptions,
    delivery: DeliveryOptions,
    fail_if: options.FailIf = None,
    max_memory: options.MaxMemory = None,
    verified: VerifiedOptions,
) -> None:
    """Show how much you can accept unchecked, and at which confidence."""
    conditions, groups = Conditions.of(fail_if), groups_of(group)
    of_verified = verified.columns(context, reading, groups, *NOT_OF_VERIFIED, paths=paths)
    report = delivery.report
    if report is not None and certainty.level is None:
        certainty = replace(certainty, level=_html.LEVEL)  # a report always shows intervals
    confidence = reading.confidences(paths)
    incompatible(_given(context, certainty, reading, confidence), EXCLUDED)
    asks_for_intervals = is_typed(context, "ci")
    is_default = not (asks_for_intervals or report is not None or conditions.every)
    certainty = replace(certainty, is_default=is_default)
    if of_verified is not None:
        from fastarac.cli import _verified

        given = {*given_options(context).values(), *([MARKDOWN] if delivery.page().markdown else [])}
        incompatible(given, EXCLUDED_IN_PART, " for partly verified outputs")
        certainty.check(limits)
        of_verified["confidence"] = confidence
        command = after_verified(context, limits, several=isinstance(confidence, list))
        _verified.evaluate(
            paths, of_verified, by, limits, certainty, delivery, costs, conditions, command
        )
        return
    if certainty.level is None and certainty.failure_probability is None:
        _refuse_groups(groups, paths)
        groups = None
    if certainty.failure_probability is not None:
        _refuse_unguaranteed(groups, limits)
    settings = Settings(limits, costs, delivery, certainty)
    columns = reading.columns(
        confidence=confidence, by=by, group=groups, model=model, weight=weight, open=verified.how_open
    )
    if max_memory is not None:
        from fastarac.cli._stream import evaluate_streams

        evaluate_streams(paths, columns, settings, max_memory, conditions)
        return
    _evaluate_items(context, paths, columns, settings, conditions)


def _given(
    context: typer.Context, certainty: Certainty, reading: ReadColumns, confidence: str | list[str]
) -> set[str]:
    """Return the options that the user typed; values that matter are included, as in ``--ci none``."""
    given = set(given_options(context).values())
    if isinstance(confidence, list):
        given.add(SEVERAL_CONFIDENCES)
    if certainty.level is None:
        given = (given - {"--ci"}) | {"--ci none"}
    return given | ({"--allow-empty confidence"} if reading.empty_confidence else set())


def _refuse_unguaranteed(groups: Any, limits: Limits) -> None:
    """Refuse ``--guarantee`` for limits and groups that allow none."""
    if groups not in (None, NONE) and limits.max_risk:
        raise RefusalError(
            "--max-risk with --guarantee cannot go with --group: use --error-rate, or leave out "
            f"--group; {RISK_OF_GROUPS}"
        )


def _refuse_groups(groups: Any, paths: Sequence[Path]) -> None:
    """Refuse ``--group`` where no figure depends on it; allow pages in files of `fastarac ocr`."""
    from fastarac.io._pages import PAGE, is_of_ocr

    if groups is not None and (groups not in (PAGE, NONE) or not all(map(is_of_ocr, paths))):
        raise RefusalError(
            "--group needs --ci or --guarantee: only intervals and guarantees depend on groups"
        )


def _evaluate_items(
    context: typer.Context,
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    settings: Settings,
    conditions: Conditions,
) -> None:
    from fastarac.answers.evaluation import objects, reliability_warnings
    from fastarac.answers.file_notes import (
        notes_of_none_right,
        notes_of_pages,
        with_pages,
        with_unseen_words,
    )
    from fastarac.cli._files import named_files

    certainty, report = settings.certainty, settings.delivery.report
    files = named_files(paths)
    needs_groups = certainty.level is not None or certainty.failure_probability is not None
    if conditions.every:
        conditions.require_keys(settings.example() | ({"n_groups": 0} if needs_groups else {}))
    pages: list[str] = []
    if needs_groups:
        columns, pages = with_pages(paths, columns)
        if pages and certainty.failure_probability is not None and settings.limits.max_risk:
            raise RefusalError(RISK_BY_PAGE)
    if certainty.unseen_pages:
        require_groups(columns["group"])
    missed = "confidence" not in (context.params["allow_empty"] or ())
    found = _evaluated(paths, columns, settings, conditions, pages, missed=missed)
    models: list[Any] = with_unseen_words(found.models, files, columns)
    if report is not None:
        notes = [*reliability_warnings(models), *([found.difference] if found.difference else [])]
        settings.report(models, notes)
    if needs_groups and groups_of(context.params["group"]) is None:
        pages += notes_of_pages(paths, columns)
    none_right = notes_of_none_right(files, found.none_right, columns)
    screen = settings.screen(models, found.difference, none_right, pages)
    screen = replace(screen, command=after_evaluate(context, models, alike=found.difference is None))
    settings.deliver(models, screen, difference=found.difference, notes=[*pages, *none_right])
    end(conditions.failures(objects(models)))


class _Evaluated(NamedTuple):
    """The models, a note if their items differ, and the sizes of models without right outputs."""

    models: Sequence[Model | ModelWithoutItems]
    difference: str | None
    none_right: dict[str, int]


def _evaluated(
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    settings: Settings,
    conditions: Conditions,
    notes: list[str],
    *,
    missed: bool,
) -> _Evaluated:
    """Read and evaluate the models, one at a time if nothing needs their items later."""
    from fastarac.answers.file_notes import with_rejects_said, without_right_ones
    from fastarac.answers.without_items import ModelWithoutItems
    from fastarac.cli._files import named_files, read_each
    from fastarac.io._models import columns_of_models, unequal_sizes

    has_labels = any(columns[name] is not None for name in ("model", "by", "group"))
    keeps_items = has_labels or settings.delivery.draws
    if has_labels:
        names, each, difference = _labelled(paths, columns, settings, notes)
    else:
        files = named_files(paths)
        names = columns_of_models(files, columns["confidence"])
        each, difference = read_each(paths, columns, notes), None
    conditions.require_models(names)
    first = _first(each, settings, notes)
    sizes: dict[str, int] = {}
    none_right: dict[str, int] = {}
    models: list[Model | ModelWithoutItems] = []
    for name, outputs in _in_turn(first, each):
        sizes[name] = len(outputs)
        none_right |= without_right_ones({name: outputs})
        (model,) = with_rejects_said(settings.evaluate({name: outputs}), missed=missed)
        models.append(model if keeps_items else ModelWithoutItems.of(model))
    difference = difference if has_labels else unequal_sizes(sizes)
    return _Evaluated(by_area(models), difference, none_right)


def _labelled(
    paths: Sequence[Path], columns: Mapping[str, Any], settings: Settings, notes: list[str]
) -> tuple[Collection[str], Iterator[tuple[str, Outputs]], str | None]:
    """Read models with labels; return their names, their outputs, and a note if their items differ."""
    from fastarac.cli._files import read_models

    outputs, difference, *_ = read_models(paths, columns, notes)
    crossed = any(each.crossed is not None for each in outputs.values())
    if settings.delivery.report is not None and crossed:
        raise RefusalError(
            "--report needs one column of --group, or two nested ones: these two are crossed "
            "(each splits the groups of the other)"
        )
    return list(outputs), iter(outputs.items()), difference


def _first(
    each: Iterator[tuple[str, Outputs]], settings: Settings, notes: list[str]
) -> list[tuple[str, Outputs]]:
    """Read models until it is clear whether default intervals take too long; return these models."""
    first: list[tuple[str, Outputs]] = []
    while settings.certainty.is_default and settings.certainty.level is not None:
        found = next(each, None)
        if found is None:
            break
        first.append(found)
        notes += settings.leave_out_slow_intervals(dict(first))
    return first


def _in_turn(
    first: list[tuple[str, Outputs]], rest: Iterator[tuple[str, Outputs]]
) -> Iterator[tuple[str, Outputs]]:
    """Yield all models; remove each from `first`, so that it can be freed."""
    while first:
        yield first.pop(0)
    yield from rest
