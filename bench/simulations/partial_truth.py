"""How often intervals, tests and guarantees hold if few items are verified, with or without a judge.

``python -m bench.simulations.partial_truth`` simulates and writes docs/_data/partial_truth.json, from
which docs/coverage.md has its tables, and prints what falls short. Each sample has a seed
of its own; a run takes up where the file ends, and adds samples to cells that have too few. ``--again``
begins anew.

Items follow the law of `bench.simulations.coverage`: z ~ N(μ, 1.5), confidence expit(z), P(correct) =
expit(0.9z + 0.2), with μ such that so many are wrong as the cell says. Pages: 20 items each, whose z
and whose correctness have a correlation of 0.2, drawn whole.

A good judge has a score s ~ N(d, 1) of right items and N(0, 1) of wrong ones, and says the probability
of being right that follows from s and the error rate; d is such that its correlation with the truth is
0.8 among the items that are accepted at 1 % of errors. A biased one says this with 3 taken from the
log-odds, an overconfident one with the log-odds times 4, a lying one says the opposite, and a blind one
takes every second error for what is surely right. A useless one draws a number from [0, 1]. One that
flags says only right or wrong: it finds 85% of the errors, and calls 2% of the right items wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.simulations.coverage import (
    SPREAD,
    Items,
    centre,
    chance,
    expit,
    quantile_of_normal,
    remember,
)
from fastarac._core import special
from fastarac.uncertainty import estimated, inversion
from fastarac.uncertainty.estimated_samples import PartialSample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "partial_truth.json"
SAMPLES, SAMPLES_OF_LARGE, LARGE = 1000, 200, 100_000
LEVEL, LEAST, ENOUGH = 0.95, 0.93, 0.94
WARNED, SELDOM = 0.9, 0.1
SHORT_Z = 2.326  # one-sided 99 %
PAGE, SHARED = 20, 0.2
CORRELATION = 0.8
MIX = {"aimed": 0.5, "uniform": 1.0, "pages": 0.5, "nine tenths aimed": 0.1}
JUDGES = ("none", "useless", "good", "biased", "overconfident", "lying", "blind", "flags")
RATES = (0.005, 0.02, 0.1)
LEAST_JUDGED = 1e-6
FOUND, FALSE_ALARM = 0.85, 0.02  # of the errors and of the right items, called wrong by flags


class Design(NamedTuple):
    """What is simulated."""

    kind: str  # one of KINDS
    n: int
    verified: int
    error_rate: float
    judge: str
    draw: str


def designs() -> list[Design]:
    """All of them; those from which most is seen come first."""
    small, large, few, many = 10_000, 100_000, 0.02, 0.1
    every, some = (200, 1000, 5000), (1000,)
    found = [
        Design("intervals", small, k, rate, judge, draw)
        for draw, judges, sizes, rates in (
            ("aimed", ("good", "none", "blind", "overconfident"), every, RATES),
            ("uniform", ("good", "none"), every, RATES),
            ("aimed", ("lying", "biased", "useless"), some, (few, many)),
            ("uniform", ("blind", "useless"), some, (few, many)),
            ("aimed", ("good", "none", "blind", "useless"), (500, 2000), (few,)),
            ("aimed", ("useless",), (200, 5000), (few,)),
            ("pages", ("good", "none", "blind"), (1000, 5000), (few, many)),
        )
        for judge in judges
        for k in sizes
        for rate in rates
    ]
    found += [
        Design("comparison", small, k, rate, judge, draw)
        for draw, sizes in (
            ("aimed", (1000, 500, 200)),
            ("nine tenths aimed", (1000, 500, 200)),
            ("pages", (1000,)),
        )
        for judge in ("good", "useless", "lying")
        for k in sizes
        for rate in (0.05, 0.01)
    ]
    found += [
        Design("comparison", small, 1000, rate, judge, draw)
        for rate in (many, few)
        for judge, draw in (("good", "aimed"), ("blind", "aimed"), ("none", "uniform"))
    ]
    found += [
        Design("guarantee", 4000, 1000, many, judge, draw)
        for judge, draw in (("lying", "aimed"), ("blind", "aimed"), ("none", "uniform"))
    ]
    found += [
        Design("intervals", large, 2000, few, judge, draw)
        for judge, draw in (
            ("good", "aimed"),
            ("none", "aimed"),
            ("blind", "aimed"),
            ("good", "uniform"),
        )
    ]
    found += [Design("intervals", 2 * small, 600, 0.032, j, "uniform") for j in ("flags", "none")]
    found += [Design("intervals", 1_000_000, 5000, few, judge, "aimed") for judge in ("good", "none")]
    found += [
        Design("parts", small, k, rate, judge, draw)
        for judge, draw in (("good", "aimed"), ("none", "uniform"), ("blind", "aimed"))
        for k, rate in ((1000, few), (500, many))
    ]
    return found


def statistics_of(error_rate: float) -> dict[str, fa.Statistic]:
    """What is estimated, by name."""
    half = error_rate / 2.0
    plain = (
        *("recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc", "arp_auc"),
        *("normalized_arp_auc", "average_precision"),
    )
    return {name: fa.Statistic(name) for name in plain} | {
        "error rate at 0.9": fa.Statistic("error_rate", threshold=0.9),
        "risk at 0.9": fa.Statistic("risk", threshold=0.9),
        "X(1 %)": fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01, interpolate=True),
        "X(half the errors)": fa.Statistic(
            "acceptance_at_error_rate", max_error_rate=half, interpolate=True
        ),
        "X(half the risk)": fa.Statistic("acceptance_at_risk", max_risk=half, interpolate=True),
    }


def parts_of(error_rate: float) -> dict[str, fa.Statistic]:
    """Areas under parts of the ARAC curve, by name."""
    ranges = (0.0, 0.5), (0.5, 0.9)
    limits = {"1 %": 0.01, "half the errors": error_rate / 2.0}
    return {
        f"Y over X in {ends}": fa.Statistic("arac_partial_auc", acceptance_range=ends)
        for ends in ranges
    } | {
        f"X up to {name}": fa.Statistic("arac_partial_auc", max_error_rate=limit)
        for name, limit in limits.items()
    }


@cache
def population(error_rate: float) -> fa.ThresholdSweep:
    """Counts of the population on a fine grid."""
    nodes = np.linspace(-8.0, 8.0, 40_001)
    density = np.exp(-(nodes**2) / 2.0)
    density *= 1e9 / density.sum()
    z = centre(error_rate) + SPREAD * nodes
    return fa.ThresholdSweep.from_counts(expit(z), density * chance(z), density * (1.0 - chance(z)))


@cache
def truths(error_rate: float) -> dict[str, float]:
    """All statistics of the population."""
    every = statistics_of(error_rate) | parts_of(error_rate)
    return {name: each(population(error_rate)) for name, each in every.items()}


def correlation(distance: float, error_rate: float, share: float) -> float:
    """Of a good judge with the truth, among items of which a share is wrong."""
    nodes, weight = np.polynomial.hermite_e.hermegauss(200)
    weight = weight / weight.sum()
    right, wrong = (_opinion(nodes + mean, distance, error_rate) for mean in (distance, 0.0))
    gap = float(weight @ right - weight @ wrong)
    mean = (1.0 - share) * float(weight @ right) + share * float(weight @ wrong)
    square = (1.0 - share) * float(weight @ right**2) + share * float(weight @ wrong**2)
    return math.sqrt(share * (1.0 - share)) * gap / math.sqrt(square - mean**2)


def _opinion(score: Floats, distance: float, error_rate: float) -> Floats:
    prior = math.log1p(-error_rate) - math.log(error_rate)
    return expit(prior + distance * score - distance**2 / 2.0)


@cache
def distance_of(error_rate: float) -> float:
    """That for which the correlation among the items accepted at 1 % is `CORRELATION`, by bisection."""
    point = population(error_rate)
    accepted = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01, interpolate=True)(point)
    share = min(0.01, error_rate) / accepted
    low, high = 0.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2.0
        enough = correlation(middle, error_rate, share) > CORRELATION
        low, high = (low, middle) if enough else (middle, high)
    return low


def judged(kind: str, correct: NDArray[np.bool_], error_rate: float, rng: np.random.Generator) -> Any:
    """What a judge says of items; None of none."""
    if kind == "none":
        return None
    if kind == "useless":
        return rng.random(len(correct))
    if kind == "flags":
        return (rng.random(len(correct)) >= np.where(correct, FALSE_ALARM, FOUND)).astype(np.float64)
    distance = distance_of(error_rate)
    score = rng.normal(size=len(correct)) + distance * correct
    found = np.clip(_opinion(score, distance, error_rate), LEAST_JUDGED, 1.0 - LEAST_JUDGED)
    odds = np.log(found / (1.0 - found))
    if kind == "biased":
        return expit(odds - 3.0)
    if kind == "overconfident":
        return expit(4.0 * odds)
    if kind == "lying":
        return expit(-odds)
    if kind == "blind":
        return np.where(~correct & (rng.random(len(correct)) < 0.5), 0.9999, found)
    return found


def draw(design: Design, rng: np.random.Generator) -> Items:
    """Draw the items."""
    n, mean = design.n, centre(design.error_rate)
    if design.draw != "pages":
        z = mean + SPREAD * rng.normal(size=n)
        return Items(rng.random(n) < chance(z), expit(z))
    pages = np.arange(n) // PAGE
    of_pages = rng.normal(size=(2, pages[-1] + 1))[:, pages]
    z, latent = math.sqrt(SHARED) * of_pages + math.sqrt(1.0 - SHARED) * rng.normal(size=(2, n))
    z = mean + SPREAD * z
    return Items(quantile_of_normal(latent) < chance(z), expit(z), None, pages)


def verify(design: Design, items: Items, rng: np.random.Generator) -> tuple[fa.PartialTruth, Any]:
    """Judge the items, and verify as many as the design says; also what was drawn."""
    judge = judged(design.judge, items.correct, design.error_rate, rng)
    seed = int(rng.integers(1 << 62))
    sample = fa.partial_truth.draw_verification_sample(
        items.confidence, design.verified, judge=judge, mix=MIX[design.draw],
        groups=items.documents, random_state=seed,
    )  # fmt: skip
    answers = np.where(sample.selected, items.correct, np.nan)
    probability = sample.inclusion_probability
    truth = fa.PartialTruth(
        answers, inclusion_probability=probability, judge=judge, groups=items.documents
    )
    return truth, sample


class Tally(NamedTuple):
    """What came of the samples of a statistic: of an interval, `hits` are those that cover."""

    samples: int = 0
    undefined: int = 0
    warned: int = 0  # those undefined among them
    hits: int = 0
    hits_warned: int = 0  # those of `hits` that came with a warning
    above: int = 0  # the interval lies above the truth
    width: float = 0.0  # the mean; of a guarantee, of what is accepted
    width_unwarned: float = 0.0

    def add(self, *, hit: bool, warned: bool, width: float, above: bool = False) -> Tally:
        """Count a sample."""
        missing = math.isnan(width)
        silent = self.samples - self.warned
        defined = self.samples - self.undefined
        width_unwarned = self.width_unwarned
        if not (warned or missing):
            width_unwarned += (width - width_unwarned) / (silent + 1)
        return Tally(
            self.samples + 1,
            self.undefined + missing,
            self.warned + (warned or missing),
            self.hits + (hit and not missing),
            self.hits_warned + (hit and warned and not missing),
            self.above + above,
            self.width if missing else self.width + (width - self.width) / (defined + 1),
            width_unwarned,
        )

    @property
    def share(self) -> float:
        """Of the defined samples, those with a hit."""
        defined = self.samples - self.undefined
        return self.hits / defined if defined else math.nan

    @property
    def short(self) -> bool:
        """Whether intervals cover less than 93 % by a one-sided test at 99 %, and do not say so."""
        defined = max(self.samples - self.undefined, 1)
        least = LEAST - SHORT_Z * math.sqrt(LEAST * (1.0 - LEAST) / defined)
        return self.share < least and self.warned < WARNED * self.samples

    @property
    def needless(self) -> bool:
        """Whether warnings come although 94 % are covered."""
        return self.share >= ENOUGH and self.warned > SELDOM * self.samples


Tallies = dict[str, Tally]


def intervals(design: Design, rng: np.random.Generator, found: Tallies) -> None:
    """Count the intervals of one sample."""
    items = draw(design, rng)
    try:
        truth, _ = verify(design, items, rng)
    except ValueError:  # nothing was drawn, or a sample of those one in a thousand that are refused
        return
    sample = PartialSample.of(truth, items.confidence)
    values = truths(design.error_rate)
    asked = parts_of if design.kind == "parts" else statistics_of
    for name, statistic in asked(design.error_rate).items():
        interval, warning = estimated.interval_and_warning(sample, statistic, LEVEL, "auto")
        low, high, value = interval.low, interval.high, values[name]
        found[name] = found.get(name, Tally()).add(
            hit=low - 1e-9 <= value <= high + 1e-9, warned=warning is not None, width=high - low,
            above=value < low - 1e-9,
        )  # fmt: skip


COMPARED = ("recognition_rate", "arac_auc", "roc_auc", "average_precision")


def comparison(design: Design, rng: np.random.Generator, found: Tallies) -> None:
    """Count differences that are found between two models of the same law, of the same items.

    What decides z and what decides the correctness have a correlation of ½ each; pages have what both
    models share there.
    """
    n, half = design.n, math.sqrt(0.5)
    common = rng.normal(size=(2, n))
    pages = np.arange(n) // PAGE if design.draw == "pages" else None
    of_pages: Any = 0.0 if pages is None else rng.normal(size=(2, pages[-1] + 1))[:, pages]
    shared = 0.0 if pages is None else SHARED
    models: dict[str, tuple[fa.PartialTruth, Floats]] = {}
    first: Any = None
    try:
        for name in "ab":
            own = half * common + half * rng.normal(size=(2, n))
            z, latent = math.sqrt(shared) * of_pages + math.sqrt(1.0 - shared) * own
            z = centre(design.error_rate) + SPREAD * z
            items = Items(quantile_of_normal(latent) < chance(z), expit(z), None, pages)
            if first is None:
                truth, first = verify(design, items, rng)
            else:
                truth = fa.PartialTruth(
                    np.where(first.selected, items.correct, np.nan),
                    inclusion_probability=first.inclusion_probability,
                    judge=judged(design.judge, items.correct, design.error_rate, rng),
                    groups=pages,
                )
            models[name] = truth, items.confidence
    except ValueError:
        return
    for name in COMPARED:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fa.compare_models(models, statistic=name, random_state=0)
        interval = result.pairs[0].interval
        found[name] = found.get(name, Tally()).add(
            hit=not interval.low <= 0.0 <= interval.high, width=interval.high - interval.low,
            warned=any(issubclass(w.category, fa.UnreliableIntervalWarning) for w in caught),
        )  # fmt: skip


def guarantee(design: Design, rng: np.random.Generator, found: Tallies) -> None:
    """Count guarantees that are broken: half of the errors, at a failure probability of 5 %."""
    items = draw(design, rng)
    try:
        truth, _ = verify(design, items, rng)
    except ValueError:
        return
    limit = design.error_rate / 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        point = fa.guaranteed_operating_point(
            truth, items.confidence, max_error_rate=limit, failure_probability=0.05,
            random_state=int(rng.integers(1 << 62)),
        )  # fmt: skip
    allowed = fa.Statistic("acceptance_at_error_rate", max_error_rate=limit, interpolate=True)
    lowest = float(np.quantile(items.confidence, 0.0))
    threshold = max(float(point.threshold), lowest)
    rate = 0.0
    if math.isfinite(threshold):
        rate = fa.Statistic("error_rate", threshold=threshold)(population(design.error_rate))
    found["error rate"] = found.get("error rate", Tally()).add(
        hit=rate > limit, warned=False,
        width=point.acceptance_rate / allowed(population(design.error_rate)),
    )  # fmt: skip


KINDS: dict[str, Callable[[Design, np.random.Generator, Tallies], None]] = {
    "intervals": intervals,
    "comparison": comparison,
    "guarantee": guarantee,
    "parts": intervals,
}


def simulate(design: Design, samples: int, found: Tallies, done: int = 0) -> Tallies:
    """Add samples until there are so many."""
    place = [JUDGES.index(design.judge), design.n, design.verified, round(1e4 * design.error_rate)]
    place += [list(KINDS).index(design.kind), list(MIX).index(design.draw)]
    found = dict(found)
    for k in range(done, samples):
        KINDS[design.kind](design, np.random.default_rng([*place, k]), found)
    return found


Cells = dict[Design, tuple[int, Tallies]]


def read(path: Path) -> Cells:
    """Cells of a file; none where there is no file."""
    if not path.exists():
        return {}
    found = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        tallies = {name: Tally(*values) for name, values in row.pop("found").items()}
        done = row.pop("done")
        found[Design(**row)] = done, tallies
    return found


def write(cells: Cells, path: Path) -> None:
    """Save the cells, one a line, in place of those that were there."""
    rows = []
    for design, (done, tallies) in cells.items():
        rounded = {
            name: [*tally[:-2], *(float(f"{width:.6g}") for width in tally[-2:])]
            for name, tally in tallies.items()
        }
        row: dict[str, Any] = {**design._asdict(), "done": done, "found": rounded}
        rows.append(json.dumps(row))
    unfinished = path.with_suffix(".part")
    unfinished.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    unfinished.replace(path)


def lines(design: Design, tallies: Tallies) -> Iterable[str]:
    """What falls short, in words."""
    where = (
        f"{design.kind}, {design.verified:,} of {design.n:,}, {design.error_rate:.1%} wrong, judge "
        f"{design.judge}, {design.draw}"
    )
    for name, tally in tallies.items():
        warned = tally.warned / tally.samples
        text = f"{where}: {name} {tally.share:.1%} of {tally.samples}, warned {warned:.0%}"
        if KINDS[design.kind] is intervals:
            silent = tally.samples - tally.warned
            if tally.short:
                without = (tally.hits - tally.hits_warned) / silent if silent else math.nan
                yield f"SHORT {text}, without a warning {without:.1%}, above {tally.above}\n"
            elif tally.needless:
                yield f"needless {text}\n"
        else:
            yield f"{text}, width {tally.width:.3g}\n"


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.simulations.partial_truth", description=__doc__
    )
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--n", type=int, action="append")
    parser.add_argument("--verified", type=int, action="append")
    parser.add_argument("--judge", choices=JUDGES, action="append")
    parser.add_argument("--draw", choices=MIX, action="append")
    parser.add_argument("--rate", type=float, action="append", dest="error_rate")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each cell")
    parser.add_argument("--again", action="store_true", help="recompute what the file has")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    quantiles = ((special, "binomial_cdf"), (inversion, "binomial_cdf"))
    remember((*quantiles, (inversion, "binomial_interval"), (inversion, "binomial_quantile")))
    everything = designs()
    for design in everything:
        chosen = all(
            getattr(options, name) is None or getattr(design, name) in getattr(options, name)
            for name in ("kind", "n", "verified", "judge", "draw", "error_rate")
        )
        done, tallies = read(options.output).get(design, (0, {}))
        if options.again:
            done, tallies = 0, {}
        wanted = min(options.samples, SAMPLES_OF_LARGE) if design.n > LARGE else options.samples
        if not chosen or done >= wanted:
            continue
        found = simulate(design, wanted, tallies, done)
        sys.stdout.writelines(lines(design, found))
        sys.stdout.flush()
        cells = {**read(options.output), design: (wanted, found)}
        order = {each: k for k, each in enumerate(everything)}
        cells = dict(sorted(cells.items(), key=lambda cell: order.get(cell[0], len(order))))
        write(cells, options.output)


if __name__ == "__main__":
    main()
