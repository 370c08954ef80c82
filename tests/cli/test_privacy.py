"""Which files hold texts: those that the page on privacy names, and no others."""

from __future__ import annotations

import json
import random
import re

import commands
import pytest

PAGE, ID = "lettertosmith", "caseid"
N_PAGES, N_WORDS = 4, 60


@pytest.fixture(scope="module")
def private(tmp_path_factory):
    """Pages of words that are nowhere else, read with errors, and the same words as a table."""
    folder, chance = tmp_path_factory.mktemp("private"), random.Random(1)
    for name in ("truth", "ocr"):
        (folder / name).mkdir()
    rows = ["page,id,truth,prediction,confidence"]
    for page in range(N_PAGES):
        words = ["zq" + "".join(chance.choices("bcdfghjk", k=6)) for _ in range(N_WORDS)]
        (folder / "truth" / f"{PAGE}{page}.txt").write_text(" ".join(words))
        lines = []
        for i, word in enumerate(words):
            wrong = chance.random() < 0.1
            read, confidence = (f"{word[:-1]}v", 0.5) if wrong else (word, 0.9)
            confidence += round(chance.random() / 20, 3)
            left = 100 * i
            lines.append([[[left, 0], [left + 90, 0], [left + 90, 30], [left, 30]], read, confidence])
            rows.append(f"{PAGE}{page},{ID}{len(rows)},{word},{read},{confidence}")
        (folder / "ocr" / f"{PAGE}{page}.json").write_text(json.dumps(lines))
    (folder / "words.csv").write_text("\n".join(rows))
    return folder


def held(text):
    """Return whether a file holds words, names of pages and ids."""
    return tuple(re.search(what, text) is not None for what in ("zq[a-z]{3}", PAGE, ID))


def test_figures_policies_and_states(private, tmp_path):
    """No words, no names of pages; of ids fingerprints."""
    words, columns = private / "words.csv", ("--truth", "truth", "--prediction", "prediction")
    policy, state = tmp_path / "policy.json", tmp_path / "state.json"
    limits = ("--error-rate", 0.1)
    said = [
        commands.run("evaluate", words, *columns, *limits, "--format", "json"),
        commands.run("fit", words, *columns, *limits, "-o", policy),
        commands.run("check", policy, words, "--format", "json", code=3),
        commands.run("monitor", policy, words, "--state", state),
        commands.run("ocr", private / "truth", private / "ocr", *limits, "--format", "json"),
        commands.run("ocr", private / "truth", private / "ocr", *limits),
    ]
    for each in said:
        assert held(each.stdout) == (False, False, False)
    for path in (policy, state):
        assert held(path.read_text()) == (False, False, False)
    assert len(json.loads(state.read_text())["counted"]["audits"]) == N_PAGES * N_WORDS


@pytest.mark.parametrize(("options", "texts"), [((), True), (("--no-text",), False)])
def test_reports_of_pages(private, tmp_path, options, texts):
    """A report holds texts, and says so; without them it holds names of pages."""
    path = tmp_path / "report.html"
    commands.run("ocr", private / "truth", private / "ocr", "--report", path, *options)
    assert held(path.read_text(encoding="utf-8")) == (texts, True, False)


def test_items(private, tmp_path):
    """A table of items is made of texts."""
    path = tmp_path / "items.csv"
    commands.run("ocr", private / "truth", private / "ocr", "-o", path)
    assert held(path.read_text(encoding="utf-8")) == (True, True, False)
