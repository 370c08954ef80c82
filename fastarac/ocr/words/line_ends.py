"""Join words divided at a line end if the other side (truth or output) has them in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.words.folding import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.words.folding import Folding

#: Characters that mark a word divided at a line end: hyphens, the double hyphen of old prints, the
#: equals sign that engines read in place of a double hyphen, and the not sign of some transcriptions.
HYPHENS = "-\u2010\u2011\u2e17\u2e40=\u00ac"

#: Minimum similarity of two joined parts to a word of the other side.
ALIKE = 0.6
#: Maximum number of words of the other side that are searched between the nearest matched words.
MOST_BETWEEN = 100
#: Minimum similarity for a word elsewhere on the page, or for two parts that are not adjacent.
ALIKE_ELSEWHERE = 0.8
# Maximum product of the two sides' numbers of words for rapidfuzz, whose table has one bit for each
# pair (32 MiB). Above it, difflib matches the words.
LARGEST_TABLE = 1 << 28


class Joined(NamedTuple):
    """A word joined from two parts."""

    text: str
    """The joined word as it is written."""
    second: int
    """Index of its second part: the next word, or another one if lines are out of order."""


class DividedTexts(NamedTuple):
    """The words of one side of a page, with the indices of words that may be parts of divided words.

    Attributes
    ----------
    text : sequence of str
        The words as they are written.
    divided : list of int
        Words that end their line with a hyphen and whose second part may be the next word.
    ends : list of int
        All words that end their line with a hyphen.
    starts : list of int
        Words that begin a line and may be the second part of another word.
    folded : sequence of str
        The words as they are compared; empty until both sides are compared.
    """

    text: Sequence[str]
    divided: list[int]
    ends: list[int]
    starts: list[int]
    folded: Sequence[str] = ()

    @classmethod
    def of(cls, text: Sequence[str], line: NDArray[np.intp]) -> DividedTexts:
        """Find words that may be parts of divided words; `line` has each word's line number."""
        last = np.flatnonzero(np.diff(line)).tolist()
        ends = [
            k for k in last if len(text[k]) > 1 and text[k][-1] in HYPHENS and text[k][-2].isalnum()
        ]
        starts = [k for k in [0, *(k + 1 for k in last)] if len(text) and text[k][0].isalnum()]
        return cls(text, [k for k in ends if text[k + 1][0].isalnum()], ends, starts)


def joined_as_the_other(
    truth: DividedTexts, outputs: DividedTexts, fold: Sequence[Folding] = ()
) -> tuple[dict[int, Joined], dict[int, Joined]]:
    """Join words that one side divides at a line end and the other side has in one piece.

    Parameters
    ----------
    truth, outputs : DividedTexts
        Both sides of a page, in reading order.
    fold : sequence of str
        The foldings with which texts are compared.

    Returns
    -------
    of_truth, of_outputs : dict of int to Joined
        The joined words, by the index of the first part. The hyphen is dropped, unless the other side
        has it ("Nord-" and "Süd"). Letters that German spelling changed at line ends are restored
        ("Zuk-" and "ker", "Schiff-" and "fahrt").

    Notes
    -----
    First, equal words are matched in order. If both parts are matched with adjacent words, both sides
    divide the word, and it stays divided. Other parts are joined if the joined word occurs on the other
    side between the nearest matched words. The word on the other side may be misread: its similarity to
    the joined word must be at least 60%, and larger than its similarity to either part.

    Lines may be out of order, for example if columns are read line by line. Therefore, a word with a
    hyphen at a line end is also combined with the first words of other lines. Two parts are joined if
    the other side has, at any place, an unmatched and undivided word that is similar to the joined
    word. The similarity must be at least 80%, and larger than the similarity to either part.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr.words.line_ends import DividedTexts, joined_as_the_other
    >>> truth = DividedTexts.of("die Wasserleitung Ein- und Ausgang".split(), np.zeros(5, int))
    >>> lines = np.array([0, 0, 1, 1, 2, 2])
    >>> output = DividedTexts.of("die Wasser- leitung Ein- und Ausgang".split(), lines)
    >>> joined_as_the_other(truth, output)
    ({}, {1: Joined(text='Wasserleitung', second=2)})
    """
    if not truth.ends and not outputs.ends:
        return {}, {}
    ours, theirs = (side._replace(folded=folded(side.text, fold)) for side in (truth, outputs))
    partner = _partners(ours.folded, theirs.folded)
    of_output = {other: own for own, other in partner.items()}
    found = _joined(theirs, ours, of_output, fold, set())
    taken = {i for k, joined in found.items() for i in (k, joined.second)}
    return _joined(ours, theirs, partner, fold, taken), found


def _partners(first: Sequence[str], second: Sequence[str]) -> dict[int, int]:
    """Match equal words in order; return the index in `second` of each matched word of `first`."""
    if len(first) * len(second) > LARGEST_TABLE:
        from difflib import SequenceMatcher

        blocks = [tuple(b) for b in SequenceMatcher(None, first, second).get_matching_blocks()]
    else:
        from rapidfuzz.distance import LCSseq

        blocks = [tuple(b) for b in LCSseq.editops(first, second).as_matching_blocks()]
    return {i + n: j + n for i, j, size in blocks for n in range(size)}


def _joined(
    own: DividedTexts,
    other: DividedTexts,
    partner: dict[int, int],
    fold: Sequence[Folding],
    taken: set[int],
) -> dict[int, Joined]:
    """Find the words of `own` to join; `partner` maps matched words to indices in `other`."""
    if not own.ends:
        return {}
    parts = {k + i for k in other.divided for i in (0, 1)}
    not_free = parts.union(partner.values(), taken)
    free = [i for i in range(len(other.folded)) if i not in not_free]
    unmatched = set(free)
    on_both = {k for k in own.ends if k in partner and partner.get(k + 1) == partner[k] + 1}
    before, after = _around(own, partner, len(other.folded))
    found: dict[int, Joined] = {}
    divided = {other.folded[i] for i in other.ends}
    used = set(on_both)  # indices of words that are already part of a joined word
    used.update(k + 1 for k in on_both)

    def join(k: int, second: int, text: str, place: int) -> None:
        found[k] = Joined(text, second)
        used.update((k, second))
        taken.add(place)

    for exact in (True, False):
        for k in own.divided:
            if not used.isdisjoint((k, k + 1)):
                continue
            between = range(before[k], min(after[k], before[k] + MOST_BETWEEN))
            places = (i for i in between if i not in taken and (exact or i in unmatched))
            forms = _forms(own.text[k], own.text[k + 1])
            compared, alike = folded(forms, fold), None if exact else ALIKE
            place, form = _most_like(own.folded[k : k + 2], compared, other.folded, places, alike)
            if place is not None:
                join(k, k + 1, forms[form], place)
        for k in own.ends:
            if k in used or own.folded[k] in divided:
                continue
            for second, place, text in _elsewhere(own, other, k, free, fold, exact=exact):
                if second not in used and place not in taken:
                    join(k, second, text, place)
                    break
    return found


def _elsewhere(
    own: DividedTexts,
    other: DividedTexts,
    k: int,
    free: list[int],
    fold: Sequence[Folding],
    *,
    exact: bool,
) -> Iterator[tuple[int, int, str]]:
    """For word `k`, yield (index of a second part, index of the match in `other`, joined text)."""
    first = own.folded[k][:-1]
    begin = first[: max(2, len(first) // 2)]
    places = [i for i in free if other.folded[i].startswith(begin)]
    if not places:
        return
    for second in sorted(own.starts, key=lambda start: (start <= k, abs(start - k))):
        forms = _forms(own.text[k], own.text[second])
        both, alike = [own.folded[k], own.folded[second]], None if exact else ALIKE_ELSEWHERE
        place, form = _most_like(both, folded(forms, fold), other.folded, places, alike)
        if place is not None:
            yield second, place, forms[form]


def _around(
    own: DividedTexts, partner: dict[int, int], n_other: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return, for each divided word, where the search in the other text begins and ends."""
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
    """Return the ways to write two parts as one word; the first is without a hyphen."""
    start = first[:-1]
    forms = [start + second, first + second]
    if start[-1] == second[0] == "k":
        forms.append(f"{start[:-1]}c{second}")
    if len(start) > 1 and start[-2] == start[-1] == second[0]:
        forms.append(start + second[1:])
    return forms


def _most_like(
    parts: Sequence[str],
    forms: list[str],
    words: Sequence[str],
    places: Iterable[int],
    alike: float | None,
) -> tuple[int | None, int]:
    """Return the index of the word most similar to any of `forms`, and the index of that form.

    The first index is None if no similarity is at least `alike` and larger than that of each of
    `parts`. If `alike` is None, the word must equal a form.
    """
    if alike is None:
        equal = next((place for place in places if words[place] in forms), None)
        return equal, 0 if equal is None else forms.index(words[equal])
    from rapidfuzz.distance import Indel

    best: tuple[float, int | None, int] = alike, None, 0
    for place in places:
        word = words[place]
        alone = max(Indel.normalized_similarity(word, part) for part in parts)
        for number, form in enumerate(forms):
            likeness = Indel.normalized_similarity(word, form)
            if likeness > alone and likeness >= best[0] + (best[1] is not None) * 1e-9:
                best = likeness, place, number
    return best[1:]
