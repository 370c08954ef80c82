"""Read an OCR engine's files and the true text, and mark each output as right or wrong."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
