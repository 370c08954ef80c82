"""Warnings of problems that make the figures of an engine doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.text import few_of, listed, plural, quoted, rounded_percent
from fastarac.ocr.analysis.missed_causes import in_common
from fastarac.ocr.words.records import INSERTED, MERGED, MISSED, MOVED, RIGHT, WRONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fastarac.ocr.analysis.attributes import PageAttributes
    from fastarac.ocr.words.records import Reading, Records
    from fastarac.ocr.words.words import Scale

#: A tie is reported if more than this share of all confidences has the same value.
LARGE_TIE = 0.2
#: Missed and merged words are reported if they are more than this share of the true words.
MANY_LOST = 0.2
#: A reason is named only if it explains at least this share of the missed and merged words.
MOST = 0.5
#: Moved words are reported if they are more than this share of all true words. Pages on which they
#: exceed this share are named.
MANY_MOVED = 0.05
#: In scripts without spaces, a hint on spaces is given if the character error rate exceeds
#: 2 × word error rate + SPACES.
SPACES = 0.05
#: Maximum number of pages that one sentence names.
NAMED = 5
#: Number of outputs shown as examples when no output is right.
EXAMPLES = 3


def hints_of(
    records: Records,
    rows: NDArray[np.intp],
    reading: Reading,
    scale: Scale | None = None,
    attributes: PageAttributes | None = None,
) -> list[str]:
    """Return all warnings, one sentence each; `rows` are the indices of the items in `records`."""
    units = plural(reading.unit)
    known = records.confidence[~np.isnan(records.confidence)]
    found = [*_none_right(records, reading), *_lost(records, reading, attributes)]
    found += [*_moved(records, reading), *ties(known)]
    if scale == "percent" and len(np.unique(known)) > 1 and known.max() <= 1:
        found.append(
            "The confidences go from 0 to 100 in this format, but none is above 1, so they may be on "
            "the scale 0 to 1. Thresholds refer to the confidences as written."
        )
    without = np.isnan(records.confidence[rows]) & (records.kind[rows] != MISSED)
    if without.any():
        pages = [records.page_names[page] for page in np.unique(records.page[rows][without]).tolist()]
        found.append(
            f"{without.sum():,} of {len(rows):,} items have no confidence ({_of_pages(pages)}): they "
            "are never accepted."
        )
    return [*found, *_pages(records, units), *_words(records, reading)]


def _pages(records: Records, units: str) -> list[str]:
    """Return warnings about pages without outputs, without a truth, or with very different texts."""
    found, blank = [], _blank(records)
    if blank:
        found.append(f"{_of_pages(blank, 'without any output')}.")
    untrue = _without_truth(records)
    if untrue:
        n = int(records.pages.inserted[np.isin(records.pages.name, untrue)].sum())
        said = _of_pages(untrue, f"with outputs ({n:,}) and without true {units}")
        found.append(
            f"{said}. The truth may be missing. These outputs are inserted outputs and count as wrong."
        )
    hard = [name for name in records.hardly_aligned if name not in blank]
    pages_of = records.pages
    in_part = [
        name
        for name, missed, n in zip(pages_of.name, pages_of.missed, pages_of.true_words, strict=True)
        if name in hard and missed > MOST * n
    ]
    if in_part:
        said = _of_pages(in_part, f"with more than half of the {units} missed")
        found.append(f"{said}. The outputs there are kept.")
    if others := [name for name in hard if name not in in_part]:
        said = _of_pages(others, "with more than half of the characters different")
        they = "it is" if len(others) == 1 else "they are"
        found.append(f"{said}. The truth may be of another page; {they} kept.")
    return found


def _words(records: Records, reading: Reading) -> list[str]:
    """Return sentences on how texts are divided into words and compared."""
    found, units = [], plural(reading.unit)
    if records.n_unspaced:
        found.append(
            f"{records.n_unspaced:,} characters of scripts that are written without spaces are "
            f"taken one by one, as {units} of their own."
        )
    if 2 * records.n_unspaced > records.n_true and "whitespace" not in reading.fold:
        edits = records.edits[~np.isnan(records.edits[:, 0])].sum(axis=0)
        # The first columns: edits in characters, true characters, edits in words, true words.
        of_characters, of_words = (edits[k] / edits[k + 1] for k in (0, 2))
        if of_characters > 2 * of_words + SPACES:
            found.append(
                f"The character error rate, {rounded_percent(of_characters)}, also "
                "counts missing and additional spaces between characters; --fold whitespace ignores "
                "spaces."
            )
    if records.n_joined:
        verb = "is" if records.n_joined == 1 else "are"
        found.append(
            f"{records.n_joined:,} {plural('word', records.n_joined)} that a line end divides {verb} "
            "joined, because the other side (truth or output) has them in one piece."
        )
    if records.n_emptied:
        found.append(
            f"{records.n_emptied:,} {units} of truth and output are left out, because folding leaves "
            "nothing of them."
        )
    return found


def _none_right(records: Records, reading: Reading) -> Iterator[str]:
    """If no output is right, yield a sentence with examples."""
    wrong = np.flatnonzero(records.kind == WRONG)
    if np.isin(records.kind, (RIGHT, MOVED)).any() or not len(wrong):
        return
    shown = [
        f"{quoted(records.prediction[k])} for {quoted(records.truth[k])}" for k in wrong[:EXAMPLES]
    ]
    yield (
        f"None of the {records.n_true:,} true {plural(reading.unit)} is read right: for example, "
        f"{listed(shown)}. Truth and outputs may be of different pages or differ in spelling."
    )


def _lost(records: Records, reading: Reading, attributes: PageAttributes | None) -> Iterator[str]:
    """If many words are missed or merged, yield a sentence with their share and the likely reason."""
    missed, merged = (int((records.kind == kind).sum()) for kind in (MISSED, MERGED))
    lost, n_true, units = missed + merged, records.n_true, plural(reading.unit)
    if not lost > MANY_LOST * n_true:
        return
    pages = records.pages
    blank = _blank(records)
    on_blank = int(pages.missed[np.isin(pages.name, blank)].sum())
    inserted = int((records.kind == INSERTED).sum())
    common = in_common(records, attributes, units) if missed >= MOST * lost else ""
    if on_blank >= MOST * lost:
        reason = f"most of these {units} are on empty pages"
        reason += f", {common}" if common else ""
    elif merged >= MOST * lost:
        reason = f"outputs hold several {units}, as if spaces were dropped"
        if reading.unit == "word":
            reason += "; --unit character compares characters, regardless of spaces"
    elif common:
        reason = common
    elif inserted >= MOST * (missed - on_blank):
        reason = (
            "about as many outputs are inserted, as if columns were read line by line or the truth "
            "were of other pages"
        )
    else:
        reason = "parts of the pages are not read, such as columns, margins or small print"
    yield (
        f"{rounded_percent(lost / n_true)} of the true {units} are missed or merged ({missed:,} missed "
        f"and {merged:,} merged of {n_true:,}): {reason}."
    )


def _moved(records: Records, reading: Reading) -> Iterator[str]:
    """If many words are read out of order, yield a sentence with their share and their pages."""
    pages, n_true = records.pages, records.n_true
    n = int(pages.moved.sum())
    if not n > MANY_MOVED * n_true:
        return
    many = np.flatnonzero(pages.moved > MANY_MOVED * pages.true_words).tolist()
    yield (
        f"{n:,} of the {n_true:,} true {plural(reading.unit)} ({rounded_percent(n / n_true)}) are read "
        f"right but out of order ({_of_pages([pages.name[k] for k in many])}), as if columns were "
        "read line by line. Character and word error rates count them as errors."
    )


def _without_truth(records: Records) -> list[str]:
    """Return the names of the pages that have outputs but no true words."""
    pages = records.pages
    found = (pages.true_words == 0) & (pages.inserted > 0)
    return [pages.name[page] for page in np.flatnonzero(found).tolist()]


def _blank(records: Records) -> list[str]:
    """Return the names of the pages that have true words but no outputs."""
    pages = records.pages
    outputs = np.bincount(records.page[records.kind != MISSED], minlength=len(pages.name))
    empty = (outputs == 0) & (pages.true_words > 0)
    return [pages.name[page] for page in np.flatnonzero(empty).tolist()]


def ties(known: NDArray[np.float64]) -> list[str]:
    """Return sentences on ties and coarse values among the confidences."""
    found = []
    values, counts = np.unique(known, return_counts=True)
    if len(values) == 1:
        found.append(
            f"All {len(known):,} confidences are {values[0]:g}: no threshold can separate outputs."
        )
    elif counts.max() > LARGE_TIE * len(known):
        tie = values[counts.argmax()]
        found.append(
            f"{counts.max():,} of {len(known):,} confidences are {tie:g}: they are accepted together "
            "or not at all."
        )
    scale = 100 if values[-1] > 1 else 1
    if 2 < len(values) <= 101 and np.array_equal(100 / scale * values, np.rint(100 / scale * values)):
        found.append(
            f"Confidences are whole percents ({len(values)} different ones among {len(known):,}): ties "
            "make the thresholds coarse."
        )
    return found


def _of_pages(names: list[str], what: str = "") -> str:
    n = len(names)
    return f"{n} {plural('page', n)}{' ' if what else ''}{what}: {few_of(names, NAMED)}"
