"""Line items matched one to one: beside all permutations, tried one by one."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr.fields.matching import pair_fields
from fastarac.ocr.fields.rows import FieldPath, Row


def placed(field, value):
    return FieldPath.of(field), (field, value)


def alike(truth, output):
    """A similarity that has nothing to do with that of texts."""
    return max(0.0, 1 - abs(truth[1][1] - output[1][1]) / 4)


def best_total(truths, outputs):
    """The largest sum over all ways to match items; items are dictionaries."""
    shorter, longer = sorted((truths, outputs), key=len)
    best = 0.0
    for order in permutations(longer, len(shorter)):
        total = 0.0
        for a, b in zip(shorter, order, strict=True):
            total += sum(max(0.0, 1 - abs(a[key] - b[key]) / 4) for key in a.keys() & b.keys())
        best = max(best, total)
    return best


items = st.lists(st.dictionaries(st.sampled_from("xyz"), st.integers(0, 6), min_size=1), max_size=4)


@given(items, items)
def test_the_total_is_that_of_the_best_permutation(truths, outputs):
    both = [
        [
            placed(f"list[{i}].{key}", value)
            for i, item in enumerate(side)
            for key, value in item.items()
        ]
        for side in (truths, outputs)
    ]
    pairs = pair_fields(*both, alike)
    total = sum(alike(a, b) for a, b in pairs if a is not None and b is not None)
    assert total == pytest.approx(best_total(truths, outputs), abs=1e-9)
    # each field once, and the items of either side with at most one of the other
    for side, every in ((0, both[0]), (1, both[1])):
        assert sorted(pair[side][1] for pair in pairs if pair[side] is not None) == sorted(
            row for _, row in every
        )
    partners = {(a[0].items[0], b[0].items[0]) for a, b in pairs if a is not None and b is not None}
    assert len({a for a, _ in partners}) == len({b for _, b in partners}) == len(partners)


def test_lists_within_lists_and_fields_beside_them():
    truths = [
        placed("total", 5),
        placed("group[0].name", 0),
        placed("group[0].part[0]", 1),
        placed("group[0].part[1]", 5),
        placed("group[1].name", 4),
    ]
    outputs = [
        placed("total", 5),
        placed("group[0].name", 4),
        placed("group[1].name", 0),
        placed("group[1].part[0]", 5),
        placed("group[1].part[1]", 1),
    ]
    found = {(a and a[1][0], b and b[1][0]) for a, b in pair_fields(truths, outputs, alike)}
    assert found == {
        ("total", "total"),
        ("group[0].name", "group[1].name"),
        ("group[0].part[0]", "group[1].part[1]"),
        ("group[0].part[1]", "group[1].part[0]"),
        ("group[1].name", "group[0].name"),
    }


def test_items_that_are_left_over():
    pairs = pair_fields([placed("x[0]", 0), placed("x[1]", 5)], [placed("x[0]", 6)], alike)
    assert [(a and a[1][0], b and b[1][0]) for a, b in pairs] == [("x[1]", "x[0]"), ("x[0]", None)]
    pairs = pair_fields([placed("x[0]", 0)], [placed("x[0]", 6)], alike)  # read, but wrong
    assert [(a and a[1][0], b and b[1][0]) for a, b in pairs] == [("x[0]", "x[0]")]


def test_too_many_items_are_refused(monkeypatch):
    monkeypatch.setattr("fastarac.ocr.fields.matching.LARGEST", 3)
    side = [placed(f"x[{i}]", i) for i in range(2)]
    with pytest.raises(ValueError, match="2 true items and 2 items that were read, too"):
        pair_fields(side, side, alike)


def test_paths():
    for field in ("a", "a[0]", "a[0][1].b", "items[3].tax[2].rate"):
        assert FieldPath.of(field).written() == field
    path = FieldPath.of("items[3].tax[2].rate")
    assert path.lists() == {"items", "items.tax"}
    assert path.written(numbers=False) == "items[].tax[].rate"
    assert path.written("+") == "items[+3].tax[+2].rate"
    assert (
        FieldPath.of("items.tax").within({"items", "items.tax", "item"}).written() == "items[0].tax[0]"
    )
    assert FieldPath.of("Amount [EUR]").items == ()
    assert Row("d", "f", Path("x"), "line 1").error("y").place == "line 1"
