"""What the average hides: pages in four languages, of which an engine reads next to nothing in one."""

from __future__ import annotations

import json
import re
from functools import partial

import commands
import numpy as np
import pytest

LATIN, CYRILLIC = "abcdefghklmnoprstu", "абвгдежзиклмнопрст"
BOX = [[0, 0], [1, 0], [1, 1], [0, 1]]
run = partial(commands.detailed, "ocr")


def write_pages(folder, *, better: float, worse: float) -> list[object]:
    """Ten pages a language, and two engines, the better of which is blind in Russian."""
    rng = np.random.default_rng(0)
    for name in ("truth", "blind", "other"):
        (folder / name).mkdir()
    rows = ["page,language"]
    for language in ("de", "en", "fr", "ru"):
        letters = list(CYRILLIC if language == "ru" else LATIN)
        for k in range(10):
            page = f"{language}{k}"
            rows.append(f"{page},{language}")
            words = ["".join(rng.choice(letters, 6)) for _ in range(20)]
            (folder / "truth" / f"{page}.txt").write_text(" ".join(words))
            for engine, rate in (("blind", better), ("other", worse)):
                wrong = rng.random(20) < rate
                sure = np.where(wrong, rng.uniform(0.2, 0.7, 20), rng.uniform(0.5, 1, 20)).round(3)
                read = [f"x{w[1:]}" if bad else w for w, bad in zip(words, wrong, strict=True)]
                if engine == "blind" and language == "ru":
                    read = read[:1]
                found = [[BOX, *pair] for pair in zip(read, sure.tolist(), strict=False)]
                (folder / engine / f"{page}.json").write_text(json.dumps(found))
    (folder / "pages.csv").write_text("\n".join(rows) + "\n")
    return [folder / "truth", folder / "blind", folder / "other", "--error-rate", 0.05]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rates", "leader", "exception", "note"),
    [
        (
            (0.03, 0.45),
            "blind",
            "in ru",
            "other leads in ru (by 42.5 points), where blind reads almost nothing.",
        ),
        (
            (0.01, 0.2),
            "other",
            "in de, en and fr",
            "blind leads in de, en and fr (by 11.5 to 15.5 points); it reads almost nothing in ru.",
        ),
    ],
)
def test_a_language_in_which_an_engine_is_blind(tmp_path, rates, leader, exception, note):
    arguments = write_pages(tmp_path, better=rates[0], worse=rates[1])
    report = tmp_path / "r.html"
    attributes = "--attributes", tmp_path / "pages.csv"
    found = json.loads(run(*arguments, *attributes, "--report", report, "--format", "json").stdout)
    decisions = [said for said in found["decisions"] if said.startswith("At most 5% errors: ")]
    assert f": {leader} accepts most" in decisions[0]
    clear, open_ = (
        f"beyond chance (p .*), except {exception}.",
        f"may be chance (p .*); {exception} the",
    )
    ends = "|".join(
        re.escape(each).replace(r"\.\*", ".*") for each in (clear, f"{open_} order is reversed.")
    )
    assert re.search(f"(?:{ends})$", decisions[0])
    assert any(note in said for said in decisions)
    parts = found["comparisons"][0]["parts"]
    assert [part["value"] for part in parts] == ["de", "en", "fr", "ru"]
    for part in parts:
        assert (part["split"], part["a"], part["n_units"]) == ("language", leader, 10)
        assert part["reversed"] == (part["value"] in exception) == (part["adjusted_pvalue"] < 0.05)
        assert part["reversed"] <= (part["estimate_b"] > part["estimate_a"])
    lost = "of the missed words are on pages whose language is ru and 100% are Cyrillic."
    assert any(said.startswith("blind: ") and lost in said for said in found["warnings"])
    assert not any("columns, margins" in said for said in found["warnings"])
    page = report.read_text()
    assert f'<p class="order">{note}' in page
    assert f"(the leader except {exception})" in page
    assert "Parts in which the order is reversed beyond chance" in page
    if leader == "other":
        return
    text = run(*arguments, *attributes).stdout
    assert max(map(len, text.partition("the order is")[2].partition("Judged")[0].splitlines())) <= 80
    assert "language ru  " in text
    alone = run(*arguments).stdout
    assert "except in" not in alone
    assert "of the missed words are Cyrillic" in alone


@pytest.mark.slow
def test_a_field_that_the_leader_does_not_find(tmp_path):
    """Engines of documents are compared in each field, too."""
    rng = np.random.default_rng(1)
    fields = {"date": (0.02, 0.3), "iban": (1.0, 0.1), "name": (0.02, 0.3), "total": (0.02, 0.3)}
    rows: dict[str, list[str]] = {"truth": [], "blind": [], "other": []}
    for k in range(25):
        for name, rates in fields.items():
            key, value = f"d{k:02},{name}", f"{name}{rng.integers(1000, 9999)}"
            rows["truth"].append(f"{key},{value}")
            for engine, rate in zip(("blind", "other"), rates, strict=True):
                wrong = rng.random() < rate
                sure = rng.uniform(0.2, 0.7) if wrong else rng.uniform(0.5, 1)
                if rate < 1:
                    rows[engine].append(f"{key},{value[:-1] if wrong else value},{sure:.3f}")
    for name, lines in rows.items():
        header = "document,field," + ("truth" if name == "truth" else "prediction,confidence")
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    paths = [tmp_path / f"{name}.csv" for name in rows]
    found = json.loads(run(*paths, "--error-rate", 0.05, "--format", "json").stdout)
    answer = next(said for said in found["decisions"] if "accepts most, except" in said)
    assert "blind accepts most, except in the field iban: accept" in answer
    assert any("other leads in the field iban (by" in said for said in found["decisions"])
    assert any("points), where blind reads almost nothing." in said for said in found["decisions"])
    (comparison,) = found["comparisons"]
    assert [part["value"] for part in comparison["parts"]] == list(fields)
    assert [part["reversed"] for part in comparison["parts"]] == [False, True, False, False]
