"""Policies over an engine's files: decisions of a slow reference, pages that add up, clear refusals."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import duckdb
import numpy as np
import pytest

import fastarac as fa
from fastarac.io import DataFileError
from fastarac.ocr import NoConfidenceError, PairingError, apply_to_files

POLICY = fa.operation.fit_policy(
    np.r_[np.zeros(400), np.ones(600)], np.arange(1000) / 10.0, max_error_rate=0.005
)
COLUMNS = ["page", "number", "box", "text", "confidence", "accepted"]


def hocr(words, size=(800, 600)):
    """An hOCR page of (text, confidence or None, line) in rising order of their lines."""
    found = []
    for line in dict.fromkeys(word[2] for word in words):
        inside = "".join(
            f"<span class='ocrx_word' title='bbox {10 * i} {20 * line} {10 * i + 9} {20 * line + 15}"
            f"{'' if sure is None else f'; x_wconf {sure}'}'>{text}</span> "
            for i, (text, sure, at) in enumerate(words)
            if at == line
        )
        found.append(f"<span class='ocr_line' title='bbox 0 {20 * line} 800 9'>{inside}</span>")
    box = f"bbox 0 0 {size[0]} {size[1]}"
    return f"<html><body><div class='ocr_page' title='{box}'>{''.join(found)}</div></body></html>"


def easyocr(*lines):
    box = [[0, 0], [90, 0], [90, 20], [0, 20]]
    return json.dumps([[box, text, sure] for text, sure in lines])


def random_pages(seed, folder):
    """Write pages; return what each word is, as (page, number, box, text, confidence)."""
    rng = np.random.default_rng(seed)
    rows = []
    for page in range(4):
        n = int(rng.integers(2, 30))
        sure = [None if k and rng.random() < 0.1 else int(rng.integers(1, 96)) for k in range(n)]
        lines = np.sort(rng.integers(0, 5, n)).tolist()
        words = [(f"w{page}-{k}", sure[k], lines[k]) for k in range(n)]
        (folder / f"p{page}.hocr").write_text(hocr(words))
        for k, (text, confidence, line) in enumerate(words):
            box = f"{10 * k} {20 * line} {10 * k + 9} {20 * line + 15}"
            rows.append((f"p{page}", k + 1, box, text, confidence))
    return rows


def saved(found, folder, ending=".csv", **more):
    goals = {name: folder / f"{name}{ending}" for name in ("accepted", "review", *more)}
    found.save(**goals)
    return goals


def read(path):
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        return header, [
            (page, int(n), box, text, float(sure) if sure else None, accepted == "true")
            for page, n, box, text, sure, accepted in rows
        ]
    query = duckdb.connect().sql(f"SELECT * FROM '{path}'")
    return query.columns, query.fetchall()


@pytest.mark.parametrize("seed", range(5))
def test_decisions_are_those_of_a_loop_over_the_words(tmp_path, seed):
    (ocr := tmp_path / "ocr").mkdir()
    rows = random_pages(seed, ocr)
    found = apply_to_files(POLICY, ocr)
    (threshold,) = POLICY.thresholds
    ending = (".csv", ".jsonl", ".parquet")[seed % 3]
    goals = saved(found, tmp_path, ending)
    for name, which in (("accepted", True), ("review", False)):
        header, got = read(goals[name])
        expected = [
            (*row, which) for row in rows if (row[4] is not None and row[4] >= threshold) == which
        ]
        assert list(header) == COLUMNS
        assert got == expected
    assert len(found) == len(rows)
    counts = found.pages
    for i, page in enumerate(counts.page):
        own = [row for row in rows if row[0] == page]
        taken = sum(row[4] is not None and row[4] >= threshold for row in own)
        assert (counts.outputs[i], counts.accepted[i], counts.review[i]) == (
            len(own), taken, len(own) - taken,
        )  # fmt: skip
    assert math.isclose(counts.expected_errors.sum(), found.applied.expected_errors)
    expected = POLICY.expected_errors([found.applied.accepted])
    assert found.applied.expected_errors == expected.estimate


def test_a_table_of_all_outputs_is_divided_alike(tmp_path):
    (ocr := tmp_path / "ocr").mkdir()
    rows = random_pages(7, ocr)
    found = apply_to_files(POLICY, ocr)
    table = tmp_path / "all.csv"
    lines = [f"{page},{'' if sure is None else sure}" for page, _, _, _, sure in rows]
    table.write_text("page,confidence\n" + "\n".join(lines) + "\n")
    goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
    done = fa.operation.apply_policy(POLICY, table, **goals, empty_confidence=True)
    assert str(done) == str(found)
    assert (done.expected_errors, done.expected_low) == (
        found.applied.expected_errors, found.applied.expected_low,
    )  # fmt: skip


def test_pages_have_a_table_and_blank_ones_are_in_it(tmp_path):
    (tmp_path / "a.hocr").write_text(hocr([("one", 90, 0), ("two", 1, 0)]))
    (tmp_path / "b.hocr").write_text(hocr([]))
    found = apply_to_files(POLICY, [tmp_path / "a.hocr", tmp_path / "b.hocr"])
    assert found.files == (str(tmp_path / "a.hocr"), str(tmp_path / "b.hocr"))
    assert any("1 page without a word: b" in note for note in found.notes)
    goals = saved(found, tmp_path, pages=True)
    header, *rows = (tmp_path / "pages.csv").read_text().splitlines()
    assert header == "page,outputs,accepted,review,expected_errors"
    assert [row.split(",")[:4] for row in rows] == [["a", "2", "1", "1"], ["b", "0", "0", "0"]]
    assert list(goals) == ["accepted", "review", "pages"]


def test_lines_and_characters_are_outputs_as_they_are_items(tmp_path):
    path = tmp_path / "a.hocr"
    path.write_text(hocr([("one", 90, 0), ("two", 70, 0), ("three", 20, 1)]))
    lines = apply_to_files(POLICY, path, unit="line")
    assert lines.text == ("one two", "three")
    assert lines.confidence.tolist() == [70, 20]
    assert lines.box[0].tolist() == [0, 0, 19, 15]
    assert apply_to_files(POLICY, path, unit="line", join="max").confidence.tolist() == [90, 20]
    path.write_text(hocr([("東京", 90, 0), ("at", 20, 0)]))
    found = apply_to_files(POLICY, path)
    assert found.text == ("東", "京", "at")
    assert found.accepted.tolist() == [True, True, False]
    assert found.space.tolist() == [False, False, True]
    assert (found.box[0] == found.box[1]).all()


def test_pages_of_a_file_and_of_subfolders_keep_their_names(tmp_path):
    for name in "xy":
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.hocr").write_text(hocr([("one", 90, 0)]))
    assert apply_to_files(POLICY, tmp_path).page_names == ("x/p", "y/p")
    with pytest.raises(PairingError, match=r"1 page name occurs more than once: .*p\.hocr"):
        apply_to_files(POLICY, [tmp_path / "x", tmp_path / "y"])
    (tmp_path / "x" / "p.json").write_text(easyocr(("one", 0.9)))
    with pytest.raises(PairingError, match="Choose files by a pattern"):
        apply_to_files(POLICY, tmp_path / "x")
    assert len(apply_to_files(POLICY, tmp_path / "x", pattern="*.hocr")) == 1


def test_what_has_no_decision_is_refused(tmp_path):
    path = tmp_path / "a.hocr"
    path.write_text(hocr([("one", 90, 0)]))
    by = np.repeat(["date", "name"], 500)
    values = np.arange(1000) / 10.0
    fields = fa.operation.fit_policy(np.ones(1000), values, by=by, max_error_rate=0.05)
    with pytest.raises(ValueError, match=r"has a threshold for each field \(date, name\)"):
        apply_to_files(fields, path)
    whole = fa.operation.fit_policy(
        np.ones(1000), values, by=by, documents=np.arange(1000) // 2, max_error_rate=0.05
    )
    with pytest.raises(ValueError, match="accepts whole documents"):
        apply_to_files(whole, path)
    with pytest.raises(
        TypeError, match=r"policy must be a Policy, as Policy\.load reads it from a file"
    ):
        apply_to_files(0.9, path)
    with pytest.raises(ValueError, match="unit is 'field'"):
        apply_to_files(POLICY, path, unit="field")
    (tmp_path / "none.hocr").write_text(hocr([("one", None, 0), ("two", None, 0)]))
    with pytest.raises(NoConfidenceError, match=r"none of the 2 words of .*none\.hocr"):
        apply_to_files(POLICY, tmp_path)
    (empty := tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="empty has no file"):
        apply_to_files(POLICY, empty)
    (tmp_path / "blank.hocr").write_text(hocr([]))
    with pytest.raises(ValueError, match=r"a word \(1 page\); use outputs of an engine"):
        apply_to_files(POLICY, tmp_path / "blank.hocr")
    (tmp_path / "b.json").write_text(easyocr(("one", 0.9)))
    with pytest.raises(ValueError, match="the confidences of"):
        apply_to_files(POLICY, [path, tmp_path / "b.json"])
    (tmp_path / "many.json").write_text(easyocr(*((f"w{i}", i / 100) for i in range(100))))
    narrow = fa.operation.fit_policy(np.ones(1000), 50 + values, max_error_rate=0.05)
    with pytest.raises(DataFileError, match="the confidences run from"):
        apply_to_files(narrow, tmp_path / "many.json")


def test_tables_are_whole_or_not_there(tmp_path):
    path = tmp_path / "a.hocr"
    path.write_text(hocr([("one", 90, 0)]))
    found = apply_to_files(POLICY, path)
    good = {"accepted": tmp_path / "a.csv", "review": tmp_path / "r.csv"}
    for wrong, error, message in (
        ({"review": tmp_path / "a.csv"}, ValueError, "must be different files, got"),
        (
            {"pages": tmp_path / "a.csv"},
            ValueError,
            rf"and pages must be different files, got '{re.escape(str(tmp_path))}",
        ),
        ({"pages": tmp_path / "p.doc"}, ValueError, r"pages must end in one of \.csv, \.tsv, \.jsonl,"),
        ({"review": tmp_path / "no" / "r.csv"}, OSError, "no/r.csv"),
    ):
        with pytest.raises(error, match=message):
            found.save(**good | wrong)
        assert [each.name for each in tmp_path.iterdir()] == ["a.hocr"]
    source = tmp_path / "a.csv"
    path.rename(source)
    with pytest.raises(ValueError, match="which is also an input file"):
        apply_to_files(POLICY, source).save(**good)


@pytest.mark.parametrize(
    ("name", "content", "is_ocr"),
    [
        ("a.tsv", "level\tpage_num\tblock_num\n", True),
        ("a.tsv", "confidence\tid\n", False),
        ("a.json", "[]", True),
        ("a.jsonl", '{"confidence": 1}', False),
        ("a.JSONL.gz", "\x1f\x8b", False),
        ("a.xml", "<alto/>", True),
        ("a.csv", "confidence\n", False),
    ],
)
def test_which_files_are_of_an_engine(tmp_path, name, content, is_ocr):
    path = Path(tmp_path, name)
    path.write_text(content)
    assert fa.ocr.is_engine_output(path) is is_ocr
    assert fa.ocr.is_engine_output(tmp_path)
