"""What is said of an engine's outputs before figures: only where it is so."""

from __future__ import annotations

import numpy as np

from fastarac.ocr import Words, align
from fastarac.ocr.hints import hints_of
from fastarac.ocr.records import Reading


def words_of(pages: dict[str, list[str]], scale: str | None = None, spaced: int = 1) -> Words:
    text = [word for page in pages.values() for word in page]
    page = np.repeat(np.arange(len(pages)), [len(page) for page in pages.values()])
    n = len(text)
    confidence = np.full(n, np.nan) if scale is None else np.linspace(0.2, 0.9, n)
    line = np.arange(n) // spaced
    return Words(tuple(text), confidence, page, line, tuple(pages), scale=scale)


def said(truth: dict[str, list[str]], output: dict[str, list[str]], scale: str = "unit", **options):
    found = align(words_of(truth), words_of(output, scale), **options)
    reading = Reading(fold=tuple(options.get("fold", ())))
    return " ".join(hints_of(found.records, found.rows, reading, scale))


LEFT, RIGHT = ([[f"{side}{k}{i}" for i in range(5)] for k in range(20)] for side in "lr")
IN_ORDER = [word for line in (*LEFT, *RIGHT) for word in line]
ACROSS = [word for both in zip(LEFT, RIGHT, strict=True) for line in both for word in line]


def test_columns_that_are_read_across():
    other = [f"w{k}" for k in range(50)]
    truth = {"one": other, "two": IN_ORDER}
    text = said(truth, {"one": other, "two": ACROSS})
    assert (
        "(38.0 %) are read right but out of order (1 page: two), as where columns are read line" in text
    )
    assert "out of order" not in said(truth, truth)
    few = [*other[10:], *other[:10]]
    assert "out of order" not in said(truth | {"one": other}, {"one": few, "two": IN_ORDER})


def test_pages_whose_truth_is_missing():
    text = said({"one": ["fine"], "two": []}, {"one": ["fine"], "two": ["day", "out"]})
    assert (
        "1 page with outputs (2) and without true words: two. The truth may be missing; what is" in text
    )
    assert "without true" not in said({"one": ["fine"], "two": []}, {"one": ["fine"], "two": []})


def test_shares_in_a_format_of_percents():
    truth = {"one": [f"w{k}" for k in range(30)]}
    assert "they may be shares" in said(truth, truth, "percent")
    assert "they may be shares" not in said(truth, truth, "unit")


def test_spaces_between_characters_of_scripts_without_spaces():
    truth = {"one": ["東京都立図書館", "は今日も開いています"] * 5}
    output = {"one": list("".join(truth["one"]))}
    text = said(truth, output)
    assert "counts the spaces between characters in which truth and output differ; --fold" in text
    assert "counts the spaces" not in said(truth, output, fold=("whitespace",))
    assert "counts the spaces" not in said(truth, truth)


def test_words_of_which_none_is_right():
    truth, output = {"one": ["amber", "bridge", "Corn"]}, {"one": ["ambre", "bridgo", "corn"]}
    assert (
        'None of the 3 true words is read right, such as "ambre" for "amber", "bridgo" for "bridge" '
        'and "corn" for "Corn": truth and outputs may be of different pages'
    ) in said(truth, output)
    assert "None of the" not in said(truth, output, fold=["case"])
