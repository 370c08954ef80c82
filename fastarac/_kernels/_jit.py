"""The one place with options for the compiler.

Every loop of the library is compiled by :func:`kernel`: without the GIL, so that a thread pool can
run several at once, and cached on disk, so that only the first process ever pays for compilation.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call, and keep the machine code on disk where that is possible.

    The cache lies beside the source, in the user's cache directory where the installation is
    read-only, and nowhere at all where neither can be written to: the code is then compiled anew in
    each process.
    """
    compiler: Any = numba.njit
    try:
        dispatcher = compiler(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no directory to write to
        dispatcher = compiler(**_OPTIONS)(function)
    _harden_cache(dispatcher)
    return dispatcher


def _harden_cache(dispatcher: Any) -> None:
    """Make the disk cache safe for many processes that start on it at once, and for a full disk.

    numba numbers its data files by counting the entries of the index it has just read. Two
    processes that compile the same kernel for *different* argument types at the same time both
    take the same number; the index of one and the data of the other may then survive, and a later
    process would run machine code made for other types. A name that no one else takes rules that out.
    """
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is None:  # nothing is cached, or compilation is switched off
        return
    stem = cache_file._index_name.removesuffix(".nbi")

    def data_name(number: int) -> str:
        return f"{stem}.{number}-{uuid.uuid4().hex[:12]}.nbc"

    cache_file._data_name = data_name
    save = cache_file.save

    def save_if_possible(key: Any, data: Any) -> None:
        try:
            save(key, data)
        except OSError:  # a full disk or an exceeded quota must not fail the computation
            return

    cache_file.save = save_if_possible
