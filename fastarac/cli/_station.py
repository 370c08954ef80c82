"""`fastarac station` and ``--station``: write a page on which a person judges outputs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fastarac._core import files
from fastarac._core.exceptions import collected
from fastarac._core.extras import missing
from fastarac.answers.sampling import station_answer, station_sentence
from fastarac.cli import _policy_options as options
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, grouped
from fastarac.cli._options import Confidence, JudgeColumn, Prediction, output_option, refuse
from fastarac.cli._policies import refusing

if TYPE_CHECKING:
    from fastarac.answers.answer import Answer

EXAMPLES = """
Examples:

\b
  fastarac station to_verify.csv -o station.html
  fastarac station review.csv -o station.html --images scans/

The page asks about each row whose column "correct" is empty, shows its place in the scan if there is
one, and saves a CSV file that takes the place of the filled-in table. It works without a server or a
network. Two people may answer on the same page; it then shows where their saved files differ.
"""

NOTHING = "no page was written, because there is nothing to verify."
Output = Annotated[Path, output_option("Write the page to this file.")]


class Station(NamedTuple):
    """The verification page to write, if any, and the folder of images for it."""

    path: Path | None
    images: Path | None = None

    def require(self) -> None:
        if self.path is None:
            return
        refuse(files.problem_with(self.path, "station", files.PAGES))
        refuse(missing(["jinja2"], "report"))
        if self.images is not None:
            from fastarac.report.images import images_in

            refuse(missing(["PIL"], "ocr"))
            refusing(str(self.images), partial(images_in, self.images))

    def write(self, table: Path, **columns: Any) -> tuple[int, list[str]]:
        """Write the page for a table; return the number of rows to verify, and notes."""
        from fastarac.station import write_station

        notes: list[str] = []
        write = partial(write_station, self.path or "", table, images=self.images, **columns)
        with interrupts_end_at_once(), collected(notes):
            n = refusing(str(self.path), write)
        return n, notes

    def beside(self, answer: Answer, table: Path, *, asks: bool = True, **columns: Any) -> Answer:
        """Write the page for a table, if wanted, and return the answer with a sentence about the page.

        `asks` is whether the table has rows to verify.
        """
        if self.path is None:
            return answer
        if not asks:
            return answer.closing(answer.screen.command, f"{self.path}: {NOTHING}")
        _, notes = self.write(table, **columns)
        told = answer.closing(answer.screen.command, station_sentence(self.path, table))
        return told.with_warnings(notes).with_figures(station=str(self.path))


@grouped
def station(
    path: options.File,
    output: Output,
    *,
    prediction: Prediction = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    images: options.Images = None,
    printing: PrintingOptions,
) -> None:
    """Write a page on which a person marks which outputs are right."""
    page = Station(output, images)
    page.require()
    n, notes = page.write(path, prediction=prediction, confidence=confidence, judge=judge)
    deliver(printing, "station", station_answer(n, output, path).with_warnings(notes))
