"""What a comparison of models says, and how it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import percent, printable, probability
from fastarac.uncertainty.results import ConfidenceInterval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.uncertainty.statistics import Statistic


@dataclass(frozen=True, slots=True)
class PairDifference:
    """How two models differ on the same items.

    Attributes
    ----------
    a, b : str
        The names of the models.
    difference : float
        The statistic of `a` less that of `b`.
    standard_error : float
        Of the difference.
    confidence_interval : ConfidenceInterval
        Of the difference, low and high; of this pair alone, whatever the correction.
    pvalue : float
        Two-sided, of no difference.
    adjusted_pvalue : float
        With the correction for testing all pairs; `pvalue` where there is none.
    """

    a: str
    b: str
    difference: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    adjusted_pvalue: float

    def reversed(self) -> PairDifference:
        """The same as `b` less `a`."""
        low, high = self.confidence_interval
        return PairDifference(
            self.b,
            self.a,
            -self.difference,
            self.standard_error,
            ConfidenceInterval(-high, -low),
            self.pvalue,
            self.adjusted_pvalue,
        )


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Several models on the same items: estimates, and all differences between two.

    Attributes
    ----------
    statistic : Statistic
    method : {"asymptotic", "bootstrap"}
    correction : {"holm", "bonferroni"} or None
    confidence_level : float
    n : int
        Number of items.
    names : tuple of str, of length K
    estimates, standard_errors : tuple of float, of length K
        Of each model.
    intervals : tuple of ConfidenceInterval, of length K
        Of each model.
    probabilities_best : tuple of float, of length K
        How sure each model is the best of all; they sum to 1. Best is the lowest for losses and error
        rates, else the highest.
    letters : tuple of str, of length K
        Models that share a letter do not differ significantly, at 1 − `confidence_level` and with
        the correction.
    pairs : tuple of PairDifference, of length K(K − 1)/2
        Of every model less each of those after it.
    """

    statistic: Statistic
    method: str
    correction: str | None
    confidence_level: float
    n: int
    names: tuple[str, ...]
    estimates: tuple[float, ...]
    standard_errors: tuple[float, ...]
    intervals: tuple[ConfidenceInterval, ...]
    probabilities_best: tuple[float, ...]
    letters: tuple[str, ...]
    pairs: tuple[PairDifference, ...]

    def pair(self, a: str, b: str) -> PairDifference:
        """Return the difference of `a` less `b`.

        Raises
        ------
        KeyError
            Where the two were not compared.
        """
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return pair.reversed()
        message = f"{a!r} and {b!r} were not compared; the models are {', '.join(self.names)}"
        raise KeyError(message)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists that JSON can hold; NaN is ``None``."""
        models = [
            {
                "name": name,
                "estimate": _plain(self.estimates[k]),
                "standard_error": _plain(self.standard_errors[k]),
                "low": _plain(self.intervals[k].low),
                "high": _plain(self.intervals[k].high),
                "probability_best": _plain(self.probabilities_best[k]),
                "letters": self.letters[k],
            }
            for k, name in enumerate(self.names)
        ]
        pairs = [
            {
                "a": pair.a,
                "b": pair.b,
                "difference": _plain(pair.difference),
                "standard_error": _plain(pair.standard_error),
                "low": _plain(pair.confidence_interval.low),
                "high": _plain(pair.confidence_interval.high),
                "pvalue": _plain(pair.pvalue),
                "adjusted_pvalue": _plain(pair.adjusted_pvalue),
            }
            for pair in self.pairs
        ]
        return {
            "statistic": self.statistic.name,
            "parameters": {key: _listed(value) for key, value in self.statistic.parameters},
            "method": self.method,
            "correction": self.correction,
            "confidence_level": self.confidence_level,
            "n": self.n,
            "models": models,
            "pairs": pairs,
        }

    def __str__(self) -> str:
        level = percent(self.confidence_level)
        order = sorted(range(len(self.names)), key=lambda k: -self.probabilities_best[k])
        models = [["model", self.statistic.name, f"{level} interval", "P(best)", "letters"]]
        models += [
            [
                printable(self.names[k]),
                f"{self.estimates[k]:.4f}",
                "{:.4f} to {:.4f}".format(*self.intervals[k]),
                probability(self.probabilities_best[k]),
                self.letters[k],
            ]
            for k in order
        ]
        corrected = f"p ({self.correction})" if self.correction else "p"
        pairs = [["difference", "by", f"{level} interval", corrected, ""]]
        pairs += [
            [
                printable(f"{pair.a} − {pair.b}"),
                f"{pair.difference:+.4f}",
                "{:+.4f} to {:+.4f}".format(*pair.confidence_interval),
                f"{pair.adjusted_pvalue:.2g}",
                "",
            ]
            for pair in self.pairs
        ]
        widths = [max(map(len, column)) for column in zip(*models, *pairs, strict=True)]
        lines = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (*models, *pairs)
        ]
        lines.insert(len(models), "")
        alpha = percent(1 - self.confidence_level, 6)
        lines += ["", f"Models that share a letter do not differ significantly at {alpha}."]
        return "\n".join(lines)


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _listed(value: Any) -> Any:
    if isinstance(value, tuple | list | np.ndarray):
        return [_listed(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def letters_of(order: Sequence[int], differing: set[tuple[int, int]]) -> tuple[str, ...]:
    """Return letters such that two share one iff they do not differ (Piepho 2004, insert and absorb).

    `order` has the models from the best to the worst: the first letters go to the best. `differing`
    has pairs of models, lower number first.
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
