"""One cell of the table: one benchmark at one size, next to `np.sort` and the peers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench.peers import roc_auc_of
from bench.timing import Contestant, Summary, ratio, summarize, take_turns
from bench.works import TIME, arac_from_roc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.floor import AVX2Sort
    from bench.peers import Peer
    from bench.works import Work

OURS = "fastarac"
AVX2 = "AVX2"
TOLERANCE = 1e-6


def with_avx2(floor: str) -> str:
    """Name of a floor where numpy sorts with AVX2."""
    return f"{floor}, {AVX2}"


@dataclass
class Cell:
    """What was measured: seconds by contestant and round, and which peers' values differ."""

    work: str
    n: int
    times: dict[str, list[float]]
    differing: dict[str, float] = field(default_factory=dict)

    def figure(self, measure: str) -> Summary | None:
        """The seconds of fastarac, or their ratio to another contestant's; None if not measured."""
        if measure == TIME:
            return summarize(self.times[OURS])
        if measure not in self.times:
            return None
        return ratio(self.times[OURS], self.times[measure])


def measure(
    work: Work,
    n: int,
    peers: Sequence[Peer],
    avx2: AVX2Sort | None,
    rounds: int,
    budget: float,
) -> Cell:
    """Time fastarac, the floors and the peers in turns; compare the peers' values with ours."""
    items = work.inputs(n)
    result = work.run(items)
    area = float("nan") if work.area is None else work.area(result)
    floors = work.floors(items)
    contestants = [Contestant.of(OURS, partial(work.run, items))]
    if avx2 is not None:
        avx2.load(floors)
    for name, run in work.beside.items():
        contestants.append(Contestant.of(name, partial(run, items)))
    for name, array in floors.items():
        contestants.append(Contestant.of(name, partial(np.sort, array)))
        if avx2 is not None:
            contestants.append(Contestant(with_avx2(name), partial(avx2.time, name)))
    for contestant in contestants:
        contestant.warm_up()
    differing = {}
    for peer in peers:
        if work.kind not in peer.calls or n > peer.largest:
            continue
        call = peer.calls[work.kind](items)
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        difference = arac_from_roc(roc_auc_of(result), items) - area
        if not abs(difference) < TOLERANCE:
            differing[peer.name] = difference
        contestants.append(Contestant.of(peer.name, call, may_leave=True))
        contestants[-1].settle(seconds)
    take_turns(contestants, rounds, budget)
    times = {contestant.name: contestant.times for contestant in contestants}
    return Cell(work.name, n, times, differing)
