"""Instructions are counted where Valgrind is, and nothing is claimed where it is not."""

from __future__ import annotations

import shutil

import pytest

from bench import instructions


@pytest.mark.slow
def test_counts_follow_the_items(capsys: pytest.CaptureFixture[str]) -> None:
    """Two thousand items more, some 30 to 300 instructions more for each."""
    if shutil.which("valgrind") is None:
        with pytest.raises(SystemExit, match="valgrind is not installed"):
            instructions.main([])
        return
    instructions.main(["--sizes", "3000,5000", "--works", "float64"])
    small, large = (
        int(line.split()[-5].replace(",", "")) for line in capsys.readouterr().out.splitlines()
    )
    assert 30 * 2000 < large - small < 300 * 2000
