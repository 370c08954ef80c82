"""Words, and the files and pages that are paired."""

from __future__ import annotations

import pickle
from difflib import SequenceMatcher

import numpy as np
import pytest

from fastarac.ocr import (
    OcrFileError,
    PairingError,
    ReadingNote,
    Words,
    load_sample,
    match_pages,
    pair_files,
    read_truth,
    sample_folders,
)

NAN = np.nan
FIELDS = {
    "text": ("a", "b", "c", "d"),
    "confidence": [0.1, 0.2, NAN, 0.4],
    "page": [0, 0, 2, 2],
    "line": [0, 1, 2, 2],
    "page_names": ("p1", "p2", "p3"),
    "scale": "unit",
}


def test_pages_and_lines():
    words = Words(**FIELDS)
    assert words.page_slices() == [slice(0, 2), slice(2, 2), slice(2, 4)]
    assert words.line_starts().tolist() == [0, 1, 2]
    assert words.line_starts(slice(2, 4)).tolist() == [0]
    assert words.line_starts(slice(2, 2)).tolist() == []
    assert words.box.shape == (4, 4)
    assert words.page_size.shape == (3, 2)
    assert repr(words) == "Words(4 words on 3 pages, confidences from 0 to 1, source='')"


def test_selected_pages():
    words = Words(**FIELDS).select_pages([1, 2], ["x", "y"])
    assert (words.text, words.page_names) == (("c", "d"), ("x", "y"))
    assert words.page.tolist() == [1, 1]
    assert Words(**FIELDS).select_pages([0]).page_names == ("p1",)
    for pages in ([1, 0], [0, 3], [0, 0]):
        with pytest.raises(ValueError, match="increasing numbers from 0 to 2"):
            Words(**FIELDS).select_pages(pages)


def test_concatenated_parts_are_the_whole():
    words = Words(**FIELDS, notes=(ReadingNote(2, "a", "b"),), engine="e", source="s")
    parts = [words.select_pages([i]) for i in range(3)]
    whole = Words.concatenate(parts)
    assert (whole.text, whole.page_names) == (words.text, words.page_names)
    # counted anew, and three times two
    assert [str(note) for note in whole.notes] == ["6 b", "1 word has no confidence"]
    assert (whole.engine, whole.source, whole.scale) == ("e", "s", "unit")
    np.testing.assert_array_equal(whole.page, words.page)
    np.testing.assert_array_equal(whole.confidence, words.confidence)
    assert len(whole.line_starts()) == 3
    with pytest.raises(ValueError, match="page_names must be distinct, got 'p1' twice"):
        Words.concatenate([words, words])
    with pytest.raises(ValueError, match="parts is empty"):
        Words.concatenate([])


def test_scales_are_never_mixed():
    percent = Words(("a",), np.array([50.0]), [0], [0], ("p",), scale="percent")
    unit = Words(("a",), np.array([0.5]), [0], [0], ("q",), scale="unit")
    blank = Words((), [], [], [], ("r",))
    with pytest.raises(
        ValueError, match=r"scales \(1 from 0 to 100, such as p, 1 from 0 to 1, such as q\)"
    ):
        Words.concatenate([percent, unit, blank])
    assert Words.concatenate([blank, percent]).scale == "percent"
    line = Words(("a",), np.array([0.5]), [0], [0], ("s",), scale="unit", unit="line")
    with pytest.raises(
        ValueError,
        match="some readings have confidences of words, others have confidences of lines; use",
    ):
        Words.concatenate([unit, line])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": [0.1]}, r"confidence must have shape \(4,\), got \(1,\)"),
        ({"box": np.zeros((3, 4))}, r"box must have shape \(4, 4\), got \(3, 4\)"),
        ({"text": ("a", "b b", "c", "d")}, r"text\[1\] must .*got 'b b'"),
        ({"text": ("a", "b", "", "d")}, r"text\[2\] must .*got ''"),
        ({"page": [0, 2, 1, 2]}, "page must hold indices into the 3 page_names"),
        ({"page": [0, 0, 2, 3]}, "page must hold indices"),
        ({"line": [0, 1, 1, 2]}, "line has the same number on two pages; give each line its own"),
        ({"line": [0, 3, 2, 2]}, "line must be a sequence of numbers from 0"),
        ({"page_names": ("p", "p", "q")}, "page_names must be distinct, got 'p' twice"),
        ({"confidence": [0.1, 0.2, 0.3, 40]}, r"confidence\[3\] must .*got 40.0"),
        ({"confidence": [0.1, -0.2, 0.3, 0.4]}, r"confidence\[1\] must .*got -0.2"),
        ({"confidence": [0.1, 0.2, 0.3, np.inf]}, r"confidence\[3\] must .*got inf"),
        ({"scale": None}, "because there are confidences, got None"),
        ({"scale": "permille"}, "scale must be 'percent', 'unit' or None, got 'permille'"),
    ],
)
def test_words_that_do_not_fit_together(change, message):
    with pytest.raises(ValueError, match=message):
        Words(**{**FIELDS, **change})


@pytest.mark.pickles
def test_words_are_read_only_and_equal_by_value():
    words = Words(**FIELDS)
    again = pickle.loads(pickle.dumps(words))
    assert words == again == Words(**FIELDS)
    assert words != Words(**{**FIELDS, "confidence": [0.1, 0.2, NAN, 0.5]})
    with pytest.raises(ValueError, match="read-only"):
        words.confidence[0] = 1
    with pytest.raises(AttributeError):
        words.scale = "percent"


def test_notes_add_up_over_files():
    one = ("repair", "repairs")
    parts = [
        Words(("a",), [value], [0], [0], (f"p{i}",), scale=scale, notes=(ReadingNote(i + 1, *one),))
        for i, (value, scale) in enumerate([(0.5, "unit"), (NAN, None), (0.7, "unit")])
    ]
    whole = Words.concatenate(parts)
    assert [str(note) for note in whole.notes] == ["6 repairs", "1 word has no confidence"]


@pytest.mark.pickles
def test_errors_of_files_survive_worker_processes(tmp_path):
    with pytest.raises(OcrFileError) as caught:
        read_truth(tmp_path)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path, again.place) == (str(caught.value), tmp_path, None)


# -------------------------------------------------------------------------------------- pairs


def make(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(b"\x89PNG" if name.endswith("png") else b"word")
    return folder


def test_folders_are_paired_by_name_up_to_the_first_dot(tmp_path):
    truth = make(tmp_path / "truth", "b.gt.txt", "a.gt.txt", ".hidden", "a.png")
    output = make(tmp_path / "output", "a.A.tsv", "b.A.tsv")
    (output / "folder").mkdir()
    pairing = pair_files(truth, output)
    assert [(pair.name, pair.truth.name, pair.output.name) for pair in pairing.pairs] == [
        ("a", "a.gt.txt", "a.A.tsv"),
        ("b", "b.gt.txt", "b.A.tsv"),
    ]
    assert [path.name for path in pairing.images] == ["a.png"]
    several = pair_files([truth / "a.gt.txt", truth / "b.gt.txt"], sorted(output.glob("*.tsv")))
    assert several.pairs == pairing.pairs


def test_two_files_are_a_pair_whatever_their_names(tmp_path):
    make(tmp_path, "truth.txt", "ocr.tsv")
    (pair,) = pair_files(tmp_path / "truth.txt", str(tmp_path / "ocr.tsv")).pairs
    assert (pair.name, pair.output.name) == ("truth", "ocr.tsv")


def test_files_without_a_partner_are_listed(tmp_path):
    truth = make(tmp_path / "truth", "a.txt", "b.txt", "c.txt")
    output = make(tmp_path / "output", "b.tsv", "d.tsv")
    with pytest.raises(PairingError) as caught:
        pair_files(truth, output)
    assert str(caught.value) == (
        f"2 files of truth without an output: {truth / 'a.txt'}, {truth / 'c.txt'}; "
        f"1 file of output without a truth: {output / 'd.tsv'} "
        "(names are compared up to the first dot)"
    )
    assert [path.name for path in caught.value.without_output] == ["a.txt", "c.txt"]
    pairing = pair_files(truth, output, skip_unmatched=True)
    assert [pair.name for pair in pairing.pairs] == ["b"]
    assert [path.name for path in pairing.without_truth] == ["d.tsv"]
    (output / "b.tsv").unlink()
    with pytest.raises(PairingError, match=r"as a file of output \(files of truth: 3, of output: 1\)"):
        pair_files(truth, output, skip_unmatched=True)


def test_long_lists_are_cut(tmp_path):
    truth = make(tmp_path / "truth", *(f"p{i:02d}.txt" for i in range(25)))
    output = make(tmp_path / "output", "p00.tsv")
    with pytest.raises(PairingError, match=r"24 files of truth .* and 4 more") as caught:
        pair_files(truth, output)
    assert len(caught.value.without_output) == 24


def test_one_name_twice_is_listed(tmp_path):
    truth = make(tmp_path / "truth", "a.txt")
    output = make(tmp_path / "output", "a.A.tsv", "a.B.tsv", "b.tsv")
    with pytest.raises(
        PairingError, match=r"1 name of output occurs more than once: .*a.A.tsv, "
    ) as caught:
        pair_files(truth, output, skip_unmatched=True)
    assert len(caught.value.ambiguous) == 2
    assert "Put the truth and the outputs of each engine into separate folders" in str(caught.value)
    with pytest.raises(FileNotFoundError, match="does not exist: name a file or a folder"):
        pair_files(truth, tmp_path / "nowhere")


def text(pages, name="p"):
    return Words(
        tuple(word for page in pages for word in page),
        np.full(sum(map(len, pages)), NAN),
        [i for i, page in enumerate(pages) for _ in page],
        [i for i, page in enumerate(pages) for _ in page],
        tuple(f"{name}{i}" for i in range(len(pages))),
    )


def test_pages_are_matched_by_their_order():
    truth, words = match_pages(text([["a"], [], ["b"]]), text([["a"], ["x"], []], "q"), name="n")
    assert truth.page_names == words.page_names == ("n:1", "n:2", "n:3")
    truth, words = match_pages(text([["a"]]), text([["a"]], "q"), name="n")
    assert truth.page_names == words.page_names == ("n",)


def test_a_truth_without_page_breaks_makes_one_page():
    truth, words = match_pages(text([["a", "b"]]), text([["a"], ["b"]], "q"), name="n")
    assert truth.page_names == words.page_names == ("n",)
    assert words.page.tolist() == [0, 0]
    assert [str(note) for note in words.notes] == [
        "1 document has no page breaks in its truth: all of it counts as one page and one group"
    ]
    with pytest.raises(
        PairingError, match="n: truth and output must have the same number of pages, got"
    ):
        match_pages(text([["a"], ["b"]]), text([["a"], ["b"], ["c"]]), name="n")


def test_a_pair_is_read(tmp_path):
    make(tmp_path / "t", "a.txt")
    output = make(tmp_path / "o") / "a.json"
    output.write_text('[[[[0, 0], [1, 1]], "word", 0.5]]')
    (pair,) = pair_files(tmp_path / "t", tmp_path / "o").pairs
    truth, words = pair.read()
    assert truth.text == words.text == ("word",)
    assert truth.page_names == words.page_names == ("a",)


# ------------------------------------------------------------------------------------- sample


def test_sample():
    sample = load_sample()
    assert list(sample.outputs) == ["plain", "enlarged"]
    assert len(sample.truth.page_names) == 20
    shares = {}
    for setting, words in sample.outputs.items():
        assert words.page_names == sample.truth.page_names
        assert not np.isnan(words.confidence).any()
        right = 0
        for truth, output in zip(sample.truth.page_slices(), words.page_slices(), strict=True):
            a, b = sample.truth.text[truth], words.text[output]
            blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
            right += sum(block.size for block in blocks)
        shares[setting] = right / len(sample.truth)
    # counted when the sample was made
    assert shares == {"plain": 1910 / 2180, "enlarged": 1970 / 2180}


def test_sample_is_small():
    files = [path for path in sample_folders().truth.parent.rglob("*.t*") if path.is_file()]
    assert len(files) == 3 * 20
    assert sum(path.stat().st_size for path in files) < 240_000
