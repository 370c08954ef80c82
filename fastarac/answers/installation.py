"""Examine the installation: versions, threads, cache, missing packages, and a trial computation."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.text import listed
from fastarac._engine.strategy import processors
from fastarac._version import __version__
from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import Said

if TYPE_CHECKING:
    from collections.abc import Iterator

CORE = ("numpy", "numba", "llvmlite")
REQUIREMENT = re.compile(
    r"""
    (?P<package>[\w.-]+) (?:\[ (?P<others>[^]]*) \])? .* extra\s*==\s*['"] (?P<extra>[^'"]+) ['"]""",
    re.VERBOSE,
)
FOR_DEVELOPERS = {"all", "bench", "docs", "test"}
TRIAL = ([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])  # correctness and confidence of four items
TRIAL_AREA = 0.96875


def examine() -> dict[str, Any]:
    """Return facts about the installation, and the result of a trial computation."""
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
    """Return the folder of compiled code, its size, and whether it is writable."""
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
    """Return the missing packages of each extra of fastarac; an extra may include other extras."""
    try:
        lines = requires("fastarac") or []
    except PackageNotFoundError:  # fastarac runs from its source and is not installed
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


def is_right(found: dict[str, Any]) -> bool:
    """Return whether the trial computation gave the right area."""
    return bool(found["trial"]["area"] == TRIAL_AREA)


def screen(found: dict[str, Any]) -> Screen:
    """Return what to print: whether fastarac works, the versions, and missing packages."""
    trial, number = found["trial"], found["fastarac"]
    seconds = f"{trial['seconds']:.2f} s with loading"
    said = f"fastarac {number} works: a trial gives the right area, {trial['area']} ({seconds})."
    if trial["area"] != TRIAL_AREA:
        said = f"fastarac {number} is broken: a trial gives {trial['area']} instead of {TRIAL_AREA}."
    lines = _lines(found)
    width = max(len(name) for name, _ in lines)
    notes = [Note(each, Weight.DECIDES) for each in _problems(found)]
    lacking = {
        extra: each for extra, each in found["extras"].items() if each and extra not in FOR_DEVELOPERS
    }
    extras = [
        Said(f"{extra}: lacks {listed(lacking[extra])}" if extra in lacking else f"{extra}: installed")
        for extra in found["extras"]
        if extra in lacking or extra not in FOR_DEVELOPERS
    ]
    command = f'pip install ".[{",".join(lacking)}]"' if lacking else ""
    if lacking:
        notes.append(Note(f"Packages are missing for {listed(list(lacking))}.", Weight.LITTLE))
    return Screen(
        [said, *(f"{name:{width}}  {text}" for name, text in lines)],
        notes=notes,
        command=command,
        details=[Section("Optional packages", extras)] if extras else [],
    )


def _problems(found: dict[str, Any]) -> Iterator[str]:
    if found["threads"] is None:
        limit = found["FASTARAC_NUM_THREADS"]
        yield f"FASTARAC_NUM_THREADS is {limit!r}; use a whole number of at least 1."
    cache = found["cache"]
    if cache["path"] is None:
        yield "Every process compiles anew: set NUMBA_CACHE_DIR to a folder, or use an older numba."
    elif not cache["writable"]:
        yield f"Compiled code cannot be kept: {cache['path']} is not writable."


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    threads = f"{found['threads'] or '?'} of {found['processors']} processors"
    if found["threads"] is not None and found["FASTARAC_NUM_THREADS"]:
        threads += " (FASTARAC_NUM_THREADS)"
    cache = found["cache"]
    kept = "nowhere"
    if cache["path"] is not None:
        kept = f"{cache['functions']:,} functions, {cache['bytes'] / 1e6:.1f} MB, in {cache['path']}"
    return [
        ("installed in", found["installed_in"]),
        ("Python", f"{found['python']}, {found['platform']}, {found['executable']}"),
        ("packages", ", ".join(f"{name} {number}" for name, number in found["packages"].items())),
        ("threads", threads),
        ("compiled", kept),
    ]
