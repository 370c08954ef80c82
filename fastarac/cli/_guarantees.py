"""Thresholds that keep their limits on new outputs, too, with a stated confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from fastarac._core.text import listed, percent, printable, rounded_percent
from fastarac.cli import _numbers as numbers
from fastarac.cli._notes import collected
from fastarac.operating.guarantees import guaranteed_operating_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.cli._limits import Limit
    from fastarac.cli._report import Model
    from fastarac.operating.guarantees import GuaranteedOperatingPoint
    from fastarac.sweep import ThresholdSweep

NOTHING = "no threshold is sure to keep that; people have to verify every output"
NAMES = {"max_error_rate=": "--error-rate ", "max_risk=": "--max-risk "}


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What can be accepted of a model with a guarantee.

    Attributes
    ----------
    failure_probability : float
        The probability that may remain of a threshold that exceeds its limit.
    points : tuple of (Limit, GuaranteedOperatingPoint)
        One a limit.
    notes : tuple of str
        Which limits so few outputs cannot guarantee.
    """

    failure_probability: float
    points: tuple[tuple[Limit, GuaranteedOperatingPoint], ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, sweep: ThresholdSweep, limits: Sequence[Limit], failure_probability: float) -> Self:
        """Return the points for limits that are not thresholds."""
        notes: list[str] = []
        points = []
        for limit in limits:
            criterion: dict[str, Any] = {limit.criterion: limit.value}
            with collected(notes):
                point = guaranteed_operating_point(
                    sweep, **criterion, failure_probability=failure_probability
                )
            points.append((limit, point))
        return cls(failure_probability, tuple(points), tuple(map(_in_words_of_options, notes)))

    def figures(self) -> dict[str, Any]:
        """Return the figures by name, ``"threshold@guaranteed:0.01"`` and so on."""
        values: dict[str, Any] = {"failure_probability": self.failure_probability}
        for limit, found in self.points:
            figures = limit.figures(found.point)
            figures[f"bound@{limit.key}"] = found.bound
            values |= {name.replace("@", "@guaranteed:"): value for name, value in figures.items()}
        return values


def sentences(models: Sequence[Model]) -> list[str]:
    """Return a sentence per limit: what each model accepts with a guarantee."""
    every = [(model, model.guarantees) for model in models if model.guarantees is not None]
    if not every:
        return []
    said = []
    first = every[0][1]
    confidence = percent(round(1.0 - first.failure_probability, 12))
    for index, (limit, _) in enumerate(first.points):
        rate = percent(limit.value)
        promise = f"at most {rate} errors remain"
        if limit.criterion == "max_risk":
            promise = f"at most {rate} of what is accepted is wrong"
        several = len(every) > 1
        if all(guarantees.points[index][1].threshold == math.inf for _, guarantees in every):
            said.append(f"With {confidence} confidence {promise}: {NOTHING}.")
            continue
        each = [
            _outcome(model, guarantees.points[index][1], several=several) for model, guarantees in every
        ]
        said.append(f"With {confidence} confidence {promise}: {listed(each)}.")
    return said


def _outcome(model: Model, found: GuaranteedOperatingPoint, *, several: bool) -> str:
    rate = found.acceptance_rate
    name = printable(model.name)
    if found.threshold == math.inf:
        return f"nothing of {name}"
    threshold = numbers.threshold(found.threshold, model.sweep, model.dtype)
    share = rounded_percent(rate)
    if several:
        return f"{share} of {name} at confidence >= {threshold}"
    return f"accept at confidence >= {threshold}, {share} of the outputs"


def _in_words_of_options(note: str) -> str:
    for name, option in NAMES.items():
        note = note.replace(name, option)
    return note
