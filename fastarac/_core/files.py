"""Writing of files and folders that appear under their final name only when they are complete."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from fastarac._core.locks import is_there, try_lock

T = TypeVar("T")

PAGES = (".html", ".htm")
# Paths with these prefixes are open files. Content is written to them; they are not replaced.
STREAMS = ("/dev/fd/", "/dev/std", "/proc/")
ONLY_OURS = 0o600
PREFIX = ".fastarac-"
# Names of incomplete files.
PARTIAL = re.compile(rf"{re.escape(PREFIX)}[0-9a-f]{{32}}(\..*)?", re.DOTALL)
# Whether locks mark partial files as in use. On systems other than Linux, such a lock could keep DuckDB
# from locking the same file, so there are no locks.
LOCKS_TELL = sys.platform == "linux"


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path of an empty temporary file, which replaces `path` if nothing fails.

    The temporary file has the suffix of `path` and a random name, so that nobody can put a link in its
    place. If `path` is a link, the link stays and its target is replaced. If `path` is a pipe or a
    device, it receives the complete content at the end.
    """
    target = Path(os.path.realpath(path))
    partial = lock = None
    try:
        mode = _mode_of(path)
        is_stream = mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
        is_stream = is_stream or path.absolute().as_posix().startswith(STREAMS)
        folder = Path(tempfile.gettempdir()) if is_stream else target.parent
        # A file that replaces another is private until it gets the permissions of the replaced file.
        is_private = is_stream or mode is not None
        partial, lock = _created(folder, target.suffix, ONLY_OURS if is_private else 0o666)
        yield partial
        if is_stream:
            _send(partial, path)
            return
        if mode is not None:
            partial.chmod(stat.S_IMODE(mode))
        partial.replace(target)
    except OSError as error:
        if error.filename is not None and not _is_of(error.filename, path):
            raise
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from None
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _is_of(filename: Any, path: Path) -> bool:
    """Return whether an error's file name is `path` or a temporary file of this module."""
    return str(filename) == str(path) or Path(str(filename)).name.startswith(PREFIX)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder to write into, which becomes `path` if nothing fails."""
    if problem := folder_problem(path):
        raise FileExistsError(errno.EEXIST, problem, str(path))
    target = Path(os.path.realpath(path))
    partial = lock = None
    try:
        partial, lock = _created(target.parent, "", None)
        yield partial
        if target.exists():
            target.rmdir()
        partial.rename(target)
    except OSError as error:
        inside = partial is not None and str(error.filename).startswith(str(partial))
        if error.filename is not None and not inside and not _is_of(error.filename, path):
            raise
        reason = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, reason, str(path)) from None
    finally:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def folder_problem(path: Path) -> str | None:
    """Return the reason why `whole_folder` could not create the folder `path`, or None."""
    if path.is_dir():
        return "the folder is not empty: choose a new or an empty one" if any(path.iterdir()) else None
    if path.exists():
        return "it is a file: choose a new or an empty folder"
    if not path.absolute().parent.is_dir():
        return f"there is no directory {path.absolute().parent}"
    return None


def _mode_of(path: Path) -> int | None:
    with suppress(FileNotFoundError):
        return path.stat().st_mode
    return None


def _created(folder: Path, suffix: str, mode: int | None) -> tuple[Path, int | None]:
    """Create a locked empty file (a folder if `mode` is None) with an unguessable name.

    The lock shows that the file is in use; it lasts until the returned descriptor is closed.
    """
    _remove_abandoned(folder)
    while True:
        partial = folder / f"{PREFIX}{secrets.token_hex(16)}{suffix}"
        if mode is None:
            partial.mkdir()
            descriptor = os.open(partial, os.O_RDONLY) if LOCKS_TELL else None
        else:  # `os.open` raises an error if the name exists, even as a link
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(partial, flags, mode)
        if not LOCKS_TELL:
            if descriptor is not None:
                os.close(descriptor)
            return partial, None
        if descriptor is None or _holds(partial, descriptor):
            return partial, descriptor
        os.close(descriptor)  # another process has removed the file before it was locked


def _holds(partial: Path, descriptor: int) -> bool:
    """Lock a new file or folder; return False if it was removed before it was locked."""
    with suppress(OSError):  # without locks in the file system, no process removes partial files
        if not try_lock(descriptor):
            return False
    return is_there(partial, descriptor)


def _remove_abandoned(folder: Path) -> None:
    """Remove unlocked partial files and folders, which killed processes left behind."""
    if not LOCKS_TELL:
        return
    with suppress(OSError):  # the folder may be unreadable or read-only
        for name in [entry.name for entry in os.scandir(folder) if PARTIAL.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_unless_held(folder / name)


def _remove_unless_held(partial: Path) -> None:
    found = partial.lstat()
    is_folder = stat.S_ISDIR(found.st_mode)
    if found.st_uid != os.geteuid() or not (is_folder or stat.S_ISREG(found.st_mode)):
        return
    access = os.O_RDONLY if is_folder else os.O_RDWR
    descriptor = os.open(partial, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not try_lock(descriptor):
            return
        if is_folder:
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink()
    finally:
        os.close(descriptor)


def _send(source: Path, stream: Path) -> None:
    """Write the bytes of a file to a pipe or a device, or append them to an open file."""
    with source.open("rb") as file, os.fdopen(os.open(stream, os.O_WRONLY | os.O_APPEND), "wb") as out:
        shutil.copyfileobj(file, out)


def problem_with(path: Path, what: str, suffixes: Sequence[str]) -> str | None:
    """Return the reason why `what` (a plot, a report) could not be written to `path`, or None."""
    problem = suffix_problem(path, what, suffixes)
    if problem is not None:
        return problem
    if path.is_dir():
        return f"{path}: it is a directory"
    if not path.absolute().parent.is_dir():
        return f"{path}: there is no directory {path.absolute().parent}"
    return None


def suffix_problem(path: Path, what: str, suffixes: Sequence[str]) -> str | None:
    """Return a message if the file's name has none of these suffixes, else None."""
    if path.suffix.lower() in suffixes:
        return None
    *others, last = suffixes
    endings = f"{', '.join(others)} or {last}" if others else last
    return f"{path}: the name of the {what} should end in {endings}"


def path_of(value: Any, name: str = "path") -> Path:
    """Return `value` as a path; raise for anything that is not a path, such as a table."""
    try:
        return Path(value)
    except TypeError:
        message = f"{name} must be the path of a file, got a {type(value).__name__}"
        if hasattr(value, "columns"):
            message += " (fastarac.frames takes data frames)"
        raise TypeError(message) from None


def read_saved(path: str | os.PathLike[str], read: Callable[[str], T]) -> T:
    """Read a file written by this library; errors begin with the file's name."""
    file = path_of(path)
    try:
        return read(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(
            f"{file}: it is not UTF-8 text; the file is damaged, or of another kind"
        ) from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


class SavedAsJson:
    """Base class of objects that are saved as JSON files."""

    __slots__ = ()

    @abstractmethod
    def to_json(self) -> str:
        """Return the object as the text of a JSON file."""

    @classmethod
    @abstractmethod
    def from_json(cls, text: str) -> Self:
        """Return the object written by :meth:`to_json`; raise ValueError for any other text."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the object to a JSON file, whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read an object written by :meth:`save`; errors begin with the file's name."""
        return read_saved(path, cls.from_json)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file atomically, and return when its content is on the disk."""
    data = content.encode() if isinstance(content, str) else content
    with whole_file(Path(path)) as partial, partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
