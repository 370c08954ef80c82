"""Describe fitted policies and their checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import capitalised, percent, percent_range, plural, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.answers.verification import cost_note, reader_figures, verification_note
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.operation.acceptance import shown_threshold
from fastarac.reviewer import premise_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.guarantees.exact import GuaranteedOperatingPoint
    from fastarac.operation.choosing import PolicyChoice
    from fastarac.operation.logs import AuditColumns
    from fastarac.operation.policy import Policy
    from fastarac.operation.shifts import ConfidenceShift
    from fastarac.operation.verdicts import PolicyCheck

MOST_ADVICE = 4  # maximum number of sentences of advice on absent fields in a report
MOST_FIELDS = 8  # maximum number of fields in the table on a screen
UNLIKELY = 1e-6


def fit_answer(policy: Policy, choice: PolicyChoice | None = None) -> Answer:
    """Describe a fitted policy: how much it accepts, and how it was tested and chosen."""
    table = None
    if policy.fields and not policy.documents and policy.accepted:
        columns = [
            Column("outputs", [f"{int(each.counts.sum()):,}" for each in policy.references]),
            Column("accepted at\nconfidence", list(map(shown_threshold, policy.thresholds))),
        ]
        table = AnswerTable(list(map(str, policy.fields)), [columns], "field")
    small = table is not None and len(table.names) <= MOST_FIELDS
    details = [] if table is None or small else [Section("Thresholds by field", [table])]
    tested = [tested_sentence(policy)] if policy.accepted else []
    chosen = [] if choice is None else [choice_sentence(choice)]
    screen = Screen(
        [f"{capitalised(policy.decision)}.", *chosen, *tested],
        table if small else None,
        notes=[*(Note(each, Weight.DECIDES) for each in policy.advice), *_notes_of_promise(policy)],
        details=details,
    )
    of_choice = {} if choice is None else {"choice": choice_figures(choice)}
    return Answer(screen, policy_figures(policy) | of_choice)


def choice_sentence(choice: PolicyChoice) -> str:
    """Return a sentence on the candidates, the chosen one, and why the guarantee still holds."""
    shares = [
        f"{name} {percent(share, 3)}" for name, share in zip(choice.names, choice.shares, strict=True)
    ]
    n = len(choice.names)
    if choice.by_half:
        how = "one half of the sample chose it, the other half tested it, so its guarantee is valid"
    else:
        how = f"all {n} guarantees hold together, so the chosen one is valid"
    return f"{choice.chosen} was chosen among {n} ({', '.join(shares)}): {how}."


def choice_figures(choice: PolicyChoice) -> dict[str, Any]:
    """Return the candidates with their shares accepted, and the chosen one."""
    rows = zip(choice.names, choice.shares, strict=True)
    return {
        "chosen": choice.chosen,
        "by_half": choice.by_half,
        "candidates": [{"name": name, "share": share} for name, share in rows],
    }


def _notes_of_promise(policy: Policy) -> Iterator[Note]:
    """Yield notes on the assumptions of the guarantee and on its sample."""
    if policy.by_halves and not (policy.fields or policy.documents):
        yield Note(
            "One half of the sample chose the thresholds, and the other half tested them. If all "
            "confidences are in [0, 1], scale='unit' tests on the whole sample and usually accepts "
            "more.",
            Weight.DECIDES,
        )
    if policy.approximate_acceptance_rate is not None:
        share = percent(policy.approximate_acceptance_rate, 3)
        method = 'fit_policy(…, method="gamma") in Python'
        yield Note(f"{method} would accept {share}, but its guarantee is not proven.", Weight.LITTLE)
    if policy.accepted:
        size = ""
        if policy.max_group_size is not None:
            size = f", in groups of at most {policy.max_group_size:,}"
        of_source = f"The promise holds for new outputs from the same source{size}"
        # With a `truth_reader`, the decision already states what is assumed about people.
        people = "" if policy.truth_reader is not None else f", {premise_of(None)}"
        yield Note(f"{of_source}{people}.", Weight.ASSUMES)
        yield from cost_note(policy.acceptance_rate, policy.faultless_acceptance_rate)
    if policy.n_verified is not None and policy.least_probability is None and policy.accepted:
        yield Note(
            "The promise assumes that the verified outputs were drawn at random, with the given "
            "probabilities.",
            Weight.ASSUMES,
        )
    if policy.least_probability is not None:
        least = f"{policy.least_probability:.4g}"
        yield Note(
            f"The promise assumes that every output was drawn with a probability of at least {least}.",
            Weight.ASSUMES,
        )


def _errors_of(policy: Policy) -> float:
    """Return the number of errors in the sample that tested the limit.

    For partly verified outputs, return the number of errors that the policy expects. The weighted
    number of errors would be too small: the fit lowers the threshold until just before an error.
    """
    if policy.n_verified is None:
        return policy.errors
    return policy.expected_errors(policy.accepted_by_field).estimate


def tested_sentence(policy: Policy) -> str:
    """Return a sentence on the errors in the sample that tested the limit."""
    unit = "documents" if policy.documents else "outputs"
    where = "In the half of the sample that tested the limit" if policy.by_halves else "In this sample"
    wrong_ones = _errors_of(policy)
    errors = f"{wrong_ones:,}"
    if policy.n_verified is not None:
        where += f", with {policy.n_verified:,} verified outputs"
        errors = f"about {wrong_ones:,.3g}"
    if policy.criterion == "max_risk":
        of, wrong = f"{policy.accepted:,} accepted {unit}", "are wrong"
        share = wrong_ones / max(policy.accepted, 1)
    else:
        of, wrong = f"{policy.n_items:,} {unit}", "are accepted and wrong"
        share = wrong_ones / policy.n_items
    if policy.truth_reader is not None and policy.n_verified is None:
        wrong = wrong.replace("are ", "were found to be ")
    return f"{where}, {errors} of {of} {wrong} ({percent(share, 3)})."


def policy_figures(policy: Policy) -> dict[str, Any]:
    """Return the attributes of a policy for JSON, with a row for each threshold."""
    names = (
        *("criterion", "limit", "failure_probability", "bound", "certified", "max_group_size"),
        *("errors_per_group", "n_items", "accepted", "acceptance_rate"),
        *("approximate_acceptance_rate", "documents", "document_threshold"),
        *("n_verified", "least_probability", "n_unread", "missed_rate", "share_of_all_items"),
    )
    fields: list[Any] = list(map(str, policy.fields)) if policy.fields else [None]
    rows = zip(fields, policy.thresholds, policy.references, strict=True)
    return {
        **{name: getattr(policy, name) for name in names},
        "errors": _errors_of(policy),
        **reader_figures(policy.truth_reader),
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
    policy: Policy, check: PolicyCheck, shift: ConfidenceShift, log: AuditColumns | None = None
) -> Answer:
    """Describe a check: its verdict, any shift of confidences, and a threshold fitted to the log."""
    notes = moved_notes(shift)
    if check.source_words:
        notes.append(Note(sentence(check.source_words), Weight.LITTLE))
    notes.append(Note(_look_sentence(check), Weight.ASSUMES))
    if check.still_needed is not None:
        notes.append(Note(sentence(check.needed_words), Weight.LITTLE))
    if check.needed_once is not None:
        notes.append(
            Note(
                f"A new sample of about {check.needed_once:,} {check.unit}, checked once (once=True), "
                "would be enough.",
                Weight.LITTLE,
            )
        )
    if not check.n_unread and policy.of_outputs_read:
        notes.append(Note(policy.of_outputs_read, Weight.ASSUMES))
    if check.verdict != "too few" or check.truth_reader is not None:
        notes.append(verification_note(check.truth_reader, "The verdict"))
    point = None if log is None else point_of_log(policy, log)
    if point is not None:
        notes.append(Note(f"A threshold fitted to this log: {point}."))
    table = AnswerTable(
        [str(each.field) for each in check.fields], [_columns_of_fields(check)], "field"
    )
    small = 0 < len(table.names) <= MOST_FIELDS
    known = [Said(accepted_sentence(check)), Said(sentence(shift))]
    details = [Section("Accepted outputs and confidences", known)]
    if len(table.names) > MOST_FIELDS:
        details.append(Section("Fields", [table]))
    screen = Screen([sentence(check.decision)], table if small else None, notes=notes, details=details)
    unknown = [unknown_fields_note(check)] if check.unknown_fields else []
    return Answer(screen, check_figures(check, shift)).with_warnings(unknown)


def _look_sentence(check: PolicyCheck) -> str:
    """Return a sentence on how often the data have been tested, and when the verdict is valid."""
    items = f"{check.n_items:,} {check.unit}"
    if check.look_rule == "once":
        return f"This test is exact if these {items} are tested only once."
    if check.looks_declared is not None:
        return f"This is look {check.look} of {check.looks_declared} declared, at {items} so far."
    return f"This is look {check.look}, at {items} so far; the verdict is valid however often you look."


def moved_notes(shift: ConfidenceShift | None) -> list[Note]:
    """Return a note if confidences have shifted."""
    if shift is None or not shift.shifted:
        return []
    return [Note(sentence(shift), Weight.DECIDES)]


def point_of_log(policy: Policy, log: AuditColumns) -> GuaranteedOperatingPoint | None:
    """Return a threshold that keeps the policy's limit, fitted to the log's audits, or None."""
    if policy.criterion != "max_error_rate" or log.drawn is None:
        return None
    return guaranteed_operating_point(
        log.truth,
        log.confidence,
        max_error_rate=policy.limit,
        failure_probability=policy.failure_probability,
    )


def accepted_sentence(check: PolicyCheck) -> str:
    """Return a sentence on the accepted share of all items and of those with an output."""
    n_all = check.n_items + check.n_unread
    share = percent(check.accepted / n_all, 3)
    if not check.n_unread:
        return f"{check.accepted:,} of {n_all:,} {check.unit} are accepted ({share})."
    of_read = percent(check.accepted / check.n_items, 3)
    return (
        f"{check.accepted:,} of {n_all:,} items are accepted ({share}); the limit applies to the "
        f"{check.n_items:,} items with an output, of which {of_read} are accepted."
    )


def accepted_alone_note(policy: Policy, n_items: int, accepted: int) -> list[Note]:
    """Return a note that rejected outputs seem to be missing, if all outputs are accepted."""
    is_share = policy.criterion == "max_error_rate"
    if not (is_share and accepted == n_items and policy.acceptance_rate**n_items < UNLIKELY):
        return []
    share = percent(policy.acceptance_rate, 3)
    note = (
        f"All {n_items:,} outputs here are accepted, but in general the policy accepts {share}: the "
        "limit is a share of all outputs, so add the rejected ones."
    )
    return [Note(note, Weight.DECIDES)]


def unknown_fields_note(check: PolicyCheck) -> Note:
    """Return a note on how the policy treats outputs of fields that it does not know."""
    n = check.unknown_fields
    fate = "ignores" if check.documents else "rejects"
    these = f"{n:,} {plural('output', n)}"
    return Note(f"The policy {fate} {these} of unknown fields.", Weight.LITTLE)


def check_figures(check: PolicyCheck, shift: ConfidenceShift) -> dict[str, Any]:
    """Return the verdict of a check, the rate with its interval, and the counts behind it."""
    interval = check.interval
    promise = "verdict", "criterion", "limit"
    counts = "n_items", "n_unread", "accepted", "errors", "audited", "unanswered"
    others = (
        *("still_needed", "expected_verdict", "of_fit", "unknown_fields"),
        *("look_rule", "look", "looks_declared", "needed_once"),
    )
    return {
        **{name: getattr(check, name) for name in promise},
        "rate": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        **{name: getattr(check, name) for name in counts},
        "n_verified": check.verified,
        **{name: getattr(check, name) for name in others},
        **reader_figures(check.truth_reader),
        "fields": [each._asdict() | {"rate": each.rate} for each in check.fields],
        **shift_figures(shift),
    }


def shift_figures(shift: ConfidenceShift | None) -> dict[str, Any]:
    """Return whether confidences have shifted, or None without a test."""
    names = "shifted", "pvalue", "field"
    values = [None] * len(names) if shift is None else [getattr(shift, name) for name in names]
    return dict(zip(("shifted", "shift_pvalue", "shift_field"), values, strict=True))


def _columns_of_fields(check: PolicyCheck) -> list[Column]:
    """Return the columns of counts and rates by field, with intervals below the rates."""
    rates = ["-" if np.isnan(each.rate) else percent(each.rate, 3) for each in check.fields]
    ends = [percent_range(each.low, each.high, 3) for each in check.fields]
    counts = ("n_items", "outputs"), ("accepted", "accepted"), ("errors", "errors")
    return [
        *(Column(name, [f"{getattr(each, of):,}" for each in check.fields]) for of, name in counts),
        Column("error rate", rates, below=ends),
    ]
