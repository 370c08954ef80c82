"""Read the models of a comparison, with the same items in the same order or with shared groups."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import choice, require_type
from fastarac._engine.factors import codes_of_terms, columns_of, outermost, read_factors
from fastarac._engine.inputs import read_groups
from fastarac.models import named_models
from fastarac.samples.door import labels_and_truth
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

Pairing = Literal["items", "groups"]


class ComparedItems(NamedTuple):
    """The items of one model."""

    correct: Any
    confidence: Any
    weight: Any
    codes: NDArray[np.intp] | None
    """The number of each item's group among the groups of this model."""
    places: NDArray[np.intp] = np.empty(0, np.intp)
    """For each group of this model, its number among the groups of all models, if groups are paired."""

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.confidence)


class ComparedModels(NamedTuple):
    """All models, each with its items."""

    items: dict[str, ComparedItems]
    n_groups: int | None
    """Number of groups of all models together, if groups are paired."""
    n_factors: int = 1
    """Number of crossed factors; `items` have the groups of the first one."""
    further: tuple[ComparedModels, ...] = ()
    """The models grouped by each of the other terms of the sum over crossed factors."""
    partial: bool = False
    """Whether every model has a `PartialTruth`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names, in the order given."""
        return tuple(self.items)


def read_models(models: Any, groups: Any, sample_weight: Any, paired: str) -> ComparedModels:
    """Read the models and their groups; raise unless they can be compared by items or by groups."""
    choice(paired, "paired", ("items", "groups"))
    columns: dict[str, tuple[Any, ...]] = {}
    for name, model in named_models(models, 2).items():
        if isinstance(model, ThresholdSweep):
            raise TypeError(
                f"model {name!r} must be (correct, confidence): a ThresholdSweep does not tell "
                "which item is which"
            )
        if not isinstance(model, tuple | list) or len(model) not in (2, 3):
            raise TypeError(
                f"model {name!r} is not (correct, confidence) or (correct, confidence, ids)"
            )
        columns[name] = tuple(model)
    read = {name: labels_and_truth(correct) for name, (correct, *_) in columns.items()}
    partial = any(truth is not None for _, truth in read.values())
    for name, (labels, truth) in read.items():
        if not partial:
            columns[name] = labels, *columns[name][1:]
        elif truth is None and labels is columns[name][0]:
            raise TypeError(
                f"models[{name!r}]: correct must be a PartialTruth, because another model has one"
            )
    of_the_same = _of_the_same_groups if paired == "groups" else _of_the_same_items
    return of_the_same(columns, groups, sample_weight)._replace(partial=partial)


def _of_the_same_items(
    columns: dict[str, tuple[Any, ...]], groups: Any, sample_weight: Any
) -> ComparedModels:
    for value, argument in ((groups, "groups"), (sample_weight, "sample_weight")):
        if isinstance(value, Mapping):
            raise TypeError(
                f"{argument} must be one array for all models with paired='items', got a mapping "
                "of names; only paired='groups' takes a mapping"
            )
    names = list(columns)
    first = columns[names[0]]
    n = len(first[1])
    for name in names[1:]:
        model = columns[name]
        if len(model[1]) != n:
            raise ValueError(
                f"model {names[0]!r} has {n} items and model {name!r} has {len(model[1])}; all models "
                "must be evaluated on the same items; use paired='groups' to compare them by groups"
            )
        if len(model) != len(first):
            raise ValueError(
                f"only one of {names[0]!r} and {name!r} has ids; give ids for all models or none"
            )
        if len(model) == 3:
            _check_ids(names[0], first[2], name, model[2], n)
    factors = () if groups is None else read_factors(groups, n)
    found = [
        ComparedModels(
            {
                name: ComparedItems(model[0], model[1], sample_weight, codes)
                for name, model in columns.items()
            },
            None,
        )
        for codes in (codes_of_terms(factors) if factors else [None])
    ]
    return found[0]._replace(n_factors=max(1, len(factors)), further=tuple(found[1:]))


def _of_the_same_groups(
    columns: dict[str, tuple[Any, ...]], groups: Any, sample_weight: Any
) -> ComparedModels:
    groups = _of_each_model(groups, "groups", columns)
    weights: Mapping[str, Any] = dict.fromkeys(columns)
    if sample_weight is not None:
        weights = _of_each_model(sample_weight, "sample_weight", columns)
    for name, model in columns.items():
        if len(model) == 3:
            raise ValueError(
                f"model {name!r} must be (correct, confidence): paired='groups' does not match ids"
            )
    factors = _joint_factors(columns, groups)
    ends = np.cumsum([len(model[1]) for model in columns.values()])[:-1]
    found = []
    for codes in codes_of_terms(factors):
        items = {}
        for (name, model), own in zip(columns.items(), np.split(codes, ends), strict=True):
            places, of_model = np.unique(own, return_inverse=True)
            items[name] = ComparedItems(model[0], model[1], weights[name], of_model, places)
        found.append(ComparedModels(items, int(codes.max(initial=-1)) + 1))
    return found[0]._replace(n_factors=len(factors), further=tuple(found[1:]))


def _joint_factors(
    columns: Mapping[str, tuple[Any, ...]], groups: Mapping[str, Any]
) -> list[NDArray[np.intp]]:
    """Return, for each factor, the groups of all models' items, one model after the other."""
    several = {name: columns_of(groups[name]) for name in columns}
    counts = {name: 0 if each is None else len(each) for name, each in several.items()}
    first = next(iter(counts))
    for name, count in counts.items():
        if count != counts[first]:
            raise ValueError(
                f"groups must have the same columns for each model, got {max(1, counts[first])} "
                f"for {first!r} and {max(1, count)} for {name!r}"
            )
    found = []
    for k in range(max(1, counts[first])):
        numbers: dict[Hashable, int] = {}
        parts = {}
        for name, model in columns.items():
            own, called = groups[name], f"groups[{name!r}]"
            if (each := several[name]) is not None:
                own, called = each[k], f"{called}[{k}]"
            labels, codes = read_groups(own, len(model[1]), called)
            places = [numbers.setdefault(label, len(numbers)) for label in labels.tolist()]
            parts[name] = np.array(places, np.intp)[codes]
        for a, b in itertools.combinations(columns, 2):
            if not np.isin(parts[a], parts[b]).any():
                known = list(numbers)
                examples = (repr(known[parts[name].min()]) for name in (a, b) if len(parts[name]))
                raise ValueError(
                    f"groups[{a!r}] and groups[{b!r}] have no label in common ({', '.join(examples)}, "
                    "…); models are compared by the groups that they share"
                )
        found.append(np.concatenate(list(parts.values())))
    return [found[k] for k in outermost(found)]


def _of_each_model(
    values: Any, argument: str, columns: Mapping[str, tuple[Any, ...]]
) -> Mapping[str, Any]:
    """Return `values`; raise unless it maps exactly the models."""
    expected = "a mapping of each model's name to an array of its items"
    expected = f"{expected} with paired='groups'"
    found: Mapping[str, Any] = require_type(values, Mapping, argument, expected, shown=False)
    for name in columns:
        if name not in values:
            raise ValueError(f"{argument} must have an array for each model, got none for {name!r}")
    for name in values:
        if name not in columns:
            raise ValueError(
                f"{argument} has an array for {name!r}, which is not a model; the models are "
                f"{', '.join(map(repr, columns))}"
            )
    return found


def _check_ids(name: str, ids: Any, other_name: str, other_ids: Any, n: int) -> None:
    a, b = np.asarray(ids), np.asarray(other_ids)
    for label, array in ((name, a), (other_name, b)):
        if array.shape != (n,):
            raise ValueError(f"ids of {label!r} must have shape ({n},), got {array.shape}")
    different = np.flatnonzero(np.asarray(a != b))
    if len(different):
        i = int(different[0])
        raise ValueError(
            f"ids of {name!r} and {other_name!r} differ at {i}: {a[i]} and {b[i]}; both need the "
            "same items in the same order"
        )
