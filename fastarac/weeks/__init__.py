"""Run a policy week by week: divide new files, draw audits, take answers, check and monitor."""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
