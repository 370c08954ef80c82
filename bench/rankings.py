"""Speed of ranking measures, next to ranx if it is installed, in one run.

``python -m bench.rankings`` prints how many times as fast they are; ``--queries``, ``--items`` and
``--rounds`` set the sizes. ranx looks the items of a run up in its judgements and so does more than
measure: of fastarac, both the measure of ranked gains and the measure after ranking by score are timed.
The results are compared, too.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

GRADES = 4


class Batch(NamedTuple):
    """Gains in an order unknown to the scores, and the scores, of queries of one length."""

    gains: NDArray[np.int64]
    scores: NDArray[np.float64]
    offsets: NDArray[np.int64]


def batch_of(queries: int, items: int) -> Batch:
    """Make gains from 0 to 3, at least one of them above 0 for each query, and distinct scores."""
    rng = np.random.default_rng(3)
    gains = rng.integers(0, GRADES, (queries, items))
    gains[:, 0] = 1
    scores = rng.random((queries, items)) + gains / 4
    return Batch(gains.ravel(), scores.ravel(), np.arange(queries + 1) * items)


def ours(batch: Batch) -> dict[str, Callable[[], NDArray[np.float64]]]:
    """Each work of fastarac by name: the measure alone, and from scores."""
    ranked, offsets = fa.measures.rank_by_score(
        (batch.gains, batch.offsets), (batch.scores, batch.offsets)
    )
    relevant = ranked > 0

    def from_scores() -> tuple[NDArray[Any], NDArray[Any]]:
        return fa.measures.rank_by_score((batch.gains, batch.offsets), (batch.scores, batch.offsets))

    def average_precision_from_scores() -> NDArray[np.float64]:
        gains, ends = from_scores()
        return fa.measures.ranking_average_precision((gains > 0, ends))

    return {
        "ndcg": lambda: fa.measures.normalized_dcg((ranked, offsets), discount="burges"),
        "ndcg, from scores": lambda: fa.measures.normalized_dcg(from_scores(), discount="burges"),
        "map": lambda: fa.measures.ranking_average_precision((relevant, offsets)),
        "map, from scores": average_precision_from_scores,
    }


def theirs(batch: Batch) -> dict[str, Callable[[], NDArray[np.float64]]]:
    """Ranx's measures by its names; empty where it is not installed."""
    try:
        from ranx import Qrels, Run, evaluate
    except ImportError:
        return {}
    n = len(batch.offsets) - 1
    gains, scores = batch.gains.reshape(n, -1), batch.scores.reshape(n, -1)
    names = [f"d{i}" for i in range(gains.shape[1])]
    queries = [f"q{i}" for i in range(n)]
    judged = Qrels(
        {q: dict(zip(names, g.tolist(), strict=True)) for q, g in zip(queries, gains, strict=True)}
    )
    run = Run(
        {q: dict(zip(names, s.tolist(), strict=True)) for q, s in zip(queries, scores, strict=True)}
    )
    return {
        name: lambda name=name: evaluate(
            judged, run, name, return_mean=False, save_results_in_run=False
        )
        for name in ("ndcg", "map")
    }


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Time one call; return its result as well."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def compare(queries: int, items: int, rounds: int) -> list[tuple[str, float, list[float]]]:
    """Return for each work its name, our median seconds, and the ratio of each round."""
    small = batch_of(64, items)
    for call in [*ours(small).values(), *theirs(small).values()]:
        call()
    batch = batch_of(queries, items)
    peers = theirs(batch)
    rows = []
    for name, mine in ours(batch).items():
        times, ratios = [], []
        for _ in range(rounds):
            own, values = seconds(mine)
            times.append(own)
            peer = peers.get(name.partition(",")[0])
            if peer:
                other, expected = seconds(peer)
                ratios.append(other / own)
                np.testing.assert_allclose(np.sort(values), np.sort(expected), rtol=1e-12)
        rows.append((name, float(np.median(times)), ratios))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.rankings", description=__doc__)
    parser.add_argument("--queries", type=lambda text: int(float(text)), default=10**5)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.queries:,} queries of {options.items} items; median (least - greatest)")
    for name, time_of_ours, ratios in compare(options.queries, options.items, options.rounds):
        peer = (
            f"ranx takes {np.median(ratios):5.1f} x ({min(ratios):.1f} - {max(ratios):.1f})"
            if ratios
            else "ranx is not installed"
        )
        print(f"{name:20}{1e3 * time_of_ours:9.1f} ms   {peer}", flush=True)


if __name__ == "__main__":
    main()
