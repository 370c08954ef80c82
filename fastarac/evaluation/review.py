"""Pages shown to people: outputs to verify, or the true text beside the text that was read."""

from __future__ import annotations

from typing import NamedTuple


class ReviewOutput(NamedTuple):
    """An output as shown on its page.

    Attributes
    ----------
    text : str
    number : int
        Number of the output on its page, from 1.
    confidence : float or None
        None if the output has no confidence.
    accepted : bool
        Whether the output is accepted without verification.
    space : bool
        Whether a space precedes the output.
    box : tuple of float, or None
        Left, top, width and height in the units of the page's size; None if unknown.
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
        Width and height; None if neither boxes nor an image are known.
    image : str or None
        The page's image as a data URI.
    n_outputs, accepted : int
    expected_errors : float
        Expected number of errors among the accepted outputs.
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
        The kind of difference, such as "wrong", "missed" or "moved". Empty if the text is right.
    parts : tuple of (str, bool)
        Fragments of the text. The flag of a fragment says whether it differs from the other text.
    confidence : float or None
        The confidence of the output if it is wrong and has a known confidence, else None.
    through : bool
        Whether the output is wrong and accepted without verification.
    """

    kind: str
    parts: tuple[tuple[str, bool], ...]
    confidence: float | None = None
    through: bool = False


class TextLine(NamedTuple):
    """A line of the true text, and the text that was read there."""

    truth: tuple[TextPiece, ...]
    read: tuple[TextPiece, ...]


class ComparedText(NamedTuple):
    """A page's true text beside the text that was read.

    Attributes
    ----------
    lines : tuple of TextLine
    counts : dict of str to int
        Number of pieces of each kind.
    n_true : int
        Number of true words.
    threshold : float or None
        The lowest confidence at which outputs are accepted without verification, if known.
    """

    lines: tuple[TextLine, ...]
    counts: dict[str, int]
    n_true: int
    threshold: float | None = None


class ComparedPage(NamedTuple):
    """A page with the texts that several models have read.

    Attributes
    ----------
    name : str
    units : str
        The unit of the counts.
    texts : tuple of (str, ComparedText)
        The name and the compared text of each model that has read the page.
    """

    name: str
    units: str
    texts: tuple[tuple[str, ComparedText], ...]
