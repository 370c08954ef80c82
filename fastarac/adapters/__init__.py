"""Adapters for other tools: one thin module each, imported on first use, which needs that tool."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
