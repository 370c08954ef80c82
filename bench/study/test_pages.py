"""Pages come out the same for the same seed, and their truths say the same in three ways."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from bench.study import combining, engines, example, languages, pages
from bench.study.composing import Vocabulary, compose
from bench.study.degrading import QUALITIES, degrade
from bench.study.languages import LANGUAGES, Language
from bench.study.typesetting import typeset
from fastarac import ocr

FACE = str(Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
WORDS = ("und", "der", "alte", "Regierung", "im", "Landschaft", "wie", "Überfahrt", "es", "Mitteilung")


def vocabulary() -> Vocabulary:
    """Words that are written for this, the first the most frequent."""
    return Vocabulary.of((word, 1 / (rank + 1)) for rank, word in enumerate(WORDS))


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Language:
    """German in a face that comes with Matplotlib, with hyphens after two letters out of three."""
    monkeypatch.setattr("bench.study.typesetting._dividing", lambda _patterns: _after_three)
    language = replace(LANGUAGES["de"], faces=(FACE,))
    monkeypatch.setitem(languages.LANGUAGES, "de", language)
    return language


def _after_three(word: str) -> list[tuple[str, str]]:
    places = range(len(word) - 3, 2, -1) if word.isalpha() else ()
    return [(word[:i], word[i:]) for i in places]


@pytest.mark.parametrize(
    ("code", "expected"),
    [("de", "4a51e9c87af0759c"), ("fr", "351f2ee9438e8f6a"), ("ja", "3a8172e61f0371fa")],
)
def test_the_same_seed_gives_the_same_text(code: str, expected: str) -> None:
    """Whatever the fonts and the versions of Python and Pillow are."""
    recipe = pages.Recipe(code, "2col", "scan", 7, seed=1)
    text = "\n".join(pages.text_of(recipe, vocabulary()))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == expected, text
    assert pages.text_of(replace(recipe, seed=2), vocabulary())[0] != text.split("\n")[0]


def test_words_come_by_their_frequency() -> None:
    """Each as often as its share says, within four standard errors; the size is kept."""
    german, chance, words = LANGUAGES["de"], random.Random(0), vocabulary()
    drawn = [words.draw(chance) for _ in range(20_000)]
    total = sum(1 / (rank + 1) for rank in range(len(WORDS)))
    for rank, word in enumerate(WORDS):
        share = 1 / (rank + 1) / total
        assert abs(drawn.count(word) / 20_000 - share) < 4 * (share * (1 - share) / 20_000) ** 0.5
    text = " ".join(compose(german, words, chance, 300)[1:]).split()
    assert 300 <= len(text) < 320


@pytest.mark.parametrize("layout", ["1col", "2col"])
def test_lines_say_what_the_text_says(german: Language, layout: str) -> None:
    """Joined again at their hyphens; no line is wider than its column."""
    paragraphs = compose(german, vocabulary(), random.Random(3), 200)
    page = typeset(paragraphs, german, layout, random.Random(4))
    joined = "".join(
        line.text[:-1] if line.text.endswith("-") else f"{line.text} " for line in page.lines
    )
    assert joined.split() == " ".join(paragraphs).split()
    assert sum(line.text.endswith("-") for line in page.lines) >= 2
    rights = {line.region: 0.0 for line in page.lines}
    for line in page.lines:
        rights[line.region] = max(rights[line.region], line.box[2])
    assert list(rights) == ([0, 1] if layout == "1col" else [0, 1, 2])
    assert max(rights.values()) <= page.image.width - 140
    if layout == "2col":
        assert rights[1] < min(line.box[0] for line in page.lines if line.region == 2)


def test_scripts_without_spaces_and_from_right_to_left() -> None:
    """No line begins with a full stop; right-to-left lines end at the right margin."""
    japanese = replace(LANGUAGES["ja"], faces=(FACE,))
    words = Vocabulary.of([("の", 2.0), ("仕事", 1.0)])
    paragraphs = compose(japanese, words, random.Random(0), 600)
    page = typeset(paragraphs, japanese, "2col", random.Random(0))
    assert "".join(line.text for line in page.lines) == "".join(paragraphs)
    assert not any(line.text.startswith(("。", "、")) for line in page.lines)
    arabic = replace(LANGUAGES["ar"], faces=(FACE,))
    try:
        page = typeset(["من في", "من في من"], arabic, "1col", random.Random(0))
    except ValueError as error:
        pytest.skip(str(error))
    assert {line.text for line in page.lines} == {"من في", "من في من"}
    assert all(abs(line.box[2] - (page.image.width - 150)) < 20 for line in page.lines)


def test_a_text_that_is_too_long_is_refused(german: Language) -> None:
    """Nothing is cut off in silence."""
    paragraphs = compose(german, vocabulary(), random.Random(3), 1200)
    with pytest.raises(ValueError, match=r"characters do not fit on a page"):
        typeset(paragraphs, german, "1col", random.Random(4))


@pytest.mark.parametrize("quality", QUALITIES)
def test_qualities(quality: str) -> None:
    """The same chance gives the same pixels, and the projection follows the ink."""
    printed = Image.new("L", (600, 900), 250)
    printed.paste(20, (200, 300, 320, 330))
    verso = Image.new("L", printed.size, 250)
    first, again, other = (degrade(printed, verso, quality, random.Random(n)) for n in (1, 1, 2))
    assert first.image.tobytes() == again.image.tobytes()
    assert (quality == "clean") == (first.image.tobytes() == other.image.tobytes())
    left, top, right, bottom = map(round, first.box((200, 300, 320, 330)))
    pixels = np.asarray(first.image, float)
    inside = pixels[top + 3 : bottom - 3, left + 4 : right - 4].mean()
    around = pixels[top - 30 : bottom + 30, left - 30 : right + 30].mean()
    assert inside < 80 < around


def test_a_page_with_all_its_files(
    german: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library reads the same words from lines and from PAGE XML; what is read is not read again."""
    del german
    inside = tmp_path / "de"
    for name in ("images", "truth", "lines", "page"):
        (inside / name).mkdir(parents=True)
    recipe = pages.Recipe("de", "2col", "photo", 0, seed=0)
    row = pages.make(recipe, vocabulary(), inside)
    assert (row["page"], row["words"]) == ("de-2col-photo-000", len(_words(inside / "truth")))
    lines, page = (ocr.read_truth(_only(inside / name)) for name in ("lines", "page"))
    assert lines.text == page.text
    with Image.open(_only(inside / "images")) as image:
        assert page.page_size.tolist() == [list(image.size)]

    def fake(task: engines.Task) -> None:
        for out in task.outputs:
            out.write_text("[]")

    monkeypatch.setattr(engines, "rapidocr", fake)
    found = list(engines.tasks(tmp_path, engines.ENGINES, "tsv", "*"))
    german_reads = ["tesseract-psm3", "tesseract-psm6", "rapidocr"]  # ocrad knows no umlauts
    assert [task.engine for task in found] == german_reads
    engines.read(found[-1])
    assert list(engines.tasks(tmp_path, engines.ENGINES, "tsv", "*")) == found[:-1]
    assert not list(engines.tasks(tmp_path, engines.ENGINES, "tsv", "*-noisy-*"))


def test_the_same_texts_are_packed_into_the_same_bytes(tmp_path: Path) -> None:
    """The archive that the documentation offers; and it is small."""
    inside = tmp_path / "de"
    for folder in example.FOLDERS:
        (inside / folder).mkdir(parents=True)
        (inside / folder / "p.txt").write_text("ein Wort\n")
    (inside / "manifest.csv").write_text("page\np\n")
    packed = [tmp_path / f"{name}.zip" for name in "ab"]
    for path in packed:
        example.pack(inside, path)
    assert packed[0].read_bytes() == packed[1].read_bytes()
    assert example.PACKED.stat().st_size < 300_000


def test_engines_alone_and_together() -> None:
    """The figures of the page on several engines, of the sample that comes with the package."""
    folders = ocr.sample_folders()
    found = combining.figures("sample", folders.truth, folders.outputs)
    assert (found["n_pages"], found["true_words"]) == (20, 2180)
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == [
        "plain",
        "enlarged",
        "plain + enlarged",
        "plain + enlarged, without truth",
        "plain = enlarged",
    ]
    best = rows["plain + enlarged"]
    for name, row in rows.items():
        assert row["low"] <= row["accepted"] <= row["high"]
        assert name == best["name"] or best["accepted"] - row["accepted"] == pytest.approx(
            row["more"][0]
        )


def _only(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def _words(folder: Path) -> list[str]:
    return _only(folder).read_text(encoding="utf-8").split()
