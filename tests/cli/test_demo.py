"""``fastarac demo``: one table, its figures, its options."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import commands
from commands import run

import fastarac as fa
from fastarac.datasets import load_digits_ocr


def test_table():
    result = commands.run("demo")
    assert result.stderr == ""
    assert result.stdout.startswith("4 classifiers have read 1,797 images")
    assert "At most 1% errors: knn-votes accepts most, 96.3% at confidence >= 0.6" in result.stdout
    assert result.stdout.splitlines()[-1] == "Next: fastarac evaluate --help"
    assert "logistic-pca5  " in result.stdout
    readme = Path(__file__).parents[2] / "README.md"
    printed = commands.run("demo", env={"COLUMNS": "80"}).stdout
    assert printed.strip() in readme.read_text(encoding="utf-8")


def test_options(tmp_path):
    plot = tmp_path / "demo.svg"
    arguments = "--format", "json", "--plot", plot
    records = commands.records(run("demo", *arguments).stdout)
    for record in records:
        expected = fa.evaluate(
            *load_digits_ocr()[record["model"]],
            intervals=True,
        )
        assert record == {"model": record["model"], **expected.to_dict()}
    assert "svg" in ET.parse(plot).getroot().tag
