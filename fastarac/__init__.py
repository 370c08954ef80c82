"""fastarac: how much of a machine's output can be accepted without a check.

Outputs with a confidence at or above a threshold are accepted; people verify and correct the rest. The
library computes the outcome at every threshold exactly: curves, areas and operating points.

>>> import fastarac as fa
>>> correct = [1, 1, 0, 1, 1, 0]
>>> confidence = [0.99, 0.95, 0.90, 0.80, 0.75, 0.10]
>>> fa.operating_point(correct, confidence, max_error_rate=0.0).acceptance_rate
0.3333333333333333
"""

from __future__ import annotations

from fastarac._core.lazy import attach
from fastarac._version import __version__ as __version__

__getattr__, __dir__, __all__ = attach(__name__, __name__, __file__)
