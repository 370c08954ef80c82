"""What errors and their prevention cost: which threshold and which model for which prices."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
