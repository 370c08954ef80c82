"""The options of the commands about what is in use."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES_OF_FIT = """
Examples:

\b
  fastarac fit verified.csv --error-rate 0.01 -o policy.json
  fastarac fit fields.parquet --by field --error-rate 0.01 -o policy.json
  fastarac fit fields.parquet --by field --document form --error-rate 0.02 -o policy.json

The file is as for fastarac evaluate.
"""

EXAMPLES_OF_CHECK = """
Examples:

\b
  fastarac check policy.json verified.csv
  fastarac check policy.json verified.csv --by field --group page

The outputs have to be drawn at random from those that the policy is applied to.
"""


class Rule(StrEnum):
    """How outputs make the confidence of a document."""

    product = "product"
    least = "least"


class Form(StrEnum):
    """How the result is printed."""

    text = "text"
    json = "json"


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A CSV, TSV, JSON lines or Parquet file of outputs.", show_default=False
    ),
]
PolicyFile = Annotated[
    Path,
    typer.Argument(metavar="POLICY", help="What fastarac fit has written.", show_default=False),
]
PolicyOutput = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write the policy, as JSON."),
]
Fields = Annotated[
    str | None,
    typer.Option("--by", metavar="COLUMN", help="Column of fields, each with its own threshold."),
]
Document = Annotated[
    str | None,
    typer.Option(
        "--document",
        metavar="COLUMN",
        help="Column of documents, each of which is accepted as a whole or not at all.",
    ),
]
RuleOption = Annotated[
    Rule, typer.Option("--rule", help="How outputs make the confidence of a document.")
]
ErrorRate = Annotated[
    float | None,
    typer.Option(
        "--error-rate", metavar="RATE", help="Allowed share of errors that remain among all outputs."
    ),
]
MaxRisk = Annotated[
    float | None,
    typer.Option(
        "--max-risk", metavar="RATE", help="Allowed share of errors among the accepted outputs."
    ),
]
Failure = Annotated[
    float,
    typer.Option(
        "--guarantee",
        metavar="PROBABILITY",
        help="How probable it may be that the limit is not kept on new outputs.",
    ),
]
MaxGroupSize = Annotated[
    int | None,
    typer.Option(
        "--max-group-size",
        metavar="N",
        help="Outputs that a group has at most.  [default: as many as the largest one has]",
    ),
]
TextOrJson = Annotated[
    Form, typer.Option("--format", help="A sentence for people, or all figures for programs.")
]
