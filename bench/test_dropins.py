"""The functions beside their counterparts: each runs, and the results agree."""

from __future__ import annotations

import pytest

from bench import inputs
from bench.dropins import GROUP, JUDGE, LOOP, ROWS, TARGETS, Row, compare, found_peers, lines
from bench.works import LARGE

MOST = 20_000


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_once(row: Row, size: int) -> None:
    """Each function is timed beside its counterparts, and gives what those give."""
    found = found_peers()
    comparison = compare(row, inputs.continuous(min(size, MOST)), found, rounds=1)
    expected = {peer.name for peer in found if row.prepared(peer)}
    assert set(comparison.ratios) == expected
    assert (LOOP if row.kind == "groups" else JUDGE) in expected
    assert all(ratio > 0 for ratios in comparison.ratios.values() for ratio in ratios)
    text = "\n".join(lines(comparison, MOST))
    assert row.name in text
    assert ("target" in text) == (row.kind in TARGETS)


def test_targets_are_judged_at_their_size() -> None:
    """Only there, by scikit-learn."""
    row = next(row for row in ROWS if row.kind == "curve")
    comparison = compare(row, inputs.continuous(10 * GROUP), found_peers([JUDGE]), rounds=1)
    quick, slow = (comparison._replace(ratios={JUDGE: [ratio]}) for ratio in (100.0, 1.0))
    assert "✓" in lines(quick, LARGE)[0]
    assert "✗" in lines(slow, LARGE)[0]
    assert "✓" not in lines(quick, MOST)[0]
