"""Estimates and guarantees from a few verified outputs, each drawn with a known probability."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
