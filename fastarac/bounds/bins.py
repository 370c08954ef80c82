"""Bins of confidence that do not depend on the data, and are narrow near 0 and 1.

There are 2,048 bins for each halving of the confidence (below 0.5), for each halving of its distance
from 1 (between 0.5 and 1), and for each doubling of the confidence (beyond 1). Libraries of data frames
may round logarithms differently. Therefore a bin is described by the lowest and the highest confidence
in it, and bins that overlap are merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import narwhals as nw
    from numpy.typing import NDArray

    OfGroup = Callable[[object], nw.Expr]

PER_OCTAVE = 2048.0
LEAST = 1e-300  # smaller distances from 0 or 1 are raised to this
ABOVE_HALF = -2 * PER_OCTAVE
ABOVE_ONE = 2048 * PER_OCTAVE
BELOW_ZERO = -4096 * PER_OCTAVE
PARTS = 4096  # number of equal parts into which a bin with too many items is split


class Split(NamedTuple):
    """A bin of one group, which is split into parts of equal width."""

    group: object
    low: Any
    high: Any


def bin_numbers(confidence: NDArray[Any]) -> NDArray[np.float64]:
    """Return the bin number of each confidence; it rises with the confidence."""
    x = confidence.astype(np.float64, copy=False)
    distance = np.where(x < 0.5, np.abs(x), np.where(x <= 1.0, 1.0 - x, x))
    octaves = np.floor(np.log2(np.maximum(distance, LEAST)) * PER_OCTAVE)
    return np.select(
        [x < 0.0, x < 0.5, x <= 1.0],
        [BELOW_ZERO - octaves, octaves, ABOVE_HALF - octaves],
        ABOVE_ONE + octaves,
    )


def bin_expression(x: nw.Expr) -> nw.Expr:
    """Return `bin_numbers` as a narwhals expression; `x` has type Float64."""
    import narwhals as nw

    # The conditions are nested because older versions of narwhals cannot chain them.
    def by_part(below: nw.Expr, low: nw.Expr, high: nw.Expr, beyond: nw.Expr) -> nw.Expr:
        chosen = nw.when(x <= 1.0).then(high).otherwise(beyond)
        chosen = nw.when(x < 0.5).then(low).otherwise(chosen)
        return nw.when(x < 0.0).then(below).otherwise(chosen)

    distance = by_part(0.0 - x, x, 1.0 - x, x)
    distance = nw.when(distance < LEAST).then(nw.lit(LEAST)).otherwise(distance)
    octaves = (distance.log(2.0) * PER_OCTAVE).floor()
    return by_part(BELOW_ZERO - octaves, octaves, ABOVE_HALF - octaves, ABOVE_ONE + octaves)


def is_in_split(split: Split, x: nw.Expr, by: OfGroup | None) -> nw.Expr:
    """Return which items are in the bin; `by` selects the items of a group."""
    inside: nw.Expr = (x >= split.low) & (x <= split.high)
    return inside if by is None else inside & by(split.group)


class Range(NamedTuple):
    """Confidences of one group, from `low` (included) to `below` (excluded)."""

    group: object
    low: Any
    below: Any


def is_in_range(given: Range, x: nw.Expr, by: OfGroup | None) -> nw.Expr:
    """Return which items are in the range; `by` selects the items of a group."""
    inside: nw.Expr = (x >= given.low) & (x < given.below)
    return inside if by is None else inside & by(given.group)


def part_expression(splits: list[Split], x: nw.Expr, by: OfGroup | None) -> nw.Expr:
    """Return the number of each item's part, rising with the confidence; 0 outside of all `splits`."""
    import narwhals as nw

    part: nw.Expr = nw.lit(0.0)
    for split in splits:
        width = float(split.high) - float(split.low)
        within = ((x - split.low).cast(nw.Float64) * (PARTS / width)).floor()
        part = nw.when(is_in_split(split, x, by)).then(within).otherwise(part)
    return part
