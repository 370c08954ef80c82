"""Confusion counts, cost matrices, and predictions with the lowest expected cost."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import same_number
from fastarac._core.exceptions import UnreasonableCostsWarning, warn_undefined
from fastarac._core.results import Result, read_only
from fastarac._engine.inputs import read_groups
from fastarac.costs._labels import Classified, classify
from fastarac.costs._matrices import check_probabilities, read_costs, read_counts, read_probabilities

LARGEST_SHOWN = 16  # maximum number of entries for which a repr shows the values
CHUNK = 1 << 17  # number of probabilities in a block; the block must fit in the CPU cache


def prediction_counts(
    predicted: ArrayLike,
    actual: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Count the items by predicted and actual class: the confusion matrix.

    Parameters
    ----------
    predicted, actual : array_like of shape (n,)
        Labels: strings, numbers, booleans, or any hashable objects. Columns of pandas, polars and
        pyarrow are accepted, too.
    labels : array_like of shape (K,), optional
        All classes, in the order of rows and columns. Give `labels` if a class may have no items. By
        default: all labels that occur, sorted. With two classes, the order is (negative, positive).
    groups : array_like of shape (n,), optional
        Labels of items that belong together, such as those of a page; each group gets its own table.

    Returns
    -------
    ndarray of int64 of shape (K, K), or (n_groups, K, K)
        M[i, j]: number of items of class j predicted as class i. **Rows are predicted, columns are
        actual**; scikit-learn's confusion matrix is the transpose. The tables of groups are in
        increasing order of the labels.

    Raises
    ------
    ValueError, TypeError
        If the columns are empty, differ in length or have nulls; if a label is not among `labels`; or
        if the labels cannot be sorted, such as a mix of strings and numbers.

    See Also
    --------
    paired_prediction_counts : count items by the predictions of two models
    bcost : bootstrap interval of the expected cost (BCOST)

    Notes
    -----
    Without `labels`, the classes are ``np.unique([*predicted, *actual])``.

    References
    ----------
    Suzuki 2003, table 5.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.costs.prediction_counts(["ham", "spam", "spam", "ham"], ["ham", "ham", "spam", "ham"])
    array([[2, 0],
           [1, 1]])
    >>> fa.costs.prediction_counts([0, 1], [0, 0], labels=[1, 0])
    array([[0, 1],
           [0, 1]])
    >>> fa.costs.prediction_counts([0, 1, 1], [0, 0, 1], groups=["page 1", "page 2", "page 2"])
    array([[[1, 0],
            [0, 0]],
    <BLANKLINE>
           [[0, 0],
            [1, 1]]])
    """
    found = classify(labels, predicted=predicted, actual=actual)
    if groups is None:
        return found.counts()
    names, numbers = read_groups(groups, found.n, beside="predicted")
    size = len(found.classes) ** 2
    table = np.bincount(numbers * size + found.cells(), minlength=len(names) * size)
    return table.reshape(len(names), len(found.classes), len(found.classes))


def paired_prediction_counts(
    predicted_1: ArrayLike,
    predicted_2: ArrayLike,
    actual: ArrayLike,
    *,
    labels: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Count the items by the predictions of two models and by the actual class.

    Parameters
    ----------
    predicted_1, predicted_2, actual : array_like of shape (n,)
        Labels of the same items, as in :func:`.prediction_counts`.
    labels : array_like of shape (K,), optional
        All classes, in order; by default, all labels that occur, sorted.

    Returns
    -------
    ndarray of int64 of shape (K, K, K)
        M′[i₁, i₂, j]: number of items of class j predicted as i₁ by the first model, and as i₂ by the
        second.

    Raises
    ------
    ValueError, TypeError
        As :func:`.prediction_counts`.

    See Also
    --------
    prediction_counts : count the items by predicted and actual class
    bcost_delta : bootstrap test of two expected costs (BCOSTDELTA)

    Notes
    -----
    This is the three-dimensional matrix M′(i₁, i₂|j) of BCOSTDELTA (Suzuki 2003). Its sum over the
    second axis is the confusion matrix of the first model.

    References
    ----------
    Suzuki 2003, procedure BCOSTDELTA.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.costs.paired_prediction_counts([0, 1, 1], [0, 0, 1], [0, 0, 1])[1, 0]
    array([1, 0])
    """
    return classify(labels, predicted_1=predicted_1, predicted_2=predicted_2, actual=actual).counts()


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class CostMatrix(Result):
    """Costs of predicting each class, for each true class.

    Parameters
    ----------
    costs : array_like of shape (K, K) or (n, K, K)
        ``costs[i, j]``: the finite cost C(i|j) of predicting class i when class j is true. **Rows are
        predicted, columns are actual.** Two classes are in the order (negative, positive). A negative
        cost is a benefit. With shape (n, K, K), each item has its own costs, which may depend on an
        amount. If the rows differ from the columns, each row is an action, such as "let a person
        decide", and `predict` returns actions.

    Warns
    -----
    UnreasonableCostsWarning
        If a row is dominated, so that predicting its class is never best. With two classes, the warning
        is also given if each wrong prediction costs at most as much as the right one. This usually
        indicates a mistake in the costs.

    See Also
    --------
    expected_cost : expected cost of an item, from the two rates of a classifier
    bcost : bootstrap interval of the expected cost (BCOST)

    Notes
    -----
    Costs are reasonable if no row dominates another. For two classes, reasonable means c(+|−) > c(−|−)
    and c(−|+) > c(+|+).

    References
    ----------
    Suzuki 2003, equations 1 and 2, table 2; Elkan 2001, "The foundations of cost-sensitive learning",
    equations 1 and 2.

    Examples
    --------
    A missed fraud costs 20, a false alarm 1:

    >>> import fastarac as fa
    >>> fraud = fa.costs.CostMatrix([[0, 20], [1, 0]])
    >>> fraud.threshold
    0.047619047619047616
    >>> fraud.predict([[0.99, 0.01], [0.9, 0.1]])
    array([0, 1])
    >>> fraud.expected_cost([[900, 5], [80, 15]])
    0.18
    """

    costs: NDArray[np.float64]
    """The costs as float64, of the shape given; read-only."""

    def __init__(self, costs: ArrayLike) -> None:
        array = read_costs(costs)
        if array.ndim > 3:
            raise ValueError(f"costs must have shape (K, K), or (n, K, K) by item, got {array.shape}")
        object.__setattr__(self, "costs", read_only(array))
        _warn_unreasonable(array)

    def __repr__(self) -> str:
        small = self.costs.size <= LARGEST_SHOWN
        return f"CostMatrix({self.costs.tolist() if small else f'shape {self.costs.shape}'})"

    @classmethod
    def from_benefits(cls, benefits: ArrayLike) -> Self:
        """Build the matrix from the benefit of each outcome: a cost is a negative benefit.

        Parameters
        ----------
        benefits : array_like of shape (K, K) or (n, K, K)
            ``benefits[i, j]``: the benefit of predicting class i when class j is true; losses are
            negative.

        Returns
        -------
        CostMatrix

        Notes
        -----
        All entries must be measured from the same baseline. Suzuki 2003 (tables 3 and 4, after Elkan
        2001) gives an example of mixed baselines: refusing a payment has the same effect on the account
        whether the customer is good or bad.

        Examples
        --------
        Refuse or approve payments of 100 and of 5,000, fraudulent or legitimate (Suzuki 2003, table 4):

        >>> import numpy as np
        >>> import fastarac as fa
        >>> amount = np.array([100.0, 5000.0])
        >>> benefits = np.empty((2, 2, 2))
        >>> benefits[:, 0] = [20, -20]
        >>> benefits[:, 1, 0], benefits[:, 1, 1] = -amount, 0.02 * amount
        >>> payments = fa.costs.CostMatrix.from_benefits(benefits)
        >>> payments.predict([[0.1, 0.9], [0.1, 0.9]])  # 0: refuse, 1: approve
        array([1, 0])
        """
        return cls(0.0 - read_costs(benefits, "benefits"))

    @property
    def per_item(self) -> bool:
        """Whether each item has its own costs."""
        return self.costs.ndim == 3

    def dominated_rows(self) -> tuple[int, ...]:
        """Return the rows for which another row costs at most as much in every column.

        Returns
        -------
        tuple of int
            Row numbers in increasing order. If two rows are equal, both are returned. With costs by
            item, the same other row must cost at most as much for every item. Suzuki 2003, note 3;
            Elkan 2001, section 1.2.

        Examples
        --------
        >>> import warnings
        >>> import fastarac as fa
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", fa.UnreasonableCostsWarning)
        ...     fa.costs.CostMatrix([[0, 1, 1], [1, 0, 1], [2, 1, 1]]).dominated_rows()
        (2,)
        """
        return tuple(row for row, _ in _dominated(self.costs))

    @property
    def threshold(self) -> float:
        """The smallest probability p* of the positive class at which predicting it is optimal.

        p* = [c(+|−) − c(−|−)]/[c(+|−) − c(−|−) + c(−|+) − c(+|+)] (Suzuki 2003, equation 2; Elkan 2001,
        equation 2), in (0, 1), rounded once from the exact value. At P(+) = p*, both predictions have
        the same expected cost. NaN with a warning if the costs are not reasonable.
        """
        (tn, fn), (fp, tp) = self._two_classes("threshold")
        false_alarm, miss = fp - tn, fn - tp
        if false_alarm <= 0 or miss <= 0:
            warn_undefined("threshold", "a wrong prediction costs no more than the right one")
            return math.nan
        return float(false_alarm / (false_alarm + miss))

    def simplified(self) -> CostMatrix:
        """Return the two-class matrix with c(−|−) = 0 and c(+|−) = 1 that gives the same predictions.

        Returns
        -------
        CostMatrix
            The costs minus c(−|−), divided by c(+|−) − c(−|−). Each entry is rounded once from its
            exact value.

        Raises
        ------
        ValueError
            If there are not two classes, or c(+|−) is not above c(−|−).

        Notes
        -----
        Adding a constant to all costs, or multiplying all by a positive number, changes no prediction.
        Therefore only two free parameters remain (Suzuki 2003, after table 3; Elkan 2001, section 1.2).

        Examples
        --------
        >>> import fastarac as fa
        >>> fa.costs.CostMatrix([[2, 12], [4, 1]]).simplified().costs
        array([[ 0. ,  5. ],
               [ 1. , -0.5]])
        """
        rows = self._two_classes("simplified")
        base, unit = rows[0][0], rows[1][0] - rows[0][0]
        if unit <= 0:
            raise ValueError(
                f"c(+|-) is {self.costs[1, 0]} and c(-|-) is {self.costs[0, 0]}; a false alarm must "
                "cost more than a correct rejection to be the unit of costs"
            )
        return CostMatrix([[float((cost - base) / unit) for cost in row] for row in rows])

    def risk(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Return the expected cost of each prediction, given the probabilities of the classes.

        Parameters
        ----------
        probabilities : array_like of shape (n, K)
            P(j|x): one row per item, at least 0, with a sum of 1 within 1e-6.

        Returns
        -------
        ndarray of shape (n, K)
            R(i|x) = Σ_j P(j|x)·C(i|j) (Suzuki 2003, equation 1; Elkan 2001, equation 1).

        Raises
        ------
        ValueError, TypeError
            If `probabilities` has another shape, or does not hold probabilities.

        Examples
        --------
        >>> import fastarac as fa
        >>> fa.costs.CostMatrix([[0, 20], [1, 0]]).risk([[0.75, 0.25]])
        array([[5.  , 0.75]])
        """
        given = self._read_probabilities(probabilities)
        risks = np.empty((len(given), self.costs.shape[-2]))
        for start, part in self._risks(given):
            risks[start : start + len(part)] = part
        return risks

    def predict(self, probabilities: ArrayLike) -> NDArray[np.int64]:
        """Return the prediction with the lowest expected cost for each item.

        Parameters
        ----------
        probabilities : array_like of shape (n, K)
            As for `risk`. The array is processed in blocks, so that no other array of its size is
            allocated.

        Returns
        -------
        ndarray of int64 of shape (n,)
            argmin_i R(i|x); if several rows have the lowest computed risk, the first. To get labels
            from an array of them, use ``labels[matrix.predict(probabilities)]``. The prediction is
            Bayes-optimal if the probabilities are right (Suzuki 2003, below equation 1).

        Raises
        ------
        ValueError, TypeError
            As `risk`.

        Examples
        --------
        A third row lets a person decide, at a cost of 1 per item (Chow's rule):

        >>> import fastarac as fa
        >>> costs = fa.costs.CostMatrix([[0, 10], [10, 0], [1, 1]])
        >>> costs.predict([[0.95, 0.05], [0.5, 0.5], [0.02, 0.98]])
        array([0, 2, 1])
        """
        given = self._read_probabilities(probabilities)
        rows = np.empty(len(given), np.int64)
        for start, part in self._risks(given):
            part.argmin(axis=1, out=rows[start : start + len(part)])
        return rows

    def decide(self, probabilities: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the prediction with the lowest expected cost, and a confidence, for each item.

        Parameters
        ----------
        probabilities : array_like of shape (n, K)
            As for `risk`.

        Returns
        -------
        predicted : ndarray of int64 of shape (n,)
            As `predict` returns it.
        confidence : ndarray of shape (n,)
            −min_i R(i|x), minus the lowest expected cost. If rejecting an item costs λ, accepting it is
            best iff its confidence is at least −λ. The threshold is therefore −λ.

        Raises
        ------
        ValueError, TypeError
            As `risk`.

        See Also
        --------
        fastarac.correctness : correctness and confidence of predictions, if all errors cost the same

        Notes
        -----
        This is the rule of Chow 1970 for any costs. If each error costs 1, the confidence is the
        largest probability minus 1, and items with a probability below 1 − λ are rejected. Equal
        probabilities have equal confidences. If the price of a rejection depends on the true class,
        make it a row of the matrix, and use `predict`.

        References
        ----------
        Chow 1970, "On optimum recognition error and reject tradeoff"; Elkan 2001, equation 1.

        Examples
        --------
        Three classes; the last one is dear to miss. Rejections cost 0.5:

        >>> import fastarac as fa
        >>> costs = fa.costs.CostMatrix([[0, 1, 8], [1, 0, 8], [2, 2, 0]])
        >>> predicted, confidence = costs.decide([[0.9, 0.1, 0], [0.6, 0.2, 0.2], [0, 0.1, 0.9]])
        >>> predicted, confidence, confidence >= -0.5
        (array([0, 2, 2]), array([-0.1, -1.6, -0.2]), array([ True, False,  True]))
        """
        given = self._read_probabilities(probabilities)
        predicted = self.predict(given)
        costs, confidence = self.costs, np.zeros(len(given))
        items = (np.arange(len(given)),) if self.per_item else ()
        # Matrix products may round equal rows differently, which would split ties.
        for j in range(costs.shape[-1]):
            confidence -= costs[(*items, predicted, j)] * given[:, j]
        return predicted, confidence

    def costs_of(
        self, predicted: ArrayLike, actual: ArrayLike, *, labels: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the cost of each prediction, given the true classes.

        Parameters
        ----------
        predicted, actual : array_like of shape (n,)
            Labels, as in :func:`.prediction_counts`.
        labels : array_like of shape (K,), optional
            The label of each row and column. By default, all labels that occur, sorted. The number of
            labels must be the number of classes of the matrix.

        Returns
        -------
        ndarray of shape (n,)
            C(i|j) for the predicted class i and the true class j. If no cost is negative, 1 minus the
            costs divided by the largest cost are grades, which :func:`.threshold_sweep`,
            :func:`.evaluate` and :func:`.bootstrap` take with ``graded=True``.

        Raises
        ------
        ValueError, TypeError
            As `expected_cost`.

        Examples
        --------
        The cost of an item at each threshold, if rejecting it costs 0.5:

        >>> import fastarac as fa
        >>> costs = fa.costs.CostMatrix([[0, 1, 8], [1, 0, 8], [2, 2, 0]])
        >>> probabilities = [[0.9, 0.1, 0], [0.6, 0.2, 0.2], [0, 0.1, 0.9], [0.3, 0.7, 0]]
        >>> predicted, confidence = costs.decide(probabilities)
        >>> paid = costs.costs_of(predicted, [0, 1, 2, 0], labels=[0, 1, 2])
        >>> paid
        array([0., 2., 0., 1.])
        >>> sweep = fa.threshold_sweep(1 - paid / 8, confidence, graded=True)
        >>> 8 * sweep.error_rate + 0.5 * sweep.verification_rate
        array([0.5  , 0.375, 0.25 , 0.375, 0.75 ])
        """
        found = self._classified(predicted, actual, labels)
        rows, columns = found.codes()
        self._check_items(len(rows), "predicted")
        items = (np.arange(len(rows)),) if self.per_item else ()
        paid: NDArray[np.float64] = self.costs[(*items, rows, columns)]
        return paid

    def expected_cost(
        self,
        predicted: ArrayLike,
        actual: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
    ) -> float:
        """Return the mean cost of predictions, given the true classes.

        Parameters
        ----------
        predicted : array_like of shape (K, K) or (n,)
            Without `actual`: the counts M of :func:`.prediction_counts`. Otherwise: the predicted
            labels.
        actual : array_like of shape (n,), optional
            The actual labels; required for costs by item.
        labels : array_like of shape (K,), optional
            The label of each row and column. By default, all labels that occur, sorted. The number of
            labels must be the number of classes of the matrix.

        Returns
        -------
        float
            Σ_ij M[i, j]·C(i|j)/n, or the mean of the items' own costs.

        Raises
        ------
        TypeError
            If counts are given for costs by item, or if counts are not integers.
        ValueError, TypeError
            As :func:`.prediction_counts`; also if the numbers of classes or items differ.

        Examples
        --------
        >>> import fastarac as fa
        >>> costs = fa.costs.CostMatrix([[0, 5], [1, 0]])
        >>> costs.expected_cost([[8, 1], [1, 0]])
        0.6
        >>> costs.expected_cost(["no", "yes", "no"], ["no", "no", "yes"])
        2.0
        """
        if actual is None:
            if self.per_item:
                raise TypeError("costs by item cannot go with counts: give predicted and actual")
            if labels is not None:
                raise TypeError(
                    "labels cannot go with counts: give labels only with predicted and actual"
                )
            counts = read_counts(predicted, self.costs.shape)
            return math.fsum((counts * self.costs).flat) / int(counts.sum())
        if not self.per_item:
            return self.expected_cost(self._classified(predicted, actual, labels).counts())
        paid = self.costs_of(predicted, actual, labels=labels)
        return math.fsum(paid) / len(paid)

    def _classified(
        self, predicted: ArrayLike, actual: ArrayLike, labels: ArrayLike | None
    ) -> Classified:
        """Return both columns of labels; raise unless the matrix has a row and a column per class."""
        shape = self.costs.shape[-2:]
        found = classify(labels, predicted=predicted, actual=actual)
        if shape != (len(found.classes),) * 2:
            named = "predicted and actual have" if labels is None else "labels has"
            raise ValueError(
                f"{named} {len(found.classes)} classes, so the costs need a row and a column for "
                f"each, got shape {shape}"
            )
        return found

    def _two_classes(self, name: str) -> list[list[Fraction]]:
        if self.costs.shape != (2, 2):
            raise ValueError(
                f"{name} needs one matrix of two classes; the costs have shape {self.costs.shape}"
            )
        return [[Fraction(cost) for cost in row] for row in self.costs.tolist()]

    def _check_items(self, n: int, name: str) -> None:
        if self.per_item:
            same_number(name, n, "costs", len(self.costs))

    def _read_probabilities(self, probabilities: ArrayLike) -> NDArray[Any]:
        given = read_probabilities(probabilities, self.costs.shape[-1])
        self._check_items(len(given), "probabilities")
        return given

    def _risks(self, probabilities: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the expected costs of each prediction in blocks: (index of the first item, costs)."""
        n_rows, n_classes = self.costs.shape[-2:]
        step = max(CHUNK // max(n_rows, n_classes), 64)
        # The last column of ones makes the matrix product compute the sum of the probabilities, too.
        factors = np.ones((n_classes, n_rows + 1))
        if not self.per_item:
            factors[:, :n_rows] = self.costs.T
        buffer = np.empty((min(step, len(probabilities)), n_rows + 1))
        for start in range(0, len(probabilities), step):
            part = np.asarray(probabilities[start : start + step], np.float64)
            risks = buffer[: len(part)]
            with np.errstate(invalid="ignore", over="ignore"):  # the risks are checked below
                if self.per_item:
                    costs = self.costs[start : start + step]
                    np.einsum("nij,nj->ni", costs, part, out=risks[:, :n_rows])
                    part.sum(axis=1, out=risks[:, n_rows])
                else:
                    np.matmul(part, factors, out=risks)
            check_probabilities(part, risks[:, n_rows], start)
            yield start, risks[:, :n_rows]


def _dominated(costs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return (row, first row that dominates it) for each dominated row."""
    pairs = []
    for row in range(costs.shape[-2]):
        nowhere_dearer = costs <= costs[..., row : row + 1, :]
        axes = (-1,) if costs.ndim == 2 else (0, -1)
        others = np.flatnonzero(np.all(nowhere_dearer, axis=axes))
        others = others[others != row]
        if len(others):
            pairs.append((row, int(others[0])))
    return pairs


def _warn_unreasonable(costs: NDArray[np.float64]) -> None:
    dominated = _dominated(costs)
    if dominated:
        rows = ", ".join(f"row {row} (by row {by})" for row, by in dominated)
        message = f"costs has dominated rows, which need never be predicted: {rows}"
    elif costs.shape == (2, 2) and costs[1, 0] <= costs[0, 0] and costs[0, 1] <= costs[1, 1]:
        message = (
            "costs has wrong predictions that are no dearer than the right ones; rows are predicted "
            "and columns are actual, both in the order (negative, positive)"
        )
    else:
        return
    warnings.warn(message, UnreasonableCostsWarning, stacklevel=3)
