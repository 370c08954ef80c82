"""Several models by name, read in one way wherever models are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from numpy.typing import ArrayLike

from fastarac._engine.counts import AcceptedCounts
from fastarac._engine.inputs import NAMES
from fastarac.samples.door import as_sweep
from fastarac.sweep import ThresholdSweep, whole_sweep

# The third of three are the identifiers of the items, by which compare_models checks their order.
Items: TypeAlias = "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]"
Model: TypeAlias = "ThresholdSweep | Items"
Models: TypeAlias = "Mapping[str, Model]"


def as_models(
    models: Models, *, least: int = 1, names: tuple[str, str, str] = NAMES
) -> dict[str, ThresholdSweep]:
    """Return the sweep of each model; `names` are those of the arrays in error messages.

    Raises
    ------
    ValueError
        For fewer than `least` models; as :func:`.threshold_sweep` for the arrays of each.
    TypeError
        For anything but a mapping of names (str) to pairs of arrays or sweeps.
    """
    return {
        name: sweep_of(model, f"models[{name!r}]", names)
        for name, model in named_models(models, least, names).items()
    }


def named_models(
    models: Models, least: int = 1, names: tuple[str, str, str] = NAMES
) -> Mapping[str, Model]:
    """Raise unless this is a mapping of at least `least` names; the models are not looked at."""
    if not isinstance(models, Mapping):
        found = type(models).__name__
        raise TypeError(
            f"models is a {found}; a mapping of names to ({names[0]}, {names[1]}) or to "
            "ThresholdSweeps is expected"
        )
    if len(models) < least:
        entries, are = ("entry" if len(models) == 1 else "entries"), ("is" if least == 1 else "are")
        raise ValueError(f"models has {len(models)} {entries}; at least {least} {are} expected")
    for name in models:
        if not isinstance(name, str):
            raise TypeError(f"models has the name {name!r} ({type(name).__name__}); a str is expected")
    return models


def sweep_of(model: Model, name: str, names: tuple[str, str, str] = NAMES) -> ThresholdSweep:
    """Return the sweep of one model; error messages begin with `name`."""
    if isinstance(model, AcceptedCounts):
        return whole_sweep(model)
    if not isinstance(model, tuple | list) or len(model) not in (2, 3):
        found = type(model).__name__
        if isinstance(model, tuple | list):
            found += f" of {len(model)}"
        raise TypeError(
            f"{name} is a {found}; ({names[0]}, {names[1]}) or a ThresholdSweep is expected"
        )
    try:
        return as_sweep(model[0], model[1], names=names)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error
