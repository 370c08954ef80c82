"""The whole study, from engines' files to the paper's tables, on pages that nobody typeset."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from bench.study import __main__ as study
from bench.study import classifiers, collecting, engines, evaluating, pages, reading
from bench.study.kept import Study
from bench.study.parts import Part

if TYPE_CHECKING:
    from pathlib import Path

WORDS = 60
WRONG = {"clean": 0.01, "scan": 0.02, "noisy": 0.1, "photo": 0.2}  # of words, with each engine


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without pictures, engines that err at random, and less of everything that is drawn."""

    def make(recipe: pages.Recipe, _vocabulary: object, folder: Path) -> dict[str, object]:
        chance = recipe.chance("text")
        text = " ".join("".join(chance.choices("abcdefgh", k=5)) for _ in range(WORDS))
        for name in ("truth", "lines"):
            (folder / name / f"{recipe.name}.txt").write_text(text, encoding="utf-8")
        return {"page": recipe.name}

    def read(task: engines.Task) -> float:
        text = (task.folder / "lines" / f"{task.image.stem}.txt").read_text(encoding="utf-8")
        chance = random.Random(f"{task.engine} {task.image.stem}")
        wrong = WRONG[task.image.stem.split("-")[2]]
        read = [
            (word[:4] + "x", 0.6) if chance.random() < wrong else (word, 0.9) for word in text.split()
        ]
        read = [(word, min(1.0, sure + chance.uniform(-0.3, 0.1))) for word, sure in read]
        for out in task.outputs:
            out.parent.mkdir(exist_ok=True)
            out.write_text(_written(task.engine, read), encoding="utf-8")
        return 0.0

    monkeypatch.setattr(reading, "_vocabulary", lambda _code: None)
    monkeypatch.setattr(pages, "make", make)
    monkeypatch.setattr(engines, "read", read)
    monkeypatch.setattr(classifiers, "SETS", ("iris",))
    monkeypatch.setattr(collecting, "N_INVOICES", 20)
    monkeypatch.setattr(evaluating, "DRAWS", 4)
    monkeypatch.setattr(evaluating, "SIZES", (2,))
    monkeypatch.setattr(evaluating, "VERIFIED", 50)


def _written(engine: str, read: list[tuple[str, float]]) -> str:
    if engine == "ocrad":
        return " ".join(word for word, _ in read)
    if engine == "rapidocr":
        box = [[0, 0], [9, 0], [9, 9], [0, 9]]
        return json.dumps([{"box": box, "txt": word, "score": sure} for word, sure in read])
    header = "level page_num block_num par_num line_num word_num left top width height conf text"
    rows = [
        f"5 1 1 1 1 {n} {9 * n} 0 8 8 {100 * sure:.2f} {word}" for n, (word, sure) in enumerate(read)
    ]
    return "\n".join("\t".join(row.split()) for row in [header, *rows]) + "\n"


@pytest.mark.usefixtures("small")
def test_the_study_goes_through_in_one_piece(tmp_path: Path) -> None:
    """One command makes items, datasheets, figures and the paper's tables, and goes on where it was."""
    settings = reading.Settings(rounds=2, languages=("en",))
    for number in range(settings.rounds):
        for recipe in settings.round(number):
            reading.make_and_read(recipe, tmp_path / "made")
    results = tmp_path / "study.json"
    asked = ["--pages", "2", "--languages", "en", "--data", str(tmp_path / "data")]
    asked += ["--results", str(results), "--steps", "keep", "evaluate", "combine", "paper"]
    study.main([str(tmp_path / "made"), *asked])
    found = json.loads(results.read_text(encoding="utf-8"))
    # what an interrupted run has left is taken, and the rest comes out again
    left = found | {"leads": "there"}
    Part(results).write({name: left[name] for name in left if name not in ("shares", "decisions")})
    study.main([str(tmp_path / "made"), *asked[:-4], "evaluate"])
    assert json.loads(results.read_text(encoding="utf-8")) == left
    assert not Part(results).path.exists()

    kept = Study(tmp_path / "data")
    assert set(kept.items.source) == {"en-1col", "en-2col", "invoices", "iris"}
    assert (kept.folder / "en-2col.md").exists()
    shares = {(row["engine"], row["quality"]): row["accepted/0.05"][0] for row in found["shares"]}
    for engine in ("tesseract-psm3", "tesseract-psm6"):
        assert shares[engine, "photo"] < shares[engine, "clean"]
    counts = found["orders"]["summary"]["language"]["0.05"]
    assert counts["clear_other_order"] <= counts["other_order"] <= counts["pairs"] <= 3
    paper = tmp_path / "made" / "paper"
    assert (paper / "study.png").read_bytes().startswith(b"\x89PNG")
    assert (paper / "study_findings.md").read_text(encoding="utf-8").count("**") == 10
    assert "English" in (paper / "study_combined.md").read_text(encoding="utf-8")
