"""Combine several engines in ``fastarac ocr``, and price the combination."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastarac._core.text import listed, quoted
from fastarac.answers.combination import agreement_name, together_name
from fastarac.cli._options import RefusalError, option
from fastarac.cli._panels import Panel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fastarac.ocr import Combination, Engine
    from fastarac.results import FieldOutputs

Combine = Annotated[
    bool,
    option("--combine", "Evaluate the engines together, too.", Panel.files, expert=True),
]
CombinationFile = Annotated[
    Path | None,
    option(
        "--combination FILE",
        "Combine engines with a file from --save-combination.",
        Panel.files,
        expert=True,
    ),
]
SaveCombination = Annotated[
    Path | None,
    option(
        "--save-combination FILE", "Write the combination learnt from all pages as a .json file.",
        Panel.output, expert=True,
    ),
]  # fmt: skip
EnginePrices = Annotated[
    list[str] | None,
    option(
        "--engine-price NAME=PRICE", "Price of an engine per page or document; repeatable.",
        Panel.costs, expert=True,
    ),
]  # fmt: skip


OF_READING = ("level", "within_truth", "ignore_regions")  # applied before engines are combined


@dataclass(frozen=True, slots=True)
class Combining:
    """Options for combining engines, and the prices of engines.

    Attributes
    ----------
    combine : bool
    combination : Path or None
        A file of a combination learnt from other pages.
    save_combination : Path or None
        The file in which to save the learnt combination.
    engine_price : list of str or None
        The prices as typed.
    """

    combine: Combine = False
    combination: CombinationFile = None
    save_combination: SaveCombination = None
    engine_price: EnginePrices = None

    @property
    def is_wanted(self) -> bool:
        """Whether to combine engines."""
        return self.combine or self.combination is not None

    def check(self, missed_price: float | None, *, are_priced: bool) -> None:
        """Refuse options that contradict each other."""
        if self.save_combination is not None and not self.combine:
            raise RefusalError("--save-combination needs --combine, which learns it")
        if self.save_combination is not None and self.combination is not None:
            raise RefusalError("give only one of --combination and --save-combination")
        if self.save_combination is not None and not self.save_combination.parent.is_dir():
            raise RefusalError(
                f"{self.save_combination}: there is no folder {self.save_combination.parent}"
            )
        if not self.engine_price:
            return
        if not are_priced:
            raise RefusalError(
                "--engine-price needs --cost-verification, --cost-correction and --cost-error"
            )
        if missed_price is not None:
            raise RefusalError("give only one of --engine-price and --cost-missed")

    def texts(self, engines: Mapping[str, Engine], alignment: Mapping[str, Any]) -> dict[str, Engine]:
        """Return the engines and their combinations."""
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
        """Return the engines and their combinations."""
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
        """Return the learnt combination and the rule of agreement by name; save the former if asked."""
        from fastarac.ocr import Combination

        if len(engines) < 2:
            raise RefusalError("--combine needs at least two OCR")
        names = together_name(engines), agreement_name(engines)
        if taken := [name for name in names if name in engines]:
            raise RefusalError(f"an engine is called {quoted(taken[0])}; --name gives it another name")
        found: dict[str, Any] = {}
        try:
            given = None if self.combination is None else Combination.load(self.combination)
            found[names[0]], learnt = put(combination=given)
            found[names[1]], _ = put(agreement="exact")
            if self.save_combination is not None and learnt is not None:
                learnt.save(self.save_combination)
        except (ValueError, OSError, ModuleNotFoundError) as error:
            raise RefusalError(f"--combine: {error}") from None
        return found

    def price_of(self, engines: Sequence[str]) -> dict[str, float]:
        """Return the price of each engine and of their combinations; empty if no price is given."""
        if not self.engine_price:
            return {}
        found: dict[str, float] = {}
        for each in self.engine_price:
            name, equals, price = each.rpartition("=")
            value = _number(price)
            if not equals or not 0 <= value < math.inf:
                raise RefusalError(
                    f"--engine-price must be NAME=PRICE with a price of at least 0, got {quoted(each)}"
                )
            if name not in engines:
                raise RefusalError(
                    f"--engine-price must name one of {listed(list(map(quoted, engines)))}, got "
                    f"{quoted(name)}"
                )
            if name in found:
                raise RefusalError(f"--engine-price is given twice for {quoted(name)}")
            found[name] = value
        if missing := [name for name in engines if name not in found]:
            raise RefusalError(
                "--engine-price must give a price for each engine, but lacks "
                f"{listed(list(map(quoted, missing)))}"
            )
        every = sum(found.values())
        return found | {together_name(engines): every, agreement_name(engines): every}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
