"""Fields that services call otherwise than the truth does."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr import read_fields
from fastarac.ocr.fields.renaming import renamed
from fastarac.ocr.fields.rows import FieldFile, Row

TRUTH = {"document": "a1", "total": 12.5, "items": [{"name": "Lamp", "amount": 5}, {"name": "Nail"}]}
AZURE = {
    "modelId": "prebuilt-invoice",
    "documents": [
        {
            "fields": {
                "InvoiceTotal": {"type": "string", "content": "12.50", "confidence": 0.9},
                "Items": {
                    "type": "array",
                    "valueArray": [
                        {
                            "type": "object",
                            "valueObject": {
                                "Description": {"content": name, "confidence": 0.8},
                                **({"Amount": {"content": "5", "confidence": 0.7}} if k else {}),
                            },
                        }
                        for k, name in enumerate(("Nail", "Lamp"))
                    ],
                },
            }
        }
    ],
}
NAMES = {
    "InvoiceTotal": "total",
    "Items[].Description": "items[].name",
    "Items[].Amount": "items[].amount",
}


def fields_of(*names: str) -> FieldFile:
    path = Path("a1.json")
    rows = [Row("a1", name, path, name) for name in names]
    return FieldFile(path, rows, ("a1",), whole=True, kind="JSON")


def new_names(names: list[str], rename: dict[str, str]) -> list[str]:
    return [row.field for row in renamed(fields_of(*names), rename)[0].rows]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    (tmp_path / "a1.json").write_text(json.dumps(AZURE))
    return tmp_path


def test_the_names_of_a_service(files):
    compare = {"total": "amount"}
    fields = read_fields(files / "a1.json", files / "truth.json", compare=compare, rename=NAMES)
    assert fields.correct.all()
    names = ("total", "items[0].name", "items[0].amount", "items[1].name", "items.count")
    assert fields.field == names
    assert fields.confidence.tolist() == [0.9, 0.8, 0.7, 0.8, 0.7]
    assert fields.renamed == NAMES
    assert pickle.loads(pickle.dumps(fields)).renamed == NAMES
    table = files / "names.toml"
    table.write_text("\n".join(f'"{field}" = "{name}"' for field, name in NAMES.items()))
    again = read_fields(files / "a1.json", files / "truth.json", compare=compare, rename=table)
    assert (again.field, again.renamed) == (fields.field, fields.renamed)


@pytest.mark.parametrize(
    ("rename", "before", "after"),
    [
        ({"Items": "lines"}, ["Items[3].Amount", "Items[4]"], ["lines[3].Amount", "lines[4]"]),
        (
            {"Items": "a", "Items[].Amount": "b"},
            ["Items[1].Amount", "Items[1].Tax"],
            ["b[1]", "a[1].Tax"],
        ),
        ({"Item": "x"}, ["Items[0].Item", "Item.Item"], ["Items[0].Item", "x.Item"]),
        ({"line_item.amount": "items[].sum"}, ["line_item.amount"], ["items.sum"]),
        ({"TOTAL": "total"}, ["TOTAL[0]", "TOTAL[1]"], ["total[0]", "total[1]"]),
        ({"a[].b[].c": "x[].y"}, ["a[1].b[2].c[3]"], ["x[1].y[2][3]"]),
        ({"Items.Amount": "items.amount"}, ["Items[2].Amount"], ["items[2].amount"]),
        ({"Items.Amount": "amount"}, ["Items[2].Amount"], ["amount[2]"]),
        ({"Amount": "items.amount"}, ["Amount[2]"], ["items[2].amount"]),
        ({"a": "b", "b": "a"}, ["a", "b"], ["b", "a"]),
        ({}, ["a[1]"], ["a[1]"]),
        ({"absent": "a"}, ["b"], ["b"]),
    ],
)
def test_where_numbers_go(rename, before, after):
    assert new_names(before, rename) == after


path = st.lists(
    st.tuples(st.text("ab", min_size=1, max_size=2), st.none() | st.integers(0, 9)),
    min_size=1,
    max_size=3,
).map(lambda parts: ".".join(name + ("" if n is None else f"[{n}]") for name, n in parts))


@given(st.lists(path, max_size=6, unique=True), path)
def test_there_and_back(names, one):
    """A new name of its own, and the old one again: nothing is changed."""
    old = ".".join(part.partition("[")[0] for part in one.split("."))
    new = old.translate(str.maketrans("ab", "xy"))
    assert new_names(new_names(names, {old: new}), {new: old}) == names


def test_what_is_refused(files):
    (files / "bad.toml").write_text("a = 1")
    with pytest.raises(ValueError, match='a name such as "total"'):
        read_fields(files / "a1.json", files / "truth.json", rename=files / "bad.toml")
    for wrong in ("a=b", {"a": 1}):
        with pytest.raises(ValueError, match="a mapping from fields to their names in the truth"):
            read_fields(files / "a1.json", files / "truth.json", rename=wrong)
    clash = {"InvoiceTotal": "x", "Items[].Description": "x[]", "Items[].Amount": "x[]"}
    with pytest.raises(ValueError, match=r'field "x\[1\]" of document "a1" is already in'):
        read_fields(files / "a1.json", files / "truth.json", rename=clash)
    (files / "both.csv").write_text("document,field,prediction,confidence,truth\na,b,c,0.5,c\n")
    with pytest.raises(
        ValueError, match="rename needs a separate truth, but outputs and truth are in one"
    ):
        read_fields(files / "both.csv", rename={"a": "b"})
