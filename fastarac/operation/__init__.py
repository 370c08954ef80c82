"""Acceptance policies in operation: plan, fit, apply, check, audit and monitor a policy."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
