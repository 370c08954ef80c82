"""The outputs of language-model harnesses, for their adapters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.results import Table, TupleResult
from fastarac.evaluation.items import evaluate

if TYPE_CHECKING:
    from fastarac.evaluation.results import Evaluation


class _HarnessOutputs(NamedTuple):
    correct: NDArray[np.float64]
    """The grade of each output, in [0, 1]."""
    confidence: NDArray[np.float64]
    """The confidence of each output."""
    groups: NDArray[Any]
    """The question of each output, or another label shared by dependent outputs."""


class HarnessOutputs(Table, TupleResult, _HarnessOutputs):
    """The outputs in a harness log, in the order of the log.

    See Also
    --------
    fastarac.io.Outputs : outputs of machines, one row per item
    fastarac.evaluate : compute all metrics of one model

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> grades, sure, questions = np.array([1.0, 0.5]), np.array([0.9, 0.4]), np.array(["a", "b"])
    >>> found = fa.results.HarnessOutputs(grades, sure, questions)
    >>> found.evaluate(max_error_rate=0.3).recognition_rate
    0.75
    """

    __slots__ = ()

    def evaluate(self, **options: Any) -> Evaluation:
        """Evaluate the outputs as :func:`.evaluate` does, with intervals that allow for the groups.

        Parameters
        ----------
        **options
            As in :func:`.evaluate`. Grades between 0 and 1 count as partly correct.
        """
        graded = not np.isin(self.correct, (0, 1)).all()
        several = len(np.unique(self.groups)) < len(self.groups)
        needed = options.get("intervals") or options.get("failure_probability") is not None
        if several and needed:
            options = {"groups": self.groups, **options}
        return evaluate(self.correct, self.confidence, graded=graded, **options)


def outputs_of(
    grades: Sequence[float], confidence: Sequence[Any], groups: Sequence[Hashable]
) -> HarnessOutputs:
    """Check the values read from a log, and return them as arrays."""
    for group, found in zip(groups, confidence, strict=True):
        if isinstance(found, bool) or not isinstance(found, int | float | np.number):
            raise TypeError(f"the confidence of {group!r} must be a number, got {found!r}")
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    same_type = len({type(group) for group in groups}) == 1
    labels: list[Any] = list(groups) if same_type else [numbers[group] for group in groups]
    return HarnessOutputs(np.array(grades, float), np.array(confidence, float), np.array(labels))
