"""`fastarac compare --by`: the figures of the library, in every form, and what is refused."""

from __future__ import annotations

import json
import re
from functools import partial

import commands
import numpy as np
import pytest

import fastarac as fa

run = partial(commands.run, "compare", code=None)


@pytest.fixture
def files(tmp_path):
    """Two engines on the same outputs in three languages; the first one fails in the last."""
    rng = np.random.default_rng(0)
    language = np.repeat(["de", "fr", "ru"], 600)
    models = {}
    for name, errors in {"one": [0.02, 0.02, 0.2], "two": [0.05, 0.05, 0.05]}.items():
        confidence = rng.random(1800).round(4)
        right = rng.random(1800) >= np.repeat(errors, 600) * 2.0 * (1.0 - confidence)
        models[name] = right, confidence
        lines = ["id,page,language,correct,confidence"]
        lines += [
            f"{k},{k // 20},{language[k]},{int(right[k])},{float(confidence[k])!r}" for k in range(1800)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [tmp_path / "one.csv", tmp_path / "two.csv"], models, language


@pytest.mark.parametrize("grouped", [False, True])
def test_the_figures_are_those_of_the_library(files, grouped):
    paths, models, language = files
    options = ["--group", "page"] if grouped else []
    groups = np.arange(1800) // 20 if grouped else None
    expected = fa.compare_parts(models, language, groups=groups)
    result = run(*paths, "--by", "language", *options, "--format", "json")
    assert result.exit_code == 0, result.output
    comparison = json.loads(result.stdout)["comparisons"][0]
    assert comparison["by"] == "language"
    columns = expected.to_columns()
    for name, column in columns.items():
        assert [row[name] for row in comparison["in_parts"]] == list(column)
    assert comparison["leads"] == [each.to_dict() for each in expected.leads]
    result = run(*paths, "--by", "language", *options, "--format", "csv")
    rows = result.stdout.splitlines()
    assert rows[0].split(",") == list(columns)
    assert [row.split(",")[0] for row in rows[1:]] == ["de", "fr", "ru"]


def test_one_screen(files):
    paths, *_ = files
    result = run(*paths, "--by", "language")
    lines = result.stdout.splitlines()
    assert len(lines) <= 24
    table = lines[lines.index("") : lines.index("", lines.index("") + 1)]
    assert max(map(len, table)) <= 80
    assert "in the others; one leads in de" in " ".join(result.stdout.split())


def test_of_two_parts_both_are_named(files):
    paths, *_ = files
    for path in paths:
        rows = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join(row for row in rows if ",fr," not in row), encoding="utf-8")
    said = " ".join(run(*paths, "--by", "language").stdout.split())
    assert re.search(r"depends on language .* in (de, .* in ru|ru, .* in de); one leads in de", said)
    assert "the others" not in said


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--statistic", "acceptance_at_error_rate:max_error_rate=0.01"], "--statistic acceptance_at"),
        (["--costs", "verification=1,correction=1,error=9"], "--costs"),
    ],
)
def test_what_is_refused(files, options, named):
    paths, *_ = files
    result = run(*paths, "--by", "language", *options)
    assert result.exit_code == 2
    assert f"--by cannot go with {named}" in result.stderr
