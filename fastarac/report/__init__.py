"""Write reports: HTML files on how much can be accepted, how certain that is, and why."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
