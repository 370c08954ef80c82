"""Pages whose outputs people are to verify: what a page of them shows."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ReviewOutput", "ReviewPage"]


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
