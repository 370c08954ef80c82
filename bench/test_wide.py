"""Commands on large tables, small ones here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from bench import wide

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell what a process has taken")
def test_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command runs on its files; of one, the figures are shown."""
    monkeypatch.setattr(wide, "MODELS", 2)
    paths = wide.write(tmp_path, 1e-5)
    assert [len(files) for files in paths.values()] == [2, 1, 1]
    text = wide.line(wide.TABLES[0], paths[wide.WIDE], rounds=1)
    assert "× DuckDB's reading" in text
    # The peak is at least the memory of this process, from which the command is forked: no mark.
    assert "≤ 400 MB " in text
