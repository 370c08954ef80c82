"""The one place with options for the compiler.

Every loop of the library is compiled by :func:`.kernel`: without the GIL, so that a thread pool can
run several at once, and cached on disk, so that only the first process ever pays for compilation.
Nothing in C calls a kernel, so that numba need not compile an entrance for such callers.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numba
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")
Array = NDArray[Any]

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
with suppress(ImportError):
    from numba.core.options import DefaultOptions

    if hasattr(DefaultOptions, "no_cfunc_wrapper"):  # an option that numba does not document
        _OPTIONS["no_cfunc_wrapper"] = True


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call, and keep the machine code on disk where that is possible.

    Where a version of numba lacks what the cache needs, each process compiles its kernels anew. numba's
    own cache does not take its place: it runs old code after an edit of another file, and may run code
    for other types where processes that share it compile one kernel at once.
    """
    compiler: Any = numba.njit(**_OPTIONS)
    dispatcher: Any = compiler(function)
    if dispatcher is not function:  # compilation is not switched off
        with suppress(ImportError, AttributeError, OSError):  # another numba; no source to read
            from fastarac._kernels._disk import keep_on_disk

            keep_on_disk(dispatcher)
    return dispatcher
