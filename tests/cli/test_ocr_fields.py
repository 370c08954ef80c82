"""The command `fastarac ocr` on tables of fields, as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from functools import partial

import commands
import numpy as np
import pytest
from commands import settings
from typer.testing import CliRunner

import fastarac as fa
from bench.study import invoices
from fastarac.cli._app import app
from fastarac.ocr import read_fields

# the truth, what is read, and how surely; None where nothing is
FIELDS = {
    ("a1", "total"): ("1250", "1,250.00", 0.97),
    ("a1", "name"): ("Harrow & Finch", "harrow & finch", 0.91),
    ("a2", "total"): ("88.60", "88.50", 0.64),
    ("a2", "name"): ("Mill & Son", None, None),
    ("a3", "total"): ("7", "7", 0.90),
    ("a3", "name"): ("", None, None),
    ("a4", "total"): ("12", "12", 0.80),
    ("a4", "name"): ("Orpin", "Orpin", 0.85),
}
COMPARE = ("--compare", "total=number", "--compare", "name=text")
COMPARISONS = {"total": "number", "name": "text"}


run = partial(commands.detailed, "ocr")


refusal = partial(commands.reason, "ocr")


def write(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


@pytest.fixture
def tables(tmp_path):
    """A table of truths, one of outputs, one with both, and one of an engine that is always right."""
    key = ("document", "field")
    write(tmp_path / "truth.csv", (*key, "truth"), [(*k, v[0]) for k, v in FIELDS.items()])
    lines = [
        json.dumps({"document": d, "field": f, "prediction": read, "confidence": sure})
        for (d, f), (_, read, sure) in FIELDS.items()
        if read is not None  # a field without an output has no row
    ]
    (tmp_path / "engine.jsonl").write_text("\n".join(lines) + "\n")
    columns = (*key, "prediction", "confidence", "truth")
    write(tmp_path / "both.csv", columns, [(*k, v[1], v[2], v[0]) for k, v in FIELDS.items()])
    right = [(*k, v[0], 0.5 + 0.05 * i) for i, (k, v) in enumerate(FIELDS.items())]
    write(tmp_path / "right.csv", columns[:-1], right)
    return tmp_path


@pytest.mark.parametrize("names", [("truth.csv", "engine.jsonl"), ("both.csv",)])
def test_figures_of_fields_and_of_documents(tables, names):
    paths = [tables / name for name in names]
    limits = "--error-rate", 0, "--error-rate", 0.125
    (row,) = json.loads(run(*paths, *COMPARE, *limits, "--format", "json").stdout)["models"]
    counted = {name: row[name] for name in ("documents", "fields", "right", "wrong", "rejected")}
    assert counted == {"documents": 4, "fields": 8, "right": 6, "wrong": 1, "rejected": 2}
    assert (row["unit"], row["group"], row["policy"]) == ("field", "document", "missed=reject")
    # the rejected fields are never accepted, though all within the limit
    assert row["acceptance_rate/0.125"] == 6 / 8
    assert row["acceptance_rate/0"] == 5 / 8
    assert row["threshold/0"] == 0.8
    assert row["straight_through_rate/0"] == 2 / 4
    assert row["straight_through_rate/0.125"] == 2 / 4
    assert row["document_error_rate/0.125"] == 0
    assert row["documents_n"] == 4
    assert row["documents_recognition_rate"] == 3 / 4
    assert row["documents_acceptance_rate/0.125"] == 2 / 4
    fields = {each["name"]: each for each in row["groups"]}
    assert fields["name"]["acceptance_rate/0"] == 2 / 4
    assert fields["total"]["error_rate/0.125"] == 1 / 4
    assert (fields["name"]["n"], sum(each["right"] for each in row["groups"])) == (4, 6)
    printed = run(*paths, *COMPARE, *limits, "--format", "csv").stdout
    (line,) = csv.DictReader(printed.splitlines())
    assert float(line["acceptance_rate/0/field/name"]) == 2 / 4
    assert float(line["error_rate/0.125/field/total"]) == 1 / 4
    fields = read_fields(paths[-1], paths[0] if len(paths) > 1 else None, compare=COMPARISONS)
    assert row["arac_auc"] == fa.arac_auc_score(fields.correct, fields.confidence)


def test_fields_of_one_key(tmp_path):
    columns = "document,field,prediction,confidence,truth"
    rows = [f"{i},{name},x,0.{i + 1},x" for i in range(6) for name in ("net (€)", "net [€]")]
    path = tmp_path / "engine.csv"
    path.write_text("\n".join([columns, *rows]) + "\n", encoding="utf-8")
    (row,) = json.loads(run(path, "--format", "json").stdout)["models"]
    assert {each["name"] for each in row["groups"]} == {"net (€)", "net [€]"}
    error = "the fields 'net (€)' and 'net [€]' have the same key, 'net____'; rename one, or use --for"
    assert error in refusal(path, "--format", "csv")
    path.write_text(path.read_text(encoding="utf-8").replace("net [€]", "gross"), encoding="utf-8")
    printed = run(path, "--format", "csv").stdout
    assert "acceptance_rate/0.01/field/net____,error_rate/0.01/field/net____" in printed


def test_words(tables):
    text = run(tables / "truth.csv", tables / "engine.jsonl", *COMPARE).stdout
    said = " ".join(text.split())
    assert "engine 4 8 6 1 1 1 2 0" in said
    assert 'Right though the texts differ: total: 1 right by number, such as "1,250.00" for' in said
    assert "1 rejected field is right: output and truth are both empty." in said
    assert "A field without an output or a confidence is always rejected" in said
    assert "Fields are compared by number (total) and text (name)." in said
    assert "Intervals are by document" in said
    assert "from 4 documents." in said
    assert "Fields and whole documents, side by side" in said
    assert "75.0% of the documents are right as a whole." in said
    assert "Each field, worst first" in said
    assert "group" not in said
    exact = run(tables / "both.csv", "--compare", "exact", "--group", "none").stdout
    assert "Fields are compared exactly." in exact
    assert "only in form; they are right with --compare: " in exact.replace("\n", " ")
    assert "Intervals treat fields as independent (--group none)" in exact


def test_fields_that_documents_lack(tables):
    """Required and optional: what goes through is what the rule lets through, for each setting."""
    paths = tables / "truth.csv", tables / "engine.jsonl", *COMPARE, "--error-rate", 0.125
    (row,) = json.loads(run(*paths, "--format", "json").stdout)["models"]
    (absent,) = row["absent_fields"]
    assert (row["missed"], row["empty"], row["straight_through_rate/0.125"]) == (1, 1, 2 / 4)
    assert absent == {
        "name": "name",
        "optional": False,
        "documents": 4,
        "absent": 2,
        "rightly": 1,
        "unlisted": 0,
        "straight_through_rate/0.125": 4 / 4,
        "document_error_rate/0.125": 1 / 4,  # of a2, whose name was missed and whose total is wrong
    }
    page = tables / "r.html"
    said = " ".join(run(*paths, "--report", page).stdout.split())
    sentence = (
        "name: no output in 50.0% of documents, really empty in 50.0% of these; if optional, "
        "100% of documents would go through instead of 50.0%, and undetected errors are 25.0% "
        "instead of 0%."
    )
    assert sentence in said
    assert sentence in " ".join(page.read_text(encoding="utf-8").split())
    (tables / "ways.toml").write_text("name = { optional = true }\n")
    for optional in (("--optional", "name"), ("--compare", tables / "ways.toml")):
        (row,) = json.loads(run(*paths, *optional, "--format", "json").stdout)["models"]
        assert row["straight_through_rate/0.125"] == 4 / 4
        assert row["document_error_rate/0.125"] == 1 / 4
        assert row["absent_fields"][0]["straight_through_rate/0.125"] == 2 / 4
    lines = (tables / "truth.csv").read_text().splitlines(keepends=True)
    (tables / "truth.csv").write_text("".join(line for line in lines if "a3,name" not in line))
    assert refusal(*paths, "--optional", "name") == (
        '--optional names "name", but the truth does not list it for 1 document: a3; add a truth for '
        "each (empty where there is none), or use --fields-complete if a field that is not listed has "
        "no true value"
    )
    assert "or use --fields-complete" in run(*paths).stdout.replace("\n", " ")
    complete = "--optional", "name", "--fields-complete", "--format", "json"
    (row,) = json.loads(run(*paths, *complete).stdout)["models"]
    assert row["straight_through_rate/0.125"] == 3 / 4  # of 7 items no error may remain


def test_two_engines_are_compared(tables):
    engines = tables / "engine.jsonl", tables / "right.csv"
    names = "--name", "A", "--name", "B"
    text = run(tables / "truth.csv", *engines, *names, *COMPARE).stdout
    assert "Judged by 4 documents, each engine over its own fields, from 1,000" in " ".join(
        text.split()
    )
    assert "Each field of A, worst first" in text
    rows = list(
        csv.DictReader(
            io.StringIO(run(tables / "truth.csv", *engines, *COMPARE, "--format", "csv").stdout)
        )
    )
    assert [row["model"] for row in rows] == ["right", "engine"]


def test_the_table_that_is_written(tables):
    out = tables / "fields.parquet"
    options = "--error-rate", 0.125, "--format", "json"
    both = tables / "truth.csv", tables / "engine.jsonl", *COMPARE
    (found,) = json.loads(run(*both, "-o", out, *options).stdout)["models"]
    command = ["evaluate", str(out), "--group", "document", "--ci", "0.95"]
    again = CliRunner().invoke(app, [*command, *map(str, options)])
    (row,) = commands.records(again.stdout)
    assert row.pop("model") == "fields"
    assert {key: found[key] for key in row} == pytest.approx(row, rel=1e-12)
    said = " ".join(run(*both, "-o", out).stdout.split())
    assert f"fastarac fit {out} --by field --document document" in said
    run(*both, "-o", tables / "fields.csv")
    rows = list(csv.DictReader((tables / "fields.csv").read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == [
        *("id", "document", "field", "kind", "truth", "prediction", "correct", "confidence")
    ]
    kinds = {
        row["id"]: (row["kind"], row["prediction"], row["correct"], row["confidence"]) for row in rows
    }
    assert kinds["a2:name"] == ("missed", "", "false", "")
    assert kinds["a3:name"] == ("empty", "", "true", "")
    assert kinds["a2:total"] == ("wrong", "88.50", "false", "0.64")


def test_refusals(tables):
    truth, engine, both = tables / "truth.csv", tables / "engine.jsonl", tables / "both.csv"
    (tables / "page.txt").write_text("amber")
    assert "there is no column" in refusal(truth, tables / "page.txt")
    assert refusal(tables / "page.txt", engine) == (
        f"{engine} is a table of fields, but {tables / 'page.txt'} has no fields; use a table with "
        "the columns document, field and truth, or JSON with the fields of each document"
    )
    text = tables / "page.txt"
    assert refusal(text, text, "--compare", "number") == (
        f"--compare is for fields, but {text} is read as texts"
    )
    assert refusal(both, "--fold", "case", "--unit", "line") == (
        f"--unit is for texts, but {both} is read as fields"
    )
    assert refusal(both, "--missed", "separate") == (
        "--missed must be reject for fields, because a person sees that a field is empty, got separate"
    )
    assert run(both, "--missed", "reject", *COMPARE)
    assert refusal(both).endswith(
        'field "total" of document "a1": the output "1,250.00" and the truth "1250" differ as texts '
        "but are the same number, as in 1 item (total); --compare total=number takes such outputs as "
        "right, --compare total=text as wrong"
    )
    assert "--compare names \"sum\", but the fields are \"total\", \"name\"" in refusal(
        both, "--compare", "sum=number"
    ).replace("'", '"')  # fmt: skip
    assert '--compare has "total" twice' in refusal(
        both, "--compare", "total=number", "--compare", "total=exact"
    )
    assert 'there is no column "truth"' in refusal(engine)
    assert 'there is no column "prediction"' in refusal(truth, truth)
    write(tables / "more.csv", ("document", "field", "prediction", "confidence"), [("z", "q", "1", 1)])
    message = refusal(truth, tables / "more.csv")
    assert "1 output without a truth: q of z; in the --settings file, rename" in message
    assert message.endswith("or leave them out with --skip-unmatched")
    absent = write(
        tables / "absent.csv",
        ("document", "field", "prediction", "confidence"),
        [(*key, "1", "") for key in FIELDS],
    )
    message = f"{absent}: none of the 8 fields has an output with a confidence"
    assert refusal(truth, absent).startswith(message)
    alike = [(*key, value[0], 0.5) for key, value in FIELDS.items()]
    write(absent, ("document", "field", "prediction", "confidence"), alike)
    assert "All 8 confidences are 0.5: no threshold can separate outputs." in run(truth, absent).stdout


def test_fields_of_other_names(tables):
    """Each engine has names of its own; those of the truth stay."""
    truth, engine = tables / "truth.csv", tables / "engine.jsonl"
    text = engine.read_text().replace('"total"', '"TOTAL"').replace('"name"', '"VENDOR_NAME"')
    (tables / "loud.jsonl").write_text(text)
    names = settings(tables, 'rename = {TOTAL = "total", VENDOR_NAME = "name"}')
    found = run(truth, engine, tables / "loud.jsonl", *COMPARE, *names).stdout
    assert "loud: Fields are renamed: TOTAL as total, VENDOR_NAME as name." in found
    assert "engine: Fields are renamed" not in found
    assert "Judged by 4 documents, engine and loud have the same outputs." in " ".join(found.split())
    assert "loud: 7 outputs" not in found
    message = refusal(truth, tables / "loud.jsonl", *COMPARE)
    assert "total" not in message.partition(";")[0].replace("TOTAL", "")
    assert "; in the --settings file, rename these fields to the names that the truth uses" in message
    message = refusal(truth, tables / "loud.jsonl", *COMPARE, "--skip-unmatched")
    assert message.startswith(
        f"{tables / 'loud.jsonl'}: none of the 8 fields of the truth has an output"
    )
    assert "or rename fields in the file of --settings" in message
    assert refusal(truth, engine, *settings(tables, 'rename.SUM = "total"'), *COMPARE) == (
        "rename in --settings must name fields that engine has, got SUM"
    )


@pytest.mark.slow
def test_a_lead_by_chance_is_a_tie_and_a_clear_one_is_not(tmp_path):
    rng = np.random.default_rng(5)
    key, n = ("document", "field"), 1500
    names = [(f"d{i:04}", "total") for i in range(n)]
    write(tmp_path / "truth.csv", (*key, "truth"), [(*name, "1") for name in names])
    sure = rng.random(n)
    wrong = rng.random((3, n)) < 0.2 * (1 - sure)
    for name, errors, confidence in (
        ("a", wrong[0], sure),
        ("b", wrong[1], sure),
        ("c", wrong[2], rng.random(n)),  # which says nothing
    ):
        rows = [(*k, "2" if e else "1", p) for k, e, p in zip(names, errors, confidence, strict=True)]
        write(tmp_path / f"{name}.csv", (*key, "prediction", "confidence"), rows)
    paths = [tmp_path / f"{name}.csv" for name in ("truth", "a", "b", "c")]
    prices = ("--costs", "verification=1,correction=1,error=30")
    report = tmp_path / "r.html"
    options = ("--error-rate", 0.05, *prices, "--report", report)
    said = run(*paths, *options).stdout.replace("\n", " ")
    limit, _, rest = said.partition("At most 5% errors: ")[2].partition("Cheapest: ")
    assert "accepts more than c (" in limit
    assert ", beyond chance; " in limit
    assert "; its lead over b (" in limit
    assert " may be chance." in limit
    assert "1,000 outputs then cost " in limit
    assert "Cheapest over the 1,500 shared items: " in rest
    assert " tie: the difference may be chance." in rest.partition("Cheapest over the ")[2]
    page = report.read_text(encoding="utf-8")
    assert "<dt>Lead</dt>" in page
    assert ") may be chance." in page
    assert "<dt>Cost</dt>" in page
    assert "(verification 1, correction 1, error 30)" in page


def test_comparisons_and_names_are_named_as_options(tmp_path):
    for name in ("a", "b"):
        table = "document,field,prediction,confidence,truth\nd,f,x,0.9,x\n"
        (tmp_path / f"{name}.csv").write_text(table)
    refused = refusal(tmp_path / "a.csv", "--compare", "f=numbr")
    assert refused.startswith("--compare is 'numbr'; use exact, text, number, ")
    pair = tmp_path / "a.csv", tmp_path / "b.csv"
    refused = refusal(*pair, "--name", "A", "--name", "B")
    assert "--name is given 2 times, but OCR once; give" in refused


@pytest.mark.parametrize("service", invoices.SERVICES)
def test_invoices_of_services_from_files_to_what_is_accepted(tmp_path, service):
    made = invoices.make(30)
    truth, outputs, ways = invoices.write(tmp_path, made, service)
    table, policy, accepted = (
        tmp_path / name for name in ("fields.parquet", "policy.json", "accepted.csv")
    )
    options = "--compare", ways, "-o", table, "--format", "json"
    (row,) = json.loads(run(truth, outputs, *options).stdout)["models"]
    kinds, right, rejected = invoices.expected(made)
    assert {kind: row[kind] for kind in ("wrong", "missed", "empty", "inserted")} == {
        kind: kinds[kind] for kind in ("wrong", "missed", "empty", "inserted")
    }
    assert (row["right"], row["rejected"], row["fields"]) == (right, rejected, kinds.total())
    runner = CliRunner()
    fit = f"fit {table} --by field --error-rate 0.3 -o {policy}"
    found = runner.invoke(app, fit.split())
    assert found.exit_code == 0, found.output
    files = f"-o {accepted} --review {tmp_path / 'review.csv'}"
    found = runner.invoke(app, f"apply {policy} {table} {files}".split())
    assert found.exit_code == 0, found.output
    through, review = (
        list(csv.DictReader(io.StringIO((tmp_path / name).read_text(encoding="utf-8"))))
        for name in ("accepted.csv", "review.csv")
    )
    assert through
    assert len(through) + len(review) == kinds.total()
    assert sum(each["kind"] == "missed" for each in review) == kinds["missed"]
    assert sum(each["kind"] == "empty" for each in review) == kinds["empty"]
    two = run(truth, outputs, outputs, "--name", "a", "--name", "b", "--compare", ways)
    assert two.exit_code == 0, two.output


def test_the_command_itself_finds_scipy(tmp_path):
    """In a process of its own, which hides a part of scipy from numba."""
    truth, outputs, _ = invoices.write(tmp_path, invoices.make(3), "json")
    command = [sys.executable, "-m", "fastarac", "ocr", str(truth), str(outputs), "--format", "csv"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
