"""The options of the commands about what is in use."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fastarac.cli._options import MAX_RISK, counts, option, rate

EXAMPLES_OF_PLAN = """
Examples:

\b
  fastarac plan --error-rate 0.01 --expect 0.005
  fastarac plan --error-rate 0.01 --expect 0.005 --plot power.png
  fastarac plan --error-rate 0.01 --pilot verified.csv --by field --group page
  fastarac plan --error-rate 0.01 --expect 0.002 --group-sizes 20 --icc 0.1
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
  fastarac fit fields.parquet --by field --document form --optional po --error-rate 0.02 \
    -o policy.json
  fastarac fit part.csv --inclusion-probability inclusion_probability --judge judge \\
    --error-rate 0.01 -o policy.json

The file is as for fastarac evaluate. Where its column "model" has several names, as in what fastarac
ocr -o writes, --only says which one the policy is for.
"""

EXAMPLES_OF_CHECK = """
Examples:

\b
  fastarac check policy.json verified.csv
  fastarac check policy.json verified.csv --by field --group page
  fastarac check policy.json log.csv --log
  fastarac check policy.json part.csv --inclusion-probability inclusion_probability

The outputs have to be drawn at random from those that the policy is applied to. A log has all outputs
of a time, with the columns accepted, drawn and audit_probability; the truth of those that nobody saw is
empty. What was drawn for an audit and has no truth counts as an error. A log without the column drawn,
but with audited (what has a result), can fail, but not hold. With --group, outputs of a page may depend
on each other, whether single outputs or whole pages were drawn.
"""


EXAMPLES_OF_APPLY = """
Examples:

\b
  fastarac apply policy.json today.csv -o accepted.csv --review review.csv
  fastarac apply policy.json today.parquet --by field -o accepted.parquet --review review.csv
  fastarac apply policy.json forms.csv --by field --document form -o accepted.csv --review review.csv
  fastarac apply policy.json ocr/ -o accepted.csv --review review.csv --pages pages.csv
  fastarac apply policy.json ocr/ -o accepted.csv --review review.csv --review-pages look/ \\
    --images scans/

A file of outputs has a column "confidence"; no truth is needed, and its size does not matter. Files and
folders of an OCR engine are read as fastarac ocr reads them.
"""

EXAMPLES_OF_MONITOR = """
Examples:

\b
  fastarac monitor policy.json audits.csv
  fastarac monitor policy.json monday.csv tuesday.csv --state state.json --plot monitor.png
  fastarac monitor policies/ audits.csv --policy source --state state.json
  fastarac monitor policy.json pages.csv --group page --max-group-size 40 --state state.json

The files hold outputs that were drawn at random, accepted or not, with their truth; or they are logs,
as fastarac sample --audit writes them and check --log reads them. Each audit counts once: by its id,
which no other audit has, where there is a column of them; else a file with the same audits as one
before counts as that one. The policies of a folder share one probability of a false alarm.

Exit status 1 is given where the limit is proved to be exceeded since the state began, and where one of
these files gives an alarm of a rate that rose above it lately. Each file is an update; the outputs of
a page (--group) belong into one file.
"""

Rule = StrEnum("Rule", ["product", "least"])
Form = StrEnum("Form", ["text", "json"])

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
    option("--policy COLUMN", "Column of the names of the policies in the folder POLICY."),
]
Log = Annotated[
    bool, option("--log", "Take the file as a log of all outputs, some of which were audited.")
]
Drawn = Annotated[
    str | None,
    option(
        "--drawn COLUMN",
        "Column that says what was drawn: of a log for an audit, beside --inclusion-probability to be "
        "verified.  [default: drawn, where the file has it]",
    ),
]
PolicyOutput = Annotated[Path, option("--output -o FILE", "Where to write the policy, as JSON.")]
Fields = Annotated[str | None, option("--by COLUMN", "Column of fields, each with its own threshold.")]
Document = Annotated[
    str | None,
    option(
        "--document COLUMN", "Column of documents, each of which is accepted as a whole or not at all."
    ),
]
Only = Annotated[
    str | None,
    option("--only NAME", 'Take the outputs of one model alone, named in the column "model".'),
]
Optional = Annotated[
    list[str] | None,
    option(
        "--optional FIELD",
        "Field that an accepted document may lack; one that was missed counts as an error. Can be "
        "repeated.  [default: documents that lack a field are never accepted]",
    ),
]
FieldsFile = Annotated[
    Path | None,
    option("--fields FILE", "TOML file of fields, as of ocr --compare: po = { optional = true }."),
]
FieldsComplete = Annotated[
    bool,
    option(
        "--fields-complete", "A field that the truth of a document does not list has no true value."
    ),
]
DocumentTypes = Annotated[
    str | None,
    option(
        "--type COLUMN", "Column of document types; only the fields of its type are required of one."
    ),
]
RuleOption = Annotated[Rule, option("--rule", "How outputs make the confidence of a document.")]
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
PlannedFailure = Annotated[
    float | None,
    option(
        "--guarantee PROBABILITY",
        "How probable it may be that the limit is not kept on new outputs, for --error-rate and "
        "--max-risk.  [default: 0.05]",
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
TextOrJson = Annotated[Form, option("--format", "A sentence for people, or all figures for programs.")]
Expect = Annotated[
    float | None,
    option("--expect RATE", "Error rate that the outputs are expected to have.", parser=rate),
]
Audit = Annotated[
    float | None,
    option("--audit RATE", "Error rate above the limit that audits are to see.", parser=rate),
]
Outputs = Annotated[int | None, option("--outputs N", "Outputs to come, to say which share to audit.")]
Power = Annotated[
    float | None,
    option(
        "--power PROBABILITY",
        "With which probability that is to be reached, but for --half-width.  [default: 0.8]",
    ),
]
PlannedLevel = Annotated[
    float | None,
    option(
        "--ci LEVEL",
        "Level of the interval or the test, for --half-width and --difference.  [default: 0.95]",
    ),
]
DesignEffect = Annotated[
    float | None,
    option(
        "--design-effect RATIO",
        "By how much groups raise the variance, at least 1, for --audit and --difference.  "
        "[default: 1]",
    ),
]
Accept = Annotated[
    float | None,
    option(
        "--accept SHARE",
        "Share of the outputs that fit is to accept, beside --pilot.  [default: nine tenths of "
        "what the pilot allows at the limit]",
        parser=rate,
    ),
]
Correlation = Annotated[
    float | None,
    option(
        "--icc CORRELATION", "Of errors within a page or other group, beside --expect.  [default: 0]"
    ),
]
GroupSizes = Annotated[
    str | None,
    option(
        "--group-sizes LIST",
        "Outputs of a page or other group, beside --expect, as 20 or 5,20,40.  [default: 1]",
        parser=counts,
    ),
]
Difference = Annotated[
    float | None,
    option("--difference RATE", "Difference of two models' recognition rates to be found."),
]
Discordance = Annotated[
    float | None,
    option("--discordance SHARE", "Share of outputs that one of the two alone gets right."),
]
Pilot = Annotated[
    Path | None,
    option(
        "--pilot FILE",
        "Verified outputs, from which samples are drawn that policies are fitted to, or from which an "
        "interval's width or the effect of groups on audits is known.",
    ),
]
PilotGroup = Annotated[
    list[str] | None,
    option(
        "--group COLUMN",
        "Column of the pilot: pages or documents whose outputs depend on each other. Of what "
        "fastarac ocr -o wrote the pages, if not given; none for no groups.",
    ),
]
HalfWidth = Annotated[float | None, option("--half-width WIDTH", "Of the interval wanted.")]
PlannedStatistic = Annotated[
    str | None,
    option("--statistic NAME", "Whose interval, beside --half-width.  [default: arac_auc]"),
]
PlotOfPower = Annotated[
    Path | None, option("--plot FILE", "Draw the power over the number of outputs.")
]
AcceptedOutput = Annotated[Path, option("--output -o FILE", "Where to write what is accepted.")]
ReviewOutput = Annotated[Path, option("--review FILE", "Where to write what people are to verify.")]
AppliedGroup = Annotated[
    str | None,
    option(
        "--group COLUMN",
        "Column of pages or other groups of outputs that depend on each other, of a policy that was "
        "fitted with --group: whether confidences have moved is tested by whole groups.",
    ),
]
PagesOutput = Annotated[
    Path | None,
    option("--pages FILE", "Of an OCR engine: where to write what became of each page."),
]
ReviewPages = Annotated[
    Path | None,
    option(
        "--review-pages FOLDER",
        "Of an OCR engine: a new folder for one HTML file a page, the words to verify marked in it.",
    ),
]
AuditFiles = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="Files of audited outputs.", show_default=False),
]
State = Annotated[
    Path | None,
    option("--state FILE", "What was counted so far; it is made where it is not there."),
]
AuditId = Annotated[
    str | None,
    option(
        "--id COLUMN",
        "Column of ids that no two audits share, in all files.  [default: id, where there is such a "
        "column and no --document]",
    ),
]
PlotOfMonitor = Annotated[Path | None, option("--plot FILE", "Draw the error rate over the audits.")]
FalseAlarm = Annotated[
    float,
    option(
        "--guarantee PROBABILITY",
        "How probable it may be that there is ever an alarm while the limit is kept.",
    ),
]
AuditedGroup = Annotated[
    str | None,
    option(
        "--group COLUMN",
        "Column of pages or other groups, drawn at random and audited whole, whose outputs may depend "
        "on each other.",
    ),
]
LargestAudited = Annotated[
    int | None,
    option("--max-group-size N", "Outputs that a group has at most, beside --group; N stays the same."),
]
UpdatesToFalseAlarm = Annotated[
    int,
    option(
        "--updates-to-false-alarm N",
        "How many updates there are in the mean, at least, to a false alarm of a change.",
    ),
]
DrawnAt = Annotated[
    str | None,
    option(
        "--drawn-at COLUMN",
        "Column of when each output was drawn: dates or numbers. Audits count in this order; the truth "
        "of open ones is empty.",
    ),
]
Deadline = Annotated[
    float | None,
    option("--deadline TIME", "How long answers are waited for, beside --drawn-at: of dates in days."),
]
