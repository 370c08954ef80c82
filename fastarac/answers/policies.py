"""What is said of a policy that was fitted, and of its check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import percent, percent_range, plural, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.tables import Column
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.operation.policy import shown_threshold

if TYPE_CHECKING:
    from fastarac.guarantees.audits import AuditedSweep
    from fastarac.guarantees.exact import GuaranteedOperatingPoint
    from fastarac.operation.checking import PolicyCheck
    from fastarac.operation.policy import Policy
    from fastarac.operation.shifts import ConfidenceShift

MOST_ADVICE = 4  # sentences about fields that documents lack
UNLIKELY = 1e-6


def fit_answer(policy: Policy) -> Answer:
    """Say what a policy accepts, what that was tested on, and which fields documents lack."""
    more = len(policy.advice) - MOST_ADVICE
    return Answer(
        [sentence(policy), tested_sentence(policy), *policy.advice[:MOST_ADVICE]],
        policy_figures(policy),
        [f"{more} more about fields that are absent: --format json"] if more > 0 else [],
        names=[] if policy.documents else list(map(str, policy.fields)),
        columns=[
            Column("outputs", [f"{int(each.counts.sum()):,}" for each in policy.references]),
            Column("accepted at\nconfidence", list(map(shown_threshold, policy.thresholds))),
        ],
    )


def tested_sentence(policy: Policy) -> str:
    """Say on how much the limit was tested."""
    unit = "documents" if policy.documents else "outputs"
    by_halves = policy.fields or policy.documents or policy.criterion == "max_risk"
    half = ", the random half that did not rank them" if by_halves else ""
    errors, verified = f"{policy.errors:,}", ""
    if policy.n_verified is not None:
        errors = f"about {policy.errors:,.3g}"
        verified = f", of which {policy.n_verified:,} are verified"
    return (
        f"Tested on {policy.n_items:,} {unit}{half}{verified}: {policy.accepted:,} accepted, {errors} "
        "errors among them."
    )


def policy_figures(policy: Policy) -> dict[str, Any]:
    """Return what a policy promises, on what, and each threshold."""
    names = (
        *("criterion", "limit", "failure_probability", "bound", "certified", "max_group_size"),
        *("errors_per_group", "n_items", "accepted", "errors", "acceptance_rate"),
        *("approximate_acceptance_rate", "documents", "document_threshold"),
        *("n_verified", "least_probability", "n_unread", "missed_rate", "share_of_all_items"),
    )
    fields: list[Any] = list(map(str, policy.fields)) if policy.fields else [None]
    rows = zip(fields, policy.thresholds, policy.references, strict=True)
    return {
        **{name: getattr(policy, name) for name in names},
        "optional": list(map(str, policy.optional)),
        "types": [
            {"type": str(each.type), "fields": list(map(str, each.fields))} for each in policy.types
        ],
        "absences": [each._asdict() | {"field": str(each.field)} for each in policy.absences],
        "settings": [
            each._asdict() | {"optional": list(map(str, each.optional))} for each in policy.settings
        ],
        "thresholds": [
            {"field": field, "threshold": threshold, "n_items": int(reference.counts.sum())}
            for field, threshold, reference in rows
        ],
    }


def check_answer(
    policy: Policy, check: PolicyCheck, shift: ConfidenceShift, sweep: AuditedSweep | None = None
) -> Answer:
    """Say whether the limit holds, whether confidences have moved, and what a log would guarantee."""
    sentences = [sentence(check), f"{accepted_sentence(check)} {sentence(shift)}"]
    if not check.n_unread and policy.of_outputs_read:
        sentences.append(policy.of_outputs_read)
    point = None if sweep is None else point_of_log(policy, sweep)
    if point is not None:
        sentences.append(f"A threshold fitted to this log: {point}.")
    return Answer(
        sentences,
        check_figures(check, shift),
        unknown_fields_note(check),
        names=[str(each.field) for each in check.fields],
        columns=_columns_of_fields(check),
    )


def point_of_log(policy: Policy, sweep: AuditedSweep) -> GuaranteedOperatingPoint | None:
    """Return the threshold that a log guarantees the limit of a policy at, where that is of all."""
    if policy.criterion != "max_error_rate":
        return None
    return guaranteed_operating_point(
        sweep, max_error_rate=policy.limit, failure_probability=policy.failure_probability
    )


def accepted_sentence(check: PolicyCheck) -> str:
    """Say how many outputs are accepted: of all items, and of those that are read."""
    n_all = check.n_items + check.n_unread
    share = percent(check.accepted / n_all, 4)
    if not check.n_unread:
        return f"{check.accepted:,} of {n_all:,} {check.unit} are accepted ({share})."
    of_read = percent(check.accepted / check.n_items, 4)
    return (
        f"{check.accepted:,} of {n_all:,} items are accepted ({share}; {of_read} of the "
        f"{check.n_items:,} that are read, of which the limit is)."
    )


def accepted_alone_note(check: PolicyCheck, policy: Policy) -> list[str]:
    """Note that only accepted outputs seem to be checked: chance hardly accepts so many."""
    is_share = policy.criterion == "max_error_rate"
    all_of_it = check.accepted == check.n_items
    if not (is_share and all_of_it and policy.acceptance_rate**check.n_items < UNLIKELY):
        return []
    note = (
        f"all {check.n_items:,} are accepted, where the policy accepts "
        f"{percent(policy.acceptance_rate, 3)}: the limit is one of accepted and rejected ones "
        "together; add those that were not accepted, unless there were none"
    )
    return [note]


def unknown_fields_note(check: PolicyCheck) -> list[str]:
    """Note what becomes of outputs of fields that the policy does not know."""
    n = check.unknown_fields
    if not n:
        return []
    fate = "decide nothing" if check.documents else "are rejected"
    return [f"{n:,} {plural('output', n)} of fields that the policy does not know {fate}"]


def check_figures(check: PolicyCheck, shift: ConfidenceShift) -> dict[str, Any]:
    """Return the verdict, the rate with its interval, and the counts behind them."""
    interval = check.interval
    names = ("n_items", "n_unread", "accepted", "errors", "audited", "unanswered")
    return {
        "verdict": check.verdict,
        "criterion": check.criterion,
        "limit": check.limit,
        "rate": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        **{name: getattr(check, name) for name in names},
        "n_verified": check.verified,
        "still_needed": check.still_needed,
        "expected_verdict": check.expected_verdict,
        "of_fit": check.of_fit,
        "unknown_fields": check.unknown_fields,
        "fields": [each._asdict() | {"rate": each.rate} for each in check.fields],
        **shift_figures(shift),
    }


def shift_figures(shift: ConfidenceShift | None) -> dict[str, Any]:
    """Return whether confidences have moved; None where nothing could be tested."""
    names = "shifted", "pvalue", "field"
    values = [None] * len(names) if shift is None else [getattr(shift, name) for name in names]
    return dict(zip(("shifted", "shift_pvalue", "shift_field"), values, strict=True))


def _columns_of_fields(check: PolicyCheck) -> list[Column]:
    """Counts and rates of each field, with the intervals below."""
    rates = ["-" if np.isnan(each.rate) else percent(each.rate, 3) for each in check.fields]
    ends = [percent_range(each.low, each.high, 3) for each in check.fields]
    counts = ("n_items", "outputs"), ("accepted", "accepted"), ("errors", "errors")
    return [
        *(Column(name, [f"{getattr(each, of):,}" for each in check.fields]) for of, name in counts),
        Column("error rate", rates, below=ends),
    ]
