"""Words that a line end divides: joined where the other side of a page has them joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.folding import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.folding import Folding

__all__ = ["HYPHENS", "DividedTexts", "joined_as_the_other"]

#: What stands at a line's end in a word that goes on: hyphens, the double ones of old prints, the
#: equals sign that engines read in them, and the sign that transcriptions write.
HYPHENS = "-\u2010\u2011\u2e17\u2e40=\u00ac"

#: From this likeness on, a word of the other side is the same as two parts, if neither is more like it.
ALIKE = 0.6
#: So many words between two that both sides have are searched for one that is like two parts.
MOST_BETWEEN = 100
# The table of words of both sides that rapidfuzz makes takes a bit a cell.
LARGEST_TABLE = 1 << 28


class DividedTexts(NamedTuple):
    """The words of one side of a page, some of which may be parts.

    Attributes
    ----------
    text : sequence of str
        As they are written.
    divided : list of int
        Those that end their line with a hyphen, and may go on with the next word.
    """

    text: Sequence[str]
    divided: list[int]

    @classmethod
    def of(cls, text: Sequence[str], line: NDArray[np.intp]) -> DividedTexts:
        """Return words with those that may be parts; `line` are the numbers of their lines."""
        ends = np.flatnonzero(np.diff(line)).tolist()
        return cls(text, [k for k in ends if _is_part(text[k], text[k + 1])])


def _is_part(text: str, following: str) -> bool:
    return len(text) > 1 and text[-1] in HYPHENS and text[-2].isalnum() and following[0].isalnum()


def joined_as_the_other(
    truth: DividedTexts, outputs: DividedTexts, fold: Sequence[Folding] = ()
) -> tuple[dict[int, str], dict[int, str]]:
    """Return the divided words of each side that the other side has joined.

    Parameters
    ----------
    truth, outputs : DividedTexts
        Both sides of a page, in reading order.
    fold : sequence of str
        The foldings that texts are compared with.

    Returns
    -------
    of_truth, of_outputs : dict of int to str
        By the index of the first part, the joined word as it is written: without the hyphen, or with
        it where the other side has it ("Nord-" and "Süd"), or with the letters that German changed at
        line ends ("Zuk-" and "ker", "Schiff-" and "fahrt").

    Notes
    -----
    The words that both sides have in common, in order, are matched. Two parts that are matched side by
    side are divided on both sides, and stay. Others are joined where, between the nearest matched
    words around them, the other side has the joined word; or, where that is misread, one word that is
    more like the joined word than like each part, and shares at least 60 % of its characters.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr.line_ends import DividedTexts, joined_as_the_other
    >>> truth = DividedTexts.of("die Wasserleitung Ein- und Ausgang".split(), np.zeros(5, int))
    >>> lines = np.array([0, 0, 1, 1, 2, 2])
    >>> output = DividedTexts.of("die Wasser- leitung Ein- und Ausgang".split(), lines)
    >>> joined_as_the_other(truth, output)
    ({}, {1: 'Wasserleitung'})
    """
    if not truth.divided and not outputs.divided:
        return {}, {}
    ours, theirs = _Compared.of(truth, fold), _Compared.of(outputs, fold)
    partner = _partners(ours.folded, theirs.folded)
    of_output = {other: own for own, other in partner.items()}
    found = _joined(theirs, ours, of_output, fold, set())
    return _joined(ours, theirs, partner, fold, {k + i for k in found for i in (0, 1)}), found


class _Compared(NamedTuple):
    text: Sequence[str]
    divided: list[int]
    folded: list[str]

    @classmethod
    def of(cls, texts: DividedTexts, fold: Sequence[Folding]) -> _Compared:
        return cls(*texts, folded(texts.text, fold))


def _partners(first: list[str], second: list[str]) -> dict[int, int]:
    """Return the words that both have in common, in order: places in the first, and in the second."""
    if len(first) * len(second) > LARGEST_TABLE:
        from difflib import SequenceMatcher

        blocks = [tuple(b) for b in SequenceMatcher(None, first, second).get_matching_blocks()]
    else:
        from rapidfuzz.distance import LCSseq

        blocks = [tuple(b) for b in LCSseq.editops(first, second).as_matching_blocks()]
    return {i + n: j + n for i, j, size in blocks for n in range(size)}


def _joined(
    own: _Compared,
    other: _Compared,
    partner: dict[int, int],
    fold: Sequence[Folding],
    taken: set[int],
) -> dict[int, str]:
    """Return what of one side is joined; `partner` are places of its words on the other side."""
    if not own.divided:
        return {}
    parts = {k + i for k in other.divided for i in (0, 1)}
    of_other = set(partner.values())
    before, after = _around(own, partner, len(other.folded))
    found: dict[int, str] = {}
    for k in own.divided:
        if k - 1 in found:
            continue  # the second part of the word before
        here = partner.get(k)
        if here is not None and partner.get(k + 1) == here + 1:
            continue  # divided on both sides
        between = [
            i for i in range(before[k], min(after[k], before[k] + MOST_BETWEEN)) if i not in taken
        ]
        forms = _forms(own.text[k], own.text[k + 1])
        compared = folded(forms, fold)
        place = next((i for i in between if other.folded[i] in compared), None)
        if place is not None:
            form = compared.index(other.folded[place])
        else:
            free = [i for i in between if i not in of_other and i not in parts]
            place, form = _most_like(own.folded[k : k + 2], compared, other.folded, free)
        if place is not None:
            taken.add(place)
            found[k] = forms[form]
    return found


def _around(
    own: _Compared, partner: dict[int, int], n_other: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return between which places of the other side a word for two parts is looked for, for each."""
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    last, at = 0, 0
    for k in own.divided:
        for i in range(at, k):
            last = partner.get(i, last - 1) + 1
        before[k], at = last, k
    last, at = n_other, len(own.folded)
    for k in reversed(own.divided):
        for i in range(at - 1, k + 1, -1):
            last = partner.get(i, last)
        after[k], at = last, k + 2
    return before, after


def _forms(first: str, second: str) -> list[str]:
    """Return how two parts may be written as one word, without the hyphen first."""
    start = first[:-1]
    forms = [start + second, first + second]
    if start[-1] == second[0] == "k":
        forms.append(f"{start[:-1]}c{second}")
    if len(start) > 1 and start[-2] == start[-1] == second[0]:
        forms.append(start + second[1:])
    return forms


def _most_like(
    parts: list[str], forms: list[str], words: list[str], places: list[int]
) -> tuple[int | None, int]:
    """Return the word that is most like the two parts together, and like which form of them."""
    from rapidfuzz.distance import Indel

    best: tuple[float, int | None, int] = ALIKE, None, 0
    for place in places:
        word = words[place]
        alone = max(Indel.normalized_similarity(word, part) for part in parts)
        for number, form in enumerate(forms):
            likeness = Indel.normalized_similarity(word, form)
            if likeness > alone and likeness >= best[0] + (best[1] is not None) * 1e-9:
                best = likeness, place, number
    return best[1:]
