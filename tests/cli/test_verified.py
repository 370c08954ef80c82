"""`fastarac evaluate` and `compare` of files in which some outputs are verified."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fastarac as fa
from fastarac.partial_truth import read_verified
from tests.commands import reason, run

BY = ("--inclusion-probability", "pi", "--judge", "judge")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    for seed, name in enumerate(("a", "b")):
        rng = np.random.default_rng(seed)
        lines = ["correct,confidence,judge,pi,page"]
        for i in range(3000):
            confidence = round(rng.random(), 4)
            right = rng.random() >= 0.3 * (1 - confidence)
            judge = np.clip(0.1 + 0.8 * right + rng.normal(0, 0.2), 0, 1)
            chosen = rng.random() < 0.2
            known = str(int(right)) if chosen else ""
            lines.append(f"{known},{confidence},{judge:.3f},{0.2 if chosen else ''},{i // 10}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return folder


def columns(**others):
    return {"inclusion_probability": "pi", "judge": "judge", **others}


def test_evaluate(folder):
    path = folder / "a.csv"
    outputs = read_verified(path, **columns())
    found = fa.evaluate(*outputs, max_error_rate=0.05, intervals=True)
    done = run("evaluate", path, *BY, "--error-rate", 0.05, "--ci", 0.95, "--guarantee", 0.1)
    verified = f"{outputs.correct.n_verified} of 3,000 outputs are verified"
    assert verified in done.stdout
    assert str(found) in done.stdout
    point = fa.guaranteed_operating_point(
        *outputs, max_error_rate=0.05, failure_probability=0.1, random_state=0
    )
    assert f"Guaranteed: {point}." in " ".join(done.stdout.split())
    several = run("evaluate", path, folder / "b.csv", *BY, "--error-rate", 0.05, "--format", "json")
    models = json.loads(several.stdout)["models"]
    assert [model["name"] for model in models] == ["a", "b"]
    assert models[0]["arac_auc"] == found.arac.auc
    assert models[0]["n_verified"] == outputs.correct.n_verified


def test_compare(folder):
    paths = folder / "a.csv", folder / "b.csv"
    done = run("compare", *paths, *BY, "--statistic", "roc_auc")
    models = {path.stem: tuple(read_verified(path, **columns())) for path in paths}
    expected = fa.compare_models(models, statistic="roc_auc", random_state=0)
    assert done.stdout == f"{expected}\n"


def test_groups(folder):
    path = folder / "a.csv"
    done = run("evaluate", path, *BY, "--group", "page", "--ci", 0.9, "--error-rate", 0.05)
    outputs = read_verified(path, **columns(groups="page"))
    found = fa.evaluate(*outputs, max_error_rate=0.05, intervals=True, confidence_level=0.9)
    assert str(found) in done.stdout
    alone = fa.evaluate(
        *read_verified(path, **columns()), max_error_rate=0.05, intervals=True, confidence_level=0.9
    )
    assert found.intervals["arac_auc"] != alone.intervals["arac_auc"]


def test_refusals(folder, tmp_path):
    path = folder / "a.csv"
    assert "--judge is given without" in reason("evaluate", path, "--judge", "judge")
    assert "--report is given beside" in reason("evaluate", path, *BY, "--report", "a.html")
    assert "--by is given beside" in reason("evaluate", path, *BY, "--by", "page")
    assert "--method bootstrap is given" in reason(
        "compare", path, folder / "b.csv", *BY, "--method", "bootstrap"
    )
    header, *rows = path.read_text().splitlines()
    bad = tmp_path / "bad.csv"
    for row, message in (
        ("1,0.5,0.5,,0", "a number above 0 and at most 1 is expected"),
        ("1,0.5,0.5,0,0", "a number above 0 and at most 1 is expected"),
        ("1,0.5,1.5,0.2,0", "a number in [0, 1] is expected"),
        ("2,0.5,0.5,0.2,0", "true or false"),
        ("1,,0.5,0.2,0", "a finite number"),
    ):
        bad.write_text("\n".join([header, *rows, row]) + "\n")
        found = reason("evaluate", bad, *BY)
        assert message in found
        assert "row 3,001" in found or "row 3001" in found
    assert "--max-risk" in reason("evaluate", path, *BY, "--max-risk", 0.1, "--guarantee", 0.05)
