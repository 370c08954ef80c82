"""Displays of curves, as in scikit-learn. The first drawing imports matplotlib."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
