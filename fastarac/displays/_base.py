"""What all displays share: where they draw, in which colours, and with how many vertices."""

from __future__ import annotations

from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

# Okabe and Ito's colours, which people with any colour vision can tell apart; without yellow, which
# is too pale for a line.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")

WIDTH, HEIGHT = 3840, 2160  # the largest picture, in pixels, that is to look the same
COLUMNS_PER_PIXEL = 4
TOLERANCE = 0.25  # pixels
REFINEMENTS_BEFORE_HALVING = 32


def axes_or_new(ax: Axes | None) -> Axes:
    """Return `ax`, or the axes of a new pyplot figure."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots()[1]


def line_style(index: int) -> dict[str, Any]:
    """Return the colour and the dashes of the curve of this index."""
    rounds, color = divmod(index, len(COLORS))
    return {"color": COLORS[color], "linestyle": LINE_STYLES[rounds % len(LINE_STYLES)]}


def legend_name(name: str | None, measure: str, value: float | None) -> str | None:
    """Return the name of a curve with its area, such as ``"svm (ARAC-AUC = 0.987)"``."""
    if name is not None:
        # matplotlib sets text between dollars as formulas, and hides names that begin with "_".
        name = name.replace("$", r"\$")
        name = f" {name}" if name.startswith("_") else name
    if value is None:
        return name
    area = f"{measure} = {rounded(value)}"
    return area if name is None else f"{name} ({area})"


def rounded(value: float, decimals: int = 3) -> str:
    """Return a share to so many decimals, or to as many as it takes not to look like 0 or 1."""
    for more in range(decimals, 9):
        text = f"{value:.{more}f}"
        if float(text) not in (0.0, 1.0):
            return text
    return f"{value:.{decimals}f}"


def percent(share: float) -> str:
    """Return a share that someone chose as a percentage with the digits they chose."""
    return f"{(Decimal(repr(float(share))) * 100).normalize():f} %"


def decimate(x: ArrayLike, y: ArrayLike) -> NDArray[np.intp]:
    """Choose the vertices of a long curve that make a visible difference.

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite, rising or falling throughout.
    y : array_like of shape (n,)
        Finite.

    Returns
    -------
    vertices : ndarray of shape (k,), intp
        Rising indices into `x` and `y`, the first and the last always among them. Where the whole
        curve fills a picture of 3840 by 2160 pixels, no point of the curve is more than half a pixel
        away from the line through these vertices, nor the other way round.

    Notes
    -----
    Columns of a quarter of a pixel first keep their first, last, lowest and highest vertex, so that
    a point moves by a quarter of a pixel at most, sideways. Vertices less than another quarter away
    from the straight line that would replace them are then left out: the longest deviations are kept
    until none is left (Ramer, Douglas and Peucker); pieces that take many rounds are halved as well.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if len(x) <= 2:
        return np.arange(len(x))
    columns = WIDTH * COLUMNS_PER_PIXEL
    kept = np.arange(len(x)) if len(x) <= columns else _extremes_of_columns(x, y, columns)
    return kept[_corners(_pixels(x[kept], WIDTH), _pixels(y[kept], HEIGHT))]


def _pixels(values: FloatArray, size: int) -> FloatArray:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) * size if high > low else np.zeros(len(values))


def _extremes_of_columns(x: FloatArray, y: FloatArray, columns: int) -> NDArray[np.intp]:
    """Return the first, last, lowest and highest vertex of each column."""
    rising = x if x[0] <= x[-1] else x[::-1]
    edges = np.linspace(rising[0], rising[-1], columns + 1)[1:-1]
    inner = np.searchsorted(rising, edges)
    if rising is not x:
        inner = (len(x) - inner)[::-1]
    bounds = np.unique(np.concatenate([[0], inner, [len(x)]]))
    extremes = []
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        part = y[start:stop]
        extremes += [start, start + int(part.argmin()), start + int(part.argmax()), stop - 1]
    return np.unique(np.array(extremes, np.intp))


def _corners(x: FloatArray, y: FloatArray) -> NDArray[np.intp]:
    """Return the vertices of a curve in pixels that the others are within the tolerance of."""
    kept = np.array([0, len(x) - 1])
    for refinement in count():
        piece = np.repeat(np.arange(len(kept) - 1), np.diff(kept))
        distance = _distance_to_chords(x, y, kept[piece], kept[piece + 1])
        farthest = np.maximum.reduceat(distance, kept[:-1])
        far = farthest > TOLERANCE
        if not far.any():
            break
        corners = np.flatnonzero((distance == farthest[piece]) & far[piece])
        # Of those equally far away, the two ends: between them there may be a straight line.
        first = np.unique(piece[corners], return_index=True)[1]
        last = len(corners) - 1 - np.unique(piece[corners][::-1], return_index=True)[1]
        added = [corners[first], corners[last]]
        if refinement >= REFINEMENTS_BEFORE_HALVING:
            added.append(((kept[:-1] + kept[1:]) // 2)[far])
        kept = np.unique(np.concatenate([kept, *added]))
    return kept


def _distance_to_chords(
    x: FloatArray, y: FloatArray, start: NDArray[np.intp], stop: NDArray[np.intp]
) -> FloatArray:
    """Return how far each vertex but the last is from the segment between two other vertices."""
    along_x, along_y = x[stop] - x[start], y[stop] - y[start]
    off_x, off_y = x[:-1] - x[start], y[:-1] - y[start]
    length = along_x**2 + along_y**2
    product = off_x * along_x + off_y * along_y
    share = np.divide(product, length, where=length > 0, out=np.zeros(len(product)))
    np.clip(share, 0, 1, out=share)
    return np.hypot(off_x - share * along_x, off_y - share * along_y)
