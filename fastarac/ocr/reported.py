"""What reports and tables say of pages and of fields, beside what they say of any outputs.

Sections are the text of a template of this folder, and what it shows as `section`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import UNDEFINED, count, few_of, interval_text, plural, rounded_percent
from fastarac.evaluation.sources import Source
from fastarac.ocr.crops import check_images, crops_of
from fastarac.ocr.errors import confusions_of, errors_of, missed_of
from fastarac.ocr.policies import BRIEFLY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.evaluation.items import Evaluation
    from fastarac.evaluation.sources import Section
    from fastarac.ocr.policies import AlignmentPolicy
    from fastarac.ocr.records import Reading, Records
    from fastarac.ocr.sensitivities import Sensitivity
    from fastarac.ocr.words import Words

__all__ = ["ERRORS", "ReportedPages", "section_of", "ties"]

ERRORS, CONFUSIONS, MISSED = 50, 30, 40
#: A policy that moves the accepted share by so much decides: a share of all items.
DECISIVE, HARDLY = 0.01, 0.0005
#: Share of equal confidences from which a tie is named.
LARGE_TIE = 0.2


@cache
def _template(name: str) -> str:
    return (files("fastarac.ocr") / "templates" / f"{name}.html.jinja").read_text(encoding="utf-8")


def section_of(name: str, **values: Any) -> Section:
    """Return a template of this folder with what it shows."""
    return _template(name), values


@dataclass(frozen=True, slots=True, eq=False)
class ReportedPages(Source):
    """The items of an OCR engine.

    Attributes
    ----------
    records : Records
    reading : Reading
    policy : Policy
    sensitivity : Sensitivity
        The accepted shares under other policies.
    images : mapping of str to Path
        The images of pages, by the pages' names.
    words : Words or None
        All that the engine wrote, with boxes.
    """

    records: Records
    reading: Reading
    policy: AlignmentPolicy
    sensitivity: Sensitivity
    images: Mapping[str, Path]
    words: Words | None

    @classmethod
    def of(
        cls,
        records: Records,
        reading: Reading,
        policy: AlignmentPolicy,
        rows: NDArray[np.intp],
        sensitivity: Sensitivity,
        images: Mapping[str, Path],
        words: Words | None,
    ) -> Self:
        """Return what is known of items, which are `rows` of the records."""
        units, confidence = plural(reading.unit), records.confidence[rows]
        scale = None if words is None else words.scale
        percents = scale == "percent" if scale is not None else np.nanmax(confidence) > 1
        return cls(
            records,
            reading,
            policy,
            sensitivity,
            images,
            words,
            kind="engine",
            units=units,
            units_of_part=units,
            group_word="page",
            part_word="page",
            has_confidence=~np.isnan(confidence),
            highest=100.0 if percents else 1.0,
            missed=records.pages.missed,
            notes=_notes(records, rows, units),
            size=(_n_pages(records), f"{records.n_true:,} true {units}"),
            further=(("missed", _share_of_missed(records)),),
        )

    def overview(self, sources: Mapping[str, Source]) -> list[Section]:
        """Return what became of the true words, of all engines by name."""
        counts = {
            name: source.records.counts
            for name, source in sources.items()
            if isinstance(source, ReportedPages)
        }
        values = {
            "kinds": list(self.records.counts),
            "total": count(self.records.n_true),
            "pages": _n_pages(self.records),
            "rows": [(name, list(map(count, of.values()))) for name, of in counts.items()],
        }
        return [section_of("counts", **values)]

    def remark(self, limit: int) -> tuple[str, str, bool]:
        """Return how far other policies move the share accepted at a limit."""
        effects, title = self.sensitivity, "Missed and inserted outputs"
        if len(effects.accepted) == 1:
            return title, "Nothing depends on a policy: no other one changes the items.", False
        shares = [row[limit] for row in effects.accepted.values()]
        spread = effects.spread(limit)
        points = f"{100 * spread:.1f} points"
        if spread < DECISIVE:
            hardly = f"move it by at most {points}" if spread >= HARDLY else "hardly move it"
            return title, f"Policies of missed and inserted outputs {hardly}.", False
        said = (
            "It depends on what a missed or inserted output counts as: "
            f"{interval_text(min(shares), max(shares))}, {points} apart. Before the figures, choose "
            "the policy that says who would see a missed word."
        )
        return title, said, True

    def caveat(self, limit: int) -> str:
        """Return that missed words alone exceed a limit, where they do and count as no errors."""
        bound, n_true = self.sensitivity.limits[limit], self.records.n_true
        if bound.criterion == "threshold" or self.policy.missed in ("residual", "drop"):
            return ""
        missed = self.records.n_missed
        if not missed > bound.value * n_true:
            return ""
        return (
            f"if nobody looks for missing {self.units}, they alone are more than the limit "
            f"({rounded_percent(missed / n_true)} of the true {self.units})"
        )

    def sections(
        self, evaluation: Evaluation, most: Callable[[int], int]
    ) -> tuple[list[Section], list[Section]]:
        """Return the policies, and then errors, confusions and what is missed."""
        records = self.records
        thresholds = [found.point.threshold for found in evaluation.limits]
        errors = errors_of(records, thresholds, most(ERRORS))
        missed, n_with_missed = missed_of(records, most(MISSED))
        crops: dict[int, str] = {}
        if self.images and self.words is not None:
            check_images(self.images, records.page_names)
            rows = [error.record for error in errors]
            crops = crops_of(self.images, self.words, records, rows)
        policy = self.policy.sentences(self.reading)
        after = [
            section_of("errors", errors=errors, crops=crops, in_context=True, kind="Kind"),
            section_of("confusions", table=confusions_of(records, thresholds, most(CONFUSIONS))),
            section_of(
                "missed",
                missed=missed,
                n_missed=records.n_missed,
                n_true=records.n_true,
                n_with_missed=n_with_missed,
            ),
        ]
        return [section_of("policies", policy=policy, policies=self._policies())], after

    def _policies(self) -> list[tuple[str, str, list[str]]]:
        """Return name, meaning and accepted shares of each policy, that of the items first."""
        effects, rows = self.sensitivity, []
        several = len({policy.inserted for policy in effects.accepted}) > 1
        for policy, shares in effects.accepted.items():
            said = BRIEFLY[policy.missed].format(units=self.units)
            if several:
                how = "are wrong" if policy.inserted == "wrong" else "are left out"
                said += f"; inserted outputs {how}"
            rows.append(
                (f"{policy.missed}, {policy.inserted}", said, list(map(rounded_percent, shares)))
            )
        if effects.accepted_without:
            n = len(effects.without_pages)
            said = f"as the first, without {n} page{'s' * (n != 1)} that hardly align"
            rows.append(
                ("without these pages", said, list(map(rounded_percent, effects.accepted_without)))
            )
        return rows


def _notes(records: Records, rows: NDArray[np.intp], units: str) -> list[str]:
    """Return what is to be known of the confidences, a sentence each, with counts."""
    found = ties(records.confidence[~np.isnan(records.confidence)])
    n = records.n_without_confidence(rows)
    if n:
        found.append(f"{n:,} of {len(rows):,} items have no confidence: they are never accepted.")
    without = [
        name
        for name, right, wrong, merged, split, inserted in zip(
            records.page_names, *records.pages[3:8], strict=True
        )
        if not right + wrong + merged + split + inserted
    ]
    if without:
        found.append(_of_pages(without, "without any output"))
    hard = [name for name in records.hardly_aligned if name not in without]
    if hard:
        found.append(
            f"{_of_pages(hard, 'on which more than half of the characters differ')} Their truth may "
            "be of another page, or in another order; they are kept."
        )
    if records.n_unspaced:
        found.append(
            f"{records.n_unspaced:,} characters of scripts that are written without spaces are "
            f"taken one by one, as {units} of their own."
        )
    if records.n_emptied:
        found.append(
            f"{records.n_emptied:,} {units} of truth and output are left out: nothing of them "
            "is left when folded."
        )
    return found


def ties(known: NDArray[np.float64]) -> list[str]:
    """Return what is to be known of the values of confidences, a sentence each."""
    found = []
    values, counts = np.unique(known, return_counts=True)
    if len(values) == 1:
        found.append(
            f"All {len(known):,} confidences are {values[0]:g}: no threshold tells outputs apart."
        )
    elif counts.max() > LARGE_TIE * len(known):
        tie = values[counts.argmax()]
        found.append(
            f"{counts.max():,} of {len(known):,} confidences are {tie:g}: they are accepted together "
            "or not at all."
        )
    scale = 100 if values[-1] > 1 else 1
    if 1 < len(values) <= 101 and np.array_equal(100 / scale * values, np.rint(100 / scale * values)):
        found.append(
            f"Confidences are whole percents ({len(values)} different ones among {len(known):,}): ties "
            "make the thresholds coarse."
        )
    return found


def _of_pages(names: list[str], what: str) -> str:
    return f"{len(names)} {plural('page', len(names))} {what}: {few_of(names, 5)}."


def _share_of_missed(records: Records) -> str:
    return rounded_percent(records.n_missed / records.n_true) if records.n_true else UNDEFINED


def _n_pages(records: Records) -> str:
    n = len(records.page_names)
    return f"{n:,} {plural('page', n)}"
