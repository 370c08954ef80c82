"""Notes on how many groups may have only errors, for samples with few such groups or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.special import binomial_upper_bound
from fastarac._core.text import few_of, percent, plural, printable
from fastarac._engine.factors import read_factors
from fastarac.uncertainty.unseen_groups import MANY, WrongGroups

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastarac.io import Outputs

FEW = 10  # from this number of wrong groups on, error rates are reliable and need no note
NAMED = 3  # maximum number of model names in a sentence; the rest become a number


def sentence(outputs: Outputs, word: str, level: float) -> str | None:
    """Return a sentence on how many groups may have only errors, or None; `word` names a group."""
    if outputs.group is None:
        return None
    codes = read_factors(outputs.factors, len(outputs))[0]
    found = WrongGroups.of(outputs.correct, codes, outputs.weight)
    if found.n_wrong != found.n_large_wrong or found.n_wrong >= FEW or not 1 < found.n_groups < MANY:
        return None
    share = binomial_upper_bound(found.n_wrong, found.n_groups, 1.0 - level)
    most = percent(share, 1 if share < 0.1 else 2)
    groups = f"{found.n_wrong or 'none'} of {found.n_groups} {plural(word, found.n_groups)}"
    return f"{groups} had only errors; of all {plural(word, 2)}, up to {most} may"


def sentences(models: Iterable[tuple[str, Outputs]], word: str, level: float) -> dict[str, list[str]]:
    """Return the sentences, each with the names of the models that it applies to."""
    found: dict[str, list[str]] = {}
    for name, outputs in models:
        said = sentence(outputs, word, level)
        if said is not None:
            found.setdefault(said, []).append(name)
    return found


def notes(models: Iterable[tuple[str, Outputs]], word: str, level: float) -> list[str]:
    """Return notes: the names of models, and the sentence that applies to them."""
    found = sentences(models, word, level)
    return [
        f"{few_of(map(repr, map(printable, names)), NAMED)}: {said}" for said, names in found.items()
    ]
