"""The best of several models for each pair of cost ratios in a grid, each at its best threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import reject_where
from fastarac._core.results import Result, Table
from fastarac._core.text import plural, printable, rounded_percent
from fastarac._engine.inputs import vector
from fastarac.costs.corners import hull_corners, hull_steps, part_of
from fastarac.costs.verification import PERFECT, performance_of, spoiled_by
from fastarac.models import Models, as_models
from fastarac.reviewer import Reviewer, check_reviewer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.sweep import ThresholdSweep

    FloatArray = NDArray[np.float64]


ROUNDING = 2.0**-49


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PreferenceMap(Table, Result):
    """The best of several models for each pair of cost ratios in a grid.

    Attributes
    ----------
    names : tuple of str
        The models, in the order given.
    gammas : ndarray of shape (g,)
        γ = C_R/C_C, the cost of a verification divided by the cost of a correction; increasing.
    deltas : ndarray of shape (d,)
        δ = C_E/C_C − 1, the cost of an error divided by the cost of a correction, minus 1; increasing.
    best : ndarray of shape (g, d), intp
        Index into `names` of the model with the largest W; if several are equal, the first.
    margin : ndarray of shape (g, d)
        W of the best model minus W of the second best model, in units of a correction; 0 if both are
        equal, ``inf`` for a single model.
    performance : ndarray of shape (models, g, d)
        W = γX + β − δR_E of each model, each at its own best threshold.

    See Also
    --------
    fastarac.costs.preference_map : compare models over a grid of cost ratios
    fastarac.displays.PreferenceMapDisplay : preference map visualization

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> found = fa.costs.preference_map(load_digits_ocr(), gammas=[0.1, 1], deltas=[0, 10])
    >>> [[found.names[k] for k in row] for row in found.best]
    [['svm-rbf', 'knn-votes'], ['svm-rbf', 'knn-votes']]
    """

    names: tuple[str, ...]
    gammas: FloatArray
    deltas: FloatArray
    best: NDArray[np.intp]
    margin: FloatArray
    performance: FloatArray

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, one row for each pair of ratios."""
        gammas, deltas = np.meshgrid(self.gammas, self.deltas, indexing="ij")
        columns = {
            "gamma": gammas,
            "delta": deltas,
            "best": np.array(self.names, object)[self.best],
            "margin": self.margin,
        }
        return {name: values.ravel() for name, values in columns.items()}

    def __repr__(self) -> str:
        sizes = ("gamma", len(self.gammas)), ("delta", len(self.deltas))
        shape = " x ".join(f"{n} {plural(axis, n)}" for axis, n in sizes)
        return f"PreferenceMap({shape}, {', '.join(map(repr, self.names))})"

    def __str__(self) -> str:
        cells = self.best.size
        ranges = (
            f"gamma from {self.gammas[0]:g} to {self.gammas[-1]:g}, "
            f"delta from {self.deltas[0]:g} to {self.deltas[-1]:g}"
        )
        names = [printable(name) for name in self.names]
        width = max(map(len, names))
        lines = [f"{cells} pairs of ratios: {ranges}"]
        for index, name in enumerate(names):
            share = rounded_percent((self.best == index).sum() / cells)
            lines.append(f"{name:<{width}}  best at {share} of them")
        return "\n".join(lines)


def preference_map(
    models: Models,
    *,
    gammas: ArrayLike,
    deltas: ArrayLike,
    reviewer: Reviewer | None = None,
) -> PreferenceMap:
    """Compare models for a grid of cost ratios, if prices are not yet known.

    Parameters
    ----------
    models : mapping of str to (correct, confidence) or ThresholdSweep
        The models by name. The models may have been tested on different items.
    gammas : array_like of shape (g,)
        γ = C_R/C_C, the cost of a verification divided by the cost of a correction; at least 0,
        strictly increasing.
    deltas : array_like of shape (d,)
        δ = C_E/C_C − 1, the cost of an error divided by the cost of a correction, minus 1; at least -1,
        strictly increasing.
    reviewer : Reviewer, optional
        The people who verify rejected items; by default they find and correct every error.

    Returns
    -------
    PreferenceMap
        Draw it with :class:`.PreferenceMapDisplay`.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep` for the models; also if there are no models, or if ratios are out of
        range or not increasing.

    See Also
    --------
    better_ranges : cost ratios at which one model is cheaper
    performance_at_error_rate : compute W at an allowed error rate from the ARAC curve
    fastarac.results.PreferenceMap : the best of several models over a grid of cost ratios

    Notes
    -----
    For each pair of ratios, each model uses its own optimal threshold: the vertex of its
    :func:`.arac_convex_hull` that is optimal for γ/δ. W is defined by equation 15 of Kimura et al.
    2024. Models count as equal if their W differ by at most 2⁻⁴⁹·(1 + γ + abs(δ)), which may be a
    rounding error.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equation 15.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> map_ = fa.costs.preference_map(load_digits_ocr(), gammas=[0.01, 0.1, 1], deltas=[0, 1, 10, 100])
    >>> map_.names
    ('svm-rbf', 'knn-votes', 'naive-bayes', 'logistic-pca5')
    >>> map_.best
    array([[0, 1, 1, 1],
           [0, 0, 1, 1],
           [0, 0, 1, 1]])
    """
    check_reviewer(reviewer)
    gamma, delta = _ratios(gammas, "gammas", 0), _ratios(deltas, "deltas", -1)
    performance = np.stack(
        [_best_performance(sweep, gamma, delta, reviewer) for sweep in as_models(models).values()]
    )
    alike = ROUNDING * (1.0 + gamma[:, None] + np.abs(delta))
    greatest = performance.max(axis=0)
    best = (performance >= greatest - alike).argmax(axis=0)
    others = np.arange(len(performance))[:, None, None] != best
    runner_up = np.max(performance, axis=0, where=others, initial=-np.inf)
    margin = greatest - runner_up
    margin[margin <= alike] = 0.0
    return PreferenceMap(tuple(models), gamma, delta, best, margin, performance)


def _ratios(values: ArrayLike, name: str, lowest: int) -> FloatArray:
    array = vector(values, name).astype(np.float64)
    if not len(array):
        raise ValueError(f"{name} is empty; give at least one ratio")
    bad = ~((array >= lowest) & (array < np.inf))
    reject_where(bad, array, name, f"a finite number of at least {lowest}")
    falls = np.diff(array) <= 0
    if falls.any():
        i = int(falls.argmax())
        raise ValueError(
            f"{name} must be strictly increasing, got {array[i + 1]} after {array[i]} at index {i + 1}"
        )
    return array


def _best_performance(
    sweep: ThresholdSweep, gammas: FloatArray, deltas: FloatArray, reviewer: Reviewer | None
) -> FloatArray:
    """Return W at the best threshold for each pair of ratios, of shape (g, d)."""
    corners = hull_corners(sweep)
    steps = hull_steps(sweep, corners)
    changes = np.array([float(errors / (errors + others)) for errors, others in steps])
    people = reviewer or PERFECT
    gamma, delta = gammas[:, None], deltas[None, :]
    # `saved` is the saving if a correct item is accepted. `at_stake` is `saved` minus the (usually
    # negative) saving if an incorrect item is accepted.
    spoiling = people.false_alarm_rate * (2.0 + delta)
    saved, at_stake = gamma + spoiling, people.detection_rate * delta + spoiling
    ratio = np.full(saved.shape, np.inf)
    with np.errstate(over="ignore"):  # inf is valid: it exceeds all `changes`
        np.divide(saved, at_stake, out=ratio, where=np.broadcast_to(at_stake > 0, saved.shape))
    place = np.searchsorted(changes, ratio, side="right")
    at = part_of(sweep, corners)
    errors, spoiled = people.error_rate(at)[place], spoiled_by(people, at)[place]
    accepted = at.acceptance_rate[place]
    return performance_of(gamma, delta, accepted, sweep.recognition_rate, errors, spoiled)  # type: ignore[no-any-return]
