"""Keys of metrics, made of letters, digits and ``_-./``, which every experiment tracker accepts.

Examples: ``acceptance_rate``, ``acceptance_rate/risk/0.02``, ``error_rate/0.01/field/total``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def in_key(name: object) -> str:
    """Return a name as a part of a key: characters that are not allowed become ``_``.

    Examples
    --------
    >>> in_key("net amount (€)"), in_key("1/2"), in_key("..")
    ('net_amount____', '1_2', '__')
    """
    part = re.sub(r"[^\w.-]", "_", str(name))
    # The parts "." and ".." become "_" and "__", because some trackers use keys as paths of files.
    return part if part.strip(".") else "_" * max(1, len(part))


def parts_of_keys(names: Iterable[object], what: str) -> list[str]:
    """Return names as distinct parts of keys; `what` is the plural noun for the error message."""
    found: dict[str, object] = {}
    for name in names:
        part = in_key(name)
        if part in found:
            names_of_both = f"{str(found[part])!r} and {str(name)!r}"
            raise ValueError(f"the {what} {names_of_both} have the same key, {part!r}; rename one")
        found[part] = name
    return list(found)


def as_key(number: str) -> str:
    """Return the spelling of a number in a key: 1e+20 becomes 1e20, 0.0 becomes 0."""
    return number.replace("+", "").removesuffix(".0")
