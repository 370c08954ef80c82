"""Interpret kernels while their arrays are small and no machine code exists yet.

Compilation takes 0.1 to 2 seconds per kernel; Python takes milliseconds for some thousand items, and
gives the same results, to the last bit.
"""

from __future__ import annotations

from functools import cache, wraps
from time import thread_time
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

# Maximum number of array entries, over all arguments, for which Python may run a kernel.
MOST = 1 << 14
PATIENCE = 0.3  # Seconds of CPU time that Python may spend on a kernel before the kernel is compiled.
CALLS = 64  # Number of calls, for example in a loop over samples, after which a kernel is compiled.


def interpret_while_small(dispatcher: Any, is_compiled: Callable[[Any], bool]) -> None:
    """Let Python run a kernel on small arrays for a while, unless it is already compiled for them."""
    compile_for = dispatcher._compile_for_args  # noqa: SLF001 - numba offers no other way
    spent, calls = 0.0, 0

    def function_for(*arguments: Any) -> Any:
        """Return the function that numba's dispatcher calls if it has no code for the types."""
        if spent >= PATIENCE or calls >= CALLS or _entries(arguments) > MOST:
            return compile_for(*arguments)
        if is_compiled(tuple(map(dispatcher.typeof_pyval, arguments))):
            return compile_for(*arguments)
        return run

    @wraps(dispatcher.py_func)
    def run(*arguments: Any) -> Any:
        nonlocal spent, calls
        start = thread_time()
        # Compiled code raises no floating-point warnings, so Python must not either.
        with np.errstate(all="ignore"):
            found = interpreted(dispatcher)(*arguments)
        spent += thread_time() - start
        calls += 1
        return _plain(found)

    dispatcher._compile_for_args = function_for  # noqa: SLF001


@cache
def interpreted(dispatcher: Any) -> Callable[..., Any]:
    """Return the Python function of a kernel, which also calls other kernels as Python functions."""
    function = getattr(dispatcher, "in_python", dispatcher.py_func)
    names = {
        name: interpreted(value) if hasattr(value, "py_func") else value
        for name, value in function.__globals__.items()
        if name in function.__code__.co_names
    }
    names["__builtins__"] = function.__globals__["__builtins__"]
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def _entries(arguments: Any) -> int:
    return sum(_entries(each) if isinstance(each, tuple) else np.size(each) for each in arguments)


def _plain(found: Any) -> Any:
    """Convert numpy scalars to the numbers that machine code returns."""
    if isinstance(found, tuple):
        return tuple(map(_plain, found))
    return found.item() if isinstance(found, np.generic) else found
