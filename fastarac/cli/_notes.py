"""Warnings of the library, as notes for people who did not write the program."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastarac._core.exceptions import (
    SampleTooSmallWarning,
    UndefinedMetricWarning,
    UnreliableIntervalWarning,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = (SampleTooSmallWarning, UndefinedMetricWarning, UnreliableIntervalWarning)


@contextmanager
def collected(notes: list[str]) -> Iterator[None]:
    """Add what the library warns of to `notes`; other warnings stay what they are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if issubclass(warning.category, OURS):
            notes.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
