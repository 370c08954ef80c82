"""The command prints what it is asked for, in every form."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from bench import __main__ as command
from bench import commands, fresh, memory, reads, report
from bench.compare import OURS
from bench.works import TIME, WORKS, Target

if TYPE_CHECKING:
    from pathlib import Path

FEW = ["--sizes", "1e3,2000", "--works", "101", "--peers", "scikit-learn", "--rounds", "2"]


def test_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With rich where it is installed, without it otherwise."""

    def without_rich(_: report.Run) -> None:
        raise ModuleNotFoundError(name="rich")

    if find_spec("rich"):
        command.main(FEW)
        assert "np.sort, all distinct" in capsys.readouterr().out
    monkeypatch.setattr(report, "print_rich", without_rich)
    command.main(FEW)
    text = capsys.readouterr().out
    assert "np.sort, all distinct" in text
    assert "≤ 0.35 at 10⁷" in text


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """All times, and whether the target at 10³ is met."""
    command.main(
        ["--json", "--sizes", "1000", "--works", "float64", "--peers", "none", "--rounds", "3"]
    )
    cell = json.loads(capsys.readouterr().out)["comparison"][0]
    assert len(cell["seconds"]["fastarac"]) == 3
    assert {target["measure"] for target in cell["targets"]} == {"time"}


def test_record(tmp_path: Path) -> None:
    """The page of benchmarks has the medians, and the target at 10³."""
    record = tmp_path / "benchmarks.json"
    asked = ["--sizes", "1000", "--works", "evaluate", "--peers", "none", "--rounds", "3"]
    command.main([*asked, "--record", str(record)])
    data = json.loads(record.read_text(encoding="utf-8"))
    assert set(data["cells"][0]["seconds"]) == {"fastarac", "np.sort"}
    assert [(row["n"], row["measure"], row["limit"]) for row in data["targets"]] == [
        (1000, "time", "120 µs")
    ]


def test_record_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh processes, commands and the peak memory stand in the record, each beside its limit."""
    monkeypatch.setattr(fresh, "first_result", lambda _: 0.1)  # test_fresh.py has the real one
    slow = {commands.COMMANDS[0].name: [9.0, 10.0, 11.0]}
    monkeypatch.setattr(commands, "times", lambda _: slow)
    growths = [memory.Growth(name, 10**8, 2**30, 8 * 10**8) for name in (OURS, "scipy")]
    monkeypatch.setattr(command, "peak_memory", lambda *_: growths)
    record = tmp_path / "benchmarks.json"
    asked = ["--sizes", "none", "--peers", "none", "--start", "1", "--commands", "--memory"]
    command.main([*asked, "--record", str(record)])
    data = json.loads(record.read_text(encoding="utf-8"))
    rows = {row["what"]: (row["limit"], row["met"]) for row in data["processes"]}
    assert rows[fresh.WARM_ROW] == ("500 ms", "✓")
    assert rows[fresh.NUMPY_ROW] == ("", "")
    assert rows[commands.COMMANDS[0].name] == ("3 s", "✗")
    found = [(row["name"], row["found"], row["limit"], row["met"]) for row in data["memory"]]
    assert found == [("fastarac", "1.34", "1.2", "✗"), ("scipy", "1.34", "", "")]


def test_markdown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh processes and memory, without the comparison."""
    monkeypatch.setattr(fresh, "first_result", lambda _: 0.1)  # test_fresh.py has the real one
    extra = ["--memory", "2e6"] if memory.available() else []
    command.main(["--markdown", "--sizes", "none", "--peers", "none", "--start", "1", *extra])
    text = capsys.readouterr().out
    assert "import fastarac, beyond numpy" in text
    assert "work" not in text
    assert ("peak memory" in text) == memory.available()


@pytest.mark.parametrize(
    ("option", "value"),
    [("--sizes", "10"), ("--sizes", "many"), ("--peers", "nobody"), ("--rounds", "0")],
)
def test_wrong_arguments(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not understood is named."""
    with pytest.raises(SystemExit):
        command.main([option, value])
    assert option in capsys.readouterr().err


def test_check_ends_with_1_where_a_target_is_missed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where the best round misses it, too."""
    asked = ["--check", "--sizes", "1000", "--works", "evaluate", "--peers", "none", "--rounds", "3"]
    evaluate = next(work for work in WORKS if work.name == "evaluate")
    for limit, code in ((1e9, None), (1e-9, 1)):
        targets = (Target(TIME, limit, 1000), Target(TIME, 0.0, 10**4))
        monkeypatch.setattr(report, "WORKS", [replace(evaluate, targets=targets)])
        if code is None:
            command.main(asked)
            assert "missed" not in capsys.readouterr().err
        else:
            with pytest.raises(SystemExit, match="1"):
                command.main(asked)
            assert "missed: evaluate at 10³: time" in capsys.readouterr().err


def test_texts() -> None:
    """Figures in few characters."""
    assert report.seconds_text(0.0123, 0.0099, 0.2) == "12 ms (9.9–200)"
    assert report.seconds_text(3e-5) == "30 µs"
    assert report.ratio_text(0.02, 0.01, 0.2) == "1/50 (1/100–1/5)"
    assert report.ratio_text(0.8) == "0.80"
    assert report.size_text(10**7) == "10⁷"
    assert report.size_text(250_000) == "250,000"


def test_floor(capsys: pytest.CaptureFixture[str]) -> None:
    """Each way's steps and area, beside one read of the data."""
    command.main(["floor", "--sizes", "1e3,1e5", "--rounds", "1"])
    text = capsys.readouterr().out
    assert "1,000 items" not in text
    for part in (*reads.WAYS, reads.READ, reads.SORT, reads.AREA, "floor", "target: 18 reads"):
        assert part in text
