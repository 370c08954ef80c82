"""The panels of options in ``--help``, in order."""

from __future__ import annotations

from enum import StrEnum


class Panel(StrEnum):
    """The panel under which help lists an option."""

    files = "Reading"
    columns = "Columns"
    limits = "Limits"
    verifying = "Verification"
    sure = "How sure"
    costs = "Costs"
    output = "Output"
    other = "Help"
