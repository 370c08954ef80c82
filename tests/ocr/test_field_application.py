"""Policies of fields over services' files: the rule tried document by document, names, and refusals."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import fastarac as fa
from bench.study import invoices
from fastarac.io import DataFileError
from fastarac.io._cells import safe_cells
from fastarac.ocr import OcrFileError, PairingError, apply_to_fields, read_fields
from fastarac.ocr.fields.application import are_documents

FIELDS = ("total", "po")


def policy_of(fields=FIELDS, **options):
    """A policy of fields, of which those below 0.2 are wrong."""
    n = 800
    confidence = np.repeat(np.arange(n) / n, len(fields))
    options = {"documents": np.repeat(np.arange(n), len(fields)), "max_error_rate": 0.05} | options
    return fa.operation.fit_policy(confidence > 0.2, confidence, by=np.tile(fields, n), **options)


POLICY = policy_of()


def leaf(value, confidence):
    return {"value": value, "confidence": confidence}


def write(folder, documents, name="new.jsonl"):
    lines = [json.dumps({"document": key} | fields) for key, fields in documents.items()]
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


def rows_of(found):
    every = zip(found.document, found.field, found.prediction, found.accepted.tolist(), strict=True)
    return {(document, field): row for document, field, *row in every}


def test_a_document_that_lacks_a_required_field_goes_to_people(tmp_path):
    path = write(
        tmp_path,
        {
            "whole": {"total": leaf("7", 0.9), "po": leaf("A", 0.95)},
            "lacks": {"total": leaf("7", 0.99)},
            "null": {"total": leaf("7", 0.99), "po": leaf(None, 0.9)},
            "unsure": {"total": leaf("7", 0.99), "po": {"value": "B"}},
            "none": {},
            "low": {"total": leaf("7", 0.01), "po": leaf("A", 0.9)},
            "unknown": {"total": leaf("7", 0.9), "po": leaf("A", 0.9), "tip": leaf("1", 0.0)},
        },
    )
    found = apply_to_fields(POLICY, path)
    accepted = {document for (document, _), (_, yes) in rows_of(found).items() if yes}
    assert accepted == {"whole", "unknown"}
    assert rows_of(found)["lacks", "po"] == [None, False]
    assert rows_of(found)["unsure", "po"] == ["B", False]
    assert ("unknown", "tip") not in rows_of(found)
    counts = found.applied
    assert (counts.n_documents, counts.accepted_documents) == (7, 2)
    assert (counts.n_items, counts.accepted, counts.unknown_fields) == (10, 4, 1)
    assert found.notes == (
        "1 output of fields that the policy does not know is left out: tip",
        "1 document without any output goes to people: none",
    )
    assert repr(found) == "AppliedFields(4 of 10 outputs of 7 documents accepted)"
    assert str(found) == str(counts)


def test_the_tables_have_a_row_for_each_field_of_each_document(tmp_path):
    path = write(
        tmp_path, {"a": {"total": leaf("7", 0.9), "po": leaf("A", 0.9)}, "b": {"po": leaf("", 0.9)}}
    )
    yes, no = tmp_path / "yes.csv", tmp_path / "no.jsonl"
    apply_to_fields(POLICY, path).save(accepted=yes, review=no)
    rows = list(csv.DictReader(yes.read_text().splitlines()))
    nowhere = {"page": "", "box": ""}
    known = {"id": "a:total", "document": "a", "field": "total", "prediction": "7"}
    assert rows[0] == known | nowhere | {"confidence": "0.9", "accepted": "true"}
    lines = [json.loads(line) for line in no.read_text().splitlines()]
    rest = {"document": "b", "page": None, "box": None, "accepted": False}
    assert lines == [
        {"id": "b:po", "field": "po", "prediction": "", "confidence": 0.9} | rest,
        {"id": "b:total", "field": "total", "prediction": None, "confidence": None} | rest,
    ]
    assert list(lines[0]) == list(rows[0])
    with pytest.raises(ValueError, match="which is also an input file: choose another name"):
        apply_to_fields(POLICY, path).save(accepted=path, review=no)


def test_cells_of_the_tables_are_no_formulas_where_that_is_asked_for(tmp_path):
    path = write(tmp_path, {"a": {"total": leaf("=1+1", 0.9), "po": leaf("-7", 0.9)}})
    found, yes, no = apply_to_fields(POLICY, path), tmp_path / "yes.csv", tmp_path / "no.csv"
    with safe_cells(safe=True):
        found.save(accepted=yes, review=no)
    rows = csv.DictReader(yes.read_text().splitlines())
    assert [row["prediction"] for row in rows] == ["'=1+1", "-7"]


AZURE = {
    "modelId": "m",
    "documents": [
        {
            "fields": {
                "total": {
                    "content": "7",
                    "confidence": 0.9,
                    "boundingRegions": [{"pageNumber": 2, "polygon": [1, 2, 3, 2, 3, 4.5, 1, 4]}],
                },
                "po": {
                    "content": "A",
                    "confidence": 0.9,
                    "boundingRegions": [{"pageNumber": 1, "polygon": [{"x": 1, "y": 2}, {"x": 3}]}],
                },
            }
        }
    ],
}
BOX = {"Geometry": {"BoundingBox": {"Left": 0.25, "Top": 0.5, "Width": 0.125, "Height": 0.25}}}
TEXTRACT = {
    "ExpenseDocuments": [
        {
            "SummaryFields": [
                {
                    "Type": {"Text": name},
                    "ValueDetection": {"Text": "7", "Confidence": 0.9, **place},
                    "PageNumber": 3,
                }
                for name, place in (("total", BOX), ("po", {"Geometry": {"BoundingBox": 7}}))
            ]
        }
    ]
}
POLYGON = {"normalizedVertices": [{"y": 0.5}, {"x": 0.25, "y": 0.75}]}
GOOGLE = {
    "entities": [
        {"type": "total", "mentionText": "7", "confidence": 0.9, "pageAnchor": {"pageRefs": [place]}}
        for place in ({"page": "1", "boundingPoly": POLYGON},)
    ]
    + [{"type": "po", "mentionText": "A", "confidence": 0.9, "pageAnchor": {"pageRefs": [{}]}}]
}


@pytest.mark.parametrize(
    ("response", "total", "po"),
    [
        (AZURE, (2, "1 2 3 4.5"), (1, "1 0 3 2")),
        (TEXTRACT, (3, "0.25 0.5 0.375 0.75"), (3, None)),
        (GOOGLE, (2, "0 0.5 0.25 0.75"), (1, None)),
        ({"total": leaf("7", 0.9), "po": leaf("A", 0.9)}, (None, None), (None, None)),
    ],
)
def test_where_fields_stand(tmp_path, response, total, po):
    (tmp_path / "a.json").write_text(json.dumps(response))
    found = apply_to_fields(POLICY, tmp_path / "a.json")
    assert dict(zip(found.field, found.position, strict=True)) == {"total": total, "po": po}
    found.save(accepted=tmp_path / "a.jsonl", review=tmp_path / "r.jsonl")
    first = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert (first["page"], first["box"]) == total


def test_one_threshold_for_each_field(tmp_path):
    policy = policy_of(documents=None)
    path = write(tmp_path, {"a": {"total": leaf("7", 0.9), "po": leaf("A", 0.1)}})
    found = apply_to_fields(policy, path)
    assert rows_of(found) == {("a", "total"): ["7", True], ("a", "po"): ["A", False]}
    assert found.applied.n_documents is None
    assert [(each.field, each.n_items, each.accepted) for each in found.applied.fields] == [
        ("po", 1, 0),
        ("total", 1, 1),
    ]
    assert found.applied.expected_errors == pytest.approx(
        sum(each.expected_errors for each in found.applied.fields)
    )


@pytest.mark.slow
@pytest.mark.parametrize("service", ["azure", "textract"])
def test_what_apply_lets_through_is_what_the_policy_says_of_the_same_items(tmp_path, service):
    """From a service's files, with and without their truth: one rule, one figure."""
    made = invoices.make(100)
    truth, outputs, ways = invoices.write(tmp_path, made, service)
    items = read_fields(outputs, truth, compare=ways)
    whole = ~items.documents().rejected[np.unique(items.groups, return_inverse=True)[1]]
    policy = fa.operation.fit_policy(
        items.correct[whole], items.confidence[whole], by=items.by[whole],
        documents=items.groups[whole], max_error_rate=0.5, failure_probability=0.5,
    )  # fmt: skip
    found = apply_to_fields(policy, outputs)
    accepted = {document for (document, _), (_, yes) in rows_of(found).items() if yes}
    assert 0 < len(accepted) < 100
    # the rule in words: all fields are there, and the product of 1 - p is at the threshold
    chance = 1 - policy.error_probability(np.where(items.rejected, 0, items.confidence), by=items.by)
    for document in dict.fromkeys(items.document):
        mine = (items.groups == document) & ~items.rejected
        has = set(items.by[mine].tolist())
        score = float(np.prod(np.sort(chance[mine])))
        through = has == set(policy.fields) and score >= policy.document_threshold
        unsure = {
            name
            for name, gone, read in zip(items.name, items.rejected, items.prediction, strict=True)
            if gone and read is not None
        }
        if not unsure:
            assert (document in accepted) == through
    # rows of the same documents, read with their truth
    known = {
        (document, name): prediction
        for document, name, prediction in zip(items.document, items.name, items.prediction, strict=True)
        if name.endswith(".count")
    }
    applied = {
        (document, field): prediction
        for (document, field), (prediction, _) in rows_of(found).items()
        if field.endswith(".count")
    }
    assert applied == known


def test_rows_are_counted_by_the_names_of_the_policy(tmp_path):
    policy = policy_of(("items[].name", "items.count"))
    names = [leaf("Lamp", 0.9), leaf("Desk", 0.7)]
    path = write(
        tmp_path,
        {
            "two": {"Lines": [{"Name": name, "Tax": leaf("1", 0.1)} for name in names]},
            "none": {"Lines": []},
            "tax": {"Lines": [{"Tax": leaf("1", 0.9)}]},  # which the policy does not know
        },
    )
    assert are_documents(path, policy)
    found = apply_to_fields(policy, path, rename={"Lines": "items", "Lines[].Name": "items[].name"})
    rows = rows_of(found)
    assert rows["two", "items.count"][0] == "2"
    assert found.confidence[found.field.index("items.count")] == 0.7
    assert rows["none", "items.count"][0] is None
    assert rows["tax", "items.count"][0] is None
    assert found.name[: len(names)] == ("items[].name",) * 2


def test_refusals(tmp_path):
    with pytest.raises(TypeError, match=r"a Policy, as Policy\.load reads it from a file"):
        apply_to_fields("policy.json", tmp_path)
    plain = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    path = write(tmp_path, {"a": {"total": leaf("7", 0.9), "po": leaf("A", 0.9)}})
    with pytest.raises(
        ValueError, match="the policy has no fields, but the documents do; use a policy fitted"
    ):
        apply_to_fields(plain, path)
    with pytest.raises(PairingError, match="1 name of documents occurs more than once: a"):
        apply_to_fields(POLICY, [path, path])
    other = write(tmp_path, {"z": {"sum": leaf("7", 0.9)}}, "other.jsonl")
    with pytest.raises(
        ValueError, match=r"none of the policy's fields \(po, total\) has an output with a"
    ):
        apply_to_fields(POLICY, other)
    percent = write(
        tmp_path, {f"d{i}": {"total": leaf("7", 90 + i % 9), "po": leaf("A", 95)} for i in range(40)}
    )
    with pytest.raises(DataFileError, match="the confidences run from"):
        apply_to_fields(POLICY, percent)
    azure = {"modelId": "m", "documents": [{"fields": {"total": {"content": "7", "confidence": 0.9}}}]}
    (tmp_path / "a.json").write_text(json.dumps(azure))
    with pytest.raises(
        OcrFileError, match="all files must be of one kind, because other kinds have other"
    ):
        apply_to_fields(POLICY, [other, tmp_path / "a.json"])


def test_tables_are_documents_where_their_rows_have_numbers(tmp_path):
    policy = policy_of(("items[].name", "items.count"))
    rows = "document,field,prediction,confidence\na,{},Lamp,0.9\n"
    (tmp_path / "numbered.csv").write_text(rows.format("items[0].name"))
    (tmp_path / "plain.csv").write_text(rows.format("items[].name"))
    assert are_documents(tmp_path / "numbered.csv", policy)
    assert not are_documents(tmp_path / "plain.csv", policy)
    assert not are_documents(tmp_path / "numbered.csv", POLICY)
    (tmp_path / "rows.jsonl").write_text('{"field": "total", "confidence": 0.5}\n')
    assert not are_documents(tmp_path / "rows.jsonl", POLICY)
    found = apply_to_fields(policy, tmp_path / "numbered.csv")
    assert rows_of(found)["a", "items.count"][0] == "1"
