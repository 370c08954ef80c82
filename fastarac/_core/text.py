"""Formatting of numbers and names for people, without rounding to a false 0% or 100%."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

UNDEFINED = "-"
NEARLY = 0.001  # Probabilities closer than this to 0 or 1 are shown as "< 0.001" or "> 0.999".
NEGLIGIBLE = 1e-10  # Computed shares closer than this to 0 or 1 are shown as 0 or 1.
# The lower end of an interval is shown as 0 if low < HIDDEN·high; the upper end is shown as 1 if
# 1 − high < HIDDEN·(1 − low).
HIDDEN = 1e-3
MOST_DIGITS = 17  # Number of significant digits that distinguish any two doubles.
LONGEST_VALUE_SHOWN = 60
# Control characters: they move the cursor, colour the terminal, end the line or change the direction of
# the text. Unpaired surrogates are included; spaces, joiners and combining marks are not.
C0_CONTROLS = "\x00-\x1f"
OTHER_CONTROLS = "\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
CONTROL = re.compile(f"[{C0_CONTROLS}{OTHER_CONTROLS}]")
CONTROL_IN_JSON = re.compile(f"[{OTHER_CONTROLS}]")


def percent(share: float, digits: int | None = None) -> str:
    """Return a share as a percentage with `digits` significant digits, or with all digits if None.

    More digits are shown if the share would otherwise look like 0% or 100%.
    """
    value = 100 * Decimal(f"{share:.15g}")
    if digits is not None:
        share = _none_or_all(share)
        for more in range(digits, MOST_DIGITS + 1):
            value = Decimal(f"{100 * share:.{more}g}")
            if share in (0, 1) or value not in (0, 100):
                break
    return f"{value.normalize() if value else Decimal(0):f}%"


def rounded_percent(share: float) -> str:
    """Return a percentage with one decimal, or with more if it would otherwise look like 0% or 100%."""
    share = _none_or_all(share)
    if share in (0, 1):
        return f"{100 * share:.0f}%"
    for decimals in range(1, MOST_DIGITS - 1):
        text = f"{100 * share:.{decimals}f}"
        if float(text) not in (0.0, 100.0):
            return f"{text}%"
    return f"{100 * share:.{MOST_DIGITS - 1}f}%"


def _none_or_all(share: float) -> float:
    nearest = 0.0 if share < 0.5 else 1.0
    return nearest if abs(share - nearest) < NEGLIGIBLE else share


def widened(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an interval for a share; an end near 0 or 1 (see `HIDDEN`) becomes 0 or 1."""
    return (
        0.0 if low < HIDDEN * high else low,
        1.0 if 1.0 - high < HIDDEN * (1.0 - low) else high,
    )


def interval_text(low: float, high: float) -> str:
    """Return an interval of a share for people: ``80.6 to 99.1%``."""
    if math.isnan(low) or math.isnan(high):
        return ""
    ends = [rounded_percent(end).removesuffix("%") for end in widened(low, high)]
    return f"{ends[0]} to {ends[1]}%" if ends[0] != ends[1] else f"{ends[0]}%"


def percent_range(low: float, high: float, digits: int) -> str:
    """Return an interval of a share with `digits` significant digits: ``0.123% to 1.45%``."""
    return " to ".join(percent(end, digits) for end in widened(low, high))


def rounded(value: float, decimals: int = 3) -> str:
    """Return a share with `decimals` decimals, or more if it would look like 0 or 1."""
    for more in range(decimals, 9):
        text = f"{value:.{more}f}"
        if float(text) not in (0.0, 1.0):
            return text
    return f"{value:.{decimals}f}"


def significant(value: float) -> str:
    """Return a number with three decimals or, between −1 and 1, with three significant digits."""
    return f"{Decimal(f'{value:.2e}'):f}" if 0 < abs(value) < 1 else f"{value:.3f}"


def area(value: float) -> str:
    """Return an area with four decimals, or more if it would look like 0 or 1."""
    return UNDEFINED if math.isnan(value) else rounded(value, 4)


def share(value: float) -> str:
    """Return a share as a percentage, like :func:`rounded_percent`; NaN becomes `UNDEFINED`."""
    return UNDEFINED if math.isnan(value) else rounded_percent(value)


def count(value: float) -> str:
    """Return a number of items, or their weight, with commas between thousands."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"


def money(value: float) -> str:
    """Return an amount with two decimals; if it is below 1, with three significant digits."""
    return f"{value:,.2f}" if value >= 1 or not value else f"{value:.3g}"


def probability(value: float) -> str:
    """Return a probability with three decimals, or "< 0.001" or "> 0.999"."""
    if math.isnan(value):
        return UNDEFINED
    if value < NEARLY:
        return f"< {NEARLY}"
    return f"> {1 - NEARLY}" if value > 1 - NEARLY else f"{value:.3f}"


def pvalue(value: float) -> str:
    """Return a p-value with two digits, or "< 0.0001" or "> 0.99"."""
    if math.isnan(value):
        return UNDEFINED
    if value > 0.99:
        return "> 0.99"
    return f"{value:.2g}" if value >= NEARLY / 10 else f"< {NEARLY / 10:.4f}"


def p_is(value: float) -> str:
    """Return "p = 0.12", or "p < 0.0001" or "p > 0.99"."""
    return f"p = {pvalue(value)}".replace("= <", "<").replace("= >", ">")


def by_chance(pvalues: Sequence[float], *, clear: bool) -> str:
    """Return " (p = 0.1)"; for several p-values, " (p up to 0.01)" if `clear`, else " (p from 0.1)"."""
    known = [each for each in pvalues if not math.isnan(each)]
    if not known:
        return ""
    worst = max(known) if clear else min(known)
    if len(known) == 1 or pvalue(worst)[0] in "<>":
        return f" ({p_is(worst)})"
    return f" (p {'up to' if clear else 'from'} {pvalue(worst)})"


def printable(text: str) -> str:
    """Return a text with each control character replaced by U+FFFD, so that it stays on one line."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def json_text(content: Any, *, indent: int | None = None) -> str:
    """Return content as JSON, with control characters escaped and all others kept."""
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    return CONTROL_IN_JSON.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def capitalised(text: str) -> str:
    """Return a text with its first letter in upper case, unless it begins with the name of a file."""
    is_name = any(mark in text.partition(" ")[0][:-1] for mark in "._/")
    return text if is_name else f"{text[:1].upper()}{text[1:]}"


def sentence(found: object) -> str:
    """Return the text of a result or a note as a sentence."""
    return f"{capitalised(str(found)).rstrip('.')}."


def plural(noun: str, number: int = 2) -> str:
    """Return a noun, with a plural s unless the number is 1."""
    return noun if number == 1 else f"{noun}s"


def few_of(names: Iterable[str], most: int) -> str:
    """Return the first `most` names, and the number of further names, as text."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return f"{', '.join(every[:most])}{more}"


def quoted(text: str) -> str:
    """Return a value from a file in double quotes, on one line, shortened if it is long."""
    shown = text if len(text) <= LONGEST_VALUE_SHOWN else text[:LONGEST_VALUE_SHOWN] + "…"
    return json_text(shown)


def listed(names: Sequence[str]) -> str:
    """Return names joined with commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def lead(name: str, clear: Sequence[str], even: Sequence[str], better: str) -> str:
    """Return a sentence: `name` is better than the names in `clear`, and ties with those in `even`.

    `better` is the verb with a place for the names in `clear`, such as "beats {}".
    """
    parts = [f"{name} {better.format(listed(clear))}"] if clear else []
    parts += [f"{name} and {listed(even)} tie: the difference may be chance"] if even else []
    return f"{'; '.join(parts)}."


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
