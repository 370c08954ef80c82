"""Tensors of torch as arrays; torch itself is not imported."""

from __future__ import annotations

from typing import Any


def on_cpu(values: Any) -> Any:
    """Return a tensor in a form that numpy can read; return other values unchanged.

    bfloat16 becomes float32, because numpy has no bfloat16.
    """
    if not (hasattr(values, "detach") and hasattr(values, "cpu")):
        return values
    tensor = values.detach()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.cpu()
