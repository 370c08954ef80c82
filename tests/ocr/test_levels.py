"""Levels of text, reading orders and formatting characters in PAGE, ALTO and hOCR."""

from __future__ import annotations

import itertools
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr import align_files, pair_files, read, read_truth
from fastarac.ocr.readers._builder import NO_BOX
from fastarac.ocr.readers._levels import WordPart, regrouped
from fastarac.ocr.readers.tesseract_tsv import COLUMNS
from fastarac.ocr.words.folding import printed

NAN = np.nan
PAGE_SPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"


def equiv(text, confidence=None):
    said = "" if confidence is None else f' conf="{confidence}"'
    return f"<TextEquiv{said}><Unicode>{text}</Unicode></TextEquiv>"


def word(text, confidence=None):
    return f"<Word>{equiv(text, confidence)}</Word>"


def line(text, *words, attributes=""):
    return f"<TextLine {attributes}>{''.join(words)}{equiv(text) if text else ''}</TextLine>"


def region(name, *inside, text="", kind="TextRegion", attributes=""):
    own = equiv(text) if text else ""
    return f'<{kind} id="{name}" {attributes}>{"".join(inside)}{own}</{kind}>'


def page(tmp_path, *regions, order=""):
    path = tmp_path / "p.xml"
    order = f"<ReadingOrder>{order}</ReadingOrder>" if order else ""
    path.write_text(
        f'<PcGts xmlns="{PAGE_SPACE}"><Page>{order}{"".join(regions)}</Page></PcGts>',
        encoding="utf-8",
    )
    return path


def sentences(words):
    return [str(note) for note in words.notes]


# ------------------------------------------------------------------------- a line and its words


def marks_apart(tmp_path):
    """Return a page whose punctuation marks are words of their own, as ground truths have them."""
    words = [("Ja", 0.9), (",", 0.2), ("„", 0.6), ("gern", 0.8), ("“", 0.7), (".", 0.5)]
    parts = [word(text, confidence) for text, confidence in words]
    return page(tmp_path, region("r", line("Ja, „gern“.", *parts)))


def test_marks_that_are_words_of_their_own_are_put_together(tmp_path):
    path = marks_apart(tmp_path)
    words = read(path)
    assert words.text == ("Ja,", "„gern“.")
    assert words.confidence.tolist() == [0.2, 0.5]
    assert sentences(words)[0].startswith(
        "4 parts of words are separate from the rest: they are joined"
    )
    assert read_truth(path).text == words.text
    assert read(path, level="word").text == ("Ja", ",", "„", "gern", "“", ".")
    by_line = read(path, level="line")
    assert by_line.text == words.text
    assert by_line.confidence.tolist() == [0.2, 0.5]


def test_where_a_line_differs_from_its_words(tmp_path):
    path = page(tmp_path, region("r", line("vom Hofe", word("von", 0.9), word("Hofe", 0.8))))
    words, truth = read(path), read_truth(path)
    assert words.text == ("von", "Hofe")
    assert truth.text == ("vom", "Hofe")
    assert sentences(words) == [
        "1 line has a text that differs from its words by more than spaces: the words are used"
    ]
    said = "1 line of the truth has a text that differs from its words by more than spaces: that text"
    assert sentences(truth) == [f"{said} is used"]
    assert read_truth(path, level="word").text == ("von", "Hofe")
    assert read(path, level="line").text == ("vom", "Hofe")
    with pytest.raises(ValueError, match="level must be one of auto, region, line, word, got 'glyph'"):
        read(path, level="glyph")


def test_words_in_another_order_than_in_their_line(tmp_path):
    parts = word("in", 0.1), word("ihr", 0.2), word("sie", 0.3)
    words = read(page(tmp_path, region("r", line("sie in ihr", *parts))))
    assert words.text == ("sie", "in", "ihr")
    assert words.confidence.tolist() == [0.3, 0.1, 0.2]


def test_the_text_of_a_region(tmp_path):
    lines = line("one two", word("one", 0.9), word("two", 0.9)), line("three", word("three", 0.8))
    path = page(tmp_path, region("r", *lines, text="uno due\ntre"))
    assert read_truth(path, level="region").text == ("uno", "due", "tre")
    assert read_truth(path).text == ("one", "two", "three")
    blank = page(tmp_path, region("r", line("", word("")), line(""), text="uno due\ntre"))
    truth = read_truth(blank)  # lines without any text
    assert truth.text == ("uno", "due", "tre")
    assert truth.line.tolist() == [0, 0, 1]


def test_what_is_known_of_the_truth_is_said_with_the_engine(tmp_path):
    for folder in ("truth", "ocr"):
        (tmp_path / folder).mkdir()
    page(tmp_path / "truth", region("r", line("vom Hofe", word("von"), word("Hofe"))))
    page(tmp_path / "ocr", region("r", line("", word("vom", 0.9), word("Hofe", 0.8))))
    pairing = pair_files(tmp_path / "truth", tmp_path / "ocr")
    engine = align_files(pairing)
    assert engine.aligned.correct.all()
    assert any("of the truth has a text that differs" in each for each in sentences(engine.words))
    assert align_files(pairing, level="word").aligned.correct.tolist() == [False, True]
    with pytest.raises(ValueError, match=", got 'lines'"):
        align_files(pairing, level="lines")


letters = st.text("abc.,", min_size=1, max_size=5)


@given(st.lists(letters, min_size=1, max_size=6), st.data())
def test_regrouped_words_have_the_letters_and_the_least_confidence(words, data):
    """Against a look at each letter: every cut of the letters into parts gives the line's words."""
    text = " ".join(words)
    whole = "".join(words)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(whole) - 1)))) | {0, len(whole)})
    pieces = [whole[a:b] for a, b in itertools.pairwise(cuts)]
    confidences = data.draw(
        st.lists(st.sampled_from([0.1, 0.5, 0.9, NAN]), min_size=len(pieces), max_size=len(pieces))
    )
    parts = [WordPart(*each, NO_BOX, 0) for each in zip(pieces, confidences, strict=True)]
    found = regrouped(parts, text)
    if sorted(pieces) == sorted(words):
        return
    assert [part.text for part in found] == words
    of_letter = [c for piece, c in zip(pieces, confidences, strict=True) for _ in piece]
    for part in found:
        own, of_letter = of_letter[: len(part.text)], of_letter[len(part.text) :]
        np.testing.assert_equal(part.confidence, NAN if any(c != c for c in own) else min(own))
    assert regrouped(parts, text + "x") is None


# -------------------------------------------------------------------------------- reading order


@st.composite
def groups(draw, names):
    """Draw a group that refers to regions, and may hold groups: its XML, and the order it means."""
    names = list(names)
    ordered = draw(st.booleans())
    members = []
    while names:
        n = draw(st.integers(1, len(names)))
        taken, names = names[:n], names[n:]
        if n > 1 and draw(st.booleans()):
            members.append(draw(groups(taken)))
        else:
            members += [(f'<{{}} regionRef="{name}" {{}}/>', [name]) for name in taken]
    shown = []
    for index, (xml, _) in enumerate(members):
        kind = "RegionRefIndexed" if ordered else "RegionRef"
        shown.append(xml.format(kind, f'index="{3 * index}"' if ordered else ""))
    if ordered:
        shown = draw(st.permutations(shown))
    kind = "OrderedGroup" if ordered else "UnorderedGroup"
    means = [name for _, each in members for name in each]
    # as a member it gets an index of its own
    return f"<{kind} {{1}}>{''.join(shown)}</{kind}>".replace("{}", ""), means


@given(st.permutations([f"r{i}" for i in range(7)]), st.data())
def test_regions_in_the_order_of_nested_groups(tmp_path_factory, order, data):
    named = order[: data.draw(st.integers(1, 7))]
    xml, means = data.draw(groups(named))
    regions = [region(f"r{i}", line(f"t{i}")) for i in range(7)]
    path = page(tmp_path_factory.getbasetemp(), *regions, order=xml.format("", ""))
    rest = [f"r{i}" for i in range(7) if f"r{i}" not in named]
    assert [text.replace("t", "r") for text in read_truth(path).text] == [*means, *rest]


def test_regions_inside_a_table_in_the_order_that_refers_to_them(tmp_path):
    cells = [region(name, line(name)) for name in "abc"]
    table = region("t", *cells, kind="TableRegion")
    order = (
        '<OrderedGroup><RegionRefIndexed index="1" regionRef="x"/>'
        '<OrderedGroupIndexed index="2" regionRef="t"><RegionRefIndexed index="1" regionRef="a"/>'
        '<RegionRefIndexed index="0" regionRef="c"/></OrderedGroupIndexed></OrderedGroup>'
    )
    path = page(tmp_path, table, region("x", line("x")), order=order)
    assert read_truth(path).text == ("x", "c", "a", "b")


@pytest.mark.parametrize("kind", ["TableCellRole", "TableCell"])
def test_cells_that_nothing_orders_come_row_by_row(tmp_path, kind):
    places = {"d": (1, 1), "a": (0, 0), "c": (1, 0), "b": (0, 1)}
    if kind == "TableCell":
        cells = [
            region(name, line(name), kind=kind, attributes=f'row="{row}" col="{column}"')
            for name, (row, column) in places.items()
        ]
    else:
        role = '<Roles><TableCellRole rowIndex="{}" columnIndex="{}"/></Roles>'
        cells = [region(name, role.format(*at), line(name)) for name, at in places.items()]
    path = page(tmp_path, region("t", *cells, kind="TableRegion"))
    assert read_truth(path).text == ("a", "b", "c", "d")


def test_lines_in_the_order_that_they_or_their_region_say(tmp_path):
    def lines(order, attributes):
        return [line(text, attributes=attributes.format(i)) for i, text in order]

    order = [(2, "third"), (0, "first"), (1, "second")]
    for attributes in ('index="{}"', 'custom="readingOrder {{index:{};}}"'):
        path = page(tmp_path, region("r", *lines(order, attributes)))
        assert read_truth(path).text == ("first", "second", "third")
    own = "first\nsecnd\nthird"  # corrected in the lines alone
    truth = read_truth(page(tmp_path, region("r", *lines(order, ""), text=own)))
    assert truth.text == ("first", "second", "third")
    assert sentences(truth)[0].startswith(
        "1 line comes after a line that follows it in the text of its"
    )
    other = "something\nelse\naltogether"
    truth = read_truth(page(tmp_path, region("r", *lines(order, ""), text=other)))
    assert truth.text == ("third", "first", "second")


def test_regions_of_transkribus_without_a_reading_order(tmp_path):
    regions = [
        region(name, line(name), attributes=f'custom="readingOrder {{index:{i};}}"')
        for name, i in (("b", 1), ("a", 0))
    ]
    assert read_truth(page(tmp_path, *regions)).text == ("a", "b")


def test_page_of_2010_with_lines_alone(tmp_path):
    path = tmp_path / "p.page.xml"
    points = '<Point x="30" y="5"/><Point x="10" y="20"/>'
    path.write_text(
        '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2010-03-19"><Page>'
        f"<TextRegion><TextLine><Coords>{points}</Coords>"
        '<TextEquiv conf="0.5"><Unicode>Two words</Unicode></TextEquiv>'
        "</TextLine></TextRegion></Page></PcGts>"
    )
    words = read(path)
    assert (words.unit, words.confidence.tolist()) == ("line", [0.5, 0.5])
    np.testing.assert_array_equal(words.box[1], [10, 5, 30, 20])
    assert sentences(words) == [
        "1 line of several words was divided at its spaces: each word has the confidence of the line",
    ]


# --------------------------------------------------------------------------------- ALTO and hOCR


def alto(tmp_path, blocks, order=""):
    path = tmp_path / "p.xml"
    path.write_text(f"<alto>{order}<Layout><Page>{blocks}</Page></Layout></alto>", encoding="utf-8")
    return path


def test_strings_of_alto_without_a_space_between_them(tmp_path):
    def string(text, confidence):
        return f'<String CONTENT="{text}" WC="{confidence}"/>'

    strings = string("„", 0.9) + string("Ja", 0.8) + string(",", 0.7) + "<SP/>" + string("e", 0.6)
    path = alto(tmp_path, f"<TextBlock><TextLine>{strings}{string('t', 0.5)}</TextLine></TextBlock>")
    words = read(path)
    # two letters without a space may be two words whose space was left out
    assert words.text == ("„Ja,", "e", "t")
    assert words.confidence.tolist() == [0.7, 0.6, 0.5]
    assert read(path, level="line").text == ("„Ja,", "et")
    assert read(path, level="word").text == ("„", "Ja", ",", "e", "t")
    path = alto(tmp_path, f"<TextBlock><TextLine>{strings.replace('<SP/>', '')}</TextLine></TextBlock>")
    assert read(path).text == ("„", "Ja", ",", "e")  # a file without spaces


def test_reading_order_of_alto(tmp_path):
    blocks = "".join(
        f'<TextBlock ID="{name}"><TextLine><String CONTENT="{name}"/></TextLine></TextBlock>'
        for name in "abcd"
    )
    refer = '<ElementRef REF="{}"/>'
    order = (
        f"<ReadingOrder><OrderedGroup>{refer.format('c')}<UnorderedGroup>{refer.format('b')}"
        f"{refer.format('a')}</UnorderedGroup></OrderedGroup></ReadingOrder>"
    )
    assert read_truth(alto(tmp_path, blocks, order)).text == ("c", "b", "a", "d")


def hocr(tmp_path, content):
    path = tmp_path / "p.hocr"
    path.write_text(
        f"<html><body><div class='ocr_page'><p class='ocr_par'>{content}</p></div></body></html>",
        encoding="utf-8",
    )
    return path


def test_words_of_hocr_without_a_space_between_them(tmp_path):
    def span(text, confidence):
        return f"<span class='ocrx_word' title='x_wconf {confidence}'>{text}</span>"

    first = f"<span class='ocr_line'>{span('Ja', 90)}{span(',', 20)} <em>{span('gern', 70)}</em></span>"
    path = hocr(tmp_path, first + f"<span class='ocr_line'>{span('nie', 60)}</span>")
    words = read(path)
    assert words.text == ("Ja,", "gern", "nie")
    assert words.confidence.tolist() == [20, 70, 60]
    assert words.line.tolist() == [0, 0, 1]
    assert read(path, level="word").text == ("Ja", ",", "gern", "nie")
    path = hocr(tmp_path, first.replace("</span> <em>", "</span><em>"))
    assert read(path).text == ("Ja", ",", "gern")  # a file without spaces between words
    path = hocr(tmp_path, first.replace("</em>", "</em> und mehr"))
    assert read(path).text == ("Ja", ",", "gern")
    assert read_truth(path).text == ("Ja,", "gern", "und", "mehr")


# ------------------------------------------------------------------------------------ formatting

FORMATTING = (
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


@given(st.text(st.sampled_from(FORMATTING + "aé\u0301\u200c\u200d- "), max_size=12))
def test_formatting_characters_are_no_text(text):
    kept = "".join(letter for letter in text if letter not in FORMATTING)
    assert printed(text) == unicodedata.normalize("NFC", kept)


def test_formatting_characters_are_no_text_in_any_file(tmp_path):
    text = "\u2067Cafe\u0301\u2069 \u200b na\u200dme"
    truth = tmp_path / "t.txt"
    truth.write_text(text, encoding="utf-8")
    table = tmp_path / "o.tsv"
    rows = [f"5\t1\t1\t1\t1\t{i}\t0\t0\t9\t9\t90\t{word}" for i, word in enumerate(text.split(" "), 1)]
    table.write_text("\n".join(["\t".join(COLUMNS), *rows]), encoding="utf-8")
    expected = ("Café", "na\u200dme")
    assert read_truth(truth).text == read(table).text == expected
    assert read(page(tmp_path, region("r", line("", *map(word, text.split(" ")))))).text == expected


def test_a_soft_hyphen_is_printed_where_a_line_ends(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("Wasser\u00ad\nrohr\u00adbruch ge\u00ad\n", encoding="utf-8")
    assert read_truth(path).text == ("Wasser-", "rohrbruch", "ge-")
    lines = line("", word("Wasser\u00ad")), line("", word("rohr\u00adbruch"), word("ge\u00ad"))
    assert read(page(tmp_path, region("r", *lines))).text == ("Wasser-", "rohrbruch", "ge-")
    marks = line("„Wasser\u00ad", word("„"), word("Wasser\u00ad"))
    assert read(page(tmp_path, region("r", marks, *lines[1:]))).text == ("„Wasser-", "rohrbruch", "ge-")
