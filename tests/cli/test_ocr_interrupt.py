"""The command `fastarac ocr` at a terminal: progress, and Ctrl-C with worker processes."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from fastarac.ocr import sample_folders

PAGES = 160
AT_ONCE = "from fastarac.cli import _ocr_text, main; _ocr_text.PATIENCE = 0; main()"
pytestmark = pytest.mark.slow


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self.seen = b""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="100")
            os.execv(sys.executable, [sys.executable, "-c", AT_ONCE, *arguments])

    def read(self, seconds: float) -> bool:
        """Take in what is written in that time; return whether more may come."""
        if select.select([self.file], [], [], seconds)[0]:
            try:
                part = os.read(self.file, 1 << 16)
            except OSError:  # the program has ended
                return False
            self.seen += part
            return bool(part)
        return True

    def wait_for(self, text: bytes) -> None:
        until = time.monotonic() + 120
        while text not in self.seen:
            assert self.read(0.1), self.seen.decode()
            assert time.monotonic() < until, self.seen.decode()

    def end(self) -> int:
        while self.read(60):
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.file)
        return status

    def children(self) -> list[Path]:
        """The processes that the program has started."""
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [Path("/proc", child) for child in found.read_text().split()]


@pytest.fixture
def folders(tmp_path):
    """So many pages that they are read in worker processes."""
    sample = sample_folders()
    for name, folder in (("truth", sample.truth), ("ocr", sample.outputs["plain"])):
        (tmp_path / name).mkdir()
        files = sorted(folder.glob("worn*"))
        for k in range(PAGES):
            file = files[k % len(files)]
            (tmp_path / name / f"p{k:03}{file.suffix}").symlink_to(file)
    return tmp_path


def is_gone(process: Path) -> bool:
    """Whether a process has ended, be it that no one has asked for its status yet."""
    try:
        return "\nState:\tZ" in (process / "status").read_text()
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are found in /proc")
def test_ctrl_c_ends_all_at_once(folders):
    out = folders / "out.parquet"
    terminal = Terminal("ocr", str(folders / "truth"), str(folders / "ocr"), "-o", str(out))
    terminal.wait_for(b"Reading and aligning")
    children = terminal.children()
    assert children
    sent = time.monotonic()
    os.write(terminal.file, b"\x03")
    assert terminal.end() == 130
    assert time.monotonic() - sent < 5
    assert b"Traceback" not in terminal.seen
    assert b"error" not in terminal.seen
    while not all(map(is_gone, children)):
        assert time.monotonic() - sent < 10
        time.sleep(0.05)
    assert [path.name for path in folders.iterdir() if not path.is_dir()] == []


def test_progress_goes_away_when_done(folders):
    terminal = Terminal("ocr", str(folders / "truth"), str(folders / "ocr"), "--error-rate", "0.05")
    assert terminal.end() == 0
    assert b"/160" in terminal.seen
    figures = terminal.seen.rpartition(b"Reading and aligning")[2]
    assert b"At most 5% errors: accept" in figures
