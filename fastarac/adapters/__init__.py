"""Inside other tools: a thin module for each, imported on first use, which needs its package."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
