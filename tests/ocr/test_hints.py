"""What is said of an engine's outputs before figures: only where it is so."""

from __future__ import annotations

import numpy as np

from fastarac.ocr import Words, align, read_attributes
from fastarac.ocr.analysis.hints import hints_of
from fastarac.ocr.words.records import Reading


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
    assert "(38.0%) are read right but out of order (1 page: two), as if columns were read line" in text
    assert "out of order" not in said(truth, truth)
    few = [*other[10:], *other[:10]]
    assert "out of order" not in said(truth | {"one": other}, {"one": few, "two": IN_ORDER})


def test_pages_whose_truth_is_missing():
    text = said({"one": ["fine"], "two": []}, {"one": ["fine"], "two": ["day", "out"]})
    assert (
        "1 page with outputs (2) and without true words: two. The truth may be missing. These outputs"
        in text
    )
    assert "without true" not in said({"one": ["fine"], "two": []}, {"one": ["fine"], "two": []})


def test_shares_in_a_format_of_percents():
    truth = {"one": [f"w{k}" for k in range(30)]}
    assert "they may be on the scale 0 to 1" in said(truth, truth, "percent")
    assert "they may be on the scale 0 to 1" not in said(truth, truth, "unit")


def test_spaces_between_characters_of_scripts_without_spaces():
    truth = {"one": ["東京都立図書館", "は今日も開いています"] * 5}
    output = {"one": list("".join(truth["one"]))}
    text = said(truth, output)
    assert "counts missing and additional spaces between characters; --fold whitespace" in text
    assert "additional spaces" not in said(truth, output, fold=("whitespace",))
    assert "additional spaces" not in said(truth, truth)


def lost(truth, output, attributes=None):
    """What is said of the words that an engine misses."""
    found = align(words_of(truth), words_of(output, "unit"))
    table = None if attributes is None else read_attributes({"page": list(truth), **attributes})
    text = " ".join(hints_of(found.records, found.rows, Reading(), "unit", table))
    return text.partition("are missed or merged (")[2].partition("): ")[2].partition(".  ")[0]


LANGUAGES = {"de": "abcd", "en": "efgh", "ru": "абвг", "uk": "ґєії"}
PAGES = {
    f"{language}{k}": [f"{a}{b}{a}{k}" for a in letters for b in letters]
    for language, letters in LANGUAGES.items()
    for k in range(3)
}
LANGUAGE = {"language": [page[:2] for page in PAGES]}


def without(missed):
    return {
        page: [w for k, w in enumerate(words) if not missed(page, k)] for page, words in PAGES.items()
    }


def test_missed_words_that_have_something_in_common():
    every_fourth = without(lambda page, k: (page[:2] == "ru" and k % 8) or k % 9 == 4)
    text = lost(PAGES, every_fourth, LANGUAGE)
    assert text.startswith("70.0% of the missed words are on pages whose language is ru and 80.0%")
    both = without(lambda page, k: page[:2] in ("ru", "uk") and k % 8)
    assert lost(PAGES, both, LANGUAGE).startswith(
        "100% of the missed words are on pages whose language is ru or uk and 100% are Cyrillic."
    )
    assert lost(PAGES, both).startswith("100% of the missed words are Cyrillic.")
    ends = without(lambda page, k: k >= 13 or k in (1, 5))
    assert lost(PAGES, ends, LANGUAGE).startswith(
        "60.0% of the missed words are in the last fifth of their pages."
    )
    empty = without(lambda page, k: page[:2] == "ru" or k == 9)
    assert lost(PAGES, empty, LANGUAGE).startswith(
        "most of these words are on empty pages, 84.2% of the missed words are on pages whose"
    )


def test_missed_words_that_have_nothing_in_common():
    some = without(lambda page, k: k % 3 == 1)
    assert lost(PAGES, some, LANGUAGE).startswith("parts of the pages are not read, such as columns")
    assert lost(PAGES, some).startswith("parts of the pages are not read, such as columns")


def test_words_without_letters_have_no_script():
    truth = {
        "p": [*(f"w{a}{b}" for a in "abcde" for b in "fghij"), *(f"{k}7.{k}0" for k in range(9)), "*"]
    }
    text = lost(truth, {"p": [word for word in truth["p"] if word.startswith("w")]})
    assert text.startswith("100% of the missed words are numbers or punctuation marks and 70.0%")


def test_words_of_which_none_is_right():
    truth, output = {"one": ["amber", "bridge", "Corn"]}, {"one": ["ambre", "bridgo", "corn"]}
    assert (
        'None of the 3 true words is read right: for example, "ambre" for "amber", "bridgo" for '
        '"bridge" and "corn" for "Corn". Truth and outputs may be of different pages'
    ) in said(truth, output)
    assert "None of the" not in said(truth, output, fold=["case"])
