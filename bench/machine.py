"""Describe the machine and the software of a run."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import fastarac as fa
from bench import floor
from bench.peers import processors, threads_of_fastarac

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.peers import Peer


def processor_name() -> str:
    """Name of the processor, as far as the system gives it."""
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text(encoding="utf-8").splitlines():
            if line.lower().startswith(("model name", "hardware")):
                return line.partition(":")[2].strip()
    if platform.system() == "Darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return platform.processor() or platform.machine()


def version_of(distribution: str) -> str:
    """The version of a package, or a note that it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def facts(peers: Iterable[Peer], missing: Iterable[str]) -> dict[str, str]:
    """All that a reader needs to judge the figures, by name."""
    found = {
        peer.name: f"{peer.version}, {peer.threads} thread{'s' * (peer.threads > 1)}" for peer in peers
    }
    facts = {
        "processor": f"{processor_name()} ({platform.machine()})",
        "processors used": f"{processors()} of {os.cpu_count()}",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "numpy": version_of("numpy"),
        "numba": version_of("numba"),
        "fastarac": f"{fa.__version__}, up to {threads_of_fastarac()} threads",
        **found,
        **dict.fromkeys(missing, "not installed"),
        "np.sort": f"as numpy dispatches it: {', '.join(floor.found_features()) or 'baseline'}",
    }
    if hasattr(os, "getloadavg"):
        facts["load at the start"] = f"{os.getloadavg()[0]:.1f}"
    return facts
