"""Read the outputs of several models and match their items."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from fastarac._core.results import TupleResult
from fastarac._core.text import listed, printable, quoted
from fastarac.io._columns import Columns
from fastarac.io._formats import open_source
from fastarac.io._labels import FIELDS, Texts
from fastarac.io._outputs import Labels, Outputs
from fastarac.io._pages import ID, count_values
from fastarac.io._picks import KIND
from fastarac.io._sources import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.io._sources import FileSource

T = TypeVar("T")
EXAMPLES = 3  # number of items to name in the error when models have different items
# The kind, in files of `fastarac ocr -o`, of an output that matches no true word or field.
INSERTED = "inserted"


class _Models(NamedTuple):
    outputs: Mapping[str, Outputs]
    difference: str | None
    same_truths: bool
    item: str | None = None


class Models(TupleResult, _Models):
    """The outputs of several models.

    Attributes
    ----------
    outputs : mapping of str to Outputs
        Outputs by model, read-only, without labels of models, items and truths.
    difference : str or None
        A message if the models have different items, or None. It gives the number of items that each
        model lacks or, without item labels, each model's number of outputs.
    same_truths : bool
        Whether all models have true outputs that agree in every row.
    item : str or None
        The column by which items were matched; None without such a column.

    See Also
    --------
    read_models : read the outputs of several models
    fastarac.compare_models : compare models on the same items or groups

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> outputs = fa.io.Outputs(np.array([True, False]), np.array([0.9, 0.4]))
    >>> models = fa.io.Models({"A": outputs, "B": outputs}, None, False)
    >>> list(models.outputs)
    ['A', 'B']
    """

    __slots__ = ()


def columns_of_models(
    files: Mapping[str, T], confidence: str | Sequence[str]
) -> dict[str, tuple[T, str]]:
    """Return the file and the column of confidences of each model.

    A model is named after its file or, if `confidence` has several columns, after its column. With
    several columns and files, the name is "file: column".
    """
    if isinstance(confidence, str):
        return {name: (file, confidence) for name, file in files.items()}
    return {
        column if len(files) == 1 else f"{name}: {column}": (file, column)
        for name, file in files.items()
        for column in confidence
    }


def read_files(
    files: Mapping[str, Path],
    columns: Columns,
    confidence: str | Sequence[str],
    *,
    same_items: bool,
    on_file: Callable[[str], None] | None,
) -> Models:
    """Return the outputs in files by model; `confidence` is one column or several."""
    with connect() as connection:
        texts = {field: Texts() for field in FIELDS}
        opened = {name: open_source(path, connection) for name, path in files.items()}
        sources = columns_of_models(opened, confidence)
        untold = columns.item is None
        # Models that are columns of one file have the same rows, so they need no ids.
        matches = same_items and (columns.model is not None or len(files) > 1)
        if matches and untold and all(_has_ids(each, columns) for each in opened.values()):
            columns = replace(columns, item=ID)
        models = _by_model(sources, columns, texts, on_file)
        if columns.item and untold and not all(map(_once_each, models.values())):
            columns = replace(columns, item=None)
            models = {model: replace(outputs, item=None) for model, outputs in models.items()}
        same_truths = same_items and all(outputs.truth is not None for outputs in models.values())
        if same_items:
            models, difference = _of_same_items(models, texts, told=not untold)
        else:
            matching = _matched(models, texts["item"])
            difference = unequal_sizes(_sizes(models)) if matching is None else matching.difference
        done = {
            model: with_names(replace(outputs, item=None, truth=None), texts)
            for model, outputs in models.items()
        }
    return Models(done, difference, same_truths, columns.item or None)


def read_each(
    files: Mapping[str, Path], columns: Columns, confidence: str | Sequence[str]
) -> Iterator[tuple[str, Outputs]]:
    """Yield the outputs of each model, reading them only on request.

    The columns must not include labels, because the labels of all files are numbered together.
    """
    with connect() as connection:
        opened = {name: open_source(path, connection) for name, path in files.items()}
        sources = columns_of_models(opened, confidence)
        for name, (source, column) in sources.items():
            of_model = replace(columns, confidence=column)
            yield name, Outputs(**of_model.read(source, {})).with_rejects_below()


def _has_ids(source: FileSource, columns: Columns) -> bool:
    """Return whether a file has an unused column "id" without empty values."""
    if ID in (getattr(columns, field.name) for field in fields(columns)) or ID not in source.columns:
        return False
    counted = count_values(source, ID)
    return counted is not None and (columns.model is not None or counted.values == counted.rows)


def _once_each(outputs: Outputs) -> bool:
    """Return whether outputs have item labels without repetition."""
    return outputs.item is not None and len(np.unique(outputs.item.codes)) == len(outputs)


def read_engine_items(
    files: Mapping[str, Path],
    *,
    item: str,
    confidence: str = "confidence",
    correct: str | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    model: str | None = None,
    group: str | None = None,
) -> dict[str, Outputs]:
    """Return each engine's outputs for the items of all engines, from files of `fastarac ocr -o`.

    The items of the first engine come first, then further items of the others. If an engine has no
    output for an item, its confidence is NaN. If another engine inserted the item, the item has no
    truth, so the missing output is correct. Otherwise, the missing output is wrong.

    Raises
    ------
    DataFileError, ValueError
        As in :func:`read_files`.
    """
    columns = Columns(
        confidence, correct, prediction, truth, model, by=KIND, item=item, group=group,
        empty_confidence=True,
    )  # fmt: skip
    with connect() as connection:
        texts = {field: Texts() for field in FIELDS}
        opened = {name: open_source(path, connection) for name, path in files.items()}
        models = _by_model(columns_of_models(opened, confidence), columns, texts, None)
        place = _places(models, texts["item"])
        items, groups = np.empty(0, np.intp), np.zeros(len(texts["item"]), np.intp)
        inserted = np.zeros(len(texts["item"]), np.bool_)
        for outputs in models.values():
            kinds = texts["by"].named(outputs.by)
            if outputs.item is None or kinds is None:
                raise AssertionError
            of_model = outputs.item.codes
            items = np.concatenate([items, of_model[~np.isin(of_model, items)]])
            inserted[of_model] |= np.array(kinds.names)[kinds.codes] == INSERTED
            if outputs.group is not None:
                groups[of_model] = outputs.group.codes
        found = {}
        for (model, outputs), places in zip(models.items(), place, strict=True):
            here, rows = places[items] >= 0, np.maximum(places[items], 0)
            known = here if outputs.rejected is None else here & ~outputs.rejected[rows]
            all_items = Outputs(
                np.where(here, outputs.correct[rows], inserted[items]),
                np.where(known, outputs.confidence[rows].astype(np.float64), np.nan),
                group=Labels((), groups[items]) if group is not None else None,
                rejected=~known,
            )
            found[model] = with_names(all_items, texts)
    return found


def _by_model(
    sources: Mapping[str, tuple[FileSource, str]],
    columns: Columns,
    texts: Mapping[str, Texts],
    on_file: Callable[[str], None] | None,
) -> dict[str, Outputs]:
    """Return the outputs in files by model; `sources` has the files and columns of confidences."""
    files_read = []
    for name, (source, confidence) in sources.items():
        if on_file is not None:
            on_file(name)
        files_read.append((name, replace(columns, confidence=confidence).read(source, texts)))
    parts: dict[str, list[Outputs]] = {}
    for name, read in files_read:
        outputs = with_codes(read, texts)
        of_models = {name: outputs}
        if outputs.model is not None:
            named = replace(outputs, model=texts["model"].named(outputs.model))
            of_models = named.per_model()
        for model, part in of_models.items():
            if len(part):
                parts.setdefault(model, []).append(part)
    return {model: _joined(of_model).with_rejects_below() for model, of_model in parts.items()}


def with_codes(read: Mapping[str, Any], texts: Mapping[str, Texts]) -> Outputs:
    """Return the data read from a file as `Outputs`; labels have codes, but no names yet."""
    labels = {field: texts[field].labels(read[field]) for field in FIELDS if field in read}
    every: dict[str, Any] = {**read, **labels}
    return Outputs(**every)


def with_names(outputs: Outputs, texts: Mapping[str, Texts]) -> Outputs:
    """Return the outputs with names added to their labels."""
    named: dict[str, Any] = {field: texts[field].named(getattr(outputs, field)) for field in FIELDS}
    return replace(outputs, **named)


def _joined(parts: Sequence[Outputs]) -> Outputs:
    def joined(field: str) -> Any:  # returns None if any part lacks the field
        columns = [getattr(part, field) for part in parts]
        if any(column is None for column in columns):
            return None
        if isinstance(columns[0], Labels):
            return Labels((), np.concatenate([column.codes for column in columns]))
        return np.concatenate(columns)

    if len(parts) == 1:
        return parts[0]
    if any(part.rejected is not None for part in parts):  # a part without the mask rejects no outputs
        parts = [
            replace(part, rejected=np.zeros(len(part), np.bool_)) if part.rejected is None else part
            for part in parts
        ]
    names = ("correct", "confidence", "by", "weight", "item", "truth", "group", "crossed", "rejected")
    return Outputs(**{name: joined(name) for name in names})


class _Matching(NamedTuple):
    """Each model's positions of the items that all models have, and a message on other items."""

    places: list[NDArray[np.intp]]
    difference: str | None


def _sizes(models: Mapping[str, Outputs]) -> dict[str, int]:
    return {model: len(outputs) for model, outputs in models.items()}


def unequal_sizes(sizes: Mapping[str, int]) -> str | None:
    """Return a message if the models have different numbers of outputs."""
    if len(set(sizes.values())) == 1:
        return None
    each = [f"{size:,} of {printable(model)}" for model, size in sizes.items()]
    return f"the models have different numbers of outputs, {listed(each)}"


def _matched(models: Mapping[str, Outputs], items: Texts) -> _Matching | None:
    """Match the items of all models by their labels; return None if items have no labels."""
    codes = [outputs.item.codes for outputs in models.values() if outputs.item is not None]
    if not codes:
        return None
    place = _places(models, items)
    is_here = place >= 0
    in_all = np.logical_and.reduce(is_here)
    shared = codes[0][in_all[codes[0]]]
    lacking = []
    for model, here in zip(models, is_here, strict=True):
        missing = np.flatnonzero(~here)
        if len(missing):
            which = listed([quoted(items.text(code)) for code in missing[:EXAMPLES]])
            if len(missing) > EXAMPLES:
                which = f"{len(missing):,}, such as {which}"
            lacking.append(f"{printable(model)} lacks {which}")
    difference = None
    if lacking:
        share = f"share only {len(shared):,}"
        difference = f"the models have different items and {share}: {listed(lacking)}"
    return _Matching([places[shared] for places in place], difference)


def _places(models: Mapping[str, Outputs], items: Texts) -> NDArray[np.intp]:
    """Return the position of each item in each model's outputs; −1 if the model lacks the item."""
    codes = [outputs.item.codes for outputs in models.values() if outputs.item is not None]
    place = np.full((len(codes), len(items)), -1, np.intp)
    for model, of_model, places in zip(models, codes, place, strict=True):
        # Assign in reverse order, so that the first of several equal items is kept.
        places[of_model[::-1]] = np.arange(len(of_model))[::-1]
        repeated = np.flatnonzero(places[of_model] != np.arange(len(of_model)))
        if len(repeated):
            twice = quoted(items.text(int(of_model[repeated[0]])))
            raise ValueError(
                f"the item {twice} is in the outputs of {printable(model)} more than once; keep one"
            )
    return place


def _of_same_items(
    models: Mapping[str, Outputs], texts: Mapping[str, Texts], *, told: bool
) -> tuple[dict[str, Outputs], str | None]:
    """Return the outputs of the items that all models have, in the order of the first model.

    `told` is whether the caller gave the argument `item`.
    """
    if len(models) < 2:
        found = printable(next(iter(models)))
        raise ValueError(
            f"there is one model, {found}; give at least two (the files of a folder as FOLDER/*, or "
            "see model=COLUMN)"
        )
    matching = _matched(models, texts["item"])
    if matching is None:
        difference = unequal_sizes(_sizes(models))
        if difference is not None:
            raise ValueError(f"{difference}; use outputs of the same items (item=COLUMN matches them)")
        same = dict(models)
    else:
        difference = matching.difference
        if difference is not None and not told:
            advice = ""
            if len(matching.places[0]):
                advice = (
                    f": item={ID!r} compares the items that all models have, item=False matches "
                    "outputs by their row"
                )
            raise ValueError(
                f"{difference}, by column {quoted(ID)}; use outputs of the same items{advice}"
            )
        if not len(matching.places[0]):
            raise ValueError(f"{difference}; use outputs of the same items")
        same = {
            name: outputs.take(places)
            for (name, outputs), places in zip(models.items(), matching.places, strict=True)
        }
    (first_name, first), *others = same.items()
    for name, outputs in others:
        for what in ("truth", "weight", "group", "crossed"):
            _refuse_difference(what, (first_name, name), (first, outputs), texts)
    return same, difference


def _refuse_difference(
    what: str, names: tuple[str, str], models: tuple[Outputs, Outputs], texts: Mapping[str, Texts]
) -> None:
    """Raise if two models have different truths, weights or groups for the same items."""
    columns = [getattr(outputs, what) for outputs in models]
    if any(column is None for column in columns):
        return
    values = [column.codes if what in texts else column for column in columns]
    different = np.flatnonzero(values[0] != values[1])
    if not len(different):
        return
    row = int(different[0])
    found = [
        quoted(texts[what].text(each[row])) if what in texts else f"{each[row]:.12g}" for each in values
    ]
    where = f"output {row + 1:,}"
    hint = "; use the same items in the same order (item=COLUMN matches them)"
    if (items := models[0].item) is not None:
        where, hint = f"the item {quoted(texts['item'].text(items.codes[row]))}", "; use the same items"
    raise ValueError(
        f"the {what} of {where} is {found[0]} for {printable(names[0])} and {found[1]} for "
        f"{printable(names[1])}{hint}"
    )
