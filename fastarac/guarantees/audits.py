"""Logs of a system in use, where the truth is known for a part: what they say of the error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import fractions_of, real_scalar, same_number
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.random_state import RandomState, generator_for, key_of
from fastarac._core.results import read_only
from fastarac._core.single_items import takes_items_only
from fastarac._engine.inputs import vector
from fastarac.guarantees.audit_numbers import refuse_unlikely_numbers
from fastarac.samples.door import threshold_sweep
from fastarac.samples.estimated import EstimatedSweep
from fastarac.samples.partial import PartialTruth
from fastarac.samples.partial_items import PartialItems


class LogError(ValueError):
    """A row of a log that contradicts the others, or itself; rows are counted from 0."""

    def __init__(self, name: str, row: int, found: object, why: str) -> None:
        self.name, self.row, self.found, self.why = name, row, found, why
        super().__init__(f"{name}[{row}] is {found}; {why}")


@dataclass(frozen=True, slots=True, eq=False)
class AuditedSweep(EstimatedSweep):
    """Counts at every threshold of a log of audits: an :class:`.EstimatedSweep` with what was logged.

    :func:`.audited_sweep` makes it. It stands in for a :class:`.ThresholdSweep` wherever rates are read
    off, and :func:`.guaranteed_operating_point` takes it for the exact guarantee.

    Attributes
    ----------
    threshold : float
        K, from which on outputs were accepted.
    least_probability, largest_probability : float
        π, the least and the largest probability with which such an output was audited.
    logged : ndarray of shape (n,)
        The confidences of all outputs in the log, with and without a known truth, falling.
    logged_probabilities : ndarray of shape (n,)
        With which probability the truth of each of them became known: 1 of what was rejected.
    unanswered : int or None
        How many outputs were drawn for an audit and have no result; each counts as an error. None where
        `drawn` was not given, so that they are not told from outputs that were never drawn.
    error_points : ndarray of shape (n_errors,), intp
        For each known error, the index of its confidence in `thresholds`; rising.
    error_probabilities : ndarray of shape (n_errors,)
        With which probability its truth became known: 1 where it was rejected.

    See Also
    --------
    fastarac.operation.audited_sweep : counts at every threshold from a log of audits
    fastarac.operation.read_audits : read a log of audits
    """

    threshold: float
    least_probability: float
    largest_probability: float
    logged: NDArray[np.float64]
    logged_probabilities: NDArray[np.float64]
    unanswered: int | None
    error_points: NDArray[np.intp]
    error_probabilities: NDArray[np.float64]

    def __post_init__(self) -> None:
        EstimatedSweep.__post_init__(self)
        for name in ("logged", "logged_probabilities", "error_points", "error_probabilities"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __repr__(self) -> str:
        share = f"{self.least_probability:g}"
        if self.largest_probability > self.least_probability:
            share += f" to {self.largest_probability:g}"
        return (
            f"AuditedSweep({len(self.logged)} outputs, accepted from {self.threshold:g} on, "
            f"audited with probability {share})"
        )

    def accepted_at(self, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many outputs in the log are at or above each of falling thresholds."""
        return np.searchsorted(-self.logged, -thresholds, side="right").astype(np.int64)

    def thinned_errors(self, random_state: RandomState) -> NDArray[np.int64]:
        """Return errors at each threshold, (m + 1,), of which each one there was is kept with π.

        Where all of the accepted ones were audited with π, one that was rejected, and so is known, is
        kept with π: then each error of the log is in with the same probability, wherever it is.
        """
        rng = generator_for(
            key_of(random_state), self.error_points, self.error_probabilities, self.false_accepts
        )
        kept = rng.random(len(self.error_points)) < self.least_probability / self.error_probabilities
        counts = np.bincount(self.error_points[kept], minlength=len(self.thresholds))
        return np.cumsum(counts).astype(np.int64)

    def outcomes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return for each of the `logged` confidences 1 where an error is known, else NaN, and its π.

        A known output that is right counts in bets as one that is not known.
        """
        values = self.thresholds[self.error_points].astype(np.float64)
        # outputs come by falling confidence and falling probability, and so do errors taken backwards
        probability = np.append(self.logged_probabilities, self.error_probabilities)
        pairs = np.stack([np.append(self.logged, values), probability])
        codes = np.unique(pairs, axis=1, return_inverse=True)[1].ravel()
        of_output, of_error = codes[: len(self.logged)], np.sort(codes[len(self.logged) :])
        within = np.arange(len(of_error)) - np.searchsorted(of_error, of_error)
        found = np.full(len(self.logged), np.nan)
        found[np.searchsorted(-of_output, -of_error) + within] = 1.0
        return found, self.logged_probabilities


@takes_items_only("each item was audited or not")
def audited_sweep(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    threshold: float,
    audit_probability: ArrayLike,
    accepted: ArrayLike | None = None,
    audited: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
) -> AuditedSweep:
    """Count the outputs of a log in which people verified what was rejected, and audited some others.

    It is the sweep of a :class:`.PartialTruth` whose probabilities are 1 below the threshold in use.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (1 or 0, and NaN where nobody looked), and its confidence, finite.
    threshold : float
        K: outputs at or above it were accepted. All others were verified.
    audit_probability : float or array_like of shape (n,)
        π, with which probability an accepted output was audited, in [0, 1]; decided before its truth
        was known, and logged.
    accepted, audited : array_like of shape (n,), optional
        What the log says of each output, 1 or 0; checked against the rest.
    drawn : array_like of shape (n,), bool, optional
        Which accepted outputs were drawn for an audit, with or without a result so far. Those without
        one count as errors. Without `drawn` an output without a result is taken for one that was never
        drawn, and errors that are answered late are missed. Not looked at where an output was rejected.

    Returns
    -------
    AuditedSweep
        Estimated counts at the confidences of all outputs, and what the exact guarantee needs.

    Raises
    ------
    ValueError
        As :func:`.threshold_sweep`; also where the log contradicts itself, with the first such row: an
        output that was accepted below K or rejected from K on, one that was audited with probability 0,
        a truth of what nobody saw or was not drawn, or a rejected or audited output without one; and
        where the audits are too few or too many for the probabilities that were logged.

    See Also
    --------
    audited_error_rate : estimate undetected errors from a log of audits
    fastarac.guaranteed_operating_point : choose a threshold that keeps a limit on new items
    fastarac.results.AuditedSweep : counts estimated from a log of audits

    Notes
    -----
    **How many audits are refused.** The number of audits (those drawn, or else those with a result) has
    to lie in the central 99.9% of its binomial distribution: of each distinct π, or of each tenth of
    many, with Bonferroni's correction. With several π, Σ1/π over the audits has to be within
    3.29·√Σ((1 − π)/π) of the number of accepted outputs, or a little further where the distribution is
    skew. Of honest logs with one π 0.1% are refused, of those with several up to 0.2%.

    **Estimates.** Each output counts with the estimate of its error of :class:`.PartialTruth`: its
    predicted error rate by the confidence and, where its truth is known, 1/π times what it differs from
    that. What is known with certainty counts as it is; how many outputs are accepted at a threshold is
    known. The rates at thresholds below K say what would be if more were accepted.

    References
    ----------
    Horvitz and Thompson 1952, "A generalization of sampling without replacement".

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(5000)
    >>> right = rng.random(5000) < 0.8 + 0.2 * confidence
    >>> seen = (confidence < 0.25) | (rng.random(5000) < 0.1)
    >>> sweep = fa.operation.audited_sweep(
    ...     np.where(seen, right, np.nan), confidence, threshold=0.25, audit_probability=0.1
    ... )
    >>> sweep
    AuditedSweep(5000 outputs, accepted from 0.25 on, audited with probability 0.1)
    >>> print(fa.operating_point(sweep, threshold=0.25))
    accept 74.48% at confidence >= 0.25: error rate 5.802%, risk 7.79%
    """
    log = read_log(correct, confidence, threshold, audit_probability, accepted, audited, drawn)
    truth = PartialTruth.of_checked(log.correct, log.probability)
    sweep = PartialItems(truth, log.confidence).sweep(0.0)
    falling = -sweep.thresholds[1:].astype(np.float64)
    wrong = log.wrong
    points = np.searchsorted(falling, -log.confidence[wrong].astype(np.float64)) + 1
    probability = log.probability[wrong]
    order = np.lexsort((probability, points))
    from_the_top = np.lexsort((log.probability, log.confidence))[::-1]
    return AuditedSweep(
        sweep.thresholds, sweep.true_accepts, sweep.false_accepts,
        squares=sweep.squares,
        n_verified=sweep.n_verified,
        pairs_above=sweep.pairs_above,
        pairs_alone=sweep.pairs_alone,
        threshold=real_scalar(threshold, "threshold", finite=False),
        least_probability=log.least_probability,
        largest_probability=float(log.probability[log.accepted].max(initial=log.least_probability)),
        logged=log.confidence[from_the_top].astype(np.float64),
        logged_probabilities=log.probability[from_the_top],
        unanswered=log.unanswered,
        error_points=points[order],
        error_probabilities=probability[order],
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class AuditLog:
    """A log that does not contradict itself.

    `correct` is NaN where unknown, and 0 of an output that was drawn and has no result; `unanswered`
    counts these, where it is known what was drawn. `probability` is that with which the truth became
    known.
    """

    correct: NDArray[np.float64]
    confidence: NDArray[Any]
    accepted: NDArray[np.bool_]
    probability: NDArray[np.float64]
    unanswered: int | None

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whose truth is known, or taken for an error."""
        return np.asarray(~np.isnan(self.correct))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which are known to be wrong, or count as such."""
        return np.asarray(self.correct == 0)

    @property
    def least_probability(self) -> float:
        """The least probability with which an accepted output was audited; 1 where there is none."""
        return float(self.probability[self.accepted].min(initial=1.0))


def read_log(
    correct: ArrayLike,
    confidence: ArrayLike,
    threshold: float,
    audit_probability: ArrayLike,
    accepted: ArrayLike | None = None,
    audited: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
) -> AuditLog:
    """Check the log of one threshold, as `log_of` does."""
    scores = vector(confidence, "confidence")
    limit = real_scalar(threshold, "threshold", finite=False)
    if scores.dtype.kind == "f" and not np.isfinite(scores).all():
        threshold_sweep(np.zeros(len(scores), np.bool_), scores)  # refuses it
    side = f"the threshold of {limit:g}"
    reasons = f"confidence is below {side}", f"confidence is at or above {side}"
    above = at_or_above(scores, limit)
    said = accepted, audited, drawn, reasons
    return log_of(correct, scores, above, audit_probability, *said, rejected_known=True)


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
    """Check a log; an error names the first row (counted from 0) that contradicts another column.

    `above` says which outputs were accepted by rule, `reasons` why others were not, and why these were.
    Of `groups` that were drawn whole, their number has to be a likely one, and not that of outputs.
    What was rejected is no undetected error, whatever its truth: only other thresholds need it known.
    """
    n = len(confidence)
    truth = vector(correct, "correct").astype(np.float64)
    if len(truth) != n or n == 0:
        raise ValueError(
            f"correct has {len(truth)} items and confidence has {n}; they must have the same number"
        )
    _refuse("correct", ~np.isnan(truth) & (truth != 0) & (truth != 1), truth, "use 0, 1 or NaN")
    probability = np.broadcast_to(fractions_of(audit_probability, "audit_probability"), (n,)).copy()
    known = ~np.isnan(truth)
    if accepted is not None:
        said = _flags(accepted, "accepted", n)
        _refuse("accepted", said & ~above, said, reasons[0])
        _refuse("accepted", ~said & above, said, reasons[1])
    if audited is not None:
        looked = _flags(audited, "audited", n)
        _refuse(
            "audited", looked & above & ~known, looked, "correct is NaN, so the audit has no result"
        )
        _refuse("correct", known & above & ~looked, truth, "the output was accepted and not audited")
    chosen = None
    if drawn is not None:
        chosen = _flags(drawn, "drawn", n)
        _refuse("drawn", known & above & ~chosen, chosen, "the output was accepted and has a result")
    if rejected_known:
        why = "the output was rejected, so its truth must be known"
        _refuse("correct", ~known & ~above, truth, why)
    never = above & (probability == 0)
    _refuse("audit_probability", never, probability, "an accepted output needs a probability above 0")
    made, words = (known, "have a result") if chosen is None else (chosen, "were drawn")
    refuse_unlikely_numbers(*_drawn_units(probability[above], made[above], groups, above), words)
    unanswered = None
    if chosen is not None:
        is_open = chosen & above & ~known
        truth, known, unanswered = np.where(is_open, 0.0, truth), known | is_open, int(is_open.sum())
    if not known.any():
        raise ValueError("correct is NaN everywhere: the truth of some outputs must be known")
    return AuditLog(truth, confidence, above, np.where(above, probability, 1.0), unanswered)


def _drawn_units(
    probability: NDArray[np.float64],
    made: NDArray[np.bool_],
    groups: NDArray[np.intp] | None,
    above: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return π and whether it was drawn of each unit: an accepted output, or a group drawn whole."""
    if groups is None:
        return probability, made
    first, codes = np.unique(groups[above], return_index=True, return_inverse=True)[1:]
    whole = (made == made[first][codes]) & (probability == probability[first][codes])
    return (probability[first], made[first]) if whole.all() else (probability, made)


def _flags(values: ArrayLike, name: str, n: int) -> NDArray[np.bool_]:
    array = vector(values, name)
    same_number(name, len(array), "confidence", n)
    _refuse(name, (array != 0) & (array != 1), array, "use 0 or 1")
    return np.asarray(array == 1)


def _refuse(name: str, bad: NDArray[np.bool_], values: NDArray[Any], why: str) -> None:
    """Raise about the first bad row."""
    if bad.any():
        row = int(np.argmax(bad))
        raise LogError(name, row, values[row], why)
