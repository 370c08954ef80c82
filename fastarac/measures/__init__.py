"""The classic measures of confusion tables, rankings and clusterings.

Some formulas are from lecture slides, which ``docs/sources.md`` names.
"""

from __future__ import annotations

from fastarac._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
