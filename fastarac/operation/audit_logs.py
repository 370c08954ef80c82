"""Check logs of audits for contradictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import fractions_of, same_number
from fastarac._engine.inputs import vector
from fastarac.operation.audit_numbers import refuse_unlikely_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class LogError(ValueError):
    """Error about a log row that contradicts itself or other rows; rows are numbered from 0."""

    def __init__(self, name: str, row: int, found: object, why: str) -> None:
        self.name, self.row, self.found, self.why = name, row, found, why
        super().__init__(f"{name}[{row}] is {found}; {why}")


@dataclass(frozen=True, slots=True, eq=False)
class AuditLog:
    """A checked log of audits.

    `correct` is NaN if the truth is unknown, and 0 for outputs that were drawn for an audit but have no
    result. `unanswered` is the number of drawn outputs without a result, or None if the log does not
    say which outputs were drawn. `probability` is the probability that an output was drawn for an
    audit; it is 1 for rejected outputs.
    """

    correct: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    probability: NDArray[np.float64]
    unanswered: int | None

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each output's truth is known; an audit without a result counts as a known error."""
        return np.asarray(~np.isnan(self.correct))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether each output is known to be wrong, or counted as wrong."""
        return np.asarray(self.correct == 0)


def log_of(
    correct: ArrayLike,
    confidence: NDArray[Any],
    above: NDArray[np.bool_],
    audit_probability: ArrayLike,
    accepted: ArrayLike | None = None,
    audited: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
    reasons: tuple[str, str] = ("the policy rejects it", "the policy accepts it"),
    *,
    rejected_known: bool = False,
    groups: NDArray[np.intp] | None = None,
) -> AuditLog:
    """Check that the columns of a log do not contradict each other.

    `above` marks the outputs that the policy or threshold accepts. `reasons` are the ends of error
    messages: why an output should be rejected, and why accepted. The number of drawn outputs, or of
    drawn `groups`, must fit the probabilities. With `rejected_known`, the truth of rejected outputs is
    required, because other thresholds would accept some of them.
    """
    n = len(confidence)
    truth = answers_of_log(correct, n)
    probability = np.broadcast_to(fractions_of(audit_probability, "audit_probability"), (n,)).copy()
    known = ~np.isnan(truth)
    if accepted is not None:
        said = flags_of(accepted, "accepted", n)
        refuse_rows("accepted", said & ~above, said, reasons[0])
        refuse_rows("accepted", ~said & above, said, reasons[1])
    if audited is not None:
        looked = flags_of(audited, "audited", n)
        refuse_rows(
            "audited", looked & above & ~known, looked, "correct is NaN, so the audit has no result"
        )
        refuse_rows(
            "correct", known & above & ~looked, truth, "the output was accepted and not audited"
        )
    chosen = None
    if drawn is not None:
        chosen = flags_of(drawn, "drawn", n)
        refuse_rows(
            "drawn", known & above & ~chosen, chosen, "the output was accepted and has a result"
        )
    if rejected_known:
        why = "the output was rejected, so its truth must be known"
        refuse_rows("correct", ~known & ~above, truth, why)
    never = above & (probability == 0)
    refuse_rows(
        "audit_probability", never, probability, "an accepted output needs a probability above 0"
    )
    made, words = (known, "have a result") if chosen is None else (chosen, "were drawn")
    refuse_unlikely_numbers(*_drawn_units(probability[above], made[above], groups, above), words)
    unanswered = None
    if chosen is not None:
        is_open = chosen & above & ~known
        truth, known, unanswered = np.where(is_open, 0.0, truth), known | is_open, int(is_open.sum())
    if not known.any():
        raise ValueError("correct is NaN everywhere: the truth of some outputs must be known")
    return AuditLog(truth, above, np.where(above, probability, 1.0), unanswered)


def _drawn_units(
    probability: NDArray[np.float64],
    made: NDArray[np.bool_],
    groups: NDArray[np.intp] | None,
    above: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """For each accepted output or group, return its audit probability and whether it was drawn."""
    if groups is None:
        return probability, made
    first, codes = np.unique(groups[above], return_index=True, return_inverse=True)[1:]
    whole = (made == made[first][codes]) & (probability == probability[first][codes])
    return (probability[first], made[first]) if whole.all() else (probability, made)


def answers_of_log(correct: ArrayLike, n: int, what: str = "items") -> NDArray[np.float64]:
    """Return `correct` as floats; raise unless there are `n` values, each 0, 1 or NaN."""
    truth = vector(correct, "correct").astype(np.float64)
    if len(truth) != n or n == 0:
        raise ValueError(
            f"correct has {len(truth)} {what} and confidence has {n}; both must have the same number"
        )
    refuse_rows("correct", ~np.isnan(truth) & (truth != 0) & (truth != 1), truth, "use 0, 1 or NaN")
    return truth


def flags_of(values: ArrayLike, name: str, n: int) -> NDArray[np.bool_]:
    """Return flags as booleans; raise unless there are n of them, each 0 or 1."""
    array = vector(values, name)
    same_number(name, len(array), "confidence", n)
    refuse_rows(name, (array != 0) & (array != 1), array, "use 0 or 1")
    return np.asarray(array == 1)


def refuse_rows(name: str, bad: NDArray[np.bool_], values: NDArray[Any], why: str) -> None:
    """Raise a LogError for the first bad row."""
    if bad.any():
        row = int(np.argmax(bad))
        raise LogError(name, row, values[row], why)
