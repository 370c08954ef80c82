"""Compute curves over the acceptance rate from a sweep."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import reject_beside_sweep
from fastarac._core.results import Table, TupleResult
from fastarac._engine import parallel
from fastarac.bounds.bounded import BoundedSweep, refuse_of_bounds
from fastarac.reviewer import Reviewer, check_reviewer
from fastarac.samples.door import as_ranked, as_sweep

if TYPE_CHECKING:
    from fastarac.sweep import CornerSweep, ThresholdSweep

FloatArray = NDArray[np.float64]
C = TypeVar("C")
P = ParamSpec("P")

# Total number of points to draw inside bins, where the curve of the precision is not straight.
POINTS_OF_BINS = 4096


class _ARACCurve(NamedTuple):
    acceptance_rate: FloatArray
    accuracy_after_correction: FloatArray
    thresholds: NDArray[Any]


class ARACCurve(Table, TupleResult, _ARACCurve):
    """Points of the ARAC curve, from nothing accepted to everything accepted.

    See Also
    --------
    fastarac.arac_curve : acceptance rate – accuracy after correction curve
    CurveBounds : two curves of a BoundedSweep that bound the curve of the items

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> x, y, thresholds = fa.arac_curve(correct, confidence)
    >>> x, y
    (array([0. , 0.2, 0.4, 0.6, 0.8, 1. ]), array([1. , 1. , 1. , 0.8, 0.8, 0.6]))
    """

    __slots__ = ()


class _ARPCurve(NamedTuple):
    acceptance_rate: FloatArray
    precision: FloatArray
    thresholds: NDArray[Any]


class ARPCurve(Table, TupleResult, _ARPCurve):
    """Points of the acceptance rate – precision curve, from nothing accepted to everything accepted.

    See Also
    --------
    fastarac.arp_curve : acceptance rate – precision curve
    ARACCurve : points of the ARAC curve, from nothing accepted to everything accepted

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> fa.arp_curve(correct, confidence).precision.round(3)
    array([1.   , 1.   , 1.   , 0.667, 0.75 , 0.6  ])
    """

    __slots__ = ()


class _RCCurve(NamedTuple):
    coverage: FloatArray
    risk: FloatArray
    thresholds: NDArray[Any]


class RCCurve(Table, TupleResult, _RCCurve):
    """Points of the risk–coverage curve, from nothing accepted to everything accepted.

    See Also
    --------
    fastarac.rc_curve : risk–coverage curve
    GeneralizedRCCurve : points of the generalised risk–coverage curve

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> curve = fa.rc_curve(correct, confidence)
    >>> curve.risk.round(3)
    array([0.   , 0.   , 0.   , 0.333, 0.25 , 0.4  ])
    """

    __slots__ = ()


class _GeneralizedRCCurve(NamedTuple):
    coverage: FloatArray
    error_rate: FloatArray
    thresholds: NDArray[Any]


class GeneralizedRCCurve(Table, TupleResult, _GeneralizedRCCurve):
    """Points of the generalised risk–coverage curve, from nothing accepted to everything accepted.

    See Also
    --------
    fastarac.generalized_rc_curve : generalised risk–coverage curve
    RCCurve : points of the risk–coverage curve

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> fa.generalized_rc_curve(correct, confidence).error_rate
    array([0. , 0. , 0. , 0.2, 0.2, 0.4])
    """

    __slots__ = ()


class _AccuracyRejectionCurve(NamedTuple):
    rejection_rate: FloatArray
    accuracy: FloatArray
    thresholds: NDArray[Any]


class AccuracyRejectionCurve(Table, TupleResult, _AccuracyRejectionCurve):
    """Points of the accuracy–rejection curve, from everything rejected to nothing rejected.

    See Also
    --------
    fastarac.accuracy_rejection_curve : accuracy–rejection curve
    RCCurve : points of the risk–coverage curve

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> curve = fa.accuracy_rejection_curve(correct, confidence)
    >>> curve[0], curve[1].round(3)
    (array([1. , 0.8, 0.6, 0.4, 0.2, 0. ]), array([1.   , 1.   , 1.   , 0.667, 0.75 , 0.6  ]))
    """

    __slots__ = ()


class _CurveBounds(NamedTuple, Generic[C]):
    worst: C
    """The curve for the worst order of items in the bins, with lower accuracy and higher risk."""
    best: C
    """The curve for the best order of items in the bins."""


class CurveBounds(Table, TupleResult, _CurveBounds[C]):
    """The two curves of a :class:`.BoundedSweep` that bound the curve of the items.

    The threshold of a point is the lower edge of its bin.

    See Also
    --------
    fastarac.frames.BoundedSweep : bounds of metrics from counts in bins
    fastarac.frames.Bounds : lower and upper bound of a metric

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.frames.BoundedSweep.from_bins([0.0, 0.5, 1.0], [10, 30], [20, 5])
    >>> low, high = fa.arac_curve(sweep)
    >>> type(low).__name__
    'ARACCurve'
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, Any]:
        """Return the points of the two curves as columns; `order` names the curve of each point."""
        curves: list[dict[str, Any]] = [curve._asdict() for curve in self]  # type: ignore[attr-defined]
        sizes = [len(curve["thresholds"]) for curve in curves]
        points = {name: np.concatenate([curve[name] for curve in curves]) for name in curves[0]}
        return {"order": np.repeat(self._fields, sizes), **points}


def steps_of(sweep: BoundedSweep) -> int:
    """Return how many steps to divide each bin into: precision curves are not straight inside bins."""
    return 1 + POINTS_OF_BINS // len(sweep.single_valued)


class _OrBounds(Protocol[P, C]):
    """A function that returns the curve of items, or two curves of a `BoundedSweep`."""

    @overload
    def __call__(self, sweep: BoundedSweep, /) -> CurveBounds[C]: ...
    @overload
    def __call__(self, *args: P.args, **options: P.kwargs) -> C: ...


def _or_bounds(curve: Callable[P, C]) -> _OrBounds[P, C]:
    """Return a curve function that also takes a `BoundedSweep`, and then returns two curves."""

    @wraps(curve)
    def or_bounds(correct: Any, confidence: Any = None, **options: Any) -> Any:
        if not isinstance(correct, BoundedSweep):
            return of_sweep(correct, confidence, **options)
        reject_beside_sweep(confidence, options.pop("sample_weight", None))
        refuse_of_bounds(**options)
        steps = steps_of(correct)
        return CurveBounds(*(of_sweep(correct.order(best=best, steps=steps)) for best in (False, True)))

    of_sweep: Any = curve
    return cast("_OrBounds[P, C]", or_bounds)


def _points(
    kernel: str, counts: NDArray[Any], others: NDArray[Any], *, flag: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the two rates of a curve, computed in threads by a kernel of `_kernels.counting`."""
    x, y = np.empty(len(counts)), np.empty(len(counts))
    total = float(counts[-1].item() + others[-1].item())
    edges = parallel.edges(len(x))
    write = getattr(_kernels.counting, kernel)

    def work(share: int) -> None:
        write(counts, others, total, flag, edges[share], edges[share + 1], x, y)

    parallel.run(work, range(len(edges) - 1))
    return x, y


@_or_bounds
def arac_curve(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> ARACCurve:
    """Acceptance rate – accuracy after correction curve.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    reviewer : Reviewer, optional
        The people who verify rejected items; by default they find and correct every error.
    sample_weight : array_like of shape (n,), optional
        The weights of the items, which must be real, finite and at least 0, with a positive sum.

    Returns
    -------
    acceptance_rate : ndarray of shape (m + 1,)
        X, the share of items accepted without verification. It increases from 0 to 1.
    accuracy_after_correction : ndarray of shape (m + 1,)
        Y, the share of items that are right after people have corrected the rejected items. It
        decreases from 1 to the recognition rate β, the share of correct items. With a `reviewer`, it
        may start below 1 and may increase, but also ends at β.
    thresholds : ndarray of shape (m + 1,)
        The thresholds, decreasing from ``inf``. An item is accepted iff ``confidence >= threshold``.

    See Also
    --------
    arac_auc_score : area under the ARAC curve
    arp_curve : acceptance rate – precision curve
    fastarac.displays.ARACDisplay : ARAC curve
    fastarac.results.ARACCurve : points of the ARAC curve, from nothing accepted to everything accepted

    Notes
    -----
    With true and false accepts and rejects TA, FA, TR and FR, and their sum Ω, the curve is X = (TA +
    FA)/Ω and Y = (TA + TR + FR)/Ω (equations 1 and 16 of Kimura et al. 2024). It is also known as
    oracle-collaborative accuracy or retention curve. For errors raised, see :func:`.threshold_sweep`.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 1 and 16.

    Examples
    --------
    >>> import fastarac as fa
    >>> x, y, thresholds = fa.arac_curve([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    >>> x
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> y
    array([1.  , 1.  , 1.  , 1.  , 0.75])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.6, 0.4])
    """
    check_reviewer(reviewer)
    sweep = as_ranked(correct, confidence, sample_weight, corners=True).points.possible
    if reviewer is not None:
        y = reviewer.accuracy_after_correction(sweep)
        return ARACCurve(sweep.acceptance_rate, y, sweep.thresholds)
    x, y = _points("error_points", sweep.true_accepts, sweep.false_accepts, flag=True)
    return ARACCurve(x, y, sweep.thresholds)


@_or_bounds
def arp_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> ARPCurve:
    """Acceptance rate – precision curve.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        The weights of the items, which must be real, finite and at least 0, with a positive sum.

    Returns
    -------
    acceptance_rate : ndarray of shape (m + 1,)
        X, the share of items accepted without verification. It increases from 0 to 1.
    precision : ndarray of shape (m + 1,)
        R_P, the share of correct items among the accepted ones. It ends at the recognition rate β, the
        share of correct items. The first value, where nothing is accepted, repeats the second.
    thresholds : ndarray of shape (m + 1,)
        The thresholds, decreasing from ``inf``. An item is accepted iff ``confidence >= threshold``.

    See Also
    --------
    arp_auc_score : area under the acceptance rate – precision curve
    rc_curve : risk–coverage curve
    fastarac.results.ARPCurve : points of the acceptance rate – precision curve

    Notes
    -----
    With true and false accepts TA and FA among Ω items, the curve is X = (TA + FA)/Ω and R_P = TA/(TA +
    FA) (Kimura et al. 2024, 3.4). The precision is 1 minus the risk of the risk–coverage curve. For
    errors raised, see :func:`.threshold_sweep`.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.arp_curve([1, 0, 1, 1], [0.9, 0.8, 0.4, 0.6]).precision
    array([1.        , 1.        , 0.5       , 0.66666667, 0.75      ])
    """
    sweep = as_sweep(correct, confidence, sample_weight).possible
    x, y = _points("share_points", sweep.true_accepts, sweep.false_accepts, flag=False)
    return ARPCurve(x, y, sweep.thresholds)


@_or_bounds
def rc_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> RCCurve:
    """Risk–coverage curve.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        The weights of the items, which must be real, finite and at least 0, with a positive sum.

    Returns
    -------
    coverage : ndarray of shape (m + 1,)
        The acceptance rate X. It increases from 0 to 1.
    risk : ndarray of shape (m + 1,)
        The share of errors among the *accepted* items. It ends at 1 − β, where β is the recognition
        rate. The first value, where nothing is accepted, repeats the second.
    thresholds : ndarray of shape (m + 1,)
        The thresholds, decreasing from ``inf``. An item is accepted iff ``confidence >= threshold``.

    See Also
    --------
    aurc_loss : area under the risk–coverage curve
    generalized_rc_curve : generalised risk–coverage curve
    arp_curve : acceptance rate – precision curve

    Notes
    -----
    With true and false accepts TA and FA among Ω items, the coverage is (TA + FA)/Ω and the risk is
    FA/(TA + FA) (El-Yaniv and Wiener 2010). For errors raised, see :func:`.threshold_sweep`.

    References
    ----------
    El-Yaniv and Wiener 2010, "On the foundations of noise-free selective classification".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.rc_curve([1, 0, 1, 1], [0.9, 0.8, 0.4, 0.6]).risk
    array([0.        , 0.        , 0.5       , 0.33333333, 0.25      ])
    """
    sweep = as_sweep(correct, confidence, sample_weight).possible
    x, y = _points("share_points", sweep.false_accepts, sweep.true_accepts, flag=False)
    return RCCurve(x, y, sweep.thresholds)


@_or_bounds
def generalized_rc_curve(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> GeneralizedRCCurve:
    """Generalised risk–coverage curve.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        The weights of the items, which must be real, finite and at least 0, with a positive sum.

    Returns
    -------
    coverage : ndarray of shape (m + 1,)
        The acceptance rate X. It increases from 0 to 1.
    error_rate : ndarray of shape (m + 1,)
        R_E, the share of undetected errors among *all* items. It increases from 0 to 1 − β, where β is
        the recognition rate.
    thresholds : ndarray of shape (m + 1,)
        The thresholds, decreasing from ``inf``. An item is accepted iff ``confidence >= threshold``.

    See Also
    --------
    augrc_loss : area under the generalised risk–coverage curve
    rc_curve : risk–coverage curve
    fastarac.results.GeneralizedRCCurve : points of the generalised risk–coverage curve

    Notes
    -----
    With true and false accepts TA and FA among Ω items, the coverage is (TA + FA)/Ω and the error rate
    is FA/Ω (Traub et al. 2024). The error rate is 1 minus the accuracy of the ARAC curve. For errors
    raised, see :func:`.threshold_sweep`.

    References
    ----------
    Traub and others 2024, "Overcoming common flaws in the evaluation of selective classification
    systems".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.generalized_rc_curve([1, 0, 1, 1], [0.9, 0.8, 0.4, 0.6]).error_rate
    array([0.  , 0.  , 0.25, 0.25, 0.25])
    """
    sweep = as_ranked(correct, confidence, sample_weight, corners=True).points.possible
    x, y = _points("error_points", sweep.true_accepts, sweep.false_accepts, flag=False)
    return GeneralizedRCCurve(x, y, sweep.thresholds)


@_or_bounds
def accuracy_rejection_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> AccuracyRejectionCurve:
    """Accuracy–rejection curve (ARC).

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        The weights of the items, which must be real, finite and at least 0, with a positive sum.

    Returns
    -------
    rejection_rate : ndarray of shape (m + 1,)
        1 − X, the share of items that people verify. It decreases from 1 to 0.
    accuracy : ndarray of shape (m + 1,)
        The share of correct items among the accepted ones. It ends at the recognition rate β, the share
        of correct items. The first value, where nothing is accepted, repeats the second.
    thresholds : ndarray of shape (m + 1,)
        The thresholds, decreasing from ``inf``. An item is accepted iff ``confidence >= threshold``.

    See Also
    --------
    rc_curve : risk–coverage curve
    arac_curve : acceptance rate – accuracy after correction curve
    fastarac.costs.accuracy_rejection_cost_curve : accuracy–rejection–normalised cost curve

    Notes
    -----
    With true and false accepts TA and FA among Ω items, the rejection rate is 1 − (TA + FA)/Ω and the
    accuracy is TA/(TA + FA) (Nadeem, Zucker and Hanczar 2009). For errors raised, see
    :func:`.threshold_sweep`.

    References
    ----------
    Nadeem, Zucker and Hanczar 2009, "Accuracy-rejection curves (ARCs) for comparing classification
    methods with a reject option".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.accuracy_rejection_curve([1, 0, 1, 1], [0.9, 0.8, 0.4, 0.6]).rejection_rate
    array([1.  , 0.75, 0.5 , 0.25, 0.  ])
    """
    sweep = as_sweep(correct, confidence, sample_weight).possible
    x, y = _points("share_points", sweep.true_accepts, sweep.false_accepts, flag=True)
    return AccuracyRejectionCurve(x, y, sweep.thresholds)
