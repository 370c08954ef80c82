"""Simulate the guarantees in operation, under their assumptions and with each assumption broken.

``python -m bench.simulations.operation`` simulates, prints each row and writes docs/_data/ files
operation.json and operation_fields.json, from which the page on operation is made; an interrupted run
goes on where it ended, and ``--promise`` names a part. Each row has a seed of its own.

Two fields in equal parts with uniform confidences t, errors with the probability 0.05·(1 − t) in one
and 0.5·(1 − t) in the other, so that the error rate of any thresholds is known. Pages have 20 lines,
and are wrong as a whole or not at all.
"""

from __future__ import annotations

import math
import warnings
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations import planned_policies
from fastarac import operation
from fastarac.operation import checked_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from fastarac.operation.policy import Policy

    Case = Callable[[np.random.Generator], tuple[bool, float]]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "operation.json"
FIELDS = "operation_fields.json"  # beside it
SAMPLES = 1000
DELTA, LIMIT, N, LINES = 0.05, 0.03, 4000, 20
SLOPES = np.array([0.05, 0.5])
PI, IN_USE, LOGGED, OF_LOG = 0.1, 0.25, 20_000, 0.02
AUDITS, LOOK = 3000, 100
SIZES, LIMITS = (2000, 4000, 10_000, 20_000, 40_000), (0.01, 0.02, 0.05)


class Items(NamedTuple):
    """Verified outputs."""

    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    field: NDArray[np.intp]


class Situation(NamedTuple):
    """One row: what is promised, whether what it needs is true, and how often it comes out.

    `case` returns whether what is counted has happened, and a rate over its limit; `promised` returns
    the power of a plan.
    """

    promise: str
    words: str
    case: Case
    counted: str = "broken"
    holds: bool = True
    promised: Callable[[], float] | None = None


@dataclass(frozen=True)
class Row:
    """What came of a situation."""

    promise: str
    holds: bool
    words: str
    counted: str
    samples: int
    happened: int
    ratio: float | None
    promised: float | None


@dataclass(frozen=True)
class Accepted:
    """What three kinds of thresholds accept of two fields on average, and the largest error of it."""

    n: int
    limit: float
    samples: int
    raw: float
    each: float
    merged: float
    error: float


def draw(n: int, rng: np.random.Generator, worse: float = 1.0) -> Items:
    """Outputs of the two fields; `worse` multiplies the error probability."""
    field, confidence = rng.integers(0, 2, n), rng.random(n)
    return Items(rng.random(n) >= worse * SLOPES[field] * (1.0 - confidence), confidence, field)


def rate_of(policy: Policy, worse: float = 1.0) -> float:
    """The error rate of thresholds by field."""
    rejected = np.clip(np.array(policy.thresholds, np.float64), 0.0, 1.0)
    return float(worse * (SLOPES * (1.0 - rejected) ** 2 / 4.0).sum())


def fitted(items: Items, rng: np.random.Generator, limit: float = LIMIT) -> Policy:
    """A policy by field."""
    return operation.fit_policy(
        items.correct, items.confidence, by=items.field, max_error_rate=limit, random_state=rng
    )


def exceeded(rate: float, limit: float) -> tuple[bool, float]:
    """Whether a limit is broken, and by how much."""
    return rate > limit, rate / limit


# ---------------------------------------------------------------------------------- fit


def same_source(rng: np.random.Generator) -> tuple[bool, float]:
    """Outputs as they should be."""
    return exceeded(rate_of(fitted(draw(N, rng), rng)), LIMIT)


def worse_later(rng: np.random.Generator) -> tuple[bool, float]:
    """After the fit there are half as many errors again at each confidence."""
    return exceeded(rate_of(fitted(draw(N, rng), rng), 1.5), LIMIT)


def useless_calibration(rng: np.random.Generator) -> tuple[bool, float]:
    """The confidences say nothing: the calibration cannot rank."""
    items = draw(N, rng)
    order = rng.permutation(N)
    policy = operation.fit_policy(
        items.correct[order], items.confidence, by=items.field, max_error_rate=LIMIT, random_state=rng
    )
    rejected = np.clip(np.array(policy.thresholds, np.float64), 0.0, 1.0)
    return exceeded(float((1.0 - rejected).mean() * SLOPES.mean() / 2.0), LIMIT)


def easy_ones_verified(rng: np.random.Generator) -> tuple[bool, float]:
    """People verify correct outputs twice as often as wrong ones."""
    items = draw(2 * N, rng)
    kept = items.correct | (rng.random(2 * N) < 0.5)
    chosen = Items(*(column[kept][:N] for column in items))
    return exceeded(rate_of(fitted(chosen, rng)), LIMIT)


def best_of_ten(rng: np.random.Generator) -> tuple[bool, float]:
    """Ten policies of the same outputs with other halves; the one that accepts most is taken."""
    items = draw(N, rng)
    best = max((fitted(items, rng) for _ in range(10)), key=lambda each: each.acceptance_rate)
    return exceeded(rate_of(best), LIMIT)


def pages(n: int, rng: np.random.Generator, bad: float) -> tuple[Items, NDArray[np.intp]]:
    """Outputs on pages that are wrong as a whole."""
    page = np.arange(n) // LINES
    wrong = (rng.random(n // LINES) < bad)[page]
    return Items(~wrong, rng.random(n), np.zeros(n, np.intp)), page


def of_pages(split: int | None) -> Case:
    """Groups of so many lines, or none; 2 % of the pages are bad, at any confidence."""

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        items, _ = pages(20_000, rng, 0.02)
        groups = None if split is None else np.arange(20_000) // split
        policy = operation.fit_policy(
            items.correct, items.confidence, max_error_rate=0.01, groups=groups,
            max_group_size=split, random_state=rng,
        )  # fmt: skip
        share = 1.0 - min(max(policy.thresholds[0], 0.0), 1.0)
        return exceeded(0.02 * share, 0.01)

    return case


def of_documents(*, batches: bool) -> Case:
    """Whole documents of 4 outputs, whose errors go together; with batches, 20 documents do, too."""

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        n = 1500
        share = 20 if batches else 1
        bad = np.repeat(rng.random(n // share) < 0.08, share)
        known = np.repeat(bad, 4) & (rng.random(4 * n) < 0.9)
        confidence = rng.random(4 * n)
        policy = operation.fit_policy(
            ~known, confidence, documents=np.repeat(np.arange(n), 4), max_error_rate=0.05,
            random_state=rng,
        )  # fmt: skip
        many = 20_000
        bad = rng.random(many) < 0.08
        wrong = np.repeat(bad, 4) & (rng.random(4 * many) < 0.9)
        of_item = np.repeat(np.arange(many), 4)
        taken = policy.apply(rng.random(4 * many), documents=of_item)[::4]
        found = float((taken & (np.bincount(of_item, wrong) > 0)).mean())
        return exceeded(found, 0.05)

    return case


# -------------------------------------------------------------------------------- check


def everything_accepted() -> Policy:
    """A policy of the limit of 2 % that accepts what is at least 0."""
    return operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.02)


def checked(**broken: object) -> Case:
    """Whether 1,000 outputs with a rate just above the limit are said to keep it."""

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        policy, rate = everything_accepted(), 0.0201
        correct = rng.random(1000) >= rate
        groups = None
        if "pages" in broken:
            correct, groups = np.repeat(rng.random(150) >= rate, LINES), np.arange(3000) // LINES
        if "chosen" in broken:
            many = rng.random(3000) >= rate
            correct = many[many | (rng.random(3000) < 0.5)][:1000]
        given = groups if broken.get("pages") == "known" else None
        with mock.patch.object(checked_outputs, "needed_by_draws", return_value=None):  # not looked at
            found = policy.check(correct, np.full(len(correct), 5000), groups=given)
        return found.verdict == "holds", rate / 0.02

    return case


def log_of(rng: np.random.Generator, audited: Callable[..., NDArray[np.bool_]]) -> tuple[object, ...]:
    """Correctness where known, and confidences: an error has the probability 0.2·(1 − t)²."""
    confidence = rng.random(LOGGED)
    wrong = rng.random(LOGGED) < 0.2 * (1.0 - confidence) ** 2
    seen = audited(rng, wrong, confidence)
    unseen = (confidence >= IN_USE) & ~seen
    return np.where(unseen, np.nan, ~wrong), confidence


def logged(audited: Callable[..., NDArray[np.bool_]]) -> Case:
    """The guarantee from a log, whose probability of an audit is said to be 10 %."""

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        correct, confidence = log_of(rng, audited)
        try:
            known = np.where(np.asarray(confidence) >= IN_USE, PI, 1.0)
            truth = fa.PartialTruth(correct, inclusion_probability=known)
        except ValueError:  # its audits are too few or too many: nothing is accepted
            return False, 0.0
        found = fa.guaranteed_operating_point(
            truth, confidence, max_error_rate=OF_LOG, random_state=rng
        )
        rejected = min(max(float(found.threshold), 0.0), 1.0)
        return exceeded(0.2 * (1.0 - rejected) ** 3 / 3.0, OF_LOG)

    return case


def as_a_sample(rng: np.random.Generator) -> tuple[bool, float]:
    """What was verified and audited, taken for a random sample."""
    correct, confidence = log_of(rng, at_random(PI))
    known = ~np.isnan(np.asarray(correct))
    found = fa.guaranteed_operating_point(
        np.asarray(correct)[known] == 1, np.asarray(confidence)[known], max_error_rate=OF_LOG
    )
    rejected = min(max(float(found.threshold), 0.0), 1.0)
    # of what was accepted, a tenth is among these, so that its errors look rarer than they are
    return exceeded(0.2 * (1.0 - rejected) ** 3 / 3.0, OF_LOG)


def at_random(probability: float) -> Callable[..., NDArray[np.bool_]]:
    """Audits by chance."""
    return lambda rng, wrong, _: rng.random(len(wrong)) < probability


def right_ones_first(
    rng: np.random.Generator, wrong: NDArray[np.bool_], _: object
) -> NDArray[np.bool_]:
    """Audits by chance, of which those that found an error have not come back."""
    return (rng.random(len(wrong)) < PI) & ~wrong


def by_a_person(rng: np.random.Generator, wrong: NDArray[np.bool_], _: object) -> NDArray[np.bool_]:
    """Auditors who skip two thirds of the errors."""
    return (rng.random(len(wrong)) < PI) & (~wrong | (rng.random(len(wrong)) < 1 / 3))


# ------------------------------------------------------------------------------- shifts


def shifted(kind: str) -> Case:
    """Whether 500 new confidences are said to have moved from 2,000."""

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        policy = operation.fit_policy(rng.random(2000) < 0.99, rng.random(2000), max_error_rate=0.2)
        new = rng.random(500)
        if kind == "pages":
            new = np.clip(np.repeat(rng.random(25), LINES) + 0.05 * rng.normal(size=500), 0.0, 1.0)
        if kind == "lower":
            new = np.where(rng.random(500) < 0.2, 0.5 * new, new)
        return bool(policy.shift(new).shifted), math.nan

    return case


# ------------------------------------------------------------------- plans and monitors


def planned(expected: float) -> Case:
    """Whether the planned number of outputs guarantees 1 %, where 0.5 % were expected."""

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        n = operation.sample_size_for_guarantee(0.01, 0.005).stable
        correct = rng.random(n) >= expected
        with warnings.catch_warnings():  # a plan from a rate alone has no confidences
            warnings.simplefilter("ignore", fa.QuestionableInputWarning)
            point = fa.guaranteed_operating_point(correct, np.ones(n), max_error_rate=0.01)
        return bool(point.threshold == 1.0), expected / 0.005

    return case


@cache
def exact_power() -> float:
    """The power of that number, by the exact test."""
    n = operation.sample_size_for_guarantee(0.01, 0.005).stable
    return float(operation.guarantee_power([n], 0.01, 0.005)[0])


def planned_policy(name: str) -> Situation:
    """Whether a fit to a fresh sample of the planned size accepts enough."""
    case = planned_policies.CASES[name]

    def succeeds(rng: np.random.Generator) -> tuple[bool, float]:
        return case.succeeds(planned_policies.planned(name), rng), math.nan

    return Situation(
        POLICY_PLAN, case.words, succeeds, "reached",
        promised=lambda: planned_policies.planned(name).power,
    )  # fmt: skip


def audited_once(rate: float, *, lines: int = 1) -> Case:
    """Whether the planned audits see that a rate is above 1 %."""
    n, critical = audit()

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        wrong = lines * rng.binomial(n // lines, rate)
        return bool(wrong >= critical), rate / 0.01

    return case


def audit() -> tuple[int, int]:
    """How many audits are planned to see a rate of 2 % as above 1 %, and errors that it takes."""
    n = operation.audit_plan(0.01, 0.02).stable
    return n, next(c for c in range(200) if operation_tail(n, c, 0.01) <= DELTA)


def operation_tail(n: int, c: int, p: float) -> float:
    """P(Bin(n, p) >= c), by its sum."""
    log = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
           + k * math.log(p) + (n - k) * math.log1p(-p) for k in range(c)]  # fmt: skip
    return 1.0 - math.fsum(map(math.exp, log))


def monitored(rate: float, *, chosen: float = 1.0, lines: int = 1, every: int = 50) -> Case:
    """Whether a limit of 1 % gives an alarm within 3,000 audits.

    `chosen` is how much more often a person picks errors than other outputs; on pages, all lines are
    wrong where one is.
    """

    def case(rng: np.random.Generator) -> tuple[bool, float]:
        seen = chosen * rate / (chosen * rate + 1.0 - rate)
        wrong = np.repeat(rng.random(AUDITS // lines) < seen, lines)
        monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
        for errors in wrong.reshape(-1, every).sum(axis=1).tolist():
            monitor.update(int(errors), every)
            if monitor.alarm:
                return True, rate / 0.01
        return False, rate / 0.01

    return case


def repeated_test(rng: np.random.Generator) -> tuple[bool, float]:
    """A test at 5 % after every 100 audits, while the limit is just kept."""
    wrong = np.cumsum((rng.random(AUDITS) < 0.01).reshape(-1, LOOK).sum(axis=1))
    tails = [operation_tail(LOOK * (i + 1), int(k), 0.01) for i, k in enumerate(wrong)]
    return min(tails) <= DELTA, 1.0


FIT, GROUPED = "limit of a policy by field", "limit of a policy with `groups`"
DOCUMENTS, CHECK, LOGS = "limit of a policy of documents", "“holds” of a check", "limit from a log"
SHIFT, PLAN, AUDIT = "no shift is seen where there is none", "power of a plan", "an audit in one look"
POLICY_PLAN = "power of a plan for a policy"
MONITOR = "no alarm while the limit is kept"

SITUATIONS = (
    Situation(FIT, "as needed: the same source, independent outputs", same_source),
    Situation(FIT, "confidences that say nothing", useless_calibration),
    Situation(FIT, "half as many errors again after the fit", worse_later, holds=False),
    Situation(FIT, "correct outputs are verified twice as often as wrong ones",
              easy_ones_verified, holds=False),
    Situation(FIT, "the best of ten fits is taken", best_of_ten, holds=False),
    Situation(GROUPED, "as needed: pages of 20 lines are the groups", of_pages(LINES)),
    Situation(GROUPED, "each page split into groups of 2 lines", of_pages(2), holds=False),
    Situation(GROUPED, "no groups given", of_pages(None), holds=False),
    Situation(DOCUMENTS, "as needed, while outputs of a document err together",
              of_documents(batches=False)),
    Situation(DOCUMENTS, "20 documents of a batch err together, without `groups`",
              of_documents(batches=True), holds=False),
    Situation(CHECK, "as needed: outputs drawn at random", checked()),
    Situation(CHECK, "pages of 20 lines as groups", checked(pages="known")),
    Situation(CHECK, "pages of 20 lines, without groups", checked(pages="ignored"), holds=False),
    Situation(CHECK, "correct outputs are verified twice as often as wrong ones",
              checked(chosen=True), holds=False),
    Situation(LOGS, "as needed: 10 % are audited by chance", logged(at_random(PI))),
    Situation(LOGS, "errors are answered late, and the log does not say what was drawn",
              logged(right_ones_first), holds=False),
    Situation(LOGS, "auditors skip two thirds of the errors",
              logged(by_a_person), holds=False),
    Situation(LOGS, "verified and audited outputs taken for a sample",
              as_a_sample, holds=False),
    Situation(SHIFT, "as needed: independent outputs", shifted("none")),
    Situation(SHIFT, "pages of 20 lines with about one confidence each",
              shifted("pages"), holds=False),
    Situation(PLAN, "as needed: the error rate is the 0.5 % that was expected",
              planned(0.005), "reached", promised=exact_power),
    Situation(PLAN, "the error rate is 0.75 %", planned(0.0075), "reached", holds=False,
              promised=exact_power),
    *(planned_policy(name) for name in planned_policies.CASES),
    Situation(AUDIT, "as needed: the rate is 2 %, seen as above 1 %",
              audited_once(0.02), "reached", promised=lambda: operation_tail(*audit(), 0.02)),
    Situation(AUDIT, "as needed: the rate is 1 %", audited_once(0.01)),
    Situation(AUDIT, "the rate is 1 %, on pages of 20 lines",
              audited_once(0.01, lines=LINES), holds=False),
    Situation(MONITOR, "as needed: the rate is 1 %, looked at every 50 audits", monitored(0.01)),
    Situation(MONITOR, "a test at 5 % repeated every 100 audits instead",
              repeated_test, holds=False),
    Situation(MONITOR, "the rate is 1 %, on pages of 20 lines",
              monitored(0.01, lines=LINES, every=LINES), holds=False),
    Situation(MONITOR, "a person audits errors twice as often as other outputs",
              monitored(0.01, chosen=2.0), holds=False),
    Situation("alarm within 3,000 audits", "as needed: the rate is 2 % at a limit of 1 %",
              monitored(0.02), "reached"),
    Situation("alarm within 3,000 audits", "a person audits errors half as often",
              monitored(0.02, chosen=0.5), "reached", holds=False),
)  # fmt: skip


def simulate(situation: Situation, samples: int, seed: int = 0) -> Row:
    """Run one situation."""
    words = zlib.crc32(f"{situation.promise}: {situation.words}".encode())
    rng = np.random.default_rng([2026, words, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        promised = None if situation.promised is None else situation.promised()
        found = [situation.case(rng) for _ in range(samples)]
    ratio = float(np.mean([each[1] for each in found]))
    return Row(
        situation.promise, situation.holds, situation.words, situation.counted, samples,
        sum(each[0] for each in found), None if math.isnan(ratio) else ratio, promised,
    )  # fmt: skip


def acceptance(n: int, limit: float, samples: int) -> Iterator[Accepted]:
    """The share accepted with one raw threshold, the limit in each field, and one limit over both."""
    rng = np.random.default_rng([14, n, int(1000 * limit)])
    shares = np.zeros((samples, 3))
    for run in range(samples):
        items = draw(n, rng)
        one = fa.guaranteed_operating_point(
            items.correct, items.confidence, max_error_rate=limit
        ).threshold
        own = [
            fa.guaranteed_operating_point(
                items.correct[items.field == f], items.confidence[items.field == f],
                max_error_rate=limit,
            ).threshold
            for f in range(2)
        ]  # fmt: skip
        rows = ((one, one), own, fitted(items, rng, limit).thresholds)
        shares[run] = [1.0 - np.clip(np.array(row, np.float64), 0.0, 1.0).mean() for row in rows]
    raw, each, merged = shares.mean(axis=0).tolist()
    error = float(shares.std(axis=0).max()) / math.sqrt(samples)
    yield Accepted(n, limit, samples, raw, each, merged, error)


def line(row: Row) -> str:
    """A row in words."""
    mark = " " if row.holds else "!"
    promised = "" if row.promised is None else f", {row.promised:.3f} promised"
    return (
        f"{mark} {row.promise}: {row.words}: {row.counted} in {row.happened}/{row.samples}{promised} "
        f"({row.ratio})\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.operation", __doc__, SAMPLES, OUTPUT)
    promises = list(dict.fromkeys(each.promise for each in SITUATIONS))
    parser.add_argument("--promise", choices=[*promises, "fields"], action="append")
    options = parser.parse_args()
    chosen = options.promise or [*promises, "fields"]
    situations = {(each.promise, each.words): each for each in SITUATIONS}
    order = list(situations)
    fill(
        options, Row, [each for each in situations if each[0] in chosen],
        lambda row: (row.promise, row.words),
        lambda promise, words, samples: [simulate(situations[promise, words], samples)],
        line, order=lambda row: order.index((row.promise, row.words)),
    )  # fmt: skip
    options.output = options.output.with_name(FIELDS)
    cells = [(n, limit) for n in SIZES for limit in LIMITS if "fields" in chosen]
    fill(
        options, Accepted, cells, lambda row: (row.n, row.limit), acceptance,
        lambda row: f"{row}\n", order=lambda row: (row.n, row.limit),
    )  # fmt: skip


if __name__ == "__main__":
    main()
