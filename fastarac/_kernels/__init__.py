"""The compiled loops, and nothing else.

A kernel module is imported when its first kernel is used, because importing numba takes far longer than
the rest of the library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from fastarac._kernels import adaptive_search as adaptive_search
    from fastarac._kernels import betting as betting
    from fastarac._kernels import bootstrap as bootstrap
    from fastarac._kernels import bootstrap_draws as bootstrap_draws
    from fastarac._kernels import cascades as cascades
    from fastarac._kernels import counting as counting
    from fastarac._kernels import curve_points as curve_points
    from fastarac._kernels import double_double as double_double
    from fastarac._kernels import estimated as estimated
    from fastarac._kernels import groups as groups
    from fastarac._kernels import hulls as hulls
    from fastarac._kernels import influence as influence
    from fastarac._kernels import isotonic as isotonic
    from fastarac._kernels import keys as keys
    from fastarac._kernels import left_out as left_out
    from fastarac._kernels import limits as limits
    from fastarac._kernels import measures as measures
    from fastarac._kernels import numbered as numbered
    from fastarac._kernels import numbering as numbering
    from fastarac._kernels import quantized_keys as quantized_keys
    from fastarac._kernels import ranking as ranking
    from fastarac._kernels import runs as runs
    from fastarac._kernels import sketch as sketch
    from fastarac._kernels import smaller_class as smaller_class
    from fastarac._kernels import sort as sort
    from fastarac._kernels import sums as sums
    from fastarac._kernels import ties as ties
    from fastarac._kernels import weighted as weighted
    from fastarac._kernels import weighted_pairs as weighted_pairs


def __getattr__(name: str) -> ModuleType:
    module = f"{__name__}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
