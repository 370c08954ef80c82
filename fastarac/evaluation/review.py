"""Pages as people look at them: the outputs to verify, or the true text beside what was read."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ComparedPage", "ComparedText", "ReviewOutput", "ReviewPage", "TextLine", "TextPiece"]


class ReviewOutput(NamedTuple):
    """An output on its page.

    Attributes
    ----------
    text : str
    number : int
        On the page, from 1.
    confidence : float or None
        None where there is none.
    accepted : bool
        Whether it goes through unchecked.
    space : bool
        Whether a space stands before it.
    box : tuple of float, or None
        Left, top, width and height in the units of the page's size; None where the place is unknown.
    """

    text: str
    number: int
    confidence: float | None
    accepted: bool
    space: bool
    box: tuple[float, float, float, float] | None


class ReviewPage(NamedTuple):
    """A page with its outputs.

    Attributes
    ----------
    name : str
    lines : tuple of tuple of ReviewOutput
    size : tuple of float, or None
        Width and height; None where no place on the page is known, nor an image.
    image : str or None
        The page's image as a data URI.
    n_outputs, accepted : int
    expected_errors : float
        How many errors are expected among the accepted outputs.
    """

    name: str
    lines: tuple[tuple[ReviewOutput, ...], ...]
    size: tuple[float, float] | None
    image: str | None
    n_outputs: int
    accepted: int
    expected_errors: float


class TextPiece(NamedTuple):
    """Part of a line of text.

    Attributes
    ----------
    kind : str
        Empty for what is right, else "wrong", "missed", "moved" or the like.
    parts : tuple of (str, bool)
        The text in parts, and whether each differs from the other side.
    confidence : float or None
        Of an output that is not right, where it has one.
    through : bool
        Whether such an output goes through unchecked.
    """

    kind: str
    parts: tuple[tuple[str, bool], ...]
    confidence: float | None = None
    through: bool = False


class TextLine(NamedTuple):
    """A line of the true text, and what was read in its place."""

    truth: tuple[TextPiece, ...]
    read: tuple[TextPiece, ...]


class ComparedText(NamedTuple):
    """A page, its true text beside what was read.

    Attributes
    ----------
    lines : tuple of TextLine
    counts : dict of str to int
        How many there are of each kind that there is.
    n_true : int
        How many true words there are.
    threshold : float or None
        From which confidence on outputs go through unchecked, where that is known.
    """

    lines: tuple[TextLine, ...]
    counts: dict[str, int]
    n_true: int
    threshold: float | None = None


class ComparedPage(NamedTuple):
    """A page as several models have read it.

    Attributes
    ----------
    name : str
    units : str
        What is counted.
    texts : tuple of (str, ComparedText)
        The name of each model that has read it, and what it read.
    """

    name: str
    units: str
    texts: tuple[tuple[str, ComparedText], ...]
