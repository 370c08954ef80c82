"""How well clusters match the true classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import choice
from fastarac._core.exceptions import warn_undefined
from fastarac.measures.confusion import read_table

# If all weights are smaller, they are scaled up, so that their products do not underflow.
LEAST = 2.0**-400
VARIANTS = ("standard", "size-weighted")


def local_purity(counts: ArrayLike) -> NDArray[np.float64]:
    """Share of the majority class in each cluster.

    Parameters
    ----------
    counts : array_like of shape (n_clusters, n_classes)
        Entry n_ij, at least 0, is the number (or weight) of items of class j in cluster i.

    Returns
    -------
    ndarray of shape (n_clusters,)
        maxⱼ n_ij / Σⱼ n_ij in (0, 1], the local purity of the lecture slides. For an empty cluster, it
        is NaN, with an `UndefinedMetricWarning`.

    Raises
    ------
    ValueError, TypeError
        If `counts` is not a matrix of real numbers, or if a number is negative, NaN or infinite.

    See Also
    --------
    purity : share of the items that belong to the majority class of their cluster
    purity_f : harmonic mean of purity and inverse purity

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 16.3.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.local_purity([[5, 1, 1], [1, 4, 3], [2, 2, 6]]).round(3)
    array([0.714, 0.5  , 0.6  ])
    """
    table = _read(counts)
    sizes = table.sum(axis=1)
    if not sizes.all():
        warn_undefined("local_purity", "a cluster is empty")
    with np.errstate(invalid="ignore"):
        share: NDArray[np.float64] = table.max(axis=1) / sizes
    return share


def purity(counts: ArrayLike) -> float:
    """Share of the items that belong to the majority class of their cluster.

    Parameters
    ----------
    counts : array_like of shape (n_clusters, n_classes)
        As for :func:`.local_purity`.

    Returns
    -------
    float
        (1/N) Σᵢ maxⱼ n_ij in (0, 1], the global purity of the lecture slides, where N is the number of
        items. Without items, it is NaN, with an `UndefinedMetricWarning`. The purity is 1 if each item
        is a cluster of its own, so look at :func:`.inverse_purity`, too.

    Raises
    ------
    ValueError, TypeError
        The same errors as in :func:`.local_purity`.

    See Also
    --------
    inverse_purity : share of the items that are in the main cluster of their class
    purity_f : harmonic mean of purity and inverse purity
    local_purity : share of the majority class in each cluster

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 16.3.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.purity([[5, 1, 1], [1, 4, 3], [2, 2, 6]])
    0.6
    """
    value = _purity(_read(counts))
    if value != value:
        warn_undefined("purity", "there is no item")
    return value


def inverse_purity(counts: ArrayLike, variant: str = "standard") -> float:
    r"""Share of the items that are in the cluster with the largest part of their class.

    Parameters
    ----------
    counts : array_like of shape (n_clusters, n_classes)
        As for :func:`.purity`.
    variant : {"standard", "size-weighted"}
        "standard" is the purity with clusters and classes swapped. "size-weighted", from the lecture
        slides, adds the majority counts of the clusters, each weighted by cluster size divided by class
        size.

    Returns
    -------
    float
        For N items, the standard value is (1/N) Σⱼ maxᵢ n_ij. The size-weighted value is (1/N) Σᵢ
        (\|clusterᵢ\|/\|class(i)\|) · maxⱼ n_ij, where class(i) is the majority class of cluster i (the
        largest one, if several tie). Values are in (0, 1]. Without items, the result is NaN, with an
        `UndefinedMetricWarning`.

    Raises
    ------
    ValueError, TypeError
        The same errors as in :func:`.purity`; also if `variant` is unknown.

    See Also
    --------
    purity : share of the items that belong to the majority class of their cluster
    purity_f : harmonic mean of purity and inverse purity

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo 2009, "A comparison of extrinsic clustering evaluation metrics
    based on formal constraints".

    Examples
    --------
    >>> import fastarac as fa
    >>> counts = [[5, 1, 1], [1, 4, 3], [2, 2, 6]]
    >>> fa.measures.inverse_purity(counts)
    0.6
    >>> round(fa.measures.inverse_purity(counts, "size-weighted"), 3)
    0.598
    """
    choice(variant, "variant", VARIANTS)
    value = _inverse_purity(_read(counts), variant)
    if value != value:
        warn_undefined("inverse_purity", "there is no item")
    return value


def purity_f(counts: ArrayLike, variant: str = "standard") -> float:
    """Harmonic mean of purity and inverse purity.

    Parameters
    ----------
    counts, variant
        As for :func:`.inverse_purity`, with the same errors and warnings.

    Returns
    -------
    float
        2/(1/purity + 1/inverse purity), in (0, 1]; NaN if there are no items.

    See Also
    --------
    purity : share of the items that belong to the majority class of their cluster
    inverse_purity : share of the items that are in the main cluster of their class

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo 2009, "A comparison of extrinsic clustering evaluation metrics
    based on formal constraints".

    Examples
    --------
    >>> import fastarac as fa
    >>> round(fa.measures.purity_f([[5, 1, 1], [1, 4, 3], [2, 2, 6]], "size-weighted"), 3)
    0.599
    """
    choice(variant, "variant", VARIANTS)
    table = _read(counts)
    direct, inverse = _purity(table), _inverse_purity(table, variant)
    if direct != direct:
        warn_undefined("purity_f", "there is no item")
        return direct
    return 2 * direct * inverse / (direct + inverse)


def _read(counts: ArrayLike) -> NDArray[Any]:
    table = read_table(counts, "counts")
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"counts must be a matrix of clusters by classes, got shape {table.shape}")
    if 0 < table.max() < LEAST:  # purities do not depend on the scale, so scaling up avoids underflow
        table = np.ldexp(table, -int(np.frexp(table.max())[1]))
    return table


def _purity(table: NDArray[Any]) -> float:
    n = table.sum().item()
    return table.max(axis=1).sum().item() / n if n else float("nan")


def _inverse_purity(table: NDArray[Any], variant: str) -> float:
    n = table.sum().item()
    if not n:
        return float("nan")
    if variant == "standard":
        return float(table.max(axis=0).sum().item() / n)
    majority = table.max(axis=1, keepdims=True)
    of_class = np.where(table == majority, table.sum(axis=0), 0).max(axis=1)
    filled = of_class > 0  # leave out empty clusters
    shares = majority[filled, 0] / of_class[filled]
    return float((table.sum(axis=1)[filled] * shares).sum() / n)
