"""The commands for every day: apply a policy, and watch it."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import io, operation
from fastarac._core.exceptions import collected
from fastarac._core.locks import locked
from fastarac._core.text import listed, quoted, sentence
from fastarac.answers.tables import Column
from fastarac.cli import _html, _plot
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import refuse_searched
from fastarac.cli._json import answer, write_object
from fastarac.cli._options import RefusalError, require_files
from fastarac.cli._policies import (
    columns_for,
    columns_in,
    figures_of_shift,
    labels_of,
    load,
    policies_in,
    refuse_beside,
    refusing,
    require_one_model,
)
from fastarac.cli._standard import say, tell
from fastarac.guarantees.audits import LogError
from fastarac.operation.logs import require_one_probability
from fastarac.operation.monitoring.cohort_files import read_drawn
from fastarac.operation.monitoring.logged_audits import has_rows, is_drawn_log, read_logged_audits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.operation import ErrorRateMonitor, Policy
    from fastarac.operation.application_results import AppliedPolicy
    from fastarac.operation.monitoring.logged_audits import LoggedAudits
    from fastarac.operation.shifts import ConfidenceShift

ALONE = ""  # the name of a policy that is watched by itself
ID = "id"  # the column of the audits' ids, where it is there


def apply(
    policy_file: Path,
    path: Path,
    columns: Mapping[str, Any],
    goals: tuple[Path, Path],
    delivery: tuple[str, Path | None],
) -> None:
    """Divide the outputs in a file, and say how many went where."""
    form, report = delivery
    require_files(None, report)
    policy = load(policy_file)
    given = columns_for([policy], columns)
    if given["group"] is not None and not policy.has_groups:
        raise RefusalError("--group is given, but the policy was fitted without --group")
    with interrupts_end_at_once():
        require_one_model(path, given.values())
        done: AppliedPolicy = refusing(
            str(path),
            lambda: operation.apply_policy(
                policy,
                path,
                accepted=goals[0],
                review=goals[1],
                confidence=given["confidence"],
                by=given["by"],
                documents=given["item"],
                groups=given["group"],
                types=given["types"],
                empty_confidence=given["empty_confidence"],
            ),
        )
    refusing(str(report), lambda: _html.save_operation(report, policy=policy, applied=done))
    lines = [sentence(done), *([] if report is None else [_html.WRITTEN.format(path=report)])]
    warnings, notes = [], []
    if policy.has_groups and given["group"] is None:
        notes.append(
            "the policy was fitted with --group: without it here, outputs of a page whose confidences "
            "go up and down together look as if all had moved"
        )
    if done.warning is not None:
        warnings.append(f"{path}: {done.warning}; verify a random sample of them for fastarac check")
    about = {"applied": figures_of(done, goals)}
    answer(form, "apply", about, lines, notes, warnings, **fields_of(done))


def fields_of(done: AppliedPolicy) -> dict[str, Any]:
    """Return the table of fields, as an answer takes it."""
    fields = done.fields
    columns = [
        Column("outputs", [f"{each.n_items:,}" for each in fields]),
        Column("accepted", [f"{each.accepted:,}" for each in fields]),
        Column("errors\nexpected", [f"{each.expected_errors:.4g}" for each in fields]),
    ]
    return {"names": [each.field for each in fields], "columns": columns}


def figures_of(done: AppliedPolicy, goals: tuple[Path, Path]) -> dict[str, Any]:
    """Return how many outputs went where, for programs."""
    names = (
        *("criterion", "limit", "n_items", "accepted", "rejected", "unknown_fields"),
        *("expected_errors", "expected_low", "expected_high", "expected_rate"),
        *("n_documents", "accepted_documents", "lacking_documents", "straight_through_rate"),
        *("n_groups", "n_unread"),
    )
    return {
        "accepted_path": str(goals[0]),
        "review_path": str(goals[1]),
        **{name: getattr(done, name) for name in names},
        **figures_of_shift(done.shift),
        "fields": [each._asdict() for each in done.fields],
    }


def monitor(
    policy_file: Path,
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    drawn: Mapping[str, Any],
    promises: Mapping[str, Any],
    state: Path | None,
    delivery: tuple[Path | None, str, Path | None],
) -> int:
    """Count the audits in files, each once, and say whether there is an alarm; the exit status.

    `drawn` has the column of groups that are audited whole and the size that one has at most, and that
    of when outputs were drawn and how long answers are waited for.
    """
    plot, form, report = delivery
    require_files(plot, report)
    with ExitStack() as held:
        if state is not None:  # from reading it to the last writing, lest another's audits be lost
            refusing(str(state), lambda: held.enter_context(locked(state)))
        watch = _Watch(policy_file, columns, drawn, promises, state)
        for path in paths:
            watch.count(path)
            if state is not None:  # after each file, so that an interrupt loses none that is done
                refusing(str(state), lambda: watch.found.save(state))
    shifts = watch.shifts()
    if plot is not None:
        refusing(str(plot), lambda: _draw(watch.monitors, plot))
    only = watch.policies.get(ALONE)
    refusing(str(report), lambda: _html.save_operation(report, policy=only, monitor=watch.found))
    lines, policies = [], []
    for name, each in watch.monitors.items():
        found = sentence(each) if name == ALONE else f"{name}: {each}."
        shift, changes = shifts[name], watch.changes_of(name)
        if changes and not (each.changed and len(changes) == 1):
            numbers = listed([f"{number:,}" for number in changes])
            found += f" These files gave alarms of a change: {numbers} of all updates."
        lines.append(found if shift is None else f"{found} {sentence(shift)}")
        own = {"name": policy_file.stem if name == ALONE else name}
        policies.append(own | _figures(each, changes) | figures_of_shift(shift))
    lines += dict.fromkeys(
        each.of_outputs_read for each in watch.policies.values() if each.of_outputs_read
    )
    if report is not None:
        lines.append(_html.WRITTEN.format(path=report))
    told = {name: any(each[name] for each in policies) for name in ("alarm", "changed")}
    if form == "json":
        about = {"monitor": {**told, "policies": policies}}
        write_object("monitor", about, decisions=lines, warnings=watch.notes)
    else:
        say(*lines)
    return int(any(told.values()))


def _figures(monitor: ErrorRateMonitor, changes: Sequence[int]) -> dict[str, Any]:
    interval = monitor.interval
    names = (
        *("change_statistic", "mean_updates_to_false_alarm", "alarm_at", "e_value", "criterion"),
        *("limit", "failure_probability", "errors", "audited", "open", "unanswered"),
    )
    return {
        "alarm": monitor.alarm,
        "changed": bool(changes),
        "changes": list(monitor.changes),
        **{name: getattr(monitor, name) for name in names},
        "rate": interval.estimate if monitor.audited else None,
        "low": interval.low,
        "high": interval.high,
    }


def _draw(monitors: Mapping[str, ErrorRateMonitor], plot: Path) -> None:
    """Draw the monitors that have seen something, in one picture."""
    from fastarac.displays import MonitorDisplay

    display = None
    for name, each in monitors.items():
        if each.audited:
            ax = None if display is None else display.ax_
            display = MonitorDisplay.from_monitor(each, name=name or None, ax=ax)
    if display is not None:
        _plot.write(display.figure_, plot)


class _Watch:
    """One policy, or those of a folder, with their monitors and the files counted so far."""

    def __init__(
        self,
        source: Path,
        columns: Mapping[str, Any],
        drawn: Mapping[str, Any],
        promises: Mapping[str, Any],
        state: Path | None,
    ) -> None:
        self.notes: list[str] = []
        self._seen: dict[str, list[tuple[NDArray[Any], NDArray[Any] | None]]] = {}
        is_folder = source.is_dir()
        self.policies = policies_in(source) if is_folder else {ALONE: load(source)}
        if is_folder != (columns["group"] is not None):
            raise RefusalError(
                f"--policy is missing; {source} is a folder, and a column of names is expected"
                if is_folder
                else f"--policy is given, but {source} is one policy; a folder of them is expected"
            )
        self.columns = columns_for(self.policies.values(), columns)
        self._types, self._fields_complete = drawn["types"], drawn["fields_complete"]
        self._by_group, largest = drawn["group"] is not None, drawn["max_group_size"]
        self._drawn_at, deadline = drawn["drawn_at"], drawn["deadline"]
        for column, beside in (("group", "max_group_size"), ("drawn_at", "deadline")):
            names = f"--{column}".replace("_", "-"), f"--{beside}".replace("_", "-")
            if (drawn[column] is None) != (drawn[beside] is None):
                missing, given = names if drawn[column] is None else names[::-1]
                raise RefusalError(f"{missing} is missing; it is expected beside {given}")
        if self._drawn_at is not None:
            refuse_beside("--drawn-at", columns, group="--policy")
        if self._by_group:
            if columns["item"] is not None:
                raise RefusalError("--group is given beside --document; leave out one of the two")
            self.columns["item"] = drawn["group"]  # whose place is free
        limits = {
            name: {
                each.criterion: each.limit,
                "policy": each,
                "max_group_size": largest,
                "deadline": deadline,
            }
            for name, each in self.policies.items()
        }
        kind: Any = operation.MonitorSet if is_folder else operation.ErrorRateMonitor
        self.found: Any = refusing(
            "",
            lambda: kind(
                *([limits] if is_folder else []),
                **({} if is_folder else limits[ALONE]),
                **promises,
            ),
        )
        if state is not None and state.exists():
            self._go_on(kind, source, state)
        self._before = {name: each.changes for name, each in self.monitors.items()}

    @property
    def monitors(self) -> dict[str, ErrorRateMonitor]:
        """The monitors by the names of their policies."""
        if isinstance(self.found, operation.MonitorSet):
            return {name: self.found[name] for name in self.found}
        return {ALONE: self.found}

    def changes_of(self, name: str) -> tuple[int, ...]:
        """The updates with an alarm of a change among these files, or that of the last update."""
        monitor = self.monitors[name]
        found = monitor.changes[len(self._before[name]) :]
        return found or (monitor.changes[-1:] if monitor.changed else ())

    def _go_on(self, kind: Any, source: Path, state: Path) -> None:
        """Take up the state in a file; refuses one of another policy or failure probability."""
        new, promised = self.monitors, self.found.mean_updates_to_false_alarm
        self.found = load(state, kind)
        old = self.monitors
        if {k: each.policy_digest for k, each in old.items()} != {
            k: each.policy_digest for k, each in new.items()
        }:
            problem = f"it is not the state of {source}, but of another policy"
        elif found := [each for k, each in old.items() if _limit(each) != _limit(new[k])]:
            problem = f"it is not the state of {source}: its limit is {found[0].limit:g}"
        elif found := [
            each for k, each in old.items() if each.failure_probability != new[k].failure_probability
        ]:
            problem = f"it is the state of another --guarantee, {found[0].failure_probability:g}"
        elif found := [each for k, each in old.items() if each.max_group_size != new[k].max_group_size]:
            most = found[0].max_group_size
            what = "single outputs" if most is None else f"groups, with --max-group-size {most}"
            problem = f"it is the state of audits of {what}"
        elif found := [each for k, each in old.items() if each.deadline != new[k].deadline]:
            was = "none" if found[0].deadline is None else f"{found[0].deadline:g}"
            problem = f"it is the state of another --deadline, {was}"
        elif promised != (was := self.found.mean_updates_to_false_alarm):
            problem = f"it is the state of another --updates-to-false-alarm, {was or 'none'}"
        else:
            return
        raise RefusalError(
            f"{state}: {problem}; give each policy a --state of its own, and begin a new one whenever "
            "a policy is fitted"
        )

    def count(self, path: Path) -> None:
        """Count the audits in a file that were not counted before, and say how many were."""
        is_table = self.columns["confidence"] in columns_in(path)
        if is_table and not refusing(str(path), lambda: has_rows(path)):
            self._note(f"{path}: it has no rows, and so no audits")
            return
        if refusing(str(path), lambda: is_drawn_log(path)):
            self._count_log(path)
            return
        refuse_searched([path])
        require_one_model(path, self.columns.values())
        of_all = any(each.criterion == "max_error_rate" for each in self.policies.values())
        refusing(str(path), lambda: require_one_probability(path, of_all=of_all))
        if self._drawn_at is not None:
            self._count_drawn(path, self.columns["model"] or ID)
            return
        columns = {**self.columns, "model": self._ids_of(path)}
        given = counted = 0
        with interrupts_end_at_once():
            outputs = refusing(str(path), lambda: io.read_outputs(path, **columns))
            types = None
            if self._types is not None:
                of_types = {**columns, "item": self._types}
                read = refusing(str(path), lambda: io.read_outputs(path, **of_types))
                types = labels_of(read.item)
            for name, monitor in self.monitors.items():
                chosen = np.ones(len(outputs.correct), np.bool_)
                if outputs.group is not None:
                    self._require_known(path, outputs.group)
                    chosen = np.array(outputs.group.names)[outputs.group.codes] == name
                    if not chosen.any():
                        continue
                made = partial(
                    _audits, self.policies[name], outputs, chosen, path, self._by_group,
                    {"types": types, "fields_complete": self._fields_complete},
                )  # fmt: skip
                audits: _Audits = refusing(str(path), made)
                given += len(audits.error)
                names = {"ids": columns["model"], "groups": columns["item"]}
                counted += _count(monitor, audits, path, names)
                self._look_at(name, outputs, chosen)
        self._note_counted(path, given, counted)

    def _note_counted(self, path: Path, given: int, counted: int) -> None:
        if counted < given:
            which = (
                f"its {given:,} audits"
                if not counted
                else f"{given - counted:,} of its {given:,} audits"
            )
            self._note(f"{path}: {which} were counted before, and count once")

    def _ids_of(self, path: Path) -> str | None:
        """The column of ids of a file, where it has one."""
        named: str | None = self.columns["model"]
        if (
            named is None
            and (self.columns["item"] is None or self._by_group)
            and ID in columns_in(path)
        ):
            return ID
        return named

    def _count_log(self, path: Path) -> None:
        """Count the audits in a log of all outputs, open ones among them, as a plain sample."""
        if self.columns["group"] is not None:
            raise RefusalError(
                f"{path}: it is a log of one policy, as fastarac sample --audit writes it; that policy "
                "is expected, in place of a folder and of --policy"
            )
        refuse_beside("a log of audits", {**self.columns, "item": None}, group="--policy")
        monitor, policy = self.found, self.policies[ALONE]
        ids = ID if self._drawn_at is not None and not self.columns["model"] else self._ids_of(path)
        columns = {"ids": ids, "groups": self.columns["item"], "drawn_at": self._drawn_at}
        noted: list[str] = []
        with interrupts_end_at_once(), collected(noted):
            audits: LoggedAudits = refusing(
                str(path),
                lambda: read_logged_audits(
                    path,
                    policy,
                    confidence=self.columns["confidence"],
                    correct=self.columns["correct"] or "correct",
                    by=self.columns["by"],
                    **columns,
                ),
            )
        for note in noted:
            self._note(f"{path}: {note}")
        told = [audits.confidence] if audits.by is None else [audits.confidence, audits.by]
        details = [repr(each) for each in zip(*(part.tolist() for part in told), strict=True)]
        found = _Audits(audits.error, details, audits.ids, audits.groups, audits.rows)
        late, unanswered = monitor.answered_late, monitor.unanswered
        if self._drawn_at is None:
            self._note_counted(path, len(found.error), _count(monitor, found, path, columns))
            if monitor.unanswered > unanswered:
                number = f"{monitor.unanswered - unanswered:,} audits"
                self._note(
                    f"{path}: {number} without an answer count as right for alarms; --drawn-at COLUMN "
                    "and --deadline TIME wait for answers"
                )
        else:
            _count(monitor, found, path, columns, drawn_at=audits.drawn_at)
        self._note_late(path, monitor.answered_late - late)
        seen = self._seen.setdefault(ALONE, [])
        seen.append((audits.logged, audits.logged_by))

    def _note_late(self, path: Path, n: int) -> None:
        if n:
            what = "deadline, and" if self._drawn_at is not None else "audits were counted, and"
            self._note(f"{path}: {n:,} answers came after their {what} count no more")

    def _count_drawn(self, path: Path, ids: str) -> None:
        """Count the audits in a file by when their outputs were drawn; open ones have no truth."""
        monitor, policy = self.found, self.policies[ALONE]
        columns = {"ids": ids, "drawn_at": self._drawn_at, "groups": self.columns["item"]}
        with interrupts_end_at_once():
            audits = refusing(
                str(path),
                lambda: read_drawn(
                    path,
                    ids=ids,
                    drawn_at=str(self._drawn_at),
                    group=columns["groups"],
                    correct=self.columns["correct"] or "correct",
                    confidence=self.columns["confidence"],
                    by=self.columns["by"],
                ),
            )
        accepted = refusing(str(path), lambda: policy.apply(audits.confidence, by=audits.by))
        rows = np.flatnonzero(accepted | (policy.criterion == "max_error_rate"))
        errors = np.where(accepted, 1.0 - audits.correct, 0.0)[rows]  # what is rejected is none
        details = [audits.confidence] if audits.by is None else [audits.confidence, audits.by]
        told = [repr(each) for each in zip(*(part[rows].tolist() for part in details), strict=True)]
        late = monitor.answered_late
        groups = None if audits.groups is None else audits.groups[rows]
        found = _Audits(errors, told, audits.ids[rows], groups, rows)
        _count(monitor, found, path, columns, drawn_at=audits.drawn_at[rows])
        self._note_late(path, monitor.answered_late - late)

    def _note(self, note: str) -> None:
        """Tell a note, and keep it."""
        self.notes.append(note)
        tell([note])

    def _look_at(self, name: str, outputs: io.Outputs, chosen: NDArray[np.bool_]) -> None:
        """Note the confidences of outputs that were drawn from all, accepted or not."""
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
        """Whether the confidences in the files have moved, of each policy; None where none is known.

        Under a limit of the risk the audits may be drawn from the accepted outputs alone, whose
        confidences are no sample of all.
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
            found = quoted(labels.names[labels.codes[row]])
            column = quoted(self.columns["group"])
            raise RefusalError(
                f"{path}, row {row + 1}: column {column} holds {found}; the name of a policy, {known}, "
                "is expected"
            )


class _Audits(NamedTuple):
    """Single audits, of outputs or of documents."""

    error: NDArray[Any]
    """Of an open one NaN."""
    content: list[Any]
    ids: NDArray[Any] | None
    groups: NDArray[Any] | None
    rows: NDArray[np.intp]
    """The row of each in the file, or the first one of a document, from 0."""


def _audits(
    policy: Policy,
    outputs: io.Outputs,
    chosen: NDArray[np.bool_],
    path: Path,
    by_group: bool,
    of_fields: Mapping[str, Any],
) -> _Audits:
    """Audits of some outputs, or of their documents: of accepted ones, where the risk is limited."""
    if outputs.rejected is not None and policy.documents is None:
        chosen = chosen & ~outputs.rejected  # what is not read is no output that could be accepted
    rows = np.flatnonzero(chosen)
    by = _texts(outputs.by, rows) if policy.fields else None
    documents = _texts(outputs.item, rows) if policy.documents else None
    columns_of_rows: dict[str, Any] = {
        "by": by,
        "documents": documents,
        "rejected": None if outputs.rejected is None else outputs.rejected[rows],
        "types": None if of_fields["types"] is None else of_fields["types"][rows],
    }
    wrong = ~outputs.correct[rows]
    groups = _texts(outputs.item, rows) if by_group else None
    columns = [outputs.confidence[rows], wrong, by, documents, groups]
    content: list[Any] = list(
        zip(*(each.tolist() for each in columns if each is not None), strict=True)
    )
    ids = _texts(outputs.model, rows)
    if documents is None:
        accepted = policy.apply(outputs.confidence[rows], **columns_of_rows)
    else:
        codes = np.unique(documents, return_inverse=True)[1]
        accepted, wrong, first = policy.of_documents(
            ~wrong, outputs.confidence[rows], fields_complete=of_fields["fields_complete"],
            **columns_of_rows,
        )  # fmt: skip
        inside: list[list[Any]] = [[] for _ in first]
        for code, each in zip(codes.tolist(), content, strict=True):
            inside[code].append(each)
        content = [repr(sorted(each)) for each in inside]
        if ids is not None:
            several = np.flatnonzero(ids != ids[first][codes])
            if len(several):
                name = quoted(str(documents[several[0]]))
                raise RefusalError(
                    f"{path}, row {rows[several[0]] + 1}: document {name} has several ids; a column of "
                    "one id a document is expected of --id"
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
    return _Audits(error[kept], told, ids, groups, rows[kept])


def _texts(labels: io.Labels | None, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    texts = labels_of(labels)
    return None if texts is None else texts[rows]


def _count(
    monitor: ErrorRateMonitor,
    audits: _Audits,
    path: Path,
    columns: Mapping[str, Any],
    *,
    drawn_at: NDArray[Any] | None = None,
) -> int:
    """Count audits, and return how many were new; `columns` are those of what the monitor is given."""
    try:
        return monitor.count(
            audits.error,
            details=audits.content,
            ids=audits.ids,
            groups=audits.groups,
            drawn_at=drawn_at,
        )
    except LogError as error:
        where = f"{path}, row {audits.rows[error.row] + 1}: column {quoted(str(columns[error.name]))}"
        if drawn_at is not None:
            raise RefusalError(f"{where} holds {error.found}; {error.why}") from None
        if error.name == "groups":
            why = error.why.replace("max_group_size", "--max-group-size").replace("call", "file")
            raise RefusalError(f"{where} holds {error.found}, {why}") from None
        raise RefusalError(
            f"{where} holds {error.found}, the id of an audit that was counted with another confidence "
            "or outcome; ids that no two audits share are expected (--id names another column)"
        ) from None
    except TypeError:  # open ones, which need ids
        raise RefusalError(
            f'{path}: audits without an answer need ids, which no two audits share: a column "{ID}" is '
            "expected, or --id COLUMN"
        ) from None
    except ValueError as error:
        if drawn_at is not None:
            raise RefusalError(f"{path}: {error}") from None
        found = str(error).replace("outcomes begins", "it begins").replace("call", "file")
        raise RefusalError(
            f"{path}: {found.replace(', or ids,', ', or a column of ids (--id),')}"
        ) from None


def _limit(monitor: ErrorRateMonitor) -> tuple[str, float]:
    return monitor.criterion, monitor.limit
