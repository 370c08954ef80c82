"""Limits on the length of lines and on decompressed size, against files made to fill the memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from fastarac._core.checks import real_scalar, whole_number

MAX_LINE = 16 << 20
MAX_RATIO = 200.0
HARMLESS = 64 << 20  # every file may expand to this many bytes, however small it is
MAX_COLUMNS = 10_000  # DuckDB takes about 6 kB of memory per column


class ReadingLimits(NamedTuple):
    max_line: int
    max_ratio: float


DEFAULT = ReadingLimits(MAX_LINE, MAX_RATIO)
_LIMITS: ContextVar[ReadingLimits] = ContextVar("limits", default=DEFAULT)


@contextmanager
def reading_limits(*, max_line: int | None = None, max_ratio: float | None = None) -> Iterator[None]:
    r"""Context manager that changes the limits on line length and decompressed size of files.

    Files may come from strangers, and a compressed file of 1 MB can expand to a gigabyte. Reading a
    file beyond a limit raises an error that names the limit, before the file fills the memory.

    Parameters
    ----------
    max_line : int, optional
        Maximum number of bytes in a line of a text file, or in a row of a CSV file, which may span
        several lines. The default is 16 MiB.
    max_ratio : float, optional
        Maximum ratio of a file's expanded size to its compressed size, at least 1 or ``math.inf``. The
        default is 200, but every file may expand to at least 64 MiB. The expanded size of a Parquet
        file is the size of its pages, which the footer states, or 8 bytes per row if that is more.

    Raises
    ------
    ValueError
        If a limit is below 1.
    TypeError
        If a limit is not a number.

    See Also
    --------
    read_outputs : read outputs and their confidences from a file
    read_models : read the outputs of several models

    Notes
    -----
    The limits apply to the thread or asynchronous task that enters the block. They hold for all
    functions that read files of outputs: :func:`read_outputs`, :func:`read_models`,
    :func:`sketch_outputs`, :func:`.apply_policy` and :func:`.read_audits`.

    Examples
    --------
    >>> import gzip
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.io import read_outputs, reading_limits
    >>> with TemporaryDirectory() as folder, reading_limits(max_ratio=1000):
    ...     path = Path(folder, "outputs.csv.gz")
    ...     _ = path.write_bytes(gzip.compress(b"correct,confidence\n" + b"1,0.5\n" * 1000))
    ...     print(read_outputs(path))
    Outputs(1000 items, 1000 correct)
    """
    line, ratio = _LIMITS.get()
    if max_line is not None:
        line = whole_number(max_line, "max_line", 1)
    if max_ratio is not None:
        ratio = real_scalar(max_ratio, "max_ratio", finite=False)
        if ratio < 1:
            raise ValueError(f"max_ratio must be a number of at least 1, got {max_ratio!r}")
    token = _LIMITS.set(ReadingLimits(line, ratio))
    try:
        yield
    finally:
        _LIMITS.reset(token)


def longest_line() -> int:
    """Return the maximum number of bytes in a line."""
    return _LIMITS.get().max_line


def too_long(what: str) -> str:
    """Return the error message about a line or row that is too long."""
    most = f"{longest_line():,} bytes"
    return f"{what} has more than {most}; reading_limits(max_line=BYTES) allows longer ones"


def largest_expansion(size: int) -> float:
    """Return the maximum number of bytes to which a compressed file of this size may expand."""
    return max(HARMLESS, size * _LIMITS.get().max_ratio)


def expands_too_far(size: int) -> str:
    """Return the error message about a file that expands too far."""
    return (
        f"it expands to more than {_LIMITS.get().max_ratio:g} times its {size:,} bytes and may be made "
        "to fill the memory; reading_limits(max_ratio=RATIO) allows more"
    )
