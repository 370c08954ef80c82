"""Pages as texts: nothing is lost, lines are those of the truth, and differences have their marks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac.ocr import Words, align
from fastarac.ocr.words.page_texts import compared_text, page_order, size_of
from fastarac.report.frame import _environment


def words_of(lines, confidence=None, name="p"):
    """Words of one page, from its lines."""
    texts = [word for line in lines for word in line.split()]
    line = np.repeat(np.arange(len(lines)), [len(each.split()) for each in lines])
    sure = np.full(len(texts), np.nan) if confidence is None else np.array(confidence, float)
    scale = None if confidence is None else "percent"
    return Words(tuple(texts), sure, np.zeros(len(texts)), line, (name,), scale=scale)


def compared(truth, read, threshold=None, **options):
    """The page as lines, each side as a list of (kind, text)."""
    sure = np.linspace(99, 50, sum(len(line.split()) for line in read))
    records = align(words_of(truth), words_of(read, sure), **options).records
    text = compared_text(records, 0, threshold)
    return text, [tuple([(p.kind, joined(p)) for p in side] for side in line) for line in text.lines]


def joined(piece):
    return "".join(part for part, _ in piece.parts)


def texts_of(text, side):
    return ["".join(map(joined, line[side])) for line in text.lines]


def test_each_kind_has_its_mark():
    truth = ["one fine day in", "Arnold lost it all", "and went home"]
    read = ["one fineday in", "Arno1d it all ~~", "and we nt home"]
    text, lines = compared(truth, read)
    assert lines[0] == (
        [("", "one "), ("merged", "fine day"), ("", " in")],
        [("", "one "), ("merged", "fineday"), ("", " in")],
    )
    assert lines[1] == (
        [("wrong", "Arnold"), ("", " "), ("missed", "lost"), ("", " it all")],
        [("wrong", "Arno1d"), ("", " it all "), ("inserted", "~~")],
    )
    assert lines[2][1] == [("", "and "), ("split", "we nt"), ("", " home")]
    (wrong,) = [piece for piece in text.lines[1].read if piece.kind == "wrong"]
    assert wrong.parts == (("Arno", False), ("1", True), ("d", False))
    assert text.counts == {"right": 6, "wrong": 1, "merged": 2, "split": 1, "inserted": 1, "missed": 1}
    assert text.n_true == 11


def test_moved_words_stand_beside_their_truth():
    column = ["left column has these words", "right column has others here"]
    text, lines = compared(column, column[::-1])
    kinds = {kind for line in lines for side in line for kind, _ in side}
    assert kinds == {"", "moved"}
    assert texts_of(text, 0) == texts_of(text, 1) == column


def test_errors_that_go_through_are_told():
    text, _ = compared(["same same same"], ["sane sane sane"], threshold=70)
    through = [piece.through for piece in text.lines[0].read if piece.kind]
    assert through == [True, True, False]


def test_scripts_without_spaces_and_other_units():
    assert texts_of(compared(["東京へ行く"], ["東京へ来る"])[0], 0) == ["東京へ行く"]
    lines = ["one fine day", "two"]
    for unit in ("line", "character"):
        text, _ = compared(lines, ["one f1ne day", "two"], unit=unit)
        assert texts_of(text, 0) == lines
        assert texts_of(text, 1) == ["one f1ne day", "two"]


def test_running_text_is_broken():
    words = [f"w{k}" for k in range(100)]
    text, _ = compared([" ".join(words)], [" ".join(words)])
    assert max(len(line.split()) for line in texts_of(text, 0)) == 12
    assert " ".join(texts_of(text, 0)).split() == words


def test_empty_pages():
    names = ("a", "b")
    truth = Words(("x", "y"), np.full(2, np.nan), np.array([0, 0]), np.array([0, 0]), names)
    read = Words(("z",), np.array([7.0]), np.array([1]), np.array([0]), names, scale="percent")
    records = align(truth, read).records
    assert texts_of(compared_text(records, 0), 1) == [""]
    assert texts_of(compared_text(records, 1), 0) == [""]
    assert page_order(records).page.tolist() == [0, 1]
    assert page_order(records).differences.tolist() == [2, 1]


WORD = st.sampled_from(["a", "b", "ab", "abc", "cab", "東京", "x-"])
LINE = st.lists(WORD, min_size=1, max_size=9)


@given(st.lists(LINE, max_size=6), st.lists(LINE, min_size=1, max_size=6))
def test_nothing_is_lost(truth, read):
    truth, read = ([" ".join(line) for line in side if line] for side in (truth, read))
    text, _ = compared(truth, read)
    left = [line for line in texts_of(text, 0) if line]
    # halves of words that a line end divides are joined where the other side has them joined
    if not any("x-" in line for line in truth):
        assert left == truth
    if not any("x-" in line for line in (*truth, *read)):
        found = Counter("".join(texts_of(text, 1)).replace(" ", ""))
        assert found == Counter("".join(read).replace(" ", ""))


@pytest.fixture(scope="module")
def sample():
    found = fa.ocr.load_sample()
    return {name: align(found.truth, words) for name, words in found.outputs.items()}


def test_the_size_is_about_that_of_the_file(sample):
    template = _environment("fastarac.report").get_template("side_by_side.html.jinja")
    records = sample["plain"].records
    for page in range(len(records.page_names)):
        text = compared_text(records, page, 80)
        size = len(template.render(text=text, heads=("a", "b")).encode())
        assert 0.75 * size - 200 < size_of(text) < 1.3 * size


def test_compare_texts(sample, tmp_path):
    texts = fa.ocr.compare_texts(sample, thresholds={"plain": 80})
    files = fa.report.write_review_pages(tmp_path / "pages", texts)
    assert len(files) == 20
    page = (tmp_path / "pages" / "worn_newspaper_flood.html").read_text()
    assert page.count('<div class="pairs">') == 2
    assert "Errors that go through at confidence ≥ 80 are bold." in page
    assert 'class="wrong go" title="confidence' in page
    assert "It holds the text of the page." in page
    with pytest.raises(
        TypeError,
        match=r"engines must be a mapping of names to results of align or align_files, got \{\}",
    ):
        fa.ocr.compare_texts({})
    with pytest.raises(TypeError, match=r"engines\['a'\] must be a result of"):
        fa.ocr.compare_texts({"a": 1})
    with pytest.raises(ValueError, match="thresholds must have names of engines, got 'b'"):
        fa.ocr.compare_texts(sample, thresholds={"b": 1})
    found = fa.ocr.load_sample()
    lines = align(found.truth, found.outputs["plain"], unit="line")
    with pytest.raises(ValueError, match=", got line, word"):
        fa.ocr.compare_texts({**sample, "lines": lines})
