"""Report sections and tables that only reports on pages or fields have.

A section is a template in the folder `templates`, with the values that it uses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.checks import require_type
from fastarac._core.text import UNDEFINED, count, interval_text, percent, plural, rounded_percent
from fastarac.evaluation.limits import short
from fastarac.evaluation.sources import Beside, Source
from fastarac.ocr.analysis.attribute_figures import (
    figures_by_attribute,
    splits_by_attribute,
    tables_by_attribute,
)
from fastarac.ocr.analysis.attributes import PageAttributes
from fastarac.ocr.analysis.errors import confusions_of, errors_of, missed_of
from fastarac.ocr.analysis.hints import hints_of
from fastarac.ocr.analysis.sensitivities import order_sentence, what_counts
from fastarac.ocr.verification.crops import check_images, crops_of
from fastarac.ocr.words.error_rates import RATES, rate_text
from fastarac.ocr.words.page_texts import compared_text, page_order, size_of
from fastarac.ocr.words.policies import BRIEFLY
from fastarac.ocr.words.records import MISSED, MOVED, RIGHT, WRONG
from fastarac.ocr.words.residual_misses import with_unseen_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.evaluation.part_orders import ItemParts
    from fastarac.evaluation.results import Evaluation
    from fastarac.evaluation.review import ComparedText
    from fastarac.evaluation.sources import Section
    from fastarac.io import Outputs
    from fastarac.ocr.analysis.attribute_figures import AttributeFigures
    from fastarac.ocr.analysis.sensitivities import Sensitivity
    from fastarac.ocr.words.policies import AlignmentPolicy
    from fastarac.ocr.words.records import Reading, Records
    from fastarac.ocr.words.words import Words

#: Maximum numbers of errors, of confusions and of pages with missed words that a report lists.
ERRORS, CONFUSIONS, PAGES = 50, 30, 40
#: Maximum size of the whole pages that a report shows (in bytes, over all engines), and their maximum
#: number.
TEXTS, MOST_TEXTS = 900_000, 150
#: Maximum length of a confusion, in characters, in a report that must not reveal texts.
WITHOUT_TEXT = 2
#: A choice of policy is decisive if it changes the accepted share by at least DECISIVE, and hardly
#: matters if it changes the share by less than HARDLY.
DECISIVE, HARDLY = 0.01, 0.0005


@cache
def _template(name: str) -> str:
    return (files("fastarac.ocr") / "templates" / f"{name}.html.jinja").read_text(encoding="utf-8")


def section_of(name: str, **values: Any) -> Section:
    """Return the template with this name, and the values that it shows."""
    return _template(name), values


@dataclass(frozen=True, slots=True, eq=False)
class ReportedPages(Source):
    """Makes the sections of a report on an OCR engine's items.

    Attributes
    ----------
    records : Records
    reading : Reading
    policy : AlignmentPolicy
    sensitivity : Sensitivity
        The accepted shares under other policies.
    leaving_out : callable
        Returns the accepted shares without the pages of some names.
    beside : Beside
        The images and attributes of the pages, and whether the report may show texts.
    words : Words or None
        All words of the engine, with boxes.
    by_attribute : AttributeFigures or None
        The figures by attributes of pages, if these have already been computed.
    """

    records: Records
    reading: Reading
    policy: AlignmentPolicy
    sensitivity: Sensitivity
    leaving_out: Callable[[Collection[str]], tuple[float, ...]]
    beside: Beside
    words: Words | None
    by_attribute: AttributeFigures | None = None

    @classmethod
    def of(
        cls,
        records: Records,
        reading: Reading,
        policy: AlignmentPolicy,
        rows: NDArray[np.intp],
        sensitivity: Sensitivity,
        leaving_out: Callable[[Collection[str]], tuple[float, ...]],
        beside: Beside,
        words: Words | None,
    ) -> Self:
        """Return a `ReportedPages` for the items; `rows` are their indices in `records`."""
        units, confidence = plural(reading.unit), records.confidence[rows]
        scale = None if words is None else words.scale
        known = beside.attributes if isinstance(beside.attributes, PageAttributes) else None
        percents = scale == "percent" if scale is not None else np.nanmax(confidence) > 1
        return cls(
            records,
            reading,
            policy,
            sensitivity,
            leaving_out,
            beside,
            words,
            kind="engine",
            units=units,
            units_of_part=units,
            group_word="page",
            part_word="page",
            has_confidence=~np.isnan(confidence),
            has_output=records.kind[rows] != MISSED,
            judged=np.isin(records.kind[rows], (RIGHT, WRONG, MOVED)) & ~np.isnan(confidence),
            judged_items=f"{units} that are neither merged nor split",
            highest=100.0 if percents else 1.0,
            missed=records.pages.missed,
            notes=hints_of(records, rows, reading, scale, known),
            size=(_n_pages(records), f"{records.n_true:,} true {units}"),
            further=(("missed", _share_of_missed(records)),),
            holds="It contains texts of the pages." if beside.texts else "",
        )

    def as_counted(self, figures: Evaluation) -> Evaluation:
        """Return the figures; under the policy ``residual``, missed words count as remaining errors."""
        if self.policy.missed != "residual":
            return figures
        return with_unseen_figures(figures, self.records.n_missed)

    def beside_others(self, sources: Mapping[str, Source]) -> Self:
        """Return a copy that leaves out the pages that hardly align for at least one engine."""
        every = (each.sensitivity.without_pages for each in _engines(sources).values())
        names = tuple(dict.fromkeys(name for pages in every for name in pages))
        shares = self.leaving_out(names)
        effects = replace(self.sensitivity, without_pages=names, accepted_without=shares)
        return replace(self, sensitivity=effects)

    def overview(self, sources: Mapping[str, Source], confidence_level: float) -> list[Section]:
        """Return tables on all engines: numbers of words read, missed and moved, and error rates."""
        engines = _engines(sources)
        rows = [
            (name, [source.scale, *map(count, source.records.counts.values())])
            for name, source in engines.items()
        ]
        cells = []
        for name, source in engines.items():
            rates = source.records.error_rates(confidence_level).rates.values()
            texts = [(rate_text(rate.estimate), interval_text(rate.low, rate.high)) for rate in rates]
            cells.append((name, texts))
        values = {
            "kinds": ["scale of confidence", *self.records.counts],
            "total": count(self.records.n_true),
            "pages": _n_pages(self.records),
            "rows": rows,
        }
        level = percent(confidence_level)
        return [
            section_of("counts", **values),
            section_of("error_rates", titles=list(RATES.values()), rows=cells, level=level),
        ]

    def attribute_figures(
        self, outputs: Outputs, evaluation: Evaluation, confidence_level: float
    ) -> AttributeFigures | None:
        """Return the figures by attributes of pages; None if there are no attributes."""
        attributes = self.beside.attributes
        if self.by_attribute is not None or attributes is None:
            return self.by_attribute
        expected = "the result of fastarac.ocr.read_attributes"
        given = require_type(attributes, PageAttributes, "attributes", expected, shown=False)
        by_page = outputs.group is not None
        labels = outputs.group or outputs.by
        assert labels is not None  # noqa: S101, an engine's items always have pages
        limits = [(found.limit, found.point.threshold) for found in evaluation.limits]
        return figures_by_attribute(
            given, self.records.pages, labels.codes, outputs.correct, outputs.confidence, limits,
            confidence_level, by_page=by_page,
        )  # fmt: skip

    def splits(self, outputs: Outputs) -> list[ItemParts]:
        """Divide the items by the values of each attribute of pages."""
        attributes, labels = self.beside.attributes, outputs.group or outputs.by
        if not isinstance(attributes, PageAttributes) or labels is None:
            return []
        return splits_by_attribute(attributes, self.records.pages, labels.codes)

    def across(
        self,
        models: Mapping[str, tuple[Source, Outputs, Evaluation]],
        confidence_level: float,
    ) -> list[Section]:
        """Return a section with the figures of all engines by the attributes of pages."""
        found = {}
        for name, (source, outputs, evaluation) in models.items():
            if isinstance(source, ReportedPages):
                figures = source.attribute_figures(outputs, evaluation, confidence_level)
                if figures is not None:
                    found[name] = figures
        if not found:
            return []
        first = next(iter(found.values()))
        values = {
            "tables": tables_by_attribute(found),
            "headers": [(short(at.limit), at.verdict is not None) for at in first.at],
            "rule": first.rule,
            "level": percent(confidence_level),
            "several": len(found) > 1,
            "notes": list(dict.fromkeys(note for each in found.values() for note in each.notes)),
        }
        return [section_of("attributes", **values)]

    @property
    def scale(self) -> str:
        """A phrase for the scale of the confidences."""
        return "0 to 100" if self.highest == 100.0 else "0 to 1"

    def remark(self, limit: int) -> tuple[str, str, bool]:
        """Return a remark on how the accepted share at a limit depends on the policy.

        The result is (title, sentence, whether the effect is decisive).
        """
        effects = self.sensitivity
        if len(effects.accepted) == 1:
            title = "Missed and inserted outputs"
            return title, "No other way of counting changes this engine's items.", False
        what = what_counts(effects.varied)
        title = f"{what[:1].upper()}{what[1:]}"
        low, high = effects.ends(limit)
        spread = high - low
        points = f"{100 * spread:.1f} points"
        if spread < DECISIVE:
            effect = f"changes the share by at most {points}"
            if spread < HARDLY:
                effect = "hardly changes the share"
            return title, f"Counting {what} in another way {effect}.", False
        said = (
            f"The share depends on how {what} count: {interval_text(low, high)}, {points} apart. "
            "Decide how to count before you look at the figures: ask who would notice such a word."
        )
        return title, said, True

    def order(self, sources: Mapping[str, Source], limit: int) -> str:
        """Return a sentence on the policies that change the ranking of engines at a limit."""
        if self.sensitivity.limits[limit].criterion == "threshold":
            return ""
        engines = _engines(sources)
        return order_sentence({name: each.sensitivity for name, each in engines.items()}, limit)

    def caveat(self, limit: int) -> str:
        """Return a warning if missed words alone exceed a limit, else an empty string."""
        bound, n_true = self.sensitivity.limits[limit], self.records.n_true
        if bound.criterion == "threshold" or self.policy.missed == "drop":
            return ""
        missed = self.records.n_missed
        if self.policy.missed == "residual":
            if not missed or self.sensitivity.accepted[self.policy][limit]:
                return ""
            return (
                f"nobody looks for missed {self.units}, so {rounded_percent(missed / n_true)} of the "
                f"true {self.units} remain wrong even if people verify everything: no threshold keeps "
                "the limit"
            )
        if not missed > bound.value * n_true:
            return ""
        return (
            f"if nobody looks for missed {self.units}, they alone exceed the limit "
            f"({rounded_percent(missed / n_true)} of the true {self.units})"
        )

    def sections(
        self, evaluation: Evaluation, most: Callable[[int], int]
    ) -> tuple[list[Section], list[Section]]:
        """Return sections on policies, and sections on errors, texts, confusions and missed words."""
        records, texts = self.records, self.beside.texts
        thresholds = [found.point.threshold for found in evaluation.limits]
        errors = errors_of(records, thresholds, most(ERRORS))
        missed, n_with_missed = missed_of(records, most(PAGES))
        crops: dict[int, str] = {}
        if self.beside.images and self.words is not None and texts:
            check_images(self.beside.images, records.page_names)
            rows = [error.record for error in errors]
            crops = crops_of(self.beside.images, self.words, records, rows)
        policy = self.policy.sentences(self.reading)
        longest = None if texts else WITHOUT_TEXT
        confusions = confusions_of(records, thresholds, most(CONFUSIONS), longest)
        after = [
            section_of("errors", errors=errors, crops=crops, in_context=True, kind="Kind", texts=texts),
            *self._texts(thresholds, most),
            section_of("confusions", table=confusions, longest=longest),
            section_of(
                "missed",
                missed=missed,
                n_missed=records.n_missed,
                n_true=records.n_true,
                n_with_missed=n_with_missed,
                policy=BRIEFLY[self.policy.missed].format(units=self.units),
                texts=texts,
            ),
        ]
        return [section_of("policies", policy=policy, policies=self._policies())], after

    def _texts(self, thresholds: Sequence[float], most: Callable[[int], int]) -> list[Section]:
        """Return the whole texts of the worst pages, up to a maximum size and number."""
        if not self.beside.texts:
            return []
        order, room = page_order(self.records), most(TEXTS)
        pages: list[tuple[str, ComparedText]] = []
        for page in order.page[: most(MOST_TEXTS)].tolist():
            text = compared_text(self.records, page, thresholds[0] if thresholds else None)
            room -= size_of(text)
            if room < 0 and pages:
                break
            pages.append((self.records.page_names[page], text))
        return [section_of("texts", pages=pages, n_pages=len(order.page))]

    def _policies(self) -> list[tuple[str, str, list[str]]]:
        """Return the name, meaning and accepted shares of each policy, the policy in use first."""
        effects, rows = self.sensitivity, []
        several = len({policy.inserted for policy in effects.accepted}) > 1
        for policy, shares in effects.accepted.items():
            said = BRIEFLY[policy.missed].format(units=self.units)
            if several:
                how = "are wrong" if policy.inserted == "wrong" else "are left out"
                said += f"; inserted outputs {how}"
            if policy.moved != self.policy.moved:
                said += f"; moved {self.units} are {policy.moved}"
            rows.append((policy.name, said, list(map(rounded_percent, shares))))
        if effects.accepted_without:
            said = f"as in the first row, without {effects.left_out}"
            rows.append(
                ("without these pages", said, list(map(rounded_percent, effects.accepted_without)))
            )
        return rows


def _engines(sources: Mapping[str, Source]) -> dict[str, ReportedPages]:
    return {name: source for name, source in sources.items() if isinstance(source, ReportedPages)}


def _share_of_missed(records: Records) -> str:
    return rounded_percent(records.n_missed / records.n_true) if records.n_true else UNDEFINED


def _n_pages(records: Records) -> str:
    n = len(records.page_names)
    return f"{n:,} {plural('page', n)}"
