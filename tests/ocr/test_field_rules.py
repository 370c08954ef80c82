"""Rules over the fields of a document: what they say, and that no document that breaks one passes."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac import ocr, operation
from fastarac.ocr.fields.comparisons import Written
from fastarac.ocr.fields.rules import FieldRule
from tests.commands import reason, run

RULES = ["net + tax == total", "date <= due"]
CENTS = st.integers(-(10**6), 10**6)


def texts(**values):
    """The outputs of a document by field; a list has one output for each row."""
    return {
        name: [Written(each) for each in (value if isinstance(value, list) else [value])]
        for name, value in values.items()
    }


@given(cents=st.lists(CENTS, min_size=4, max_size=4), off=st.integers(-1, 1))
def test_sums_are_those_of_decimals(cents, off):
    a, b, c, extra = (Decimal(each) / 100 for each in cents)
    total = a - b + c + extra + Decimal(off) / 100
    values = texts(a=f"{a:.2f}", b=f"{b:.2f}", rows=[f"{c:.2f}", f"{extra:.2f}"], total=f"{total:.2f}")
    for comparison, holds in {
        "==": off == 0, "!=": off != 0, "<=": off >= 0, "<": off > 0, ">=": off <= 0, ">": off < 0,
    }.items():  # fmt: skip
        rule = FieldRule.of(f"a - b + sum(rows) {comparison} total")
        assert rule.is_broken(values) is not holds
    assert FieldRule.of("a - b + sum(rows) + 0.01 == total").is_broken(values) is (off != 1)


@pytest.mark.parametrize(
    ("rule", "values", "broken"),
    [
        ("net + tax == total", texts(net="$1,000.00", tax="200.00", total="1200"), False),
        ("net + tax == total", texts(net="$1,000.00", tax="200.00", total="1201"), True),
        ("net + tax == total", texts(net="1.00", total="7.00"), False),  # tax is absent
        ("net + tax == total", texts(net="1.00", tax="seven", total="7.00"), True),
        ("net == total", texts(net="1.234", total="1234"), False),  # one of two readings fits
        ("date <= due", texts(date="1 March 2026", due="2026-03-02"), False),
        ("date <= due", texts(date="3 March 2026", due="2026-03-02"), True),
        ("date < due", texts(date="03/04/2026", due="1 April 2026"), False),  # the 4th of March
        ("date <= due", texts(date="soon", due="2026-03-02"), True),
        ("date + 1 <= due", texts(date="1 March 2026", due="2026-03-02"), True),  # not a number
        ('"Sub Total" <= total', {"Sub Total": [Written("1")], **texts(total="2")}, False),
        ("sum(rows[].a) == net", texts(**{"rows[].a": ["1.00", "2.00"], "net": "3"}), False),
        ("total == 7", {"total": [Written("seven", "EUR 7")]}, False),  # as the service reads it
        ("a == b", texts(a=["1.234"] * 9, b="1"), True),
    ],
)  # fmt: skip
def test_a_rule_is_broken_or_not(rule, values, broken):
    assert FieldRule.of(rule).is_broken(values) is broken


@pytest.mark.parametrize(
    "text",
    ["", "total", "a = b", "a == b == c", "a + == b", "== b", "a b == c", "sum(a == b",
     "sum(a + b) == c", "items[].amount == net", "a * b == c", "a == )", "+ a + + b == c"],
)  # fmt: skip
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="rules must compare sums of fields or dates"):
        FieldRule.of(text)


def invoices(path, n, seed, truth=None):
    """Invoices, of which some amounts and dates are misread."""
    rng, lines, true = np.random.default_rng(seed), [], []
    for i in range(n):
        net = int(rng.integers(10, 900)) * 100
        values = {"net": net / 100, "tax": net / 500, "total": net * 1.2 / 100}
        values = {name: f"{value:.2f}" for name, value in values.items()}
        days = [f"2026-{month}-{rng.integers(1, 15):02}" for month in ("03", "04")]
        values |= dict(zip(("date", "due"), days, strict=True))
        true.append({"document": f"d{i}", **values})
        read = {"document": f"d{i}"}
        for name, value in values.items():
            confidence = round(float(rng.beta(5, 1)), 3)
            wrong = rng.random() < 0.6 * (1 - confidence)
            text = f"{value[:-1]}{(int(value[-1]) + 3) % 10}" if wrong else value
            read[name] = {"value": text, "confidence": confidence}
        lines.append(read)
    path.write_text("\n".join(map(json.dumps, lines)))
    if truth is not None:
        truth.write_text("\n".join(map(json.dumps, true)))
    return {each["document"]: each for each in true}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    invoices(folder / "read.jsonl", 900, 1, folder / "truth.jsonl")
    (folder / "settings.toml").write_text(f"rules = {json.dumps(RULES)}\n")
    return folder, invoices(folder / "new.jsonl", 300, 2)


def test_documents_that_break_a_rule_are_rejected(files):
    folder, _ = files
    plain = ocr.read_fields(folder / "read.jsonl", folder / "truth.jsonl")
    found = ocr.read_fields(folder / "read.jsonl", folder / "truth.jsonl", rules=RULES)
    assert found.rules == tuple(RULES)
    assert set(found.broken.values()) == set(RULES)
    held = np.isin(found.groups, list(found.broken))
    assert np.array_equal(found.rejected, held)
    assert np.array_equal(found.confidence[~held], plain.confidence[~held])
    assert np.array_equal(found.correct, plain.correct)
    assert any("break a rule and go to people" in note for note in found.notes)
    with pytest.raises(ValueError, match="rules must name fields of the truth"):
        ocr.read_fields(folder / "read.jsonl", folder / "truth.jsonl", rules=["net < vat"])
    right = {name for name, ok in zip(found.document, found.correct, strict=True) if not ok}
    assert not right.isdisjoint(found.broken)  # rules find errors
    through = [each.documents().rejected.mean() for each in (plain, found)]
    assert through[0] == 0 < through[1] == len(found.broken) / 900


def test_a_policy_keeps_the_rules(files, tmp_path, monkeypatch):
    folder, truth = files
    monkeypatch.chdir(tmp_path)
    given = folder / "truth.jsonl", folder / "read.jsonl", "--settings", folder / "settings.toml"
    run("ocr", *given, "-o", "fields.parquet")
    fit = "fit", "fields.parquet", "--by", "field", "--document", "document", "--error-rate", 0.05
    run(*fit, "-o", "policy.json")
    policy = operation.Policy.load("policy.json")
    assert list(policy.columns["rules"]) == RULES
    found = ocr.apply_to_fields(policy, folder / "new.jsonl")
    own = ocr.apply_to_fields(policy, folder / "new.jsonl", rules=())
    accepted = {name for name, yes in zip(found.document, found.accepted, strict=True) if yes}
    assert accepted
    assert accepted.isdisjoint(found.broken)
    without = {name for name, yes in zip(own.document, own.accepted, strict=True) if yes}
    assert accepted == without - set(found.broken) != without
    week = fa.weeks.run_week(policy, [folder / "new.jsonl"], "weeks", budget=200)
    assert week.applied.accepted_documents == len(accepted)
    table = tmp_path / "table.csv"  # tables of fields are held to the rules, too
    rows = zip(own.document, own.name, own.prediction, own.confidence, strict=True)
    lines = ["document,field,prediction,confidence", *(",".join(map(str, row)) for row in rows)]
    table.write_text("\n".join(lines) + "\n")
    run("apply", "policy.json", table, "-o", "accepted.csv", "--review", "review.csv")
    passed = [line.split(",") for line in (tmp_path / "accepted.csv").read_text().splitlines()]
    place = passed[0].index("document")
    assert {line[place] for line in passed[1:]} == accepted
    assert truth.keys() >= accepted
    said = reason("ocr", *given[:2], "--settings", bad_settings(tmp_path))
    assert "rules must compare sums of fields or dates, such as net + tax == total" in said


def bad_settings(folder):
    """Settings whose rule is no comparison."""
    path = folder / "bad.toml"
    path.write_text('rules = ["net + tax = total"]\n')
    return path
