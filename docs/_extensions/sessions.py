"""Console sessions: each command shown is run, and its output is what follows it.

A command of fastarac runs in a fork of this process, which has loaded what a new one would load.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import TYPE_CHECKING

import fastarac.cli
from fastarac.cli._help import Commands
from fastarac.datasets import load_digits_ocr
from fastarac.ocr import sample_folders

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = "80"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
STATUSES = (0, 1, 3)  # succeeded, a verdict of failure, too few
TERMINAL = {"TTY_COMPATIBLE": "1", "COLUMNS": COLUMNS, "NO_COLOR": "1"}


def write_examples(folder: Path) -> None:
    """Write files with all four models, with one, and with a mistake."""
    columns = load_digits_ocr().to_columns()
    lines = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    (folder / "outputs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    correct, confidence = load_digits_ocr()["knn-votes"]
    lines = ["digit,correct,confidence"]
    truth = load_digits_ocr().truth
    lines += [
        f"{digit},{right:d},{value}"
        for digit, right, value in zip(truth, correct, confidence, strict=True)
    ]
    (folder / "knn-votes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    folders = sample_folders()
    for name, pages in {"truth": folders.truth, **folders.outputs}.items():
        shutil.copytree(pages, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "invoices.csv").write_text(invoices(), encoding="utf-8")
    bad = ["correct,confidence", "1,0.9", "1,high", "0,0.2"]
    (folder / "bad.csv").write_text("\n".join(bad) + "\n", encoding="utf-8")


def invoices() -> str:
    """Return a table of three fields of sixty invoices, drawn once and for all."""
    chance = random.Random(1)  # noqa: S311, an example
    lines = ["document,field,prediction,confidence,truth"]
    for number in range(60):
        total = f"{chance.randint(1, 9)},{number + 100}.50"
        due = f"2026-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}"
        for field, truth in (("total", total), ("due", due), ("firm", f"Firm {number}")):
            right = chance.random() < 0.9
            sure = min(0.999, chance.gauss(0.9 if right else 0.72, 0.08))
            read = truth.replace(",", "") if right else f"{truth[:-1]}7"
            seen = chance.random() < 0.98
            output = f'"{read}",{sure:.3f}' if seen else ","
            lines.append(f'invoice{number},{field},{output},"{truth}"')
    return "\n".join(lines) + "\n"


def plain(output: str) -> list[str]:
    """Return the lines without colours, movements of the cursor, and blanks at their ends."""
    return [line.rstrip() for line in ESCAPES.sub("", output).splitlines()]


def operation() -> str:
    """Run the commands of the tutorial on operation, on the files that its script makes."""
    script = Path(__file__).parents[1] / "operation_example.py"

    def prepare(folder: Path) -> None:
        shutil.copy(script, folder)

    audits = "--state state.json"
    return session(
        "fastarac plan --error-rate 0.02 --expect 0.01",
        "fastarac plan --error-rate 0.02 --detect 0.04 --outputs 10000",
        "python operation_example.py .",
        "head -3 verified.csv",
        "fastarac fit verified.csv --by field --error-rate 0.02 -o policy.json",
        "fastarac apply policy.json week-1.csv -o accepted.csv --review review.csv",
        "head -3 review.csv",
        "fastarac check policy.json audits-1.csv",
        f"fastarac monitor policy.json audits-1.csv {audits}",
        f"fastarac monitor policy.json audits-1.csv audits-2.csv {audits}",
        f"fastarac monitor policy.json audits-3.csv {audits} --report monitor.html",
        "fastarac check policy.json audits-3.csv",
        prepare=prepare,
    )


def little_truth() -> str:
    """Run the commands of the tutorial on little truth, on the files that its script makes."""
    script = Path(__file__).parents[1] / "little_truth_example.py"

    def prepare(folder: Path) -> None:
        shutil.copy(script, folder)

    people = "python little_truth_example.py"
    sample = "fastarac sample archive.csv --judge judge"
    chances = "verified.csv --inclusion-probability inclusion_probability --judge judge"
    return session(
        people,
        "head -2 archive.csv",
        f"{sample} --budget 500 -o first.csv",
        "head -2 first.csv",
        f"{people} first.csv",
        "fastarac sample archive.csv --answers first.csv -o verified.csv",
        f"fastarac evaluate {chances} --error-rate 0.02 --guarantee 0.05",
        f"{sample} --budget 800 --answers first.csv -o second.csv",
        f"{people} second.csv",
        "fastarac sample archive.csv --answers second.csv -o verified.csv",
        f"fastarac fit {chances} --error-rate 0.02 -o policy.json",
        "fastarac apply policy.json today.csv -o accepted.csv --review review.csv",
        "fastarac sample today.csv --audit policy.json --budget 1000 -o log.csv",
        f"{people} log.csv today",
        "fastarac check policy.json log.csv --log",
        prepare=prepare,
    )


def weeks_of_invoices() -> str:
    """Run the whole way from the files of two services to a policy, and ten weeks with it."""
    people, policy = "python week_example.py invoices", "new_policy.json"
    fields = "--by field --document document --error-rate 0.05"
    return session(
        people,
        "fastarac ocr truth.jsonl azure/ textract/ --settings names.toml --error-rate 0.05"
        " -o fields.parquet",
        f"fastarac fit fields.parquet --only azure {fields} -o policy.json",
        f"{people} new 1",
        "fastarac week policy.json new-01/ --budget 600 -o weeks",
        f"{people} answer 1 weeks/week-01",
        f"{people} 2-10 policy.json weeks 600",
        "fastarac week policy.json -o weeks",
        f"fastarac fit weeks/since_change.parquet --allow-empty confidence {fields} -o {policy}",
        f"{people} 9-10 {policy} new_weeks 300",
        prepare=_prepare_weeks,
    )


def weeks_of_pages() -> str:
    """Run the same way with pages."""
    people, policy = "python week_example.py pages", "new_policy.json"
    chance = "--inclusion-probability inclusion_probability --error-rate 0.02"
    return session(
        people,
        "fastarac ocr truth/ first/ second/ --error-rate 0.02 -o words.parquet",
        "fastarac fit words.parquet --only first --error-rate 0.02 -o policy.json",
        f"{people} 1-10 policy.json weeks 600",
        "fastarac week policy.json -o weeks",
        f"fastarac fit weeks/since_change.parquet {chance} -o {policy}",
        f"{people} 9-10 {policy} new_weeks 600",
        prepare=_prepare_weeks,
    )


def _prepare_weeks(folder: Path) -> None:
    """Copy the files of the page on weeks."""
    pages = Path(__file__).parents[1]
    for name in ("week_example.py", "names.toml"):
        shutil.copy(pages / name, folder)


def words_to_verify() -> str:
    """Draw words from the recorded pages, have them verified, and fit a policy."""
    pages = Path(__file__).parents[1]

    def prepare(folder: Path) -> None:
        shutil.copy(pages / "little_truth_people.py", folder)
        with zipfile.ZipFile(pages / "_data" / "german_pages.zip") as archive:
            archive.extractall(folder)

    chance = "verified.csv --inclusion-probability inclusion_probability"
    return session(
        "fastarac sample tesseract --budget 800 -o to_verify.csv",
        "head -3 to_verify.csv",
        "python little_truth_people.py to_verify.csv",
        "fastarac sample tesseract --answers to_verify.csv -o verified.csv",
        f"fastarac evaluate {chance} --group page --error-rate 0.01",
        f"fastarac fit {chance} --error-rate 0.05 -o policy.json",
        "fastarac sample tesseract --audit policy.json --budget 200 -o log.csv",
        prepare=prepare,
    )


def decision() -> str:
    """Run the commands of the page on decisions, on the pages that are recorded for it."""
    packed = Path(__file__).parents[1] / "_data" / "german_pages.zip"

    def prepare(folder: Path) -> None:
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(folder)

    return session("fastarac ocr lines tesseract rapidocr --error-rate 0.01", prepare=prepare)


def weekly() -> str:
    """Run the commands of the script for cron, in a good week and in a bad one."""
    pages = Path(__file__).parents[1]
    script = (pages / "how_to" / "weekly.sh").read_text(encoding="utf-8")
    commands = [line for line in script.splitlines() if line.startswith("fastarac ")]
    fit = "fastarac fit verified.csv --by field --error-rate 0.02 -o policy.json"

    def prepare(folder: Path) -> None:
        shutil.copy(pages / "operation_example.py", folder)
        for command in ("python operation_example.py .", fit):
            run(shlex.split(command), folder)

    return session(*(c.replace("$week", week) for week in "13" for c in commands), prepare=prepare)


def run(words: list[str], folder: Path) -> tuple[int | None, str, str]:
    """Return the exit status of a command, and what it has written to stdout and to stderr."""
    if words[0] != "fastarac":
        words[0] = {"python": sys.executable}.get(words[0], words[0])
        done = subprocess.run(  # noqa: S603  (the commands are those of this file)
            words, cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
        return done.returncode, done.stdout, done.stderr
    list(Commands().values())  # imports their modules once, before the forks

    with TemporaryDirectory() as written:
        files = [Path(written, name) for name in ("stdout", "stderr")]
        child = multiprocessing.get_context("fork").Process(target=act, args=(words, folder, files))
        child.start()
        child.join()
        output, errors = (file.read_text(encoding="utf-8") for file in files)
    return child.exitcode, output, errors


def act(words: list[str], folder: Path, files: list[Path]) -> None:
    """Be the command, in a process of its own."""
    os.chdir(folder)
    os.environ.update(TERMINAL)
    sys.argv = words
    sys.stdout, sys.stderr = (file.open("w", encoding="utf-8") for file in files)
    fastarac.cli.main()


def session(
    *commands: str,
    prepare: Callable[[Path], None] = write_examples,
    statuses: tuple[int, ...] = STATUSES,
) -> str:
    """Run commands of `fastarac`, ``python`` and ``head`` in a folder with the example files."""
    shown = []
    with TemporaryDirectory() as folder:
        prepare(Path(folder))
        for command in commands:
            status, output, errors = run(shlex.split(command), Path(folder))
            if status not in statuses:
                message = f"{command} ended with {status}:\n{errors}"
                raise RuntimeError(message)
            lines = plain(output)
            if status:  # of what goes to stderr, not the progress
                for line in plain(errors):
                    lines += wrap(line, int(COLUMNS)) if line.startswith("fastarac:") else []
                lines += ["$ echo $?", str(status)]
            typed = " \\\n      ".join(wrap(f"$ {command}", int(COLUMNS) - 8, break_on_hyphens=False))
            shown.append("\n".join([typed, *lines, ""]))
    return "\n".join(shown)


MAKERS: dict[str, Callable[[], str]] = {
    "demo.txt": lambda: session("fastarac demo"),
    "evaluate.txt": lambda: session(
        "head -3 outputs.csv",
        "fastarac evaluate outputs.csv --model model --error-rate 0.005",
    ),
    "limits.txt": lambda: session("fastarac evaluate knn-votes.csv --max-risk 0.01 --threshold 0.55"),
    "prices.txt": lambda: session(
        "fastarac evaluate outputs.csv --model model --error-rate 0.01"
        " --costs verification=2,correction=5,error=200"
    ),
    "groups.txt": lambda: session(
        "fastarac evaluate knn-votes.csv --by digit --error-rate 0.01 --details"
    ),
    "markdown.txt": lambda: session(
        "fastarac evaluate outputs.csv --model model --error-rate 0.01 --format markdown"
    ),
    "formats.txt": lambda: session("fastarac evaluate knn-votes.csv --error-rate 0.01 --format json"),
    "fail_if.txt": lambda: session(
        'fastarac evaluate knn-votes.csv --fail-if "acceptance_rate/0.01 < 0.97"'
    ),
    "refused.txt": lambda: session("fastarac evaluate bad.csv", statuses=(2,)),
    "intervals.txt": lambda: session("fastarac evaluate outputs.csv --model model --error-rate 0.01"),
    "guarantee.txt": lambda: session(
        "fastarac evaluate knn-votes.csv --error-rate 0.01 --error-rate 0.001 --guarantee 0.05"
    ),
    "compare.txt": lambda: session("fastarac compare outputs.csv --model model --id item"),
    "compare_costs.txt": lambda: session(
        "fastarac compare outputs.csv --model model --id item --statistic recognition_rate"
        " --costs verification=2,correction=5,error=200"
    ),
    "ocr.txt": lambda: session("fastarac ocr truth plain --error-rate 0.01 --details"),
    "ocr_two.txt": lambda: session(
        "fastarac ocr truth plain enlarged --error-rate 0.01 -o words.parquet",
        "fastarac evaluate words.parquet --model model --error-rate 0.01",
    ),
    "ocr_fields.txt": lambda: session(
        "head -4 invoices.csv",
        "fastarac ocr invoices.csv --compare total=amount --compare due=date --error-rate 0.05",
    ),
    "ocr_guarantee.txt": lambda: session("fastarac ocr truth plain --error-rate 0.05 --guarantee 0.05"),
    "ocr_decision.txt": decision,
    "operation.txt": operation,
    "little_truth.txt": little_truth,
    "words_to_verify.txt": words_to_verify,
    "weekly.txt": weekly,
    "weeks_of_invoices.txt": weeks_of_invoices,
    "weeks_of_pages.txt": weeks_of_pages,
    "overview.txt": lambda: session("fastarac --help"),
    "help_all.txt": lambda: session("fastarac evaluate --help-all"),
}
