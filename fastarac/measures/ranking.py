"""Measures of ranked results, for one query or for a batch of queries.

All functions accept the same forms of input, and raise the same errors, as :func:`.precision_at_k`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import choice, whole_number
from fastarac._core.exceptions import warn_undefined
from fastarac.measures._ragged import Ragged, as_gains, as_keys, as_relevance, read_ragged, same_shape

FloatArray = NDArray[np.float64]

DISCOUNTS = ("jarvelin", "burges")


def precision_at_k(relevance: ArrayLike, k: int | Sequence[int]) -> Any:
    """Share of relevant items among the first k.

    Parameters
    ----------
    relevance : array_like, list of array_like, or tuple (values, offsets)
        1 for relevant items and 0 for others, in the order of the ranking, for one ranking or for a
        batch of rankings. A batch is a list of rankings, a matrix with one ranking per row, or a tuple
        (values, offsets). In the tuple, values holds all rankings one after the other, and offsets
        holds the start of each ranking, followed by the end of the last one.
    k : int or sequence of int
        Ranks, at least 1. Shorter rankings are padded with items that are not relevant.

    Returns
    -------
    float or ndarray
        (1/k) Σ_{i≤k} rᵢ in [0, 1], where rᵢ is the relevance at rank i (Precision(k) of the lecture
        slides). The shape is (n_queries,) for a batch, with one more axis for several k.

    Raises
    ------
    ValueError, TypeError
        If a relevance is neither 0 nor 1, if the offsets do not match the values, or if k is not a
        whole number of at least 1.

    See Also
    --------
    recall_at_k : share of a query's relevant items that are among the first k
    rank_by_score : sort the items of each query by decreasing score

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.precision_at_k([1, 0, 0, 1, 0, 0], 4)
    0.5
    >>> fa.measures.precision_at_k([[1, 0, 0, 1, 0, 0], [0, 1]], [1, 2])
    array([[1. , 0.5],
           [0. , 0.5]])
    """
    batch = _relevance(relevance)
    ranks = _ranks(k)
    return batch.result(_at_ranks(_hits(batch, ranks) / ranks, k))


def recall_at_k(
    relevance: ArrayLike, k: int | Sequence[int], n_relevant: ArrayLike | None = None
) -> Any:
    r"""Share of a query's relevant items that are among the first k.

    Parameters
    ----------
    relevance
        As for :func:`.precision_at_k`.
    k : int or sequence of int
        Ranks, at least 1.
    n_relevant : int or array_like of shape (n_queries,), optional
        Number of relevant items of each query, including items that are not in the ranking; by default,
        the number in the ranking.

    Returns
    -------
    float or ndarray
        (1/\|D\|) Σ_{i≤k} rᵢ in [0, 1], where rᵢ is the relevance at rank i, and D is the set of
        relevant items of the query (Recall(k) of the lecture slides). The shape is the same as for
        :func:`.precision_at_k`. For a query without relevant items, the value is NaN, with an
        `UndefinedMetricWarning`.

    Raises
    ------
    ValueError, TypeError
        The same errors as in :func:`.precision_at_k`; also if `n_relevant` is smaller than the number
        in the ranking.

    See Also
    --------
    precision_at_k : share of relevant items among the first k
    pool : for each query, the union of the first items of every system

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.recall_at_k([1, 0, 0, 1, 0, 0], 3)
    0.5
    >>> fa.measures.recall_at_k([[1, 0, 0, 1], [0, 1]], 3, n_relevant=[2, 4])
    array([0.5 , 0.25])
    """
    batch = _relevance(relevance)
    ranks = _ranks(k)
    longest = np.array([max(1, int(batch.lengths.max()))])
    sizes = _sizes(batch, n_relevant, _hits(batch, longest)[:, 0])
    recall = _share("recall_at_k", _hits(batch, ranks), sizes[:, np.newaxis])
    return batch.result(_at_ranks(recall, k))


def ranking_average_precision(relevance: ArrayLike, n_relevant: ArrayLike | None = None) -> Any:
    r"""Average precision of ranked results: the mean of the precisions at the relevant items.

    Parameters
    ----------
    relevance
        As for :func:`.precision_at_k`.
    n_relevant
        As for :func:`.recall_at_k`. The precision at a relevant item that is not in the ranking is 0.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        (1/\|D\|) Σₖ rₖ · Precision(k) in [0, 1], where rₖ is the relevance at rank k and D is the set
        of relevant items (the lecture slides). For a query without relevant items, the value is NaN,
        with an `UndefinedMetricWarning`. The mean over queries is known as MAP.

    See Also
    --------
    average_precision_score : Computes it from scores, where tied scores share one threshold.

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.ranking_average_precision([1, 0, 0, 1, 0, 0])
    0.75
    >>> fa.measures.ranking_average_precision([[1, 0, 0, 1, 0, 0], [0, 1]], n_relevant=[3, 1])
    array([0.5, 0.5])
    """
    batch = _relevance(relevance)
    sums = batch.over_queries(_kernels.ranking.precision_sums, out=np.empty((batch.n_queries, 3)))
    sizes = _sizes(batch, n_relevant, sums[:, 1])
    return batch.result(_share("ranking_average_precision", sums[:, 0], sizes))


def reciprocal_rank(relevance: ArrayLike) -> Any:
    """One over the rank of the first relevant item.

    Parameters
    ----------
    relevance
        As for :func:`.precision_at_k`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        The reciprocal rank, in [0, 1]; 0 if no item is relevant.

    See Also
    --------
    mean_reciprocal_rank : mean of reciprocal_rank over the queries, MRR
    rank_by_score : sort the items of each query by decreasing score

    References
    ----------
    Voorhees 1999, "The TREC-8 question answering track report".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.reciprocal_rank([0, 0, 0, 1, 1])
    0.25
    """
    batch = _relevance(relevance)
    sums = batch.over_queries(_kernels.ranking.precision_sums, out=np.empty((batch.n_queries, 3)))
    ranks = sums[:, 2]
    return batch.result(np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks > 0))


def mean_reciprocal_rank(relevance: ArrayLike) -> float:
    """Mean of :func:`.reciprocal_rank` over the queries, MRR.

    Parameters
    ----------
    relevance
        A batch, as for :func:`.precision_at_k`.

    Returns
    -------
    float
        The mean reciprocal rank, in [0, 1].

    See Also
    --------
    reciprocal_rank : one over the rank of the first relevant item
    precision_at_k : share of relevant items among the first k

    References
    ----------
    Voorhees 1999, "The TREC-8 question answering track report".

    Examples
    --------
    An example from the lecture slides, where the first right answers have ranks 1 and 4:

    >>> import fastarac as fa
    >>> fa.measures.mean_reciprocal_rank([[1, 0, 1, 0], [0, 0, 0, 1]])
    0.625
    """
    return float(np.mean(reciprocal_rank(relevance)))


def cumulative_gain(gains: ArrayLike, k: int | None = None) -> Any:
    """Sum of the gains of the first k items.

    Parameters
    ----------
    gains : array_like, list of array_like, or tuple (values, offsets)
        The gain (graded relevance) of each item in the order of the ranking, finite; for one ranking or
        a batch, as for :func:`.precision_at_k`.
    k : int, optional
        Number of ranks to use; by default all.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        CG = Σ_{i≤k} Rᵢ, where Rᵢ is the gain at rank i (the lecture slides).

    Raises
    ------
    ValueError, TypeError
        If a gain is not a finite number, if the offsets do not match the values, or if k is not a whole
        number of at least 1.

    See Also
    --------
    discounted_cumulative_gain : sum of discounted gains of the first k items
    precision_at_k : share of relevant items among the first k

    References
    ----------
    Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques", equation 1.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.cumulative_gain([4, 1, 4, 2, 1], k=3)
    9.0
    """
    batch = _gains(gains, "gains")
    return batch.result(_discounted(batch, np.ones(_shown(batch, k))))


def discounted_cumulative_gain(
    gains: ArrayLike, k: int | None = None, discount: str = "jarvelin"
) -> Any:
    """Sum of the gains of the first k items, each divided by a discount that grows with the rank.

    Use it for rankings that are already sorted, and :func:`.dcg_score` for scores.

    Parameters
    ----------
    gains, k
        As for :func:`.cumulative_gain`.
    discount : {"jarvelin", "burges"}
        The divisor of the gain at rank i. "jarvelin" divides by log₂ i for i ≥ 2, as the lecture slides
        do (Järvelin and Kekäläinen 2002); "burges" divides by log₂(i + 1), as scikit-learn does (Burges
        et al. 2005).

    Returns
    -------
    float or ndarray of shape (n_queries,)
        DCG = R₁ + Σ_{i≥2} Rᵢ/log₂ i, or Σ Rᵢ/log₂(i + 1), where Rᵢ is the gain at rank i.

    Raises
    ------
    ValueError, TypeError
        The same errors as in :func:`.cumulative_gain`; also if `discount` is unknown.

    See Also
    --------
    fastarac.dcg_score : discounted cumulative gain of rankings, averaged over them
    fastarac.ndcg_score : discounted cumulative gain divided by its maximum
    cumulative_gain : sum of the gains of the first k items

    Notes
    -----
    Burges et al. also replace a relevance R by the gain 2ᴿ − 1; pass such values as `gains`.

    References
    ----------
    Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques"; Burges and others
    2005, "Learning to rank using gradient descent".

    Examples
    --------
    >>> import fastarac as fa
    >>> round(fa.measures.discounted_cumulative_gain([4, 1, 4, 2, 1]), 4)
    8.9544
    >>> round(fa.measures.discounted_cumulative_gain([4, 1, 4, 2, 1], k=3, discount="burges"), 4)
    6.6309
    """
    choice(discount, "discount", DISCOUNTS)
    batch = _gains(gains, "gains")
    return batch.result(_discounted(batch, _discounts(_shown(batch, k), discount)))


def normalized_dcg(
    gains: ArrayLike,
    k: int | None = None,
    discount: str = "jarvelin",
    *,
    judged_gains: ArrayLike | None = None,
) -> Any:
    """Discounted cumulative gain divided by its maximum, nDCG.

    Use it for rankings that are already sorted, and :func:`.ndcg_score` for scores.

    Parameters
    ----------
    gains, k, discount
        As for :func:`.discounted_cumulative_gain`, but gains must not be negative.
    judged_gains : array_like, list of array_like, or tuple (values, offsets), optional
        The gains of all known items of each query in any order, including items that are not in the
        ranking. From them follows the ideal ranking, which starts with the largest gain. The default is
        `gains`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        The nDCG, which is in [0, 1] if `judged_gains` includes all of `gains`. For a query without
        positive gains, it is NaN, with an `UndefinedMetricWarning`.

    Raises
    ------
    ValueError, TypeError
        The same errors as in :func:`.discounted_cumulative_gain`; also if a gain is negative.

    See Also
    --------
    ndcg_score : Computes it from scores, as scikit-learn does, with the mean over orders of tied items.

    References
    ----------
    Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques".

    Examples
    --------
    The example of the lecture slides, where the slides have a misprint:

    >>> import fastarac as fa
    >>> round(fa.measures.normalized_dcg([4, 1, 4, 2, 1]), 4)
    0.8785
    >>> fa.measures.normalized_dcg([[3, 2, 1], [1, 2, 3]], k=2).round(4)
    array([1. , 0.6])
    """
    choice(discount, "discount", DISCOUNTS)
    batch = _gains(gains, "gains", negative=False)
    judged = batch
    if judged_gains is not None:
        judged = _gains(judged_gains, "judged_gains", negative=False)
        if judged.n_queries != batch.n_queries:
            raise ValueError(
                "judged_gains and gains must have the same number of queries, got "
                f"{judged.n_queries} and {batch.n_queries}"
            )
    longest = max(_shown(batch, k), _shown(judged, k))
    discounts = _discounts(longest, discount)
    best = judged.over_queries(_kernels.ranking.best_sums, discounts, out=np.empty(batch.n_queries))
    gain = _discounted(batch, discounts)
    return batch.result(_share("normalized_dcg", gain, best, "all gains of a query are 0"))


def rank_by_score(values: ArrayLike, scores: ArrayLike) -> Any:
    """Sort the items of each query by decreasing score.

    Parameters
    ----------
    values : array_like, list of array_like, or tuple (values, offsets)
        The relevance or gain of each item, for one query or a batch, as for :func:`.precision_at_k`.
    scores : array_like, list of array_like, or tuple (values, offsets)
        The score of each item, finite, in the same shape as `values`.

    Returns
    -------
    ndarray, or tuple (values, offsets)
        The values in the order of the ranking, in a form that the other functions accept. Items of
        equal score keep their given order.

    Raises
    ------
    ValueError, TypeError
        If values are not real numbers, if a score is not a finite number, or if values and scores have
        different numbers of items.

    See Also
    --------
    precision_at_k : share of relevant items among the first k
    reciprocal_rank : one over the rank of the first relevant item

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.measures.rank_by_score([0, 1, 1], [0.2, 0.9, 0.1])
    array([1, 0, 1])
    >>> ranked = fa.measures.rank_by_score([[0, 1], [0, 2, 1]], [[0.2, 0.9], [0.3, 0.5, 0.1]])
    >>> fa.measures.discounted_cumulative_gain(ranked)
    array([1.        , 2.63092975])
    """
    batch = read_ragged(values, "values")
    ranking = read_ragged(scores, "scores")
    same_shape(batch, ranking, ("values", "scores"))
    order = as_keys(ranking, "scores").over_queries(
        _kernels.ranking.ranks_by_key, out=np.empty(len(batch.values), np.int64)
    )
    ranked = batch.values[order]
    return ranked if batch.single else (ranked, batch.offsets)


def pool(rankings: Any, depth: int = 100) -> Any:
    """For each query, the union of the first items of every system, as a pool of items to judge.

    Parameters
    ----------
    rankings : sequence or mapping of systems
        The rankings of each system for the same queries. A system is a mapping from query to ranked
        items, or a list with the ranked items of each query. Items are integers or strings.
    depth : int, default=100
        Number of items to take from the top of each ranking, at least 1.

    Returns
    -------
    list of ndarray, or dict of ndarray
        The distinct items of each query, sorted, so that their order reveals neither the system nor the
        rank of an item. The result is a dict if the systems are mappings; a system without a ranking
        for a query adds nothing to its pool. This is the pooling method for test collections (the last
        page of the lecture slides).

    Raises
    ------
    ValueError, TypeError
        If there is no system, if only some systems are mappings, or if lists have different numbers of
        queries. Also if `depth` is not a whole number of at least 1.

    See Also
    --------
    recall_at_k : share of a query's relevant items that are among the first k
    rank_by_score : sort the items of each query by decreasing score

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.5.

    Examples
    --------
    >>> import fastarac as fa
    >>> one = [["b", "a", "c"], ["d", "e"]]
    >>> other = [["a", "x", "b"], ["e", "d"]]
    >>> fa.measures.pool([one, other], depth=2)
    [array(['a', 'b', 'x'], dtype='<U1'), array(['d', 'e'], dtype='<U1')]
    """
    depth = whole_number(depth, "depth", 1)
    systems = list(rankings.values()) if isinstance(rankings, Mapping) else list(rankings)
    if not systems:
        raise ValueError("rankings is empty; give at least one system")
    mappings = sum(isinstance(system, Mapping) for system in systems)
    if mappings == len(systems):
        queries = dict.fromkeys(query for system in systems for query in system)
        return {
            query: _union([system[query] for system in systems if query in system], depth)
            for query in queries
        }
    if mappings:
        raise TypeError("rankings must hold all systems in one form, got mappings and lists")
    numbers = {len(system) for system in systems}
    if len(numbers) > 1:
        raise ValueError(
            "the systems in rankings must have the same number of queries, got "
            f"{' and '.join(map(str, sorted(numbers)))}"
        )
    return [_union(answers, depth) for answers in zip(*systems, strict=True)]


def _union(answers: Sequence[Any], depth: int) -> NDArray[Any]:
    return np.unique(np.concatenate([np.asarray(ranking[:depth]) for ranking in answers]))


def _relevance(relevance: Any) -> Ragged:
    return as_relevance(read_ragged(relevance, "relevance"), "relevance")


def _gains(gains: Any, name: str, *, negative: bool = True) -> Ragged:
    return as_gains(read_ragged(gains, name), name, negative=negative)


def _ranks(k: Any) -> NDArray[np.int64]:
    """Return the ranks `k` as a checked array."""
    ranks = [k] if np.ndim(k) == 0 else list(k)
    return np.array([whole_number(rank, "k", 1) for rank in ranks], np.int64)


def _at_ranks(values: FloatArray, k: Any) -> FloatArray:
    """Return the only column if `k` is a single rank, else all columns."""
    return values if np.ndim(k) else values[:, 0]


def _hits(batch: Ragged, ranks: NDArray[np.int64]) -> FloatArray:
    """Count the relevant items up to each rank, in an array of shape (n_queries, n_ranks)."""
    rising, where = np.unique(ranks, return_inverse=True)
    out = np.empty((batch.n_queries, len(rising)))
    found: FloatArray = batch.over_queries(_kernels.ranking.hits, rising, out=out)
    return found[:, where]


def _sizes(batch: Ragged, n_relevant: Any, found: FloatArray) -> FloatArray:
    """Return the number of relevant items of each query."""
    if n_relevant is None:
        return found
    given = np.asarray(n_relevant)
    if given.dtype.kind not in "iu":
        raise TypeError(f"n_relevant must hold whole numbers, got type {given.dtype}")
    if given.ndim and given.shape != found.shape:
        raise ValueError(
            f"n_relevant must have one number for each of {batch.n_queries} queries, got shape "
            f"{given.shape}"
        )
    sizes = np.broadcast_to(given, found.shape)
    if (sizes < found).any():
        q = int((sizes < found).argmax())
        raise ValueError(
            f"n_relevant[{q}] must be at least {found[q]:.0f} (the number of relevant items in the "
            f"ranking), got {sizes[q]}"
        )
    return sizes.astype(np.float64)


def _share(
    metric: str, part: FloatArray, whole: FloatArray, empty: str = "a query has no relevant items"
) -> FloatArray:
    """Return part / whole; warn if any whole is 0."""
    with np.errstate(invalid="ignore"):
        share: FloatArray = part / whole
    if not whole.all():
        warn_undefined(metric, empty)
    return share


def _shown(batch: Ragged, k: Any) -> int:
    """Return the number of ranks to use: `k`, or the length of the longest ranking."""
    longest = int(batch.lengths.max())
    return longest if k is None else min(whole_number(k, "k", 1), longest)


def _discounts(n: int, discount: str) -> FloatArray:
    """Return the factors of the gains at ranks 1 to n."""
    ranks = np.arange(1, n + 1, dtype=np.float64)
    return 1 / np.log2(ranks + 1 if discount == "burges" else np.maximum(ranks, 2))


def _discounted(batch: Ragged, discounts: FloatArray) -> FloatArray:
    out = np.empty(batch.n_queries)
    values: FloatArray = batch.over_queries(_kernels.ranking.discounted_sums, discounts, out=out)
    return values
