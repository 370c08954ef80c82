"""Check whether confidences separate right outputs from wrong ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.text import area, rounded_percent, significant
from fastarac.uncertainty.shares import grouped_share_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fastarac.answers.models import Model

LARGE_TIE = 0.2  # a tie is large if it holds more than this share of all items
PILED_UP = 0.05  # a larger share at one end of the range suggests clipped confidences
COARSE = 101  # number of whole percentages from 0 to 100: confidences need more distinct values
N_BINS = 10
N_BARS = 50


class Check(NamedTuple):
    """A check of the confidences, with its result."""

    name: str
    found: str
    good: bool
    meaning: str = ""


class Bin(NamedTuple):
    """Items with similar confidences: their mean confidence, and the share of right ones."""

    low: float
    high: float
    n: int
    mean: float
    right: float
    right_low: float
    right_high: float


@dataclass(frozen=True, slots=True)
class Health:
    """Facts about the confidences of a model.

    Attributes
    ----------
    checks : tuple of Check
    bins : tuple of Bin
        Bins with about equal numbers of items, by increasing confidence; a tie stays in one bin.
    edges : tuple of float
        Edges of the bars in the histograms; there is one more edge than bars.
    right, wrong : tuple of int
        For each bar, the numbers of right and of wrong items, which are its heights.
    highest : float or None
        The upper end of the scale if it is known: 1 for shares, 100 for percentages; else None.
    level : float
        Confidence level of the bins' intervals.
    """

    checks: tuple[Check, ...]
    bins: tuple[Bin, ...]
    edges: tuple[float, ...]
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    highest: float | None
    level: float

    @property
    def good(self) -> bool:
        """Whether all checks are good."""
        return all(check.good for check in self.checks)


def health_of(model: Model, level: float) -> Health:
    """Check the confidences of a model, and count right and wrong items by confidence."""
    known = model.has_confidence
    outputs = model.outputs
    confidence = outputs.confidence[known].astype(np.float64)
    correct = outputs.correct[known]
    order = np.argsort(confidence, kind="stable")
    confidence, correct = confidence[order], correct[order]
    codes = None if outputs.group is None else outputs.group.codes[known][order]
    highest = model.source.highest
    if highest is None and confidence[0] >= 0 and confidence[-1] <= 1:
        highest = 1.0
    bins = tuple(_bins(confidence, correct, codes, level))
    low, high = (0.0, highest) if highest is not None else (confidence[0], confidence[-1])
    edges = np.linspace(low, high, N_BARS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    heights = [np.histogram(confidence[chosen], edges)[0] for chosen in (correct, ~correct)]
    return Health(
        tuple(_checks(model, confidence, correct, highest)),
        bins,
        tuple(edges.tolist()),
        tuple(heights[0].tolist()),
        tuple(heights[1].tolist()),
        highest,
        level,
    )


def _checks(
    model: Model,
    confidence: NDArray[np.float64],
    correct: NDArray[np.bool_],
    highest: float | None,
) -> Iterator[Check]:
    yield _missing(model)
    starts = np.flatnonzero(np.diff(confidence, prepend=np.nan) != 0)
    ties = _Ties(confidence[starts], np.diff(starts, append=len(confidence)))
    yield from _of_ties(ties, model.units)
    if highest is not None:
        yield _at_top(confidence, correct, highest, model.units)
    yield _range(ties, highest, model.units)
    yield _separation(model)
    if highest is not None:
        yield _mean(float(confidence.mean() / highest), float(correct.mean()))


class _Ties(NamedTuple):
    """The distinct confidences in increasing order, and the number of outputs with each."""

    values: NDArray[np.float64]
    counts: NDArray[np.intp]


def _missing(model: Model) -> Check:
    has_output = model.source.has_output
    there = np.ones(len(model.outputs), np.bool_) if has_output is None else has_output
    missing = int((there & ~model.has_confidence).sum())
    whole = f"{there.sum():,} {model.units}{'' if there.all() else ' that have an output'}"
    return Check(
        "Missing",
        f"{missing:,} of {whole} have no confidence" if missing else "none",
        not missing,
        "Outputs without a confidence are never accepted." if missing else "",
    )


def _of_ties(ties: _Ties, units: str) -> Iterator[Check]:
    n, distinct = int(ties.counts.sum()), len(ties.values)
    finely = distinct > COARSE or distinct == n
    meaning = "Equal confidences leave few thresholds to choose from."
    if distinct == 1:
        meaning = "No threshold can tell outputs apart."
    yield Check(
        "Distinct values",
        f"{distinct:,} among {n:,} {units}",
        finely,
        "" if finely else meaning,
    )
    largest = int(ties.counts.argmax())
    share = ties.counts[largest] / n
    yield Check(
        "Largest tie",
        f"{_number(ties.values[largest])}, shared by {ties.counts[largest]:,} {units} "
        f"({rounded_percent(share)})",
        bool(share <= LARGE_TIE) or distinct == n,
        "They are accepted together or not at all." if share > LARGE_TIE and distinct < n else "",
    )


def _at_top(
    confidence: NDArray[np.float64], correct: NDArray[np.bool_], highest: float, units: str
) -> Check:
    at_top = confidence == highest
    wrong = int((at_top & ~correct).sum())
    held = int(at_top.sum())
    text = f"{held:,} {units} ({rounded_percent(held / len(confidence))})"
    if held:
        text += f", {wrong:,} of them wrong"
    return Check(
        f"At {_number(highest)}",
        text,
        not wrong,
        f"Every threshold that accepts anything accepts these {wrong:,}." if wrong else "",
    )


def _range(ties: _Ties, highest: float | None, units: str) -> Check:
    least, most, counts = ties.values[0], ties.values[-1], ties.counts
    ends = [(least, counts[0])]
    if highest is None or most != highest:
        ends.append((most, counts[-1]))
    many = max(1, PILED_UP * int(counts.sum()))
    cut = [(value, held) for value, held in ends if held > many] if len(counts) > 1 else []
    return Check(
        "Range",
        f"{_number(least)} to {_number(most)}",
        not cut,
        " ".join(
            f"{held:,} {units} have exactly {_number(value)}, an end of the range: were values clipped?"
            for value, held in cut
        ),
    )


def _separation(model: Model) -> Check:
    auc = model.separation
    turned = model.is_reversed
    flat = not turned and not math.isnan(auc) and auc < 0.6
    meaning = (
        "Right outputs tend to have lower confidence than wrong ones. If a lower score means that the "
        "model is surer, negate the score; if 1 marks an error in the labels, swap the labels."
    )
    return Check(
        "Separation (ROC-AUC)",
        "undefined: all outputs are right, or all are wrong"
        if math.isnan(auc)
        else f"{area(auc)}{model.among}",
        not (turned or flat),
        meaning
        if turned
        else "The confidence hardly separates right from wrong outputs."
        if flat
        else "",
    )


def _mean(confidence: float, right: float) -> Check:
    gap = confidence - right
    fits = abs(gap) < 0.05
    which = "Over" if gap > 0 else "Under"
    return Check(
        "Mean confidence",
        f"{rounded_percent(confidence)}, and {rounded_percent(right)} are right",
        fits,
        ""
        if fits
        else f"{which}confident by {100 * abs(gap):.1f} points: use it to rank outputs, not as a "
        "probability.",
    )


def _bins(
    confidence: NDArray[np.float64],
    correct: NDArray[np.bool_],
    codes: NDArray[np.intp] | None,
    level: float,
) -> Iterator[Bin]:
    n = len(confidence)
    wanted = confidence[(np.arange(1, N_BINS) * n) // N_BINS]
    inner = np.searchsorted(confidence, wanted)  # do not split ties
    bounds = np.unique(np.concatenate([[0], inner, [n]]))
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        right = correct[start:stop]
        part = None if codes is None else codes[start:stop]
        low, high = grouped_share_interval(right, part, level)
        values = confidence[start:stop]
        yield Bin(
            float(values[0]),
            float(values[-1]),
            len(right),
            float(values.mean()),
            float(right.mean()),
            low,
            high,
        )


def _number(value: float) -> str:
    text = f"{value:.6g}"
    return text if "e" not in text else significant(float(value))
