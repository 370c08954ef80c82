"""Foldings: which differences between the texts of truth and engine do not count."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["EXPLAINED", "FOLDINGS", "Folding", "checked_foldings", "folded"]

Folding = Literal["case", "quotes", "punctuation", "whitespace", "nfkc"]

FOLDINGS: tuple[Folding, ...] = get_args(Folding)

#: What each folding makes equal, in words that continue "differences in …".
EXPLAINED: dict[Folding, str] = {
    "case": "upper and lower case",
    "quotes": "the form of quotation marks and apostrophes",
    "punctuation": "punctuation",
    "whitespace": "the spaces between words",
    "nfkc": "compatibility forms, such as ligatures and full-width letters",
}

SINGLE_QUOTES = "‘’‚‛‹›`´ʹʼˈ′"
DOUBLE_QUOTES = "“”„‟«»″〝〞〟"

# A word never holds it, and no normalisation composes across it.
BETWEEN_WORDS = "\n"


def checked_foldings(fold: str | Iterable[str]) -> tuple[Folding, ...]:
    """Return the foldings in a fixed order, each once, or raise ValueError for another name."""
    names = [fold] if isinstance(fold, str) else list(fold)
    for name in names:
        if name not in FOLDINGS:
            raise ValueError(f"fold is {name!r}; some of {', '.join(FOLDINGS)} are expected")
    return tuple(name for name in FOLDINGS if name in names)


def folded(words: Sequence[str], fold: Sequence[Folding] = ()) -> list[str]:
    r"""Return the words, without line feeds in them, in Unicode's normal form C, and folded.

    They are as many; one of nothing but punctuation is empty after the folding ``"punctuation"``.

    Examples
    --------
    >>> from fastarac.ocr.folding import folded
    >>> folded(["Cafe\u0301", "“No!”"], ["case", "quotes", "punctuation"])
    ['café', 'no']
    """
    if not words:
        return []
    text = BETWEEN_WORDS.join(words)
    if "quotes" in fold:  # before NFKC, which takes an acute accent for one without its letter
        text = text.translate(_quotes())
    form: Literal["NFC", "NFKC"] = "NFKC" if "nfkc" in fold else "NFC"
    text = _normalized(text, form)
    if "case" in fold:
        text = _normalized(text.casefold(), form)  # folded letters may be decomposed
    if "punctuation" in fold:
        text = text.translate(_of_category("P"))
    if "whitespace" in fold:
        text = text.translate(_invisible())
    return text.split(BETWEEN_WORDS)


def _normalized(text: str, form: Literal["NFC", "NFKC"]) -> str:
    if text.isascii():  # which is in every normal form
        return text
    text = unicodedata.normalize(form, text)
    # NFKC writes a lone accent as one over a space; words have none
    return text.replace(" ", "") if form == "NFKC" else text


@cache
def _quotes() -> dict[int, str]:
    return str.maketrans(dict.fromkeys(SINGLE_QUOTES, "'") | dict.fromkeys(DOUBLE_QUOTES, '"'))


@cache
def _of_category(prefix: str) -> dict[int, None]:
    codes = range(sys.maxunicode + 1)
    return {code: None for code in codes if unicodedata.category(chr(code)).startswith(prefix)}


@cache
def _invisible() -> dict[int, None]:
    """Marks of direction, soft hyphens and their like: formatting without a width of its own.

    The two joiners stay: they tell words apart in Persian and in the scripts of India.
    """
    joiners = (0x200C, 0x200D)
    return {code: None for code in _of_category("Cf") if code not in joiners}
