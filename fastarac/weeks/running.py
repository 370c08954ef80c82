"""Run one week of a policy in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import positive_scalar
from fastarac._core.extras import require
from fastarac._core.files import path_of, whole_folder, write_whole
from fastarac._core.locks import locked
from fastarac._core.text import json_text
from fastarac.answers.weeks import summary_text
from fastarac.io._sources import connect, one_database
from fastarac.operation.application import require_policy
from fastarac.operation.week_results import PolicyWeek
from fastarac.weeks.answers import Taken, take_answers
from fastarac.weeks.dividing import (
    ACCEPTED,
    AUDITS,
    REVIEW,
    TableColumns,
    divide,
    draw_audits,
    rows_of,
)
from fastarac.weeks.ledger import LOG, STATE, Ledger, digest_of, fingerprints, settled
from fastarac.weeks.logs import PooledLogs, WeekLog, weigh, write_columns

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fastarac.operation.policy import Policy
    from fastarac.operation.verdicts import PolicyCheck
    from fastarac.weeks.dividing import Divided
    from fastarac.weeks.ledger import Week

SINCE = "since_change.parquet"
MOST_REVIEWED = 20_000  # maximum number of rows on the page for the review


@one_database()
def run_week(
    policy: Policy,
    files: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    budget: float | None = None,
    deadline: int | None = None,
    seed: int | None = None,
    answers: Iterable[str | os.PathLike[str]] = (),
    confidence: str = "confidence",
    by: str | None = None,
    groups: str | None = None,
    documents: str | None = None,
    types: str | None = None,
    images: str | os.PathLike[str] | None = None,
    read_options: Mapping[str, Any] | None = None,
    seconds: float | None = None,
) -> PolicyWeek:
    r"""Run one week of a policy: take answers, divide new files, draw audits, check and monitor.

    Parameters
    ----------
    policy : Policy
        A policy of single outputs, or of whole documents.
    files : iterable of str or path-like
        The new files, as :func:`.apply_policy`, :func:`.apply_to_files` or :func:`.apply_to_fields`
        takes them. Without files, or with those of an earlier week, only answers are taken.
    folder : str or path-like
        The folder of all weeks under this policy; its parent folder must exist.
    budget : float, optional
        The average number of accepted outputs to audit (of fields, if whole documents are drawn);
        required in the first week. If a later week has the same budget or none, its accepted outputs
        are drawn with the probability of the first week, and the check is exact. Another budget applies
        to this week alone; the check then bets on outputs weighted by the inverse of their
        probabilities, and needs more outputs.
    deadline : int, default=4
        How many weeks to wait for the answers of a week; fixed in the first week.
    seed : int, default=0
        Week k draws with the seed plus k; fixed in the first week.
    answers : iterable of str or path-like
        Tables with answers: filled-in copies of ``audits.csv`` and ``review.csv`` of earlier weeks, or
        the files that their pages save. Tables in the weeks' folders are found without being given.
    confidence : str, default="confidence"
        The column of confidences in a table.
    by : str, optional
        The column of fields, if the policy has thresholds by field; by default ``field``.
    groups : str, optional
        The column of pages or other groups, for the test of shifted confidences.
    documents, types : str, optional
        The columns of documents and of their types, if the policy accepts whole documents; by default
        ``document``, and ``type`` if the policy has types.
    images : str or path-like, optional
        The images for the pages, as :func:`.write_station` takes them.
    read_options : mapping, optional
        Further arguments of :func:`.apply_to_files` or :func:`.apply_to_fields`.
    seconds : float, optional
        The seconds that a person needs for one output; the summary then states the hours of work.

    Returns
    -------
    PolicyWeek
        Whether to go on, what changed, and what to do.

    Raises
    ------
    ValueError, TypeError, OSError
        As the functions of each step. Also if the folder belongs to another policy, if a setting
        differs from the first week's, or if only some of the files belong to an earlier week. Nothing
        is written in these three cases.
    DataFileError
        As the functions of each step; also for answers that contradict earlier ones.
    ModuleNotFoundError
        If DuckDB or Jinja is not installed.

    See Also
    --------
    fastarac.operation.apply_policy : split the outputs in a file into accepted and rejected ones
    fastarac.partial_truth.sample_outputs : draw the outputs of a file that people verify
    fastarac.operation.Looks : the looks at a policy's limit so far
    fastarac.operation.ErrorRateMonitor : alarms where an error rate is above its limit

    Notes
    -----
    The folder of a week appears whole, and the state of all weeks is written last. So after an
    interrupt, the same call with the same files completes the week. A week is counted when its audits
    are answered or the deadline has passed, and when a later week has been drawn. Weeks are counted in
    order.
    Each counted week is a look at all weeks so far, and an update of the monitor.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "monday.csv")
    ...     _ = path.write_text("text,confidence\nfoo,300\nbar,-1\nbaz,0\n")
    ...     week = fa.weeks.run_week(policy, [path], Path(folder, "weeks"), budget=2)
    ...     names = sorted(each.name for each in Path(folder, "weeks", "week-01").iterdir())
    >>> print(week)
    Go on: no audits are counted yet; answer the 2 open audits
    >>> names  # doctest: +NORMALIZE_WHITESPACE
    ['accepted.csv', 'audits.csv', 'audits.html', 'log.parquet', 'review.csv', 'review.html',
     'state.json', 'summary.json', 'summary.txt']
    """
    require("jinja2", "report")
    require_policy(policy)
    if seconds is not None:
        seconds = positive_scalar(seconds, "seconds", strict=True)
    root, paths = path_of(folder, "folder"), [path_of(each, "files") for each in files]
    given = [path_of(each, "answers") for each in answers]
    columns = TableColumns(
        confidence, by or ("field" if policy.fields else None), groups,
        documents or (None if policy.documents is None else "document"),
        types or ("type" if policy.types else None),
    )  # fmt: skip
    root.mkdir(exist_ok=True)
    with locked(root / STATE):
        ledger = Ledger.load(root)
        if ledger is not None and ledger.policy_digest != policy.digest:
            raise ValueError(
                f"folder is {str(root)!r}, but it has the weeks of another policy: use a separate "
                "folder for each policy"
            )
        settings = settled(ledger, budget, deadline=deadline, seed=seed)
        ledger = ledger or Ledger.begin(policy, settings)
        found = fingerprints(paths)
        run = _Run(policy, root, ledger, found, seconds)
        run.take(given)
        if found and ledger.week_of(found) is None:
            divided = partial(divide, policy, paths, columns=columns, read_options=read_options or {})
            return run.new_week(divided, columns, budget, images)
        if not ledger.weeks:
            raise ValueError("files is empty: the first week needs files")
        return run.known_week()


@dataclass
class _Run:
    """One run of the program for a week: the ledger, and the logs with the answers so far."""

    policy: Policy
    root: Path
    ledger: Ledger
    files: Mapping[str, str]
    seconds: float | None
    taken: Taken = field(default_factory=Taken)
    logs: Sequence[WeekLog] = ()

    def take(self, given: Sequence[Path]) -> None:
        """Take all answers to earlier weeks."""
        weeks = self.ledger.weeks
        with connect() as connection:
            logs = [WeekLog.read(self.root / week.name, week, connection) for week in weeks]
        self.taken, self.logs = take_answers(self.ledger, self.root, given, logs)

    def new_week(
        self, divided: Any, columns: TableColumns, budget: float | None, images: Any
    ) -> PolicyWeek:
        """Divide the files, draw audits, and count complete weeks; write the folder all at once."""
        before = self.ledger.counted
        of_log = {name: each for name, each in columns._asdict().items() if name != "groups"}
        week = self.ledger.add_week(self.files, of_log)
        with whole_folder(self.root / week.name) as inside:
            done: Divided = divided(folder=inside)
            if not done.applied.accepted:
                raise ValueError(
                    "files has no output that the policy accepts, so there is nothing to audit: review "
                    "all outputs"
                )
            n_accepted = rows_of([inside / ACCEPTED])
            wanted, seed = self._budget(n_accepted, budget), self.ledger.settings.seed
            log = draw_audits(self.policy, inside, week, seed, wanted, n_accepted)
            self.ledger.answer_files += (digest_of(inside / name) for name in (AUDITS, REVIEW))
            self.logs = [*self.logs, log]
            notes = [*done.notes, *_write_pages(inside, log, done, columns, images)]
            result = self._result(week, before, applied=done.applied, notes=tuple(notes))
            _write_summary(inside, result)
            self.ledger.save(inside / STATE)
        self._finish(result)
        return result

    def _budget(self, accepted: int, given: float | None) -> float:
        """Return the budget of the week; by default, the first week's audit probability is kept."""
        first = self.ledger.settings.budget
        if self.logs and given in (None, first):
            return self.logs[0].least * accepted
        return first if given is None else given

    def known_week(self) -> PolicyWeek:
        """Count complete weeks, without new files."""
        week = self.ledger.week_of(self.files) if self.files else self.ledger.weeks[-1]
        result = self._result(week or self.ledger.weeks[-1], self.ledger.counted)
        self._finish(result)
        return result

    def _finish(self, result: PolicyWeek) -> None:
        """Write the files that depend on the ledger, and then the ledger itself."""
        if self.ledger.counted:
            write_columns(self.root / LOG, self._since(1).to_columns())
        if result.since is None:
            (self.root / SINCE).unlink(missing_ok=True)
        else:
            write_columns(self.root / SINCE, self._since(result.since).to_verified(self.policy))
        write_whole(self.root / "monitor.json", self.ledger.monitor.to_json())
        write_whole(self.root / "policy.looks", self.ledger.looks.to_json())
        self.ledger.save(self.root / STATE)

    def _since(self, week: int) -> PooledLogs:
        """Return the logs of the counted weeks, from `week` on."""
        return PooledLogs(self.logs[week - 1 : self.ledger.counted])

    def _result(self, week: Week, before: int, **of_files: Any) -> PolicyWeek:
        """Count the weeks that are complete, and return the result for `week`."""
        found, left_out = weigh(self.policy, self.ledger, self.logs)
        monitor, policy = self.ledger.monitor, self.policy
        drawn_at = [int(each["drawn_at"]) for each in monitor.to_dict()["updates"]]
        changes = tuple(drawn_at[i - 1] for i in monitor.changes)
        changed = monitor.changed or any(each > before for each in changes)
        stops = monitor.alarm or changed or _fails(found)
        since = drawn_at[(monitor.changed_since or 1) - 1] if stops and drawn_at else None
        taken, logs, counted = self.taken, self.logs, self.ledger.counted
        return PolicyWeek(
            number=week.number,
            folder=str(self.root / week.name),
            n_files=len(self.files),
            is_new=bool(of_files),
            applied=of_files.get("applied"),
            drawn=int(logs[week.number - 1].audits.sum()),
            drawn_documents=logs[week.number - 1].drawn_documents,
            answered=taken.audits,
            reviewed=taken.reviewed,
            known=taken.known,
            late=taken.late,
            known_files=taken.known_files,
            open=sum(log.open for log in logs[counted:]),
            counted=counted,
            criterion=policy.criterion,
            limit=policy.limit,
            errors=monitor.errors,
            audited=monitor.audited,
            unanswered=monitor.unanswered,
            rate=monitor.interval if monitor.audited else None,
            alarm=monitor.alarm,
            changes=changes,
            changed=changed,
            since=since,
            check=found,
            check_left_out=left_out,
            verified="" if since is None else str(self.root / SINCE),
            n_verified=0 if since is None else self._answered(self._since(since)),
            failure_probability=policy.failure_probability,
            monitor_failure_probability=monitor.failure_probability,
            notes=of_files.get("notes", ()),
            seconds=self.seconds,
        )

    def _answered(self, logs: PooledLogs) -> int:
        """Return how many audited or rejected outputs (or documents) people verified."""
        if self.policy.documents is not None:
            return int(logs.verified_documents()[0].sum())
        asked = logs.column("audits") | ~logs.column("accepted")
        return int(np.count_nonzero(asked & ~np.isnan(logs.column("correct"))))


def _fails(check: PolicyCheck | None) -> bool:
    return check is not None and check.verdict == "fails"


def _write_pages(
    inside: Path, log: WeekLog, done: Divided, columns: TableColumns, images: Any
) -> Sequence[str]:
    """Write the pages on which people answer the audits and the review; return notes."""
    from fastarac.station import write_station

    pages = {"images": images, "pages": done.pages, "confidence": columns.confidence}
    if log.audits.any():
        write_station(inside / "audits.html", inside / AUDITS, **pages)
    n = done.applied.rejected
    if n > MOST_REVIEWED:
        return [f"{REVIEW} has {n:,} outputs, too many for a page: use fastarac station on parts of it"]
    if n:
        write_station(inside / "review.html", inside / REVIEW, **pages)
    return []


def _write_summary(inside: Path, result: PolicyWeek) -> None:
    """Write the summary of a week as text and as JSON."""
    write_whole(inside / "summary.txt", summary_text(result))
    write_whole(inside / "summary.json", json_text(result.to_dict(), indent=1) + "\n")
