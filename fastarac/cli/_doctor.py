"""What is installed, where compiled kernels are kept, and whether a first area comes out right."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import Any

from fastarac._core.text import listed
from fastarac._engine.strategy import processors
from fastarac._version import __version__
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._json import write_object
from fastarac.cli._standard import write

CORE = ("numpy", "numba", "llvmlite")
REQUIREMENT = re.compile(
    r"""
    (?P<package>[\w.-]+) (?:\[ (?P<others>[^]]*) \])? .* extra\s*==\s*['"] (?P<extra>[^'"]+) ['"]""",
    re.VERBOSE,
)
FOR_DEVELOPERS = {"all", "bench", "docs", "test"}
TRIAL = ([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])  # correct, confidence
TRIAL_AREA = 0.96875


def run(form: str) -> int:
    """Print what a report of a defect needs to say; the exit status is 1 where a trial fails."""
    with interrupts_end_at_once():
        found = examine()
    lines = _lines(found)
    if form == "json":
        decisions = [f"{name}: {text}." for name, text in lines]
        write_object("doctor", {"doctor": found}, decisions=decisions)
    else:
        width = max(len(name) for name, _ in lines)
        write("".join(f"{name:{width}}  {text}\n" for name, text in lines))
    return int(found["trial"]["area"] != TRIAL_AREA)


def examine() -> dict[str, Any]:
    """Return the versions, the threads, the cache, the extras, and the area of a trial."""
    begin = time.perf_counter()
    import fastarac
    from fastarac import _kernels

    area = fastarac.arac_auc_score(*TRIAL)
    seconds = time.perf_counter() - begin
    try:
        threads: int | None = processors()
    except ValueError:
        threads = None
    return {
        "fastarac": __version__,
        "installed_in": str(Path(fastarac.__file__).parent),
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: version(name) for name in CORE},
        "processors": os.cpu_count(),
        "threads": threads,
        "FASTARAC_NUM_THREADS": os.environ.get("FASTARAC_NUM_THREADS"),
        "cache": _cache(_kernels.ties.small_pairs),
        "trial": {"area": area, "seconds": round(seconds, 3)},
        "extras": _extras(),
    }


def _cache(kernel: Any) -> dict[str, Any]:
    """Where machine code is kept, how much there is, and whether more can be written."""
    path = getattr(getattr(kernel, "stats", None), "cache_path", None)
    if path is None:
        return {"path": None, "writable": False, "functions": 0, "bytes": 0}
    sizes = [file.stat().st_size for file in Path(path).glob("*.nbc")]
    return {
        "path": str(path),
        "writable": os.access(path, os.W_OK),
        "functions": len(sizes),
        "bytes": sum(sizes),
    }


def _extras() -> dict[str, list[str]]:
    """The packages that each extra lacks; an extra that includes others lacks what they lack."""
    try:
        lines = requires("fastarac") or []
    except PackageNotFoundError:  # run from its source
        return {}
    lacking: dict[str, list[str]] = {}
    included: dict[str, list[str]] = {}
    for line in lines:
        match = REQUIREMENT.fullmatch(line)
        if match is None:
            continue
        package, others, extra = match["package"], match["others"], match["extra"]
        lacking.setdefault(extra, [])
        if package == "fastarac":
            included.setdefault(extra, []).extend(name.strip() for name in (others or "").split(","))
        elif not _installed(package):
            lacking[extra].append(package)

    def all_of(extra: str) -> list[str]:
        more = (name for other in included.get(extra, []) for name in all_of(other))
        return sorted({*lacking.get(extra, []), *more})

    return {extra: all_of(extra) for extra in lacking}


def _installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is found in words: what it is about, and what there is."""
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items())
    limit = found["FASTARAC_NUM_THREADS"]
    threads = f"{found['threads']} of {found['processors']} processors"
    if found["threads"] is None:
        threads = f"FASTARAC_NUM_THREADS is {limit!r}: a whole number of at least 1 is expected"
    elif limit:
        threads += " (FASTARAC_NUM_THREADS)"
    cache = found["cache"]
    if cache["path"] is None:
        kept = "nowhere: every process compiles anew; name a folder in NUMBA_CACHE_DIR"
        kept += ", or take an older numba"
    else:
        kept = f"{cache['functions']:,} functions, {cache['bytes'] / 1e6:.1f} MB, in {cache['path']}"
        if not cache["writable"]:
            kept += " (which cannot be written to)"
    trial = found["trial"]
    verdict = "right" if trial["area"] == TRIAL_AREA else f"WRONG: {TRIAL_AREA} is expected"
    lines = [
        ("fastarac", f"{found['fastarac']}, in {found['installed_in']}"),
        ("Python", f"{found['python']}, {found['platform']}, {found['executable']}"),
        ("packages", packages),
        ("threads", threads),
        ("compiled", kept),
        ("a first area", f"{trial['area']}, {verdict}; {trial['seconds']:.2f} s with loading"),
    ]
    for extra, lacking in found["extras"].items():
        if not lacking:
            lines.append((f"[{extra}]", "installed"))
        elif extra not in FOR_DEVELOPERS:
            install = f'pip install "fastarac[{extra}]"'
            lines.append((f"[{extra}]", f"lacks {listed(lacking)}; {install}"))
    return lines
