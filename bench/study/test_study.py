"""The study goes on where it stopped, and what is kept of it is what its figures say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from bench.study import (
    classifiers,
    datasheets,
    engines,
    evaluating,
    pages,
    paper,
    reading,
    together,
)
from bench.study.kept import DATA, Study, outputs_of, where

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = reading.Settings(rounds=2, languages=("en",), layouts=("1col",), qualities=("clean", "scan"))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is made and read, by a press and engines that write nothing but empty files."""
    done: list[str] = []

    def make(recipe: pages.Recipe, _vocabulary: object, _folder: Path) -> dict[str, object]:
        done.append(recipe.name)
        return {"page": recipe.name}

    def take(task: engines.Task) -> float:
        done.append(f"{task.image.stem} {task.engine}")
        for out in task.outputs:
            out.parent.mkdir(exist_ok=True)
            out.touch()
        return 0.0

    monkeypatch.setattr(reading, "_vocabulary", lambda _code: None)
    monkeypatch.setattr(pages, "make", make)
    monkeypatch.setattr(engines, "read", take)
    return done


def test_pages_are_made_and_read_once(read: list[str], tmp_path: Path) -> None:
    """An interrupted study goes on with what is missing; half a round does not count."""
    first, second = SETTINGS.round(0)
    reading.make_and_read(first, tmp_path)
    assert read == [first.name, *(f"{first.name} {engine}" for engine in engines.ENGINES)]
    assert list(SETTINGS.complete(tmp_path)) == []
    reading.make_and_read(second, tmp_path)
    n = len(read)
    for recipe in (first, second):
        assert reading.finished(recipe, tmp_path)
        reading.make_and_read(recipe, tmp_path)
    assert len(read) == n
    assert list(SETTINGS.complete(tmp_path)) == [first, second]
    (tmp_path / "en" / "ocrad" / f"{first.name}.txt").unlink()
    reading.make_and_read(first, tmp_path)
    assert read[n:] == [f"{first.name} ocrad"]


def test_who_reads_what() -> None:
    """RapidOCR reads no Arabic and every fourth page, ocrad English alone."""
    page = pages.Recipe("en", "1col", "scan", 0, seed=1)
    assert reading.engines_of(page) == list(engines.ENGINES)
    others = {"rapidocr", "ocrad"}
    assert others & set(reading.engines_of(replace(page, language="ar"))) == set()
    assert others & set(reading.engines_of(replace(page, number=2))) == {"ocrad"}
    assert others & set(reading.engines_of(replace(page, language="zh", number=4))) == {"rapidocr"}


@pytest.fixture(scope="module")
def study() -> Study:
    """What is kept in the repository."""
    return Study()


def test_what_is_kept(study: Study) -> None:
    """As many sources and items as are promised, few bytes, and a datasheet for each."""
    names = set(study.items.source)
    assert len(names) >= 10
    assert len(study.items) >= 500_000
    assert sum(path.stat().st_size for path in DATA.glob("*.parquet")) < 10_000_000
    for name in names:
        text = (DATA / f"{name}.md").read_text(encoding="utf-8")
        assert text == datasheets.sheet(str(name), where(study.items, source=name))


def test_figures_are_those_of_the_items(study: Study) -> None:
    """The rows of a page's source and of a data set come out again from what is kept."""
    found = json.loads(evaluating.RESULTS.read_text(encoding="utf-8"))
    rows = {(row["source"], row["engine"], row["quality"]): row for row in found["figures"]}
    for source, engine, quality in (("de-2col", "rapidocr", "photo"), ("iris", "forest", "all")):
        row = rows[source, engine, quality]
        items = where(
            study.items, source=source, engine=engine, quality=None if quality == "all" else quality
        )
        kept = items.confidence.notna().to_numpy()
        assert row["items"] == len(items)
        assert row["recognition_rate"][0] == pytest.approx(items.correct.mean(), rel=1e-5)
        for limit in evaluating.LIMITS:
            assert row[f"accepted/{limit}"][0] == pytest.approx(
                _accepted(
                    items.correct.to_numpy()[kept], items.confidence.to_numpy()[kept], limit, len(items)
                ),
                rel=1e-5,
            )


def _accepted(correct: np.ndarray, confidence: np.ndarray, limit: float, n: int) -> float:
    """The largest share that a threshold accepts with at most that share of errors, by trying all."""
    shares = [0.0]
    for threshold in np.unique(confidence):
        accepted = confidence >= threshold
        if (accepted & ~correct).sum() <= limit * n:
            shares.append(accepted.sum() / n)
    return float(max(shares))


def test_every_error_rate_has_its_page(study: Study) -> None:
    """CER by hand from the table of pages; ocrad has no items, since it has no confidences."""
    found = json.loads(evaluating.RESULTS.read_text(encoding="utf-8"))
    row = next(r for r in found["figures"] if (r["engine"], r["quality"]) == ("ocrad", "scan"))
    part = where(study.pages, source=row["source"], engine="ocrad", quality="scan")
    rate = part.character_edits.sum() / part.characters.sum()
    assert row["character_error_rate"][0] == pytest.approx(rate, rel=1e-5)
    assert "accepted/0.01" not in row
    assert "ocrad" not in set(study.items.engine)


def test_rejected_items_are_never_accepted(study: Study) -> None:
    """A missed word is an item, wrong, below every threshold."""
    items = where(study.items, source="de-2col", engine="tesseract-psm6", quality="photo")
    outputs = outputs_of(items)
    missed = (items.kind == "missed").to_numpy()
    assert missed.any()
    assert outputs.rejected is not None
    assert outputs.rejected[missed].all()
    assert outputs.confidence[missed].max() < outputs.confidence[~outputs.rejected].min()


def test_classifiers_are_fitted_on_other_examples() -> None:
    """Cross-fitted accuracies of irises are what textbooks have, and none is perfect."""
    found = {name: correct.mean() for name, correct, _ in classifiers.items("iris")}
    assert list(found) == list(classifiers.classifiers())
    assert all(0.9 < share < 1.0 for share in found.values())


def test_the_picture_of_the_readme_is_of_these_figures() -> None:
    """It is committed, and has to be made anew when the figures are."""
    (summary,) = paper.makers("study_summary")
    with Image.open(evaluating.RESULTS.parents[1] / "_static" / paper.PICTURE) as picture:
        assert picture.info["Source"] == summary.digest()


def test_the_findings_hold_what_their_headings_say() -> None:
    """The short page has its figures from the data, and these say what stands in bold."""
    found = json.loads(evaluating.RESULTS.read_text(encoding="utf-8"))
    shares = {(row["language"], row["engine"], row["quality"]): row for row in found["shares"]}
    for language, engine, quality in shares:  # the pages decide
        if (engine, quality) == ("tesseract-psm3", "photo"):
            photo, clean = (shares[language, engine, each] for each in (quality, "clean"))
            assert photo["accepted/0.05"][0] < clean["accepted/0.05"][0] - 0.1
    leads = [row for row in found["leads"] if row["limit"] == 0.01 and len(row["engines"]) == 3]
    assert sum(all(pair["clear"] for pair in row["pairs"][:2]) for row in leads) < len(leads) / 2
    assert found["orders"]["summary"]["language"]["0.01"]["clear_other_order"] > 0
    rows = [
        row for row in found["transfer"] if row["engine"] == "tesseract-psm3" and row["name"] != "all"
    ]
    errors = [
        row["on"][quality]["threshold"]["errors"] for row in rows for quality in ("noisy", "photo")
    ]
    assert sum(low > evaluating.ASKED for _, low, _ in errors) > len(errors) / 2
    combined = json.loads(evaluating.RESULTS.with_name(together.NAME).read_text(encoding="utf-8"))
    more = [max(each["rows"][:2], key=lambda row: row["accepted"])["more"] for each in combined]
    assert sum(low > 0 for _, low, _ in more) > len(more) / 2
    assert not any(high < 0 for *_, high in more)
