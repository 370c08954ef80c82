"""Files that appear once they are complete."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file that is on the disk when this returns, and at no time half written."""
    with whole_file(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
