"""The results of a comparison of models, and their table."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastarac._core.export import html_of_columns, html_table
from fastarac._core.results import Result, Table
from fastarac._core.text import aligned, percent, printable, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac._core.interval import Interval
    from fastarac.uncertainty.statistics import Statistic


_ENDS = ("estimate", "standard_error", "low", "high")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairDifference(Result):
    """The difference between two models on the same items, or in the same groups.

    Attributes
    ----------
    a, b : str
        The names of the models.
    interval : Interval
        Interval of the difference a − b, without adjustment for multiple testing.
    pvalue : float
        Two-sided p-value of no difference, without adjustment for multiple testing.
    adjusted_interval : Interval
        Interval adjusted for testing all pairs: it excludes 0 iff `adjusted_pvalue` is below 1 −
        `confidence_level` of the comparison.
    adjusted_pvalue : float
        The p-value adjusted for testing all pairs, if a correction was requested.
    degrees_of_freedom : float
        Degrees of freedom of Student's t for `pvalue` and the interval. Infinity stands for the normal
        distribution; NaN for a bootstrap of items.

    See Also
    --------
    fastarac.compare_models : compare models on the same items or groups
    ModelComparison : several models

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> digits = load_digits_ocr()
    >>> models = {name: digits[name] for name in ("knn-votes", "svm-rbf")}
    >>> pair = fa.compare_models(models).pair("knn-votes", "svm-rbf")
    >>> pair.difference > 0, pair.interval.low > 0
    (True, True)
    """

    a: str
    b: str
    interval: Interval
    pvalue: float
    adjusted_interval: Interval
    adjusted_pvalue: float
    degrees_of_freedom: float

    def _parts(self) -> dict[str, Any]:
        ends = {end: getattr(self.interval, end) for end in _ENDS}
        return {
            "a": self.a,
            "b": self.b,
            "difference": ends.pop("estimate"),
            **ends,
            "pvalue": self.pvalue,
            "adjusted_low": self.adjusted_interval.low,
            "adjusted_high": self.adjusted_interval.high,
            "adjusted_confidence_level": self.adjusted_interval.confidence_level,
            "adjusted_pvalue": self.adjusted_pvalue,
            "degrees_of_freedom": self.degrees_of_freedom,
        }

    @property
    def difference(self) -> float:
        """The statistic of `a` minus that of `b`."""
        return self.interval.estimate

    @property
    def standard_error(self) -> float:
        """Standard error of the difference."""
        return self.interval.standard_error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.a!r} − {self.b!r}, {self.interval!r}, p {self.pvalue:.3g})"

    def reversed(self) -> PairDifference:
        """Return the difference b − a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            interval=_turned(self.interval),
            adjusted_interval=_turned(self.adjusted_interval),
        )


def _turned(found: Interval) -> Interval:
    """Return the interval of −x, given the interval of x."""
    turned = None if found.distribution is None else -found.distribution
    return replace(
        found, estimate=-found.estimate, low=-found.high, high=-found.low, distribution=turned
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelComparison(Table, Result):
    """A comparison of several models: estimates, and differences of all pairs.

    Attributes
    ----------
    statistic : Statistic
    method : {"asymptotic", "bootstrap"}
    paired : {"items", "groups"}
        Whether the models share their items, or only groups.
    correction : {"holm", "bonferroni"} or None
    confidence_level : float
    n : int
        Number of paired units: items or groups.
    names : tuple of str, of length K
    n_items : tuple of int, of length K
        Number of items of each model.
    intervals : tuple of Interval, of length K
        Interval of each model's statistic.
    share_of_best : tuple of float, of length K
        Share of resamples in which each model is best (or of draws from the normal distribution of the
        estimates). The shares sum to 1. They are not probabilities that a model is the best. The best
        value is the lowest for losses, costs and error rates, and otherwise the highest.
    letters : tuple of str, of length K
        Models that share a letter do not differ significantly at 1 − `confidence_level`, with the
        correction.
    pairs : tuple of PairDifference, of length K(K − 1)/2
        The difference between each model and each later one.
    notes : tuple of str
        Sentences that say why the interval of a single model is unreliable. Differences may still be
        reliable, because effects common to the models cancel.

    See Also
    --------
    fastarac.compare_models : compare models on the same items or groups
    PairDifference : the difference of two models on the same items, or in the same groups

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> digits = load_digits_ocr()
    >>> models = {name: digits[name] for name in ("knn-votes", "svm-rbf")}
    >>> found = fa.compare_models(models)
    >>> found.names, found.letters
    (('knn-votes', 'svm-rbf'), ('a', 'b'))
    >>> found.pair("knn-votes", "svm-rbf").difference > 0
    True
    """

    statistic: Statistic
    method: str
    paired: str
    correction: str | None
    confidence_level: float
    n: int
    names: tuple[str, ...]
    n_items: tuple[int, ...]
    intervals: tuple[Interval, ...]
    share_of_best: tuple[float, ...]
    letters: tuple[str, ...]
    pairs: tuple[PairDifference, ...]
    notes: tuple[str, ...] = ()

    @property
    def estimates(self) -> tuple[float, ...]:
        """The statistic of each model."""
        return tuple(interval.estimate for interval in self.intervals)

    def __repr__(self) -> str:
        names = ", ".join(self.names)
        return f"{type(self).__name__}({self.statistic.name} of {names}, {self.method})"

    def pair(self, a: str, b: str) -> PairDifference:
        """Return the difference of `a` minus `b`.

        Raises
        ------
        KeyError
            If the two models were not compared.
        """
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return pair.reversed()
        raise KeyError(f"{a!r} and {b!r} were not compared; the models are {', '.join(self.names)}")

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of a table with one row per model, without the differences."""
        return {
            "model": self.names,
            "n_items": self.n_items,
            **{end: [getattr(interval, end) for interval in self.intervals] for end in _ENDS},
            "share_of_best": self.share_of_best,
            "letters": self.letters,
        }

    def _parts(self) -> dict[str, Any]:
        return {
            "statistic": self.statistic.name,
            **dict(self.statistic.parameters),
            "method": self.method,
            "paired": self.paired,
            "correction": self.correction,
            "confidence_level": self.confidence_level,
            "n": self.n,
            **self.to_columns(),
            "pairs": self.pairs,
            "notes": self.notes,
        }

    def _repr_html_(self) -> str:
        pairs = [pair.to_dict() for pair in self.pairs]
        return html_of_columns(self.to_columns()) + html_table(
            list(pairs[0]), [list(pair.values()) for pair in pairs]
        )

    def __str__(self) -> str:
        level = percent(self.confidence_level)
        order = sorted(range(len(self.names)), key=lambda k: -self.share_of_best[k])
        models = [["model", self.statistic.name, f"{level} interval", "best in", "letters"]]
        models += [
            [
                printable(self.names[k]),
                f"{self.estimates[k]:.4f}",
                f"{self.intervals[k].low:.4f} to {self.intervals[k].high:.4f}",
                probability(self.share_of_best[k]),
                self.letters[k],
            ]
            for k in order
        ]
        several = self.correction is not None and len(self.pairs) > 1
        pairs = [["difference", "by", f"{level} interval", "p"]]
        if several:
            pairs[0] += [f"adjusted ({self.correction})", f"p ({self.correction})"]
        for pair in self.pairs:
            row = [printable(f"{pair.a} − {pair.b}"), f"{pair.difference:+.4f}"]
            row += [_ends(pair.interval), f"{pair.pvalue:.2g}"]
            if several:
                row += [_ends(pair.adjusted_interval), f"{pair.adjusted_pvalue:.2g}"]
            pairs.append(row)
        width = max(map(len, (models[0], pairs[0])))
        lines = aligned([row + [""] * (width - len(row)) for row in [*models, *pairs]])
        lines.insert(len(models), "")
        alpha = percent(1 - self.confidence_level, 6)
        drawn = "in the resamples" if self.method == "bootstrap" else "if all estimates are drawn anew"
        lines += [
            "",
            f"best in: how often a model comes first {drawn}.",
            f"Models that share a letter do not differ significantly at {alpha}.",
        ]
        if self.notes:
            lines += ["", "Unreliable intervals of single models:"]
            lines += [textwrap.fill(printable(note), 79, subsequent_indent="  ") for note in self.notes]
        return "\n".join(lines)


def _ends(interval: Interval) -> str:
    return f"{interval.low:+.4f} to {interval.high:+.4f}"


def best_first(found: ModelComparison) -> ModelComparison:
    """Return the same comparison with the models ordered from best to worst."""
    worse = 1.0 if found.statistic.definition.lower_is_better else -1.0
    values = [-math.inf if math.isnan(value) else -worse * value for value in found.estimates]
    order = sorted(range(len(values)), key=lambda k: -values[k])
    names = [found.names[k] for k in order]
    pairs = [found.pair(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]

    def sort(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[k] for k in order)

    return replace(
        found,
        names=tuple(names),
        n_items=sort(found.n_items),
        intervals=sort(found.intervals),
        share_of_best=sort(found.share_of_best),
        letters=sort(found.letters),
        pairs=tuple(pairs),
    )


def letters_of(order: Sequence[int], differing: set[tuple[int, int]]) -> tuple[str, ...]:
    """Return letters such that models share one iff they do not differ (Piepho 2004).

    `order` lists the models from best to worst. `differing` holds pairs of model numbers, the lower
    number first.
    """
    columns = [set(order)]
    for a, b in sorted(differing):
        split = [column for column in columns if not {a, b} <= column]
        for column in columns:
            if {a, b} <= column:
                split += [column - {a}, column - {b}]
        columns = []
        for column in sorted(split, key=len, reverse=True):
            if not any(column <= kept for kept in columns):
                columns.append(column)
    place = {model: k for k, model in enumerate(order)}
    columns.sort(key=lambda column: sorted(place[model] for model in column))
    return tuple(
        "".join(_letter(k) for k, column in enumerate(columns) if model in column)
        for model in range(len(order))
    )


def _letter(k: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return alphabet[k] if k < len(alphabet) else f"({k + 1})"
