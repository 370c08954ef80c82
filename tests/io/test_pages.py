"""Columns of pages that nobody named."""

from __future__ import annotations

import json

import pytest

from fastarac.io._pages import Candidate, column_of_pages, names_pages


@pytest.mark.parametrize(
    "name",
    ["page", "Pages", "doc_id", "document", "DocumentID", "imagePath", "image name", "file", "Filename",
     "page-no", "scan", "sheet", "batch_number"],
)  # fmt: skip
def test_names_of_pages(name):
    assert names_pages(name)


@pytest.mark.parametrize(
    "name",
    ["id", "line", "field", "page_count", "document_type", "file_size", "image_width", "batch_size",
     "language", "homepage", "profile", "", "document_confidence", "pages_correct"],
)  # fmt: skip
def test_names_of_other_things(name):
    assert not names_pages(name)


def found(tmp_path, columns, used=(), suffix=".csv"):
    path = tmp_path / f"outputs{suffix}"
    rows = list(zip(*columns.values(), strict=True))
    if suffix == ".jsonl":
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    else:
        lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return column_of_pages(path, used)


def test_values_that_repeat(tmp_path):
    pages = [f"p{k // 4}" for k in range(80)]
    columns = {"confidence": [0.5] * 80, "page": pages}
    for suffix in (".csv", ".jsonl"):
        assert found(tmp_path, columns, suffix=suffix) == Candidate("page", 20, 80)
    assert found(tmp_path, columns, {"page"}) is None
    assert found(tmp_path, {"page": list(range(80))}) is None  # one an output
    assert found(tmp_path, {"page": [1] * 80}) is None
    assert found(tmp_path, {"page": ["", *pages[1:]], "x": [1] * 80}) is None  # not all have one
    assert found(tmp_path, {"page": [[k // 4] for k in range(80)]}, suffix=".jsonl") is None
    assert column_of_pages(tmp_path / "none.csv", ()) is None
    assert column_of_pages(tmp_path, ()) is None


def test_the_coarsest_of_several(tmp_path):
    columns = {"page": [k // 2 for k in range(80)], "document": [k // 8 for k in range(80)]}
    assert found(tmp_path, columns) == Candidate("document", 10, 80)
    columns["document"] = [k // 20 for k in range(80)]  # too few to say how much documents differ
    assert found(tmp_path, columns) == Candidate("page", 40, 80)
