"""Estimates and guarantees from audit logs with unequal audit probabilities, by simulation.

``python -m bench.simulations.audits`` simulates, prints each row and writes docs/_data/audits.json, of
which the page on operation is made; an interrupted run goes on where it ended, and ``--table`` names a
part of it. Every sample has a seed of its own.

Guarantees: 20,000 outputs, z ~ N(3.458, 1.5), confidence expit(z), P(error) = 1 − expit(0.9z + 0.2), so
that 73 % can be accepted at an error rate of 2 %. All are accepted and 1,770 are audited on average: a
share of them uniformly, the others in proportion to √(p(1 − p)) of the probability p of an error. With
a judge there are 3,000 outputs, 600 audits and a limit of 5 %.

At the limit: 1,000 or 4,000 outputs of which 5 % are wrong, just above a limit of 5 %, 2,000 samples;
the outputs that are wrong, or likelier to be, have the least π ("hidden": a tenth of them, with π 0.02
and not 0.2; "rare": all errors, with 0.005 and not 0.3; "half": one half, with 0.05 and not 0.3;
"spread": a fifth, π from 0.005 to 0.5), or the largest confidences, with π 0.05 and not 0.3 ("lying"),
or come first in the log, with π that rises from 0.02 to 0.22 ("drifting"). The figure is the share of
samples with a rate of 2 % in which all outputs are accepted.

Estimates: 5,000 outputs, confidence t uniform, those below 0.2 rejected and verified. P(error) is
3r(1 − t)² ("falling"), r ("flat") or 3rt² ("rising": predictions never rise). π is 0.1, or 0.02
from t = 0.6 on and 0.3 below, or the other way round, or exp(U), U uniform from log 0.01 to log 0.5.

Still needed: a limit of 2 %; the share of runs in which so many more outputs, at the rate that was
found, decide.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import fastarac as fa
from bench.rows import rows_of, save
from bench.simulations.coverage import SPREAD, expit
from fastarac import operation
from fastarac._core.random_state import key_of
from fastarac.guarantees.weighted_betting import bet_on_verified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from fastarac.operation.verdicts import PolicyCheck

    Floats = NDArray[np.float64]
    Sample = Callable[[int], tuple[bool, float, int]]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "audits.json"
SAMPLES = 1000
LIMIT, DELTA, LEVEL = 0.02, 0.05, 0.95
LOGGED, AUDITS, CENTRE = 20_000, 1770, 3.4575581339726753
SHARES = (1.0, 0.5, 0.25, 0.1)
RULES = ("thinned", "betting", "betting, hostile judge", "betting, good judge")
WITH_JUDGE, AUDITS_WITH_JUDGE, LIMIT_WITH_JUDGE = 3000, 600, 0.05
ESTIMATED, IN_USE = 5000, 0.2
AT_LIMIT = 0.05
HIDDEN = ("equal", "hidden", "rare", "half", "spread", "lying", "drifting")
RATES = (0.004, 0.02, 0.1)
LEAST_WITH_JUDGE = 0.5  # share of audits that are uniform; with less nothing is accepted
KINDS = ("falling", "flat", "rising")
PROBABILITIES = ("equal", "few at the top", "few below", "spread")
FOUND = ((1, 200), (2, 200), (6, 500), (8, 500), (13, 500), (32, 2000))


@dataclass
class Row:
    """What came of a rule: how often, and the mean of a figure."""

    table: str
    case: str
    rule: str
    samples: int
    happened: int
    figure: float
    errors: float = 0.0

    @property
    def share(self) -> float:
        """Of samples in which it happened."""
        return self.happened / self.samples


def log_of(
    share: float, n: int, audits: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Confidence z, π and what was found: a log of n outputs."""
    z = np.sort(rng.normal(CENTRE, SPREAD, n))[::-1]
    chance = 1.0 - expit(0.9 * z + 0.2)
    wrong = (rng.random(n) < chance).astype(np.float64)
    aim = np.sqrt(chance * (1.0 - chance))
    pi = np.minimum(1.0, share * audits / n + (1.0 - share) * audits * aim / aim.sum())
    return z, pi, np.where(rng.random(n) < pi, wrong, np.nan), wrong


def accepted_and_rate(threshold: float) -> tuple[float, float]:
    """What a threshold accepts of the source, and the errors among all."""
    nodes = np.linspace(-8.0, 8.0, 4001)
    density = np.exp(-(nodes**2) / 2.0)
    density /= density.sum()
    z = CENTRE + SPREAD * nodes
    above = density * (z >= threshold)
    return float(above.sum()), float(above @ (1.0 - expit(0.9 * z + 0.2)))


def guaranteed(share: float, rule: str, seed: int) -> tuple[bool, float, int]:
    """Whether a threshold exceeds the limit, and the share of the source that it accepts."""
    rng = np.random.default_rng([31, int(100 * share), seed])
    judged = rule.endswith("judge")
    n, audits, limit = (
        (WITH_JUDGE, AUDITS_WITH_JUDGE, LIMIT_WITH_JUDGE) if judged else (LOGGED, AUDITS, LIMIT)
    )
    z, pi, found, wrong = log_of(share, n, audits, rng)
    least = share * audits / n
    judge = None
    if judged:
        middle = np.where(wrong == 1.0, 2.0, -2.0) * (1.0 if "good" in rule else -0.5)
        judge = expit(middle + rng.normal(size=n))
    if rule == "thinned":
        kept = (found == 1.0) & (rng.random(n) < least / pi)
        point = fa.guaranteed_operating_point(~kept, z, max_error_rate=least * limit)
        threshold = float(point.threshold)
    else:
        threshold = float(
            bet_on_verified(
                z, found, pi, criterion="max_error_rate", limit=limit, failure_probability=DELTA,
                judge=judge, key=key_of(rng),
            ).threshold
        )  # fmt: skip
    accepted, rate = accepted_and_rate(threshold)
    return rate > limit, accepted, int(np.nansum(found))


def hidden_errors(
    kind: str, rate: float, n: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Confidence, π and the probability of an error, whose mean over the source is `rate`."""
    u = np.arange(n) / n if kind == "drifting" else rng.random(n)
    confidence = u if kind == "lying" else np.ones(n)
    if kind == "equal":
        return confidence, np.full(n, 0.1), np.full(n, rate)
    if kind == "lying":
        return confidence, np.where(u > 0.5, 0.05, 0.3), 2.0 * rate * u
    if kind == "drifting":
        return confidence, 0.02 + 0.2 * u, 2.0 * rate * (1.0 - u)
    part = {"hidden": 0.1, "rare": rate, "half": 0.5, "spread": 0.2}[kind]
    few, others = {"hidden": (0.02, 0.2), "rare": (0.005, 0.3), "half": (0.05, 0.3)}.get(kind, (0, 0))
    pi = np.exp(math.log(0.005) + u * math.log(100.0)) if kind == "spread" else None
    return (
        confidence,
        np.where(u < part, few, others) if pi is None else pi,
        np.where(u < part, rate / part, 0.0),
    )


def at_the_limit(kind: str, n: int, seed: int) -> tuple[bool, float, int]:
    """Whether all outputs are accepted just above the limit, and at two fifths of it."""
    found = []
    for k, rate in enumerate((AT_LIMIT * 1.0001, 0.4 * AT_LIMIT)):
        rng = np.random.default_rng([34, HIDDEN.index(kind), n, k, seed])
        confidence, pi, chance = hidden_errors(kind, rate, n, rng)
        wrong = (rng.random(n) < chance).astype(np.float64)
        threshold = bet_on_verified(
            confidence, np.where(rng.random(n) < pi, wrong, np.nan), pi, criterion="max_error_rate",
            limit=AT_LIMIT, failure_probability=DELTA, key=key_of(rng),
        ).threshold  # fmt: skip
        # below the threshold u of lying confidences are rate·u² errors
        least = math.sqrt(1.0 - AT_LIMIT / rate) if kind == "lying" and k == 0 else confidence.min()
        found.append(bool(threshold <= least))
    return found[0], float(found[1]), 0


def estimated(kind: str, rate: float, audited: str, seed: int) -> tuple[bool, float, int]:
    """Whether an interval contains the rate, and its width."""
    index = KINDS.index(kind), PROBABILITIES.index(audited), int(1000 * rate), seed
    rng = np.random.default_rng([32, *index])
    t = rng.random(ESTIMATED)
    chance = {"falling": 3 * rate * (1 - t) ** 2, "flat": 0 * t + rate, "rising": 3 * rate * t**2}[kind]
    true = rate * {"falling": (1 - IN_USE) ** 3, "flat": 1 - IN_USE, "rising": 1 - IN_USE**3}[kind]
    wrong = rng.random(ESTIMATED) < chance
    pi = {
        "equal": np.full(ESTIMATED, 0.1),
        "few at the top": np.where(t > 0.6, 0.02, 0.3),
        "few below": np.where(t > 0.6, 0.3, 0.02),
        "spread": np.exp(rng.uniform(math.log(0.01), math.log(0.5), ESTIMATED)),
    }[audited]
    drawn = (t < IN_USE) | (rng.random(ESTIMATED) < pi)
    known = np.where(t < IN_USE, 1.0, pi)
    try:
        truth = fa.PartialTruth(np.where(drawn, ~wrong, np.nan), inclusion_probability=known)
    except ValueError:  # one honest log in 500 is refused
        return True, math.nan, 0
    found = fa.asymptotic_interval(truth, t, statistic=fa.Statistic("error_rate", threshold=IN_USE))
    return (
        found.low <= true <= found.high,
        found.high - found.low,
        int((drawn & wrong & (t >= IN_USE)).sum()),
    )


@cache
def everything_accepted() -> operation.Policy:
    """A policy of the limit of 2 % that accepts what is at least 0."""
    return operation.fit_policy([1] * 1000, range(1000), max_error_rate=LIMIT)


@cache
def checked(wrong: int, total: int) -> PolicyCheck:
    """A check of so many outputs, of which so many are wrong."""
    return everything_accepted().check(np.arange(total) >= wrong, np.full(total, 5000))


def decided(errors: int, n: int, seed: int) -> tuple[bool, float, int]:
    """Whether as many more outputs as a check asks for decide it, and their number."""
    rng = np.random.default_rng([33, errors, n, seed])
    more = checked(errors, n).still_needed or 0
    found = checked(errors + int(rng.binomial(more, errors / n)), n + more)
    return found.verdict != "too few", float(more), errors


def cases(table: str) -> Iterator[tuple[str, str, Sample]]:
    """The cells of a table: what is varied, the rule, and a sample by its number."""
    if table == "guarantees":
        for share in SHARES:
            for rule in RULES:
                if not rule.endswith("judge") or share >= LEAST_WITH_JUDGE:
                    yield f"{share:g}", rule, partial(guaranteed, share, rule)
    elif table == "at the limit":
        for n in (1000, 4000):
            for kind in HIDDEN:
                yield f"{n:,}, {kind}", "betting", partial(at_the_limit, kind, n)
    elif table == "estimates":
        for rate in RATES:
            for kind in KINDS:
                for audited in PROBABILITIES:
                    case = f"{kind}, {rate:g}, {audited}"
                    yield case, "interval", partial(estimated, kind, rate, audited)
    else:
        for errors, n in FOUND:
            yield f"{errors} of {n:,}", "outputs", partial(decided, errors, n)


TABLES = ("guarantees", "at the limit", "estimates", "needed")


def simulate(table: str, case: str, rule: str, sample: Sample, samples: int) -> Row:
    """Run one cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        found = [sample(k) for k in range(samples)]
    return Row(
        table, case, rule, samples, sum(each[0] for each in found),
        round(float(np.nanmean([each[1] for each in found])), 5),
        round(float(np.mean([each[2] for each in found])), 1),
    )  # fmt: skip


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = argparse.ArgumentParser(prog="python -m bench.simulations.audits", description=__doc__)
    parser.add_argument("--table", choices=TABLES, action="append")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each cell")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    for table in options.table or TABLES:
        for case, rule, sample in cases(table):
            known = rows_of(Row, options.output)
            key = table, case, rule
            samples = options.samples * (2 if table == "at the limit" else 1)
            if any((row.table, row.case, row.rule) == key and row.samples >= samples for row in known):
                continue
            row = simulate(*key, sample, samples)
            sys.stdout.write(f"{' | '.join(key)}: {row.share:.3f}, {row.figure}, {row.errors}\n")
            sys.stdout.flush()
            others = [each for each in known if (each.table, each.case, each.rule) != key]
            save([*others, row], options.output)


if __name__ == "__main__":
    main()
