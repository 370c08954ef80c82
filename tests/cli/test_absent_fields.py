"""Documents that lack fields, from `fastarac fit` to `check`, `apply` and `monitor`."""

from __future__ import annotations

import csv
import json
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from commands import detailed as run
from commands import reason

from fastarac.operation import Policy

SCHEMA = json.loads((files("fastarac.cli") / "schema.json").read_text(encoding="utf-8"))
COLUMNS = ["--by", "field", "--document", "document"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Items as `fastarac ocr -o` writes them: invoices with po, now and then empty, and receipts."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("items")
    with (path / "all.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        names = "id", "document", "field", "kind", "truth", "correct", "confidence", "type"
        writer.writerow(names)
        for d in range(900):
            kind_of_document = "invoice" if d % 3 else "receipt"
            for field in ("date", "po", "total"):
                confidence = round(float(rng.random()), 4)
                right = bool(rng.random() >= 0.05 * (1 - confidence))
                kind, truth = ("right" if right else "wrong"), "x"
                if field == "po" and kind_of_document == "receipt":
                    continue
                if field == "po" and (chance := rng.random()) < 0.3:
                    right, confidence = chance >= 0.005, ""
                    kind, truth = ("empty", "") if right else ("missed", "x")
                row = f"{d}:{field}", f"d{d}", field, kind, truth, right, confidence, kind_of_document
                writer.writerow(row)
    return path


def fitted(folder, *options, error_rate=0.05):
    policy = folder / "p.json"
    to = "--error-rate", error_rate, "-o", policy
    done = run("fit", folder / "all.csv", *COLUMNS, *to, *options)
    return Policy.load(policy), done


def test_required_by_default(folder):
    policy, done = fitted(folder, "--report", folder / "fit.html")
    assert "po: no output in " in (folder / "fit.html").read_text()
    assert policy.optional == ()
    said = " ".join(done.stdout.split())
    assert "have no output with a confidence: they are never accepted, nor is a document that" in said
    assert "po: no output in " in done.stdout
    assert "(--fields-complete counts it as rightly empty)" in " ".join(done.stdout.split())
    goals = ["-o", folder / "a.csv", "--review", folder / "r.csv"]
    out = " ".join(run("apply", folder / "p.json", folder / "all.csv", *goals).stdout.split())
    assert " of 900 documents (" in out
    lacking = (
        900
        - 600
        + sum(
            "empty" in line or "missed" in line
            for line in (folder / "all.csv").read_text().splitlines()
        )
    )
    assert f"{lacking} of the other documents lack a required field" in out
    with (folder / "a.csv").open() as file:
        accepted = list(csv.DictReader(file))
    assert accepted
    assert {row["kind"] for row in accepted} <= {"right", "wrong"}
    assert len(accepted) == 3 * len({row["document"] for row in accepted})


def test_optional_fields_and_types(folder, tmp_path):
    settings = tmp_path / "fields.toml"
    settings.write_text('total = "amount"\npo = { compare = "text", optional = true }\n')
    policy, done = fitted(folder, "--optional", settings, "--type", "type", "--format", "json")
    written = json.loads(done.stdout)
    jsonschema.validate(written, SCHEMA)
    assert written["policy"]["optional"] == ["po"]
    assert written["policy"]["types"][1] == {"type": "receipt", "fields": ["date", "total"]}
    assert [each["optional"] for each in written["policy"]["settings"]] == [["po"], []]
    path, goals = folder / "all.csv", ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
    found = ["--format", "json"]
    applied = json.loads(run("apply", folder / "p.json", path, *found, *goals).stdout)["applied"]
    checked = json.loads(run("check", folder / "p.json", path, *found, code=None).stdout)["check"]
    assert applied["accepted_documents"] == checked["accepted"]
    assert (checked["n_items"], checked["of_fit"]) == (900, True)
    assert fitted(folder, "--optional", "po", "--type", "type")[0] == policy
    assert policy.accepted > fitted(folder)[0].accepted


def test_what_is_refused(folder):
    path = folder / "all.csv"
    to = ["--error-rate", 0.05, "-o", folder / "q.json"]
    optional = ["--optional", "po"]
    said = reason("fit", path, *COLUMNS, *optional, *to)
    assert said.startswith("300 documents have no row for an optional field, such as ")
    assert "-complete if a field without a row has no true value" in said
    run("fit", path, *COLUMNS, *optional, "--fields-complete", *to)
    watched = run("monitor", folder / "q.json", path, "--format", "json")
    checked = run("check", folder / "q.json", path, "--format", "json", code=None)
    (found,) = json.loads(watched.stdout)["monitor"]["policies"]
    assert found["audited"] == 900
    assert found["errors"] == json.loads(checked.stdout)["check"]["errors"] > 0
    assert "--optional needs documents" in reason("fit", path, "--by", "field", *optional, *to)
    said = reason("fit", path, *COLUMNS, "--optional", "iban", *to)
    assert said.startswith("--optional must name fields in ")
    assert said.endswith('("date", "po" and "total"), got "iban"')
    run("fit", path, *COLUMNS, "--type", "type", *to)
    lacks = folder / "lacks.csv"
    lacks.write_text(path.read_text().replace(",type", ",sort", 1))
    for command in ("check", "monitor"):
        assert 'there is no column "type", which the policy needs' in reason(
            command, folder / "q.json", lacks
        )
        run(command, folder / "q.json", path, code=None)
    bad = folder / "bad.toml"
    bad.write_text("po = { optional = 1 }\n")
    assert "a table of compare and optional (true or false)" in reason(
        "fit", path, *COLUMNS, "--optional", bad, *to
    )
