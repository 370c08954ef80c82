"""`fastarac week`: what it prints, what it spends, and that its figures are those of other commands."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from commands import reason, run, settings

FIELDS = {"date": 0.06, "name": 0.5}


def write_outputs(path, n, seed, *, broken=False):
    """Write outputs of two fields with their truth apart; return the truth by id."""
    rng = np.random.default_rng(seed)
    field, confidence = rng.choice(list(FIELDS), n), rng.beta(2, 1, n).round(4)
    wrong = rng.random(n) < np.where(field == "date", *FIELDS.values()) * (1 - confidence)
    wrong |= broken & (rng.random(n) < 0.2)
    ids = [f"{seed}.{i}" for i in range(n)]
    rows = [
        "name,field,confidence",
        *map(",".join, zip(ids, field, confidence.astype(str), strict=True)),
    ]
    path.write_text("\n".join([*rows, ""]))
    return dict(zip(ids, (~wrong).astype(int).tolist(), strict=True))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = write_outputs(tmp_path / "verified.csv", 4000, 0)
    with (tmp_path / "verified.csv").open() as file:
        rows = [row | {"correct": truth[row["name"]]} for row in csv.DictReader(file)]
    write_rows(tmp_path / "verified.csv", rows)
    run("fit", "verified.csv", "--by", "field", "--error-rate", 0.03, "-o", "policy.json")
    return tmp_path


def write_rows(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def answer(folder, week, truth):
    path = folder / "weeks" / f"week-{week:02d}" / "audits.csv"
    with path.open() as file:
        rows = [row | {"correct": truth[row["name"]]} for row in csv.DictReader(file)]
    write_rows(path, rows)


def figures(*command):
    found = json.loads(run(*command, "--format", "json", code=None).stdout)
    return found[command[0]]


@pytest.mark.slow
def test_weeks_until_the_refit(folder):
    for week in (1, 2, 3):
        truth = write_outputs(folder / f"{week}.csv", 800, week, broken=week > 1)
        done = run("week", "policy.json", f"{week}.csv", "--budget", 150, "-o", "weeks", code=None)
        answer(folder, week, truth)
    assert done.exit_code == 1
    assert done.stdout.startswith("Stop: the error rate ")
    assert "most likely since week 2; review all outputs, and fit a new policy" in done.stdout
    found = figures("week", "policy.json", "-o", "weeks")
    check = figures("check", "policy.json", "weeks/log.parquet", "--log")
    assert check["errors"] == found["errors"]
    again = figures(
        *("monitor", "policy.json", "weeks/log.parquet", "--id", "audit_id"),
        *("--deadline", 4, "--state", "weeks/monitor.json"),
    )["policies"][0]
    for name in ("errors", "audited", "rate", "low", "high", "alarm", "open"):
        assert again[name] == found[name], name
    assert found["spent"] == pytest.approx(0.15)
    assert (
        "15% in all; a refit starts again from 0"
        in run("week", "policy.json", "-o", "weeks", "--details", code=1).stdout
    )
    command = shlex.split(done.stdout.rpartition("Next: ")[2])
    assert command[:2] == ["fastarac", "fit"]
    run(*command[1:], code=None)
    assert json.loads((folder / "new_policy.json").read_text())["limit"] == 0.03


def test_the_screen_and_the_summary(folder):
    write_outputs(folder / "1.csv", 300, 1)
    command = "week", "policy.json", "1.csv", "--budget", 40, "-o", "weeks", "--seconds", 30
    done = run(*command, env={"COLUMNS": "80"})
    lines = done.stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Go on: no audits are counted yet; answer the ")
    inside = folder / "weeks" / "week-01"
    assert (inside / "summary.txt").read_text().split()[:10] == done.stdout.split()[:10]
    summary = json.loads((inside / "summary.json").read_text())
    assert (summary["number"], summary["counted"], summary["limit"]) == (1, 0, 0.03)
    assert summary["seconds"] == 30
    rejected, audits = (
        len((inside / name).read_text().splitlines()) - 1 for name in ("review.csv", "audits.csv")
    )
    people = rejected + audits
    told = f"{people} go to people: {rejected} to review and {audits} audits, "
    told += (
        f"{people / 120:.1f} hours of work at 30 seconds an output, or {people / 4800:.2g} people at"
    )
    assert told in " ".join((inside / "summary.txt").read_text().split())
    page = (inside / "audits.html").read_text()
    assert "audits" in page
    assert "https://" not in page.replace("https://json-schema.org", "")
    again = run("week", "policy.json", "1.csv", "-o", "weeks").stdout
    assert "Week 1 has these files already: nothing was split or drawn again." in again


def test_refusals(folder):
    write_outputs(folder / "1.csv", 300, 1)
    assert reason("week", "policy.json", "1.csv", "-o", "weeks") == (
        "--budget is missing: give the number of outputs to audit in the first week"
    )
    run("week", "policy.json", "1.csv", "--budget", 40, "-o", "weeks")
    assert "--wait is 2, but was 4 in the first week" in reason(
        "week", "policy.json", "-o", "weeks", "--wait", 2
    )
    assert "--seconds must be a finite number above 0, got 0.0" in reason(
        "week", "policy.json", "-o", "weeks", "--seconds", 0
    )
    unit = settings(Path(), 'unit = "line"')
    assert "--settings is for OCR" in reason("week", "policy.json", "1.csv", "-o", "weeks", *unit)
