"""The options of the commands about what is in use."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fastarac.cli._options import rate

EXAMPLES_OF_PLAN = """
Examples:

\b
  fastarac plan --error-rate 0.01 --expect 0.005
  fastarac plan --error-rate 0.01 --expect 0.005 --plot power.png
  fastarac plan --error-rate 0.01 --audit 0.02 --outputs 40000
  fastarac plan --difference 0.01 --discordance 0.05
  fastarac plan --pilot outputs.csv --statistic roc_auc --half-width 0.01
"""

EXAMPLES_OF_FIT = """
Examples:

\b
  fastarac fit verified.csv --error-rate 0.01 -o policy.json
  fastarac fit fields.parquet --by field --error-rate 0.01 -o policy.json
  fastarac fit fields.parquet --by field --document form --error-rate 0.02 -o policy.json

The file is as for fastarac evaluate. Where its column "model" has several names, as in what fastarac
ocr -o writes, --only says which one the policy is for.
"""

EXAMPLES_OF_CHECK = """
Examples:

\b
  fastarac check policy.json verified.csv
  fastarac check policy.json verified.csv --by field --group page
  fastarac check policy.json log.csv --log

The outputs have to be drawn at random from those that the policy is applied to. A log has all outputs
of a time, with the columns accepted, audited and audit_probability; the truth of those that nobody saw
is empty.
"""


EXAMPLES_OF_APPLY = """
Examples:

\b
  fastarac apply policy.json today.csv -o accepted.csv --review review.csv
  fastarac apply policy.json today.parquet --by field -o accepted.parquet --review review.csv
  fastarac apply policy.json forms.csv --by field --document form -o accepted.csv --review review.csv

The file has a column "confidence"; no truth is needed. Its size does not matter.
"""

EXAMPLES_OF_MONITOR = """
Examples:

\b
  fastarac monitor policy.json audits.csv
  fastarac monitor policy.json monday.csv tuesday.csv --state state.json --plot monitor.png
  fastarac monitor policies/ audits.csv --policy source --state state.json

The files hold outputs that were drawn at random, accepted or not, with their truth. With --state,
files that were counted before are not counted again. The policies of a folder share one probability of
a false alarm.
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
PoliciesFile = Annotated[
    Path,
    typer.Argument(
        metavar="POLICY",
        help="What fastarac fit has written, or a folder of such files.",
        show_default=False,
    ),
]
PolicyColumn = Annotated[
    str | None,
    typer.Option(
        "--policy", metavar="COLUMN", help="Column of the names of the policies in the folder POLICY."
    ),
]
Log = Annotated[
    bool,
    typer.Option("--log", help="Take the file as a log of all outputs, some of which were audited."),
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
Only = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="NAME",
        help='Fit to the outputs of one model alone, named in the column "model".',
    ),
]
RuleOption = Annotated[
    Rule, typer.Option("--rule", help="How outputs make the confidence of a document.")
]
ErrorRate = Annotated[
    float | None,
    typer.Option(
        "--error-rate",
        metavar="RATE",
        parser=rate,
        help="Allowed share of errors that remain among all outputs.",
    ),
]
MaxRisk = Annotated[
    float | None,
    typer.Option(
        "--max-risk",
        metavar="RATE",
        parser=rate,
        help="Allowed share of errors among the accepted outputs.",
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
Expect = Annotated[
    float | None,
    typer.Option(
        "--expect",
        metavar="RATE",
        parser=rate,
        help="Error rate that the outputs are expected to have.",
    ),
]
Audit = Annotated[
    float | None,
    typer.Option(
        "--audit",
        metavar="RATE",
        parser=rate,
        help="Error rate above the limit that audits are to see.",
    ),
]
Outputs = Annotated[
    int | None,
    typer.Option("--outputs", metavar="N", help="Outputs to come, to say which share to audit."),
]
Power = Annotated[
    float,
    typer.Option(metavar="PROBABILITY", help="With which probability that is to be reached."),
]
DesignEffect = Annotated[
    float,
    typer.Option(
        "--design-effect", metavar="RATIO", help="By how much groups raise the variance, at least 1."
    ),
]
Difference = Annotated[
    float | None,
    typer.Option(metavar="RATE", help="Difference of two models' recognition rates to be found."),
]
Discordance = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Share of outputs that one of the two alone gets right."),
]
Pilot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Verified outputs, from which an interval's width or the effect of groups is known.",
    ),
]
PilotGroup = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="Column of the pilot: pages or documents, whose effect counts.",
    ),
]
HalfWidth = Annotated[
    float | None, typer.Option("--half-width", metavar="WIDTH", help="Of the interval wanted.")
]
PlannedStatistic = Annotated[
    str | None,
    typer.Option(
        "--statistic",
        metavar="NAME",
        help="Whose interval, beside --half-width.  [default: arac_auc]",
    ),
]
PlotOfPower = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the power over the number of outputs."),
]
AcceptedOutput = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write what is accepted."),
]
ReviewOutput = Annotated[
    Path,
    typer.Option("--review", metavar="FILE", help="Where to write what people are to verify."),
]
AuditFiles = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="Files of audited outputs.", show_default=False),
]
State = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="What was counted so far; it is made where it is not there."),
]
PlotOfMonitor = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the error rate over the audits."),
]
FalseAlarm = Annotated[
    float,
    typer.Option(
        "--guarantee",
        metavar="PROBABILITY",
        help="How probable it may be that there is ever an alarm while the limit is kept.",
    ),
]
