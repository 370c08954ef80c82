"""One record for each true word and each inserted output; a policy makes items from the records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from fastarac._core.results import Result, Table
from fastarac.ocr.words.alignment import PageText
from fastarac.ocr.words.error_rates import count_edits, rates_of_pages
from fastarac.ocr.words.folding import folded
from fastarac.ocr.words.line_ends import DividedTexts, joined_as_the_other
from fastarac.ocr.words.page_alignment import align_page
from fastarac.ocr.words.units import Tokens, joined_confidence, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.words.error_rates import ErrorRates
    from fastarac.ocr.words.folding import Folding
    from fastarac.ocr.words.line_ends import Joined
    from fastarac.ocr.words.units import Join, Unit
    from fastarac.ocr.words.words import Words

Kind = Literal["right", "wrong", "merged", "split", "moved", "inserted", "missed"]

KINDS: tuple[Kind, ...] = get_args(Kind)
RIGHT, WRONG, MERGED, SPLIT, MOVED, INSERTED, MISSED = range(len(KINDS))

#: A page hardly aligns if more than this share of its characters, apart from moved words, differ.
HARDLY = 0.5

COLUMNS = (
    *("kind", "confidence", "page", "number", "inserted", "output_begin", "output_end"),
    *("gap", "shared"),
)
#: Kinds of separation between a word and the word before it.
NOTHING, SPACE, LINE_END = range(3)


class Reading(NamedTuple):
    """How texts are compared: the options of `align` except the policy."""

    unit: Unit = "word"
    fold: tuple[Folding, ...] = ()
    join: Join = "min"


@dataclass(frozen=True, slots=True, eq=False)
class PageCounts(Table, Result):
    """Word counts and share of differing characters of each page; arrays of shape (n_pages,).

    See Also
    --------
    AlignedOutputs : the items of an engine's outputs
    ErrorRates : error rates of an engine's text as it is, before any review
    """

    name: tuple[str, ...]
    differing_share: NDArray[np.float64]
    true_words: NDArray[np.int64]
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    merged: NDArray[np.int64]
    split: NDArray[np.int64]
    moved: NDArray[np.int64]
    inserted: NDArray[np.int64]
    missed: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Records(Result):
    """True words in page order, with the inserted outputs between them.

    Attributes
    ----------
    kind : ndarray of shape (n,), uint8
        Index into `KINDS`.
    confidence : ndarray of shape (n,), float64
        The engine's confidence; NaN for missed words and if the engine gives none.
    page : ndarray of shape (n,), intp
        Index into `page_names`.
    number : ndarray of shape (n,), intp
        Number of the true word on its page, from 1; an inserted output has the number of the word
        before it.
    inserted : ndarray of shape (n,), intp
        0 for a true word; 1, 2, … for the inserted outputs after the same true word.
    truth, prediction : tuple of str
        Texts as written. For merged and split words, `prediction` has all outputs of the group.
    output_begin, output_end : ndarray of shape (n,), intp
        Range of the outputs among the engine's words.
    gap : ndarray of shape (n,), uint8
        The separator between each true word or inserted output and the text before it: `NOTHING`,
        `SPACE`, or `LINE_END` of the true text.
    shared : ndarray of shape (n,), bool
        Whether the record shares its outputs with the previous record, because the outputs cover
        several true words.
    page_names : tuple of str
    differing_share : ndarray of shape (n_pages,), float64
        Number of characters to insert, delete or replace on each page, divided by its number of true
        characters, after folding and without moved words. NaN without true text.
    edits : ndarray of shape (n_pages, 6), float64
        The counts of :data:`~fastarac.ocr.words.error_rates.COUNTS` on each page, including moved
        words; NaN for excluded pages.
    n_outputs : int
        Number of words that the engine wrote on these pages.
    n_unspaced : int
        Number of true words that are characters of scripts written without spaces.
    n_emptied : int
        Number of true words and outputs that are left out because folding makes them empty.
    n_joined : int
        Number of words divided at a line end on one side that were joined, because the other side has
        them in one piece.
    """

    kind: NDArray[np.uint8]
    confidence: NDArray[np.float64]
    page: NDArray[np.intp]
    number: NDArray[np.intp]
    inserted: NDArray[np.intp]
    truth: tuple[str, ...]
    prediction: tuple[str, ...]
    output_begin: NDArray[np.intp]
    output_end: NDArray[np.intp]
    gap: NDArray[np.uint8]
    shared: NDArray[np.bool_]
    page_names: tuple[str, ...]
    differing_share: NDArray[np.float64]
    edits: NDArray[np.float64]
    n_outputs: int = 0
    n_unspaced: int = 0
    n_emptied: int = 0
    n_joined: int = 0

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def counts(self) -> dict[str, int]:
        """Number of records of each kind."""
        found = np.bincount(self.kind, minlength=len(KINDS)).tolist()
        return dict(zip(KINDS, found, strict=True))

    @property
    def n_true(self) -> int:
        """Number of true words, or of other true units."""
        return int((self.kind != INSERTED).sum())

    @property
    def n_missed(self) -> int:
        """Number of true words without an output."""
        return int((self.kind == MISSED).sum())

    def n_without_confidence(self, rows: NDArray[np.intp]) -> int:
        """Count the records with an output but no confidence."""
        return int((np.isnan(self.confidence[rows]) & (self.kind[rows] != MISSED)).sum())

    @property
    def pages(self) -> PageCounts:
        """Word counts and share of differing characters of each page."""
        n_pages = len(self.page_names)
        cells = self.page * len(KINDS) + self.kind
        table = np.bincount(cells, minlength=n_pages * len(KINDS)).reshape(n_pages, len(KINDS))
        n_true = table.sum(axis=1) - table[:, INSERTED]
        return PageCounts(self.page_names, self.differing_share, n_true, *table.T)

    @property
    def hardly_aligned(self) -> tuple[str, ...]:
        """Names of pages on which more than half of the characters differ, apart from moved words."""
        shares = self.differing_share.tolist()
        return tuple(
            name for name, share in zip(self.page_names, shares, strict=True) if share > HARDLY
        )

    def error_rates(self, confidence_level: float = 0.95) -> ErrorRates:
        """Return character, word and bag-of-words error rates, with intervals by page.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Level of the intervals, in (0, 1).

        Returns
        -------
        ErrorRates
            Rates over all pages that are not excluded.
        """
        kept = np.flatnonzero(~np.isnan(self.edits[:, 0]))
        names = tuple(self.page_names[k] for k in kept.tolist())
        return rates_of_pages(names, self.edits[kept].astype(np.int64), confidence_level)

    def take(self, rows: NDArray[np.intp]) -> Records:
        """Return the records with these indices; the pages stay the same."""
        indices = rows.tolist()
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in COLUMNS}
        columns["truth"] = tuple(self.truth[i] for i in indices)
        columns["prediction"] = tuple(self.prediction[i] for i in indices)
        return replace(self, **columns)

    @classmethod
    def concatenate(cls, parts: Sequence[Records]) -> Records:
        """Concatenate the records of several sets of pages."""
        pages = np.cumsum([0, *(len(part.page_names) for part in parts)])
        outputs = np.cumsum([0, *(part.n_outputs for part in parts)])
        shifted = list(zip(parts, pages.tolist(), outputs.tolist(), strict=False))
        own: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (
                *("kind", "confidence", "number", "inserted", "gap", "shared"),
                *("differing_share", "edits"),
            )
        }
        return cls(
            **own,
            page=np.concatenate([part.page + n for part, n, _ in shifted]),
            truth=tuple(text for part in parts for text in part.truth),
            prediction=tuple(text for part in parts for text in part.prediction),
            output_begin=np.concatenate([part.output_begin + n for part, _, n in shifted]),
            output_end=np.concatenate([part.output_end + n for part, _, n in shifted]),
            page_names=tuple(name for part in parts for name in part.page_names),
            n_outputs=int(outputs[-1]),
            n_unspaced=sum(part.n_unspaced for part in parts),
            n_emptied=sum(part.n_emptied for part in parts),
            n_joined=sum(part.n_joined for part in parts),
        )


def records_of(truth: Words, words: Words, reading: Reading) -> Records:
    """Align each page of `truth` with the page of the same name in `words`."""
    theirs = dict(zip(words.page_names, words.page_slices(), strict=True))
    parts = [
        _of_page(truth, part, words, theirs[name], reading, name)
        for name, part in zip(truth.page_names, truth.page_slices(), strict=True)
    ]
    return replace(Records.concatenate(parts), n_outputs=len(words))


class _Side(NamedTuple):
    """The folded texts of one side of a page, except texts that folding makes empty."""

    tokens: Tokens
    folded: list[str]
    number: NDArray[np.intp]
    joined: Mapping[int, Joined]
    n_emptied: int

    @property
    def text(self) -> PageText:
        return PageText(self.folded, self.tokens.space)

    @classmethod
    def of(cls, words: Words, part: slice, reading: Reading, joined: Mapping[int, Joined]) -> _Side:
        found = tokens(words, part, reading.unit, joined)
        texts = folded(found.text, reading.fold)
        # A word joined from two parts takes two numbers, so that numbers do not depend on the engine.
        second = sorted(after for _, after in joined.values())
        number = np.arange(1, len(texts) + 1) + np.searchsorted(second, found.begin)
        if all(texts):
            return cls(found, texts, number, joined, 0)
        kept = np.array([bool(text) for text in texts], bool)
        space = found.space
        if space is not None:  # the space before a dropped text moves to the next one
            space = np.diff(np.cumsum(space)[kept], prepend=0) > 0
        rest = Tokens(
            [text for text, stays in zip(found.text, kept.tolist(), strict=True) if stays],
            found.begin[kept],
            found.end[kept],
            space,
            found.n_unspaced,
        )
        left = [text for text in texts if text]
        return cls(rest, left, number[kept], joined, int((~kept).sum()))


def _of_page(
    truth: Words, of_truth: slice, words: Words, of_words: slice, reading: Reading, name: str
) -> Records:
    page = truth, of_truth, words, of_words
    sides = ours, theirs = _sides(*page, reading)
    # Error rates compare words, even if the items are lines or characters.
    in_words = sides if reading.unit == "word" else _sides(*page, reading._replace(unit="word"))
    alignment = align_page(ours.text, theirs.text, merge_gaps=reading.unit == "character")
    spans = alignment.spans
    n_true, n_outputs = spans[:, 1] - spans[:, 0], spans[:, 3] - spans[:, 2]
    with_output = np.flatnonzero(n_outputs > 0)

    equal = np.array(_equal(ours.folded, theirs.folded, spans, reading), bool)
    kind_of_span = _kinds(n_true, n_outputs, equal, alignment.moved)
    in_order = with_output[np.argsort(spans[with_output, 2])]
    confidence = np.full(len(spans), np.nan)
    confidence[in_order] = joined_confidence(
        _confidence(words.confidence[of_words], theirs, reading),
        spans[in_order, 2],
        reading.join,
    )
    outputs = theirs.tokens
    first = np.zeros(len(spans), np.intp)
    last = np.zeros(len(spans), np.intp)
    first[with_output] = outputs.begin[spans[with_output, 2]]
    last[with_output] = outputs.end[spans[with_output, 3] - 1]
    space = "" if reading.unit == "character" else " "
    predictions = [
        outputs.text[j] if m == j + 1 else space.join(outputs.text[j:m])
        for j, m in spans[:, 2:].tolist()
    ]

    span = np.repeat(np.arange(len(spans)), np.maximum(n_true, 1))
    is_true = (n_true > 0)[span]
    before = np.cumsum(is_true)  # number of true words up to each record, including it
    numbers = np.concatenate([[0], ours.number])
    run = np.arange(1, len(span) + 1)
    texts = iter(ours.tokens.text)
    return Records(
        kind=kind_of_span[span],
        confidence=confidence[span],
        page=np.zeros(len(span), np.intp),
        number=numbers[before],
        inserted=np.where(is_true, 0, run - np.maximum.accumulate(np.where(is_true, run, 0))),
        truth=tuple(next(texts) if true else "" for true in is_true.tolist()),
        prediction=tuple(predictions[k] for k in span.tolist()),
        output_begin=first[span] + of_words.start,
        output_end=last[span] + of_words.start,
        gap=_gaps(truth.line[of_truth], ours.tokens, theirs.tokens, spans[span], is_true),
        shared=np.concatenate([[False], np.diff(span) == 0])[: len(span)],
        page_names=(name,),
        differing_share=np.array([alignment.differing_share]),
        edits=_edits(in_words, reading),
        n_unspaced=ours.tokens.n_unspaced,
        n_emptied=ours.n_emptied + theirs.n_emptied,
        n_joined=len(ours.joined) + len(theirs.joined),
    )


def _kinds(
    n_true: NDArray[Any], n_outputs: NDArray[Any], equal: NDArray[np.bool_], moved: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    kinds = np.full(len(n_true), WRONG, np.uint8)
    kinds[n_true > n_outputs] = MERGED
    kinds[n_true < n_outputs] = SPLIT
    kinds[n_true == 0] = INSERTED
    kinds[n_outputs == 0] = MISSED
    kinds[equal] = np.where(moved[equal], MOVED, RIGHT)
    return kinds


def _sides(
    truth: Words, of_truth: slice, words: Words, of_words: slice, reading: Reading
) -> tuple[_Side, _Side]:
    """Return the texts of both sides; words that only one side divides at a line end are joined."""
    joined: tuple[Mapping[int, Joined], Mapping[int, Joined]] = {}, {}
    if reading.unit != "line":
        ours = DividedTexts.of(truth.text[of_truth], truth.line[of_truth])
        theirs = DividedTexts.of(words.text[of_words], words.line[of_words])
        joined = joined_as_the_other(ours, theirs, reading.fold)
    return (
        _Side.of(truth, of_truth, reading, joined[0]),
        _Side.of(words, of_words, reading, joined[1]),
    )


def _edits(sides: Sequence[_Side], reading: Reading) -> NDArray[np.float64]:
    """Return the counts for error rates, of shape (1, 6), from the words of a page."""
    texts = [side.text for side in sides]
    if "whitespace" in reading.fold:
        texts = [text._replace(spaces=np.zeros(len(text.words), bool)) for text in texts]
    return np.array([count_edits(*texts)], np.float64)


def _gaps(
    lines: NDArray[np.intp],
    ours: Tokens,
    theirs: Tokens,
    spans: NDArray[np.intp],
    is_true: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    """Return the separator before each record; `lines` has the line of each true word."""

    def of_side(tokens: Tokens) -> NDArray[np.uint8]:
        if tokens.space is None:
            return np.full(len(tokens.text), SPACE, np.uint8)
        return np.where(tokens.space, SPACE, NOTHING).astype(np.uint8)

    in_truth = of_side(ours)
    in_truth[np.diff(lines[ours.begin], prepend=-1) != 0] = LINE_END
    gaps = np.empty(len(is_true), np.uint8)
    gaps[is_true] = in_truth
    gaps[~is_true] = of_side(theirs)[spans[~is_true, 2]]
    return gaps


def _confidence(
    confidence: NDArray[np.float64], outputs: _Side, reading: Reading
) -> NDArray[np.float64]:
    """Return the confidence of each text, joined from the confidences of its words."""
    if reading.unit == "line":
        return joined_confidence(confidence, outputs.tokens.begin, reading.join)
    of_words = confidence.copy()
    for k, (_, second) in outputs.joined.items():
        parts = confidence[[k, second]]
        of_words[k] = joined_confidence(parts, np.zeros(1, np.intp), reading.join)[0]
    return of_words[outputs.tokens.begin]


def _equal(
    truth: list[str], outputs: list[str], spans: NDArray[np.intp], reading: Reading
) -> list[bool]:
    """Return which rows of aligned words and outputs have equal texts.

    Without the folding ``"whitespace"``, only rows of one word and one output can be equal.
    """
    if "whitespace" not in reading.fold:
        return [k == i + 1 and m == j + 1 and truth[i] == outputs[j] for i, k, j, m in spans.tolist()]
    return [
        "".join(truth[i:k]).replace(" ", "") == "".join(outputs[j:m]).replace(" ", "")
        for i, k, j, m in spans.tolist()
    ]
