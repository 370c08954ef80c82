"""`fastarac apply` over files of an OCR engine: what it writes and prints, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from commands import reason, run, settings

import fastarac as fa

OCR = fa.ocr.sample_folders().outputs["plain"]


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    path = tmp_path_factory.mktemp("policy") / "p.json"
    right, confidence = np.r_[np.zeros(400), np.ones(600)], np.arange(1000) / 10.0
    fa.operation.fit_policy(right, confidence, max_error_rate=0.01).save(path)
    return path


def test_tables_pages_and_a_sentence(policy, tmp_path):
    goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
    more = ["--pages", tmp_path / "p.csv"]
    report = ["--report", tmp_path / "r.html"]
    result = run("apply", policy, OCR, *goals, *more, *report)
    found = fa.ocr.apply_to_files(fa.operation.Policy.load(policy), OCR)
    n = found.applied
    said = " ".join(result.stdout.split())
    assert said.startswith(f"Accept {n.accepted:,} of {n.n_items:,} outputs (")
    assert "he confidences have moved" in result.stdout
    assert len((tmp_path / "a.csv").read_text().splitlines()) == n.accepted + 1
    assert len((tmp_path / "r.csv").read_text().splitlines()) == n.rejected + 1
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 21
    assert (tmp_path / "r.html").exists()


def test_files_are_read_by_their_options(policy, tmp_path):
    goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
    shutil.copytree(OCR, tmp_path / "ocr")
    (tmp_path / "ocr" / "note.txt").write_text("my notes")
    assert "note.txt: line 1: it begins with" in reason("apply", policy, tmp_path / "ocr", *goals)
    pages = sorted((tmp_path / "ocr").glob("*.tsv"))
    run("apply", policy, *pages, *settings(tmp_path, 'unit = "line"'), *goals)
    found = fa.ocr.apply_to_files(fa.operation.Policy.load(policy), OCR, unit="line")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == found.applied.accepted + 1
    two = sorted(OCR.iterdir())[:2]
    out = run("apply", policy, *two, *goals).stdout
    assert str(len(fa.ocr.apply_to_files(fa.operation.Policy.load(policy), two))) in out


def test_refusals(policy, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("confidence\n50\n")
    (full := tmp_path / "full").mkdir()
    (full / "x").touch()
    a, r = tmp_path / "a.csv", tmp_path / "r.csv"
    both = ["-o", a, "--review", r]
    for paths, options, message in (
        ([OCR], ["--confidence", "c"], f"--confidence is for tables, but {OCR} is read as OCR"),
        ([table], ["--pages", a], f"--pages is for OCR, but {table} is read as a table"),
        ([table], settings(tmp_path, 'unit = "line"'), "--settings is for OCR"),
        ([OCR], ["--images", full], "--images needs --station"),
        ([OCR], ["--pages", tmp_path / "p.doc"], "--pages: "),
        ([OCR], ["--station", tmp_path / "s.html", "--images", full], "full has no image"),
        ([OCR, OCR], [], "20 page names occur more than once: "),
        ([tmp_path / "no"], [], "no: it cannot be opened: No such file"),
        ([full], [], "no page has a word"),
    ):
        assert message in reason("apply", policy, *paths, *options, *both)
        assert not a.exists()
        assert not r.exists()
    same = reason("apply", policy, OCR, "-o", a, "--review", a)
    assert "--output and review must be different files," in same


@pytest.fixture(scope="module")
def of_fields(tmp_path_factory):
    """A policy of whole documents with two fields."""
    path = tmp_path_factory.mktemp("fields") / "p.json"
    confidence = np.repeat(np.arange(800) / 800, 2)
    fa.operation.fit_policy(
        confidence > 0.2, confidence, by=np.tile(["total", "po"], 800),
        documents=np.repeat(np.arange(800), 2), max_error_rate=0.05,
    ).save(path)  # fmt: skip
    return path


TEXTRACT = {
    "ExpenseDocuments": [
        {
            "SummaryFields": [
                {
                    "Type": {"Text": name},
                    "ValueDetection": {"Text": "7", "Confidence": 100 * confidence},
                }
                for name, confidence in (("TOTAL", 0.9), ("PO_NUMBER", 0.8), ("TIP", 0.1))
            ]
        }
    ]
}


def test_files_of_a_service_that_reads_fields(of_fields, tmp_path):
    (tmp_path / "new").mkdir()
    for name, fields in (
        ("a", {"sum": {"v": "7", "p": 0.9}, "po": {"v": "A", "p": 0.8}}),
        ("b", {"sum": {"v": "7", "p": 0.9}}),
        ("c", {}),
    ):
        (tmp_path / "new" / f"{name}.json").write_text(json.dumps(fields))
    yes, no = tmp_path / "a.csv", tmp_path / "r.csv"
    goals = "-o", yes, "--review", no, "--report", tmp_path / "r.html"
    names = settings(tmp_path, 'value_key = "v"\nconfidence_key = "p"\nrename.sum = "total"\n')
    result = run("apply", of_fields, tmp_path / "new", *names, *goals)
    assert result.stdout.startswith("Accept 1 of 3 documents (33.3")
    assert "1 document without any output goes to people: c" in result.stdout
    assert yes.read_text().splitlines() == [
        "id,document,field,page,box,prediction,confidence,accepted",
        "a:total,a,total,,,7,0.9,true",
        "a:po,a,po,,,A,0.8,true",
    ]
    assert len(no.read_text().splitlines()) == 1 + 2 * 2  # a row for each field of each document
    assert (tmp_path / "r.html").exists()
    answer = json.loads(
        run("apply", of_fields, tmp_path / "new", *names, *goals, "--format", "json").stdout
    )
    found = answer["applied"]
    assert (found["n_documents"], found["accepted_documents"], found["unknown_fields"]) == (3, 1, 0)
    # a list of paths, and another service
    each = sorted((tmp_path / "new").iterdir())
    again = run("apply", of_fields, *each, *names, *goals).stdout
    assert again.splitlines()[:2] == result.stdout.splitlines()[:2]
    (tmp_path / "t.json").write_text(json.dumps(TEXTRACT))
    to = settings(tmp_path, 'rename = {TOTAL = "total", PO_NUMBER = "po"}')
    refused = reason("apply", of_fields, tmp_path / "t.json", *to, *goals)
    assert "are some of them percentages?" in refused
    shares = re.sub(
        r'("Confidence": )([\d.]+)', lambda m: f"{m[1]}{float(m[2]) / 100}", json.dumps(TEXTRACT)
    )
    (tmp_path / "t.json").write_text(shares)
    result = run("apply", of_fields, tmp_path / "t.json", *to, *goals)
    assert "1 output of fields that the policy does not know is left out: TIP" in result.stdout
    refused = reason("apply", of_fields, tmp_path / "t.json", *goals)
    assert "none of the policy's fields (po, total)" in refused


def test_a_table_of_fields_needs_no_names_of_columns(of_fields, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("document,field,prediction,confidence,page\na,total,7,0.9,1\na,po,A,0.8,1\n")
    goals = "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"
    run("apply", of_fields, table, *goals)
    assert (tmp_path / "a.csv").read_text() == table.read_text()  # all columns
    table.write_text("doc,field,confidence\na,total,0.9\n")
    assert 'there is no column "document", which the policy needs' in reason(
        "apply", of_fields, table, *goals
    )


def test_options_that_are_for_something_else(policy, of_fields, tmp_path):
    new = tmp_path / "new.json"
    new.write_text('{"total": {"value": "7", "confidence": 0.9}}')
    goals = "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"
    for chosen, path, option, message in (
        (of_fields, new, ("--pages", tmp_path / "p.csv"), f"--pages is for OCR, but {new} is read as"),
        (of_fields, new, ("--confidence", "c"), f"--confidence is for tables, but {new} is read as"),
        (of_fields, new, settings(tmp_path, "rename = 1"), "rename must be a table such as"),
    ):
        assert message in reason("apply", chosen, path, *option, *goals)
        assert not (tmp_path / "a.csv").exists()


def test_the_tables_of_documents_go_back_with_answers(of_fields, tmp_path):
    """As they are, with a column of answers: null where a document lacks a field."""
    documents = {
        f"d{i:03}": {"total": {"value": "7", "confidence": 0.9 - i / 1000}}
        | ({} if i % 4 == 0 else {"po": {"value": "A", "confidence": 0.8}})
        for i in range(200)
    }
    lines = [json.dumps({"document": name} | fields) for name, fields in documents.items()]
    (tmp_path / "new.jsonl").write_text("\n".join(lines))
    yes, no = tmp_path / "a.csv", tmp_path / "r.csv"
    run("apply", of_fields, tmp_path / "new.jsonl", "-o", yes, "--review", no)
    head, *rows = yes.read_text().splitlines()
    rows += no.read_text().splitlines()[1:]
    assert len(rows) == 400
    assert any(row.endswith(",,,,,false") for row in rows)
    table = tmp_path / "verified.csv"
    table.write_text("\n".join([f"{head},correct", *(f"{row},true" for row in rows)]) + "\n")
    columns = "--by", "field", "--document", "document"
    checked = run("check", of_fields, table, "--format", "json")
    assert json.loads(checked.stdout)["check"]["accepted"] == 150
    again = tmp_path / "again.json"
    run("fit", table, *columns, "--error-rate", 0.1, "-o", again)
    assert run("evaluate", table, "--error-rate", 0.1).exit_code == 0
