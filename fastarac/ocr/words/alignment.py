"""Align the true words of a page with an engine's outputs, using only the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.ocr.words.matching import SPACE, match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.words.matching import Block


class PageText(NamedTuple):
    """Words of one page; `spaces` says which words follow a space (None: all but the first)."""

    words: Sequence[str]
    spaces: NDArray[np.bool_] | None = None

    @property
    def parts(self) -> NDArray[np.bool_] | None:
        """Whether each word is part of a longer word: no space separates it from a neighbour."""
        if self.spaces is None or len(self.words) < 2:
            return None
        parts = np.zeros(len(self.words), bool)
        parts[1:] |= ~self.spaces[1:]
        parts[:-1] |= ~self.spaces[1:]
        return parts

    def take(self, places: NDArray[np.intp]) -> PageText:
        """Return the words at these indices; the space before a dropped word moves to the next word."""
        words = [self.words[int(i)] for i in places]
        if self.spaces is None or not len(places):
            return PageText(words)
        counts = np.cumsum(self.spaces)[places]
        return PageText(words, np.diff(counts, prepend=counts[0]) > 0)

    @property
    def text(self) -> str:
        """The words joined to one text, with their spaces."""
        if self.spaces is None:
            return SPACE.join(self.words)
        return "".join(
            SPACE + word if space else word
            for word, space in zip(self.words, self.spaces.tolist(), strict=True)
        )


def align_texts(truth: PageText, outputs: PageText, *, merge_gaps: bool = False) -> NDArray[np.intp]:
    """Align the true words of a page with an engine's outputs, in order.

    Parameters
    ----------
    truth, outputs : PageText
        Words in reading order, normalised and folded in the same way; no word is empty. If single
        characters are aligned, no space precedes a character inside a word.
    merge_gaps : bool, default=False
        Whether unlinked words and outputs between the same linked ones can form a single row, as when
        "rn" is read as "m". They do so if their numbers differ by a factor of at most two. By default,
        they are paired one to one.

    Returns
    -------
    ndarray of shape (k, 4), intp
        One row for each group of words and outputs that belong together, in reading order: begin and
        end of the true words, begin and end of the outputs. A missed word has no outputs, and an
        inserted output has no words. Each word and each output is in exactly one row.

    Notes
    -----
    A longest common subsequence of characters is matched (:func:`~fastarac.ocr.words.matching.match`).
    A word and an output are linked if at least half of the characters of the shorter text are matched
    with characters of the longer text. Words and outputs connected by links, directly or through
    others, form one row. In the gaps between these rows, unlinked words and outputs are paired one to
    one, in order, as wrong readings. The remaining words are missed, and the remaining outputs are
    inserted.

    Examples
    --------
    >>> from fastarac.ocr.words.alignment import PageText, align_texts
    >>> truth, outputs = PageText(["a", "fine", "day"]), PageText(["afine", "d", "ay", "~"])
    >>> align_texts(truth, outputs).tolist()
    [[0, 2, 0, 1], [2, 3, 1, 3], [3, 3, 3, 4]]
    """
    first, word_of = _joined(truth)
    second, output_of = _joined(outputs)
    linked = _linked(match(first, second), word_of, output_of)
    return _with_the_rest(_components(linked), len(truth.words), len(outputs.words), merge_gaps)


def _joined(side: PageText) -> tuple[str, NDArray[np.intp]]:
    """Return the joined text, and the word index of each character (-1 for a space)."""
    n, text = len(side.words), side.text
    lengths = np.fromiter(map(len, side.words), np.intp, n)
    before = np.arange(n) > 0 if side.spaces is None else side.spaces
    word_of = np.repeat(np.arange(n), lengths + before)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    word_of[codes == ord(SPACE)] = -1
    return text, word_of


def _linked(
    blocks: Sequence[Block], word_of: NDArray[np.intp], output_of: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the links, (word, output) pairs of shape (k, 2), sorted by both columns."""
    if not blocks:
        return np.empty((0, 2), np.intp)
    first, second, length = np.array(blocks, np.intp).T
    within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    words = word_of[np.repeat(first, length) + within]
    outputs = output_of[np.repeat(second, length) + within]
    kept = (words >= 0) & (outputs >= 0)
    words, outputs = words[kept], outputs[kept]
    new = np.ones(len(words), bool)
    new[1:] = (np.diff(words) != 0) | (np.diff(outputs) != 0)
    starts = np.flatnonzero(new)
    matched = np.diff(starts, append=len(words))
    links = np.stack([words[starts], outputs[starts]], axis=1)
    sizes = [np.bincount(of[of >= 0]) for of in (word_of, output_of)]
    close = 2 * matched >= np.minimum(sizes[0][links[:, 0]], sizes[1][links[:, 1]])
    return _without_leaps(links[close], matched[close], sizes)


def _without_leaps(
    links: NDArray[np.intp], matched: NDArray[np.intp], sizes: list[NDArray[np.intp]]
) -> NDArray[np.intp]:
    """Drop the weaker of two links of a word if the outputs in between cannot belong to the word.

    Outputs cannot belong to a word if they have more characters than the word has unmatched characters.
    A short word may match distant characters by chance. Two links of one output are treated in the same
    way.
    """
    step = np.diff(links, axis=0)
    if not ((step == 0).any(axis=1) & (step > 1).any(axis=1)).any():
        return links
    begins = [np.concatenate([[0], np.cumsum(size)]) for size in sizes]

    def leaps(k: int, n: int) -> bool:
        for side, other in ((0, 1), (1, 0)):
            if links[k, side] == links[n, side] and links[n, other] - links[k, other] > 1:
                between = begins[other][links[n, other]] - begins[other][links[k, other] + 1]
                left_over = sizes[side][links[k, side]] - matched[k] - matched[n]
                return bool(between > left_over)
        return False

    kept: list[int] = []
    for n in range(len(links)):
        while kept and leaps(kept[-1], n) and matched[kept[-1]] < matched[n]:
            kept.pop()
        if not kept or not leaps(kept[-1], n):
            kept.append(n)
    return links[kept]


def _components(links: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the ranges of words and outputs connected by links, of shape (k, 4)."""
    if not len(links):
        return np.empty((0, 4), np.intp)
    apart = (np.diff(links, axis=0) != 0).all(axis=1)
    begin = links[np.concatenate([[True], apart])]
    end = links[np.concatenate([apart, [True]])] + 1
    return np.stack([begin[:, 0], end[:, 0], begin[:, 1], end[:, 1]], axis=1)


def _with_the_rest(
    spans: NDArray[np.intp], n_words: int, n_outputs: int, merge_gaps: bool
) -> NDArray[np.intp]:
    """Add rows for the unlinked words and outputs, in reading order."""
    ends = np.concatenate([[[0, 0]], spans[:, 1::2]])
    begins = np.concatenate([spans[:, ::2], [[n_words, n_outputs]]])
    gaps = np.flatnonzero((begins > ends).any(axis=1))
    if not len(gaps):
        return spans
    rows: list[tuple[int, int, int, int]] = []
    for (i, j), (k, m) in zip(ends[gaps].tolist(), begins[gaps].tolist(), strict=True):
        less, more = sorted((k - i, m - j))
        if merge_gaps and less < more <= 2 * less:
            rows.append((i, k, j, m))
            continue
        rows += ((i + n, i + n + 1, j + n, j + n + 1) for n in range(less))
        rows += ((n, n + 1, m, m) for n in range(i + less, k))
        rows += ((k, k, n, n + 1) for n in range(j + less, m))
    every = np.concatenate([spans, np.array(rows, np.intp)])
    return every[np.argsort(every[:, 0] + every[:, 2])]
