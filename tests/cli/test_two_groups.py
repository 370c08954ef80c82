"""``--group`` given twice: nested columns count by the outer one, crossed ones by both."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import detailed as run
from commands import reason

import fastarac as fa


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 3600
    writer, form = np.repeat(np.arange(60), 60), np.tile(np.arange(60), 60)
    batch = writer // 2
    z = rng.normal(size=60)[writer] + rng.normal(size=60)[form] + rng.normal(size=n)
    confidence = np.round(1 / (1 + np.exp(-z)), 3)
    correct = (rng.random(n) < 1 / (1 + np.exp(-z - 2))).astype(int)
    path = tmp_path_factory.mktemp("two") / "items.csv"
    rows = zip(correct, confidence, writer, form, batch, strict=True)
    text = "\n".join(",".join(map(str, row)) for row in rows)
    path.write_text("correct,confidence,writer,form,batch\n" + text + "\n")
    return path, correct, confidence, {"writer": writer, "form": form, "batch": batch}


def interval_of(output):
    model = json.loads(output)["models"][0]
    return model["arac_auc_interval_low"], model["arac_auc_interval_high"]


@pytest.mark.parametrize("names", [("writer", "form"), ("form", "writer"), ("batch", "writer")])
def test_intervals(items, names):
    path, correct, confidence, columns = items
    groups = [option for name in names for option in ("--group", name)]
    found = json.loads(run("evaluate", path, "--ci", "0.95", *groups, "--format", "json").stdout)
    factors = tuple(columns[name] for name in names)
    expected = fa.evaluate(correct, confidence, groups=factors, intervals=True).to_dict()
    model = found["models"][0]
    ends = [key for key in expected if key.startswith("arac_auc") and key.endswith(("low", "high"))]
    assert ends
    for key in ends:
        assert model[key] == pytest.approx(expected[key], rel=1e-12)
    outer = fa.evaluate(correct, confidence, groups=columns["batch"], intervals=True).to_dict()
    assert (outer == expected) == (names == ("batch", "writer"))


def test_where_one_is_expected(items):
    path = str(items[0])
    crossed = ("--group", "writer", "--group", "form")
    message = reason("fit", path, "--error-rate", "0.05", *crossed, "-o", "policy.json")
    assert "or two nested ones: these two are crossed" in message
    message = reason("evaluate", path, "--ci", "0.95", "--group", "writer", "--group", "writer")
    assert "--group must name one column, or two" in message
    message = reason("evaluate", path, "--ci", "0.95", "--group", "none", "--group", "writer")
    assert "--group none cannot go with another --group" in message
