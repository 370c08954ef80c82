"""How often intervals contain the value of the population: simulations, by the number of errors.

``python -m bench.simulations.coverage --table`` recomputes docs/_data/coverage.json, from which the
page on coverage is made, and prints the cells that fall short. The file is saved after each design, and
an interrupted run goes on where it ended; ``--again`` recomputes what is named. ``--quick`` prints a
rough version instead. Every sample has a seed of its own, so that no figure depends on the others.

The population: z ~ N(μ, 1.5), confidence expit(z), P(correct) = expit(0.9z + 0.2), with μ such that
8.2 % or 1.9 % are errors. Ties: confidences rounded to percents. Weights: items below the median are
drawn three times as often, with a third of the weight. Documents: 20 items each, whose z and whose
correctness (by a normal copula) have the correlation of the design, so that the law of a single item is
the same in all.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import warnings
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import fastarac as fa
from fastarac._core import special
from fastarac.uncertainty import asymptotic, intervals, inversion
from fastarac.uncertainty.influence import items_of
from fastarac.uncertainty.resampling import population_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL, LEAST = 0.95, 0.93
WARNED = 0.95  # share of samples with a warning from which a cell counts as warned
RATES = (0.082, 0.019)
SIZES = (100, 300, 2000)
DOCUMENT = 20
OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "coverage.json"
QUICK, SAMPLES = 20, 1000
SPREAD, SLOPE, OFFSET = 1.5, 0.9, 0.2


class Design(NamedTuple):
    """How samples are drawn."""

    samples: int
    sizes: tuple[int, ...] = SIZES
    ties: bool = False
    weights: bool = False
    correlation: float | None = None
    methods: tuple[str, ...] = ("auto", "logit")


DESIGNS = {
    "items": Design(SAMPLES),
    "ties": Design(SAMPLES, ties=True, methods=("auto",)),
    "weights": Design(SAMPLES, weights=True, methods=("auto",)),
    **{
        f"documents {c}": Design(
            SAMPLES, (300, 600, 2000), correlation=c, methods=("auto", "ungrouped")
        )
        for c in (0.05, 0.2, 0.5)
    },
    "resampled": Design(40, methods=("percentile", "bca", "studentized")),
}
RESAMPLES = 200

STATISTICS: dict[str, fa.Statistic] = {
    "recognition_rate": fa.Statistic("recognition_rate"),
    "arac_auc": fa.Statistic("arac_auc"),
    "normalized_arac_auc": fa.Statistic("normalized_arac_auc"),
    "arac_partial_auc, X ≥ 50 %": fa.Statistic("arac_partial_auc", acceptance_range=(0.5, 1.0)),
    "arac_partial_auc, errors ≤ 5 %": fa.Statistic("arac_partial_auc", max_error_rate=0.05),
    "roc_auc": fa.Statistic("roc_auc"),
    "roc_partial_auc, fpr ≤ 10 %": fa.Statistic("roc_partial_auc", fpr_range=(0.0, 0.1)),
    "roc_partial_auc, tpr ≥ 90 %": fa.Statistic("roc_partial_auc", tpr_range=(0.9, 1.0)),
    "arp_auc": fa.Statistic("arp_auc"),
    "normalized_arp_auc": fa.Statistic("normalized_arp_auc"),
    "excess_aurc": fa.Statistic("excess_aurc"),
    "normalized_aurc": fa.Statistic("normalized_aurc"),
    "pr_auc": fa.Statistic("pr_auc"),
    "average_precision": fa.Statistic("average_precision"),
    "acceptance_at_error_rate, 1 %": fa.Statistic(
        "acceptance_at_error_rate", max_error_rate=0.01, interpolate=True
    ),
    "acceptance_at_error_rate, 5 %": fa.Statistic(
        "acceptance_at_error_rate", max_error_rate=0.05, interpolate=True
    ),
    "acceptance_at_risk, 1 %": fa.Statistic("acceptance_at_risk", max_risk=0.01, interpolate=True),
    "acceptance_at_risk, 5 %": fa.Statistic("acceptance_at_risk", max_risk=0.05, interpolate=True),
    "error_rate at 0.9": fa.Statistic("error_rate", threshold=0.9),
    "risk at 0.9": fa.Statistic("risk", threshold=0.9),
    "cost": fa.Statistic(
        "cost", costs=fa.VerificationCosts(error=20.0, verification=1.0, correction=2.0)
    ),
}
EXCESS = ("excess_aurc", "normalized_aurc")
_NODES = np.linspace(-8.0, 8.0, 40_001)


class Items(NamedTuple):
    """A sample."""

    correct: NDArray[np.bool_]
    confidence: Floats
    weight: Floats | None = None
    documents: NDArray[np.intp] | None = None


def expit(x: Floats) -> Floats:
    """The inverse of the log-odds."""
    found: Floats = 1.0 / (1.0 + np.exp(-x))
    return found


def chance(z: Floats) -> Floats:
    """Probability that an item is correct."""
    return expit(SLOPE * z + OFFSET)


def rounded(z: Floats, *, ties: bool) -> Floats:
    """Confidences, in percents where there are ties."""
    found: Floats = np.round(100.0 * expit(z)) if ties else expit(z)
    return found


@cache
def centre(error_rate: float) -> float:
    """The mean of z for which so many items are wrong, by bisection."""
    density = np.exp(-(_NODES**2) / 2.0)
    low, high = -10.0, 20.0
    while high - low > 1e-12:
        middle = (low + high) / 2.0
        wrong = density @ (1.0 - chance(middle + SPREAD * _NODES)) / density.sum()
        low, high = (middle, high) if wrong > error_rate else (low, middle)
    return low


@cache
def truth(name: str, error_rate: float, ties: bool) -> float:
    """The statistic of the population, from the law of z on a fine grid."""
    z = centre(error_rate) + SPREAD * _NODES
    density = np.exp(-(_NODES**2) / 2.0)
    density *= 1e9 / density.sum()
    confidences, place = np.unique(rounded(z, ties=ties), return_inverse=True)
    right = np.bincount(place, density * chance(z))
    wrong = np.bincount(place, density * (1.0 - chance(z)))
    sweep = fa.ThresholdSweep.from_counts(confidences, right, wrong)
    statistic = STATISTICS[name]
    if ties and "threshold" in dict(statistic.parameters):
        statistic = fa.Statistic(statistic.name, threshold=90.0)
    if statistic.name in EXCESS:  # the limit of optimum="finite"
        statistic = fa.Statistic(statistic.name, optimum="asymptotic")
    return statistic(sweep)


def quantile_of_normal(z: Floats) -> Floats:
    """Probability below z."""
    return np.array([math.erfc(-x / math.sqrt(2.0)) / 2.0 for x in z.tolist()])


def draw(design: Design, error_rate: float, n: int, rng: np.random.Generator) -> Items:
    """Draw a sample."""
    mean, weight, documents = centre(error_rate), None, None
    if design.correlation is not None:
        documents = np.arange(n) // DOCUMENT
        shared, own = math.sqrt(design.correlation), math.sqrt(1.0 - design.correlation)
        of_pages = rng.normal(size=(2, documents[-1] + 1))[:, documents]
        z, latent = shared * of_pages + own * rng.normal(size=(2, n))
        z = mean + SPREAD * z
        uniform = quantile_of_normal(latent)
    else:
        z = mean + SPREAD * rng.normal(size=n)
        if design.weights:  # with twice the normal below the median and 2/3 above: thrice as often
            z = mean + np.abs(z - mean) * np.where(rng.random(n) < 0.75, -1.0, 1.0)
            weight = np.where(z < mean, 1.0, 3.0)
        uniform = rng.random(n)
    return Items(uniform < chance(z), rounded(z, ties=design.ties), weight, documents)


@dataclass
class Cell:
    """What came of the intervals of one kind."""

    design: str
    error_rate: float
    n: int
    statistic: str
    method: str
    samples: int = 0
    undefined: int = 0
    warned: int = 0  # those undefined among them
    covered: int = 0
    covered_warned: int = 0  # those of `covered` that came with a warning
    above: int = 0  # the interval lies above the truth
    width: float = math.nan  # median of those that are defined
    widths: list[float] = field(default_factory=list, repr=False)

    @property
    def defined(self) -> int:
        """Intervals that there are."""
        return self.samples - self.undefined

    @property
    def coverage(self) -> float:
        """Share of the defined intervals that contain the truth."""
        return self.covered / self.defined if self.defined else math.nan

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of the coverage, as if it were the level."""
        return math.sqrt(LEVEL * (1.0 - LEVEL) / max(self.defined, 1))

    @property
    def short(self) -> bool:
        """Whether it covers too seldom, and does not say so."""
        return self.coverage < LEAST and self.warned < WARNED * self.samples

    def add(self, ends: tuple[float, float], value: float, *, warned: bool) -> None:
        """Count an interval."""
        low, high = ends
        self.samples += 1
        if math.isnan(low):
            self.undefined += 1
            self.warned += 1
            return
        covers = bool(low - 1e-9 <= value <= high + 1e-9)
        self.warned += warned
        self.covered += covers
        self.covered_warned += covers and warned
        self.above += bool(value < low - 1e-9)
        self.widths.append(high - low)


Found = tuple[str, str, tuple[float, float], bool]


def by_formula(items: Items, names: Iterable[str], methods: tuple[str, ...]) -> Iterator[Found]:
    """Intervals without resampling; `ungrouped` as if there were no documents."""
    of_items = items_of(items.correct, items.confidence, items.weight)
    plain = items.weight is None and items.documents is None
    sample = inversion.ItemSample(of_items.sweep, None if plain else of_items, items.documents)
    ignoring = inversion.ItemSample(of_items.sweep, None, None)
    for name in names:
        statistic = at_scale(name, items)
        found, warning = asymptotic.interval_and_warning(sample, statistic, LEVEL, "auto")
        yield name, "auto", (found.low, found.high), warning is not None
        if "logit" in methods and statistic.definition.is_smooth:
            if found.method != "logit":
                found, warning = asymptotic.interval_and_warning(sample, statistic, LEVEL, "logit")
            yield name, "logit", (found.low, found.high), warning is not None
        if "ungrouped" in methods:
            found, warning = asymptotic.interval_and_warning(ignoring, statistic, LEVEL, "auto")
            yield name, "ungrouped", (found.low, found.high), warning is not None


def at_scale(name: str, items: Items) -> fa.Statistic:
    """The statistic, with its threshold in percents where the confidences are.

    Of weighted items there is no finite best order, but its limit.
    """
    statistic = STATISTICS[name]
    if items.weight is not None and statistic.name in EXCESS:
        return fa.Statistic(statistic.name, optimum="asymptotic")
    if "threshold" in dict(statistic.parameters) and items.confidence.max() > 1.0:
        return fa.Statistic(statistic.name, threshold=90.0)
    return statistic


def by_resampling(items: Items, names: Iterable[str], seed: int) -> Iterator[Found]:
    """Intervals of the bootstrap, all from the same replicates."""
    data = items.correct, items.confidence
    population = population_of(*data, None, None, stratified=False)
    for name in names:
        statistic = STATISTICS[name]
        smooth = statistic.definition.is_smooth
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fa.bootstrap(
                *data, statistic=statistic, n_resamples=RESAMPLES, confidence_level=LEVEL,
                method="studentized" if smooth else "percentile", random_state=seed, n_threads=1,
            )  # fmt: skip
        warned = any(issubclass(w.category, fa.UnreliableIntervalWarning) for w in caught)
        replicates = np.asarray(result.distribution)
        replicates = replicates[~np.isnan(replicates)]
        if smooth:
            yield name, "studentized", (result.low, result.high), warned
        if math.isnan(result.estimate) or len(replicates) < 2:
            yield name, "percentile", (math.nan, math.nan), True
            continue
        yield name, "percentile", tuple(intervals.percentile(replicates, LEVEL)), warned
        if smooth:
            skewness = intervals.acceleration(population, statistic, statistic.name)
            ends = intervals.bca(replicates, result.estimate, skewness, LEVEL)
            yield name, "bca", (ends.low, ends.high), warned


def simulate(name: str, error_rate: float, n: int, samples: int, names: Iterable[str]) -> list[Cell]:
    """Simulate the cells of one design, error rate and size."""
    design, names = DESIGNS[name], list(names)
    cells: dict[tuple[str, str], Cell] = {}
    place = [list(DESIGNS).index(name), round(1000 * error_rate), n]
    for k in range(samples):
        items = draw(design, error_rate, n, np.random.default_rng([*place, k]))
        if "percentile" in design.methods:
            found = by_resampling(items, names, k)
        else:
            found = by_formula(items, names, design.methods)
        for statistic, method, ends, warned in found:
            key = statistic, method
            cell = cells.setdefault(key, Cell(name, error_rate, n, statistic, method))
            cell.add(ends, truth(statistic, error_rate, design.ties), warned=warned)
    for cell in cells.values():
        cell.width = statistics.median(cell.widths) if cell.widths else math.nan
    return list(cells.values())


def remember(functions: Iterable[tuple[object, str]]) -> None:
    """Keep results of the quantiles of counts, which recur in all samples of one size."""
    for module, name in functions:
        setattr(module, name, cache(getattr(module, name)))


def read(path: Path) -> list[Cell]:
    """Cells of a file; none where there is no file."""
    if not path.exists():
        return []
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Cell(**{**row, "width": row["width"] or math.nan}) for row in rows]


def write(cells: Iterable[Cell], path: Path) -> None:
    """Save the cells, one a line, in place of those that were there."""
    rows = []
    for cell in cells:
        row = asdict(cell)
        del row["widths"]
        row["width"] = None if math.isnan(cell.width) else float(f"{cell.width:.4g}")
        rows.append(json.dumps(row, ensure_ascii=False))
    unfinished = path.with_suffix(".part")
    unfinished.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    unfinished.replace(path)


def table(
    path: Path,
    designs: Iterable[str],
    names: Iterable[str],
    *,
    again: bool,
    samples: Callable[[Design], int] = lambda design: design.samples,
) -> list[Cell]:
    """Simulate what the file lacks, or all of it `again`, and save after each design and size."""
    cells, names = read(path), list(names)
    for name in designs:
        design = DESIGNS[name]
        for error_rate in RATES:
            for n in design.sizes:
                known = {
                    c.statistic for c in cells if (c.design, c.error_rate, c.n) == (name, error_rate, n)
                }
                wanted = [s for s in names if again or s not in known]
                if not wanted:
                    continue
                found = simulate(name, error_rate, n, samples(design), wanted)
                replaced = {(name, error_rate, n, s) for s in wanted}
                cells = [c for c in cells if (c.design, c.error_rate, c.n, c.statistic) not in replaced]
                cells += found
                write(cells, path)
                print(*map(line, filter(lambda c: c.short, found)), sep="\n", end="", flush=True)
    order = {name: k for k, name in enumerate([*DESIGNS, *STATISTICS])}
    cells.sort(key=lambda c: (order[c.design], order[c.statistic], -c.error_rate, c.n))
    write(cells, path)
    return cells


def line(cell: Cell) -> str:
    """A cell in words."""
    return (
        f"{cell.design}, {cell.statistic}, {cell.method}: {cell.error_rate:.1%} of n={cell.n}: covered "
        f"{cell.coverage:.1%} (Monte-Carlo error {cell.error:.1%}), warned "
        f"{cell.warned / cell.samples:.0%}, width {cell.width:.3g}\n"
    )


def main() -> None:
    """Simulate, and write the file or print a rough table."""
    parser = argparse.ArgumentParser(prog="python -m bench.simulations.coverage", description=__doc__)
    parser.add_argument("--table", action="store_true", help="write the whole table")
    parser.add_argument("--quick", action="store_true", help=f"print {QUICK} samples a cell")
    parser.add_argument("--design", choices=DESIGNS, action="append")
    parser.add_argument("--statistic", choices=STATISTICS, action="append")
    parser.add_argument("--again", action="store_true", help="recompute what the file has")
    parser.add_argument("--samples", type=int, help="of each cell")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    if not (options.table or options.quick):
        parser.error("--table or --quick is expected")
    quantiles = ((special, "binomial_cdf"), (inversion, "binomial_cdf"))
    remember((*quantiles, (inversion, "binomial_interval"), (inversion, "binomial_quantile")))
    names = options.statistic or list(STATISTICS)
    if options.quick:
        designs = options.design or ("items", "documents 0.2")
        for name in designs:
            for cell in simulate(name, RATES[0], 300, options.samples or QUICK, names):
                sys.stdout.write(line(cell))
        return
    found = table(
        options.output, options.design or DESIGNS, names, again=options.again,
        samples=lambda design: options.samples or design.samples,
    )  # fmt: skip
    short = [cell for cell in found if cell.short and cell.method == "auto"]
    sys.stdout.write(f"{len(short)} cells of auto under {LEAST:.0%} without a warning\n")
    sys.stdout.writelines(map(line, short))


if __name__ == "__main__":
    main()
