"""Costs of errors and of preventing them: the best threshold and model for given prices."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
