"""Two processor instructions that Python does not offer: prefetch and fused multiply-add."""

from __future__ import annotations

import platform
from importlib import import_module
from typing import Any

import numba.core.config
from numba.core import types
from numba.extending import intrinsic

cgutils: Any = import_module("numba.core.cgutils")
binding: Any = import_module("llvmlite.binding")
config: Any = numba.core.config


def _load_the_line(_: Any, array: Any, index: Any) -> Any:
    """Prefetch the cache line of `array[index]`: a hint to the processor, without effect on results."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        number, ir = cgutils.int32_t, cgutils.ir
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", (address.type,), kind)
        to_read, to_all_caches, of_data = number(0), number(3), number(1)
        builder.call(hint, [address, to_read, to_all_caches, of_data])
        return context.get_dummy_value()

    return types.void(array, index), build


def _nothing(_array: Any, _index: Any) -> None:
    """Do nothing; this replaces the prefetch if kernels run as plain Python."""


prefetch: Any = _nothing if config.DISABLE_JIT else intrinsic(_load_the_line)


def _fused() -> bool:
    """Return whether the target processor has a fused multiply-add instruction.

    On other processors, LLVM would call a slow function of the C library, or fail to find one.
    """
    if config.DISABLE_JIT or config.CPU_NAME or config.CPU_FEATURES:
        return False
    if platform.machine().lower() in ("aarch64", "arm64"):
        return True
    try:
        return bool(binding.get_host_cpu_features().get("fma"))
    except RuntimeError:  # raised if LLVM cannot detect the features of this processor
        return False


def _multiply_add(_: Any, _a: Any, _b: Any, _c: Any) -> Any:
    """Return a·b + c, rounded once."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    number = types.float64
    return number(number, number, number), build


multiply_add: Any = intrinsic(_multiply_add) if _fused() else None
"""A fused multiply-add; None if the processor has no such instruction."""
