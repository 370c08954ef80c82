"""`fastarac apply` over files of an OCR engine: what it writes and prints, and what it refuses."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from commands import reason, run

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
    more = ["--pages", tmp_path / "p.csv", "--review-pages", tmp_path / "look"]
    report = ["--report", tmp_path / "r.html"]
    result = run("apply", policy, OCR, *goals, *more, *report)
    found = fa.ocr.apply_to_files(fa.operation.Policy.load(policy), OCR)
    n = found.applied
    said = " ".join(result.stdout.split())
    assert said.startswith(f"{n.accepted:,} of {n.n_items:,} outputs are accepted (")
    assert "look has 20 pages: open one in a browser." in said
    assert "the confidences have moved" in result.stderr
    assert len((tmp_path / "a.csv").read_text().splitlines()) == n.accepted + 1
    assert len((tmp_path / "r.csv").read_text().splitlines()) == n.rejected + 1
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 21
    assert len(list((tmp_path / "look").iterdir())) == 20
    assert (tmp_path / "r.html").exists()


def test_files_are_read_by_their_options(policy, tmp_path):
    goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
    shutil.copytree(OCR, tmp_path / "ocr")
    (tmp_path / "ocr" / "note.txt").write_text("my notes")
    assert "note.txt: line 1: it begins with" in reason("apply", policy, tmp_path / "ocr", *goals)
    lines = "--unit", "line", "--pattern", "*.tsv"
    run("apply", policy, tmp_path / "ocr", *lines, *goals)
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
        ([OCR], ["--by", "field"], f"--by is for tables, but {OCR} is read as OCR"),
        ([OCR], ["--confidence", "c"], "--confidence is for tables"),
        ([table], ["--pages", a], f"--pages is for OCR, but {table} is read as a table"),
        ([table], ["--unit", "line"], "--unit is for OCR"),
        ([OCR], ["--images", full], "--images is given without --review-pages"),
        ([OCR], ["--review-pages", full], "full: the folder is not empty"),
        ([OCR], ["--pages", tmp_path / "p.doc"], "--pages: "),
        ([OCR], ["--review-pages", tmp_path / "l", "--images", full], "full holds no image"),
        ([OCR], ["--pattern", "*.xml"], "none of the 20 files in"),
        ([OCR, OCR], [], "20 names of pages occur more than once: "),
        ([tmp_path / "no"], [], "no: it cannot be opened: No such file"),
        ([full], [], "no word is on 1 page"),
    ):
        assert message in reason("apply", policy, *paths, *options, *both)
        assert not a.exists()
        assert not r.exists()
    same = reason("apply", policy, OCR, "-o", a, "--review", a)
    assert f"--output is '{a}' and --review is '{a}'; different files are expected" in same
