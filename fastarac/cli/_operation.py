"""The commands about what is in use, and their options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from fastarac.cli import _cascade, _ocr, _sampling, _search
from fastarac.cli import _operating as options
from fastarac.cli._option_groups import PartlyVerified, ReadingOptions, VerifiedOptions, grouped
from fastarac.cli._options import (
    Confidence,
    EmptyConfidence,
    GroupColumn,
    InclusionProbability,
    JudgeColumn,
    RefusalError,
    ReportFile,
    groups_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@grouped
def plan(
    error_rate: options.ErrorRate = None,
    expect: options.Expect = None,
    audit: options.Audit = None,
    outputs: options.Outputs = None,
    difference: options.Difference = None,
    discordance: options.Discordance = None,
    pilot: options.Pilot = None,
    statistic: options.PlannedStatistic = None,
    half_width: options.HalfWidth = None,
    group: options.PilotGroup = None,
    only: options.Only = None,
    guarantee: options.PlannedFailure = None,
    power: options.Power = None,
    ci: options.PlannedLevel = None,
    design_effect: options.DesignEffect = None,
    max_risk: options.MaxRisk = None,
    by: options.Fields = None,
    approximate: options.Approximate = False,
    max_group_size: options.MaxGroupSize = None,
    accept: options.Accept = None,
    icc: options.Correlation = None,
    group_sizes: options.GroupSizes = None,
    plot: options.PlotOfPower = None,
    output_format: options.TextOrJson = options.Form.text,
    report: ReportFile = None,
) -> None:
    """Plan how many outputs to verify: for a guarantee, audits, a comparison or an interval."""
    from fastarac.cli import _plan

    fits = {
        "max_risk": max_risk, "by": by, "approximate": approximate or None,
        "max_group_size": max_group_size, "accept": accept, "icc": icc, "group_sizes": group_sizes,
    }  # fmt: skip
    _plan.run(
        {"error_rate": error_rate, "expect": expect, "audit": audit, "outputs": outputs},
        {"difference": difference, "discordance": discordance},
        {
            "pilot": pilot,
            "statistic": statistic,
            "half_width": half_width,
            "group": groups_of(group),
            "only": only,
        },
        {"failure_probability": guarantee, "power": power, "design_effect": design_effect},
        fits,
        ci,
        (plot, str(output_format), report),
    )


@grouped
def fit(
    context: typer.Context,
    path: options.File,
    output: options.PolicyOutput,
    *,
    reading: ReadingOptions,
    only: options.Only = None,
    by: options.Fields = None,
    document: options.Document = None,
    rule: options.RuleOption = options.Rule.product,
    optional: options.Optional = None,
    fields: options.FieldsFile = None,
    fields_complete: options.FieldsComplete = False,
    document_type: options.DocumentTypes = None,
    group: GroupColumn = None,
    max_group_size: options.MaxGroupSize = None,
    error_rate: options.ErrorRate = None,
    max_risk: options.MaxRisk = None,
    guarantee: options.Failure = 0.05,
    approximate: options.Approximate = False,
    verified: VerifiedOptions,
    output_format: options.TextOrJson = options.Form.text,
    report: ReportFile = None,
) -> None:
    """Fit thresholds that keep a limit on new outputs, and write them as a policy."""
    from fastarac.cli._policies import fit as run

    groups = groups_of(group)
    columns = reading.columns(by=by, item=document, group=groups)
    limits = {
        "max_error_rate": error_rate,
        "max_risk": max_risk,
        "failure_probability": guarantee,
        "max_group_size": max_group_size,
        "method": "gamma" if approximate else "auto",
    }
    of_verified = verified.columns(
        context, reading, groups, "only", "document", "approximate", "optional", "fields",
        "fields_complete", "document_type", paths=[path], by=by,
    )  # fmt: skip
    delivery = str(output_format), report
    of_fields = {
        "rule": str(rule), "optional": optional or [], "file": fields,
        "fields_complete": fields_complete, "types": document_type,
    }  # fmt: skip
    run((path, only), columns, limits, of_fields, output, delivery, verified=of_verified)


@grouped
def check(
    context: typer.Context,
    policy: options.PolicyFile,
    path: options.File,
    *,
    reading: ReadingOptions,
    only: options.Only = None,
    by: options.Fields = None,
    document: options.Document = None,
    document_type: options.DocumentTypes = None,
    fields_complete: options.FieldsComplete = False,
    group: GroupColumn = None,
    max_group_size: options.MaxGroupSize = None,
    log: options.Log = False,
    drawn: options.Drawn = None,
    inclusion_probability: InclusionProbability = None,
    judge: JudgeColumn = None,
    output_format: options.TextOrJson = options.Form.text,
    report: ReportFile = None,
) -> None:
    """Check a policy on new verified outputs: it holds (0), fails (1), or they are too few (3)."""
    from fastarac.cli._policies import check as run

    groups = groups_of(group)
    columns = reading.columns(by=by, item=document, group=groups)
    if drawn is not None and not log and inclusion_probability is None:
        raise RefusalError(
            "--drawn is given without --log and --inclusion-probability; one of them is expected"
        )
    verified = PartlyVerified(inclusion_probability, judge, None if log else drawn)
    of_verified = verified.columns(
        context, reading, groups, "only", "log", "document", "document_type", "fields_complete",
        paths=[] if log else [path], by=by,
    )  # fmt: skip
    if log and only is not None:
        raise RefusalError("--only is given beside --log; leave out one of the two")
    delivery, source = (str(output_format), report), (path, only)
    of_fields = {"types": document_type, "fields_complete": fields_complete}
    status = run(
        policy, source, columns, max_group_size, delivery, is_log=log, drawn=drawn,
        verified=of_verified, of_fields=of_fields,
    )  # fmt: skip
    if status:
        raise typer.Exit(status)


@grouped
def apply(
    policy: options.PolicyFile,
    paths: options.AppliedFiles,
    output: options.AcceptedOutput,
    review: options.ReviewOutput,
    *,
    confidence: Confidence = "confidence",
    empty_confidence: EmptyConfidence = False,
    by: options.Fields = None,
    document: options.Document = None,
    document_type: options.DocumentTypes = None,
    group: options.AppliedGroup = None,
    pages: options.PagesOutput = None,
    review_pages: options.ReviewPages = None,
    images: _ocr.Images = None,
    reading: _ocr.EngineOptions,
    fields: _ocr.FieldNames,
    output_format: options.TextOrJson = options.Form.text,
    report: ReportFile = None,
) -> None:
    """Divide outputs, in a table or of OCR, into those that are accepted and those to verify."""
    from fastarac.cli._applying import run

    columns = {
        "confidence": confidence, "by": by, "item": document, "group": group,
        "empty_confidence": empty_confidence, "types": document_type,
    }  # fmt: skip
    looked_at = {"pages": pages, "review_pages": review_pages, "images": images}
    delivery = str(output_format), report
    run(policy, paths, columns, (output, review), looked_at, reading, delivery, of_fields=fields)


@grouped
def monitor(
    policy: options.PoliciesFile,
    paths: options.AuditFiles,
    *,
    reading: ReadingOptions,
    by: options.Fields = None,
    document: options.Document = None,
    document_type: options.DocumentTypes = None,
    fields_complete: options.FieldsComplete = False,
    policy_column: options.PolicyColumn = None,
    audit_id: options.AuditId = None,
    group: options.AuditedGroup = None,
    max_group_size: options.LargestAudited = None,
    drawn_at: options.DrawnAt = None,
    deadline: options.Deadline = None,
    guarantee: options.FalseAlarm = 0.05,
    updates_to_false_alarm: options.UpdatesToFalseAlarm = 1000,
    state: options.State = None,
    plot: options.PlotOfMonitor = None,
    output_format: options.TextOrJson = options.Form.text,
    report: ReportFile = None,
) -> None:
    """Watch a policy by audits: exit status 1 at an alarm, of all audits or of a change lately."""
    from fastarac.cli._running import monitor as run

    # The column of models holds the ids: a monitor has no other use for it.
    columns = reading.columns(by=by, item=document, group=policy_column, model=audit_id)
    promises = {
        "failure_probability": guarantee,
        "mean_updates_to_false_alarm": updates_to_false_alarm,
    }
    drawn = {
        "group": group,
        "max_group_size": max_group_size,
        "drawn_at": drawn_at,
        "deadline": deadline,
        "types": document_type,
        "fields_complete": fields_complete,
    }
    if run(policy, paths, columns, drawn, promises, state, (plot, str(output_format), report)):
        raise typer.Exit(1)


COMMANDS: tuple[tuple[Callable[..., None], str], ...] = (
    (_cascade.cascade, _cascade.EXAMPLES),
    (_sampling.sample, _sampling.EXAMPLES),
    (_search.search, _search.EXAMPLES),
    (plan, options.EXAMPLES_OF_PLAN),
    (fit, options.EXAMPLES_OF_FIT),
    (check, options.EXAMPLES_OF_CHECK),
    (apply, options.EXAMPLES_OF_APPLY),
    (monitor, options.EXAMPLES_OF_MONITOR),
)
