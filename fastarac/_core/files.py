"""Files that appear once they are complete."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

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


def path_of(value: Any, name: str = "path") -> Path:
    """Return the path of a file, and raise for anything that is none, such as a table."""
    try:
        return Path(value)
    except TypeError:
        message = f"{name} is a {type(value).__name__}; the path of a file is expected"
        if hasattr(value, "columns"):
            message += " (fastarac.frames takes data frames)"
        raise TypeError(message) from None


def read_saved(path: str | os.PathLike[str], read: Callable[[str], T]) -> T:
    """Return what a file of ours holds; the error for any other one begins with its name."""
    file = path_of(path)
    try:
        return read(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file that is on the disk when this returns, and at no time half written."""
    with whole_file(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
