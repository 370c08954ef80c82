"""Align the true words of a page with an engine's outputs, using only the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.words.matching import SPACE, match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.words.matching import Block


def align_texts(
    truth: Sequence[str],
    outputs: Sequence[str],
    *,
    truth_spaces: NDArray[np.bool_] | None = None,
    output_spaces: NDArray[np.bool_] | None = None,
    merge_gaps: bool = False,
) -> NDArray[np.intp]:
    """Align the true words of a page with an engine's outputs, in order.

    Parameters
    ----------
    truth, outputs : sequence of str
        Words in reading order, normalised and folded in the same way; no word is empty.
    truth_spaces, output_spaces : ndarray of bool, optional
        Whether a space precedes each word. By default, True for every word except the first. If single
        characters are aligned, no space precedes a character inside a word.
    merge_gaps : bool, default=False
        Whether the unlinked words and outputs in a gap between linked ones can form a single row, as
        when the characters "rn" are read as "m". They do so if their numbers differ by a factor of at
        most two. By default, they are paired one to one.

    Returns
    -------
    ndarray of shape (k, 4), intp
        One row for each group of words and outputs that belong together, in reading order. The columns
        are begin and end of the true words, begin and end of the outputs. The row of a missed word has
        no outputs, and the row of an inserted output has no words. Each word and each output is in
        exactly one row.

    Notes
    -----
    A longest common subsequence of characters is matched (:func:`~fastarac.ocr.words.matching.match`).
    A word and an output are linked if at least half of the characters of the shorter text are matched
    with characters of the longer text. Words and outputs connected by links, directly or through
    others, form one row. In the gaps between these rows, unlinked words and outputs are paired one to
    one, in order, as wrong readings. An example is a misread word of one character. The remaining words
    are missed, and the remaining outputs are inserted.

    Examples
    --------
    >>> from fastarac.ocr.words.alignment import align_texts
    >>> align_texts(["a", "fine", "day"], ["afine", "d", "ay", "~"]).tolist()
    [[0, 2, 0, 1], [2, 3, 1, 3], [3, 3, 3, 4]]
    """
    first, word_of = _joined(truth, truth_spaces)
    second, output_of = _joined(outputs, output_spaces)
    linked = _linked(match(first, second), word_of, output_of)
    return _with_the_rest(_components(linked), len(truth), len(outputs), merge_gaps)


def _joined(words: Sequence[str], spaces: NDArray[np.bool_] | None) -> tuple[str, NDArray[np.intp]]:
    """Return the joined text, and the word index of each character (-1 for a space)."""
    lengths = np.fromiter(map(len, words), np.intp, len(words))
    if spaces is None:
        text = SPACE.join(words)
        before = np.arange(len(words)) > 0
    else:
        text = "".join(
            SPACE + word if space else word for word, space in zip(words, spaces.tolist(), strict=True)
        )
        before = spaces
    word_of = np.repeat(np.arange(len(words)), lengths + before)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    word_of[codes == ord(SPACE)] = -1
    return text, word_of


def _linked(
    blocks: Sequence[Block], word_of: NDArray[np.intp], output_of: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the links as (word, output) pairs, of shape (k, 2); both columns are non-decreasing."""
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
    """Drop the weaker of a word's two links if the outputs in between cannot belong to the word.

    Such links arise by chance, because a short word may match distant characters. Two links of one
    output are treated in the same way.
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
    """Return the spans of words and outputs that are connected by links, of shape (k, 4)."""
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
