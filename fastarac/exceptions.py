"""The warning categories of the library."""

from __future__ import annotations

import warnings


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined for the data it was given; NaN is returned."""


def warn_undefined(metric: str, reason: str) -> None:
    """Warn the caller of a public function that `metric` is NaN."""
    warnings.warn(f"{metric} is undefined: {reason}", UndefinedMetricWarning, stacklevel=3)
