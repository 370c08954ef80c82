"""Bins of confidence that need no look at the data before: narrow near 0 and 1, and in any scale.

The number of a bin rises with the confidence: 2,048 bins for each halving of the confidence below 0.5,
of its distance from 1 above, and for each doubling beyond 1, as the outputs of a softmax and of a logit
ask for. A logarithm need not be rounded the same way by every engine: what a bin holds is told by the
least and the greatest confidence in it, and bins that overlap are put together.
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
LEAST = 1e-300  # what is nearer to 0 is in one bin with it
ABOVE_HALF = -2 * PER_OCTAVE
ABOVE_ONE = 2048 * PER_OCTAVE
BELOW_ZERO = -4096 * PER_OCTAVE
PARTS = 4096  # of equal width, into which a bin that is too large is split


class Split(NamedTuple):
    """A bin of one group that is split into parts of equal width."""

    group: object
    low: Any
    high: Any


def bin_numbers(confidence: NDArray[Any]) -> NDArray[np.float64]:
    """The number of the bin of each confidence."""
    x = confidence.astype(np.float64, copy=False)
    distance = np.where(x < 0.5, np.abs(x), np.where(x <= 1.0, 1.0 - x, x))
    octaves = np.floor(np.log2(np.maximum(distance, LEAST)) * PER_OCTAVE)
    return np.select(
        [x < 0.0, x < 0.5, x <= 1.0],
        [BELOW_ZERO - octaves, octaves, ABOVE_HALF - octaves],
        ABOVE_ONE + octaves,
    )


def bin_expression(x: nw.Expr) -> nw.Expr:
    """`bin_numbers` as an expression of narwhals; `x` is of type Float64."""
    import narwhals as nw

    # conditions inside each other, as older narwhals has no chains of them
    def by_part(below: nw.Expr, low: nw.Expr, high: nw.Expr, beyond: nw.Expr) -> nw.Expr:
        chosen = nw.when(x <= 1.0).then(high).otherwise(beyond)
        chosen = nw.when(x < 0.5).then(low).otherwise(chosen)
        return nw.when(x < 0.0).then(below).otherwise(chosen)

    distance = by_part(0.0 - x, x, 1.0 - x, x)
    distance = nw.when(distance < LEAST).then(nw.lit(LEAST)).otherwise(distance)
    octaves = (distance.log(2.0) * PER_OCTAVE).floor()
    return by_part(BELOW_ZERO - octaves, octaves, ABOVE_HALF - octaves, ABOVE_ONE + octaves)


def is_in_split(split: Split, x: nw.Expr, by: OfGroup | None) -> nw.Expr:
    """Which items are in the bin; `by` says which have a label."""
    inside: nw.Expr = (x >= split.low) & (x <= split.high)
    return inside if by is None else inside & by(split.group)


class Range(NamedTuple):
    """Confidences of one group from `low` up to, but without, `below`."""

    group: object
    low: Any
    below: Any


def is_in_range(given: Range, x: nw.Expr, by: OfGroup | None) -> nw.Expr:
    """Which items are in the range; `by` says which have a label."""
    inside: nw.Expr = (x >= given.low) & (x < given.below)
    return inside if by is None else inside & by(given.group)


def part_expression(splits: list[Split], x: nw.Expr, by: OfGroup | None) -> nw.Expr:
    """The number of the part of each item, rising with the confidence in each bin; 0 elsewhere."""
    import narwhals as nw

    part: nw.Expr = nw.lit(0.0)
    for split in splits:
        width = float(split.high) - float(split.low)
        within = ((x - split.low).cast(nw.Float64) * (PARTS / width)).floor()
        part = nw.when(is_in_split(split, x, by)).then(within).otherwise(part)
    return part
