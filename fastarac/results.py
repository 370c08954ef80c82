"""The classes of returned objects, for annotations and ``isinstance``."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, "fastarac", __file__)
