"""When a field is right: comparisons beside exact arithmetic on values written in many ways."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr import OcrFileError, read_fields
from fastarac.ocr.fields import comparisons
from fastarac.ocr.fields.comparisons import (
    TooSlowError,
    Written,
    comparison,
    comparisons_by_field,
    read_comparisons,
)
from fastarac.ocr.fields.values import MONTHS, Unreadable, amounts, days, numbers


def readable(how, text):
    try:
        return judged(how, text, text).right
    except Unreadable:
        return False


def judged(how, truth, prediction):
    return comparison(how).judge(Written(truth), Written(prediction))


@pytest.mark.parametrize(
    ("how", "a", "b", "same"),
    [
        ("exact", "Finch", "Finch", True),
        ("exact", "Finch", "finch", False),
        ("exact", "1.0", "1.00", False),
        ("exact", "caf\u00e9", "cafe\u0301", True),  # one text in two forms
        ("exact", " ", "", True),  # an empty field
        ("text", "STRASSE", "Straße", True),
        ("text", " A \t b\n", "a B", True),
        ("text", "a b", "ab", False),
        ("number", "1,234.50", "1234.5", True),
        ("number", "1 234.50", "1'234.5", True),
        ("number", "\u22125", "-5", True),
        ("number", "+.5", "0.50", True),
        ("number", "0.1", "0.10000000000000001", False),
        ("number", "0.125", "0,125", True),  # groups do not begin with a zero
        ("number:comma", "1.234,50", "1234,5", True),
        ("number:tolerance=0.01", "10.00", "10.01", True),
        ("number:tolerance=0.01", "10.00", "10.02", False),
        ("number:tolerance=1%", "200", "202", True),
        ("number:tolerance=1%", "200", "202.01", False),
        ("amount", "1234.50", "$1,234.50", True),
        ("amount", "1.234,50 EUR", "€1234.5", True),
        ("amount", "USD 5.00", "5.00 EUR", False),
        ("amount", "CAD 5.00", "$5.00", True),
        ("amount", "(12.50)", "-12.50", True),
        ("amount", "12.50-", "-$12.50", True),
        ("amount", "12,- EUR", "EUR 12.00", True),
        ("amount", "0.00", "-0.00", True),
        ("amount", "12.50", "12.50 apples", False),
        ("date", "2026-11-22", "22 November 2026", True),
        ("date", "Nov. 22, 2026", "20261122", True),
        ("date", "22nd of November 2026", "22.11.2026", True),
        ("date:dmy", "22. Dezember 2026", "22/12/26", True),
        ("date", "3 mars 2026", "2026/3/3", True),
        ("date", "2026/1/5", "5. January 2026", True),
        ("date:dmy", "1926-11-22", "22/11/26", True),  # the century is not written
        ("date:dmy", "05/06/2026", "5 June 2026", True),
        ("date:dmy", "05.06.2026", "5 - 6 - 2026", True),
        ("date:mdy", "05/06/2026", "May 6, 2026", True),
        ("date:%d|%m|%Y", "2026-06-05", "5|6|2026", True),
        ("similarity>=0.9", "Harrow & Finch", "Harrow & Finck", True),
        ("similarity>=0.9", "Finch", "Finck", False),
        ("similarity>=0.8", "Finch", "Finck", True),  # exactly
        ("regex:[0-9]+", "No. 4711", "Nr 4711", True),
        ("regex:([A-Z]+)-([0-9]+)", "AB-12 (copy)", "AB-13", False),
    ],
)
def test_comparisons(how, a, b, same):
    found = judged(how, a, b)
    assert found.right == same
    if same:
        assert judged(how, b, a).right


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("number", "1,23,456"),
        ("number", "1 234,567.5"),  # two signs that group
        ("number", "5%"),
        ("number", "1e5"),
        ("number", "9" * 500),
        ("number:point", "12,50"),
        ("number:comma", "1,234.50"),
        ("amount", "EUR 5 USD"),
        ("amount", "--5"),
        ("amount", "(5"),
        ("date", "2026-11-22T10:00"),
        ("date", "2026-02-30"),
        ("date", "22nov 2026"),
        ("date", "22 Foo 2026"),
        ("date:mdy", "22/11/2026"),
        ("regex:[0-9]+", "none"),
    ],
)
def test_what_is_not_of_the_kind(how, text):
    with pytest.raises(Unreadable):
        judged(how, text, text)
    good = {"n": "5", "a": "5", "d": "2026-11-22", "r": "1"}[how[0]]
    assert judged(how, good, text) == (False, "unreadable")


@pytest.mark.parametrize(
    ("how", "truth", "read"),
    [
        ("amount", "1234", "1.234"),
        ("number", "1,234", "1.234"),
        ("date", "2024-04-03", "03/04/2024"),
        ("date", "2026-12-22", "22/12/26"),
    ],
)
def test_ambiguities_are_not_guessed(how, truth, read):
    assert judged(how, truth, read) == (False, "undecided")
    assert judged(how, read, read).right  # in either way
    ways = {"date": ("date:dmy", "date:ymd")}.get(how, (f"{how}:comma", f"{how}:point"))
    assert sum(judged(way, truth, read).right for way in ways if readable(way, read)) == (
        truth != "1,234"
    )


def test_values_of_machines_are_not_ambiguous():
    amount = comparison("amount")
    assert amount.judge(Written("1.234", "1.234"), Written("USD 1.234", "USD 1.234")).right
    assert not amount.judge(Written("1234", "1234"), Written("$1.234", "1.234")).right
    assert (
        comparison("amount:comma,written").judge(Written("1234", "1234"), Written("1.234", "9")).right
    )
    assert comparison("number").judge(Written("1e3", "1e3"), Written("1,000.0")).right
    day = comparison("date")
    assert day.judge(Written("2024-04-03"), Written("03/04/2024", "2024-04-03")).right
    assert not comparison("exact").judge(Written("5.0", "5.0"), Written("5", "5.0")).right


whole = st.integers(-(10**9), 10**9)


@given(whole, st.integers(0, 99), whole, st.integers(0, 99), st.integers(0, 200))
def test_amounts_are_compared_exactly(a, a_cents, b, b_cents, tolerance):
    """Beside fractions: the same number in any of its spellings, and no other."""
    x, y = (Fraction(n * 100 + (c if n >= 0 else -c), 100) for n, c in ((a, a_cents), (b, b_cents)))
    first = f"{'-' if a < 0 else ''}{abs(a):,}.{a_cents:02}"
    second = f"EUR {'-' if b < 0 else ''}{abs(b):,}".replace(",", ".") + f",{b_cents:02}"
    assert judged("amount", first, second).right == (x == y)
    assert judged("amount", first, first.replace(",", "'") + " EUR").right
    how = f"amount:tolerance={tolerance / 100}"
    assert judged(how, first, second).right == (abs(x - y) <= Fraction(tolerance, 100))


@given(st.dates(date(1000, 1, 1)), st.sampled_from(["dmy", "mdy"]))
def test_days_in_their_order(day, order):
    numbers_of = {"dmy": (day.day, day.month), "mdy": (day.month, day.day)}[order]
    text = "{}/{}/{:04}".format(*numbers_of, day.year)
    (found,) = days(text, order)
    assert found[:3] == (day.year, day.month, day.day)
    both = {each[:3] for each in days(text)}
    possible = {(day.year, m, d) for d, m in (numbers_of, numbers_of[::-1]) if m <= 12}
    assert both <= possible
    assert (day.year, day.month, day.day) in both


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text):
    for read in (numbers, amounts, days):
        try:
            assert len(read(text)) >= 1
        except Unreadable:
            continue


def test_months_mean_one_number():
    assert {len(name) > 2 for name in MONTHS} == {True}
    assert MONTHS["mai"] == 5
    assert MONTHS["juin"] == 6
    assert MONTHS["sept"] == MONTHS["sep"] == 9


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("numbers", "compare is 'numbers'; use exact, text, number, amount, date,"),
        ("", "compare is ''; use exact, text, number, amount, date,"),
        ("exact:1", "exact has no options"),
        ("amount:commas", "amount has no option 'commas'"),
        ("amount:comma,point", "amount has no option 'point'; use point or comma"),
        ("amount:tolerance=-1", "'tolerance=-1'; use point or comma, tolerance=0."),
        ("date:dmy,mdy", "date with one of dmy, mdy, ymd"),
        ("similarity>=2", "compare must have a share above 0 and up to 1, as in"),
        ("similarity", "compare must have a share above 0 and up to 1, as in"),
        ("number>=2", "compare is 'number>=2'"),
        ("regex:(", "its pattern is malformed"),
        ("regex", "compare must have a pattern, as in regex:"),
    ],
)
def test_comparisons_that_there_are_not(how, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        comparison(how)


def test_comparisons_as_they_are_written(tmp_path):
    path = tmp_path / "ways.toml"
    path.write_text('"items[].amount" = "amount:comma"\n')
    given = ["similarity>=0.9", "a=b=regex:x=y", str(path)]
    with pytest.raises(ValueError, match=re.escape("compare is 'b=regex:x=y'")):
        read_comparisons(given)
    assert read_comparisons(["similarity>=0.9", "date=date:dmy", "x=regex:a=b", str(path)]) == {
        "*": "similarity>=0.9",
        "date": "date:dmy",
        "x": "regex:a=b",
        "items[].amount": "amount:comma",
    }
    for given, message in [
        (["a=text", "a=exact"], 'compare has "a" twice'),
        (["words"], "compare is 'words'"),
        ([str(tmp_path / "none.toml")], "it cannot be opened"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            read_comparisons(given)
    for text, message in [
        ("a = 1", 'toml: a: found 1, expected a comparison such as "amount", or'),
        ("a", "it is not valid TOML"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_comparisons([str(path)])


MANY_WAYS = "regex:^(a|aa)+$"  # in which a text of n letters can be matched in some 1.6^n ways


@pytest.mark.slow
@pytest.mark.parametrize("column", ["truth", "prediction"])
def test_a_pattern_that_takes_exponential_time_is_stopped(tmp_path, column):
    path = tmp_path / "fields.csv"
    texts = {"truth": "a", "prediction": "a"} | {column: "a" * 500 + "!"}
    path.write_text(
        f"document,field,confidence,prediction,truth\nb,c,0.9,{texts['prediction']},{texts['truth']}\n"
    )
    message = (
        r'field "c" of document "b": the comparison .regex:\^\(a\|aa\)\+\$. takes more than 1 s for '
        r'"aaa.*…; use a pattern that can match a text in one way only'
    )
    with pytest.raises(OcrFileError, match=message):
        read_fields(path, compare={"c": MANY_WAYS})


def test_a_pattern_that_is_slow_for_many_texts_is_stopped(monkeypatch):
    monkeypatch.setattr(comparisons, "SECONDS_FOR_ALL", 0.05)
    way, text = comparison(MANY_WAYS), Written("a" * 22 + "!")
    with pytest.raises(TooSlowError, match=r'more than 0.05 s for all texts up to "aa'):
        all(not way.judge(Written("a"), text).right for _ in range(1000))


def test_a_glob_of_many_stars_takes_no_exponential_time():
    field = "a" * 60
    with pytest.raises(ValueError, match=r"compare names .*, but the fields are"):
        comparisons_by_field({"*a" * 20 + "b": "text"}, [field])
    found = comparisons_by_field({"items[].*": "text", "?": "number"}, ["items[].a\n", "b", "ab"])
    assert [way.name for way in found.values()] == ["text", "number", "exact"]
