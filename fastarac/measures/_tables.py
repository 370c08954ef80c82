"""Confusion tables in the form that `fastarac._kernels.measures` takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac.dropins._arrays import readable
from fastarac.measures._named import F_BETA, Measures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac._engine.counts import AcceptedCounts

    FloatArray = NDArray[np.float64]

NAMES = Measures.names
NUMBERS = {name: number for number, name in enumerate((*NAMES, F_BETA))}

# Measures for which smaller is better. The prevalence is absent, because it measures no quality.
LOSSES = frozenset(
    {
        "error_rate",
        "false_positive_rate",
        "false_negative_rate",
        "false_discovery_rate",
        "false_omission_rate",
        "negative_likelihood_ratio",
        "balanced_error_rate",
    }
)
GOALS = tuple(name for name in NAMES if name != "prevalence")

# If all counts sum to at most this, float64 holds any product of two counts exactly.
EXACT_PRODUCTS = math.isqrt(1 << 53)
EXACT_COUNTS = 1 << 53
FARTHEST_SCALE = 1000  # largest absolute exponent of the power of two by which a table is scaled
CHUNK = 1 << 16  # number of tables that are converted together to Python's integers
NOTHING = np.empty(0)


class ConfusionTables(NamedTuple):
    """Confusion tables, ready for the kernel.

    Float cells are scaled by one power of two per table, so that no product overflows. The adjusted
    geometric mean depends on the scale, so the unscaled cells are kept for it.
    """

    cells: tuple[NDArray[Any], ...]
    """TP, FP, FN, TN; for a sweep TP, FP, (positives, negatives) and an empty array."""
    scale: FloatArray
    """A power of two for each table, one for all tables, or an empty array."""
    determinants: FloatArray
    """TP·TN − FP·FN if cells are too large for exact products of floats; otherwise an empty array."""
    exact: bool
    """Whether products of the cells are exact in float64."""

    @classmethod
    def of_cells(cls, cells: Sequence[NDArray[Any]]) -> ConfusionTables:
        """Prepare tables of any shape from arrays of TP, FP, FN and TN."""
        given = tuple(readable(np.ravel(cell)) for cell in cells)
        tp, fp, fn, tn = given
        if tp.dtype.kind != "i":
            exponent = np.frexp(tp + fp + fn + tn)[1]
            return cls(given, _power_of_two(-exponent), NOTHING, exact=False)
        largest = sum(int(cell.max(initial=0)) for cell in given)
        determinants = NOTHING
        if largest > EXACT_COUNTS:
            determinants = np.empty(len(tp))
            for first in range(0, len(tp), CHUNK):
                part = slice(first, first + CHUNK)
                a, b, c, d = (cell[part].astype(object) for cell in given)
                determinants[part] = a * d - b * c
        return cls(given, NOTHING, determinants, largest <= EXACT_PRODUCTS)

    @classmethod
    def of_sweep(cls, sweep: AcceptedCounts) -> ConfusionTables:
        """Prepare the tables at all thresholds of a sweep."""
        tp, fp = sweep.true_accepts, sweep.false_accepts
        sums = np.array([tp[-1], fp[-1]])
        given = tuple(map(readable, (tp, fp, sums, np.empty(0, tp.dtype))))
        if tp.dtype.kind != "i":
            exponent = np.frexp(sums[:1] + sums[1:])[1]
            return cls(given, _power_of_two(-exponent), NOTHING, exact=False)
        determinants = NOTHING
        if sweep.total > EXACT_COUNTS:
            positives, negatives = sums.tolist()
            determinants = np.empty(len(tp))
            for first in range(0, len(tp), CHUNK):
                part = slice(first, first + CHUNK)
                a, b = tp[part].astype(object), fp[part].astype(object)
                determinants[part] = a * (negatives - b) - b * (positives - a)
        return cls(given, NOTHING, determinants, sweep.total <= EXACT_PRODUCTS)

    def part(self, start: int, stop: int) -> ConfusionTables:
        """Return views of the tables from `start` to `stop`."""
        tp, fp, fn, tn = self.cells
        if len(tn):
            fn, tn = fn[start:stop], tn[start:stop]
        return ConfusionTables(
            (tp[start:stop], fp[start:stop], fn, tn),
            self.scale[start:stop] if len(self.scale) == len(tp) else self.scale,
            self.determinants[start:stop],
            self.exact,
        )

    def evaluate(self, names: Sequence[str], beta: float = 1.0) -> FloatArray:
        """Return a row for each measure, with its values for all tables."""
        size = len(self.cells[0])
        out = np.empty((len(names), size))
        edges = parallel.edges(size)
        nothing = NOTHING, NOTHING, np.empty(0, np.int64)

        def work(share: int) -> None:
            start, stop = edges[share], edges[share + 1]
            self.part(start, stop).measure(names, beta, out, start, nothing)

        parallel.run(work, range(len(edges) - 1))
        return out

    def best(self, names: Sequence[str]) -> dict[str, tuple[float, int]]:
        """Return each measure's best value and the last table with it (−1 if all values are NaN)."""
        edges = parallel.edges(len(self.cells[0]))
        signs = np.array([-1.0 if name in LOSSES else 1.0 for name in names])

        def work(share: int) -> tuple[list[float], list[int]]:
            best, positions = np.full(len(names), -np.inf), np.full(len(names), -1)
            part = self.part(edges[share], edges[share + 1])
            part.measure(names, 1.0, np.empty((0, 0)), edges[share], (signs, best, positions))
            return best.tolist(), positions.tolist()

        found = {}
        shares = parallel.run(work, range(len(edges) - 1))
        for k, name in enumerate(names):
            value, position = max((best[k], positions[k]) for best, positions in shares)
            found[name] = float(signs[k]) * value, position
        return found

    def measure(
        self, names: Sequence[str], beta: float, out: FloatArray, first: int, found: Any
    ) -> None:
        """Write measures into `out`, and the best ones into `found`: (signs, values, positions)."""
        numbers = np.array([NUMBERS[name] for name in names], np.int64)
        with np.errstate(all="ignore"):
            _kernels.measures.measure_tables(
                tuple(self), numbers, np.array(f_weights(beta)), out, first, found
            )


def f_weights(beta: float) -> tuple[float, float]:
    """Return 1/(1 + β²) and β²/(1 + β²), the weights of FP and FN, without overflow."""
    if beta <= 1:
        square = beta * beta
        return 1 / (1 + square), square / (1 + square)
    square = 1 / beta / beta
    return square / (1 + square), 1 / (1 + square)


def _power_of_two(exponent: NDArray[Any]) -> FloatArray:
    limited = np.clip(exponent, -FARTHEST_SCALE, FARTHEST_SCALE)
    return np.asarray(np.ldexp(np.ones(len(exponent)), limited))
