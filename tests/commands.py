"""The command line inside a test: what it prints, and what it refuses."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from files import write_delimited
from typer import testing
from typer.testing import CliRunner

from fastarac.cli._app import app

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "correct,confidence\n" + "1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.2\n"

# Typer builds all commands and their options anew whenever it runs one: longer than most of them take.
testing._get_command = cache(testing._get_command)


def run(*arguments: object, code: int | None = 0, **kwargs: Any):
    """Run a command that ends with this status; with None, with any. No sentence is broken."""
    env = {"COLUMNS": "10000"} | kwargs.pop("env", {})
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=env, **kwargs)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert code is None or result.exit_code == code, result.output
    return result


def detailed(*arguments: object, code: int | None = 0, **kwargs: Any):
    """Run a command with all that it can print."""
    return run(*arguments, "--details", code=code, **kwargs)


def refusal(*arguments: object) -> str:
    """Run a command that fails: nothing on stdout, one line on stderr."""
    result = run(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("fastarac: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def reason(*arguments: object) -> str:
    """Why a command is refused, without the name of the program."""
    return refusal(*arguments).removeprefix("fastarac: error: ").strip()


def write(path: Path, correct: Any, confidence: Any, **columns: Any) -> Path:
    """Write a file of outputs."""
    return write_delimited(path, {"correct": correct, "confidence": confidence, **columns})


def settings(folder: Path, text: str) -> tuple[str, Path]:
    """Write a file of settings for OCR; return the option that names it."""
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return "--settings", path


def records(printed: str) -> list[dict[str, Any]]:
    """The models in what a command has printed as JSON as CSV has them: with groups, one a group."""
    rows: list[dict[str, Any]] = []
    for found in json.loads(printed, parse_constant=pytest.fail)["models"]:
        name = {"model": found.pop("name")}
        groups = found.pop("groups", None)
        rows += (
            [name | found]
            if groups is None
            else [name | {"group": each.pop("name")} | each for each in groups]
        )
    return rows
