"""Refuse an option if an option that it needs is missing, or if one that it excludes is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.cli._options import RefusalError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    # An option and other options: it excludes all of them, or needs at least one of them.
    Rule = tuple[str, Sequence[str]]


def incompatible(given: Collection[str], rules: Iterable[Rule], where: str = "") -> None:
    """Refuse an option that is given with one it excludes; `where` says when they conflict."""
    for option, others in rules:
        other = next((each for each in others if each in given), None)
        if option in given and other is not None:
            raise RefusalError(f"{option} cannot go with {other}{where}: leave out one of the two")


def incomplete(given: Collection[str], rules: Iterable[Rule]) -> None:
    """Refuse an option that is given without any of those it needs."""
    for option, others in rules:
        if option in given and not any(each in given for each in others):
            raise RefusalError(f"{option} needs {' or '.join(others)}")
