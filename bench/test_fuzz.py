"""What fails in an attempt is noticed, told with its seed, and ends the command with 1."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from bench.fuzz import __main__, running

if TYPE_CHECKING:
    from pathlib import Path

TARGET = '''"""{name} inputs."""
import faulthandler, os, signal, time
from bench.fuzz.running import memory_watched

def attempt(rng):
    if rng.randrange(20) == 0:
        {failing}
'''
FAILING = {
    "raising": ("raise KeyError('x')", "KeyError: 'x'"),
    "verbose": ("raise KeyError('x' * 200_000)", "KeyError: 'xxx"),
    "exiting": ("raise SystemExit(0)", "SystemExit: 0"),
    "crashing": ("os.kill(os.getpid(), signal.SIGSEGV)", "the process ended with SIGSEGV"),
    "leaving": ("os._exit(3)", "the process ended with status 3"),
    "endless": ("time.sleep(60)", "no end was seen"),
    "swelling": (
        "\n        with memory_watched(10):\n            len(bytes([1]) * (80 << 20))",
        "bytes of memory for a file of 10 bytes",
    ),
}


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A module with this kind of attempt."""
    name = f"fuzz_target.{request.param}"
    folder = tmp_path / "fuzz_target"
    folder.mkdir()
    (folder / "__init__.py").touch()
    failing = FAILING.get(request.param, ("pass", ""))[0]
    text = TARGET.format(name=request.param, failing=failing)
    (folder / f"{request.param}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(running, "PATIENCE", 8.0)
    for loaded in [each for each in sys.modules if each.startswith("fuzz_target")]:
        monkeypatch.delitem(sys.modules, loaded)
    return name


@pytest.mark.parametrize("target", FAILING, indirect=True)
def test_failures_are_told_with_their_seed(target: str) -> None:
    """However an attempt fails; and the seed repeats it at once."""
    found = running.run(target, seconds=20.0, seed=7)
    said = FAILING[target.partition(".")[2]][1]
    assert said in str(found.failure)
    assert found.attempts > 1
    seed = 7 + found.attempts - 1
    assert f"--seed {seed} --attempts 1" in str(found.failure)
    again = running.run(target, seconds=20.0, seed=seed, attempts=1)
    assert said in str(again.failure)
    assert again.attempts == 1


@pytest.mark.parametrize("target", ["harmless"], indirect=True)
def test_attempts_and_seconds_bound_a_run(target: str) -> None:
    """Whichever comes first."""
    assert running.run(target, seconds=60.0, seed=0, attempts=50)[:3] == (
        target, "harmless inputs", 50,
    )  # fmt: skip
    found = running.run(target, seconds=0.2, seed=0)
    assert found.failure is None
    assert found.attempts > 50


@pytest.mark.parametrize("name", running.targets())
def test_each_target_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A few inputs of each, by the command."""
    assert __main__.main(["--target", name, "--attempts", "20"]) == 0
    assert "20 inputs" in capsys.readouterr().out
