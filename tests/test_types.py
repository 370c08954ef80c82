"""What a type checker tells users: right calls pass, and each wrong one is an error where it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

CALLS = Path(__file__).with_name("typed_calls.py")
MARK = "  # type: ignore[call-overload]"
PACKAGE = Path(__file__).parents[1]


@pytest.mark.slow
def test_wrong_calls_are_errors_for_mypy(tmp_path, monkeypatch):
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if line.endswith(MARK)]
    assert len(marked) > 10
    script = tmp_path / "script.py"
    script.write_text("\n".join(line.removesuffix(MARK) for line in lines), encoding="utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = true\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(PACKAGE))
    options = ["--config-file", str(config), "--cache-dir", str(tmp_path / "cache")]
    out, complaints, _ = api.run([*options, "--follow-imports=silent", str(script)])
    assert complaints == ""
    errors = re.findall(r"^script\.py:(\d+): error: .*\[([a-z-]+)\]$", out, re.MULTILINE)
    assert [(int(number), code) for number, code in errors] == [(n, "call-overload") for n in marked], (
        out
    )
