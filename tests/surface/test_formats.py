"""The versions of formats, as the page about them has them."""

from __future__ import annotations

import json
import shutil
import struct
import sys
from pathlib import Path

import numpy as np
from commands import run

import fastarac as fa

ROOT = Path(__file__).parents[2]


def table(monkeypatch):
    """Return the rows of the page's table by what they are about: written, read."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    import formats_page

    sys.modules.pop("formats_page")
    lines = formats_page.versions().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: (known.strip("`"), place, written) for name, known, place, written, _ in cells}


def test_files_say_their_version(monkeypatch, tmp_path):
    """What is written has the kind and the version that the page names."""
    rows = table(monkeypatch)
    rng = np.random.default_rng(0)
    confidence = rng.random(300)
    correct = rng.random(300) < 0.9
    policy = fa.operation.fit_policy(correct, confidence, max_error_rate=0.1)
    policy.save(tmp_path / "policy.json")
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.1)
    monitor.save(tmp_path / "state.json")
    for name, file in (("policy", "policy.json"), ("state of a monitor", "state.json")):
        found = json.loads((tmp_path / file).read_text())
        kind, place, written = rows[name]
        assert (found["kind"], str(found[place.strip("`")])) == (kind, written)
    sketch = fa.frames.ThresholdSketch()
    sketch.update(correct, confidence)
    magic, _, written = rows["sketch"]
    data = sketch.to_bytes()
    assert data.startswith(magic.encode())
    assert struct.unpack_from("<H", data, 16) == (int(written),)
    assert set(rows) == {
        "output of commands",
        "policy",
        "state of a monitor",
        "combination of engines",
        "sketch",
    }


def test_files_from_before_format_2_load(tmp_path, monkeypatch):
    """A policy, states, answers: none has keys of figures, which format 2 of JSON spells anew."""
    shutil.copytree(Path(__file__).parent / "format_1", tmp_path / "format_1")
    monkeypatch.chdir(tmp_path / "format_1")

    def figures(*arguments, code=0):
        return json.loads(run(*arguments, "--format", "json", code=code).stdout)

    check = figures("check", "policy.json", "outputs.csv", code=3)["check"]
    assert (check["of_fit"], check["n_items"]) == (True, 300)
    monitor = figures("monitor", "policy.json", "outputs.csv", "--state", "state.json")["monitor"]
    assert monitor["policies"][0]["audited"] == 300  # which count once
    sample = figures("sample", "texts.csv", "--answers", "answered.csv", "-o", "verified.csv")
    assert sample["sample"]["answered"] == 38
    search = "search", "texts.csv", "--error-rate", 0.2, "--state", "search.json", "-o", "batch.csv"
    assert figures(*search)["search"]["verified"] == 50
