"""Files that appear once they are complete."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGES = (".html", ".htm")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to, which takes its place where nothing fails.

    Two processes that write the same file do not meet: the name has the number of the process. It
    keeps the suffix, from which some writers tell the format.
    """
    target = path.resolve()
    partial = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def problem_with(path: Path, what: str, suffixes: Sequence[str]) -> str | None:
    """Return why a plot, a report or the like could not be written to this file, or None."""
    problem = suffix_problem(path, what, suffixes)
    if problem is not None:
        return problem
    if path.is_dir():
        return f"{path}: it is a directory"
    if not path.absolute().parent.is_dir():
        return f"{path}: there is no directory {path.absolute().parent}"
    return None


def suffix_problem(path: Path, what: str, suffixes: Sequence[str]) -> str | None:
    """Return that the name of a file should end otherwise, or None."""
    if path.suffix.lower() in suffixes:
        return None
    *others, last = suffixes
    endings = f"{', '.join(others)} or {last}" if others else last
    return f"{path}: the name of the {what} should end in {endings}"


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file that is on the disk when this returns, and at no time half written."""
    with whole_file(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
