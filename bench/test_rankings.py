"""The comparison with ranx runs, with or without it, and the results agree."""

from __future__ import annotations

from bench.rankings import batch_of, compare, ours


def test_every_work_once(size: int) -> None:
    """Each one is timed, beside ranx where that is installed."""
    rows = compare(max(1, min(size, 20_000) // 100), 100, rounds=1)
    assert [row[0] for row in rows] == list(ours(batch_of(2, 100)))
    assert all(time > 0 for _, time, _ in rows)
