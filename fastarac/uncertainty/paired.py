"""Models that are compared, read: of the same items in the same order, or of the same groups."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import choice
from fastarac._engine.inputs import read_groups
from fastarac.models import named_models
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
    """The number of each group of this model among those of all models, where these are paired."""

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.confidence)


class ComparedModels(NamedTuple):
    """All models, each with its items."""

    items: dict[str, ComparedItems]
    n_groups: int | None
    """Groups of all models together, where these are paired."""

    @property
    def names(self) -> tuple[str, ...]:
        """In the order in which they were given."""
        return tuple(self.items)


def read_models(models: Any, groups: Any, sample_weight: Any, paired: str) -> ComparedModels:
    """Check that the models can be compared as `paired` says, and read their groups."""
    choice(paired, "paired", ("items", "groups"))
    columns: dict[str, tuple[Any, ...]] = {}
    for name, model in named_models(models, 2).items():
        if isinstance(model, ThresholdSweep):
            raise TypeError(
                f"model {name!r} is a ThresholdSweep, in which it is lost which item is which; "
                "(correct, confidence) is expected"
            )
        if not isinstance(model, tuple | list) or len(model) not in (2, 3):
            raise TypeError(
                f"model {name!r} is not (correct, confidence) or (correct, confidence, ids)"
            )
        columns[name] = tuple(model)
    if paired == "groups":
        return _of_the_same_groups(columns, groups, sample_weight)
    return _of_the_same_items(columns, groups, sample_weight)


def _of_the_same_items(
    columns: dict[str, tuple[Any, ...]], groups: Any, sample_weight: Any
) -> ComparedModels:
    for value, argument in ((groups, "groups"), (sample_weight, "sample_weight")):
        if isinstance(value, Mapping):
            raise TypeError(
                f"{argument} is a mapping of names, which paired='groups' takes; with paired='items' "
                "one array for all models is expected"
            )
    names = list(columns)
    first = columns[names[0]]
    n = len(first[1])
    for name in names[1:]:
        model = columns[name]
        if len(model[1]) != n:
            raise ValueError(
                f"model {names[0]!r} has {n} items and model {name!r} has {len(model[1])}; all models "
                "must be evaluated on the same items, or paired='groups' compares them by their groups"
            )
        if len(model) != len(first):
            raise ValueError(f"only one of {names[0]!r} and {name!r} has ids; all or none are expected")
        if len(model) == 3:
            _check_ids(names[0], first[2], name, model[2], n)
    codes = None if groups is None else read_groups(groups, n)[1]
    items = {
        name: ComparedItems(model[0], model[1], sample_weight, codes) for name, model in columns.items()
    }
    return ComparedModels(items, None)


def _of_the_same_groups(
    columns: dict[str, tuple[Any, ...]], groups: Any, sample_weight: Any
) -> ComparedModels:
    groups = _of_each_model(groups, "groups", columns)
    weights: Mapping[str, Any] = dict.fromkeys(columns)
    if sample_weight is not None:
        weights = _of_each_model(sample_weight, "sample_weight", columns)
    numbers: dict[Hashable, int] = {}
    items = {}
    for name, model in columns.items():
        if len(model) == 3:
            raise ValueError(
                f"model {name!r} has ids, which paired='groups' does not match; (correct, confidence) "
                "is expected"
            )
        correct, confidence = model
        labels, codes = read_groups(groups[name], len(confidence), f"groups[{name!r}]")
        places = [numbers.setdefault(label, len(numbers)) for label in labels.tolist()]
        items[name] = ComparedItems(
            correct, confidence, weights[name], codes, np.array(places, np.intp)
        )
    for a, b in itertools.combinations(columns, 2):
        if not np.isin(items[a].places, items[b].places).any():
            known = list(numbers)
            examples = (repr(known[items[name].places[0]]) for name in (a, b) if items[name].n)
            raise ValueError(
                f"groups[{a!r}] and groups[{b!r}] have no label in common ({', '.join(examples)}, …); "
                "the groups that models share are what they are compared by"
            )
    return ComparedModels(items, len(numbers))


def _of_each_model(
    values: Any, argument: str, columns: Mapping[str, tuple[Any, ...]]
) -> Mapping[str, Any]:
    """Raise unless there is an array for each model, and for no other."""
    if not isinstance(values, Mapping):
        raise TypeError(
            f"{argument} is a {type(values).__name__}; with paired='groups' a mapping of each model's "
            "name to an array of its items is expected"
        )
    for name in columns:
        if name not in values:
            raise ValueError(f"{argument} has no array for model {name!r}; one for each is expected")
    for name in values:
        if name not in columns:
            raise ValueError(
                f"{argument} has an array for {name!r}, which is no model; the models are "
                f"{', '.join(map(repr, columns))}"
            )
    return values


def _check_ids(name: str, ids: Any, other_name: str, other_ids: Any, n: int) -> None:
    a, b = np.asarray(ids), np.asarray(other_ids)
    for label, array in ((name, a), (other_name, b)):
        if array.shape != (n,):
            raise ValueError(f"ids of {label!r} have shape {array.shape}; ({n},) is expected")
    different = np.flatnonzero(np.asarray(a != b))
    if len(different):
        i = int(different[0])
        raise ValueError(
            f"ids of {name!r} and {other_name!r} differ at {i}: {a[i]} and {b[i]}; the same items in "
            "the same order are expected"
        )
