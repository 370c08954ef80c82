"""Words that a line end divides: in truth and output alike, and in one of them alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr import Words, align, align_files, pair_files
from fastarac.ocr.readers.tesseract_tsv import COLUMNS

if TYPE_CHECKING:
    from fastarac.results import AlignedOutputs

# Written for this test.
SENTENCES = """
Der Wasserstand im Hafenbecken stieg während der Nacht um beinahe vierzig Zentimeter.
Am Ein- und Ausgang der Maschinenhalle standen schon frühmorgens ungeduldige Besucher.
Die Nord-Süd-Verbindung wird wegen dringender Gleisarbeiten bis Donnerstag unterbrochen.
Niemand wusste, weshalb die Straßenbeleuchtung ausgerechnet am Feiertag ausgefallen war.
Zwischen Obst- und Gemüseständen verkaufte eine Gärtnerin getrocknete Kräutermischungen.
Der Kassenwart legte den Rechnungsabschluss vor und bat um Entlastung des Vorstandes.
Seit Jahrzehnten sammelt der pensionierte Lehrer Ansichtskarten aus Gebirgsdörfern.
Unerwartet freundlich empfing uns der Bibliothekar in seinem ungeheizten Arbeitszimmer.
Das Baden-Württembergische Landesarchiv bewahrt zwei Briefwechsel des Unternehmers auf.
Gegen Mittag zogen Gewitterwolken auf, doch der erwartete Regenschauer blieb vorerst aus.
Drei Handwerksmeister unterschrieben die Vereinbarung, der vierte verweigerte sich hartnäckig.
Auf der Rückseite des Schriftstücks fanden sich Bleistiftnotizen in winziger Schrift.
""".strip().splitlines()
SEEN = {"e": "c", "n": "u", "r": "t", "m": "rn", "i": "l", "t": "f", "a": "o", "s": "e"}
CONFIDENCE = ' conf="{:.4f}"'
VOWELS = "aeiouäöü"


def broken(words: list[str], width: int, hyphen: str = "-") -> list[list[str]]:
    """Return lines of at most so many characters, with words divided after a vowel and a consonant."""
    lines: list[list[str]] = [[]]
    for word in words:
        room = width - sum(len(each) + 1 for each in lines[-1])
        if len(word) <= room:
            lines[-1].append(word)
            continue
        cuts = [
            k
            for k in range(3, min(room, len(word) - 2))
            if word[:k].isalpha() and word[k - 2] in VOWELS and word[k - 1 : k + 1].isalpha()
        ]
        own = word.find("-", 0, room) + 1  # its own hyphen, after which nothing is added
        if 0 < own < len(word):
            lines[-1].append(word[:own])
            word = word[own:]  # noqa: PLW2901
        elif cuts:
            lines[-1].append(word[: cuts[-1]] + hyphen)
            word = word[cuts[-1] :]  # noqa: PLW2901
        lines.append([word])
    return lines


Reading = list[list[tuple[str, float]]]


def seen(lines: list[list[str]], draw: random.Random) -> Reading:
    """Return what an engine makes of lines: letters misread, with confidences that often say so."""
    found = []
    for line in lines:
        row = []
        for word in line:
            wrong = [k for k, letter in enumerate(word) if letter in SEEN and draw.random() < 0.006]
            text = "".join(SEEN[c] if k in wrong else c for k, c in enumerate(word))
            sure = draw.betavariate(12, 4) if wrong else draw.betavariate(60, 2)
            row.append((text, round(100 * sure, 2)))
        found.append(row)
    return found


def tsv(reading: Reading) -> str:
    rows = [
        f"5\t1\t1\t1\t{i}\t{k}\t0\t0\t9\t9\t{confidence:.2f}\t{text}"
        for i, line in enumerate(reading)
        for k, (text, confidence) in enumerate(line)
    ]
    return "\n".join(["\t".join(COLUMNS), *rows])


def hocr(reading: Reading) -> str:
    lines = (
        " ".join(f"<span class='ocrx_word' title='x_wconf {c:.2f}'>{text}</span>" for text, c in line)
        for line in reading
    )
    spans = "".join(f"<span class='ocr_line'>{line}</span>\n" for line in lines)
    return f"<html><body><div class='ocr_page'>{spans}</div></body></html>"


def alto(reading: Reading) -> str:
    lines = (
        "<SP/>".join(f'<String CONTENT="{text}" WC="{c / 100:.4f}"/>' for text, c in line)
        for line in reading
    )
    inside = "".join(f"<TextLine>{line}</TextLine>" for line in lines)
    return f"<alto><Layout><Page>{inside}</Page></Layout></alto>"


def page(reading: Reading) -> str:
    def equiv(text: str, said: str = "") -> str:
        return f"<TextEquiv{said}><Unicode>{text}</Unicode></TextEquiv>"

    lines = "".join(
        "<TextLine>"
        + "".join(f"<Word>{equiv(text, CONFIDENCE.format(c / 100))}</Word>" for text, c in line)
        + f"{equiv(' '.join(text for text, _ in line))}</TextLine>"
        for line in reading
    )
    return f"<PcGts><Page><TextRegion>{lines}</TextRegion></Page></PcGts>"


@pytest.fixture(scope="module")
def german() -> list[tuple[list[str], list[list[str]], Reading]]:
    """Return pages: running text, the same in lines, and what an engine reads of these."""
    draw, pages = random.Random(17), []
    for number in range(30):
        words = " ".join(draw.choices(SENTENCES, k=18)).split()
        lines = broken(words, 60, "-¬⸗"[number % 3] if number % 4 == 0 else "-")
        pages.append((words, lines, seen(lines, draw)))
    return pages


def aligned(folder, pages, form, *, running) -> AlignedOutputs:
    (folder / "truth").mkdir()
    (folder / "ocr").mkdir()
    for number, (words, lines, reading) in enumerate(pages):
        text = " ".join(words) if running else "\n".join(map(" ".join, lines))
        (folder / "truth" / f"p{number}.txt").write_text(text, encoding="utf-8")
        (folder / "ocr" / f"p{number}.out").write_text(form(reading), encoding="utf-8")
    return align_files(pair_files(folder / "truth", folder / "ocr")).aligned


@pytest.mark.parametrize(
    "form", [tsv, *(pytest.param(form, marks=pytest.mark.slow) for form in (hocr, alto, page))]
)
def test_running_truth_and_truth_in_lines_say_the_same(tmp_path, german, form):
    """Rate of recognition and accepted share differ by at most half a point on German pages."""
    found = []
    for running in (False, True):
        folder = tmp_path / str(running)
        folder.mkdir()
        found.append(aligned(folder, german, form, running=running))
    in_lines, running = found
    assert running.true_words == sum(len(words) for words, _, _ in german)
    assert running.records.n_joined > 0.04 * running.true_words
    assert in_lines.records.n_joined == 0
    assert abs(running.correct.mean() - in_lines.correct.mean()) < 0.005
    for limit in (0.005, 0.01, 0.02):
        shares = [each.operating_point(max_error_rate=limit).acceptance_rate for each in found]
        assert abs(shares[0] - shares[1]) < 0.005
    assert running.counts["split"] + running.counts["merged"] <= 2


def words_of(lines: list[list[str]], *, confident: bool = True) -> Words:
    texts = [word for line in lines for word in line]
    line = [i for i, line in enumerate(lines) for _ in line]
    confidence = np.arange(len(texts)) / 1e4 if confident else np.full(len(texts), np.nan)
    scale = "unit" if confident and texts else None
    return Words(tuple(texts), confidence, np.zeros(len(texts), int), line, ("p",), scale=scale)


few = st.text("abk", min_size=1, max_size=4)


@given(st.lists(st.lists(few, min_size=1, max_size=3), min_size=1, max_size=12), st.randoms())
def test_perfect_outputs_are_right_however_lines_break(syllables, draw):
    """Any text, divided at any line ends on one side: all its words are right, whatever comes again."""
    running = ["".join(word) for word in syllables]
    lines: list[list[str]] = [[]]
    for word in syllables:
        cut = draw.randrange(len(word))
        if cut:
            lines[-1].append("".join(word[:cut]) + "-")
            lines.append(["".join(word[cut:])])
        else:
            lines[-1].append("".join(word))
    one, other = [running], lines
    assert align(words_of(one), words_of(other)).counts["right"] == len(running)
    assert align(words_of(other), words_of(one)).counts["right"] == len(running)
    n = sum(map(len, lines))
    assert align(words_of(other), words_of(other)).counts["right"] == n


def test_the_joined_word_has_the_lower_confidence_and_both_boxes():
    truth = words_of([["die", "Wasserleitung", "tropft"]], confident=False)
    output = words_of([["die", "Wasser-"], ["leitung", "tropft"]])
    found = align(truth, output)
    assert found.kind.tolist() == ["right"] * 3
    assert found.confidence.tolist() == [0.0, 0.0001, 0.0003]
    assert align(truth, output, join="max").confidence.tolist() == [0.0, 0.0002, 0.0003]
    assert found.prediction[1] == "Wasserleitung"
    assert found.records.output_begin.tolist() == [0, 1, 3]
    assert found.records.output_end.tolist() == [1, 3, 4]
    assert found.records.n_joined == 1


def test_true_words_keep_their_numbers_where_one_engine_has_them_joined():
    truth = words_of([["die", "Wasser-"], ["leitung", "tropft"]], confident=False)
    whole = words_of([["die", "Wasserleitung", "tropft"]])
    assert align(truth, whole).id == ("p:1", "p:2", "p:4")
    assert align(truth, words_of([["die", "Wasser-"], ["leitung", "tropft"]])).id[-1] == "p:4"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([["die", "Nord-"], ["Süd-Bahn"]], "die Nord-Süd-Bahn"),
        ([["am", "Ein-"], ["und", "Ausgang"]], "am Ein- und Ausgang"),
        ([["der", "Zuk-"], ["ker"]], "der Zucker"),
        ([["die", "Schiff-"], ["fahrt"]], "die Schiffahrt"),
        ([["alte", "Zei⸗"], ["tung"]], "alte Zeitung"),
        ([["alte", "Zei¬"], ["tung"]], "alte Zeitung"),
        ([["alte", "Zei="], ["tung"]], "alte Zeitung"),
        ([["wer-"], ["den", "den", "Mann"]], "werden den Mann"),
        ([["es", "war", "-"], ["ja", "-", "gut"]], "es war - ja - gut"),
        ([["a-"], ["b-"], ["c"]], "a-b- c"),
    ],
)
def test_hyphens_of_all_kinds(lines, text):
    running = words_of([text.split()])
    for truth, output in ((running, words_of(lines)), (words_of(lines), running)):
        found = align(truth, output)
        assert found.kind.tolist() == ["right"] * len(text.split())


def test_a_misread_word_is_joined_by_its_place():
    truth = words_of([["der", "Regenschauer", "blieb", "aus"]], confident=False)
    output = words_of([["der", "Regcn-"], ["schaucr", "blieb", "aus"]])
    found = align(truth, output)
    assert found.kind.tolist() == ["right", "wrong", "right", "right"]
    assert found.prediction[1] == "Regcnschaucr"
    by_character = align(truth, output, unit="character")
    assert by_character.counts["inserted"] == 0  # no hyphen
    assert by_character.counts["wrong"] == 2


def test_lines_are_compared_as_they_are():
    truth, output = words_of([["Regenschauer"]]), words_of([["Regen-"], ["schauer"]])
    assert align(truth, output, unit="line").records.n_joined == 0


def test_hyphens_that_folding_takes_away():
    truth = words_of([["die", "NordSüdBahn", "und", "Wasserleitung"]], confident=False)
    output = words_of([["die", "Nord-"], ["Süd-Bahn", "und", "Wasser-"], ["leitung"]])
    assert align(truth, output, fold="punctuation").correct.all()


def test_many_divided_words_on_an_unrelated_page():
    draw = random.Random(5)
    truth = words_of([["".join(draw.choices("abcdef", k=9)) for _ in range(300)]], confident=False)
    lines = [[f"{''.join(draw.choices('uvwxyz', k=5))}-"] for _ in range(300)]
    found = align(truth, words_of(lines))
    assert found.records.n_joined == 0
    assert found.counts["right"] == 0


def test_words_are_joined_in_columns_that_are_read_across(german):
    """Second parts are not the next words there; of running text as many are right as of lines."""
    counts = []
    for running in (False, True):
        right = n = joined = 0
        for words, lines, _ in german[:6]:
            half = len(lines) // 2
            columns = lines[:half], lines[half : 2 * half]
            across = [line for both in zip(*columns, strict=True) for line in both] + lines[2 * half :]
            truth = [words] if running else lines
            found = align(words_of(truth, confident=False), words_of(across))
            right += found.counts["right"] + found.counts["moved"]
            joined += found.records.n_joined
            n += found.true_words
        counts.append((right / n, joined))
    (in_lines, few_joined), (running_text, joined) = counts
    assert joined > 20
    assert few_joined < joined / 4  # sentences come again here, in which a divided word is whole
    assert abs(running_text - in_lines) < 0.005


def test_parts_that_are_no_neighbours_have_the_lower_confidence():
    truth = words_of(
        [["vorn", "Wasserleitung", "tropft", "rechts", "steht", "jemand"]], confident=False
    )
    output = words_of([["vorn", "Wasser-"], ["rechts", "steht"], ["leitung", "tropft"], ["jemand"]])
    found = align(truth, output)
    k = found.prediction.index("Wasserleitung")
    assert found.records.n_joined == 1
    assert found.confidence[k] == 0.0001
    assert align(truth, output, join="max").confidence[k] == 0.0004
    assert "leitung" not in found.prediction
