"""Displays of curves, as in scikit-learn. matplotlib is imported when the first display is drawn."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
