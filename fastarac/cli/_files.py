"""The outputs in files, by model, and the same items of several models side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from fastarac import io
from fastarac._core.text import printable
from fastarac.cli._options import RefusalError, in_words_of_options
from fastarac.io import Labels, Outputs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def read_models(paths: Sequence[Path], columns: Mapping[str, Any]) -> dict[str, Outputs]:
    """Return the outputs of each model: one a file, or as the column `model` says."""
    parts: dict[str, list[Outputs]] = {}
    names = _names_of_files(paths)
    with Console(stderr=True).status("") as status:
        for path, name in zip(paths, names, strict=True):
            status.update(f"Reading {escape(printable(name))}")
            try:
                outputs = io.read_outputs(path, **columns)
            except ValueError as error:
                raise RefusalError(in_words_of_options(error)) from None
            of_models = {name: outputs} if outputs.model is None else outputs.per_model()
            for model, part in of_models.items():
                parts.setdefault(model, []).append(part)
    return {model: _joined(of_model) for model, of_model in parts.items()}


def same_items(models: Mapping[str, Outputs]) -> dict[str, Outputs]:
    """Return the outputs of all models in the order that the first one has them in.

    Items are matched by `Outputs.item`; where there is none, by their places. Raises where the items
    are not the same, as far as identifiers, truths and weights tell.
    """
    if len(models) < 2:
        found = printable(next(iter(models)))
        message = f"there is one model, {found}; at least two are expected (see --model)"
        raise RefusalError(message)
    if next(iter(models.values())).item is not None:
        models = _matched(models)
    (first_name, first), *others = models.items()
    for name, outputs in others:
        if len(outputs) != len(first):
            message = (
                f"{printable(first_name)} has {len(first):,} outputs and {printable(name)} has "
                f"{len(outputs):,}; outputs of the same items are expected (--id matches them)"
            )
            raise RefusalError(message)
        _refuse_other_truth(first_name, first, name, outputs)
        _refuse_other_weights(first_name, first, name, outputs)
    return dict(models)


def _matched(models: Mapping[str, Outputs]) -> dict[str, Outputs]:
    labels = [outputs.item for outputs in models.values() if outputs.item is not None]
    names, codes = _in_common(labels)
    first = codes[0]
    matched: dict[str, Outputs] = {}
    for (model, outputs), of_model in zip(models.items(), codes, strict=True):
        place = np.full(len(names), -1, np.intp)
        place[of_model[::-1]] = np.arange(len(of_model))[::-1]  # of the first of equal ones
        repeated = np.flatnonzero(place[of_model] != np.arange(len(of_model)))
        if len(repeated):
            twice = _shown(names[of_model[repeated[0]]])
            message = f"the item {twice} is in the outputs of {printable(model)} more than once"
            raise RefusalError(message)
        if not matched:
            matched[model] = outputs
            continue
        (reference, *_) = matched
        _refuse_missing(names, first, place, reference, model)
        here = np.zeros(len(names), np.bool_)
        here[first] = True
        extra = of_model[~here[of_model]]
        if len(extra):
            _refuse_item(names[extra[0]], model, reference)
        matched[model] = outputs.take(place[first])
    return matched


def _refuse_missing(
    names: Sequence[str],
    codes: NDArray[np.intp],
    place: NDArray[np.intp],
    there: str,
    missing: str,
) -> None:
    absent = codes[place[codes] < 0]
    if len(absent):
        _refuse_item(names[absent[0]], there, missing)


def _refuse_item(item: str, there: str, missing: str) -> None:
    message = (
        f"the item {_shown(item)} of {printable(there)} is missing from the outputs of "
        f"{printable(missing)}"
    )
    raise RefusalError(message)


def _refuse_other_truth(first_name: str, first: Outputs, name: str, outputs: Outputs) -> None:
    """Raise where two models have other truths, which shows that their items are not the same."""
    if first.truth is None or outputs.truth is None:
        return
    names, (of_first, of_other) = _in_common([first.truth, outputs.truth])
    different = np.flatnonzero(of_first != of_other)
    if len(different):
        row = int(different[0])
        truths = _shown(names[of_first[row]]), _shown(names[of_other[row]])
        _refuse_difference("truth", row, (first_name, first, name), truths)


def _refuse_other_weights(first_name: str, first: Outputs, name: str, outputs: Outputs) -> None:
    if first.weight is None or outputs.weight is None:
        return
    different = np.flatnonzero(first.weight != outputs.weight)
    if len(different):
        row = int(different[0])
        weights = f"{first.weight[row]:.12g}", f"{outputs.weight[row]:.12g}"
        _refuse_difference("weight", row, (first_name, first, name), weights)


def _refuse_difference(
    what: str, row: int, models: tuple[str, Outputs, str], values: tuple[str, str]
) -> None:
    first_name, first, name = models
    where = f"output {row + 1:,}"
    hint = " in the same order (--id matches them)"
    if first.item is not None:
        where, hint = f"the item {_shown(first.item.names[first.item.codes[row]])}", ""
    message = (
        f"the {what} of {where} is {values[0]} for {printable(first_name)} and {values[1]} for "
        f"{printable(name)}; the same items{hint} are expected"
    )
    raise RefusalError(message)


def _shown(text: str) -> str:
    return f'"{printable(text)}"'


def _in_common(labels: Sequence[Labels]) -> tuple[tuple[str, ...], list[NDArray[np.intp]]]:
    """Return names for several columns of labels, and the codes that each has by these."""
    if all(column.names == labels[0].names for column in labels):
        return labels[0].names, [column.codes for column in labels]
    names = tuple(sorted({name for column in labels for name in column.names}))
    number = {name: code for code, name in enumerate(names)}
    codes = [
        np.array([number[name] for name in column.names], np.intp)[column.codes] for column in labels
    ]
    return names, codes


def _names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the name of each file without its ending; the whole path where names repeat."""
    names = [path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [str(path) for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise RefusalError(f"{path} is given twice")
    return whole


def _joined(parts: Sequence[Outputs]) -> Outputs:
    """The outputs of several files one after the other, without their model labels."""
    if len(parts) == 1:
        return parts[0]
    weights = [part.weight for part in parts if part.weight is not None]
    return Outputs(
        np.concatenate([part.correct for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        by=_joined_labels([part.by for part in parts]),
        weight=np.concatenate(weights) if weights else None,
        item=_joined_labels([part.item for part in parts]),
        truth=_joined_labels([part.truth for part in parts]),
    )


def _joined_labels(parts: Sequence[Labels | None]) -> Labels | None:
    """The labels one after the other; None where a part has none, such as of truths."""
    labels = [part for part in parts if part is not None]
    if len(labels) < len(parts):
        return None
    names, codes = _in_common(labels)
    return Labels(names, np.concatenate(codes))
