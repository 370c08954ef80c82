"""From evaluation to operation: plan a policy, fit, apply, check, audit and monitor it."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
