"""The settings file of `fastarac ocr`, `apply` and `sample`: settings for one source."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastarac._core.text import listed, quoted
from fastarac.cli._option_groups import OptionsOf
from fastarac.cli._options import RefusalError, option, refused
from fastarac.cli._panels import Panel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SettingsFile = Annotated[
    Path | None,
    option(
        "--settings FILE", "A .toml file with settings that seldom change.",
        Panel.files, expert=True,
    ),
]  # fmt: skip


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and value is not True and 0 <= value < math.inf


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_table(value: object, right: Callable[[object], bool] = _is_text) -> bool:
    return isinstance(value, dict) and all(map(right, value.values()))


# Keys whose values are not texts: a check of the value, and an example.
KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "within_truth": (lambda value: isinstance(value, bool), "true or false"),
    "ignore_regions": (_is_list, "a list such as ['image']"),
    "names": (_is_list, "a list such as ['Tesseract', 'Textract']"),
    "rules": (_is_list, "a list such as ['net + tax == total', 'date <= due']"),
    "missed_price": (_is_price, "a number of at least 0, such as 5"),
    "rename": (_is_table, "a table such as {SUM = 'total'}"),
    "columns": (_is_table, "a table such as {text = 'word', confidence = 'score'}"),
    "engine_prices": (
        partial(_is_table, right=_is_price), "a table such as {tesseract = 0, textract = 0.0015}"
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """Settings, most of them named like the library's arguments.

    `combination` is the file of a learnt combination, and `names` are its engines.
    """

    unit: str | None = None
    names: Sequence[str] = ()
    combination: Path | None = None
    level: str = "auto"
    join: str = "min"
    inserted: str = "wrong"
    moved: str = "right"
    within_truth: bool = False
    ignore_regions: Sequence[str] = ()
    pattern: str | None = None
    truth_pattern: str | None = None
    value_key: str = "value"
    confidence_key: str = "confidence"
    rename: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    rules: Sequence[str] = ()
    missed_price: float | None = None
    engine_prices: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, settings: SettingsFile = None) -> OcrSettings:
        """Return the settings of a file, or the default settings without a file."""
        from fastarac.ocr.fields.comparisons import table_of_file

        if settings is None:
            return cls()
        with refused(ValueError):
            table = table_of_file(settings)
        known = [each.name for each in fields(cls)]
        for name, value in table.items():
            if name not in known:
                raise RefusalError(
                    f"{settings}: the keys must be some of {listed(known)}, got {quoted(name)}"
                )
            is_right, example = KINDS.get(name, (_is_text, "a text"))
            if not is_right(value):
                raise RefusalError(f"{settings}: {name} must be {example}, got {value!r}")
        if "combination" in table:
            table = {**table, "combination": settings.parent / table["combination"]}
        return cls(**table)

    def alignment(self) -> dict[str, Any]:
        """Return the settings of the alignment as arguments of the library."""
        return {
            **{name: getattr(self, name) for name in ("level", "join", "inserted", "moved")},
            "within_truth": self.within_truth,
            "ignore_regions": tuple(self.ignore_regions),
        }

    def field_names(self) -> dict[str, Any]:
        """Return the settings of fields and of nested JSON as arguments of the library."""
        return {name: getattr(self, name) for name in ("value_key", "confidence_key", "rename")}


SettingsOptions = Annotated[OcrSettings, OptionsOf(OcrSettings.read)]
