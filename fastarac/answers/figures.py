"""The base class of models without items."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastarac.answers.evaluated import Evaluated
from fastarac.evaluation.sources import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.answers.groups import Groups


@dataclass(frozen=True, slots=True)
class FiguresOfModel(Evaluated):
    """The figures of a model without its items.

    Attributes
    ----------
    name : str
    evaluation : Evaluation
    groups : Groups or None
        The figures of each group, if asked for.
    doubts : sequence of str
        Doubts about the confidence.
    notes : sequence of str
        Doubts about intervals and guarantees.
    confidence_range : tuple of float
        The lowest and the highest confidence; NaN if they are not known.
    """

    name: str
    evaluation: Any
    groups: Groups | None = None
    doubts: Sequence[str] = field(default=(), kw_only=True)
    notes: Sequence[str] = field(default=(), kw_only=True)
    confidence_range: tuple[float, float] = field(default=(math.nan, math.nan), kw_only=True)

    source = Source()
    units = "outputs"
    n_groups = None
    takes_guarantee = True
