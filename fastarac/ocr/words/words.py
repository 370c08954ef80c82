"""The words of one or more pages, from an OCR engine or from a true text."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.results import Result, Table
from fastarac._core.text import few_of, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Scale = Literal["percent", "unit"]
Unit = Literal["word", "line"]

#: Maximum confidence on each scale.
HIGHEST: dict[str, float] = {"percent": 100.0, "unit": 1.0}

# Maximum rounding error of a probability above 1: engines compute in float32.
ROUNDING = 1e-6

LISTED = 20  # maximum number of pages that an error message lists


class ReadingNote(NamedTuple):
    """A remark on the words read, with the number of cases; ``str()`` gives a sentence.

    When readings are concatenated, the counts of equal notes are added.

    See Also
    --------
    Words : words in reading order, with their confidence and their place
    read : read the words of one file of an OCR engine, with their confidences
    """

    number: int
    one: str
    several: str

    def __str__(self) -> str:
        return f"1 {self.one}" if self.number == 1 else f"{self.number:,} {self.several}"


#: The note on words without a confidence if other words have one: for one word, and for several.
WITHOUT_CONFIDENCE = "word has no confidence", "words have no confidence"


def _no_numbers() -> NDArray[np.float64]:
    return np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Words(Table, Result):
    """Words in reading order, with confidences and boxes: the result of every reader.

    A truth has the same form, but no confidences.

    Attributes
    ----------
    text : tuple of str, n_words of them
        The words as they are written; no word is empty or contains white space.
    confidence : ndarray of shape (n_words,), float64
        The confidence as the engine writes it: in [0, 100] or in [0, 1], see `scale`. NaN if it gives
        none.
    page : ndarray of shape (n_words,), intp
        Index of each word's page in `page_names`, in non-decreasing order.
    line : ndarray of shape (n_words,), intp
        Line number of each word, counted from 0 over all pages, in non-decreasing order. No line is on
        two pages.
    box : ndarray of shape (n_words, 4), float64
        Left, top, right and bottom of the output that each word comes from, in the units of
        `page_size`; NaN if it has no box. If the file has a polygon, this is its bounding box.
    page_names : tuple of str, n_pages of them
        Names of the pages, all different, including pages without words.
    page_size : ndarray of shape (n_pages, 2), float64
        Width and height of each page in the units of the boxes; (1, 1) if boxes are fractions of the
        page, NaN if the file gives no size.
    source : str
        The format of the file, such as ``"tesseract-tsv"``: a name in ``fastarac.ocr.FORMATS``,
        or ``"text"``.
    scale : {"percent", "unit"} or None
        Whether the confidences of this format run from 0 to 100 or from 0 to 1. None if there are none.
    unit : {"word", "line"}
        Whether the engine gives a confidence for each word or for each line. With ``"line"``, each word
        has the confidence of its line.
    engine : str or None
        The software that wrote the file, if the file names it.
    notes : tuple of ReadingNote
        Facts that users should know: repairs that were made, lines that were divided into words, words
        without a confidence. ``str(note)`` is a sentence with its count.

    Raises
    ------
    ValueError
        If the arguments do not fit together as described above.

    See Also
    --------
    read : read the words of one file of an OCR engine, with their confidences
    read_truth : read the true text of one or more pages
    align : align an engine's words with the true ones

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr import Words
    >>> words = Words(
    ...     text=("Total", "12,50"),
    ...     confidence=np.array([96.5, 41.0]),
    ...     page=np.array([0, 0]),
    ...     line=np.array([0, 0]),
    ...     page_names=("invoice",),
    ...     scale="percent",
    ... )
    >>> words
    Words(2 words on 1 page, confidences in percent, source='')
    >>> words.page_slices()
    [slice(0, 2, None)]
    """

    text: tuple[str, ...]
    confidence: NDArray[np.float64]
    page: NDArray[np.intp]
    line: NDArray[np.intp]
    page_names: tuple[str, ...]
    box: NDArray[np.float64] = field(default_factory=_no_numbers)
    page_size: NDArray[np.float64] = field(default_factory=_no_numbers)
    source: str = ""
    scale: Scale | None = None
    unit: Unit = "word"
    engine: str | None = None
    notes: tuple[ReadingNote, ...] = ()

    def __post_init__(self) -> None:
        n, n_pages = len(self.text), len(self.page_names)
        set_field = object.__setattr__
        set_field(self, "confidence", np.asarray(self.confidence, np.float64))
        set_field(self, "page", np.asarray(self.page, np.intp))
        set_field(self, "line", np.asarray(self.line, np.intp))
        if np.size(self.box) == 0:
            set_field(self, "box", np.broadcast_to(np.nan, (n, 4)))  # a broadcast array needs no memory
        if np.size(self.page_size) == 0:
            set_field(self, "page_size", np.full((n_pages, 2), np.nan))
        _check_shapes(self, n, n_pages)
        _check_places(self, n_pages)
        _check_confidences(self)
        Result.__post_init__(self)

    def __len__(self) -> int:
        return len(self.text)

    def to_columns(self) -> dict[str, Any]:
        """Return the columns page, line, text, confidence and box, with one row for each word."""
        box = dict(zip(("left", "top", "right", "bottom"), self.box.T, strict=True))
        page = np.array(self.page_names, object)[self.page]
        return {
            "page": page, "line": self.line, "text": self.text, "confidence": self.confidence, **box
        }  # fmt: skip

    def __repr__(self) -> str:
        n, pages = len(self), len(self.page_names)
        said = {"percent": "in percent", "unit": "from 0 to 1", None: "absent"}[self.scale]
        return (
            f"Words({n} word{'s' * (n != 1)} on {pages} page{'s' * (pages != 1)}, "
            f"confidences {said}, source={self.source!r})"
        )

    def page_slices(self) -> list[slice]:
        """Return the slice of the words of each page."""
        ends = np.searchsorted(self.page, np.arange(len(self.page_names) + 1)).tolist()
        return [slice(begin, end) for begin, end in itertools.pairwise(ends)]

    def line_starts(self, part: slice = slice(None)) -> NDArray[np.intp]:
        """Return the indices into `text[part]` at which lines begin."""
        line = self.line[part]
        if not len(line):
            return np.empty(0, np.intp)
        return np.flatnonzero(np.diff(line, prepend=line[0] - 1))

    def select_pages(self, pages: Sequence[int], names: Sequence[str] | None = None) -> Words:
        """Return some of the pages, in increasing order, under new names if `names` is given.

        Parameters
        ----------
        pages : sequence of int
            Indices into `page_names`, increasing.
        names : sequence of str, optional
            New names of the pages.

        Returns
        -------
        words : Words

        Raises
        ------
        ValueError
            If the indices do not increase or are out of range, or if there is not one name for each
            page.
        """
        if any(b <= a for a, b in itertools.pairwise(pages)) or not all(
            0 <= page < len(self.page_names) for page in pages
        ):
            raise ValueError(
                f"pages must be increasing numbers from 0 to {len(self.page_names) - 1}, got "
                f"{list(pages)!r}"
            )
        if names is None:
            names = [self.page_names[page] for page in pages]
        slices = self.page_slices()
        taken = [np.arange(len(self))[slices[page]] for page in pages]
        kept = np.concatenate([np.empty(0, np.intp), *taken])
        return replace(
            self,
            text=tuple(self.text[i] for i in kept),
            confidence=self.confidence[kept],
            page=np.repeat(np.arange(len(pages)), [len(part) for part in taken]),
            line=self.line[kept],
            page_names=tuple(names),
            box=self.box[kept],
            page_size=self.page_size[list(pages)],
        )

    def as_one_page(self, name: str) -> Words:
        """Return the same words on a single page of this name, without a page size."""
        page = np.zeros(len(self), np.intp)
        return replace(self, page=page, page_names=(name,), page_size=_no_numbers())

    @classmethod
    def concatenate(cls, parts: Iterable[Words]) -> Words:
        """Concatenate the words of several readings.

        Parameters
        ----------
        parts : iterable of Words
            Readings of one format and scale, or truths.

        Returns
        -------
        words : Words
            Different `source` or `engine` names of the parts are joined by commas. The counts of equal
            notes are added.

        Raises
        ------
        ValueError
            If there is no part, if scales or units are mixed, or if two pages have the same name.
        """
        readings = list(parts)
        if not readings:
            raise ValueError("parts is empty; give at least one reading")
        scales: set[Scale] = {words.scale for words in readings if words.scale is not None}
        if len(scales) > 1:
            of_scale = {scale: [w for w in readings if w.scale == scale] for scale in HIGHEST}
            counts = ", ".join(
                f"{len(found)} from 0 to {HIGHEST[scale]:g}, such as {found[0].page_names[0]}"
                for scale, found in of_scale.items()
                if found
            )
            raise ValueError(
                f"the confidences of {len(readings)} readings have different scales ({counts}); "
                "use one scale"
            )
        units: set[Unit] = {words.unit for words in readings if words.scale is not None}
        if len(units) > 1:
            raise ValueError(
                "some readings have confidences of words, others have confidences of lines; use only "
                "one kind"
            )
        pages = np.cumsum([0, *(len(words.page_names) for words in readings)])
        lines = np.cumsum([0, *(int(words.line[-1]) + 1 if len(words) else 0 for words in readings)])
        confidence = np.concatenate([words.confidence for words in readings])
        return cls(
            text=tuple(text for words in readings for text in words.text),
            confidence=confidence,
            page=np.concatenate([words.page + n for words, n in zip(readings, pages, strict=False)]),
            line=np.concatenate([words.line + n for words, n in zip(readings, lines, strict=False)]),
            page_names=tuple(name for words in readings for name in words.page_names),
            box=np.concatenate([words.box for words in readings]),
            page_size=np.concatenate([words.page_size for words in readings]),
            source=_joined(words.source for words in readings) or "",
            scale=scales.pop() if scales else None,
            unit=units.pop() if units else readings[0].unit,
            engine=_joined(words.engine for words in readings),
            notes=_added(readings, confidence),
        )


def _added(readings: list[Words], confidence: NDArray[np.float64]) -> tuple[ReadingNote, ...]:
    """Return the notes of all readings; counts of equal notes are added."""
    counts: dict[tuple[str, str], int] = {}
    for words in readings:
        for number, one, several in words.notes:
            counts[one, several] = counts.get((one, several), 0) + number
    # If all words of a reading lack a confidence, it has no note WITHOUT_CONFIDENCE: count its words
    # here.
    counts.pop(WITHOUT_CONFIDENCE, None)
    missing = int(np.isnan(confidence).sum())
    if 0 < missing < len(confidence):
        counts[WITHOUT_CONFIDENCE] = missing
    return tuple(ReadingNote(number, *texts) for texts, number in counts.items())


def _joined(names: Iterable[str | None]) -> str | None:
    return ", ".join(dict.fromkeys(name for name in names if name)) or None


def _check_shapes(words: Words, n: int, n_pages: int) -> None:
    shapes = {
        "confidence": (n,),
        "page": (n,),
        "line": (n,),
        "box": (n, 4),
        "page_size": (n_pages, 2),
    }
    for name, shape in shapes.items():
        found = np.shape(getattr(words, name))
        if found != shape:
            raise ValueError(f"{name} must have shape {shape}, got {found}")


def _check_places(words: Words, n_pages: int) -> None:
    for i, text in enumerate(words.text):
        if text.split() != [text]:
            raise ValueError(f"text[{i}] must be a word without white space, got {text!r}")
    if len(set(words.page_names)) < n_pages:
        twice = next(name for name in words.page_names if words.page_names.count(name) > 1)
        raise ValueError(f"page_names must be distinct, got {twice!r} twice")
    page, line = words.page, words.line
    if not len(page):
        return
    if page[0] < 0 or page[-1] >= n_pages or (page[1:] < page[:-1]).any():
        raise ValueError(
            f"page must hold indices into the {n_pages} page_names, in an order that never decreases"
        )
    if line[0] < 0 or (line[1:] < line[:-1]).any():
        raise ValueError("line must be a sequence of numbers from 0 that never decreases")
    if ((page[1:] > page[:-1]) & (line[1:] == line[:-1])).any():
        raise ValueError("line has the same number on two pages; give each line its own number")


def _check_confidences(words: Words) -> None:
    known = ~np.isnan(words.confidence)
    if words.scale is None:
        if known.any():
            raise ValueError(
                "scale must be 'percent' or 'unit' because there are confidences, got None"
            )
        return
    if words.scale not in HIGHEST:
        raise ValueError(f"scale must be 'percent', 'unit' or None, got {words.scale!r}")
    highest = HIGHEST[words.scale]
    with np.errstate(invalid="ignore"):
        outside = known & ~((words.confidence >= 0) & (words.confidence <= highest * (1 + ROUNDING)))
    if outside.any():
        i = int(outside.argmax())
        raise ValueError(
            f"confidence[{i}] must be a number from 0 to {highest:g}, got {words.confidence[i]}"
        )


def require_same_pages(first: Sequence[str], second: Sequence[str], ours: str, theirs: str) -> None:
    """Raise if a page occurs on one side only; the message lists such pages."""
    for pages, others, side, other in ((first, second, ours, theirs), (second, first, theirs, ours)):
        if alone := sorted(set(pages) - set(others)):
            n = len(alone)
            raise ValueError(
                f"{side} has {n} {plural('page', n)} that {other} lacks: {few_of(alone, LISTED)}; "
                "both need the same pages"
            )
