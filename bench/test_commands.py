"""Commands on files, small ones: as whole processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bench import commands

if TYPE_CHECKING:
    from pathlib import Path


FEW_WORDS = 4_000


@pytest.mark.parametrize("command", commands.COMMANDS, ids=lambda command: command.name)
def test_command(benchmark: Any, command: commands.Command, size: int, tmp_path: Path) -> None:
    """The start of the process included; the kernels are compiled before."""
    commands.run(command, commands.write_files(command, 200, tmp_path))
    n = min(size, FEW_WORDS if command.of_pages else command.rows)
    files = commands.write_files(command, n, tmp_path)
    _, text = benchmark(commands.run, command, files)
    assert "Next: fastarac " in text
    assert all(file.stem in text for file in files if file.name != "truth")
    assert (tmp_path / "report.html").exists() == command.report
