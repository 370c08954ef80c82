"""The decorator that compiles kernels, with all compiler options.

C code never calls a kernel, so numba need not compile C wrappers.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numba
from numpy.typing import NDArray

from fastarac._kernels._interpreted import interpret_while_small

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac._kernels._disk import KernelCache

P = ParamSpec("P")
R = TypeVar("R")
Array = NDArray[Any]

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
with suppress(ImportError):
    from numba.core.options import DefaultOptions

    # This option is undocumented, so some versions of numba may lack it.
    if hasattr(DefaultOptions, "no_cfunc_wrapper"):
        _OPTIONS["no_cfunc_wrapper"] = True


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call, and keep the machine code on disk if possible.

    If the cache does not support the installed numba, each process compiles its kernels itself. numba's
    own cache is never used. It does not notice edits of imported files. It may also run code for the
    wrong types if several processes compile a kernel at once.
    """
    return _compiled(function)[0]


def linear_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` as :func:`.kernel` does, but let Python run it on small arrays at first.

    The running time must be proportional to the size of the arrays, whatever the other arguments are.
    """
    dispatcher, cache = _compiled(function)
    if cache is not None and hasattr(dispatcher, "_compile_for_args"):
        target = dispatcher.targetctx
        interpret_while_small(dispatcher, lambda types: cache.has_file(types, target))
    return dispatcher


def _compiled(function: Callable[P, R]) -> tuple[Any, KernelCache | None]:
    """Return the kernel, and the cache of its machine code if there is one."""
    compiler: Any = numba.njit(**_OPTIONS)
    dispatcher: Any = compiler(function)
    if dispatcher is not function:  # with NUMBA_DISABLE_JIT, numba returns the function itself
        # No cache is used if this version of numba is not supported, or if the source file is missing.
        with suppress(ImportError, AttributeError, OSError):
            from fastarac._kernels._disk import keep_on_disk

            return dispatcher, keep_on_disk(dispatcher)
    return dispatcher, None
