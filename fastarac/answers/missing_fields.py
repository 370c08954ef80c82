"""Note the fields that an engine never finds, perhaps because it uses other names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from fastarac._core.text import count, few_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHOWN = 3  # maximum number of field names in a note; the rest become a number
ALIKE = 0.6  # minimum `difflib` ratio at which two names may mean the same field


def note(never_found: Mapping[str, int], without_truth: Iterable[str]) -> str | None:
    """Return a sentence on fields that an engine never finds, or None if there are none.

    `never_found` maps these fields to their numbers of true values. `without_truth` has the names that
    only the output has.
    """
    if not never_found:
        return None
    n = len(never_found)
    other = _similar_name(never_found, without_truth)
    such = "" if other is None else f", such as {printable(other)}"
    if n == 1:
        ((name, values),) = never_found.items()
        return (
            f"{printable(name)} is never found ({count(values)} true values). If the engine has "
            f"another name for it{such}, rename it in the file of --settings."
        )
    return (
        f"{n} fields are never found: {few_of(map(printable, never_found), SHOWN)}. If the engine has "
        f"other names for them{such}, rename them in the file of --settings."
    )


def _similar_name(never_found: Iterable[str], without_truth: Iterable[str]) -> str | None:
    """Return a name in the output that resembles the name of a field, or None."""
    plain = {_plain(name): name for name in without_truth}
    for name in never_found:
        for near in difflib.get_close_matches(_plain(name), plain, n=1, cutoff=ALIKE):
            return plain[near]
    return None


def _plain(name: str) -> str:
    """Return a name in lower case without separators, so that tax_id equals taxId."""
    return "".join(filter(str.isalnum, name)).lower()
