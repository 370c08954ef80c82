"""A stream through `ThresholdSketch`, compared with the exact area and with 200 uniform bins.

``python -m bench.sketch --items 1e7`` prints a table in Markdown: what an item costs, how much memory
the sketch takes, how wide the bounds of the ROC-AUC are and how far off the bins are, whose area is
that of straight lines between 200 thresholds, as Keras and others compute it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import fastarac as fa
from fastarac.frames import BoundedSweep, ThresholdSketch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    Batch = tuple[NDArray[np.bool_], NDArray[Any]]

BATCH = 1 << 20
BINS = 200
MOST_EXACT = 10**8  # items that are kept for the exact area


def _calibrated(rng: np.random.Generator, confidence: NDArray[Any]) -> Batch:
    return rng.random(len(confidence)) < confidence, confidence


def _softmax(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-rng.normal(6, 4, n))))


def _logit(rng: np.random.Generator, n: int) -> Batch:
    z = rng.normal(2, 3, n)
    return rng.random(n) < 1 / (1 + np.exp(-z)), z


STREAMS: dict[str, Callable[[np.random.Generator, int, float], Batch]] = {
    "uniform": lambda rng, n, _: _calibrated(rng, rng.random(n)),
    "Beta(8, 2)": lambda rng, n, _: _calibrated(rng, rng.beta(8, 2, n)),
    "softmax": lambda rng, n, _: _calibrated(rng, _softmax(rng, n)),
    "logit": lambda rng, n, _: _logit(rng, n),
    "percent": lambda rng, n, _: _calibrated(rng, rng.integers(0, 101, n) / 100),
    "constant": lambda rng, n, _: (rng.random(n) < 0.9, np.full(n, 0.5)),
    "labels in turn": lambda rng, n, _: (np.arange(n) % 2 == 0, rng.random(n)),
    "correct first": lambda rng, n, done: (
        np.full(n, done < 0.5),
        rng.random(n) ** (1 + (done >= 0.5)),
    ),
    "rising": lambda rng, n, done: _calibrated(rng, done + rng.random(n) * n / 1e12),
}


class Line(NamedTuple):
    """The measurements of one stream; times are processor nanoseconds per item."""

    stream: str
    sketch: float
    exact: float | None
    bins: float
    nbytes: int
    written: int
    width: float
    contains: bool | None
    error_of_bins: float | None
    width_of_bins: float


def batches(stream: str, n: int) -> Iterator[Batch]:
    """Yield the items, the same each time."""
    rng = np.random.default_rng(1)
    for start in range(0, n, BATCH):
        yield STREAMS[stream](rng, min(BATCH, n - start), start / n)


def measure(stream: str, n: int, max_width: float = 1e-3) -> Line:
    """Let n items of a stream pass."""
    sketch = ThresholdSketch(max_width)
    edges = np.linspace(0.0, 1.0, BINS)
    counts = np.zeros((2, BINS - 1), np.int64)
    times = {"sketch": 0.0, "bins": 0.0}
    kept: list[Batch] = []
    largest = 0
    for correct, confidence in batches(stream, n):
        begin = time.process_time()
        sketch.update(correct, confidence)
        middle = time.process_time()
        place = np.clip(confidence * (BINS - 1), 0, BINS - 2).astype(np.int64)
        for kind in (0, 1):
            counts[kind] += np.bincount(place[correct == kind], minlength=BINS - 1)
        times["sketch"] += middle - begin
        times["bins"] += time.process_time() - middle
        largest = max(largest, sketch.nbytes)
        if n <= MOST_EXACT:
            kept.append((correct, confidence))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UndefinedMetricWarning)
        low, high = sketch.bounds().roc_auc
        wide = BoundedSweep.from_bins(edges, counts[1], counts[0]).roc_auc
        tied = BoundedSweep.from_bins(edges, counts[1], counts[0], single_valued=np.ones(BINS - 1))
        exact, area = None, None
        if kept:
            correct, confidence = (np.concatenate(columns) for columns in zip(*kept, strict=True))
            begin = time.process_time()
            area = fa.roc_auc_score(correct, confidence)
            exact = (time.process_time() - begin) / n * 1e9
    return Line(
        stream,
        times["sketch"] / n * 1e9,
        exact,
        times["bins"] / n * 1e9,
        largest,
        len(sketch.to_bytes()),
        high - low,
        None if area is None else low <= area <= high,
        None if area is None else tied.roc_auc.low - area,
        wide.width,
    )


def table(lines: list[Line]) -> str:
    """Return the lines as a table in Markdown."""
    header = (
        "stream", "sketch, ns", "exact, ns", f"{BINS} bins, ns", "memory, MB", "written, MB",
        "width", "contains", "error of the bins", "width of the bins",
    )  # fmt: skip

    def number(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    rows = [header, ("---", *["---:"] * (len(header) - 1))]
    rows += [
        (
            line.stream, f"{line.sketch:.1f}", number(line.exact, ".1f"), f"{line.bins:.1f}",
            f"{line.nbytes / 1e6:.2f}", f"{line.written / 1e6:.2f}", f"{line.width:.1e}",
            {None: "", True: "yes", False: "NO"}[line.contains], number(line.error_of_bins, ".1e"),
            f"{line.width_of_bins:.1e}",
        )
        for line in lines
    ]  # fmt: skip
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=float, default=1e7)
    parser.add_argument("--max-width", type=float, default=1e-3)
    parser.add_argument("--streams", nargs="*", choices=[[], *STREAMS], default=[])
    given = parser.parse_args()
    for stream in ("uniform", "constant"):  # compile first
        measure(stream, 100_000)
    names = given.streams or list(STREAMS)
    print(table([measure(name, int(given.items), given.max_width) for name in names]))


if __name__ == "__main__":
    main()
