"""Pages are read and aligned, in one process and in two, with the same result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.ocr import align_one, read_and_align, write_pages

if TYPE_CHECKING:
    from pathlib import Path


def test_pages_once(tmp_path: Path) -> None:
    """Each page is one group; workers change nothing."""
    write_pages(tmp_path, 70, 20)
    _, alone = read_and_align(tmp_path, 1)
    _, together = read_and_align(tmp_path, 2)
    assert alone.aligned == together.aligned
    assert alone.aligned.true_words == 70 * 20


def test_a_long_page_once() -> None:
    """Over the limit up to which a page is matched in one piece."""
    assert align_one(3000) > 0
