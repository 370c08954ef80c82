"""Adapters for other tools. Each module is imported on first use and needs its tool installed."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
