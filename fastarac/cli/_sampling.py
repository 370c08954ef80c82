"""`fastarac sample`: the outputs that people verify, and their answers beside all outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fastarac._core.exceptions import collected
from fastarac._core.text import percent, plural
from fastarac.cli import _ocr
from fastarac.cli import _operating as options
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._option_groups import grouped
from fastarac.cli._options import Confidence, JudgeColumn, RefusalError, option, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.ocr.engine_outputs import EngineOutputs
    from fastarac.ocr.verification.drawing import Crops
    from fastarac.partial_truth.sampling import VerificationSample

FAILURE = 0.05  # probability with which a guarantee that is spoken of may fail
EXAMPLES = """
Examples:

\b
  fastarac sample outputs.csv --budget 500 -o to_verify.csv
  fastarac sample outputs.csv --budget 500 --judge judge --group page -o to_verify.csv
  fastarac sample outputs.csv --answers to_verify.csv -o verified.csv
  fastarac sample outputs.csv --budget 800 --answers to_verify.csv -o more.csv
  fastarac sample today.csv --audit policy.json --budget 100 -o log.csv
  fastarac sample accepted.csv review.csv --audit policy.json --budget 100 -o log.csv
  fastarac sample ocr/ --budget 500 -o to_verify.csv --images scans/ --crops crops/
  fastarac sample ocr/ --answers to_verify.csv -o verified.csv

People fill in the column "correct" of what is written. With --answers all outputs are written again,
with the answers beside those that were drawn. With --answers and a larger --budget more outputs are
drawn: the options and --seed are those of the first time, whose answers are kept.

With --audit, audits of what a policy accepts are drawn: the file written is the log that fastarac check
--log reads, once the truth is filled in of what was drawn. Of what fastarac apply wrote, both files are
given. Tables with the same columns are taken as one.

Files and folders of an OCR engine are read as fastarac apply reads them, a row for each word: page,
number, box, text and confidence. --group page draws whole pages.
"""

Budget = Annotated[
    float | None, option("--budget N", "How many outputs to verify, on average.", show_default=False)
]
Output = Annotated[
    Path,
    option("--output -o FILE", "File to write: CSV, TSV, JSON lines or Parquet.", show_default=False),
]
Mix = Annotated[
    float | None,
    option("--mix SHARE", "Share of the budget that is spread evenly.  [default: 0.5; 1 of audits]"),
]
Stratum = Annotated[
    str | None,
    option("--stratum COLUMN", "Column of fields or sources, each of which gets its share."),
]
Group = Annotated[
    str | None, option("--group COLUMN", "Column of pages or documents, which are drawn whole.")
]
AuditedPolicy = Annotated[
    Path | None, option("--audit POLICY", "Draw audits of what this policy accepts.")
]
Answers = Annotated[
    Path | None, option("--answers FILE", "What an earlier sample wrote, with answers filled in.")
]
CropsFolder = Annotated[
    Path | None,
    option("--crops FOLDER", "New folder for a picture of each drawn word, cut from --images."),
]
Seed = Annotated[int, option("--seed N", "Which outputs: the same number draws the same ones.", min=0)]


@grouped
def sample(
    paths: options.AppliedFiles,
    output: Output,
    *,
    budget: Budget = None,
    confidence: Confidence = "confidence",
    judge: JudgeColumn = None,
    mix: Mix = None,
    stratum: Stratum = None,
    group: Group = None,
    audit: AuditedPolicy = None,
    by: options.Fields = None,
    answers: Answers = None,
    seed: Seed = 0,
    images: _ocr.Images = None,
    crops: CropsFolder = None,
    reading: _ocr.EngineOptions,
    output_format: options.TextOrJson = options.Form.text,
) -> None:
    """Draw the outputs that people verify, in a table or of OCR, each with a known probability."""
    from fastarac.cli._applying import is_of_ocr

    design = {
        "--budget": budget, "--judge": judge, "--mix": mix, "--stratum": stratum, "--group": group,
        "--audit": audit, "--by": by, "--images": images, "--crops": crops,
    }  # fmt: skip
    _require_together(design, answers)
    pictures = {"images": images, "crops": crops}
    of_tables = {"confidence": confidence, "judge": judge, "by": by}
    rows = _DrawnFrom(paths, confidence, is_of_ocr(paths, of_tables, {**reading, **pictures}), reading)
    if budget is None and answers is not None:
        _join(rows, answers, output, str(output_format))
        return
    columns = {
        "mix": mix,
        "strata": stratum,
        "groups": group,
        "answers": answers,
        "random_state": seed,
    }
    if not rows.is_ocr:
        columns |= {"judge": judge, "by": by}
    _draw(rows, output, columns, (budget, audit), (images, crops), str(output_format))


def _require_together(given: Mapping[str, Any], answers: Path | None) -> None:
    """Refuse options that do not go together, or that need others."""
    if answers is not None:
        if given["--audit"] is not None:
            raise RefusalError("--audit is given beside --answers; leave out one of the two")
        beside = next((name for name, value in given.items() if value is not None), None)
        if given["--budget"] is None and beside is not None:
            raise RefusalError(
                f"{beside} is given beside --answers, but --budget is missing, with which more "
                "outputs are drawn"
            )
    elif given["--budget"] is None:
        raise RefusalError("--budget is missing: how many outputs to verify")
    if (given["--images"] is None) != (given["--crops"] is None):
        found, missing = (
            ("--images", "--crops") if given["--crops"] is None else ("--crops", "--images")
        )
        raise RefusalError(f"{found} is given without {missing}; both, or neither, are expected")
    if given["--audit"] is None:
        if given["--by"] is not None:
            raise RefusalError("--by is given without --audit, whose fields it names")
        return
    if given["--judge"] is not None and given["--mix"] is None:
        raise RefusalError(
            "--judge is given beside --audit, which spreads the budget evenly; give a --mix below "
            "1, or leave out --judge"
        )
    if given["--group"] is not None:
        raise RefusalError(
            "--group is given beside --audit, whose audits are of single outputs; without --audit "
            "groups are drawn whole, which fastarac check --inclusion-probability takes"
        )


class _DrawnFrom(NamedTuple):
    """What is drawn from: a table, or files of an OCR engine."""

    paths: Sequence[Path]
    confidence: str
    is_ocr: bool
    reading: Mapping[str, Any]

    @property
    def words(self) -> EngineOutputs:
        """The words of the files of an engine."""
        from fastarac.cli._applying import engine_files
        from fastarac.cli._policies import refusing
        from fastarac.ocr.engine_outputs import read_engine_outputs

        options = engine_files(self.paths, self.reading)
        output = options.pop("output")
        with interrupts_end_at_once():
            found: EngineOutputs = refusing("", lambda: read_engine_outputs(output, **options))
        return found


def _draw(
    rows: _DrawnFrom,
    output: Path,
    columns: dict[str, Any],
    drawn_by: tuple[float | None, Path | None],
    pictures: tuple[Path | None, Path | None],
    form: str,
) -> None:
    from fastarac import partial_truth
    from fastarac.cli._json import answer
    from fastarac.cli._policies import load, refusing

    budget, audit = drawn_by[0] or 0.0, drawn_by[1]
    policy = None if audit is None else load(audit)
    if audit is not None and not rows.is_ocr:
        _require_columns_of(audit, policy, columns)
    told, more = [], []
    if rows.is_ocr:
        from fastarac.ocr.verification.drawing import sample_words

        words, of_crops = rows.words, _crops(*pictures)
        done = refusing(
            "", lambda: sample_words(words, output, budget, policy=policy, crops=of_crops, **columns)
        )
        found, told = done.sample, list(done.notes)
        pages = done.n_pages
        of_words = f"{done.n_words:,} {plural('word', done.n_words)} on {pages:,}"
        more = [f"They are from {of_words} {plural('page', pages)}."]
        if of_crops is not None:
            more[0] += f" {done.n_crops:,} {plural('crop', done.n_crops)} are in {of_crops.folder}."
    else:
        columns["confidence"] = rows.confidence
        with collected(told):
            found = refusing(
                str(rows.paths[0]),
                lambda: partial_truth.sample_outputs(
                    rows.paths, output, budget, policy=policy, **columns
                ),
            )
    n, drawn = len(found.selected), int(found.selected.sum())
    least, most = found.inclusion_probability.min(), found.inclusion_probability.max()
    chance = f"a probability of {least:.4g}"
    if most > least:
        chance = f"probabilities from {least:.4g} to {most:.4g}"
    what = f"{n:,} {plural('output', n)}" + ("" if policy is None else " that the policy accepts")
    lines = [f"{drawn:,} of {what} were drawn to be verified, with {chance}."]
    lines += more
    if policy is None and columns["groups"] is None:
        lines.append(_least_limits(found))
    if columns["answers"] is not None:
        lines.append(f"The answers of {columns['answers']} are kept: fill in what is empty.")
    if policy is None:
        lines.append(f'Fill in the column "correct" of {output}; then fastarac sample --answers.')
    else:
        lines.append(
            f'Fill in the column "correct" of {output} where drawn is 1; then fastarac check --log.'
        )
    about = {
        "path": str(output), "n_items": n, "drawn": drawn, "expected_size": found.expected_size,
        "least_probability": found.least_probability,
    }  # fmt: skip
    answer(form, "sample", {"sample": about}, lines, told)


def _least_limits(sample: VerificationSample) -> str:
    """Say which limits a sample can guarantee at best, and which one an even draw of its size could."""
    from fastarac.guarantees.weighted_betting import least_limit

    n = len(sample.selected)
    probabilities = sample.least_probability, sample.expected_size / n
    aimed, even = (percent(least_limit(each, n, FAILURE), 3) for each in probabilities)
    found = (
        f"Where none of them is wrong, at best limits from {aimed} on can be guaranteed with "
        f"{percent(1.0 - FAILURE)} confidence"
    )
    return f"{found}." if aimed == even else f"{found}; of as many drawn with --mix 1, from {even} on."


def _require_columns_of(audit: Path, policy: Any, columns: Mapping[str, Any]) -> None:
    """Refuse a table without the fields of a policy, and policies of whole documents."""
    if (policy.fields or columns["by"]) and policy.documents is None:
        needed, found = bool(policy.fields), columns["by"] is not None
        if needed != found:
            words = ("missing", "with") if needed else ("given", "without")
            raise RefusalError(f"--by is {words[0]}; the policy was fitted {words[1]} --by")
    if policy.documents is not None:
        raise RefusalError(
            f"{audit}: the policy accepts whole documents, whose audits are no rows; draw whole "
            "documents at random instead, accepted or not, verify all their fields, and give these "
            "rows to check and monitor with --document"
        )


def _crops(images: Path | None, folder: Path | None) -> Crops | None:
    """Return where crops go and what they are cut from, before anything is read."""
    from fastarac._core.extras import missing
    from fastarac._core.files import folder_problem
    from fastarac.cli._policies import refusing
    from fastarac.ocr.verification.drawing import Crops
    from fastarac.report.images import images_in

    if images is None or folder is None:
        return None
    refuse(folder_problem(folder), f"{folder}: ")
    refuse(missing(["PIL"], "ocr"))
    return Crops(folder, refusing(str(images), lambda: images_in(images)))


def _join(rows: _DrawnFrom, answers: Path, output: Path, form: str) -> None:
    from fastarac.cli._json import answer
    from fastarac.cli._policies import refusing
    from fastarac.ocr.verification.drawing import join_answers_of_words
    from fastarac.partial_truth.sample_files import join_answers

    notes: tuple[str, ...] = ()
    if rows.is_ocr:
        words = rows.words
        drawn, answered, notes = refusing("", lambda: join_answers_of_words(words, answers, output))
    else:
        drawn, answered = refusing(
            str(rows.paths[0]),
            lambda: join_answers(rows.paths, answers, output, confidence=rows.confidence),
        )
    left = drawn - answered
    open_ones = (
        f" {left:,} {plural('answer', left)} {'is' if left == 1 else 'are'} open." if left else ""
    )
    lines = [f"{answered:,} of {drawn:,} drawn outputs have an answer.{open_ones} Written to {output}."]
    about = {"path": str(output), "drawn": drawn, "answered": answered}
    answer(form, "sample", {"sample": about}, lines, notes)
