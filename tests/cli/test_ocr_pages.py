"""What `fastarac ocr` says and writes of single pages: their attributes, and their whole texts."""

from __future__ import annotations

import csv
import io
import json
from functools import partial

import commands
import pytest

import fastarac as fa
from fastarac.evaluation.limits import Limit
from fastarac.ocr import sample_folders

TEXTS = sample_folders()
TRUTH, PLAIN, ENLARGED = TEXTS.truth, TEXTS.outputs["plain"], TEXTS.outputs["enlarged"]
PAGES = fa.ocr.load_sample().truth.page_names

run = partial(commands.detailed, "ocr")
refusal = partial(commands.reason, "ocr")


@pytest.fixture
def table(tmp_path):
    """Which pages are worn, by the names of their files."""
    path = tmp_path / "pages.csv"
    rows = [f"scans/{name}.png,{'worn' if 'worn' in name else 'clean'},letter" for name in PAGES]
    path.write_text("\n".join(["page,state,kind", *rows]) + "\n")
    return path


def figures():
    sample = fa.ocr.load_sample()
    table = {"page": PAGES, "state": ["worn" if "worn" in name else "clean" for name in PAGES]}
    return fa.ocr.evaluate_attributes(
        fa.ocr.align(sample.truth, sample.outputs["plain"]),
        fa.ocr.read_attributes(table),
        [Limit("max_error_rate", 0.05)],
    )


def test_attributes_in_the_table(table):
    text = run(TRUTH, PLAIN, ENLARGED, "--attributes", table, "--error-rate", 0.05).stdout
    after = text.partition("By state\n")[2]
    names = [f"{state}, {engine}" for state in ("clean", "worn") for engine in ("plain", "enlarged")]
    for name in names:
        assert name in after
    assert max(map(len, after.partition("Below")[0].splitlines())) <= 80
    expected = figures()
    row = next(line for line in after.splitlines() if line.startswith("worn, plain"))
    assert row.split()[2:4] == [str(expected.pages[1]), f"{expected.true_words[1]:,}"]
    assert expected.at[0].verdict[1] in row
    assert "A value holds if it is proved (for pages drawn at random, by bets" in after
    assert "Attribute kind is left out: it is letter for all pages." in after
    assert "By kind" not in text


def test_attributes_for_programs(table):
    arguments = TRUTH, PLAIN, "--attributes", table, "--error-rate", 0.05
    (model,) = json.loads(run(*arguments, "--format", "json").stdout)["models"]
    expected = figures()
    columns = expected.to_columns()
    assert [each["value"] for each in model["attributes"]] == ["clean", "worn"]
    for k, each in enumerate(model["attributes"]):
        assert each.keys() == columns.keys()
        for name, value in each.items():
            assert value == pytest.approx(columns[name][k]) if name != "value" else "clean worn"
    (row,) = csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").stdout))
    assert row["pages/attribute/state/worn"] == str(expected.pages[1])
    assert row["verdict/0.05/attribute/state/worn"] == expected.at[0].verdict[1]
    alone = run(*arguments, "--group", "none").stdout
    assert "for outputs that are independent of each other" in alone


def test_what_attributes_have_to_be(table, tmp_path):
    lines = table.read_text().splitlines()
    arguments = TRUTH, PLAIN, "--attributes", table

    def rows(*lines):
        table.write_text("\n".join(lines) + "\n")

    rows(*lines[:-2])
    said = refusal(*arguments)
    assert "no row for 2 pages that were read: " in said
    assert "worn_postcard_alps" in said
    assert "(--skip-unmatched leaves such pages out)" in said
    text = run(*arguments, "--skip-unmatched").stdout
    assert "has no row for 2 pages that were read: " in text
    rows(*lines, "other,worn,letter")
    assert "rows of 1 page that was not read: other" in refusal(*arguments)
    rows(*lines, lines[1])
    assert "has two or more rows for page" in refusal(*arguments)
    rows(*lines[:-1], lines[-1].replace("worn,", ","))
    assert "state is empty for 1 page" in refusal(*arguments)
    rows("file,state", "a,b")
    assert 'there is no column "page"; the columns are "file", "state"' in refusal(*arguments)
    fields = tmp_path / "fields.csv"
    fields.write_text("document,field,prediction,confidence,truth\n1,a,b,0.5,b\n")
    said = refusal(fields, "--attributes", table, "--review-pages", tmp_path / "new")
    assert f"--attributes is for pages, but {fields} is read as fields" in said


def test_a_page_of_each_page(tmp_path):
    text = run(TRUTH, PLAIN, ENLARGED, "--review-pages", tmp_path / "look").stdout
    assert f"{tmp_path / 'look'} has 20 pages: open one in a browser." in " ".join(text.split())
    page = (tmp_path / "look" / "invoice_4711.html").read_text()
    assert page.index(">enlarged<") < page.index(">plain<")  # the better one first
    assert "Errors that go through at confidence ≥" in page
    for folder, problem in (("look", "not empty"), ("look/invoice_4711.html", "is a file")):
        assert problem in refusal(TRUTH, PLAIN, "--review-pages", tmp_path / folder)


def test_reports_without_texts(tmp_path):
    report = tmp_path / "r.html"
    run(TRUTH, PLAIN, "--report", report)
    word = "Pettifer"
    assert word in report.read_text()
    assert "It contains texts of the pages." in report.read_text()
    run(TRUTH, PLAIN, "--report", report, "--no-text")
    text = report.read_text()
    shown = text[: text.index('<script type="application/json"')].partition("<body>")[2]
    assert "It holds texts" not in shown
    assert "The worst pages" not in shown
    assert "The most confident errors" in shown
    truth = " ".join(path.read_text() for path in sorted(TRUTH.iterdir()))
    ours = {"everything"}  # a word of the report itself
    assert not [each for each in {*truth.split()} - ours if len(each) > 9 and each in shown]
    assert "--no-text needs --report" in refusal(TRUTH, PLAIN, "--no-text")
    said = refusal(TRUTH, PLAIN, "--no-text", "--report", report, "--images", tmp_path)
    assert "--no-text cannot go with --images: leave out one of the two" in said
