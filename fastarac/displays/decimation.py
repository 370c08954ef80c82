"""Drop vertices of long curves that make no visible difference."""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Indices = NDArray[np.intp]

Range = tuple[float, float]

WIDTH, HEIGHT = 3840, 2160  # largest image, in pixels, for which dropping vertices must not be visible
COLUMNS = 4 * WIDTH
TOLERANCE = 0.25  # maximum distance in pixels between a dropped vertex and the remaining line
REFINEMENTS_BEFORE_HALVING = 32


def decimate(
    x: ArrayLike,
    y: ArrayLike,
    *,
    xlim: Range | None = None,
    ylim: Range | None = None,
    size: tuple[int, int] = (WIDTH, HEIGHT),
) -> Indices:
    """Return the vertices of a long curve that make a visible difference.

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite x coordinates, in increasing or in decreasing order.
    y : array_like of shape (n,)
        Finite y coordinates.
    xlim, ylim : tuple of two float, optional
        The x and y ranges that the picture shows, or parts of these ranges; by default the curve's
        ranges.
    size : (int, int), default=(3840, 2160)
        Width and height of the picture in pixels; not more than the default.

    Returns
    -------
    vertices : ndarray of shape (k,), intp
        Increasing indices into `x` and `y`, including the first and the last. In a picture of this size
        and these ranges, the curve and the simplified line differ by at most half a pixel.

    Notes
    -----
    First, the picture is divided into columns a quarter of a pixel wide. Each column keeps its first,
    last, lowest and highest vertex, which moves points sideways by at most a quarter of a pixel.
    Second, the algorithm of Ramer, Douglas and Peucker repeatedly adds the vertex farthest from the
    simplified line, until all vertices are less than a quarter of a pixel from it. Pieces of the curve
    that need many iterations are also halved.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if len(x) <= 2:
        return np.arange(len(x))
    xlim, ylim = xlim or _range_of(x), ylim or _range_of(y)
    kept = thin(x, y, edges_of_columns(xlim))
    return kept[corners(x[kept], y[kept], xlim=xlim, ylim=ylim, size=size)]


def edges_of_columns(xlim: Range) -> FloatArray:
    """Return the edges of all pixel columns for a range of x, from left to right."""
    return np.linspace(*xlim, COLUMNS + 1)


def thin(x: FloatArray, y: FloatArray, edges: FloatArray) -> Indices:
    """Return the first, last, lowest and highest vertex in each column between `edges`."""
    if len(x) <= len(edges):
        return np.arange(len(x))
    rising = x if x[0] <= x[-1] else x[::-1]
    inner = np.searchsorted(rising, edges)
    if rising is not x:
        inner = (len(x) - inner)[::-1]
    bounds = np.unique(np.concatenate([[0], inner, [len(x)]]))
    extremes = []
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        part = y[start:stop]
        extremes += [start, start + int(part.argmin()), start + int(part.argmax()), stop - 1]
    return np.unique(np.array(extremes, np.intp))


def corners(
    x: FloatArray,
    y: FloatArray,
    *,
    xlim: Range,
    ylim: Range,
    size: tuple[int, int] = (WIDTH, HEIGHT),
) -> Indices:
    """Return enough vertices that the line through them is within `TOLERANCE` of all others."""
    return _corners(_pixels(x, xlim, size[0]), _pixels(y, ylim, size[1]))


def _range_of(values: FloatArray) -> Range:
    return float(values.min()), float(values.max())


def _pixels(values: FloatArray, limits: Range, size: int) -> FloatArray:
    low, high = limits
    return (values - low) / (high - low) * size if high > low else np.zeros(len(values))


def _corners(x: FloatArray, y: FloatArray) -> Indices:
    """Return the vertices of :func:`corners`; `x` and `y` are in pixels."""
    kept = np.array([0, len(x) - 1])
    for refinement in count():
        piece = np.repeat(np.arange(len(kept) - 1), np.diff(kept))
        distance = _distance_to_chords(x, y, kept[piece], kept[piece + 1])
        farthest = np.maximum.reduceat(distance, kept[:-1])
        far = farthest > TOLERANCE
        if not far.any():
            break
        corners = np.flatnonzero((distance == farthest[piece]) & far[piece])
        # Vertices at the same distance may be on one straight line: keep the first and the last.
        first = np.unique(piece[corners], return_index=True)[1]
        last = len(corners) - 1 - np.unique(piece[corners][::-1], return_index=True)[1]
        added = [corners[first], corners[last]]
        if refinement >= REFINEMENTS_BEFORE_HALVING:
            added.append(((kept[:-1] + kept[1:]) // 2)[far])
        kept = np.unique(np.concatenate([kept, *added]))
    return kept


def _distance_to_chords(x: FloatArray, y: FloatArray, start: Indices, stop: Indices) -> FloatArray:
    """Return the distance of each vertex (but the last) from its segment between `start` and `stop`."""
    along_x, along_y = x[stop] - x[start], y[stop] - y[start]
    off_x, off_y = x[:-1] - x[start], y[:-1] - y[start]
    length = along_x**2 + along_y**2
    product = off_x * along_x + off_y * along_y
    share = np.divide(product, length, where=length > 0, out=np.zeros(len(product)))
    np.clip(share, 0, 1, out=share)
    return np.hypot(off_x - share * along_x, off_y - share * along_y)
