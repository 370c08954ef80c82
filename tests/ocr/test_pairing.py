"""Files in folders and subfolders, their names, tables of pairs, and files without words."""

from __future__ import annotations

import pytest

from fastarac.ocr import (
    OcrFileError,
    PairingError,
    align_files,
    pair_files,
    read,
    read_pairs,
    read_truth,
)
from fastarac.ocr.readers.tesseract_tsv import COLUMNS


def put(folder, *names, content="word"):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def pairs_of(pairing):
    return [(pair.name, pair.truth.name, pair.output.name) for pair in pairing.pairs]


def test_folders_inside_are_searched(tmp_path):
    truth = put(tmp_path / "truth", "1901/p1.gt.txt", "1902/march/p2.gt.txt", ".git/p3.txt")
    output = put(tmp_path / "ocr", "p1.tsv", "more/p2.tsv")
    (truth / "1901" / "again").symlink_to(truth, target_is_directory=True)  # a circle
    assert pairs_of(pair_files(truth, output)) == [
        ("p1", "p1.gt.txt", "p1.tsv"),
        ("p2", "p2.gt.txt", "p2.tsv"),
    ]


def test_a_name_that_comes_again_keeps_its_folder(tmp_path):
    truth = put(tmp_path / "truth", "a/p1.txt", "b/p1.txt", "b/p2.txt")
    output = put(tmp_path / "ocr", "a/p1.tsv", "b/p1.tsv", "p2.tsv")
    pairing = pair_files(truth, output)
    assert [pair.name for pair in pairing.pairs] == ["a/p1", "b/p1", "p2"]
    assert all(pair.output.suffix == ".tsv" for pair in pairing.pairs)
    assert pairing.pairs[1].output == output / "b" / "p1.tsv"
    flat = put(tmp_path / "flat", "p1.tsv", "p2.tsv")
    with pytest.raises(PairingError, match="2 files of truth without an output") as caught:
        pair_files(truth, flat)
    assert caught.value.without_truth == (flat / "p1.tsv",)


def test_names_that_go_on_behind_the_first_dot(tmp_path):
    truth = put(tmp_path / "truth", "vol.1.p1.gt.txt", "vol.1.p2.gt.txt", "vol.2.p1.gt.txt")
    output = put(tmp_path / "ocr", "vol.1.p1.A.tsv", "vol.1.p2.A.tsv", "vol.2.p1.A.tsv")
    expected = ["vol.1.p1", "vol.1.p2", "vol.2.p1"]
    assert [pair.name for pair in pair_files(truth, output).pairs] == expected
    one = put(tmp_path / "one", "vol.1.p2.B.tsv")  # whose ending the other side shows
    pairing = pair_files(truth, [one / "vol.1.p2.B.tsv"], skip_unmatched=True)
    assert pairs_of(pairing) == [("vol.1.p2", "vol.1.p2.gt.txt", "vol.1.p2.B.tsv")]


def test_formats_side_by_side_are_told_apart_by_patterns(tmp_path):
    folder = put(tmp_path, *(f"p{i}.{end}" for i in (1, 2) for end in ("A.tsv", "A.hocr", "gt.txt")))
    with pytest.raises(PairingError, match=r"2 names of truth occur more than once.*truth_pattern"):
        pair_files(folder, folder)
    pairing = pair_files(folder, folder, pattern="*.A.tsv", truth_pattern="*.gt.txt")
    assert [pair.output.name for pair in pairing.pairs] == ["p1.A.tsv", "p2.A.tsv"]
    put(folder, "x/p3.A.tsv")
    with pytest.raises(PairingError, match="no file of truth"):
        pair_files(folder, folder, pattern="x/*", truth_pattern="*.gt.txt", skip_unmatched=True)
    with pytest.raises(FileNotFoundError, match=r"none of the 7 files in .* the pattern '\*\.xml'"):
        pair_files(folder, folder, pattern="*.xml")


def test_a_table_says_which_files_belong_together(tmp_path):
    put(tmp_path, "right/one.txt", "right/two.txt", "a/17.tsv", "a/18.tsv", "b/x.tsv", "b/y.tsv")
    rows = ["right/one.txt,A,a/18.tsv", "right/two.txt,A,a/17.tsv", "right/one.txt,B,b/x.tsv"]
    table = tmp_path / "pairs.csv"

    def write(*lines):
        table.write_text("\n".join(["truth,engine,output", *lines]))

    write(*rows, "", "right/two.txt,B,b/y.tsv")
    found = read_pairs(table)
    assert list(found) == ["A", "B"]
    assert pairs_of(found["A"]) == [("one", "one.txt", "18.tsv"), ("two", "two.txt", "17.tsv")]
    write(*rows)
    with pytest.raises(PairingError, match=r"engine B has no output for 1 file .*two\.txt"):
        read_pairs(table)
    found = read_pairs(table, skip_unmatched=True)
    assert [path.name for path in found["B"].without_output] == ["two.txt"]
    write(*rows, rows[0])
    with pytest.raises(PairingError, match=r"line 5: engine A has two outputs of .*one\.txt"):
        read_pairs(table)
    write("right/one.txt,,a/18.tsv")
    with pytest.raises(
        OcrFileError, match=r"line 2: the row must be truth, engine and output.*, got .*"
    ):
        read_pairs(table)
    write("right/one.txt,A,a/19.tsv")
    with pytest.raises(FileNotFoundError, match=r"_0/a/19\.tsv is not a file"):
        read_pairs(table)
    table.write_text("truth;engine;output\n")
    with pytest.raises(OcrFileError, match="line 1: the columns must be truth, engine,"):
        read_pairs(table)
    write()
    with pytest.raises(OcrFileError, match="there is no pair of files"):
        read_pairs(table)


EMPTY = {
    "nothing": "",
    "white space": " \n",
    "tsv": "\t".join(COLUMNS) + "\n",
    "tsv of a page": "\t".join(COLUMNS) + "\n1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n",
    "hocr": "<html><body><div class='ocr_page' title='bbox 0 0 9 9'></div></body></html>",
    "alto": "<alto><Layout><Page WIDTH='9' HEIGHT='9'/></Layout></alto>",
    "alto without a page": "<alto/>",
    "page": "<PcGts><Page imageWidth='9' imageHeight='9'/></PcGts>",
    "page of an image": "<PcGts><Page><ImageRegion id='r'/></Page></PcGts>",
    "textract": '{"Blocks": []}',
    "azure read": '{"analyzeResult": {"readResults": [{"page": 1, "lines": []}]}}',
    "azure document intelligence": '{"analyzeResult": {"modelId": "m", "pages": []}}',
    "google vision": '{"responses": [{}]}',
    "google vision alone": "{}",
    "google document ai": '{"document": {"text": "", "pages": [{}]}}',
    "paddleocr 2": "[null]",
    "paddleocr 3": '{"rec_texts": [], "rec_scores": []}',
    "easyocr": "[]",
    "doctr": '{"pages": [{"blocks": [], "dimensions": [9, 9]}]}',
}


@pytest.mark.parametrize("kind", EMPTY)
def test_a_file_without_words_is_an_empty_page(tmp_path, kind):
    path = tmp_path / "p.out"
    path.write_text(EMPTY[kind])
    words = read(path)
    assert (len(words), words.page_names) == (0, ("p",))
    said = [str(note) for note in words.notes]
    assert any("is empty" in each for each in said) == (
        kind in ("nothing", "white space", "google vision alone")
    )


@pytest.mark.parametrize("kind", ["nothing", "white space", "hocr", "alto", "page"])
def test_a_truth_without_words_is_an_empty_page(tmp_path, kind):
    path = tmp_path / "p.out"
    path.write_text(EMPTY[kind])
    truth = read_truth(path)
    assert (len(truth), truth.page_names) == (0, ("p",))


def test_an_empty_page_beside_others_is_missed(tmp_path):
    put(tmp_path / "truth", "p1.txt", "p2.txt", content="some words")
    put(tmp_path / "truth", "p3.txt", content="")
    row = "5\t1\t1\t1\t1\t{}\t0\t0\t9\t9\t90\t{}"
    table = "\n".join(["\t".join(COLUMNS), row.format(1, "some"), row.format(2, "words")])
    put(tmp_path / "ocr", "p1.tsv", content=table)
    put(tmp_path / "ocr", "p2.tsv", "p3.tsv", content="")
    engine = align_files(pair_files(tmp_path / "truth", tmp_path / "ocr"))
    assert engine.aligned.pages.missed.tolist() == [0, 2, 0]
    assert engine.aligned.pages.right.tolist() == [2, 0, 0]
    assert str(engine.words.notes[0]).startswith("2 files of outputs are empty")
