"""The people who verify what is rejected: what they overlook, and what they spoil."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fastarac._core.checks import fraction_of
from fastarac._core.results import Pickled

if TYPE_CHECKING:

    class _Counts(Protocol):
        """A ThresholdSweep, or one of its points."""

        @property
        def false_accepts(self) -> Any: ...
        @property
        def false_rejects(self) -> Any: ...
        @property
        def true_rejects(self) -> Any: ...
        @property
        def total(self) -> int | float: ...


@dataclass(frozen=True, slots=True)
class Reviewer(Pickled):
    r"""People who do not see every error, and who may see errors where there are none.

    Of the incorrect items that they are shown they find and correct the share `detection_rate`; the
    others stay wrong. Of the correct items they change the share `false_alarm_rate`, each of which
    is wrong from then on. A changed item costs a correction either way.

    Attributes
    ----------
    detection_rate : float, default=1.0
        d, the share of the rejected incorrect items that is found and put right, in [0, 1].
    false_alarm_rate : float, default=0.0
        a, the share of the rejected correct items that is changed for the worse, in [0, 1].

    See Also
    --------
    VerificationCosts : prices of an item that is verified, corrected, or wrong in the end
    fastarac.costs.optimal_operating_point : threshold of least total cost

    Notes
    -----
    Error rate and correction rate, equations 5 and 4 of Kimura et al. 2024 for d = 1 and a = 0, become

    .. math:: R_E = \frac{F_A + (1-d)\,T_R + a\,F_R}{\Omega},\qquad
              R_C = \frac{d\,T_R + a\,F_R}{\Omega}.

    Equation 7 becomes β + R_E + R_C = 1 + 2a·F_R/Ω: what is spoiled is counted as an error and as a
    correction, and was correct before. With β′ = β − 2a·F_R/Ω in the place of β, equations 7, 14 and
    15 hold as they are printed.

    Where d < 1 or a > 0, errors remain where everything is verified. Where a > 0, R_E may fall while
    more is accepted.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 4, 5, 7 and 14, here for people who err.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> sweep = fa.threshold_sweep(correct, confidence)
    >>> people = fa.Reviewer(detection_rate=0.75, false_alarm_rate=0.25)
    >>> people.error_rate(sweep)
    array([0.25, 0.2 , 0.15, 0.1 , 0.25, 0.4 ])
    >>> sweep.error_rate
    array([0. , 0. , 0. , 0. , 0.2, 0.4])
    """

    detection_rate: float = 1.0
    false_alarm_rate: float = 0.0

    def __post_init__(self) -> None:
        for name in ("detection_rate", "false_alarm_rate"):
            rate = fraction_of(getattr(self, name), name)
            object.__setattr__(self, name, rate)

    def error_rate(self, counts: _Counts) -> Any:
        """R_E = [FA + (1 − d)·TR + a·FR]/Ω: the share that is wrong in the end.

        Parameters
        ----------
        counts : ThresholdSweep or OperatingPoint
            What the machine accepts and rejects.

        Returns
        -------
        float or ndarray of shape (m + 1,)
            In [0, 1]; an array at the thresholds of a sweep.
        """
        errors = self.errors(counts.false_accepts, counts.false_rejects, counts.true_rejects)
        return errors / counts.total

    def correction_rate(self, counts: _Counts) -> Any:
        """R_C = [d·TR + a·FR]/Ω: the share that people change; arguments as of `error_rate`."""
        changed = self.detection_rate * counts.true_rejects
        changed = changed + self.false_alarm_rate * counts.false_rejects
        return changed / counts.total

    def accuracy_after_correction(self, counts: _Counts) -> Any:
        """Y = 1 − R_E: the share that is right in the end; arguments as of `error_rate`."""
        errors = self.errors(counts.false_accepts, counts.false_rejects, counts.true_rejects)
        return (counts.total - errors) / counts.total

    def errors(self, false_accepts: Any, false_rejects: Any, true_rejects: Any) -> Any:
        """FA + (1 − d)·TR + a·FR: how many items are wrong in the end.

        Parameters
        ----------
        false_accepts, false_rejects, true_rejects : float or ndarray
            FA, FR and TR, numbers or weights of items.

        Returns
        -------
        float or ndarray
        """
        overlooked = (1.0 - self.detection_rate) * true_rejects
        return false_accepts + overlooked + self.false_alarm_rate * false_rejects


def check_reviewer(reviewer: Reviewer | None, name: str = "reviewer") -> None:
    """Raise unless it is a `Reviewer` or left out."""
    if reviewer is not None and not isinstance(reviewer, Reviewer):
        raise TypeError(f"{name} is {reviewer!r} ({type(reviewer).__name__}); a Reviewer is expected")
