"""Accepted shares and errors of engines, by attributes of pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.results import Result, Table
from fastarac._core.text import listed, percent
from fastarac.evaluation.limits import short
from fastarac.evaluation.part_orders import ItemParts
from fastarac.guarantees.betting import wealth
from fastarac.operation.checked_outputs import Checked
from fastarac.operation.critical_sample_sizes import bisected
from fastarac.uncertainty.ratios import ratio_interval
from fastarac.uncertainty.shares import verdicts_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.evaluation.limits import Limit
    from fastarac.ocr.analysis.attributes import Attribute, PageAttributes
    from fastarac.ocr.words.records import PageCounts
    from fastarac.uncertainty.shares import Verdict

#: If proving a limit takes more pages than this, the report does not name their number.
MOST = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class AttributeAtLimit(Result):
    """Accepted share and error rate of each attribute value, at the threshold for one limit.

    Arrays have shape (n,), with one element for each value.

    Attributes
    ----------
    limit : Limit
    threshold : float
        Threshold chosen on all pages together.
    accepted, errors : ndarray, intp
        Numbers of accepted items, and of accepted items that are wrong.
    acceptance_rate, acceptance_low, acceptance_high : ndarray, float64
        Accepted share, with its interval. The interval treats pages as the sampling units.
    error_rate, error_low, error_high : ndarray, float64
        Accepted errors divided by all items, with the interval; for a limit on the risk, divided by the
        accepted items. Rates are NaN if their denominator is 0. Interval ends are NaN if there are
        fewer than two pages or if all pages have the same rate.
    verdict : tuple of str, or None
        "holds", "fails" or "too few" for each value; None if the user gave a threshold, not a limit.

    See Also
    --------
    AttributeFigures : accepted shares and errors for each value of each attribute
    evaluate_attributes : evaluate the pages of each attribute value
    """

    limit: Limit
    threshold: float
    accepted: NDArray[np.intp]
    errors: NDArray[np.intp]
    acceptance_rate: NDArray[np.float64]
    acceptance_low: NDArray[np.float64]
    acceptance_high: NDArray[np.float64]
    error_rate: NDArray[np.float64]
    error_low: NDArray[np.float64]
    error_high: NDArray[np.float64]
    verdict: tuple[Verdict, ...] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeFigures(Table, Result):
    """Accepted shares and errors for each value of each attribute.

    Attributes
    ----------
    attribute, value : tuple of str, n of them
    pages, true_words, items : ndarray of shape (n,), intp
        For each value, the number of pages (including empty pages), the number of true words or other
        units on these pages, and the number of items.
    at : tuple of AttributeAtLimit
        The figures at each limit.
    confidence_level : float
        Level of the intervals and the verdicts.
    by_page : bool
        Whether the verdicts treat items on the same page as dependent.
    notes : tuple of str
        One sentence for each attribute that was left out or binned, and for each group of pages left
        out.

    See Also
    --------
    evaluate_attributes : evaluate the pages of each attribute value
    AttributeAtLimit : the figures of each attribute value at the threshold of a limit
    """

    attribute: tuple[str, ...]
    value: tuple[str, ...]
    pages: NDArray[np.intp]
    true_words: NDArray[np.intp]
    items: NDArray[np.intp]
    at: tuple[AttributeAtLimit, ...]
    confidence_level: float
    by_page: bool
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        names = dict.fromkeys(self.attribute)
        return f"AttributeFigures({len(self)} values of {', '.join(names)})"

    def to_columns(self) -> dict[str, Any]:
        """Return the figures as columns; the names of columns for one limit contain the limit's key."""
        columns: dict[str, Any] = {
            "attribute": self.attribute,
            "value": self.value,
            "pages": self.pages,
            "true_words": self.true_words,
            "n": self.items,
        }
        for at in self.at:
            key, rate = at.limit.key, _rate(at.limit)
            columns |= {
                f"acceptance_rate/{key}": at.acceptance_rate,
                f"acceptance_rate_low/{key}": at.acceptance_low,
                f"acceptance_rate_high/{key}": at.acceptance_high,
                f"{rate}/{key}": at.error_rate,
                f"{rate}_low/{key}": at.error_low,
                f"{rate}_high/{key}": at.error_high,
            }
            if at.verdict is not None:
                columns[f"verdict/{key}"] = at.verdict
        return columns

    @property
    def rule(self) -> str:
        """A sentence that explains the verdicts "holds", "fails" and "too few"."""
        how = (
            "for pages drawn at random, by bets on each page as in fastarac check"
            if self.by_page
            else "for outputs that are independent of each other, by the binomial distribution"
        )
        said = (
            f"A value holds if it is proved ({how}) that it keeps the limit. It fails if it is "
            "proved that it does not keep the limit. Otherwise, it has too few pages. The confidence "
            f"is {percent(self.confidence_level)}, with Holm's correction for all values of an "
            "attribute."
        )
        fewest = [(short(at.limit), self._fewest(at.limit, at.verdict)) for at in self.at]
        numbers = [f"{n:,} at {limit}" for limit, n in fewest if n is not None]
        if numbers:
            said += (
                f" Proving that a value holds takes many pages even without an error: about "
                f"{listed(numbers)}. Intervals of few pages are approximate."
            )
        return said

    def _fewest(self, limit: Limit, verdict: tuple[Verdict, ...] | None) -> int | None:
        """Return how many error-free pages of equal size prove that a limit is kept."""
        if not self.by_page or verdict is None or not 0.0 < limit.value < 1.0:
            return None
        capital = 2.0 / (1.0 - self.confidence_level)

        def proves(n: int) -> bool:
            return wealth(np.full(n, -limit.value), 1.0, limit.value) >= capital

        high = 1
        while not proves(high):
            high *= 2
            if high > MOST:
                return None
        return bisected(proves, 0, high)


class RowAtLimit(NamedTuple):
    """The figures of one attribute value at a limit, as in :class:`AttributeAtLimit`."""

    acceptance_rate: float
    acceptance_low: float
    acceptance_high: float
    error_rate: float
    error_low: float
    error_high: float
    verdict: Verdict | None


class AttributeRow(NamedTuple):
    """The figures of one engine on the pages with one attribute value."""

    value: str
    engine: str
    pages: int
    true_words: int
    at: tuple[RowAtLimit, ...]


def figures_by_attribute(
    attributes: PageAttributes,
    pages: PageCounts,
    page: NDArray[np.intp],
    correct: NDArray[np.bool_],
    confidence: NDArray[np.float64],
    limits: Sequence[tuple[Limit, float]],
    level: float,
    *,
    by_page: bool,
) -> AttributeFigures:
    """Evaluate the items on the pages with each attribute value, at the threshold of each limit."""
    rows, notes = attributes.rows_of(pages.name)
    parts = [_parts_of(each, rows) for each in attributes.attributes]
    which = [code for part in parts for code in part]
    items = [np.flatnonzero(code[page]) for code in which]
    at = []
    for limit, threshold in limits:
        accepted = confidence >= threshold
        checked = Checked(accepted, accepted & ~correct, page if by_page else None)
        chosen = [checked.only(of_part) for of_part in items]
        at.append(_at(limit, threshold, chosen, [len(part) for part in parts], page, items, level))
    return AttributeFigures(
        tuple(each.name for each in attributes.attributes for _ in each.values),
        tuple(value for each in attributes.attributes for value in each.values),
        np.array([code.sum() for code in which], np.intp),
        np.array([pages.true_words[code].sum() for code in which], np.intp),
        np.array([len(of_part) for of_part in items], np.intp),
        tuple(at),
        level,
        by_page,
        (*attributes.notes, *notes),
    )


def splits_by_attribute(
    attributes: PageAttributes, pages: PageCounts, page: NDArray[np.intp]
) -> list[ItemParts]:
    """Group the items by the values of each attribute; each group has its share of missed words."""
    rows, _ = attributes.rows_of(pages.name)
    found = []
    for attribute in attributes.attributes:
        codes = np.array([*attribute.codes, -1], np.intp)[rows]
        parts = _parts_of(attribute, rows)
        true_words = np.array([pages.true_words[part].sum() for part in parts], np.float64)
        missed = np.array([pages.missed[part].sum() for part in parts], np.float64)
        with np.errstate(invalid="ignore"):  # 0/0 if no page with this value has a true word
            shares = missed / true_words
        found.append(ItemParts(attribute.name, attribute.values, codes[page], shares))
    return found


def tables_by_attribute(
    engines: Mapping[str, AttributeFigures],
) -> list[tuple[str, list[AttributeRow]]]:
    """Return the table rows of each attribute: one row for each value and engine."""
    found: dict[str, dict[str, list[AttributeRow]]] = {}
    for name, figures in engines.items():
        for k, (attribute, value) in enumerate(zip(figures.attribute, figures.value, strict=True)):
            at = [
                RowAtLimit._make(
                    [
                        *(float(getattr(each, name)[k]) for name in RowAtLimit._fields[:-1]),
                        None if each.verdict is None else each.verdict[k],
                    ]
                )
                for each in figures.at
            ]
            counts = int(figures.pages[k]), int(figures.true_words[k])
            row = AttributeRow(value, name, *counts, tuple(at))
            found.setdefault(attribute, {}).setdefault(value, []).append(row)
    return [
        (attribute, [row for rows in values.values() for row in rows])
        for attribute, values in found.items()
    ]


def _parts_of(attribute: Attribute, rows: NDArray[np.intp]) -> list[NDArray[np.bool_]]:
    """Return a mask of pages for each value of the attribute."""
    # Row -1 (a page without attributes) gets code -1.
    codes = np.array([*attribute.codes, -1], np.intp)[rows]
    return [codes == code for code in range(len(attribute.values))]


def _at(
    limit: Limit,
    threshold: float,
    parts: Sequence[Checked],
    sizes: Sequence[int],
    page: NDArray[np.intp],
    items: Sequence[NDArray[np.intp]],
    level: float,
) -> AttributeAtLimit:
    criterion = "max_risk" if limit.criterion == "max_risk" else "max_error_rate"
    shares, errors = [], []
    for part, rows in zip(parts, items, strict=True):
        codes = np.unique(page[rows], return_inverse=True)[1]
        counts = np.bincount(codes)
        through = np.bincount(codes[part.accepted], minlength=len(counts))
        wrong = np.bincount(codes[part.wrong], minlength=len(counts))
        shares.append(_ends(through, counts, level))
        errors.append(_ends(wrong, through if criterion == "max_risk" else counts, level))
    verdicts: list[Verdict] | None = None
    if limit.criterion != "threshold":
        tested = [part.pvalues(criterion, limit.value) for part in parts]
        verdicts, start = [], 0
        for size in sizes:
            within, beyond = zip(*tested[start : start + size], strict=True)
            verdicts += verdicts_by(within, beyond, level)
            start += size
    share, share_low, share_high = np.array(shares).T
    error, error_low, error_high = np.array(errors).T
    return AttributeAtLimit(
        limit,
        threshold,
        np.array([part.accepted.sum() for part in parts], np.intp),
        np.array([part.wrong.sum() for part in parts], np.intp),
        share,
        share_low,
        share_high,
        error,
        error_low,
        error_high,
        None if verdicts is None else tuple(verdicts),
    )


def _ends(
    numerator: NDArray[np.intp], denominator: NDArray[np.intp], level: float
) -> tuple[float, float, float]:
    found = ratio_interval(numerator.astype(np.int64), denominator.astype(np.int64), level)
    return found.estimate, found.low, min(1.0, found.high) if found.high == found.high else math.nan


def _rate(limit: Limit) -> str:
    return "risk" if limit.criterion == "max_risk" else "error_rate"
