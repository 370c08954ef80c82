"""Read several models by name, for all functions that compare models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from numpy.typing import ArrayLike

from fastarac._engine.counts import AcceptedCounts
from fastarac._engine.inputs import NAMES
from fastarac.samples.door import as_sweep
from fastarac.sweep import ThresholdSweep, whole_sweep

# The optional third array holds item identifiers. `compare_models` checks that their order agrees.
Items: TypeAlias = "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]"
Model: TypeAlias = "ThresholdSweep | Items"
Models: TypeAlias = "Mapping[str, Model]"


def as_models(models: Models) -> dict[str, ThresholdSweep]:
    """Return the sweep of each model.

    Raises
    ------
    ValueError
        If there is no model, and the errors of :func:`.threshold_sweep` for each model's arrays.
    TypeError
        If `models` is not a mapping of names (str) to pairs of arrays or to sweeps.
    """
    return {name: sweep_of(model, f"models[{name!r}]") for name, model in named_models(models).items()}


def named_models(
    models: Models, least: int = 1, names: tuple[str, str, str] = NAMES
) -> Mapping[str, Model]:
    """Return `models`; raise unless it maps at least `least` names. The models are not checked."""
    if not isinstance(models, Mapping):
        found = type(models).__name__
        raise TypeError(
            f"models must be a mapping of names to ({names[0]}, {names[1]}) or to ThresholdSweeps, "
            f"got a {found}"
        )
    if len(models) < least:
        entries = "entry" if least == 1 else "entries"
        raise ValueError(f"models must have at least {least} {entries}, got {len(models)}")
    for name in models:
        if not isinstance(name, str):
            raise TypeError(f"models must have names of type str, got {name!r} ({type(name).__name__})")
    return models


def sweep_of(model: Model, name: str, names: tuple[str, str, str] = NAMES) -> ThresholdSweep:
    """Return the sweep of one model; error messages begin with `name`."""
    if isinstance(model, AcceptedCounts):
        return whole_sweep(model)
    if not isinstance(model, tuple | list) or len(model) not in (2, 3):
        found = type(model).__name__
        if isinstance(model, tuple | list):
            found += f" of {len(model)}"
        raise TypeError(f"{name} must be ({names[0]}, {names[1]}) or a ThresholdSweep, got a {found}")
    try:
        return as_sweep(model[0], model[1], names=names)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error
