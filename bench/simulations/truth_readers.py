"""How often limits are broken if people who verify overlook errors, and the cost of allowing for it.

``python -m bench.simulations.truth_readers`` simulates, prints each row and writes
docs/_data/truth_readers.json, from which the page on coverage is made; an interrupted run goes on where
it ended. Each row has a seed of its own.

Items: z ~ N(2.2, 1.3), confidence σ(z), error probability 1 − σ(0.9z + 0.2); the limit is 5%. Readers
overlook errors in the shares that a case names:

- "constant": the same share at every confidence, and independently;
- "by confidence": they find .95 of the errors below a confidence of .9 and .55 of those above it;
- "hard errors": a fifth of the errors is found by either reader with a probability of .25, the others
  with .95;
- "false alarms": 1% of the right answers are called wrong too;
- "judge": so are 5% of them, more than there are errors.

Rules: "taken as true" is what is promised without a `truth_reader`; "given" takes the share that the
readers find on average, "estimated" that of two readings of other outputs, of all of them or of
"accepted" ones alone: those above the threshold that results, counted and fitted again three times;
"confirmed" asks once more of each answer that an output is wrong, which takes false alarms away.
"covered" are intervals of the recognition rate and of the ARAC-AUC by a `PartialTruth` with a
`truth_reader`; "counted" has rates from 30 or 200 wrong and four times as many right outputs. "holds"
and "fails" are wrong verdicts of checks at 1.002 and 0.998 times the limit,
"alarm" those of a monitor that is looked at after every 100 audits.
"""

from __future__ import annotations

import math
import sys
import warnings
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np

import fastarac as fa
from bench.rows import parser_of, rows_of, save
from fastarac.operation import checked_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "truth_readers.json"
SAMPLES = 1000
LIMIT, DELTA = 0.05, 0.05
MEAN, SPREAD = 2.2, 1.3
SIZES = (2000, 6000)
NODES = np.linspace(-8.0, 8.0, 20_001)
EASY, HARD_AT, HARD = 0.95, 0.9, 0.55  # found below a confidence, and at or above it
HARD_SHARE, FOUND_IF_HARD = 0.2, 0.25
FALSE_ALARM = {"false alarms": 0.01, "judge": 0.05}
RIGHT = 4  # right outputs for each wrong one that a judge's rates come from
AGAIN = 3  # fits whose thresholds say which double readings count
STATISTICS = ("recognition_rate", "arac_auc")


def sigmoid(x: Floats) -> Floats:
    """The logistic function."""
    found: Floats = 1.0 / (1.0 + np.exp(-x))
    return found


class Items(NamedTuple):
    """Outputs, and what makes their errors hard to see."""

    correct: Flags
    confidence: Floats
    hard: Flags


def draw(n: int, rng: np.random.Generator) -> Items:
    """Draw outputs of the source."""
    z = MEAN + SPREAD * rng.standard_normal(n)
    correct = rng.random(n) < sigmoid(0.9 * z + 0.2)
    return Items(correct, sigmoid(z), rng.random(n) < HARD_SHARE)


@cache
def true_rates() -> tuple[Floats, Floats, Floats]:
    """Falling confidences, and the shares of all outputs accepted from there on, and wrong too."""
    z = MEAN + SPREAD * NODES[::-1]
    density = np.exp(-(NODES[::-1] ** 2) / 2.0)
    density /= density.sum()
    return sigmoid(z), np.cumsum(density), np.cumsum(density * (1.0 - sigmoid(0.9 * z + 0.2)))


def rate_at(threshold: float, criterion: str) -> float:
    """The error rate or the risk of the source at a threshold."""
    if threshold == math.inf:
        return 0.0
    confidence, accepted, wrong = true_rates()
    at = [float(np.interp(-threshold, -confidence, each)) for each in (wrong, accepted)]
    return at[0] if criterion == "max_error_rate" else at[0] / max(at[1], 1e-12)


@cache
def true_values() -> tuple[float, ...]:
    """The recognition rate and the ARAC-AUC of the source."""
    _, accepted, wrong = true_rates()
    right = accepted - wrong
    area = float(np.sum(np.diff(accepted, prepend=0.0) * (1.0 - wrong)))
    return float(right[-1]), area


def found_with(case: str, overlooked: float, items: Items) -> Floats:
    """The probability with which a reader finds the error of each output, if it is one."""
    if case == "by confidence":
        return np.where(items.confidence < HARD_AT, EASY, HARD)
    if case == "hard errors":
        return np.where(items.hard, FOUND_IF_HARD, EASY)
    return np.full(len(items.correct), 1.0 - overlooked)


def answers(case: str, overlooked: float, items: Items, rng: np.random.Generator) -> Flags:
    """What one reader answers."""
    found = rng.random(len(items.correct)) < found_with(case, overlooked, items)
    right = items.correct | ~found
    if case in FALSE_ALARM:
        right &= ~(items.correct & (rng.random(len(right)) < FALSE_ALARM[case]))
    return right


@cache
def mean_found(case: str, overlooked: float) -> float:
    """The share of all errors that a reader finds."""
    if case == "hard errors":
        return HARD_SHARE * FOUND_IF_HARD + (1.0 - HARD_SHARE) * EASY
    if case != "by confidence":
        return 1.0 - overlooked
    confidence, _, wrong = true_rates()
    above = float(np.interp(-HARD_AT, -confidence, wrong)) / float(wrong[-1])
    return HARD * above + EASY * (1.0 - above)


def threshold_of(
    answered: Flags, items: Items, criterion: str, reader: fa.Reviewer | None, seed: int
) -> float:
    """The threshold that is guaranteed from these answers."""
    options: dict[str, Any] = {criterion: LIMIT, "truth_reader": reader, "random_state": seed}
    if criterion == "max_risk":
        options["scale"] = "unit"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        point = fa.guaranteed_operating_point(answered, items.confidence, **options)
    return float(point.threshold)


class Readings(NamedTuple):
    """Outputs that two people read, and which they called wrong, each confirmed."""

    confidence: Floats
    first: Flags
    second: Flags

    @classmethod
    def of(cls, cell: Cell, rng: np.random.Generator) -> Readings:
        """Draw them."""
        others = draw(cell.double, rng)
        found = (~answers(cell.case, cell.overlooked, others, rng) for _ in range(2))
        return cls(others.confidence, *(each & ~others.correct for each in found))

    def above(self, threshold: float) -> fa.Reviewer | None:
        """What they say of the outputs from a threshold on."""
        first, second = (each & (self.confidence >= threshold) for each in self[1:])
        counts = [int(each.sum()) for each in (first & second, first & ~second, ~first & second)]
        if counts[0] + counts[2] == 0:
            return None
        return fa.Reviewer(double_readings=(counts[0], counts[1], counts[2]))


@cache
def faultless_threshold(criterion: str, n: int, seed: int) -> float:
    """The threshold that is guaranteed from true answers to the items of a seed."""
    items = draw(n, np.random.default_rng(seed))
    return threshold_of(items.correct, items, criterion, None, seed)


def run_once(cell: Cell, rng: np.random.Generator) -> tuple[bool, float, float | None]:
    """Whether a limit is broken, what is accepted, and how much true answers would accept."""
    seed = int(rng.integers(2**32))  # the same for all cases and rules, and so the items
    items = draw(cell.n, np.random.default_rng(seed))
    answered = answers(cell.case, cell.overlooked, items, rng)
    if "confirmed" in cell.rule or "estimated" in cell.rule:
        answered = answered | items.correct
    reader = None
    if "given" in cell.rule:
        reader = fa.Reviewer(mean_found(cell.case, cell.overlooked))
    elif "estimated" in cell.rule:
        readings, edge = Readings.of(cell, rng), 0.0
        for _ in range(AGAIN if "accepted" in cell.rule else 0):
            edge = threshold_of(answered, items, cell.criterion, readings.above(edge), seed)
        reader = readings.above(edge)
    threshold = threshold_of(answered, items, cell.criterion, reader, seed)
    faultless = faultless_threshold(cell.criterion, cell.n, seed)
    rate = rate_at(threshold, cell.criterion)
    accepted, best = (float(np.mean(items.confidence >= each)) for each in (threshold, faultless))
    return rate > LIMIT * (1.0 + 1e-6), accepted, best


def covers(cell: Cell, rng: np.random.Generator) -> tuple[bool, float, float | None]:
    """Whether an interval covers, and its width."""
    items = draw(cell.n, rng)
    answered = answers(cell.case, cell.overlooked, items, rng)
    alarm = FALSE_ALARM.get(cell.case, 0.0)
    reader: fa.Reviewer | None = fa.Reviewer(mean_found(cell.case, cell.overlooked), alarm)
    if "counted" in cell.rule:
        sizes = cell.double, RIGHT * cell.double
        found, alarms = rng.binomial(sizes, [1.0 - cell.overlooked, alarm]).tolist()
        reader = fa.Reviewer(found / sizes[0], alarms / sizes[1], estimated_from=sizes)
    if "estimated" in cell.rule:
        reader = Readings.of(cell, rng).above(0.0)
    truth = fa.PartialTruth(answered, inclusion_probability=1.0, truth_reader=reader)
    found = fa.asymptotic_interval(truth, items.confidence, statistic=cell.criterion)
    value = true_values()[STATISTICS.index(cell.criterion)]
    return found.low <= value <= found.high, found.high - found.low, None


def verdict(cell: Cell, rng: np.random.Generator) -> tuple[bool, float, float | None]:
    """Whether a check or a monitor says what is wrong, and the true rate over the limit."""
    ratio = {"holds": 1.002, "fails": 0.998, "alarm": 1.0}[cell.rule]
    found = rng.random(cell.n) < LIMIT * ratio * (1.0 - cell.overlooked)
    reader = fa.Reviewer(1.0 - cell.overlooked)
    if cell.double:
        counts = rng.multinomial(cell.double, double_shares(1.0 - cell.overlooked))
        reader = fa.Reviewer(double_readings=tuple(counts[:3].tolist()))
    if cell.rule == "alarm":
        monitor = fa.operation.ErrorRateMonitor(
            max_error_rate=LIMIT, detect="proof", truth_reader=reader
        )
        for errors in found.reshape(-1, 100).sum(axis=1).tolist():
            monitor.update(errors, 100)
        return monitor.alarm, ratio, None
    policy = accepts_all()
    with mock.patch.object(checked_outputs, "needed_by_counts", return_value=None):
        check = policy.check(~found, np.full(cell.n, 2.0), truth_reader=reader)
    return check.verdict == cell.rule, ratio, None


def double_shares(d: float) -> list[float]:
    """Of errors: found by both of two readers, by either one alone, and by none."""
    return [d * d, d * (1.0 - d), d * (1.0 - d), (1.0 - d) ** 2]


@cache
def accepts_all() -> fa.operation.Policy:
    """A policy with the limit that accepts every output."""
    return fa.operation.fit_policy(np.ones(1000), np.arange(1000) / 1000, max_error_rate=LIMIT)


class Cell(NamedTuple):
    """What is simulated."""

    case: str
    overlooked: float
    criterion: str
    rule: str
    n: int
    double: int = 0
    """Outputs that two people read; of checks, errors among them; wrong ones that rates come from."""


@dataclass(frozen=True)
class Row:
    """What came of it."""

    case: str
    overlooked: float
    criterion: str
    rule: str
    n: int
    double: int
    samples: int
    happened: int
    """Samples that broke the limit; of "covered", that covered."""
    accepted: float
    """Mean share accepted; of "covered", the mean width."""
    faultless: float | None
    """Mean share that the same outputs with true answers would have accepted."""

    @property
    def share(self) -> float:
        """Of samples."""
        return self.happened / self.samples


def cells() -> Iterator[Cell]:
    """Every row that is simulated."""
    for n in SIZES:
        for overlooked in (0.0, 0.05, 0.1, 0.2):
            for rule in ("taken as true", "given"):
                yield Cell("constant", overlooked, "max_error_rate", rule, n)
            yield Cell("constant", overlooked, "max_error_rate", "estimated", n, 2000)
        for rule in ("taken as true", "given"):
            yield Cell("by confidence", 0.0, "max_error_rate", rule, n)
        for rule in ("estimated", "estimated, accepted"):
            yield Cell("by confidence", 0.0, "max_error_rate", rule, n, 6000)
        for rule in ("taken as true", "given"):
            yield Cell("hard errors", 0.0, "max_error_rate", rule, n)
        yield Cell("hard errors", 0.0, "max_error_rate", "estimated", n, 6000)
        for rule in ("given", "given, confirmed"):
            yield Cell("false alarms", 0.1, "max_error_rate", rule, n)
    for n in SIZES:
        for overlooked in (0.0, 0.05, 0.1, 0.2):
            for rule in ("taken as true", "given"):
                yield Cell("constant", overlooked, "max_risk", rule, n)


def intervals() -> Iterator[Cell]:
    """The rows of intervals."""
    for statistic in STATISTICS:
        for case in ("constant", "false alarms"):
            for overlooked in (0.1, 0.2):
                yield Cell(case, overlooked, statistic, "covered, given", SIZES[0])
        yield Cell("constant", 0.1, statistic, "covered, estimated", SIZES[0], 2000)
        for wrong in (30, 200):
            yield Cell("judge", 0.1, statistic, "covered, counted", SIZES[0], wrong)


def checks() -> Iterator[Cell]:
    """The rows of what is checked and watched."""
    for n in SIZES:
        for overlooked in (0.1, 0.2):
            for rule in ("holds", "fails", "alarm"):
                yield Cell("constant", overlooked, "max_error_rate", rule, n)
                yield Cell("constant", overlooked, "max_error_rate", rule, n, 200)


def simulate(cell: Cell, samples: int) -> Row:
    """Simulate a row."""
    happened, accepted, faultless = 0, 0.0, 0.0
    of_interval = cell.criterion in STATISTICS
    of_check = cell.rule in ("holds", "fails", "alarm")
    once = covers if of_interval else verdict if of_check else run_once
    place = zlib.crc32(repr((cell.criterion, cell.n)).encode())
    for k in range(samples):
        rng = np.random.default_rng([place, k])
        one, share, best = once(cell, rng)
        happened += one
        accepted += share / samples
        faultless += (best or 0.0) / samples
    return Row(*cell, samples, happened, accepted, None if once is not run_once else faultless)


def line(row: Row) -> str:
    """A row in words."""
    words = f"{row.case} {row.overlooked:g}, {row.criterion}, {row.rule}, n={row.n:,}"
    if row.rule in ("holds", "fails", "alarm"):
        return f"{words}, {row.double} double: wrong {row.share:.1%}\n"
    if row.faultless is None:
        return f"{words}: covered {row.share:.1%}, width {row.accepted:.4f}\n"
    return f"{words}: broken {row.share:.1%}, accepted {row.accepted:.3f} (true {row.faultless:.3f})\n"


def main() -> None:
    """Simulate, print and save."""
    options = parser_of(
        "python -m bench.simulations.truth_readers", __doc__, SAMPLES, OUTPUT
    ).parse_args()
    known = [] if options.again else rows_of(Row, options.output)
    done = {Cell(*(getattr(row, name) for name in Cell._fields)): row for row in known}
    every = [*cells(), *intervals(), *checks()]
    for cell in sorted(every, key=lambda each: each.criterion == "max_risk"):  # what takes long is last
        if cell in done and done[cell].samples >= options.samples:
            continue
        done[cell] = simulate(cell, options.samples)
        sys.stdout.write(line(done[cell]))
        sys.stdout.flush()
        save([done[each] for each in every if each in done], options.output)


if __name__ == "__main__":
    main()
