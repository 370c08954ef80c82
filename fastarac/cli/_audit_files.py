"""Give the audits in files to the monitors of policies, and save the monitors between runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import io, operation
from fastarac._core.exceptions import collected
from fastarac._core.text import listed, quoted
from fastarac.answers.monitoring import late_note, recounted_note, unanswered_note
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import refuse_searched
from fastarac.cli._options import RefusalError
from fastarac.cli._policies import (
    PolicyColumns,
    columns_in,
    columns_of_policy,
    labels_of,
    load,
    policies_in,
    refusing,
    require_one_model,
)
from fastarac.io._picks import OFFER
from fastarac.operation.acceptance import NewOutputs
from fastarac.operation.audit_logs import LogError
from fastarac.operation.logs import require_one_probability
from fastarac.operation.monitoring.audit_files import (
    ReadAudits,
    details_of_documents,
    has_rows,
    is_drawn_log,
    read_drawn,
    read_logged_audits,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.operation import ErrorRateMonitor, Policy
    from fastarac.operation.shifts import ConfidenceShift
    from fastarac.reviewer import Reviewer

ALONE = ""  # name of the only policy, if there is no folder of policies
ID = "id"  # the default column of audit ids
POLICY = "policy"  # with a folder of policies, this column names the policy of each output
DRAWN_AT = "drawn_at"  # the column of times at which audits were drawn; a deadline needs it


class AuditOptions(NamedTuple):
    """Options of audits."""

    confidence: str | None
    ids: str | None
    group: str | None
    max_group_size: int | None
    deadline: float | None
    truth_reader: Reviewer | None = None


class Watch:
    """One policy or the policies in a folder, each with its monitor."""

    def __init__(
        self,
        source: Path,
        audits: AuditOptions,
        promises: Mapping[str, Any],
        state: Path | None,
    ) -> None:
        self.notes: list[str] = []
        self._seen: dict[str, list[tuple[NDArray[Any], NDArray[Any] | None]]] = {}
        is_folder = source.is_dir()
        self.policies = policies_in(source) if is_folder else {ALONE: load(source)}
        documents = [name for name, each in self.policies.items() if each.documents is not None]
        if audits.group is not None and documents:
            raise RefusalError(
                f"--group is for single outputs, but {source} accepts whole documents: leave it out"
            )
        self._of_policy, self._options = POLICY if is_folder else None, audits
        limits: dict[str, Any] = {
            name: {
                each.criterion: each.limit,
                "policy": each,
                "max_group_size": audits.max_group_size,
                "deadline": audits.deadline,
                "truth_reader": audits.truth_reader,
            }
            for name, each in self.policies.items()
        }
        new: Any = partial(operation.ErrorRateMonitor, **limits.get(ALONE, {}), **promises)
        if is_folder:
            new = partial(operation.MonitorSet, limits, **promises)
        self.monitor: Any = refusing("", new)
        if state is not None and state.exists():
            self._go_on(source, state)
        self._before = {name: each.changes for name, each in self.monitors.items()}

    @property
    def monitors(self) -> dict[str, ErrorRateMonitor]:
        if isinstance(self.monitor, operation.MonitorSet):
            return {name: self.monitor[name] for name in self.monitor}
        return {ALONE: self.monitor}

    def changes_of(self, name: str) -> tuple[int, ...]:
        """Return the updates at which these files raised change alarms.

        If there are none, but the latest earlier alarm is still on, return its update.
        """
        monitor = self.monitors[name]
        found = monitor.changes[len(self._before[name]) :]
        return found or (monitor.changes[-1:] if monitor.changed else ())

    def _go_on(self, source: Path, state: Path) -> None:
        """Load the saved monitors; refuse those of another policy or of other settings."""
        new, promised = self.monitors, self.monitor.mean_updates_to_false_alarm
        self.monitor = load(state, type(self.monitor))
        was = self.monitor.mean_updates_to_false_alarm
        problem = _other_state(source, self.monitors, new)
        if problem is None and promised != was:
            problem = f"its mean number of updates to a false alarm is {was or 'none'}"
        if problem is not None:
            raise RefusalError(
                f"{state}: {problem}; use one --state for each policy, and a new one after each fit"
            )

    def count(self, path: Path) -> None:
        """Count the new audits in a file; `notes` tells how many were counted before."""
        there = columns_in(path)
        confidence = self._options.confidence or "confidence"
        if confidence in there and not refusing(str(path), lambda: has_rows(path)):
            self._note(path, ["it has no rows, so no audits were counted"])
            return
        named = self._columns_in(path)
        if refusing(str(path), lambda: is_drawn_log(path)):
            self._count_log(path, named)
            return
        refuse_searched([path])
        require_one_model(path, [named.by, named.documents, self._options.ids, self._options.group])
        of_all = any(each.criterion == "max_error_rate" for each in self.policies.values())
        refusing(str(path), lambda: require_one_probability(path, of_all=of_all))
        if self._options.deadline is not None:
            self._count_drawn(path, self._options.ids or ID, named)
        else:
            self._count_table(path, named)

    def _columns_in(self, path: Path) -> PolicyColumns:
        """Return the columns of a file, named as in the first policy that has fields or documents."""
        every = list(self.policies.values())
        first = next((each for each in every if each.documents or each.fields), every[0])
        return columns_of_policy(first, path, self._options.confidence)

    def _count_table(self, path: Path, named: PolicyColumns) -> None:
        """Count the audits in a table, policy by policy; all audits must have answers."""
        columns = named.reading.columns(
            by=named.by, item=self._options.group or named.documents, group=self._of_policy,
            model=self._ids_of(path, named),
        )  # fmt: skip
        names = {"ids": columns["model"], "groups": columns["item"]}
        given = counted = 0
        with interrupts_end_at_once():
            outputs = refusing(str(path), partial(_read, path, columns))
            types = None
            if named.types is not None:
                of_types = {**columns, "item": named.types}
                read = refusing(str(path), partial(io.read_outputs, path, **of_types))
                types = labels_of(read.item)
            for name, chosen in self._rows_of_policies(path, outputs):
                audits: ReadAudits = refusing(
                    str(path),
                    partial(
                        _audits, self.policies[name], outputs, chosen, path, types,
                        has_groups=self._options.group is not None,
                        fields_complete=named.fields_complete,
                    ),
                )  # fmt: skip
                given += len(audits.error)
                counted += _count(self.monitors[name], audits, path, names)
                self._look_at(name, outputs, chosen)
        self._note(path, recounted_note(given, counted))

    def _rows_of_policies(
        self, path: Path, outputs: io.Outputs
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield the name of each policy with outputs, and the mask of its outputs."""
        if outputs.group is not None:
            self._require_known(path, outputs.group)
        for name in self.policies:
            chosen = np.ones(len(outputs.correct), np.bool_)
            if outputs.group is not None:
                chosen = np.array(outputs.group.names)[outputs.group.codes] == name
            if outputs.group is None or chosen.any():
                yield name, chosen

    def _ids_of(self, path: Path, named: PolicyColumns) -> str | None:
        """Return the name of the column of audit ids, or None."""
        given = self._options.ids
        if given is None and named.documents is None and ID in columns_in(path):
            return ID
        return given

    def _count_log(self, path: Path, named: PolicyColumns) -> None:
        """Count the audits in a log that `fastarac sample --audit` wrote; some may lack an answer."""
        if self._of_policy is not None:
            raise RefusalError(
                f"{path}: it is the log of one policy (fastarac sample --audit); name this policy "
                "instead of a folder"
            )
        monitor = self.monitor
        drawn_at = None if self._options.deadline is None else DRAWN_AT
        ids = self._options.ids or ID if drawn_at is not None else self._ids_of(path, named)
        columns = {"ids": ids, "groups": self._options.group, "drawn_at": drawn_at}
        noted: list[str] = []
        with interrupts_end_at_once(), collected(noted):
            audits: ReadAudits = refusing(
                str(path),
                lambda: read_logged_audits(
                    path, self.policies[ALONE], confidence=named.reading.confidence,
                    correct=named.reading.correct or "correct", by=named.by,
                    documents=named.documents, types=named.types,
                    fields_complete=named.fields_complete, **columns,
                ),
            )  # fmt: skip
        self._note(path, noted)
        late, unanswered = monitor.answered_late, monitor.unanswered
        counted = _count(monitor, audits, path, columns)
        if drawn_at is None:
            self._note(path, recounted_note(len(audits.error), counted))
            self._note(path, unanswered_note(monitor.unanswered - unanswered))
        self._note(path, late_note(monitor.answered_late - late, has_deadline=drawn_at is not None))
        if audits.logged is not None:
            self._seen.setdefault(ALONE, []).append((audits.logged, audits.logged_by))

    def _count_drawn(self, path: Path, ids: str, named: PolicyColumns) -> None:
        """Count the audits in a file in the order in which they were drawn; some may lack an answer."""
        monitor, policy = self.monitor, self.policies[ALONE]
        columns: dict[str, Any] = {"ids": ids, "drawn_at": DRAWN_AT, "groups": self._options.group}
        late = monitor.answered_late
        with interrupts_end_at_once():
            audits = refusing(
                str(path),
                lambda: read_drawn(
                    path, policy, correct=named.reading.correct or "correct",
                    confidence=named.reading.confidence, by=named.by, **columns,
                ),
            )  # fmt: skip
        _count(monitor, audits, path, columns)
        self._note(path, late_note(monitor.answered_late - late, has_deadline=True))

    def _note(self, path: Path, notes: Iterable[str]) -> None:
        self.notes += [f"{path}: {note}" for note in notes]

    def _look_at(self, name: str, outputs: io.Outputs, chosen: NDArray[np.bool_]) -> None:
        """Store the confidences of the `chosen` outputs for `shifts`."""
        policy = self.policies[name]
        if outputs.rejected is not None:
            chosen = chosen & ~outputs.rejected
        by = labels_of(outputs.by) if policy.fields else None
        if by is not None:
            chosen = chosen & np.isin(by, policy.fields)
        if chosen.any():
            found = outputs.confidence[chosen], None if by is None else by[chosen]
            self._seen.setdefault(name, []).append(found)

    def shifts(self) -> dict[str, ConfidenceShift | None]:
        """Return for each policy a test for a shift of the confidences in the files, or None.

        There is no test if the limit is a risk, because audits may then be of accepted outputs only.
        """
        found: dict[str, ConfidenceShift | None] = {}
        for name, policy in self.policies.items():
            parts = self._seen.get(name, []) if policy.criterion == "max_error_rate" else []
            by = [labels for _, labels in parts if labels is not None]
            found[name] = (
                policy.shift(
                    np.concatenate([values for values, _ in parts]),
                    by=np.concatenate(by) if by else None,
                )
                if parts
                else None
            )
        return found

    def _require_known(self, path: Path, labels: io.Labels) -> None:
        unknown = [code for code, name in enumerate(labels.names) if name not in self.policies]
        if unknown:
            row = int(np.isin(labels.codes, unknown).argmax())
            known = listed([quoted(name) for name in self.policies])
            name, column = quoted(labels.names[labels.codes[row]]), quoted(POLICY)
            raise RefusalError(
                f"{path}, row {row + 1}: column {column} must hold the name of a policy, {known}, "
                f"got {name}"
            )


def _read(path: Path, columns: Mapping[str, Any]) -> io.Outputs:
    """Read audits; if an answer is missing, the error message suggests ``--deadline``."""
    try:
        return io.read_outputs(path, **columns)
    except io.DataFileError as error:
        if OFFER not in str(error):
            raise
        waits = "To wait for answers, use --deadline TIME and a column drawn_at"
        raise ValueError(str(error).replace(OFFER, waits)) from None


def _other_state(
    source: Path, old: Mapping[str, ErrorRateMonitor], new: Mapping[str, ErrorRateMonitor]
) -> str | None:
    """Return a message if the settings of saved (`old`) and new monitors differ, else None."""
    digests = [{name: each.policy_digest for name, each in part.items()} for part in (old, new)]
    if digests[0] != digests[1]:
        return f"it is not the state of {source}, but of another policy"
    for name, each in old.items():
        other = new[name]
        if (each.criterion, each.limit) != (other.criterion, other.limit):
            return f"it is not the state of {source}: its limit is {each.limit:g}"
        if each.failure_probability != other.failure_probability:
            return f"its --false-alarm is {each.failure_probability:g}"
        if each.max_group_size != other.max_group_size:
            what = f"groups, with --max-group-size {each.max_group_size}"
            return f"it is the state of audits of {what if each.max_group_size else 'single outputs'}"
        if each.deadline != other.deadline:
            was = "none" if each.deadline is None else f"{each.deadline:g}"
            return f"its --deadline is {was}"
    return None


def _audits(
    policy: Policy,
    outputs: io.Outputs,
    chosen: NDArray[np.bool_],
    path: Path,
    types: NDArray[Any] | None,
    *,
    has_groups: bool,
    fields_complete: bool,
) -> ReadAudits:
    """Return the audits of outputs or documents; if the limit is a risk, only of accepted ones."""
    if outputs.rejected is not None and policy.documents is None:
        chosen = chosen & ~outputs.rejected  # outputs without a confidence are never accepted
    rows = np.flatnonzero(chosen)
    by = _texts(outputs.by, rows) if policy.fields else None
    documents = _texts(outputs.item, rows) if policy.documents else None
    columns_of_rows: dict[str, Any] = {
        "by": by,
        "documents": documents,
        "rejected": None if outputs.rejected is None else outputs.rejected[rows],
        "types": None if types is None else types[rows],
    }
    wrong = ~outputs.correct[rows]
    groups = _texts(outputs.item, rows) if has_groups else None
    columns = [outputs.confidence[rows], wrong, by, documents, groups]
    content: list[Any] = list(
        zip(*(each.tolist() for each in columns if each is not None), strict=True)
    )
    ids = _texts(outputs.model, rows)
    if documents is None:
        accepted = policy.apply(outputs.confidence[rows], **columns_of_rows)
    else:
        codes = np.unique(documents, return_inverse=True)[1]
        new = NewOutputs(outputs.confidence[rows], **columns_of_rows)
        accepted, wrong, first = policy.rule.of_documents(~wrong, new, fields_complete=fields_complete)
        content = details_of_documents(content, codes)
        if ids is not None:
            several = np.flatnonzero(ids != ids[first][codes])
            if len(several):
                name = quoted(str(documents[several[0]]))
                raise RefusalError(
                    f"{path}, row {rows[several[0]] + 1}: document {name} has several ids; --id "
                    "must name a column with one id for each document"
                )
            ids = ids[first]
        rows = rows[first]
    kept = np.argsort(rows, kind="stable")
    if policy.criterion == "max_risk":
        kept = kept[accepted[kept]]
    error = accepted & wrong
    told = [content[i] for i in kept.tolist()]
    ids = None if ids is None else ids[kept]
    groups = None if groups is None else groups[kept]
    return ReadAudits(rows[kept], error[kept], told, ids, groups)


def _texts(labels: io.Labels | None, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    texts = labels_of(labels)
    return None if texts is None else texts[rows]


def _count(
    monitor: ErrorRateMonitor,
    audits: ReadAudits,
    path: Path,
    columns: Mapping[str, Any],
) -> int:
    """Count audits and return how many were new; `columns` names the columns for messages."""
    try:
        return monitor.count(
            audits.error,
            details=audits.details,
            ids=audits.ids,
            groups=audits.groups,
            drawn_at=audits.drawn_at,
        )
    except LogError as error:
        where = f"{path}, row {audits.rows[error.row] + 1}: column {quoted(str(columns[error.name]))}"
        if audits.drawn_at is not None:
            raise RefusalError(f"{where} holds {error.found}; {error.why}") from None
        if error.name == "groups":
            why = error.why.replace("max_group_size", "--max-group-size").replace("call", "file")
            raise RefusalError(f"{where} holds {error.found}: {why}") from None
        raise RefusalError(
            f"{where} holds {error.found}, the id of an audit that was counted with another "
            "confidence or outcome; no two audits may share an id (--id names another column)"
        ) from None
    except TypeError:  # raised if an audit without an answer has no id
        raise RefusalError(
            f'{path}: audits without an answer need ids that no two audits share: add a column "{ID}", '
            "or use --id COLUMN"
        ) from None
    except ValueError as error:
        if audits.drawn_at is not None:
            raise RefusalError(f"{path}: {error}") from None
        found = str(error).replace("outcomes begins", "it begins").replace("call", "file")
        raise RefusalError(
            f"{path}: {found.replace(', or pass ids', ', or name a column of ids (--id)')}"
        ) from None
