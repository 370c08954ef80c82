"""From evaluation to operation: plan, fit, apply, check, audit and monitor what is accepted."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
