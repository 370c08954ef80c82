"""The record of all weeks: files, answers, looks and the monitor, in one state file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core import saved
from fastarac._core.checks import positive_scalar, whole_number
from fastarac._core.files import read_saved, write_whole
from fastarac._core.text import few_of, json_text, quoted
from fastarac.operation.application import WRITTEN_FORMATS
from fastarac.operation.looks import Looks
from fastarac.operation.monitoring.monitor import ErrorRateMonitor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from fastarac.operation.policy import Policy

KIND = "fastarac weeks"
VERSION = 1
STATE = "state.json"
LOG = "log.parquet"
DEADLINE = 4  # default number of weeks to wait for answers
DIGEST = 16  # number of hexadecimal digits in the fingerprint of a file
PREFIX = 8  # number of hexadecimal digits that begin the ids of a week's audits
LISTED = 3  # maximum number of files that a message names
LABELS = "by", "documents", "types"  # the columns of labels in the log of a week


class WeekSettings(NamedTuple):
    """Settings of the first week. The budget may change in later weeks, the others may not."""

    budget: float
    deadline: int
    seed: int


@dataclass
class Week:
    """One week: its files, the columns of its log, and the answers so far."""

    number: int
    files: dict[str, str]
    prefix: str
    columns: dict[str, str | None]
    """The columns of the week's log: confidence, by, documents and types."""
    answers: dict[int, int] = field(default_factory=dict)
    """Whether the output in a row of the week's log is right: 1 or 0."""

    @property
    def name(self) -> str:
        """The name of the week's folder."""
        return f"week-{self.number:02d}"

    def id_of(self, row: int) -> str:
        """Return the id of a row of the week's log."""
        return f"{self.prefix}-{row}"


def _text_of_digits(value: Any, name: str) -> str:
    if not isinstance(value, str) or set(value) - set("01"):
        raise saved.unexpected(value, name, "a text of the digits 0 and 1")
    return value


_FILE = saved.record({"name": saved.text, "digest": saved.hexadecimal(DIGEST)})
_CHECK = saved.record(
    {
        "policy_digest": saved.hexadecimal(64),
        "settings": saved.record(
            {
                "budget": saved.number(partial(positive_scalar, strict=True)),
                "deadline": saved.whole(1),
                "seed": saved.whole(),
            }
        ),
        "weeks": saved.sequence(
            saved.record(
                {
                    "number": saved.whole(1),
                    "files": saved.sequence(_FILE),
                    "prefix": saved.hexadecimal(PREFIX),
                    "confidence": saved.text,
                    **dict.fromkeys(LABELS, saved.optional(saved.text)),
                    "rows": saved.sequence(saved.whole(1)),
                    "right": _text_of_digits,
                }
            )
        ),
        "counted": saved.whole(),
        "answer_files": saved.sequence(saved.hexadecimal(DIGEST)),
        "looks": lambda value, _: value,
        "monitor": lambda value, _: value,
    }
)


@dataclass
class Ledger:
    """The record of all weeks under one policy.

    The check and the monitor have counted the first `counted` weeks.
    """

    policy_digest: str
    settings: WeekSettings
    weeks: list[Week]
    counted: int
    answer_files: list[str]
    looks: Looks
    monitor: ErrorRateMonitor

    @classmethod
    def begin(cls, policy: Policy, settings: WeekSettings) -> Ledger:
        """Return the ledger of a policy before its first week."""
        limit: dict[str, Any] = {policy.criterion: policy.limit}
        monitor = ErrorRateMonitor(policy=policy, deadline=settings.deadline, **limit)
        return cls(policy.digest, settings, [], 0, [], Looks(), monitor)

    def week_of(self, files: Mapping[str, str]) -> Week | None:
        """Return the week that had these files; None if all files are new.

        Raises
        ------
        ValueError
            If some of the files are new and others are not.
        """
        known = {digest: week for week in self.weeks for digest in week.files}
        old = [digest for digest in files if digest in known]
        if not old:
            return None
        if len({known[digest].number for digest in old}) == 1 and len(old) == len(files):
            return known[old[0]]
        names = few_of([quoted(files[digest]) for digest in old], LISTED)
        were = "was" if len(old) == 1 else "were"
        raise ValueError(
            f"files must be new, but {len(old):,} {were} given in an earlier week: {names}"
        )

    def add_week(self, files: Mapping[str, str], columns: Mapping[str, str | None]) -> Week:
        """Begin the next week."""
        number = len(self.weeks) + 1
        about = f"{self.policy_digest} {number} {' '.join(sorted(files))}"
        prefix = hashlib.sha256(about.encode()).hexdigest()[:PREFIX]
        week = Week(number, dict(files), prefix, dict(columns))
        self.weeks.append(week)
        return week

    def save(self, path: Path) -> None:
        """Write the ledger to a JSON file, whole or not at all."""
        content = {
            "kind": KIND, "version": VERSION, "policy_digest": self.policy_digest,
            "settings": self.settings._asdict(),
            "weeks": [_written(each) for each in self.weeks],
            "counted": self.counted, "answer_files": self.answer_files,
            "looks": json.loads(self.looks.to_json()), "monitor": self.monitor.to_dict(),
        }  # fmt: skip
        write_whole(path, json_text(content, indent=1) + "\n")

    @classmethod
    def from_json(cls, text: str) -> Ledger:
        """Return the ledger in the text of a file; raise ValueError for any other text."""
        found = saved.content_of(text, KIND, VERSION)
        for each in found["weeks"] if isinstance(found.get("weeks"), list) else ():
            if isinstance(each, dict):  # files of older versions lack these columns
                each |= {name: each.get(name) for name in LABELS}
        content = _CHECK(found, "")
        weeks = []
        for i, each in enumerate(content["weeks"]):
            saved.require_length(each["rows"], f"weeks[{i}].rows", len(each["right"]), "right")
            answers = dict(zip(each["rows"], map(int, each["right"]), strict=True))
            files = {file["digest"]: file["name"] for file in each["files"]}
            columns = {name: each[name] for name in ("confidence", *LABELS)}
            weeks.append(Week(each["number"], files, each["prefix"], columns, answers))
        saved.require_at_most(content["counted"], "counted", len(weeks), "the number of weeks")
        return cls(
            content["policy_digest"], WeekSettings(**content["settings"]), weeks, content["counted"],
            list(content["answer_files"]), Looks.from_json(json_text(content["looks"])),
            ErrorRateMonitor.from_dict(content["monitor"]),
        )  # fmt: skip

    @classmethod
    def load(cls, folder: Path) -> Ledger | None:
        """Return the latest ledger in a folder of weeks, or None before the first week.

        Each week's folder has a copy of the ledger. If a run was interrupted, the copy may be newer
        than the ledger in `folder`.
        """
        of_weeks = folder.glob(f"week-*/{STATE}")
        paths = [folder / STATE, *sorted(of_weeks, key=lambda path: (len(str(path)), path))[-1:]]
        found = [read_saved(path, cls.from_json) for path in paths if path.exists()]
        return max(found, key=lambda each: len(each.weeks), default=None)


def _written(week: Week) -> dict[str, Any]:
    rows = sorted(week.answers)
    return {
        "number": week.number,
        "files": [{"name": name, "digest": digest} for digest, name in week.files.items()],
        "prefix": week.prefix,
        **week.columns,
        "rows": rows,
        "right": "".join(str(week.answers[row]) for row in rows),
    }


def settled(ledger: Ledger | None, budget: float | None, **given: int | None) -> WeekSettings:
    """Return the settings; a value `given` in a later week must be the same as in the first week.

    Raises
    ------
    ValueError
        If a setting is invalid, or not that of the first week.
    TypeError
        If `budget` is missing in the first week.
    """
    if ledger is None:
        deadline = DEADLINE if given["deadline"] is None else given["deadline"]
        if budget is None:
            raise TypeError("budget is missing: give the number of outputs to audit in the first week")
        return WeekSettings(
            positive_scalar(budget, "budget", strict=True), whole_number(deadline, "deadline", 1),
            whole_number(given["seed"] or 0, "seed", 0),
        )  # fmt: skip
    for name, value in given.items():
        first = getattr(ledger.settings, name)
        if value not in (None, first):
            raise ValueError(
                f"{name} is {value:g}, but was {first:g} in the first week; use {first:g}, or begin in "
                "another folder"
            )
    return ledger.settings


def digest_of(path: Path, name: str = "") -> str:
    """Return a fingerprint of a file's content and of `name`."""
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(f"{name}\n{content}".encode()).hexdigest()[:DIGEST]


def fingerprints(paths: Iterable[Path]) -> dict[str, str]:
    """Return the paths of all files by fingerprint; a folder stands for the files inside.

    The fingerprint of a page's or document's file also depends on its name, because all blank pages
    have the same content.

    Raises
    ------
    ValueError
        If one table is given twice.
    """
    found: dict[str, str] = {}
    for path, name in _files_in(paths):
        digest = digest_of(path, name)
        if digest in found:
            raise ValueError(
                f"files has {quoted(found[digest])} and {quoted(str(path))} with the same content: "
                "give only one of them"
            )
        found[digest] = str(path)
    return found


def _files_in(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file with a name: its path within a folder in `paths`, or its own name.

    The name of a table that is itself in `paths` is empty.
    """
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file())
            yield from ((each, each.relative_to(path).as_posix()) for each in inside)
        else:
            yield path, "" if path.suffix.lower() in WRITTEN_FORMATS else path.name
