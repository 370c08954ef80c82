"""What two ways to write one value of a form have in common: named, and never guessed."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["NORMALISERS", "Normaliser", "normaliser"]

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTH_OF = {name[:3]: i for i, name in enumerate(MONTHS, 1)}

_GROUPS = (
    r"[+-]?(?:\d{{1,3}}(?:[{group} \u00a0\u2009\u202f'’]\d{{3}})+|\d+)(?:{point}\d+)?|[+-]?{point}\d+"
)
WITH_POINT = re.compile(_GROUPS.format(group=",", point=r"\."))
WITH_COMMA = re.compile(_GROUPS.format(group=".", point=","))
NOT_DIGITS = re.compile(r"[ \u00a0\u2009\u202f'’]")

ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})(\d{2})(\d{2})")
DAY_FIRST = re.compile(r"(\d{1,2})\.? ([a-z]+)\.?,? (\d{4})")
MONTH_FIRST = re.compile(r"([a-z]+)\.? (\d{1,2}),? (\d{4})")
NUMERIC = re.compile(r"(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{4})")


class Unreadable(ValueError):  # noqa: N818, one of several outcomes
    """A text that is not of the kind that its normaliser expects."""


class Normaliser:
    """A way to compare the values of a field.

    Attributes
    ----------
    name : str
        What it is called: one of `NORMALISERS`, or several joined by ``+``.
    """

    __slots__ = ("_steps", "name")

    def __init__(self, name: str, steps: tuple[Callable[[str], Hashable], ...]) -> None:
        self.name = name
        self._steps = steps

    def __call__(self, text: str) -> Hashable:
        """Return what texts of the same value have in common; the empty text stays empty.

        Raises
        ------
        Unreadable
            If the text is not of the kind that is expected: not a number, not a date.
        """
        value: Hashable = unicodedata.normalize("NFC", text)
        if not str(value).strip():
            return ""
        for step in self._steps:
            value = step(str(value))
        return value


def normaliser(name: str) -> Normaliser:
    """Return the normaliser of this name, or raise ValueError.

    It is one of `NORMALISERS`, or several of them joined by ``+`` and applied in that order, such as
    ``"collapse-space+casefold"``. A number or a date can only be the last.

    Examples
    --------
    >>> from fastarac.ocr.normalisers import normaliser
    >>> normaliser("number")("1,234.50") == normaliser("number")("1234.5")
    True
    >>> normaliser("collapse-space+casefold")(" Mill  Lane")
    'mill lane'
    """
    parts = name.split("+") if isinstance(name, str) else []
    for i, part in enumerate(parts):
        if part not in NORMALISERS or (part.startswith(("number", "date")) and i < len(parts) - 1):
            parts = []
            break
    if not parts:
        raise ValueError(
            f"normaliser is {name!r}; one of {', '.join(NORMALISERS)} is expected, or several joined "
            "by +, of which only the last may be a number or a date"
        )
    return Normaliser(name, tuple(NORMALISERS[part] for part in parts))


def _casefold(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def _collapse_space(text: str) -> str:
    return " ".join(text.split())


def _decimal(text: str, pattern: re.Pattern[str], group: str, point: str) -> Decimal:
    written = text.strip().replace("\u2212", "-")
    if not pattern.fullmatch(written):
        raise Unreadable(f"a number such as 1{group}234{point}50")
    return Decimal(NOT_DIGITS.sub("", written).replace(group, "").replace(point, "."))


def _day(text: str, kind: str) -> date:
    written = _collapse_space(text).casefold()
    if found := ISO.fullmatch(written):
        year, month, day = found.group(1, 3, 4) if found[1] else found.group(5, 6, 7)
        return _calendar_day(int(year), int(month), int(day))
    if found := DAY_FIRST.fullmatch(written):
        return _calendar_day(int(found[3]), _month(found[2]), int(found[1]))
    if found := MONTH_FIRST.fullmatch(written):
        return _calendar_day(int(found[3]), _month(found[1]), int(found[2]))
    if kind != "date" and (found := NUMERIC.fullmatch(written)):
        a, b, year = int(found[1]), int(found[3]), found[4]
        return _calendar_day(int(year), *((b, a) if kind == "date-dmy" else (a, b)))
    shapes = {
        "date": "2026-11-22 or 22 November 2026 (22/11/2026: name date-dmy or date-mdy instead)",
        "date-dmy": "22/11/2026, 22 November 2026 or 2026-11-22",
        "date-mdy": "11/22/2026, November 22, 2026 or 2026-11-22",
    }
    raise Unreadable(f"a date such as {shapes[kind]}")


def _month(name: str) -> int:
    month = MONTH_OF.get(name[:3], 0)
    if month and name in (MONTHS[month - 1], MONTHS[month - 1][:3], "sept"):
        return month
    raise Unreadable("a month in English")


def _calendar_day(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise Unreadable("a day of the calendar") from None


#: What each normaliser takes for the same.
NORMALISERS: dict[str, Callable[[str], Hashable]] = {
    "exact": str,
    "casefold": _casefold,
    "collapse-space": _collapse_space,
    "number": partial(_decimal, pattern=WITH_POINT, group=",", point="."),
    "number-comma": partial(_decimal, pattern=WITH_COMMA, group=".", point=","),
    "date": partial(_day, kind="date"),
    "date-dmy": partial(_day, kind="date-dmy"),
    "date-mdy": partial(_day, kind="date-mdy"),
}
