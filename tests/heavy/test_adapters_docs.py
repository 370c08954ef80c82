"""The recipes of the page on harnesses as programs, and the examples of the adapters."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastarac as fa

PAGE = Path(__file__).parents[2] / "docs" / "harness.md"
PARTS = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
RECIPES = {
    title: code
    for title, text in zip(PARTS[::2], PARTS[1::2], strict=True)
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
}


def test_each_tool_has_one_recipe():
    assert PARTS[::2] == [*RECIPES, "Keys"]  # which all tools share


@pytest.mark.parametrize("title", RECIPES)
def test_recipes_run_as_printed(title, tmp_path):
    path = tmp_path / "recipe.py"
    path.write_text(RECIPES[title], encoding="utf-8")
    result = subprocess.run(
        [sys.executable, str(path)],
        cwd=tmp_path,
        env={
            **os.environ,
            "HF_HOME": str(tmp_path / "hub"),
            "HF_HUB_OFFLINE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout


@pytest.mark.parametrize("name", fa.adapters.__all__)
def test_docstrings(name):
    module = importlib.import_module(f"fastarac.adapters.{name}")
    runner = doctest.DocTestRunner()
    for public in module.__all__:
        value = getattr(module, public)
        example = doctest.DocTestParser().get_doctest(value.__doc__, {}, public, None, None)
        runner.run(example)
        assert inspect.signature(value).parameters
    assert runner.failures == 0
    assert runner.tries or name == "mlflow"  # which writes files
