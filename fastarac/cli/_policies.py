"""The commands about what is in use: they read files, call the library, and print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import io, operation
from fastarac._core.exceptions import collected
from fastarac._core.files import suffix_problem
from fastarac._core.text import listed, percent, percent_range, plural, quoted, sentence
from fastarac.answers.tables import Column
from fastarac.cli import _html
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import (
    NO_GROUP,
    in_words,
    notes_of_groups,
    notes_of_pages,
    said_of_rejects,
    with_pages,
)
from fastarac.cli._json import answer
from fastarac.cli._options import RefusalError, in_words_of_options, refuse, require_files
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.io._formats import open_source
from fastarac.io._pages import count_words, names_in, parts_of_pages
from fastarac.io._sources import connect
from fastarac.operation.application import require_scale
from fastarac.operation.logs import OF_AUDIT
from fastarac.operation.policy import shown_threshold
from fastarac.partial_truth.verified_files import read_verified_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.operation import Policy
    from fastarac.operation.checking import PolicyCheck
    from fastarac.operation.shifts import ConfidenceShift

COLUMNS = {
    "by": "--by", "documents": "--document", "groups": "--group", "accepted": "--output",
    "review": "--review", "optional": "--optional", "types": "--type",
    "fields_complete": "--fields-complete",
}  # fmt: skip
MOST_ADVICE = 4  # sentences about fields that are absent, beside those for programs
UNLIKELY = 1e-6
MODEL = "model"  # the column of models, as fastarac ocr -o writes it
REFUSED = (ValueError, TypeError, OSError)


def refusing(name: str, do: Callable[[], Any]) -> Any:
    """Return what a function returns; its errors are refusals, with options in place of arguments."""
    try:
        return do()
    except io.DataFileError as error:
        raise RefusalError(_in_words(error)) from None
    except OSError as error:
        raise RefusalError(f"{error.filename or name}: {error.strerror or error}") from None
    except REFUSED as error:
        raise RefusalError(_in_words(error)) from None


def fit(
    source: tuple[Path, str | None],
    columns: Mapping[str, Any],
    limits: Mapping[str, Any],
    of_fields: Mapping[str, Any],
    output: Path,
    delivery: tuple[str, Path | None],
    *,
    verified: Mapping[str, Any] | None = None,
) -> None:
    """Fit a policy to a file, or to one model in it, write it, and say what it accepts."""
    (path, only), (form, report) = source, delivery
    require_files(None, report)
    refuse(suffix_problem(output, "policy", (".json",)))
    of_pages: list[str] = []
    notes: list[str] = []
    of_items: dict[str, Any] = {"rule": of_fields["rule"]}
    unread = 0
    if verified is not None:
        read, by = _read_verified(path, verified)
        correct, confidence = read
        of_pages = notes_of_groups([path], [read], verified)
    else:
        if limits["max_risk"] is None and columns["item"] is None:  # which have no guarantee by groups
            columns, of_pages = with_pages([path], columns)
        missed = not columns["empty_confidence"]
        every = _of_one_model(path, only, columns)
        outputs = _with_confidence(path, every, notes, missed=missed)
        unread = len(every) - len(outputs)
        correct, confidence, by = outputs.correct, outputs.confidence, labels_of(outputs.by)
        of_items |= {"groups": one_group_of(outputs), "documents": labels_of(outputs.item)}
        of_items |= {
            "rejected": None if outputs.item is None else outputs.rejected,
            "optional": _optional(of_fields),
            "types": _types(path, only, columns, of_fields["types"]),
            "fields_complete": of_fields["fields_complete"],
        }
    with collected(notes), interrupts_end_at_once():
        policy = refusing(
            str(path),
            lambda: operation.fit_policy(
                correct,
                confidence,
                by=by,
                **of_items,
                **limits,
            ),
        )
    if verified is None and policy.documents is None:
        words = count_words(path, only)
        missed_rate = words[0] / words[1] if words and words[1] else None
        policy = policy.with_unread(unread, missed_rate, parts_of_pages(path))
    refusing(str(output), lambda: policy.save(output))
    refusing(str(report), lambda: _html.save_operation(report, policy=policy))
    fields = [] if policy.documents else list(map(str, policy.fields))
    sizes = [f"{int(each.counts.sum()):,}" for each in policy.references]
    rules = [shown_threshold(threshold) for threshold in policy.thresholds]
    unit = "documents" if policy.documents else "outputs"
    by_halves = policy.fields or policy.documents or policy.criterion == "max_risk"
    half = ", the random half that did not rank them" if by_halves else ""
    errors, of_them = f"{policy.errors:,}", ""
    if policy.n_verified is not None:
        errors, of_them = (
            f"about {policy.errors:,.3g}",
            f", of which {policy.n_verified:,} are verified",
        )
    tested = (
        f"Tested on {policy.n_items:,} {unit}{half}{of_them}: {policy.accepted:,} accepted, "
        f"{errors} errors among them. Written to {output}{and_report(report)}."
    )
    complete = "fields_complete=True", "--fields-complete"
    advice = [each.replace(*complete) for each in policy.advice[:MOST_ADVICE]]
    lines = [in_words_of_options(sentence(policy)), tested, *advice]
    if (more := len(policy.advice) - MOST_ADVICE) > 0:
        notes.append(f"{more} more about fields that are absent: --format json")
    if verified is None:
        of_pages += notes_of_pages([path], columns, only)
    notes = [*map(in_words_of_options, notes), *of_pages]
    about = {"policy": _of_policy(policy, output)}
    table = [Column("outputs", sizes), Column("accepted at\nconfidence", rules)]
    answer(form, "fit", about, lines, notes, names=fields, columns=table)


def _read_verified(path: Path, columns: Mapping[str, Any]) -> Any:
    """Return (truth, confidence), and the labels of fields, of outputs that are verified in part."""
    with interrupts_end_at_once():
        return refusing(str(path), lambda: read_verified_fields(path, **columns))


def _of_policy(policy: Policy, path: Path) -> dict[str, Any]:
    """Return what a policy promises, on what, and each threshold, for programs."""
    names = (
        *("criterion", "limit", "failure_probability", "bound", "certified", "max_group_size"),
        *("errors_per_group", "n_items", "accepted", "errors", "acceptance_rate"),
        *("approximate_acceptance_rate", "documents", "document_threshold"),
        *("n_verified", "least_probability", "n_unread", "missed_rate", "share_of_all_items"),
    )
    fields: list[Any] = list(map(str, policy.fields)) if policy.fields else [None]
    rows = zip(fields, policy.thresholds, policy.references, strict=True)
    return {
        "path": str(path),
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


def check(
    policy_file: Path,
    source: tuple[Path, str | None],
    columns: Mapping[str, Any],
    max_group_size: int | None,
    delivery: tuple[str, Path | None],
    *,
    is_log: bool,
    drawn: str | None = None,
    verified: Mapping[str, Any] | None = None,
    of_fields: Mapping[str, Any],
) -> int:
    """Check a policy on a file of new verified outputs, or a log; returns the exit status."""
    (path, only), (form, report) = source, delivery
    require_files(None, report)
    policy = load(policy_file)
    named = columns_for([policy], columns)
    sweep = None
    seen: NDArray[Any] | None = None  # the confidences, but of a log
    notes: list[str] = []
    with interrupts_end_at_once():
        if is_log:
            with collected(notes):
                found, shift, sweep = refusing(
                    str(path), lambda: _of_log(policy, path, named, drawn, max_group_size)
                )
        elif verified is not None:
            read, fields = _read_verified(path, verified)
            truth, confidence = read
            seen = confidence
            notes = notes_of_groups([path], [read], verified)
            found, shift = refusing(
                str(path),
                lambda: (
                    policy.check(truth, confidence, by=fields, max_group_size=max_group_size),
                    policy.shift(
                        confidence, by=fields, groups=truth.groups if policy.has_groups else None
                    ),
                ),
            )
        else:
            if not policy.documents:
                named, notes = with_pages([path], named)
            outputs = _of_one_model(path, only, named)
            by, pages = labels_of(outputs.by), one_group_of(outputs)
            given = slice(None) if outputs.rejected is None else ~outputs.rejected
            seen = known = outputs.confidence[given]
            types = _types(path, only, named, of_fields["types"])
            found, shift = refusing(
                str(path),
                lambda: (
                    policy.check(
                        outputs.correct,
                        outputs.confidence,
                        by=by,
                        groups=pages,
                        documents=labels_of(outputs.item),
                        max_group_size=max_group_size,
                        rejected=outputs.rejected,
                        types=types,
                        fields_complete=of_fields["fields_complete"],
                    ),
                    policy.shift(
                        known,
                        by=None if by is None else by[given],
                        groups=pages[given] if pages is not None and policy.has_groups else None,
                    ),
                ),
            )
    if seen is not None:
        refusing(str(path), lambda: require_scale(path, policy, shift, seen))
    results = {"policy": policy, "check": found, "shift": shift, "sweep": sweep}
    warned: list[str] = []
    with collected(warned):
        refusing(str(report), lambda: _html.save_operation(report, **results))
    lines = [sentence(found).replace("drawn=", "--drawn COLUMN"), f"{_counts(found)} {sentence(shift)}"]
    if not found.n_unread and policy.of_outputs_read:
        lines.append(policy.of_outputs_read)
    if sweep is not None and policy.criterion == "max_error_rate":
        with collected(warned):
            point = guaranteed_operating_point(
                sweep, max_error_rate=policy.limit, failure_probability=policy.failure_probability
            )
        lines.append(f"A threshold fitted to this log: {point}.")
    if report is not None:
        lines.append(_html.WRITTEN.format(path=report))
    if verified is None:
        notes += notes_of_pages([path], columns, only)
    if verified is None and not is_log and _are_accepted_alone(found, policy):
        notes.append(
            f"all {found.n_items:,} are accepted, where the policy accepts "
            f"{percent(policy.acceptance_rate, 3)}: the limit is one of accepted and rejected ones "
            "together; add those that were not accepted, unless there were none"
        )
    if found.unknown_fields:
        fate = "decide nothing" if found.documents else "are rejected"
        notes.append(
            f"{found.unknown_fields:,} {plural('output', found.unknown_fields)} of fields that the "
            f"policy does not know {fate}"
        )
    limit = f"{policy.criterion}={policy.limit:g}", f"the limit of {percent(policy.limit)}"
    notes += dict.fromkeys(note.replace(*limit) for note in warned)  # once, if the report has it too
    names = [str(each.field) for each in found.fields]
    about = {"check": _figures(found, shift)}
    answer(form, "check", about, lines, notes, names=names, columns=_of_fields(found))
    return int(found.exit_status)


def _are_accepted_alone(found: PolicyCheck, policy: Policy) -> bool:
    """Whether what is checked looks like the accepted part alone: chance hardly accepts so many."""
    is_share = policy.criterion == "max_error_rate"
    all_of_it = found.accepted == found.n_items
    return is_share and all_of_it and policy.acceptance_rate**found.n_items < UNLIKELY


def refuse_beside(other: str, columns: Mapping[str, Any], *, group: str | None) -> None:
    """Refuse columns beside an option without them; `group` is the option of groups, if refused."""
    options = {"item": "--document", "group": group}
    for name in ("item", "group", "prediction", "truth", "compare", "empty_truth", "empty_confidence"):
        if columns[name] and (name != "group" or group is not None):
            option = options.get(name, f"--{name.replace('_', '-')}")
            raise RefusalError(f"{option} is given beside {other}; leave out one of the two")


def _of_log(
    policy: Policy,
    path: Path,
    columns: Mapping[str, Any],
    drawn: str | None,
    max_group_size: int | None,
) -> tuple[Any, Any, Any]:
    """The check of a log, the shift, and the log itself, where one threshold was in use.

    Another threshold can be chosen only where the truth of what was rejected is known, and outputs do
    not depend on each other.
    """
    refuse_beside("--log", columns, group=None)
    if OF_AUDIT not in columns_in(path):
        raise RefusalError(
            f'{path}: there is no column "{OF_AUDIT}", which a log has, as fastarac sample '
            "--audit writes it; without --log verified outputs are expected"
        )
    groups = None if columns["group"] == NO_GROUP else columns["group"]
    if not (groups is None or isinstance(groups, str)):
        raise RefusalError("--group is given twice beside --log; one column is expected")
    log = operation.read_audits(
        path,
        policy=policy,
        confidence=columns["confidence"],
        correct=columns["correct"] or "correct",
        drawn=drawn,
        by=columns["by"],
        groups=groups,
    )
    audits: dict[str, Any] = {"audit_probability": log.audit_probability, "drawn": log.drawn}
    pages: dict[str, Any] = {"groups": log.groups, "max_group_size": max_group_size}
    found = policy.check(log.correct, log.confidence, by=log.by, **audits, **pages)
    sweep = None
    if groups is None and not policy.fields and not np.isnan(log.correct[~log.accepted]).any():
        sweep = operation.audited_sweep(
            log.correct, log.confidence, threshold=policy.thresholds[0], **audits
        )
    shift = policy.shift(log.confidence, by=log.by, groups=log.groups if policy.has_groups else None)
    return found, shift, sweep


def _counts(found: PolicyCheck) -> str:
    """Say how many outputs are accepted: of all items, and of those that are read."""
    n_all = found.n_items + found.n_unread
    share = percent(found.accepted / n_all, 4)
    if not found.n_unread:
        return f"{found.accepted:,} of {n_all:,} {found.unit} are accepted ({share})."
    of_read = percent(found.accepted / found.n_items, 4)
    return (
        f"{found.accepted:,} of {n_all:,} items are accepted ({share}; {of_read} of the "
        f"{found.n_items:,} that are read, of which the limit is)."
    )


def _figures(found: PolicyCheck, shift: ConfidenceShift) -> dict[str, Any]:
    interval = found.interval
    names = ("n_items", "n_unread", "accepted", "errors", "audited", "unanswered")
    return {
        "verdict": found.verdict,
        "criterion": found.criterion,
        "limit": found.limit,
        "rate": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        **{name: getattr(found, name) for name in names},
        "n_verified": found.verified,
        "still_needed": found.still_needed,
        "expected_verdict": found.expected_verdict,
        "of_fit": found.of_fit,
        "unknown_fields": found.unknown_fields,
        "fields": [each._asdict() | {"rate": each.rate} for each in found.fields],
        **figures_of_shift(shift),
    }


def figures_of_shift(shift: ConfidenceShift | None) -> dict[str, Any]:
    """Return whether confidences have moved, for programs; None where nothing could be tested."""
    names = "shifted", "pvalue", "field"
    found = [None] * len(names) if shift is None else [getattr(shift, name) for name in names]
    return dict(zip(("shifted", "shift_pvalue", "shift_field"), found, strict=True))


def _of_fields(found: PolicyCheck) -> list[Column]:
    """Counts and rates of each field, with the intervals below."""
    rates = ["-" if np.isnan(each.rate) else percent(each.rate, 3) for each in found.fields]
    ends = [percent_range(each.low, each.high, 3) for each in found.fields]
    counts = ("n_items", "outputs"), ("accepted", "accepted"), ("errors", "errors")
    return [
        *(Column(name, [f"{getattr(each, of):,}" for each in found.fields]) for of, name in counts),
        Column("error rate", rates, below=ends),
    ]


def and_report(report: Path | None) -> str:
    """Return the words about a report, where there is one, after those about another file."""
    return "" if report is None else f", the report to {report}"


def load(path: Path, kind: Any = operation.Policy) -> Any:
    """Read a policy, or a state; what is wrong with the file is a refusal that names it."""
    try:
        return kind.load(path)
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RefusalError(str(error)) from None


def policies_in(folder: Path) -> dict[str, Policy]:
    """Read the policies of a folder, by the names of their files."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RefusalError(f"{folder}: it has no file whose name ends in .json; policies are expected")
    return {path.stem: load(path) for path in files}


def columns_for(policies: Collection[Policy], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as given, once it is known that the policies' own are there."""
    for option, name, needed in (
        ("by", "--by", any(each.fields for each in policies)),
        ("item", "--document", any(each.documents for each in policies)),
    ):
        if needed != (columns[option] is not None):
            found = "is missing; the policy" if needed else "is given, but the policy"
            raise RefusalError(f"{name} {found} was fitted with{'' if needed else 'out'} {name}")
    return dict(columns)


def _read(path: Path, columns: Mapping[str, Any]) -> io.Outputs:
    with interrupts_end_at_once():
        found: io.Outputs = refusing(str(path), lambda: io.read_outputs(path, **columns))
    return found


def _of_one_model(path: Path, only: str | None, columns: Mapping[str, Any]) -> io.Outputs:
    """Read the outputs of the one model that a policy is for; refuses several."""
    if MODEL in columns.values() or MODEL not in columns_in(path):
        if only is not None:
            raise RefusalError(f'{path}: there is no column "{MODEL}" beside --only')
        return _read(path, columns)
    parts = _read(path, {**columns, "model": MODEL}).per_model()
    if only is None and len(parts) > 1:
        raise _several_models(path, list(parts), "--only NAME takes one")
    if only is not None and only not in parts:
        known = listed([quoted(name) for name in parts])
        raise RefusalError(f'--only is {quoted(only)}; column "{MODEL}" of {path} holds {known}')
    return parts[only] if only is not None else next(iter(parts.values()))


def outputs_of_pilot(
    path: Path, only: str | None, columns: Mapping[str, Any], notes: list[str] | None = None
) -> io.Outputs:
    """Read the outputs of one model; with `notes`, those that `fit` takes, and note what it leaves."""
    outputs = _of_one_model(path, only, columns)
    return outputs if notes is None else _with_confidence(path, outputs, notes, missed=True)


def require_one_model(path: Path, used: Collection[Any]) -> None:
    """Raise where the column of models, which is not `used` for anything, names several."""
    found = [] if MODEL in used else names_in(path, MODEL)
    if len(found) > 1:
        raise _several_models(path, found, "a table of its outputs alone is expected")


def _several_models(path: Path, names: Sequence[str], way_out: str) -> RefusalError:
    known = listed([quoted(name) for name in names])
    return RefusalError(
        f'{path}: column "{MODEL}" holds {known}, whose confidences may mean different things; a '
        f"policy is for one model: {way_out}, fit --by {MODEL} gives each a threshold"
    )


def columns_in(path: Path) -> Sequence[str]:
    """Return the names of the columns of a file."""

    def names() -> Sequence[str]:
        with connect() as connection:
            return open_source(path, connection).columns

    found: Sequence[str] = refusing(str(path), names)
    return found


def _with_confidence(path: Path, outputs: io.Outputs, notes: list[str], *, missed: bool) -> io.Outputs:
    """Return the outputs that have a confidence; all outputs of documents, which may lack fields.

    The others are never accepted: a limit that is kept without them is kept with them, too.
    """
    if outputs.rejected is None:
        return outputs
    left = ~outputs.rejected
    if not left.any():
        raise RefusalError(f"{path}: no output is left that has a confidence")
    n = int(outputs.rejected.sum())
    said = said_of_rejects(n, len(outputs), missed=missed)
    if outputs.item is not None:
        lack = "nor is a document that lacks a required field"
        told = f"{n:,} of {len(outputs):,} fields have no output: they are" if missed else said
        notes.append(f"{told} never accepted, {lack}")
        return outputs
    notes.append(
        f"{said} never accepted; the policy is fitted to the "
        "other outputs, so that its limit is kept among all of them, too"
    )
    return outputs.take(np.flatnonzero(left))


def _optional(of_fields: Mapping[str, Any]) -> list[str]:
    """Return the fields that documents may lack, as options and a file of fields say."""
    optional = list(of_fields["optional"])
    if of_fields["file"] is not None:
        from fastarac.ocr.fields.comparisons import settings_of_file

        optional += refusing(str(of_fields["file"]), lambda: settings_of_file(of_fields["file"])[1])
    return optional


def _types(
    path: Path, only: str | None, columns: Mapping[str, Any], types: str | None
) -> NDArray[Any] | None:
    """Return the type of each output's document, where there is a column of them."""
    if types is None:
        return None
    return labels_of(_of_one_model(path, only, {**columns, "item": types}).item)


def one_group_of(outputs: io.Outputs) -> NDArray[Any] | None:
    """Return the group of each item, by the one column that policies and plans take."""
    if outputs.crossed is not None:
        raise RefusalError(
            "the columns of --group are crossed (neither lies within the other); one column, or two of "
            "which one lies within the other, is expected here"
        )
    return labels_of(outputs.group)


def labels_of(labels: io.Labels | None) -> NDArray[Any] | None:
    """Return the text of each item, where there is a column of them."""
    return None if labels is None else np.array(labels.names)[labels.codes]


def _in_words(error: Exception) -> str:
    message = in_words(error)
    name = message.partition(" ")[0]
    message = message.replace(" and review is ", " and --review is ")
    return message.replace(name, COLUMNS[name], 1) if name in COLUMNS else message
