"""Readers of OCR formats: each on a real file of the engine, or on one of exactly its shape."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr import (
    FORMATS,
    NoConfidenceError,
    OcrFileError,
    Words,
    read,
    read_truth,
    require_confidence,
)
from fastarac.ocr.readers._files import open_file
from fastarac.ocr.readers._xml import elements
from fastarac.ocr.words.folding import printed

DATA = Path(__file__).parent / "data"

HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


def lines_of(words: Words) -> list[str]:
    starts = [*words.line_starts().tolist(), len(words)]
    return [" ".join(words.text[a:b]) for a, b in itertools.pairwise(starts)]


def sentences(words: Words) -> list[str]:
    return [str(note) for note in words.notes]


# A scan of three pages, the second blank, by Tesseract 5.3; the third is hard to read.
SCAN_LINES = ["Invoice No. 4711 of 3 May", 'He said " and left it open', "Foss! <ner> @ ame 17.50"]


@pytest.mark.parametrize("name", ["tesseract.tsv", "tesseract.hocr", "tesseract.xml"])
def test_pages_of_tesseract_in_each_of_its_formats(name):
    words = read(DATA / name)
    assert lines_of(words) == SCAN_LINES
    assert words.page_names == ("tesseract:1", "tesseract:2", "tesseract:3")
    assert [part.stop - part.start for part in words.page_slices()] == [13, 0, 5]
    np.testing.assert_array_equal(words.page_size, [[620, 260]] * 3)
    np.testing.assert_array_equal(words.box[0], [42, 45, 125, 63])


def test_confidences_of_tesseract_are_the_same_up_to_the_cut_percents():
    table, hocr, alto = (read(DATA / f"tesseract.{end}") for end in ("tsv", "hocr", "xml"))
    assert (table.scale, hocr.scale, alto.scale) == ("percent", "percent", "unit")
    assert table.confidence.min() == 8.926552
    np.testing.assert_array_equal(hocr.confidence, np.floor(table.confidence))
    # 8% stands in the file as WC="0.8"
    np.testing.assert_array_equal(alto.confidence, np.floor(table.confidence) / 100)
    assert alto.confidence.min() == 0.08
    assert str(alto.notes[0]).startswith("1 confidence was repaired: Tesseract up to 5.5")
    assert hocr.engine == alto.engine == "tesseract 5.3.0"
    np.testing.assert_array_equal(table.box, hocr.box)
    np.testing.assert_array_equal(table.box, alto.box)


@pytest.mark.parametrize(
    ("version", "written", "expected"),
    [
        ("tesseract 5.3.0", ["0.6", "0.100", "0.0", "0.96"], [0.06, 1.0, 0.0, 0.96]),
        ("tesseract v4.1.1-rc2-25-g9707", ["0.6"], [0.06]),
        ("tesseract 5.5.2", ["0.9"], [0.09]),
        ("tesseract 5.5.2", ["0.9", "0.06"], [0.9, 0.06]),  # a build that is repaired
        ("tesseract 5.5.2", ["0.9", "1.0"], [0.9, 1.0]),
        ("tesseract 5.6.0", ["0.6"], [0.6]),
        ("tesseract 10.0", ["0.6"], [0.6]),
        ("kraken 5.2", ["0.6"], [0.6]),
        ("tesseract", ["0.6"], [0.6]),
    ],
)
def test_alto_confidences_are_repaired_where_the_software_says_so(tmp_path, version, written, expected):
    strings = [f'<String CONTENT="w" WC="{text}"/>' for text in written]
    # in pages of their own: what a later page shows holds for the first one, too
    pages = "".join(f"<Page><TextLine>{string}</TextLine></Page>" for string in strings)
    path = tmp_path / "p.xml"
    path.write_text(f"<alto><softwareName>{version}</softwareName><Layout>{pages}</Layout></alto>")
    words = read(path)
    np.testing.assert_array_equal(words.confidence, expected)
    repaired = [float(text) for text in written] != expected
    assert len(words.notes) == repaired


def test_words_of_hocr_in_characters_with_alternatives():
    words = read(DATA / "tesseract_characters.hocr")
    assert words.text == ("Total", "amount:", "12,50", '"quoted"', '"')
    assert words.confidence.tolist() == [96, 96, 95, 91, 91]


def test_hocr_that_is_html_and_not_xml(tmp_path):
    path = tmp_path / "p.hocr"
    start = "<!DOCTYPE html><html><head><meta charset='utf-8'><meta name=ocr-system content='kraken'>"
    page = (
        "<body><div class='ocr_page other' title='image \"a;b bbox.png\"; bbox 0 0 100 50'><br>"
        "<span class=ocr_line><span class=ocrx_word title='x_wconf 87.5;bbox 1 2 3 4'>Caf&eacute;"
        "&nbsp;</span> <span class=ocrx_word title='bbox 5 2 8 4'><strong>&euro;</strong>5</span>"
        "</span></div></body>"
    )
    path.write_text(f"{start}</head>{page}</html>\n")
    words = read(path)
    assert words.text == ("Café", "€5")
    np.testing.assert_array_equal(words.confidence, [87.5, np.nan])
    assert (words.engine, sentences(words)) == ("kraken", ["1 word has no confidence"])
    np.testing.assert_array_equal(words.page_size, [[100, 50]])
    path.write_text(f"{start}</head>{page}")  # cut off
    with pytest.raises(OcrFileError, match="line 1: it is not well-formed XML"):
        read(path)


def test_named_characters_of_xhtml(tmp_path):
    path = tmp_path / "p.hocr"
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "no-such-file.dtd">'
    body = "<div class='ocr_page'><span class='ocrx_word' title='x_wconf 5'>{}</span></div>"
    start = f'<?xml version="1.0"?>{doctype}<html xmlns="http://www.w3.org/1999/xhtml"><body>'
    path.write_text(start + body.format("&copy;1&#x30;") + "</body></html>")
    assert read(path).text == ("©10",)
    path.write_text(start + body.format("a&unheard-of;b") + "</body></html>")
    with pytest.raises(OcrFileError, match='"&unheard-of;" is not declared'):
        read(path)


def test_hocr_lines_without_words(tmp_path):
    path = tmp_path / "p.hocr"
    line = "<span class='ocr_line' title='bbox 1 2 3 4'>Two <b>words</b></span>"
    path.write_text(f"<html><body><div class='ocr_page'><p>{line}</p></div></body></html>")
    words = read(path)
    assert lines_of(words) == ["Two words"]
    with pytest.raises(NoConfidenceError, match=r"2 words of p \(hOCR\).*tesseract IMAGE OUT hocr"):
        require_confidence(words)


@pytest.mark.parametrize(
    ("hyphenated", "texts", "confidences"),
    [
        (
            "whole",
            ["The", "regulation", "of", "trade", "con-", "tinues"],
            [1, 0.6, 0.06, 0.75, 0.8, 0.7],
        ),
        (
            "parts",
            ["The", "regu-", "lation", "of", "trade", "con-", "tinues"],
            [1, 0.9, 0.6, 0.06, 0.75, 0.8, 0.7],
        ),
    ],
)
def test_words_that_line_ends_divide_in_alto(hyphenated, texts, confidences):
    path = DATA / "hyphenated_alto.xml"
    words = read(path, hyphenated=hyphenated)
    assert list(words.text) == texts
    np.testing.assert_array_equal(words.confidence, confidences)
    assert words.engine == "FineReader 12.0"
    np.testing.assert_array_equal(words.box[0], [100, 100, 200, 150])
    assert list(read_truth(path, hyphenated=hyphenated).text) == texts
    assert len(words.notes) == 2 * (hyphenated == "whole")
    with pytest.raises(ValueError, match="hyphenated must be 'whole' or 'parts', got 'no'"):
        read(path, hyphenated="no")


def test_page():
    words = read(DATA / "page.xml")
    # regions in reading order; the reading of the lowest index; a line without words; a table
    assert lines_of(words) == ["Receipt", "Total 12,50", "Thank you", "cell one", "cell two"]
    nan = np.nan
    expected = [0.99, 0.91, 0.55, 0.8, 0.8, nan, nan, nan, nan]
    np.testing.assert_array_equal(words.confidence, expected)
    np.testing.assert_array_equal(words.box[1], [10, 100, 90, 130])
    np.testing.assert_array_equal(words.page_size, [[800, 600]])
    assert words.engine == "ocrd-tesserocr-recognize"
    assert words.unit == "word"
    assert any(note.startswith("1 line is not divided into words") for note in sentences(words))
    assert any(
        note.startswith("2 lines were made from regions without lines") for note in sentences(words)
    )


def test_textract():
    words = read(DATA / "textract.json")
    assert lines_of(words) == ["Total 12,50", "Thanks", "End"]
    assert words.confidence.tolist() == [99.8125, 61.5, 97.00390625, 50]
    assert words.page_names == ("textract:1", "textract:2", "textract:3")
    assert (words.scale, words.engine) == ("percent", "Amazon Textract 1.0")
    np.testing.assert_array_equal(words.box[0], [0.125, 0.25, 0.375, 0.375])


def test_textract_in_parts(tmp_path):
    whole = json.loads((DATA / "textract.json").read_text())
    blocks = whole["Blocks"]
    parts = [{**whole, "Blocks": blocks[:4]}, {**whole, "Blocks": blocks[4:]}]
    path = tmp_path / "textract.json"
    path.write_text(json.dumps(parts))
    assert read(path).text == read(DATA / "textract.json").text


def test_azure_read():
    words = read(DATA / "azure_read.json")
    assert lines_of(words) == ["Total 12,50", "Thanks"]
    assert words.confidence.tolist() == [0.994, 0.612, 0.887]
    assert words.page_names == ("azure_read:1", "azure_read:2")
    assert (words.source, words.scale, words.engine) == ("azure-read", "unit", "Azure Read 3.2.0")
    np.testing.assert_array_equal(words.box[0], [10, 10, 92, 40])


def test_azure_image_analysis():
    words = read(DATA / "azure_image_analysis.json")
    assert lines_of(words) == ["Total 12,50"]
    assert words.confidence.tolist() == [0.994, 0.612]
    np.testing.assert_array_equal(words.box[0], [10, 10, 92, 40])
    np.testing.assert_array_equal(words.page_size, [[800, 600]])


def test_azure_document_intelligence(tmp_path):
    words = read(DATA / "azure_document_intelligence.json")
    assert lines_of(words) == ["Total 12,50", "Thanks"]  # though they stand in another order
    assert words.confidence.tolist() == [0.994, 0.612, 0.887]
    assert words.engine == "Azure Document Intelligence prebuilt-read"
    assert words.page_names[1] == "azure_document_intelligence:2"
    np.testing.assert_array_equal(words.box[0], [1, 1, 2, 1.75])
    response = json.loads((DATA / "azure_document_intelligence.json").read_text())
    path = tmp_path / "a.json"
    path.write_text(json.dumps(response["analyzeResult"]))  # as the SDK writes it
    assert read(path).text == words.text
    path.write_text(json.dumps({"status": "running", "createdDateTime": "2026-01-02"}))
    with pytest.raises(OcrFileError, match="json: status: the status must be that of a call that"):
        read(path)


def test_google_vision():
    words = read(DATA / "google_vision.json")
    # a full stop, a comma and Chinese words come as words of their own, without a break
    assert lines_of(words) == ["Dear Ms. Li,", "the regulation", "holds", "中文文字。"]
    assert words.confidence.tolist() == [0.99, 0.88, 0.95, 0.9, 0.7, 0.6, 0.91]
    assert [part.stop - part.start for part in words.page_slices()] == [6, 0, 1]
    np.testing.assert_array_equal(words.box[0], [0, 0, 50, 20])  # coordinates of zero are left out
    np.testing.assert_array_equal(words.box[1], [60, 10, 160, 30])
    assert sentences(words) == [
        "3 words are joined from parts without a break between them, with their lowest confidence",
        "1 word that a line end divides is read whole, with the lowest confidence of its parts",
    ]
    parts = read(DATA / "google_vision.json", hyphenated="parts")
    assert lines_of(parts)[1:3] == ["the regu-", "lation holds"]


def test_google_vision_as_its_python_library_writes_it(tmp_path):
    """Breaks are numbers, keys have underscores, and the response is the outermost object."""
    whole = (DATA / "google_vision.json").read_text()
    for number, name in enumerate(["SPACE", "SURE_SPACE", "EOL_SURE_SPACE", "HYPHEN", "LINE_BREAK"], 1):
        whole = whole.replace(f'"type": "{name}"', f'"type": {number}')
    for key in ("fullTextAnnotation", "detectedBreak", "boundingBox"):
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in key)
        whole = whole.replace(key, snake)
    path = tmp_path / "google_vision.json"
    path.write_text(json.dumps(json.loads(whole)["responses"]))
    expected, found = read(DATA / "google_vision.json"), read(path)
    assert found.text == expected.text
    np.testing.assert_array_equal(found.box, expected.box)


def test_google_vision_failed_or_without_confidences(tmp_path):
    path = tmp_path / "v.json"
    path.write_text('{"responses": [{"error": {"code": 3, "message": "Bad image data."}}]}')
    with pytest.raises(OcrFileError, match=r"responses\[0\].error: the service .* Bad image data"):
        read(path)
    path.write_text('{"responses": [{"textAnnotations": [{"description": "Total"}]}]}')
    with pytest.raises(OcrFileError, match="which DOCUMENT_TEXT_DETECTION gives"):
        read(path)


def test_google_break_before_a_symbol_and_end_of_page_after_a_hyphen(tmp_path):
    symbols = [
        {"text": "a"},
        {"text": "b", "property": {"detectedBreak": {"type": "SPACE", "isPrefix": True}}},
        {"text": "c", "property": {"detectedBreak": {"type": "HYPHEN"}}},
    ]
    paragraph = {"words": [{"symbols": symbols, "confidence": 0.5}]}
    page = {"blocks": [{"paragraphs": [paragraph]}]}
    path = tmp_path / "v.json"
    path.write_text(json.dumps({"fullTextAnnotation": {"pages": [page]}}))
    assert read(path).text == ("a", "bc-")


def test_google_document_ai():
    words = read(DATA / "google_document_ai.json")
    assert lines_of(words) == ["Invoice: 4711", "Beginning", "done"]
    assert words.confidence.tolist() == [0.8, 0.97, 0.7, 0.95]
    assert words.page_names == ("google_document_ai:1", "google_document_ai:2")
    np.testing.assert_array_equal(words.box[0], [0.1, 0.1, 0.3, 0.2])
    parts = read(DATA / "google_document_ai.json", hyphenated="parts")
    assert lines_of(parts) == ["Invoice: 4711", "Begin-", "ning done"]


@pytest.mark.parametrize(
    "name", ["paddleocr_2.json", "paddleocr_3.json", "easyocr.json", "easyocr_dict.json"]
)
def test_engines_that_read_lines(name):
    words = read(DATA / name)
    assert lines_of(words) == ["Total 12,50", "Thanks"]
    assert words.confidence.tolist() == [0.9912, 0.9912, 0.8731]
    assert (words.unit, words.scale) == ("line", "unit")
    np.testing.assert_array_equal(words.box[0], [10, 10, 90, 40])
    assert len(words.page_names) == (2 if name == "paddleocr_2.json" else 1)  # the second is blank
    assert any("divided at its spaces" in note for note in sentences(words))


def test_easyocr_without_confidences(tmp_path):
    path = tmp_path / "p.json"
    box = [[0, 0], [1, 0], [1, 1], [0, 1]]
    path.write_text(json.dumps([[box, "Two words"]]))
    words = read(path)
    assert words.scale is None
    with pytest.raises(NoConfidenceError, match=r"none of the 2 words .*EasyOCR.*paragraph=False"):
        require_confidence(words, path)
    path.write_text(json.dumps([json.dumps({"boxes": box, "text": "a", "confident": 0.5})]))
    assert read(path).confidence.tolist() == [0.5]
    path.write_text("[]")
    assert read(path).page_names == ("p",)


def test_doctr():
    words = read(DATA / "doctr.json")
    assert lines_of(words) == ["Total 12,50", "Thanks"]
    assert words.confidence.tolist() == [0.9912, 0.61, 0.8731]
    assert words.page_names == ("doctr:1", "doctr:2")
    np.testing.assert_array_equal(words.box[0], [0.125, 0.1, 0.375, 0.2])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize(
    "name", ["tesseract.tsv", "tesseract.hocr", "hyphenated_alto.xml", "doctr.json"]
)
def test_encodings(tmp_path, name, encoding):
    text = (DATA / name).read_text(encoding="utf-8")
    if name.endswith(("hocr", "xml")):
        if encoding == "utf-32":
            return  # no browser and few parsers of XML take it
        declared = encoding.removesuffix("-sig").replace("16-le", "16LE")
        text = text.replace('encoding="UTF-8"', f'encoding="{declared}"')
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    assert read(path).text == read(DATA / name).text


def test_a_name_says_nothing_of_a_format(tmp_path):
    for source in DATA.iterdir():
        copy = tmp_path / f"{source.stem}.png"
        copy.write_bytes(source.read_bytes())
        assert read(copy).source == read(source).source


def test_every_format_is_read_in_these_tests():
    assert {read(path).source for path in DATA.iterdir()} == set(FORMATS)


def test_right_to_left_and_chinese_words_stay_in_logical_order(tmp_path):
    texts = ["שלום", "עולם", "123", "مرحبا", "数据，", "東京"]
    rows = [f"5\t1\t1\t1\t1\t{i}\t0\t0\t9\t9\t{90 + i}.5\t{text}" for i, text in enumerate(texts)]
    path = tmp_path / "p.tsv"
    path.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    assert list(read(path).text) == texts


words_of_table = st.lists(
    st.tuples(
        # every character but those that part words and rows; quotation marks stand for themselves
        st.text(
            st.characters(
                exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"], exclude_characters="\u00ad"
            ),
            min_size=1,
            max_size=6,
        )
        | st.sampled_from(['"', '""', "'", '"a', "\\", "NaN", "-1", "5"]),
        st.integers(0, 100_000_000).map(lambda n: n / 1e6),
        st.integers(1, 3),
    ),
    max_size=30,
)


@given(words_of_table, st.sampled_from(["\n", "\r\n"]))
def test_any_words_survive_a_table(tmp_path_factory, outputs, end):
    rows = [HEADER, "1\t1\t0\t0\t0\t0\t0\t0\t100\t50\t-1\t"]
    for line in (1, 2, 3):
        rows.append(f"4\t1\t1\t1\t{line}\t0\t0\t0\t9\t9\t-1\t")
        rows += [
            f"5\t1\t1\t1\t{line}\t{i}\t1\t2\t3\t4\t{confidence:.6f}\t{text}"
            for i, (text, confidence, of_line) in enumerate(outputs)
            if of_line == line
        ]
        rows.append(f"5\t1\t1\t1\t{line}\t99\t0\t0\t9\t9\t95.000000\t ")
    path = tmp_path_factory.getbasetemp() / "table.tsv"
    path.write_bytes((end.join(rows) + end).encode("utf-8"))
    words = read(path)
    expected = [(printed(text), *rest) for text, *rest in sorted(outputs, key=lambda each: each[2])]
    expected = [each for each in expected if each[0]]  # nothing but formatting is no word
    assert list(words.text) == [text for text, _, _ in expected]
    assert words.confidence.tolist() == [float(f"{confidence:.6f}") for _, confidence, _ in expected]
    numbers = np.unique([line for _, _, line in expected], return_inverse=True)[1]
    np.testing.assert_array_equal(words.line, numbers)


def test_confidence_of_what_is_no_word_is_none(tmp_path):
    path = tmp_path / "p.tsv"
    rows = ["5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t-1\ta", "5\t1\t1\t1\t1\t2\t0\t0\t9\t9\t96.5\tb"]
    path.write_text("\n".join([HEADER, *rows]))
    words = read(path)
    np.testing.assert_array_equal(words.confidence, [np.nan, 96.5])
    assert sentences(words) == ["1 word has no confidence"]


ONE_WORD = "5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t{}\ta\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Total 12,50\n", 'line 1: it begins with "Total 12,50"; use a file of one of'),
        ("\x89PNG\r\n", "image; use the text that an engine read from it: Tesseract"),
        ("<svg/>", 'the outermost element is "svg"; use a file of one of these'),
        ('<?xml version="1.0" encoding="Shift_JIS"?><alto/>', "line 1: its encoding cannot be read"),
        ("<alto><Layout>", r"line 1: it is not well-formed XML: Premature end of data"),
        ("<html><body><p>Hello</p></body></html>", "it is HTML without elements of class ocr_page"),
        ('{"pages": 3}', r'it is JSON with the keys \["pages"\]; use a file of one of'),
        ("[1, 2]", r"it is JSON with the value \[1, 2\]"),
        ('{"Blocks": [', r"line 1, column 13: it is not valid JSON: the file ends"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"Blocks": [{"BlockType": 5}]}', r"Blocks\[0\]\.BlockType: found 5, expected a text"),
        ('{"Blocks": {}}', r"_t11/p\.dat: Blocks: found \{\}, expected a list"),
        (
            '{"Blocks": [{"BlockType": "WORD", "Text": "a", "Confidence": "high"}]}',
            r'Blocks\[0\]\.Confidence: found "high", expected a number',
        ),
        (
            '{"Blocks": [{"BlockType": "WORD", "Text": "a", "Confidence": 101}]}',
            r'Blocks\[0\]: the confidence of "a" must be a number from 0 to',
        ),
        (
            '{"rec_texts": ["a", "b"], "rec_scores": [0.5]}',
            r": found \[0\.5\], expected a score for each of the 2 rec_texts",
        ),
        (
            '<alto><Page><TextLine>\n<String CONTENT="a" WC="96"/></TextLine></Page></alto>',
            'line 2, element String: the confidence of "a" must be a',
        ),
        (
            '<alto><Page><TextLine>\n<String CONTENT="a" WC="95%"/></TextLine></Page></alto>',
            'line 2, element String: WC must be a number from 0 to 1, got "95%"',
        ),
        (
            "<PcGts><Page><TextRegion><TextEquiv conf='95%'><Unicode/></TextEquiv></TextRegion></Page>",
            'line 1, element TextEquiv: conf must be a number from 0 to 1, got "95%"',
        ),
        (
            "<html><div class='ocr_page'><b class='ocrx_word' title='x_wconf 95%'>a</b></div></html>",
            'line 1, element b: x_wconf must be a number from 0 to 100, got "95%"',
        ),
        (
            HEADER.replace("\tconf", ""),
            "line 1: the columns must be level, page_num, block_num, par_",
        ),
        (f"{HEADER}\n5\t1\n", "line 2: the row must have 12 fields, got 2"),
        (f"{HEADER}\n{ONE_WORD.format('high')}", 'line 2: conf must be a number, got "high"'),
        (
            f"{HEADER}\n{ONE_WORD.format('-2')}",
            'line 2: the confidence of "a" must be a number from 0 to 100',
        ),
        (
            f"{HEADER}\n{ONE_WORD.format('5').replace('5', '6', 1)}",
            'line 2: level must be a whole number from 1 to 5, got "6"',
        ),
        (f"{HEADER}\n\0\n", ": line 2: it has a zero byte, so it is not text"),
    ],
)
def test_files_that_are_not_what_they_look_like(tmp_path, content, message):
    path = tmp_path / "p.dat"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(OcrFileError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}")


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(OcrFileError, match="no-such-file: it cannot be opened: No such file"):
        read(tmp_path / "no-such-file")
    with pytest.raises(OcrFileError, match="t must be a file"):
        read(tmp_path)
    path = tmp_path / "p.tsv"
    path.write_bytes(HEADER.encode() + b"\n5\t\xff\n")
    with pytest.raises(OcrFileError, match="UTF-8 text; use UTF-8, or UTF-16 with a byte") as caught:
        read(path)
    assert caught.value.place == "line 2"
    assert "`iconv -f cp1252 -t utf-8 p.tsv > utf8-p.tsv` converts" in str(caught.value)
    path.write_text("Beleg;Feld;Wert\n")
    with pytest.raises(
        OcrFileError, match="with the columns document, field, prediction and confidence"
    ):
        read(path)


BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE alto [
 <!ENTITY a "laugh"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<alto><Page><TextLine><String CONTENT="&c;" WC="0.5"/></TextLine></Page></alto>"""

EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE html [ <!ENTITY secret SYSTEM "{}"> ]>
<html><div class="ocr_page"><span class="ocrx_word" title="x_wconf 5">&secret;</span></div></html>"""


@pytest.mark.parametrize("reader", [read, read_truth])
def test_xml_cannot_blow_up_or_draw_in_other_files(tmp_path, reader):
    secret, path = tmp_path / "secret.txt", tmp_path / "p.xml"
    secret.write_text("secret")
    for content in (BILLION_LAUGHS, EXTERNAL.format(secret.as_uri())):
        path.write_text(content)
        with pytest.raises(OcrFileError, match="line 2: the document type has its own") as caught:
            reader(path)
        assert "encoding" not in str(caught.value)


ALTO = '<alto><Page><TextLine><String CONTENT="a"/></TextLine></Page></alto>'
PAGE = (
    "<PcGts><Page><TextRegion><TextEquiv><Unicode>a</Unicode></TextEquiv></TextRegion></Page></PcGts>"
)
HOCR = '<html><body><div class="ocr_page"><span class="ocrx_word">a</span></div></body></html>'
XHTML = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/x.dtd">'


@pytest.mark.parametrize("reader", [read, read_truth])
@pytest.mark.parametrize(
    ("doctype", "content", "named"),
    [
        ('<!DOCTYPE alto SYSTEM "file:///missing.dtd">', ALTO, "file:///missing.dtd"),
        ('<!DOCTYPE alto PUBLIC "-//LOC//ALTO" "http://loc/alto.dtd">', ALTO, "http://loc/alto.dtd"),
        ('<!DOCTYPE PcGts SYSTEM "page.dtd">', PAGE, "page.dtd"),
        ('<!DOCTYPE html SYSTEM "html.dtd">', HOCR, "html.dtd"),
        (XHTML, ALTO, "http://www.w3.org/x.dtd"),
    ],
)
def test_document_types_from_elsewhere_are_refused(tmp_path, reader, doctype, content, named):
    path = tmp_path / "p.xml"
    path.write_text(f"<?xml version='1.0'?>\n{doctype}\n{content}")
    with pytest.raises(OcrFileError, match="the document type is declared in another file") as caught:
        reader(path)
    assert f'"{named}"' in str(caught.value)
    assert "line " in caught.value.place


@pytest.mark.parametrize(
    "doctype", [XHTML, '<!DOCTYPE html SYSTEM "about:legacy-compat">', "<!DOCTYPE html>"]
)
def test_hocr_may_say_that_it_is_html(tmp_path, doctype):
    path = tmp_path / "p.hocr"
    path.write_text(f"<?xml version='1.0'?>\n{doctype}\n{HOCR}")
    assert read(path).text == read_truth(path).text == ("a",)


def test_xml_without_lxml(monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(ModuleNotFoundError, match=r'needs lxml; .*"\.\[ocr\]"') as caught:
        read(DATA / "page.xml")
    assert caught.value.name == "lxml"
    assert len(read(DATA / "doctr.json")) == 3


def test_a_book_is_never_in_memory_as_a_whole(tmp_path):
    path = tmp_path / "book.xml"
    page = "<Page><TextLine>" + '<String WC="0.96" CONTENT="word"/>' * 20 + "</TextLine></Page>"
    path.write_text(f"<alto><Layout>{page * 50}</Layout></alto>")
    nodes = [sum(1 for _ in page.getroottree().iter()) for page in elements(open_file(path), ("Page",))]
    assert len(nodes) == 50
    # the parser is some kilobytes ahead of the page that it hands out; pages behind it are gone
    assert max(nodes[40:]) < 1_000
    assert len(read(path)) == 1_000
