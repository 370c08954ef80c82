"""The outputs of several models: which are of the same items, and what sets the others apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.text import listed, printable, quoted
from fastarac.io._formats import open_source
from fastarac.io._labels import Vocabularies
from fastarac.io._outputs import Labels, Outputs
from fastarac.io._sources import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.io._columns import Columns
    from fastarac.io._labels import Vocabulary


class Models(NamedTuple):
    """The outputs of several models.

    Attributes
    ----------
    outputs : dict of str to Outputs
        By model, without labels of models, items and truths.
    differences : tuple of str
        What tells that models have different items; empty where nothing does, and where they had to
        have the same ones.
    same_truths : bool
        Whether there are truths of all models, which were found to be the same row by row.
    """

    outputs: dict[str, Outputs]
    differences: tuple[str, ...]
    same_truths: bool


def read_files(
    files: Mapping[str, Path],
    columns: Columns,
    *,
    same_items: bool,
    on_file: Callable[[str], None] | None,
) -> Models:
    """Return the outputs in files, by model."""
    with connect() as connection:
        texts = Vocabularies(connection)
        parts: dict[str, list[Outputs]] = {}
        for name, path in files.items():
            if on_file is not None:
                on_file(name)
            outputs = columns.read(open_source(path, connection), texts)
            of_models = {name: outputs}
            if outputs.model is not None:
                names = texts["model"].labels(outputs.model.codes)
                of_models = replace(outputs, model=names).per_model()
            for model, part in of_models.items():
                if len(part):
                    parts.setdefault(model, []).append(part)
        models = {model: _joined(of_model) for model, of_model in parts.items()}
        differences: tuple[str, ...] = ()
        same_truths = same_items and all(outputs.truth is not None for outputs in models.values())
        if same_items:
            models = _of_same_items(models, texts)
        else:
            differences = tuple(_differences(models, texts["item"]))
        done = {
            model: texts.named(replace(outputs, item=None, truth=None))
            for model, outputs in models.items()
        }
    return Models(done, differences, same_truths)


def _joined(parts: Sequence[Outputs]) -> Outputs:
    """The outputs of several files one after the other."""

    def labels(field: str) -> Labels | None:  # None where a part has none, such as of truths
        columns = [getattr(part, field) for part in parts]
        if any(column is None for column in columns):
            return None
        return Labels((), np.concatenate([column.codes for column in columns]))

    if len(parts) == 1:
        return parts[0]
    weights = [part.weight for part in parts if part.weight is not None]
    return Outputs(
        np.concatenate([part.correct for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        by=labels("by"),
        weight=np.concatenate(weights) if weights else None,
        item=labels("item"),
        truth=labels("truth"),
    )


def _differences(models: Mapping[str, Outputs], items: Vocabulary) -> Iterator[str]:
    """Tell what sets the items of each model apart from those of the first one."""
    (first_name, first), *others = models.items()
    if first.item is None:
        sizes = {model: len(outputs) for model, outputs in models.items()}
        if len(set(sizes.values())) > 1:
            each = [f"{size:,} of {printable(model)}" for model, size in sizes.items()]
            yield f"the models have different numbers of outputs, {listed(each)}"
        return
    n_items = len(items)
    _refuse_repeated(first_name, first.item, items, n_items)
    for name, outputs in others:
        if outputs.item is not None:
            _refuse_repeated(name, outputs.item, items, n_items)
            for there, here, missing in (
                (first_name, name, _missing(first.item, outputs.item, n_items)),
                (name, first_name, _missing(outputs.item, first.item, n_items)),
            ):
                if len(missing):
                    yield _absence(missing, there, here, items)


def _missing(there: Labels, here: Labels, n_items: int) -> NDArray[np.intp]:
    """Return the codes of the items that are there, but not here."""
    is_here = np.zeros(n_items, np.bool_)
    is_here[here.codes] = True
    return there.codes[~is_here[there.codes]]


def _absence(missing: NDArray[np.intp], there: str, here: str, items: Vocabulary) -> str:
    first = quoted(items.text(missing[0]))
    found = f"the item {first} of {printable(there)} is"
    if len(missing) > 1:
        found = f"{len(missing):,} items of {printable(there)}, the first of which is {first}, are"
    return f"{found} missing from the outputs of {printable(here)}"


def _refuse_repeated(model: str, labels: Labels, items: Vocabulary, n_items: int) -> None:
    places = np.empty(n_items, np.intp)
    places[labels.codes[::-1]] = np.arange(len(labels.codes))[::-1]  # of the first of equal ones
    repeated = np.flatnonzero(places[labels.codes] != np.arange(len(labels.codes)))
    if len(repeated):
        twice = quoted(items.text(labels.codes[repeated[0]]))
        message = f"the item {twice} is in the outputs of {printable(model)} more than once"
        raise ValueError(message)


def _of_same_items(models: Mapping[str, Outputs], texts: Vocabularies) -> dict[str, Outputs]:
    """Return the outputs of all models in the order that the first one has them in."""
    if len(models) < 2:
        found = printable(next(iter(models)))
        message = f"there is one model, {found}; at least two are expected (see model=COLUMN)"
        raise ValueError(message)
    differences = list(_differences(models, texts["item"]))
    (first_name, first), *others = models.items()
    if differences:
        hint = "; item=COLUMN matches them" if first.item is None else ""
        message = f"{'; '.join(differences)}; outputs of the same items are expected{hint}"
        raise ValueError(message)
    matched = {first_name: first}
    for name, outputs in others:
        ordered = outputs
        if first.item is not None and outputs.item is not None:
            places = np.empty(len(texts["item"]), np.intp)
            places[outputs.item.codes] = np.arange(len(outputs))
            ordered = outputs.take(places[first.item.codes])
        for what, values in (
            ("truth", _truths(first, ordered, texts["truth"])),
            ("weight", _weights(first, ordered)),
        ):
            if values is not None:
                _refuse_difference(what, values, (first_name, first, name), texts["item"])
        matched[name] = ordered
    return matched


class _Difference(NamedTuple):
    """A row in which two models do not agree, and what either has there."""

    row: int
    first: str
    other: str


def _truths(first: Outputs, other: Outputs, truths: Vocabulary) -> _Difference | None:
    """Other truths show that the items are not the same."""
    if first.truth is None or other.truth is None:
        return None
    different = np.flatnonzero(first.truth.codes != other.truth.codes)
    if not len(different):
        return None
    row = int(different[0])
    shown = (quoted(truths.text(each.codes[row])) for each in (first.truth, other.truth))
    return _Difference(row, *shown)


def _weights(first: Outputs, other: Outputs) -> _Difference | None:
    if first.weight is None or other.weight is None:
        return None
    different = np.flatnonzero(first.weight != other.weight)
    if not len(different):
        return None
    row = int(different[0])
    return _Difference(row, f"{first.weight[row]:.12g}", f"{other.weight[row]:.12g}")


def _refuse_difference(
    what: str, found: _Difference, models: tuple[str, Outputs, str], items: Vocabulary
) -> None:
    first_name, first, name = models
    where = f"output {found.row + 1:,}"
    hint = " in the same order are expected (item=COLUMN matches them)"
    if first.item is not None:
        where, hint = f"the item {quoted(items.text(first.item.codes[found.row]))}", " are expected"
    message = (
        f"the {what} of {where} is {found.first} for {printable(first_name)} and {found.other} for "
        f"{printable(name)}; the same items{hint}"
    )
    raise ValueError(message)
