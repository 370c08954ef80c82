"""Large data: data frames of engines, SQL, binned counts with guaranteed bounds, streams."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
