"""The chapters beside other methods: each runs once at a small size, and its page can be made."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from bench.rows import rows_of
from bench.study import classifiers, escalating, judges, paper

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both files, of two samples a cell; the second run finds nothing left to do.

    Classifiers are fitted twice instead of ten times.
    """
    folder = tmp_path_factory.mktemp("chapters")
    caches = classifiers.scores, judges.pool, escalating.source
    for cache in caches:
        cache.cache_clear()
    for module, name in ((judges, "study_judges"), (escalating, "study_escalating")):
        path = folder / f"{name}.json"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(classifiers, "FOLDS", 2)
            patch.setattr(sys, "argv", [name, "--samples", "2", "--output", str(path)])
            module.main()
            before = path.stat().st_mtime_ns
            module.main()
        assert path.stat().st_mtime_ns == before
    for cache in caches:
        cache.cache_clear()
    return folder


def test_each_cell_has_its_methods(made: Path) -> None:
    """Five from labels of the same outputs, two from labels elsewhere, one more for a single judge."""
    rows = rows_of(judges.Row, made / "study_judges.json")
    found: dict[Any, list[str]] = {}
    for row in rows:
        found.setdefault((row.source, row.n, row.verified), []).append(row.method)
        assert 0 <= row.covered <= row.samples == 2
        assert 0.0 < row.width <= 1.0
    assert list(found) == judges.CELLS
    assert {len(names) for (source, *_), names in found.items() if judges.ELSEWHERE in source} == {2}
    assert {len(names) for (source, *_), names in found.items() if judges.ELSEWHERE not in source} == {
        5
    }
    ways = rows_of(escalating.Row, made / "study_escalating.json")
    assert len(ways) == len(escalating.SIZES) * 3 * len(escalating.CASES)
    assert all(0.0 <= row.accepted <= 1.0 for row in ways)


def test_pages_are_made_of_them(made: Path) -> None:
    """Every table, sentence and picture."""
    tables, chapters = paper.makers("study_tables", "study_chapters")
    before = tables.folder.set(made)
    try:
        for maker in chapters.MAKERS.values():
            assert maker()
    finally:
        tables.folder.reset(before)


def test_the_interval_of_lee_et_al() -> None:
    """By hand: 1 of 4 labelled wrong ones and 1 of 16 right ones judged wrongly; 80 of 100 accepted."""
    right = np.arange(20) >= 4
    labelled = np.array([True] + [False] * 3 + [False] + [True] * 15)
    low, high = judges.corrected(np.arange(100) < 80, labelled, right)
    z2 = Fraction(1959963984540054, 10**15) ** 2
    p = (80 + z2 / 2) / (100 + z2)
    q0, q1 = Fraction(3 + 1, 4 + 2), Fraction(15 + 1, 16 + 2)
    share = (p + q0 - 1) / (q0 + q1 - 1)
    shift = 2 * z2 * (share * q1 * (1 - q1) / 18 - (1 - share) * q0 * (1 - q0) / 6)
    variance = p * (1 - p) / (100 + z2)
    variance += (1 - share) ** 2 * q0 * (1 - q0) / 6 + share**2 * q1 * (1 - q1) / 18
    half = float(z2 * variance) ** 0.5 / float(q0 + q1 - 1)
    centre = float(share + shift)
    assert (low, high) == pytest.approx((centre - half, min(centre + half, 1.0)), rel=1e-12)


def test_a_judge_below_chance_says_nothing() -> None:
    """The formula needs a judge who is better than chance."""
    right = np.arange(20) >= 10
    assert judges.corrected(np.ones(50, np.bool_), ~right, right) == (0.0, 1.0)


def test_the_findings_hold_what_the_pages_say() -> None:
    """What both pages say of their tables, in bold or of other people's methods."""
    found: dict[Any, dict[str, Any]] = {}
    for row in rows_of(judges.Row, judges.OUTPUT):
        found.setdefault((row.source, row.n, row.verified), {})[row.method] = row
    for (source, _, verified), cell in found.items():
        if verified == judges.MIDDLE and judges.ELSEWHERE not in source:
            assert cell["verdicts"].width < cell["corrected"].width
    for source in ("90% right, judge knows 70%", "90% right, useless judge"):
        cell = found[source, judges.LARGE, judges.MIDDLE]
        assert cell["labels"].width == min(row.width for row in cell.values())
    assert all(row.covered >= 0.92 * row.samples for cell in found.values() for row in cell.values())
    ways: dict[str, list[Any]] = {}
    for row in rows_of(escalating.Row, escalating.OUTPUT):
        ways.setdefault(row.way, []).append(row)
    assert all(
        row.exceeded <= 0.1 * row.samples for way in ways if way != "stagewise" for row in ways[way]
    )
    assert any(row.exceeded > 0.12 * row.samples for row in ways["stagewise"])
