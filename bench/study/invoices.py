"""Invoices with eight fields and line items, as four kinds of services would have read them.

``python -m bench.study.invoices FOLDER`` writes, for each service, a folder of responses, a file of
true values and a file of comparisons. What becomes of each field is drawn, and known: `Expected`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FIELDS = ("vendor", "number", "date", "due", "order", "net", "tax", "total")
COLUMNS = ("description", "quantity", "amount")
WAYS = {"date": "date", "due": "date", "net": "amount", "tax": "amount", "total": "amount",
        "quantity": "number", "amount": "amount"}  # fmt: skip
NAMES = {  # of the fields, of the list, and of its columns
    "azure": (
        [
            "VendorName",
            "InvoiceId",
            "InvoiceDate",
            "DueDate",
            "PurchaseOrder",
            "SubTotal",
            "TotalTax",
            "InvoiceTotal",
        ],
        "Items",
        ("Description", "Quantity", "Amount"),
    ),
    "textract": (
        [
            "VENDOR_NAME",
            "INVOICE_RECEIPT_ID",
            "INVOICE_RECEIPT_DATE",
            "DUE_DATE",
            "PO_NUMBER",
            "SUBTOTAL",
            "TAX",
            "TOTAL",
        ],
        "LineItems",
        ("ITEM", "QUANTITY", "PRICE"),
    ),
    "google": (
        [
            "supplier_name",
            "invoice_id",
            "invoice_date",
            "due_date",
            "purchase_order",
            "net_amount",
            "total_tax_amount",
            "total_amount",
        ],
        "line_item",
        ("description", "quantity", "amount"),
    ),
    "json": (FIELDS, "items", COLUMNS),
}
SERVICES = tuple(NAMES)
FIRMS = ("Harrow & Finch", "Mill Lane Supplies", "Orpin GmbH", "Tally Brothers", "Quill and Co.")
GOODS = (
    *("Oak desk", "Desk lamp", "Copper wire, 5 m", "Paper A4", "Steel screws"),
    *("Blue paint", "Coffee beans", "Window glass", "Printer ink", "Garden hose"),
)
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


class Reading(NamedTuple):
    """What a service read of one value; what became of it is `kind`."""

    text: str | None
    value: str | None
    confidence: float | None
    kind: str


@dataclass
class Invoice:
    """An invoice, true and read.

    `extra` are line items that are not there, read all the same, and `order` is that in which the
    others were read, without those that were not.
    """

    name: str
    truth: dict[str, Any]
    fields: dict[str, Reading]
    items: list[dict[str, Reading]]
    order: list[int]
    extra: list[dict[str, Reading]] = field(default_factory=list)


class Expected(NamedTuple):
    """How many fields there are of each kind (`FieldOutputs.kind`), right ones, and rejected ones."""

    kinds: Counter[str]
    right: int
    rejected: int


def make(n: int = 200, seed: int = 1) -> list[Invoice]:
    """Return invoices that are always the same for a seed."""
    rng = np.random.default_rng(seed)
    invoices = []
    for number in range(n):
        goods = rng.choice(len(GOODS), rng.integers(1, 6), replace=False)
        items = []
        for good in goods:
            quantity, price = int(rng.integers(1, 20)), int(rng.integers(150, 90_000))
            items.append({"description": GOODS[good], "quantity": quantity, "amount": quantity * price})
        net = sum(item["amount"] for item in items)
        day, due = (
            (rng.integers(1, 29), rng.integers(1, 13)),
            (rng.integers(1, 29), rng.integers(1, 13)),
        )
        truth = {
            "vendor": str(rng.choice(FIRMS)),
            "number": f"R-{int(rng.integers(10_000, 99_999))}",
            "date": f"2026-{day[1]:02}-{day[0]:02}",
            "due": f"2027-{due[1]:02}-{due[0]:02}",
            "order": f"PO {int(rng.integers(100, 999))}" if rng.random() < 0.7 else None,
            "net": net,
            "tax": net // 5,
            "total": net + net // 5,
            "items": items,
        }
        fields = {name: _read(rng, name, truth[name]) for name in FIELDS}
        read = [{name: _read(rng, name, item[name]) for name in COLUMNS} for item in items]
        order = rng.permutation(len(items)).tolist()
        order = [i for i in order if len(items) == 1 or rng.random() > 0.05]
        for i in set(range(len(items))) - set(order):
            read[i] = {name: Reading(None, None, None, "missed") for name in COLUMNS}
        extra = []
        if len(order) == len(items) and rng.random() < 0.1:
            extra = [
                {"description": Reading("Carried over", None, _sure(rng, right=False), "inserted")}
            ]
        invoices.append(Invoice(f"inv{number:03}", truth, fields, read, order, extra))
    return invoices


def _sure(rng: np.random.Generator, *, right: bool) -> float:
    return round(float(rng.beta(9, 1.3) if right else rng.beta(3, 2)), 3)


def _read(rng: np.random.Generator, name: str, truth: Any) -> Reading:
    """Return what is read of a value: right in most cases, in one of its errors otherwise."""
    chance = rng.random()
    if truth is None:
        if chance < 0.05:
            return Reading("PO 000", None, _sure(rng, right=False), "inserted")
        return Reading(None, None, None, "empty")
    if chance < 0.03:
        return Reading(None, None, None, "missed")
    wrong = chance < 0.12
    text, value = _written(name, truth)
    if wrong:
        digits = [i for i, sign in enumerate(text) if sign.isdigit()] or [0]
        at = digits[int(rng.integers(len(digits)))]
        if name in ("date", "due"):
            at = digits[-1]  # of the year, so that it is a day still
        other = str((int(text[at]) + 1 + int(rng.integers(8))) % 10) if text[at].isdigit() else "#"
        text = text[:at] + other + text[at + 1 :]
        value = _value(name, text)
    if 0.12 <= chance < 0.14:
        return Reading(text, value, None, "unsure")
    return Reading(text, value, _sure(rng, right=not wrong), "wrong" if wrong else "right")


def _written(name: str, truth: Any) -> tuple[str, str | None]:
    """Return how a value is printed, and how a machine writes it."""
    if name in ("date", "due"):
        year, month, day = map(int, truth.split("-"))
        return f"{day} {MONTHS[month - 1]} {year}", truth
    if WAYS.get(name) == "amount":
        return f"${truth / 100:,.2f}", f"{truth / 100:.2f}"
    return str(truth), str(truth) if name == "quantity" else None


def _value(name: str, text: str) -> str | None:
    if name in ("date", "due"):
        day, month, year = text.split()
        return f"{year}-{MONTHS.index(month) + 1:02}-{int(day):02}"
    return text.strip("$").replace(",", "") if WAYS.get(name) else None


def expected(invoices: list[Invoice]) -> Expected:
    """Return what is to be found by the comparisons `WAYS`."""
    kinds: Counter[str] = Counter()
    right = rejected = 0
    for invoice in invoices:
        readings = list(invoice.fields.values())
        readings += [reading for item in (*invoice.items, *invoice.extra) for reading in item.values()]
        for reading in readings:
            gone = reading.kind in ("missed", "unsure", "empty")
            kinds["right" if reading.kind == "unsure" else reading.kind] += 1
            right += reading.kind in ("right", "empty", "unsure")
            rejected += gone
        # the number of line items: of those in which anything was read
        read = [*(invoice.items[i] for i in invoice.order), *invoice.extra]
        n = sum(any(reading.text is not None for reading in item.values()) for item in read)
        kinds["right" if n == len(invoice.items) else "wrong"] += 1
        right += n == len(invoice.items)
    return Expected(+kinds, right, rejected)


def truth_of(invoice: Invoice, service: str) -> dict[str, Any]:
    """Return the true values, plain, by the names of a service."""
    names, items, columns = NAMES[service]
    found = {name: _plain(own, invoice.truth[own]) for name, own in zip(names, FIELDS, strict=True)}
    found[items] = [
        {name: _plain(own, item[own]) for name, own in zip(columns, COLUMNS, strict=True)}
        for item in invoice.truth["items"]
    ]
    return {"document": invoice.name} | found


def _plain(name: str, truth: Any) -> Any:
    return truth / 100 if WAYS.get(name) == "amount" else truth


def response(invoice: Invoice, service: str) -> dict[str, Any]:
    """Return what a service says of an invoice, in its own JSON."""
    names, items, columns = NAMES[service]
    fields = [(name, own, invoice.fields[own]) for name, own in zip(names, FIELDS, strict=True)]
    read = [invoice.items[i] for i in invoice.order] + invoice.extra
    rows = [
        [(name, own, item[own]) for name, own in zip(columns, COLUMNS, strict=True) if own in item]
        for item in read
    ]
    return {"azure": _azure, "textract": _textract, "google": _google, "json": _json}[service](
        fields, items, rows
    )


def _azure(fields: Any, items: str, rows: Any) -> dict[str, Any]:
    def of(name: str, reading: Reading) -> dict[str, Any]:
        way = WAYS.get(name)
        kind = {"date": "date", "amount": "currency", "number": "number"}.get(way or "", "string")
        found: dict[str, Any] = {"type": kind}
        if reading.text is None:
            return found
        number = None if way in (None, "date") or reading.value is None else float(reading.value)
        value = {"date": reading.value, "currency": {"amount": number, "currencyCode": "USD"},
                 "number": number, "string": reading.text}[kind]  # fmt: skip
        found |= {f"value{kind.capitalize()}": value, "content": reading.text}
        return found if reading.confidence is None else found | {"confidence": reading.confidence}

    found = {name: of(own, reading) for name, own, reading in fields}
    of_rows = [{"type": "object", "valueObject": {n: of(own, r) for n, own, r in row}} for row in rows]
    found[items] = {"type": "array", "valueArray": of_rows}
    document = {"docType": "invoice", "confidence": 1, "fields": found}
    return {
        "status": "succeeded",
        "analyzeResult": {"modelId": "prebuilt-invoice", "documents": [document]},
    }


def _textract(fields: Any, items: str, rows: Any) -> dict[str, Any]:  # noqa: ARG001, it has a name of its own
    def of(name: str, reading: Reading) -> dict[str, Any]:
        value: dict[str, Any] = {"Text": reading.text or ""}
        if reading.confidence is not None:
            value["Confidence"] = round(100 * reading.confidence, 1)
        return {"Type": {"Text": name, "Confidence": 99.0}, "ValueDetection": value, "PageNumber": 1}

    summary = [of(name, reading) for name, _, reading in fields]
    lines = [{"LineItemExpenseFields": [of(name, reading) for name, _, reading in row]} for row in rows]
    group = {"LineItemGroupIndex": 1, "LineItems": lines}
    return {
        "ExpenseDocuments": [{"ExpenseIndex": 1, "SummaryFields": summary, "LineItemGroups": [group]}]
    }


def _google(fields: Any, items: str, rows: Any) -> dict[str, Any]:
    def of(kind: str, name: str, reading: Reading) -> dict[str, Any]:
        found: dict[str, Any] = {"type": kind, "mentionText": reading.text}
        if reading.confidence is not None:
            found["confidence"] = reading.confidence
        way = WAYS.get(name)
        if reading.value is not None and way == "date":
            year, month, day = map(int, reading.value.split("-"))
            found["normalizedValue"] = {"dateValue": {"year": year, "month": month, "day": day}}
        elif reading.value is not None and way == "amount":
            units, _, cents = reading.value.partition(".")
            money = {"currencyCode": "USD", "units": units, "nanos": int(cents) * 10**7}
            found["normalizedValue"] = {"text": reading.value, "moneyValue": money}
        return found

    entities = [of(name, own, reading) for name, own, reading in fields if reading.text is not None]
    for row in rows:
        parts = [
            of(f"{items}/{name}", own, reading)
            for name, own, reading in row
            if reading.text is not None
        ]
        entities.append({"type": items, "mentionText": "", "confidence": 0.5, "properties": parts})
    return {"text": "", "entities": entities}


def _json(fields: Any, items: str, rows: Any) -> dict[str, Any]:
    def of(reading: Reading) -> dict[str, Any]:
        return {"value": reading.text, "confidence": reading.confidence}

    found = {name: of(reading) for name, _, reading in fields}
    return found | {items: [{name: of(reading) for name, _, reading in row} for row in rows]}


def compared(service: str) -> dict[str, str]:
    """Return the comparison of each field that is not compared by exact."""
    names, items, columns = NAMES[service]
    plain = {name: WAYS[own] for name, own in zip(names, FIELDS, strict=True) if own in WAYS}
    return plain | {
        f"{items}[].{n}": WAYS[o] for n, o in zip(columns, COLUMNS, strict=True) if o in WAYS
    }


def write(folder: Path, invoices: list[Invoice], service: str) -> tuple[Path, Path, Path]:
    """Write the responses of a service, the true values and the comparisons; return where."""
    outputs, truth, ways = (
        folder / service,
        folder / f"{service}.truth.jsonl",
        folder / f"{service}.toml",
    )
    outputs.mkdir(parents=True, exist_ok=True)
    for invoice in invoices:
        (outputs / f"{invoice.name}.json").write_text(
            json.dumps(response(invoice, service)), encoding="utf-8"
        )
    truths = "".join(json.dumps(truth_of(invoice, service)) + "\n" for invoice in invoices)
    truth.write_text(truths, encoding="utf-8")
    lines = [f"{json.dumps(name)} = {json.dumps(how)}\n" for name, how in compared(service).items()]
    ways.write_text("".join(lines), encoding="utf-8")
    return truth, outputs, ways


if __name__ == "__main__":
    for each in SERVICES:
        print(*write(Path(sys.argv[1]), make(), each))
