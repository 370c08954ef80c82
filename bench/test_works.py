"""Each work of the register, np.sort and the installed peers, one at a time; values are checked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bench import floor, peers
from bench.compare import measure
from bench.works import WORKS, Work, arac_from_roc

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.inputs import Inputs

SMALL = 1000
BY_NAME = {work.name: work for work in WORKS}
of_all_works = pytest.mark.parametrize("work", WORKS, ids=BY_NAME)


@cache
def items_of(make: Callable[[int], Inputs], n: int) -> Inputs:
    """Make the items once for all tests."""
    return make(n)


def check(work: Work, result: Any, items: Inputs) -> None:
    """Compare the area with scikit-learn's; a figure without one is a share, in its interval."""
    if isinstance(result, float) and work.area is None:
        assert 0 <= result <= 1
        return
    if work.area is None:
        assert 0 <= result.low <= result.estimate <= result.high <= 1
        return
    theirs = roc_auc_score(items.correct, items.confidence, sample_weight=items.weight)
    assert work.area(result) == pytest.approx(arac_from_roc(theirs, items), rel=1e-10)


@of_all_works
def test_work(benchmark: Any, work: Work, size: int) -> None:
    """At the size that was asked for."""
    benchmark.group = f"{work.name}, {size:,} items"
    items = items_of(work.inputs, size)
    check(work, benchmark(work.run, items), items)


@of_all_works
def test_small_work(benchmark: Any, work: Work) -> None:
    """At a thousand items, where the overhead of a call shows."""
    benchmark.group = f"{work.name}, {SMALL:,} items"
    items = items_of(work.inputs, SMALL)
    check(work, benchmark(work.run, items), items)


@of_all_works
def test_floor(benchmark: Any, work: Work, size: int) -> None:
    """np.sort of the same confidences, as numpy dispatches it."""
    benchmark.group = f"{work.name}, {size:,} items"
    confidence = work.floors(items_of(work.inputs, size))["np.sort"]
    assert (np.diff(benchmark(np.sort, confidence)) >= 0).all()


@pytest.mark.parametrize("name", peers.NAMES)
@pytest.mark.parametrize("work", [work for work in WORKS if work.kind], ids=lambda work: work.name)
def test_peer(benchmark: Any, work: Work, name: str, size: int) -> None:
    """A peer gives the same area, so that its time may stand beside ours."""
    peer = peers.find(name)
    if peer is None or work.kind not in peer.calls:
        pytest.skip(f"{name} is not installed, or has no {work.kind}")
    benchmark.group = f"{work.name}, {size:,} items"
    items = items_of(work.inputs, size)
    area = arac_from_roc(peers.roc_auc_of(benchmark(peer.calls[work.kind](items))), items)
    assert work.area is not None
    assert area == pytest.approx(work.area(work.run(items)), abs=1e-6)


@pytest.mark.skipif(not floor.avx512_features(), reason="numpy sorts without AVX-512 anyway")
def test_avx2_floor(size: int) -> None:
    """The other process sorts what it is given, and refuses to run with AVX-512."""
    items = items_of(WORKS[0].inputs, size)
    with floor.AVX2Sort() as avx2:
        avx2.load({"first": items.confidence, "second": items.confidence[:SMALL]})
        assert avx2.time("first", 1) > avx2.time("second", 2) > 0


def test_turns() -> None:
    """A cell has all contestants in all rounds, and a ratio to each."""
    found = [peer for name in peers.NAMES if (peer := peers.find(name))]
    cell = measure(BY_NAME["arac_auc_score, 101 distinct"], SMALL, found, None, 4, 60.0)
    assert {len(times) for times in cell.times.values()} == {4}
    assert not cell.differing
    for name in cell.times:
        figure = cell.figure(name)
        assert figure is not None
        assert 0 < figure.low <= figure.median <= figure.high
