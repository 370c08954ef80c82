"""Units of items: words, lines or characters, each with a confidence."""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from fastarac.ocr.words.line_ends import Joined
    from fastarac.ocr.words.words import Words

Unit = Literal["word", "line", "character"]
Join = Literal["min", "mean", "max"]

UNITS: tuple[Unit, ...] = get_args(Unit)
JOINS: tuple[Join, ...] = get_args(Join)

# Scripts without spaces between words: Chinese characters and their punctuation marks, Japanese kana,
# Bopomofo, Thai, Lao, Myanmar, Khmer.
WITHOUT_SPACES = (
    "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff61-\uff9f\U00020000-\U000323af\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
)
UNSPACED = re.compile(f"[{WITHOUT_SPACES}]")
JOINERS = "\u200c\u200d"  # zero-width non-joiner and joiner


class Tokens(NamedTuple):
    """The texts of one page to align: words, lines or characters.

    Attributes
    ----------
    text : list of str
        The texts as they are written.
    begin, end : ndarray of shape (n,), intp
        Range of the page's words that each text covers. A line covers all its words, and a word divided
        at a line end covers two.
    space : ndarray of shape (n,), bool, or None
        Whether a space precedes each text; None if one precedes every text except the first.
    n_unspaced : int
        Number of characters of scripts written without spaces.
    """

    text: list[str]
    begin: NDArray[np.intp]
    end: NDArray[np.intp]
    space: NDArray[np.bool_] | None = None
    n_unspaced: int = 0


def tokens(
    words: Words, part: slice, unit: Unit, joined: Mapping[int, Joined] = MappingProxyType({})
) -> Tokens:
    """Return the texts to align from a slice of the words.

    `joined` maps the index of the first part of a divided word to the joined word.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr import Words
    >>> from fastarac.ocr.words.units import tokens
    >>> text = ("In", "東京", "now")
    >>> none = np.full(3, np.nan)
    >>> words = Words(text, none, np.zeros(3, int), np.array([0, 0, 1]), ("a page",))
    >>> tokens(words, slice(0, 3), "word").text, tokens(words, slice(0, 3), "line").text
    (['In', '東', '京', 'now'], ['In 東京', 'now'])
    """
    texts = list(words.text[part])
    if unit == "line":
        begin = words.line_starts(part)
        end = np.append(begin[1:], len(texts))[: len(begin)]
        lines = [" ".join(texts[i:k]) for i, k in zip(begin.tolist(), end.tolist(), strict=True)]
        return Tokens(lines, begin, end)
    begin = np.arange(len(texts))
    end = begin + 1
    if joined:
        for k, (text, after) in joined.items():
            texts[k] = text
            end[k] += after == k + 1
        second = np.array([after for _, after in joined.values()])
        begin, end = np.delete(begin, second), np.delete(end, second)
        texts = [texts[k] for k in begin.tolist()]
    if unit == "word" and not any(map(UNSPACED.search, texts)):
        return Tokens(texts, begin, end)
    divided = [_characters(text) if unit == "character" else _divided(text) for text in texts]
    sizes = np.fromiter(map(len, divided), np.intp, len(divided))
    begin, end = np.repeat(begin, sizes), np.repeat(end, sizes)
    space = np.zeros(len(begin), bool)
    space[(np.cumsum(sizes) - sizes)[1:]] = True
    pieces = [piece for word in divided for piece in word]
    n_unspaced = 0 if unit == "character" else sum(map(bool, map(UNSPACED.match, pieces)))
    return Tokens(pieces, begin, end, space, n_unspaced)


def _characters(text: str) -> list[str]:
    """Divide a text into characters, each with its combining marks."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for letter in text:
        if found and (letter in JOINERS or unicodedata.category(letter).startswith("M")):
            found[-1] += letter
        else:
            found.append(letter)
    return found


def _divided(text: str) -> list[str]:
    """Split off each character of a script without spaces; other characters stay together."""
    if not UNSPACED.search(text):
        return [text]
    found: list[str] = []
    whole = False  # whether the next character can be added to the last piece
    for character in _characters(text):
        alone = UNSPACED.match(character) is not None
        if whole and not alone:
            found[-1] += character
        else:
            found.append(character)
        whole = not alone
    return found


def joined_confidence(
    confidence: NDArray[np.float64], starts: NDArray[np.intp], join: Join
) -> NDArray[np.float64]:
    """Join the confidences of each run of outputs, shape (k,); NaN if an output has none.

    `starts` has the first index of each run.
    """
    if not len(starts):
        return np.empty(0)
    if join == "mean":
        sizes = np.diff(starts, append=len(confidence))
        sums: NDArray[np.float64] = np.add.reduceat(confidence, starts)
        return np.where(sizes == 1, confidence[starts], sums / sizes)
    least_or_largest = np.minimum if join == "min" else np.maximum
    joined: NDArray[np.float64] = least_or_largest.reduceat(confidence, starts)
    return joined


def check_unit(unit: str, join: str) -> None:
    """Raise for an unknown unit or an unknown way to join confidences."""
    if unit == "field":
        raise ValueError("unit is 'field', but fields need no alignment: use fa.ocr.read_fields")
    for name, value, names in (("unit", unit, UNITS), ("join", join, JOINS)):
        if value not in names:
            raise ValueError(f"{name} must be one of {', '.join(names)}, got {value!r}")
