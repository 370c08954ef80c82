"""Foldings: kinds of differences to ignore when an engine's text is compared with the true text.

Invisible formatting characters are always removed.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Folding = Literal["case", "quotes", "punctuation", "whitespace", "nfkc", "historical"]

FOLDINGS: tuple[Folding, ...] = get_args(Folding)

#: The differences that each folding ignores. Each phrase completes "differences in".
EXPLAINED: dict[Folding, str] = {
    "case": "upper and lower case",
    "quotes": "the form of quotation marks and apostrophes",
    "punctuation": "punctuation",
    "whitespace": "the spaces between words",
    "nfkc": "compatibility forms, such as ligatures and full-width letters",
    "historical": "letter forms of historical prints, such as long s, ligatures and e above a vowel",
}

SOFT_HYPHEN = "\u00ad"
# Soft hyphen, zero-width space, direction marks and embeddings, word joiner, byte order mark. The
# zero-width joiner and non-joiner stay, because they distinguish words in Persian and Indic scripts.
FORMATTING = dict.fromkeys(
    (
        *(0x00AD, 0x061C, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
)

#: Replacements of the folding ``"historical"``: letters and ligatures that level 1 of OCR-D's
#: ground-truth guidelines writes with modern letters. Code points in the Private Use Area follow the
#: Medieval Unicode Font Initiative.
HISTORICAL: dict[str, str] = {
    "\u017f": "s",
    "\ua75b": "r",
    "\ua75a": "R",
    "\u0364": "\u0308",  # a combining "e" above a letter becomes a diaeresis
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
    "\u0132": "IJ",
    "\u0133": "ij",
    "\ua728": "TZ",
    "\ua729": "tz",
    "\ue42c": "a\u0308",
    "\ue644": "o\u0308",
    "\ue72b": "u\u0308",
    "\ueada": "st",
    "\ueba2": "si",
    "\ueba3": "sl",
    "\ueba5": "sp",
    "\ueba6": "ss",
    "\ueba7": "ssi",
    "\ueec4": "ck",
    "\ueec5": "ct",
    "\ueecb": "ft",
    "\ueedc": "tz",
    "\uf4f9": "ll",
    "\uf502": "ch",
    "\u00ac": "-",
    "\u2e17": "-",
    "\u2e40": "-",
}

#: Replacements of the folding ``"quotes"``.
QUOTES = str.maketrans(dict.fromkeys("‘’‚‛‹›`´ʹʼˈ′", "'") | dict.fromkeys("“”„‟«»″〝〞〟", '"'))

# Separator of words that are normalised together: normalisation never combines characters across it.
BETWEEN_WORDS = "\n"
IN_LINES = "\t"


def checked_foldings(fold: str | Iterable[str]) -> tuple[Folding, ...]:
    """Return the foldings in a fixed order without duplicates; raise if a name is unknown."""
    names = [fold] if isinstance(fold, str) else list(fold)
    for name in names:
        if name not in FOLDINGS:
            raise ValueError(f"fold must be some of {', '.join(FOLDINGS)}, got {name!r}")
    return tuple(name for name in FOLDINGS if name in names)


def printed(text: str) -> str:
    r"""Return a text in Unicode's normal form C, without invisible formatting characters.

    Examples
    --------
    >>> from fastarac.ocr.words.folding import printed
    >>> printed("\u200fCafe\u0301\u200b")
    'Café'
    """
    if text.isascii():  # ASCII text is already normalised
        return text
    return unicodedata.normalize("NFC", text.translate(FORMATTING))


def folded(words: Sequence[str], fold: Sequence[Folding] = ()) -> list[str]:
    r"""Return the words folded and in Unicode's normal form C; no word may contain a line feed.

    Under the folding ``"punctuation"``, a word of punctuation becomes empty.

    Examples
    --------
    >>> from fastarac.ocr.words.folding import folded
    >>> folded(["Cafe\u0301", "“No!”"], ["case", "quotes", "punctuation"])
    ['café', 'no']
    """
    if not words:
        return []
    text = printed(BETWEEN_WORDS.join(words))
    if "historical" in fold:
        text = text.translate({ord(letter): meant for letter, meant in HISTORICAL.items()})
    if "quotes" in fold:  # before NFKC, which turns a spacing acute accent into a combining one
        text = text.translate(QUOTES)
    form: Literal["NFC", "NFKC"] = "NFKC" if "nfkc" in fold else "NFC"
    text = _normalized(text, form)
    if "case" in fold:
        text = _normalized(text.casefold(), form)  # case folding may decompose a letter
    if "punctuation" in fold:
        text = text.translate(_punctuation())
    return text.split(BETWEEN_WORDS)


def _normalized(text: str, form: Literal["NFC", "NFKC"]) -> str:
    if text.isascii():
        return text
    if form == "NFC":
        return unicodedata.normalize(form, text)
    # NFKC turns a lone accent into a space and a combining mark. To drop only these spaces, the
    # original spaces are replaced by IN_LINES during normalisation.
    text = unicodedata.normalize(form, text.replace(" ", IN_LINES))
    return text.replace(" ", "").replace(IN_LINES, " ")


@cache
def _punctuation() -> dict[int, None]:
    codes = range(sys.maxunicode + 1)
    return {code: None for code in codes if unicodedata.category(chr(code)).startswith("P")}
