"""The results of a comparison of models by parts of the items, and their table."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.results import Result, Table, TupleResult
from fastarac._core.text import UNDEFINED, aligned, p_is, percent, printable

if TYPE_CHECKING:
    from fastarac.uncertainty.comparison_results import ModelComparison
    from fastarac.uncertainty.statistics import Statistic


class _LeadDifference(NamedTuple):
    a: str
    """The name of the first model."""
    b: str
    """The name of the second model."""
    pvalue: float
    """p-value of equal differences in all parts; NaN if fewer than two parts can be tested."""
    adjusted_pvalue: float
    """The p-value adjusted for the number of pairs."""
    part: Any
    """The part whose difference is the least compatible with that of the others; None if untested."""
    there: float
    """The difference a − b in that part."""
    elsewhere: float
    """The mean difference in the other parts, weighted by their numbers of groups or items."""


class LeadDifference(TupleResult, _LeadDifference):
    """The test that two models differ by the same amount in all parts.

    See Also
    --------
    fastarac.compare_parts : compare models within each part of the items
    PartComparison : a comparison of models by parts

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> part = np.repeat(["de", "ru"], 500)
    >>> models = {name: (rng.random(1000) > 0.1, rng.random(1000)) for name in ("one", "two")}
    >>> found = fa.compare_parts(models, part, statistic="recognition_rate")
    >>> found.leads[0].pvalue > 0.05
    True
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartComparison(Table, Result):
    """A comparison of models within each part of the items, and between the parts.

    Attributes
    ----------
    statistic : Statistic
    correction : {"holm", "bonferroni"} or None
        Adjustment for the number of parts and pairs.
    confidence_level : float
    names : tuple of str
        The names of the models.
    parts : tuple
        The labels of the parts, in rising order.
    comparisons : tuple of ModelComparison
        The comparison within each part; adjusted p-values and intervals are adjusted over all parts.
    leads : tuple of LeadDifference
        For each pair of models, the test that their difference is the same in all parts.
    notes : tuple of str
        Sentences that say why a part has no test.

    See Also
    --------
    fastarac.compare_parts : compare models within each part of the items
    ModelComparison : a comparison on all items

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> part = np.repeat(["de", "ru"], 500)
    >>> models = {name: (rng.random(1000) > 0.1, rng.random(1000)) for name in ("one", "two")}
    >>> found = fa.compare_parts(models, part, statistic="recognition_rate")
    >>> found.parts, found.part("ru").names
    (('de', 'ru'), ('one', 'two'))
    """

    statistic: Statistic
    correction: str | None
    confidence_level: float
    names: tuple[str, ...]
    parts: tuple[Any, ...]
    comparisons: tuple[ModelComparison, ...]
    leads: tuple[LeadDifference, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(self.names)
        return f"{type(self).__name__}({self.statistic.name} of {names} in {len(self.parts)} parts)"

    def part(self, label: Any) -> ModelComparison:
        """Return the comparison within one part.

        Raises
        ------
        KeyError
            If there is no such part.
        """
        if label not in self.parts:
            raise KeyError(f"{label!r} is not one of the parts {', '.join(map(repr, self.parts))}")
        return self.comparisons[self.parts.index(label)]

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of a table with a row for each part and pair of models."""
        rows = [
            {
                "part": label,
                "a": pair.a,
                "b": pair.b,
                "n": comparison.n,
                "estimate_a": comparison.estimates[self.names.index(pair.a)],
                "estimate_b": comparison.estimates[self.names.index(pair.b)],
                "difference": pair.difference,
                "standard_error": pair.standard_error,
                "pvalue": pair.pvalue,
                "adjusted_low": pair.adjusted_interval.low,
                "adjusted_high": pair.adjusted_interval.high,
                "adjusted_pvalue": pair.adjusted_pvalue,
            }
            for label, comparison in zip(self.parts, self.comparisons, strict=True)
            for pair in comparison.pairs
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> dict[str, Any]:
        return {
            "statistic": self.statistic.name,
            **dict(self.statistic.parameters),
            "correction": self.correction,
            "confidence_level": self.confidence_level,
            **self.to_columns(),
            "leads": self.leads,
            "notes": self.notes,
        }

    def __str__(self) -> str:
        lines: list[str] = []
        alpha = round(1.0 - self.confidence_level, 12)
        for k, lead in enumerate(self.leads):
            said = lead_in_words(lead, alpha, self.parts)
            lines += [""] * bool(lines) + [*self._table(k), "", *_wrapped(said)]
        if self.notes:
            lines += ["", "Not tested:", *(line for note in self.notes for line in _wrapped(note))]
        return "\n".join(lines)

    def _table(self, k: int) -> list[str]:
        """Return the lines of a table of the k-th pair, one line for each part."""
        lead = self.leads[k]
        a, b = (self.names.index(name) for name in (lead.a, lead.b))
        adjusted = "p" if self.correction is None else f"p ({self.correction})"
        interval = f"{percent(self.confidence_level)} interval"
        n = "groups" if self.comparisons[0].n != self.comparisons[0].n_items[0] else "items"
        rows = [[f"{lead.a} − {lead.b}", n, lead.a, lead.b, "by", interval, adjusted]]
        for label, comparison in zip(self.parts, self.comparisons, strict=True):
            pair = comparison.pairs[k]
            values = [f"{comparison.estimates[one]:.4f}" for one in (a, b)]
            low, high = pair.adjusted_interval.low, pair.adjusted_interval.high
            tested = pair.adjusted_pvalue == pair.adjusted_pvalue
            ends = f"{low:+.4f} to {high:+.4f}" if tested else ""
            p = f"{pair.adjusted_pvalue:.2g}" if tested else UNDEFINED
            rows.append([str(label), f"{comparison.n:,}", *values, f"{pair.difference:+.4f}", ends, p])
        return aligned([[printable(cell) for cell in row] for row in rows])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(printable(text), 79, subsequent_indent="  ")


def lead_in_words(lead: LeadDifference, alpha: float, parts: tuple[Any, ...]) -> str:
    """Return a sentence on whether the difference of two models is the same in all parts."""
    what = f"The difference between {lead.a} and {lead.b}"
    if lead.part is None:
        return f"{what} cannot be compared between parts: fewer than two have enough errors."
    p = p_is(lead.adjusted_pvalue)
    others = other_parts(lead, parts)
    figures = f"{lead.there:+.4f} in {lead.part}, {lead.elsewhere:+.4f} in {others}"
    if lead.adjusted_pvalue < alpha:
        return f"{what} depends on the part ({p}): {figures}."
    if len(parts) == 2:
        return f"{what} may be the same in both parts ({p}): {figures}."
    return f"{what} may be the same in all parts ({p}); most unlike the others: {figures}."


def other_parts(lead: LeadDifference, parts: tuple[Any, ...]) -> str:
    """Return the name of the only other part, or "the others"."""
    others = [str(part) for part in parts if part != lead.part]
    return others[0] if len(others) == 1 else "the others"
