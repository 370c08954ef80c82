"""Compute ``docs/_data/study_judges.json``: intervals of the share right, from a judge and few labels.

``python -m bench.study.judges`` compares, at the same number of labels, the interval of Lee, Zeng,
Jeong, Sohn and Lee (2025, arXiv:2511.21140) with those of `fastarac.PartialTruth` and of the labels
alone. An interrupted run goes on where it ended, and each sample has a seed of its own.

A simulated judge gives log-odds d s - d²/2, with s ~ N(d, 1) for right outputs and N(0, 1) for wrong
ones. At 0.5, it knows the share Φ(d/2) of the right outputs, and of the wrong ones. A useless judge has
the law of one who knows 70%, but does not see the truth. On the data sets, a classifier's judge is
another classifier's probability of its class; outputs are drawn from all of them, with replacement.
"Elsewhere", the labels are of other outputs, half of which are wrong.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import binomtest, norm

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.coverage import expit
from bench.study import classifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ends = tuple[float, float]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "study_judges.json"
SAMPLES, LEVEL = 1000, 0.95
BUDGETS = 100, 200, 300, 600
USELESS = 0.7  # whose law of probabilities a useless judge has


class Simulated(NamedTuple):
    """A share of right outputs, and the share of right and of wrong ones that the judge knows."""

    right: float
    known: float | None  # None: useless


class Pair(NamedTuple):
    """A classifier of a data set, and the one that judges it."""

    data: str
    model: str
    judge: str


NAMES = {
    None: "useless judge",
    0.7: "judge knows 70%",
    0.85: "judge knows 85%",
    0.95: "judge knows 95%",
}
SOURCES: dict[str, Simulated | Pair] = {
    f"{100 * right:.0f}% right, {name}": Simulated(right, known)
    for right in (0.9, 0.7)
    for known, name in NAMES.items()
} | {
    "digits, naive Bayes by neighbours": Pair("digits", "naive-bayes", "neighbours"),
    "digits, neighbours by naive Bayes": Pair("digits", "neighbours", "naive-bayes"),
    "breast cancer, naive Bayes by logistic": Pair("breast_cancer", "naive-bayes", "logistic"),
    "wine, neighbours by forest": Pair("wine", "neighbours", "forest"),
}
LARGE, SMALL, MIDDLE = 10_000, 2_000, 300
ELSEWHERE = ", labels elsewhere"
#: Of a good judge at every budget; the others at one.
SIZES = {
    name: (SMALL,)
    if isinstance(law, Pair)
    else (LARGE, SMALL)
    if law == Simulated(0.9, 0.95)
    else (LARGE,)
    for name, law in SOURCES.items()
}
EVERY = (
    "90% right, judge knows 85%",
    "90% right, judge knows 95%",
    "breast cancer, naive Bayes by logistic",
)
CELLS = [
    (name, n, verified)
    for name, sizes in SIZES.items()
    for n in sizes
    for verified in (BUDGETS if name in EVERY and n == sizes[0] else (MIDDLE,))
] + [(name + ELSEWHERE, LARGE, MIDDLE) for name in EVERY[:2]]


@dataclass
class Row:
    """How often the intervals of a method contain the share right, and their median width."""

    source: str
    n: int
    verified: int
    method: str
    samples: int
    covered: int
    warned: int
    width: float


@cache
def pool(pair: Pair) -> tuple[Bools, Floats]:
    """Whether each output of the classifier is right, and the judge's probability of that."""
    found = classifiers.scores(pair.data)
    target, said = found[pair.model]
    output = said.argmax(1)
    return output == target, found[pair.judge][1][np.arange(len(output)), output]


def share_right(law: Simulated | Pair) -> float:
    """Of all outputs of the source."""
    return law.right if isinstance(law, Simulated) else float(pool(law)[0].mean())


def draw(law: Simulated | Pair, n: int, rng: np.random.Generator) -> tuple[Bools, Floats]:
    """Whether n outputs are right, and the judge's probability of that."""
    if isinstance(law, Pair):
        right, judge = pool(law)
        chosen = rng.integers(len(right), size=n)
        return right[chosen], judge[chosen]
    right = rng.random(n) < law.right
    seen = right if law.known else rng.random(n) < law.right
    d = 2.0 * norm.ppf(law.known or USELESS)
    return right, expit(d * (rng.normal(size=n) + d * seen) - d * d / 2.0)


def labels_alone(right: Bools) -> Ends:
    """The interval of Wilson (1927)."""
    found = binomtest(int(right.sum()), len(right)).proportion_ci(LEVEL, "wilson")
    return float(found.low), float(found.high)


def corrected(verdicts: Bools, labelled: Bools, right: Bools) -> Ends:
    """The adjusted interval of Lee et al. (2025), after Lang and Reiczigel (2014).

    θ + 2 z² (θ q₁(1 - q₁)/m₁ - (1 - θ) q₀(1 - q₀)/m₀) ± z s / (q₀ + q₁ - 1), with
    s² = p(1 - p)/n + (1 - θ)² q₀(1 - q₀)/m₀ + θ² q₁(1 - q₁)/m₁ and θ = (p + q₀ - 1) / (q₀ + q₁ - 1).
    The sensitivity q₁ and specificity q₀ have one success and one failure added, and the share p that
    the judge calls right z²/2 of each.

    Parameters
    ----------
    verdicts : array of shape (n,)
        Of outputs without a label: whether the judge takes them for right.
    labelled, right : array of shape (m,)
        The verdicts on outputs with a label, and these labels.
    """
    z = float(norm.ppf(0.5 + LEVEL / 2.0))
    n = len(verdicts) + z * z
    m0, m1 = int((~right).sum()) + 2, int(right.sum()) + 2
    p = (int(verdicts.sum()) + z * z / 2.0) / n
    q0, q1 = (int((~labelled & ~right).sum()) + 1) / m0, (int((labelled & right).sum()) + 1) / m1
    informed = q0 + q1 - 1.0
    if informed <= 0.0:  # the paper takes this for excluded
        return 0.0, 1.0
    share = (p - 1.0 + q0) / informed
    of_wrong, of_right = q0 * (1.0 - q0) / m0, q1 * (1.0 - q1) / m1
    centre = share + 2.0 * z * z * (share * of_right - (1.0 - share) * of_wrong)
    variance = p * (1.0 - p) / n + (1.0 - share) ** 2 * of_wrong + share**2 * of_right
    half = z * variance**0.5 / informed
    low, high = np.clip((centre - half, centre + half), 0.0, 1.0)
    return float(low), float(high)


def partial(right: Bools, judge: Floats, sample: fa.results.VerificationSample) -> Ends:
    """The interval of the outputs that were drawn, with the judge's word on all."""
    truth = fa.PartialTruth(
        np.where(sample.selected, right, np.nan),
        inclusion_probability=sample.inclusion_probability, judge=judge,
    )  # fmt: skip
    found = fa.asymptotic_interval(truth, judge, statistic="recognition_rate", confidence_level=LEVEL)
    return float(found.low), float(found.high)


def known_rates(verdicts: Bools, labelled: Bools, right: Bools) -> Ends:
    """The library's interval of a judge whose rates come from other outputs, as in `corrected`."""
    m0, m1 = int((~right).sum()), int(right.sum())
    found, alarms = int((~labelled & ~right).sum()) / m0, int((~labelled & right).sum()) / m1
    truth = fa.PartialTruth(
        verdicts.astype(np.float64), inclusion_probability=1,
        truth_reader=fa.Reviewer(found, alarms, estimated_from=(m0, m1)),
    )  # fmt: skip
    interval = fa.asymptotic_interval(
        truth, verdicts.astype(np.float64), statistic="recognition_rate", confidence_level=LEVEL
    )
    return interval.low, interval.high


def methods(
    source: str, n: int, verified: int, rng: np.random.Generator
) -> Iterator[tuple[str, Callable[[], Ends]]]:
    """Yield each method's name, and what computes its interval from one sample."""
    law = SOURCES[source.removesuffix(ELSEWHERE)]
    right, judge = draw(law, n, rng)
    verdict = judge >= 0.5
    seed = int(rng.integers(1 << 62))
    if source.endswith(ELSEWHERE):
        assert isinstance(law, Simulated)
        other, said = draw(law._replace(right=0.5), verified, rng)
        yield "corrected", lambda: corrected(verdict, said >= 0.5, other)
        yield "known rates", lambda: known_rates(verdict, said >= 0.5, other)
        return
    sampling = fa.partial_truth.draw_verification_sample
    even = sampling(judge, verified, purpose="guarantee-new", random_state=seed)
    at = even.selected
    yield "labels", lambda: labels_alone(right[at])
    yield "corrected", lambda: corrected(verdict[~at], verdict[at], right[at])
    yield "verdicts", lambda: partial(right, verdict.astype(np.float64), even)
    yield "probabilities", lambda: partial(right, judge, even)
    aimed = sampling(judge, verified, judge=judge, random_state=seed)
    yield "aimed", lambda: partial(right, judge, aimed)


def simulate(source: str, n: int, verified: int, samples: int) -> Iterator[Row]:
    """Compute all intervals of so many samples."""
    value = share_right(SOURCES[source.removesuffix(ELSEWHERE)])
    names = [*SOURCES, *(name + ELSEWHERE for name in SOURCES)]
    widths: dict[str, list[float]] = {}
    rows: dict[str, Row] = {}
    for k in range(samples):
        rng = np.random.default_rng([71, names.index(source), n, verified, k])
        for name, interval in methods(source, n, verified, rng):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                low, high = interval()
            row = rows.setdefault(name, Row(source, n, verified, name, samples, 0, 0, 0.0))
            row.covered += bool(low <= value <= high)
            row.warned += any(issubclass(w.category, fa.UnreliableIntervalWarning) for w in caught)
            widths.setdefault(name, []).append(high - low)
    for name, row in rows.items():
        row.width = float(np.median(widths[name]))
        yield row


def main() -> None:
    """Simulate what is not known yet, print and save."""
    options = parser_of("python -m bench.study.judges", __doc__, SAMPLES, OUTPUT).parse_args()
    fill(
        options, Row, CELLS, lambda row: (row.source, row.n, row.verified), simulate,
        line="{0}\n".format, order=lambda row: CELLS.index((row.source, row.n, row.verified)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
