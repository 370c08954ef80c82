"""What files hold, said before anything is computed of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import run

import fastarac as fa
from fastarac.ocr import FORMATS, OcrFileError, inspect_file, read, sample_folders

DATA = Path(__file__).parent / "data"
FOLDERS = sample_folders()


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_files_of_engines(path):
    found, words = inspect_file(path), read(path)
    assert found.holds == "words"
    assert found.format == FORMATS[words.source].title
    assert (found.n_items, found.n_pages) == (len(words), len(words.page_names))
    known = words.confidence[words.confidence == words.confidence]
    assert (found.lowest, found.highest) == (known.min(), known.max())
    assert found.n_distinct == len(set(known.tolist()))
    assert found.scale == {"percent": "0 to 100", "unit": "0 to 1"}[words.scale]
    assert {str(note) for note in words.notes} <= set(found.assumed)
    assert found.format in str(found)


def test_truths_tables_and_fields(tmp_path):
    (tmp_path / "p.txt").write_text("Total 12,50\nThanks\n")
    truth = inspect_file(tmp_path / "p.txt")
    assert (truth.holds, truth.n_items, truth.n_lines) == ("true words", 3, 2)
    (tmp_path / "t.csv").write_text("id,confidence\n1,0.5\n2,0.6\n")
    table = inspect_file(tmp_path / "t.csv")
    assert (table.holds, table.n_items, table.columns) == ("rows", 2, ("id", "confidence"))
    (tmp_path / "f.json").write_text('{"total": {"value": "9", "confidence": 0.5}, "due": "x"}')
    fields = inspect_file(tmp_path / "f.json")
    assert (fields.holds, fields.n_items, fields.n_without_confidence) == ("fields", 2, 1)
    assert "0.5 to 0.5, 1 different; 1 of 2 have none" in str(fields)


def test_what_the_engine_has_to_be_told(tmp_path):
    path = tmp_path / "p.hocr"
    path.write_text(
        '<html><body><div class="ocr_page"><span class="ocrx_word">a</span></div></body></html>'
    )
    found = inspect_file(path)
    assert found.n_without_confidence == 1
    assert "No word has a confidence" in found.assumed[-1]
    assert "kraken" in found.assumed[-1]


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "p.json").write_text('{"parsing_res_list": [], "page_index": 0}')
    with pytest.raises(OcrFileError, match="PaddleOCR-VL"):
        inspect_file(tmp_path / "p.json")
    with pytest.raises(fa.io.DataFileError, match="cannot be opened"):
        inspect_file(tmp_path / "none.tsv")


def test_a_folder_is_one_archive_of_pages(tmp_path):
    for folder, holds in ((FOLDERS.outputs["plain"], "words"), (FOLDERS.truth, "true words")):
        found, files = inspect_file(folder), [inspect_file(path) for path in folder.iterdir()]
        assert (found.path, found.format, found.holds) == (str(folder), files[0].format, holds)
        for count in ("n_items", "n_pages", "n_lines"):
            assert getattr(found, count) == sum(getattr(file, count) for file in files)
    assert f"fastarac ocr {FOLDERS.truth} ocr/" in run("inspect", FOLDERS.truth).stdout
    with pytest.raises(OcrFileError, match="has no file"):
        inspect_file(tmp_path)
    (tmp_path / "t.csv").write_text("confidence\n1\n")
    with pytest.raises(OcrFileError, match="hold rows, not pages; name the files, as in"):
        inspect_file(tmp_path)


def test_command(tmp_path):
    path = DATA / "surya.json"
    assert "Surya" in run("inspect", path).stdout
    found = json.loads(run("inspect", path, DATA / "textract.json", "--format", "json").stdout)
    assert [each["format"] for each in found["files"]] == ["Surya", "Amazon Textract"]
    refused = run("inspect", tmp_path / "none.tsv", code=2)
    assert "none.tsv" in refused.stderr
