"""Whether two people, or a person and a machine, give the same labels."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fastarac._core.checks import choice
from fastarac._core.exceptions import warn_undefined
from fastarac.dropins.agreement import kappa_of_table
from fastarac.measures.confusion import read_table


def cohen_kappa(counts: ArrayLike, weights: str | None = None) -> float:
    r"""Cohen's kappa of a table: the agreement of two raters beyond what chance would give.

    Parameters
    ----------
    counts : array_like of shape (K, K)
        How many items (or what share of them) have label i from the one rater and label j from the
        other, at least 0.
    weights : {"linear", "quadratic"}, optional
        How much a disagreement counts by the distance of the labels' positions; the same for all
        where it is left out.

    Returns
    -------
    float
        In [-1, 1]; 1 is full agreement, 0 is chance. Of whole counts, the exact value rounded once.
        NaN, with an `UndefinedMetricWarning`, where no disagreement is possible: no item, or one label
        alone.

    Raises
    ------
    ValueError, TypeError
        Where the table is not square, or holds a number that is negative, NaN or infinite; for other
        `weights`; where `counts` does not hold real numbers.

    See Also
    --------
    cohen_kappa_score : The same from the labels of the items, as in scikit-learn.

    Notes
    -----
    (Pₒ − Pₑ)/(1 − Pₑ) with Pₒ = Σᵢ pᵢᵢ and Pₑ = Σᵢ pᵢ. p.ᵢ (the slides; Cohen 1960). With weights
    w_ij = \|i − j\| or (i − j)², it is 1 − Σ w_ij p_ij / Σ w_ij pᵢ. p.ⱼ (Cohen 1968).

    References
    ----------
    Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted kappa".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.cohen_kappa([[20, 5], [10, 15]])
    0.4
    >>> round(fa.measures.cohen_kappa([[20, 5, 1], [3, 15, 4], [0, 2, 10]], weights="quadratic"), 4)
    0.7509
    """
    if weights is not None:
        choice(weights, "weights", ("linear", "quadratic"))
    table = read_table(counts, "counts")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        raise ValueError(f"counts has shape {table.shape}; a square matrix is expected")
    value = kappa_of_table(table, weights)
    if value is None:
        warn_undefined("cohen_kappa", "no disagreement is possible")
        return float("nan")
    return value
