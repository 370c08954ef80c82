"""Combine several engines in ``fastarac ocr``."""

from __future__ import annotations

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
    option("--combine", "Also evaluate the engines combined.", Panel.files, expert=True),
]
SaveCombination = Annotated[
    Path | None,
    option(
        "--save-combination FILE", "Write the learnt combination as a .json file.",
        Panel.output, expert=True,
    ),
]  # fmt: skip


# Options that apply before engines are combined.
OF_READING = ("level", "within_truth", "ignore_regions")


@dataclass(frozen=True, slots=True)
class Combining:
    """Options for combining engines.

    Attributes
    ----------
    combine : bool
    combination : Path or None
        A file of a combination learnt from other pages.
    save_combination : Path or None
        The file in which to save the learnt combination.
    """

    combine: bool = False
    save_combination: Path | None = None
    combination: Path | None = None

    @property
    def is_wanted(self) -> bool:
        return self.combine or self.combination is not None

    def check(self) -> None:
        """Refuse to save a combination if it is given, not learnt, or if the folder is missing."""
        if self.save_combination is not None and self.combination is not None:
            raise RefusalError(
                "--save-combination cannot go with combination in --settings: leave out one of the two"
            )
        if self.save_combination is not None and not self.save_combination.parent.is_dir():
            raise RefusalError(
                f"{self.save_combination}: there is no folder {self.save_combination.parent}"
            )

    def texts(self, engines: Mapping[str, Engine], alignment: Mapping[str, Any]) -> dict[str, Engine]:
        """Return the engines that read texts, and their combinations."""
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
        """Return the engines that read fields, and their combinations."""
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
        """Return the outputs of the learnt combination and of the rule of agreement, by name."""
        from fastarac.ocr import Combination

        if len(engines) < 2:
            raise RefusalError("--combine needs the outputs of at least two engines")
        names = together_name(engines), agreement_name(engines)
        if taken := [name for name in names if name in engines]:
            raise RefusalError(
                f"an engine has the name of a combination, {quoted(taken[0])}; --name gives it another"
            )
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


def combining(combine: Combine = False, save_combination: SaveCombination = None) -> Combining:
    return Combining(combine, save_combination)


def prices_together(engines: Sequence[str], prices: Mapping[str, float]) -> dict[str, float]:
    """Return the prices of the engines and of their combinations; a combination costs the sum."""
    if not prices:
        return {}
    if set(prices) != set(engines):
        raise RefusalError(
            f"engine_prices must give a price for each of {listed(list(map(quoted, engines)))}, got "
            f"{listed(list(map(quoted, prices)))}"
        )
    every = sum(prices.values())
    return {**prices, together_name(engines): every, agreement_name(engines): every}
