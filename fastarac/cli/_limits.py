"""What decides what is accepted: a limit to the errors or to the risk, or a threshold as given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.text import percent
from fastarac.operating.points import operating_point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.operating.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep

FIGURES = ("threshold", "acceptance_rate", "error_rate", "risk", "correction_rate")

Criterion = Literal["max_error_rate", "max_risk", "threshold"]


@dataclass(frozen=True, slots=True)
class Limit:
    """One criterion of :func:`.fastarac.operating_point` and its value.

    Attributes
    ----------
    criterion : {"max_error_rate", "max_risk", "threshold"}
        The keyword.
    value : float or int
        A rate, or the threshold.
    """

    criterion: Criterion
    value: float

    @property
    def is_given(self) -> bool:
        """Whether it is a threshold, which is not fitted to the outputs."""
        return self.criterion == "threshold"

    @property
    def as_given(self) -> str:
        """The value with all its digits, and no more."""
        return repr(self.value).removesuffix(".0")

    @property
    def key(self) -> str:
        """What follows the ``@`` in the names of the figures."""
        if self.is_given:
            return f"threshold={self.as_given}"
        rate = f"{self.value:.12g}"
        return f"risk={rate}" if self.criterion == "max_risk" else rate

    @property
    def short(self) -> str:
        """The limit in a header or a remark."""
        if self.is_given:
            return f">= {self.as_given}"
        return f"{percent(self.value)} {'risk' if self.criterion == 'max_risk' else 'errors'}"

    @property
    def header(self) -> str:
        """The header of the share that is accepted."""
        return f"accepted at\n{self.short}" if self.is_given else f"accepted at\n<= {self.short}"

    @property
    def opening(self) -> str:
        """How a sentence about it begins."""
        if self.is_given:
            return f"At confidence >= {self.as_given}"
        if self.criterion == "max_risk":
            return f"At most {percent(self.value)} of what is accepted wrong"
        return f"At most {percent(self.value)} errors"

    def point(self, sweep: ThresholdSweep) -> OperatingPoint:
        """Return the operating point that it decides on."""
        criterion: dict[str, Any] = {self.criterion: self.value}
        return operating_point(sweep, **criterion)

    def figures(self, point: OperatingPoint) -> dict[str, Any]:
        """Return the figures of the point by name; what is infinite or undefined is None."""
        values = {f"{name}@{self.key}": getattr(point, name) for name in FIGURES}
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in values.items()
        }


def accepted(confidence: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Return which items are accepted, with neither side rounded to the other's type."""
    if confidence.dtype.kind == "f":
        return np.asarray(confidence >= np.float64(threshold))
    return np.asarray(confidence >= (threshold if math.isinf(threshold) else math.ceil(threshold)))
