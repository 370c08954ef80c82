"""The option ``--fail-if``: conditions on figures that set the exit status to 1."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

import typer

from fastarac._core.text import listed, percent, quoted
from fastarac.answers.comparison import label_of
from fastarac.cli._exit import FAILED
from fastarac.cli._options import RefusalError
from fastarac.cli._standard import tell

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fastarac.uncertainty.comparison_results import ModelComparison

CONDITION = re.compile(
    r"\s*(?:(?P<model>.*):)?\s*(?P<key>[\w./-]+?)\s*(?P<sign><=|>=|<|>)\s*(?P<number>\S+)\s*", re.DOTALL
)
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
BEST = "best"  # in place of a model's name: a failure only if all models meet the condition
NAMED = 5  # maximum number of models that a condition lists
NEAREST = 3  # number of similar keys that an error message suggests
EXAMPLE = '"acceptance_rate/0.01 < 0.6"'


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a figure with a number, for each model or for a named one."""

    model: str | None
    key: str
    sign: str
    number: float

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a condition such as ``acceptance_rate/0.01 < 0.6``, or refuse it."""
        found = CONDITION.fullmatch(text)
        try:
            number = float(found["number"]) if found else float("nan")
        except ValueError:
            number = float("nan")
        if found is not None and (share := _share_of(found["number"])) is not None:
            raise RefusalError(
                f"--fail-if must compare with a share, got {quoted(text)}: write {share:.6g} for "
                f"{found['number']}"
            )
        if found is None or not abs(number) < float("inf"):
            raise RefusalError(
                "--fail-if must be a key of --format json, one of <, <=, > and >=, and a finite "
                f'number, as in {EXAMPLE} (of one model: "NAME: acceptance_rate/0.01 < 0.6"), '
                f"got {quoted(text)}"
            )
        return cls(found["model"], found["key"], found["sign"], number)

    def failure(self, figures: Mapping[str, Any]) -> str | None:
        """Return a sentence if the model meets the condition or has no such figure, or else None."""
        value, name = figures.get(self.key), figures["name"]
        if value is None:
            return f"{self.key} of {name} is undefined or infinite, which fails every condition."
        if COMPARISONS[self.sign](value, self.number):
            return f"{self.key} of {name} is {value!r}, {WORDS[self.sign]} {self.number:.12g}."
        return None


def _share_of(written: str) -> float | None:
    """Return a percentage such as 60% as a share, or None for another text."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)%", written)
    return None if found is None else float(found[1]) / 100.0


@dataclass(frozen=True, slots=True)
class Conditions:
    every: tuple[Condition, ...]

    @classmethod
    def of(cls, texts: Iterable[str] | None) -> Self:
        return cls(tuple(Condition.of(text) for text in texts or ()))

    def require_models(self, names: Collection[str]) -> None:
        for each in self.every:
            if each.model is not None and each.model not in (BEST, *names):
                known = listed([quoted(name) for name in names])
                raise RefusalError(
                    f"--fail-if names the model {quoted(each.model)}; use one of {known}"
                )

    def require_keys(self, figures: Mapping[str, Any]) -> None:
        """Refuse a condition whose key is not the name of a number in `figures`."""
        keys = [key for key, value in figures.items() if not isinstance(value, str | list)]
        for each in self.every:
            if each.key not in keys:
                nearest = listed(get_close_matches(each.key, keys, NEAREST, cutoff=0.0))
                raise RefusalError(
                    f"--fail-if has the key {quoted(each.key)}, which no figure has; the nearest "
                    f"are {nearest} (--format json shows all)"
                )

    def failures(self, models: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return a sentence for each condition that a model meets (`BEST`: that all models meet)."""
        said: list[str] = []
        names = [figures["name"] for figures in models]
        for condition in self.every:
            of_best = condition.model == BEST and BEST not in names
            asked = None if of_best else condition.model
            found = [condition.failure(each) for each in models if asked in (None, each["name"])]
            met = [failure for failure in found if failure is not None]
            if of_best:
                said += [f"All {len(met):,} models fail: {met[0]}"] if len(met) == len(found) else []
            else:
                said += met[:NAMED]
                said += [f"{len(met) - NAMED:,} more models fail."] if len(met) > NAMED else []
        return said


def worse_than_first(found: ModelComparison, first: str) -> Iterator[str]:
    """Yield a sentence for each model that is significantly worse than the first one."""
    label, level = label_of(found.statistic), percent(found.confidence_level)
    for name in found.names:
        if name == first:
            continue
        pair = found.pair(name, first)
        low, high = pair.adjusted_interval.low, pair.adjusted_interval.high
        is_worse = low > 0 if found.statistic.definition.lower_is_better else high < 0
        if not low <= high:  # an undefined interval (NaN)
            yield f"Whether {name} is worse than {first} is undefined: {label} has no interval."
        elif is_worse:
            yield (
                f"{name} is worse than {first}: {label} differs by {pair.difference:+.4g} "
                f"(adjusted {level} interval {low:+.4g} to {high:+.4g})."
            )


def end(failures: Iterable[str]) -> None:
    """Write failures to stderr, and exit with status 1 if there are any."""
    said = list(failures)
    tell(said, "failed")
    if said:
        raise typer.Exit(FAILED)
