"""The true text of pages: plain text in any encoding, ALTO, PAGE and hOCR."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from fastarac.ocr import OcrFileError, Words, read, read_truth

DATA = Path(__file__).parent / "data"


def lines_of(words: Words) -> list[str]:
    starts = [*words.line_starts().tolist(), len(words)]
    return [" ".join(words.text[a:b]) for a, b in itertools.pairwise(starts)]


def test_plain_text(tmp_path):
    path = tmp_path / "p1.gt.txt"
    path.write_text("Total  12,50 €\n\n  Thank\u00a0you\n")
    truth = read_truth(path)
    assert lines_of(truth) == ["Total 12,50 €", "Thank you"]
    assert (truth.page_names, truth.scale, truth.source) == (("p1",), None, "text")
    assert np.isnan(truth.confidence).all()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_plain_text_in_any_encoding(tmp_path, encoding):
    path = tmp_path / "p.txt"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + "日本語 Füße\r\nשלום\r\n".encode(encoding))
    assert lines_of(read_truth(path)) == ["日本語 Füße", "שלום"]


def test_form_feeds_begin_pages(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("one\n\f\ftwo\n\f")
    truth = read_truth(path)
    assert truth.page_names == ("p:1", "p:2", "p:3")
    assert truth.page.tolist() == [0, 2]
    assert truth.line.tolist() == [0, 1]


@pytest.mark.parametrize("content", ["", "\n", "\ufeff"])
def test_a_page_without_text(tmp_path, content):
    path = tmp_path / "p.txt"
    path.write_text(content)
    truth = read_truth(path)
    assert (len(truth), truth.page_names) == (0, ("p",))


@pytest.mark.parametrize("name", ["tesseract.hocr", "tesseract.xml", "hyphenated_alto.xml", "page.xml"])
def test_truths_in_xml(name):
    truth, words = read_truth(DATA / name), read(DATA / name)
    assert truth.text == words.text
    np.testing.assert_array_equal(truth.line, words.line)
    assert (truth.scale, truth.unit) == (None, words.unit)
    assert not any("confidence" in str(note) for note in truth.notes)


def test_texts_that_begin_like_something_else(tmp_path):
    path = tmp_path / "p.txt"
    for text in ("<script> is a word", "< 5", "{a} [b]", "[1] Smith", "<b>bold</b>", "BM is a company"):
        path.write_text(text)
        assert list(read_truth(path).text) == text.split()


def test_an_output_is_not_a_truth(tmp_path):
    for name in ("tesseract.tsv", "doctr.json", "easyocr.json"):
        with pytest.raises(
            OcrFileError, match="the output of an engine, but must be the truth: plain text,"
        ):
            read_truth(DATA / name)
    path = tmp_path / "p.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(OcrFileError, match="t must be plain text, ALTO, PAGE or hOCR"):
        read_truth(path)
    path.write_bytes("Füße".encode("latin-1"))
    with pytest.raises(OcrFileError, match="line 1: it is not UTF-8 text"):
        read_truth(path)
