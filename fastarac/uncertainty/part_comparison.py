"""Comparison of models within and between parts of the items, such as fields or languages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import choice, inner_fraction
from fastarac._core.exceptions import collected
from fastarac._core.quantiles import student_pvalue
from fastarac._engine.factors import crossed_in
from fastarac._engine.inputs import read_groups, read_items
from fastarac.samples.door import labels_and_truth, labels_of_some
from fastarac.uncertainty.adjustment import adjusted_levels, adjusted_pvalues
from fastarac.uncertainty.comparison import comparison_of, pairs_of
from fastarac.uncertainty.contrasts import by_influence
from fastarac.uncertainty.estimated_contrasts import by_estimates
from fastarac.uncertainty.estimates import NO_SPREAD
from fastarac.uncertainty.influence import spread_of
from fastarac.uncertainty.paired import ComparedItems, ComparedModels, read_models
from fastarac.uncertainty.part_results import LeadDifference, PartComparison
from fastarac.uncertainty.statistics import as_statistic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from fastarac.models import Items
    from fastarac.uncertainty.adjustment import Correction
    from fastarac.uncertainty.contrasts import Contrast, Contrasts
    from fastarac.uncertainty.paired import Pairing
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


def compare_parts(
    models: Mapping[str, Items],
    by: ArrayLike | Mapping[str, ArrayLike],
    *,
    statistic: str | Statistic = "arac_auc",
    correction: Correction | None = "holm",
    confidence_level: float = 0.95,
    groups: ArrayLike | Mapping[str, ArrayLike] | None = None,
    paired: Pairing = "items",
    sample_weight: ArrayLike | Mapping[str, ArrayLike] | None = None,
) -> PartComparison:
    r"""Compare models in each part of the items, and test whether differences vary between parts.

    Parameters
    ----------
    models : mapping of str to (correct, confidence) or (correct, confidence, ids)
        At least two, as for :func:`.compare_models`; `correct` may be a :class:`.PartialTruth`.
    by : array_like of shape (n,), or mapping of str to array_like
        The part of each item: its field, language or vendor. With ``paired="groups"``, a mapping of
        each model's name to the parts of its items.
    statistic : str or Statistic, default="arac_auc"
        The statistic to compare.
    correction : {"holm", "bonferroni"} or None, default="holm"
        Adjustment for the number of parts and pairs. With "bonferroni", the adjusted intervals contain
        all true differences at once with probability `confidence_level`. Other corrections do not
        ensure this.
    confidence_level : float, default=0.95
        Level of each single interval. The significance level of tests is 1 − `confidence_level`.
    groups : array_like of shape (n,), or mapping of str to array_like, optional
        Label of each item's group, such as a page or document. Items of a group may depend on each
        other, even if they belong to different parts.
    paired : {"items", "groups"}, default="items"
        With "groups", the models share groups, but each model has its own items, as in
        :func:`.compare_models`.
    sample_weight : array_like of shape (n,), or mapping of str to array_like, optional
        Sampling weights: finite, at least 0, with a positive sum.

    Returns
    -------
    PartComparison
        ``print`` shows it as a table.

    Raises
    ------
    ValueError, TypeError
        As :func:`.compare_models`. Also for fewer than two parts, and for crossed group columns.

    See Also
    --------
    compare_models : compare models on all items
    evaluate_groups : the figures of one model in each part

    Notes
    -----
    Let d_k be the difference of two models in part k, v_kl the covariance of two parts' differences,
    and w_k the part's number of groups or items. Part k is compared with the others by

    .. math:: c_k = d_k - \frac{\sum_{l \ne k} w_l d_l}{\sum_{l \ne k} w_l},

    whose variance follows from v. The test uses Student's t with Satterthwaite's degrees of freedom.
    The degrees of freedom of each part are at most the effective number of items or groups that
    contribute to its variance. With K parts, the p-value for equal differences in all parts is the
    smallest p-value of a part, multiplied by K if K > 2 (Bonferroni). It is valid for any dependence
    between parts. Groups with items of two parts determine the covariance of these parts.

    Parts with too few errors or groups for a test are left out of all tests. Their p-values are NaN,
    and `notes` gives the reason.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> language = np.repeat(["de", "fr", "ru"], 1000)
    >>> error = {"one": [0.02, 0.02, 0.2], "two": [0.05, 0.05, 0.05]}
    >>> models = {
    ...     name: (rng.random(3000) >= np.repeat(shares, 1000), rng.random(3000))
    ...     for name, shares in error.items()
    ... }
    >>> print(fa.compare_parts(models, language, statistic="recognition_rate"))
    one − two  items  one     two     by       95% interval        p (holm)
    de         1,000  0.9760  0.9520  +0.0240  +0.0054 to +0.0426  0.0081
    fr         1,000  0.9720  0.9570  +0.0150  -0.0012 to +0.0312  0.069
    ru         1,000  0.7920  0.9480  -0.1560  -0.1913 to -0.1207  4.4e-24
    <BLANKLINE>
    The difference between one and two depends on the part (p < 0.0001): -0.1560 in
      ru, +0.0195 in the others.
    """
    compared = as_statistic(statistic)
    level = inner_fraction(confidence_level, "confidence_level")
    if correction is not None:
        choice(correction, "correction", ("holm", "bonferroni"))
    read = read_models(models, groups, sample_weight, paired)
    if read.n_factors > 1:
        raise ValueError(crossed_in("compare_parts"))
    read = _checked(read)
    parts = [_compared(part, compared, level) for part in _parts_of(read, by, paired)]
    pvalues = [part.pvalue(pair) for part in parts for pair in part.found.pairs.values()]
    tests = _adjusted(pvalues, correction, level)
    comparisons = []
    for k, part in enumerate(parts):
        n_pairs = len(part.found.pairs)
        own = [column[k * n_pairs : (k + 1) * n_pairs] for column in (pvalues, *tests)]
        comparisons.append(
            comparison_of(
                read.names, compared, part.found, pairs_of(read.names, part.found.pairs, level, *own),
                level=level, correction=correction, paired=paired, n=part.n_units,
                n_items=part.n_items,
            )
        )  # fmt: skip
    return PartComparison(
        statistic=compared,
        correction=correction,
        confidence_level=level,
        names=read.names,
        parts=tuple(part.label for part in parts),
        comparisons=tuple(comparisons),
        leads=_leads(read.names, parts, correction),
        notes=tuple(f"{part.label}: {note}" for part in parts for note in part.found.warnings),
    )


def _checked(models: ComparedModels) -> ComparedModels:
    """Return the models with their columns as checked arrays, and the groups of a partial truth."""
    items = {}
    for name, model in models.items.items():
        _, truth = labels_and_truth(model.correct)
        if truth is not None:
            confidence = np.asarray(model.confidence)
            codes = truth.groups if model.codes is None else model.codes
            items[name] = model._replace(confidence=confidence, codes=codes)
            continue
        arguments = f"models[{name!r}]: correct", f"models[{name!r}]: confidence", "sample_weight"
        read = read_items(model.correct, model.confidence, model.weight, arguments)
        items[name] = model._replace(
            correct=read.correct, confidence=read.confidence, weight=read.weight
        )
    return models._replace(items=items)


def _parts_of(
    models: ComparedModels, by: ArrayLike | Mapping[str, ArrayLike], paired: Pairing
) -> Iterator[tuple[Any, ComparedModels]]:
    """Yield the label of each part in rising order, and the models with the items of the part."""
    columns = _labels(models, by, paired)
    labels = sorted({label for own, _ in columns.values() for label in own})
    if len(labels) < 2:
        raise ValueError(f"by must have at least two parts, got {len(labels)}: use compare_models to "
            "compare all items")  # fmt: skip
    for label in labels:
        items = {}
        for name, model in models.items.items():
            own, codes = columns[name]
            chosen = codes == (own.index(label) if label in own else -1)
            if model.weight is not None:
                chosen &= model.weight > 0.0
            if not chosen.any():
                raise ValueError(
                    f"model {name!r} has no items where by is {label!r}; leave out this part"
                )
            items[name] = _chosen(model, chosen, paired)
        yield label, models._replace(items=items)


def _labels(
    models: ComparedModels, by: ArrayLike | Mapping[str, ArrayLike], paired: Pairing
) -> dict[str, tuple[list[Any], NDArray[Any]]]:
    """Return each model's distinct labels, and the index of each item's label among them."""
    found = {}
    for name, model in models.items.items():
        column, argument = by, "by"
        if paired == "groups":
            if not isinstance(by, Mapping) or name not in by:
                raise TypeError(
                    "with paired='groups', by must be a mapping of each model's name to an array"
                )
            column, argument = by[name], f"by[{name!r}]"
        elif isinstance(by, Mapping):
            raise TypeError("with paired='items', by must be one array for all models, got a mapping")
        labels, codes = read_groups(column, model.n, argument)
        found[name] = labels.tolist(), codes
    return found


def _chosen(model: ComparedItems, chosen: NDArray[np.bool_], paired: Pairing) -> ComparedItems:
    """Return a model with only the chosen items."""
    correct = labels_of_some(model.correct, chosen)
    weight = None if model.weight is None else model.weight[chosen]
    codes, places = None, model.places
    if model.codes is not None:
        own = model.codes[chosen]
        places, codes = np.unique(places[own] if paired == "groups" else own, return_inverse=True)
    return ComparedItems(correct, model.confidence[chosen], weight, codes, places)


class _ComparedPart(NamedTuple):
    """The models compared on the items of one part."""

    label: Any
    n_units: int
    """Number of groups, or of items without groups."""
    n_items: tuple[int, ...]
    places: NDArray[np.intp] | None
    """The number of each contribution's group among the groups of all parts; None without groups."""
    found: Contrasts

    def pvalue(self, contrast: Contrast) -> float:
        """Return the p-value of a difference, or NaN if the part has too few errors for a test."""
        return math.nan if self.found.too_few else contrast.pvalue

    def has_spread(self, pair: tuple[int, int]) -> bool:
        """Whether the part has enough data to estimate the error of a pair's difference."""
        return not self.found.too_few and self.found.pairs[pair].error > NO_SPREAD


def _compared(part: tuple[Any, ComparedModels], statistic: Statistic, level: float) -> _ComparedPart:
    label, models = part
    compare = by_estimates if models.partial else by_influence
    with collected([]):  # discard the warnings; they are also in `found.warnings`
        found = compare(models, statistic, level, 0)
    items = list(models.items.values())
    n_items = tuple(each.n for each in items)
    if items[0].codes is None:
        return _ComparedPart(label, n_items[0], n_items, None, found)
    groups = np.unique(np.concatenate([each.places for each in items]))
    places = groups if models.n_groups is None else np.arange(models.n_groups)
    return _ComparedPart(label, len(groups), n_items, places, found)


def _adjusted(
    pvalues: list[float], correction: Correction | None, level: float
) -> tuple[list[float], list[float]]:
    """Return adjusted p-values and levels, without counting undefined p-values as tests."""
    tested = [k for k, pvalue in enumerate(pvalues) if pvalue == pvalue]
    adjusted, levels = [math.nan] * len(pvalues), [level] * len(pvalues)
    own = [pvalues[k] for k in tested]
    of_tested = adjusted_pvalues(own, correction), adjusted_levels(own, correction, level)
    for k, *values in zip(tested, *of_tested, strict=True):
        adjusted[k], levels[k] = values
    return adjusted, levels


def _leads(
    names: tuple[str, ...], parts: list[_ComparedPart], correction: Correction | None
) -> tuple[LeadDifference, ...]:
    """For each pair of models, test whether their difference is the same in all parts."""
    found = [
        _lead((names[a], names[b]), (a, b), [part for part in parts if part.has_spread((a, b))])
        for a, b in parts[0].found.pairs
    ]
    adjusted = _adjusted([each.pvalue for each in found], correction, 0.5)[0]
    return tuple(each._replace(adjusted_pvalue=own) for each, own in zip(found, adjusted, strict=True))


def _lead(names: tuple[str, str], pair: tuple[int, int], parts: list[_ComparedPart]) -> LeadDifference:
    """Compare a pair's difference in each part with that in all other parts together."""
    nothing = LeadDifference(*names, math.nan, math.nan, None, math.nan, math.nan)
    if len(parts) < 2:
        return nothing
    contrasts = [part.found.pairs[pair] for part in parts]
    values = np.array([each.difference for each in contrasts])
    errors = np.array([max(each.errors) for each in contrasts])
    degrees = np.array([_degrees(part, pair) for part in parts])
    covariance = _correlation(pair, parts) * np.outer(errors, errors)
    units = np.array([float(part.n_units) for part in parts])
    best = nothing
    for k, part in enumerate(parts):
        weights = -units / (units.sum() - units[k])
        weights[k] = 1.0
        added = weights**2 * np.diag(covariance)
        variance = float(weights @ covariance @ weights)
        if not variance > NO_SPREAD**2:
            continue
        # Satterthwaite's formula (1946) combines the degrees of freedom of all parts.
        own = float(added.sum() ** 2 / np.sum(added**2 / degrees))
        pvalue = student_pvalue(float(weights @ values) / math.sqrt(variance), own)
        if not pvalue >= best.pvalue:
            elsewhere = float(values[k] - weights @ values)
            best = best._replace(
                pvalue=pvalue, part=part.label, there=float(values[k]), elsewhere=elsewhere
            )
    n_tests = len(parts) if len(parts) > 2 else 1  # two parts need only one test
    return best._replace(pvalue=min(1.0, n_tests * best.pvalue))


def _degrees(part: _ComparedPart, pair: tuple[int, int]) -> float:
    """Return the degrees of freedom of a part: at most its effective number of items or groups.

    Without this maximum, tests at 5% rejected in up to 15% of simulated samples with ten errors and
    equal parts.
    """
    a, b = pair
    added = part.found.contributions[a] - part.found.contributions[b]
    return min(part.found.pairs[pair].degrees, spread_of(added).effective_contributors)


def _correlation(pair: tuple[int, int], parts: list[_ComparedPart]) -> FloatArray:
    """Return the correlations of the parts' differences, from groups with items of several parts."""
    found: FloatArray = np.eye(len(parts))
    if any(part.places is None for part in parts):
        return found
    n_groups = 1 + max(int(part.places.max()) for part in parts if part.places is not None)
    a, b = pair
    scaled = np.zeros((len(parts), n_groups))
    for row, part in zip(scaled, parts, strict=True):
        own = part.found.contributions[a] - part.found.contributions[b]
        row[part.places] = own / math.sqrt(float(own @ own))
    np.matmul(scaled, scaled.T, out=found)
    np.fill_diagonal(found, 1.0)
    return found
