"""`--truth-found`: the share of the errors that verifiers find, in the commands about policies."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import run

from fastarac import operation


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("truth_found")
    for name, seed in (("verified.csv", 0), ("new.csv", 1)):
        rng = np.random.default_rng(seed)
        confidence = rng.random(3000).round(4)
        correct = rng.random(3000) >= 0.2 * (1 - confidence)
        lines = [f"{c},{int(right)}" for c, right in zip(confidence, correct, strict=True)]
        (folder / name).write_text("confidence,correct\n" + "\n".join(lines) + "\n")
    return folder


def test_from_the_fit_to_the_monitor(folder):
    limit = "--error-rate", 0.05
    path = folder / "p.json"
    fitted = run("fit", folder / "verified.csv", *limit, "--truth-found", 0.8, "-o", path)
    said = " ".join(fitted.stdout.split())
    policy = operation.Policy.load(path)
    assert policy.truth_reader is not None
    assert policy.truth_reader.detection_rate == 0.8
    assert "if readers find 80% of the errors at every confidence" in said
    assert "Overlooked errors reduce the accepted share" in said
    checked = json.loads(run("check", path, folder / "new.csv", "--format", "json", code=None).stdout)
    assert checked["check"]["truth_found"] == 0.8
    watched = json.loads(run("monitor", path, folder / "new.csv", "--format", "json", code=None).stdout)
    assert watched["monitor"]["policies"][0]["truth_found"] == 0.8


def test_a_plan_from_counts():
    plan = "plan", "--error-rate", 0.05, "--expect", 0.02
    erring = run(*plan, "--truth-found", "180,20,20", "--format", "json").stdout
    found, plain = (
        json.loads(text)["plan"] for text in (erring, run(*plan, "--format", "json").stdout)
    )
    assert found["double_readings"] == [180, 20, 20]
    assert found["stable"] > plain["stable"]


@pytest.mark.parametrize("given", ["1.5", "a", "1,2", "0,3,0"])
def test_what_is_refused(given):
    plan = "plan", "--error-rate", 0.05, "--expect", 0.02
    assert "Invalid value for '--truth-found'" in run(*plan, "--truth-found", given, code=2).output
