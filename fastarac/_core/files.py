"""Files that appear once they are complete."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

PAGES = (".html", ".htm")
STREAMS = ("/dev/fd/", "/dev/std", "/proc/")  # names of open files; what they name is not replaced
ONLY_OURS = 0o600


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to, whose file takes the place of `path` where nothing fails.

    It is an empty file beside `path` that was created under a name nobody can guess, so that no link
    is followed and writers of the same file, in other processes or threads, do not meet. It keeps the
    suffix, from which some writers tell the format. The file has the permissions of the one that it
    replaces. A link stays, and what it points to is replaced. What is written for a pipe or a device
    is sent there once it is complete.

    Where the writer raises an OSError that names no file, as for a full disk, it names `path`.
    """
    target = Path(os.path.realpath(path))
    name = partial = None
    try:
        mode = _mode_of(path)
        is_stream = mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
        is_stream = is_stream or path.absolute().as_posix().startswith(STREAMS)
        folder = Path(tempfile.gettempdir()) if is_stream else target.parent
        name = folder / f".fastarac-{secrets.token_hex(16)}{target.suffix}"
        is_private = is_stream or mode is not None  # until it has the permissions of the other
        _create(name, ONLY_OURS if is_private else 0o666)
        partial = name
        yield partial
        if is_stream:
            _send(partial, path)
            return
        if mode is not None:
            partial.chmod(stat.S_IMODE(mode))
        partial.replace(target)
    except OSError as error:
        if error.filename is not None and str(error.filename) not in (str(name), str(path)):
            raise
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from None
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to write into, which takes the place of `path` where nothing fails.

    Raises
    ------
    FileExistsError
        Where `path` is a file, or a folder that is not empty.
    """
    if problem := folder_problem(path):
        raise FileExistsError(errno.EEXIST, problem, str(path))
    target = Path(os.path.realpath(path))
    partial = target.parent / f".fastarac-{secrets.token_hex(16)}"
    try:
        partial.mkdir()
        yield partial
        if target.exists():
            target.rmdir()
        partial.rename(target)
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(partial)):
            raise
        reason = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, reason, str(path)) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def folder_problem(path: Path) -> str | None:
    """Return why `whole_folder` could not make this folder, or None."""
    if path.is_dir():
        return (
            "the folder is not empty; a new or an empty one is expected"
            if any(path.iterdir())
            else None
        )
    if path.exists():
        return "it is a file; a new or an empty folder is expected"
    if not path.absolute().parent.is_dir():
        return f"there is no directory {path.absolute().parent}"
    return None


def _mode_of(path: Path) -> int | None:
    with suppress(FileNotFoundError):
        return path.stat().st_mode
    return None


def _create(path: Path, mode: int) -> None:
    """Create an empty file; raise where there is anything of its name, such as a link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(path, flags, mode))


def _send(source: Path, stream: Path) -> None:
    """Write the bytes of a file to a pipe or a device, or behind what an open file holds."""
    with source.open("rb") as file, os.fdopen(os.open(stream, os.O_WRONLY | os.O_APPEND), "wb") as out:
        shutil.copyfileobj(file, out)


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


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file that is on the disk when this returns, and at no time half written."""
    data = content.encode() if isinstance(content, str) else content
    with whole_file(Path(path)) as partial, partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
