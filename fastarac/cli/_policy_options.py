"""Options that several commands about policies share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fastarac.cli._options import option
from fastarac.cli._panels import Panel
from fastarac.reviewer import Reviewer


def truth_reader(text: str) -> Reviewer:
    """Read the share of errors that people find, or the counts that estimate this share."""
    parts = text.split(",")
    try:
        if len(parts) == 3:
            both, first, second = (int(part) for part in parts)
            return Reviewer(double_readings=(both, first, second))
        return Reviewer(detection_rate=float(text))
    except ValueError as error:
        if isinstance(error.__cause__, ValueError) or "could not convert" in str(error):
            problem = "use a share such as 0.9, or three counts such as 82,9,10"
            raise typer.BadParameter(f"got {text!r}; {problem}") from None
        raise typer.BadParameter(str(error)) from None


ConfidenceScale = StrEnum("ConfidenceScale", ["unit", "percent"])
File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A CSV, TSV, JSON lines or Parquet file.", show_default=False),
]
AppliedFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE|OCR...",
        help="A table of outputs, or files and folders of OCR.",
        show_default=False,
    ),
]
PolicyFile = Annotated[
    Path, typer.Argument(metavar="POLICY", help="The file that fastarac fit wrote.", show_default=False)
]
Document = Annotated[
    str | None,
    option(
        "--document COLUMN",
        "Document of each field; documents are accepted as a whole or not at all.",
        Panel.columns,
    ),
]
DocumentTypes = Annotated[
    str | None,
    option(
        "--type COLUMN", "Type of each document, which decides the fields that it needs.",
        Panel.columns, expert=True,
    ),
]  # fmt: skip
Optional = Annotated[
    list[str] | None,
    option(
        "--optional FIELD",
        "Field that a document may lack, or a .toml file of them.",
        Panel.columns,
    ),
]
FieldsComplete = Annotated[
    bool,
    option(
        "--fields-complete", "Treat a field as empty if the truth does not list it.",
        Panel.columns, expert=True,
    ),
]  # fmt: skip
Scale = Annotated[
    ConfidenceScale | None,
    option(
        "--scale SCALE",
        "With --max-risk: scale of the confidences, unit (0 to 1) or percent.",
        Panel.limits,
    ),
]
Only = Annotated[
    str | None,
    option("--only NAME", 'Use only this model of the column "model".', Panel.columns),
]
TruthFound = Annotated[
    Any,
    option(
        "--truth-found SHARE",
        "Share of errors that people find, such as 0.9; or three numbers of errors found by two people "
        "(both, only the first, only the second), such as 82,9,10.",
        Panel.verifying, expert=True, parser=truth_reader, show_default=False,
    ),
]  # fmt: skip
Images = Annotated[
    Path | None,
    option(
        "--images FOLDER", "Images of the pages, to show beside the text.", Panel.files, expert=True
    ),
]
Station = Annotated[
    Path | None,
    option(
        "--station FILE",
        "Write an .html page on which a person marks which outputs are right.",
        Panel.output,
    ),
]
ReviewPages = Annotated[
    Path | None,
    option(
        "--review-pages FOLDER",
        "New folder for one .html file per page.",
        Panel.output,
        expert=True,
    ),
]
