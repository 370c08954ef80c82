"""Read a machine's outputs from CSV, TSV, JSON lines and Parquet files.

DuckDB reads them, which the extra ``fastarac[cli]`` installs. It is one package without
dependencies for all four formats, and takes less than half the space of polars or pyarrow. Texts
are compared inside it, so that no Python string is made per item, and numbers come back as numpy
arrays. A row of a CSV file with too few fields is an error, where other readers fill it with nulls.

Its guesses about dialects and types are switched off: every field of a text file is read as text,
and what it means is decided here. It loads no extensions and never reaches for the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac._core.text import quoted
from fastarac.io._columns import TEXTS, Correct, Equal, Label, Number, Pick, Truth, Weight, fetch
from fastarac.io._formats import open_source
from fastarac.io._sources import DataFileError, Source, connect

if TYPE_CHECKING:
    import os

__all__ = ["DataFileError", "Labels", "Outputs", "read_outputs"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A column of texts, each distinct one held once.

    Attributes
    ----------
    names : tuple of str
        The distinct texts, in sorted order.
    codes : ndarray of shape (n,), intp
        The index into `names` of each item's text.
    """

    names: tuple[str, ...]
    codes: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """The outputs of one or more machines, one row per item, in the order of the file.

    Attributes
    ----------
    correct : ndarray of shape (n,), bool
        Whether each output is right.
    confidence : ndarray of shape (n,), of a real dtype
        The confidence of each output, finite. Numbers of a text file are float64, except for whole
        numbers that float64 cannot hold; numbers of a Parquet file keep their dtype.
    model : Labels or None
        The machine that made each output, where a column says so.
    by : Labels or None
        The group each item belongs to, where a column says so.
    weight : ndarray of shape (n,), float64, or None
        The weight of each item, where a column says so; finite and not negative.
    item : Labels or None
        What identifies each item, where a column says so.
    truth : Labels or None
        What each output should be, as a text, where that was asked for.
    """

    correct: NDArray[np.bool_]
    confidence: Array
    model: Labels | None = None
    by: Labels | None = None
    weight: NDArray[np.float64] | None = None
    item: Labels | None = None
    truth: Labels | None = None

    def __len__(self) -> int:
        return len(self.correct)

    def per_model(self) -> dict[str, Outputs]:
        """Return the outputs of each model, without their model labels.

        Returns
        -------
        outputs : dict of str to Outputs
            One entry per name in `model`, in that order; items keep their order.

        Raises
        ------
        ValueError
            If there are no model labels.
        """
        if self.model is None:
            raise ValueError("the outputs carry no model labels; read them with `model`")
        ends = np.cumsum(np.bincount(self.model.codes, minlength=len(self.model.names)))
        parts = np.split(np.argsort(self.model.codes, kind="stable"), ends[:-1])
        return {name: self.take(items) for name, items in zip(self.model.names, parts, strict=True)}

    def take(self, items: NDArray[np.intp]) -> Outputs:
        """Return the outputs of these indices, in their order, without their model labels."""

        def labels(column: Labels | None) -> Labels | None:
            return None if column is None else Labels(column.names, column.codes[items])

        return Outputs(
            self.correct[items],
            self.confidence[items],
            by=labels(self.by),
            weight=None if self.weight is None else self.weight[items],
            item=labels(self.item),
            truth=labels(self.truth),
        )


def read_outputs(
    path: str | os.PathLike[str],
    *,
    confidence: str = "confidence",
    correct: str | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    model: str | None = None,
    by: str | None = None,
    weight: str | None = None,
    item: str | None = None,
    keep_truth: bool = False,
    empty_truth: bool = False,
) -> Outputs:
    r"""Read outputs and their confidences from a file.

    Whether an output is right stands in one column (`correct`), or follows from two (`prediction`
    and `truth`). Where none of them is named, the column ``correct`` is used if there is one, else
    ``prediction`` and ``truth``.

    Parameters
    ----------
    path : str or path-like
        A file whose name ends in ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``; the
        text formats also with ``.gz`` after it. Text is UTF-8. CSV and TSV files have a header;
        the fields of a CSV file are separated by whichever of comma, semicolon, tab and bar
        divides its header into the most, and may be in quotes. A quote in a TSV file is a
        character like any other, as OCR engines write it, unless the first line begins with one:
        then its fields are read as those of a CSV file are.
    confidence : str, default="confidence"
        The column of confidences: finite numbers.
    correct : str, optional
        The column that says whether an output is right: true or false, or 1 or 0.
    prediction : str, optional
        The column of outputs. An empty or null output is the empty text: nothing was read.
    truth : str, optional
        The column of what the outputs should be. It may not be null, unless `empty_truth` says so.
        In a CSV file an empty field is null, and ``""`` in quotes is the empty text.
    model : str, optional
        The column with the name of the machine that made each output.
    by : str, optional
        The column with the group each item belongs to.
    weight : str, optional
        The column of weights: finite numbers, not negative.
    item : str, optional
        The column that identifies each item: texts or numbers, not null.
    keep_truth : bool, default=False
        Whether to return the truths, too, where there is a column of them.
    empty_truth : bool, default=False
        Whether a truth that is null is the empty text, such as for an empty field of a form. Python's
        ``csv.writer`` and the defaults of pandas write the empty text as an empty field.

    Returns
    -------
    outputs : Outputs
        The columns as arrays. Other columns of the file are not converted, and those of a Parquet
        file not even read.

    Raises
    ------
    DataFileError
        If the file cannot be read, has no rows, lacks a column, or holds a value that does not
        belong there. The message names the file, the row and the column.
    ValueError
        If `correct` is given together with `prediction` or `truth`, or only one of the latter.
    ModuleNotFoundError
        If DuckDB is not installed.

    Notes
    -----
    In text files, predictions and truths are compared as texts, exactly as they are written:
    ``007`` is not ``7``, and ``1.0`` is not ``1``. The numbers of JSON lines are compared as texts
    too, in their shortest form. In Parquet files texts are compared as texts and numbers as
    numbers; one of each is an error.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.io import read_outputs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "outputs.csv")
    ...     _ = path.write_text("prediction,truth,confidence\n007,007,0.9\n7,007,0.4\n")
    ...     outputs = read_outputs(path)
    >>> outputs.correct, outputs.confidence
    (array([ True, False]), array([0.9, 0.4]))
    """
    if correct is not None and (prediction is not None or truth is not None):
        raise ValueError(
            "name either the column that says whether an output is correct, or the columns of "
            "prediction and truth, not both"
        )
    if (prediction is None) != (truth is None):
        named, missing = ("prediction", "truth") if truth is None else ("truth", "prediction")
        raise ValueError(f"the {named} column is named, but not the {missing} column")

    path = Path(path)
    with connect() as connection:
        source = open_source(path, connection)
        if correct is None and prediction is None:
            correct, prediction, truth = _default_columns(source)
        if empty_truth and truth is None:
            problem = (
                f"empty_truth is True, but column {quoted(str(correct))} says what is correct; a "
                "column of truths is expected"
            )
            raise DataFileError(path, problem)
        for name in (confidence, correct, prediction, truth, weight):
            if name is not None:
                source.require(name)
        for name in (model, by, item):
            if name is not None:
                source.require(name, is_label=True)
        picks: list[Pick] = [Number("confidence", confidence)]
        if correct is not None:
            picks.append(Correct("correct", correct))
        elif prediction is not None and truth is not None:
            picks.append(Equal("correct", truth, empty_truth, prediction))
        if model is not None:
            picks.append(Label("model", model))
        if by is not None:
            picks.append(Label("by", by))
        if weight is not None:
            picks.append(Weight("weight", weight))
        if item is not None:
            picks.append(Label("item", item))
        if keep_truth and truth is not None:
            picks.append(Truth("truth", truth, empty_truth))
        fields = fetch(source, picks)
    for field in TEXTS:
        if field in fields:
            fields[field] = Labels(*fields[field])
    return Outputs(**fields)


def _default_columns(source: Source) -> tuple[str | None, str | None, str | None]:
    """Return the columns that say what is correct where the caller names none."""
    if "correct" in source.columns:
        return "correct", None, None
    if "prediction" in source.columns and "truth" in source.columns:
        return None, "prediction", "truth"
    problem = (
        'there is neither a column "correct" nor the two columns "prediction" and "truth"; '
        f"the columns are {', '.join(map(quoted, source.columns))}"
    )
    raise DataFileError(source.path, problem)
