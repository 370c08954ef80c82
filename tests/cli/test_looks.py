"""check keeps a log of looks, and fit chooses among several models."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from tests.commands import refusal, run


def write(path, n, seed, slope=0.07):
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    right = rng.random(n) >= slope * (1.0 - confidence)
    rows = [
        f"{i + 10_000 * seed},{t:.6f},{int(r)}"
        for i, (t, r) in enumerate(zip(confidence, right, strict=True))
    ]
    path.write_text("\n".join(["id,confidence,correct", *rows, ""]))
    return path


@pytest.fixture
def folder(tmp_path):
    for seed, n in enumerate((4000, 400, 700, 900)):
        write(tmp_path / f"{seed}.csv", n, seed)
    run("fit", tmp_path / "0.csv", "--error-rate", 0.02, "-o", tmp_path / "p.json")
    return tmp_path


def figures(*command):
    return json.loads(run(*command, "--format", "json", code=None).stdout)["check"]


def test_looks_pool(folder):
    policy = folder / "p.json"
    first = figures("check", policy, folder / "1.csv")
    assert (first["n_items"], first["look"], first["look_rule"]) == (400, 1, "sequence")
    grown = folder / "grown.csv"
    header, *rows = (folder / "2.csv").read_text().splitlines()
    grown.write_text("\n".join([header, *rows, *(folder / "1.csv").read_text().splitlines()[1:]]))
    assert figures("check", policy, grown)["n_items"] == 1100
    assert figures("check", policy, grown)["look"] == 2
    assert "--once allows a single look" in refusal("check", policy, folder / "2.csv", "--once")
    once = figures("check", policy, folder / "3.csv", "--once")
    assert (once["n_items"], once["look_rule"]) == (900, "once")
    late = refusal("check", policy, folder / "3.csv", "--looks", 8)
    assert "declared is 8, but no looks were" in late
    assert [each.suffix for each in folder.iterdir()].count(".looks") == 1


def test_declared_looks(folder):
    own = shutil.copy(folder / "p.json", folder / "own.json")  # with its own looks
    for look, file in enumerate(("1.csv", "2.csv"), 1):
        found = figures("check", own, folder / file, "--looks", 2)
        assert (found["look"], found["looks_declared"]) == (look, 2)
    refused = refusal("check", own, folder / "3.csv")
    assert "all 2 declared looks have been made" in refused


def test_fit_chooses(folder):
    write(folder / "worse.csv", 4000, 9, slope=0.2)
    files, chosen = [folder / "0.csv", folder / "worse.csv"], folder / "c.json"
    found = run(
        "fit", *files, "--choose", "--error-rate", 0.02, "-o", chosen, "--format", "json"
    ).stdout
    choice = json.loads(found)["policy"]["choice"]
    assert (choice["chosen"], choice["by_half"], len(choice["candidates"])) == ("0", False, 2)
    assert json.loads(chosen.read_text())["failure_probability"] == 0.05
    assert "--choose fits a policy to each" in refusal(
        "fit", *files, "--error-rate", 0.02, "-o", chosen
    )
    assert "--choose needs several models, got only" in refusal(
        "fit", files[0], "--choose", "--error-rate", 0.02, "-o", chosen
    )
