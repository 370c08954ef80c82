"""The options that several of the commands about policies have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastarac.cli._options import MAX_RISK, option, rate

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A CSV, TSV, JSON lines or Parquet file of outputs.", show_default=False
    ),
]
AppliedFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE|OCR...",
        help="A CSV, TSV, JSON lines or Parquet file of outputs; or files and folders of OCR, or of a "
        "service that reads fields.",
        show_default=False,
    ),
]
PolicyFile = Annotated[
    Path,
    typer.Argument(metavar="POLICY", help="What fastarac fit has written.", show_default=False),
]
Fields = Annotated[str | None, option("--by COLUMN", "Column of fields, each with its own threshold.")]
Document = Annotated[
    str | None,
    option(
        "--document COLUMN", "Column of documents, each of which is accepted as a whole or not at all."
    ),
]
DocumentTypes = Annotated[
    str | None,
    option(
        "--type COLUMN", "Column of document types; only the fields of its type are required of one."
    ),
]
FieldsComplete = Annotated[
    bool,
    option(
        "--fields-complete", "A field that the truth of a document does not list has no true value."
    ),
]
Only = Annotated[
    str | None,
    option("--only NAME", 'Take the outputs of one model alone, named in the column "model".'),
]
ErrorRate = Annotated[
    float | None,
    option("--error-rate RATE", "Allowed share of errors that remain among all outputs.", parser=rate),
]
MaxRisk = Annotated[float | None, MAX_RISK]
Failure = Annotated[
    float,
    option(
        "--guarantee PROBABILITY", "How probable it may be that the limit is not kept on new outputs."
    ),
]
Approximate = Annotated[
    bool,
    option(
        "--approximate",
        "With --group: a limit by an approximation (gamma), which accepts more and is not proved.",
    ),
]
MaxGroupSize = Annotated[
    int | None,
    option(
        "--max-group-size N",
        "Outputs that a group has at most.  [default: as many as the largest one has]",
    ),
]
