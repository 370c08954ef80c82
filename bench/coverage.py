"""How often intervals contain the value of the population: simulations on the mixtures of the paper.

``python -m bench.coverage`` writes docs/_data/coverage.csv, from which the page on coverage is made;
``--quick`` prints a rough version instead. Every block of samples has a seed of its own, so that the
figures depend neither on the number of processes nor on their order.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

import numpy as np

import fastarac as fa
from bench.peers import processors
from fastarac.uncertainty import intervals
from fastarac.uncertainty.intervals import Ends
from fastarac.uncertainty.resampling import population_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Sample = tuple[NDArray[np.bool_], NDArray[np.float64]]
    Population = Callable[[fa.synthetic.TruncatedNormalMixture], float]

LEVEL = 0.95
RESAMPLES = 1000
SIZES = (100, 300, 1000)
SIMULATIONS = 4000  # of the ARAC-AUC; of the others a share
BLOCK = 100
QUICK = 40
OUTPUT = Path(__file__).parents[1] / "docs" / "_data" / "coverage.csv"
ALL = ("asymptotic", "logit", "percentile", "basic", "bca", "studentized")
SOME = ("asymptotic", "logit", "percentile", "bca")


@dataclass(frozen=True)
class Family:
    """Statistics that are simulated on the same samples."""

    statistics: tuple[fa.Statistic, ...]
    truths: tuple[Population, ...]
    methods: tuple[str, ...]
    share: float  # of SIMULATIONS


FAMILIES = {
    "arac_auc": Family(
        (fa.Statistic("arac_auc"),), (fa.synthetic.TruncatedNormalMixture.arac_auc_score,), ALL, 1.0
    ),
    "others": Family(
        tuple(map(fa.Statistic, ("normalized_arac_auc", "roc_auc", "recognition_rate"))),
        (
            fa.synthetic.TruncatedNormalMixture.normalized_arac_auc_score,
            fa.synthetic.TruncatedNormalMixture.roc_auc_score,
            lambda mixture: mixture.recognition_rate,
        ),
        SOME,
        0.25,
    ),
    "aurc": Family(
        (fa.Statistic("aurc", estimator="exact"),),
        (lambda mixture: 1.0 - mixture.arp_auc_score(),),
        SOME,
        0.125,
    ),
    "acceptance": Family(
        (fa.Statistic("acceptance_at_error_rate", max_error_rate=0.05),),
        (lambda mixture: float(mixture.acceptance_at_error_rate(0.05)),),
        ("percentile", "basic"),
        0.075,
    ),
}


@dataclass
class Cell:
    """What came of the intervals of one kind."""

    statistic: str
    method: str
    case: int
    n: int
    simulations: int = 0
    undefined: int = 0
    warned: int = 0  # by the rule that all methods share
    covered: int = 0
    covered_warned: int = 0  # those of `covered` that came with a warning
    width: float = 0.0  # mean of those that are defined

    def add(self, interval: Ends, truth: float, *, warned: bool) -> None:
        """Count an interval; `width` is a sum until `combined`."""
        self.simulations += 1
        self.warned += warned
        if math.isnan(interval.low):
            self.undefined += 1
            return
        covers = interval.low <= truth <= interval.high
        self.covered += covers
        self.covered_warned += covers and warned
        self.width += interval.high - interval.low


def intervals_of(
    sample: Sample, family: Family, random_state: int
) -> Iterator[tuple[fa.Statistic, dict[str, Ends]]]:
    """Intervals by all methods of a family; those of the bootstrap from the same replicates."""
    drawn: Literal["percentile", "studentized"] = "percentile"
    if "studentized" in family.methods:
        drawn = "studentized"
    results = fa.bootstrap(
        *sample, statistic=list(family.statistics), n_resamples=RESAMPLES, confidence_level=LEVEL,
        method=drawn, random_state=random_state, n_threads=1,
    )  # fmt: skip
    population = population_of(*sample, None, None, stratified=False)
    for statistic, result in zip(family.statistics, results.values(), strict=True):
        found: dict[str, Ends] = {drawn: Ends(result.low, result.high)}
        replicates = result.distribution[~np.isnan(result.distribution)]
        if math.isnan(result.estimate) or len(replicates) < 2:
            yield statistic, dict.fromkeys(family.methods, intervals.UNKNOWN)
            continue
        if "asymptotic" in family.methods:
            of = partial(fa.asymptotic_interval, *sample, statistic=statistic, confidence_level=LEVEL)
            for name, method in (("asymptotic", "wald"), ("logit", "logit")):
                interval = of(method=method)
                found[name] = Ends(interval.low, interval.high)
        found["percentile"] = intervals.percentile(replicates, LEVEL)
        if "basic" in family.methods:
            low, high = statistic.range
            ends = intervals.basic(replicates, result.estimate, LEVEL)
            found["basic"] = Ends(*(min(max(end, low), high) for end in ends))
        if "bca" in family.methods:
            skewness = intervals.acceleration(population, statistic, statistic.name)
            found["bca"] = intervals.bca(replicates, result.estimate, skewness, LEVEL)
        yield statistic, {name: found[name] for name in family.methods}


def block(name: str, case: int, n: int, number: int, size: int) -> list[Cell]:
    """Simulate `size` samples."""
    family, mixture = FAMILIES[name], fa.synthetic.PAPER_CASES[case]
    truths = [truth(mixture) for truth in family.truths]
    cells = [
        {method: Cell(repr(statistic), method, case, n) for method in family.methods}
        for statistic in family.statistics
    ]
    rng = np.random.default_rng([case, n, number])
    for _ in range(size):
        sample = mixture.sample(n, rng)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            found = list(intervals_of(sample, family, int(rng.integers(2**32))))
        said = [str(w.message) for w in caught if issubclass(w.category, fa.UnreliableIntervalWarning)]
        for (statistic, ends), truth, row in zip(found, truths, cells, strict=True):
            warned = any(statistic.name in text for text in said)
            for method, interval in ends.items():
                row[method].add(interval, truth, warned=warned)
    return [cell for row in cells for cell in row.values()]


def combined(cells: Iterable[Cell]) -> list[Cell]:
    """Add up cells of the same kind, with the mean for the sum of widths."""
    sums: dict[tuple[str, str, int, int], Cell] = {}
    for cell in cells:
        key = cell.statistic, cell.method, cell.case, cell.n
        whole = sums.setdefault(key, Cell(*key))
        for name in ("simulations", "undefined", "warned", "covered", "covered_warned", "width"):
            setattr(whole, name, getattr(whole, name) + getattr(cell, name))
    for whole in sums.values():
        whole.width /= max(whole.simulations - whole.undefined, 1)
    return list(sums.values())


def tasks(simulations: int, names: Iterable[str]) -> list[tuple[str, int, int, int, int]]:
    """Arguments of all calls of `block`."""
    found = []
    for name in names:
        left = max(1, round(simulations * FAMILIES[name].share))
        sizes = [min(BLOCK, left - start) for start in range(0, left, BLOCK)]
        found += [
            (name, case, n, number, size)
            for case in fa.synthetic.PAPER_CASES
            for n in SIZES
            for number, size in enumerate(sizes)
        ]
    return found


def simulate(simulations: int, names: Iterable[str] = tuple(FAMILIES)) -> list[Cell]:
    """Simulate all cells, in as many processes as there are processors."""
    with ProcessPoolExecutor(processors(), get_context("spawn")) as pool:
        blocks = pool.map(block, *zip(*tasks(simulations, names), strict=True))
        return combined(cell for cells in blocks for cell in cells)


def write(cells: Iterable[Cell], file: TextIO) -> None:
    """Write a table of the cells."""
    names = [field.name for field in fields(Cell)]
    table = csv.writer(file, lineterminator="\n")
    table.writerow(names)
    for cell in cells:
        values = [getattr(cell, name) for name in names[:-1]]
        table.writerow([*values, f"{cell.width:.6g}"])


def main() -> None:
    """Simulate, and write the file or print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="of the ARAC-AUC")
    parser.add_argument("--only", choices=FAMILIES, action="append", help="a family of statistics")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--quick", action="store_true", help=f"print {QUICK} simulations")
    options = parser.parse_args()
    names = options.only or list(FAMILIES)
    if options.quick:
        write(simulate(QUICK, names), sys.stdout)
        return
    cells = simulate(options.simulations, names)
    with options.output.open("w", encoding="utf-8") as file:
        write(cells, file)


if __name__ == "__main__":
    main()
