"""Tensors of torch as arrays; torch itself is not imported."""

from __future__ import annotations

from typing import Any


def on_cpu(values: Any) -> Any:
    """Return a tensor in a form that numpy can read, without a copy if possible; keep other values.

    bfloat16, which numpy lacks, becomes float32, which holds all of its values.
    """
    if not (hasattr(values, "detach") and hasattr(values, "cpu")):
        return values
    tensor = values.detach()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.cpu()
