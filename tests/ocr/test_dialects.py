"""What engines, services and tools write beside what their formats say."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from fastarac.ocr import OcrFileError, align_files, pair_files, read, read_fields, read_truth
from fastarac.ocr.readers.tesseract_tsv import COLUMNS

DATA = Path(__file__).parent / "data"
PAGE_SPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
ALTO_SPACE = "http://www.loc.gov/standards/alto/ns-v4#"


def notes(words):
    return [str(note) for note in words.notes]


def written(tmp_path, content, name="p.xml"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ------------------------------------------------------------------------- order inside a line

LOGICAL = ["bereshit", "bara", "elohim"]


def line_of_page(tmp_path, *, numbered, text, confidence=""):
    words = "".join(
        f"""<Word {f'custom="readingOrder {{index:{i};}}"' if numbered else ""}>
        <TextEquiv conf="0.{9 - i}"><Unicode>{LOGICAL[i]}</Unicode></TextEquiv></Word>"""
        for i in (1, 0, 2)
    )
    own = f"<TextEquiv {confidence}><Unicode>{text}</Unicode></TextEquiv>" if text else ""
    return written(
        tmp_path,
        f'<PcGts xmlns="{PAGE_SPACE}"><Page><TextRegion id="r"><TextLine id="l">{words}{own}</TextLine>'
        "</TextRegion></Page></PcGts>",
    )


class TestOrderInsideALine:
    @pytest.mark.parametrize("level", ["auto", "line"])
    @pytest.mark.parametrize("confidence", ["", 'conf="0.5"'])
    def test_numbers_of_words_stand_where_the_text_is_in_visual_order(
        self, tmp_path, level, confidence
    ):
        path = line_of_page(tmp_path, numbered=True, text="elohim bara bereshit", confidence=confidence)
        words = read(path, level=level)
        assert list(words.text) == LOGICAL
        by_line = level == "line" and confidence
        np.testing.assert_allclose(words.confidence, [0.5] * 3 if by_line else [0.9, 0.8, 0.7])
        assert (
            "1 line has its words in an order that differs from its text: the numbers"
            in notes(words)[0]
        )

    def test_truth_likewise(self, tmp_path):
        truth = read_truth(line_of_page(tmp_path, numbered=True, text="elohim bara bereshit"))
        assert list(truth.text) == LOGICAL
        assert any("1 line of the truth has its words in an order" in note for note in notes(truth))

    def test_numbers_stand_where_the_line_has_no_text(self, tmp_path):
        words = read(line_of_page(tmp_path, numbered=True, text=""))
        assert list(words.text) == LOGICAL
        assert not words.notes

    def test_the_text_gives_the_order_where_nothing_numbers_the_words(self, tmp_path):
        words = read(line_of_page(tmp_path, numbered=False, text="bereshit bara elohim"))
        assert list(words.text) == LOGICAL
        assert "the order of the text is used" in notes(words)[0]

    def test_nothing_is_said_where_they_agree(self, tmp_path):
        assert not read(line_of_page(tmp_path, numbered=True, text="bereshit bara elohim")).notes


# --------------------------------------------------------------------------------------- hOCR


def hocr(tmp_path, inside, *, line="bbox 0 0 9 9", system="tesseract 5.3.0"):
    return written(
        tmp_path,
        f"""<html xmlns="http://www.w3.org/1999/xhtml"><head>
        <meta name="ocr-system" content="{system}"/></head>
        <body><div class="ocr_page" title="bbox 0 0 600 800">
        <span class="ocr_line" title="{line}">{inside}</span></div></body></html>""",
        "p.hocr",
    )


def hocr_word(text, title="bbox 1 2 3 4; x_wconf 90", kind="ocrx_word"):
    return f'<span class="{kind}" title="{title}">{text}</span> '


class TestHocr:
    def test_other_readings_are_no_text(self, tmp_path):
        choice = """<span class="alternatives"> <ins class="alt" title="nlp 0.3">alpha</ins>
            <ins class="alt">alfa</ins> <del class="alt" title="nlp 0.9">alqha</del> </span>"""
        words = read(hocr(tmp_path, hocr_word(choice) + hocr_word("b<del>e</del>ta")))
        assert words.text == ("alpha", "bta")

    def test_words_of_another_reading_are_none(self, tmp_path):
        inside = f"""<span class="alternatives">
            <ins class="alt">{hocr_word("in")}{hocr_word("side")}</ins>
            <del class="alt">{hocr_word("inside")}</del></span> {hocr_word("out")}"""
        assert read(hocr(tmp_path, inside)).text == ("in", "side", "out")

    def test_a_box_that_a_comma_ends_and_confidences_of_characters(self, tmp_path):
        title = "bbox 1 2 3 4, x_confs 0.99 0.5 0.98"
        others = hocr_word(" ", title) + hocr_word("d", "bbox 1 2 3 4, x_confs 1.0")
        words = read(hocr(tmp_path, hocr_word("abc", title) + others))
        np.testing.assert_allclose(words.confidence, [50, 100])
        assert words.box[0].tolist() == [1, 2, 3, 4]
        assert any("read as 0 to 100%" in note for note in notes(words))
        assert any(
            "2 words have confidences for their characters only" in note for note in notes(words)
        )

    @pytest.mark.parametrize("name", ["x_conf", "x_wconf"])
    @pytest.mark.parametrize("kind", ["ocrx_word", "ocr_word"])
    def test_names_of_the_confidence_and_of_words(self, tmp_path, name, kind):
        inside = hocr_word("alpha", f"bbox 1 2 3 4; {name} 90.5", kind) + hocr_word(
            "b", f"{name} 12", kind
        )
        words = read(hocr(tmp_path, inside))
        assert (words.text, words.confidence.tolist()) == (("alpha", "b"), [90.5, 12])
        assert not words.notes

    def test_words_inside_words_count_once(self, tmp_path):
        inside = hocr_word(hocr_word("alpha").strip(), "bbox 1 2 3 4", "ocr_word")
        assert read(hocr(tmp_path, inside)).text == ("alpha",)

    def test_confidences_of_lines(self, tmp_path):
        inside = hocr_word("alpha", "bbox 1 2 3 4") + hocr_word("beta", "bbox 1 2 3 4; x_wconf 30")
        words = read(hocr(tmp_path, inside, line="bbox 0 0 9 9; x_wconf 70"))
        assert words.confidence.tolist() == [70, 30]
        assert (
            "1 word has no confidence of its own and gets the confidence of its line" in notes(words)[0]
        )

    def test_percents_of_bad_pages_stay(self, tmp_path):
        words = read(hocr(tmp_path, hocr_word("a", "x_wconf 1") + hocr_word("b", "x_wconf 0")))
        assert words.confidence.tolist() == [1, 0]

    def test_what_is_no_number_is_named(self, tmp_path):
        with pytest.raises(OcrFileError, match=': x_confs must be a number from 0 to 100, got "high"'):
            read(hocr(tmp_path, hocr_word("a", "x_confs high")))


# --------------------------------------------------------------------------------------- ALTO


def alto(tmp_path, *lines, software="ACME", declared="UTF-8"):
    lines = "".join(f"<TextLine>{line}</TextLine>" for line in lines)
    return written(
        tmp_path,
        f"""<?xml version="1.0" encoding="{declared}"?>
        <alto xmlns="{ALTO_SPACE}"><Description><OCRProcessing>
        <ocrProcessingStep><processingSoftware><softwareName>{software}</softwareName></processingSoftware>
        </ocrProcessingStep></OCRProcessing></Description><Layout><Page><PrintSpace><TextBlock>{lines}
        </TextBlock></PrintSpace></Page></Layout></alto>""",
    )


def string(text, confidence, attributes=""):
    return f'<String CONTENT="{text}" WC="{confidence}" {attributes}/><SP/>'


def part(text, number, whole):
    return string(text, 0.9, f'SUBS_TYPE="HypPart{number}" {whole and f"""SUBS_CONTENT="{whole}" """}')[
        :-5
    ]


class TestAlto:
    @pytest.mark.parametrize(
        ("text", "hyphen", "expected"),
        [
            ("rail-", "-", "rail-"),
            ("rail", "-", "rail-"),
            ("rail\u00ac", "-", "rail\u00ac"),
            ("rail", "", "rail"),
        ],
    )
    def test_one_hyphen(self, tmp_path, text, hyphen, expected):
        path = alto(tmp_path, string(text, 0.9)[:-5] + f'<HYP CONTENT="{hyphen}"/>', string("way", 0.8))
        assert read(path).text == (expected, "way")

    @pytest.mark.parametrize(
        ("wholes", "expected"),
        [
            (("Fontanes", "Victor-Hugo"), ("Fon-", "Hugo")),
            (("Fontanes", "Fontanes"), ("Fontanes",)),
            (("Fontanes", ""), ("Fontanes",)),
            (("", ""), ("FonHugo",)),
        ],
    )
    def test_parts_of_different_words_do_not_join(self, tmp_path, wholes, expected):
        first = part("Fon", 1, wholes[0]) + '<HYP CONTENT="-"/>'
        words = read(alto(tmp_path, first, part("Hugo", 2, wholes[1])))
        assert words.text == expected
        assert ("2 parts of divided words have no other part" in str(notes(words))) == (
            len(expected) == 2
        )

    def test_a_hyphen_in_the_first_part_is_none_of_the_word(self, tmp_path):
        assert read(alto(tmp_path, part("rail-", 1, ""), part("way", 2, ""))).text == ("railway",)

    @pytest.mark.parametrize("name", ["ISO-8859-1", "windows-1252"])
    def test_a_declaration_that_the_bytes_contradict(self, tmp_path, name):
        words = read(alto(tmp_path, string("Müller", 0.9), declared=name))
        assert words.text == ("Müller".encode().decode("cp1252"),)
        assert f"1 file declares {name.upper()}, but its bytes are valid UTF-8" in notes(words)[-1]
        assert not read(alto(tmp_path, string("Muller", 0.9), declared=name)).notes
        really = alto(tmp_path, string("Müller", 0.9), declared=name).read_text().encode("latin-1")
        words = read(written(tmp_path, really))
        assert (words.text, words.notes) == (("Müller",), ())

    @pytest.mark.parametrize(
        ("confidences", "expected"),
        [
            # many below 10%, none 10, 20, …: they are what they say
            (["0.9", "0.96", "0.5", "0.8", "0.95"], [0.9, 0.96, 0.5, 0.8, 0.95]),
            # nobody but who writes digits writes the zero
            (["0.9", "0.90", "0.5", "0.8", "0.95"], [0.09, 0.9, 0.05, 0.08, 0.95]),
            (["0.9", "0.96", "0.5", "0.100", "0.95"], [0.09, 0.96, 0.05, 1, 0.95]),
        ],
    )
    def test_digits_are_told_by_what_is_written(self, tmp_path, confidences, expected):
        line = "".join(string("word", each) for each in confidences)
        words = read(alto(tmp_path, line, software="tesseract 5.5.3"))
        np.testing.assert_allclose(words.confidence, expected)


# --------------------------------------------------------------------------------------- PAGE


def page_word(text, points="0,0 9,9", confidence="", glyphs=()):
    inside = "".join(
        f'<Glyph><TextEquiv conf="{each}"><Unicode>x</Unicode></TextEquiv></Glyph>' for each in glyphs
    )
    reading = f"<TextEquiv {confidence}><Unicode>{text}</Unicode></TextEquiv>"
    return f'<Word><Coords points="{points}"/>{inside}{reading}</Word>'


def page(tmp_path, *words, line=""):
    return written(
        tmp_path,
        f'<PcGts xmlns="{PAGE_SPACE}"><Page><TextRegion id="r"><TextLine>{"".join(words)}{line}'
        "</TextLine></TextRegion></Page></PcGts>",
    )


class TestPage:
    LINE = '<TextEquiv conf="0.7"><Unicode>alpha beta</Unicode></TextEquiv>'

    def test_words_take_the_confidence_of_their_line(self, tmp_path):
        words = read(page(tmp_path, page_word("alpha"), page_word("beta"), line=self.LINE))
        assert words.confidence.tolist() == [0.7, 0.7]
        assert (
            "2 words have no confidence of their own and get the confidence of their line"
            in notes(words)[0]
        )

    def test_words_that_have_confidences_in_part_keep_them(self, tmp_path):
        words = read(
            page(
                tmp_path, page_word("alpha", confidence='conf="0.9"'), page_word("beta"), line=self.LINE
            )
        )
        np.testing.assert_array_equal(words.confidence, [0.9, np.nan])

    def test_words_take_the_lowest_confidence_of_their_glyphs(self, tmp_path):
        words = read(page(tmp_path, page_word("ab", glyphs=(0.8, 0.6)), page_word("c", glyphs=(0.9,))))
        assert words.confidence.tolist() == [0.6, 0.9]
        assert "2 words have confidences for their glyphs only: the lowest" in notes(words)[0]

    @pytest.mark.parametrize("points", [", , ,", "", " "])
    def test_blank_coordinates_are_none(self, tmp_path, points):
        path = page(tmp_path, page_word("alpha", points, 'conf="0.9"'))
        words = read(path)
        assert np.isnan(words.box).all()
        assert ("blank coordinates" in str(notes(words))) == ("," in points)
        assert read_truth(path).text == ("alpha",)

    def test_coordinates_are_no_matter_in_a_truth(self, tmp_path):
        path = page(tmp_path, page_word("alpha", "1,2 3"))
        assert read_truth(path).text == ("alpha",)
        with pytest.raises(OcrFileError, match='points must be pairs such as 10,20, got "1,2 3"'):
            read(path)


# --------------------------------------------------------------------------- tables and names


class TestTables:
    WORDS = ('say "x"', '"Hello"', '"', "plain")

    def table(self, tmp_path, texts):
        rows = ["\t".join(COLUMNS)]
        rows += ["\t".join([*"51111", "1", "0", "0", "9", "9", "90", text]) for text in texts]
        return written(tmp_path, "\n".join(rows), "p.tsv")

    def test_that_pandas_wrote_again(self, tmp_path):
        quoted = [
            f'"{text.replace(chr(34), chr(34) * 2)}"' if '"' in text else text for text in self.WORDS
        ]
        words = read(self.table(tmp_path, quoted))
        assert words.text == ("say", '"x"', '"Hello"', '"', "plain")
        assert "3 texts are quoted" in str(notes(words))

    @pytest.mark.parametrize("texts", [WORDS[1:], ('"', '""', '"a'), ('""a""', "b")])
    def test_marks_of_tesseract_are_text(self, tmp_path, texts):
        words = read(self.table(tmp_path, texts))
        assert words.text == texts
        assert not words.notes


class TestNames:
    def files(self, tmp_path, folder, *names):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text("x")
        return tmp_path / folder

    def test_dots_and_mixed_endings(self, tmp_path):
        truth = self.files(tmp_path, "truth", "r420.1984.gt.txt", "r420.1985.gt.txt")
        output = self.files(tmp_path, "output", "r420.1984.tsv", "r420.1985.hocr")
        pairs = pair_files(truth, output).pairs
        assert [(pair.name, pair.output.name) for pair in pairs] == [
            ("r420.1984", "r420.1984.tsv"),
            ("r420.1985", "r420.1985.hocr"),
        ]

    def test_accents_of_either_kind(self, tmp_path):
        name = "Über.txt"
        truth = self.files(tmp_path, "truth", unicodedata.normalize("NFC", name), "b.txt")
        output = self.files(tmp_path, "output", unicodedata.normalize("NFD", name), "b.txt")
        assert [pair.name for pair in pair_files(truth, output).pairs] == ["b", "Über"]


# ---------------------------------------------------------------- what programs keep of engines


class TestFormatsOfPrograms:
    @pytest.mark.parametrize(
        ("name", "scale", "confidences"),
        [
            ("rekognition.json", "percent", [99.12, 61, 87.31]),
            ("textract_expense.json", "percent", [99.12, 61, 87.31]),
            ("pytesseract.json", "percent", [99.12, 61, 87.31]),
            ("tesseract_js.json", "percent", [99.12, 61, 87.31]),
            ("abbyy.xml", "percent", [97, 61, 87]),
            ("azure_content_understanding.json", "unit", [0.9912, 0.61, 0.8731]),
            ("surya.json", "unit", [0.9912, 0.61, 0.8731]),
            ("doctr_kie.json", "unit", [0.9912, 0.61, 0.8731]),
        ],
    )
    def test_words(self, name, scale, confidences):
        words = read(DATA / name)
        assert words.text == ("Total", "12,50", "Thanks")
        assert words.confidence.tolist() == confidences
        assert (words.unit, words.scale) == ("word", scale)
        assert not np.isnan(words.box[:1]).any() or name == "textract_expense.json"
        assert len(words.page_names) == 1

    @pytest.mark.parametrize(
        ("name", "confidences"),
        [
            ("paddleocr_structure_3.json", [0.9912, 0.8731]),
            ("paddleocr_served.json", [0.9912, 0.8731]),
            ("paddleocr_structure_2.json", [0.9912, 0.8731]),
            ("docling.json", [0.9912, 0.8731]),
            ("apple_vision.json", [1.0, 0.5]),
        ],
    )
    def test_lines(self, name, confidences):
        words = read(DATA / name)
        assert words.text == ("Total", "12,50", "Thanks")
        assert words.confidence.tolist() == [confidences[0], *confidences]
        assert (words.unit, words.scale) == ("line", "unit")
        if name == "apple_vision.json":  # from the bottom
            np.testing.assert_allclose(words.box[0], [0.1, 0.1, 0.9, 0.4])
        else:
            np.testing.assert_array_equal(words.box[0], [10, 10, 90, 40])
        assert any("table has its text as HTML" in note for note in notes(words)) == ("2" in name)

    def test_lists_of_texts(self, tmp_path):
        words = read(written(tmp_path, json.dumps([[["alpha beta", 0.97]], [["c", 0.5]]])))
        assert (words.text, len(words.page_names)) == (("alpha", "beta", "c"), 2)
        words = read(written(tmp_path, json.dumps([["alpha", 0.5, [0.1, 0.6, 0.8, 0.3]]])))
        assert (words.source, words.text) == ("apple-vision", ("alpha",))

    def test_a_table_without_a_header(self, tmp_path):
        rows = [
            [1, 1, 0, 0, 0, 0, 0, 0, 100, 200, -1, ""],
            [5, 1, 1, 1, 1, 1, 1, 2, 3, 4, 96.5, "alpha"],
        ]
        text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        words = read(written(tmp_path, text))
        assert (words.text, words.confidence.tolist()) == (("alpha",), [96.5])
        assert words.page_size.tolist() == [[100, 200]]

    def test_variants_of_characters_are_no_text(self, tmp_path):
        text = (DATA / "abbyy.xml").read_text()
        variants = (
            '<charRecVariants><charRecVariant charConfidence="9">O</charRecVariant></charRecVariants>'
        )
        path = written(tmp_path, re.sub(r"(<charParams[^>]*>)o", rf"\1{variants}o", text))
        assert read(path).text == ("Total", "12,50", "Thanks")

    def test_marks_of_doubt(self, tmp_path):
        text = (DATA / "abbyy.xml").read_text()
        text = re.sub(r'charConfidence="61"', 'suspicious="true"', text)
        words = read(written(tmp_path, re.sub(r' charConfidence="\d+"', "", text)))
        assert words.confidence.tolist() == [100, 0, 100]
        assert "marks doubtful characters" in notes(words)[0]
        silent = re.sub(r' (charConfidence|suspicious)="\w+"', "", text)
        assert np.isnan(read(written(tmp_path, silent)).confidence).all()


WORD = {"BlockType": "WORD", "Id": "w", "Text": "alpha", "Confidence": 99}


class TestIncompleteResponses:
    def line(self, *ids):
        related = [{"Type": "CHILD", "Ids": list(ids)}] if ids else []
        return {
            "BlockType": "LINE",
            "Id": "l",
            "Text": "alpha b",
            "Confidence": 9,
            "Relationships": related,
        }

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (
                {"JobStatus": "IN_PROGRESS"},
                r'JobStatus is "IN_PROGRESS"; use the response of a job that',
            ),
            ({"JobStatus": "FAILED", "Blocks": []}, r'JobStatus is "FAILED"'),
            ({"Blocks": [WORD], "NextToken": "x"}, "it has a NextToken"),
            ([{"Blocks": [WORD]}, {"Blocks": [], "NextToken": "x"}], "it has a NextToken"),
            ({"Blocks": [WORD, WORD]}, r'another block has the Id "w"'),
            (
                {"analyzeResult": {"readResults": [{"lines": [{"text": "a"}]}]}},
                "includeTextDetails=true",
            ),
            (
                {
                    "analyzeResult": {
                        "pages": [{"words": [], "lines": [{"content": "a"}]}],
                        "modelId": "m",
                    }
                },
                "a page with its words",
            ),
            (
                {"fullTextAnnotation": {"text": "a", "pages": [{"blocks": []}]}},
                "`pages` with their words",
            ),
            ({"text": "alpha", "pages": [{"lines": []}]}, "no page has tokens; ask for both"),
            ({"data": {"text": "alpha", "confidence": 9, "blocks": None}}, "blocks: true"),
            ({"errorCode": 500, "errorMsg": "full", "logId": "a"}, "answered with an error: full"),
            ({"parsing_res_list": []}, "PaddleOCR-VL, which has no confidences"),
            (
                {"schema_name": "DoclingDocument", "texts": []},
                "Docling's document .* has no confidences",
            ),
        ],
    )
    def test_are_no_empty_pages(self, tmp_path, content, message):
        with pytest.raises(OcrFileError, match=message):
            read(written(tmp_path, json.dumps(content), "p.json"))

    def test_lines_of_textract_whose_words_are_elsewhere(self, tmp_path):
        for line in (self.line("w", "x"), self.line()):
            with pytest.raises(OcrFileError, match="a line whose words are all in the response"):
                read(written(tmp_path, json.dumps({"Blocks": [line, WORD]})))

    def test_fields_of_textract(self, tmp_path):
        content = {"ExpenseDocuments": [], "NextToken": "x"}
        with pytest.raises(OcrFileError, match="it has a NextToken"):
            read_fields(written(tmp_path, json.dumps(content), "p.json"))

    def test_lines_of_textract_alone(self, tmp_path):
        words = read(written(tmp_path, json.dumps({"Blocks": [self.line()]})))
        assert (words.text, words.unit, words.confidence.tolist()) == (("alpha", "b"), "line", [9, 9])

    def test_parts_of_textract_in_one_list(self, tmp_path):
        parts = [{"Blocks": [self.line("w")], "NextToken": "x"}, {"Blocks": [WORD]}]
        assert read(written(tmp_path, json.dumps(parts))).text == ("alpha",)

    def test_blank_pages_of_document_ai(self, tmp_path):
        for content in (
            {
                "mimeType": "image/png",
                "pages": [{"pageNumber": 1, "image": {}, "imageQualityScores": {}}],
            },
            {"text": "", "pages": [{"pageNumber": 1}]},
        ):
            words = read(written(tmp_path, json.dumps(content)))
            assert (words.source, len(words)) == ("google-document-ai", 0)


class TestDigitsOfARun:
    """Whether ``0.9`` is 9% or 90%, all files of a run say together."""

    def folder(self, tmp_path, *pages):
        for name, confidences in zip("ab", pages, strict=True):
            (tmp_path / "out").mkdir(exist_ok=True)
            line = "".join(string("word", each) for each in confidences)
            path = alto(tmp_path, line, software="tesseract 5.5.3")
            path.rename(tmp_path / "out" / f"{name}.xml")
            (tmp_path / "truth").mkdir(exist_ok=True)
            (tmp_path / "truth" / f"{name}.txt").write_text("word " * len(confidences))
        return tmp_path / "truth", tmp_path / "out"

    @pytest.mark.parametrize(
        ("other", "expected"),
        [
            (["0.90", "0.5"], [0.09, 0.96, 0.9, 0.05]),  # the zero of one page
            (["0.05", "0.5"], [0.9, 0.96, 0.05, 0.5]),  # which digits cannot say
            (["1.0", "0.5"], [0.9, 0.96, 1, 0.5]),
            (["0.97", "0.98"], [0.09, 0.96, 0.97, 0.98]),  # nothing: the version
        ],
    )
    def test_evidence_of_one_page_is_of_all(self, tmp_path, other, expected):
        truth, out = self.folder(tmp_path, ["0.9", "0.96"], other)
        aligned = align_files(pair_files(truth, out)).aligned
        np.testing.assert_allclose(aligned.confidence, expected)
