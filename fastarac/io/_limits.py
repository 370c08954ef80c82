"""How long lines may be and how far compressed files may expand, against files made to fill memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from fastarac._core.checks import real_scalar, whole_number

MAX_LINE = 16 << 20
MAX_RATIO = 200.0
HARMLESS = 64 << 20  # bytes to which any file may expand
MAX_COLUMNS = 10_000  # DuckDB takes some 6 kB for each


class ReadingLimits(NamedTuple):
    max_line: int
    max_ratio: float


DEFAULT = ReadingLimits(MAX_LINE, MAX_RATIO)
_LIMITS: ContextVar[ReadingLimits] = ContextVar("limits", default=DEFAULT)


@contextmanager
def reading_limits(*, max_line: int | None = None, max_ratio: float | None = None) -> Iterator[None]:
    r"""Read files inside with other limits on what a file may hold.

    Files may come from strangers, and a compressed file of 1 MB can hold a gigabyte. What goes beyond a
    limit is refused with an error that names it, before memory is taken in proportion to it.

    Parameters
    ----------
    max_line : int, optional
        Bytes of a line of a text file, and of a row of a CSV file, which may go over several lines;
        16 MiB where nothing else is said.
    max_ratio : float, optional
        How many times its size a compressed file may expand to, of at least 1 or ``math.inf``; 200
        where nothing else is said. Up to 64 MiB it may expand to in any case. A Parquet file is
        measured by what its footer says: its pages, or 8 bytes a row if that is more.

    Raises
    ------
    ValueError
        Where a limit is below 1.
    TypeError
        Where a limit is no number.

    See Also
    --------
    read_outputs : read outputs and their confidences from a file
    read_models : read the outputs of several models

    Notes
    -----
    The limits are those of the thread, or of the asynchronous task, that enters the block. All
    functions that read files of outputs keep them: :func:`read_outputs`, :func:`read_models`,
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
    """Return how many bytes a line may have."""
    return _LIMITS.get().max_line


def too_long(what: str) -> str:
    """Return what is wrong with a line, or a row, that is too long."""
    most = f"{longest_line():,} bytes"
    return f"{what} has more than {most}; reading_limits(max_line=BYTES) allows longer ones"


def largest_expansion(size: int) -> float:
    """Return the bytes to which a compressed file of this size may expand."""
    return max(HARMLESS, size * _LIMITS.get().max_ratio)


def expands_too_far(size: int) -> str:
    """Return what is wrong with a file that expands to more than it may."""
    return (
        f"it expands to more than {_LIMITS.get().max_ratio:g} times its {size:,} bytes, as files do "
        "that are made to fill memory; reading_limits(max_ratio=RATIO) allows more"
    )
