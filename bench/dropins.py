"""The functions that have scikit-learn's names, each beside scikit-learn's own, in one run.

``python -m bench.dropins`` prints how many times as fast they are; ``--size`` and ``--rounds`` set how
many items there are and how often each pair is timed, in turns. The results are compared, too.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench import inputs

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = (
    "roc_auc_score",
    "average_precision_score",
    "roc_curve",
    "precision_recall_curve",
    "det_curve",
    "confusion_matrix_at_thresholds",
)
AREAS = ("arac_auc_score", "augrc_loss", "arp_auc_score", "aurc_loss", "pr_auc_score")
CURVES = ("arac_curve", "arp_curve", "rc_curve", "generalized_rc_curve", "accuracy_rejection_curve")


def pairs() -> list[tuple[str, Callable[..., Any], str, Callable[..., Any]]]:
    """Name and function of ours, and of the counterpart in scikit-learn.

    Where scikit-learn has none, an area stands beside its average precision and a curve beside its
    ROC curve: each needs the same sort.
    """
    from sklearn import metrics

    same = [(name, getattr(fa, name), name, getattr(metrics, name)) for name in NAMES]
    areas = [
        (name, getattr(fa, name), "average_precision_score", metrics.average_precision_score)
        for name in AREAS
    ]
    curves = [(name, getattr(fa, name), "roc_curve", metrics.roc_curve) for name in CURVES]
    return [*same, *areas, *curves]


def seconds(call: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Time one call; return its result as well."""
    start = time.perf_counter()
    result = call(*arguments)
    return time.perf_counter() - start, result


def parts(result: Any) -> tuple[Any, ...]:
    """Return the arrays of a curve, or the number alone."""
    return result if isinstance(result, tuple) else (result,)


def compare(size: int, rounds: int) -> list[tuple[str, str, float, list[float]]]:
    """Return for each pair both names, our median seconds, and the ratio of each round."""
    items = inputs.continuous(size)
    rows = []
    for name, ours, peer_name, peer in pairs():
        ours(items.correct[:1000], items.confidence[:1000])
        times, ratios = [], []
        for _ in range(rounds):
            mine, result = seconds(ours, items.correct, items.confidence)
            other, expected = seconds(peer, items.correct, items.confidence)
            times.append(mine)
            ratios.append(other / mine)
            if name == peer_name:
                for a, b in zip(parts(result), parts(expected), strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-12)
        rows.append((name, peer_name, float(np.median(times)), ratios))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.dropins", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.size:,} items, {options.rounds} rounds; median (least - greatest)")
    for name, peer, time_of_ours, ratios in compare(options.size, options.rounds):
        print(
            f"{name:32}{1e3 * time_of_ours:9.1f} ms   scikit-learn's {peer} takes "
            f"{np.median(ratios):5.1f} x ({min(ratios):.1f} - {max(ratios):.1f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
