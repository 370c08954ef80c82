"""Restrict pages to the regions of the truth, or to regions of types that are not ignored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.checks import require_type
from fastarac._core.text import listed
from fastarac.ocr.readers import _detection
from fastarac.ocr.readers._files import OcrFileError, open_file
from fastarac.ocr.readers._regions import Region, regions_of
from fastarac.ocr.words.words import ReadingNote

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.ocr.words.words import Words

OUTSIDE = (
    "output outside the regions of the truth is left out: all figures are for these regions only",
    "outputs outside the regions of the truth are left out: all figures are for these regions only",
)
IGNORED = (
    "output in a region of an ignored type is left out: all figures are for the other regions",
    "outputs in regions of ignored types are left out: all figures are for the other regions",
)
PLACELESS = (
    "output has no box and is kept, although it may be outside the regions of the truth",
    "outputs have no box and are kept, although they may be outside the regions of the truth",
)


class PageParts(NamedTuple):
    """The parts of a page that are evaluated.

    Attributes
    ----------
    within_truth : bool
        Whether outputs outside the regions of the truth are left out.
    ignored : frozenset of str
        Types of regions whose text is ignored on both sides.
    """

    within_truth: bool = False
    ignored: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self.within_truth or bool(self.ignored)

    def __str__(self) -> str:
        said = ["inside the regions of the truth"] if self.within_truth else []
        if self.ignored:
            said.append(f"outside regions of type {', '.join(sorted(self.ignored))}")
        return " and ".join(said)


EVERYTHING = PageParts()


def checked_parts(within_truth: bool, ignore_regions: str | Iterable[str]) -> PageParts:
    """Return the parts to evaluate; raise if an argument is invalid."""
    require_type(within_truth, bool, "within_truth", "True or False")
    names = [ignore_regions] if isinstance(ignore_regions, str) else list(ignore_regions)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(
                f"ignore_regions must hold types of regions, such as 'advert', got {name!r}"
            )
    return PageParts(within_truth, frozenset(name.strip().lower() for name in names))


def counted_words(words: Words, truth: Words, path: Path, parts: PageParts) -> Words:
    """Return the outputs in the parts to evaluate, with notes on the outputs left out.

    Parameters
    ----------
    words, truth : Words
        Words of the same pages in the same order; the truth has no words of ignored regions.
    path : Path
        The truth file with the regions.
    parts : PageParts

    Raises
    ------
    OcrFileError
        If the truth has no regions with coordinates, or no output has a box.
    """
    regions = _regions_of(path)
    if parts.within_truth and not any(region.counts(parts.ignored) for region in regions):
        problem = "it has no regions with text and coordinates; use PAGE or ALTO with regions"
        raise OcrFileError(path, f"{problem} if only outputs within the truth count")
    if len(words) and np.isnan(words.box[:, 0]).all():
        raise OcrFileError(path, "the outputs of its pages have no boxes, so their regions are unknown")
    keep = np.ones(len(words), np.bool_)
    notes = list(words.notes)
    placeless = np.isnan(words.box[:, 0])
    for page in range(len(words.page_names)):
        of_page = np.flatnonzero((words.page == page) & ~placeless)
        if not len(of_page):
            continue
        points = _centres(words, truth, page, of_page)
        here = [region for region in regions if region.page == page]
        ignored = _inside(points, [r for r in here if not parts.ignored.isdisjoint(r.names)])
        keep[of_page[ignored]] = False
        if parts.within_truth:
            own = _inside(points, [r for r in here if r.counts(parts.ignored)])
            keep[of_page[~own]] = False
    n_left_out = int((~keep).sum())
    if n_left_out:
        notes.append(ReadingNote(n_left_out, *(OUTSIDE if parts.within_truth else IGNORED)))
    if placeless.any():
        notes.append(ReadingNote(int(placeless.sum()), *PLACELESS))
    return replace(
        words,
        text=tuple(np.array(words.text, object)[keep]),
        confidence=words.confidence[keep],
        page=words.page[keep],
        line=words.line[keep],
        box=words.box[keep],
        notes=tuple(notes),
    )


def _centres(words: Words, truth: Words, page: int, of_page: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the centres of outputs, scaled to the page size of the truth."""
    box = words.box[of_page]
    centres = np.column_stack([(box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2])
    scale = truth.page_size[page] / words.page_size[page]
    return centres * scale if np.isfinite(scale).all() else centres


def _inside(points: NDArray[np.float64], regions: list[Region]) -> NDArray[np.bool_]:
    """Return which points are inside a region."""
    found = np.zeros(len(points), np.bool_)
    x, y = points[:, :1], points[:, 1:]
    for region in regions:
        a = region.polygon
        b = np.roll(a, -1, axis=0)
        crosses = (a[:, 1] > y) != (b[:, 1] > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
        # From a point inside, a ray to the right crosses an odd number of edges.
        found |= (crosses & (x < at)).sum(axis=1) % 2 == 1
    return found


def require_types(parts: PageParts, truths: Iterable[Path]) -> None:
    """Raise if no truth has a region of an ignored type, because the type may be misspelt."""
    left = set(parts.ignored)
    seen: set[str] = set()
    for path in truths if left else ():
        for region in _regions_of(path):
            left -= region.names
            seen |= region.names
        if not left:
            return
    if left:
        problem = f"the truth has only {listed(sorted(seen))}" if seen else "the truth has no regions"
        raise ValueError(f"ignore_regions has {listed(sorted(left))}, but {problem}")


def _regions_of(path: Path) -> list[Region]:
    file = open_file(path, truth=True)
    root = _detection.xml_root(file).lower() if _detection.begins_as(file) == "xml" else ""
    return regions_of(file, root)
