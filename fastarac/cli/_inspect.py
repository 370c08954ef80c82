"""What files hold, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastarac.cli._json import write_object
from fastarac.cli._options import ends_quietly, refused
from fastarac.cli._standard import write

if TYPE_CHECKING:
    from collections.abc import Sequence

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Files of OCR engines or services, true texts, or tables.",
        show_default=False,
    ),
]


def run(paths: Sequence[Path], form: str) -> None:
    """Print what each file holds, or all of it as one object."""
    with ends_quietly():
        from fastarac.ocr import inspect_file

        with refused(ValueError, OSError, ModuleNotFoundError):
            found = [inspect_file(path) for path in paths]
        if form == "json":
            write_object("inspect", {"files": [each.to_dict() for each in found]})
        else:
            write("\n\n".join(map(str, found)) + "\n")
