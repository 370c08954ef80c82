"""Fields in the JSON of services and in nested JSON: responses of their shape, and what is refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from bench.study import invoices
from fastarac.ocr import OcrFileError, PairingError, has_fields, read_fields

AZURE = {
    "status": "succeeded",
    "analyzeResult": {
        "modelId": "prebuilt-invoice",
        "documents": [
            {
                "docType": "invoice",
                "fields": {
                    "VendorName": {
                        "type": "string",
                        "valueString": "Finch",
                        "content": "FINCH",
                        "confidence": 0.9,
                    },
                    "InvoiceDate": {
                        "type": "date",
                        "valueDate": "2026-11-22",
                        "content": "22/11/26",
                        "confidence": 0.8,
                    },
                    "InvoiceTotal": {
                        "type": "currency",
                        "valueCurrency": {
                            "amount": 1234.5,
                            "currencyCode": "EUR",
                            "currencySymbol": "€",
                        },
                        "content": "1.234,50 €",
                        "confidence": 0.7,
                    },
                    "Address": {
                        "type": "address",
                        "valueAddress": {"city": "York", "postalCode": "YO1"},
                        "content": "Mill Lane, York",
                        "confidence": 0.6,
                    },
                    "Paid": {
                        "type": "selectionMark",
                        "valueSelectionMark": "selected",
                        "content": ":selected:",
                        "confidence": 1,
                    },
                    "Pages": {"type": "integer", "valueInteger": 3, "confidence": 0.5},
                    "DueDate": {"type": "date"},
                    "Items": {
                        "type": "array",
                        "valueArray": [
                            {
                                "type": "object",
                                "confidence": 0.3,
                                "valueObject": {
                                    "Quantity": {
                                        "type": "number",
                                        "valueNumber": 2,
                                        "content": "2",
                                        "confidence": 0.4,
                                    }
                                },
                            }
                        ],
                    },
                },
            }
        ],
    },
}


def line_item(text, confidence):
    value = {"Text": text, "Confidence": confidence}
    item = {"LineItemExpenseFields": [{"Type": {"Text": "ITEM"}, "ValueDetection": value}]}
    return {"LineItems": [item]}


TEXTRACT = {
    "ExpenseDocuments": [
        {
            "SummaryFields": [
                {"Type": {"Text": "TOTAL"}, "ValueDetection": {"Text": "$12.50", "Confidence": 97.5}},
                {"Type": {"Text": "NAME"}, "ValueDetection": {"Text": "Finch", "Confidence": 90}},
                {"Type": {"Text": "NAME"}, "ValueDetection": {"Text": "Orpin", "Confidence": 80}},
                {
                    "Type": {"Text": "OTHER"},
                    "LabelDetection": {"Text": "Till no.:"},
                    "ValueDetection": {"Text": "7", "Confidence": 60},
                },
                {"Type": {"Text": "DUE_DATE"}, "ValueDetection": {"Text": "", "Confidence": 30}},
            ],
            "LineItemGroups": [
                {
                    "LineItems": [
                        {
                            "LineItemExpenseFields": [
                                {
                                    "Type": {"Text": "ITEM"},
                                    "ValueDetection": {"Text": "Lamp", "Confidence": 50},
                                }
                            ]
                        }
                    ]
                },
                {
                    "LineItems": [
                        {
                            "LineItemExpenseFields": [
                                {
                                    "Type": {"Text": "ITEM"},
                                    "ValueDetection": {"Text": "Desk", "Confidence": 40},
                                }
                            ]
                        }
                    ]
                },
            ],
        }
    ]
}
BLOCKS = [
    {"BlockType": "WORD", "Id": "w1", "Text": "Name", "Confidence": 99},
    {"BlockType": "WORD", "Id": "w2", "Text": "of:", "Confidence": 99},
    {"BlockType": "WORD", "Id": "w3", "Text": "Ana", "Confidence": 99},
    {"BlockType": "SELECTION_ELEMENT", "Id": "s1", "SelectionStatus": "SELECTED", "Confidence": 99},
    {
        "BlockType": "KEY_VALUE_SET",
        "Id": "k1",
        "EntityTypes": ["KEY"],
        "Relationships": [{"Type": "VALUE", "Ids": ["v1"]}, {"Type": "CHILD", "Ids": ["w1", "w2"]}],
    },
    {
        "BlockType": "KEY_VALUE_SET",
        "Id": "v1",
        "EntityTypes": ["VALUE"],
        "Confidence": 88.0,
        "Relationships": [{"Type": "CHILD", "Ids": ["w3", "s1"]}],
    },
    {
        "BlockType": "QUERY",
        "Id": "q1",
        "Query": {"Text": "What is the age?", "Alias": "AGE"},
        "Relationships": [{"Type": "ANSWER", "Ids": ["a1"]}],
    },
    {"BlockType": "QUERY_RESULT", "Id": "a1", "Text": "41", "Confidence": 77.0},
    {"BlockType": "QUERY", "Id": "q2", "Query": {"Text": "Where born?"}},
]
GOOGLE = {
    "document": {
        "text": "…",
        "entities": [
            {"type": "supplier_name", "mentionText": "Finch", "confidence": 0.9},
            {
                "type": "total_amount",
                "mentionText": "1.234,50",
                "confidence": 0.8,
                "normalizedValue": {
                    "text": "1234.5 EUR",
                    "moneyValue": {"currencyCode": "EUR", "units": "1234", "nanos": 500000000},
                },
            },
            {
                "type": "due_date",
                "mentionText": "3/4/26",
                "confidence": 0.7,
                "normalizedValue": {"dateValue": {"year": 2026, "month": 4, "day": 3}},
            },
            {
                "type": "line_item",
                "mentionText": "Lamp 2",
                "confidence": 0.1,
                "properties": [
                    {"type": "line_item/description", "mentionText": "Lamp", "confidence": 0.6},
                    {"type": "line_item/quantity", "mentionText": "2"},
                ],
            },
        ],
    }
}


def write(path, value):
    path.parent.mkdir(exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def read(tmp_path, output, truth, **options):
    return read_fields(
        write(tmp_path / "a.json", output), write(tmp_path / "t" / "a.json", truth), **options
    )


def table(fields):
    columns = fields.field, fields.prediction, fields.confidence.tolist(), fields.kind
    return {field: row for field, *row in zip(*columns, strict=True)}


def test_azure(tmp_path):
    truth = {
        "VendorName": "Finch",
        "InvoiceDate": "2026-11-22",
        "InvoiceTotal": 1234.50,
        "Address": "Mill Lane, York",
        "Paid": "selected",
        "Pages": 3,
        "DueDate": None,
        "Items": [{"Quantity": 3}],
    }
    ways = {"VendorName": "text", "*Date": "date", "InvoiceTotal": "amount", "Items[].*": "number"}
    fields = read(tmp_path, AZURE, truth, compare=ways)
    assert table(fields) == {
        "VendorName": ["FINCH", 0.9, "right"],
        "InvoiceDate": ["2026-11-22", 0.8, "right"],
        "InvoiceTotal": ["EUR 1234.5", 0.7, "right"],
        "Address": ["Mill Lane, York", 0.6, "right"],
        "Paid": ["selected", 1, "right"],
        "Pages": ["3", 0.5, "right"],
        "DueDate": [None, -1, "empty"],
        "Items[0].Quantity": ["2", 0.4, "wrong"],
        "Items.count": ["1", 0.4, "right"],
    }
    assert fields.correct.tolist() == [True] * 7 + [False, True]
    assert fields.document == ("a",) * 9
    # the text on the page, where that is asked for
    ways["InvoiceTotal"] = "amount:written"
    assert read(tmp_path, AZURE, truth, compare=ways).prediction[2] == "1.234,50 €"


def test_textract_expenses(tmp_path):
    truth = {
        "TOTAL": 12.5,
        "NAME": ["Orpin", "Finch"],
        "Till no.": "7",
        "DUE_DATE": "",
        "LineItems": [{"ITEM": "Desk"}, {"ITEM": "Lamp"}],
    }
    fields = read(tmp_path, TEXTRACT, truth, compare={"TOTAL": "amount"})
    assert fields.correct.all()
    assert table(fields) == {
        "TOTAL": ["$12.50", 97.5, "right"],
        "NAME[0]": ["Orpin", 80, "right"],
        "NAME[1]": ["Finch", 90, "right"],
        "Till no.": ["7", 60, "right"],
        "DUE_DATE": [None, -1, "empty"],
        "LineItems[0].ITEM": ["Desk", 40, "right"],
        "LineItems[1].ITEM": ["Lamp", 50, "right"],
        "LineItems.count": ["2", 40, "right"],  # as sure as the least sure value in its rows
        "NAME.count": ["2", 80, "right"],
    }
    assert fields.by.tolist()[1:3] == ["NAME[]", "NAME[]"]


@pytest.mark.parametrize("parts", [1, 2])
def test_textract_forms_and_queries(tmp_path, parts):
    output = [{"Blocks": BLOCKS[:4]}, {"Blocks": BLOCKS[4:]}] if parts == 2 else {"Blocks": BLOCKS}
    truth = {"Name of": "Ana SELECTED", "AGE": "41", "Where born?": "York"}
    assert table(read(tmp_path, output, truth)) == {
        "Name of": ["Ana SELECTED", 88, "right"],
        "AGE": ["41", 77, "right"],
        "Where born?": [None, -1, "missed"],
    }


def test_google(tmp_path):
    truth = {
        "supplier_name": "Finch",
        "total_amount": 1234.5,
        "due_date": "2026-04-03",
        "line_item": [{"description": "Lamp", "quantity": 2}],
    }
    ways = {"total_amount": "amount", "due_date": "date"}
    fields = read(tmp_path, GOOGLE, truth, compare=ways)
    assert table(fields) == {
        "supplier_name": ["Finch", 0.9, "right"],
        "total_amount": ["EUR 1234.5", 0.8, "right"],
        "due_date": ["2026-04-03", 0.7, "right"],
        "line_item[0].description": ["Lamp", 0.6, "right"],
        "line_item[0].quantity": ["2", -1, "right"],  # without a confidence
        "line_item.count": ["1", 0.6, "right"],
    }
    assert fields.correct.all()
    assert fields.notes == ("1 output without a confidence is rejected: line_item[0].quantity of a",)
    text = json.dumps(GOOGLE)
    snake = json.loads(
        re.sub(
            "(mention|normalized|money|date|currency)([TVC])", lambda m: f"{m[1]}_{m[2].lower()}", text
        )
    )
    assert table(read(tmp_path, snake, truth, compare=ways)) == table(fields)


def read_of(folder, response, truth):
    """Return the fields that are read of a response, and whether they are right."""
    (folder / "a1.json").write_text(json.dumps(response))
    (folder / "truth.json").write_text(json.dumps({"document": "a1"} | truth))
    return read_fields(folder / "a1.json", folder / "truth.json")


@pytest.mark.parametrize("spelling", ["keyValuePairs", "key_value_pairs"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_azure_key_value_pairs(tmp_path, spelling, wrapped):
    pairs = [
        {"key": {"content": "Total:"}, "value": {"content": "12.50"}, "confidence": 0.9},
        {"key": {"content": "Name"}, "confidence": 0.4},
        {"key": {"content": "Page"}, "value": {"content": "1"}, "confidence": 0.8},
        {"key": {"content": "Page"}, "value": {"content": "2"}, "confidence": 0.7},
    ]
    result = {"modelId": "prebuilt-layout", spelling: pairs}
    found = read_of(
        tmp_path,
        {"analyzeResult": result} if wrapped else result,
        {"Total": "12.50", "Name": "Finch", "Page": ["1", "2"]},
    )
    assert found.field == ("Total", "Name", "Page[0]", "Page[1]", "Page.count")
    assert found.correct.tolist() == [True, False, True, True, True]
    assert found.rejected.tolist() == [False, True, False, False, False]
    assert found.confidence[~found.rejected].tolist() == [0.9, 0.8, 0.7, 0.7]
    # those that a model knows go before
    known = {"fields": {"Total": {"type": "string", "content": "7", "confidence": 0.5}}}
    found = read_of(tmp_path, result | {"documents": [known]}, {"Total": "7"})
    assert found.prediction == ("7",)


def test_textract_identity_documents(tmp_path):
    def field(name, text, sure, **more):
        return {"Type": {"Text": name}, "ValueDetection": {"Text": text, "Confidence": sure, **more}}

    day = {"NormalizedValue": {"Value": "2018-02-25T00:00:00", "ValueType": "Date"}}
    fields = [
        field("FIRST_NAME", "MARIA", 98.5),
        field("MIDDLE_NAME", "", 99.0),
        field("DATE_OF_BIRTH", "25/02/2018", 97.25, **day),
    ]
    (tmp_path / "a1.json").write_text(
        json.dumps({"IdentityDocuments": [{"DocumentIndex": 1, "IdentityDocumentFields": fields}]})
    )
    truth = {"document": "a1", "FIRST_NAME": "MARIA", "MIDDLE_NAME": "", "DATE_OF_BIRTH": "2018-02-25"}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    compare = {"DATE_OF_BIRTH": "date"}
    found = read_fields(tmp_path / "a1.json", tmp_path / "truth.json", compare=compare)
    assert found.correct.all()
    assert found.rejected.tolist() == [False, True, False]
    assert found.confidence[[0, 2]].tolist() == [98.5, 97.25]


@pytest.mark.parametrize("inside", [True, False])
def test_google_form_fields(tmp_path, inside):
    text = "Name: Finch\nPaid\n"

    def part(begin, end, sure, **more):
        segment = {"endIndex": str(end)} | ({"startIndex": str(begin)} if begin else {})
        return {"textAnchor": {"textSegments": [segment], **more}, "confidence": sure}

    pages = [
        {"formFields": [{"fieldName": part(0, 5, 0.9), "fieldValue": part(6, 12, 0.8)}]},
        {
            "formFields": [
                {
                    "fieldName": part(12, 16, 0.9, content="Paid\n"),
                    "fieldValue": {"confidence": 0.7},
                    "valueType": "filled_checkbox",
                },
                {"fieldName": part(12, 16, 0.9, content="Due"), "valueType": ""},
            ]
        },
    ]
    document = {"text": text, "pages": pages}
    truth = {"Name": "Finch", "Paid": "filled_checkbox", "Due": "now"}
    found = read_of(tmp_path, {"document": document} if inside else document, truth)
    assert found.correct.tolist() == [True, True, False]
    assert found.rejected.tolist() == [False, False, True]
    assert found.confidence[:2].tolist() == [0.8, 0.7]
    pages[0]["formFields"][0]["fieldValue"] = part(6, 99, 0.8)
    with pytest.raises(OcrFileError, match="a part of the text, which has 17 characters"):
        read_of(tmp_path, {"document": document}, truth)


def test_nested_json_by_other_names(tmp_path):
    output = [
        {"document": "x", "fields": {"sum": {"v": 5, "p": 0.5}, "tags": {"v": ["b", "a"], "p": 0.4}}},
        {"document": "y", "sum": 7, "tags": [{"v": None, "p": 0.9}]},
    ]
    truth = '{"document": "x", "sum": 5, "tags": ["a"]}\n{"document": "y", "sum": 7.0, "tags": []}\n'
    fields = read(tmp_path, output, truth, value_key="v", confidence_key="p", compare={"sum": "number"})
    assert fields.document == ("x", "x", "x", "x", "y", "y")
    assert table(fields) == {
        "sum": ["7", -1, "right"],  # of y: its value has no confidence
        "tags[0]": ["a", 0.4, "right"],
        "tags[+0]": ["b", 0.4, "inserted"],
        "tags.count": ["0", -1, "right"],  # of y: nothing there has a confidence
    }
    assert fields.correct.tolist() == [True, True, False, False, True, True]


def test_what_the_truth_does_not_have(tmp_path):
    output = [
        {"document": "x", "a": {"value": "1", "confidence": 0.9}, "model": "m"},
        {"document": "y", "a": {"value": "1", "confidence": 0.8}},
        {"document": "z", "a": {"value": "1", "confidence": 0.7}},
    ]
    truth = [{"document": "x", "a": "1"}, {"document": "y", "b": "1"}]
    with pytest.raises(PairingError, match="2 outputs without a truth: model of x, a of z"):
        read(tmp_path, output, truth)
    fields = read(tmp_path, output, truth, skip_unmatched=True)
    assert fields.kind == ("right", "missed", "inserted")  # of y, which has no a
    assert fields.notes == (
        "2 outputs without a truth left out: model of x, a of z",
        "1 field without an output is rejected",
        "1 output without a matching true field is inserted, and wrong: a of y",
    )


def test_a_document_without_any_field_is_said(tmp_path):
    output = [{"document": "x", "a": {"value": "1", "confidence": 0.9}}, {"document": "y"}]
    fields = read(tmp_path, output, [{"document": "x", "a": "1"}, {"document": "y"}])
    assert fields.notes == (
        "1 document left out, because neither the truth nor the outputs have a field there: y",
    )


@pytest.mark.parametrize("service", invoices.SERVICES)
def test_invoices_of_each_service(tmp_path, service):
    made = invoices.make(40)
    truth, outputs, ways = invoices.write(tmp_path, made, service)
    fields = read_fields(outputs, truth, compare=ways)
    kinds, right, rejected = invoices.expected(made)
    assert {kind: fields.kind.count(kind) for kind in kinds} == kinds
    assert (int(fields.correct.sum()), int(fields.rejected.sum())) == (right, rejected)
    scale = 100 if service == "textract" else 1
    surest = max(r.confidence or 0 for each in made for r in each.fields.values())
    assert 0.9 * scale < surest * scale <= fields.confidence.max() <= scale
    assert has_fields(truth)
    assert len(fields.documents()) == 40


def leaf(confidence):
    return {"x": {"value": "1", "confidence": confidence}}


def deep(levels):
    value = {"value": "1", "confidence": 0.5}
    for _ in range(levels):
        value = {"x": value}
    return value


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (
            {"x": {"value": "1", "confidence": "high"}},
            'field "x" of document "a": confidence must be a finite',
        ),
        (leaf([1]), 'field "x" of document "a": confidence must be a finite'),
        (
            '{"x": {"value": "1", "confidence": Infinity}}',
            'field "x" of document "a": confidence must be a finite',
        ),
        ('{"x": 1, "x": 2}', 'an object has the key "x" twice'),
        (deep(40), "nested more than 32 levels deep"),
        ("[" * 5000, "it is nested too deeply"),
        (
            {"x.y": {"value": "1"}, "x": {"y": {"value": "2"}}},
            'field "x.y" of document "a" is already in x.y; keep one',
        ),
        ({" ": {"value": "1"}}, "it has a value whose name is blank"),
        ([{"x": 1}], '[0]: there are several documents, so "document" must name'),
        ('{"document": "b", "x": 1}\n{"document": "b", "x": 1}\n', 'document "b" is already in'),
        (
            {"pages": [{"words": [], "lines": []}], "content": ""},
            "it has words of pages but no fields; use the response of a",
        ),
        (AZURE | {"status": "failed"}, "status: the status must be that of a call that"),
        (
            {"status": "succeeded", "analyzeResult": {"modelId": "prebuilt-read"}},
            "there are neither documents with fields nor keyValuePairs; use",
        ),
        ({"Blocks": BLOCKS[:2]}, "there are no fields; use a response of AnalyzeExpense or"),
        ({"Blocks": [BLOCKS[0], BLOCKS[0]]}, "an Id that no other block has"),
        ({"Blocks": [BLOCKS[6]]}, '"a1", expected the Id of a block of the file'),
        (
            {"entities": [{"type": "x", "mentionText": "1", "confidence": 1.5}]},
            'field "x" of document "a": the confidence must be from 0 to',
        ),
        (
            {"entities": [{"type": "x", "mentionText": "1", "confidence": "0.5"}]},
            '"0.5", expected a number',
        ),
        ({"entities": [{"type": " ", "mentionText": "1"}]}, "an entity with a type"),
    ],
)
def test_outputs_that_are_wrong(tmp_path, output, message):
    with pytest.raises(OcrFileError, match=re.escape(message)):
        read(tmp_path, output, {"x": "1"})


def test_files_of_several_kinds_and_scales(tmp_path):
    truth = write(tmp_path / "truth.json", [{"document": name, "TOTAL": "1"} for name in "ab"])
    write(tmp_path / "o" / "a.json", TEXTRACT)
    write(tmp_path / "o" / "b.json", GOOGLE)
    with pytest.raises(OcrFileError, match=r"must be of one kind.*Textract \(a.json\), Google"):
        read_fields(tmp_path / "o", truth)
    names = "pqr"
    mixed = [
        {"document": d, **{name: {"value": "1", "confidence": c} for name in names}}
        for d, c in (("a", 0.9), ("b", 90))
    ]
    both = [{"document": d} | dict.fromkeys(names, "1") for d in "ab"]
    with pytest.raises(
        OcrFileError, match=r"(?s)all confidences of this document are at most 1.*90 in field"
    ):
        read(tmp_path, mixed, both)
    with pytest.raises(OcrFileError, match="it is JSON without a truth"):
        read_fields(truth)


def test_a_truth_that_its_comparison_cannot_read(tmp_path):
    message = 'field "x" of document "a": the truth is "soon", but the'
    with pytest.raises(OcrFileError, match=message):
        read(tmp_path, {"x": {"value": "1", "confidence": 1}}, {"x": "soon"}, compare="date")
    with pytest.raises(OcrFileError, match=message):
        read(tmp_path, {}, {"x": "soon"}, compare="date")


def test_items_out_of_order_in_a_table(tmp_path):
    rows = "document,field,{}\nd,items[0].name,{}\nd,items[1].name,{}\n"
    truth = write(tmp_path / "t.csv", rows.format("truth", "Lamp", "Desk"))
    read_rows = (
        rows.format("prediction,confidence", "Desk,0.9", "Lamb,0.8") + "d,items[7].name,Vase,0.7\n"
    )
    fields = read_fields(write(tmp_path / "o.csv", read_rows), truth)
    assert table(fields) == {
        "items[0].name": ["Lamb", 0.8, "wrong"],
        "items[1].name": ["Desk", 0.9, "right"],
        "items[+7].name": ["Vase", 0.7, "inserted"],
        "items.count": ["3", 0.7, "wrong"],
    }
    assert fields.by.tolist() == ["items[].name"] * 3 + ["items.count"]
    assert [(each.field, each.items) for each in fields.by_field(0.75)] == [
        ("items[].name", 3),
        ("items.count", 1),
    ]
    assert np.array_equal(fields.correct, [False, True, False, False])


def test_what_is_no_field(tmp_path):
    assert not has_fields(write(tmp_path / "t" / "page.txt", "[1] Total 12.50\n"))
    assert not has_fields(tmp_path / "t")
    assert not has_fields(write(tmp_path / "u" / "page.xml", "<alto/>"))
    assert has_fields(write(tmp_path / "v" / "a1.json", {"total": 1}).parent)
    (tmp_path / "w").mkdir()
    (tmp_path / "w/.git").mkdir()
    (tmp_path / "w/.git/a.json").write_text("{}")
    assert not has_fields(tmp_path / "w")
    with pytest.raises(OcrFileError, match="a folder without files"):
        read_fields(tmp_path / "w", tmp_path / "v")
