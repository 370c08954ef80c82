"""Collect the words of a file one by one."""

from __future__ import annotations

from array import array
from itertools import repeat
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from fastarac.ocr.formats import FORMATS
from fastarac.ocr.readers._files import InputFile, OcrFileError, names_of_pages, page_stem, shown
from fastarac.ocr.words.folding import SOFT_HYPHEN, printed
from fastarac.ocr.words.words import HIGHEST, ROUNDING, WITHOUT_CONFIDENCE, ReadingNote, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from fastarac.ocr.words.words import Scale, Unit

Place = TypeVar("Place")
Box = tuple[float, float, float, float]

NAN = float("nan")
NO_BOX: Box = (NAN, NAN, NAN, NAN)
NO_SIZE = (NAN, NAN)

# Notes of several formats: for one word, and for several words.
OF_LINE = (
    "word has no confidence of its own and gets the confidence of its line",
    "words have no confidence of their own and get the confidence of their line",
)
READ_WHOLE = (
    "word that a line end divides is read whole, with the lowest confidence of its parts",
    "words that line ends divide are read whole, with the lowest confidence of their parts",
)


class Builder(Generic[Place]):
    """Collects words, page by page and line by line, and checks each confidence.

    Parameters
    ----------
    file : InputFile
        The file; confidences of a truth are ignored.
    source : str
        The name of its format.
    place_of : callable
        Describes a place in the file, for error messages.
    engine : str, optional
        The engine, if the format implies it.
    scale : {"percent", "unit"}, optional
        The scale of the confidences; by default, that of the format.
    """

    def __init__(
        self,
        file: InputFile,
        source: str,
        place_of: Callable[[Place], str],
        engine: str | None = None,
        scale: Scale | None = None,
    ) -> None:
        self.path = file.path
        self.source = source
        self.unit: Unit = FORMATS[source].unit if source in FORMATS else "word"
        self.engine = engine
        self.notes: list[ReadingNote] = []
        self._place_of = place_of
        self._truth = file.truth
        self._scale: Scale = scale or FORMATS[source].scale
        self._highest = HIGHEST[self._scale]
        self._texts: list[str] = []
        self._confidence = array("d")
        self._page = array("q")
        self._line = array("q")
        self._box = array("d")
        self._sizes: list[tuple[float, float]] = []
        self._n_lines = 0
        self._fresh = True
        self._divided = 0
        self._unboxed = 0  # number of words added after the last word with a box
        self._soft_hyphen = False  # whether the last word added ends with a soft hyphen

    def new_page(self, size: tuple[float, float] = NO_SIZE) -> None:
        """Begin a page of this size."""
        self.new_line()
        self._sizes.append(size)

    def set_size(self, size: tuple[float, float]) -> None:
        """Set the size of the current page."""
        self._sizes[-1] = size

    def new_line(self) -> None:
        """Let the next word begin a new line."""
        self._fresh = True
        if self._soft_hyphen:  # a soft hyphen at a line end is printed, so it becomes a hyphen
            self._texts[-1] += "-"
            self._soft_hyphen = False

    def add(self, text: str, confidence: float, box: Box, place: Place) -> None:
        """Add the words of an output; a blank output adds none."""
        words = printed(text).split()
        if not words:
            return
        self._soft_hyphen = text.rstrip().endswith(SOFT_HYPHEN)
        if self._truth:
            confidence = NAN
        if not (confidence != confidence or 0.0 <= confidence <= self._highest * (1 + ROUNDING)):
            problem = (
                f"the confidence of {shown(text)} must be a number from 0 to {self._highest:g}, "
                f"got {confidence:g}"
            )
            raise self.error(problem, place)
        if len(words) > 1:
            self._divided += 1
        if self._fresh:
            self._n_lines += 1
            self._fresh = False
        for word in words:
            self._texts.append(word)
            self._confidence.append(confidence)
            self._page.append(len(self._sizes) - 1)
            self._line.append(self._n_lines - 1)
            if box is NO_BOX:
                self._unboxed += 1
                continue
            if self._unboxed:
                self._box.extend(repeat(NAN, 4 * self._unboxed))
                self._unboxed = 0
            self._box.extend(box)

    def __len__(self) -> int:
        """Return the number of words added so far."""
        return len(self._texts)

    @property
    def confidences(self) -> NDArray[np.float64]:
        """The confidences of the words added so far; changes to this array change the words."""
        return np.frombuffer(self._confidence, np.float64)

    def error(self, problem: str, place: Place) -> OcrFileError:
        """Return an error with this message that also names the file and the place."""
        return OcrFileError(self.path, problem, place=self._place_of(place))

    def note(self, count: int, one: str, several: str) -> None:
        """Add a note unless its count is 0."""
        if count:
            self.notes.append(ReadingNote(count, one, several))

    def finish(self) -> Words:
        """Return all words added; a file without a page becomes one page without words."""
        if not self._sizes:
            self.new_page()
        self.new_line()
        n, n_pages = len(self._texts), len(self._sizes)
        if self._box:
            self._box.extend(repeat(NAN, 4 * self._unboxed))
        confidence = self.confidences
        missing = int(np.isnan(confidence).sum())
        if missing and missing < n:
            self.note(missing, *WITHOUT_CONFIDENCE)
        if not self._truth:
            each = {"line": "line", "word": "output"}[self.unit]
            self.note(
                self._divided,
                f"{each} of several words was divided at its spaces: each word has the confidence "
                f"of the {each}",
                f"{each}s of several words were divided at their spaces: each word has the "
                f"confidence of its {each}",
            )
        return Words(
            text=tuple(self._texts),
            confidence=confidence,
            page=np.frombuffer(self._page, np.int64),
            line=np.frombuffer(self._line, np.int64),
            page_names=names_of_pages(page_stem(self.path), n_pages),
            box=np.frombuffer(self._box, np.float64).reshape(-1, 4),
            page_size=np.array(self._sizes, np.float64).reshape(n_pages, 2),
            source=self.source,
            scale=None if missing == n else self._scale,
            unit=self.unit,
            engine=self.engine,
            notes=tuple(self.notes),
        )


def lowest(confidences: Iterable[float]) -> float:
    """Return the lowest of some confidences; NaN if one is NaN, or if there is none."""
    known = list(confidences)
    return NAN if any(each != each for each in known) else min(known, default=NAN)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around some boxes; NO_BOX if all are NO_BOX."""
    known = [box for box in boxes if box is not NO_BOX]
    if not known:
        return NO_BOX
    left, top, right, bottom = zip(*known, strict=True)
    return min(left), min(top), max(right), max(bottom)


def upright(points: list[tuple[float, float]]) -> Box:
    """Return the smallest box around some points, with horizontal and vertical edges."""
    if not points:
        return NO_BOX
    across, down = zip(*points, strict=True)
    return min(across), min(down), max(across), max(down)
