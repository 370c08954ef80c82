"""The panels of options in ``--help``, in their order."""

from __future__ import annotations

from enum import StrEnum


class Panel(StrEnum):
    """The subject of an option, under which help lists it."""

    files = "Reading"
    columns = "Columns"
    limits = "Limits"
    verifying = "Verification"
    sure = "How sure"
    costs = "Costs"
    output = "Output"
    other = "Help"
