"""The classes of what functions return, for annotations and ``isinstance``; functions build them."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, "fastarac", __file__)
