"""Peak memory of an AUC in addition to its inputs, measured by the system in a separate process."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import peers, works
from bench.compare import OURS
from bench.floor import ROOT

LIMIT = 1.2  # times the confidences
WARM_UP = 1 << 18  # items: enough to compile and load all that the large call needs
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Growth(NamedTuple):
    """Extra memory at the peak of one AUC."""

    name: str
    n: int
    extra: int
    confidences: int

    @property
    def ratio(self) -> float:
        """Extra memory, in multiples of the confidences."""
        return self.extra / self.confidences


def _status(field: str) -> int:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    message = f"{STATUS} has no {field}"
    raise RuntimeError(message)


def peak() -> int:
    """Return the peak memory of this process, in bytes."""
    if STATUS.exists():
        return _status("VmHWM")  # ru_maxrss would include the parent's on Linux
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS


def reset_peak() -> None:
    """Reset the peak to the memory held now, if the system can do so."""
    with contextlib.suppress(OSError):
        CLEAR.write_text("5", encoding="ascii")


def available() -> bool:
    """Whether this system reports the peak memory of a process."""
    return sys.platform in {"linux", "darwin"}


def growth(name: str, n: int) -> Growth:
    """Measure an AUC of n items in a new process, by fastarac or a peer."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.memory", name, str(n)], cwd=ROOT, check=True, text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    extra, confidences = map(int, done.stdout.split())
    return Growth(name, n, extra, confidences)


def measure(name: str, n: int) -> tuple[int, int]:
    """Return the growth of the peak during one AUC, and the size of the confidences, in bytes."""
    work = works.WORKS[0]
    prepare = None if name == OURS else peers.find(name)
    for size in (WARM_UP, n):
        items = work.inputs(size)
        call = prepare.calls["auc"](items) if prepare else partial(work.run, items)
        reset_peak()
        before = peak()
        call()
        after = peak()
    return after - before, items.confidence.nbytes


if __name__ == "__main__":
    print(*measure(sys.argv[1], int(sys.argv[2])))
