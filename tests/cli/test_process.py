"""The command as a process: its exit status, signals, pipes and what it writes where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import commands
import pytest
from commands import GOOD

pytestmark = pytest.mark.slow  # each starts a process or several


def run_process(
    *arguments: object, before: str = "", stdout: int = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", f"{before}\nfrom fastarac.cli import main; main()"]
    return subprocess.run(
        [*command, *map(str, arguments)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        check=False,
        timeout=300,
    )


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.csv"
    path.write_text(GOOD)
    return path


class TestProcess:
    def test_entry_point(self, good):
        result = run_process("evaluate", good, "--format", "json")
        assert result.returncode == 0
        assert result.stderr == b""
        assert commands.records(result.stdout)[0]["n"] == 5
        # numba imports scipy to compile, as it may have done above, and not to read what is compiled
        at_the_end = "print('scipy.linalg' in sys.modules, 'numba' in sys.modules, file=sys.stderr)"
        before = f"import atexit, sys\natexit.register(lambda: {at_the_end})"
        assert run_process("evaluate", good, before=before).stderr == b"False True\n"

    def test_completion_of_commands_and_options(self):
        def completed(words: str) -> list[str]:
            place = str(words.count(" "))
            given = {"COMP_WORDS": words, "COMP_CWORD": place, "_FASTARAC_COMPLETE": "complete_bash"}
            return run_process(**given).stdout.decode().split()

        assert completed("fastarac mon") == ["monitor"]
        assert "--costs" in completed("fastarac evaluate --co")
        script = run_process(
            "--show-completion", "zsh", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
        )
        assert b"#compdef fastarac" in script.stdout

    def test_error(self, tmp_path):
        result = run_process("evaluate", tmp_path / "missing.csv")
        assert result.returncode == 2
        assert result.stdout == b""
        assert result.stderr.startswith(b"fastarac: error: ")

    def test_colors(self):
        colored = run_process("demo", FORCE_COLOR="1", COLUMNS="200", TERM="xterm")
        assert b"\x1b[1;32m" in colored.stdout
        plain = run_process("demo", FORCE_COLOR="1", COLUMNS="200", TERM="xterm", NO_COLOR="1")
        assert b"32m" not in plain.stdout

    def test_poor_encoding(self, tmp_path):
        path = tmp_path / "ä.csv"
        path.write_text(GOOD)
        result = run_process("evaluate", path, PYTHONIOENCODING="ascii")
        assert result.returncode == 0
        assert b"\\xe4" in result.stdout

    @pytest.mark.parametrize("arguments", [("demo", "--format", "csv"), ("--help",)])
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
    def test_full_disk(self, arguments):
        with Path("/dev/full").open("wb") as full:
            result = run_process(*arguments, stdout=full.fileno())
        assert result.returncode == 2
        message = "fastarac: error: the standard output cannot be written: No space left on device\n"
        assert result.stderr.decode() == message

    @pytest.mark.skipif(os.name != "posix", reason="signals")
    @pytest.mark.parametrize("module", ["pathlib", "contextlib", "fastarac._core.extras", "rich"])
    def test_interrupted_while_modules_are_imported(self, module):
        before = f"""
import os, signal, sys

sys.modules.pop({module!r}, None)  # which the start of Python may have imported

class Interrupts:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(10**6):  # until the signal is seen
                    pass
            except BaseException:  # as some modules do
                raise ImportError("something went wrong")

sys.meta_path.insert(0, Interrupts())
"""
        result = run_process("demo", before=before)
        assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")

    def test_next_to_nothing_is_imported_before_interrupts_are_handled(self):
        before = """
import signal, sys

at_first = set(sys.modules)

def handled(number, handler):
    print(*sorted(set(sys.modules) - at_first))
    raise SystemExit

signal.signal = handled
"""
        parts = ("", "._core", "._core.lazy", "._version", ".cli", ".cli._exit")
        expected = {"__future__", *(f"fastarac{part}" for part in parts)}
        assert set(run_process("demo", before=before).stdout.decode().split()) <= expected

    @pytest.mark.skipif(os.name != "posix", reason="signals")
    def test_interrupted_where_no_error_can_pass(self):
        before = """
import os, signal, time
import fastarac.datasets

class Callback:
    def __del__(self):  # like a callback that a compiler makes: what it raises is ignored
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)

def load():
    callback = Callback()
    del callback
    time.sleep(10_000)

fastarac.datasets.load_digits_ocr = load
"""
        result = run_process("demo", before=before)
        assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")

    @pytest.mark.skipif(os.name != "posix", reason="pipes break differently")
    def test_closed_pipe(self):
        script = "from fastarac.cli import main; main()"
        with subprocess.Popen(
            [sys.executable, "-c", script, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 141


class TestErrorsOfTheProgram:
    """No error of the program has the exit status of a verdict."""

    @pytest.mark.parametrize(
        ("command", "error"),
        [
            ("check", "KeyError('x')"),
            ("check", "EOFError('end')"),
            ("monitor", "RecursionError('deep')"),
            ("doctor", "Odd()"),
        ],
    )
    def test_status_of_an_error(self, good, command, error):
        name = {"check": "load", "monitor": "Watch", "doctor": "installation.examine"}[command]
        before = (
            f"import fastarac.cli._exit\nfrom fastarac.cli import _{command} as module\n"
            "class Odd(Exception):\n    exit_code = 1\n"
            f"def wrong(*_, **__):\n    raise {error}\nmodule.{name} = wrong"
        )
        given = [] if command == "doctor" else [good, good]
        result = run_process(command, *given, before=before)
        told = result.stderr.decode().strip()
        assert result.returncode == 70
        assert told.startswith(f"fastarac: internal error: {error.partition('(')[0]}")
        assert told.count("\n") == 0
        assert "Please report it" in told
        if command == "doctor":
            shown = run_process(command, *given, before=before, FASTARAC_DEBUG="1").stderr.decode()
            assert "Traceback (most recent call last)" in shown
            assert "in wrong" in shown

    def test_memory_that_is_too_little_is_no_defect(self, good):
        before = (
            "from fastarac.cli import _check\n"
            "def wrong(*_, **__):\n    raise MemoryError\n_check.load = wrong"
        )
        result = run_process("check", good, good, before=before)
        assert (result.returncode, result.stderr) == (
            2,
            b"fastarac: error: there is not enough memory\n",
        )

    def test_damaged_imports(self, good):
        result = run_process("check", good, good, before="import sys; sys.modules['typer'] = 3")
        assert result.returncode in (2, 70)
        assert b"Traceback" not in result.stderr

    @pytest.mark.parametrize("words", [["--help"], ["check", "--help"]])
    def test_help_that_nobody_reads_is_no_verdict(self, words):
        reader, writer = os.pipe()
        os.close(reader)
        assert run_process(*words, stdout=writer).returncode == 141
        os.close(writer)
