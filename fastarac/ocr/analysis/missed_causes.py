"""Find a feature that most missed words share: a page attribute, a script, or a place on the page."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.text import listed, printable, rounded_percent
from fastarac.ocr.words.records import INSERTED, MISSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.analysis.attributes import PageAttributes
    from fastarac.ocr.words.records import Records

#: Minimum share of all missed words that the named values cover: MOST together, SOME each.
MOST, SOME = 0.5, 0.05
#: A value is named only if its words are missed at least this many times as often as other words.
TIMES = 3.0
#: Maximum number of values that one sentence names.
NAMED = 3
#: Each page is divided into this many equal parts. Only the first and the last part can be named.
PARTS = 5
PLACES = "the first fifth", "the last fifth"
WITHOUT_LETTERS = {True: "numbers", False: "punctuation marks"}
HAN = "Cjk"  # Unicode's character names call Han characters CJK


def in_common(records: Records, attributes: PageAttributes | None, units: str) -> str:
    """Return a clause that names a feature shared by most missed words; empty if there is none."""
    true = np.flatnonzero(records.kind != INSERTED)
    missed = records.kind[true] == MISSED
    if not missed.any():
        return ""
    said: list[str] = []
    for before, values, codes, after in _features(records, true, attributes):
        found = _values_of_most(missed, codes, len(values))
        if found:
            share = float(np.isin(codes[missed], found).mean())
            of = f"of the missed {units} " if not said else ""
            names = " or ".join(values[code] for code in found)
            said.append(f"{rounded_percent(share)} {of}{before}{names}{after}")
    return listed(said) if said else ""


def _features(
    records: Records, true: NDArray[np.intp], attributes: PageAttributes | None
) -> Iterator[tuple[str, Sequence[str], NDArray[np.intp], str]]:
    """Yield each feature of true words as (text before a value, values, codes, text after a value).

    `codes` holds the index of each true word's value, or -1 if it has none.
    """
    page = records.page[true]
    if attributes is not None:
        rows, _ = attributes.rows_of(records.page_names)
        for each in attributes.attributes:
            codes = np.array([*each.codes, -1], np.intp)[rows][page]
            values = [printable(value) for value in each.values]
            yield f"are on pages whose {printable(each.name)} is ", values, codes, ""
    scripts: dict[str, int] = {}
    texts = (records.truth[row] for row in true.tolist())
    codes = np.array([scripts.setdefault(_script(text), len(scripts)) for text in texts], np.intp)
    yield "are ", list(scripts), codes, ""
    n_of_page = np.bincount(page)[page]
    first = np.flatnonzero(np.diff(page, prepend=-1))
    place = (np.arange(len(page)) - np.repeat(first, np.diff(first, append=len(page)))) / n_of_page
    codes = np.where(place < 1 / PARTS, 0, np.where(place >= 1 - 1 / PARTS, 1, -1))
    yield "are in ", PLACES, codes, " of their pages"


def _values_of_most(missed: NDArray[np.bool_], codes: NDArray[np.intp], n: int) -> list[int]:
    """Return the indices of up to `NAMED` values that together cover most missed words.

    The result is empty if words with these values are missed less than `TIMES` times as often as other
    words.
    """
    counts = np.bincount(codes[codes >= 0], minlength=n)
    lost = np.bincount(codes[missed & (codes >= 0)], minlength=n)
    n_missed, n_true = int(missed.sum()), len(missed)
    some = np.flatnonzero(lost >= max(1.0, SOME * n_missed))
    order = some[np.argsort(-lost[some] / counts[some], kind="stable")].tolist()
    best, contrast = list[int](), 0.0
    for k in range(1, min(NAMED, len(order)) + 1):
        held, others = int(lost[order[:k]].sum()), n_true - int(counts[order[:k]].sum())
        if not others or held < MOST * n_missed:
            continue
        share, rate = held / n_missed, held / (n_true - others)
        # Youden's index: the share of missed words with these values, minus the share of other words
        # with them.
        index = share - (n_true - others - held) / max(1, n_true - n_missed)
        if rate >= TIMES * (n_missed - held) / others and index > contrast:
            best, contrast = order[:k], index
    return best


@cache
def _script(text: str) -> str:
    """Return the script of a word's first letter; if it has none, "numbers" or "punctuation marks"."""
    for character in unicodedata.normalize("NFKC", text):
        if character.isalpha():
            name = unicodedata.name(character, "unknown").partition(" ")[0].capitalize()
            return "Han" if name == HAN else name
    return WITHOUT_LETTERS[any(map(str.isnumeric, text))]
