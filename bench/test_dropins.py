"""The comparison with scikit-learn runs, and the results agree."""

from __future__ import annotations

from bench.dropins import compare, pairs


def test_every_pair_once(size: int) -> None:
    """Each function is timed beside its counterpart, and gives what that gives."""
    rows = compare(min(size, 20_000), rounds=1)
    assert [row[0] for row in rows] == [pair[0] for pair in pairs()]
    assert all(ratio > 0 for row in rows for ratio in row[3])
