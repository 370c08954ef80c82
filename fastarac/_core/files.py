"""Files that appear once they are complete."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
