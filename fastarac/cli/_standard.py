"""Write to the standard output, and notes to the standard error."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING, Any

import typer

from fastarac._core.text import printable
from fastarac.cli._exit import discard_output
from fastarac.cli._options import RefusalError
from fastarac.io._cells import safe_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def tell(notes: Iterable[str], kind: str = "note") -> None:
    """Write notes, or warnings, to stderr."""
    for note in notes:
        typer.echo(f"fastarac: {kind}: {printable(note)}", err=True)


def write(text: str) -> None:
    """Write to stdout, escaping characters that its encoding lacks."""
    if sys.stdout is None:
        raise RefusalError("the standard output is closed")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise RefusalError(f"the standard output cannot be written: {error.strerror}") from None


def csv_text(records: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV with a header; None becomes an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(records[0])
    for record in records:
        cells = record.values()
        writer.writerow(safe_cell(printable(c)) if isinstance(c, str) else c for c in cells)
    return text.getvalue()
