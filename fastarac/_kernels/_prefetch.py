"""Ask for what is read soon, so that it is in the cache by then."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numba.core.config
from numba.core import types
from numba.extending import intrinsic

cgutils: Any = import_module("numba.core.cgutils")
config: Any = numba.core.config


def _load_the_line(_: Any, array: Any, index: Any) -> Any:
    """Load the line of the cache with `array[index]`: a hint to the processor that changes nothing."""

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
    """What there is to do where the kernels are plain Python."""


prefetch: Any = _nothing if config.DISABLE_JIT else intrinsic(_load_the_line)
