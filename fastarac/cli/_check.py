"""`fastarac check`: test on new verified outputs whether a policy's limit holds."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer

from fastarac import operation
from fastarac._core.exceptions import collected
from fastarac._core.text import percent, quoted
from fastarac.answers.file_notes import notes_of_groups, notes_of_pages, with_pages
from fastarac.answers.policies import accepted_alone_note, check_answer
from fastarac.answers.screen import Note, Weight
from fastarac.cli import _policy_options as options
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import (
    PrintingOptions,
    VerifiedOptions,
    given_options,
    grouped,
)
from fastarac.cli._options import (
    GroupColumn,
    Item,
    PolicyConfidence,
    RefusalError,
    ReportFile,
    column_option,
    groups_of,
    limit_options,
    one_column,
    option,
    require_files,
)
from fastarac.cli._panels import Panel
from fastarac.cli._policies import (
    columns_in,
    columns_of_policy,
    ids_in,
    labels_of,
    load,
    of_one_model,
    one_group_of,
    read_verified,
    refusing,
    save_report,
    types_in,
)
from fastarac.cli._refusals import incompatible
from fastarac.cli._screen import ALIKE, command_line
from fastarac.operation.application import require_scale
from fastarac.operation.logs import OF_AUDIT
from fastarac.operation.looks import kept_looks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.cli._options import Printing
    from fastarac.operation import Policy
    from fastarac.operation.logs import AuditColumns
    from fastarac.operation.shifts import ConfidenceShift
    from fastarac.operation.verdicts import PolicyCheck

EXAMPLES = """
Examples:

\b
  fastarac check policy.json verified.csv
  fastarac check policy.json verified.csv --group page
  fastarac check policy.json log.csv --log

Columns need the names that they had for fit; the policy stores them. A log beside the policy keeps the
outputs of all checks ("looks"), so that verdicts are valid however often you check.

Exit status: 0 if the limit holds, 1 if it fails, 3 if the outputs are too few to tell.
\f
\b
  fastarac check policy.json part.csv --inclusion-probability inclusion_probability

Draw the outputs at random from those that the policy is applied to. A log (fastarac sample --audit) has
all outputs of a period, with the columns accepted, drawn and audit_probability; leave the truth empty
for outputs that nobody verified. A drawn output without a truth counts as an error. A log with the
column audited instead of drawn can show that the limit fails, never that it holds.
"""

EXCLUDED = (
    ("--log", ("--only", "--open", "--id")),
    ("--once", ("--looks",)),
    ("--id", ("--inclusion-probability", "--judge")),
)

Once = Annotated[
    bool,
    option("--once", "Check only once, by an exact test, which needs fewer outputs.", Panel.sure),
]
DeclaredLooks = Annotated[
    int | None,
    option("--looks N", "Plan at most N checks; give this option at the first one.", Panel.sure, min=1),
]
Log = Annotated[
    bool,
    option("--log", "Read FILE as a log of all outputs, of which some were audited.", Panel.columns),
]


class _Checked(NamedTuple):
    """The result of a check, whether confidences shifted, and notes about the file."""

    check: PolicyCheck
    shift: ConfidenceShift
    notes: list[str]
    log: AuditColumns | None = None
    alone: Sequence[Note] = ()


@grouped
def check(
    context: typer.Context,
    policy: options.PolicyFile,
    path: options.File,
    *,
    confidence: PolicyConfidence = None,
    only: options.Only = None,
    group: GroupColumn = None,
    item_id: Item = None,
    log: Log = False,
    truth_found: options.TruthFound = None,
    verified: VerifiedOptions,
    once: Once = False,
    looks: DeclaredLooks = None,
    printing: PrintingOptions,
    report: ReportFile = None,
) -> None:
    """Check a policy on newly verified outputs."""
    groups, given = groups_of(group), set(given_options(context).values())
    incompatible(given, EXCLUDED)
    require_files(None, report)
    loaded = load(policy)
    named = columns_of_policy(loaded, path, confidence)
    columns = named.reading.columns(
        by=named.by, item=named.documents, group=groups, open=verified.how_open
    )
    of_verified = verified.columns(
        context, named.reading, groups, "only", "log", paths=[] if log else [path], by=named.by
    )
    # Each test of the growing data is saved, in separate files for fully and partly verified data.
    kind = "looks" if of_verified is None and not log else "in-part.looks"
    kept = policy.with_name(f"{policy.stem}.{loaded.digest[:8]}.{kind}")
    with interrupts_end_at_once(), ExitStack() as held:
        so_far = refusing(str(kept), lambda: held.enter_context(kept_looks(kept, looks)))
        of_look = {"looks": so_far, "once": once, "truth_reader": truth_found}
        if log:
            of_look |= {"fields_complete": named.fields_complete}
            found = _of_log(loaded, path, columns, named.types, of_look)
        elif of_verified is not None:
            found = _of_verified(loaded, path, of_verified, of_look)
        else:
            of_look |= {"fields_complete": named.fields_complete}
            found = _of_items(loaded, path, only, {**columns, "id": item_id}, named.types, of_look)
        refusing(str(kept), held.close)
    if of_verified is None:
        found.notes.extend(notes_of_pages([path], columns, only))
    if found.check.verdict == "holds":
        audits = path if log else "audits.csv"
        command = command_line("monitor", policy, audits, "--state", "state.json")
    else:
        drawn = None if of_verified is None else verified.inclusion_probability
        known = [*column_option("--inclusion-probability", drawn), *verified.open_option]
        fields = column_option("--by", named.by), column_option("--document", named.documents)
        fitted = [*fields[0], *fields[1], *known]
        command = "" if log else _next(found.check, loaded, path, fitted)
    _deliver(loaded, found, printing, report, command)
    if found.check.exit_status:
        raise typer.Exit(found.check.exit_status)


def _next(check: PolicyCheck, policy: Policy, path: Path, columns: Sequence[str | None]) -> str:
    """Return the command to suggest: fit again if the limit fails, or else verify more outputs."""
    if check.verdict == "fails":
        limit = limit_options(policy.criterion, policy.limit)
        return command_line("fit", path, *columns, *limit, "-o", "new_policy.json")
    if check.still_needed is None or check.documents:
        return ""
    budget = "--budget", check.still_needed, *ALIKE
    return command_line("sample", "new.csv", *budget, "-o", "to_verify.csv")


def _deliver(
    policy: Policy,
    found: _Checked,
    printing: Printing,
    report: Path | None,
    command: str,
) -> None:
    warned: list[str] = []
    with collected(warned):
        save_report(report, policy=policy, check=found.check, shift=found.shift, log=found.log)
        answer = check_answer(policy, found.check, found.shift, found.log)
    limit = f"{policy.criterion}={policy.limit:g}", f"the limit of {percent(policy.limit)}"
    once = dict.fromkeys(note.replace(*limit) for note in warned)  # the report may repeat warnings
    answer = (
        answer.with_warnings(found.alone).with_warnings(found.notes, Weight.ASSUMES).with_warnings(once)
    )
    answer = answer.in_words(_in_words_of_options)
    deliver(printing, "check", answer.closing(command), report=report)


def _in_words_of_options(text: str) -> str:
    return text.replace("drawn=", "a column drawn").replace("once=True", "--once")


def _of_items(
    policy: Policy,
    path: Path,
    only: str | None,
    columns: Mapping[str, Any],
    types: str | None,
    options: Mapping[str, Any],
) -> _Checked:
    notes: list[str] = []
    named = columns["id"]
    columns = {name: column for name, column in columns.items() if name != "id"}
    if not policy.documents:
        columns, notes = with_pages([path], columns)
    outputs = of_one_model(path, only, columns, notes)
    by, pages = labels_of(outputs.by), one_group_of(outputs)
    read = slice(None) if outputs.rejected is None else ~outputs.rejected
    of_rows: dict[str, Any] = {
        "by": by, "groups": pages, "documents": labels_of(outputs.item), "rejected": outputs.rejected,
        "types": types_in(path, only, columns, types),
        "ids": None if policy.documents else ids_in(path, only, columns, named),
    }  # fmt: skip
    correct, confidence = outputs.correct, outputs.confidence
    found = refusing(str(path), lambda: policy.check(correct, confidence, **of_rows, **options))
    shift = _shift(
        policy, path, outputs.confidence[read], None if by is None else by[read],
        None if pages is None else pages[read],
    )  # fmt: skip
    n, accepted = found.n_items, found.accepted
    if found.look > 1 and not policy.documents:  # later tests use the outputs of all files
        new = policy.apply(confidence, by=by, rejected=outputs.rejected, types=of_rows["types"])[read]
        n, accepted = len(new), int(new.sum())
    return _Checked(found, shift, notes, alone=accepted_alone_note(policy, n, accepted))


def _of_verified(
    policy: Policy, path: Path, columns: Mapping[str, Any], of_look: Mapping[str, Any]
) -> _Checked:
    notes: list[str] = []
    read, fields = read_verified(path, columns, notes)
    truth, confidence = read
    found = refusing(str(path), partial(policy.check, truth, confidence, by=fields, **of_look))
    shift = _shift(policy, path, confidence, fields, truth.groups)
    return _Checked(found, shift, [*notes, *notes_of_groups([path], [read], columns)])


def _shift(policy: Policy, path: Path, confidence: Any, by: Any, groups: Any) -> Any:
    """Test whether confidences shifted; refuse confidences that seem to be on another scale."""
    groups = groups if policy.has_groups else None
    shift = refusing(str(path), partial(policy.shift, confidence, by=by, groups=groups))
    refusing(str(path), lambda: require_scale(path, policy, shift, confidence))
    return shift


def _of_log(
    policy: Policy,
    path: Path,
    columns: Mapping[str, Any],
    types: str | None,
    of_look: Mapping[str, Any],
) -> _Checked:
    if OF_AUDIT not in columns_in(path):
        raise RefusalError(
            f'{path}: there is no column "{OF_AUDIT}", so it is no log of fastarac sample --audit; for '
            "verified outputs, leave out --log"
        )
    groups = columns["group"]
    groups = one_column([groups] if isinstance(groups, str) else groups)
    named = {
        "confidence": columns["confidence"], "correct": columns["correct"] or "correct",
        "by": columns["by"], "groups": groups, "documents": columns["item"], "types": types,
    }  # fmt: skip

    def checked() -> tuple[Any, Any, Any]:
        log = operation.read_audits(path, policy=policy, **named)
        audits: dict[str, Any] = {"audit_probability": log.audit_probability, "drawn": log.drawn}
        outputs = log.outputs._replace(groups=log.groups)._asdict()
        found = policy.check(log.correct, **outputs, **audits, **of_look)
        given = ~np.isnan(log.confidence)
        by, pages = (
            None if each is None else each[given]
            for each in (log.by, log.groups if policy.has_groups else None)
        )
        return found, policy.shift(log.confidence[given], by=by, groups=pages), log

    notes: list[str] = []
    with collected(notes):
        found, shift, read = refusing(str(path), checked)
    if found.unanswered and not found.audited:
        raise RefusalError(
            f"{path}: none of the {found.unanswered:,} outputs that were drawn has a result; fill in "
            f"the column {quoted(named['correct'])} where drawn is 1, and run the command again"
        )
    alone = [Note(note, Weight.DECIDES) for note in notes]
    return _Checked(found, shift, [], read if read.has_one_threshold else None, alone)
