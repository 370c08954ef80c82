"""Tables of words in a format of one's own."""

from __future__ import annotations

import pytest
from commands import detailed, run, settings

from fastarac.io import DataFileError
from fastarac.ocr import PairingError, WordColumns, align_files, pair_files, pair_table

ROWS = "image,word,score,row\nscan/p1.png,alpha beta,0.9,1\nscan/p1.png,gamna,0.4,1\n"
ROWS += "p2,one,0.8,1\np2,two,,2\n"
COLUMNS = WordColumns("word", "score", page="image", line="row")


def files(tmp_path, rows=ROWS, name="w.csv"):
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "p1.gt.txt").write_text("alpha beta gamma")
    (tmp_path / "truth" / "p2.gt.txt").write_text("one two")
    (tmp_path / name).write_text(rows)
    return tmp_path / "truth", tmp_path / name


class TestColumns:
    def test_names(self):
        found = WordColumns.of({"text": "word", "confidence": "score", "scale": "percent"})
        assert found == WordColumns("word", "score", scale="percent")

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"colour": "c"}, "columns must name some of text, confidence, .*, got 'colour'"),
            ({"left": "c"}, "columns must name all of left, top, right and bottom, or none, got left"),
            ({"scale": "c"}, "scale must be 'percent' or 'unit', got 'c'"),
        ],
    )
    def test_what_is_none(self, more, message):
        with pytest.raises(ValueError, match=message):
            WordColumns.of({"text": "a", "confidence": "b"} | more)
        with pytest.raises(ValueError, match="columns must name confidence, too"):
            WordColumns.of({"text": "a"})


class TestTables:
    def test_pages_lines_and_gaps(self, tmp_path):
        engine = align_files(pair_table(*files(tmp_path), COLUMNS))
        assert engine.words.page_names == ("p1", "p2")
        assert engine.words.line.tolist() == [0, 0, 0, 1, 2]
        assert engine.aligned.correct.tolist() == [True, True, False, True, True]
        assert engine.words.scale == "unit"
        notes = " ".join(map(str, engine.words.notes))
        assert "1 output of several words was divided" in notes
        assert "1 word has no confidence" in notes

    def test_the_same_as_a_format(self, tmp_path):
        head = "level page_num block_num par_num line_num word_num left top width height conf text"
        tsv = [
            head.replace(" ", "\t"),
            "5\t1\t1\t1\t1\t1\t1\t2\t3\t4\t90\talpha",
        ]
        (tmp_path / "a.tsv").write_text("\n".join(tsv))
        (tmp_path / "a.txt").write_text("alpha")
        (tmp_path / "a.csv").write_text("t,c,l,o,r,b\nalpha,90,1,2,4,6\n")
        columns = WordColumns("t", "c", left="l", top="o", right="r", bottom="b", scale="percent")
        mine = align_files(pair_table(tmp_path / "a.txt", tmp_path / "a.csv", columns)).words
        theirs = align_files(pair_files(tmp_path / "a.txt", tmp_path / "a.tsv")).words
        assert mine.text == theirs.text
        assert mine.box.tolist() == theirs.box.tolist()
        assert (mine.scale, mine.confidence.tolist()) == (theirs.scale, theirs.confidence.tolist())

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (
                ROWS.replace("0.4", "high"),
                'row 2 .*column "score" holds "high"; expected a finite',
            ),
            (ROWS.replace("score", "s"), 'no column "score"'),
            (
                ROWS.replace("0.4", "-0.4"),
                r"row 2: the confidence must be a number from 0 to 1, got -0\.4",
            ),
            (ROWS.replace("p2,two", ",two"), 'column "image" is empty; expected a name'),
            ("image,word,score,row\n", "has no rows"),
        ],
    )
    def test_what_is_wrong_is_named(self, tmp_path, rows, message):
        with pytest.raises(DataFileError, match=message):
            pair_table(*files(tmp_path, rows), COLUMNS)

    def test_names_that_differ(self, tmp_path):
        with pytest.raises(PairingError, match=r"without a file of truth: p3; files of truth .*: p2"):
            pair_table(*files(tmp_path, ROWS.replace("p2", "p3")), COLUMNS)

    def test_command(self, tmp_path):
        truth, table = files(tmp_path)
        columns = settings(tmp_path, 'columns = {text = "word", confidence = "score", page = "image"}')
        done = detailed("ocr", truth, table, *columns)
        assert "4.3%" in done.output
        refused = run("ocr", truth, table, *settings(tmp_path, 'columns.text = "word"'), code=2)
        assert "columns must name confidence, too" in refused.output
