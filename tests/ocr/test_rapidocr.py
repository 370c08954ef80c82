"""RapidOCR's files: lines, words and characters; on real outputs of version 3.10."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from fastarac.ocr import OcrFileError, Words, read

DATA = Path(__file__).parent / "data"


def lines_of(words: Words) -> list[str]:
    starts = [*words.line_starts().tolist(), len(words)]
    return [" ".join(words.text[a:b]) for a, b in itertools.pairwise(starts)]


def test_rapidocr():
    """Two lines of Latin words and one of Japanese."""
    lines, parts = read(DATA / "rapidocr.json"), read(DATA / "rapidocr_words.json")
    assert lines_of(lines) == ["Total of March 12,50 due", "Thanks", "合計1250円です。"]
    assert lines_of(parts)[:2] == lines_of(lines)[:2]
    assert lines_of(parts)[2] == "合 計 1 2 5 0 円 で す 。"
    assert lines.confidence.tolist() == [0.99992] * 5 + [0.99997, 0.9997]
    assert parts.confidence.tolist()[6:8] == [0.99991, 0.99874]
    assert (lines.unit, parts.unit, lines.scale) == ("line", "word", "unit")
    np.testing.assert_array_equal(lines.box[0], [13, 9, 196, 26])
    np.testing.assert_array_equal(parts.box[0], [15, 9, 53, 27])
    # the nth word has the confidence of the nth character, which the note says of these six
    assert [str(note)[:27] for note in parts.notes] == ["6 words from lines of words"]


@pytest.mark.parametrize("written", ["null\n", '[["", 1.0, null]]'])
def test_rapidocr_of_a_page_without_text(tmp_path, written):
    path = tmp_path / "p.json"
    path.write_text(written)
    words = read(path)
    assert (len(words), words.page_names, words.source) == (0, ("p",), "rapidocr")


def test_rapidocr_that_is_not_as_it_should_be(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('[[["a", 0.5, null], ["b", 0.5]]]')
    with pytest.raises(OcrFileError, match=r"\[0\]\[1\]: .* a part of a line of RapidOCR"):
        read(path)
    path.write_text('[{"txt": "a", "score": 1.5}]')
    with pytest.raises(OcrFileError, match=r'confidence of "a" must be a number from 0 to 1, got 1\.5'):
        read(path)
