"""Speed of the curve functions next to their counterparts in other libraries, in one run.

``python -m bench.dropins`` prints how many times as fast they are, and whether the targets at ten
million items are met; ``--size`` and ``--rounds`` set how many items there are and how often each
pair is timed, in turns, ``--only`` which functions. The results are compared, too.

A function that scikit-learn does not have is compared with one that needs the same sort: an area with
average precision, a curve with the ROC curve.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench import inputs, peers
from bench.report import size_text
from bench.works import LARGE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bench.inputs import Inputs
    from bench.peers import Peer, Prepare

TARGETS = {"curve": 15.0, "area": 30.0}  # times as fast as scikit-learn, at LARGE items
JUDGE = "scikit-learn"
LOOP = "loop"
GROUP = 100  # items, or a few less
CLOSE = {JUDGE: 1e-12, LOOP: 1e-12}
SINGLE_PRECISION = 2e-5  # what others divide in float32


@dataclass(frozen=True)
class Row:
    """A function of fastarac, and the function of other libraries with which it is compared.

    Parameters
    ----------
    name
        Of the function.
    kind
        "curve", "area" or "groups".
    call
        The function on items.
    counterpart
        The name of what peers are asked for, the same where they have the function itself.
    """

    name: str
    kind: str
    call: Callable[[Inputs], Any]
    counterpart: str

    @property
    def same(self) -> bool:
        """Whether peers must return the same values."""
        return self.counterpart == self.name

    def prepared(self, peer: Peer) -> Prepare | None:
        """How the peer is called, None where it has no counterpart."""
        return peer.calls.get(self.counterpart)


class Comparison(NamedTuple):
    """Seconds of ours, and for each peer how many times as long it took, by round."""

    row: Row
    seconds: list[float]
    ratios: dict[str, list[float]]


def _of(name: str, **options: Any) -> Callable[[Inputs], Any]:
    """Call a function of fastarac on (correct, confidence)."""
    function = getattr(fa, name)
    return lambda items: function(items.correct, items.confidence, **options)


@cache
def _groups(n: int) -> NDArray[np.int64]:
    """A random group for each of n items; made once, so that its creation is not timed."""
    return np.random.default_rng(1).permutation(n) % -(-n // GROUP)


def _evaluate_groups(items: Inputs) -> Any:
    groups = _groups(len(items.correct))
    return fa.evaluate_groups(items.correct, items.confidence, by=groups, metrics="arac_auc")[
        "arac_auc"
    ]


def _loop(items: Inputs) -> Any:
    """Sort by group, then call the function on each group."""
    groups = _groups(len(items.correct))
    order = np.argsort(groups, kind="stable")
    correct, confidence = items.correct[order], items.confidence[order]
    ends = np.cumsum(np.bincount(groups)).tolist()
    return np.array(
        [
            fa.arac_auc_score(correct[start:end], confidence[start:end])
            for start, end in pairwise([0, *ends])
        ]
    )


AREAS = ("arac_auc_score", "augrc_loss", "arp_auc_score", "aurc_loss", "pr_auc_score")
CURVES = ("arac_curve", "arp_curve", "rc_curve", "generalized_rc_curve", "accuracy_rejection_curve")
PARTIAL = "roc_partial_auc_score"

ROWS = (
    *(
        Row(name, "curve" if "_score" not in name else "area", _of(name), name)
        for name in peers.SAME_NAMES
    ),
    Row(PARTIAL, "area", _of(PARTIAL, fpr_range=(0, peers.MAX_FPR), standardize="mcclish"), PARTIAL),
    *(Row(name, "area", _of(name), "average_precision_score") for name in AREAS),
    *(Row(name, "curve", _of(name), "roc_curve") for name in CURVES),
    Row("evaluate_groups", "groups", _evaluate_groups, "evaluate_groups"),
)  # fmt: skip

OWN_LOOP = peers.Peer(LOOP, fa.__version__, 1, {"evaluate_groups": lambda x: partial(_loop, x)})


def found_peers(names: Sequence[str] = peers.NAMES) -> list[Peer]:
    """The installed ones, and the loop over groups."""
    return [*(peer for name in names if (peer := peers.find(name))), OWN_LOOP]


def seconds(call: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Time one call; return its result as well."""
    start = time.perf_counter()
    result = call(*arguments)
    return time.perf_counter() - start, result


def parts(result: Any) -> tuple[Any, ...]:
    """Return the arrays of a curve, or the number alone."""
    return result if isinstance(result, tuple) else (result,)


def check(row: Row, peer: str, ours: Any, theirs: Any) -> None:
    """Compare the values, except for curves that have other points than ours."""
    if not row.same or (row.kind == "curve" and peer != JUDGE):
        return
    for a, b in zip(parts(ours), parts(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=CLOSE.get(peer, SINGLE_PRECISION))


def compare(row: Row, items: Inputs, found: Sequence[Peer], rounds: int) -> Comparison:
    """Time the function and its counterparts in turns."""
    row.call(inputs.Inputs(items.correct[:1000], items.confidence[:1000]))
    calls = {peer.name: prepare(items) for peer in found if (prepare := row.prepared(peer))}
    times: list[float] = []
    ratios: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        mine, ours = seconds(row.call, items)
        times.append(mine)
        for name, call in calls.items():
            other, theirs = seconds(call)
            ratios[name].append(other / mine)
            check(row, name, ours, theirs)
    return Comparison(row, times, ratios)


def lines(comparison: Comparison, size: int) -> list[str]:
    """Text of a comparison, one line per peer, with the target if it applies to this size."""
    row = comparison.row
    head = f"{row.name:32}{1e3 * median(comparison.seconds):9.1f} ms"
    shown = []
    for name, ratios in comparison.ratios.items():
        other = name if row.same else f"{name}'s {row.counterpart}"
        middle = median(ratios)
        text = f"{other} takes {middle:.1f} × ({min(ratios):.1f}–{max(ratios):.1f})"
        target = TARGETS.get(row.kind)
        if name == JUDGE and target is not None:
            text += f", target ≥ {target:g} at {size_text(LARGE)}"
            if size == LARGE:
                text += " ✓" if middle >= target else " ✗"
        shown.append(f"{head}   {text}")
        head = " " * len(head)
    return shown or [head]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.dropins", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=LARGE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="functions with this in their names")
    options = parser.parse_args()
    print(f"{options.size:,} items, {options.rounds} rounds; median (least–greatest)")
    items, found = inputs.continuous(options.size), found_peers()
    for row in ROWS:
        if options.only in row.name:
            comparison = compare(row, items, found, options.rounds)
            print("\n".join(lines(comparison, options.size)), flush=True)


if __name__ == "__main__":
    main()
