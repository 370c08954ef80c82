"""Several engines put together, and what they cost, in ``fastarac ocr``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastarac._core.text import listed, plural, quoted, rounded_percent
from fastarac.cli._options import RefusalError, option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fastarac.ocr import Combination, Engine
    from fastarac.report.models import Model
    from fastarac.results import FieldOutputs

Combine = Annotated[
    bool,
    option(
        "--combine",
        "Put all engines together, too: as A + B, which learns from the true texts (each page is "
        "combined by what other pages teach), and as A = B, which accepts where all agree.",
    ),
]
CombinationFile = Annotated[
    Path | None,
    option("--combination FILE", "Combine by what --save-combination has written of other pages."),
]
SaveCombination = Annotated[
    Path | None,
    option("--save-combination FILE", "Write what all pages teach into this JSON file."),
]
EnginePrices = Annotated[
    list[str] | None,
    option(
        "--engine-price NAME=PRICE",
        "Price of an engine for each page, or document, beside the other prices; once for each engine.",
    ),
]


OF_READING = ("level", "within_truth", "ignore_regions")  # what has been done when engines are combined


@dataclass(frozen=True, slots=True)
class Combining:
    """What is to be put together, and at which prices.

    Attributes
    ----------
    wanted : bool
    model : Path or None
        The file of what was learnt from other pages.
    saved : Path or None
        The file that gets what is learnt.
    prices : tuple of str
        As they were typed.
    """

    wanted: bool = False
    model: Path | None = None
    saved: Path | None = None
    prices: tuple[str, ...] = ()

    @property
    def is_wanted(self) -> bool:
        """Whether engines are put together."""
        return self.wanted or self.model is not None

    def check(self, missed_price: float | None, *, are_priced: bool) -> None:
        """Refuse options that do not fit each other."""
        if self.saved is not None and not self.wanted:
            raise RefusalError("--save-combination is given without --combine, which learns it")
        if self.saved is not None and self.model is not None:
            raise RefusalError(
                "--combination and --save-combination are both given; one of them is expected"
            )
        if self.saved is not None and not self.saved.parent.is_dir():
            raise RefusalError(f"{self.saved}: there is no folder {self.saved.parent}")
        if not self.prices:
            return
        if not are_priced:
            raise RefusalError(
                "--engine-price is given without --cost-verification, --cost-correction and "
                "--cost-error; all prices are expected"
            )
        if missed_price is not None:
            raise RefusalError("--engine-price and --cost-missed are both given; one is expected")

    def texts(self, engines: Mapping[str, Engine], alignment: Mapping[str, Any]) -> dict[str, Engine]:
        """Return the engines, and what they are together."""
        from fastarac.ocr import Engine, combine

        if not self.is_wanted:
            return dict(engines)
        options = {name: value for name, value in alignment.items() if name not in OF_READING}
        truth = next(iter(engines.values())).truth

        def put(**how: Any) -> tuple[Engine, Combination | None]:
            found = combine(engines, truth=truth, **how, **options)
            assert found.aligned is not None  # noqa: S101, there is a truth
            return Engine(found.aligned, found.words, truth), found.combination

        return dict(engines) | self._together(engines, put)

    def fields(self, engines: Mapping[str, FieldOutputs]) -> dict[str, FieldOutputs]:
        """Return the engines, and what they are together."""
        from fastarac.ocr import combine_fields

        if not self.is_wanted:
            return dict(engines)

        def put(**how: Any) -> tuple[FieldOutputs, Combination | None]:
            found = combine_fields(engines, **how)
            return found.fields, found.combination

        return dict(engines) | self._together(engines, put)

    def _together(
        self, engines: Mapping[str, Any], put: Callable[..., tuple[Any, Combination | None]]
    ) -> dict[str, Any]:
        """Return the combination and the rule of agreement by their names; save what is learnt."""
        from fastarac.cli import show_linear_algebra
        from fastarac.ocr import Combination

        show_linear_algebra()  # scikit-learn needs it
        if len(engines) < 2:
            raise RefusalError("--combine is for several engines; two OCR at least are expected")
        names = together_name(engines), agreement_name(engines)
        if taken := [name for name in names if name in engines]:
            raise RefusalError(f"an engine is called {quoted(taken[0])}; --name gives it another name")
        found: dict[str, Any] = {}
        try:
            given = None if self.model is None else Combination.load(self.model)
            found[names[0]], learnt = put(combination=given)
            found[names[1]], _ = put(agreement="exact")
            if self.saved is not None and learnt is not None:
                learnt.save(self.saved)
        except (ValueError, OSError, ModuleNotFoundError) as error:
            raise RefusalError(f"--combine: {error}") from None
        return found

    def price_of(self, engines: Sequence[str]) -> dict[str, float]:
        """Return the price of each engine, and of what they are together; empty where none is given."""
        if not self.prices:
            return {}
        found: dict[str, float] = {}
        for each in self.prices:
            name, equals, price = each.rpartition("=")
            value = _number(price)
            if not equals or not 0 <= value < math.inf:
                raise RefusalError(
                    f"--engine-price is {quoted(each)}; NAME=PRICE with a price of at least 0 is "
                    "expected"
                )
            if name not in engines:
                raise RefusalError(
                    f"--engine-price names {quoted(name)}; one of {listed(list(map(quoted, engines)))} "
                    "is expected"
                )
            if name in found:
                raise RefusalError(f"--engine-price is given twice for {quoted(name)}")
            found[name] = value
        if missing := [name for name in engines if name not in found]:
            raise RefusalError(
                f"--engine-price is not given for {listed(list(map(quoted, missing)))}; a price of "
                "each engine is expected"
            )
        every = sum(found.values())
        return found | {together_name(engines): every, agreement_name(engines): every}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def together_name(engines: Mapping[str, Any] | Sequence[str]) -> str:
    """Return what engines together are called."""
    return " + ".join(engines)


def agreement_name(engines: Mapping[str, Any] | Sequence[str]) -> str:
    """Return what the rule of agreement is called."""
    return " = ".join(engines)


def sentences(
    engines: Sequence[str], models: Sequence[Model], prices: Mapping[str, float], n_pages: int
) -> Iterator[str]:
    """Yield what agreement alone accepts, and what it is worth to have all engines."""
    from fastarac.ocr.analysis.engine_prices import worth_of_all

    by_name = {model.name: model for model in models}
    rule = by_name.get(agreement_name(engines)) if len(engines) > 1 else None
    if rule is None:
        return
    agreed = rule.outputs.confidence == 1.0
    wrong = agreed & ~rule.outputs.correct
    units = rule.source.units
    yield (
        f"{rule.name}: of {rounded_percent(float(agreed.mean()))} of the {units} all engines have the "
        f"same text; accepting these leaves {rounded_percent(float(wrong.mean()))} errors, and "
        "there is no other threshold."
    )
    costs = {}
    for name in (*engines, together_name(engines)):
        found = by_name[name].cost_evaluation
        if found is not None:
            costs[name] = found.at_cheapest * len(by_name[name].outputs) / n_pages
    if len(costs) > len(engines):
        name = together_name(engines)
        alone = {each: costs[each] for each in engines}
        page = plural(rule.source.group_word, 1)
        yield worth_of_all(alone, (name, costs[name]), prices, page)
