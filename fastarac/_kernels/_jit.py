"""The one place with options for the compiler.

Every loop of the library is compiled by :func:`.kernel`: without the GIL, so that a thread pool can
run several at once, and cached on disk, so that only the first process ever pays for compilation.
"""

from __future__ import annotations

import hashlib
import uuid
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def _sources_stamp() -> str:
    """Return a hash of the source of all kernels; empty where there is none to read.

    numba stamps the machine code of a function with its own file only, but a kernel contains what it
    calls from other files. Without a stamp of them all, an edit, or an update that left the caller's
    file as it was, would go on running the old code.
    """
    stamp = hashlib.sha256()
    try:  # in a directory or in a zip file
        sources = sorted(files("fastarac._kernels").iterdir(), key=lambda path: path.name)
        for path in sources:
            if path.name.endswith(".py"):
                text = path.read_bytes()
                stamp.update(f"{path.name} {len(text)}\n".encode())
                stamp.update(text)
    except OSError:  # frozen into an executable: that is what numba hashes then
        return ""
    return stamp.hexdigest()


_STAMP = _sources_stamp()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call, and keep the machine code on disk where that is possible.

    The cache lies beside the source, in the user's cache directory where the installation is
    read-only, and nowhere at all where neither can be written to: the code is then compiled anew in
    each process. So it is where this version of numba keeps its cache in a way that is not known here.
    """
    compiler: Any = numba.njit
    try:
        dispatcher = compiler(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no directory to write to
        return compiler(**_OPTIONS)(function)
    if dispatcher is function or _harden_cache(dispatcher):  # itself where compilation is switched off
        return dispatcher
    return compiler(**_OPTIONS)(function)


def _harden_cache(dispatcher: Any) -> bool:
    """Make the disk cache notice every edit, and safe for many processes and for a full disk.

    Returns False where numba's cache is not built as expected.

    numba numbers its data files by counting the entries of the index it has just read. Two
    processes that compile the same kernel for *different* argument types at the same time both
    take the same number; the index of one and the data of the other may then survive, and a later
    process would run machine code made for other types. A name that no one else takes rules that out.
    """
    cache_file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    parts = ("_index_name", "_source_stamp", "_data_name", "save")
    if not all(hasattr(cache_file, part) for part in parts):
        return False
    stem = cache_file._index_name.removesuffix(".nbi")

    def data_name(number: int) -> str:
        return f"{stem}.{number}-{uuid.uuid4().hex[:12]}.nbc"

    cache_file._data_name = data_name
    cache_file._source_stamp = (cache_file._source_stamp, _STAMP)
    save = cache_file.save

    def save_if_possible(key: Any, data: Any) -> None:
        try:
            save(key, data)
        except OSError:  # a full disk or an exceeded quota must not fail the computation
            return

    cache_file.save = save_if_possible
    return True
